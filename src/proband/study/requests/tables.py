"""What can be asked of tables that hold outcomes or labels, and no scores of pairs."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from proband.errors import Hint
from proband.marks import Needs, Unless
from proband.results.difference import Adjustment
from proband.study.requests.base import (
    ChosenPairs,
    File,
    OneSided,
    Option,
    Part,
    Positive,
    Several,
    Share,
    Text,
    Ties,
    refuse,
)

_COLUMN = Option(metavar="COLUMN", panel="Data")
_OF_OUTCOMES = Option(metavar="COLUMN", panel="Outcomes")
_MARGIN = "The smallest difference worth having; 0.01 is one point."
_ADJUST = "Intervals, p-values and verdicts that hold for all pairs together (single-step), or each pair by itself (none)."


class ClassificationRequest(Part):
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
    group: Annotated[
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
    margin: Annotated[Share | None, Field(description=_MARGIN)] = None
    adjust: Annotated[Adjustment, Field(description=_ADJUST)] = "single-step"

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


class OutcomesRequest(Part):
    """Systems compared by outcomes, 0 or 1 or between, of the same items."""

    table: Annotated[
        File | None,
        Field(description="Table of outcomes: a row for each item and system, or a row for each item."),
        Option(panel="Outcomes"),
    ] = None
    item: Annotated[Text | None, Field(description="Column of the item."), _OF_OUTCOMES] = None
    system: Annotated[
        Text | None,
        Field(description="Column of the system, in a table with a row for each item and system."),
        _OF_OUTCOMES,
    ] = None
    success: Annotated[
        Text | None,
        Field(description="Column of the outcome: 1 for a success, 0 for a failure, or between."),
        _OF_OUTCOMES,
    ] = None
    systems: Annotated[
        Several[Text],
        Field(description="Columns of outcomes, one for each system, in a table with a row for each item."),
        _OF_OUTCOMES,
    ] = ()
    cluster: Annotated[
        Text | None,
        Field(
            description="Column of what items share (patient, document, site): clusters are then the independent units."
        ),
        _OF_OUTCOMES,
    ] = None
    margin: Annotated[Share | None, Field(description=_MARGIN)] = None
    adjust: Annotated[Adjustment, Field(description=_ADJUST)] = "single-step"
    pairs: ChosenPairs = ()
    against: Annotated[
        Text | None,
        Field(description="Compare every other system with this one, and no other pairs."),
        Option(metavar="SYSTEM"),
    ] = None
    one_sided: OneSided = None

    @model_validator(mode="after")
    def _something_to_read(self) -> Self:
        if self.table is None:
            raise refuse("no table of outcomes is named", Hint("name it: {option:table}"), "table")
        return self


class DatasetsRequest(Part):
    """Algorithms compared over several data sets, by accuracies or by outcomes of people."""

    table: Annotated[
        File | None,
        Field(
            description="Accuracies, a row for each data set and a column for each algorithm; or outcomes, a row for each."
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
    subject: Annotated[Text | None, Field(description="For outcomes: column of people."), _OF_OUTCOMES] = None

    @model_validator(mode="after")
    def _something_to_read(self) -> Self:
        if self.table is None:
            raise refuse("no table of data sets is named", Hint("name it: {option:table}"), "table")
        return self
