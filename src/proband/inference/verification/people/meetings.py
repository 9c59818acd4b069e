"""Pairs of people, and how many comparisons each two of them meet in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from proband.errors import UsageError
from proband.words import count, counted

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Who is compared with whom: every query image with every target image of somebody else.

    Parameters
    ----------
    queries, targets
        How many query and target images each subject has. People i and j meet in q_i t_j + q_j t_i comparisons.
    symmetric
        The same images are on both axes, each pair of images once: m_i m_j comparisons; `queries` and `targets` are then equal.
    """

    queries: Ints
    targets: Ints
    symmetric: bool = False

    def __post_init__(self) -> None:
        for name in ("queries", "targets"):
            object.__setattr__(self, name, whole_numbers(getattr(self, name), f"The {name} of the subjects"))
        if len(self.queries) != len(self.targets):
            raise UsageError(
                f"Queries of {counted(len(self.queries), 'subject')} and targets of "
                f"{count(len(self.targets))} do not match."
            )
        if len(self.queries) and min(self.queries.min(), self.targets.min()) < 0:
            raise UsageError("Numbers of images cannot be negative.")
        if self.symmetric and not np.array_equal(self.queries, self.targets):
            raise UsageError("Symmetric comparisons need the same images on both axes.")

    @property
    def n_subjects(self) -> int:
        """How many people there are, compared with others or not."""
        return len(self.queries)

    @cached_property
    def n_impostor(self) -> int:
        """How many comparisons are of two people."""
        own = int(self.queries @ self.targets)
        return (int(self.queries.sum()) * int(self.targets.sum()) - own) // self._twice

    @cached_property
    def n_by_subject(self) -> Ints:
        """How many impostor comparisons each person takes part in."""
        q, t = self.queries, self.targets
        counts: Ints = (q * (t.sum() - t) + t * (q.sum() - q)) // self._twice
        return counts

    @cached_property
    def sum_of_squares(self) -> int:
        """Σ_{i<j} n_ij², the squared numbers of comparisons of each two people."""
        base = int(self.targets.max(initial=0)) + 1
        kinds, times = np.unique(self.queries * base + self.targets, return_counts=True)
        q2 = t2 = own = own_squared = 0
        for kind, n in zip(kinds.tolist(), times.tolist(), strict=True):  # Python's numbers do not overflow
            q, t = divmod(kind, base)
            q2, t2 = q2 + n * q * q, t2 + n * t * t
            own, own_squared = own + n * q * t, own_squared + n * (q * t) ** 2
        return int(q2 * t2 + own * own - 2 * own_squared) // self._twice**2

    @property
    def n_disjoint(self) -> int:
        """How many pairs of people can be compared such that nobody is in two of them."""
        both = np.count_nonzero((self.queries > 0) & (self.targets > 0))
        only_queries = np.count_nonzero(self.queries) - both
        only_targets = np.count_nonzero(self.targets) - both
        return int(min((both + only_queries + only_targets) // 2, both + only_queries, both + only_targets))

    @cached_property
    def n_partners(self) -> Ints:
        """How many others each person meets."""
        q, t = self.queries > 0, self.targets > 0
        met = np.where(
            q & t, np.count_nonzero(q | t) - 1, np.where(q, np.count_nonzero(t), np.count_nonzero(q))
        )
        counts: Ints = np.where(q | t, met, 0).astype(np.int64)
        return counts

    @cached_property
    def n_pairs(self) -> int:
        """How many pairs of people meet."""
        return int(self.n_partners.sum()) // 2

    def n_between(self, i: Ints, j: Ints) -> Ints:
        """How many comparisons people i and j meet in."""
        q, t = self.queries, self.targets
        counts: Ints = (q[i] * t[j] + q[j] * t[i]) // self._twice
        return counts

    def in_drawings(self, weights: npt.NDArray[np.int32]) -> Ints:
        """How many comparisons each drawing of people has: Σ_{i<j} w_i w_j n_ij for each row of weights."""
        from proband.kernels.subject_bootstrap import weighted_sizes

        counts = np.empty(len(weights), dtype=np.int64)
        weighted_sizes(weights, self.queries, self.targets, counts)
        return counts // self._twice

    @property
    def _twice(self) -> int:
        # With the same images on both axes, each comparison is counted from either side.
        return 2 if self.symmetric else 1


class Meetings(Protocol):
    """Who is compared with whom, in any form: all with all, listed, or all but some (`partial_meetings`)."""

    @property
    def n_subjects(self) -> int:
        """How many people there are, compared with others or not."""

    @property
    def n_impostor(self) -> int:
        """How many comparisons are of two people."""

    @property
    def n_pairs(self) -> int:
        """How many pairs of people meet."""

    @property
    def n_by_subject(self) -> Ints:
        """How many impostor comparisons each person takes part in."""

    @property
    def n_partners(self) -> Ints:
        """How many others each person meets."""

    @property
    def sum_of_squares(self) -> int:
        """Σ_{i<j} n_ij², the squared numbers of comparisons of each two people."""

    @property
    def n_disjoint(self) -> int:
        """How many pairs of people can be compared such that nobody is in two of them."""

    def n_between(self, i: Ints, j: Ints) -> Ints:
        """How many comparisons people i and j meet in."""

    def in_drawings(self, weights: npt.NDArray[np.int32]) -> Ints:
        """How many comparisons each drawing of people has: Σ_{i<j} w_i w_j n_ij for each row of weights."""


def subject_pairs(i: npt.ArrayLike, j: npt.ArrayLike, comparisons: Meetings, what: str) -> tuple[Ints, Ints]:
    """Return the subjects of impostor comparisons, checked, the lower number first."""
    first, second = whole_numbers(i, f"The subjects of {what}"), whole_numbers(j, f"The subjects of {what}")
    if len(first) != len(second):
        raise UsageError(
            f"The {what} have {count(len(first))} first and {count(len(second))} second subjects."
        )
    low, high = np.minimum(first, second), np.maximum(first, second)
    if len(low) and (low.min() < 0 or high.max() >= comparisons.n_subjects):
        raise UsageError(
            f"The subjects of {what} must be numbered from 0 to {count(comparisons.n_subjects - 1)}."
        )
    if (low == high).any():
        raise UsageError(
            f"Among the {what} is a comparison of a subject with itself.", "pass such comparisons as genuine."
        )
    return low, high


def whole_numbers(values: npt.ArrayLike, what: str) -> Ints:
    """Return a list of whole numbers that nobody changes."""
    array = np.asarray(values)
    if array.ndim != 1 or not (array.size == 0 or np.issubdtype(array.dtype, np.integer)):
        raise UsageError(f"{what} must be a list of whole numbers.")
    counted = array.astype(np.int64)
    counted.flags.writeable = False
    return counted
