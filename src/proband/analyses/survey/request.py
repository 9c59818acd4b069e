"""What can be asked of a survey."""

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
_WANTED = Option(metavar="COLUMN", panel="What is estimated")
_KNOWN = Option(metavar="FILE", panel="Known totals")
_PANEL = "Variance"
_REPLICATED = tuple(f"method={name}" for name in ("jk1", "jkn", "brr", "fay", "bootstrap"))


class SurveyRequest(AnalysisRequest):
    """Estimates for a population from a sample with weights, strata and units."""

    table: Annotated[
        File | None,
        Field(description="Table with a row for each observation, such as a probe."),
        Option(panel="Data"),
    ] = None
    weights: Annotated[
        Text | None,
        Field(
            description="Column of weights: how many of the population a row stands for. Default: all alike, or by fpc."
        ),
        _COLUMN,
    ] = None
    strata: Annotated[Text | None, Field(description="Column of the strata that units were drawn in."), _COLUMN] = None  # fmt: skip
    units: Annotated[
        Several[Text],
        Field(
            description="Column of the units that were drawn (people, sites); again for units within these. Default: rows."
        ),
        _COLUMN,
    ] = ()
    fpc: Annotated[
        Several[Text],
        Field(
            description="For each stage, column of how many units a stratum has in the population, or of the fraction drawn. "
            "Default: drawn with replacement."
        ),
        _COLUMN,
    ] = ()
    nest: Annotated[
        bool,
        Field(description="Units are numbered anew in every stratum."),
        Option(panel="Data"),
        Needs("strata"),
        Needs("units"),
    ] = False
    where: Annotated[
        Text | None,
        Field(description="A condition on the columns: estimate for this part of the population."),
        Option(metavar="CONDITION", panel="Data"),
    ] = None
    missing: Annotated[
        Missing,
        Field(description="Rows without a value: refuse them, or leave them outside the domain (drop)."),
        Option(panel="Data"),
    ] = "error"
    mean: Annotated[
        Several[Text],
        Field(description="Columns whose means are estimated; of a column of names the share of each value."),
        _WANTED,
    ] = ()
    total: Annotated[
        Several[Text],
        Field(
            description="Columns whose totals are estimated; of a column of names how many have each value."
        ),
        _WANTED,
    ] = ()
    ratio: Annotated[
        Several[Text],
        Field(description="Ratios of two totals."),
        Option(metavar="COLUMN/COLUMN", panel="What is estimated"),
    ] = ()
    variance: Annotated[
        Several[Text], Field(description="Columns whose variance in the population is estimated."), _WANTED
    ] = ()
    quantile: Annotated[
        Several[Text],
        Field(description="Quantiles of columns; without a share the median."),
        Option(metavar="COLUMN[@SHARE]", panel="What is estimated"),
    ] = ()
    by: Annotated[
        Several[Text],
        Field(description="Columns whose values make domains, each with its estimates."),
        _WANTED,
    ] = ()
    differences: Annotated[
        bool,
        Field(description="Every two domains compared, with their covariance."),
        Option(panel="What is estimated"),
        Needs("by"),
    ] = False
    post_stratify: Annotated[
        File | None,
        Field(
            description="Totals of cells in the population: a table with their columns, and the totals last."
        ),
        _KNOWN,
    ] = None
    rake: Annotated[
        Several[File],
        Field(
            description="Margins of the population: a table with variable, level and total, or one for each margin, the totals last."
        ),
        _KNOWN,
    ] = ()
    calibrate: Annotated[
        File | None,
        Field(
            description="Totals of columns: variable, level and total; the level is empty for columns of numbers, and variable 1 is the "
            "number of all."
        ),
        _KNOWN,
    ] = None
    epsilon: Annotated[
        Annotated[float, Within(gt=0)] | None,
        Field(
            description="Raking ends when no cell changes by so much: below 1 a share of all, from 1 on a number; default: 1e-9."
        ),
        Option(panel="Known totals"),
        Needs("rake"),
    ] = None
    max_rounds: Annotated[
        Positive,
        Field(description="Raking ends after so many rounds at the latest."),
        Option(panel="Known totals"),
        Needs("rake"),
    ] = 200
    method: Annotated[
        Literal["taylor", "jk1", "jkn", "brr", "fay", "bootstrap"],
        Field(description="How variances are estimated: linearised, or by replicates over units."),
        Option(panel=_PANEL),
        Unless("replicate_weights"),
    ] = "taylor"
    rho: Annotated[
        Rho | None,
        Field(description="Fay's factor: what is kept of units left out; default: 0.5."),
        Option(panel=_PANEL),
        Needs("method=fay", "replicate_kind=fay"),
    ] = None
    n_resamples: Annotated[
        Drawn,
        Field(description="Replicates of the bootstrap."),
        Option(("--replicates",), panel=_PANEL),
        Needs("method=bootstrap"),
    ] = 2_000
    centre: Annotated[
        Literal["estimate", "mean"],
        Field(description="What squared deviations of replicates are from: R's mse=TRUE or FALSE."),
        Option(panel=_PANEL),
        Needs("replicate_weights", *_REPLICATED),
    ] = "estimate"
    replicate_weights: Annotated[
        Several[Text],
        Field(description="Columns of replicate weights that came with the data; * stands for anything."),
        Option(metavar="COLUMN|PATTERN*", panel=_PANEL),
    ] = ()
    replicate_kind: Annotated[
        Literal["brr", "fay", "jk1", "jkn", "jk2", "bootstrap", "successive-difference", "other"],
        Field(
            description="How they were made: brr, fay, jk1, jkn, jk2, bootstrap, successive-difference or other."
        ),
        Option(metavar="KIND", panel=_PANEL),
        Needs("replicate_weights"),
    ] = "other"
    scale: Annotated[
        Annotated[float, Within(gt=0)] | None,
        Field(description="What every squared deviation counts, instead."),
        Option(panel=_PANEL),
        Needs("replicate_weights"),
    ] = None
    rscales: Annotated[
        Sections[float],
        Field(description="What the squared deviation of each replicate counts, besides."),
        Option(panel=_PANEL),
        Needs("replicate_weights"),
    ] = ()
    combined: Annotated[
        bool,
        Field(description="Replicate weights are whole weights, or factors on the weights."),
        Option(panel=_PANEL),
        Needs("replicate_weights"),
    ] = True
    lonely: Annotated[
        Literal["fail", "adjust", "average", "certainty"],
        Field(
            description="What a stratum of one unit adds: it is refused; its distance from the mean of all; the mean of other strata; "
            "nothing."
        ),
        Option(panel=_PANEL),
        Needs("strata"),
    ] = "fail"
    interval: Annotated[
        Literal["auto", "t", "normal", "logit", "asin", "beta"],
        Field(
            description="Intervals: by the units that carry the variance for shares and Student's for all else (auto), Student's as in R (t), normal, or "
            "for shares on another scale."
        ),
        Option(panel=_PANEL),
    ] = "auto"
    degrees_of_freedom: Annotated[
        Freedom | None,
        Field(
            description="Of the intervals; default: units less strata, or the rank of the replicates less one."
        ),
        Option(panel=_PANEL),
    ] = None
    design_effect: Annotated[
        Literal["with-replacement", "without-replacement", "none"],
        Field(
            description="The variance over that of a simple random sample of as many rows, drawn with-replacement or without-replacement; or none."
        ),
        Option(("--deff",), "SAMPLE", _PANEL),
        Needs("mean", "total", "ratio", "variance"),
    ] = "with-replacement"
    quantile_rule: Annotated[
        Literal["math", "school", "hf1", "hf2", "hf3", "hf4", "hf5", "hf6", "hf7", "hf8", "hf9"],
        Field(description="The definition of a quantile, as R names them: math, school, hf1 to hf9."),
        Option(metavar="RULE", panel=_PANEL),
        Needs("quantile"),
    ] = "math"
    quantile_interval: Annotated[
        Literal["mean", "logit", "asin", "beta", "replicates"],
        Field(
            description="How the share below a quantile has its interval (Woodruff), or by replicates of the quantile."
        ),
        Option(panel=_PANEL),
        Needs("quantile"),
    ] = "mean"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.table is None:
            raise refuse("no table is named", Hint("name it: {option:table}"), "table")
        if not (self.mean or self.total or self.ratio or self.variance or self.quantile):
            raise refuse(
                "nothing is to be estimated",
                Hint("name a column: {option:mean}, {option:total}, {option:ratio}, {option:quantile}"),
                "mean",
            )
        if len(self.units) > 1 and not self.fpc:
            raise refuse(
                Hint("units within units have no effect without {option:fpc}: the first stage alone decides"),
                Hint("name the units of the first stage alone, or add {option:fpc} for each stage."),
                "units",
            )
        return self

    @property
    def reads(self) -> Reads:
        """What it reads: tables that it names."""
        return Reads(scores=False)
