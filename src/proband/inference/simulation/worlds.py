"""Data sets whose truth is known: outcomes of probes, of people whose own rates are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np

from proband.errors import UsageError
from proband.inference.simulation.populations import Floats, Integers, SimulatedPeople, easiness_of_two
from proband.measures import CMC, Outcomes
from proband.measures.base import OutcomeMeasure
from proband.samples import Experiment, Samples
from proband.words import fixed

Target = Literal["people", "images"]
"""What an interval is to hold: the value for new people, or for new images of the people there are."""
_TRUTH_SETS = 400  # data sets over which a truth without a closed form is found, and at least so many probes:
_TRUTH_PROBES = 400_000
_TRUTH_PEOPLE = 20_000
_TRUTH_CURVE = 400_000
TRUTH = 10_001  # what tells the stream of random numbers of a truth from those of data sets


@dataclass(frozen=True, eq=False)
class DataSet:
    """One data set, and what is true of it.

    Attributes
    ----------
    data, within
        What `estimate` takes: outcomes, or scores and where they are measured.
    truth
        What the interval is to hold; of a curve at every rank, of several comparisons each.
    residuals
        What each person adds to the error of the estimate; None where that is not known.
    facts
        Other numbers of interest, of which the means over data sets are kept.
    """

    data: Any
    within: Any
    truth: float | Floats
    residuals: Floats | None = None
    facts: Mapping[str, float] = field(default_factory=dict)


class World(Protocol):
    """Gives data sets by their number, the same one for the same number and seed."""

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw a data set."""


