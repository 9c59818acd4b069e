"""Statistics of surveys: means, totals, ratios, variances, quantiles, and any function of the weights.

A statistic evaluates many sets of weights at once, and its *scores* give the effect of each row (influence function
times weight): its linearised variance is that of the total of its scores.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.arguments import published
from proband.engine.foreign import numbers_by
from proband.errors import DesignError, UsageError
from proband.inference.survey.columns import Floats, is_numeric, labels_of, numbers_of
from proband.inference.survey.quantiles import AS_IN_R, QuantileRule, weighted_quantile
from proband.words import Target, agreeing, counted, given

Kind = Literal["mean", "total", "ratio", "variance", "quantile", "function"]


@dataclass(frozen=True)
class Label:
    """The description of one estimate.

    Attributes
    ----------
    statistic
        ``mean``, ``total``, ``ratio``, ``variance``, ``quantile`` or ``function``.
    column
        The column, or the numerator.
    level
        The value of a text column whose share or count it is; None for a numeric column.
    denominator, p
        The denominator of a ratio; the share of a quantile.
    share
        Whether it is a share of rows, from 0 to 1.
    """

    statistic: Kind
    column: str
    level: str | None = None
    denominator: str | None = None
    p: float | None = None
    share: bool = False

    @property
    def name(self) -> str:
        """The name for contrasts: ``success``, ``a/b``, ``sex=f``, ``age@0.5``; with its kind in front unless it is a mean."""
        own = self.column if self.level is None else f"{self.column}={self.level}"
        own = own if self.denominator is None else f"{own}/{self.denominator}"
        own = own if self.p is None else f"{own}@{given(self.p)}"
        return (
            own if self.statistic in ("mean", "ratio", "quantile", "function") else f"{self.statistic} {own}"
        )

    @property
    def called(self) -> str:
        """The name in text: ``mean success``, ``share sex=f``, ``quantile age@0.5``."""
        if self.statistic in ("ratio", "quantile", "function"):
            return f"{self.statistic} {self.name}"
        if self.share and self.level is not None:
            return f"share {self.name}"
        return f"mean {self.name}" if self.statistic == "mean" else self.name

    @property
    def target(self) -> Target:
        """The target, without the column, which is in the estimate."""
        return Target(self.statistic if self.p is None else f"{self.statistic}@{given(self.p)}", self.called)


class Statistic(ABC):
    """One or more estimates from a weighted table."""

    @abstractmethod
    def bind(self, table: pl.DataFrame, missing: bool) -> Bound:
        """Look up its columns; with `missing`, rows with missing values are outside its domain.

        Parameters
        ----------
        table
            The rows of the survey.
        missing
            Whether rows without a value are left outside the domain; else they are refused.

        Returns
        -------
        Bound
            The statistic, ready to be computed under weights.
        """


@dataclass(frozen=True, eq=False)
class Bound(ABC):
    """A statistic of certain columns.

    Attributes
    ----------
    labels
        The description of each estimate.
    columns
        The values used (rows × columns); missing values are 0, in rows that are not `complete`.
    complete
        The rows without missing values.
    linearised
        Whether `scores` gives the influence of rows.
    """

    labels: tuple[Label, ...]
    columns: Floats
    complete: npt.NDArray[np.bool_]
    linearised: ClassVar[bool] = True

    @property
    def summed(self) -> Floats | None:
        """The terms summed with weights (rows × sums); None if sums do not suffice."""
        return None

    def of_sums(self, sums: Floats, n: int) -> Floats:
        """The estimates from weighted sums (sets × sums), for a sample with `n` rows in the domain."""
        raise NotImplementedError

    def values(self, weights: Floats, n: int) -> Floats:
        """The estimates for several sets of weights (sets × estimates), for a sample with `n` rows in the domain."""
        assert self.summed is not None  # others compute it differently
        return self.of_sums(weights @ self.summed, n)

    @abstractmethod
    def scores(self, weights: Floats, values: Floats) -> Floats:
        """The influence of each row times its weight (rows × estimates)."""

    def srs_variances(self, weights: Floats, values: Floats, replaced: bool) -> Floats:
        """The variances for a simple random sample of the same size, for design effects."""
        return np.full(len(self.labels), np.nan)

    def _spread(self, columns: Floats, weights: Floats) -> Floats:
        """The estimated population variance of each column (R's svyvar)."""
        n, size = int((weights != 0).sum()), float(weights.sum())
        if n < 2:
            return np.full(columns.shape[1], np.nan)
        apart = columns - (weights @ columns) / size
        found: Floats = (weights @ apart**2) / size * n / (n - 1)
        return found

    def _unsampled(self, weights: Floats, replaced: bool) -> float:
        """The share of the population not in a simple random sample; NaN if it would be negative."""
        if replaced:
            return 1.0
        size, n = float(weights.sum()), int((weights != 0).sum())
        return (size - n) / size if size >= n else float("nan")


class _BoundMean(Bound):
    @property
    def summed(self) -> Floats:
        return np.column_stack([self.columns, np.ones(len(self.columns))])

    def of_sums(self, sums: Floats, n: int) -> Floats:
        return _divided(sums[:, :-1], sums[:, -1:])

    def scores(self, weights: Floats, values: Floats) -> Floats:
        found: Floats = (self.columns - values) * (weights / weights.sum())[:, None]
        return found

    def srs_variances(self, weights: Floats, values: Floats, replaced: bool) -> Floats:
        n = int((weights != 0).sum())
        return self._spread(self.columns, weights) / n * self._unsampled(weights, replaced)


class _BoundTotal(Bound):
    @property
    def summed(self) -> Floats:
        return self.columns

    def of_sums(self, sums: Floats, n: int) -> Floats:
        return sums

    def scores(self, weights: Floats, values: Floats) -> Floats:
        return self.columns * weights[:, None]

    def srs_variances(self, weights: Floats, values: Floats, replaced: bool) -> Floats:
        n, size = int((weights != 0).sum()), float(weights.sum())
        return self._spread(self.columns, weights) * size**2 / n * self._unsampled(weights, replaced)


class _BoundRatio(Bound):
    @property
    def summed(self) -> Floats:
        return self.columns

    def of_sums(self, sums: Floats, n: int) -> Floats:
        return _divided(sums[:, :1], sums[:, 1:])

    def scores(self, weights: Floats, values: Floats) -> Floats:
        return self._residuals(weights, values) * weights[:, None]

    def srs_variances(self, weights: Floats, values: Floats, replaced: bool) -> Floats:
        n, size = int((weights != 0).sum()), float(weights.sum())
        spread = self._spread(self._residuals(weights, values), weights)
        return spread * size**2 / n * self._unsampled(weights, replaced)

    def _residuals(self, weights: Floats, values: Floats) -> Floats:
        above, below = self.columns[:, :1], self.columns[:, 1:]
        found: Floats = (above - values * below) / float(weights @ below[:, 0])
        return found


class _BoundVariance(Bound):
    @property
    def summed(self) -> Floats:
        apart = self.columns - self.columns.mean(axis=0)  # avoids subtracting squares of large numbers
        return np.column_stack([apart, apart**2, np.ones(len(apart))])

    def of_sums(self, sums: Floats, n: int) -> Floats:
        means = _divided(sums[:, :2], sums[:, 2:])
        found: Floats = (means[:, 1:] - means[:, :1] ** 2) * n / max(n - 1, 1)
        return found

    def scores(self, weights: Floats, values: Floats) -> Floats:
        n, size = int((weights != 0).sum()), float(weights.sum())
        apart = self.columns - (weights @ self.columns) / size
        found: Floats = (apart**2 * n / max(n - 1, 1) - values) * (weights / size)[:, None]
        return found


@dataclass(frozen=True, eq=False)
class BoundQuantile(Bound):
    """Quantiles of one column, by a rule."""

    rule: QuantileRule

    def values(self, weights: Floats, n: int) -> Floats:
        """The quantiles for each set of weights."""
        return np.array(
            [
                [
                    weighted_quantile(self.columns[:, 0], one, label.p or 0.0, self.rule)
                    for label in self.labels
                ]
                for one in weights
            ]
        )

    def extreme(self, weights: Floats) -> bool:
        """Whether a share is less than that of the smallest value, for which R's rule gives the second smallest."""
        used = np.flatnonzero(weights)
        first = used[self.columns[used, 0].argmin()]
        share = float(weights[first] / weights.sum())
        return self.rule in AS_IN_R and any((label.p or 0.0) < share for label in self.labels)

    def scores(self, weights: Floats, values: Floats) -> Floats:
        """The scores of the distribution function at the quantiles, for Woodruff's interval."""
        below = (self.columns <= values).astype(np.float64)
        shares = (weights @ below) / weights.sum()
        found: Floats = (below - shares) * (weights / weights.sum())[:, None]
        return found


@dataclass(frozen=True, eq=False)
class _BoundFunction(Bound):
    function: Callable[[Floats], Any]
    linearised: ClassVar[bool] = False

    def values(self, weights: Floats, n: int) -> Floats:
        found = np.array([np.atleast_1d(numbers_by(self.function, "function", one)) for one in weights])
        if found.shape[1:] != (len(self.labels),):
            raise UsageError(
                f"The function returns {counted(found[0].size, 'number')}, and {counted(len(self.labels), 'name')} for them "
                f"{agreeing(len(self.labels))} given.",
                "pass one name per number: names=[…].",
            )
        return found

    def scores(self, weights: Floats, values: Floats) -> Floats:
        raise DesignError(
            "A function of the weights is not linearised: its variance needs replicates.",
            "create replicates first with survey.replicated('jkn'), or use a contrast of means and totals.",
        )


@published
@dataclass(frozen=True)
class Mean(Statistic):
    """The mean of a numeric column; the share of each value of a text column."""

    column: str

    def bind(self, table: pl.DataFrame, missing: bool) -> Bound:
        """Look the column up.

        Parameters
        ----------
        table
            The rows of the survey.
        missing
            Whether rows without a value are left outside the domain; else they are refused.

        Returns
        -------
        Bound
            The statistic, ready to be computed under weights.
        """
        return _BoundMean(*_of_column("mean", self.column, table, missing))


@published
@dataclass(frozen=True)
class Total(Statistic):
    """The total of a numeric column; the count of each value of a text column."""

    column: str

    def bind(self, table: pl.DataFrame, missing: bool) -> Bound:
        """Look the column up.

        Parameters
        ----------
        table
            The rows of the survey.
        missing
            Whether rows without a value are left outside the domain; else they are refused.

        Returns
        -------
        Bound
            The statistic, ready to be computed under weights.
        """
        return _BoundTotal(*_of_column("total", self.column, table, missing))


@published
@dataclass(frozen=True)
class Ratio(Statistic):
    """The ratio of two totals, numerator over denominator."""

    numerator: str
    denominator: str

    def bind(self, table: pl.DataFrame, missing: bool) -> Bound:
        """Look up both columns.

        Parameters
        ----------
        table
            The rows of the survey.
        missing
            Whether rows without a value are left outside the domain; else they are refused.

        Returns
        -------
        Bound
            The statistic, ready to be computed under weights.
        """
        columns = [numbers_of(table, name, "ratio", missing) for name in (self.numerator, self.denominator)]
        label = Label("ratio", self.numerator, denominator=self.denominator)
        return _BoundRatio((label,), *_filled(np.stack(columns, axis=1)))


@published
@dataclass(frozen=True)
class Variance(Statistic):
    """The variance of a column in the population."""

    column: str

    def bind(self, table: pl.DataFrame, missing: bool) -> Bound:
        """Look the column up.

        Parameters
        ----------
        table
            The rows of the survey.
        missing
            Whether rows without a value are left outside the domain; else they are refused.

        Returns
        -------
        Bound
            The statistic, ready to be computed under weights.
        """
        values = numbers_of(table, self.column, "variance", missing)
        return _BoundVariance((Label("variance", self.column),), *_filled(values[:, None]))


@published
@dataclass(frozen=True)
class Quantile(Statistic):
    """Quantiles of a column at one share p or several, by a rule of `weighted_quantile`."""

    column: str
    p: float | tuple[float, ...] = 0.5
    rule: QuantileRule = "math"

    def bind(self, table: pl.DataFrame, missing: bool) -> Bound:
        """Look the column up.

        Parameters
        ----------
        table
            The rows of the survey.
        missing
            Whether rows without a value are left outside the domain; else they are refused.

        Returns
        -------
        Bound
            The statistic, ready to be computed under weights.
        """
        shares = (self.p,) if isinstance(self.p, int | float) else tuple(self.p)
        wrong = [one for one in shares if not 0 < one < 1]
        if wrong or not shares:
            raise UsageError((
                f"A quantile needs a share between 0 and 1, got {wrong[0] if wrong else 'none'!r}."
            ), (
                "use 0.5 for the median."
            ))  # fmt: skip
        values = numbers_of(table, self.column, "quantile", missing)
        labels = tuple(Label("quantile", self.column, p=float(one)) for one in shares)
        return BoundQuantile(labels, *_filled(values[:, None]), self.rule)


@published
@dataclass(frozen=True)
class Function(Statistic):
    """Any function of the weights of the rows that returns one number or several, with names; its variance needs replicates."""

    function: Callable[[Floats], Any]
    names: tuple[str, ...] = ("function",)

    def bind(self, table: pl.DataFrame, missing: bool) -> Bound:
        """Prepare the function for calls with a weight for each row.

        Parameters
        ----------
        table
            The rows of the survey.
        missing
            Not used; the function itself handles missing values.

        Returns
        -------
        Bound
            The function, ready to be computed under weights.
        """
        labels = tuple(Label("function", name) for name in self.names)
        rows = table.height
        return _BoundFunction(labels, np.zeros((rows, 0)), np.ones(rows, dtype=np.bool_), self.function)


def _of_column(
    kind: Kind, name: str, table: pl.DataFrame, missing: bool
) -> tuple[tuple[Label, ...], Floats, npt.NDArray[np.bool_]]:
    """A numeric column unchanged, or a text column as an indicator of each value."""
    if is_numeric(table, name, kind):
        values, there = _filled(numbers_of(table, name, kind, missing)[:, None])
        share = kind == "mean" and bool(np.isin(values[there], (0.0, 1.0)).all())
        return (Label(kind, name, share=share),), values, there
    there = np.ones(table.height, dtype=np.bool_)
    if missing:
        there = table[name].is_not_null().to_numpy()
    levels, codes = labels_of(table.filter(there), name, kind)
    shown = np.zeros((table.height, len(levels)))
    shown[np.flatnonzero(there), codes] = 1.0
    return tuple(Label(kind, name, level, share=kind == "mean") for level in levels), shown, there


def _filled(values: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    there: npt.NDArray[np.bool_] = np.asarray(~np.isnan(values).any(axis=1))
    return np.where(there[:, None], values, 0.0), there


def _divided(above: Floats, below: Floats) -> Floats:
    found: Floats = np.divide(above, below, out=np.full(above.shape, np.nan), where=below != 0)
    return found
