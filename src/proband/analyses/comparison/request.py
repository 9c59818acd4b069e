"""What can be asked of comparisons of algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from proband.engine.limits import (
    Adjustment,
    Margin,
    Rank,
    Within,
)
from proband.marks import Needs, Unless
from proband.study.requests.base import (
    CHOICE,
    DESIGNS,
    MEASURES,
    MOST,
    AnalysisRequest,
    ChosenPairs,
    Condition,
    File,
    OneSided,
    Option,
    Reads,
    Reference,
    Several,
    Share,
    Text,
    refuse,
)
from proband.study.requests.replication import Replication
from proband.words import given

if TYPE_CHECKING:
    from proband.measures import Measure


class ComparisonRequest(AnalysisRequest, Replication):
    """One measure by which algorithms are compared; without any it is the rate at rank 1."""

    rank: Annotated[Rank | None, Field(description="The rank of the rate; default: 1."), Option(("-r",))] = None  # fmt: skip
    median_rank: Annotated[
        Annotated[int, Within(ge=2, le=MOST)] | None,
        Field(description="Compare median ranks instead, censored at this rank."),
        Option(metavar="RANK"),
        Unless("with_scores"),
    ] = None
    fnmr_at: Annotated[
        Share | None,
        Field(
            description="Compare verification instead: FNMR at this false match rate, over all pairs or gallery and probes."
        ),
        Option(metavar="FMR"),
        Unless("with_scores"),
    ] = None
    auc: Annotated[
        bool,
        Field(description="Compare verification instead: the area under the ROC curve."),
        Unless("with_scores"),
    ] = False
    margin: Annotated[
        Margin | None,
        Field(description="The smallest difference worth having; 0.01 (one point) for rates."),
    ] = None
    measure: Annotated[
        Text | None,
        Field(description="Compare any measure instead: rank-20, median-relative-rank, eer, or a plug-in's."),
        Option(metavar="NAME[@VALUE]"),
        MEASURES,
    ] = None
    design: Annotated[
        Text,
        Field(
            description="How pairs are tested: auto knows that people are shared; or sign-flip, obuchowski, durkalski, mcnemar, "
            "bootstrap, brr, or a plug-in's."
        ),
        Option(("--test",)),
        DESIGNS,
        Unless("with_scores"),
    ] = "auto"
    by_category: Annotated[
        bool,
        Field(description="Compare within each probe category as well as over all probes."),
        Unless("with_scores", "auc=on", "fnmr_at"),
    ] = False
    adjust: Annotated[
        Adjustment,
        Field(
            description="Intervals, p-values and verdicts that hold for all pairs together (single-step), or each pair by itself "
            "(none)."
        ),
    ] = "single-step"
    pairs: ChosenPairs = ()
    against: Annotated[
        Text | None,
        Field(description="Compare every other algorithm with this one, and no other pairs."),
        Option(metavar="ALGORITHM"),
        Unless("with_scores"),
    ] = None
    one_sided: OneSided = None

    with_scores: Annotated[
        Several[Reference],
        Field(
            description="Compare with a second set of other people instead, unpaired: its score files, [NAME=]FILE[::KEY], read as the first."
        ),
        Option(("--with",), "[NAME=]FILE[::KEY]", "Second set"),
    ] = ()
    with_samples: Annotated[
        File | None,
        Field(description="The second set's table of samples; default: the first's."),
        Option(panel="Second set"),
        Needs("with_scores"),
    ] = None
    with_gallery: Annotated[
        Condition | None,
        Field(description="Who is enrolled in the second set; default: as in the first."),
        Option(panel="Second set"),
        Needs("with_scores"),
    ] = None
    with_probes: Annotated[
        Condition | None,
        Field(description="Who is searched for in the second set; default: as in the first."),
        Option(panel="Second set"),
        Needs("with_scores"),
    ] = None

    @model_validator(mode="after")
    def _one_measure(self) -> Self:
        named = [
            name for name in ("rank", "median_rank", "fnmr_at", "measure") if getattr(self, name) is not None
        ]
        named += ["auc"] if self.auc else []
        if len(named) > 1:
            raise refuse(f"{' and '.join(named)} exclude each other", "ask for one at a time.", named[1])
        if self.margin is not None and self.margin >= 1 and self.median_rank is None and self.measure is None:
            raise refuse(
                f"a difference of rates lies below 1, got {given(self.margin)}",
                "one point is 0.01.",
                "margin",
            )
        return self

    @property
    def measured(self) -> Measure:
        """What algorithms are compared by: the rate at rank 1 unless something else is asked for."""
        from proband.measures import AUC, FNMR, MedianCensoredRank, RecognitionRate, measure_named

        if self.measure is not None:
            return measure_named(self.measure)
        if self.auc:
            return AUC()
        if self.fnmr_at is not None:
            return FNMR(self.fnmr_at)
        if self.median_rank is not None:
            return MedianCensoredRank(self.median_rank)
        return RecognitionRate(self.rank or 1)

    @property
    def of_pairs(self) -> bool:
        """Whether compared pairs are counted, and not ranks."""
        return self.measured.view == "pairs"

    @property
    def reads(self) -> Reads:
        """What it reads: compared pairs or ranks, by its measure."""
        return Reads(pairs=True, lists=True, experiment=CHOICE) if self.of_pairs else Reads(ranks=True)

    @property
    def category_use(self) -> Literal["none", "needed"]:
        """Categories must be there if algorithms are compared within them."""
        return "needed" if self.by_category else "none"
