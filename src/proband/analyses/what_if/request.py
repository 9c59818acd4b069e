"""Requests for what-if comparisons."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from proband.analyses._epd_options import CLASSIFIERS, LearningRequest
from proband.errors import Hint
from proband.study.requests.base import File, Option, Text, refuse


class WhatIfRequest(LearningRequest):
    """A classifier with mixed or disjoint subjects, or with and without dropped samples, side by side."""

    question: Annotated[
        Literal["mixed", "dropped"],
        Field(
            description="mixed: mixed or disjoint subjects; dropped: with or without the excluded samples."
        ),
        Option(typed=False),
    ]
    classifier: Annotated[
        Text | None,
        Field(description="Classifier, such as lbp:nbnn, src or sklearn.svm:SVC()."),
        Option(("-c",), "[NAME=]CLASSIFIER", "Run"),
        CLASSIFIERS,
    ] = None
    protocol: Annotated[Text, Field(description="Protocol for both sides."), Option(("-p",), panel="Run")] = (
        "auto"
    )
    exclusions: Annotated[
        File | None,
        Field(description="Table of dropped samples: id and reason."),
        Option(panel="Data"),
    ] = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.file is None:
            raise refuse("no training data were given", 'set file = "FILE"', "file")
        if self.classifier is None:
            raise refuse(
                "no classifier was given",
                Hint(
                    "{give:classifier=lbp:nbnn} for images, or {option:classifier=sklearn.linear_model:LogisticRegression()} for features."
                ),
                "classifier",
            )
        if (self.question == "dropped") != (self.exclusions is not None):
            raise refuse(
                "the table of exclusions is required for the question 'dropped' and has no use for 'mixed'",
                None,
                "exclusions",
            )
        return self
