"""What can be asked of a stratified evaluation."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from proband.engine.limits import (
    Rank,
    Within,
)
from proband.marks import Needs, Unless
from proband.study.requests.base import (
    DESIGNS,
    MOST,
    AnalysisRequest,
    Condition,
    Option,
    Reads,
    Text,
)
from proband.study.requests.replication import Replication


class StratRequest(AnalysisRequest, Replication):
    """Stratified evaluation by balanced repeated replication."""

    n_images: Annotated[
        Annotated[int, Within(ge=3, le=MOST)] | None,
        Field(
            description="Images of each person: one is the gallery, the others are the units. Default: as many as leave the most "
            "probes."
        ),
        Option(("--images", "-n")),
        Unless("gallery"),
    ] = None
    order_by: Annotated[
        Text | None,
        Field(description="What orders a person's images; default: the table."),
        Option(metavar="COLUMN"),
        Unless("gallery"),
    ] = None
    design: Annotated[
        Text,
        Field(description="How variance is replicated: brr, fay, jackknife, rao-wu, or a plug-in's."),
        DESIGNS,
    ] = "brr"
    rank: Annotated[Rank, Field(description="The rank of tables and tests."), Option(("-r",))] = 1
    gallery: Annotated[
        Condition | None,
        Field(
            description="A fixed gallery instead of each column of images in turn: a condition, one_per_subject or @FILE of ids."
        ),
        Option(("-g",), panel="Data"),
    ] = None
    probes: Annotated[
        Condition | None,
        Field(description="The probes of a fixed gallery. Default: every query that is not in it."),
        Option(("-p",), panel="Data"),
        Needs("gallery"),
    ] = None
    sensors: Annotated[
        Text | None,
        Field(
            description="Compare sensors or conditions: the column of probes that tells them apart, on the same people and one gallery."
        ),
        Option(metavar="COLUMN"),
    ] = None
    relative_ranks: Annotated[
        bool,
        Field(description="Draw curves over rank / people in the gallery instead of rank."),
        Option(needs=("figure", "out", "report")),
    ] = False

    @property
    def reads(self) -> Reads:
        """What it reads: scores, with ties and failures as the experiment has them."""
        return Reads(experiment=frozenset({"ties", "on_failure"}))
