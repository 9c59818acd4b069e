"""Check whether images in both sets are closest to their own copies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.blind.checking.equality import Equality, middles
from proband.blind.checking.matrices import Laid
from proband.blind.checking.submission import Declaration
from proband.blind.checking.surveying import CELLS_AT_ONCE, Pairs
from proband.errors import InputError
from proband.scores.orientation import OrientationCheck
from proband.words import count, fixed, percent

CLOSE, _FAR = 0.75, 0.25  # shares of the other targets that an image's own must beat, on the median
_NEARLY_ALL, _HALF = 0.99, 0.5


@dataclass(frozen=True, eq=False)
class OwnCopies:
    """The share of other targets that are farther than each image's own copy.

    Attributes
    ----------
    rows
        The positions of the images among the queries, without failed images.
    shares
        For each, the share of the other targets that are farther than its own copy; ties count half.
    exchanged
        The images that are closest to the copy of another image, which may be closest to the copy of a
        third, and so on back to the first. No distance and no product of features has this property, so their
        rows were exchanged.
    """

    rows: Pairs
    shares: npt.NDArray[np.float64]
    exchanged: npt.NDArray[np.bool_]

    @classmethod
    def of(
        cls, scores: Laid, declared: Declaration, selves: Pairs, repeated_targets: Pairs, equality: Equality
    ) -> OwnCopies:
        """Compare every image in both sets (rows and columns `selves`), in blocks of rows."""
        again = defaultdict(list)
        for one, repeat in repeated_targets:
            again[int(one)].append(int(repeat))
        image = {int(column): place for place, column in enumerate(selves[:, 1])}
        image |= {repeat: image[one] for one, repeats in again.items() if one in image for repeat in repeats}
        step = max(1, CELLS_AT_ONCE // len(scores.targets))
        shares = [np.zeros(0)]
        closest: dict[int, int] = {}
        for start in range(0, len(selves), step):
            part = selves[start : start + step]
            own, rivals = _beaten(scores, declared, part, again, equality)
            shares.append(own)
            closest |= {
                start + int(place): image[int(rivals[place])]
                for place in np.flatnonzero(rivals >= 0)
                if int(rivals[place]) in image
            }
        every = np.concatenate(shares)
        exchanged = np.zeros(len(every), dtype=np.bool_)
        exchanged[_in_circles(closest)] = True
        known = ~np.isnan(every)
        return cls(selves[known, 0], every[known], exchanged[known])

    @property
    def share(self) -> float | None:
        """The median share; None without images."""
        return float(np.median(self.shares)) if len(self.shares) else None

    def refuse_strays(self, scores: Laid) -> None:
        """Refuse a few images that are far from their own copies if nearly all other images are closest to theirs."""
        stray = (self.shares < _HALF) | self.exchanged
        if self.share is None or self.share < _NEARLY_ALL or not stray.any():
            return
        first = int(np.argmax(stray))
        row = int(self.rows[first])
        raise InputError(
            f"of {count(len(self.rows))} images in both sets, nearly all are closest to their own copies, "
            f"but {count(int(stray.sum()))} are not; the first is query {scores.queries[row]!r} (row {count(row + 1)}), whose copy is closer than "
            f"{percent(self.shares[first])} of the other targets. Rows or columns are permuted, or images were read wrongly.",
            "rows follow queries.csv and columns targets.csv; list images that could not be processed under 'failed'.",
            file=scores.name,
        )

    def refuse_disorder(
        self, scores: Laid, declared: Declaration, look: Callable[[], OrientationCheck | None]
    ) -> None:
        """Refuse scores if images are usually not close to their own copies; `look` compares pairs of one person."""
        if self.share is None or self.share >= CLOSE:
            return
        facing = f"an image's own copy among the targets is closer than {percent(self.share)} of the other targets (median)"
        said = f"{scores.name}: read as a {declared.orientation}, {facing}"
        right = "distance" if declared.orientation == "similarity" else "similarity"
        if self.share >= _FAR:
            raise InputError(
                f"{facing}: rows or columns are not in the package's order (permuted), or the scores are "
                f"for other images.",
                "rows follow queries.csv and columns targets.csv.",
                file=scores.name,
            )
        mated = look()
        if mated is not None and mated.auc < _HALF:
            raise InputError(
                f"{said}, and mated pairs are farther apart than other pairs (AUC {fixed(mated.auc, 3)}): the orientation is "
                "reversed.",
                f'write orientation = "{right}".',
            )
        if mated is not None and mated.auc > _HALF:
            raise InputError(
                f"{said}, but other images of the same person are close (AUC {fixed(mated.auc, 3)}): copies "
                f"were scored differently from other pairs.",
                "score every pair in the same way, including an image and its own copy.",
            )
        raise InputError(
            f"{said}: the orientation may be reversed, or copies were scored differently from other pairs.",
            f'if it is reversed, write orientation = "{right}"; score every pair in the same way.',
        )


def _beaten(
    scores: Laid, declared: Declaration, selves: Pairs, again: dict[int, list[int]], equality: Equality
) -> tuple[npt.NDArray[np.float64], Pairs]:
    """The share of other targets that each image's own copy beats, and the target that beats it most clearly (-1 for none)."""
    sign = 1 if declared.orientation == "similarity" else -1
    others = sign * scores.floats(selves[:, 0])
    own = np.take_along_axis(others, selves[:, 1:], axis=1)
    np.put_along_axis(others, selves[:, 1:], np.nan, axis=1)
    for place, column in enumerate(selves[:, 1]):
        others[place, again.get(int(column), [])] = np.nan
    n = (~np.isnan(others)).sum(axis=1)
    beaten = (others < own).sum(axis=1) + 0.5 * (others == own).sum(axis=1)
    known = (n > 0) & ~np.isnan(own[:, 0])
    shares = np.full(len(selves), np.nan)
    shares[known] = beaten[known] / n[known]
    best = np.where(np.isnan(others), -np.inf, others).argmax(axis=1)
    rival = np.take_along_axis(others, best[:, None], axis=1)
    wins = (rival > own)[:, 0]
    middle = middles(np.sort(others[wins], axis=1))
    # What rounding can do tells nothing.
    wins[wins] = equality.apart(rival[wins], own[wins], middle)[:, 0] > 1
    return shares, np.where(wins, best, -1)


def _in_circles(after: dict[int, int]) -> list[int]:
    """Those that come back to themselves, one step after another."""
    found: list[int] = []
    done: set[int] = set()
    for start in after:
        path: dict[int, int] = {}
        place: int | None = start
        while place is not None and place not in done and place not in path:
            path[place] = len(path)
            place = after.get(place)
        if place is not None and place in path:
            found += list(path)[path[place] :]
        done |= set(path)
    return found
