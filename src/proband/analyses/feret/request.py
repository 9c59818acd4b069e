"""Requests for a FERET evaluation."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from proband.engine.limits import (
    Power,
    Rank,
    Within,
)
from proband.marks import Needs
from proband.study.requests.base import (
    MEASURES,
    MOST,
    AnalysisRequest,
    File,
    Option,
    Part,
    Positive,
    Reads,
    Several,
    Share,
    Text,
)


class VersionRequest(Part):
    """A fully automatic algorithm and its partially automatic version, which is given the eye positions."""

    fully: Annotated[Text, Field(description="Name of the algorithm that finds the eyes itself.")]
    partially: Annotated[Text, Field(description="Name of the same algorithm with the eyes given.")]


class ImprovementRequest(Part):
    """Two versions of an algorithm, at different dates."""

    earlier: Annotated[Text, Field(description="Name of the earlier version.")]
    later: Annotated[Text, Field(description="Name of the later version.")]
    earlier_date: Annotated[Text | None, Field(description="Date of the earlier version.")] = None
    later_date: Annotated[Text | None, Field(description="Date of the later version.")] = None


class FeretRequest(AnalysisRequest):
    """A FERET evaluation."""

    galleries: Annotated[
        Annotated[int, Within(ge=2, le=MOST)] | None,
        Field(description="Number of disjoint galleries over which to measure variation."),
    ] = None
    order: Annotated[
        Several[Text],
        Field(
            description="Order in which people fill the galleries: a column of dates or numbers, or random. Default: random."
        ),
        Option(metavar="COLUMN|random"),
        Needs("galleries"),
    ] = ()
    ages: Annotated[
        Text | None,
        Field(
            description="Column of dates or numbers; the difference between probe and mate is the age. Default: the column of order."
        ),
        Option(metavar="COLUMN"),
        Needs("galleries"),
    ] = None
    sizes: Annotated[
        Several[Positive],
        Field(description="Gallery sizes (people enrolled) to compute expected rates for."),
    ] = ()
    reject: Annotated[
        Annotated[float, Within(ge=0, lt=1)] | None,
        Field(
            description="Rejection test: share of people with probes to remove from the gallery (0: only probes that "
            "already have no mate)."
        ),
    ] = None
    fpir: Annotated[
        Several[Share], Field(description="False positive rates of the rejection test."), Needs("reject")
    ] = (
        0.01,
        0.1,
    )
    versions: Annotated[
        Several[VersionRequest],
        Field(
            description="Fully automatic algorithms, each with its partially automatic version (eye positions given)."
        ),
        Option(("--version",), "FULL=PARTIAL"),
    ] = ()
    improvements: Annotated[
        Several[ImprovementRequest],
        Field(description="Earlier and later versions of algorithms."),
        Option(("--improvement",), "EARLIER[@DATE]=LATER[@DATE]"),
    ] = ()
    ranks: Annotated[Several[Rank], Field(description="Ranks to tabulate; tests use the first.")] = (
        1,
        5,
        10,
    )
    participants: Annotated[
        File | None,
        Field(
            description="Table of participants: algorithm, date, metric, training, version, operator, started, seconds, machine, received. Algorithms with the same date share a panel."
        ),
    ] = None
    verification: Annotated[
        Text | None,
        Field(
            description="Show the order by this verification measure next to the order by identification: fnmr@0.01, auc."
        ),
        Option(metavar="MEASURE"),
        MEASURES,
    ] = None
    power: Annotated[
        Power,
        Field(
            description="Power for the leaders' smallest detectable difference, which decides whether probes are too easy or too hard."
        ),
    ] = 0.8

    @property
    def reads(self) -> Reads:
        """Inputs: ranks, and records of runs for the participants."""
        return Reads(ranks=True, runs=True)

    @property
    def category_use(self) -> Literal["possible"]:
        """Every category of probes is evaluated."""
        return "possible"
