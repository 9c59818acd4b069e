"""Measures of pairs in which people weigh the same: by themselves, and beside those in which comparisons do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.designs import Bootstrap
from proband.inference.comparisons.testing.tails import two_sided
from proband.inference.procedures import Joint, Question
from proband.inference.verification.intervals.answers import answers_of_verification
from proband.inference.verification.measures.pair_questions import pairs_within
from proband.inference.verification.measures.replicated import (
    HeldPairs,
    differences_over_people,
    people_varied,
)
from proband.inference.verification.people.carriers import FEW_CARRIERS, effective_people, few_carry
from proband.inference.verification.people.supposed import Moderated, moderated_interval, worth_of_people
from proband.measures.base import weighted
from proband.measures.pairs.pair_set import PairSet
from proband.measures.pairs.weighted_pairs import Units
from proband.results.estimate import Estimate
from proband.scores import Scores
from proband.scores.trials import Trials
from proband.words import Method, Note, Sentence, Target

Floats = npt.NDArray[np.float64]

_DRAWS = 2_000
_DRAWS_BESIDE = 1_000  # where it only stands beside the measure that was asked for
_MOST_BESIDE = 500_000  # impostor comparisons that are drawn without being asked for
_ALIKE = Method(
    "people-alike",
    "resampled people, weighted equally (moderated variance, Wilson, Student's t)",
    "the moderated variance over resampled people, with people and pairs of people weighted equally",
    ("efron1979", "fogliato2024", "smyth2004", "wilson1927"),
)
_TWO_VALUES = Sentence(
    "pairs.two-values",
    "note",
    "people have from {least:count} to {most:count image}; with every person weighted equally, the rate is "
    "{value:rate} [{low:rate}, {high:rate}] (p {p:p} of no difference)",
)
_ON_REQUEST = Sentence(
    "pairs.weights-on-request",
    "note",
    "people have from {least:count} to {most:count image}, and people with more images have more weight; "
    "pass weights='person' for equal weights",
)


@dataclass(frozen=True, eq=False)
class _DrawnWeighted:
    """A measure in drawings of people, with what its interval rests on."""

    value: float
    draws: Floats
    variance: float
    carried: Floats
    worth: float

    @classmethod
    def of(cls, held: HeldPairs, measure: Any, n_resamples: int, seed: int) -> _DrawnWeighted:
        """Draw people; who carries the variance is seen by how the measure goes with how often each is drawn."""
        n = held.pairs.units.n
        weights = np.concatenate(list(Bootstrap("subject", n_resamples=n_resamples).weights(n, seed)))
        draws = held.pairs.replicates(measure, [weights])
        there = ~np.isnan(draws)
        apart = draws[there] - draws[there].mean()
        carried = apart @ (weights[there] - 1.0) / max(len(apart), 1)
        variance = float(apart.var()) * n / max(n - 1, 1)
        sizes = np.bincount(held.pairs.genuine.first, minlength=n)
        worth = worth_of_people(sizes, people_alike=measure.weights == "person")
        return cls(held.measured.value, draws, variance, carried, worth)

    def interval(self, level: float) -> Moderated:
        """Its interval, by who carries the variance."""
        return moderated_interval(self.value, self.variance, self.carried, self.worth, level)


def alike_estimates(question: Question) -> tuple[Estimate, ...]:
    """Estimate a measure of pairs in which people, and every two people, weigh the same.

    Other people vary, drawn 2,000 times (Efron 1979): the variance of the drawings by (K − 1)/K for K people is moderated, and ends
    are Wilson's (`moderated_interval`).
    """
    return tuple(_alike(question, held) for held in HeldPairs.all_of(question, Units.people))


def _alike(question: Question, held: HeldPairs) -> Estimate:
    drawn = _DrawnWeighted.of(held, question.measure, _DRAWS, question.seed)
    ends, error, freedom = drawn.interval(question.confidence_level)
    few = error > 0 and freedom < FEW_CARRIERS
    notes = (few_carry(effective_people(drawn.carried), len(drawn.carried)),) if few else ()
    answers = answers_of_verification(question.measure.estimand, people_varied(question.measure))
    return held.estimate(
        question, ends, error, _ALIKE, answers, notes, replicates=drawn.draws, freedom=freedom
    )


def alike_differences(question: Question) -> Joint:
    """Compare algorithms by a measure of pairs in 2,000 drawings of people; `differences_over_people` has the test."""
    joint = differences_over_people(replace(question, design=Bootstrap("subject", n_resamples=_DRAWS)))
    each = zip(alike_estimates(question), question.names, strict=True)
    return replace(joint, estimates=tuple(one.named(name) for one, name in each))


def with_people_alike(question: Question, estimates: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """Put the measure in which people weigh the same beside each estimate, where people have different numbers of images.

    Whether the two differ is tested in the same drawings of people.
    """
    return tuple(
        found if isinstance(one, Trials) else _beside(question, one, found)
        for one, found in zip(question.data, estimates, strict=True)
    )


def _beside(question: Question, scores: Scores, found: Estimate) -> Estimate:
    near = PairSet.of(scores, pairs_within(question)).acquired
    codes = near.row_codes if near.symmetric else np.concatenate([near.row_codes, near.column_codes])
    sizes = np.unique(codes, return_counts=True)[1]
    told = {"least": int(sizes.min()), "most": int(sizes.max())}
    if sizes.min() == sizes.max() or len(sizes) < 2:
        return found
    if near.n_impostor > _MOST_BESIDE:
        return replace(found, notes=(*found.notes, _ON_REQUEST(**told)))
    one = replace(question, data=(scores,), names=(scores.name,))
    person = weighted(question.measure, "person")
    (plain,), (alike,) = (
        HeldPairs.all_of(replace(one, measure=which), Units.people) for which in (question.measure, person)
    )
    draws = [
        _DrawnWeighted.of(plain, question.measure, _DRAWS_BESIDE, question.seed),
        _DrawnWeighted.of(alike, person, _DRAWS_BESIDE, question.seed),
    ]
    beside = _by_person(found, person.estimand, draws[0], draws[1])
    said: Note = _TWO_VALUES(**told, value=beside.value, low=beside.low, high=beside.high, p=beside.p_value)
    return replace(found, by_person=beside, notes=(*found.notes, said))


def _by_person(found: Estimate, of: Target, plain: _DrawnWeighted, alike: _DrawnWeighted) -> Estimate:
    level = found.confidence_level
    (low, high), error, freedom = alike.interval(level)
    apart, n = plain.draws - alike.draws, len(alike.carried)
    spread = float(apart[~np.isnan(apart)].std(ddof=1)) * sqrt(n / max(n - 1, 1))
    difference = plain.value - alike.value
    fewer = max(min(plain.interval(level).freedom, freedom), 1.0)
    p_value = two_sided(abs(difference) / spread, fewer) if spread > 0 else 1.0
    return Estimate(
        who=found.who,
        value=alike.value,
        low=low,
        high=high,
        confidence_level=level,
        standard_error=error,
        degrees_of_freedom=freedom,
        p_value=p_value,
        rests_on=found.rests_on,
        method=found.method,
        answers=replace(found.answers, of=of),
    )
