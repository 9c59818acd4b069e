"""New images of these people, and new people of these sites: replicates within strata, of rates and of measures of pairs."""

from __future__ import annotations

from typing import Any

from proband.designs import BRR, Fay, Jackknife
from proband.inference.simulation.asking import Comparing, Estimating
from proband.inference.simulation.score_worlds import QueriesWorld, TwoOfQueries
from proband.inference.simulation.studies.surveys import WITHIN_SITES
from proband.inference.simulation.studies.trials import (
    RATE,
    SOME,
    Bars,
    CoverageStudy,
    Trial,
    population_of,
    searched,
    zipf,
)
from proband.inference.simulation.worlds import OutcomesWorld, TwoAlgorithms
from proband.measures.pair_measures import AUC, EER, FNMR
from proband.words import Target, given

NEW_IMAGES = Target("new-images", "new images of these people")


def _two(subjects: int, probes: int | tuple[int, ...], rate: float, apart: float) -> Trial:
    """Two algorithms on new images of the same people, whose own rates differ by so much on average."""
    said, population = population_of(subjects, probes, rate, 0.2)
    world = TwoAlgorithms(OutcomesWorld(population, RATE, "images"), apart)
    return Trial(f"{said}, about {given(apart)} apart", world, Comparing(RATE, BRR()))


def _at_sites(people: int, sites: int, probes: int | tuple[int, ...], rate: float, **more: Any) -> Trial:
    """People as units within sites."""
    said, population = population_of(people * sites, probes, rate, 0.2, **more)
    labels = tuple(f"site {k % sites}" for k, n in enumerate(population.numbers) for _ in range(n))
    world = OutcomesWorld(population, RATE, labels={"site": labels})
    design = Jackknife(strata="site", units="subject")
    return Trial(f"{said}, {people} at each of {sites} sites", world, Estimating(RATE, design))


def _pairs(people: int, queries: int, measure: Any) -> tuple[str, QueriesWorld]:
    return f"{people} people × {queries} queries", QueriesWorld(people, queries, measure)


STUDIES = (
    CoverageStudy(
        "new-images",
        NEW_IMAGES,
        (
            searched(50, 3, 0.8, 0.2, BRR(), images=True),
            searched(200, 3, 0.95, 0.3, BRR(), images=True),
            searched(50, (2, 4, 12), 0.8, 0.2, BRR(), images=True),
            searched(50, 3, 0.95, 0.3, BRR(), images=True),
            searched(100, 4, 0.8, 0.3, Fay(), images=True, kind="skewed"),
        ),
        ("estimate", "Estimate"),
    ),
    CoverageStudy(
        "people-within-strata",
        WITHIN_SITES,
        (
            _at_sites(10, 4, 3, 0.9),
            _at_sites(5, 4, 3, 0.8),
            _at_sites(30, 3, 4, 0.9, kind="skewed"),
            _at_sites(20, 4, SOME, 0.9),
            _at_sites(20, 4, zipf(80, 30), 0.9),
        ),
        ("estimate", "Estimate"),
    ),
    CoverageStudy(
        "difference-within-strata",
        NEW_IMAGES,
        (_two(50, 3, 0.8, 0.0), _two(50, 3, 0.9, 0.08), _two(50, (2, 4, 12), 0.8, 0.08)),
        ("compare", "Difference"),
    ),
    CoverageStudy(
        "images-of-pairs",
        NEW_IMAGES,
        tuple(
            Trial(
                said,
                world,
                Estimating(measure, BRR()),
            )
            for people, queries in ((30, 2), (60, 3))
            for measure in (AUC(), FNMR(0.01), EER())
            for said, world in (_pairs(people, queries, measure),)
        ),
        ("estimate", "Estimate"),
    ),
    CoverageStudy(
        "difference-of-images-of-pairs",
        NEW_IMAGES,
        tuple(
            Trial(
                said + (", the second worse" if lower else ", no difference"),
                TwoOfQueries(world, lower),
                Comparing(measure, BRR()),
                Bars(coverage=0.92),
                dear=4,
            )
            for measure, lower in ((AUC(), 0.0), (AUC(), 0.5), (FNMR(0.01), 0.0), (EER(), 0.0))
            for said, world in (_pairs(40, 3, measure),)
        ),
        ("compare", "Difference"),
    ),
)
