"""What a regression on covariates finds: standardised rates and differences first, coefficients behind them."""

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
    """Whether the model fits: outcomes beside what it expects, in groups of rows.

    Attributes
    ----------
    by
        What rows are grouped by: a number that is a covariate, or None for the outcome that the whole model expects.
    observed
        For each group the mean observed outcome with its interval over people, at the mean of what it is grouped by.
    expected, n
        For each group the mean expected outcome, and its rows.
    test
        That the groups add nothing to the model: a score test over people (Horton et al. 1999); None where it has no answer.
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
        The model, every term by itself.
    outcome, rank
        ``success`` at that rank or better, ``match`` with the mate at a threshold, or ``log-rank``; of a table of outcomes ``success``, or ``number`` where these
        are not all 0 or 1, and no rank.
    fmr, thresholds
        For ``match``: the false match rate, and the threshold of each algorithm that has it here.
    algorithms
        The algorithms, on the same probes; empty for a table of outcomes.
    n_rows, n_probes, n_people
        Rows (a probe and an algorithm each), probes and people; of a table of outcomes rows twice, and clusters.
    n_incomplete
        Probes left out because a covariate is missing.
    rate
        The mean outcome of all rows, with their weights.
    tests, overall
        Whether a term does anything, all of its coefficients together: of every term (`who.column`), adjusted for their number
        (Holm 1979), and of all terms. A covariate that acts on others is tested with all of its terms.
    rates
        Standardised: the expected rate, or mean, if every probe had one value (`who.group`) of a covariate (`who.column`), and all else as
        it is; then with a second covariate that is set as well, where the two act on each other.
    observed
        The observed mean outcome at each level, without an interval; for levels only.
    differences
        The standardised rate with one value of a covariate less that with another, at a level of a second one where the two act on each other;
        with `who.other_reference`, the difference there less that in this level: how much one acts on the other.
    curves
        The standardised rate along a number that is a covariate.
    coefficients, ratios
        The coefficients of the regression, intercept first: of log odds, of log ranks, or of the number that is explained;
        `who.column` is the term and `who.group` the coefficient. The ratios are of odds or of ranks; there are none of another
        number.
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
        """Which regression it is."""
        return family_of(self.outcome)

    @property
    def in_points(self) -> bool:
        """Whether outcomes are rates."""
        return self.family == "logistic"

    @property
    def row(self) -> str:
        """What has an outcome: a probe, or a row of a table."""
        return "probe" if self.unit == "person" else "row"

    @property
    def units(self) -> str:
        """Several of what varies."""
        return "people" if self.unit == "person" else f"{self.unit}s"

    @property
    def mean_called(self) -> str:
        """What the mean outcome is called."""
        return {"log-rank": "mean log rank", "number": "mean"}.get(self.outcome, "rate")

    def rate_of(self, covariate: str, level: str, other_level: str = "") -> Estimate:
        """Find a standardised rate by what is set to what.

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
        """The mean outcome of those that have what a standardised rate is about; None for a number.

        Parameters
        ----------
        who
            What the standardised rate is about: its `who`.

        Returns
        -------
        float or None
            The mean outcome that was observed.
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
    """What is set to what: ``probe.glasses on, algorithm pca``."""
    other = f", {who.other_column} {who.other_group}" if who.other_column else ""
    return f"{who.column} {who.group}{other}"


def family_of(outcome: Outcome) -> Family:
    """Which regression explains an outcome."""
    return "linear" if outcome in ("log-rank", "number") else "logistic"
