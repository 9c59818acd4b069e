"""Two or more algorithms on the same probes, and a new one before a gate: levels without a difference, coverage and power with one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from proband.designs import Binomial, Bootstrap, ClusteredMcNemar, SignFlip
from proband.inference.comparisons.compare import compare
from proband.inference.comparisons.gate import gate
from proband.inference.comparisons.independent import compare_independent
from proband.inference.comparisons.mcnemar_table import mcnemar_table
from proband.inference.simulation.asking import Answered, Asking, Comparing, compared, of_a_test
from proband.inference.simulation.compared_worlds import (
    AtTheMargin,
    IndependentSets,
    OpposedAlgorithms,
    SensorsWorld,
    SeveralAlgorithms,
)
from proband.inference.simulation.studies.trials import (
    FEW_HAVE_MANY,
    NEW_PEOPLE,
    RATE,
    SOME,
    Bars,
    CoverageStudy,
    Trial,
    population_of,
    zipf,
)
from proband.inference.simulation.worlds import DataSet, OutcomesWorld, TwoAlgorithms
from proband.inference.strata.sensors import compare_sensors
from proband.measures import RecognitionRate
from proband.measures.base import OutcomeMeasure
from proband.words import Method, Target, given

_BY_PERSON = RecognitionRate(1, weights="person")
_DIFFERENT = Bars(coverage=0.92, power=0.75)
_GATED = Bars(coverage=0.88)

_NOT_SEEN = Target(
    "few-not-seen",
    "one sample in eight includes none of the few people for whom one algorithm is much better, which "
    "cannot be detected; twice as many people are needed",
)


def _two(
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
    return Trial(
        said, world, Comparing(measure, design), bars, short, dear=1 if isinstance(probes, int) else 2
    )


def _over_people(design: Any) -> tuple[Trial, ...]:
    """The populations on which a test of two algorithms over people is tried."""
    return (
        _two(60, 3, 0.8, 0.2, design),
        _two(100, 5, 0.9, 0.3, design, kind="skewed"),
        _two(60, SOME, 0.8, 0.2, design),
        _two(60, SOME, 0.8, 0.2, design, kind="classes", informative=True),
        _two(100, FEW_HAVE_MANY, 0.8, 0.2, design),
        _two(60, 3, 0.8, 0.2, design, apart=0.08),
        _two(100, 5, 0.9, 0.3, design, kind="skewed", apart=0.05),
        _two(60, SOME, 0.8, 0.2, design, apart=0.1),
        _two(100, zipf(100, 60), 0.8, 0.2, design, apart=0.1, kind="skewed"),
    )


def _opposed(
    subjects: int, probes: int | tuple[int, ...], short: Target | None = None, *, one_in: int = 10
) -> Trial:
    said, population = population_of(subjects, probes, 0.8, 0.0)
    world = OpposedAlgorithms(population.numbers)
    few = "a tenth"
    if one_in != 10:
        few, share = f"one in {one_in}", 1 / one_in
        world = replace(world, lead=0.8 * share / (1 - share), few=share)
    said = f"{said.split(', rate')[0]}, the first a little better for most, the second much for {few}"
    return Trial(
        said, world, Comparing(RATE), Bars(coverage=0.92), short, dear=1 if isinstance(probes, int) else 2
    )


def _several(
    subjects: int, probes: int | tuple[int, ...], margins: tuple[float, ...], **more: Any
) -> tuple[str, SeveralAlgorithms]:
    said, population = population_of(subjects, probes, 0.8, 0.2, **more)
    apart = f"{len(margins)} algorithms" + (f", the last {given(margins[-1])} worse" if any(margins) else "")
    return f"{said}, {apart}", SeveralAlgorithms(population, margins)


def _cochran(one: DataSet, level: float, seed: int) -> Answered:
    found = compare(one.data, measure=RATE, confidence_level=level, seed=seed).overall
    assert found is not None  # of several rates
    return of_a_test(float(found), Method("cochran", "Cochran's Q"))


def _gated(one: DataSet, level: float, seed: int) -> Answered:
    """Whether a candidate passes that is worse by exactly the margin."""
    old, new = one.data
    found = gate(new, baseline=old, margin=one.within, confidence_level=level, seed=seed)
    value, low, high = (-end - one.within for end in (found.gain, found.gain_high, found.gain_low))
    p = 0.0 if found.decision == "pass" else 1.0
    return Answered(value, low, high, found.comparison.pairs[0].method, found.comparison.notes, p)


def _independent(one: DataSet, level: float, seed: int) -> Answered:
    found = compare_independent(*one.data, measure=RATE, confidence_level=level)
    return compared(found.pairs, found.notes)


def _sensed(one: DataSet, level: float, seed: int) -> Answered:
    found = compare_sensors(one.data, by=one.within, confidence_level=level, seed=seed)
    return compared(found.pairs, found.notes)


def _tabulated(one: DataSet, level: float, seed: int) -> Answered:
    (row,) = mcnemar_table(one.data, confidence_level=level).rows
    assert row.difference is not None  # there are probes
    assert row.test is not None
    ends = row.difference.low, row.difference.high
    return Answered(row.difference.value, *ends, row.test.method, (), row.test.p_adjusted)


STUDIES = (
    CoverageStudy(
        "difference-of-probes",
        NEW_PEOPLE,
        (_two(100, 1, 0.8, 0.0, Binomial()), _two(100, 1, 0.8, 0.0, Binomial(), apart=0.1)),
        ("compare", "Difference"),
    ),
    CoverageStudy(
        "difference-of-rates",
        NEW_PEOPLE,
        (
            *_over_people(SignFlip()),
            *_over_people(ClusteredMcNemar()),
            _two(60, SOME, 0.8, 0.2, SignFlip(), measure=_BY_PERSON),
            _two(60, SOME, 0.8, 0.2, SignFlip(), measure=_BY_PERSON, apart=0.1),
        ),
        ("compare", "Difference", "Test"),
    ),
    CoverageStudy(
        "difference-of-ranks",
        NEW_PEOPLE,
        (
            _two(60, 3, 0.8, 0.2, Bootstrap("subject", n_resamples=1_000)),
            _two(60, SOME, 0.8, 0.2, Bootstrap("subject", n_resamples=1_000), apart=0.1),
        ),
        ("compare", "Difference"),
    ),
    CoverageStudy(
        "opposed-algorithms",
        NEW_PEOPLE,
        (
            _opposed(50, 20),
            _opposed(50, 40, _NOT_SEEN, one_in=25),
            _opposed(100, 40, one_in=25),
            _opposed(60, zipf(60, 40)),
            _opposed(150, zipf(150, 40)),
        ),
        ("compare", "Difference"),
    ),
    CoverageStudy(
        "families",
        NEW_PEOPLE,
        tuple(
            Trial(
                said, world, Comparing(RATE), Bars(coverage=0.92), dear=4 if len(world.margins) < 15 else 10
            )
            for said, world in (
                _several(60, 3, (0.0,) * 6),
                _several(60, SOME, (0.0,) * 4, kind="skewed"),
                _several(60, 3, (0.0, 0.0, 0.0, 0.1)),
                _several(60, zipf(60, 40), (0.0,) * 6, kind="skewed"),
                _several(60, 3, (0.0,) * 15),
                _several(60, zipf(60, 40), (0.0,) * 15),
                _several(100, 5, (0.0,) * 14 + (0.1,), kind="skewed"),
            )
        ),
        ("compare", "Comparison", "Difference"),
    ),
    CoverageStudy(
        "any-difference",
        NEW_PEOPLE,
        tuple(
            Trial(said, world, Asking("cochran-q", _cochran))
            for said, world in (_several(100, 1, (0.0,) * 4),)
        ),
        ("compare", "Test"),
    ),
    CoverageStudy(
        "gate",
        NEW_PEOPLE,
        tuple(
            Trial(
                f"{said}, at the margin of 0.05",
                AtTheMargin(TwoAlgorithms(OutcomesWorld(population, RATE), 0.05)),
                Asking("gate", _gated),
                _GATED,
                dear=1 if len(set(population.numbers)) == 1 else 2,
            )
            for said, population in (
                population_of(120, 2, 0.9, 0.2),
                population_of(100, 5, 0.9, 0.2, kind="skewed"),
                population_of(100, SOME, 0.9, 0.2),
            )
        ),
        ("gate", "Gate"),
    ),
    CoverageStudy(
        "independent-people",
        NEW_PEOPLE,
        tuple(
            Trial(
                f"twice {said}{f', {given(apart)} apart' if apart else ', no difference'}",
                IndependentSets(population, apart),
                Asking("rank-1", _independent),
                Bars(coverage=0.92, power=0.75),
            )
            for apart in (0.0, 0.1)
            for said, population in (population_of(60, 3, 0.8, 0.2), population_of(80, SOME, 0.8, 0.2))
        ),
        ("compare_independent", "difference_of_independent", "newcombe_interval"),
    ),
    CoverageStudy(
        "sensors",
        Target("new-people-sensors", "new people seen by both sensors"),
        tuple(
            Trial(
                f"60 × {said} probes by each, rate 0.8, icc 0.2{f', {given(apart)} apart' if apart else ', no difference'}",
                SensorsWorld(first, second, 0.8, apart),
                Asking("rank-1", _sensed),
                _DIFFERENT,
            )
            for said, first, second in (
                ("2", (2,) * 60, (2,) * 60),
                ("1 to 6", (1, 2, 6) * 20, (3, 1, 2) * 20),
            )
            for apart in (0.0, 0.1)
        ),
        ("compare_sensors",),
    ),
    CoverageStudy(
        "mcnemar",
        NEW_PEOPLE,
        tuple(
            replace(
                _two(subjects, 1, 0.8, 0.0, apart=apart),
                ask=Asking("mcnemar", _tabulated),
                bars=Bars(power=0.7),
            )
            for subjects, apart in ((100, 0.0), (30, 0.0), (100, 0.1))
        ),
        ("mcnemar", "mcnemar_table", "tango_interval", "PairedTest"),
    ),
)
