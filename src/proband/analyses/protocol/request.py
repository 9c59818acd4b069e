"""Requests for classifiers under protocols."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from proband.analyses._epd_options import CLASSIFIERS, LearningRequest
from proband.engine.limits import Within
from proband.errors import Hint
from proband.marks import Needs
from proband.study.requests.base import (
    MOST,
    Missing,
    Option,
    Positive,
    Several,
    Share,
    Text,
    refuse,
)

_PROTOCOL, _SIZES = Option(panel="Protocol"), Option(panel="Sizes")


class ProtocolRequest(LearningRequest):
    """Accuracy of classifiers under declared protocols, all on the same splits."""

    classifiers: Annotated[
        Several[Text],
        Field(
            description="Classifiers: lbp:nbnn, src, pca:angle, …, 'sklearn.svm:SVC(C=10)', or a chain 'lbp:chi2+sklearn.svm:SVC()'."
        ),
        Option(("--classifier", "-c"), "[NAME=]CLASSIFIER", "Classifiers"),
        CLASSIFIERS,
    ] = ()
    protocols: Annotated[
        Several[Text],
        Field(description="Protocols, such as '50×80-20 HO', '10×10f CV+' or LOSO. Default: auto."),
        Option(("--protocol", "-P"), "PROTOCOL", "Protocol"),
    ] = ("auto",)
    stratify: Annotated[bool, Field(description="Stratify splits by class."), _PROTOCOL] = True
    missing: Annotated[
        Missing,
        Field(
            description="Subjects with too few samples for the protocol: raise an error, or drop and count them."
        ),
        _PROTOCOL,
    ] = "error"
    enrolled_each: Annotated[
        Positive | None,
        Field(
            description="Identity with disjoint subjects (5f CV+): number of images to enrol per held-out person. Default: 1."
        ),
        _PROTOCOL,
    ] = None
    name: Annotated[Text | None, Field(description="Name of the data set."), Option(panel="Output")] = None
    margin: Annotated[
        Share | None,
        Field(description="Smallest difference that matters, e.g. 0.01."),
        Option(panel="Output"),
    ] = None
    justification: Annotated[
        Text | None,
        Field(
            description="Justification of the protocol, such as a single hold-out; shown with the EPD verdict, which it does not change."
        ),
        Option(metavar="TEXT", panel="Protocol"),
    ] = None
    subjects: Annotated[
        Several[Annotated[int, Within(ge=2, le=MOST)]],
        Field(description="Also compute the accuracy with these numbers of subjects, drawn at random."),
        _SIZES,
    ] = ()
    images_each: Annotated[
        Several[Positive],
        Field(
            description="Also compute the accuracy with these numbers of images per subject, drawn at random."
        ),
        _SIZES,
    ] = ()
    draws: Annotated[
        Positive,
        Field(description="Number of random draws of each size."),
        _SIZES,
        Needs("subjects", "images_each"),
    ] = 10

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.file is None:
            raise refuse("no training data were given", 'set file = "FILE"', "file")
        if not self.classifiers:
            raise refuse(
                "no classifier was given",
                Hint(
                    "{give:classifiers=lbp:nbnn} for images, or {option:classifiers=sklearn.linear_model:LogisticRegression()} for features."
                ),
                "classifiers",
            )
        return self
