"""Cumulative match curves: bands at one rank, and over the whole curve."""

from __future__ import annotations

from typing import Any

from proband.inference.simulation.asking import Banding
from proband.inference.simulation.other_worlds import OneRank
from proband.inference.simulation.studies.trials import NEW_PEOPLE, SOME, Study, Trial, population_of
from proband.inference.simulation.worlds import OutcomesWorld
from proband.measures import CMC
from proband.words import Target

_NEARLY_ALL = Target(
    "nearly-all-found",
    "by rank 5 nearly everybody is found, and the few who are not carry the variance; more people are needed",
)


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
    Study(
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
