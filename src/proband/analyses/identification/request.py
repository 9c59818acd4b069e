"""Requests for identification."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from proband.engine.limits import Positive, Rank
from proband.study.requests.base import (
    DESIGNS,
    MEASURES,
    AnalysisRequest,
    Option,
    Reads,
    Several,
    Text,
)
from proband.study.requests.replication import Replication


class IdentificationRequest(AnalysisRequest, Replication):
    """Recognition rates and cumulative match curves, and any other measure with its interval."""

    ranks: Annotated[Several[Rank], Field(description="Ranks to show.")] = (1, 5, 10)
    weights: Annotated[
        Literal["probe", "person"],
        Field(
            description="Weighting of rates: every probe equally, or every person equally, whatever the number of probes."
        ),
    ] = "probe"
    measures: Annotated[
        Several[Text],
        Field(
            description="Additional measures, each with its interval: rank-20, median-rank@10, median-relative-rank, relative-rank@0.01, fnmr@0.001, auc, eer, "
            "or a plug-in's."
        ),
        Option(("--measure",), "NAME[@VALUE]"),
        MEASURES,
    ] = ()
    design: Annotated[
        Text,
        Field(
            description="Design for intervals of measures (by default the rates at the ranks shown): auto, binomial, "
            "clustered, bootstrap (people), bootstrap-probe, brr, fay, jackknife, rao-wu, or a plug-in's."
        ),
        DESIGNS,
    ] = "auto"
    population: Annotated[
        Positive | None,
        Field(
            description="Size of the population from which people were drawn without replacement. Default: infinite. "
            "For the designs auto, clustered and binomial."
        ),
        Option(metavar="N"),
    ] = None
    one_sided: Annotated[
        Literal["lower", "upper"] | None,
        Field(description="One-sided lower or upper bounds instead of intervals."),
    ] = None
    overlap: Annotated[
        bool,
        Field(description="Count the images and people that gallery and probe sets have in common."),
    ] = False

    relative_ranks: Annotated[
        bool,
        Field(description="Plot curves over rank / people in the gallery instead of rank."),
        Option(needs=("figure", "out", "report")),
    ] = False

    @property
    def reads(self) -> Reads:
        """Inputs: ranks, and compared pairs if a measure needs them."""
        from proband.measures import measure_named  # nothing heavy is imported before it is needed

        return Reads(ranks=True, pairs=any(measure_named(one).view == "pairs" for one in self.measured))

    @property
    def measured(self) -> tuple[str, ...]:
        """Measures of the table of measures: the measures named or, if a design is named, the rates at the ranks shown."""
        rates = () if self.design == "auto" else tuple(f"rank-{rank}" for rank in self.ranks)
        return self.measures or rates

    @property
    def category_use(self) -> Literal["possible"]:
        """Rates are reported by category if there are any."""
        return "possible"
