"""Rates have closed forms: probes as independent trials, or people as units with the effective sample size."""

from __future__ import annotations

import numpy as np

from proband.designs import Binomial, Clustered
from proband.errors import DesignError, Hint, UsageError
from proband.inference.estimates.question import Found, Question, under
from proband.inference.proportions import proportion_interval, t_quantile, wilson_interval
from proband.measures import Outcomes, RecognitionRate
from proband.results.base import Answers
from proband.results.estimate import Clusters
from proband.results.targets import (
    GALLERY,
    ONE_PROBE_EACH,
    OTHER_PEOPLE,
    OTHER_PROBES,
    PEOPLE_ALIKE,
    PROBES_ALIKE,
)
from proband.words import count


@under.register
def _(design: Binomial, question: Question) -> Found:
    rate = _rate(design, question)
    n = len(question.outcomes) / _correction(question)
    low, high = proportion_interval(rate * n, n, design.method, question.confidence_level)
    varying = OTHER_PROBES if question.several else ONE_PROBE_EACH
    answers = Answers(question.measure.estimand, varying, GALLERY, PROBES_ALIKE)
    return Found(rate, low, high, _error(rate, n), answers)


@under.register
def _(design: Clustered, question: Question) -> Found:
    rate = _rate(design, question)
    clusters = question.clusters
    n = float(len(question.outcomes)) if clusters is None else effective_size(clusters)
    n /= _correction(question)
    freedom = float(people_in(question.outcomes) - 1)
    low, high = wilson_interval(rate, n, t_quantile(question.confidence_level, freedom))
    answers = Answers(question.measure.estimand, OTHER_PEOPLE, GALLERY, PEOPLE_ALIKE)
    return Found(rate, low, high, _error(rate, n), answers, freedom)


def _rate(design: Binomial | Clustered, question: Question) -> float:
    if not isinstance(question.measure, RecognitionRate):
        raise DesignError(
            f"{design} is for rates; the {question.measure.estimand} is none.", "use Bootstrap()."
        )
    if question.outcomes.fractional:
        raise DesignError(
            Hint("{design} counts successes, and {option:ties=mean} makes fractions of them.", design=design),
            "use Bootstrap().",
        )
    return float(question.outcomes.success(question.measure.rank).mean())


def _error(rate: float, n: float) -> float:
    return float(np.sqrt(rate * (1 - rate) / n))


def people_in(outcomes: Outcomes) -> int:
    """The number of people with a scored probe."""
    return len(np.unique(outcomes.subjects))


def effective_size(clusters: Clusters) -> float:
    """How many independent probes tell as much about other people.

    Never more than there are probes: a design effect below one is chance or design, and not to be relied on for other people.
    Without any failure (or success) nothing shows how alike a person's probes are, so each person counts once.
    """
    if clusters.nothing_varies:
        return clusters.effective_n
    return clusters.n / max(1.0, clusters.design_effect)


def _correction(question: Question) -> float:
    """By how much drawing without replacement from a finite population lessens the variance."""
    if question.population is None:
        return 1.0
    people = people_in(question.outcomes)
    if question.population < people:
        raise UsageError(
            f"A population of {count(question.population)} cannot hold the {count(people)} people tested."
        )
    return max(1.0 - people / question.population, 1e-12)
