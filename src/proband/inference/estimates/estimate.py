"""Estimation of a measure under a design, with its interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, overload

from proband.designs import Binomial, Bootstrap, Clustered, Design, TrainingSets
from proband.designs.base import as_design
from proband.engine import Engine, on_engine
from proband.engine.arguments import published
from proband.engine.limits import Level, Positive, Seed
from proband.inference.estimates.case import cases_of, people_in
from proband.inference.procedures import Auto, Question, procedure_for
from proband.inference.proportions import Interval
from proband.measures import Measure, Outcomes
from proband.results.estimate import Estimate
from proband.results.several import Several
from proband.results.sides import ONE_SIDED, Side, limits_of, opened, two_sided_level
from proband.samples import Experiment, Pool, Samples
from proband.scores import Scores
from proband.scores.several import by_name, is_several
from proband.scores.trials import Trials
from proband.words import Note, Sentence

_PEOPLE_CHOSEN = Sentence(
    "estimate.people-are-units",
    "note",
    "people have several probes, so people are the units (Wilson, effective sample size)",
)
_BINOMIAL_CHOSEN = Sentence(
    "estimate.binomial", "note", "each person has one probe, so successes are binomial (Wilson)"
)
_BOOTSTRAP_CHOSEN = Sentence(
    "estimate.bootstrap",
    "note",
    "the {measure} has no closed form, so the outcomes of people are bootstrapped",
)
_FRACTIONS_CHOSEN = Sentence(
    "estimate.fractions",
    "note",
    "ties broken at random give fractional successes, so people are the units (Wilson, effective sample size)",
)
CHOSEN = {one.code for one in (_PEOPLE_CHOSEN, _BINOMIAL_CHOSEN, _BOOTSTRAP_CHOSEN, _FRACTIONS_CHOSEN)}
"""The codes of notes that say why ``auto`` took its design."""


@overload
def estimate(
    scores: Outcomes | Scores | Trials,
    experiment: Experiment | Samples | Pool | None = None,
    *,
    measure: Measure | str = "rank-1",
    design: Design | Auto | str = "auto",
    confidence_level: float = 0.95,
    seed: int = 0,
    population: Positive | None = None,
    one_sided: Side | None = None,
    engine: Engine = None,
) -> Estimate: ...
@overload
def estimate(  # type: ignore[overload-overlap]  # a design of training sets has one answer
    scores: Sequence[Outcomes | Scores | Trials] | Mapping[str, Outcomes | Scores | Trials],
    experiment: Experiment | Samples | Pool | None = None,
    *,
    measure: Measure | str = "rank-1",
    design: TrainingSets,
    confidence_level: float = 0.95,
    seed: int = 0,
    population: Positive | None = None,
    one_sided: Side | None = None,
    engine: Engine = None,
) -> Estimate: ...
@overload
def estimate(
    scores: Sequence[Outcomes | Scores | Trials] | Mapping[str, Outcomes | Scores | Trials],
    experiment: Experiment | Samples | Pool | None = None,
    *,
    measure: Measure | str = "rank-1",
    design: Design | Auto | str = "auto",
    confidence_level: float = 0.95,
    seed: int = 0,
    population: Positive | None = None,
    one_sided: Side | None = None,
    engine: Engine = None,
) -> Several[str, Estimate]: ...
@published
@on_engine
def estimate(
    scores: Outcomes
    | Scores
    | Trials
    | Sequence[Outcomes | Scores | Trials]
    | Mapping[str, Outcomes | Scores | Trials],
    experiment: Experiment | Samples | Pool | None = None,
    *,
    measure: Measure | str = "rank-1",
    design: Design | Auto | str = "auto",
    confidence_level: Level = 0.95,
    seed: Seed = 0,
    population: Positive | None = None,
    one_sided: Side | None = None,
    engine: Engine = None,
) -> Estimate | Several[str, Estimate]:
    """Estimate a measure with its interval, for one algorithm or for several separately.

    With ``auto``, intervals are for *new people*; the algorithm and the gallery are held fixed. A rate has Wilson's interval
    (1927) for independent probes if each person has one probe (`wilson_interval`), and with the effective sample size if people
    have several (Rao & Scott 1992; `clustered_interval`). If people have different numbers of probes, the rate with every
    person weighted equally is also reported (`Estimate.by_person`) and should be quoted for new people; ``weights="person"``
    makes it the value. Other measures of ranks are bootstrapped over people (Efron 1979; `bootstrap_interval`). FNMR and AUC
    are computed over pairs of people (`fnmr_estimates`, `auc_interval`).

    Parameters
    ----------
    scores
        Scores or embeddings of one or several algorithms, as a list or a mapping from names; or outcomes (`rank`); or, for
        measures of pairs, a list of comparisons (`Trials`).
    experiment
        The experiment in which scores are ranked, the samples table for measures of pairs, or a `Pool` of images to choose from. Not
        needed for outcomes and lists.
    measure
        The measure: ``"rank-1"`` (any rank), ``"fnmr@0.001"``, ``"tar@0.001"``, ``"eer"``, ``"auc"``, ``"median-rank@50"``, or
        any other of `proband.measures`, by name or as an object. For a whole curve use `estimate_cmc`.
    design
        What varies: `Binomial`, `Clustered`, `Bootstrap`, or ``"auto"``, which is for *new people* and reports the chosen
        method and the reason; names are accepted: ``"bootstrap"``. `Galleries` needs scores and divides the people into several
        galleries. For a pool: `ImageChoice`. `TrainingSets` needs several scores of one algorithm, trained on different sets.
    confidence_level
        The level of the interval.
    seed
        The seed of replicates.
    population
        The size of the population from which the tested people were drawn without replacement, if it is finite: the variance is
        (1 − n/N) of the variance over people plus n/N of the variance over other images of the same people, which needs several
        probes per person (Cochran 1977, §10.4). None for an infinite population.
    one_sided
        ``lower`` or ``upper``: a lower or upper bound instead of an interval: the end of the two-sided interval with twice the
        error probability; the other end is open.
    engine
        Where computations run; by default on this machine.

    Returns
    -------
    Estimate or Several
        The value with its interval; for several algorithms, a mapping from names to estimates.

    Examples
    --------
    Of 20 people, 16 are recognised:

    >>> import numpy as np
    >>> from proband.measures import RecognitionRate
    >>> from proband.samples import Samples
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(20)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = np.eye(20); values[:4] = 0.5
    >>> scores = Scores.from_array(values, ids[20:], ids[:20], orientation="similarity", name="net")
    >>> estimate(scores, Experiment(samples, gallery=ids[:20]), measure=RecognitionRate(1))
    net: recognition rate at rank 1 0.8000 ± 0.0894, 95% [0.5840, 0.9193], for new people searched in this gallery, with one probe each
    """
    asked = as_design(design)
    several = is_several(scores)
    trained = several and getattr(asked, "capability", None) == "trainings"
    held: Any = scores if trained else by_name(scores)
    level = two_sided_level(confidence_level, one_sided)
    question = Question.of(measure, held, experiment, asked, level, seed, population)
    found = estimates(question)
    if one_sided is not None:
        found = tuple(bounded(one, one_sided, confidence_level, question.measure.in_points) for one in found)
    return found[0] if trained or not several else Several(zip(question.names, found, strict=True))


def bounded(found: Estimate, side: Side, confidence_level: float, in_points: bool) -> Estimate:
    """Convert a two-sided interval at level 1 − 2α to a one-sided bound."""
    ends = opened(Interval(found.low, found.high), side, limits_of(in_points))
    beside, again = found.by_person, found.again
    if beside is not None:
        own = opened(Interval(beside.low, beside.high), side, limits_of(in_points))
        beside = replace(beside, low=own.low, high=own.high)
    said = ONE_SIDED(side=side, level=confidence_level, both=found.confidence_level)
    return replace(
        found, low=ends.low, high=ends.high, confidence_level=confidence_level, side=side, by_person=beside,
        notes=(*found.notes, said), again=again and partial(_bounded_again, again, side, confidence_level, in_points),
    )  # fmt: skip


def _bounded_again(
    again: Callable[[int], Estimate], side: Side, confidence_level: float, in_points: bool, n_resamples: int
) -> Estimate:
    return bounded(again(n_resamples), side, confidence_level, in_points)


def estimates(question: Question) -> tuple[Estimate, ...]:
    """Estimate every algorithm of a question separately; the default design is for new people."""
    asked = settled(question)
    return procedure_for(asked).estimate(asked)


def settled(question: Question) -> Question:
    """Set the design of a question; by default one for new people, with the reason."""
    if question.design is not None or question.view != "outcomes":
        return question
    design, why = chosen_design(question)
    return replace(question, design=design, why=why)


def chosen_design(question: Question) -> tuple[Design, tuple[Note, ...]]:
    """Choose the design of ``auto``, which is for new people, with the reason.

    One probe per person: `Binomial`. Several, or fractional successes: `Clustered`. Not a rate: `Bootstrap` over people.
    """
    case = cases_of(question)[0]
    if not case.is_share:
        return Bootstrap("subject"), (_BOOTSTRAP_CHOSEN(measure=case.measure.estimand),)
    if any(one.fractional for one in question.outcomes):
        return Clustered(), (_FRACTIONS_CHOSEN(),)
    if people_in(case.outcomes) < len(case.outcomes):
        return Clustered(), (_PEOPLE_CHOSEN(),)
    return Binomial(), (_BINOMIAL_CHOSEN(),)
