"""The area under the ROC as an estimate, and two algorithms compared by it: DeLong over people."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from proband.errors import DesignError
from proband.inference.comparisons.paired import Tested
from proband.inference.procedures import Joint, Question
from proband.inference.verification.intervals.answers import answers_of_verification
from proband.inference.verification.intervals.dyadic_auc import PairCloseness, PairPeople, PlacedPairs
from proband.inference.verification.intervals.paired_people import multiplied
from proband.inference.verification.lists import ASSUMED, closeness_of_list, verified_list
from proband.inference.verification.measures.pair_questions import (
    compared_data,
    estimate_of,
    joint_of_pairs,
    unknown_people,
)
from proband.inference.verification.measures.people_alike import (
    alike_differences,
    alike_estimates,
    with_people_alike,
)
from proband.inference.verification.people.drawings import Drawings
from proband.inference.verification.results import Verification
from proband.inference.verification.verification import verify
from proband.measures.pairs.counts import genuine_pairs, tail_pairs
from proband.measures.pairs.pair_set import PairSet
from proband.results.estimate import Estimate
from proband.results.targets import OTHER_PEOPLE_COMPARED, derived
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.scores.trials import Trials
from proband.words import counted

_MOST = 20_000_000  # impostor comparisons that are held at once


@dataclass(frozen=True, eq=False)
class _Comparisons:
    """Every comparison of one algorithm."""

    made: Verification
    placed: PlacedPairs
    people: PairPeople | None
    in_doubt: int = 1

    @classmethod
    def of(cls, scores: Scores | Trials, within: Experiment | Samples | None, level: float) -> _Comparisons:
        if isinstance(scores, Trials):
            found, shared = verified_list(scores, [0.01], (), level, 0, False, Drawings(0))
            if shared is None:
                return cls(found, PlacedPairs.of(closeness_of_list(scores)), None)
            people = PairPeople(shared.genuine_people, shared.first, shared.second)
            placed = PlacedPairs.of(PairCloseness(shared.genuine, shared.tail), people)
            return cls(found, placed, people, shared.in_doubt)
        made = _verified(scores, within, level)
        assert within is not None  # or else it was refused
        pairs = PairSet.of(scores, within)
        own, genuine = genuine_pairs(scores, pairs)
        first, second, impostor = tail_pairs(scores, pairs, -np.inf, _MOST)
        people = PairPeople(own, first, second)
        return cls(made, PlacedPairs.of(PairCloseness(genuine, impostor), people), people)


def _verified(scores: Scores | Trials, within: Experiment | Samples | None, level: float) -> Verification:
    return verify(scores, within, fmr=0.01, confidence_level=level, n_resamples=0)


def auc_estimates(question: Question) -> tuple[Estimate, ...]:
    """Estimate the area under the ROC with an interval over people (DeLong et al. 1988; Obuchowski 1997).

    Other people vary, compared with each other as these are; the algorithm stays. `auc_interval` has the formula.
    """
    if question.measure.weights == "person":
        return alike_estimates(question)
    (data, within), level = compared_data(question), question.confidence_level
    each = [_estimate(_verified(one, within, level), one, within) for one in data]
    return with_people_alike(question, each)


def _estimate(made: Verification, scores: Scores | Trials, within: Experiment | Samples | None) -> Estimate:
    if not made.auc.has_interval and isinstance(scores, Trials):
        raise unknown_people(scores)
    if not made.auc.has_interval:
        raise DesignError(
            f"{counted(made.rates.counts.n_impostor, 'impostor comparison is', 'impostor comparisons are')} "
            "too many to find the people who share them.",
            "use fewer people.",
            source=scores.name,
        )
    return estimate_of(made.auc, made, scores, within)


def auc_differences(question: Question) -> Joint:
    """Compare areas under the ROC on the same comparisons, with people as units.

    Other people vary; the algorithms stay. `auc_difference` has the formula.
    """
    if question.measure.weights == "person":
        return alike_differences(question)
    (data, within), level = compared_data(question), question.confidence_level
    algorithms = dict(zip(question.names, data, strict=True))
    held = {name: _Comparisons.of(scores, within, level) for name, scores in algorithms.items()}

    def tested(first: str, second: str) -> Tested:
        a, b = held[first], held[second]
        if not _same(a, b):
            raise DesignError(
                f"{first} and {second} were not measured on the same comparisons, in the same order."
            )
        found = a.placed.difference(b.placed).times(a.in_doubt)
        statistics = multiplied(found.totals, question.seed) if len(found.totals) else None
        return Tested(
            found.value,
            found.curve,
            found.standard_error,
            a.placed.method_of_difference,
            statistics=statistics,
        )

    estimates = {name: _estimate(held[name].made, algorithms[name], within) for name in held}
    difference = derived("difference", "difference of {}", question.measure.estimand)
    known = all(one.people is not None for one in held.values())
    answers = answers_of_verification(difference, OTHER_PEOPLE_COMPARED, people=known)
    joint = joint_of_pairs(estimates, tested, answers, question.chosen)
    return joint if known else replace(joint, notes=(*joint.notes, ASSUMED()))


def _same(one: _Comparisons, other: _Comparisons) -> bool:
    """Whether two algorithms were measured on the same comparisons: of the same people, or else as many of each kind."""
    if one.people is None or other.people is None:
        sizes = [(len(each.placed.genuine), each.placed.n_impostor) for each in (one, other)]
        return one.people is other.people and sizes[0] == sizes[1]
    return all(np.array_equal(x, y) for x, y in zip(one.people, other.people, strict=True))
