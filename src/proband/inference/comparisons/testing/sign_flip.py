"""Is A better than B on other people? Turn each person's outcome around and see how often chance does as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from proband.errors import UsageError
from proband.inference.comparisons.testing.mcnemar import PairedTest, paired_test_of
from proband.inference.comparisons.testing.tails import RankedStatistics, beyond
from proband.samples.table import frozen
from proband.words import Method

Floats = npt.NDArray[np.float64]
_LARGEST_SUM = 200_000  # beyond this the exact distribution would be larger than it is worth
_MONTE_CARLO = 100_000
_WORTH_KEEPING = 4_096  # beyond this sum, distributions take too much room to be kept
_BLOCK = 2_000
_ENUMERATED = 12  # people; all sign patterns of more are drawn from
_FLIPS = 9_999
_PERSON = "discordant person"
_LISTED = Method("sign-flip", "sign flips of people")
"""All patterns of signs were counted."""
_DRAWN = replace(_LISTED, draws=_MONTE_CARLO)


def sign_flip(differences: Floats, seed: int = 0) -> PairedTest:
    """Test whether differences, one for each person, are as likely to point one way as the other.

    After Fisher (1935). People vary and are independent; nothing is assumed about the probes of one.

    Parameters
    ----------
    differences
        For each person, the successes of A less those of B. Under the null hypothesis each could as well have the other
        sign. With one probe for each person the test is McNemar's.

    Notes
    -----
    p_greater = P[Σ ±d_i ≥ Σ d_i] over all 2ⁿ patterns of signs; the mid-p gives what was observed half its weight. Whole
    numbers have their exact distribution found by adding one person at a time; fractions are drawn at random, with the observed
    pattern counted among them so that the p-value is never zero.
    """
    if not np.isfinite(differences).all():
        raise UsageError("Differences must be finite numbers.")
    moving = differences[differences != 0]
    if not len(moving):
        return paired_test_of(0, 0, (1.0, 1.0), 0.0, _LISTED, _PERSON)
    sizes = np.abs(moving)
    if (sizes == np.rint(sizes)).all() and sizes.sum() <= _LARGEST_SUM:
        greater, less, same = _exact(sizes.astype(np.int64), int(moving.sum()))
        method = _LISTED
    else:
        greater, less, same = _sampled(moving, seed)
        method = _DRAWN
    first = int(np.count_nonzero(moving > 0))
    return paired_test_of(first, len(moving) - first, (greater, less), same, method, _PERSON)


def _exact(sizes: npt.NDArray[np.int64], observed: int) -> tuple[float, float, float]:
    """P(sum ≥ observed), P(sum ≤ observed), P(sum = observed) over all sign patterns."""
    total = int(sizes.sum())
    ordered = np.sort(sizes)
    chance = (_kept_chances if total <= _WORTH_KEEPING else _chances)(ordered.tobytes())
    place = (observed + total) // 2
    above, below = min(1.0, float(chance[place:].sum())), min(1.0, float(chance[: place + 1].sum()))
    return above, below, float(chance[place])


def _chances(ascending: bytes) -> Floats:
    """The chance of every sum of those with a plus, of sizes as they lie in memory."""
    sizes = np.frombuffer(ascending, dtype=np.int64)
    total = int(sizes.sum())
    # chance[k]: the probability that the people counted so far with a plus add up to k; the sum is then 2k - total.
    chance = np.zeros(total + 1)
    chance[0] = 1.0
    reached = 0
    for size in sizes:
        step = int(size)
        chance[step : reached + step + 1] = 0.5 * (chance[step : reached + step + 1] + chance[: reached + 1])
        chance[:step] *= 0.5
        reached += step
    return frozen(chance)


_kept_chances = lru_cache(maxsize=256)(
    _chances
)  # two of many algorithms differ in as many people as two others


def _sampled(moving: Floats, seed: int) -> tuple[float, float, float]:
    observed = float(moving.sum())
    # Sums of the same numbers in another order may differ by rounding; such sums are equal.
    slack = 1e-9 * float(np.abs(moving).sum())
    at_least = at_most = equal = 0
    for block, done in enumerate(range(0, _MONTE_CARLO, _BLOCK)):
        size = min(_BLOCK, _MONTE_CARLO - done)
        rng = np.random.default_rng([seed, block])
        sums = (2.0 * rng.integers(0, 2, (size, len(moving))) - 1.0) @ np.abs(moving)
        at_least += int((sums >= observed - slack).sum())
        at_most += int((sums <= observed + slack).sum())
        equal += int((np.abs(sums - observed) <= slack).sum())
    n = _MONTE_CARLO + 1
    return (at_least + 1) / n, (at_most + 1) / n, (equal + 1) / n


@dataclass(frozen=True, eq=False)
class Flips:
    """Sums over people under random signs, the same for all algorithms, for tests of any difference of rates.

    With d_i person i's difference of successes, m_i the probes and M = Σ m_i, a difference δ of the rates leaves x_i = d_i − δ m_i.
    Its statistic is T = X/√Σ(x_i − m_i X/M)², X = Σ x_i, and the same with every x_i turned around at random: X changes, and with
    it what the ratio leaves of each person, so that people with many probes do not decide alone. With as many probes for
    everybody T only depends on X.

    Attributes
    ----------
    values, sizes
        For each person (and algorithm) the successes, and the number of probes; of each kind of person once.
    counts
        How many people are of the kind.
    turned
        For each pattern the sums over people of the values, of the values times the sizes, of the sizes and of their squares.
    exact
        Whether these are all patterns; otherwise they were drawn.
    """

    values: Floats
    sizes: Floats
    counts: Floats
    turned: Floats
    exact: bool

    @classmethod
    def of(cls, values: Floats, sizes: Floats, seed: int = 0) -> Flips:
        """Draw signs for people with these successes (people × algorithms) and numbers of probes; list all if they are few."""
        people = len(sizes)
        if people <= _ENUMERATED:
            bits = np.arange(2**people)[:, None] >> np.arange(people) & 1
            turned = (1.0 - 2.0 * bits) @ _summed(values, sizes)
            return cls(values, sizes, np.ones(people), turned, True)
        kinds, counts = np.unique(np.column_stack([values, sizes]), axis=0, return_counts=True)
        values, sizes = kinds[:, :-1], kinds[:, -1]
        summed = _summed(values, sizes)
        blocks = []
        for block, done in enumerate(range(0, _FLIPS, _BLOCK)):
            shape = (min(_BLOCK, _FLIPS - done), len(counts))
            drawn = np.random.default_rng([seed, block, 2]).binomial(counts, 0.5, shape)
            blocks.append((2.0 * drawn - counts) @ summed)
        return cls(values, sizes, counts.astype(np.float64), np.concatenate(blocks), False)

    @property
    def draws(self) -> int | None:
        """How many sign patterns were drawn; None where all were counted."""
        return None if self.exact else _FLIPS

    def p_value(self, first: int, second: int, delta: float) -> float:
        """Two-sided, of a difference of two algorithms, with half the weight of patterns as far out as what was observed."""
        observed, flipped = self.statistics(first, second, delta)
        slack = 1e-9 * observed if np.isfinite(observed) else 0.0
        above = int(np.count_nonzero(flipped > observed + slack))
        same = int(np.count_nonzero(flipped >= observed - slack)) - above
        if self.exact:
            return (above + 0.5 * same) / len(flipped)
        if above + same == 0:
            return beyond(float(np.sqrt(observed)), 0, len(flipped))
        return min(1.0, (1 + above + 0.5 * same) / (1 + len(flipped)))

    @cached_property
    def _whole(self) -> npt.NDArray[np.int32] | None:
        """Sums under all signs, algorithms × patterns, where these alone decide: as many probes for everybody, and whole sums."""
        sums = self.turned[:, : self.values.shape[1]]
        if (
            np.ptp(self.sizes)
            or (self.values != np.rint(self.values)).any()
            or np.abs(sums).max() > _LARGEST_SUM
        ):
            return None
        return np.ascontiguousarray(sums.T, dtype=np.int32)

    def sizes_of(self, first: int, second: int) -> RankedStatistics:
        """T/√(1 + T²/K) without a difference under all signs, which all pairs share; K people weigh as evenly (Kish 1965).

        With as many probes for everybody that is |X| by the root of its sum of squares.
        """
        people = float(self.counts @ self.sizes) ** 2 / float(self.counts @ self.sizes**2)

        def size(squared: Floats) -> Floats:
            with np.errstate(divide="ignore"):
                return np.asarray(1 / np.sqrt(1 / squared + 1 / people))

        if self._whole is None:
            return RankedStatistics.of(size(self.statistics(first, second, 0.0)[1]))
        apart = np.abs(self._whole[first] - self._whole[second])
        sums = np.arange(int(apart.max()) + 1, dtype=np.float64)
        values, order = np.unique(
            size(self._squared(first, second, 0.0)(sums, sums * self.sizes[0])), return_inverse=True
        )
        return RankedStatistics(values, order[apart])

    def statistics(self, first: int, second: int, delta: float) -> tuple[float, Floats]:
        """T² of a difference, and T² under all signs."""
        turned, n = self.turned, self.values.shape[1]
        sums = turned[:, first] - turned[:, second] - delta * turned[:, -2]
        products = turned[:, n + first] - turned[:, n + second] - delta * turned[:, -1]
        left = self.values[:, first] - self.values[:, second] - delta * self.sizes
        squared = self._squared(first, second, delta)
        own = squared(
            np.array([float(self.counts @ left)]), np.array([float(self.counts @ (left * self.sizes))])
        )
        return float(own[0]), squared(sums, products)

    def _squared(self, first: int, second: int, delta: float) -> Callable[[Floats, Floats], Floats]:
        """T² of sums, and of sums times the sizes."""
        left = self.values[:, first] - self.values[:, second] - delta * self.sizes
        squares = float(self.counts @ (left * left))
        total, size_squares = float(self.counts @ self.sizes), float(self.counts @ self.sizes**2)

        def squared(x: Floats, weighted: Floats) -> Floats:
            spread = squares - 2 * x * weighted / total + x * x * size_squares / total**2
            level = spread > 1e-12 * squares
            return np.where(level, x * x / np.where(level, spread, 1.0), np.where(x * x > 0, np.inf, 0.0))

        return squared


def _summed(values: Floats, sizes: Floats) -> Floats:
    return np.column_stack([values, values * sizes[:, None], sizes, sizes**2])
