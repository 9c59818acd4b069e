"""Verification of lists of comparisons that make no matrix: rates exactly, and intervals as far as the list tells who is who."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
import polars as pl

from proband.errors import Hint, InputError
from proband.inference.proportions import Interval, check_level, t_quantile, wilson_interval
from proband.inference.verification.intervals.answers import THRESHOLD
from proband.inference.verification.intervals.dyadic_auc import PairCloseness, auc_interval
from proband.inference.verification.intervals.dyadic_rates import (
    false_non_match_rate,
    independent_interval,
    naive_interval,
)
from proband.inference.verification.intervals.rate_interval import FALSE_MATCHES, FALSE_NON_MATCHES
from proband.inference.verification.people.drawings import Drawings
from proband.inference.verification.people.partial_meetings import ListedComparisons
from proband.inference.verification.people.supposed import NOTHING_LENT, Lent
from proband.inference.verification.points import (
    FMRS,
    N_RESAMPLES,
    Summaries,
    at_target,
    beyond_data,
    closeness_of,
    loosest_of,
    point_of,
    points_of,
    summaries,
    summaries_of_nobody,
    with_intervals,
)
from proband.inference.verification.results import ERROR_RATES, OVER_PEOPLE, Verification, VerificationPoint
from proband.inference.verification.shared import Shared
from proband.measures.pair_measures import compared_pairs
from proband.measures.pairs.counts import each_pair_once
from proband.measures.verification import ErrorRates, OperatingPoint, admitting, rates_of_list
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.results.targets import OTHER_PAIRS, PAIRS_INDEPENDENT
from proband.scores.names import places_among, together
from proband.scores.orientation import REVERSED_HINT
from proband.scores.scored_pairs import with_people_of_mated
from proband.scores.trials import Trials
from proband.words import Sentence, Target, counted, fixed

_REVERSED = 3.0  # standard errors below one half

_OVER_COMPARISONS = Answers(
    ERROR_RATES,
    Target("comparisons-and-people", "new comparisons (FMR) and new people (FNMR)"),
    THRESHOLD,
    Target(
        "comparisons-as-if-independent",
        "impostor comparisons are independent (they are not, so the interval of FMR is too narrow)",
    ),
)

OVER_PAIRS = Answers(
    ERROR_RATES,
    OTHER_PAIRS,
    THRESHOLD,
    PAIRS_INDEPENDENT,
)
ASSUMED = Sentence(
    "verification.pairs-assumed-independent",
    "caution",
    "No subject IDs were given, so pairs are assumed independent: if people or samples are in several "
    "pairs, intervals are too narrow. Add the subjects or samples of both sides",
)

NOBODY_KNOWN = Sentence(
    "verification.no-interval-of-nobody",
    "note",
    "{which}: no interval, because some comparisons have no subject IDs",
)
_ONE_PERSON = 3  # people that mated pairs make who may be one
_DOUBTFUL = Sentence(
    "verification.people-doubtful",
    "caution",
    "The list has sample IDs but no subject IDs, and {alone:count} of {n:count mated pair} share no sample "
    "with another pair, so they may or may not be from different people. Intervals are as wide as if three "
    "such pairs were from one person with the same outcome; add subject IDs for exact intervals",
)


def verify_list(
    trials: Trials,
    *,
    fmrs: Sequence[float] = FMRS,
    thresholds: Sequence[float] = (),
    confidence_level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    naive: bool = False,
    drawings: Drawings,
    check_orientation: bool = True,
    lent: Lent = NOTHING_LENT,
) -> Verification:
    """Count a list of comparisons, each with or without a name for its query, and estimate error rates.

    Where the list says whose both samples of every comparison are, intervals are over people, as `verify` makes them; where it names
    samples and no subjects, people are those whom mated pairs join (`with_people_of_mated`); if most of these pairs share no sample with
    another, several may be of one person, and variances are taken three times, as if three were and had one outcome. Where it says
    nothing of either, pairs are assumed independent (Wilson 1927; DeLong et al. 1988), and it says so.
    """
    made, _ = verified_list(
        trials, fmrs, thresholds, confidence_level, n_resamples, naive, drawings, check_orientation, lent
    )
    return made


def verified_list(
    trials: Trials,
    fmrs: Sequence[float],
    thresholds: Sequence[float],
    confidence_level: float,
    n_resamples: int,
    naive: bool,
    drawings: Drawings,
    check_orientation: bool = True,
    lent: Lent = NOTHING_LENT,
) -> tuple[Verification, Shared | None]:
    """Find the error rates of a list, and who takes part in its comparisons where it says that of all."""
    check_level(confidence_level)
    given = each_pair_once(trials)
    trials = with_people_of_mated(given)
    sign = 1.0 if trials.orientation == "similarity" else -1.0
    rates = rates_of_list(trials, thresholds)
    compared = compared_pairs(trials, None, rates.counts)
    if check_orientation:
        require_list_orientation(trials, rates)
    loosest = loosest_of(rates, fmrs, thresholds, replicated=bool(n_resamples))
    impostors = np.asarray(closeness_of_list(trials).impostor)
    rates = admitting(rates, impostors, map(rates.allowed_at, fmrs))
    points = points_of(rates, fmrs, thresholds)
    notes = (*rates.notes, *beyond_data(rates, fmrs))
    everything = shared_by(trials, sign)
    if everything is not None:
        everything = replace(everything, lent=lent)
        own_area = everything.area(confidence_level)
        crossing = closeness_of(rates.eer().threshold, sign)
        needed = everything.reaching(min(loosest, crossing))
        shared = needed.reaching(loosest)
        made = with_intervals(
            rates.algorithm, points, sign, shared, confidence_level, n_resamples, naive, drawings
        )
        whole = summaries(rates, needed, own_area, confidence_level)
        verification = Verification(
            rates,
            made,
            whole.eer,
            whole.auc,
            shared.comparisons.n_subjects,
            confidence_level,
            OVER_PEOPLE,
            (*notes, *whole.notes),
            compared,
            whole.genuine_weight,
            alike=everything.alike,
        )
        if trials is not given:
            everything = _in_doubt(everything)
        return _without_doubt(verification, everything, drawings.seed), everything
    named = pl.concat(together(trials.frame["target_subject"], trials.frame["query_subject"])).drop_nulls()
    interval = naive_interval if len(named) else independent_interval
    made = tuple(
        point_of(
            rates.algorithm,
            at,
            interval(FALSE_MATCHES, at.false_matches, at.n_impostor, confidence_level),
            _fnmr(trials, at, sign, confidence_level),
        )
        for at in points
    )
    made = tuple(
        point if point.target_fmr is None else at_target(point, None, drawings.seed) for point in made
    )
    answers, notes = (_OVER_COMPARISONS, notes) if len(named) else (OVER_PAIRS, (*notes, ASSUMED()))
    whole = _summaries(rates, trials, confidence_level, people_named=bool(len(named)))
    verification = Verification(
        rates,
        made,
        whole.eer,
        whole.auc,
        named.n_unique(),
        confidence_level,
        answers,
        notes,
        compared,
    )
    return verification, None


def _summaries(rates: ErrorRates, trials: Trials, level: float, *, people_named: bool) -> Summaries:
    """Summaries of a list that does not say whose all comparisons are; the area of independent pairs has an interval."""
    whole = summaries_of_nobody(rates, level, NOBODY_KNOWN(which="EER"), NOBODY_KNOWN(which="AUC"))
    if people_named:
        return whole
    area = auc_interval(closeness_of_list(trials), None, level)
    return whole._replace(auc=replace(area, who=whole.auc.who))


def _in_doubt(shared: Shared) -> Shared:
    """People whom mated pairs make: several may be one, unless pairs are joined, or every two people meet, and so are known to be two."""
    people, n = shared.comparisons.n_subjects, len(shared.genuine)
    if 2 * _alone(shared) <= n or shared.comparisons.n_pairs == people * (people - 1) // 2:
        return shared
    return replace(shared, in_doubt=_ONE_PERSON)


def _alone(shared: Shared) -> int:
    """How many mated pairs share no sample with another."""
    return int(np.count_nonzero(np.bincount(shared.genuine_people) == 1))


def _without_doubt(verification: Verification, shared: Shared, seed: int) -> Verification:
    """Error rates with wider intervals where several people may be one."""
    factor = shared.in_doubt
    if factor == 1:
        return verification
    return replace(
        verification,
        points=tuple(_wider_point(point, factor, seed) for point in verification.points),
        eer=_wider(verification.eer, factor),
        auc=_wider(verification.auc, factor),
        notes=(*verification.notes, _DOUBTFUL(alone=_alone(shared), n=len(shared.genuine))),
    )


def _wider_point(point: VerificationPoint, factor: int, seed: int) -> VerificationPoint:
    fmr, fnmr = (_wider(rate, factor) for rate in (point.fmr, point.fnmr_at_threshold))
    wider = replace(point, fmr=fmr, fnmr=fnmr, fnmr_at_threshold=fnmr)
    if point.target_fmr is None:
        return wider
    drawn = point.fnmr.replicates
    if drawn is None:
        return at_target(wider, None, seed)
    return at_target(wider, drawn.mean() + sqrt(factor) * (drawn - drawn.mean()), seed, len(drawn))


def _wider(estimate: Estimate, factor: int) -> Estimate:
    """The same with so many times the variance, as `Apart.times` has it of differences.

    The ends of a bound 1 − a^(1/n) are those of so many times fewer trials.
    """
    if not estimate.has_interval:
        return estimate
    value, rests_on = estimate.value, estimate.rests_on
    error = sqrt(factor) * (estimate.standard_error or 0.0)
    slack = 1 - (1 - (estimate.high - estimate.low)) ** factor
    ends = Interval(max(0.0, value - slack), min(1.0, value + slack))
    if error > 0 and 0 < value < 1:
        t = t_quantile(estimate.confidence_level, estimate.degrees_of_freedom or 0.0)
        ends = wilson_interval(value, value * (1 - value) / error**2, t)
    if rests_on.n_effective is not None:
        rests_on = replace(rests_on, n_effective=rests_on.n_effective / factor)
    return replace(
        estimate,
        low=min(ends.low, estimate.low),
        high=max(ends.high, estimate.high),
        standard_error=error,
        rests_on=rests_on,
    )


def closeness_of_list(trials: Trials) -> PairCloseness:
    """Return how close a list finds its genuine and its impostor comparisons, those that failed left out."""
    sign = 1.0 if trials.orientation == "similarity" else -1.0
    mated, failed, score = (trials.frame[name] for name in ("mated", "failed", "score"))
    return PairCloseness(*(sign * score.filter(kind & ~failed).to_numpy() for kind in (mated, ~mated)))


def shared_by(trials: Trials, sign: float) -> Shared | None:
    """Find who takes part in the comparisons of a list; None where it does not say it of all."""
    scored = trials.frame.select("query_subject", "target_subject", "mated", "score", "failed")
    if scored["failed"].any():
        scored = scored.filter(~pl.col("failed"))
    sides = scored["query_subject"], scored["target_subject"]
    if any(side.null_count() for side in sides):
        return None
    names = pl.concat([side.unique(maintain_order=True) for side in sides]).unique(maintain_order=True)
    one, other = (places_among(side, names) for side in sides)
    mated = scored["mated"].to_numpy()
    if ((one == other) != mated).any():
        raise InputError(
            f"{counted(int(((one == other) != mated).sum()), 'comparison is', 'comparisons are')} marked as "
            "mated although subjects differ, or as not mated although they agree.",
            "remove the column 'mated', or correct it.",
            source=trials.name,
        )
    score, own = scored["score"].to_numpy(), one[mated]
    genuine, tail = sign * score[mated], sign * score[~mated]
    one, other = one[~mated], other[~mated]
    return Shared(ListedComparisons.of(one, other, len(names)), own, genuine, one, other, tail)


def _fnmr(trials: Trials, point: OperatingPoint, sign: float, level: float) -> Estimate:
    genuine = trials.frame.filter(pl.col("mated") & ~pl.col("failed"))
    closeness = sign * genuine["score"].to_numpy()
    missed = closeness < (np.inf if point.threshold is None else sign * point.threshold)
    whose = genuine["target_subject"].fill_null(genuine["query_subject"])
    if whose.null_count():
        interval = naive_interval if whose.null_count() < len(whose) else independent_interval
        return interval(FALSE_NON_MATCHES, point.false_non_matches, point.n_genuine, level)
    return false_non_match_rate(
        np.unique(whose.to_numpy(), return_inverse=True)[1], missed.astype(np.float64), level
    )


def require_list_orientation(trials: Trials, rates: ErrorRates | None = None) -> None:
    """Refuse scores that look reversed beyond chance, with people (or else genuine comparisons) as units."""
    if rates is None:
        rates = rates_of_list(trials)
    auc = rates.auc()
    named = trials.frame.filter(pl.col("mated"))["target_subject"]
    units = named.n_unique() if named.null_count() == 0 else rates.counts.n_genuine
    if auc < 0.5 - _REVERSED * sqrt(1 / (12 * max(units, 1))):
        other = "distance" if trials.orientation == "similarity" else "similarity"
        raise InputError(
            f"read as a {trials.orientation}, genuine comparisons look worse than impostor ones (AUC {fixed(auc, 3)}).",
            Hint(REVERSED_HINT, other=other),
            source=trials.name,
        )
