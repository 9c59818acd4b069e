"""Probes or people drawn anew, with replacement, while the gallery stays as it is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from proband.designs import Bootstrap
from proband.errors import DesignError, UsageError
from proband.inference.estimates.question import Found, Question, under
from proband.inference.estimates.replicates import bootstrap_interval, replicate
from proband.inference.estimates.tallies import tally
from proband.measures import Outcomes
from proband.results.base import Answers
from proband.results.targets import GALLERY, OTHER_PEOPLE, OTHER_PROBES, PEOPLE_ALIKE, PROBES_ALIKE
from proband.words import Target


@under.register
def _(design: Bootstrap, question: Question) -> Found:
    if question.population is not None:
        raise UsageError("A finite population is allowed for with closed forms, not with a bootstrap.")
    counted = tally(question.measure, question.outcomes, units_of(question.outcomes, design))
    value = float(counted.value())
    replicates = replicate(question.measure, question.outcomes, counted, design, question.seed)
    low, high = bootstrap_interval(counted, value, replicates, design.interval, question.confidence_level)
    error = float(replicates.std(ddof=1)) if np.isfinite(replicates).all() else None
    answers = resampling_answers(question.measure.estimand, design)
    return Found(value, low, high, error, answers, replicates=replicates)


def resampling_answers(of: Target, design: Bootstrap) -> Answers:
    """What a bootstrap varies."""
    if design.unit == "probe":
        return Answers(of, OTHER_PROBES, GALLERY, PROBES_ALIKE)
    return Answers(of, OTHER_PEOPLE, GALLERY, PEOPLE_ALIKE)


def units_of(outcomes: Outcomes, design: Bootstrap) -> npt.NDArray[np.intp]:
    """Number the units that a bootstrap draws."""
    if design.unit == "probe":
        return np.arange(len(outcomes))
    codes = np.unique(outcomes.subjects, return_inverse=True)[1]
    if codes.max() == 0:
        raise DesignError(
            "All probes are of one person, so nothing can be said about other people.",
            "use Bootstrap('probe').",
        )
    return codes.astype(np.intp)
