"""Requests for comparisons of algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from proband.engine.limits import (
    Adjustment,
    Margin,
)
from proband.errors import UsageError
from proband.marks import Needs, Unless
from proband.study.requests.base import (
    CHOICE,
    DESIGNS,
    MEASURES,
    Against,
    AnalysisRequest,
    ChosenPairs,
    Condition,
    File,
    OneSided,
    Option,
    Reads,
    Reference,
    Several,
    Text,
    refuse,
)
from proband.study.requests.replication import Replication
from proband.words import given

if TYPE_CHECKING:
    from proband.measures import Measure


class ComparisonRequest(AnalysisRequest, Replication):
    """A comparison of algorithms by one measure. Default: the rate at rank 1."""

    measure: Annotated[
        Text,
        Field(
            description="Measure to compare: rank-1 (any rank), fnmr@0.001, tar@0.001, eer, auc, median-rank@10, median-relative-rank, or a plug-in's."
        ),
        Option(metavar="NAME[@VALUE]"),
        MEASURES,
    ] = "rank-1"
    margin: Annotated[
        Margin | None,
        Field(description="Smallest difference that matters. Default for rates: 0.01 (one point)."),
    ] = None
    design: Annotated[
        Text,
        Field(
            description="Test of each pair: auto (accounts for several samples per person), sign-flip, obuchowski, "
            "durkalski, mcnemar, bootstrap (people), bootstrap-probe, brr, or a plug-in's."
        ),
        Option(("--test",)),
        DESIGNS,
        Unless("with_scores"),
    ] = "auto"
    by_category: Annotated[
        bool,
        Field(description="Also compare within each probe category."),
        Unless("with_scores"),
    ] = False
    adjust: Annotated[
        Adjustment,
        Field(
            description="Adjust intervals, p-values and verdicts for all pairs together (single-step), or not at all "
            "(none)."
        ),
    ] = "single-step"
    pairs: ChosenPairs = ()
    against: Annotated[Against, Unless("with_scores")] = None
    one_sided: OneSided = None

    with_scores: Annotated[
        Several[Reference],
        Field(
            description="Compare with a second set of different people instead, unpaired: its score files, [NAME=]FILE[::KEY], read like the first set's."
        ),
        Option(("--with",), "[NAME=]FILE[::KEY]", "Second set"),
    ] = ()
    with_samples: Annotated[
        File | None,
        Field(description="Table of samples of the second set. Default: the first set's."),
        Option(panel="Second set"),
        Needs("with_scores"),
    ] = None
    with_gallery: Annotated[
        Condition | None,
        Field(description="Gallery of the second set. Default: as in the first."),
        Option(panel="Second set"),
        Needs("with_scores"),
    ] = None
    with_probes: Annotated[
        Condition | None,
        Field(description="Probes of the second set. Default: as in the first."),
        Option(panel="Second set"),
        Needs("with_scores"),
    ] = None

    @model_validator(mode="after")
    def _fits_the_measure(self) -> Self:
        if not self.by_category and (self.margin is None or self.margin < 1):
            return self  # nothing is imported before it is needed
        try:
            measured = self.measured
        except UsageError:
            return self  # refused where names are looked up
        if self.by_category and self.of_pairs:
            raise refuse(
                f"{self.measure} is computed from compared pairs, which have no probe categories",
                "omit the categories, or use a measure of ranks such as rank-1.",
                "measure",
            )
        if self.margin is not None and self.margin >= 1 and measured.in_points:
            raise refuse(
                f"the margin of a rate must be below 1, got {given(self.margin)}",
                "one percentage point is 0.01.",
                "margin",
            )
        return self

    @property
    def measured(self) -> Measure:
        """The measure compared."""
        from proband.measures import measure_named

        return measure_named(self.measure)

    @property
    def of_pairs(self) -> bool:
        """Whether the measure is computed from compared pairs rather than ranks."""
        return self.measured.view == "pairs"

    @property
    def reads(self) -> Reads:
        """Inputs: compared pairs or ranks, depending on the measure."""
        return Reads(pairs=True, lists=True, experiment=CHOICE) if self.of_pairs else Reads(ranks=True)

    @property
    def instead_for_lists(self) -> str:
        """Lists allow comparison by error rates."""
        return "{give:measure=fnmr@0.001} (or auc)"

    @property
    def category_use(self) -> Literal["none", "needed"]:
        """Categories are required if algorithms are compared within them."""
        return "needed" if self.by_category else "none"
