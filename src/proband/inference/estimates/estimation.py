"""A measure under a design: how good is this algorithm, and how sure can we be?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

# Importing the modules registers their designs.
from proband.designs import (
    Binomial,
    Bootstrap,
    Clustered,
    Design,
    Galleries,
    ImageChoice,
    StratifiedDesign,
    TrainingSets,
)
from proband.errors import DesignError, UsageError
from proband.inference.estimates import closed as closed
from proband.inference.estimates.question import Question, under
from proband.inference.proportions import check_level, check_seed
from proband.measures import CMC, Outcomes, RecognitionRate
from proband.measures.identification import outcomes_of
from proband.measures.verification import AUC, FNMR
from proband.results.estimate import Clusters, Estimate
from proband.samples import Experiment, Pool, Samples
from proband.scores import Scores
from proband.words import Note, Sentence

Auto = Literal["auto"]
_ALIKE = 0.1  # a standard error that is off by more than this share is worth a sentence

_PEOPLE_CHOSEN = Sentence(
    "estimate.people-are-units",
    "note",
    "people have several probes, so people are the units (Wilson, effective sample size)",
)
_BINOMIAL_CHOSEN = Sentence(
    "estimate.binomial", "note", "each person has one probe, so successes are binomial (Wilson)"
)
_BOOTSTRAP_CHOSEN = Sentence(
    "estimate.bootstrap", "note", "the {measure} has no closed form, so people's outcomes are bootstrapped"
)
_FRACTIONS_CHOSEN = Sentence(
    "estimate.fractions",
    "note",
    "fractions of a success have no closed form, so people's outcomes are bootstrapped",
)
CHOSEN = {one.code for one in (_PEOPLE_CHOSEN, _BINOMIAL_CHOSEN, _BOOTSTRAP_CHOSEN, _FRACTIONS_CHOSEN)}
"""The codes of notes that say why ``auto`` took its design."""

_ALL_ALIKE = Sentence(
    "dependence.all-alike",
    "note",
    "of {n:count} probes of {people:count} people {which} succeed, so nothing can be seen of how alike a person's probes are: "
    "people are counted once each",
)
_ALL_ALIKE_BINOMIAL = Sentence(
    "dependence.all-alike-binomial",
    "caution",
    "of {n:count} probes of {people:count} people {which} succeed, so nothing can be seen of how alike a person's probes are: "
    "this interval takes them for independent all the same, and may be too narrow",
)
_WORTH = (
    "{n:count} probes of {people:count} people tell as much as {worth:whole} independent ones "
    "(intraclass correlation {icc:two}, design effect {effect:two})"
)
_ABOUT_RIGHT = Sentence(
    "dependence.about-right", "note", f"{_WORTH}: a binomial interval would be about right"
)
_WOULD_BE = Sentence(
    "dependence.binomial-would-be",
    "note",
    f"{_WORTH}: a binomial interval would be too {{side}} by a factor of {{factor:two}}",
)
_IS = Sentence(
    "dependence.binomial-is",
    "caution",
    f"{_WORTH}: this interval is too {{side}} by a factor of {{factor:two}}",
)
_EVEN = Sentence(
    "dependence.people-alike",
    "note",
    "{n:count} probes of {people:count} people tell as much as any number of independent ones (intraclass correlation {icc:two}, "
    "design effect 0): a binomial interval is too wide by any factor",
)
DEPENDENCE = {one.code for one in (_ALL_ALIKE, _ALL_ALIKE_BINOMIAL, _ABOUT_RIGHT, _WOULD_BE, _IS, _EVEN)}
"""The codes of notes that say whether taking probes for independent would mislead."""


def estimate(
    measure: Any,
    data: Outcomes | Scores | Sequence[Scores],
    within: Experiment | Samples | Pool | None = None,
    design: Design | StratifiedDesign | ImageChoice | Galleries | TrainingSets | Auto = "auto",
    *,
    confidence_level: float = 0.95,
    rng: int = 0,
    population: int | None = None,
) -> Estimate:
    """Estimate a measure with its interval.

    Parameters
    ----------
    measure
        A recognition rate, a median rank, a `RankStatistic`, `FNMR` at a false match rate, or `AUC`. For a whole curve use
        `estimate_cmc`.
    data, within
        Outcomes, or scores and the experiment they are ranked in, or scores and a `Pool` of images to choose from.
    design
        What varies: `Binomial`, `Clustered`, `Bootstrap`, or ``"auto"``, which asks about *other people* and says which
        method it took and why. `Galleries`, which takes scores, deals the people to several galleries. Over a pool:
        `ImageChoice`. `TrainingSets` takes as data several scores of one algorithm, trained on different sets.
    confidence_level
        0.95 by default.
    rng
        The seed of replicates.
    population
        The number of people the tested ones were drawn from, without replacement, if it is finite: the standard error
        then shrinks by √(1 − n/N). None for an endless population.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(20)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = np.eye(20); values[:4] = 0.5
    >>> scores = Scores.from_array(values, ids[20:], ids[:20], orientation="similarity", name="net")
    >>> estimate(RecognitionRate(1), scores, Experiment(samples, gallery=ids[:20]))
    net: recognition rate at rank 1 0.8000 ± 0.0894, 95% [0.5840, 0.9193], varying other probes, one of each person
    """
    check_level(confidence_level)
    check_seed(rng)
    if isinstance(measure, CMC):
        raise UsageError("A whole curve has a band, not an interval.", "use estimate_cmc.")
    if isinstance(measure, FNMR | AUC):
        from proband.inference.verification.auc import estimate_auc
        from proband.inference.verification.fnmr import estimate_fnmr

        scores, pairs_within = verification_data([data], within, design)
        if isinstance(measure, AUC):
            return estimate_auc(measure, scores[0], pairs_within, confidence_level)
        return estimate_fnmr(measure, scores[0], pairs_within, confidence_level, rng)
    if isinstance(design, Galleries):
        from proband.inference.galleries.variation import estimate_over_galleries

        return estimate_over_galleries(measure, data, within, design, confidence_level, population)
    if isinstance(design, TrainingSets) or not isinstance(data, Outcomes | Scores):
        from proband.inference.estimates.training_sets import estimate_over_trainings

        return estimate_over_trainings(measure, data, within, design, confidence_level, rng)
    if isinstance(within, Pool) or isinstance(design, ImageChoice):
        return _over_choices(measure, data, within, design, confidence_level, rng)
    within = identification_within(within)
    question = Question(measure, outcomes_of(data, within), confidence_level, rng, population)
    chosen, why = chosen_design(question) if design == "auto" else (design, ())
    found = under(chosen, question)
    clusters = question.clusters

    def again(n_resamples: int) -> Estimate:
        larger = replace(chosen, n_resamples=n_resamples)  # type: ignore[arg-type]
        made = estimate(measure, question.outcomes, design=larger, confidence_level=confidence_level, rng=rng)
        return replace(made, notes=(*why, *made.notes))

    return Estimate(
        value=found.value,
        low=found.low,
        high=found.high,
        confidence_level=confidence_level,
        standard_error=found.standard_error,
        events=question.events,
        degrees_of_freedom=found.degrees_of_freedom,
        replicates=found.replicates,
        design=chosen.as_method,
        seed=None if found.replicates is None else rng,
        answers=found.answers,
        facts=question.outcomes.facts,
        clusters=clusters,
        notes=(*why, *found.notes, *dependence(clusters, isinstance(chosen, Binomial))),
        again=again if found.replicates is not None and hasattr(chosen, "n_resamples") else None,
    )


def _over_choices(
    measure: Any,
    data: Outcomes | Scores,
    within: Experiment | Samples | Pool | None,
    design: object,
    level: float,
    seed: int,
) -> Estimate:
    from proband.inference.image_choice.estimates import estimate_over_choices

    scores, pool, chosen = choice_of_images([data], within, design)
    return estimate_over_choices(measure, scores[0], pool, chosen, level, seed)


def identification_within(within: Experiment | Samples | Pool | None) -> Experiment | None:
    """Refuse a table or a pool where an experiment is needed."""
    if isinstance(within, Samples | Pool):
        raise UsageError(
            f"Identification takes place in an experiment, not in a {type(within).__name__}.",
            "Experiment(samples, gallery=..., probes=...).",
        )
    return within


def verification_data(
    data: Sequence[Any], within: Experiment | Samples | Pool | None, design: object
) -> tuple[list[Scores], Experiment | Samples]:
    """Check that verification has scores, who is compared with whom, and no design of another kind."""
    scores = [one for one in data if isinstance(one, Scores)]
    if not isinstance(within, Experiment | Samples) or len(scores) < len(data) or design != "auto":
        raise DesignError(
            "Verification takes scores and an experiment, or the samples table for all pairs, and the design 'auto'.",
            "estimate(FNMR(1e-3), scores, samples).",
        )
    return scores, within


def choice_of_images(
    data: Sequence[Outcomes | Scores], within: Experiment | Samples | Pool | None, design: object
) -> tuple[list[Scores], Pool, ImageChoice]:
    """Check that a pool, scores and the choice of images go together."""
    chosen = ImageChoice() if design == "auto" else design
    scores = [one for one in data if isinstance(one, Scores)]
    if not isinstance(within, Pool) or not isinstance(chosen, ImageChoice) or len(scores) < len(data):
        raise DesignError(
            "The choice of images varies over scores and a pool of images.",
            "estimate(measure, scores, Pool(samples, groups='session'), ImageChoice()).",
        )
    return scores, within, chosen


def chosen_design(question: Question) -> tuple[Design, tuple[Note, ...]]:
    """The design that ``auto`` takes to speak of other people, and why."""
    measure = question.measure
    if isinstance(measure, RecognitionRate) and not question.outcomes.fractional:
        if question.several:
            return Clustered(), (_PEOPLE_CHOSEN(),)
        return Binomial(), (_BINOMIAL_CHOSEN(),)
    if isinstance(measure, RecognitionRate):
        return Bootstrap("subject"), (_FRACTIONS_CHOSEN(),)
    return Bootstrap("subject"), (_BOOTSTRAP_CHOSEN(measure=measure.estimand),)


def dependence(clusters: Clusters | None, this_is_binomial: bool) -> tuple[Note, ...]:
    """Say in one sentence whether taking probes for independent would mislead."""
    if clusters is None:
        return ()
    if clusters.nothing_varies:
        alike = _ALL_ALIKE_BINOMIAL if this_is_binomial else _ALL_ALIKE
        which = "all" if clusters.rate else "none"
        return (alike(n=clusters.n, people=clusters.n_clusters, which=which),)
    told: dict[str, Any] = {"n": clusters.n, "people": clusters.n_clusters, "icc": clusters.icc}
    ratio = float(np.sqrt(clusters.design_effect))
    if ratio == 0:
        return (_EVEN(**told),)
    told |= {"worth": clusters.effective_n, "effect": clusters.design_effect}
    if abs(ratio - 1) < _ALIKE:
        return (_ABOUT_RIGHT(**told),)
    said = _IS if this_is_binomial else _WOULD_BE
    return (said(**told, side="narrow" if ratio > 1 else "wide", factor=max(ratio, 1 / ratio)),)
