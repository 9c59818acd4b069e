"""The distribution of a rate, or of a difference of rates, over virtual experiments, as counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from proband.engine.arguments import published
from proband.engine.limits import Level
from proband.errors import UsageError
from proband.inference.proportions import Interval, check_level
from proband.results.band import Band
from proband.results.base import Result
from proband.results.serializing import Written

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


@published
@dataclass(frozen=True, eq=False)
class Distribution(Result):
    """The frequency of each value k/n.

    Attributes
    ----------
    first
        The smallest possible numerator: 0 for a rate, −n for a difference.
    counts
        ``counts[j]`` trials had the value (first + j)/n.
    n
        The number of people, the denominator of the values.
    exact_moments
        Mean and standard deviation if they do not follow from the counts, which use the nearest k/n for fractional successes.

    Examples
    --------
    Ten trials with two people: 2 trials recognised nobody, 3 one person, and 5 both.

    >>> spread = Distribution(0, np.array([2, 3, 5]), 2)
    >>> spread.mean, round(spread.standard_deviation, 4), spread.n_trials, spread.at_most(0.5)
    (0.65, 0.4116, 10, 5)
    >>> spread.interval(0.5), spread.turned().values
    (Interval(low=0.5, high=1.0), array([-1. , -0.5,  0. ]))
    >>> spread.histogram(width=2)
    (array([-0.25,  0.75,  1.75]), array([5, 5]))
    """

    written = Written(
        {"counts": "occurring_counts"},
        also=("n_trials", "mean", "standard_deviation", "numerators"),
        without=("first", "exact_moments"),
    )

    first: int
    counts: Counts
    n: int
    exact_moments: tuple[float, float] | None = None

    @cached_property
    def _moments(self) -> tuple[float, float]:
        if self.exact_moments is not None:
            return self.exact_moments
        numerators = self.first + np.arange(len(self.counts), dtype=np.float64)
        total = float(self.counts.sum())
        mean = float(self.counts @ numerators) / total
        spread = float(self.counts @ (numerators - mean) ** 2) / max(total - 1, 1)
        return mean / self.n, float(np.sqrt(spread)) / self.n

    @property
    def mean(self) -> float:
        """The mean over trials."""
        return self._moments[0]

    @property
    def standard_deviation(self) -> float:
        """The standard deviation over trials."""
        return self._moments[1]

    def turned(self) -> Distribution:
        """The distribution of the negative.

        Returns
        -------
        Distribution
            The same trials, each with its value negated.
        """
        moments = self.exact_moments
        last = self.first + len(self.counts) - 1
        return Distribution(
            -last, self.counts[::-1].copy(), self.n, None if moments is None else (-moments[0], moments[1])
        )

    @property
    def n_trials(self) -> int:
        """The number of counted trials."""
        return int(self.counts.sum())

    @property
    def values(self) -> Floats:
        """The possible values."""
        return (self.first + np.arange(len(self.counts))) / self.n

    @property
    def shares(self) -> Floats:
        """The share of trials with each value."""
        shares: Floats = self.counts / self.counts.sum()
        return shares

    def interval(self, confidence_level: Level = 0.95) -> Interval:
        """The percentile interval of Beveridge et al. 2001.

        Cut off equal tails of the finest histogram: for 10,000 trials at 95%, the ends are the 251st smallest and the 251st
        largest value.

        Parameters
        ----------
        confidence_level
            The share of trials inside, between 0 and 1.

        Returns
        -------
        Interval
            The lower and the upper end.
        """
        # Rounding must not take a share just below a whole number of trials.
        passed = np.floor((1.0 - check_level(confidence_level)) / 2 * self.n_trials + 1e-6)
        low = int(np.argmax(np.cumsum(self.counts) > passed))
        high = len(self.counts) - 1 - int(np.argmax(np.cumsum(self.counts[::-1]) > passed))
        return Interval(float(self.values[low]), float(self.values[high]))

    def at_most(self, value: float = 0.0) -> int:
        """The number of trials with at most this value.

        Parameters
        ----------
        value
            The largest value that counts.

        Returns
        -------
        int
            The number of trials.
        """
        return int(self.counts[self.values <= value + 1e-12].sum())

    def histogram(self, width: int = 1) -> tuple[Floats, Counts]:
        """Bins of `width` whole values: their edges and counts.

        Edges are halfway between values, so no value is on an edge. Every bin except the last has the same number of possible
        values.

        Parameters
        ----------
        width
            The number of possible values per bin, at least 1.

        Returns
        -------
        tuple of numpy.ndarray
            The edges, one more than bins, and the number of trials in each bin.
        """
        if width < 1:
            raise UsageError(f"A bin must be at least one value wide, got {width}.")
        n_bins = -(-len(self.counts) // width)
        padded = np.zeros(n_bins * width, dtype=np.int64)
        padded[: len(self.counts)] = self.counts
        edges = (self.first - 0.5 + width * np.arange(n_bins + 1)) / self.n
        return edges, padded.reshape(n_bins, width).sum(axis=1)

    @property
    def numerators(self) -> Counts:
        """The numerators that occurred."""
        found: Counts = np.flatnonzero(self.counts) + self.first
        return found

    @property
    def occurring_counts(self) -> Counts:
        """The number of trials with each of these values."""
        found: Counts = self.counts[self.counts != 0]
        return found


@dataclass(frozen=True, eq=False)
class RatesOverChoices:
    """The rates of one algorithm at ranks 1, 2, … over choices of images.

    Attributes
    ----------
    band
        The mean at each rank, with the percentile interval over choices.
    standard_deviation
        The standard deviation at each rank.
    rank_1
        The distribution of the rate at rank 1.
    """

    band: Band
    standard_deviation: Floats
    rank_1: Distribution


@dataclass(frozen=True, eq=False)
class DifferencesOverChoices:
    """The first rate minus the second at ranks 1, 2, … over choices of images.

    Attributes
    ----------
    first, second
        The algorithms.
    band
        The mean difference at each rank, with the percentile interval over choices.
    not_won, not_won_by_second
        The numbers of trials that the first, and that the second, does not win.
    """

    first: str
    second: str
    band: Band
    not_won: Counts
    not_won_by_second: Counts
