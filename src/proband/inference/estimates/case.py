"""One algorithm's outcomes under a design: what is asked, what a design makes of it, and the estimate that follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from proband.designs import Design
from proband.inference.estimates.clusters import cluster_statistics
from proband.inference.estimates.person_weights import about_weights, by_person
from proband.inference.estimates.weighting import (
    BY_DEFAULT,
    PeopleSums,
    RatesOfPeople,
    Supposed,
    about_supposed,
    rates_of_people,
)
from proband.inference.procedures import Question
from proband.measures import OutcomeMeasure, Outcomes, RecognitionRate
from proband.measures.base import weighted
from proband.results.about import RestsOn, Who
from proband.results.base import Answers
from proband.results.estimate import Clusters, Estimate
from proband.results.targets import GALLERY, OTHER_PEOPLE, PEOPLE_ALIKE
from proband.words import Note, Sentence

Floats = npt.NDArray[np.float64]
Made = TypeVar("Made")
_ALIKE = 0.1  # a standard error that is off by more than this share is worth a sentence

_ALL_ALIKE = Sentence(
    "dependence.all-alike",
    "note",
    "{which} of the {n:count probe} of {people:count person/people} succeed, so the correlation within people cannot be estimated",
)
_ALL_ALIKE_BINOMIAL = Sentence(
    "dependence.all-alike-binomial",
    "caution",
    "{which} of the {n:count probe} of {people:count person/people} succeed, so the correlation within people "
    "cannot be estimated: this interval assumes independence and may be too narrow",
)
_ABOUT_RIGHT = Sentence(
    "dependence.about-right",
    "note",
    "{n:count probe} of {people:count person/people} have an effective sample size of {worth:whole} (intraclass "
    "correlation {icc:two}, design effect {effect:two}); a binomial interval would be about right",
)
_WOULD_BE = Sentence(
    "dependence.binomial-would-be",
    "note",
    "{n:count probe} of {people:count person/people} have an effective sample size of {worth:whole} (intraclass "
    "correlation {icc:two}, design effect {effect:two}); a binomial interval would be too {side} by a factor of {factor:two}",
)
_IS = Sentence(
    "dependence.binomial-is",
    "caution",
    "{n:count probe} of {people:count person/people} have an effective sample size of {worth:whole} (intraclass "
    "correlation {icc:two}, design effect {effect:two}); this interval is too {side} by a factor of {factor:two}",
)
_EVEN = Sentence(
    "dependence.people-alike",
    "note",
    "{n:count probe} of {people:count person/people} show no differences between people (intraclass correlation "
    "{icc:two}, design effect 0), so the effective sample size has no limit and a binomial interval is too wide",
)
DEPENDENCE = {one.code for one in (_ALL_ALIKE, _ALL_ALIKE_BINOMIAL, _ABOUT_RIGHT, _WOULD_BE, _IS, _EVEN)}
"""The codes of notes that say whether taking probes for independent would mislead."""


@dataclass(frozen=True, eq=False)
class Case:
    """A measure of one algorithm's outcomes, and how its interval is wanted.

    Attributes
    ----------
    measure, outcomes
        Of what.
    confidence_level, seed
        Of the interval, and of replicates if there are any.
    population
        The number of people the tested ones were drawn from; None for an endless population.
    supposed
        How alike a person's probes are supposed to be where errors are too few to show it.
    """

    measure: OutcomeMeasure
    outcomes: Outcomes
    confidence_level: float
    seed: int
    population: int | None = None
    supposed: Supposed = BY_DEFAULT

    @property
    def is_share(self) -> bool:
        """Whether probes succeed or do not."""
        return self.measure.form == "share"

    @property
    def several(self) -> bool:
        """Whether some person has several probes."""
        return people_in(self.outcomes) < len(self.outcomes)

    @property
    def unequal(self) -> bool:
        """Whether people have different numbers of probes."""
        return len(np.unique(np.unique(self.outcomes.subjects, return_counts=True)[1])) > 1

    @cached_property
    def success(self) -> Floats:
        """For a share of probes, which succeed."""
        return self.measure.success(self.outcomes)

    @property
    def clusters(self) -> Clusters | None:
        """How alike the probes of one person are, for a rate over people with several."""
        return clusters_of(self.measure, self.outcomes) if self.is_share and self.several else None

    def supposing(self, found: RatesOfPeople | None) -> Clusters | None:
        """The same, with what an interval that rests on `found` supposes where errors are too few to show it."""
        shown = self.clusters
        if shown is None or found is None or not self.sums.too_few:
            return shown
        supposed = self.supposed
        return replace(
            shown,
            effective_n=float(found.effective_n),
            supposed_icc=supposed.alike,
            lenders=supposed.lenders,
        )

    @property
    def by_person(self) -> Estimate | None:
        """For a share of probes, the same with people weighing the same, where their numbers of probes differ."""
        if not self.is_share or self.measure.weights == "person":
            return None
        asked = self.confidence_level, self.supposed
        return _once(
            self.measure,
            self.outcomes,
            (*asked, self.population),
            lambda: by_person(
                self.success,
                self.outcomes.subjects,
                *asked,
                Answers(weighted(self.measure, "person").estimand, OTHER_PEOPLE, GALLERY, PEOPLE_ALIKE),
                Who(algorithm=self.outcomes.algorithm),
                RestsOn.measured(self.outcomes.facts),
                self.population,
            ),
        )

    @property
    def about_weights(self) -> tuple[Note, ...]:
        """What is to be said where people's numbers of probes differ."""
        found = self.by_person
        if found is None:
            return ()
        return about_weights(found, self.success, self.outcomes.subjects)

    @cached_property
    def over_people(self) -> RatesOfPeople:
        """The rate with what its interval for other people rests on."""
        return rates_of_people(self.sums, self.measure.weights, self.population, self.supposed)

    @property
    def about_supposed(self) -> tuple[Note, ...]:
        """What is to be said where fewer than two errors show how alike a person's probes are."""
        return about_supposed(self.sums, self.over_people, self.supposed, self.confidence_level)

    @property
    def sums(self) -> PeopleSums:
        """What people miss."""
        return _once(
            self.measure, self.outcomes, "sums", lambda: PeopleSums.of(self.success, self.outcomes.subjects)
        )

    @property
    def events(self) -> float | None:
        """For a rate, the successes it rests on."""
        return float(self.success.sum()) if self.is_share else None


