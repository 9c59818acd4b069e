"""Requests for a stratified evaluation."""

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
            description="Images per person: one is in the gallery, the others are the units. Default: the number that "
            "leaves the most probes."
        ),
        Option(("--images", "-n")),
        Unless("gallery"),
    ] = None
    order_by: Annotated[
        Text | None,
        Field(description="Column that orders a person's images. Default: order of the table."),
        Option(metavar="COLUMN"),
        Unless("gallery"),
    ] = None
    design: Annotated[
        Text,
        Field(description="Replication method for variances: brr, fay, jackknife, rao-wu, or a plug-in's."),
        DESIGNS,
    ] = "brr"
    rank: Annotated[Rank, Field(description="Rank for tables and tests."), Option(("-r",))] = 1
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
            description="Compare sensors or conditions on the same people and one gallery: column of probes that distinguishes them."
        ),
        Option(metavar="COLUMN"),
    ] = None
    relative_ranks: Annotated[
        bool,
        Field(description="Plot curves over rank / people in the gallery instead of rank."),
        Option(needs=("figure", "out", "report")),
    ] = False

    @property
    def reads(self) -> Reads:
        """Inputs: scores, with the tie and failure policies of the experiment."""
        return Reads(experiment=frozenset({"ties", "on_failure"}))
