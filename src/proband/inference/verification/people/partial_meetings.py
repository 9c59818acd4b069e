"""Who is compared with whom where not every query meets every target: listed by two people, or as what is lacking."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.engine import one_blas_thread
from proband.inference.verification.people.meetings import Comparisons, Ints
from proband.scores.names import keys_of_pairs

Numbers = npt.NDArray[np.int32]

_AT_ONCE = 1 << 10  # pairs of people between two looks at who is still free
_GAPS_AT_ONCE = 1 << 20
_ROOM = 4  # entries of a table of all pairs of people to a listed one, at most
_EXACT = 2**53  # whole numbers up to this are exact in floating point, in whatever order they are added


@dataclass(frozen=True, eq=False)
class ListedComparisons:
    """Who is compared with whom, counted for every two people who meet.

    Parameters
    ----------
    n_subjects
        How many people there are, compared with others or not.
    first, second, counts
        Every two people who meet, the lower number first and in order, and in how many comparisons.
    """

    n_subjects: int
    first: Numbers
    second: Numbers
    counts: Numbers

    @classmethod
    def of(cls, i: npt.ArrayLike, j: npt.ArrayLike, n_subjects: int) -> ListedComparisons:
        """Count the two people of every impostor comparison, in either order."""
        one, other = np.asarray(i), np.asarray(j)
        keys = keys_of_pairs(np.minimum(one, other), np.maximum(one, other), n_subjects)
        keys.sort()
        starts = np.flatnonzero(np.concatenate([np.ones(min(1, len(keys)), np.bool_), keys[1:] != keys[:-1]]))
        counts = np.diff(starts, append=len(keys)).astype(np.int32)
        pairs = keys[starts]
        return cls(
            n_subjects, (pairs // n_subjects).astype(np.int32), (pairs % n_subjects).astype(np.int32), counts
        )

    @property
    def n_impostor(self) -> int:
        """How many comparisons are of two people."""
        return int(self.counts.sum(dtype=np.int64))

    @cached_property
    def n_by_subject(self) -> Ints:
        """How many impostor comparisons each person takes part in."""
        totals = np.zeros(self.n_subjects, dtype=np.int64)
        for side in (self.first, self.second):
            np.add.at(totals, side, self.counts)
        return totals

    @property
    def sum_of_squares(self) -> int:
        """Σ_{i<j} n_ij², the squared numbers of comparisons of each two people."""
        kinds, times = np.unique(self.counts, return_counts=True)
        return sum(n * kind**2 for kind, n in zip(kinds.tolist(), times.tolist(), strict=True))

    @cached_property
    def n_partners(self) -> Ints:
        """How many others each person meets."""
        n = self.n_subjects
        counts: Ints = np.bincount(self.first, minlength=n) + np.bincount(self.second, minlength=n)
        return counts

    @property
    def n_pairs(self) -> int:
        """How many pairs of people meet."""
        return len(self.counts)

    @cached_property
    def n_disjoint(self) -> int:
        """How many pairs of people were found to be compared such that nobody is in two of them."""
        # Taking those who meet few people first comes close to the most there can be; fewer make bounds wider, never too narrow.
        partners = self.n_partners.astype(np.int32)
        fewest = np.minimum(partners[self.first], partners[self.second])
        order = np.argsort(fewest, kind="stable")
        del fewest
        free = partners > 0
        found = 0
        for start in range(0, len(order), _AT_ONCE):
            some = order[start : start + _AT_ONCE]
            one, other = self.first[some], self.second[some]
            both = free[one] & free[other]
            for i, j in zip(one[both].tolist(), other[both].tolist(), strict=True):
                if free[i] and free[j]:
                    free[i] = free[j] = False
                    found += 1
        return found

    def n_between(self, i: Ints, j: Ints) -> Ints:
        """How many comparisons people i and j meet in."""
        low, high = np.minimum(i, j).astype(np.int64), np.maximum(i, j)
        begin, end = self._rows[low], self._rows[low + 1]
        found = np.zeros(len(low), dtype=np.int64)
        # By halving, within the people whom the lower one meets: no key of every two people is made.
        while (begin < end).any():
            middle = (begin + end) // 2
            at = np.minimum(middle, len(self.second) - 1)
            below = (begin < end) & (self.second[at] < high)
            end = np.where((begin < end) & ~below, middle, end)
            begin = np.where(below, middle + 1, begin)
        there = begin < self._rows[low + 1]
        there[there] = self.second[begin[there]] == high[there]
        found[there] = self.counts[begin[there]]
        return found

    def in_drawings(self, weights: npt.NDArray[np.int32]) -> Ints:
        """How many comparisons each drawing of people has: Σ_{i<j} w_i w_j n_ij for each row of weights."""
        drawn = weights.astype(np.int64)
        if self._is_dense and int(drawn.sum(axis=1).max(initial=0)) * int(self.counts.max()) < _EXACT:
            with one_blas_thread():
                met = (drawn.astype(np.float64) @ self._full_table).astype(np.int64)
        else:
            met = np.asarray(drawn @ self._table)
        counts: Ints = np.einsum("rs,rs->r", met, drawn)
        return counts

    @property
    def _is_dense(self) -> bool:
        """Whether so many people meet that a table of all takes not much more room than a list."""
        return 0 < self.n_subjects**2 <= _ROOM * len(self.counts)

    @cached_property
    def _full_table(self) -> npt.NDArray[np.float64]:
        """How often every two meet, the lower number first, people who never do among them."""
        table = np.zeros((self.n_subjects, self.n_subjects))
        table[self.first, self.second] = self.counts
        return table

    @cached_property
    def _rows(self) -> Ints:
        """Where the people whom each person meets begin, and where the last end."""
        rows: Ints = np.searchsorted(self.first, np.arange(self.n_subjects + 1, dtype=np.int32))
        return rows

    @cached_property
    def _table(self) -> Any:
        """How often every two meet, in the numbers of its products, into which it would be turned for each of them."""
        from scipy.sparse import csr_array

        rows = self._rows.astype(np.int32) if len(self.counts) < 2**31 else self._rows
        return csr_array(
            (self.counts.astype(np.int64), self.second, rows), shape=(self.n_subjects, self.n_subjects)
        )


@dataclass(frozen=True, eq=False)
class GappedComparisons:
    """Who is compared with whom, all with all but for some comparisons: what is lacking is listed, and may be little.

    Parameters
    ----------
    whole, gaps
        What all comparisons would be, and those that have no score.
    """

    whole: Comparisons
    gaps: ListedComparisons

    @property
    def n_subjects(self) -> int:
        """How many people there are, compared with others or not."""
        return self.whole.n_subjects

    @property
    def n_impostor(self) -> int:
        """How many comparisons are of two people."""
        return self.whole.n_impostor - self.gaps.n_impostor

    @cached_property
    def n_by_subject(self) -> Ints:
        """How many impostor comparisons each person takes part in."""
        return self.whole.n_by_subject - self.gaps.n_by_subject

    @property
    def sum_of_squares(self) -> int:
        """Σ_{i<j} n_ij², the squared numbers of comparisons of each two people."""
        return self.whole.sum_of_squares - self._lacking[0]

    @property
    def n_partners(self) -> Ints:
        """How many others each person meets."""
        return self.whole.n_partners - self._lacking[1]

    @property
    def n_pairs(self) -> int:
        """How many pairs of people meet."""
        return int(self.n_partners.sum()) // 2

    @cached_property
    def n_disjoint(self) -> int:
        """How many pairs of people were found to be compared such that nobody is in two of them."""
        # In the order of `ListedComparisons.n_disjoint`, to the same number, without a list of all who meet.
        partners = self.n_partners
        free = partners > 0
        found = 0
        for least in np.unique(partners[free]).tolist():
            few = free & (partners == least)
            i = -1
            while few.any():
                following = np.flatnonzero(free[i + 1 :] & (partners[i + 1 :] >= least))
                last = int(np.flatnonzero(few)[-1])
                i += 1 + int(following[0]) if len(following) else len(free)
                if i > last:
                    break
                j = self._first_met(i, free & (partners >= least) if few[i] else few)
                if j is not None:
                    free[[i, j]] = few[[i, j]] = False
                    found += 1
        return found

    def _first_met(self, i: int, among: npt.NDArray[np.bool_]) -> int | None:
        """The first person after i, of some, whom i meets."""
        others = np.flatnonzero(among[i + 1 :]) + i + 1
        for start in range(0, len(others), _AT_ONCE):
            some = others[start : start + _AT_ONCE]
            met = self.n_between(np.full(len(some), i), some) > 0
            if met.any():
                return int(some[np.argmax(met)])
        return None

    def n_between(self, i: Ints, j: Ints) -> Ints:
        """How many comparisons people i and j meet in."""
        return self.whole.n_between(i, j) - self.gaps.n_between(i, j)

    def in_drawings(self, weights: npt.NDArray[np.int32]) -> Ints:
        """How many comparisons each drawing of people has: Σ_{i<j} w_i w_j n_ij for each row of weights."""
        return self.whole.in_drawings(weights) - self.gaps.in_drawings(weights)

    @cached_property
    def _lacking(self) -> tuple[int, Ints]:
        """What gaps take from the sum of squares, and how many each person would meet and does not."""
        less, apart = 0, np.zeros(self.n_subjects, dtype=np.int64)
        for start in range(0, len(self.gaps.counts), _GAPS_AT_ONCE):
            some = slice(start, start + _GAPS_AT_ONCE)
            one, other, lacking = self.gaps.first[some], self.gaps.second[some], self.gaps.counts[some]
            would = self.whole.n_between(one.astype(np.int64), other.astype(np.int64))
            base = int(lacking.max()) + 1
            kinds, times = np.unique(would * base + lacking, return_counts=True)
            for kind, n in zip(
                kinds.tolist(), times.tolist(), strict=True
            ):  # Python's numbers do not overflow
                w, g = divmod(kind, base)
                less += n * g * (2 * w - g)
            never = would == lacking
            apart += np.bincount(one[never], minlength=self.n_subjects)
            apart += np.bincount(other[never], minlength=self.n_subjects)
        return less, apart
