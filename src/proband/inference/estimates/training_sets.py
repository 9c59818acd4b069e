"""One algorithm trained on several sets: how much does its performance owe to new training sets it happened to get?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proband.designs import ImageChoice
from proband.errors import DesignError, UsageError
from proband.inference.galleries.places import mean_interval
from proband.inference.image_choice.estimates import estimate_over_choices
from proband.inference.image_choice.measured import facts_of_pool
from proband.inference.procedures import Question
from proband.inference.proportions import Interval
from proband.inference.strata.estimates import NO_WIDTH
from proband.results.about import RestsOn, Who
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.results.targets import derived
from proband.samples import Pool
from proband.scores import Scores
from proband.words import Note, Sentence, Target, counted

_SPREAD = Sentence("training.spread", "note", "standard deviation over training sets {deviation:rate}")
_SPREADS = Sentence(
    "training.spreads",
    "note",
    "standard deviation over training sets {deviation:rate}, over choices of images of these people {of_images:rate}",
)
_TRAINING = Target("training-set", "new training sets")
_PEOPLE_FIXED = Target("people-and-mean-choice", "the people, averaged over choices of images")
_PROBES_FIXED = Target("gallery-and-probes", "the gallery and the probes")
_ALIKE = Target(
    "training-sets-alike",
    "training sets are independent and identically distributed, and their mean is nearly normal",
)


def over_trainings(question: Question) -> tuple[Estimate]:
    """Estimate the mean of a measure over training sets, with its standard error and a Student interval.

    x̄ ± t_{m−1} s/√m over m sets (Student 1908), for a rate on the logit scale. In simulations (3 to 10 sets, rates of .8 to .98) it held
    the mean in 92 to 96 % where sets differ normally on that scale, and in 74 to 90 % where a few are far worse than the rest. The
    training set varies; people and images are held fixed (Beveridge et al. 2001). With a pool of images each training set counts
    by its mean over choices of images, and the spread over those is given beside the spread over training sets.
    """
    measure, scores, within = question.measure, question.data, question.within
    design, level, seed = question.design, question.confidence_level, question.seed
    if not all(isinstance(one, Scores) for one in scores):
        raise UsageError(
            "Several scores passed together must be one algorithm trained on several sets.",
            "pass design=TrainingSets(), or use compare for different algorithms.",
        )
    if len(scores) < 2:
        raise DesignError(
            "Variation between training sets cannot be estimated from one training set.",
            "pass scores from at least two training sets.",
        )
    notes: tuple[Note, ...] = ()
    if isinstance(within, Pool):
        over_images = [
            estimate_over_choices(measure, one, within, ImageChoice(), level, seed) for one in scores
        ]
        values = np.array([one.value for one in over_images])
        # Independent of the training sets, so their variances are averaged.
        of_images = float(np.sqrt(np.mean([(one.standard_error or 0.0) ** 2 for one in over_images])))
        facts = facts_of_pool(scores[0].name, scores[0].metric, within)
        deviation = float(values.std(ddof=1))
        notes = (_SPREADS(deviation=deviation, of_images=of_images), *within.notes)
        held = _PEOPLE_FIXED
    else:
        outcomes = question.outcomes
        values = np.array([float(measure(one)) for one in outcomes])
        facts = outcomes[0].facts
        notes = (_SPREAD(deviation=float(values.std(ddof=1))),)
        held = _PROBES_FIXED
    error = float(values.std(ddof=1) / np.sqrt(len(values)))
    low, high = mean_interval(
        values, level, Interval(*((0.0, 1.0) if measure.in_points else (-np.inf, np.inf)))
    )
    facts = replace(facts, algorithm=", ".join(one.name for one in scores))
    found = Estimate(
        who=Who(algorithm=facts.algorithm),
        rests_on=RestsOn.measured(facts),
        value=float(values.mean()),
        low=low,
        high=high,
        confidence_level=level,
        standard_error=error,
        degrees_of_freedom=len(values) - 1.0,
        replicates=values,
        method=replace(design.as_method, label=counted(len(values), "training set")),
        answers=Answers(derived("mean", "mean {}", measure.estimand), _TRAINING, held, _ALIKE),
        facts=facts,
        notes=(*notes, *((NO_WIDTH(),) if error == 0 else ())),
    )
    return (found,)
