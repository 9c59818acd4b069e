"""Measures of compared pairs from replicates of people, and what is made of replicates of any kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.designs import Reweighting
from proband.errors import DesignError, Hint
from proband.inference.comparisons.paired import Tested
from proband.inference.comparisons.testing.curves import PValueCurve
from proband.inference.estimates.replicates import bootstrap_interval
from proband.inference.procedures import Joint, Question
from proband.inference.strata.estimates import NO_WIDTH
from proband.inference.verification.intervals.answers import answers_of_verification
from proband.inference.verification.intervals.paired_people import Apart
from proband.inference.verification.measures.pair_questions import (
    joint_of_pairs,
    pairs_within,
)
from proband.inference.verification.verification import require_pair_orientation
from proband.measures.pair_measures import PairMeasure
from proband.measures.pairs.pair_set import PairSet
from proband.measures.pairs.weighted_pairs import AnyWeights, Units, WeightedPairs
from proband.results.about import RestsOn, Who
from proband.results.base import Answers
from proband.results.estimate import Estimate, Measurement
from proband.results.targets import OTHER_PEOPLE_AND_THRESHOLD, OTHER_PEOPLE_COMPARED, difference_of
from proband.scores import Scores
from proband.words import Method, Note, Sentence, Target

Floats = npt.NDArray[np.float64]

_EMPTY = Sentence(
    "pairs.empty-replicates",
    "note",
    "{n:count replicate has/replicates have} no genuine or no impostor comparisons and {n:word was/were} "
    "left out",
)


@dataclass(frozen=True, eq=False)
class HeldPairs:
    """One algorithm in replicates.

    Attributes
    ----------
    scores, pairs
        Its scores, and its comparisons weighed by units.
    measured
        The measure of them as they are.
    """

    scores: Scores
    pairs: WeightedPairs
    measured: Measurement

    @classmethod
    def all_of(cls, question: Question, units: Callable[[PairSet], Units]) -> list[HeldPairs]:
        """Hold the comparisons of every algorithm, weighed by the same kind of units."""
        within, made = pairs_within(question), []
        for scores in question.scores:
            require_pair_orientation(scores, within)
            pairs = PairSet.of(scores, within)
            measured = question.measure(scores, within)
            by_person = question.measure.weights == "person"
            held = WeightedPairs.of(scores, pairs, units(pairs), by_person=by_person)
            made.append(cls(scores, held, measured))
        return made

    def estimate(
        self,
        question: Question,
        ends: tuple[float, float],
        error: float,
        method: Method,
        answers: Answers,
        notes: tuple[Note, ...],
        *,
        replicates: Floats,
        freedom: float | None = None,
        again: Callable[[int], Estimate] | None = None,
    ) -> Estimate:
        """The measure with its interval."""
        measured = self.measured
        return Estimate(
            value=measured.value,
            low=ends[0],
            high=ends[1],
            confidence_level=question.confidence_level,
            standard_error=error,
            degrees_of_freedom=freedom,
            replicates=replicates,
            method=method,
            seed=question.seed,
            answers=answers,
            who=Who(algorithm=measured.facts.algorithm),
            rests_on=RestsOn.measured(measured.facts, measured.events),
            facts=measured.facts,
            notes=(*notes, *measured.facts.notes),
            again=again,
        )


@dataclass(frozen=True, eq=False)
class _Counted:
    """What intervals of a bootstrap take: people who can be left out one by one."""

    held: WeightedPairs
    measure: PairMeasure

    @property
    def n_units(self) -> int:
        return self.held.units.n

    def values(self, weights: AnyWeights) -> Floats:
        return self.held.values(self.measure, weights)


def over_people(question: Question) -> tuple[Estimate, ...]:
    """Estimate a measure of pairs from replicates of people: both people of a comparison are drawn.

    With w_i how often person i is drawn, a genuine comparison of i weighs w_i, and one of i and j weighs w_i w_j; copies of one
    person are not compared (Fogliato et al. 2024). People vary, and with them the threshold of FNMR at an FMR and of the equal
    error rate, found anew in each replicate. Where people hardly differ replicates vary more than the measure does, and
    intervals are too wide rather than too narrow.
    """
    _require_people(question.design)
    return tuple(_bootstrapped(question, held) for held in HeldPairs.all_of(question, Units.people))


def differences_over_people(question: Question) -> Joint:
    """Compare algorithms by a measure of pairs in the same replicates of people.

    The variance of the replicates' differences makes a Student's t, with one degree of freedom fewer than people weigh evenly
    (`Apart.in_draws`; Efron 1979; Fogliato et al. 2024). For the equal error rate it is not below that of few errors
    (`ErrorsThere.at_crossing`).
    """
    design: Reweighting = question.design
    _require_people(design)
    held = HeldPairs.all_of(question, Units.people)
    drawn = [
        algorithm.pairs.replicates(question.measure, design.weights(algorithm.pairs.units.n, question.seed))
        for algorithm in held
    ]

    def tested(a: int, b: int) -> tuple[PValueCurve, float, Floats]:
        draws = drawn[a] - drawn[b]
        draws = draws[~np.isnan(draws)]
        difference = held[a].measured.value - held[b].measured.value
        rates = (
            [held[place].measured.value for place in (a, b)] if question.measure.form == "crossing" else []
        )
        least = sum(rate * (1 - rate) for rate in rates) / (4 * len(held[a].pairs.genuine.first))
        apart = Apart.in_draws(difference, draws, held[a].pairs.genuine_shares, least)
        return apart.curve, apart.standard_error, np.abs(draws - draws.mean())

    each = [_bootstrapped(question, algorithm, made) for algorithm, made in zip(held, drawn, strict=True)]
    return joint_in_replicates(question, held, each, tested, design.as_method)


def _bootstrapped(question: Question, held: HeldPairs, drawn: Floats | None = None) -> Estimate:
    """One algorithm in replicates of people, which are made unless they are there already."""
    design: Reweighting = question.design
    measure, value = question.measure, held.measured.value
    if drawn is None:
        drawn = held.pairs.replicates(measure, design.weights(held.pairs.units.n, question.seed))
    made = drawn[~np.isnan(drawn)]
    if not len(made):
        raise DesignError("No resample of people contains a comparison.", "use more people.")
    counted = _Counted(held.pairs, measure)
    ends = bootstrap_interval(
        counted, value, made, design.interval, question.confidence_level, limits=(0.0, 1.0)
    )
    notes = (
        *((_EMPTY(n=len(drawn) - len(made)),) if len(made) < len(drawn) else ()),
        *((NO_WIDTH(),) if ends.low == ends.high else ()),
    )
    return held.estimate(
        question, ends, float(made.std(ddof=1)), design.as_method,
        answers_of_verification(measure.estimand, people_varied(measure)), notes, replicates=made, again=partial(_larger, question, held),
    )  # fmt: skip


def _larger(question: Question, held: HeldPairs, n_resamples: int) -> Estimate:
    """The same estimate with another number of replicates."""
    return _bootstrapped(replace(question, design=replace(question.design, n_resamples=n_resamples)), held)


def _require_people(design: Reweighting) -> None:
    if design.over_probes:
        raise DesignError(
            "Comparisons share people and images, so they cannot be resampled individually.",
            Hint("resample people instead: {option:design=bootstrap}"),
        )


def people_varied(measure: PairMeasure) -> Target:
    """Say what varies with people: the threshold too, unless none is set."""
    return OTHER_PEOPLE_COMPARED if measure.form == "area" else OTHER_PEOPLE_AND_THRESHOLD


def joint_in_replicates(
    question: Question,
    held: list[HeldPairs],
    each: list[Estimate],
    find: Callable[[int, int], tuple[PValueCurve, float, Any]],
    method: Method,
) -> Joint:
    """Put every two algorithms to a test, unless they were measured on other comparisons."""
    places = {name: place for place, name in enumerate(question.names)}

    def tested(first: str, second: str) -> Tested:
        a, b = places[first], places[second]
        if not held[a].pairs.same_comparisons(held[b].pairs):
            raise DesignError(f"{first} and {second} were not measured on the same comparisons.")
        curve, error, statistics = find(a, b)
        difference = held[a].measured.value - held[b].measured.value
        return Tested(difference, curve, error, method, statistics=statistics)

    answers = replace(each[0].answers, of=difference_of(question.measure.estimand))
    return joint_of_pairs(dict(zip(question.names, each, strict=True)), tested, answers, question.chosen)
