"""Rates have closed forms: probes as independent trials, or people as units with the effective sample size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proband.designs import Binomial, Clustered
from proband.errors import DesignError, Hint, UsageError
from proband.inference.estimates.case import Case, IntervalFound, estimates_of, people_in
from proband.inference.procedures import Question
from proband.inference.proportions import proportion_interval
from proband.results.base import Answers
from proband.results.estimate import Clusters, Estimate
from proband.results.targets import (
    GALLERY,
    ONE_PROBE_EACH,
    OTHER_PEOPLE,
    OTHER_PROBES,
    PEOPLE_ALIKE,
    PROBES_ALIKE,
)
from proband.words import Note, Sentence, count

_NOT_LESSENED = Sentence(
    "estimate.population-one-probe",
    "note",
    "the population has {population:count person/people}, but with one probe per person, variation between "
    "people cannot be separated from variation between images: the interval is for an infinite population, "
    "which is never too narrow",
)
_LESSENED = Sentence(
    "estimate.population",
    "note",
    "{people:count person/people} drawn without replacement from a population of {population:count}: the "
    "variance includes {left:percent} of the variance between people and {drawn:percent} of the variance "
    "between images of one person",
)
_NOT_OF_PEOPLE = Sentence(
    "estimate.population-binomial",
    "note",
    "the population has {population:count person/people}, but the design treats probes as independent: the "
    "interval is for an infinite population",
)
POPULATION = {note.code for note in (_NOT_LESSENED, _LESSENED, _NOT_OF_PEOPLE)}
"""The codes of notes on a finite population."""


def binomial(question: Question) -> tuple[Estimate, ...]:
    """Estimate rates from counts of independent probes (`proportion_interval`).

    Other probes vary; algorithm and gallery stay.
    """
    return estimates_of(question, binomial_interval)


def clustered(question: Question) -> tuple[Estimate, ...]:
    """Estimate rates with people as clusters (`clustered_interval`).

    Other people vary, each with as many probes; algorithm and gallery stay.
    """
    return estimates_of(question, clustered_interval)


def binomial_interval(design: Binomial, case: Case) -> IntervalFound:
    """Give a rate of independent probes an interval.

    A finite population of people lessens nothing here: probes that are independent vary by their images, all of them.
    """
    if case.outcomes.fractional:
        raise DesignError(
            Hint("{design} needs whole successes, but {option:ties=mean} gives fractions.", design=design),
            "use Clustered().",
        )
    if case.measure.weights == "person" and case.unequal:
        raise DesignError(
            f"{design} weights every probe equally, but person weights were requested and people have "
            "different numbers of probes.",
            "use Clustered().",
        )
    rate, n = float(case.measure.success(case.outcomes).mean()), float(len(case.outcomes))
    low, high = proportion_interval(rate * n, n, design.interval, case.confidence_level)
    varying = OTHER_PROBES if case.several else ONE_PROBE_EACH
    answers = Answers(case.measure.estimand, varying, GALLERY, PROBES_ALIKE)
    error = float(np.sqrt(rate * (1 - rate) / n))
    notes = about_population(case, lessens=False)
    return IntervalFound(rate, low, high, error, answers, notes=notes)


def clustered_interval(design: Clustered, case: Case) -> IntervalFound:
    """Give a rate over people, whose probes are alike, Wilson's interval with the effective sample size.

    With the effective size n* and the degrees of freedom of `rates_of_people` (people − 1 where a dozen or more have as many probes
    each), it is Wilson's (1927) interval of n* trials with Student's t for z. Successes may be fractions. A finite population of N people
    is allowed for in two stages (Cochran 1977, §10.4). How alike a person's probes are is supposed where fewer than two errors show it.
    """
    notes = (*about_population(case), *case.about_supposed)
    found = case.over_people
    value = float(case.measure(case.outcomes))  # as everybody counts it, to the last digit
    low, high = replace(found, rate=np.asarray(value)).ends(case.confidence_level)
    answers = Answers(case.measure.estimand, OTHER_PEOPLE, GALLERY, PEOPLE_ALIKE)
    error, freedom = float(found.standard_error), float(found.freedom)
    return IntervalFound(
        value, float(low), float(high), error, answers, freedom, notes=notes, over_people=found
    )


def effective_size(clusters: Clusters) -> float:
    """Find how many independent probes tell as much about other people: n over the design effect (Rao & Scott 1992).

    Never more than there are probes: a design effect below one is chance or design, and not to be relied on for other people.
    Without any failure (or success) nothing shows how alike a person's probes are, so a correlation of ½ is supposed.
    """
    if clusters.nothing_varies:
        return clusters.effective_n
    return clusters.n / max(1.0, clusters.design_effect)


def about_population(case: Case, lessens: bool = True) -> tuple[Note, ...]:
    """Refuse a population that cannot hold the people tested; say how much of the variance it takes away, or why none."""
    if case.population is None:
        return ()
    people = people_in(case.outcomes)
    if case.population < people:
        raise UsageError(
            f"A population of {count(case.population)} is smaller than the {count(people)} people tested."
        )
    if not case.several:
        return (_NOT_LESSENED(population=case.population),)
    if not lessens:
        return (_NOT_OF_PEOPLE(population=case.population),)
    drawn = people / case.population
    return (_LESSENED(people=people, population=case.population, left=1 - drawn, drawn=drawn),)
