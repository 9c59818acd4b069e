"""Surveys: weighted tables with units and strata, and estimates from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt

from proband.designs import StratifiedDesign
from proband.designs.stratified import Centre
from proband.engine.arguments import asked, published
from proband.engine.foreign import complete_from
from proband.engine.labels import Labels, aligned, labels_of
from proband.engine.limits import Drawn, Freedom, Level, Rho, Seed, Share, Within
from proband.errors import Hint, InputError, UsageError
from proband.inference.survey import adjusting
from proband.inference.survey.columns import Flags, Floats, numbers_of
from proband.inference.survey.estimating import estimate_statistics
from proband.inference.survey.intervals import DesignEffect, Interval, SurveyOptions
from proband.inference.survey.known_totals import Known, cells_known, margins_known, matrix_known
from proband.inference.survey.layout import stages_of
from proband.inference.survey.quantiles import QuantileInterval, QuantileRule
from proband.inference.survey.replication import (
    ReplicateKind,
    ReplicateMethod,
    ReplicateWeights,
    design_called,
    given_weights,
    replicate_weights,
)
from proband.inference.survey.results import SurveyEstimates
from proband.inference.survey.sampling import Sample
from proband.inference.survey.stages import Lonely, Stages
from proband.inference.survey.statistics import Function, Mean, Quantile, Ratio, Statistic, Total, Variance
from proband.samples.expressions import compile_expression
from proband.samples.reading import filled_frame
from proband.samples.table import evaluate
from proband.words import Note, Sentence, agreeing, count, counted

Missing = Literal["error", "drop"]
_EQUAL = Sentence(
    "survey.equal-weights", "note", "no weights were specified, so all rows are weighted equally"
)
_FROM_FPC = Sentence(
    "survey.weights-from-fpc",
    "note",
    "weights are the population sizes divided by the numbers of sampled units, stage by stage",
)
_ZERO = Sentence(
    "survey.zero-weights", "note", "{n:count row has/rows have} weight 0 and {n:word is/are} ignored"
)


@published
@dataclass(frozen=True, eq=False)
class Survey:
    """Rows of a table with sampling weights and a sampling design: strata, units within strata, and units within units.

    Standard errors are linearised (Taylor) unless `replicated` or `with_replicate_weights` says otherwise; `poststratified`,
    `raked` and `calibrated` adjust the weights to known totals. These methods return a new survey.

    Parameters
    ----------
    frame
        A table with one row per observation (a probe): a pandas or polars frame, or a mapping of columns.
    weights
        Column of the weights: the number of rows of the population that a row represents. Default: population sizes divided by sampled
        units if `fpc` has population sizes, otherwise equal weights.
    strata
        Column of the strata, from each of which units were sampled. Default: one stratum.
    units
        Column of the primary sampling units (people, sites), or several: units, units within these, and so on. Default: rows.
    fpc
        For each stage, the column of the number of units of the stratum (or of the unit of the previous stage) in the
        population, or of the sampling fraction: the finite-population correction. Default: sampling with replacement.
    nest
        Whether unit numbers restart in every stratum, so that unit 1 of one stratum is not unit 1 of another.
    lonely
        The contribution of a stratum with one unit to the variance: ``fail`` raises an error; ``certainty`` adds nothing;
        ``adjust`` uses the distance from the overall mean; ``average`` uses the mean of the other strata.

    Examples
    --------
    The mean of four people drawn in two strata of 10 and 20 people, with two probes each:

    >>> table = {
    ...     "hit": [1, 1, 1, 0, 0, 0, 1, 0],
    ...     "person": ["a", "a", "b", "b", "c", "c", "d", "d"],
    ...     "site": ["x"] * 4 + ["y"] * 4,
    ...     "people": [10] * 4 + [20] * 4,
    ... }
    >>> Survey(table, strata="site", units="person", fpc="people").mean("hit")
    hit: 0.416667 ± 0.1748 [0.0426468, 0.9197]
    >>> Survey(table, strata="site", units="person").replicated("brr")
    Survey(8 rows, 4 units in 2 strata, balanced repeated replication)
    """

    frame: Any
    weights: str | None = None
    strata: str | None = None
    units: str | Sequence[str] = ()
    fpc: str | Sequence[str] = ()
    nest: bool = False
    lonely: Lonely = "fail"
    _replication: StratifiedDesign | ReplicateWeights | None = field(default=None, init=False, repr=False)
    _seed: int = field(default=0, init=False, repr=False)
    _known: tuple[Known, ...] = field(default=(), init=False, repr=False)
    _domain: Flags | None = field(default=None, init=False, repr=False)
    _labels: Labels | range = field(default=(), init=False, repr=False)

    def __post_init__(self) -> None:
        table, labels = filled_frame(self.frame), labels_of(self.frame)
        object.__setattr__(self, "_labels", labels or range(table.height))
        object.__setattr__(self, "frame", table)
        for name in ("units", "fpc"):
            given = getattr(self, name)
            object.__setattr__(self, name, (given,) if isinstance(given, str) else tuple(given))
        if self.fpc and len(self.fpc) != max(len(self.units), 1):
            raise UsageError(
                f"There {agreeing(len(self.fpc))} {counted(len(self.fpc), 'column')} of populations for "
                f"{counted(max(len(self.units), 1), 'stage')} of units.",
                Hint(
                    "name one column per stage, {option:fpc}, or only the units of the stages that have one."
                ),
            )
        _ = self.stages, self.adjustments  # errors in the table are raised now

    def __repr__(self) -> str:
        first = self.stages.first
        replicates = self.replicate_weights
        return (
            f"Survey({counted(self.frame.height, 'row')}, {counted(len(first.strata), 'unit')} in "
            f"{counted(len(first.names), 'stratum', 'strata')}, {'Taylor linearisation' if replicates is None else replicates.method})"
        )

    @cached_property
    def stages(self) -> Stages:
        """The units of every stage within their strata."""
        return stages_of(self.frame, self.strata, tuple(self.units), tuple(self.fpc), self.nest, self.lonely)

    @cached_property
    def base_weights(self) -> Floats:
        """The weights of rows before any adjustment."""
        if self.weights is not None:
            found = numbers_of(self.frame, self.weights, "weights")
            if (found < 0).any() or not found.sum() > 0:
                row = int(found.argmin())
                raise InputError(
                    f"The weight in row {count(row + 1)} of {self.weights!r} is negative."
                    if found[row] < 0
                    else f"All weights in {self.weights!r} are 0.",
                    "use weights that give the number of rows of the population each row represents.",
                )
            return found
        found = np.ones(self.frame.height)
        for stage in self.stages.stages if self.fpc else ():
            assert stage.populations is not None  # every stage has a column
            if np.isfinite(stage.populations).all():
                found = found * (stage.populations / stage.sizes)[stage.strata][stage.codes]
        return found

    @cached_property
    def adjustments(self) -> tuple[adjusting.Fitted, ...]:
        """Post-stratification, raking and calibration, in the order of application."""
        made: list[adjusting.Fitted] = []
        weights = self.base_weights
        for one in self._known:
            fitted = one.fitted(weights)
            made.append(fitted)
            weights = fitted.weights
        return tuple(made)

    @property
    def final_weights(self) -> Floats:
        """The weights of rows after all adjustments."""
        return self.adjustments[-1].weights if self.adjustments else self.base_weights

    @cached_property
    def replicate_weights(self) -> ReplicateWeights | None:
        """The replicates for variances; None for linearised variances."""
        if isinstance(self._replication, StratifiedDesign):
            return replicate_weights(self._replication, self.stages, self._seed)
        return self._replication

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on the weights."""
        found: list[Note] = []
        if self.weights is None:
            found.append(_FROM_FPC() if self.fpc else _EQUAL())
        empty = int((self.base_weights == 0).sum())
        found += [_ZERO(n=empty)] if empty else []
        return (*found, *(note for one in self.adjustments for note in one.notes))

    @property
    def degrees_of_freedom(self) -> float:
        """Units minus strata; for replicates, the rank of the replicate weights minus one."""
        return Sample.of(self).freedom(self.inside)

    def _in_order(self, data: Any, what: str) -> Any:
        """A pandas column or frame in the order of the table, by row labels."""
        return aligned({f"the {what}": data}, self._labels)[f"the {what}"]

    def _with(self, **changes: Any) -> Survey:
        """A copy of the survey with some settings changed."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        for name in ("adjustments", "replicate_weights"):  # rebuilt with the changes
            made.__dict__.pop(name, None)
        made.__dict__.update(changes)
        _ = made.adjustments
        return made

    @property
    def inside(self) -> Flags:
        """The rows of the domain: all rows, unless restricted by `within`."""
        return np.ones(self.frame.height, dtype=np.bool_) if self._domain is None else self._domain

    def replicated(
        self,
        design: StratifiedDesign | ReplicateMethod = "jkn",
        *,
        rho: Rho = 0.5,
        n_resamples: Drawn = 2_000,
        centre: Centre = "estimate",
        seed: Seed = 0,
    ) -> Survey:
        """Use standard errors from replicates over the primary units, adjusted to the same totals as the sample.

        Parameters
        ----------
        design
            ``jk1``, ``jkn``, ``brr``, ``fay`` or ``bootstrap`` (Rao & Wu), or a design such as `proband.designs.Fay`.
        rho, n_resamples, centre
            The factor of Fay's method; the number of bootstrap replicates; whether deviations are from the ``estimate`` (R's mse=TRUE)
            or from the ``mean`` of the replicates (mse=FALSE).
        seed
            The seed of random designs, such as the bootstrap.

        Returns
        -------
        Survey
            A survey like this one, with replicates.
        """
        made = (
            design_called(design, rho=rho, n_resamples=n_resamples, centre=centre)
            if isinstance(design, str)
            else design
        )
        return self._with(_replication=made, _seed=seed)

    def with_replicate_weights(
        self,
        weights: Any,
        kind: ReplicateKind = "other",
        *,
        scale: Annotated[float, Within(gt=0)] | None = None,
        rscales: Sequence[float] | None = None,
        rho: Rho | None = None,
        combined: bool = True,
        centre: Centre = "estimate",
        degrees_of_freedom: Freedom | None = None,
    ) -> Survey:
        """Use standard errors from replicate weights supplied with the data, as in R's svrepdesign.

        Parameters
        ----------
        weights
            Columns of the table, or an array (rows × replicates).
        kind
            The kind of replicate weights, which determines the scale of squared deviations: ``brr``, ``fay`` (with `rho`),
            ``jk1``, ``jkn`` (with `rscales`), ``jk2``, ``bootstrap``, ``successive-difference``, or ``other`` with `scale` and
            `rscales`.
        scale, rscales
            The factor of all squared deviations (default: from `kind`), and the factor of each (default: 1).
        rho
            For Fay's method: the factor of the reduced weights, from 0 to below 1.
        combined
            Whether replicate weights include the sampling weights, or are factors of them.
        centre
            Whether deviations are from the ``estimate`` (R's mse=TRUE) or from the ``mean`` of the replicates.
        degrees_of_freedom
            The degrees of freedom; by default, the rank of the replicate weights minus one.

        Returns
        -------
        Survey
            A survey like this one, with these replicate weights.
        """
        if isinstance(weights, list | tuple) and all(isinstance(one, str) for one in weights):
            columns = [numbers_of(self.frame, one, "replicate_weights") for one in weights]
            matrix = np.stack(columns, axis=1) if columns else np.empty((self.frame.height, 0))
        else:
            matrix = complete_from(self._in_order(weights, "replicate weights"), "replicate weights")
            if matrix.dtype.kind not in "biuf":
                raise UsageError(f"Replicate weights must be numbers; got {matrix.dtype}.")
            matrix = matrix.astype(np.float64)
        if matrix.ndim != 2 or len(matrix) != self.frame.height:
            raise UsageError(
                f"Replicate weights must be a matrix of {count(self.frame.height)} rows, one column for "
                f"each replicate; got {' × '.join(map(count, matrix.shape))}."
            )
        given = given_weights(
            matrix,
            kind,
            scale=scale,
            rscales=rscales,
            rho=rho,
            combined=combined,
            centre=centre,
            freedom=degrees_of_freedom,
        )
        return self._with(_replication=given)

    def poststratified(self, totals: Any, columns: str | Sequence[str] | None = None) -> Survey:
        """Scale weights so that cells have known totals (R's postStratify).

        Parameters
        ----------
        totals
            A mapping from cell to total (``{"f": 510, "m": 490}``, cells of several columns as tuples), or a table with these
            columns and a column of totals.
        columns
            The columns that define the cells; required with a mapping unless they are clear.

        Returns
        -------
        Survey
            A survey like this one, with post-stratified weights.
        """
        known = cells_known(self.frame, totals, columns)
        return self._with(_known=(*self._known, known))

    def raked(
        self,
        margins: Any,
        *,
        epsilon: Annotated[float, Within(gt=0)] | None = None,
        max_rounds: Annotated[int, Within(ge=1, le=1_000_000)] = 200,
    ) -> Survey:
        """Scale weights to the margins in turn until all have known totals (R's rake).

        Parameters
        ----------
        margins
            A mapping from column to its totals: ``{"sex": {"f": 510, "m": 490}, "age": {…}}``; or tables, one for each margin.
        epsilon, max_rounds
            Raking ends when no cell of the crossed table changes by `epsilon`: a share of the sum of weights if below 1,
            otherwise a number; default 1e-9. R's default is 1, in at most 10 rounds.

        Returns
        -------
        Survey
            A survey like this one, with raked weights.
        """
        known = margins_known(self.frame, margins, epsilon, max_rounds)
        return self._with(_known=(*self._known, known))

    def calibrated(
        self, totals: Mapping[str, Any], size: Annotated[float, Within(gt=0)] | None = None
    ) -> Survey:
        """Multiply weights by factors that are linear in columns, so that these have known totals (R's calibrate, linear).

        Parameters
        ----------
        totals
            For a numeric column its total, for a text column a mapping from value to count.
        size
            The population size: R's ``(Intercept)``. Text columns also determine it.

        Returns
        -------
        Survey
            A survey like this one, with calibrated weights.
        """
        known = matrix_known(self.frame, totals, size)
        return self._with(_known=(*self._known, known))

    def within(self, condition: str | npt.ArrayLike) -> Survey:
        """Restrict estimates to a part of the population: other rows stay in the variance, with weight 0.

        Parameters
        ----------
        condition
            A condition on the columns (``"age >= 60"``), or true or false for each row. Rows for which the condition is null
            are outside.

        Returns
        -------
        Survey
            A survey like this one, with estimates for this part.
        """
        if isinstance(condition, str):
            met = evaluate(self.frame, compile_expression(condition, self.frame.schema), condition)
            inside = met.fill_null(False).to_numpy().astype(np.bool_)
        else:
            inside = complete_from(self._in_order(condition, "domain"), "values of the domain")
        if inside.dtype != np.bool_ or inside.shape != (self.frame.height,):
            raise UsageError(
                f"A domain must be true or false for each of the {count(self.frame.height)} rows."
            )
        if not inside.any():
            raise UsageError(
                "No row is in the domain."
                if not isinstance(condition, str)
                else f"No row satisfies {condition!r}."
            )
        return self._with(_domain=inside & self.inside)

    def estimate(
        self,
        *statistics: Statistic,
        by: str | Sequence[str] = (),
        differences: bool = False,
        confidence_level: Level = 0.95,
        interval: Interval = "auto",
        degrees_of_freedom: Freedom | None = None,
        design_effect: DesignEffect = "none",
        quantile_interval: QuantileInterval = "mean",
        missing: Missing = "error",
    ) -> SurveyEstimates:
        """Estimate statistics with their covariance.

        Parameters
        ----------
        statistics
            `Mean`, `Total`, `Ratio`, `Variance`, `Quantile`, `Function` of `proband.inference.survey`.
        by
            Columns whose values define domains; rows outside a domain have weight 0, as in R's svyby.
        differences
            Whether to compare every two domains, for each statistic.
        confidence_level
            The level of the intervals.
        interval
            ``auto``: Wilson's interval with effective units for shares (means of columns of 0 and 1, and of text columns), as
            for rates of people within strata; ``t`` for all others. ``t`` (Student's, symmetric, R's confint), ``normal``; for
            shares also ``logit``, ``asin`` and ``beta``, as R's svyciprop.
        degrees_of_freedom
            Default: units minus strata, among those with a row in the domain; for replicates, the rank of the weights minus
            one.
        design_effect
            ``with-replacement`` (R's deff="replace"), ``without-replacement`` (deff=TRUE) or ``none``.
        quantile_interval
            The interval of the share below a quantile (Woodruff): ``mean``, ``logit``, ``asin``, ``beta``; or ``replicates``.
        missing
            Whether missing values raise an error, or are left out of the domain (``drop``, R's na.rm=TRUE).

        Returns
        -------
        SurveyEstimates
            The estimates with their covariance.
        """
        if not statistics:
            raise UsageError("No statistics were requested.", "pass statistics: Mean('y'), Total('y'), …")
        columns = (by,) if isinstance(by, str) else tuple(by)
        options = SurveyOptions(
            confidence_level,
            interval,
            degrees_of_freedom,
            design_effect,
            quantile_interval,
            missing == "drop",
        )
        return estimate_statistics(self, statistics, columns, differences, options)

    def mean(self, *columns: str, **options: Any) -> SurveyEstimates:
        """Estimate means of numeric columns; shares of the values of text columns.

        Parameters
        ----------
        columns
            Numeric or text columns.
        options
            Options of `estimate`, by name: ``by``, ``confidence_level``, ``missing``, …

        Returns
        -------
        SurveyEstimates
            The estimates with their covariance.
        """
        return asked(Survey.estimate, self, *map(Mean, columns), **options)

    def total(self, *columns: str, **options: Any) -> SurveyEstimates:
        """Estimate totals of numeric columns; counts of the values of text columns.

        Parameters
        ----------
        columns
            Numeric or text columns.
        options
            Options of `estimate`, by name: ``by``, ``confidence_level``, ``missing``, …

        Returns
        -------
        SurveyEstimates
            The estimates with their covariance.
        """
        return asked(Survey.estimate, self, *map(Total, columns), **options)

    def ratio(self, numerator: str, denominator: str, **options: Any) -> SurveyEstimates:
        """Estimate the ratio of two totals.

        Parameters
        ----------
        numerator, denominator
            Two numeric columns.
        options
            Options of `estimate`, by name: ``by``, ``confidence_level``, ``missing``, …

        Returns
        -------
        SurveyEstimates
            The estimates with their covariance.
        """
        return asked(Survey.estimate, self, Ratio(numerator, denominator), **options)

    def variance(self, *columns: str, **options: Any) -> SurveyEstimates:
        """Estimate variances of columns in the population.

        Parameters
        ----------
        columns
            Numeric columns.
        options
            Options of `estimate`, by name: ``by``, ``confidence_level``, ``missing``, …

        Returns
        -------
        SurveyEstimates
            The estimates with their covariance.
        """
        return asked(Survey.estimate, self, *map(Variance, columns), **options)

    def quantile(
        self, column: str, p: Share | Sequence[Share] = 0.5, rule: QuantileRule = "math", **options: Any
    ) -> SurveyEstimates:
        """Estimate quantiles of a column, with Woodruff's interval.

        Parameters
        ----------
        column
            A numeric column.
        p
            One share between 0 and 1 or several; 0.5 is the median.
        rule
            The quantile rule, as in R's svyquantile: ``math``, ``school``, or ``hf1`` to ``hf9``.
        options
            Options of `estimate`, by name: ``by``, ``confidence_level``, ``missing``, …

        Returns
        -------
        SurveyEstimates
            The estimates with their covariance.
        """
        shares = p if isinstance(p, int | float) else tuple(p)
        return asked(Survey.estimate, self, Quantile(column, shares, rule), **options)

    def function(
        self, function: Callable[[Floats], Any], names: Sequence[str] = ("function",), **options: Any
    ) -> SurveyEstimates:
        """Estimate any function of the weights of rows, from replicates.

        Parameters
        ----------
        function
            A function of an array of the weights of rows that returns a number, or one number for each of `names`.
        names
            The names of the numbers.
        options
            Options of `estimate`, by name: ``by``, ``confidence_level``, ``missing``, …

        Returns
        -------
        SurveyEstimates
            The estimates with their covariance.
        """
        return asked(Survey.estimate, self, Function(function, tuple(names)), **options)
