"""Requests for an audit of splits."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from proband.analyses._epd_options import FILE_COLUMN, TaskRequest
from proband.errors import Hint
from proband.marks import Needs
from proband.study.requests.base import File, FileOrDirectory, Option, Reads, Reference, Text, refuse

_COPIES, _LOSSES = Option(panel="Copies"), Option(panel="Losses")


class AuditRequest(TaskRequest):
    """Audit of splits for leaks, copies, imbalance and losses."""

    splits: Annotated[
        FileOrDirectory | None,
        Field(
            description="Table of id, repeat, fold and role, or folder of lists. Default: the splits of [protocol], or the samples themselves if there are no splits."
        ),
        Option(typed=False),
    ] = None
    protocol: Annotated[
        Text | None,
        Field(description="Declared protocol of the splits, such as '10x10f CV+'."),
        Option(("-p",), panel="Task"),
    ] = None
    images: Annotated[
        FileOrDirectory | None,
        Field(description="Search for copies among images: a directory, or .npz with images and ids."),
        Option(("-i",), panel="Copies"),
    ] = None
    file_column: Annotated[Text, Field(description=FILE_COLUMN), _COPIES, Needs("images")] = "file"
    embeddings: Annotated[
        Reference | None,
        Field(description="Search for copies among embeddings or features (.npy, .npz)."),
        Option(("-e",), "FILE[::KEY]", "Copies"),
    ] = None
    collected: Annotated[
        File | None,
        Field(
            description="Table of all collected samples. Default: the table of samples, if there are exclusions."
        ),
        _LOSSES,
    ] = None
    exclusions: Annotated[
        File | None, Field(description="Table of id and reason for each unused sample."), _LOSSES
    ] = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.images is not None and self.embeddings is not None:
            raise refuse(
                "copies are searched for among images or among embeddings, got both",
                "pass only one of them.",
                "embeddings",
            )
        if self.task == "identity" and self.label is not None:
            raise refuse(
                "the task is identity, which takes no label",
                Hint("omit the label, or {give:task=attribute}."),
                "label",
            )
        return self

    @property
    def reads(self) -> Reads:
        """Inputs: samples, and files named in the request; failed samples have no copies."""
        sought = self.images is not None or self.embeddings is not None
        return Reads(scores=False, samples=True, labels=self.labels, failures=sought)
