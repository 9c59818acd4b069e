"""How wide an interval over people will come out: tests simulated by the thousand, whatever the number of people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from proband.distributions import beta_binomial_pmf, binomial_pmf, gamma_inverse
from proband.errors import UsageError
from proband.inference.estimates.weighting import PeopleSums, rates_of_people
from proband.inference.proportions import wilson_ends
from proband.results.base import Interval
from proband.words import count

Floats = npt.NDArray[np.float64]
TESTS = 4_000
"""How many tests are simulated."""
MOST_PROBES = 100_000
"""The most probes of a person that are simulated."""
_BINS = 64  # people of one size are counted by what they miss in so many bins at most, and so many sizes are told apart
_WITHIN = 20  # quantiles that stand for one number of probes
_SEED = 20_010_413


def half_widths(numbers: Sequence[int], subjects: int, rate: float, icc: float, level: float) -> Floats:
    """Simulate the half-widths of the intervals that `estimate` gives a rate over people, one for each of 4,000 tests.

    People's own rates have a beta distribution with the intraclass correlation; `numbers` of probes are dealt out in turn. What
    so many people miss is drawn as counts of people who miss 0, 1, 2, … probes, so that a million people cost no more than ten.
    """
    rng = np.random.default_rng(_SEED)
    sizes, people = dealt(numbers, subjects)
    powers = np.empty((4, TESTS, len(sizes)))
    for place, (size, number) in enumerate(zip(sizes.tolist(), people.tolist(), strict=True)):
        chances, moments = _misses(size, 1 - rate, max(0.0, icc))
        powers[..., place] = moments @ rng.multinomial(number, chances, TESTS).T
    sums = PeopleSums(sizes.astype(np.float64), people.astype(np.float64), powers, powers[0])
    low, high = rates_of_people(sums).ends(level)
    found: Floats = (high - low) / 2
    return found


def dealt(numbers: Sequence[int], subjects: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Deal numbers of probes out to people in turn: the sizes, and how many people have each."""
    each, more = divmod(subjects, len(numbers))
    people = each + (np.arange(len(numbers)) < more)
    sizes, place = np.unique(numbers, return_inverse=True)
    found = np.bincount(place, weights=people).astype(np.int64)
    return sizes[found > 0], found[found > 0]


def _misses(size: int, missed: float, icc: float) -> tuple[Floats, Floats]:
    """The chances of what a person misses of so many probes, and the first four powers of it: beta-binomial, in bins if many."""
    if size > MOST_PROBES:
        raise UsageError(f"Plans are limited to {count(MOST_PROBES)} probes per person.")
    f = np.arange(size + 1, dtype=np.float64)
    if icc == 1 or missed in (0.0, 1.0):  # all or none
        chances = np.zeros(size + 1)
        chances[[0, -1]] = 1 - missed, missed
    elif icc == 0:
        chances = binomial_pmf(f, size, missed)
    else:
        a, b = (share * (1 - icc) / icc for share in (missed, 1 - missed))
        chances = beta_binomial_pmf(f, size, a, b)
    powers = np.stack([f**power * chances for power in (0, 1, 2, 3, 4)])
    starts = np.unique(np.linspace(0, size + 1, min(size + 1, _BINS), endpoint=False).astype(np.int64))
    total, *rest = np.add.reduceat(powers, starts, axis=1)
    seen = total > 0
    return total[seen] / total.sum(), np.stack(rest)[:, seen] / total[seen]


def unequal_numbers(mean: float, cv: float, subjects: int) -> tuple[int, ...]:
    """Numbers of probes with this mean and coefficient of variation: one, and a gamma distribution more, at its quantiles."""
    spread, more = (cv * mean) ** 2, mean - 1
    n = min(subjects, _BINS)
    quantiles = (np.arange(_WITHIN * n) + 0.5) / (_WITHIN * n)
    drawn = 1 + gamma_inverse(more**2 / spread, quantiles) * spread / more
    return tuple(np.rint(drawn.reshape(n, _WITHIN).mean(axis=1)).astype(np.int64).tolist())


def interval_of_width(rate: float, half_width: float) -> Interval:
    """Wilson's interval of a rate that has this half-width.

    Its half-width is √(p(1 − p)x + x²/4)/(1 + x) with x = z²/n, which is solved for x.
    """
    square, spread = half_width**2, rate * (1 - rate)
    curve, slope = 0.25 - square, spread - 2 * square
    x = (np.sqrt(slope**2 + 4 * curve * square) - slope) / (2 * curve) if curve > 0 else np.inf
    if not np.isfinite(x):
        return Interval(0.0, 1.0)
    low, high = wilson_ends(np.asarray(rate), np.asarray(1.0), float(np.sqrt(x)))
    return Interval(float(low), float(high))
