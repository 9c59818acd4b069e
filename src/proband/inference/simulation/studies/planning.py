"""Plans: a study as large as they say reaches the width, or the power, as often as they say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from proband.inference.comparisons.compare import compare
from proband.inference.estimates.estimate import estimate
from proband.inference.planning.planning import plan_difference, plan_half_width
from proband.inference.simulation.asking import Answered, Asking
from proband.inference.simulation.populations import SimulatedPeople
from proband.inference.simulation.studies.trials import RATE, SOME, Bars, CoverageStudy, Trial, each
from proband.inference.simulation.worlds import DataSet, OutcomesWorld, TwoAlgorithms
from proband.words import Method, Target, given

PLANNED = Target("planned", "whether the planned width or power is reached")
_METHOD = Method("plan", "a plan")


@dataclass(frozen=True, eq=False)
class _Planned:
    """Studies as large as a plan says; what is to be held from above is the half-width, or the significance, that was planned for."""

    probes: int | tuple[int, ...]
    rate: float
    icc: float
    half_width: float | None = None
    assurance: float | None = None
    margin: float | None = None

    @cached_property
    def world(self) -> Any:
        numbers = (self.probes,) if isinstance(self.probes, int) else self.probes
        about: dict[str, Any] = {"probes_per_subject": numbers, "icc": self.icc}
        if self.margin is None:
            plan = plan_half_width(self.rate, self.half_width, assurance=self.assurance, **about)
            return OutcomesWorld(
                SimulatedPeople.of(plan.subjects, self.probes, rate=self.rate, icc=self.icc), RATE
            )
        people = SimulatedPeople.of(20, self.probes, rate=self.rate, icc=self.icc)
        seen = TwoAlgorithms(OutcomesWorld(people, RATE), self.margin)
        discordant = float(np.mean([seen.draw(1, number).facts["discordant"] for number in range(400)]))
        planned = plan_difference(self.margin, discordant=discordant, power=0.8, **about)
        enough = SimulatedPeople.of(planned.subjects, self.probes, rate=self.rate, icc=self.icc)
        return TwoAlgorithms(OutcomesWorld(enough, RATE), self.margin)

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw a study of that size."""
        one = self.world.draw(seed, number)
        return DataSet(one.data, None, 0.05 if self.half_width is None else self.half_width)


def _half_width(one: DataSet, level: float, seed: int) -> Answered:
    found = estimate(one.data, measure=RATE, confidence_level=level, seed=seed)
    half = (found.high - found.low) / 2
    return Answered(half, half, np.inf, _METHOD)


def _significance(one: DataSet, level: float, seed: int) -> Answered:
    (pair,) = compare(one.data, measure=RATE, confidence_level=level, seed=seed).pairs
    p = 1.0 if pair.p_value is None else pair.p_value
    return Answered(p, p, np.inf, _METHOD)


def _widths(probes: int | tuple[int, ...], half_width: float, assurance: float | None) -> Trial:
    said = f"people as planned × {each(probes)}, rate 0.9, icc 0.2, ± {given(half_width)}"
    said += f" with assurance {given(assurance)}" if assurance else " on average"
    world = _Planned(probes, 0.9, 0.2, half_width, assurance)
    return Trial(said, world, Asking("half-width", _half_width), Bars(coverage=(assurance or 0.5) - 0.05))


def _power(probes: int | tuple[int, ...], margin: float) -> Trial:
    said = f"people as planned × {each(probes)}, rate 0.9, icc 0.2, {given(margin)} apart with power 0.8"
    world = _Planned(probes, 0.9, 0.2, margin=margin)
    return Trial(said, world, Asking("power", _significance), Bars(coverage=0.75), dear=2)


STUDIES = (
    CoverageStudy(
        "planned-widths",
        PLANNED,
        tuple(_widths(probes, 0.06, assurance) for probes in (3, SOME) for assurance in (None, 0.8)),
        ("plan_half_width", "HalfWidthPlan"),
    ),
    CoverageStudy(
        "planned-power",
        PLANNED,
        (_power(3, 0.06), _power(SOME, 0.06)),
        ("plan_difference", "DifferencePlan"),
    ),
)
