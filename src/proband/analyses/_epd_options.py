"""Options shared by requests for protocols, audits of splits and what-if questions."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from proband.study.refusals import shown
from proband.study.requests.base import (
    AnalysisRequest,
    Condition,
    FileOrDirectory,
    Names,
    Option,
    Reads,
    Text,
    refuse,
)

Task = Literal["identity", "attribute"]
CLASSIFIERS = Names(
    "proband.protocols.running.classifiers:CLASSIFIERS",
    checked=False,
    code="proband.protocols.running.classifiers:names_code",
)
"""Marks a text that names a classifier, or the code of a classifier."""
FILE_COLUMN = "Column of image file names."


def _size(text: str) -> str:
    """Normalise a height and a width."""
    sides = re.fullmatch(r"0*([1-9][0-9]*)[xX×]0*([1-9][0-9]*)", text)
    if sides is None:
        raise refuse(f"expected HEIGHTxWIDTH, such as 110x90, got {shown(text)}")
    return f"{sides[1]}x{sides[2]}"


class TaskRequest(AnalysisRequest):
    """What is recognised in samples."""

    task: Annotated[
        Task | None,
        Field(
            description="Recognise subjects or an attribute. Default: attribute if there is a label, else identity."
        ),
        Option(panel="Task"),
    ] = None
    label: Annotated[
        Text | None,
        Field(description="Column of the attribute: expression, sex, …"),
        Option(metavar="COLUMN", panel="Task"),
    ] = None

    @property
    def settled_task(self) -> Task:
        """The task, as given or implied."""
        return self.task or ("identity" if self.label is None else "attribute")

    @property
    def labels(self) -> tuple[str, ...]:
        """Columns of samples whose values are classes."""
        return () if self.label is None else (self.label,)

    @property
    def reads(self) -> Reads:
        """Inputs: samples, and files named in the request."""
        return Reads(scores=False, samples=True, labels=self.labels)


class LearningRequest(TaskRequest):
    """What classifiers learn from."""

    file: Annotated[
        FileOrDirectory | None,
        Field(description="Directory of images, .npz of images, or .npy/.npz of features."),
        Option(typed=False),
    ] = None
    key: Annotated[
        Text | None, Field(description="Array to read from an archive of features."), Option(typed=False)
    ] = None
    file_column: Annotated[Text, Field(description=FILE_COLUMN), Option(panel="Images")] = "file"
    size: Annotated[
        Annotated[str, AfterValidator(_size)] | None,
        Field(description="Resize images to this size first."),
        Option(metavar="HEIGHTxWIDTH", panel="Images"),
    ] = None
    eyes: Annotated[
        Literal["table", "opencv", "dlib"] | None,
        Field(
            description="Crop faces by the eye coordinates in the table or with a detector. Default: no cropping."
        ),
        Option(panel="Images"),
    ] = None
    where: Annotated[
        Condition | None,
        Field(description="Use only samples that meet this condition; the others are counted."),
        Option(panel="Data"),
    ] = None

    @property
    def shape(self) -> tuple[int, int] | None:
        """Height and width of images."""
        if self.size is None:
            return None
        height, width = map(int, self.size.split("x"))
        return height, width
