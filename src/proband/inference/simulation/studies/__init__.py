"""The registry of studies: every public interval and test names one, with populations on which it is tried and bars to pass there.

`trials` says what a study is, `UNTRIED` what has none and why. By family: `rates` (and curves), `comparisons`; `strata` (new images, people at
sites), `galleries`, `images` (other choices of them); `pairs`, `verification`, `thresholds` (and searches for strangers); `classification`, `validation` (folds), `covariates`,
`surveys`, `datasets`, `planning`. ``make coverage`` carries them out, docs/understand/trust.md shows what they showed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proband.engine import Progress
from proband.errors import unknown_name
from proband.inference.simulation.covered import SimulationTally, simulate
from proband.inference.simulation.studies import (
    classification,
    comparisons,
    covariates,
    datasets,
    galleries,
    images,
    pairs,
    planning,
    rates,
    strata,
    surveys,
    thresholds,
    validation,
    verification,
)
from proband.inference.simulation.studies.trials import LEVEL, Bars, CoverageStudy, Trial
from proband.words import Target

__all__ = ["STUDIES", "UNTRIED", "Bars", "CoverageStudy", "Trial", "Tried", "run_trial"]

_FAMILIES = (
    *(rates, comparisons, strata, galleries, images, pairs, verification, thresholds),
    *(classification, validation, covariates, surveys, datasets, planning),
)
STUDIES = {study.key: study for family in _FAMILIES for study in family.STUDIES}
"""Every study, by what procedures know it by."""

_NOTHING = Target("claims-nothing", "gives no interval or test")
_INSIDE = Target("inside", "is an input to other calls, which are simulated")
_WEIGHTS = Target(
    "agrees-with-r", "agrees with R's survey package to every printed digit; its coverage is not simulated"
)
_CHECK = Target("check-of-input", "a check of data, not of an algorithm; its level is not simulated")
_NOT_YET = Target("not-simulated", "not simulated")
_COUNTS = Target("closed-form", "a closed-form bound for independent trials, checked by enumeration")
_ITSELF = Target("simulates", "is itself a simulation")


def _named(names: str, why: Target) -> dict[str, Target]:
    return dict.fromkeys(names.split(), why)


UNTRIED: Mapping[str, Target] = {
    **_named(
        "cluster_statistics equally_representative experiment_over feret_categories pool_over protocols.epd_verdict protocols.splitter rank read_embeddings "
        "read_results read_scores read_study representation run save_figure scored_pairs set_overlap trial_choices write_scores Survey.within",
        _NOTHING,
    ),
    **_named("IntervalFound SurveyOptions Value", _INSIDE),
    **_named(
        "Survey.calibrated Survey.poststratified Survey.raked Survey.variance Survey.with_replicate_weights",
        _WEIGHTS,
    ),
    **_named("AuditFinding OrientationCheck check_orientation protocols.losses", _CHECK),
    **_named("Orders WhatIf protocols.what_if", _NOT_YET),
    **_named("plan_error_rate ErrorRatePlan", _COUNTS),
    **_named("coverage compare_halves", _ITSELF),
}
"""Public names that no study speaks for, and why: what claims nothing, and what is not simulated."""


@dataclass(frozen=True)
class Tried:
    """What one trial of a study showed.

    Attributes
    ----------
    study, question, people, measure, design
        Which trial it was; the design is "" where no data set gave an answer.
    tally
        What was counted.
    first, seed
        The number of the first data set, and the seed.
    """

    study: str
    question: str
    people: str
    measure: str
    design: str
    tally: SimulationTally
    first: int
    seed: int


def run_trial(
    key: str, place: int, n_sets: int, seed: int = 0, first: int = 0, progress: Progress | None = None
) -> Tried:
    """Carry out one trial of a study, or a part of it: so many data sets from the `first` on.

    Examples
    --------
    >>> found = run_trial("rate-of-probes", 0, 50)
    >>> found.people, found.tally.n
    ('100 × 1, rate 0.8, icc 0, beta', 50)
    """
    if key not in STUDIES:
        raise unknown_name("study", key, STUDIES)
    study = STUDIES[key]
    one = study.trials[place]
    tally, found = simulate(
        one.world, one.ask, n_sets, first=first, confidence_level=LEVEL, seed=seed, progress=progress
    )
    design = "" if found is None else found.method.key
    return Tried(key, study.question.key, one.people, one.ask.measure, design, tally, first, seed)
