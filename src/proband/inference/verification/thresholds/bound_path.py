"""The false match rate and its upper bound for new people at every threshold down to one, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, log1p

import numpy as np
import numpy.typing as npt

from proband.distributions import inverse_logit, logit, normal_inverse, t_inverse
from proband.inference.verification.intervals.rate_interval import TOO_FEW_ERRORS
from proband.inference.verification.people.carriers import FEWEST_CARRIERS, sees_people, small_sample
from proband.inference.verification.people.meetings import Ints, Meetings

Floats = npt.NDArray[np.float64]
_MUTUAL = 6.0  # of people who are taken for each other; found by simulation, where Helmers (1991) has 1/2


@dataclass(frozen=True, eq=False)
class BoundPath:
    """False matches from the strictest threshold that has one to laxer ones.

    Attributes
    ----------
    closeness, errors
        Each score of an impostor comparison, the closest first, and how many are at least as close.
    rate, bound
        The false match rate with that threshold, and its one-sided upper bound for new people: never less than at a stricter
        threshold.
    by_pair
        The rate in which every two people weigh the same.
    """

    closeness: Floats
    errors: Ints
    rate: Floats
    bound: Floats
    by_pair: Floats

    @classmethod
    def of(
        cls, first: Ints, second: Ints, closeness: Floats, comparisons: Meetings, confidence: float
    ) -> BoundPath:
        """Bound the rate at every threshold: expit(logit p + t se/(p(1 − p))), with the variance of `false_match_rate`.

        Student's t has half as many degrees of freedom as people carry the variance, because a false match has two people. The bound is the
        larger of two: in one every comparison weighs the same, in the other every two people. Where people with many
        false matches have them with each other, as if drawn towards one centre, the rate goes with the square of how many
        such people there are, and t is too small: the excess of Σ_{i≠j} e_i e_j e_ij/(Σ e²)^(3/2) over its value for false matches that share nobody is
        added, 6(z² + 1) times. The term is that of Helmers (1991) for Studentised U-statistics; its factor was found by simulation.
        """
        order = np.argsort(-closeness, kind="stable")
        low, high = (end(first, second)[order].astype(np.int64) for end in (np.minimum, np.maximum))
        closest = closeness[order]
        last = np.flatnonzero(np.diff(closest, append=-np.inf) != 0)  # of each run of equal scores
        n, n_errors = comparisons.n_impostor, np.arange(1, len(closest) + 1)
        between = comparisons.n_between(low, high).astype(np.float64)
        rate = n_errors / n
        bound = _bounds(low, high, between, comparisons, confidence)[last]
        by_pair = np.cumsum(1 / between) / max(comparisons.n_pairs, 1)
        return cls(closest[last], n_errors[last], rate[last], np.maximum.accumulate(bound), by_pair[last])

    def allowed(self, fmr: float) -> int:
        """How many false matches a threshold may have for the bound to stay within a rate; 0 if one is too many."""
        within = int(np.searchsorted(self.bound, fmr, side="right"))
        return int(self.errors[within - 1]) if within else 0

    def allowed_freely(self, fmr: float, units: int, confidence: float) -> int | None:
        """How many false matches suffice whatever the distribution of scores; None if not even none would.

        With p the rate in which every two people weigh the same, `units` pairs of people who share nobody and a chance δ to be
        wrong, units·KL(p‖fmr) ≥ ln 1/δ (Hoeffding 1963, for U-statistics).
        """
        needed = log(1 / (1 - confidence))
        if -units * log1p(-fmr) < needed:
            return None
        p = self.by_pair[self.by_pair < fmr]
        apart = p * np.log(p / fmr) + (1 - p) * (np.log1p(-p) - log1p(-fmr))
        far = np.flatnonzero(units * apart >= needed)
        return int(self.errors[far[-1]]) if len(far) else 0


def _bounds(low: Ints, high: Ints, between: Floats, comparisons: Meetings, confidence: float) -> Floats:
    """The upper bound after each false match, the others being still to come: the larger of two.

    In one every comparison weighs the same, in the other every two people, which is looked at from ten false matches on.
    """
    if not sees_people(comparisons):
        return np.ones(len(low))
    n, pairs, squares = comparisons.n_impostor, comparisons.n_pairs, comparisons.sum_of_squares
    ones = np.ones(len(low))
    by_two = by_image = _Running(low, high, 1 / between, ones, comparisons.n_partners, pairs, pairs, 1 / n)
    if pairs * squares != n**2:
        by_image = _Running(low, high, ones, between, comparisons.n_by_subject, n, squares, 1 / n)
    bound = by_image.bound(confidence)
    many = slice(TOO_FEW_ERRORS - 1, None)
    bound[many] = np.maximum(bound[many], by_two.bound(confidence, by_two.mutual())[many])
    return bound


class _Running:
    """Sums over people and pairs of people after each false match.

    With c what the false matches of a person weigh so far, d what all comparisons of the person weigh and p the rate, e = c − pd are
    the people's totals. Their powers are multiplied out, so that each sum is a running one.
    """

    def __init__(
        self,
        low: Ints,
        high: Ints,
        weights: Floats,
        between: Floats,
        sizes: Ints,
        n: int,
        of_squares: int,
        least: float,
    ) -> None:
        self._pairs, self._weights, self._sizes = (low, high), weights, sizes.astype(np.float64)
        who, twice = np.stack([low, high], axis=1).ravel(), np.repeat(weights, 2)
        self._before, self._twice, self._met = _before(who, twice), twice, self._sizes[who]
        self._people = int(np.count_nonzero(sizes))
        self._rate = rate = np.minimum(np.cumsum(weights) / n, 1.0)
        self._squares = self._powers((1, -2, 1))
        self._fourths = self._powers((1, -4, 6, -4, 1))
        again = _before(low * len(sizes) + high, weights)
        of_pairs = np.cumsum((again + weights) ** 2 - again**2) - 2 * rate * np.cumsum(weights * between)
        of_pairs += rate**2 * of_squares
        plug_in = small_sample(self._people) * (self._squares - of_pairs)
        self._variance = np.maximum(np.maximum(plug_in, of_pairs) / n**2, rate * (1 - rate) * least)

    def _powers(self, binomial: tuple[int, ...]) -> Floats:
        """Σ (c − pd)^k over people, given the signed binomial coefficients of k."""
        k = len(binomial) - 1
        total = binomial[k] * self._rate**k * float((self._sizes**k).sum())
        for lower in range(k):
            grown = (self._before + self._twice) ** (k - lower) - self._before ** (k - lower)
            sums = np.cumsum((grown * self._met**lower).reshape(-1, 2).sum(axis=1))
            total = total + binomial[lower] * self._rate**lower * sums
        return np.asarray(total, dtype=np.float64)

    def mutual(self) -> Floats:
        """How far people with many false matches have them with each other, beyond what false matches of different people have.

        [Σ_{i≠j} e_i e_j w_ij + 2 Σ e³/(K − 1)]/(Σ e²)^(3/2), w_ij being the errors of i and j, less what it is where nobody is in two
        errors: se/(p√2) if all weigh the same.
        """
        from proband.kernels.shared_people import sum_over_partners

        low, high = self._pairs
        products, crossed = np.empty(len(low)), np.empty(len(low))
        errors = np.bincount(low, minlength=len(self._sizes)) + np.bincount(high, minlength=len(self._sizes))
        starts = np.cumsum(errors) - errors
        sum_over_partners(low, high, self._weights, self._sizes, starts, products, crossed)
        of_sizes = np.cumsum(self._weights * self._sizes[low] * self._sizes[high])
        found = 2 * (products - self._rate * crossed + self._rate**2 * of_sizes)
        found += 2 * self._powers((1, -3, 3, -1)) / (self._people - 1)
        found = np.divide(found, self._squares**1.5, out=np.zeros(len(low)), where=self._squares > 0)
        sums = [np.cumsum(self._weights**power) for power in (1, 2, 3)]
        spread = np.sqrt(self._variance / 2) / self._rate * sums[0] * sums[2] / sums[1] ** 2
        made: Floats = np.maximum(found - spread, 0)
        return made

    def bound(self, confidence: float, mutual: Floats | float = 0.0) -> Floats:
        """expit(logit p + t se/(p(1 − p))), Student's t having half as many degrees of freedom as people carry the errors."""
        people = float(self._people)
        carriers = np.divide(
            self._squares**2, self._fourths, out=np.full(len(self._rate), people), where=self._fourths > 0
        )
        t = t_inverse(np.clip(carriers / 2, FEWEST_CARRIERS, people - 1), confidence)
        t = t + _MUTUAL * (float(normal_inverse(confidence)) ** 2 + 1) * mutual
        bound, some = np.ones(len(self._rate)), self._rate < 1
        p = self._rate[some]
        bound[some] = inverse_logit(logit(p) + t[some] * np.sqrt(self._variance[some]) / (p * (1 - p)))
        return bound


def _before(keys: Ints, weights: Floats) -> Floats:
    """The sum of weights of earlier entries with the same key."""
    order = np.argsort(keys, kind="stable")
    ordered, sums = keys[order], np.cumsum(weights[order])
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    earlier = sums - weights[order]
    seen = np.empty(len(keys))
    seen[order] = earlier - np.repeat(earlier[starts], np.diff(starts, append=len(keys)))
    return seen
