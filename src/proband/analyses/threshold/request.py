"""Requests for thresholds to deploy."""

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
    """Thresholds to deploy: the most lenient threshold whose false match rate for new people is within a target, at the confidence level."""

    fmr: Annotated[Several[FalseMatchRate], Field(description="Target false match rates.")] = (0.001,)

    @property
    def reads(self) -> Reads:
        """Inputs: compared pairs."""
        return Reads(pairs=True, lists=True, experiment=CHOICE)
