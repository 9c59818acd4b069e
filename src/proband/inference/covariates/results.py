"""Results of regressions on covariates: standardised rates and differences, and the coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from proband.engine.arguments import published
from proband.errors import UsageError, first_few
from proband.inference.covariates.regression import Family
from proband.inference.covariates.sandwich import Covariance
from proband.results.about import Who
from proband.results.band import Band
from proband.results.base import Answers, Confidence, Count, Facts, Finite, Rank, Rate, Result
from proband.results.difference import Difference
from proband.results.estimate import Estimate
from proband.results.serializing import Written
from proband.results.test import Test
from proband.words import Method, Note, Sentence, counted, fixed, interval

Outcome = Literal["success", "match", "log-rank", "number"]
ALL = "all"
"""The term of the test of all covariates together."""
Floats = npt.NDArray[np.float64]
FEW = 4
"""Degrees of freedom below which an interval is not to be trusted (Pustejovsky & Tipton 2018)."""

WITH_INTERACTIONS = Sentence("covariates.with-interactions", "note", "with its interactions")
"""Said of the test of a covariate that acts on others: all of its terms are tested together."""


@dataclass(frozen=True, eq=False)
class FitCheck:
    """The fit of the model: observed and expected outcomes in groups of rows.

    Attributes
    ----------
    by
        The numeric covariate by which rows are grouped, or None for the outcome expected by the model.
    observed
        For each group, the mean observed outcome with its interval over people, at the mean of the grouping variable.
    expected, n
        For each group, the mean expected outcome and the number of rows.
    test
        A score test over people that the groups add nothing to the model (Horton et al. 1999); None if it is undefined.
    """

    by: str | None
    observed: Band
    expected: Floats
    n: tuple[Count, ...]
    test: Test | None


@published
@dataclass(frozen=True, eq=False)
class CovariateStudy(Result):
    """A regression of outcomes on covariates, with people as clusters.

    Attributes
    ----------
    formula
        The model, with every term written out.
    outcome, rank
        ``success`` at that rank or better, ``match`` with the mate at a threshold, or ``log-rank``; for a table of outcomes ``success``, or ``number`` if
        these are not all 0 or 1, and no rank.
    fmr, thresholds
        For ``match``: the false match rate, and the threshold of each algorithm with this rate.
    algorithms
        The algorithms, on the same probes; empty for a table of outcomes.
    n_rows, n_probes, n_people
        The numbers of rows (one per probe and algorithm), probes and people; for a table of outcomes, rows twice and clusters.
    n_incomplete
        Probes left out because a covariate is missing.
    rate
        The weighted mean outcome of all rows.
    tests, overall
        Joint tests of all coefficients of every term (`who.column`), adjusted for the number of terms (Holm 1979), and of all
        terms together. A covariate with interactions is tested with all of its terms.
    rates
        Standardised rates: the expected rate, or mean, if every probe had one value (`who.group`) of a covariate (`who.column`) and all
        others unchanged; for interactions, also with a second covariate set.
    observed
        The observed mean outcome at each level, without an interval; only for categorical covariates.
    differences
        The difference of standardised rates with two values of a covariate, for interactions at a level of the second covariate;
        with `who.other_reference`, this difference minus that at the reference level: the interaction.
    curves
        The standardised rate as a function of a numeric covariate.
    coefficients, ratios
        The coefficients of the regression, intercept first, on the scale of log odds, log ranks, or the explained number;
        `who.column` is the term and `who.group` the coefficient. Ratios are of odds or of ranks; other numbers have
        none.
    checks
        The goodness of fit: by expected rate, then by every numeric covariate.
    covariance, design
        How standard errors were computed.
    confidence_level, answers, facts, notes
        As in other results; the facts are of the outcomes of each algorithm.
    unit
        The independent unit: ``person``, or ``cluster`` or ``row`` for a table of outcomes.
    """

    written = Written(versioned=True)

    formula: str
    outcome: Outcome
    rank: Rank | None
    fmr: Rate | None
    thresholds: tuple[float | None, ...]
    algorithms: tuple[str, ...]
    n_rows: Count
    n_probes: Count
    n_people: Count
    n_incomplete: Count
    rate: Finite
    tests: tuple[Test, ...]
    overall: Test
    rates: tuple[Estimate, ...]
    observed: tuple[Estimate, ...]
    differences: tuple[Difference, ...]
    curves: tuple[Band, ...]
    coefficients: tuple[Estimate, ...]
    ratios: tuple[Estimate, ...]
    checks: tuple[FitCheck, ...]
    covariance: Covariance
    design: Method
    confidence_level: Confidence
    answers: Answers
    facts: tuple[Facts, ...]
    unit: str = "person"
    notes: tuple[Note, ...] = ()

    @property
    def family(self) -> Family:
        """The kind of regression."""
        return family_of(self.outcome)

    @property
    def in_points(self) -> bool:
        """Whether outcomes are rates."""
        return self.family == "logistic"

    @property
    def row(self) -> str:
        """The unit with an outcome: a probe, or a row of a table."""
        return "probe" if self.unit == "person" else "row"

    @property
    def units(self) -> str:
        """The plural of the independent unit."""
        return "people" if self.unit == "person" else f"{self.unit}s"

    @property
    def mean_called(self) -> str:
        """The name of the mean outcome."""
        return {"log-rank": "mean log rank", "number": "mean"}.get(self.outcome, "rate")

    def rate_of(self, covariate: str, level: str, other_level: str = "") -> Estimate:
        """Return the standardised rate for given values of covariates.

        Parameters
        ----------
        covariate, level
            The covariate, and the value it is set to.
        other_level
            The value that the other covariate of an interaction is set to.

        Returns
        -------
        Estimate
            The standardised rate.
        """
        for rate in self.rates:
            if (rate.who.column, rate.who.group, rate.who.other_group) == (covariate, level, other_level):
                return rate
        known = [f"{rate.who.column} {rate.who.group}" for rate in self.rates if not rate.who.other_group]
        raise UsageError(
            f"There is no rate of {covariate!r} at {level!r}.", f"available: {first_few(known, 12)}."
        )

    def observed_at(self, who: Who) -> float | None:
        """Return the observed mean outcome at the levels of a standardised rate; None for a numeric covariate.

        Parameters
        ----------
        who
            The `who` of the standardised rate.

        Returns
        -------
        float or None
            The observed mean outcome.
        """
        return next((rate.value for rate in self.observed if rate.who == who), None)

    def __repr__(self) -> str:
        lines = [
            f"{self.answers.of} on {self.formula}: {counted(self.n_probes, self.row)} of {counted(self.n_people, self.unit, self.units)}",
            *(
                f"{_set_to(rate.who)}: {fixed(rate.value)} {interval(rate.low, rate.high)}"
                for rate in self.rates
            ),
            *map(repr, self.differences),
        ]
        return "\n".join(lines)


def _set_to(who: Who) -> str:
    """The values of covariates in words: ``probe.glasses on, algorithm pca``."""
    other = f", {who.other_column} {who.other_group}" if who.other_column else ""
    return f"{who.column} {who.group}{other}"


def family_of(outcome: Outcome) -> Family:
    """The kind of regression for an outcome."""
    return "linear" if outcome in ("log-rank", "number") else "logistic"
