"""Rates, medians and cumulative match curves of searches: how often their intervals hold the value for new people."""

from __future__ import annotations

from typing import Any

from proband.designs import Binomial, Bootstrap, Clustered
from proband.inference.estimates.estimate import estimate
from proband.inference.simulation.asking import Answered, Asking, Banding
from proband.inference.simulation.compared_worlds import BesideOthers, SeveralAlgorithms
from proband.inference.simulation.other_worlds import FinitePopulation, OneRank
from proband.inference.simulation.populations import Kind
from proband.inference.simulation.studies.trials import (
    BARS,
    FEW_HAVE_MANY,
    NEW_PEOPLE,
    RATE,
    SOME,
    Bars,
    CoverageStudy,
    Trial,
    population_of,
    searched,
    zipf,
)
from proband.inference.simulation.worlds import DataSet, OutcomesWorld
from proband.measures import CMC, MedianCensoredRank, RecognitionRate
from proband.words import Target

_PERCENTILES = Target(
    "percentiles-of-few", "percentiles depend on too few people; use auto, or test more people"
)
_FEW = Bars(coverage=0.9)
_NARROW = Bars(width=1.25)
_NEARLY_ALL = Target(
    "nearly-all-found",
    "by rank 5 nearly every person is found, and the few others account for the variance; more people are "
    "needed",
)


def _of_people(design: Any) -> tuple[Trial, ...]:
    """The populations on which an interval of a rate over new people is tried."""
    short = _PERCENTILES if isinstance(design, Bootstrap) else None
    return (
        searched(50, 3, 0.8, 0.2, design, bars=_NARROW),
        searched(200, 5, 0.95, 0.3, design, bars=_NARROW),
        searched(100, 5, 0.9, 0.2, design, kind="normal", bars=_NARROW),
        searched(100, 5, 0.9, 0.3, design, kind="skewed", bars=_NARROW),
        searched(100, 5, 0.9, 0.3, design, kind="classes", bars=_NARROW),
        searched(60, SOME, 0.8, 0.2, design),
        searched(60, SOME, 0.8, 0.2, design, kind="skewed"),
        searched(60, SOME, 0.8, 0.2, design, informative=True, bars=_FEW),
        searched(100, FEW_HAVE_MANY, 0.8, 0.2, design, bars=_FEW),
        searched(
            60, FEW_HAVE_MANY, 0.9, 0.2, design, kind="skewed", informative=True, bars=_FEW, short=short
        ),
        searched(100, zipf(100, 60), 0.9, 0.2, design, kind="skewed", bars=_FEW, short=short),
        searched(200, SOME, 0.9, 0.2, design, kind="normal", informative=True),
    )


def _few_errors() -> tuple[Trial, ...]:
    """Rates so high that many data sets have no error at all."""
    return tuple(
        searched(people, probes, rate, icc)
        for people, probes, rate, icc in (
            (30, 3, 0.99, 0.0),
            (30, 3, 0.99, 0.2),
            (30, 30, 0.995, 0.1),
            (100, 5, 0.998, 0.5),
            (60, SOME, 0.995, 0.2),
        )
    )


def _of_so_many(one: DataSet, level: float, seed: int) -> Answered:
    found = estimate(one.data, measure=RATE, confidence_level=level, population=one.within)
    return Answered(found.value, found.low, found.high, found.method, found.notes)


def _finite(people: int, population: int) -> Trial:
    """People drawn from a population of so many."""
    said, drawn = population_of(people, 4, 0.8, 0.3)
    world = FinitePopulation(OutcomesWorld(drawn, RATE, "images"), population)
    return Trial(f"{said}, of {population} people", world, Asking("rank-1-of-population", _of_so_many))


def _first(one: DataSet, level: float, seed: int) -> Answered:
    found = estimate(one.data, measure=RATE, confidence_level=level)["a"]
    return Answered(found.value, found.low, found.high, found.method, found.notes)


def _beside(
    subjects: int,
    probes: int | tuple[int, ...],
    rate: float,
    icc: float,
    kind: Kind = "beta",
    bars: Bars = BARS,
) -> Trial:
    """A rate with hardly an error, which borrows from two algorithms that are worse how alike probes are."""
    said, population = population_of(subjects, probes, rate, icc, kind=kind)
    world = BesideOthers(SeveralAlgorithms(population, (0.0, 0.1, 0.2)))
    return Trial(f"{said}, beside two worse", world, Asking("rank-1-beside-others", _first), bars)


def _curves(
    subjects: int,
    probes: int | tuple[int, ...],
    rate: float,
    icc: float,
    short: Target | None = None,
    **more: Any,
) -> tuple[Trial, ...]:
    """A band at one rank, and one over the whole curve."""
    said, population = population_of(subjects, probes, rate, icc, **more)
    whole = OutcomesWorld(population, CMC(20))
    return (
        Trial(said, OneRank(whole, 5), Banding(simultaneous=False, last=20, at=5), short=short),
        Trial(said, whole, Banding(simultaneous=True, last=20)),
    )


STUDIES = (
    CoverageStudy(
        "rate-of-probes",
        NEW_PEOPLE,
        (
            searched(100, 1, 0.8, 0.0, Binomial(), bars=_NARROW),
            searched(30, 1, 0.95, 0.0, Binomial()),
            searched(400, 1, 0.99, 0.0, Binomial()),
        ),
        ("estimate", "evaluate", "Estimate", "proportion_interval"),
    ),
    CoverageStudy(
        "rate-over-people",
        NEW_PEOPLE,
        (
            *_of_people(Clustered()),
            *_few_errors(),
            searched(60, SOME, 0.8, 0.2, measure=RecognitionRate(1, weights="person")),
            searched(
                100, zipf(100, 60), 0.9, 0.2, measure=RecognitionRate(1, weights="person"), kind="skewed"
            ),
            _finite(60, 80),
            _finite(60, 600),
        ),
        ("estimate", "evaluate", "Estimate", "Pilot"),
    ),
    CoverageStudy(
        "rate-beside-others",
        NEW_PEOPLE,
        (
            _beside(30, 30, 0.998, 0.0),
            _beside(30, 10, 0.995, 0.2),
            _beside(30, 30, 0.998, 0.5),
            _beside(100, 5, 0.998, 0.2, "skewed"),
            _beside(100, zipf(100, 60), 0.998, 0.2, "skewed"),
            _beside(60, SOME, 0.995, 0.3, "classes"),
        ),
        ("estimate", "evaluate", "Estimate"),
    ),
    CoverageStudy(
        "ranks-over-people",
        NEW_PEOPLE,
        (
            searched(
                100, 3, 0.05, 0.1, Bootstrap("subject", n_resamples=1_000), measure=MedianCensoredRank(50)
            ),
            *_of_people(Bootstrap("subject", n_resamples=1_000)),
        ),
        ("estimate", "Estimate"),
    ),
    CoverageStudy(
        "curves",
        NEW_PEOPLE,
        (
            *_curves(60, 1, 0.3, 0.0),
            *_curves(100, 3, 0.5, 0.2, kind="normal"),
            *_curves(100, 3, 0.8, 0.2, _NEARLY_ALL, kind="skewed"),
            *_curves(50, 4, 0.8, 0.2, kind="skewed"),
            *_curves(60, SOME, 0.4, 0.2, informative=True),
        ),
        ("estimate_cmc", "evaluate", "Band"),
    ),
)
