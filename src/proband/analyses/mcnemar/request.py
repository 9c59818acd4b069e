"""Requests for McNemar's test."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from proband.engine.limits import (
    Rank,
)
from proband.study.requests.base import (
    Against,
    AnalysisRequest,
    ChosenPairs,
    Option,
    Reads,
)


class McNemarRequest(AnalysisRequest):
    """McNemar's exact test of pairs of algorithms, assuming independent probes."""

    rank: Annotated[Rank, Field(description="Rank that counts as a success."), Option(("-r",))] = 1
    by_category: Annotated[bool, Field(description="Also test within each probe category.")] = False
    pairs: ChosenPairs = ()
    against: Against = None

    @property
    def reads(self) -> Reads:
        """Inputs: ranks."""
        return Reads(ranks=True)

    @property
    def category_use(self) -> Literal["none", "needed"]:
        """Categories are required if algorithms are compared within them."""
        return "needed" if self.by_category else "none"
