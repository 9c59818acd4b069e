"""Two or more algorithms on the same probes, and a new one before a gate: levels without a difference, coverage and power with one."""

from __future__ import annotations

from typing import Any

from proband.designs import Binomial, Bootstrap, ClusteredMcNemar, SignFlip
from proband.inference.simulation.asking import Comparing
from proband.inference.simulation.studies.trials import (
    FEW_HAVE_MANY,
    NEW_PEOPLE,
    RATE,
    SOME,
    Bars,
    Study,
    Trial,
    population_of,
    zipf,
)
from proband.inference.simulation.worlds import OutcomesWorld, TwoAlgorithms
from proband.measures.base import OutcomeMeasure
from proband.words import Target, given

_DIFFERENT = Bars(coverage=0.92, power=0.75)


def two(
    subjects: int,
    probes: int | tuple[int, ...],
    rate: float,
    icc: float,
    design: Any = "auto",
    *,
    apart: float = 0.0,
    measure: OutcomeMeasure = RATE,
    bars: Bars | None = None,
    short: Target | None = None,
    **more: Any,
) -> Trial:
    """Two algorithms, the second worse by so much."""
    said, population = population_of(subjects, probes, rate, icc, **more)
    world = TwoAlgorithms(OutcomesWorld(population, measure), apart)
    said += f", {given(apart)} apart" if apart else ", no difference"
    bars = bars or (_DIFFERENT if apart else Bars(coverage=0.92))
    return Trial(said, world, Comparing(measure, design), bars, short)


def _over_people(design: Any) -> tuple[Trial, ...]:
    """The populations on which a test of two algorithms over people is tried."""
    return (
        two(60, 3, 0.8, 0.2, design),
        two(100, 5, 0.9, 0.3, design, kind="skewed"),
        two(60, SOME, 0.8, 0.2, design),
        two(60, SOME, 0.8, 0.2, design, kind="classes", informative=True),
        two(100, FEW_HAVE_MANY, 0.8, 0.2, design),
        two(60, 3, 0.8, 0.2, design, apart=0.08),
        two(100, 5, 0.9, 0.3, design, kind="skewed", apart=0.05),
        two(60, SOME, 0.8, 0.2, design, apart=0.1),
        two(100, zipf(100, 60), 0.8, 0.2, design, apart=0.1, kind="skewed"),
    )


STUDIES = (
    Study(
        "difference-of-probes",
        NEW_PEOPLE,
        (two(100, 1, 0.8, 0.0, Binomial()), two(100, 1, 0.8, 0.0, Binomial(), apart=0.1)),
        ("compare", "Difference"),
    ),
    Study(
        "difference-of-rates",
        NEW_PEOPLE,
        (*_over_people(SignFlip()), *_over_people(ClusteredMcNemar())),
        ("compare", "Difference"),
    ),
    Study(
        "difference-of-ranks",
        NEW_PEOPLE,
        (
            two(60, 3, 0.8, 0.2, Bootstrap("subject", n_resamples=1_000)),
            two(60, SOME, 0.8, 0.2, Bootstrap("subject", n_resamples=1_000), apart=0.1),
        ),
        ("compare", "Difference"),
    ),
)
