"""Check with the repeated images in the key whether a score depends only on its two images."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from proband.blind.checking.equality import Equality, middles
from proband.blind.checking.matrices import Laid, shown
from proband.blind.checking.own_copies import CLOSE, OwnCopies
from proband.blind.checking.submission import Declaration
from proband.blind.checking.surveying import Pairs, ScoreSurvey
from proband.blind.package.control import Again
from proband.blind.package.key import Key
from proband.blind.package.package import Package
from proband.errors import Hint, InputError, Said
from proband.scores.orientation import OrientationCheck

TOLERANCE = 1e-5
_SQUARE = 200  # images met in both sets whose scores are looked at either way round, at most


@dataclass(frozen=True, eq=False)
class Repeats:
    """The positions of the repeats of a key in the lists of the package.

    Attributes
    ----------
    queries, targets
        Pairs of rows, and of columns, that show the same image (n × 2).
    control_rows, control_columns
        For each control query and target, the row and column of the main sets that show the same image.
    selves
        Rows and columns of images that are in both sets (n × 2).
    """

    queries: Pairs
    targets: Pairs
    control_rows: Pairs
    control_columns: Pairs
    selves: Pairs

    @classmethod
    def of(cls, key: Key, package: Package) -> Repeats:
        """Find the repeats."""
        row = {name: place for place, name in enumerate(package.queries)}
        column = {name: place for place, name in enumerate(package.targets)}
        shown = dict(zip(key.table["name"], key.table["repeat_of"], strict=True))
        both = _sole(key, "query").join(
            _sole(key, "target"), on="sample", suffix="_target", maintain_order="left"
        )
        return cls(
            _places([(row[shown[name]], row[name]) for name in package.queries if shown[name]]),
            _places([(column[shown[name]], column[name]) for name in package.targets if shown[name]]),
            np.array([row[shown[name]] for name in package.control_queries], dtype=np.intp),
            np.array([column[shown[name]] for name in package.control_targets], dtype=np.intp),
            _places(
                [(row[one], column[other]) for one, other in both.select("name", "name_target").iter_rows()]
            ),
        )


def _sole(key: Key, role: str) -> pl.DataFrame:
    return key.table.filter((pl.col("role") == role) & pl.col("repeat_of").is_null()).select("name", "sample")


def _places(pairs: list[tuple[int, int]]) -> Pairs:
    return np.array(pairs, dtype=np.intp).reshape(-1, 2)


@dataclass(frozen=True)
class Canaries:
    """The results of comparing repeats.

    Differences are relative to the tolerance: at most 1.

    Attributes
    ----------
    spread
        The typical spread of the scores that `Equality` uses.
    n_query_repeats, row_gap
        The number of images that occur twice among the queries, and the largest difference of their rows.
    n_target_repeats, column_gap
        The same for targets and columns.
    n_control, control_gap
        The number of pairs scored again in the control sets, and their largest difference.
    n_selves, self_share
        The number of images in both sets, and the median share of other targets that are farther than the
        image's own copy.
    symmetry_gap
        The largest difference between the scores of two images in both orders, which may be large if scores
        are not declared symmetric; None without two such images.
    """

    spread: float
    n_query_repeats: int
    row_gap: float
    n_target_repeats: int
    column_gap: float
    n_control: int
    control_gap: float
    n_selves: int
    self_share: float | None
    symmetry_gap: float | None


def examine(
    scores: Laid,
    control: Laid | None,
    declared: Declaration,
    repeats: Repeats,
    seen: ScoreSurvey,
    equality: Equality,
    mated: Callable[[], OrientationCheck | None],
) -> Canaries:
    """Compare scores that must be equal, and refuse differences with the most likely reason.

    `seen` is the survey of `scores` with `repeats.targets` for its pairs of columns; `mated` looks at pairs of one person.
    """
    copies = OwnCopies.of(scores, declared, repeats.selves, repeats.targets, equality)
    rows = _RepeatedRows(scores, repeats.queries, equality)
    again = None
    if control is not None:
        again = Again(scores, control, repeats.control_rows, repeats.control_columns, equality)
        again.refuse_disorder()
        again.refuse_normalised()
    _refuse_repeats(scores, rows, seen, repeats, None if copies.share is None else copies.share >= CLOSE)
    copies.refuse_strays(scores)
    if again is not None:
        again.refuse_any()
    copies.refuse_disorder(scores, declared, mated)
    symmetry = _symmetry_gap(scores, repeats, equality)
    if declared.symmetric == "yes" and symmetry is not None and symmetry[0] > 1:
        raise InputError(
            f"{scores.name} is declared symmetric, but two images score {symmetry[1]} in one order and {symmetry[2]} in the other.",
            "write symmetric = false, or fix the scores.",
            file=Said(scores.name),
        )
    return Canaries(
        equality.spread,
        len(repeats.queries),
        rows.gap,
        len(repeats.targets),
        float(seen.column_gaps.max(initial=0.0)),
        0 if again is None else again.apart.size,
        0.0 if again is None else again.gap,
        len(copies.rows),
        copies.share,
        None if symmetry is None else symmetry[0],
    )


class _RepeatedRows:
    """Rows that show the same query."""

    def __init__(self, scores: Laid, pairs: Pairs, equality: Equality) -> None:
        self.gap, self.pair, self.column = 0.0, (0, 0), 0
        for one, other in pairs:
            both = scores.floats(np.array([one, other]))
            apart = equality.apart(both[0], both[1], middles(np.sort(both[:1], axis=1))[0])
            if apart.max() > self.gap:
                self.column = int(apart.argmax())
                self.gap, self.pair = float(apart[self.column]), (int(one), int(other))


def _refuse_repeats(
    scores: Laid, rows: _RepeatedRows, seen: ScoreSurvey, repeats: Repeats, ordered: bool | None
) -> None:
    """Refuse rows or columns of one image that differ, and say whether it is chance or disorder, if that can be told."""
    if rows.gap > 1:
        what, other = "queries", f"target {scores.targets[rows.column]!r}"
        pair = [scores.queries[place] for place in rows.pair]
        got = [scores.floats(np.array([place]))[0, rows.column] for place in rows.pair]
    elif seen.column_gaps.max(initial=0.0) > 1:
        worst = int(seen.column_gaps.argmax())
        row = int(seen.gap_rows[worst])
        what, other = "targets", f"query {scores.queries[row]!r}"
        pair = [scores.targets[int(place)] for place in repeats.targets[worst]]
        got = [scores.floats(np.array([row]))[0, place] for place in repeats.targets[worst]]
    else:
        return
    reason = {
        None: "the algorithm is not deterministic, or rows or columns are not in the package's order",
        True: "the algorithm is not deterministic, scores depend on more than the two images, or some rows are in the wrong order",
        False: "rows or columns are not in the package's order (permuted)",
    }[ordered]
    raise InputError(
        f"{what} {pair[0]!r} and {pair[1]!r} are the same image, but their scores with {other} are "
        f"{shown(got[0])} and {shown(got[1])}: {reason}.",
        Hint(
            "rows follow queries.csv and columns targets.csv; if only rounding differs, increase {option:tolerance}"
        ),
        file=scores.name,
    )


def _symmetry_gap(scores: Laid, repeats: Repeats, equality: Equality) -> tuple[float, str, str] | None:
    """How much the scores of two images that are in both sets differ either way round, at most, and the two scores."""
    step = -(-len(repeats.selves) // _SQUARE) or 1
    selves = repeats.selves[::step]
    if len(selves) < 2:
        return None
    rows = scores.floats(selves[:, 0])
    square = rows[:, selves[:, 1]].astype(np.float64)
    apart = equality.apart(square, square.T, middles(np.sort(rows, axis=1)))
    worst = np.unravel_index(int(apart.argmax()), apart.shape)
    return float(apart[worst]), shown(square[worst]), shown(square.T[worst])