_KEPT: WeakKeyDictionary[Outcomes, dict[Any, Any]] = WeakKeyDictionary()
"""What tables, curves and estimates of the same outcomes share."""


def _once(measure: OutcomeMeasure, outcomes: Outcomes, what: Any, make: Callable[[], Made]) -> Made:
    """Make something of a measure of some outcomes, unless it is there; a measure that has no hash is never known again."""
    if getattr(type(measure), "__hash__", None) is None:
        return make()
    kept = _KEPT.setdefault(outcomes, {})
    if (measure, what) not in kept:
        kept[measure, what] = make()
    found: Made = kept[measure, what]
    return found


def clusters_of(measure: OutcomeMeasure, outcomes: Outcomes) -> Clusters:
    """How alike the outcomes of one person's probes are by a measure that is a share of them."""
    return _once(
        measure,
        outcomes,
        "clusters",
        lambda: cluster_statistics(measure.success(outcomes), outcomes.subjects),
    )


@dataclass(frozen=True, eq=False)
class IntervalFound:
    """A value and its interval under a design, with what stands behind them.

    Attributes
    ----------
    value, low, high
        The measure and the ends of its interval.
    standard_error, degrees_of_freedom, replicates
        What these rest on; None where there is none.
    answers, notes
        What the value means, and what a reader should know.
    over_people
        For an interval in closed form of a rate over people, what it rests on.
    """

    value: float
    low: float
    high: float
    standard_error: float | None
    answers: Answers
    degrees_of_freedom: float | None = None
    replicates: Floats | None = None
    notes: tuple[Note, ...] = ()
    over_people: RatesOfPeople | None = None


