"""What can be asked of thresholds to deploy."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from proband.engine.limits import (
    FalseMatchRate,
)
from proband.study.requests.base import (
    CHOICE,
    AnalysisRequest,
    Reads,
    Several,
)


class ThresholdRequest(AnalysisRequest):
    """Thresholds to deploy: the laxest whose false match rate is, with the confidence of the output, within a target for new people."""

    fmr: Annotated[Several[FalseMatchRate], Field(description="Target false match rates.")] = (0.001,)

    @property
    def reads(self) -> Reads:
        """What it reads: compared pairs."""
        return Reads(pairs=True, lists=True, experiment=CHOICE)
