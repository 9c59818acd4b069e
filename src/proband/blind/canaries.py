"""What the key's repeated images tell of a submission: whether a score depends on its two images alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.blind.key import Key
from proband.blind.matrices import Laid
from proband.blind.normalising import normalised_how
from proband.blind.package import Package
from proband.blind.submission import Declaration
from proband.blind.surveying import Pairs, Survey, distances
from proband.errors import InputError

TOLERANCE = 1e-5
_FLOAT32 = 2.0**-22  # twice the rounding of the largest score
_SELVES = 200  # images met in both sets that are looked at, at most
_CLOSE, _FAR = 0.75, 0.25  # shares of the other targets that an image's own must beat, on the median
_ALONE = "a score may depend on its two images alone: score again, without"


@dataclass(frozen=True, eq=False)
class Repeats:
    """Where the repeats of a key stand in the package's lists.

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
        """Find them."""
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
    """What the repeats showed.

    Attributes
    ----------
    allowed
        The greatest difference that counts as equal.
    n_query_repeats, row_gap
        Images that are twice among the queries, and the greatest difference of their rows.
    n_target_repeats, column_gap
        The same for targets and columns.
    n_control, control_gap
        Pairs of images scored a second time in the control sets, and their greatest difference.
    n_selves, self_share
        Images in both sets that were looked at, and the median share of other targets that an image's own beats.
    symmetry_gap
        The greatest difference of two images' scores either way round; None if there are no two such images.
    """

    allowed: float
    n_query_repeats: int
    row_gap: float
    n_target_repeats: int
    column_gap: float
    n_control: int
    control_gap: float
    n_selves: int
    self_share: float | None
    symmetry_gap: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


def examine(
    scores: Laid,
    control: Laid | None,
    declared: Declaration,
    repeats: Repeats,
    seen: Survey,
    tolerance: float = TOLERANCE,
) -> Canaries:
    """Compare what must be equal, and refuse what is not with the likeliest reason.

    `seen` is the survey of `scores` with `repeats.targets` for its pairs of columns. Scores count as equal within
    `tolerance` times their standard deviation, and the rounding of 32-bit floats.
    """
    allowed = tolerance * seen.spread + _FLOAT32 * max(abs(seen.low), abs(seen.high))
    share, n_selves = _self_share(scores, declared, repeats)
    rows = _Rows(scores, repeats.queries)
    again = None if control is None else _Again(scores, control, repeats)
    differs = again is not None and again.gap > allowed
    if again is not None and differs:
        _refuse_normalised(again)
    _refuse_repeats(scores, rows, seen, repeats, allowed, None if share is None else share >= _CLOSE)
    if again is not None and differs:
        raise InputError(
            f"{again.example()}, so scores depend on what else is in the test set, or on chance.",
            f"{_ALONE} looking at the other images, and without random numbers.",
        )
    if share is not None and share < _CLOSE:
        _refuse_disorder(scores, declared, share)
    symmetry = _symmetry_gap(scores, repeats)
    if declared.symmetric == "yes" and symmetry is not None and symmetry > allowed:
        raise InputError(
            f"{scores.name} is declared symmetric, but two images score differently the other way round, by up to {symmetry:g}.",
            "write symmetric = false, or mend the scores.",
        )
    return Canaries(
        allowed,
        len(repeats.queries),
        rows.gap,
        len(repeats.targets),
        float(seen.column_gaps.max(initial=0.0)),
        0 if again is None else again.apart.size,
        0.0 if again is None else again.gap,
        n_selves,
        share,
        symmetry,
    )


class _Rows:
    """Rows that show the same query."""

    def __init__(self, scores: Laid, pairs: Pairs) -> None:
        self.gap, self.pair, self.column = 0.0, (0, 0), 0
        for one, other in pairs:
            apart = distances(*(scores.floats(np.array([place]))[0] for place in (one, other)))
            if apart.max() > self.gap:
                self.column = int(apart.argmax())
                self.gap, self.pair = float(apart[self.column]), (int(one), int(other))


class _Again:
    """The control pairs, beside the same pairs in the main sets."""

    def __init__(self, scores: Laid, control: Laid, repeats: Repeats) -> None:
        self.control = control
        self.now = np.asarray(control.floats(slice(None)), dtype=np.float64)
        self.then = _cells(scores, repeats.control_rows, repeats.control_columns)
        self.apart = distances(self.now, self.then)
        self.gap = float(self.apart.max())

    def example(self) -> str:
        """Name the pair that differs most."""
        row, column = np.unravel_index(int(self.apart.argmax()), self.apart.shape)
        return (
            f"{self.control.name}: query {self.control.queries[int(row)]!r} and target "
            f"{self.control.targets[int(column)]!r} score {_shown(self.now[row, column])}, but the same two images "
            f"{_shown(self.then[row, column])} in the main sets"
        )


