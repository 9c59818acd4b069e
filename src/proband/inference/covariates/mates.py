"""How close each probe is to its mate, and whether that passes a threshold."""

from __future__ import annotations

import numpy as np

from proband.inference.covariates.regression import Floats
from proband.kernels.codes import OK
from proband.measures.outcomes import Outcomes
from proband.measures.pair_measures import rates_of
from proband.samples.categories import mate_pairs
from proband.scores import Scores


def mate_closeness(scores: Scores, outcomes: Outcomes) -> Floats:
    """Return how close each probe's closest mate is, larger is closer; minus infinity for a failure."""
    experiment = outcomes.experiment
    pairs = mate_pairs(experiment).select("probe", "mate")
    probe, mate = pairs["probe"].to_numpy(), pairs["mate"].to_numpy()
    ids = experiment.samples.ids
    rows, columns = scores.queries.positions(ids.at(probe)), scores.targets.positions(ids.at(mate))
    values = np.asarray(scores.each(rows, columns), dtype=np.float64)
    cells = scores.each_cell(rows, columns)
    usable = np.ones(len(values), dtype=np.bool_) if cells is None else cells == OK
    if outcomes.on_failure == "miss":
        usable &= ~(experiment.samples.failed[probe] | experiment.samples.failed[mate])
    closeness = np.where(usable, values if scores.larger_is_closer else -values, -np.inf)
    best = np.full(len(experiment.samples), -np.inf)
    np.maximum.at(best, probe, closeness)
    return np.where(outcomes.failed, -np.inf, best[outcomes.probes])


def matched_at(scores: Scores, outcomes: Outcomes, fmr: float) -> tuple[Floats, float | None]:
    """Tell whether each probe matches its mate at the threshold of a false match rate in this experiment, and what that is."""
    point = rates_of(scores, outcomes.experiment, fmr)[0].at_fmr(fmr)
    if point.threshold is None:
        return np.zeros(len(outcomes)), None
    limit = point.threshold if scores.larger_is_closer else -point.threshold
    return (mate_closeness(scores, outcomes) >= limit).astype(np.float64), point.threshold
