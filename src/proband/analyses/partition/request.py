"""What can be asked about difficulty."""

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
        Annotated[int, Within(ge=2, le=MOST)], Field(description="How many parts of equally many probes.")
    ] = 3
    judges: Annotated[
        Literal["auto", "algorithms", "images"],
        Field(
            description="What makes the parts an algorithm is judged on: the other algorithms, or the other images of each person; auto: algorithms "
            "where there are several."
        ),
    ] = "auto"
    rank: Annotated[Rank, Field(description="The rank of the rates."), Option(("-r",))] = 1

    @property
    def reads(self) -> Reads:
        """What it reads: ranks."""
        return Reads(ranks=True)
