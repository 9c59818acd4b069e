"""Requests for verification."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from proband.engine.limits import (
    Replicates,
    TargetFalseMatchRate,
)
from proband.marks import Unless
from proband.study.requests.base import (
    CHOICE,
    AnalysisRequest,
    Condition,
    File,
    Option,
    Reads,
    Several,
    Text,
)
from proband.study.requests.data import ExperimentDesign


class VerificationRequest(AnalysisRequest):
    """Error rates at operating points, by group, and by person."""

    gallery: Annotated[
        Condition | None,
        Field(
            description="Claimed identities. Default: the gallery of the experiment, or every query compared with "
            "every target, each pair once."
        ),
        Option(("-g",), panel="Data"),
        Unless("pairs"),
    ] = None
    probes: Annotated[
        Condition | None,
        Field(description="Samples that claim these identities."),
        Option(("-p",), panel="Data"),
        Unless("pairs"),
    ] = None
    comparisons: Annotated[
        Literal["experiment", "all"],
        Field(
            description="Comparisons to verify without a gallery or probes: those of the experiment, or all."
        ),
        Option(typed=False),
        Unless("pairs", "gallery", "probes"),
    ] = "experiment"
    fmr: Annotated[
        Several[TargetFalseMatchRate], Field(description="False match rates."), Unless("pairs")
    ] = (
        0.01,
        0.001,
        0.0001,
    )
    thresholds: Annotated[
        Several[float],
        Field(description="Additional fixed thresholds."),
        Option(("--threshold",)),
        Unless("pairs"),
    ] = ()
    n_resamples: Annotated[
        Replicates,
        Field(description="Number of bootstrap replicates over people; 0 for none."),
        Option(("--replicates",)),
        Unless("pairs"),
    ] = 2_000
    naive: Annotated[
        bool,
        Field(description="Also show intervals that assume independent comparisons."),
        Unless("pairs"),
    ] = False
    by: Annotated[
        Several[Text],
        Field(description="Error rates by the values of a column, at a common threshold; may be repeated."),
        Option(metavar="COLUMN"),
        Unless("pairs"),
    ] = ()
    zoo: Annotated[
        bool, Field(description="Test whether errors are concentrated on a few people."), Unless("pairs")
    ] = False
    pairs: Annotated[
        File | None,
        Field(
            description="Accuracy over only these pairs, by fold: LFW's pairs.txt, a table with query and target, or "
            ".npz with pair_a and pair_b."
        ),
    ] = None

    @property
    def beyond_lists(self) -> tuple[str, ...]:
        """Requested options that need scores of queries against targets."""
        names = ("gallery", "probes", "by", "zoo", "pairs")
        return tuple(name for name in names if getattr(self, name))

    @property
    def reads(self) -> Reads:
        """Inputs: compared pairs, or pairs listed in a file."""
        by_experiment = self.pairs is None and self.comparisons == "experiment"
        return Reads(
            pairs=self.pairs is None,
            lists=not self.beyond_lists,
            failures=self.pairs is None,
            experiment=CHOICE if by_experiment else frozenset(),
        )

    @property
    def verified_pairs(self) -> ExperimentDesign | Literal["all"] | None:
        """Comparisons to verify: its own gallery and probes, or all; None uses the experiment's."""
        if self.gallery is not None or self.probes is not None:
            return ExperimentDesign(gallery=self.gallery, probes=self.probes)
        return "all" if self.comparisons == "all" else None
