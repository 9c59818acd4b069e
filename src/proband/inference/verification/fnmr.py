"""FNMR at a false match rate as an estimate, and two algorithms compared by it on the same comparisons."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from proband.errors import DesignError
from proband.inference.comparisons.comparison import Comparison
from proband.inference.comparisons.paired import Tested
from proband.inference.comparisons.verdicts import judged
from proband.inference.proportions import Interval
from proband.inference.verification.drawings import Drawings
from proband.inference.verification.dyadic_bootstrap import FnmrDraws, fnmr_difference
from proband.inference.verification.dyads import Meetings
from proband.inference.verification.verification import (
    Integers,
    Shared,
    Verification,
    VerificationPoint,
    verified,
    verify,
)
from proband.measures.verification import FNMR, SUPPORTED
from proband.results.base import Answers, Facts
from proband.results.estimate import Estimate
from proband.results.targets import ALGORITHMS, OTHER_PEOPLE_AND_THRESHOLD, PEOPLE_ALIKE, derived
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.words import Method, Sentence, Target, count

N_RESAMPLES = 2_000
_ANEW = Method(
    "fnmr-threshold-anew",
    f"people drawn anew, threshold found anew ({count(N_RESAMPLES)} replicates)",
    "people drawn anew, the threshold set anew in each replicate",
    ("efron1979", "fogliato2024"),
)
_BOTH_ANEW = Method(
    "fnmr-both-thresholds-anew",
    f"people drawn anew, both thresholds found anew in each ({count(N_RESAMPLES)} replicates)",
    "a bootstrap of people in which both thresholds are set anew",
    ("efron1979", "fogliato2024"),
)
_FEW_MATCHES = Sentence(
    "fnmr.threshold-not-supported",
    "caution",
    "the threshold rests on {n:count false match/false matches}, fewer than {supported:count}: not supported",
)


def estimate_fnmr(
    measure: FNMR, scores: Scores, within: Experiment | Samples, level: float, seed: int
) -> Estimate:
    """FNMR at a false match rate, with the threshold found anew in replicates of people."""
    made = verify(
        scores, within, fmrs=[measure.at_fmr], confidence_level=level, n_resamples=N_RESAMPLES, rng=seed
    )
    return _estimate(measure, made, made.points[0], scores, within, level, seed)


def _estimate(
    measure: FNMR,
    made: Verification,
    point: VerificationPoint,
    scores: Scores,
    within: Experiment | Samples,
    level: float,
    seed: int,
) -> Estimate:
    anew = point.fnmr_at_fmr
    low, high = (point.fnmr.low, point.fnmr.high) if anew is None else anew
    notes = list(made.notes)
    if not point.point.fmr_supported:
        notes.insert(0, _FEW_MATCHES(n=point.point.false_matches, supported=SUPPORTED))
    return Estimate(
        value=point.point.fnmr,
        low=low,
        high=high,
        confidence_level=level,
        standard_error=point.fnmr.standard_error,
        events=float(point.point.false_non_matches),
        degrees_of_freedom=None,
        replicates=None,
        design=point.fnmr.method if anew is None else _ANEW,
        seed=seed,
        answers=answers_of_verification(measure.estimand),
        facts=facts_of_verification(scores, within, made),
        clusters=None,
        notes=tuple(notes),
    )


@dataclass(frozen=True, eq=False)
class _Drawn:
    """One algorithm at every rate that is compared: its estimates, and its drawings on which comparisons."""

    estimates: tuple[Estimate, ...]
    draws: tuple[FnmrDraws, ...]
    genuine_people: Integers
    comparisons: Meetings

    @classmethod
    def of(
        cls,
        measures: Sequence[FNMR],
        scores: Scores,
        within: Experiment | Samples,
        level: float,
        drawings: Drawings,
    ) -> _Drawn:
        fmrs = [measure.at_fmr for measure in measures]
        made, shared = verified(scores, within, fmrs, (), level, N_RESAMPLES, False, drawings)
        both = list(zip(measures, made.points, strict=True))
        return cls(
            tuple(_estimate(one, made, at, scores, within, level, drawings.seed) for one, at in both),
            tuple(_draws(at, shared, one.at_fmr, drawings) for one, at in both),
            shared.genuine_people,
            shared.comparisons,
        )


def compare_fnmr(
    measures: Sequence[FNMR],
    algorithms: Mapping[str, Scores],
    within: Experiment | Samples,
    margins: Sequence[float],
    level: float,
    drawings: Drawings,
) -> list[Comparison]:
    """Compare algorithms by FNMR at each of several false match rates, all in the same drawings of people."""
    held = {name: _Drawn.of(measures, scores, within, level, drawings) for name, scores in algorithms.items()}
    return [
        _compared(measure, place, held, margin, level)
        for place, (measure, margin) in enumerate(zip(measures, margins, strict=True))
    ]


def _compared(
    measure: FNMR, place: int, held: Mapping[str, _Drawn], margin: float, level: float
) -> Comparison:
    def tested(first: str, second: str) -> Tested:
        a, b = held[first], held[second]
        same = (
            np.array_equal(a.genuine_people, b.genuine_people)
            and a.comparisons.n_impostor == b.comparisons.n_impostor
        )
        if not same:
            raise DesignError(f"{first} and {second} were not measured on the same comparisons.")
        found = fnmr_difference(a.draws[place], b.draws[place], a.comparisons, measure.at_fmr, level)
        interval = Interval(found.low, found.high)
        method = replace(_BOTH_ANEW, draws=len(found.replicates))
        return Tested(found.difference, interval, interval, found.standard_error, found.p_value, method)

    estimates = {name: one.estimates[place] for name, one in held.items()}
    answers = answers_of_verification(derived("difference", "difference of {}", measure.estimand))
    return compared_by_verification(estimates, tested, margin, level, answers, upward=False)


def _draws(point: VerificationPoint, shared: Shared, fmr: float, drawings: Drawings) -> FnmrDraws:
    """The drawings that the interval of a point rests on; without a false match it has none, and they are made here."""
    replicates = point.replicates
    if replicates is None:
        (replicates,) = shared.fnmr_replicates([fmr], N_RESAMPLES, drawings)
    return FnmrDraws(point.point.fnmr, point.point.false_non_matches, replicates)


def compared_by_verification(
    estimates: Mapping[str, Estimate],
    tested: Callable[[str, str], Tested],
    margin: float | None,
    level: float,
    answers: Answers,
    upward: bool,
) -> Comparison:
    """Put every two algorithms to a test of their comparisons, and judge them together."""
    found = [(first, second, None, tested(first, second)) for first, second in combinations(estimates, 2)]
    return Comparison(
        tuple(replace(one, facts=replace(one.facts, algorithm=name)) for name, one in estimates.items()),
        judged(found, margin, level, upward, in_points=True),
        None,
        margin,
        level,
        answers,
        (),
        larger_is_better=upward,
    )


def answers_of_verification(of: Target, varying: Target = OTHER_PEOPLE_AND_THRESHOLD) -> Answers:
    """What is varied and held fixed."""
    return Answers(of, varying, ALGORITHMS, PEOPLE_ALIKE)


def facts_of_verification(scores: Scores, within: Experiment | Samples, made: Verification) -> Facts:
    """How an estimate over comparisons came about."""
    counts = made.rates.counts
    name = within.fingerprint if isinstance(within, Experiment) else "all pairs"
    rule = within.gallery_rule if isinstance(within, Experiment) else "every target"
    digest = hashlib.sha256(f"{name} {counts.n_genuine} {counts.n_impostor}".encode()).hexdigest()[:16]
    return Facts(
        algorithm=scores.name,
        n_probes=counts.n_genuine,
        n_probe_subjects=made.n_subjects,
        n_gallery_images=len(scores.targets),
        n_gallery_subjects=made.n_subjects,
        n_ranks=0,
        n_failed=counts.n_failed_genuine,
        n_gallery_failed=0,
        n_unmated=0,
        n_tied=0,
        ties="at-threshold",
        counting="comparisons",
        on_failure="left-out",
        universe="verification",
        gallery_rule=rule,
        probe_rule=within.probe_rule if isinstance(within, Experiment) else "every query",
        experiment=digest,
        notes=made.notes,
        metric=scores.metric,
        compared=made.compared,
    )
