"""Find thresholds to deploy for every algorithm and false match rate."""

from __future__ import annotations

from dataclasses import dataclass

from proband.analyses.threshold.request import ThresholdRequest
from proband.inference.verification.thresholds.deployed import thresholds_of
from proband.inference.verification.thresholds.results import DeployedThreshold
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.scores.trials import Trials
from proband.study.context import Context
from proband.study.findings import Parts


@dataclass(frozen=True, eq=False)
class Thresholds(Parts):
    """Thresholds to deploy, for each algorithm and false match rate."""

    thresholds: tuple[DeployedThreshold, ...]


def run(request: ThresholdRequest, context: Context) -> Thresholds:
    """Find the thresholds; where people are too few for a guarantee, there is the plain one."""
    sources: list[tuple[Trials | Scores, Experiment | Samples | None, bool]] = [
        (one.trials, None, one.check_orientation) for one in context.inputs.lists
    ]
    sources += [(one.scores, context.verified, True) for one in context.inputs.algorithms]
    found = [
        made
        for data, within, check_orientation in sources
        for made in thresholds_of(
            data,
            within,
            request.fmr,
            context.output.confidence_level,
            check_orientation=check_orientation,
            threads=context.threads,
            progress=context.progress,
        )
    ]
    return Thresholds(tuple(found))
