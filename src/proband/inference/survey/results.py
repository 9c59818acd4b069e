"""Results of surveys: estimates with their covariance, and functions of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple, TypedDict

import numpy as np
import polars as pl

from proband.distributions import normal_cdf, t_cdf
from proband.engine.arguments import published
from proband.engine.foreign import number_by
from proband.engine.frames import frame_of_rows
from proband.engine.limits import Freedom, Level
from proband.errors import UsageError, first_few, unknown_name
from proband.inference.proportions import check_level, normal_quantile, t_quantile
from proband.inference.survey.columns import Floats
from proband.inference.survey.statistics import Label
from proband.results.about import NOBODY, RestsOn
from proband.results.base import Answers, Confidence, Count, Finite, Result
from proband.results.difference import Difference
from proband.results.estimate import Estimate
from proband.results.serializing import Written
from proband.words import Method, Note, Sentence, Target, digits

_CONSTANT = Sentence(
    "survey.constants-compared",
    "caution",
    "in the sample, {names:list} {n:word does/do} not vary, so a comparison of {n:word it/them} has no interval and no p-value",
)
_ONE_CONSTANT = Sentence(
    "survey.constant-compared",
    "caution",
    "in the sample, {names:list} {n:word does/do} not vary: comparisons with {n:word it/them} ignore {n:word its/their} uncertainty, so "
    "intervals are too narrow and p-values too small",
)
_UNKNOWN = Sentence(
    "survey.quantiles-compared",
    "caution",
    "Woodruff's intervals give no covariance, so comparisons with quantiles have no interval and no p-value; replicates "
    "(brr, fay or bootstrap) with quantile_interval='replicates' give both",
)
_EXACT = Sentence(
    "survey.exact-comparison",
    "note",
    "there is no sampling error: all units of the population were sampled, or the totals are known",
)
_STEP = 1e-3  # of the numeric gradient, as a share of a standard error


class _Contrast(TypedDict):
    """The common part of differences and other functions of estimates."""

    value: float
    low: float
    high: float
    confidence_level: float
    standard_error: float
    degrees_of_freedom: float | None
    p_value: float | None
    method: Method
    supported: bool
    notes: tuple[Note, ...]


class SurveyRow(NamedTuple):
    """One number of a survey.

    Attributes
    ----------
    label
        The statistic.
    domain
        The values of the columns that define its domain.
    estimate
        The number with its interval.
    """

    label: Label
    domain: Mapping[str, str]
    estimate: Estimate

    @property
    def name(self) -> str:
        """The name for contrasts: the label and, in brackets, the domain."""
        return self.label.name + (f" [{self.estimate.who.category}]" if self.estimate.who.category else "")


@published
@dataclass(frozen=True, eq=False)
class SurveyEstimates(Result):
    """Estimates from a survey with their covariance.

    Attributes
    ----------
    estimates
        The estimates, by domain (`who.category`), with rows, primary units, the sum of weights and the design effect.
    labels, domains
        The statistic of each estimate, and the values of the columns that define its domain.
    covariance
        The covariance of the estimates, in the same order; NaN where not estimated, between quantiles and others.
    differences
        Differences of every two domains, for each statistic, if requested.
    confidence_level, design, answers
        The level of the intervals; how the variance was estimated; and the meaning of the estimates.
    n_rows, n_units, n_strata, size, degrees_of_freedom
        The whole sample: rows, primary units, strata, the sum of weights, and units minus strata.
    replicates
        Every estimate in every replicate (replicates × estimates); None for linearised variances.
    notes
        Notes.
    by_shares
        Whether quantiles have Woodruff intervals, which are not symmetric.

    Examples
    --------
    >>> import proband as pb
    >>> table = {"y": [1, 0, 1, 1, 0, 1], "who": ["a", "a", "b", "b", "c", "c"], "sex": list("fffmmm")}
    >>> found = pb.survey.Survey(table, units="who").mean("y", by="sex")
    >>> found
    y [sex=f]: 0.666667 ± 0.1925 [0.00638085, 0.998397]
    y [sex=m]: 0.666667 ± 0.1925 [0.00638085, 0.998397]
    >>> found.difference("y [sex=f]", "y [sex=m]").value
    0.0
    """

    written = Written(
        {"covariance": "covariance_rows"}, without=("replicates", "by_shares"), if_any=("differences",)
    )

    estimates: tuple[Estimate, ...]
    labels: tuple[Label, ...]
    domains: tuple[Mapping[str, str], ...]
    covariance: Floats
    confidence_level: Confidence
    design: Method
    answers: Answers
    n_rows: Count
    n_units: Count
    n_strata: Count
    size: float
    degrees_of_freedom: float
    differences: tuple[Difference, ...] = ()
    replicates: Floats | None = None
    notes: tuple[Note, ...] = ()
    by_shares: bool = False

    @property
    def covariance_rows(self) -> tuple[tuple[float, ...], ...]:
        """The covariance, row by row."""
        return tuple(map(tuple, self.covariance.tolist()))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the estimates for contrasts."""
        return tuple(row.name for row in self.rows)

    @property
    def rows(self) -> tuple[SurveyRow, ...]:
        """Each estimate with its label."""
        return tuple(map(SurveyRow, self.labels, self.domains, self.estimates))

    @property
    def values(self) -> Floats:
        """The estimates."""
        return np.array([estimate.value for estimate in self.estimates])

    @property
    def standard_errors(self) -> Floats:
        """The standard errors."""
        return np.array([estimate.standard_error for estimate in self.estimates], dtype=np.float64)

    def __getitem__(self, name: str | int) -> Estimate:
        return self.estimates[name if isinstance(name, int) else self._place(name)]

    def __len__(self) -> int:
        return len(self.estimates)

    def __repr__(self) -> str:
        return "\n".join(f"{row.name}: {_shown(row.estimate)}" for row in self.rows)

    def intervals(
        self, confidence_level: Level | None = None, degrees_of_freedom: Freedom | None = None
    ) -> Floats:
        """Return symmetric intervals at another level or with other degrees of freedom, as R's confint.

        Quantiles with Woodruff intervals have none and raise an error.

        Parameters
        ----------
        confidence_level
            The level; by default that of the estimates.
        degrees_of_freedom
            Degrees of freedom of Student's t; by default those of each estimate.

        Returns
        -------
        numpy.ndarray
            Estimates × 2: the lower and the upper end of each.
        """
        if self.by_shares and any(label.statistic == "quantile" for label in self.labels):
            raise UsageError(
                "Woodruff intervals of quantiles are not symmetric, so they cannot be recomputed from the "
                "standard error.",
                "repeat the estimation with confidence_level=…, degrees_of_freedom=…; or use replicates and "
                "quantile_interval='replicates'.",
            )
        chosen = self.confidence_level if confidence_level is None else check_level(confidence_level)
        freedom = [
            _freedom(estimate) if degrees_of_freedom is None else degrees_of_freedom
            for estimate in self.estimates
        ]
        reach = reaches(np.array([quantile_of(chosen, one) for one in freedom]), self.standard_errors)
        return np.stack([self.values - reach, self.values + reach], axis=1)

    def contrast(self, weights: Mapping[str, Finite], name: str = "contrast") -> Estimate:
        """Estimate a linear combination of estimates: ``{"y [sex=f]": 1, "y [sex=m]": -1}``.

        Parameters
        ----------
        weights
            The coefficient of each estimate, by name (see `names`).
        name
            The name of the result.

        Returns
        -------
        Estimate
            The linear combination, with its standard error from the covariance.
        """
        if not weights:
            raise UsageError(
                "A contrast needs at least one estimate.", f"available: {first_few(self.names)}."
            )
        factors = np.zeros(len(self))
        for key, factor in weights.items():
            factors[self._place(key)] += factor
        return self._made(name, float(factors @ self.values), factors)

    def difference(self, first: str, second: str) -> Difference:
        """Estimate the first minus the second, with their covariance.

        Parameters
        ----------
        first, second
            Two of `names`.

        Returns
        -------
        Difference
            The difference with its interval and p-value.
        """
        factors = np.zeros(len(self))
        factors[self._place(first)] += 1.0
        factors[self._place(second)] -= 1.0
        contrast = self._contrast(float(factors @ self.values), factors)
        why_not = contrast["notes"][0] if np.isnan(contrast["low"]) else None
        return Difference(
            first=first,
            second=second,
            in_points=False,
            adjustment="none",
            why_not=why_not,
            **contrast,
        )

    def ratio(self, first: str, second: str) -> Estimate:
        """Estimate the ratio of the first to the second, by the delta method.

        Parameters
        ----------
        first, second
            Two of `names`.

        Returns
        -------
        Estimate
            The ratio, with its standard error.
        """
        above, below = self._place(first), self._place(second)
        values = self.values
        if values[below] == 0:
            raise UsageError(f"{second!r} is 0, so the ratio is undefined.")
        factors = np.zeros(len(self))
        factors[above] += 1 / values[below]
        factors[below] -= values[above] / values[below] ** 2
        return self._made(f"{first} / {second}", float(values[above] / values[below]), factors)

    def function(self, function: Callable[[Floats], Any], name: str = "function") -> Estimate:
        """Estimate any smooth function of the estimates, by the delta method with a numeric gradient.

        Parameters
        ----------
        function
            A function of an array of the estimates, in the order of `names`, that returns a number.
        name
            The name of the result.

        Returns
        -------
        Estimate
            The value of the function, with its standard error.

        Examples
        --------
        >>> import proband as pb
        >>> found = pb.survey.Survey({"y": [1, 0, 1, 1], "x": [2, 1, 4, 3]}).total("y", "x")
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

    def pairwise(self) -> tuple[Difference, ...]:
        """Differences of every two domains, for each statistic.

        Returns
        -------
        tuple of Difference
            A difference for each pair of domains and statistic.
        """
        of = {
            label: [row.name for row in self.rows if row.label == label]
            for label in dict.fromkeys(self.labels)
        }
        return tuple(
            self.difference(first, second)
            for names in of.values()
            for first, second in combinations(names, 2)
        )

    def _frame(self, wide: bool) -> pl.DataFrame:
        """Return one row for each estimate."""
        columns: Sequence[str] = tuple(dict.fromkeys(key for domain in self.domains for key in domain))
        return frame_of_rows(
            [
                {
                    **{f"by_{key}": domain.get(key) for key in columns},
                    "statistic": label.statistic,
                    "column": label.column,
                    "level": label.level,
                    "denominator": label.denominator,
                    "p": label.p,
                    "value": estimate.value,
                    "standard_error": estimate.standard_error,
                    "low": estimate.low,
                    "high": estimate.high,
                    "degrees_of_freedom": _freedom(estimate),
                    "design_effect": estimate.rests_on.design_effect,
                    "n_rows": estimate.rests_on.n,
                    "n_units": estimate.rests_on.n_units,
                    "size": estimate.rests_on.size,
                }
                for label, domain, estimate in self.rows
            ]
        )

    def _place(self, name: str) -> int:
        names = self.names
        if name not in names:
            raise unknown_name("estimate", name, names)
        return names.index(name)

    def _contrast(self, value: float, gradient: Floats) -> _Contrast:
        """A function of the estimates with its standard error and the p-value for 0; no interval if none of them varies in the sample."""
        used = np.flatnonzero(gradient)
        part = self.covariance[np.ix_(used, used)]
        error = float(np.sqrt(max(float(gradient[used] @ part @ gradient[used]), 0.0)))
        if np.isnan(part).any():
            error = float("nan")
        freedom = min([_freedom(self.estimates[place]) for place in used], default=self.degrees_of_freedom)
        still = tuple(self.names[place] for place in used if not self.estimates[place].supported)
        nothing = bool(still) and error == 0
        reach = float(reaches(quantile_of(self.confidence_level, freedom), np.array([error]))[0])
        p_value = None
        if error > 0:
            far = -abs(value / error)
            p_value = 2 * float(normal_cdf(far) if np.isinf(freedom) else t_cdf(max(freedom, 1.0), far))
        notes = [(_CONSTANT if nothing else _ONE_CONSTANT)(names=still, n=len(still))] if still else []
        if np.isnan(error):
            notes = [_UNKNOWN()]
        elif error == 0 and not still:
            notes = [_EXACT()]
        return {
            "value": value,
            "low": float("nan") if nothing else value - reach,
            "high": float("nan") if nothing else value + reach,
            "confidence_level": self.confidence_level,
            "standard_error": error,
            "degrees_of_freedom": freedom if np.isfinite(freedom) else None,
            "p_value": p_value,
            "method": self.design,
            "supported": not (still or np.isnan(error)),
            "notes": tuple(notes),
        }

    def _made(self, name: str, value: float, gradient: Floats) -> Estimate:
        return Estimate(
            who=NOBODY,
            rests_on=RestsOn(n=self.n_rows, of="row", n_units=self.n_units, unit="unit", size=self.size),
            answers=replace(self.answers, of=Target("contrast", name)),
            **self._contrast(value, gradient),
        )


def _freedom(estimate: Estimate) -> float:
    """The degrees of freedom; infinite for a normal quantile."""
    return np.inf if estimate.degrees_of_freedom is None else estimate.degrees_of_freedom


def _shown(estimate: Estimate) -> str:
    error = 0.0 if estimate.standard_error is None else estimate.standard_error
    ends = f"[{digits(estimate.low, 6)}, {digits(estimate.high, 6)}]"
    return f"{digits(estimate.value, 6)} ± {digits(error, 4)} {ends}"


def quantile_of(confidence_level: float, freedom: float) -> float:
    """Student's two-sided quantile; the normal one for infinitely many degrees of freedom."""
    return (
        t_quantile(confidence_level, freedom) if np.isfinite(freedom) else normal_quantile(confidence_level)
    )


def reaches(t: float | Floats, errors: Floats) -> Floats:
    """The half-widths of intervals; 0 if the standard error is 0, even with an infinite quantile."""
    found: Floats = np.multiply(t, errors, out=np.zeros_like(errors), where=errors != 0)
    return found