def estimates_of(question: Question, find: Callable[[Any, Case], IntervalFound]) -> tuple[Estimate, ...]:
    """Estimate each algorithm, from what a design makes of its case."""
    return tuple(_estimate(question, case, find) for case in cases_of(question))


def cases_of(question: Question) -> list[Case]:
    """Make one case for each algorithm of a question."""
    supposed = supposed_by(question.outcomes) if question.measure.form == "share" else BY_DEFAULT
    settings = question.confidence_level, question.seed, question.population, supposed
    return [Case(question.measure, one, *settings) for one in question.outcomes]


def supposed_by(outcomes: Sequence[Outcomes]) -> Supposed:
    """Borrow how alike a person's probes are from the first ranks of algorithms, where errors are the most."""
    return Supposed.borrowed([Case(RecognitionRate(1), one, 0.95, 0).sums for one in outcomes])


def _estimate(question: Question, case: Case, find: Callable[[Any, Case], IntervalFound]) -> Estimate:
    return estimate_from(question, case, find(question.design, case), find)


def estimate_from(
    question: Question, case: Case, found: IntervalFound, find: Callable[[Any, Case], IntervalFound]
) -> Estimate:
    """Make the estimate of one algorithm from its interval: with its method, its facts and what must be said of dependence."""
    design: Design = question.design
    clusters = case.supposing(found.over_people)
    can_grow = found.replicates is not None and "n_resamples" in getattr(design, "__dataclass_fields__", {})
    return Estimate(
        value=found.value,
        low=found.low,
        high=found.high,
        confidence_level=case.confidence_level,
        standard_error=found.standard_error,
        degrees_of_freedom=found.degrees_of_freedom,
        replicates=found.replicates,
        method=design.as_method,
        seed=None if found.replicates is None else case.seed,
        answers=found.answers,
        facts=case.outcomes.facts,
        who=Who(algorithm=case.outcomes.algorithm),
        rests_on=RestsOn.measured(case.outcomes.facts, case.events),
        clusters=clusters,
        notes=(
            *question.why,
            *found.notes,
            *dependence(clusters, design.over_probes),
            *case.about_weights,
        ),
        by_person=case.by_person,
        again=partial(_larger, question, case, find) if can_grow else None,
    )


def _larger(
    question: Question, case: Case, find: Callable[[Any, Case], IntervalFound], n_resamples: int
) -> Estimate:
    """The same estimate with another number of replicates."""
    return _estimate(replace(question, design=replace(question.design, n_resamples=n_resamples)), case, find)


def people_in(outcomes: Outcomes) -> int:
    """Count the people with a scored probe."""
    return outcomes.facts.n_probe_subjects


def dependence(clusters: Clusters | None, over_probes: bool) -> tuple[Note, ...]:
    """Say in one sentence whether taking probes for independent would mislead.

    The factor it names is √(design effect), the cluster standard error over the binomial one. Where a correlation is supposed,
    `about_supposed` says it.
    """
    if clusters is None or clusters.supposed_icc is not None:
        return ()
    if clusters.nothing_varies:
        alike = _ALL_ALIKE_BINOMIAL if over_probes else _ALL_ALIKE
        which = "all" if clusters.rate else "none"
        return (alike(n=clusters.n, people=clusters.n_clusters, which=which),)
    told: dict[str, Any] = {"n": clusters.n, "people": clusters.n_clusters, "icc": clusters.icc}
    ratio = float(np.sqrt(clusters.design_effect))
    if ratio == 0:
        return (_EVEN(**told),)
    told |= {"worth": clusters.effective_n, "effect": clusters.design_effect}
    if abs(ratio - 1) < _ALIKE:
        return (_ABOUT_RIGHT(**told),)
    said = _IS if over_probes else _WOULD_BE
    return (said(**told, side="narrow" if ratio > 1 else "wide", factor=max(ratio, 1 / ratio)),)
