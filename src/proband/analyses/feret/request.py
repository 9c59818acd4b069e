"""What can be asked of a FERET evaluation."""

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
    """A fully automatic algorithm, and the same one told where the eyes are."""

    fully: Annotated[Text, Field(description="Name of the algorithm that finds the eyes itself.")]
    partially: Annotated[Text, Field(description="Name of the same algorithm with the eyes given.")]


class ImprovementRequest(Part):
    """One algorithm at two dates."""

    earlier: Annotated[Text, Field(description="Name of the earlier version.")]
    later: Annotated[Text, Field(description="Name of the later version.")]
    earlier_date: Annotated[Text | None, Field(description="Date of the earlier version.")] = None
    later_date: Annotated[Text | None, Field(description="Date of the later version.")] = None


class FeretRequest(AnalysisRequest):
    """A FERET evaluation."""

    galleries: Annotated[
        Annotated[int, Within(ge=2, le=MOST)] | None,
        Field(description="Over how many disjoint galleries performance varies."),
    ] = None
    order: Annotated[
        Several[Text],
        Field(
            description="What fills the galleries, one after another: a column of dates or numbers, or chance. Default: random."
        ),
        Option(metavar="COLUMN|random"),
        Needs("galleries"),
    ] = ()
    ages: Annotated[
        Text | None,
        Field(
            description="Column of dates or numbers whose difference between probe and mate is the age. Default: that of order."
        ),
        Option(metavar="COLUMN"),
        Needs("galleries"),
    ] = None
    sizes: Annotated[
        Several[Positive],
        Field(description="Numbers of people enrolled to expect rates for."),
    ] = ()
    reject: Annotated[
        Annotated[float, Within(ge=0, lt=1)] | None,
        Field(
            description="Rejection test: the share of people searched for who are taken out of the gallery (0: probes without "
            "mates only)."
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
        Field(description="Fully automatic algorithms, and the same ones told where the eyes are."),
        Option(("--version",), "FULL=PARTIAL"),
    ] = ()
    improvements: Annotated[
        Several[ImprovementRequest],
        Field(description="Algorithms at two dates."),
        Option(("--improvement",), "EARLIER[@DATE]=LATER[@DATE]"),
    ] = ()
    ranks: Annotated[Several[Rank], Field(description="Ranks of tables; the first is that of tests.")] = (
        1,
        5,
        10,
    )
    participants: Annotated[
        File | None,
        Field(
            description="Table of who took part: algorithm, date, metric, training, version, operator, started, seconds, machine, received. Algorithms of one date make one panel."
        ),
    ] = None
    verification: Annotated[
        Text | None,
        Field(
            description="Put the order by this measure of verification beside that of identification: fnmr@0.01, auc."
        ),
        Option(metavar="MEASURE"),
        MEASURES,
    ] = None
    power: Annotated[
        Power,
        Field(
            description="Power at which the leaders' smallest difference tells whether probes are too easy or too hard."
        ),
    ] = 0.8

    @property
    def reads(self) -> Reads:
        """What it reads: ranks, and the records of runs, for who took part."""
        return Reads(ranks=True, runs=True)

    @property
    def category_use(self) -> Literal["possible"]:
        """Every category of probes is evaluated."""
        return "possible"
