"""Several algorithms, sensors and sets of people whose differences are known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from string import ascii_lowercase
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from proband.inference.simulation.pair_worlds import EFFECTS, PairsWorld, TwoOverPairs, of_another
from proband.inference.simulation.populations import Floats, Integers, SimulatedPeople
from proband.inference.simulation.worlds import DataSet, OutcomesWorld, TwoAlgorithms
from proband.measures import RecognitionRate

_RATE = RecognitionRate(1)
_SHARED = (
    0.9  # the correlation of how easy a person is to one algorithm with how easy to algorithms in general
)


@dataclass(frozen=True, eq=False)
class SeveralAlgorithms:
    """Several algorithms on the same probes, each worse than the first by its margin; to be held are all differences at once.

    Attributes
    ----------
    population, margins
        The people, and the margin of each algorithm, 0 for the first.
    """

    population: SimulatedPeople
    margins: tuple[float, ...]

    @cached_property
    def searched(self) -> OutcomesWorld:
        """What makes outcomes of successes."""
        return OutcomesWorld(self.population, _RATE)

    @cached_property
    def truth(self) -> Floats:
        """Every two margins apart."""
        return np.array([second - first for first, second in combinations(self.margins, 2)])

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and what becomes of their probes with all."""
        rng = np.random.default_rng([seed, number, 10])
        easiness, numbers = self.population.draw(rng)
        data = []
        for place, margin in enumerate(self.margins):
            own = _SHARED * ndtri(easiness) + np.sqrt(1 - _SHARED**2) * rng.standard_normal(len(easiness))
            rates = replace(self.population, rate=self.population.rate - margin).own_rate(ndtr(own))
            success = rng.random(int(numbers.sum())) < np.repeat(rates, numbers)
            data.append(
                self.searched.outcomes(ascii_lowercase[place], numbers, self.searched.ranks_of(success))
            )
        return DataSet(tuple(data), None, self.truth)


@dataclass(frozen=True, eq=False)
class BesideOthers:
    """Several algorithms on the same probes, of which the first one's rate is to be held; the others lend what it does not show.

    Attributes
    ----------
    world
        The algorithms.
    """

    world: SeveralAlgorithms

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and what becomes of their probes with all."""
        one = self.world.draw(seed, number)
        first, truth = one.data[0], self.world.population.probe_rate
        people = np.unique(first.subjects, return_inverse=True)[1]
        residuals = np.asarray(np.bincount(people, first.success(1) - truth), np.float64)
        return replace(one, truth=truth, residuals=residuals)


@dataclass(frozen=True, eq=False)
class SeveralOverPairs:
    """Several algorithms on the same images, all as good; what is hard for one is mostly hard for the others.

    Attributes
    ----------
    world, algorithms
        The people, with the measure, and how many algorithms.
    """

    world: PairsWorld
    algorithms: int

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and what all make of their images."""
        rng = np.random.default_rng([seed, number, 23])
        people, n = len(self.world.numbers), sum(self.world.numbers)
        drawn = EFFECTS[self.world.kind]
        effects, common = [drawn(rng, people) for _ in range(2)], rng.standard_normal((n, n))
        data = tuple(
            self.world.scores(name, self.world.compared(*of_another(self.world.kind, rng, effects, common)))
            for name in ascii_lowercase[: self.algorithms]
        )
        pairs = self.algorithms * (self.algorithms - 1) // 2
        return DataSet(data, self.world.samples, np.zeros(pairs))


@dataclass(frozen=True, eq=False)
class DecidedBeside:
    """Two algorithms on the same images, the first of which says no more than whether it accepts; to be held is its false match rate.

    Attributes
    ----------
    world
        The algorithms, and the measure, FNMR at a false match rate.
    """

    world: TwoOverPairs

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and what both make of all their images."""
        one, pairs = self.world.draw(seed, number), self.world.world
        first, second = one.data
        decided = pairs.scores("first", (first.values >= pairs.threshold).astype(np.float64))
        residuals = pairs.matched(first.values)
        return DataSet((decided, second), pairs.samples, pairs.fmr, residuals)


@dataclass(frozen=True, eq=False)
class OpposedAlgorithms:
    """Two algorithms that are equally good on average: the first a little better for most people, the second much for a few.

    Attributes
    ----------
    numbers
        Probes of each person.
    rate, lead, few
        The rate of the second, by how much the first is better for most, and the share of people for whom it is worse.
    """

    numbers: tuple[int, ...]
    rate: float = 0.8
    lead: float = 0.06
    few: float = 0.1

    @cached_property
    def searched(self) -> OutcomesWorld:
        """What makes outcomes of successes."""
        return OutcomesWorld(SimulatedPeople(self.numbers, self.rate, 0.0), _RATE)

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and what becomes of their probes with both."""
        rng = np.random.default_rng([seed, number, 11])
        n = np.array(self.numbers)
        behind = rng.random(len(n)) < self.few
        lead = np.where(behind, -self.lead * (1 - self.few) / self.few, self.lead)
        people = np.repeat(np.arange(len(n)), n)
        first, second = rng.random(n.sum()) < self.rate + lead[people], rng.random(n.sum()) < self.rate
        data = tuple(
            self.searched.outcomes(name, n, self.searched.ranks_of(success))
            for name, success in (("first", first), ("second", second))
        )
        added = np.asarray(np.bincount(people, first.astype(float) - second), np.float64)
        return DataSet(data, None, 0.0, added)


