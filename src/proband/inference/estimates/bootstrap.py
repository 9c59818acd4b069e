"""Probes or people drawn anew, or reweighted, while the gallery stays as it is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from proband.designs import Reweighting
from proband.errors import DesignError, UsageError
from proband.inference.estimates.case import Case, IntervalFound, estimates_of
from proband.inference.estimates.replicates import bootstrap_interval, replicate
from proband.inference.procedures import Question
from proband.measures import Outcomes
from proband.measures.tallies import Floats
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.results.targets import GALLERY, OTHER_PEOPLE, OTHER_PROBES, PEOPLE_ALIKE, PROBES_ALIKE
from proband.words import Target


def resampled(question: Question) -> tuple[Estimate, ...]:
    """Estimate any measure from replicates of units."""
    return estimates_of(question, replicate_interval)


def replicate_interval(design: Reweighting, case: Case, replicates: Floats | None = None) -> IntervalFound:
    """A measure with an interval from its replicates, which are made unless they are there already."""
    if case.population is not None:
        raise UsageError("A finite population is allowed for with closed forms, not with a bootstrap.")
    counted = case.measure.tally(case.outcomes, units_of(case.outcomes, design))
    value = float(counted.value())
    made = (
        replicate(case.measure, case.outcomes, counted, design, case.seed)
        if replicates is None
        else replicates
    )
    low, high = bootstrap_interval(counted, value, made, design.interval, case.confidence_level)
    error = float(made.std(ddof=1)) if np.isfinite(made).all() else None
    answers = resampling_answers(case.measure.estimand, design)
    return IntervalFound(value, low, high, error, answers, replicates=made)


def resampling_answers(of: Target, design: Reweighting) -> Answers:
    """What a bootstrap varies."""
    if design.over_probes:
        return Answers(of, OTHER_PROBES, GALLERY, PROBES_ALIKE)
    return Answers(of, OTHER_PEOPLE, GALLERY, PEOPLE_ALIKE)


def units_of(outcomes: Outcomes, design: Reweighting) -> npt.NDArray[np.intp]:
    """Number the units that a bootstrap draws."""
    if design.over_probes:
        return np.arange(len(outcomes))
    codes = np.unique(outcomes.subjects, return_inverse=True)[1]
    if codes.max() == 0:
        raise DesignError(
            "All probes are of one person, so nothing can be said about other people.",
            "use Bootstrap('probe').",
        )
    return codes.astype(np.intp)
