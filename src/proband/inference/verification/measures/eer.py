"""The equal error rate as an estimate, and algorithms compared by it on the same comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from proband.errors import DesignError
from proband.inference.comparisons.paired import Tested
from proband.inference.procedures import Joint, Question
from proband.inference.verification.intervals.answers import answers_of_verification
from proband.inference.verification.intervals.dyadic_fnmr import ErrorsThere, same_comparisons
from proband.inference.verification.intervals.paired_people import AGAINST_SKEWNESS, multiplied
from proband.inference.verification.measures.pair_questions import (
    compared_data,
    estimate_of,
    joint_of_pairs,
    pairs_within,
    unknown_people,
)
from proband.inference.verification.measures.people_alike import (
    alike_differences,
    alike_estimates,
    with_people_alike,
)
from proband.inference.verification.people.drawings import Genuine, Tail
from proband.inference.verification.people.meetings import Meetings
from proband.inference.verification.results import Verification
from proband.inference.verification.shared import Shared
from proband.inference.verification.verification import verify
from proband.measures.pairs.pair_set import PairSet
from proband.results.estimate import Estimate
from proband.results.targets import derived
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.scores.trials import Trials
from proband.words import Method, counted

_ROOM = 2.0  # so many times as many impostors are held as match at the crossing, for the slope there
_BOTH_CROSSINGS = Method(
    "eer-both-crossings-moved",
    "both rates and both thresholds over people (linearised, Student's t)",
    f"the variance over people of the equal error rates, {AGAINST_SKEWNESS}",
    ("hsieh1996", "fogliato2024", "hall1992"),
)


def eer_estimates(question: Question) -> tuple[Estimate, ...]:
    """Estimate the equal error rate with an interval over people.

    Other people vary, and with them the threshold at which both rates are equal; `equal_error_interval` has the formula
    (Fogliato et al. 2024).
    """
    if question.measure.weights == "person":
        return alike_estimates(question)
    (data, within), level = compared_data(question), question.confidence_level
    each = [_estimate(_verified(one, within, level), one, within) for one in data]
    return with_people_alike(question, each)


def _verified(scores: Scores | Trials, within: Experiment | Samples | None, level: float) -> Verification:
    return verify(scores, within, fmr=0.01, confidence_level=level, n_resamples=0)


def _estimate(made: Verification, scores: Scores | Trials, within: Experiment | Samples | None) -> Estimate:
    if not made.eer.has_interval and isinstance(scores, Trials):
        raise unknown_people(scores)
    if not made.eer.has_interval:
        raise DesignError(
            f"{counted(made.rates.counts.n_impostor, 'impostor comparison is', 'impostor comparisons are')} "
            "too many to find the people who share the false matches at the equal error rate.",
            "use fewer people, or FNMR at a false match rate.",
            source=scores.name,
        )
    return estimate_of(made.eer, made, scores, within)


def eer_differences(question: Question) -> Joint:
    """Compare algorithms by their equal error rates on the same comparisons, with people as units.

    People vary, and with them the threshold of each algorithm; `ErrorsThere.at_crossing` has what each person adds (Hsieh & Turnbull
    1996), and `Apart.over_people` the interval and the test.
    """
    if question.measure.weights == "person":
        return alike_differences(question)
    within, level = pairs_within(question), question.confidence_level
    algorithms = dict(zip(question.names, question.scores, strict=True))
    made = {name: _verified(scores, within, level) for name, scores in algorithms.items()}
    estimates = {name: _estimate(made[name], algorithms[name], within) for name in made}
    held = {name: _Crossed.of(made[name], algorithms[name], within) for name in made}

    def tested(first: str, second: str) -> Tested:
        a, b = held[first], held[second]
        if not same_comparisons(a.errors, a.comparisons, b.errors, b.comparisons):
            raise DesignError(f"{first} and {second} were not measured on the same comparisons.")
        found = a.errors.difference(b.errors)
        statistics = multiplied(found.totals, question.seed)
        return Tested(found.value, found.curve, found.standard_error, _BOTH_CROSSINGS, statistics=statistics)

    answers = answers_of_verification(derived("difference", "difference of {}", question.measure.estimand))
    return joint_of_pairs(estimates, tested, answers, question.chosen)


@dataclass(frozen=True, eq=False)
class _Crossed:
    """One algorithm's errors at the equal error rate, and among which comparisons."""

    errors: ErrorsThere
    comparisons: Meetings

    @classmethod
    def of(cls, made: Verification, scores: Scores, within: Experiment | Samples) -> _Crossed:
        counts, value = made.rates.counts, made.rates.eer().value
        reached = counts.closeness_reached_by(ceil(_ROOM * value * counts.n_impostor) + 1)
        shared = Shared.of(scores, PairSet.of(scores, within), reached)
        people = shared.comparisons
        tail = Tail.of(shared.first, shared.second, shared.tail, people)
        genuine = Genuine.of(shared.genuine_people, shared.genuine, people)
        return cls(ErrorsThere.at_crossing(tail, genuine, people, value), people)
