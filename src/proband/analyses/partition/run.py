"""Probes divided by difficulty."""

from __future__ import annotations

from dataclasses import replace

from proband.analyses.partition.request import PartitionRequest
from proband.inference.covariates.difficulty import Partition, divide
from proband.study.context import Context, digest_of


def run(request: PartitionRequest, context: Context) -> Partition:
    """Divide the probes; people are anonymised if requested."""
    outcomes = context.outcomes
    made: Partition = context.step(
        "partition",
        {
            "request": request.model_dump(),
            "experiment": digest_of(outcomes[0].experiment),
            **context.ranking,
            **context.judging,
        },
        lambda: divide(
            outcomes,
            context.scores,
            request.parts,
            request.rank,
            request.judges,
            context.output.confidence_level,
        ),
    )
    return replace(made, probes=made.probes.drop("id", "subject")) if context.output.pseudonyms else made
