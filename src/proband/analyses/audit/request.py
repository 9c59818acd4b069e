"""What can be asked of an audit of splits."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from proband.analyses.epd_options import FILE_COLUMN, LABEL, TASK, Task
from proband.errors import Hint
from proband.study.requests.base import (
    AnalysisRequest,
    File,
    FileOrDirectory,
    Reads,
    Text,
    refuse,
)


class AuditRequest(AnalysisRequest):
    """Are splits fit to estimate an accuracy with? Leaks, copies, imbalance, losses."""

    splits: Annotated[
        FileOrDirectory | None,
        Field(
            description="Table of id, repeat, fold and role, or folder of lists; without it the splits of [protocol], or where there are none the samples themselves."
        ),
    ] = None
    task: Annotated[Task | None, Field(description=TASK)] = None
    label: Annotated[Text | None, Field(description=LABEL)] = None
    protocol: Annotated[
        Text | None, Field(description="What the splits are said to be, such as '10x10f CV+'.")
    ] = None
    images: Annotated[
        FileOrDirectory | None, Field(description="Look for copies among pictures: a directory, or .npz.")
    ] = None
    file_column: Annotated[Text, Field(description=FILE_COLUMN)] = "file"
    embeddings: Annotated[
        File | None, Field(description="Look for copies among embeddings or features (.npy, .npz).")
    ] = None
    collected: Annotated[
        File | None, Field(description="Table of all samples that were collected; default: that of samples.")
    ] = None
    exclusions: Annotated[
        File | None, Field(description="Table of id and reason, for samples that are not used.")
    ] = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.images is not None and self.embeddings is not None:
            raise refuse(
                "copies are sought among images or embeddings", "leave one of them out.", "embeddings"
            )
        if self.task == "identity" and self.label is not None:
            raise refuse("identities have no label", Hint("leave it out, or {give:task=attribute}."), "label")
        return self

    @property
    def reads(self) -> Reads:
        """What it reads: samples, and files that it names."""
        return Reads(scores=False, samples=True, labels=() if self.label is None else (self.label,))
