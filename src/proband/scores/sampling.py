"""Observations on the columns declared as sampling levels in the samples behind scores."""

from __future__ import annotations

import numpy as np

from proband.samples import Experiment, Pool, Samples
from proband.samples.sampling import observed
from proband.scores.base import Scores
from proband.scores.trials import Trials
from proband.words import SampledColumn


def sampled(
    data: object, within: Experiment | Samples | Pool | None, strata: str | None = None
) -> tuple[SampledColumn, ...]:
    """Observations on the columns declared as sampling levels in the compared samples; queries count as probes."""
    if isinstance(data, Trials):
        if isinstance(within, Samples) and within.sampling and not data.sampling:
            return data.with_samples(within).sampling
        return data.sampling
    if isinstance(within, Experiment):
        return observed(within.samples, within.probes, within.gallery, strata=strata)
    if isinstance(within, Pool):
        images = np.unique(within.options.images)
        return observed(within.samples, images, images)
    if isinstance(within, Samples) and within.sampling and isinstance(data, Scores):
        at = within.ids.positions
        return observed(within, at(data.queries), at(data.targets), strata=strata)
    return ()
