"""Requests for covariate analyses."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from proband.engine.limits import (
    FalseMatchRate,
    Rank,
)
from proband.errors import Hint
from proband.marks import Needs, Unless
from proband.study.requests.base import (
    Against,
    AnalysisRequest,
    ChosenPairs,
    File,
    Option,
    Reads,
    Text,
    refuse,
)

_COLUMN = Option(metavar="COLUMN", panel="Outcomes")


class CovariatesRequest(AnalysisRequest):
    """Outcomes explained by covariates, with people as clusters, from scores or a table."""

    on: Annotated[
        Text,
        Field(
            description="Covariates of the probe (probe.age, or age), its mate (mate.age), the pair (same(glasses), difference(age), elapsed(date)) and "
            "algorithm, joined by +, : or *; squared(age), cut(age, 4) and levels(age) transform a number. For a table of outcomes: its columns."
        ),
        Option(metavar="MODEL"),
    ] = ""
    outcome: Annotated[
        Literal["success", "match", "log-rank"],
        Field(
            description="Outcome to explain: success at a rank, a match with the mate at a threshold, or the log of the rank."
        ),
        Unless("table"),
    ] = "success"
    rank: Annotated[
        Rank,
        Field(description="Rank that counts as a success."),
        Option(("-r",)),
        Unless("table"),
        Needs("outcome=success"),
    ] = 1
    fmr: Annotated[
        FalseMatchRate,
        Field(description="For match: false match rate that sets the threshold."),
        Unless("table"),
        Needs("outcome=match"),
    ] = 0.001
    table: Annotated[
        File | None,
        Field(description="Table of outcomes, one row per trial, instead of scores."),
        Option(panel="Outcomes"),
    ] = None
    success: Annotated[
        Text | None,
        Field(description="Column of the outcome: 1 for a success, 0 for a failure; or a number."),
        _COLUMN,
        Needs("table"),
    ] = None
    cluster: Annotated[
        Text | None,
        Field(description="Column of clusters, such as people. Default: rows are independent."),
        _COLUMN,
        Needs("table"),
    ] = None
    weights: Annotated[
        Text | None, Field(description="Column of sampling weights."), _COLUMN, Needs("table")
    ] = None
    strata: Annotated[
        Text | None,
        Field(description="Column of strata that clusters were drawn within."),
        _COLUMN,
        Needs("table"),
    ] = None
    covariance: Annotated[
        Literal["CR2", "CR1", "CR0", "survey"] | None,
        Field(
            description="Standard errors, clustered by person: CR2 also suits few people; CR1 and CR0 match other "
            "software; survey uses linearisation with weights and strata. Default: survey with weights or "
            "strata, else CR2."
        ),
    ] = None
    pairs: Annotated[ChosenPairs, Unless("table")] = ()
    against: Annotated[Against, Unless("table")] = None
    incomplete: Annotated[
        Literal["error", "drop"],
        Field(description="Probes with a missing covariate: raise an error, or drop and report them."),
    ] = "error"

    @model_validator(mode="after")
    def _of_something(self) -> Self:
        if not self.on:
            raise refuse("no covariates were given", Hint("pass {option:on=probe.age}"), "on")
        if self.table is not None and self.success is None:
            raise refuse("no column of outcomes was given", Hint("pass {option:success}"), "success")
        return self

    @property
    def reads(self) -> Reads:
        """Inputs: ranks, or its own table."""
        return Reads(ranks=True) if self.table is None else Reads(scores=False)