def _cells(scores: Laid, rows: Pairs, columns: Pairs) -> npt.NDArray[np.float64]:
    return np.asarray(scores.floats(rows)[:, columns], dtype=np.float64)


def _shown(score: float) -> str:
    return "nothing (a failure)" if np.isnan(score) else f"{score:g}"


def _refuse_normalised(again: _Again) -> None:
    how = normalised_how(again.then, again.now)
    if how is not None:
        raise InputError(
            f"{again.example()}: {how}.",
            f"{_ALONE} normalising over the images of the test (a cohort of other people is fine).",
        )


def _refuse_repeats(
    scores: Laid, rows: _Rows, seen: Survey, repeats: Repeats, allowed: float, ordered: bool | None
) -> None:
    """Refuse rows or columns of one image that differ, and say whether it is chance or disorder, if that can be told."""
    if rows.gap > allowed:
        what, other = "queries", f"target {scores.targets[rows.column]!r}"
        pair = [scores.queries[place] for place in rows.pair]
        got = [scores.floats(np.array([place]))[0, rows.column] for place in rows.pair]
    elif seen.column_gaps.max(initial=0.0) > allowed:
        worst = int(seen.column_gaps.argmax())
        row = int(seen.gap_rows[worst])
        what, other = "targets", f"query {scores.queries[row]!r}"
        pair = [scores.targets[int(place)] for place in repeats.targets[worst]]
        got = [scores.floats(np.array([row]))[0, place] for place in repeats.targets[worst]]
    else:
        return
    reason = {
        None: "the algorithm is not deterministic, or rows or columns are not in the package's order",
        True: "the algorithm is not deterministic, or scores depend on more than the two images",
        False: "rows or columns are not in the package's order (permuted)",
    }[ordered]
    raise InputError(
        f"{scores.name}: {what} {pair[0]!r} and {pair[1]!r} are the same image, but with {other} they score "
        f"{_shown(got[0])} and {_shown(got[1])}: {reason}.",
        "rows follow queries.csv and columns targets.csv; if it is a matter of rounding alone, allow more with --tolerance.",
    )


def _refuse_disorder(scores: Laid, declared: Declaration, share: float) -> None:
    facing = f"an image's own copy among the targets is closer than {share:.0%} of the other targets, on the median"
    if share < _FAR:
        right = "distance" if declared.orientation == "similarity" else "similarity"
        raise InputError(
            f"{scores.name}: read as a {declared.orientation}, {facing}: the orientation is reversed.",
            f'write orientation = "{right}".',
        )
    raise InputError(
        f"{scores.name}: {facing}: rows or columns are not in the package's order (permuted), or these are not scores of its "
        "images.",
        "rows follow queries.csv and columns targets.csv.",
    )


def _self_share(scores: Laid, declared: Declaration, repeats: Repeats) -> tuple[float | None, int]:
    """The median share of other targets that are farther from an image than its own copy is; ties count half."""
    step = -(-len(repeats.selves) // _SELVES) or 1
    copies = {int(place): int(one) for one, place in repeats.targets}
    sign = 1.0 if declared.orientation == "similarity" else -1.0
    shares = []
    for row, own in repeats.selves[::step]:
        closeness = sign * scores.floats(np.array([row]))[0].astype(np.float64)
        others = np.delete(closeness, [own, *(place for place, one in copies.items() if one == own)])
        others = others[~np.isnan(others)]
        if not np.isnan(closeness[own]) and len(others):
            shares.append(float(np.mean((others < closeness[own]) + 0.5 * (others == closeness[own]))))
    return (float(np.median(shares)) if shares else None), len(shares)


def _symmetry_gap(scores: Laid, repeats: Repeats) -> float | None:
    """How much the scores of two images that are in both sets differ either way round, at most."""
    step = -(-len(repeats.selves) // _SELVES) or 1
    selves = repeats.selves[::step]
    if len(selves) < 2:
        return None
    square = _cells(scores, selves[:, 0], selves[:, 1])
    return float(distances(square, square.T).max())
