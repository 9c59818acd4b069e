"""Requests for open-set search."""

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
        Field(
            description="Gallery (enrolled people), without some of the people searched for. Default: every target."
        ),
        Option(("-g",), panel="Data"),
    ] = None
    probes: Annotated[
        Condition | None,
        Field(description="Probes, enrolled or not. Default: every query that is not in the gallery."),
        Option(("-p",), panel="Data"),
    ] = None
    fusion: Annotated[
        Literal["max", "mean"], Field(description="Fusion of the scores of a person's samples.")
    ] = "max"
    fpir: Annotated[Several[Share], Field(description="Target false positive identification rates.")] = (
        0.1,
        0.01,
        0.001,
    )
    ranks: Annotated[Several[Rank], Field(description="Numbers of candidates returned.")] = (1, 20)
    sizes: Annotated[
        Several[Positive],
        Field(
            description="Also report errors for galleries of these sizes (people), at the first FPIR's threshold."
        ),
    ] = ()
