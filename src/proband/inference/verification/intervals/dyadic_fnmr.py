"""Two algorithms' FNMR at the same FMR, or equal error rates, on the same comparisons: people vary, and both thresholds with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from proband.errors import DesignError, UsageError
from proband.inference.proportions import check_level
from proband.inference.verification.intervals.paired_people import AGAINST_SKEWNESS, Apart
from proband.inference.verification.people.drawings import Genuine, Tail
from proband.inference.verification.people.meetings import Ints, Meetings
from proband.measures.pairs.counts import allowed_errors
from proband.measures.verification import SUPPORTED
from proband.results.about import RestsOn, Who
from proband.results.difference import Difference
from proband.words import Method

Floats = npt.NDArray[np.float64]
BOTH_MOVED = Method(
    "fnmr-both-thresholds-moved",
    "both rates and both thresholds over people (linearised, Student's t)",
    f"the variance over people of both rates, with both thresholds re-estimated, {AGAINST_SKEWNESS}",
    ("hsieh1996", "fogliato2024", "hall1992"),
)

_WINDOW = 1.5  # the slope at an FMR is that from so many times less to so many times more


class AlgorithmScores(NamedTuple):
    """What one algorithm makes of the comparisons: its closest impostors, and every genuine one in the common order.

    Attributes
    ----------
    tail_i, tail_j, tail_closeness
        The closest impostor comparisons: their two subjects, and how close they are.
    genuine_closeness
        How close every genuine comparison is.
    """

    tail_i: npt.ArrayLike
    tail_j: npt.ArrayLike
    tail_closeness: npt.ArrayLike
    genuine_closeness: npt.ArrayLike


@dataclass(frozen=True, eq=False)
class ErrorsThere:
    """One algorithm's errors at a threshold that moves with people: of FNMR at an FMR, or of the equal error rate.

    Attributes
    ----------
    value, false_non_matches
        The rate, and the false non-matches it rests on.
    own, missed
        Whose each genuine comparison is, and what it adds to the rate.
    slope
        What FMR counts for in the rate.
    totals
        What each person adds to the rate, by genuine comparisons and by moving the threshold.
    least
        What the variance is not below.
    """

    value: float
    false_non_matches: int
    own: Ints
    missed: Floats
    slope: float
    totals: Floats
    least: float = 0.0

    @classmethod
    def at_fmr(cls, tail: Tail, genuine: Genuine, comparisons: Meetings, fmr: float) -> ErrorsThere:
        """Find the threshold, who errs there, and how FNMR moves with it; the tail must reach one and a half times as far.

        If FMR at the threshold changes by dF for other people and FNMR by dN, FNMR at the target changes by dN + slope dF, since the
        threshold is moved until FMR is what it was (Hsieh & Turnbull 1996). FNMR is taken to be linear in the logarithm of FMR from
        two thirds to one and a half times the target.
        """
        n, m, k = len(genuine.subjects), comparisons.n_impostor, comparisons.n_subjects
        if not 0 <= fmr < 1:
            raise UsageError(f"A target false match rate must be at least 0 and below 1, got {fmr!r}.")
        if not n:
            raise DesignError("There are no genuine comparisons, so there is no false non-match rate.")
        allowed = int(allowed_errors(fmr, m))
        closest = np.sort(tail.closeness)[::-1]
        barred = closest[allowed] if allowed < len(closest) else -np.inf
        wrong, taken = genuine.closeness <= barred, tail.closeness > barred
        rate, sides = float(wrong.mean()), (tail.first[taken], tail.second[taken])
        slope = _slope(closest, genuine.closeness, fmr, m)
        missed = (wrong - rate) / n
        matched = sum(np.bincount(side, minlength=k) for side in sides)
        moved = slope * (matched - len(sides[0]) / m * comparisons.n_by_subject) / m
        totals = np.bincount(genuine.subjects, weights=missed, minlength=k) + moved
        return cls(rate, int(np.count_nonzero(wrong)), genuine.subjects, missed, slope, totals)

    @classmethod
    def at_crossing(cls, tail: Tail, genuine: Genuine, comparisons: Meetings, value: float) -> ErrorsThere:
        """Find who errs where FMR is the equal error rate, and how the rate moves with people.

        With λ the slope of `at_fmr` there, the rate changes by (dN + λ dF)/(1 + λ). Its variance is not below a quarter of E(1 − E)/n
        for n genuine comparisons, which is that of dN alone where λ is 1: with few errors the rate rests on the least close genuine
        comparison, and nobody seems to err.
        """
        if not 0 < value < 1:  # nobody errs, or everybody does
            nobody = np.zeros(comparisons.n_subjects)
            return cls(value, 0, genuine.subjects, np.zeros(len(genuine.subjects)), 0.0, nobody)
        found = cls.at_fmr(tail, genuine, comparisons, value)
        weight = 1 / (1 + found.slope)
        return replace(
            found,
            value=value,
            missed=weight * found.missed,
            slope=weight * found.slope,
            totals=weight * found.totals,
            least=value * (1 - value) / (4 * len(genuine.subjects)),
        )

    def difference(self, other: ErrorsThere) -> Apart:
        """How far the rate is from another algorithm's of the same comparisons.

        What two people add by being compared stays in both of theirs: a threshold that few false matches set is known less well than
        its slope says.
        """
        return Apart.over_people(
            self.value - other.value,
            self.totals - other.totals,
            self.missed - other.missed,
            self.own,
            least=self.least + other.least,
        )


def same_comparisons(one: ErrorsThere, among: Meetings, other: ErrorsThere, others: Meetings) -> bool:
    """Say whether two algorithms have genuine comparisons of the same people, and as many impostor comparisons."""
    return np.array_equal(one.own, other.own) and among.n_impostor == others.n_impostor


def _slope(closest: Floats, genuine: Floats, fmr: float, n_impostor: int) -> float:
    last = len(closest) - 1
    strict = min(int(fmr / _WINDOW * n_impostor), last - 1)
    lax = min(max(int(np.ceil(fmr * _WINDOW * n_impostor)), strict + 1), last)
    if strict < 0:
        return 0.0
    fall = np.count_nonzero(genuine <= closest[strict]) - np.count_nonzero(genuine <= closest[lax])
    rise = np.log((lax + 0.5) / (strict + 0.5)) * max(fmr, 1 / n_impostor)
    return float(fall / len(genuine) / rise)


def fnmr_difference_at_fmr(
    first: AlgorithmScores,
    second: AlgorithmScores,
    genuine_subjects: npt.ArrayLike,
    comparisons: Meetings,
    fmr: float,
    *,
    confidence_level: float = 0.95,
) -> Difference:
    """Compare two algorithms' FNMR at the same FMR, paired, with an interval over people.

    People vary, and both thresholds with them: `ErrorsThere.at_fmr` has what each person adds to either rate, and `Apart.over_people` the
    variance of the difference and the test.
    """
    errors = []
    for one in (first, second):
        tail = Tail.of(one.tail_i, one.tail_j, one.tail_closeness, comparisons)
        genuine = Genuine.of(genuine_subjects, one.genuine_closeness, comparisons)
        errors.append(ErrorsThere.at_fmr(tail, genuine, comparisons, fmr))
    a, b = errors
    fewest = min(a.false_non_matches, b.false_non_matches)
    return a.difference(b).tested(
        check_level(confidence_level),
        BOTH_MOVED,
        larger_is_better=False,
        rests_on=RestsOn(len(a.own), "genuine comparison", n_units=comparisons.n_subjects, unit="person"),
        who=Who(target_fmr=fmr),
        supported=fewest >= SUPPORTED and fmr * comparisons.n_impostor >= SUPPORTED,
    )
