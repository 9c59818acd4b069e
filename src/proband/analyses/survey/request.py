"""Requests for survey estimates."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from proband.engine.limits import (
    Drawn,
    Freedom,
    Rho,
    Within,
)
from proband.errors import Hint
from proband.marks import Needs, Unless
from proband.study.requests.base import (
    AnalysisRequest,
    File,
    Missing,
    Option,
    Positive,
    Reads,
    Sections,
    Several,
    Text,
    refuse,
)

_COLUMN = Option(metavar="COLUMN", panel="Data")
_WANTED = Option(metavar="COLUMN", panel="Estimates")
_KNOWN = Option(metavar="FILE", panel="Known totals")
_PANEL = "Variance"
_REPLICATED = tuple(f"method={name}" for name in ("jk1", "jkn", "brr", "fay", "bootstrap"))


class SurveyRequest(AnalysisRequest):
    """Estimates for a population from a sample with weights, strata and units."""

    table: Annotated[
        File | None,
        Field(description="Table with one row per observation, such as a probe."),
        Option(panel="Data"),
    ] = None
    weights: Annotated[
        Text | None,
        Field(
            description="Column of weights: number of population members a row represents. Default: equal weights, or weights from fpc."
        ),
        _COLUMN,
    ] = None
    strata: Annotated[Text | None, Field(description="Column of strata."), _COLUMN] = None  # fmt: skip
    units: Annotated[
        Several[Text],
        Field(description="Column of sampled units (people, sites); repeat for later stages. Default: rows."),
        _COLUMN,
    ] = ()
    fpc: Annotated[
        Several[Text],
        Field(
            description="For each stage, column of population sizes (units per stratum) or sampling fractions. "
            "Default: sampling with replacement."
        ),
        _COLUMN,
    ] = ()
    nest: Annotated[
        bool,
        Field(description="Unit labels are nested: they restart in every stratum."),
        Option(panel="Data"),
        Needs("strata"),
        Needs("units"),
    ] = False
    where: Annotated[
        Text | None,
        Field(
            description="Condition on the columns that selects a domain (part of the population) to estimate for."
        ),
        Option(metavar="CONDITION", panel="Data"),
    ] = None
    missing: Annotated[
        Missing,
        Field(description="Rows without a value: raise an error, or leave them outside the domain (drop)."),
        Option(panel="Data"),
    ] = "error"
    mean: Annotated[
        Several[Text],
        Field(description="Columns to estimate means of; for text columns, the share of each value."),
        _WANTED,
    ] = ()
    total: Annotated[
        Several[Text],
        Field(description="Columns to estimate totals of; for text columns, the count of each value."),
        _WANTED,
    ] = ()
    ratio: Annotated[
        Several[Text],
        Field(description="Ratios of two totals."),
        Option(metavar="COLUMN/COLUMN", panel="Estimates"),
    ] = ()
    variance: Annotated[
        Several[Text], Field(description="Columns to estimate population variances of."), _WANTED
    ] = ()
    quantile: Annotated[
        Several[Text],
        Field(description="Quantiles of columns; the median if no share is given."),
        Option(metavar="COLUMN[@SHARE]", panel="Estimates"),
    ] = ()
    by: Annotated[
        Several[Text],
        Field(description="Columns that define domains, each with its own estimates."),
        _WANTED,
    ] = ()
    differences: Annotated[
        bool,
        Field(description="Compare every pair of domains, accounting for their covariance."),
        Option(panel="Estimates"),
        Needs("by"),
    ] = False
    post_stratify: Annotated[
        File | None,
        Field(
            description="Known population totals of cells: a table of the cell columns, with totals in the last column."
        ),
        _KNOWN,
    ] = None
    rake: Annotated[
        Several[File],
        Field(
            description="Known population margins: a table with variable, level and total, or one table per margin with totals in the last column."
        ),
        _KNOWN,
    ] = ()
    calibrate: Annotated[
        File | None,
        Field(
            description="Known column totals: a table with variable, level and total; level is empty for numeric "
            "columns, and variable 1 is the population size."
        ),
        _KNOWN,
    ] = None
    epsilon: Annotated[
        Annotated[float, Within(gt=0)] | None,
        Field(
            description="Stop raking when no cell changes by more than this: a share of the total if below 1, otherwise a count. Default: 1e-9."
        ),
        Option(panel="Known totals"),
        Needs("rake"),
    ] = None
    max_rounds: Annotated[
        Positive,
        Field(description="Maximum number of raking rounds."),
        Option(panel="Known totals"),
        Needs("rake"),
    ] = 200
    method: Annotated[
        Literal["taylor", "jk1", "jkn", "brr", "fay", "bootstrap"],
        Field(description="Variance estimation: linearisation, or replicates over units."),
        Option(panel=_PANEL),
        Unless("replicate_weights"),
    ] = "taylor"
    rho: Annotated[
        Rho | None,
        Field(description="Fay's factor: weight kept by units left out. Default: 0.5."),
        Option(panel=_PANEL),
        Needs("method=fay", "replicate_kind=fay"),
    ] = None
    n_resamples: Annotated[
        Drawn,
        Field(description="Number of bootstrap replicates."),
        Option(("--replicates",), panel=_PANEL),
        Needs("method=bootstrap"),
    ] = 2_000
    centre: Annotated[
        Literal["estimate", "mean"],
        Field(
            description="Centre of the replicates' squared deviations: the estimate (R's mse=TRUE) or the mean of replicates (mse=FALSE)."
        ),
        Option(panel=_PANEL),
        Needs("replicate_weights", *_REPLICATED),
    ] = "estimate"
    replicate_weights: Annotated[
        Several[Text],
        Field(description="Columns of replicate weights supplied with the data; * matches any text."),
        Option(metavar="COLUMN|PATTERN*", panel=_PANEL),
    ] = ()
    replicate_kind: Annotated[
        Literal["brr", "fay", "jk1", "jkn", "jk2", "bootstrap", "successive-difference", "other"],
        Field(
            description="Method that produced the replicate weights: brr, fay, jk1, jkn, jk2, bootstrap, successive-difference or other."
        ),
        Option(metavar="KIND", panel=_PANEL),
        Needs("replicate_weights"),
    ] = "other"
    scale: Annotated[
        Annotated[float, Within(gt=0)] | None,
        Field(description="Overall scale for squared deviations, instead of the method's."),
        Option(panel=_PANEL),
        Needs("replicate_weights"),
    ] = None
    rscales: Annotated[
        Sections[float],
        Field(description="Additional scale for each replicate's squared deviation."),
        Option(panel=_PANEL),
        Needs("replicate_weights"),
    ] = ()
    combined: Annotated[
        bool,
        Field(description="Replicate weights are full weights, or factors applied to the weights."),
        Option(panel=_PANEL),
        Needs("replicate_weights"),
    ] = True
    lonely: Annotated[
        Literal["fail", "adjust", "average", "certainty"],
        Field(
            description="Strata with a single unit: raise an error, use the distance from the overall mean, use the "
            "mean of other strata, or contribute nothing."
        ),
        Option(panel=_PANEL),
        Needs("strata"),
    ] = "fail"
    interval: Annotated[
        Literal["auto", "t", "normal", "logit", "asin", "beta"],
        Field(
            description="Interval method: effective number of units for shares and Student's t otherwise (auto), "
            "Student's t as in R (t), normal, or another scale for shares."
        ),
        Option(panel=_PANEL),
    ] = "auto"
    degrees_of_freedom: Annotated[
        Freedom | None,
        Field(
            description="Degrees of freedom of the intervals. Default: units minus strata, or rank of the replicates minus one."
        ),
        Option(panel=_PANEL),
    ] = None
    design_effect: Annotated[
        Literal["with-replacement", "without-replacement", "none"],
        Field(
            description="Design effect: variance relative to a simple random sample of the same size, with-replacement or without-replacement; or none."
        ),
        Option(("--deff",), "SAMPLE", _PANEL),
        Needs("mean", "total", "ratio", "variance"),
    ] = "with-replacement"
    quantile_rule: Annotated[
        Literal["math", "school", "hf1", "hf2", "hf3", "hf4", "hf5", "hf6", "hf7", "hf8", "hf9"],
        Field(description="Definition of quantiles, as named in R: math, school, hf1 to hf9."),
        Option(metavar="RULE", panel=_PANEL),
        Needs("quantile"),
    ] = "math"
    quantile_interval: Annotated[
        Literal["mean", "logit", "asin", "beta", "replicates"],
        Field(
            description="Interval of quantiles: from the interval of the share below (Woodruff), or from replicates of the quantile."
        ),
        Option(panel=_PANEL),
        Needs("quantile"),
    ] = "mean"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.table is None:
            raise refuse("no table was given", Hint("pass {option:table}"), "table")
        if not (self.mean or self.total or self.ratio or self.variance or self.quantile):
            raise refuse(
                "nothing to estimate was given",
                Hint("name a column: {option:mean}, {option:total}, {option:ratio}, {option:quantile}"),
                "mean",
            )
        if len(self.units) > 1 and not self.fpc:
            raise refuse(
                Hint("units within units have no effect without {option:fpc}: the first stage alone decides"),
                Hint("name only the units of the first stage, or add {option:fpc} for each stage."),
                "units",
            )
        return self

    @property
    def reads(self) -> Reads:
        """Inputs: tables named in the request."""
        return Reads(scores=False)
