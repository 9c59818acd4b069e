"""Requests for the evaluation of classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from proband.engine.limits import (
    Adjustment,
)
from proband.errors import Hint, UsageError
from proband.marks import Needs, Unless
from proband.study.requests.base import (
    ADJUST,
    MARGIN,
    AnalysisRequest,
    File,
    Option,
    Positive,
    Reads,
    Several,
    Share,
    Text,
    Ties,
    refuse,
)

_COLUMN = Option(metavar="COLUMN", panel="Data")


class ClassificationRequest(AnalysisRequest):
    """Accuracy of classifiers, from scores of classes or from predicted labels."""

    table: Annotated[
        File | None,
        Field(description="Table with one row per sample: true class, groups, predictions."),
        Option(panel="Data"),
        Unless("predictions"),
    ] = None
    scores: Annotated[
        Several[File],
        Field(
            description="Class scores (.npz, .npy), samples × classes in the order of the table; one matrix per model."
        ),
        Option(metavar="FILE", panel="Data"),
        Unless("predictions"),
    ] = ()
    models: Annotated[
        Several[Text],
        Field(description="Matrices to read from the archives. Default: all."),
        Option(("--model",), "NAME"),
        Needs("scores"),
    ] = ()
    predictions: Annotated[
        Several[File],
        Field(
            description="Files of predictions of the same samples, one per model: id, label, predicted, and subject if known."
        ),
        Option(metavar="FILE", panel="Data"),
    ] = ()
    truth: Annotated[
        Text, Field(description="Column, or array of the archive, with the true class."), _COLUMN
    ] = "label"
    predicted: Annotated[
        Several[Text],
        Field(description="Columns of predicted labels, one per model, optionally with a name."),
        Option(metavar="[NAME=]COLUMN", panel="Data"),
        Unless("predictions"),
    ] = ()
    cluster: Annotated[
        Text | None,
        Field(
            description="Column of clusters (patient, speaker, site), which are then the independent units."
        ),
        _COLUMN,
    ] = None
    classes: Annotated[
        Several[Text],
        Field(description="Class names, in the order of the score columns, separated by commas."),
        Option(metavar="NAME"),
        Needs("scores"),
    ] = ()
    k: Annotated[
        Several[Positive],
        Field(description="Values of k for top-k accuracy. Default: 1, and 5 if there are more classes."),
        Option(("--top",)),
        Needs("scores"),
    ] = ()
    average: Annotated[
        Literal["micro", "macro"],
        Field(description="Accuracy for comparing models: every sample weighted equally, or every class."),
    ] = "micro"
    ties: Annotated[Ties, Field(description="Treatment of tied scores."), Needs("scores")] = "pessimistic"
    margin: Annotated[Share | None, Field(description=MARGIN)] = None
    adjust: Annotated[Adjustment, Field(description=ADJUST)] = "single-step"

    @classmethod
    def from_files(cls, files: Sequence[str]) -> dict[str, Any]:
        """Sort files by extension: scores, and one table."""
        scores = [name for name in files if PurePath(name).suffix.lower() in (".npz", ".npy")]
        tables = [name for name in files if name not in scores]
        if len(tables) > 1:
            raise UsageError(
                f"Expected one table of samples, got {' and '.join(tables)}.",
                Hint(
                    "join the tables, or pass files of predictions: {option:predictions}; scores must be .npz or .npy."
                ),
            )
        return {**({"table": tables[0]} if tables else {}), **({"scores": scores} if scores else {})}

    @model_validator(mode="after")
    def _something_to_read(self) -> Self:
        if self.predictions:
            return self
        if not self.scores and not self.predicted:
            raise refuse(
                "no predictions were given",
                Hint("pass files of scores, {option:scores}, or columns of a table, {option:predicted}."),
                "predicted",
            )
        if self.predicted and self.table is None:
            raise refuse(
                "columns of predicted labels were named, but no table was given",
                Hint("pass {option:table}"),
                "table",
            )
        return self

    @property
    def reads(self) -> Reads:
        """Inputs: tables named in the request."""
        return Reads(scores=False)
