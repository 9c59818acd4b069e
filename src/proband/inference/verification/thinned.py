"""The closest impostors where they are too many to list: sums over all, and a part that is drawn at random.

A comparison is drawn by a number that its place in the scores makes, the same in every run and however the work is cut. The
closest are all kept; of those further down a smaller share, so that every false match rate has millions to rest on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from proband.engine import one_blas_thread, run_blocks
from proband.inference.verification.people.matches import Shares, SummedMatches
from proband.inference.verification.people.meetings import Ints, Meetings
from proband.measures.pairs.lists import Found, finding
from proband.measures.pairs.pair_set import Codes, PairSet
from proband.scores import Scores

Floats = npt.NDArray[np.float64]
KEPT = 4_000_000  # comparisons that are drawn for each operating point


class ThinnedLevel(NamedTuple):
    """Of the comparisons that reach a closeness, this share is drawn.

    Attributes
    ----------
    closeness, share
        How close, and between 0 and 1.
    """

    closeness: float
    share: float


class _Sums(NamedTuple):
    """Sums over the false matches at a threshold: how many, of whom, and of the comparisons n of their two people, n, 1/n and 1/n²."""

    n: int
    by_subject: Ints
    between: int
    inverse: float
    inverse_by_subject: Floats
    inverse_squares: float

    def __add__(self, other: Any) -> _Sums:
        return _Sums(*(mine + its for mine, its in zip(self, other, strict=True)))


class _DrawnPairs(NamedTuple):
    """Comparisons that were drawn: between whom, how close, and below which share they are not drawn."""

    first: Codes
    second: Codes
    closeness: Floats
    chance: Floats


@dataclass(frozen=True, eq=False)
class ThinnedTail:
    """Sums over the impostors that reach each threshold, and a part of those that reach some level.

    Attributes
    ----------
    levels
        From which closeness on which share was drawn.
    rooms
        The closeness down to which replicates of each false match rate may reach.
    comparisons
        Who meets whom.
    """

    levels: tuple[ThinnedLevel, ...]
    rooms: Mapping[float, float]
    comparisons: Meetings
    _sums: dict[float, _Sums]
    _drawn: _DrawnPairs

    @classmethod
    def of(
        cls,
        scores: Scores,
        pairs: PairSet,
        people: Codes,
        comparisons: Meetings,
        thresholds: Sequence[float],
        rooms: Mapping[float, float],
        most: Callable[[float], int],
        threads: int | None = None,
    ) -> ThinnedTail:
        """Go through all pairs once.

        `people` are the subjects in the order of their numbers; at most ``most(closeness)`` impostors reach a closeness.
        """
        near = pairs.acquired
        rows, columns = (
            np.searchsorted(people, codes).astype(np.int32) for codes in (near.row_codes, near.column_codes)
        )
        loosest = min([*thresholds, *rooms.values()])
        levels = tuple(
            ThinnedLevel(closeness, min(1.0, KEPT / max(most(closeness), 1)))
            for closeness in sorted({*thresholds, *rooms.values()})
        )
        with one_blas_thread():
            find, work = finding(scores, near, loosest)
            task = _Thinning(find, rows, columns, comparisons, levels, tuple(thresholds))
            sums: list[_Sums] | None = None
            drawn = []
            for found, kept in run_blocks(task, work, threads):
                sums = found if sums is None else [a + b for a, b in zip(sums, found, strict=True)]
                drawn.append(kept)
        assert sums is not None  # there are impostors, or else not too many
        parts = zip(*drawn, strict=True)
        return cls(
            levels,
            rooms,
            comparisons,
            dict(zip(thresholds, sums, strict=True)),
            _DrawnPairs(*map(np.concatenate, parts)),
        )

    def part(self, closeness: float) -> tuple[Codes, Codes, Floats, float]:
        """Return what was drawn of those that reach a closeness, the largest share that was drawn of all of them, and that share."""
        share = max(level.share for level in self.levels if level.closeness <= closeness)
        drawn = self._drawn
        kept = (drawn.closeness >= closeness) & (drawn.chance < share)
        return drawn.first[kept], drawn.second[kept], drawn.closeness[kept], share

    def matches(self, closeness: float) -> SummedMatches:
        """Return the false matches at one of the thresholds."""
        sums, comparisons = self._sums[closeness], self.comparisons
        first, second, _, share = self.part(closeness)
        low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second)
        keys, counts = np.unique(low * comparisons.n_subjects + high, return_counts=True)
        several = counts > 1
        keys, counts = keys[several], counts[several]
        between = comparisons.n_between(keys // comparisons.n_subjects, keys % comparisons.n_subjects)
        # Of two false matches of the same two people both are drawn with the share squared.
        both = counts * (counts - 1) / share**2
        return SummedMatches(
            sums.n,
            sums.by_subject,
            Shares(
                sums.inverse,
                sums.inverse_by_subject,
                sums.inverse_squares + float((both / between.astype(np.float64) ** 2).sum()),
            ),
            sums.between,
            sums.n + float(both.sum()),
            comparisons,
        )


@dataclass(frozen=True, eq=False)
class _Thinning:
    """Sums over the impostors of a block, and those that are drawn."""

    find: Callable[[Any], Iterable[Found]]
    rows: Codes
    columns: Codes
    comparisons: Meetings
    levels: tuple[ThinnedLevel, ...]
    thresholds: tuple[float, ...]

    def __call__(self, block: object) -> tuple[list[_Sums], _DrawnPairs]:
        nothing: Found = (np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32), np.empty(0))
        rows, columns, closeness = map(np.concatenate, zip(nothing, *self.find(block), strict=True))
        first, second = self.rows[rows], self.columns[columns]
        n, between = self.comparisons.n_subjects, self.comparisons.n_between(first, second)
        inverse = 1 / between
        sums = []
        for threshold in self.thresholds:
            there = np.flatnonzero(closeness >= threshold)
            sides, own = (first[there], second[there]), inverse[there]
            counts, shares = np.zeros(n, dtype=np.int64), np.zeros(n)
            for side in sides:
                counts += np.bincount(side, minlength=n)
                shares += np.bincount(side, own, minlength=n)
            sums.append(
                _Sums(
                    len(there), counts, int(between[there].sum()), float(own.sum()), shares, float(own @ own)
                )
            )
        chance = _chances(rows, columns)
        share = np.zeros(len(closeness))
        for level in self.levels:
            np.maximum(share, level.share, out=share, where=closeness >= level.closeness)
        kept = chance < share
        return sums, _DrawnPairs(first[kept], second[kept], closeness[kept], chance[kept])


def _chances(rows: Codes, columns: Codes) -> Floats:
    """A number between 0 and 1 for each pair of places, as if drawn at random (the finaliser of MurmurHash3)."""
    mixed = (rows.astype(np.uint64) << np.uint64(32)) | columns.astype(np.uint64)
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        mixed ^= mixed >> np.uint64(33)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(33)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53
