"""The false match rate and its upper bound for new people at every threshold down to one, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, log1p

import numpy as np
import numpy.typing as npt

from proband.inference.verification.dyadic_rates import (
    FEWEST_CARRIERS,
    sees_people,
    small_sample,
    variance_over_people,
)
from proband.inference.verification.meetings import Ints, Meetings

Floats = npt.NDArray[np.float64]


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
        """Bound the rate at every threshold, as `false_match_rate` does at one: expit(logit p + t se/(p(1 − p))).

        Examples
        --------
        Two disjoint pairs of 20 people: one false match in 190, then two, and the bound does not fall.

        >>> from proband.inference.verification.meetings import Comparisons
        >>> everybody = Comparisons([1] * 20, [1] * 20, symmetric=True)
        >>> path = BoundPath.of(np.array([0, 2]), np.array([1, 3]), np.array([0.9, 0.8]), everybody, 0.95)
        >>> path.errors.tolist(), path.bound.round(4).tolist()
        ([1, 2], [0.0659, 0.0659])
        """
        order = np.argsort(-closeness, kind="stable")
        low, high = (end(first, second)[order].astype(np.int64) for end in (np.minimum, np.maximum))
        closest = closeness[order]
        last = np.flatnonzero(np.diff(closest, append=-np.inf) != 0)  # of each run of equal scores
        n, n_errors = comparisons.n_impostor, np.arange(1, len(closest) + 1)
        between = comparisons.n_between(low, high).astype(np.float64)
        rate = n_errors / n
        bound = _bounds(low, high, between, rate, comparisons, confidence)[last]
        by_pair = np.cumsum(1 / between) / max(comparisons.n_pairs, 1)
        return cls(closest[last], n_errors[last], rate[last], np.maximum.accumulate(bound), by_pair[last])

    def allowed(self, fmr: float) -> int:
        """How many false matches a threshold may have for the bound to stay within a rate; 0 if one is too many.

        Examples
        --------
        >>> nothing = np.empty(0)
        >>> path = BoundPath(nothing, np.array([1, 2, 5]), nothing, np.array([0.01, 0.02, 0.05]), nothing)
        >>> path.allowed(0.02), path.allowed(0.001)
        (2, 0)
        """
        within = int(np.searchsorted(self.bound, fmr, side="right"))
        return int(self.errors[within - 1]) if within else 0

    def allowed_freely(self, fmr: float, units: int, confidence: float) -> int | None:
        """How many false matches suffice whatever the distribution of scores; None if not even none would.

        With p the rate in which every two people weigh the same, `units` pairs of people who share nobody and a chance δ to be
        wrong, units·KL(p‖fmr) ≥ ln 1/δ (Hoeffding 1963, for U-statistics).

        Examples
        --------
        >>> path = BoundPath(np.zeros(1), np.array([1]), np.array([1e-5]), np.ones(1), np.array([1e-5]))
        >>> path.allowed_freely(0.01, 200, 0.95), path.allowed_freely(0.01, 400, 0.95)
        (None, 1)
        """
        needed = log(1 / (1 - confidence))
        if -units * log1p(-fmr) < needed:
            return None
        p = self.by_pair[self.by_pair < fmr]
        apart = p * np.log(p / fmr) + (1 - p) * (np.log1p(-p) - log1p(-fmr))
        far = np.flatnonzero(units * apart >= needed)
        return int(self.errors[far[-1]]) if len(far) else 0


def _bounds(
    low: Ints, high: Ints, between: Floats, rate: Floats, comparisons: Meetings, confidence: float
) -> Floats:
    """The upper bound after each false match, the others being still to come."""
    from scipy.special import expit, logit, stdtrit

    if not sees_people(comparisons):
        return np.ones(len(rate))
    n, by_subject = comparisons.n_impostor, comparisons.n_by_subject.astype(np.float64)
    people = int(np.count_nonzero(by_subject))
    who = np.stack([low, high], axis=1).ravel()
    before, met = _seen_before(who), by_subject[who]

    def added(power: int, with_met: int = 0) -> Floats:
        """Σ c^power N^with_met over people, c being a person's errors so far and N all comparisons."""
        grown = ((before + 1) ** power - before**power) * met**with_met
        total: Floats = np.cumsum(grown.reshape(-1, 2).sum(axis=1))
        return total

    # Sums of powers of people's totals c − pN, multiplied out, so that each is a running sum.
    squares = added(2) - 2 * rate * added(1, 1) + rate**2 * float((by_subject**2).sum())
    fourths = (
        added(4)
        - 4 * rate * added(3, 1)
        + 6 * rate**2 * added(2, 2)
        - 4 * rate**3 * added(1, 3)
        + rate**4 * float((by_subject**4).sum())
    )
    again = _seen_before(low * comparisons.n_subjects + high)
    of_pairs = np.cumsum(2 * again + 1) - 2 * rate * np.cumsum(between) + rate**2 * comparisons.sum_of_squares
    variance = variance_over_people(rate, squares, of_pairs, n, small_sample(people))
    carriers = np.divide(squares**2, fourths, out=np.full(len(rate), float(people)), where=fourths > 0)
    freedom = np.clip(carriers, FEWEST_CARRIERS, people - 1)
    some = rate < 1
    bound = np.ones(len(rate))
    p = rate[some]
    bound[some] = expit(
        logit(p) + stdtrit(freedom[some], confidence) * np.sqrt(variance[some]) / (p * (1 - p))
    )
    return bound


def _seen_before(keys: Ints) -> Floats:
    """How often each entry occurred before."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    lengths = np.diff(starts, append=len(keys))
    seen = np.empty(len(keys))
    seen[order] = np.arange(len(keys)) - np.repeat(starts, lengths)
    return seen
