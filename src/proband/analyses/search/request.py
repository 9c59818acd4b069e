"""What can be asked of open-set search."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from proband.engine.limits import (
    Rank,
)
from proband.study.requests.base import (
    AnalysisRequest,
    Condition,
    Option,
    Positive,
    Several,
    Share,
)


class SearchRequest(AnalysisRequest):
    """Open-set identification."""

    gallery: Annotated[
        Condition | None,
        Field(description="Who is enrolled. Default: every target."),
        Option(("-g",), panel="Data"),
    ] = None
    probes: Annotated[
        Condition | None,
        Field(
            description="Who is searched for, enrolled or not. Default: every query that is not in the gallery."
        ),
        Option(("-p",), panel="Data"),
    ] = None
    fusion: Annotated[
        Literal["max", "mean"], Field(description="How several samples of a person make one score.")
    ] = "max"
    fpir: Annotated[Several[Share], Field(description="False positive identification rates.")] = (
        0.1,
        0.01,
        0.001,
    )
    ranks: Annotated[Several[Rank], Field(description="Numbers of candidates.")] = (1, 20)
    sizes: Annotated[
        Several[Positive],
        Field(description="Errors for galleries of these numbers of people, at the first FPIR's threshold."),
    ] = ()
