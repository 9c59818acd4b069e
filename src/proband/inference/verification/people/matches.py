"""False matches between people, as far as a variance over people needs them: listed, or as sums where they are too many."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from proband.inference.verification.people.carriers import squares_of_pairs
from proband.inference.verification.people.meetings import Ints, Meetings, subject_pairs

Floats = npt.NDArray[np.float64]


class Shares(NamedTuple):
    """The shares of the comparisons of two people that are false matches.

    Attributes
    ----------
    total, by_subject
        Their sum over pairs of people, and over those that each person is in.
    squares
        The sum of their squares.
    """

    total: float
    by_subject: Floats
    squares: float

    def of_pairs(self, rate: float) -> float:
        """Σ s(s − 2 rate) over the shares s."""
        return self.squares - 2 * rate * self.total


class Matches(Protocol):
    """False matches at a threshold."""

    @property
    def n(self) -> int:
        """How many there are."""

    @property
    def by_subject(self) -> Ints:
        """In how many each person is."""

    @property
    def shares(self) -> Shares:
        """The same as shares of the comparisons of every two people."""

    def of_pairs(self, rate: float) -> float:
        """Sum ẽ_ij² over pairs of people: errors less those expected at a rate."""


@dataclass(frozen=True, eq=False)
class ListedMatches:
    """False matches as a list.

    Attributes
    ----------
    first, second
        The two subjects of each, the lower number first.
    comparisons
        Who meets whom.
    """

    first: Ints
    second: Ints
    comparisons: Meetings

    @classmethod
    def of(cls, i: npt.ArrayLike, j: npt.ArrayLike, comparisons: Meetings) -> ListedMatches:
        """Check that they are some of the comparisons there are."""
        return cls(*subject_pairs(i, j, comparisons, "false matches"), comparisons)

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.first)

    @cached_property
    def by_subject(self) -> Ints:
        """In how many each person is."""
        most = self.comparisons.n_subjects
        counts: Ints = np.bincount(self.first, minlength=most) + np.bincount(self.second, minlength=most)
        return counts

    @cached_property
    def shares(self) -> Shares:
        """The same as shares of the comparisons of every two people."""
        n = self.comparisons.n_subjects
        keys, counts = np.unique(self.first * n + self.second, return_counts=True)
        i, j = keys // n, keys % n
        shares = counts / self.comparisons.n_between(i, j)
        by_subject = np.zeros(n)
        for side in (i, j):
            by_subject += np.bincount(side, shares, minlength=n)
        return Shares(float(shares.sum()), by_subject, float(shares @ shares))

    def of_pairs(self, rate: float) -> float:
        """Sum ẽ_ij² over pairs of people: errors less those expected at a rate."""
        return squares_of_pairs(self.first, self.second, rate, self.comparisons)


@dataclass(frozen=True, eq=False)
class SummedMatches:
    """False matches as sums over all of them; only squares over pairs of people are estimated from a part, without bias.

    Attributes
    ----------
    n, by_subject, shares
        As of any false matches.
    between, squares
        The sums over pairs of people of errors times comparisons, and of squared errors.
    comparisons
        Who meets whom.
    """

    n: int
    by_subject: Ints
    shares: Shares
    between: int
    squares: float
    comparisons: Meetings

    def of_pairs(self, rate: float) -> float:
        """Sum ẽ_ij² over pairs of people: errors less those expected at a rate."""
        return self.squares - 2 * rate * self.between + rate**2 * self.comparisons.sum_of_squares
