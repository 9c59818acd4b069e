"""What can be asked of classifiers."""

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
        Field(description="Table with a row for each sample: the truth, groups, predictions."),
        Option(panel="Data"),
        Unless("predictions"),
    ] = None
    scores: Annotated[
        Several[File],
        Field(
            description="Scores of classes (.npz, .npy), samples × classes in the order of the table: each matrix is a model."
        ),
        Option(metavar="FILE", panel="Data"),
        Unless("predictions"),
    ] = ()
    models: Annotated[
        Several[Text],
        Field(description="Which matrices of the archives; default: all."),
        Option(("--model",), "NAME"),
        Needs("scores"),
    ] = ()
    predictions: Annotated[
        Several[File],
        Field(
            description="Files of predictions of the same samples, one for each model: id, label, predicted, and subject if known."
        ),
        Option(metavar="FILE", panel="Data"),
    ] = ()
    truth: Annotated[
        Text, Field(description="Column, or array of the archive, of the true class."), _COLUMN
    ] = "label"
    predicted: Annotated[
        Several[Text],
        Field(description="Columns of predicted labels, one for each model, with a name if need be."),
        Option(metavar="[NAME=]COLUMN", panel="Data"),
        Unless("predictions"),
    ] = ()
    cluster: Annotated[
        Text | None,
        Field(
            description="Column of what samples share (patient, speaker, site): groups are then the independent units."
        ),
        _COLUMN,
    ] = None
    classes: Annotated[
        Several[Text],
        Field(description="Names of the classes, in the order of the columns of scores."),
        Option(metavar="NAME"),
        Needs("scores"),
    ] = ()
    k: Annotated[
        Several[Positive],
        Field(description="Numbers of guesses allowed; default: 1, and 5 if there are more classes."),
        Option(("--top",)),
        Needs("scores"),
    ] = ()
    average: Annotated[
        Literal["micro", "macro"],
        Field(
            description="By which accuracy models are compared: every sample weighs the same, or every class."
        ),
    ] = "micro"
    ties: Annotated[Ties, Field(description="How tied scores count."), Needs("scores")] = "pessimistic"
    margin: Annotated[Share | None, Field(description=MARGIN)] = None
    adjust: Annotated[Adjustment, Field(description=ADJUST)] = "single-step"

    @classmethod
    def from_files(cls, files: Sequence[str]) -> dict[str, Any]:
        """Scores by their endings, and one table."""
        scores = [name for name in files if PurePath(name).suffix.lower() in (".npz", ".npy")]
        tables = [name for name in files if name not in scores]
        if len(tables) > 1:
            raise UsageError(
                f"One table holds the samples, got {' and '.join(tables)}.",
                Hint(
                    "join them, or name files of predictions: {option:predictions}; scores are .npz or .npy."
                ),
            )
        return {**({"table": tables[0]} if tables else {}), **({"scores": scores} if scores else {})}

    @model_validator(mode="after")
    def _something_to_read(self) -> Self:
        if self.predictions:
            return self
        if not self.scores and not self.predicted:
            raise refuse(
                "nothing was predicted",
                Hint("name files of scores, {option:scores}, or columns of a table, {option:predicted}."),
                "predicted",
            )
        if self.predicted and self.table is None:
            raise refuse("predictions are columns of a table", Hint("name it: {option:table}"), "table")
        return self

    @property
    def reads(self) -> Reads:
        """What it reads: tables that it names."""
        return Reads(scores=False)
