"""Requests for a release gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field, model_validator

from proband.engine.limits import (
    Margin,
)
from proband.errors import Hint
from proband.study.requests.base import (
    CHOICE,
    DESIGNS,
    MEASURES,
    AnalysisRequest,
    Option,
    Reads,
    Text,
    refuse,
)

if TYPE_CHECKING:
    from proband.measures import Measure


class GateRequest(AnalysisRequest):
    """Release gate: a new algorithm passes if it is shown not to be worse than the baseline by the margin or more."""

    baseline: Annotated[
        Text | None,
        Field(
            description="Algorithm to replace: its name among the algorithms read; on the command line also its file, "
            "or a file that pins it."
        ),
        Option(metavar="[NAME=]FILE[::KEY]|NAME", panel="Data"),
    ] = None
    candidate: Annotated[
        Text | None, Field(description="New algorithm, if there are several in addition to the baseline.")
    ] = None
    measure: Annotated[
        Text,
        Field(description="Measure that must not get worse: rank-1, fnmr@0.001, auc, or a plug-in's."),
        Option(metavar="NAME[@VALUE]"),
        MEASURES,
    ] = "rank-1"
    margin: Annotated[
        Margin | None,
        Field(description="Smallest loss that matters. Default for rates: 0.01 (one point)."),
    ] = None
    design: Annotated[
        Text,
        Field(description="Test of the difference: auto, or any test of compare."),
        Option(("--test",)),
        DESIGNS,
    ] = "auto"
    digest: Annotated[
        Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None,
        Field(description="SHA-256 of the baseline's file; any other file is refused."),
        Option(metavar="SHA256"),
    ] = None

    @model_validator(mode="after")
    def _two(self) -> Self:
        if self.baseline is None:
            raise refuse(
                "no baseline was given",
                Hint("pass {option:baseline}"),
                "baseline",
            )
        if self.baseline == self.candidate:
            raise refuse(
                "the new algorithm and the baseline are the same", "name a different algorithm.", "candidate"
            )
        return self

    @property
    def measured(self) -> Measure:
        """The measure that must not get worse."""
        from proband.measures import measure_named  # nothing heavy is imported before it is needed

        return measure_named(self.measure)

    @property
    def of_pairs(self) -> bool:
        """Whether the measure is computed from compared pairs rather than ranks."""
        return self.measured.view == "pairs"

    @property
    def reads(self) -> Reads:
        """Inputs: compared pairs or ranks, depending on the measure."""
        return Reads(pairs=True, experiment=CHOICE) if self.of_pairs else Reads(ranks=True)
