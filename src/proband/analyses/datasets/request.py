"""Requests for comparisons over several data sets."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from proband.errors import Hint
from proband.study.requests.base import (
    AnalysisRequest,
    File,
    Option,
    Reads,
    Text,
    refuse,
)

_COLUMN = Option(metavar="COLUMN", panel="Data")
_OF_OUTCOMES = Option(metavar="COLUMN", panel="Outcomes")


class DatasetsRequest(AnalysisRequest):
    """Algorithms compared over several data sets, by accuracies or by outcomes of people."""

    table: Annotated[
        File | None,
        Field(
            description="Accuracies, one row per data set and one column per algorithm; or outcomes, one per row."
        ),
        Option(panel="Data"),
    ] = None
    dataset: Annotated[Text, Field(description="Column of data sets."), _COLUMN] = "dataset"
    errors: Annotated[
        File | None,
        Field(
            description="Standard errors of differences: a table of data set, first, second and standard_error."
        ),
        Option(panel="Data"),
    ] = None
    algorithm: Annotated[
        Text | None, Field(description="For outcomes: column of algorithms."), _OF_OUTCOMES
    ] = None
    success: Annotated[Text | None, Field(description="For outcomes: column of 1 and 0."), _OF_OUTCOMES] = (
        None
    )
    cluster: Annotated[Text | None, Field(description="For outcomes: column of people."), _OF_OUTCOMES] = None

    @model_validator(mode="after")
    def _something_to_read(self) -> Self:
        if self.table is None:
            raise refuse("no table of data sets was given", Hint("pass {option:table}"), "table")
        return self

    @property
    def reads(self) -> Reads:
        """Inputs: tables named in the request."""
        return Reads(scores=False)
