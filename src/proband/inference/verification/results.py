"""Error rates of one algorithm, at operating points and as summaries of curves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from proband.engine.arguments import published
from proband.inference.proportions import Interval
from proband.inference.verification.intervals.answers import PEOPLE_SHARED
from proband.inference.verification.intervals.rate_interval import ZeroErrorBounds, has_few_errors
from proband.inference.verification.people.supposed import NOTHING_LENT, Lent
from proband.measures.verification import ErrorRates, OperatingPoint
from proband.results.base import Answers, Confidence, Count, Rate, Result, among
from proband.results.compared import Compared
from proband.results.estimate import Estimate, estimate_among
from proband.results.serializing import Written
from proband.results.targets import OTHER_PEOPLE_COMPARED
from proband.words import (
    Note,
    SampledColumn,
    Target,
    digits,
    fixed,
    given,
    interval,
    small_interval,
    threshold,
)

ERROR_RATES = Target("fmr-and-fnmr", "false match and false non-match rates")
OVER_PEOPLE = Answers(
    ERROR_RATES,
    OTHER_PEOPLE_COMPARED,
    Target("threshold-or-fmr", "the algorithm, and the threshold or the target false match rate"),
    PEOPLE_SHARED,
)


@dataclass(frozen=True, eq=False)
class VerificationPoint(Result):
    """One operating point: both error rates with their intervals.

    Attributes
    ----------
    fnmr
        At a target FMR: FNMR with the threshold re-estimated in every replicate of people, for a threshold that will be set on
        other people; without replicates, with the interval at the fixed threshold.
        At a requested threshold: FNMR there.
    fmr, fnmr_at_threshold
        The rates at this threshold, held fixed. For a requested threshold, the second is `fnmr` and not written again.
    counts
        The threshold, with the numbers of errors and comparisons there, with and without failures to acquire.
    no_false_matches, no_false_non_matches
        A note on what follows if there are no such errors, or only errors; otherwise None and not written.
    """

    written = Written(
        {"fnmr_at_threshold": "fnmr_beside", "far": "counts.far", "frr": "counts.frr"},
        spread=("counts",),
        if_any=("fnmr_at_threshold", "no_false_matches", "no_false_non_matches"),
    )

    counts: OperatingPoint
    fmr: Estimate
    fnmr: Estimate
    fnmr_at_threshold: Estimate
    no_false_matches: ZeroErrorBounds | None = None
    no_false_non_matches: ZeroErrorBounds | None = None

    @property
    def threshold(self) -> float | None:
        """The threshold, in the orientation of the scores; None if everything is rejected."""
        return self.counts.threshold

    @property
    def target_fmr(self) -> Rate | None:
        """The target false match rate, if any."""
        return self.counts.target_fmr

    @property
    def re_estimated(self) -> Interval | None:
        """The interval of `fnmr` with the threshold re-estimated; None without replicates."""
        return None if self.fnmr.replicates is None else Interval(self.fnmr.low, self.fnmr.high)

    @property
    def by_person(self) -> Estimate | None:
        """FNMR at the fixed threshold with every person weighted equally; None if all have as many genuine comparisons."""
        return self.fnmr_at_threshold.by_person

    @property
    def fnmr_beside(self) -> Estimate | None:
        """FNMR at the fixed threshold, if `fnmr` is at a target FMR; otherwise None."""
        return None if self.fnmr_at_threshold is self.fnmr else self.fnmr_at_threshold

    def __repr__(self) -> str:
        return _told([self])


@published
@dataclass(frozen=True, eq=False)
class Verification(Result):
    """Error rates of one algorithm, with intervals at operating points.

    Attributes
    ----------
    rates, points
        Error rates at every threshold, and the operating points with intervals.
    eer, auc
        The equal error rate and the area under the ROC with their intervals over people; without an interval, and with a note,
        if subject IDs are missing or there are too many comparisons to find the people who share them.
    eer_genuine_weight
        The weight of FNMR in the uncertainty of the equal error rate (the rest is FMR); None without an interval.
    n_subjects, compared
        The number of people in the comparisons, and which comparisons were counted.
    groups
        Error rates by the values of each requested column, one `Differential` per column.
    confidence_level, answers, notes
        The level and the meaning of the intervals, and notes.
    alike
        The design effects at thirty errors, for use by other algorithms with fewer errors.
    """

    written = Written(
        {
            "n_genuine": "rates.counts.n_genuine",
            "n_impostor": "rates.counts.n_impostor",
            "n_failed_genuine": "rates.counts.n_failed_genuine",
            "n_failed_impostor": "rates.counts.n_failed_impostor",
            "crossing": "rates.eer",
        },
        also=("algorithm",),
        without=("rates", "alike"),
        if_any=("groups", "eer_genuine_weight"),
        versioned=True,
    )

    rates: ErrorRates
    points: tuple[VerificationPoint, ...]
    eer: Estimate
    auc: Estimate
    n_subjects: Count
    confidence_level: Confidence
    answers: Answers
    notes: tuple[Note, ...]
    compared: Compared
    eer_genuine_weight: Rate | None = None
    groups: tuple[Any, ...] = ()
    alike: Lent = field(default=NOTHING_LENT, repr=False)

    def _may_borrow(self, lent: Lent) -> bool:
        """Whether a rate has fewer than two errors and must borrow the correlation of comparisons from others."""
        return any(
            has_few_errors(rate) and own is None and others is not None
            for point in self.points
            for rate, own, others in zip((point.fmr, point.fnmr_at_threshold), self.alike, lent, strict=True)
        )

    @property
    def algorithm(self) -> str:
        """The name of the scores."""
        return self.rates.algorithm

    def __repr__(self) -> str:
        return ", ".join([repr(self.rates), _told(self.points)])


def _told(points: Iterable[VerificationPoint]) -> str:
    """Operating points in words; those that differ in nothing but their target FMR once."""
    targets: dict[str, list[float]] = {}
    first: dict[str, VerificationPoint] = {}
    for point in points:
        rates = _rates(point, "")
        first.setdefault(rates, point)
        targets.setdefault(rates, []).extend([] if point.target_fmr is None else [point.target_fmr])
    return ", ".join(_rates(point, ", ".join(map(given, targets[rates]))) for rates, point in first.items())


def _rates(point: VerificationPoint, targets: str) -> str:
    """The rates of a point in words, as those at one or several target FMRs."""
    if point.re_estimated is not None:
        return f"FNMR {fixed(point.fnmr.value)} {interval(*point.re_estimated)} at target FMR {targets}"
    at = "nothing accepted" if point.threshold is None else f"threshold {threshold(point.threshold)}"
    asked = f" (target FMR {targets})" if targets else ""
    fmr, fnmr = point.fmr, point.fnmr_at_threshold
    return (
        f"{at}{asked}: FMR {digits(fmr.value)} {small_interval(fmr.low, fmr.high)}, FNMR {fixed(fnmr.value)} "
        f"{interval(fnmr.low, fnmr.high)}"
    )


def verification_among(verification: Verification, sampling: tuple[SampledColumn, ...]) -> Verification:
    """The same error rates, with the declared sampling levels in their answers (`among`)."""
    if not sampling:
        return verification
    return replace(
        verification,
        points=tuple(point_among(point, sampling) for point in verification.points),
        eer=estimate_among(verification.eer, sampling),
        auc=estimate_among(verification.auc, sampling),
        answers=among(verification.answers, sampling),
    )


def point_among(point: VerificationPoint, sampling: tuple[SampledColumn, ...]) -> VerificationPoint:
    """The same operating point, with the declared sampling levels in its answers (`among`)."""
    fmr, fnmr = estimate_among(point.fmr, sampling), estimate_among(point.fnmr, sampling)
    held = point.fnmr_beside
    # For a requested threshold both are one estimate, and must remain one.
    beside = fnmr if held is None else estimate_among(held, sampling)
    return replace(point, fmr=fmr, fnmr=fnmr, fnmr_at_threshold=beside)
