"""What a regression on covariates finds: standardised rates and differences first, coefficients behind them."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isfinite
from typing import Literal

import numpy as np
import numpy.typing as npt

from proband.errors import UsageError, first_few
from proband.inference.covariates.regression import Family
from proband.inference.covariates.sandwich import Covariance
from proband.results.base import Answers, Confidence, Count, Facts, Finite, Rank, Rate, Result
from proband.results.serializing import Written
from proband.words import Method, Note, Sentence, counted, effect, effect_interval, fixed, interval, p_value

Outcome = Literal["success", "match", "log-rank", "number"]
ALL = "all"
"""The term of the test of all covariates together."""
Floats = npt.NDArray[np.float64]
FEW = 4
"""Degrees of freedom below which an interval is not to be trusted (Pustejovsky & Tipton 2018)."""

_IN_POINTS = Sentence(
    "covariates.difference-in-points",
    "note",
    "{setting}: {difference:points} [{low:hundredfold}, {high:hundredfold}], p {p:p}",
)
_AS_IT_IS = Sentence(
    "covariates.difference", "note", "{setting}: {difference:signed} [{low:signed}, {high:signed}], p {p:p}"
)


@dataclass(frozen=True)
class Coefficient(Result):
    """A coefficient of the regression.

    Attributes
    ----------
    name, term
        Its column, such as ``probe.glasses=on``, and the term that column belongs to.
    value, low, high
        Of the log odds, of the log rank or of the number that is explained.
    standard_error, degrees_of_freedom, p_value
        Over people; the p-value and the interval are of one t distribution.
    of_logs
        Whether it is of logarithms, so that there is a ratio.
    """

    written = Written(also=("ratio", "ratio_low", "ratio_high"))

    name: str
    term: str
    value: Finite
    low: float
    high: float
    standard_error: float
    degrees_of_freedom: float
    p_value: Rate
    of_logs: bool = True

    @property
    def supported(self) -> bool:
        """Whether enough people are behind it."""
        return self.degrees_of_freedom >= FEW

    @property
    def ratio(self) -> float | None:
        """The odds ratio, or the ratio of ranks; None for the coefficient of another number."""
        return _exp(self.value) if self.of_logs else None

    @property
    def ratio_low(self) -> float | None:
        """The lower end of the ratio's interval."""
        return _exp(self.low) if self.of_logs else None

    @property
    def ratio_high(self) -> float | None:
        """The upper end of the ratio's interval."""
        return _exp(self.high) if self.of_logs else None


@dataclass(frozen=True)
class TermTest(Result):
    """Whether a term does anything: all of its coefficients together.

    Attributes
    ----------
    term
        Such as ``probe.glasses`` or ``probe.glasses:algorithm``.
    with_interactions
        Whether what it does together with others is tested as well: a covariate that acts on others is tested with all of its terms.
    statistic, numerator, denominator
        F and its degrees of freedom.
    p_value, p_adjusted
        By itself, and for all terms of the model together (Holm 1979); None where too few people are behind it to test it at all.
    """

    term: str
    with_interactions: bool
    statistic: float | None
    numerator: Count
    denominator: float
    p_value: Rate | None
    p_adjusted: Rate | None

    @property
    def supported(self) -> bool:
        """Whether enough people are behind it."""
        return self.denominator >= FEW


@dataclass(frozen=True)
class StandardizedRate(Result):
    """The expected rate if every probe had one value of a covariate, and all else as it is.

    Attributes
    ----------
    covariate, level, number
        What is set to what; `number` where it is a number.
    other, other_level
        A second covariate that is set as well, where the two act on each other.
    value, low, high
        The rate and its interval; the mean log rank where that is the outcome.
    standard_error, degrees_of_freedom
        Over people.
    n_probes, n_people
        Who has that value in these data: probes and people; for a number those within half a step of it are not counted, and it is None.
    observed
        The mean outcome of these, as it is; None for a number.
    """

    covariate: str
    level: str
    number: float | None
    other: str | None
    other_level: str | None
    value: Finite
    low: float
    high: float
    standard_error: float
    degrees_of_freedom: float
    n_probes: Count | None
    n_people: Count | None
    observed: float | None

    @property
    def supported(self) -> bool:
        """Whether enough people are behind it."""
        return self.degrees_of_freedom >= FEW


