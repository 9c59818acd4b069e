"""Rates have closed forms: probes as independent trials, or people as units with the effective sample size."""

from __future__ import annotations

import numpy as np

from proband.designs import Binomial, Clustered
from proband.errors import DesignError, Hint, UsageError
from proband.inference.estimates.case import Case, IntervalFound, estimates_of, people_in
from proband.inference.procedures import Question
from proband.inference.proportions import proportion_interval, t_quantile, wilson_interval
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
from proband.words import count


def binomial(question: Question) -> tuple[Estimate, ...]:
    """Estimate rates from counts of independent probes."""
    return estimates_of(question, binomial_interval)


def clustered(question: Question) -> tuple[Estimate, ...]:
    """Estimate rates with people as clusters."""
    return estimates_of(question, clustered_interval)


def binomial_interval(design: Binomial, case: Case) -> IntervalFound:
    """A rate of independent probes."""
    rate = _rate(design, case)
    n = len(case.outcomes) / _correction(case)
    low, high = proportion_interval(rate * n, n, design.method, case.confidence_level)
    varying = OTHER_PROBES if case.several else ONE_PROBE_EACH
    answers = Answers(case.measure.estimand, varying, GALLERY, PROBES_ALIKE)
    return IntervalFound(rate, low, high, _error(rate, n), answers)


def clustered_interval(design: Clustered, case: Case) -> IntervalFound:
    """A rate over people, whose probes are alike: Wilson's interval with the effective sample size."""
    rate = _rate(design, case)
    clusters = case.clusters
    n = float(len(case.outcomes)) if clusters is None else effective_size(clusters)
    n /= _correction(case)
    freedom = float(people_in(case.outcomes) - 1)
    low, high = wilson_interval(rate, n, t_quantile(case.confidence_level, freedom))
    answers = Answers(case.measure.estimand, OTHER_PEOPLE, GALLERY, PEOPLE_ALIKE)
    return IntervalFound(rate, low, high, _error(rate, n), answers, freedom)


def _rate(design: Binomial | Clustered, case: Case) -> float:
    if case.outcomes.fractional:
        raise DesignError(
            Hint("{design} counts successes, and {option:ties=mean} makes fractions of them.", design=design),
            "use Bootstrap().",
        )
    return float(case.measure.success(case.outcomes).mean())


def _error(rate: float, n: float) -> float:
    return float(np.sqrt(rate * (1 - rate) / n))


def effective_size(clusters: Clusters) -> float:
    """How many independent probes tell as much about other people.

    Never more than there are probes: a design effect below one is chance or design, and not to be relied on for other people.
    Without any failure (or success) nothing shows how alike a person's probes are, so each person counts once.
    """
    if clusters.nothing_varies:
        return clusters.effective_n
    return clusters.n / max(1.0, clusters.design_effect)


def _correction(case: Case) -> float:
    """By how much drawing without replacement from a finite population lessens the variance."""
    if case.population is None:
        return 1.0
    people = people_in(case.outcomes)
    if case.population < people:
        raise UsageError(
            f"A population of {count(case.population)} cannot hold the {count(people)} people tested."
        )
    return max(1.0 - people / case.population, 1e-12)
