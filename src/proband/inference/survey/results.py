"""What a survey shows: numbers with their covariance, and what can be made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from proband.engine.arguments import published
from proband.engine.foreign import number_by
from proband.engine.frames import frame_of_rows
from proband.engine.limits import Freedom, Level
from proband.errors import UsageError, first_few, nearest
from proband.inference.proportions import check_level, normal_quantile, t_quantile
from proband.inference.survey.columns import Floats
from proband.inference.survey.statistics import Label
from proband.results.base import Answers, Confidence, Count, Finite, Result
from proband.results.serializing import Written
from proband.words import Method, Note, digits

_STEP = 1e-3  # of the gradient of a function of estimates, as a share of a standard error


@dataclass(frozen=True)
class SurveyEstimate(Result):
    """One number of a survey.

    Attributes
    ----------
    name
        What contrasts know it by: its label and, in brackets, its domain.
    label, domain
        What it is of, and the values of the columns that make its domain.
    value, standard_error, low, high
        The estimate, its standard error and its interval.
    degrees_of_freedom
        Of the interval: units less strata, of those with a row in the domain; infinite for a normal quantile.
    design_effect
        The variance as a multiple of what a simple random sample of as many rows would have; None where that is not asked for
        or not defined.
    n_rows, n_units, size
        The rows and primary units of the domain, and the sum of their weights.
    """

    name: str
    label: Label
    domain: Mapping[str, str]
    value: float
    standard_error: float
    low: float
    high: float
    degrees_of_freedom: float
    design_effect: float | None
    n_rows: Count
    n_units: Count
    size: float

    @property
    def relative_error(self) -> float:
        """The standard error as a share of the estimate (the coefficient of variation)."""
        return self.standard_error / abs(self.value) if self.value else float("inf")

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"{self.name}: {digits(self.value, 6)} ± {digits(self.standard_error, 4)} [{digits(self.low, 6)}, {digits(self.high, 6)}]"


@dataclass(frozen=True)
class SurveyContrast(Result):
    """What is made of several estimates: a difference, a ratio, any function.

    Attributes
    ----------
    name
        What it is called.
    value, standard_error, low, high, degrees_of_freedom
        The contrast, its standard error by the covariance, and its interval.
    p_value
        Of the hypothesis that it is 0, two-sided.
    """

    name: str
    value: float
    standard_error: float
    low: float
    high: float
    degrees_of_freedom: float
    p_value: float

    def __repr__(self) -> str:
        return f"{self.name}: {digits(self.value, 6)} ± {digits(self.standard_error, 4)} [{digits(self.low, 6)}, {digits(self.high, 6)}]"


@published
@dataclass(frozen=True, eq=False)
class SurveyEstimates(Result):
    """Numbers of a survey with their covariance.

    Attributes
    ----------
    estimates
        The numbers, domain by domain.
    covariance
        Their covariance, in the same order; NaN between quantiles and others, where it is not estimated.
    differences
        Every two domains, for each statistic, if that was asked for.
    confidence_level, design, answers
        Of the intervals; how the variance was estimated, and what the numbers mean.
    n_rows, n_units, n_strata, size, degrees_of_freedom
        The whole sample: rows, primary units, strata, the sum of weights, and units less strata.
    replicates
        Every number in every replicate (replicates × numbers); None for linearised variances.
    notes
        What a reader should know.
    by_shares
        Whether quantiles have the intervals of the shares below them (Woodruff), which are not symmetric.

    Examples
    --------
    >>> import proband as pb
    >>> table = {"y": [1, 0, 1, 1, 0, 1], "who": ["a", "a", "b", "b", "c", "c"], "sex": list("fffmmm")}
    >>> found = pb.Survey(table, units="who").mean("y", by="sex")
    >>> found
    y [sex=f]: 0.666667 ± 0.1925 [0.00638085, 0.998397]
    y [sex=m]: 0.666667 ± 0.1925 [0.00638085, 0.998397]
    >>> found.difference("y [sex=f]", "y [sex=m]").value
    0.0
    """

    written = Written(
        {"covariance": "covariance_rows"}, without=("replicates", "by_shares"), if_any=("differences",)
    )

    estimates: tuple[SurveyEstimate, ...]
    covariance: Floats
    confidence_level: Confidence
    design: Method
    answers: Answers
    n_rows: Count
    n_units: Count
    n_strata: Count
    size: float
    degrees_of_freedom: float
    differences: tuple[SurveyContrast, ...] = ()
    replicates: Floats | None = None
    notes: tuple[Note, ...] = ()
    by_shares: bool = False

    @property
    def covariance_rows(self) -> tuple[tuple[float, ...], ...]:
        """The covariance, row by row."""
        return tuple(map(tuple, self.covariance.tolist()))

    @property
    def names(self) -> tuple[str, ...]:
        """What contrasts know the estimates by."""
        return tuple(one.name for one in self.estimates)

    @property
    def values(self) -> Floats:
        """The estimates."""
        return np.array([one.value for one in self.estimates])

    @property
    def standard_errors(self) -> Floats:
        """The standard errors."""
        return np.array([one.standard_error for one in self.estimates])

    def __getitem__(self, name: str | int) -> SurveyEstimate:
        return self.estimates[name if isinstance(name, int) else self._place(name)]

    def __len__(self) -> int:
        return len(self.estimates)

    def __repr__(self) -> str:
        return "\n".join(f"{one!r}" for one in self.estimates)

    def intervals(
        self, confidence_level: Level | None = None, degrees_of_freedom: Freedom | None = None
    ) -> Floats:
        """Symmetric intervals at another level or with other degrees of freedom, as R's confint has them (rows of two ends).

        Quantiles with intervals of the shares below them (Woodruff) have none and are refused.
        """
        if self.by_shares and any(one.label.statistic == "quantile" for one in self.estimates):
            raise UsageError(
                "Quantiles have the intervals of the shares below them (Woodruff), which are not symmetric.",
                "estimate them anew at the other level: confidence_level=…, degrees_of_freedom=…; or with replicates and quantile_interval='replicates'.",
            )
        chosen = self.confidence_level if confidence_level is None else check_level(confidence_level)
        freedom = [
            one.degrees_of_freedom if degrees_of_freedom is None else degrees_of_freedom
            for one in self.estimates
        ]
        reach = reaches(np.array([quantile_of(chosen, one) for one in freedom]), self.standard_errors)
        return np.stack([self.values - reach, self.values + reach], axis=1)

    def contrast(self, weights: Mapping[str, Finite], name: str = "contrast") -> SurveyContrast:
        """Estimate a sum of estimates, each times a number: ``{"y [sex=f]": 1, "y [sex=m]": -1}``."""
        if not weights:
            raise UsageError(
                "A contrast is of at least one estimate.", f"there are: {first_few(self.names)}."
            )
        factors = np.zeros(len(self))
        for key, factor in weights.items():
            factors[self._place(key)] += factor
        return self._made(name, float(factors @ self.values), factors)

    def difference(self, first: str, second: str) -> SurveyContrast:
        """Estimate the first less the second, with their covariance."""
        factors = np.zeros(len(self))
        factors[self._place(first)] += 1.0
        factors[self._place(second)] -= 1.0
        return self._made(f"{first} − {second}", float(factors @ self.values), factors)

    def ratio(self, first: str, second: str) -> SurveyContrast:
        """Estimate the first over the second, by the delta method."""
        above, below = self._place(first), self._place(second)
        values = self.values
        if values[below] == 0:
            raise UsageError(f"{second!r} is 0, so there is no ratio to it.")
        factors = np.zeros(len(self))
        factors[above] += 1 / values[below]
        factors[below] -= values[above] / values[below] ** 2
        return self._made(f"{first} / {second}", float(values[above] / values[below]), factors)

    def function(self, function: Callable[[Floats], Any], name: str = "function") -> SurveyContrast:
        """Estimate any smooth function of the estimates, by the delta method with a numeric gradient.

        Examples
        --------
        >>> import proband as pb
        >>> found = pb.Survey({"y": [1, 0, 1, 1], "x": [2, 1, 4, 3]}).total("y", "x")
        >>> one, other = found.function(lambda v: v[0] / v[1]), found.ratio("total y", "total x")
        >>> bool(np.isclose(one.standard_error, other.standard_error, rtol=1e-10))
        True
        """
        values = self.values
        steps = np.maximum(_STEP * self.standard_errors, 1e-9 * np.maximum(np.abs(values), 1e-9))
        gradient = np.zeros(len(self))
        for place, step in enumerate(steps):
            at = [values + np.eye(len(self))[place] * step * far for far in (-2, -1, 1, 2)]
            two, one, next_one, next_two = (number_by(function, "function", here) for here in at)
            gradient[place] = (two - 8 * one + 8 * next_one - next_two) / (12 * step)
        return self._made(name, number_by(function, "function", values), gradient)

    def pairwise(self) -> tuple[SurveyContrast, ...]:
        """Every two domains, for each statistic."""
        labels = dict.fromkeys(one.label for one in self.estimates)
        of = {label: [one.name for one in self.estimates if one.label == label] for label in labels}
        return tuple(
            self.difference(first, second)
            for names in of.values()
            for first, second in combinations(names, 2)
        )

    def _frame(self, wide: bool) -> pl.DataFrame:
        """Return a row for each number."""
        columns: Sequence[str] = tuple(dict.fromkeys(key for one in self.estimates for key in one.domain))
        return frame_of_rows(
            [
                {
                    **{f"by_{key}": one.domain.get(key) for key in columns},
                    "statistic": one.label.statistic,
                    "column": one.label.column,
                    "level": one.label.level,
                    "denominator": one.label.denominator,
                    "p": one.label.p,
                    "value": one.value,
                    "standard_error": one.standard_error,
                    "low": one.low,
                    "high": one.high,
                    "degrees_of_freedom": one.degrees_of_freedom,
                    "design_effect": one.design_effect,
                    "n_rows": one.n_rows,
                    "n_units": one.n_units,
                    "size": one.size,
                }
                for one in self.estimates
            ]
        )

    def _place(self, name: str) -> int:
        names = self.names
        if name not in names:
            raise UsageError(
                f"There is no estimate {name!r}.",
                nearest(name, names) or f"there are: {first_few(names, 8)}.",
            )
        return names.index(name)

    def _made(self, name: str, value: float, gradient: Floats) -> SurveyContrast:
        from scipy.special import ndtr, stdtr

        used = np.flatnonzero(gradient)
        part = self.covariance[np.ix_(used, used)]
        error = float(np.sqrt(max(float(gradient[used] @ part @ gradient[used]), 0.0)))
        if np.isnan(part).any():
            error = float("nan")
        freedom = min(
            [self.estimates[one].degrees_of_freedom for one in used], default=self.degrees_of_freedom
        )
        reach = float(reaches(quantile_of(self.confidence_level, freedom), np.array([error]))[0])
        far = -abs(value / error) if error > 0 else 0.0 if value == 0 else float("-inf")
        tail = ndtr(far) if not np.isfinite(freedom) else stdtr(max(freedom, 1.0), far)
        return SurveyContrast(name, value, error, value - reach, value + reach, freedom, float(2 * tail))


def quantile_of(confidence_level: float, freedom: float) -> float:
    """Student's two-sided quantile; the normal one for infinitely many degrees of freedom."""
    return (
        t_quantile(confidence_level, freedom) if np.isfinite(freedom) else normal_quantile(confidence_level)
    )


def reaches(t: float | Floats, errors: Floats) -> Floats:
    """How far intervals reach on either side: not at all without an error, whatever the quantile."""
    found: Floats = np.multiply(t, errors, out=np.zeros_like(errors), where=errors != 0)
    return found