@dataclass(frozen=True)
class StandardizedDifference(Result):
    """What a covariate does: the standardised rate with one value less that with another.

    Attributes
    ----------
    covariate, level, reference, number
        Which values of it are compared; `number` is the first where they are numbers.
    other, other_level, other_reference
        The level of a second covariate within which they are; with `other_reference`, the difference there less that in this level: how much one
        acts on the other.
    difference, low, high, p_value
        With its interval and the p-value of none, from one t distribution; neither is adjusted for the number of differences.
    standard_error, degrees_of_freedom
        Over people.
    in_points
        Whether it is of rates.
    """

    written = Written(also=("supported",))

    covariate: str
    level: str
    reference: str
    number: float | None
    other: str | None
    other_level: str | None
    other_reference: str | None
    difference: Finite
    low: float
    high: float
    p_value: Rate
    standard_error: float
    degrees_of_freedom: float
    in_points: bool = True

    @property
    def supported(self) -> bool:
        """Whether enough people are behind it."""
        return self.degrees_of_freedom >= FEW

    @property
    def setting(self) -> str:
        """What is compared with what: ``probe.glasses on against off, algorithm pca``."""
        pair = f"{self.covariate} {self.level} against {self.reference}"
        if self.other is None:
            return pair
        if self.other_reference is None:
            return f"{pair}, {self.other} {self.other_level}"
        return f"{pair}, {self.other} {self.other_level} less {self.other_reference}"

    @property
    def short(self) -> str:
        """The same without what it is compared with: ``probe.glasses on, pca``."""
        value = "" if self.number is not None else f" {self.level}"
        named = (
            "" if self.other == "algorithm" else f"{self.other} "
        )  # names of algorithms speak for themselves
        within = "" if self.other is None else f", {named}{self.other_level}"
        less = "" if self.other_reference is None else f" less {self.other_reference}"
        return f"{self.covariate}{value}{within}{less}"

    def sentence(self) -> Note:
        """The difference in words."""
        said = _IN_POINTS if self.in_points else _AS_IT_IS
        return said(
            setting=self.setting, difference=self.difference, low=self.low, high=self.high, p=self.p_value
        )

    def __repr__(self) -> str:
        ends = effect_interval(self.low, self.high, self.in_points)
        return f"{self.setting}: {effect(self.difference, self.in_points)} {ends}, p {p_value(self.p_value)}"


@dataclass(frozen=True, eq=False)
class StandardizedCurve(Result):
    """The expected rate if every probe had each value of a number in turn.

    Attributes
    ----------
    covariate
        The number.
    other, other_level
        A second covariate that is set as well, where the two act on each other.
    numbers, values, low, high
        The curve and its interval at each value by itself.
    """

    covariate: str
    other: str | None
    other_level: str | None
    numbers: Floats
    values: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class FitCheck(Result):
    """Whether the model fits: outcomes beside what it expects, in groups of rows.

    Attributes
    ----------
    by
        What rows are grouped by: a number that is a covariate, or None for the outcome that the whole model expects.
    centers, expected, observed, low, high
        For each group the mean of what it is grouped by, the mean expected and observed outcome, and the interval of the observed over people.
    n
        Rows in each group.
    p_value
        That the groups add nothing to the model: a score test over people (Horton et al. 1999); None where it has no answer.
    """

    by: str | None
    centers: Floats
    expected: Floats
    observed: Floats
    low: Floats
    high: Floats
    n: tuple[Count, ...]
    p_value: Rate | None


@dataclass(frozen=True, eq=False)
class CovariateStudy(Result):
    """What makes a probe fail: a regression of outcomes on covariates, with people as clusters.

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
        Whose outcomes, on the same probes; none of a table of outcomes.
    n_rows, n_probes, n_people
        Rows (a probe and an algorithm each), probes and people; of a table of outcomes rows twice, and clusters.
    n_incomplete
        Probes left out because a covariate is missing.
    rate
        The mean outcome of all rows, as they count.
    tests, overall
        Of every term, and of all together.
    rates, differences, curves
        Standardised over these probes.
    coefficients
        Of the regression, the intercept first.
    checks
        How the model fits: by expected rate, then by every number.
    covariance, design
        How errors were made.
    confidence_level, answers, facts, notes
        As everywhere; the facts are of each algorithm's outcomes.
    unit
        What varies: ``person``, or ``cluster`` or ``row`` of a table of outcomes.
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
    tests: tuple[TermTest, ...]
    overall: TermTest
    rates: tuple[StandardizedRate, ...]
    differences: tuple[StandardizedDifference, ...]
    curves: tuple[StandardizedCurve, ...]
    coefficients: tuple[Coefficient, ...]
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

    def rate_of(self, covariate: str, level: str, other_level: str | None = None) -> StandardizedRate:
        """Find a standardised rate by what is set to what."""
        for rate in self.rates:
            if (rate.covariate, rate.level, rate.other_level) == (covariate, level, other_level):
                return rate
        known = [f"{rate.covariate} {rate.level}" for rate in self.rates if rate.other_level is None]
        raise UsageError(
            f"There is no rate of {covariate!r} at {level!r}.", f"there are: {first_few(known, 12)}."
        )

    def __repr__(self) -> str:
        lines = [
            f"{self.answers.of} on {self.formula}: {counted(self.n_probes, self.row)} of {counted(self.n_people, self.unit, self.units)}",
            *(
                f"{one.covariate} {one.level}{'' if one.other is None else f', {one.other} {one.other_level}'}: "
                f"{fixed(one.value)} {interval(one.low, one.high)}"
                for one in self.rates
            ),
            *map(repr, self.differences),
        ]
        return "\n".join(lines)


def family_of(outcome: Outcome) -> Family:
    """Which regression explains an outcome."""
    return "linear" if outcome in ("log-rank", "number") else "logistic"


def _exp(value: float) -> float:
    return exp(value) if isfinite(value) and value < 700 else float("inf")
