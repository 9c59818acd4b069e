"""Is A better than B on other people? Turn each person's outcome around and see how often chance does as well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.errors import UsageError
from proband.results.base import Result

Floats = npt.NDArray[np.float64]
_LARGEST_SUM = 200_000  # beyond this the exact distribution would be larger than it is worth
_MONTE_CARLO = 100_000
_BLOCK = 2_000


@dataclass(frozen=True)
class SignFlipTest(Result):
    """The result of a sign-flip test over people.

    Attributes
    ----------
    n_discordant
        People for whom the algorithms' numbers of successes differ: the test looks at no others.
    p_greater, p_less, p_two_sided
        The chance, if neither is better on a random person, of a sum of differences at least as large (small, extreme).
    p_mid
        Two-sided, with half the weight of what was observed.
    exact
        Whether all sign patterns were counted, or a sample of them drawn.
    """

    n_discordant: int
    p_greater: float
    p_less: float
    p_two_sided: float
    p_mid: float
    exact: bool

    @property
    def draws(self) -> int | None:
        """How many sign patterns were drawn; None where all were counted."""
        return None if self.exact else _MONTE_CARLO


def sign_flip(differences: Floats, seed: int = 0) -> SignFlipTest:
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

    Examples
    --------
    One of the eight patterns of signs of 3, 2 and 1 gives a sum of 6; with ones it is McNemar's test of 22 against 8.

    >>> sign_flip(np.array([3.0, 2.0, 1.0])).p_greater
    0.125
    >>> round(sign_flip(np.array([1.0] * 22 + [-1.0] * 8)).p_greater, 6)
    0.008062
    """
    if not np.isfinite(differences).all():
        raise UsageError("Differences must be finite numbers.")
    moving = differences[differences != 0]
    if not len(moving):
        return SignFlipTest(0, 1.0, 1.0, 1.0, 1.0, True)
    sizes = np.abs(moving)
    if (sizes == np.rint(sizes)).all() and sizes.sum() <= _LARGEST_SUM:
        greater, less, same = _exact(sizes.astype(np.int64), int(moving.sum()))
        exact = True
    else:
        greater, less, same = _sampled(moving, seed)
        exact = False
    smaller = min(greater, less)
    return SignFlipTest(
        len(moving), greater, less, min(1.0, 2 * smaller), min(1.0, max(2 * smaller - same, 0.0)), exact
    )


def _exact(sizes: npt.NDArray[np.int64], observed: int) -> tuple[float, float, float]:
    """P(sum ≥ observed), P(sum ≤ observed), P(sum = observed) over all sign patterns."""
    total = int(sizes.sum())
    # chance[k]: the probability that the people counted so far with a plus add up to k; the sum is then 2k - total.
    chance = np.zeros(total + 1)
    chance[0] = 1.0
    reached = 0
    for size in np.sort(sizes):
        step = int(size)
        chance[step : reached + step + 1] = 0.5 * (chance[step : reached + step + 1] + chance[: reached + 1])
        chance[:step] *= 0.5
        reached += step
    place = (observed + total) // 2
    above, below = min(1.0, float(chance[place:].sum())), min(1.0, float(chance[: place + 1].sum()))
    return above, below, float(chance[place])


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
