"""What a study is: the public names it speaks for, populations on which they are tried, and the bars they must pass there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy.special import ndtr

from proband.inference.proportions import normal_quantile
from proband.inference.simulation.asking import Ask, Estimating
from proband.inference.simulation.covered import REJECTS, Covered, SimulationTally, share_of
from proband.inference.simulation.pair_worlds import PairKind, PairsWorld
from proband.inference.simulation.populations import SimulatedPeople
from proband.inference.simulation.worlds import OutcomesWorld, World
from proband.measures import Measure, RecognitionRate
from proband.measures.base import OutcomeMeasure
from proband.words import Target, given

LEVEL = 0.95
RATE = RecognitionRate(1)
SOME = (1, 2, 12)
FEW_HAVE_MANY = (1,) * 9 + (40,)
NEW_PEOPLE = Target("new-people", "new people searched in this gallery")


def zipf(people: int, most: int) -> tuple[int, ...]:
    """Numbers of images that fall off like one over the place."""
    return tuple(max(1, most // place) for place in range(1, people + 1))


_CAUTIONED = Target("data-sets-with-a-caution", "share of data sets with a caution")


@dataclass(frozen=True)
class Bars:
    """What must hold on a population; a bar counts as broken where the Monte Carlo interval lies wholly beyond it.

    Attributes
    ----------
    coverage
        How often intervals hold the truth, at least.
    level
        How often tests without a difference reject, at most.
    width
        The mean width over that of an interval that knows the variance, at most.
    power
        How often tests with a difference reject, at least, as a share of how often one does that knows the variance.
    cautioned
        How often a caution comes with the answer, at least and at most.
    """

    coverage: float = 0.93
    level: float = 0.065
    width: float = float("inf")
    power: float = 0.0
    cautioned: tuple[float, float] = (0.0, 1.0)

    def broken(self, tally: SimulationTally) -> tuple[str, ...]:
        """The names of the bars that are not passed.

        Examples
        --------
        >>> Bars(coverage=0.93).broken(SimulationTally(n=100, bounded=100, covered=80, squared=(1.0,), width=400.0))
        ('coverage',)
        """
        n = tally.answered
        if not n:
            return ("answered",)
        found = []
        if tally.bounded and share_of(tally.covered, n).high < self.coverage:
            found.append("coverage")
        if tally.null and share_of(tally.rejected, n, REJECTS).low > self.level:
            found.append("level")
        # The known width is that of a standard deviation, whose relative error is √(1/2n).
        if tally.width and Covered.of(tally, LEVEL).width_ratio > self.width * (1 + 2.6 / (2 * n) ** 0.5):
            found.append("width")
        oracle = oracle_power(tally)
        if oracle is not None and share_of(tally.rejected, n, REJECTS).high < self.power * oracle:
            found.append("power")
        least, most = self.cautioned
        cautioned = share_of(tally.cautioned, n, _CAUTIONED)
        if cautioned.high < least or cautioned.low > most:
            found.append("cautioned")
        return tuple(found)


BARS = Bars()
"""What must hold where nothing else is said."""


def oracle_power(tally: SimulationTally) -> float | None:
    """How often a test rejects that knows the variance of the difference; None where there is no single difference."""
    if not tally.tested or tally.null or len(tally.squared) != 1 or not tally.squared[0]:
        return None
    n = tally.answered
    shift, z = abs(tally.truth / n) / (tally.squared[0] / n) ** 0.5, normal_quantile(LEVEL)
    return float(ndtr(shift - z) + ndtr(-shift - z))


@dataclass(frozen=True)
class Trial:
    """One population on which something is tried.

    Attributes
    ----------
    people
        The population in words.
    world, ask
        Where data sets come from, and what is asked of each.
    bars
        What must hold there.
    short
        Where a bar is known to be broken: why no method holds it, and what would be needed. None where all must hold.
    dear
        Of how many data sets that are asked for one is drawn, where each takes long.
    """

    people: str
    world: World
    ask: Ask
    bars: Bars = BARS
    short: Target | None = None
    dear: int = 1


@dataclass(frozen=True)
class CoverageStudy:
    """What is claimed of a question, and where that is tried.

    Attributes
    ----------
    key
        What procedures know it by.
    question
        What the intervals are of.
    trials
        The populations; the first is the quickest.
    speaks_for
        The public functions and the types of results whose intervals and tests are tried here.
    """

    key: str
    question: Target
    trials: tuple[Trial, ...]
    speaks_for: tuple[str, ...]


def each(numbers: int | tuple[int, ...]) -> str:
    """Numbers of probes in words."""
    if isinstance(numbers, int):
        return str(numbers)
    several = sorted(set(numbers))
    if len(several) > 3:
        return f"{', '.join(map(str, numbers[:3]))}, … (Zipf)"
    said = " or ".join(map(str, several))
    return said if len(several) == len(numbers) else f"{said} (one in {len(numbers)})"


def population_of(
    subjects: int, probes: int | tuple[int, ...], rate: float, icc: float, **more: Any
) -> tuple[str, SimulatedPeople]:
    """People, in words and as they are drawn."""
    people = SimulatedPeople.of(subjects, probes, rate=rate, icc=icc, **more)
    said = f"{subjects} × {each(probes)}, rate {given(rate)}, icc {given(icc)}, {people.kind}"
    return said + (", hard people have more" if people.informative else ""), people


def searched(
    subjects: int,
    probes: int | tuple[int, ...],
    rate: float,
    icc: float,
    design: Any = "auto",
    *,
    measure: OutcomeMeasure = RATE,
    images: bool = False,
    bars: Bars = BARS,
    short: Target | None = None,
    **more: Any,
) -> Trial:
    """An interval of a measure of searches."""
    said, population = population_of(subjects, probes, rate, icc, **more)
    world = OutcomesWorld(population, measure, "images" if images else "people")
    return Trial(said, world, Estimating(measure, design), bars, short)


def pairs_of(
    subjects: int,
    images: int | tuple[int, ...],
    measure: Measure,
    value: float,
    icc: float = 0.2,
    kind: PairKind = "normal",
) -> tuple[str, PairsWorld]:
    """Pairs of people, in words and as they are drawn."""
    numbers = SimulatedPeople.of(subjects, images, rate=0.5, icc=0.0).numbers
    said = f"{subjects} × {each(images)} images, value {given(value)}, icc {given(icc)}, {kind}"
    return said, PairsWorld(numbers, measure, value, icc, kind)
