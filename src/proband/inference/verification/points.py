"""Operating points: which were asked for, how far impostors are needed for them, and their intervals over people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from proband.inference.verification.intervals.answers import answers_of_verification
from proband.inference.verification.intervals.dyadic_bootstrap import error_anew, interval_anew
from proband.inference.verification.intervals.dyadic_rates import naive_interval
from proband.inference.verification.intervals.equal_error import equal_error_interval
from proband.inference.verification.intervals.few_errors import bounds_without_errors
from proband.inference.verification.intervals.rate_interval import (
    FALSE_MATCHES,
    FALSE_NON_MATCHES,
    TOO_FEW_ERRORS,
    ZeroErrorBounds,
)
from proband.inference.verification.people.drawings import Drawings
from proband.inference.verification.results import VerificationPoint
from proband.inference.verification.shared import LARGEST_TAIL, Shared
from proband.measures.pair_measures import AUC, EER, FNMR
from proband.measures.pairs.counts import PairCounts, tail_pairs
from proband.measures.pairs.pair_set import PairSet
from proband.measures.verification import SUPPORTED, ErrorRates, OperatingPoint
from proband.results.about import RestsOn, Who
from proband.results.base import describing
from proband.results.estimate import Estimate
from proband.results.targets import derived
from proband.scores import Scores
from proband.words import Method, Note, Sentence, counted

Floats = npt.NDArray[np.float64]
FMRS = (1e-2, 1e-3, 1e-4)
N_RESAMPLES = 2_000
"""Drawings of people for FNMR at a false match rate, wherever it is estimated or compared."""
_TOO_MANY = Sentence(
    "verification.too-many-to-share",
    "note",
    "{which}: no interval, because {n:count impostor comparison} are too many to find the people they share",
)
_BEYOND = Sentence(
    "verification.target-beyond-data",
    "caution",
    "with {n:count impostor comparison}, a target FMR below {least:small} allows no false match: FNMR is "
    "reported at the smallest measurable FMR, not at the target",
)
_ALL_EQUAL = Sentence(
    "verification.all-scores-equal", "caution", "{algorithm}: all {n:count score} {n:word is/are} equal"
)
_MANY_EQUAL = Sentence(
    "verification.many-scores-equal",
    "caution",
    "{algorithm}: {n:count} of {total:count genuine score} are equal, so few error rates are attainable",
)
CLOSEST_TIED = Sentence(
    "verification.closest-tied",
    "caution",
    "more of the closest impostor scores are tied than a target FMR of {fmr:given} allows: a threshold "
    "within the target accepts no impostor",
)
THINNED = Sentence(
    "verification.thinned-tail",
    "note",
    "{n:count impostor comparison} may affect these operating points, too many to list: rates and "
    "thresholds use all of these comparisons; the variances over pairs of people and thresholds are "
    "estimated from about {kept:count} drawn at random for each operating point",
)
_FEW_MATCHES = Sentence(
    "fnmr.threshold-not-supported",
    "caution",
    "the threshold is based on {n:count false match/false matches}; a reliable interval needs at least "
    "{supported:count}",
)
_FEWER_MATCHES = Sentence(
    "fnmr.few-false-matches",
    "note",
    "the threshold is based on {n:count false match/false matches}, fewer than the {usual:count} of the "
    "rule of 30; the interval accounts for this",
)
_NO_MATCH = Sentence(
    "fnmr.at-no-false-match",
    "caution",
    "the threshold is just above the closest of {n:count impostor comparison}, and rises as there are more; the interval "
    "is for the threshold held fixed",
)
_NO_INTERVAL = Method("no-interval", "no interval", "no interval")
_LEAST_TAIL = 500_000  # impostor comparisons that replicates can always reach back to


class Summaries(NamedTuple):
    """The equal error rate and the area under the ROC, with what is to be said of them.

    Attributes
    ----------
    eer, auc, genuine_weight
        Both with their intervals, or without; and how much FNMR counts in the uncertainty of the first.
    notes
        Why one has no interval.
    """

    eer: Estimate
    auc: Estimate
    genuine_weight: float | None = None
    notes: tuple[Note, ...] = ()


def summaries(
    rates: ErrorRates, shared: Shared, area: Estimate | None, level: float, *, eer: bool = True
) -> Summaries:
    """Give the equal error rate and the area their intervals over people, or say why they have none."""
    at, n = rates.eer(), rates.counts.n_impostor
    plain = summaries_of_nobody(rates, level, _TOO_MANY(which="EER", n=n), _TOO_MANY(which="AUC", n=n))
    weight = None
    crossing = plain.eer
    if eer:
        sign = 1.0 if rates.larger_is_closer else -1.0
        closeness = closeness_of(at.threshold, sign)
        accepted = shared.tail >= closeness
        estimate, weight = equal_error_interval(
            at.value,
            rates.curve,
            (shared.genuine_people, shared.genuine < closeness),
            (shared.first[accepted], shared.second[accepted]),
            shared.comparisons,
            level,
        )
        crossing = replace(estimate, who=plain.eer.who)
    area = plain.auc if area is None else replace(area, who=plain.auc.who)
    notes = tuple(note for summary in (crossing, area) if not summary.has_interval for note in summary.notes)
    return Summaries(crossing, area, weight, notes)


def summaries_of_nobody(rates: ErrorRates, level: float, of_eer: Note, of_auc: Note) -> Summaries:
    """The equal error rate and the area without intervals, each with a note that says why."""
    at, counts = rates.eer(), rates.counts
    who = Who(algorithm=rates.algorithm)

    def without_interval(measure: EER | AUC, value: float, who: Who, why: Note) -> Estimate:
        return Estimate(
            who=who,
            value=value,
            low=nan,
            high=nan,
            confidence_level=level,
            rests_on=RestsOn(counts.n_genuine + counts.n_impostor, "comparison"),
            method=_NO_INTERVAL,
            answers=describing(measure.estimand),
            notes=(why,),
        )

    return Summaries(
        without_interval(EER(), at.value, replace(who, threshold=at.threshold), of_eer),
        without_interval(AUC(), rates.auc(), who, of_auc),
    )


def closeness_of(threshold: float | None, sign: float) -> float:
    """Return a threshold as closeness, which grows with likeness; infinite where everything is rejected."""
    return np.inf if threshold is None else sign * threshold


def points_of(rates: ErrorRates, fmrs: Sequence[float], thresholds: Sequence[float]) -> list[OperatingPoint]:
    """Find the operating points that were asked for."""
    return [*(rates.at_fmr(fmr) for fmr in fmrs), *(rates.at_threshold(t) for t in thresholds)]


def beyond_data(rates: ErrorRates, fmrs: Sequence[float]) -> list[Note]:
    """Say where a false match rate is asked for that so few comparisons cannot show, or that tied scores keep from being used."""
    return [*_equal(rates), *_beyond_data(rates, fmrs)]


def _equal(rates: ErrorRates) -> list[Note]:
    """Say that all scores are equal, or half of the genuine ones or more."""
    counts, n = rates.counts, int(rates.counts.genuine_at.max())
    if n < 2 or 2 * n < counts.n_genuine:
        return []
    if n == counts.n_genuine and counts.lowest_impostor == counts.highest_impostor:
        (genuine,) = counts.edges[counts.genuine_at > 0]
        if genuine == counts.lowest_impostor:
            return [_ALL_EQUAL(algorithm=rates.algorithm, n=n + counts.n_impostor)]
    return [_MANY_EQUAL(algorithm=rates.algorithm, n=n, total=counts.n_genuine)]


def _beyond_data(rates: ErrorRates, fmrs: Sequence[float]) -> list[Note]:
    n = rates.counts.n_impostor
    beyond = [] if all(rates.allowed_at(fmr) or not fmr for fmr in fmrs) else [_BEYOND(n=n, least=1 / n)]
    tied = [fmr for fmr in fmrs if rates.allowed_at(fmr) and not rates.at_fmr(fmr).false_matches]
    return [*beyond, *(CLOSEST_TIED(fmr=fmr) for fmr in tied[:1])]


def admitting_each(
    rates: ErrorRates, scores: Scores, pairs: PairSet, fmrs: Sequence[float], threads: int | None
) -> ErrorRates:
    """Count as well at the thresholds of false match rates, looking only at the impostors between the edges about each."""
    for fmr in fmrs:
        most = rates.allowed_at(fmr)
        low, high, closer = rates.counts.window_to_admit(most)
        last = tail_pairs(scores, pairs, low, LARGEST_TAIL, threads, high)[2]
        rates = replace(rates, counts=rates.counts.admitting(last, [most], closer))
    return rates


def loosest_of(
    rates: ErrorRates, fmrs: Sequence[float], thresholds: Sequence[float], *, replicated: bool
) -> float:
    """Find the closeness down to which impostors are needed: for the thresholds, for those of false match rates, and for replicates."""
    sign = 1.0 if rates.larger_is_closer else -1.0
    reached = [sign * threshold for threshold in thresholds]
    reached += [rates.counts.closeness_to_admit(rates.allowed_at(fmr)) for fmr in fmrs]
    if replicated and fmrs:
        # Replicates move the threshold both ways, so some more of the tail is needed than the points themselves use.
        reached.append(room_for_replicates(rates, max(fmrs)))
    return min(reached)


def room_for_replicates(rates: ErrorRates, fmr: float) -> float:
    """Find a closeness that at least four times as many impostors reach as the FMR allows, and some hundred thousand in any case."""
    counts = rates.counts
    return counts.closeness_reached_by(max(ceil(4 * fmr * counts.n_impostor), _LEAST_TAIL))


def room_for_thirty(counts: PairCounts) -> float:
    """Find a closeness that thirty impostors reach, to see how alike they are; infinite where too many are tied there."""
    at, binned = counts.closeness_reached_by(SUPPORTED), counts.histogram
    first = max(int(np.searchsorted(binned.edges, at, side="right")) - 1, 0)
    return at if binned.impostor[first:].sum() <= _LEAST_TAIL else np.inf


def re_estimated_method(n_resamples: int) -> Method:
    """How FNMR at a false match rate has its interval: the threshold set anew in so many replicates of people."""
    return Method(
        "fnmr-threshold-anew",
        f"resampled people, threshold re-estimated ({counted(n_resamples, 'replicate')}; Wilson with the "
        "larger variance)",
        "Wilson's interval with the variance over resampled people and the threshold re-estimated in each "
        "replicate",
        ("efron1979", "fogliato2024", "wilson1927"),
    )


def with_intervals(
    algorithm: str,
    points: Sequence[OperatingPoint],
    sign: float,
    shared: Shared,
    level: float,
    n_resamples: int,
    naive: bool,
    drawings: Drawings,
    threads: int | None = None,
) -> tuple[VerificationPoint, ...]:
    """Give points their intervals over people, all under the same drawings of them."""
    targets = (
        [at.target_fmr for at in points if at.target_fmr is not None and at.false_matches]
        if n_resamples
        else []
    )
    drawn = dict(zip(targets, shared.fnmr_replicates(targets, n_resamples, drawings, threads), strict=True))
    return tuple(
        at_target(
            at_threshold(algorithm, at, sign, shared, level, naive),
            drawn.get(at.target_fmr),
            drawings.seed,
            n_resamples,
        )
        if at.target_fmr is not None
        else at_threshold(algorithm, at, sign, shared, level, naive)
        for at in points
    )


def at_threshold(
    algorithm: str, counts: OperatingPoint, sign: float, shared: Shared, level: float, naive: bool = False
) -> VerificationPoint:
    """Give a point its intervals over people, at the threshold held fixed."""
    closeness = closeness_of(counts.threshold, sign)
    fmr, fnmr = shared.fmr_at(closeness, level), shared.fnmr_at(closeness, level)
    bounds = shared.bounds_of(fmr), bounds_without_errors(fnmr, fnmr.rests_on.n_units or 1)
    if naive:
        people = shared.comparisons.n_subjects
        of = FALSE_MATCHES, counts.false_matches, counts.n_impostor
        fmr = replace(fmr, naive=_beside(naive_interval(*of, level, people)))
        of = FALSE_NON_MATCHES, counts.false_non_matches, counts.n_genuine
        fnmr = replace(fnmr, naive=_beside(naive_interval(*of, level, people)))
    return point_of(algorithm, counts, fmr, fnmr, *bounds)


def _beside(naive: Estimate) -> Estimate:
    """An interval of independent comparisons, under a name that tells it from the rate it stands beside."""
    of = derived("naive", "{}, comparisons as if independent", naive.of)
    return replace(naive, answers=replace(naive.answers, of=of))


def point_of(
    algorithm: str,
    counts: OperatingPoint,
    fmr: Estimate,
    fnmr: Estimate,
    no_false_matches: ZeroErrorBounds | None = None,
    no_false_non_matches: ZeroErrorBounds | None = None,
) -> VerificationPoint:
    """Make an operating point of its rates at the threshold held fixed, and say whose and where they are."""
    who = Who(algorithm=algorithm, target_fmr=counts.target_fmr, threshold=counts.threshold)
    fmr, fnmr = (rate_of(rate, who) for rate in (fmr, fnmr))
    return VerificationPoint(counts, fmr, fnmr, fnmr, no_false_matches, no_false_non_matches)


def rate_of(rate: Estimate, who: Who) -> Estimate:
    """A rate, and those beside it, of whom it is."""
    by_person, naive = (
        None if other is None else replace(other, who=who) for other in (rate.by_person, rate.naive)
    )
    return replace(rate, who=who, by_person=by_person, naive=naive)


def _few_matches(counts: OperatingPoint) -> tuple[Note, ...]:
    """Say that a threshold is based on few false matches, or that it may not have any."""
    matches = counts.false_matches
    if counts.target_fmr == 0:
        return (_NO_MATCH(n=counts.n_impostor),)
    if matches < TOO_FEW_ERRORS:
        return (_FEW_MATCHES(n=matches, supported=TOO_FEW_ERRORS),)
    return () if counts.fmr_supported else (_FEWER_MATCHES(n=matches, usual=SUPPORTED),)


def at_target(
    point: VerificationPoint, replicates: Floats | None, seed: int, n_resamples: int = N_RESAMPLES
) -> VerificationPoint:
    """Give a point of a target FMR its FNMR there: with the threshold re-estimated in replicates, or with the fixed one's interval.

    It is based on the false non-matches, and on the false matches that set the threshold: too few of either are too few.
    """
    held, target = point.fnmr_at_threshold, point.target_fmr
    assert target is not None  # or else there is no target
    of = FNMR(target).estimand
    # Both kinds of errors set it, so that it stands beside the rate at the fixed threshold, and not in its place.
    plain = replace(
        held,
        answers=replace(held.answers, of=of),
        by_person=None,
        naive=None,
        supported=point.counts.fnmr_supported,
        notes=(*_few_matches(point.counts), *held.notes),
    )
    if replicates is None:
        return replace(point, fnmr=plain)
    low, high = interval_anew(held, replicates)
    fnmr = replace(
        plain,
        low=low,
        high=high,
        standard_error=error_anew(held, replicates),
        method=re_estimated_method(n_resamples),
        seed=seed,
        answers=answers_of_verification(of),
        replicates=replicates,
    )
    return replace(point, fnmr=fnmr)
