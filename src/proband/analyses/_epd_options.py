"""What requests about protocols, audits of splits and what-if questions share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from proband.study.requests.base import AnalysisRequest, FileOrDirectory, Names, Option, Reads, Text

Task = Literal["identity", "attribute"]
CLASSIFIERS = Names(
    "proband.protocols.running.classifiers:CLASSIFIERS",
    checked=False,
    code="proband.protocols.running.classifiers:names_code",
)
"""That a text names a classifier, or code of one."""
FILE_COLUMN = "Column that names each picture's file."


class TaskRequest(AnalysisRequest):
    """What is recognised in samples."""

    task: Annotated[
        Task | None,
        Field(
            description="Recognise subjects, or an attribute of theirs. Default: by whether there is a label."
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
        """The task, as said or implied."""
        return self.task or ("identity" if self.label is None else "attribute")

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns of samples whose values are classes."""
        return () if self.label is None else (self.label,)

    @property
    def reads(self) -> Reads:
        """What it reads: samples, and files that it names."""
        return Reads(scores=False, samples=True, labels=self.labels)


class LearningRequest(TaskRequest):
    """What classifiers learn from."""

    file: Annotated[
        FileOrDirectory | None,
        Field(description="Directory of pictures, .npz with images, or .npy/.npz of features."),
        Option(typed=False),
    ] = None
    key: Annotated[
        Text | None, Field(description="The array of an archive of features."), Option(typed=False)
    ] = None
    file_column: Annotated[Text, Field(description=FILE_COLUMN), Option(panel="Images")] = "file"
