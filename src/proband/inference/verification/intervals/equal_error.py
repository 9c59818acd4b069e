"""The equal error rate with an interval over people: where both error rates cross, both are uncertain, and so is the threshold."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from proband.inference.comparisons.testing.tails import unseen
from proband.inference.proportions import Interval, check_level
from proband.inference.verification.intervals.answers import answers_of_verification
from proband.inference.verification.people.carriers import (
    FEW_CARRIERS,
    FEWEST,
    TOO_FEW,
    effective_people,
    few_carry,
    small_sample,
    squares_of_pairs,
)
from proband.inference.verification.people.meetings import Ints, Meetings, subject_pairs
from proband.inference.verification.people.supposed import (
    effect_of_sharing,
    moderated_interval,
    worth_of_people,
)
from proband.measures.pair_measures import EER
from proband.results.about import NOBODY, RestsOn
from proband.results.estimate import Estimate
from proband.words import Method, Note

Floats = npt.NDArray[np.float64]

_CROSSING = Method(
    "eer-over-people",
    "both rates and the threshold over people (linearised, moderated variance, Wilson, Student's t)",
    "the moderated variance over people of the equal error rate, in Wilson's interval",
    ("fogliato2024", "smyth2004", "wilson1927"),
)
_SEPARATE = Method(
    "eer-no-errors",
    "one-sided bound (assumed design effect)",
    "if genuine and impostor scores do not overlap, a one-sided bound with an assumed design effect",
    ("hanley1983",),
)
_WINDOW = 2.0  # standard errors around the crossing over which the slopes are read off


class EqualError(NamedTuple):
    """An equal error rate with its interval over people, and what its uncertainty comes from.

    Attributes
    ----------
    estimate
        The rate. Where no error is made the upper end is a one-sided bound.
    genuine_weight
        How much FNMR counts in the uncertainty, and FMR the rest: the share of the impostors' density in that of both. None where
        no error is made.
    """

    estimate: Estimate
    genuine_weight: float | None


def equal_error_interval(
    value: float,
    curve: tuple[Floats, Floats],
    missed: tuple[npt.ArrayLike, npt.ArrayLike],
    matched: tuple[npt.ArrayLike, npt.ArrayLike],
    comparisons: Meetings,
    confidence_level: float = 0.95,
) -> EqualError:
    """Give an equal error rate an interval over people: other people vary, and with them the threshold of the crossing.

    Parameters
    ----------
    value, curve
        The equal error rate, and FMR and FNMR from rejecting everything to accepting everything.
    missed
        For every genuine comparison, whose it is and whether it is rejected at the threshold of the crossing.
    matched
        The two subjects of every false match there.

    Notes
    -----
    If FMR and FNMR at the threshold change by dF and dN, the crossing moves by (f dN + g dF)/(f + g), with f and g the slopes of
    FMR and FNMR there: they are read off the curve over two standard errors either side. The variance over people is that of
    this sum, as in `auc_interval`, and so are the ends (`moderated_interval`). Where no genuine comparison errs at the crossing,
    none did at the true one either, unless that is stricter, where FMR is known: the upper end is not below 1 − (α/2)^(1/n), n what
    the genuine comparisons are supposed to be worth (`worth_of_people`). So it is with the impostor comparisons where none of those
    errs (`effect_of_sharing`), and with the fewer where both are apart.
    """
    check_level(confidence_level)
    own, wrong = np.asarray(missed[0]), np.asarray(missed[1], dtype=np.float64)
    first, second = subject_pairs(*matched, comparisons, "false matches")
    n, by_subject = comparisons.n_subjects, comparisons.n_by_subject
    genuine = np.bincount(own, minlength=n)
    people = int(np.count_nonzero(genuine + by_subject))
    flawless = (
        (wrong.any(), worth := worth_of_people(genuine)),
        (len(first) > 0, comparisons.n_impostor / effect_of_sharing(comparisons)),
    )
    worths = [n for err, n in flawless if not err or value in (0.0, 1.0)]
    slack = unseen(1 - confidence_level, min(worths)) if worths else 0.0

    def made(
        ends: Interval, error: float, freedom: float | None, method: Method, notes: tuple[Note, ...] = ()
    ) -> Estimate:
        return Estimate(
            who=NOBODY,
            value=value,
            low=ends.low,
            high=ends.high,
            confidence_level=confidence_level,
            standard_error=error,
            degrees_of_freedom=freedom,
            rests_on=RestsOn(len(own) + comparisons.n_impostor, "comparison", n_units=people, unit="person"),
            method=method,
            answers=answers_of_verification(EER().estimand),
            notes=notes,
        )

    if value in (0.0, 1.0):
        low, high = max(0.0, value - slack), min(1.0, value + slack)
        return EqualError(made(Interval(low, high), 0.0, None, _SEPARATE), None)
    errors = _Errors.of(own, wrong, first, second, comparisons)
    weight = 0.5
    # The slopes are read off over a window that depends on the error, which depends on the slopes.
    for _ in range(3):
        variance, totals = errors.variance(weight, people)
        weight = _slopes(curve, value, _WINDOW * sqrt(variance))
    variance, totals = errors.variance(weight, people)
    totals = totals[genuine + by_subject > 0]
    ends, error, freedom = moderated_interval(value, variance, totals, worth, confidence_level)
    notes: tuple[Note, ...] = ()
    if people < FEWEST:
        ends, freedom, notes = Interval(0.0, 1.0), 0.0, (TOO_FEW(),)
    elif error and freedom < FEW_CARRIERS:
        notes = (few_carry(effective_people(totals), people),)
    ends = Interval(ends.low, max(ends.high, slack))
    return EqualError(made(ends, error, freedom, _CROSSING, notes), weight)


@dataclass(frozen=True, eq=False)
class _Errors:
    """What each person adds to FNMR and to FMR beyond its share, and what pairs of people add to the latter."""

    genuine: Floats
    impostor: Floats
    of_pairs: float
    independent: tuple[float, float]

    @classmethod
    def of(cls, own: Ints, wrong: Floats, first: Ints, second: Ints, comparisons: Meetings) -> _Errors:
        n, m, k = len(own), comparisons.n_impostor, comparisons.n_subjects
        fnmr, fmr = float(wrong.mean()), len(first) / m
        sizes = np.bincount(own, minlength=k)
        genuine = (np.bincount(own, weights=wrong, minlength=k) - fnmr * sizes) / n
        genuine *= (1 - 1 / k) / np.maximum(1 - sizes / n, 1 / k)
        counts = np.bincount(first, minlength=k) + np.bincount(second, minlength=k)
        impostor = (counts - fmr * comparisons.n_by_subject) / m
        of_pairs = squares_of_pairs(first, second, fmr, comparisons) / m**2
        return cls(genuine, impostor, of_pairs, (fnmr * (1 - fnmr) / n, fmr * (1 - fmr) / m))

    def variance(self, weight: float, people: int) -> tuple[float, Floats]:
        totals = weight * self.genuine + (1 - weight) * self.impostor
        of_pairs = (1 - weight) ** 2 * self.of_pairs
        found = float(totals @ totals) - of_pairs
        least = weight**2 * self.independent[0] + max(of_pairs, (1 - weight) ** 2 * self.independent[1])
        return max(found * (small_sample(people) if people >= FEWEST else 1.0), least), totals


def _slopes(curve: tuple[Floats, Floats], value: float, reach: float) -> float:
    """The share of FMR's slope in both, over the thresholds from which the crossing may come."""
    fmr, fnmr = curve
    at = int(np.argmax(fmr >= fnmr))
    near = np.flatnonzero((np.abs(fmr - value) <= reach) | (np.abs(fnmr - value) <= reach))
    low = max(0, min(int(near.min(initial=at)), at - 1))
    high = min(len(fmr) - 1, max(int(near.max(initial=at)), at))
    rise, fall = float(fmr[high] - fmr[low]), float(fnmr[low] - fnmr[high])
    return 0.5 if rise + fall == 0 else rise / (rise + fall)
