"""Measures of pairs in which people weigh the same: by themselves, and beside those in which comparisons do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.designs import Bootstrap
from proband.inference.comparisons.curves import two_sided, unseen
from proband.inference.estimates.weighting import carriers_freedom
from proband.inference.procedures import Joint, Question
from proband.inference.proportions import Interval, t_quantile, wilson_interval
from proband.inference.verification.dyadic_rates import FEW_CARRIERS, few_carry, logit_interval
from proband.inference.verification.pair_questions import answers_of_verification, pairs_within
from proband.inference.verification.replicated import HeldPairs, differences_over_people, people_varied
from proband.measures.base import weighted
from proband.measures.pairs.pair_set import PairSet
from proband.measures.pairs.weighted_pairs import Units
from proband.results.estimate import ByPerson, Estimate
from proband.scores import Scores
from proband.scores.trials import Trials
from proband.words import Method, Note, Sentence

Floats = npt.NDArray[np.float64]

_DRAWS = 2_000
_DRAWS_BESIDE = 1_000  # where it only stands beside the measure that was asked for
_MOST_BESIDE = 500_000  # impostor comparisons that are drawn without being asked for
_ALIKE = Method(
    "people-alike",
    "people drawn anew, each weighing the same (logit scale, or Wilson; Student's t)",
    "the variance of people drawn anew, people and pairs of people weighing the same",
    ("efron1979", "fogliato2024"),
)
_TWO_VALUES = Sentence(
    "pairs.two-values",
    "note",
    "people have from {least:count} to {most:count image}; with equal weights for people it is {value:rate} [{low:rate}, "
    "{high:rate}] (p {p:p} of no difference)",
)
_ON_REQUEST = Sentence(
    "pairs.weights-on-request",
    "note",
    "people have from {least:count} to {most:count image}, and those with more have more weight; weights='person' gives "
    "equal weights",
)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A measure in drawings of people, with what its interval rests on."""

    value: float
    draws: Floats
    error: float
    freedom: float
    n_people: int

    @classmethod
    def of(cls, held: HeldPairs, measure: Any, n_resamples: int, seed: int) -> _Drawn:
        """Draw people; who carries the variance is seen by how the measure goes with how often each is drawn."""
        n = held.pairs.units.n
        weights = np.concatenate(list(Bootstrap("subject", n_resamples=n_resamples).weights(n, seed)))
        draws = held.pairs.replicates(measure, [weights])
        there = ~np.isnan(draws)
        apart = draws[there] - draws[there].mean()
        carried = apart @ (weights[there] - 1.0) / max(len(apart), 1)
        sums = np.array((carried**2).sum()), np.array((carried**4).sum())
        freedom = min(float(carriers_freedom(*sums, n)), n - 1.0)
        error = float(apart.std()) * sqrt(n / max(n - 1, 1))
        return cls(held.measured.value, draws, error, freedom, n)

    def interval(self, measure: Any, level: float) -> Interval:
        """Wilson's interval of an error rate, the logit interval of an area and a crossing; what people allow where nothing varies."""
        if self.error == 0 or self.value in (0.0, 1.0):
            slack = unseen(1 - level, self.n_people // 3)
            return Interval(max(0.0, self.value - slack), min(1.0, self.value + slack))
        t = t_quantile(level, self.freedom)
        if measure.form == "threshold":
            return wilson_interval(self.value, self.value * (1 - self.value) / self.error**2, t)
        return logit_interval(self.value, self.error, t)


def alike_estimates(question: Question) -> tuple[Estimate, ...]:
    """Estimate a measure of pairs in which people, and every two people, weigh the same.

    Other people vary, drawn 2,000 times (Efron 1979): with V the variance of the drawings by (K − 1)/K for K people, ends are
    Wilson's (1927) for an error rate and on the logit scale for others, with 2S/(1 − S/K) degrees of freedom, S people carrying
    the variance (`carriers_freedom`).

    Examples
    --------
    >>> from proband.measures import AUC
    >>> from proband.samples import Samples
    >>> ids = ["a1", "a2", "a3", "b1", "b2", "c1", "c2", "d1", "d2"]
    >>> samples = Samples({"id": ids, "subject": [name[0] for name in ids]})
    >>> same = np.array([[x[0] == y[0] for y in ids] for x in ids], dtype=float)
    >>> same[3, 4] = same[4, 3] = -1.0
    >>> scores = Scores.from_array(same, ids, orientation="similarity", name="net")
    >>> (found,) = alike_estimates(Question.of(AUC("person"), [scores], samples, "auto", 0.95, 0))
    >>> found.value, round(AUC()(scores, samples).value, 4)  # one of four people, one of six comparisons
    (0.75, 0.8333)
    """
    return tuple(_alike(question, held) for held in HeldPairs.all_of(question, Units.people))


def _alike(question: Question, held: HeldPairs) -> Estimate:
    drawn = _Drawn.of(held, question.measure, _DRAWS, question.seed)
    ends = drawn.interval(question.measure, question.confidence_level)
    notes = (few_carry(drawn.freedom, drawn.n_people),) if drawn.freedom < FEW_CARRIERS else ()
    answers = answers_of_verification(question.measure.estimand, people_varied(question.measure))
    return held.estimate(
        question, ends, drawn.error, _ALIKE, answers, notes, replicates=drawn.draws, freedom=drawn.freedom
    )


def alike_differences(question: Question) -> Joint:
    """Compare algorithms by a measure of pairs in 2,000 drawings of people; `differences_over_people` has the test.

    Examples
    --------
    >>> from proband.measures import AUC
    >>> from proband.samples import Samples
    >>> ids = ["a1", "a2", "a3", "b1", "b2", "c1", "c2", "d1", "d2"]
    >>> samples = Samples({"id": ids, "subject": [name[0] for name in ids]})
    >>> same = np.array([[x[0] == y[0] for y in ids] for x in ids], dtype=float)
    >>> poor = same.copy()
    >>> poor[3, 4] = poor[4, 3] = -1.0
    >>> scores = {n: Scores.from_array(v, ids, orientation="similarity") for n, v in {"good": same, "poor": poor}.items()}
    >>> alike_differences(Question.of(AUC("person"), scores, samples, "auto", 0.95, 0)).tested[0][3].difference
    0.25
    """
    joint = differences_over_people(replace(question, design=Bootstrap("subject", n_resamples=_DRAWS)))
    each = zip(alike_estimates(question), question.names, strict=True)
    return replace(
        joint, estimates=tuple(replace(one, facts=replace(one.facts, algorithm=name)) for one, name in each)
    )


def with_people_alike(question: Question, estimates: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """Put the measure in which people weigh the same beside each estimate, where people have different numbers of images.

    Whether the two differ is tested in the same drawings of people.

    Examples
    --------
    >>> from proband import AUC, estimate
    >>> from proband.samples import Samples
    >>> ids = ["a1", "a2", "a3", "b1", "b2", "c1", "c2", "d1", "d2"]
    >>> samples = Samples({"id": ids, "subject": [name[0] for name in ids]})
    >>> same = np.array([[x[0] == y[0] for y in ids] for x in ids], dtype=float)
    >>> same[3, 4] = same[4, 3] = -1.0
    >>> found = estimate(AUC(), Scores.from_array(same, ids, orientation="similarity"), samples)
    >>> round(found.value, 4), found.by_person.value
    (0.8333, 0.75)
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
        _Drawn.of(plain, question.measure, _DRAWS_BESIDE, question.seed),
        _Drawn.of(alike, person, _DRAWS_BESIDE, question.seed),
    ]
    beside = _by_person(draws[0], draws[1], person, question.confidence_level)
    said: Note = _TWO_VALUES(**told, value=beside.value, low=beside.low, high=beside.high, p=beside.p_value)
    return replace(found, by_person=beside, notes=(*found.notes, said))


def _by_person(plain: _Drawn, alike: _Drawn, measure: Any, level: float) -> ByPerson:
    low, high = alike.interval(measure, level)
    apart = plain.draws - alike.draws
    spread = float(apart[~np.isnan(apart)].std(ddof=1)) * sqrt(alike.n_people / max(alike.n_people - 1, 1))
    difference = plain.value - alike.value
    freedom = min(plain.freedom, alike.freedom)
    p_value = two_sided(abs(difference) / spread, freedom) if spread > 0 else 1.0
    return ByPerson(alike.value, low, high, alike.error, alike.freedom, difference, p_value)
