"""Requests for a division of probes by difficulty."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from proband.engine.limits import (
    Rank,
    Within,
)
from proband.study.requests.base import (
    MOST,
    AnalysisRequest,
    Option,
    Reads,
)


class PartitionRequest(AnalysisRequest):
    """Probes divided by difficulty: the good, the bad and the ugly."""

    parts: Annotated[
        Annotated[int, Within(ge=2, le=MOST)],
        Field(description="Number of parts, with the same number of probes each."),
    ] = 3
    judges: Annotated[
        Literal["auto", "algorithms", "images"],
        Field(
            description="Basis of the parts an algorithm is evaluated on: the other algorithms, or other images "
            "of each person; auto: algorithms if there are several."
        ),
    ] = "auto"
    rank: Annotated[Rank, Field(description="Rank of the rates."), Option(("-r",))] = 1

    @property
    def reads(self) -> Reads:
        """Inputs: ranks."""
        return Reads(ranks=True)