@dataclass(frozen=True, eq=False)
class OutcomesWorld:
    """Searches of a population: every probe succeeds with its person's own rate, independently given the person.

    Attributes
    ----------
    population, measure
        Who is searched for, and what is measured. For measures of ranks the rank is geometric, with the own rate as the chance of
        rank 1.
    target
        What is to be held: the value for new ``people``, or for new ``images`` of the people of each data set.
    labels
        Columns of the samples besides, with the value of every probe: sites, sensors.
    names
        What the names of people begin with.
    """

    population: SimulatedPeople
    measure: OutcomeMeasure
    target: Target = "people"
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    names: str = ""

    @cached_property
    def experiment(self) -> Experiment:
        """The gallery, one image of each person, and as many probes as anybody can have."""
        people = range(self.population.subjects)
        most = (
            [max(self.population.numbers)] * len(people)
            if self.population.informative
            else self.population.numbers
        )
        named = [f"{self.names}{k}" for k in people]
        searched = [(f"p{name}.{j}", name) for name, n in zip(named, most, strict=True) for j in range(n)]
        ids, subjects = zip(*((f"g{name}", name) for name in named), *searched, strict=True)
        columns = {name: ("enrolled",) * len(people) + values for name, values in self.labels.items()}
        samples = Samples({"id": ids, "subject": subjects, **columns})
        return Experiment(samples, gallery=list(ids[: len(people)]))

    @property
    def is_share(self) -> bool:
        """Whether probes succeed or do not."""
        return self.measure.form == "share"

    @property
    def by_person(self) -> bool:
        """Whether every person counts alike, however many probes they have."""
        return getattr(self.measure, "weights", "probe") == "person"

    @cached_property
    def truth(self) -> float | Floats:
        """The value for new people: known for a rate, and otherwise that of very many people."""
        if self.is_share:
            return self.population.rate if self.by_person else self.population.probe_rate
        rng = np.random.default_rng([TRUTH, 0])
        if isinstance(self.measure, CMC):
            return self._curve(rng, self.measure.max_rank or self.population.subjects)
        pooled: list[Floats] = []
        while len(pooled) < _TRUTH_SETS or sum(map(len, pooled)) < _TRUTH_PROBES:
            easiness, numbers = self.population.draw(rng)
            own = np.repeat(self.population.own_rate(easiness), numbers)
            pooled.append(self._ranks(rng, own).astype(np.float64))
        return float(self.measure.of_ranks(np.concatenate(pooled)[None, :])[0])

    def _curve(self, rng: np.random.Generator, last: int) -> Floats:
        """The rates at ranks 1 to `last`: the mean of 1 − (1 − p)^rank over probes of very many people."""
        drawn = [self.population.draw(rng) for _ in range(-(-_TRUTH_CURVE // self.population.subjects))]
        own = self.population.own_rate(np.concatenate([easiness for easiness, _ in drawn]))
        numbers = np.concatenate([numbers for _, numbers in drawn])
        weight = np.ones(len(numbers)) if self.by_person else numbers
        found: Floats = np.average(1 - (1 - own[:, None]) ** np.arange(1, last + 1), axis=0, weights=weight)
        found[self.population.subjects - 1 :] = 1.0
        return found

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people and what becomes of their probes."""
        rng = np.random.default_rng([seed, number])
        easiness, numbers = self.population.draw(rng)
        own = self.population.own_rate(easiness)
        if not self.is_share:
            return DataSet(
                self.outcomes("net", numbers, self._ranks(rng, np.repeat(own, numbers))), None, self.truth
            )
        success = rng.random(int(numbers.sum())) < np.repeat(own, numbers)
        weight = np.ones_like(own) if self.by_person else numbers.astype(np.float64)
        truth = float(self.truth if self.target == "people" else weight @ own / weight.sum())
        people = np.repeat(np.arange(len(numbers)), numbers)
        share = np.bincount(people, success, minlength=len(numbers)) / numbers
        outcomes = self.outcomes("net", numbers, self.ranks_of(success))
        return DataSet(outcomes, None, truth, weight * (share - (truth if self.target == "people" else own)))

    def ranks_of(self, success: Any) -> Integers:
        """Ranks of probes that are found at the rank of the measure, or just not."""
        return np.where(success, 1, 1 + int(getattr(self.measure, "rank", 1))).astype(np.int64)

    def _ranks(self, rng: np.random.Generator, own: Floats) -> Integers:
        return np.minimum(rng.geometric(np.maximum(own, 1e-6)), self.population.subjects).astype(np.int64)

    def outcomes(self, name: str, numbers: Integers, ranks: Integers) -> Outcomes:
        """Outcomes of people with these numbers of probes, whose mates have these ranks."""
        experiment = self.experiment
        probes = experiment.probes
        if self.population.informative:
            place = np.arange(max(self.population.numbers))
            probes = probes[(place[None, :] < numbers[:, None]).ravel()]
        n = len(probes)
        return Outcomes(
            algorithm=name,
            experiment=experiment,
            probes=probes.copy(),
            closer=ranks - 1,
            tied=np.zeros(n, dtype=np.int64),
            best_mates=np.ones(n, dtype=np.int64),
            failed=np.zeros(n, dtype=bool),
            ties="pessimistic",
            counting="images",
            on_failure="miss",
            n_ranks=self.population.subjects,
            n_unmated=0,
            n_gallery_failed=0,
        )


@dataclass(frozen=True, eq=False)
class TwoAlgorithms:
    """Two algorithms on the same probes of the same people, the second worse by the margin.

    People are easy to each in its own way. Given the person they fail independently, or, where a share of discordant probes is
    given, as much together as that takes.

    Attributes
    ----------
    world
        The people, and the rate that is compared; the first algorithm's.
    margin
        By how much the mean of own rates is lower for the second.
    discordant
        The share of probes that only one of them recognises.
    """

    world: OutcomesWorld
    margin: float
    discordant: float | None = None

    @cached_property
    def second(self) -> SimulatedPeople:
        """The same people to the second algorithm."""
        population = self.world.population
        return replace(population, rate=population.rate - self.margin).checked()

    @property
    def difference(self) -> float:
        """By how much the first is truly better for new people: the margin, but for numbers of probes that are informative."""
        if self.world.by_person:
            return self.margin
        return self.world.population.probe_rate_of_two - self.second.probe_rate_of_two

    @cached_property
    def together(self) -> float:
        """How often the fates of a probe are one, so that the share of discordant probes is the one that is given."""
        if self.discordant is None:
            return 0.0
        rng = np.random.default_rng([TRUTH, 2])
        first, second = self._own_rates(rng.random(_TRUTH_PEOPLE), rng)
        most = float((first * (1 - second) + second * (1 - first)).mean())
        least = float(np.abs(first - second).mean())
        if not least - 1e-9 <= self.discordant <= most + 1e-9:
            raise UsageError(
                f"A share of discordant probes of {self.discordant!r} is impossible: with these rates and "
                f"this intraclass correlation it must be between {fixed(least)} and {fixed(most)}.",
                "leave it out to simulate algorithms that are independent given the person.",
            )
        return (most - self.discordant) / (most - least) if most > least else 0.0

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and what becomes of their probes with both."""
        rng = np.random.default_rng([seed, number, 1])
        easiness, numbers = self.world.population.draw(rng)
        rates = self._own_rates(easiness, rng)
        first, second = (np.repeat(own, numbers) for own in rates)
        own, other, shared = rng.random((3, len(first)))
        other = np.where(shared < self.together, own, other)
        success = own < first, other < second
        data = tuple(
            self.world.outcomes(name, numbers, self.world.ranks_of(found))
            for name, found in zip(("first", "second"), success, strict=True)
        )
        differ = success[0].astype(np.float64) - success[1]
        people = np.bincount(np.repeat(np.arange(len(numbers)), numbers), differ, minlength=len(numbers))
        weight = numbers if self.world.by_person else np.ones_like(numbers)
        truth = self.difference
        expected: float | Floats = truth
        if self.world.target == "images":
            expected = rates[0] - rates[1]
            truth = float((expected * numbers / weight).sum() / (numbers / weight).sum())
        facts = {
            "discordant": float(np.abs(differ).mean()),
            "discordant_subjects": float(np.count_nonzero(people)),
        }
        return DataSet(data, None, truth, (people - numbers * expected) / weight, facts)

    def _own_rates(self, easiness: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """The own rates of people with each of the two."""
        first, second = easiness_of_two(easiness, rng)
        return self.world.population.own_rate(first), self.second.own_rate(second)


def numbers_in(experiment: Experiment, *, of_pairs: bool = False) -> tuple[int, ...]:
    """Count the probes of each person that can be found in the gallery; for pairs, all images of each."""
    places = experiment.probes[experiment.mated]
    if of_pairs:
        places = np.concatenate((experiment.gallery, experiment.probes))
    found: list[int] = np.unique(experiment.samples.codes[places], return_counts=True)[1].tolist()
    return tuple(found)
