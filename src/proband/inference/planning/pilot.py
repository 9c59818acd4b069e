"""What a pilot shows of a test that is planned: a rate or how often two algorithms disagree, and how alike the probes of a person are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from proband.errors import DesignError, ProbandError, UsageError
from proband.inference.comparisons.compare import require_same_probes
from proband.inference.estimates.clusters import cluster_statistics
from proband.inference.estimates.weighting import PeopleSums, RatesOfPeople, rates_of_people
from proband.inference.planning.plans import Pilot, Plan
from proband.measures import Outcomes
from proband.words import Note, Sentence

_FEW = 30  # people in whom the correlation within people hardly shows
_FEW_PEOPLE = Sentence(
    "plan.small-pilot",
    "caution",
    "the pilot has {n:count person/people}, too few for a reliable estimate of the correlation within "
    "people: plan for more people",
)

Made = TypeVar("Made", bound=Plan)


@dataclass(frozen=True)
class PilotData:
    """What a plan takes from a pilot.

    Attributes
    ----------
    facts
        What is told of it.
    numbers
        The number of probes of each person.
    """

    facts: Pilot
    numbers: tuple[int, ...]

    @property
    def probes_per_subject(self) -> int | tuple[int, ...]:
        """The probes of each person, where all have as many, or the numbers themselves."""
        return self.numbers[0] if len(set(self.numbers)) == 1 else self.numbers

    def plan(self, make: Callable[[float], Made]) -> Made:
        """Plan with what the pilot showed, and with the ends of its interval beside."""
        made = make(self.facts.value)
        ends = [_number(make, end) for end in (self.facts.low, self.facts.high)]
        few: tuple[Note, ...] = (_FEW_PEOPLE(n=self.facts.subjects),) if self.facts.subjects < _FEW else ()
        facts = replace(self.facts, at_low=ends[0], at_high=ends[1])
        return replace(made, pilot=facts, notes=(*made.notes, *few))


def _number(make: Callable[[float], Plan], expected: float) -> float | None:
    """The number that is worked out for what is expected; None where nothing would do."""
    try:
        made: Any = make(expected)
    except ProbandError:
        return None
    return float(getattr(made, made.found.replace("-", "_")))


def pilot_of(pilot: Outcomes | Sequence[Outcomes], rank: int, confidence_level: float) -> PilotData:
    """Take from outcomes what a plan needs: of one algorithm the rate, of two the share of probes on which they disagree.

    The interval is over people, as `estimate` has it; the intraclass correlation is that of successes, or of the differences of two
    algorithms, and never below 0.
    """
    outcomes = [pilot] if isinstance(pilot, Outcomes) else list(pilot)
    if not outcomes or not all(isinstance(part, Outcomes) for part in outcomes):
        raise UsageError(
            "A pilot must be the outcomes of one or two algorithms.",
            "create them with rank(scores, experiment).",
        )
    if len(outcomes) > 2:
        named = ", ".join(part.algorithm for part in outcomes)
        raise UsageError(
            f"A plan is for one algorithm or for two, got {named}.",
            "select one or two.",
        )
    require_same_probes(outcomes)
    subjects = outcomes[0].subjects
    numbers = tuple(np.unique(subjects, return_counts=True)[1].tolist())
    if len(numbers) < 2:
        raise DesignError("The pilot has only one person.", "use a pilot with at least two people.")
    success = [part.success(rank) for part in outcomes]
    differences = success[0] if len(success) == 1 else (success[0] - success[1] + 1) / 2
    shared = success[0] if len(success) == 1 else np.abs(success[0] - success[1])
    low, high = _interval(shared, subjects, confidence_level)
    value = float(shared.mean())
    several = len(numbers) < len(subjects)
    facts = Pilot(
        algorithms=tuple(part.algorithm for part in outcomes),
        rank=rank,
        subjects=len(numbers),
        probes=len(subjects),
        value=value,
        low=min(low, value),
        high=max(high, value),
        confidence_level=confidence_level,
        icc=max(0.0, cluster_statistics(differences, subjects).icc) if several else 0.0,
    )
    return PilotData(facts, numbers)


def _interval(
    values: npt.NDArray[np.float64], subjects: npt.NDArray[Any], level: float
) -> tuple[float, float]:
    """The interval of a share of probes, for other people."""
    seen = rates_of_people(PeopleSums.of(values, subjects))
    independent = len(np.unique(subjects)) == len(subjects)
    freedom = np.asarray(np.inf) if independent else seen.freedom
    low, high = RatesOfPeople(seen.rate, seen.effective_n, freedom, seen.varies).ends(level)
    return float(low), float(high)
