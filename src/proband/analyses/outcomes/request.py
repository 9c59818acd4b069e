"""Requests for a table of outcomes."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from proband.engine.limits import (
    Adjustment,
)
from proband.errors import Hint
from proband.study.requests.base import (
    ADJUST,
    MARGIN,
    AnalysisRequest,
    ChosenPairs,
    File,
    OneSided,
    Option,
    Reads,
    Several,
    Share,
    Text,
    refuse,
)

_OF_OUTCOMES = Option(metavar="COLUMN", panel="Outcomes")


class OutcomesRequest(AnalysisRequest):
    """Systems compared by outcomes from 0 to 1 on the same items."""

    table: Annotated[
        File | None,
        Field(description="Table of outcomes: one row per item and system, or one row per item."),
        Option(panel="Outcomes"),
    ] = None
    item: Annotated[Text | None, Field(description="Column of items."), _OF_OUTCOMES] = None
    algorithm: Annotated[
        Text | None,
        Field(description="Column of systems, in a table with one row per item and system."),
        _OF_OUTCOMES,
    ] = None
    success: Annotated[
        Text | None,
        Field(description="Column of outcomes: 1 for a success, 0 for a failure, or a value between."),
        _OF_OUTCOMES,
    ] = None
    algorithms: Annotated[
        Several[Text],
        Field(description="Columns of outcomes, one per system, in a table with one row per item."),
        _OF_OUTCOMES,
    ] = ()
    cluster: Annotated[
        Text | None,
        Field(
            description="Column of clusters (patient, document, site), which are then the independent units."
        ),
        _OF_OUTCOMES,
    ] = None
    margin: Annotated[Share | None, Field(description=MARGIN)] = None
    adjust: Annotated[Adjustment, Field(description=ADJUST)] = "single-step"
    pairs: ChosenPairs = ()
    against: Annotated[
        Text | None,
        Field(description="Compare every other system only with this system."),
        Option(metavar="SYSTEM"),
    ] = None
    one_sided: OneSided = None

    @model_validator(mode="after")
    def _something_to_read(self) -> Self:
        if self.table is None:
            raise refuse("no table of outcomes was given", Hint("pass {option:table}"), "table")
        return self

    @property
    def reads(self) -> Reads:
        """Inputs: tables named in the request."""
        return Reads(scores=False)
