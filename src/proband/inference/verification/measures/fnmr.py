"""FNMR at a false match rate as an estimate, and two algorithms compared by it on the same comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from proband.engine import Engine, on_engine
from proband.errors import DesignError
from proband.inference.comparisons.compare import comparison_of, require_several
from proband.inference.comparisons.comparison import Comparison
from proband.inference.comparisons.paired import Tested
from proband.inference.procedures import Joint, Question
from proband.inference.verification.intervals.answers import answers_of_verification
from proband.inference.verification.intervals.dyadic_fnmr import BOTH_MOVED, ErrorsThere, same_comparisons
from proband.inference.verification.intervals.paired_people import multiplied
from proband.inference.verification.lists import verified_list
from proband.inference.verification.measures.pair_questions import (
    compared_data,
    joint_of_pairs,
    unknown_people,
)
from proband.inference.verification.measures.people_alike import (
    alike_differences,
    alike_estimates,
    with_people_alike,
)
from proband.inference.verification.people.drawings import Drawings, Genuine, Tail
from proband.inference.verification.people.meetings import Meetings
from proband.inference.verification.people.supposed import Lent
from proband.inference.verification.points import N_RESAMPLES
from proband.inference.verification.results import Verification, VerificationPoint
from proband.inference.verification.shared import Shared
from proband.inference.verification.verification import beside_each_other, verified
from proband.measures.pair_measures import FNMR, facts_of_pairs
from proband.results.about import RestsOn, Who
from proband.results.difference import Adjustment
from proband.results.estimate import Estimate
from proband.results.targets import derived
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.scores.trials import Trials


def fnmr_estimates(question: Question) -> tuple[Estimate, ...]:
    """Estimate FNMR at a false match rate, with the threshold found anew in replicates of people.

    People vary, and with them the threshold, in 2,000 drawings (Efron 1979; Fogliato et al. 2024): Wilson's interval with their
    variance, or that of the fixed threshold if it is larger (`interval_anew`). Without a false match the interval is that of the
    fixed threshold.
    """
    if question.measure.weights == "person":
        return alike_estimates(question)
    (data, within), drawings = compared_data(question), Drawings(question.seed)
    held = _held([question.measure], data, within, question.confidence_level, drawings)
    return with_people_alike(question, [one.estimates[0] for one in held])


def _estimate(
    made: Verification,
    point: VerificationPoint,
    scores: Scores | Trials,
    within: Experiment | Samples | None,
    seed: int,
) -> Estimate:
    facts = facts_of_pairs(scores, within, made.rates.counts, made.n_subjects, made.notes)
    return replace(
        point.fnmr,
        who=Who(algorithm=facts.algorithm),
        rests_on=RestsOn.measured(facts, float(point.counts.false_non_matches)),
        seed=seed,
        facts=facts,
        notes=(*point.fnmr.notes, *made.notes),
        replicates=None,
    )


@dataclass(frozen=True, eq=False)
class _DrawnFnmr:
    """One algorithm at every rate that is compared: its estimates, and its errors in which comparisons."""

    made: Verification
    estimates: tuple[Estimate, ...]
    errors: tuple[ErrorsThere, ...]
    comparisons: Meetings
    in_doubt: int

    @classmethod
    def of(
        cls,
        measures: Sequence[FNMR],
        scores: Scores | Trials,
        within: Experiment | Samples | None,
        level: float,
        drawings: Drawings,
        lent: Lent,
    ) -> _DrawnFnmr:
        fmrs = [measure.at_fmr for measure in measures]
        shared: Shared | None
        if isinstance(scores, Trials):
            made, shared = verified_list(scores, fmrs, (), level, N_RESAMPLES, False, drawings, lent=lent)
            if shared is None:
                raise unknown_people(scores)
        else:
            made, shared = verified(scores, within, fmrs, (), level, N_RESAMPLES, False, drawings, lent=lent)
        people = shared.comparisons
        tail = Tail.of(shared.first, shared.second, shared.tail, people)
        genuine = Genuine.of(shared.genuine_people, shared.genuine, people)
        return cls(
            made,
            tuple(_estimate(made, at, scores, within, drawings.seed) for at in made.points),
            tuple(ErrorsThere.at_fmr(tail, genuine, people, fmr) for fmr in fmrs),
            people,
            shared.in_doubt,
        )


def _held(
    measures: Sequence[FNMR],
    data: Sequence[Scores | Trials],
    within: Experiment | Samples | None,
    level: float,
    drawings: Drawings,
) -> list[_DrawnFnmr]:
    making = [partial(_DrawnFnmr.of, measures, one, within, level, drawings) for one in data]
    return beside_each_other(making, lambda one: one.made)


def fnmr_differences(question: Question) -> Joint:
    """Compare algorithms by FNMR at the same false match rate, with people as units.

    People vary, and with them the threshold of each algorithm; `fnmr_difference_at_fmr` has the interval and the test.
    """
    if question.measure.weights == "person":
        return alike_differences(question)
    return _joints(question, [question.measure], Drawings(question.seed))[0]


@on_engine
def compare_at_rates(
    measures: Sequence[FNMR],
    algorithms: Sequence[Scores | Trials] | Mapping[str, Scores | Trials],
    within: Experiment | Samples | None,
    judging: Sequence[tuple[float | None, Adjustment]],
    level: float,
    drawings: Drawings,
    *,
    engine: Engine = None,
) -> list[Comparison]:
    """Compare algorithms by FNMR at each of several false match rates, all in the same drawings of people.

    As `compare` of each `FNMR` with its margin and adjustment, with the comparisons counted and the people drawn once for all.
    """
    question = Question.of(measures[0], algorithms, within, "auto", level, drawings.seed)
    require_several(question)
    joints = _joints(question, measures, drawings)
    return [
        comparison_of(replace(question, measure=measure), joint.among(question.sampling), *judged)
        for measure, joint, judged in zip(measures, joints, judging, strict=True)
    ]


def _joints(question: Question, measures: Sequence[FNMR], drawings: Drawings) -> list[Joint]:
    (data, within), level = compared_data(question), question.confidence_level
    held = dict(zip(question.names, _held(measures, data, within, level, drawings), strict=True))
    return [
        _joint(measure, place, held, drawings.seed, question.chosen) for place, measure in enumerate(measures)
    ]


def _joint(
    measure: FNMR,
    place: int,
    held: Mapping[str, _DrawnFnmr],
    seed: int,
    chosen: tuple[tuple[str, str], ...] | None,
) -> Joint:
    def tested(first: str, second: str) -> Tested:
        a, b = held[first], held[second]
        if not same_comparisons(a.errors[place], a.comparisons, b.errors[place], b.comparisons):
            raise DesignError(f"{first} and {second} were not measured on the same comparisons.")
        found = a.errors[place].difference(b.errors[place]).times(a.in_doubt)
        statistics = multiplied(found.totals, seed)
        return Tested(found.value, found.curve, found.standard_error, BOTH_MOVED, statistics=statistics)

    estimates = {name: one.estimates[place] for name, one in held.items()}
    answers = answers_of_verification(derived("difference", "difference of {}", measure.estimand))
    return joint_of_pairs(estimates, tested, answers, chosen)
