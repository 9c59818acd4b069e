"""The outcomes of a table that are to be explained: a row for each trial, with weights, clusters and strata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.errors import DesignError, Hint, InputError, UsageError, first_few
from proband.inference.covariates.formula import Formula
from proband.inference.covariates.linearized import Linearized
from proband.inference.covariates.regression import Fit, Floats
from proband.inference.covariates.results import Outcome
from proband.inference.covariates.sandwich import Covariance, Sandwich
from proband.inference.covariates.values import Called, CovariateRows, table_rows
from proband.inference.survey.columns import Integers, column_of, labels_of
from proband.inference.survey.stages import Stages
from proband.inference.survey.survey import Survey
from proband.results.base import Answers, Facts
from proband.results.targets import derived
from proband.words import Note, SampledColumn, Sentence, Target, agreeing, count, counted, given, out_of

_MIX = Target("covariate-mix-of-rows", "the other covariates of these rows")
_CLUSTERS = Target("clusters-of-rows", "new clusters, with the same number of rows each")
_ROWS = Target("rows-of-table", "new rows, independent of each other")
_UNITS = Target("survey-units", "other samples of units from the same strata of the population")
_LOGISTIC = "{} are independent, and log odds of success are linear in the covariates"
_LINEAR = "{} are independent, and the mean outcome is linear in the covariates"
_LEFT_OUT = Sentence(
    "covariates.incomplete-rows",
    "caution",
    "{n:count row} of {total:count} {n:word lacks/lack} a covariate ({lacking:counts}) and "
    "{n:word was/were} left out; {n:word its/their} mean outcome is {rate:rate}, compared with "
    "{others:rate} for the others",
)
_NUMBER = Sentence(
    "covariates.number",
    "note",
    "outcomes in {column} are not all 0 or 1, so their mean is modelled by linear regression",
)
_WEIGHTED = Sentence(
    "covariates.weighted",
    "note",
    "rows are weighted by {column} in the regression, the rates and the differences; quartiles of "
    "covariates are unweighted",
)
_UNWEIGHTED = Sentence(
    "covariates.zero-weights", "note", "{n:count row has/rows have} weight 0 and {n:word is/are} ignored"
)
_INDEPENDENT = Sentence(
    "covariates.no-clusters",
    "caution",
    "no clusters were specified, so all rows are treated as independent",
)
_STRATIFIED = Sentence(
    "covariates.stratified", "note", "{units:count} {what} were drawn within {strata:count stratum/strata}"
)


@dataclass(frozen=True, eq=False)
class TableTrials:
    """The rows of a table that are to be explained.

    Attributes
    ----------
    table
        A row for each trial.
    success, cluster, weights_column, strata
        Its columns: the outcome, what rows share, how much they count, and what clusters were drawn within.
    rank, fmr, thresholds, algorithms, facts
        Those of scores, which a table has not.
    """

    table: pl.DataFrame
    success: str
    cluster: str | None = None
    weights_column: str | None = None
    strata: str | None = None

    rank: ClassVar[None] = None
    fmr: ClassVar[None] = None
    thresholds: ClassVar[tuple[float | None, ...]] = ()
    algorithms: ClassVar[tuple[str, ...]] = ()
    facts: ClassVar[tuple[Facts, ...]] = ()

    @cached_property
    def values(self) -> tuple[Floats]:
        """The outcome of every row; refused where one is missing, or no number."""
        column = column_of(self.table, self.success, "success")
        if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
            shown = column.drop_nulls()
            raise InputError(
                f"Outcomes in {self.success!r} must be 1 for a success and 0 for a failure, or numbers; got "
                f"{f'{shown[0]!r}' if len(shown) else 'nothing'}.",
                Hint("specify the column of outcomes: {option:success}"),
            )
        found = column.cast(pl.Float64).fill_nan(None)
        if found.null_count():
            raise InputError(
                f"{out_of(found.null_count(), len(found))} outcomes in {self.success!r} {agreeing(found.null_count())} missing, first in row "
                f"{count(int(found.is_null().arg_max() or 0) + 1)}.",
                "leave these rows out, or replace missing outcomes by 0.",
            )
        made: Floats = found.to_numpy().astype(np.float64)
        if not np.isfinite(made).all():
            row = int((~np.isfinite(made)).argmax()) + 1
            raise InputError(f"The outcome in row {count(row)} of {self.success!r} is infinite.")
        return (made,)

    @property
    def outcome(self) -> Outcome:
        """Successes and failures, or numbers."""
        return "success" if np.isin(self.values[0], (0.0, 1.0)).all() else "number"

    @cached_property
    def weights(self) -> Floats | None:
        """How much every row counts; None where all count the same."""
        if self.weights_column is None:
            return None
        return Survey(self.table, weights=self.weights_column).base_weights

    @property
    def called(self) -> Called:
        """What rows and units are."""
        return Called("row", "row", "rows") if self.cluster is None else Called("row", "cluster", "clusters")

    @cached_property
    def _units(self) -> Integers:
        if self.cluster is None:
            return np.arange(self.table.height)
        return labels_of(self.table, self.cluster, "cluster")[1]

    def rows(self, model: Formula, incomplete: str) -> CovariateRows:
        """The covariates of the rows that count."""
        if any(one.column == self.success for one in model.covariates):
            raise UsageError(
                f"{self.success!r} is the outcome, so it cannot be a covariate.", "leave it out of the model."
            )
        counting = np.full(self.table.height, True) if self.weights is None else self.weights > 0
        return table_rows(self.table, self._units, counting, model, incomplete, self.called)

    def kept(self, which: Sequence[npt.NDArray[np.bool_]]) -> Floats:
        """The outcomes of some rows."""
        return self.values[0][which[0]]

    def require_both(self, y: Floats) -> None:
        """Refuse outcomes that are all alike."""
        if np.ptp(y) == 0:
            raise DesignError(
                f"All {count(len(y))} outcomes in {self.success!r} are {given(float(y[0]))}: there is "
                "nothing to explain.",
                Hint("use another column: {option:success}"),
            )

    def sandwich(self, fit: Fit, rows: CovariateRows, covariance: Covariance) -> Sandwich:
        """How sure a regression is over clusters, or over units drawn within strata."""
        if covariance != "survey":
            if self.strata is not None:
                raise UsageError(
                    f"{covariance} does not use strata.",
                    Hint("pass {option:covariance=survey}, or leave out {option:strata}."),
                )
            return Sandwich(fit, rows.person, covariance)
        stages = self._stages()
        made = Linearized(fit, rows.person, covariance, stages=stages, inside=rows.kept[0])
        if made.freedom(np.empty(0)) < 1:
            first = stages.first
            raise DesignError(
                f"{counted(len(first.strata), self.called.unit, self.called.units)} in "
                f"{counted(len(first.names), 'stratum', 'strata')} are too few to estimate "
                f"{count(fit.x.shape[1])} coefficients.",
                "use fewer covariates, or merge strata.",
            )
        return made

    def _stages(self) -> Stages:
        """The units within strata; refused where a unit is in two, or alone in one."""
        if self.strata is None:
            return self._drawn
        names, within = labels_of(self.table, self.strata, "strata")
        pairs = np.unique(np.column_stack([self._units, within]), axis=0)
        twice = np.flatnonzero(np.bincount(pairs[:, 0]) > 1)
        if len(twice):
            assert self.cluster is not None  # a row is in one stratum
            known = labels_of(self.table, self.cluster, "cluster")[0]
            raise InputError(
                f"{counted(len(twice), 'cluster is', 'clusters are')} in several strata of {self.strata!r}: {first_few([known[one] for one in twice])}.",
                "correct the strata, or use different cluster names in different strata: a cluster belongs "
                "to one stratum.",
            )
        alone = np.flatnonzero(np.bincount(pairs[:, 1]) == 1)
        if len(alone):
            raise DesignError(
                f"{counted(len(alone), 'stratum has', 'strata have')} one {self.called.unit}, so the "
                f"variance cannot be estimated: {first_few([names[one] for one in alone])}.",
                "merge strata.",
            )
        return self._drawn

    @property
    def _drawn(self) -> Stages:
        return Survey(self.table, strata=self.strata, units=self.cluster or ()).stages

    @property
    def sampling(self) -> tuple[SampledColumn, ...]:
        """A table of outcomes declares no sampling levels."""
        return ()

    def answers(self, covariance: Covariance) -> Answers:
        """What standardised rates are of, what varies, what stays and what is assumed."""
        units, linear = self.called.units, self.outcome == "number"
        key = f"{'linear' if linear else 'logistic'}-in-covariates-{units}"
        varying = _UNITS if covariance == "survey" else _ROWS if self.cluster is None else _CLUSTERS
        of = Target("mean-of-column", f"mean of {self.success}")
        if not linear:
            of = Target("rate-of-column", f"rate of {self.success}")
        assuming = Target(key, (_LINEAR if linear else _LOGISTIC).format(units))
        return Answers(derived("standardized", "standardised {}", of), varying, _MIX, assuming)

    def cautions(self, rows: CovariateRows, rate: float, model: Formula) -> list[Note]:
        """What was left out, and whether rows are taken for independent."""
        said = [] if self.cluster is not None else [_INDEPENDENT()]
        if len(rows.incomplete):
            own = self.values[0][rows.incomplete]
            weights = None if self.weights is None else self.weights[rows.incomplete]
            lost = float(np.average(own, weights=weights))
            total = len(rows.probe) + len(rows.incomplete)
            said.append(
                _LEFT_OUT(n=len(rows.incomplete), total=total, lacking=rows.lacking, rate=lost, others=rate)
            )
        return said

    @property
    def notes(self) -> list[Note]:
        """What else a reader should know of the rows."""
        said = [_NUMBER(column=self.success)] if self.outcome == "number" else []
        if self.weights is not None:
            said.append(_WEIGHTED(column=self.weights_column))
            empty = int((self.weights == 0).sum())
            said += [_UNWEIGHTED(n=empty)] if empty else []
        if self.strata is not None:
            first = self._drawn.first
            said.append(_STRATIFIED(units=len(first.strata), what=self.called.units, strata=len(first.names)))
        return said
