"""What can be asked of classifiers under protocols."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from proband.analyses.epd_options import FILE_COLUMN, LABEL, TASK, Task
from proband.engine.limits import (
    Within,
)
from proband.marks import Needs
from proband.study.requests.base import (
    MOST,
    AnalysisRequest,
    Condition,
    FileOrDirectory,
    Missing,
    Names,
    Option,
    Positive,
    Reads,
    Several,
    Share,
    Text,
    refuse,
)


class ProtocolRequest(AnalysisRequest):
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
        Names(
            "proband.protocols.running.classifiers:CLASSIFIERS",
            checked=False,
            code="proband.protocols.running.classifiers:names_code",
        ),
    ] = ()
    protocols: Annotated[
        Several[Text],
        Field(description="Protocols, such as '50×80-20 HO', '10×10f CV+' or LOSO; default: auto."),
        Option(("--protocol",)),
    ] = ("auto",)
    task: Annotated[Task | None, Field(description=TASK)] = None
    label: Annotated[Text | None, Field(description=LABEL)] = None
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
    file_column: Annotated[Text, Field(description=FILE_COLUMN)] = "file"
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

    @property
    def reads(self) -> Reads:
        """What it reads: samples, and files that it names."""
        return Reads(scores=False, samples=True, labels=() if self.label is None else (self.label,))
