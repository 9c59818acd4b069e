"""What can be asked of classifiers under protocols, and of the splits themselves."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from proband.engine.limits import Within
from proband.errors import Hint
from proband.marks import Needs
from proband.study.requests.base import (
    MOST,
    Condition,
    File,
    FileOrDirectory,
    Missing,
    Option,
    Part,
    Positive,
    Several,
    Share,
    Text,
    refuse,
)

Task = Literal["identity", "attribute"]
_TASK = "Recognise subjects, or an attribute of theirs. Default: by whether there is a label."
_LABEL = "Column of the attribute: expression, sex, …"
_FILE_COLUMN = "Column that names each picture's file."


class ProtocolRequest(Part):
    """Accuracy of classifiers under declared protocols, all on the same splits."""

    file: Annotated[
        FileOrDirectory | None,
        Field(description="Directory of pictures, .npz with images, or .npy/.npz of features."),
    ] = None
    key: Annotated[Text | None, Field(description="The array of an archive of features.")] = None
    classifiers: Annotated[
        Several[Text],
        Field(description="Classifiers: lbp:nbnn, src, pca:angle, …, 'sklearn.svm:SVC(C=10)', or chains."),
        Option(("--classifier",)),
    ] = ()
    protocols: Annotated[
        Several[Text],
        Field(description="Protocols, such as '50×80-20 HO', '10×10f CV+' or LOSO; default: auto."),
        Option(("--protocol",)),
    ] = ("auto",)
    task: Annotated[Task | None, Field(description=_TASK)] = None
    label: Annotated[Text | None, Field(description=_LABEL)] = None
    where: Annotated[
        Condition | None, Field(description="Use only samples that meet it; the others are counted.")
    ] = None
    stratify: Annotated[bool, Field(description="Keep classes in proportion.")] = True
    missing: Annotated[
        Missing,
        Field(
            description="Subjects with too few samples for the protocol: an error, or left out and counted."
        ),
    ] = "error"
    size: Annotated[
        Annotated[str, Field(pattern=r"^[1-9][0-9]*[x×][1-9][0-9]*$")] | None,
        Field(description="Bring images to this size first, HEIGHTxWIDTH."),
    ] = None
    eyes: Annotated[
        Literal["table", "opencv", "dlib"] | None,
        Field(
            description="Crop faces by the eyes of the table, or by a detector. Default: pictures as they are."
        ),
    ] = None
    file_column: Annotated[Text, Field(description=_FILE_COLUMN)] = "file"
    name: Annotated[Text | None, Field(description="What the data are called.")] = None
    margin: Annotated[Share | None, Field(description="A difference worth having, e.g. 0.01.")] = None
    justification: Annotated[
        Text | None,
        Field(
            description="Why the protocol is, say, a single hold-out: shown beside the EPD verdict, which it does not change."
        ),
    ] = None
    subjects: Annotated[
        Several[Annotated[int, Within(ge=2, le=MOST)]],
        Field(description="Also the accuracy with so many subjects, drawn at random."),
    ] = ()
    images_each: Annotated[
        Several[Positive],
        Field(description="Also the accuracy with so many images of each subject, drawn at random."),
    ] = ()
    draws: Annotated[
        Positive,
        Field(description="How many random parts of each size are drawn."),
        Needs("subjects", "images_each"),
    ] = 10

    @property
    def settled_task(self) -> Task:
        """The task, as said or implied."""
        return self.task or ("identity" if self.label is None else "attribute")

    @property
    def shape(self) -> tuple[int, int] | None:
        """Height and width of images."""
        if self.size is None:
            return None
        height, width = map(int, self.size.replace("×", "x").split("x"))
        return height, width

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.file is None:
            raise refuse("what classifiers learn from is not said", 'name it: file = "FILE"', "file")
        if not self.classifiers:
            raise refuse(
                "no classifier is named", 'name one, such as classifiers = "lbp:nbnn"', "classifiers"
            )
        return self


class AuditRequest(Part):
    """Are splits fit to estimate an accuracy with? Leaks, copies, imbalance, losses."""

    splits: Annotated[
        FileOrDirectory | None,
        Field(
            description="Table of id, repeat, fold and role, or folder of lists; without it the splits of [protocol], or where there are none the samples themselves."
        ),
    ] = None
    task: Annotated[Task | None, Field(description=_TASK)] = None
    label: Annotated[Text | None, Field(description=_LABEL)] = None
    protocol: Annotated[
        Text | None, Field(description="What the splits are said to be, such as '10x10f CV+'.")
    ] = None
    images: Annotated[
        FileOrDirectory | None, Field(description="Look for copies among pictures: a directory, or .npz.")
    ] = None
    file_column: Annotated[Text, Field(description=_FILE_COLUMN)] = "file"
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