@dataclass(frozen=True, eq=False)
class AtTheMargin:
    """The two algorithms of a `world`, a margin apart, for whoever asks whether they are: `within` is the margin, and nothing differs from it."""

    world: TwoAlgorithms

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and what becomes of their probes with both."""
        one = self.world.draw(seed, number)
        return replace(one, within=float(one.truth), truth=0.0)


@dataclass(frozen=True, eq=False)
class IndependentSets:
    """Two sets of different people.

    Attributes
    ----------
    population, margin
        The people of the first set, and by how much the rate of the second is lower.
    """

    population: SimulatedPeople
    margin: float = 0.0

    @cached_property
    def sets(self) -> tuple[OutcomesWorld, OutcomesWorld]:
        """Each set by itself."""
        second = replace(self.population, rate=self.population.rate - self.margin)
        return OutcomesWorld(self.population, _RATE), OutcomesWorld(second, _RATE, names="other ")

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw both."""
        first, second = (world.draw(seed + place, number) for place, world in enumerate(self.sets))
        assert first.residuals is not None  # of rates they are known
        assert second.residuals is not None
        return DataSet(
            (first.data, second.data), None, self.margin, np.concatenate((first.residuals, second.residuals))
        )


@dataclass(frozen=True, eq=False)
class SensorsWorld:
    """Probes of the same people by two sensors, the second worse by the margin; people differ in how they suit each.

    Attributes
    ----------
    first, second
        Probes of each person by each sensor.
    rate, margin, icc
        Of the first, by how much the second is worse, and how much people differ.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    rate: float
    margin: float = 0.0
    icc: float = 0.2

    @cached_property
    def searched(self) -> OutcomesWorld:
        """What makes outcomes of successes."""
        numbers = tuple(a + b for a, b in zip(self.first, self.second, strict=True))
        sensors = tuple(
            sensor
            for each in zip(self.first, self.second, strict=True)
            for sensor, n in zip(("one", "two"), each, strict=True)
            for _ in range(n)
        )
        return OutcomesWorld(SimulatedPeople(numbers, self.rate, self.icc), _RATE, labels={"sensor": sensors})

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and what becomes of their probes."""
        rng = np.random.default_rng([seed, number, 12])
        population = self.searched.population
        easiness, numbers = population.draw(rng)
        each: list[Floats] = []
        for margin in (0.0, self.margin):
            own = _SHARED * ndtri(easiness) + np.sqrt(1 - _SHARED**2) * rng.standard_normal(len(easiness))
            each.append(replace(population, rate=self.rate - margin).own_rate(ndtr(own)))
        people, second = self._whose
        rates = np.where(second, each[1][people], each[0][people])
        success = rng.random(len(rates)) < rates
        outcomes = self.searched.outcomes("net", numbers, self.searched.ranks_of(success))
        return DataSet(outcomes, "sensor", self.margin, self._apart(success) - self.margin)

    @cached_property
    def _whose(self) -> tuple[Integers, Integers]:
        """Of every probe the person, and whether it is by the second sensor."""
        numbers = np.array([self.first, self.second]).T.ravel()
        return np.repeat(np.arange(len(numbers)) // 2, numbers), np.repeat(
            np.arange(len(numbers)) % 2, numbers
        )

    def _apart(self, success: Any) -> Floats:
        """The difference of the two shares of each person."""
        people, second = self._whose
        totals = np.bincount(2 * people + second, success, minlength=2 * len(self.first))
        shares = totals.reshape(-1, 2) / np.array([self.first, self.second]).T
        return np.asarray(shares[:, 0] - shares[:, 1])
