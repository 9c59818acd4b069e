"""Requests for the analysis of image choices."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from proband.engine.limits import (
    Rank,
)
from proband.errors import Hint
from proband.marks import Unless
from proband.study.requests.base import (
    MEASURES,
    Against,
    AnalysisRequest,
    ChosenPairs,
    Condition,
    Option,
    Positive,
    Reads,
    Several,
    Text,
    refuse,
)
from proband.words import count


class ChoicesRequest(AnalysisRequest):
    """Choices of gallery and probe images of the same people."""

    groups: Annotated[
        Several[Text],
        Field(
            description="Columns that define groups of exchangeable images, such as the session. Default: any two "
            "images of a person form a pair."
        ),
        Option(metavar="COLUMN"),
    ] = ()
    image_pairs: Annotated[
        Literal["between", "within"] | None,
        Field(
            description="Take gallery and probe images from different groups (default with groups) or from the same group."
        ),
    ] = None
    where: Annotated[Condition | None, Field(description="Samples in the pool.")] = None
    gallery: Annotated[
        Condition | None,
        Field(
            description="Samples of the pool that may be gallery images, such as those of the first day. Default: all."
        ),
        Option(("-g",)),
    ] = None
    probes: Annotated[
        Condition | None,
        Field(
            description="Samples of the pool that may be probe images, such as those of the second day. Default: all."
        ),
        Option(("-p",)),
    ] = None
    measures: Annotated[
        Several[Text],
        Field(
            description="Additional measures of the same trials, with their differences: rank-20, median-rank@10, "
            "median-relative-rank, relative-rank@0.01, or a plug-in's."
        ),
        Option(("--measure",), "NAME[@VALUE]"),
        MEASURES,
        Unless("exact=on", "trainings=on"),
    ] = ()
    pairs: Annotated[ChosenPairs, Unless("exact=on", "trainings=on")] = ()
    against: Annotated[Against, Unless("exact=on", "trainings=on")] = None
    n_resamples: Annotated[
        Positive,
        Field(description="Number of trials."),
        Option(("--trials", "-t")),
        Unless("exact=on", "trainings=on"),
    ] = 10_000
    balanced: Annotated[
        bool,
        Field(
            description="Use each image of a person equally often, or draw each person's pair independently."
        ),
        Option(("--balanced/--unbalanced",)),
        Unless("exact=on", "trainings=on"),
    ] = True
    max_rank: Annotated[
        Positive | None,
        Field(description="Highest rank to count. Default: all. Up to 10 is fastest."),
        Unless("trainings=on"),
    ] = None
    exact: Annotated[
        bool,
        Field(description="Compute the mean of every rate exactly instead of drawing trials (unbalanced)."),
        Unless("trainings=on"),
    ] = False
    trainings: Annotated[
        bool,
        Field(
            description="Treat the scores as one algorithm trained on several sets, and measure how much the training set matters."
        ),
    ] = False
    rank: Annotated[Rank, Field(description="Rank to show."), Option(("-r",))] = 1
    distractors: Annotated[
        bool,
        Field(description="Keep people without a valid pair enrolled in every trial, with one image each."),
    ] = False
    list_trials: Annotated[
        Several[Positive],
        Field(description="Trials to list, with the gallery and probe image of each person."),
        Unless("exact=on", "trainings=on"),
    ] = ()

    @model_validator(mode="after")
    def _one_answer(self) -> Self:
        renamed = next((pair for pair in self.pairs if pair in ("between", "within")), None)
        if renamed is not None:
            raise refuse(
                f"expected a pair of algorithms, A-B, got {renamed!r}",
                Hint(
                    "which images form a pair is now set by {option:image_pairs=within} or "
                    "{option:image_pairs=between}; proband migrate renames the key."
                ),
                "pairs",
            )
        if self.image_pairs == "between" and not self.groups:
            raise refuse(
                "pairs of images between groups need groups",
                Hint("{give:groups}, or omit image_pairs."),
                "image_pairs",
            )
        beyond = next((one for one in self.list_trials if one > self.n_resamples), None)
        if beyond is not None:
            raise refuse(
                f"trial {count(beyond)} cannot be listed: there are only {count(self.n_resamples)} trials",
                "list earlier trials, or draw more.",
                "list_trials",
            )
        return self

    @property
    def reads(self) -> Reads:
        """Inputs: scores, with the tie policy of the experiment."""
        return Reads(experiment=frozenset() if self.trainings else frozenset({"ties"}))
