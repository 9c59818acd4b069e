"""Data sets whose truth is known: outcomes of probes and scores of pairs, of people whose own rates are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np

from proband.errors import UsageError
from proband.inference.simulation.populations import Floats, Integers, Population, easiness_of_two
from proband.measures import CMC, Measure, Outcomes
from proband.measures.base import OutcomeMeasure
from proband.measures.pair_measures import AUC, EER, FNMR
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.words import fixed

PairKind = Literal["normal", "skewed", "classes"]
"""How people can differ in the scores of their pairs."""
Target = Literal["people", "images"]
"""What an interval is to hold: the value for new people, or for new images of the people there are."""
_TRUTH_SETS = 400  # data sets over which a truth without a closed form is found, and at least so many probes:
_TRUTH_PROBES = 400_000
_TRUTH_PEOPLE = 20_000
_TRUTH_PAIRS = 1_000_000
_TRUTH_CURVE = 400_000
_GRID = 4_001  # scores at which influences are known
_ALIKE = 0.8  # the share of people who are to one of two algorithms what they are to the other
_NOISE = 0.5  # the correlation of what is left of their scores
_TRUTH = 10_001  # what tells the stream of random numbers of a truth from those of data sets


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

    population: Population
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
        rng = np.random.default_rng([_TRUTH, 0])
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
    def second(self) -> Population:
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
        rng = np.random.default_rng([_TRUTH, 2])
        first, second = self._own_rates(rng.random(_TRUTH_PEOPLE), rng)
        most = float((first * (1 - second) + second * (1 - first)).mean())
        least = float(np.abs(first - second).mean())
        if not least - 1e-9 <= self.discordant <= most + 1e-9:
            raise UsageError(
                f"A share of discordant probes of {self.discordant!r} is impossible: with these rates and this intraclass "
                f"correlation it lies between {fixed(least)} and {fixed(most)}.",
                "leave it out to take algorithms for independent given the person.",
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


EFFECTS: dict[PairKind, Callable[[np.random.Generator, int], Floats]] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "skewed": lambda rng, n: rng.exponential(size=n) - 1,
    "classes": lambda rng, n: np.where(rng.random(n) < 0.1, 3.0, -1 / 3),
}
"""What people add to the scores they take part in: of mean 0 and variance 1."""


@dataclass(frozen=True, eq=False)
class PairsWorld:
    """All pairs of images of people: impostor scores a_i + a_j + noise, genuine ones gap − b_i + noise, each of variance 1.

    Attributes
    ----------
    numbers
        Images of each person.
    measure
        `FNMR` at a false match rate, `AUC` or `EER`.
    value
        Its true value, by which the gap is found.
    icc
        The share of the variance of scores that people account for.
    kind
        How people's effects are distributed: ``normal``, ``skewed`` (exponential) or ``classes``.
    """

    numbers: tuple[int, ...]
    measure: Measure
    value: float
    icc: float
    kind: PairKind = "normal"

    def __post_init__(self) -> None:
        if self.kind not in EFFECTS:
            raise UsageError(
                f"Scores of pairs are not simulated for people of the kind {self.kind!r}.",
                f"take one of {', '.join(EFFECTS)}.",
            )

    @cached_property
    def samples(self) -> Samples:
        """Every image of everybody."""
        rows = [(f"{k}.{j}", str(k)) for k, n in enumerate(self.numbers) for j in range(n)]
        ids, subjects = zip(*rows, strict=True)
        return Samples({"id": ids, "subject": subjects})

    @cached_property
    def _scores(self) -> tuple[Floats, Floats]:
        """Genuine scores without the gap, and impostor scores, of very many pairs."""
        rng = np.random.default_rng([_TRUTH, 1])
        noise, effect = np.sqrt(1 - self.icc), np.sqrt(self.icc)
        drawn = EFFECTS[self.kind]
        genuine = noise * rng.standard_normal(_TRUTH_PAIRS) - effect * drawn(rng, _TRUTH_PAIRS)
        both = drawn(rng, _TRUTH_PAIRS) + drawn(rng, _TRUTH_PAIRS)
        impostor = noise * rng.standard_normal(_TRUTH_PAIRS) + effect / np.sqrt(2) * both
        return genuine, impostor

    @cached_property
    def gap(self) -> float:
        """What makes genuine scores higher, so that the measure has its value over very many people."""
        genuine, impostor = self._scores
        if isinstance(self.measure, FNMR | EER):
            return self.threshold - float(np.quantile(genuine, self.value))
        if isinstance(self.measure, AUC):
            return -float(np.quantile(genuine - impostor, 1 - self.value))
        raise UsageError(
            f"The {self.measure.estimand} is not simulated over pairs.",
            "take AUC, EER or FNMR at a false match rate.",
        )

    @cached_property
    def threshold(self) -> float:
        """Where the false match rate is that of the measure."""
        return float(np.quantile(self._scores[1], 1 - self.fmr))

    @property
    def fmr(self) -> float:
        """The false match rate of the measure."""
        return self.measure.at_fmr if isinstance(self.measure, FNMR) else self.value

    @cached_property
    def _influence(self) -> tuple[Any, Any, Any]:
        """What a genuine and an impostor score add to the error of the measure, to first order, at closely spaced scores."""
        genuine, impostor = (np.sort(one) for one in self._scores)
        at = np.linspace(impostor[0], genuine[-1] + self.gap, _GRID)
        if isinstance(self.measure, AUC):
            below = np.searchsorted(impostor, at) / _TRUTH_PAIRS
            above = 1 - np.searchsorted(genuine, at - self.gap) / _TRUTH_PAIRS
            return at, below - self.value, above - self.value
        t, near = self.threshold, 0.05
        dense_genuine, dense_impostor = (
            float(np.diff(np.searchsorted(scores, [middle - near, middle + near]))[0])
            for scores, middle in ((genuine, t - self.gap), (impostor, t))
        )
        missed = (at < t).astype(np.float64) - self.value
        matched = (at >= t).astype(np.float64) - self.fmr
        if isinstance(self.measure, FNMR):
            return at, missed, dense_genuine / dense_impostor * matched
        whole = dense_genuine + dense_impostor
        return at, dense_impostor / whole * missed, dense_genuine / whole * matched

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people and the scores of all their images."""
        rng = np.random.default_rng([seed, number, 2])
        hard, wolf = (EFFECTS[self.kind](rng, len(self.numbers)) for _ in range(2))
        n = sum(self.numbers)
        values = self.compared(hard, wolf, rng.standard_normal((n, n)))
        return DataSet(self.scores("net", values), self.samples, self.value, self.added(values))

    @cached_property
    def _people(self) -> tuple[Integers, Any]:
        """Whose the images are, and which two are of one person."""
        people = np.repeat(np.arange(len(self.numbers)), self.numbers)
        return people, people[:, None] == people

    @property
    def mated(self) -> Any:
        """Which two images are of one person."""
        return self._people[1]

    def missed(self, lower: float = 0.0) -> float:
        """The false non-match rate at the threshold of genuine scores that are lower by so much."""
        return float((self._scores[0] + self.gap - lower < self.threshold).mean())

    def lowered(self, lower: float) -> float:
        """The area, or the false non-match rate at the threshold, of genuine scores that are lower by so much."""
        genuine, impostor = self._scores
        if isinstance(self.measure, AUC):
            return float((genuine + self.gap - lower > impostor).mean())
        return self.missed(lower)

    def compared(self, hard: Floats, wolf: Floats, noise: Floats) -> Floats:
        """The scores of images of people with these effects."""
        people, mated = self._people
        effect = np.sqrt(self.icc)
        half = np.sqrt(1 - self.icc) * np.triu(noise, 1)
        lifted = effect / np.sqrt(2) * (wolf[people][:, None] + wolf[people])
        return np.asarray(half + half.T + np.where(mated, self.gap - effect * hard[people], lifted))

    def added(self, values: Floats) -> Floats:
        """What each person adds to the error of the measure; a pair counts for both."""
        at, genuine, impostor = self._influence
        people, mated = self._people
        own = mated & ~np.eye(len(people), dtype=bool)
        found = np.where(own, np.interp(values, at, genuine) / max(own.sum(), 1), 0.0)
        found += np.where(mated, 0.0, 2 * np.interp(values, at, impostor) / (~mated).sum())
        return np.asarray(np.bincount(people, found.sum(axis=1), minlength=len(self.numbers)), np.float64)

    def matched(self, values: Floats) -> Floats:
        """What each person adds to the error of the false match rate at the threshold that has it."""
        people, mated = self._people
        found = np.where(mated, 0.0, (values >= self.threshold) - self.fmr)
        return np.asarray(np.bincount(people, found.sum(axis=1), minlength=len(self.numbers)), np.float64)

    def scores(self, name: str, values: Floats) -> Scores:
        """The scores as an algorithm gives them."""
        return Scores.from_array(values, self.samples.ids, orientation="similarity", name=name)


@dataclass(frozen=True, eq=False)
class TwoOverPairs:
    """Two algorithms on the same images, the second worse by the margin; what is hard for one is mostly hard for the other.

    Attributes
    ----------
    world
        The people, and the measure with its value for the first.
    margin
        By how much the value of the second is lower (higher, for error rates).
    """

    world: PairsWorld
    margin: float = 0.0

    @cached_property
    def second(self) -> PairsWorld:
        """The same people to the second algorithm."""
        worse = -self.margin if isinstance(self.world.measure, AUC) else self.margin
        return replace(self.world, value=self.world.value + worse) if self.margin else self.world

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and what both make of all their images."""
        rng = np.random.default_rng([seed, number, 9])
        people, n = len(self.world.numbers), sum(self.world.numbers)
        drawn = EFFECTS[self.world.kind]
        effects = [drawn(rng, people) for _ in range(2)]
        others = [np.where(rng.random(people) < _ALIKE, one, drawn(rng, people)) for one in effects]
        common, first, second = rng.standard_normal((3, n, n))
        noises = (np.sqrt(_NOISE) * common + np.sqrt(1 - _NOISE) * own for own in (first, second))
        found = [
            world.compared(hard, wolf, noise)
            for world, (hard, wolf), noise in zip(
                (self.world, self.second), (effects, others), noises, strict=True
            )
        ]
        data = tuple(
            self.world.scores(name, values) for name, values in zip(("first", "second"), found, strict=True)
        )
        truth = self.world.value - self.second.value
        residuals = self.world.added(found[0]) - self.second.added(found[1])
        return DataSet(data, self.world.samples, truth, residuals)


def of_another(
    kind: PairKind, rng: np.random.Generator, effects: list[Floats], common: Floats
) -> tuple[Floats, Floats, Floats]:
    """Draw what people are to one more algorithm, and the noise of its scores, from what is common to all."""
    drawn = EFFECTS[kind]
    hard, wolf = (np.where(rng.random(len(one)) < _ALIKE, one, drawn(rng, len(one))) for one in effects)
    own = rng.standard_normal(common.shape)
    return hard, wolf, np.sqrt(_NOISE) * common + np.sqrt(1 - _NOISE) * own


@dataclass(frozen=True, eq=False)
class OpposedOverPairs:
    """Two algorithms of equal value on the same images: the first a little better for most people, the second much for a few.

    Attributes
    ----------
    world
        The people, and the measure with its value for both.
    few, much
        The share of people whom the first finds less alike, and by how much it lowers their genuine scores.
    """

    world: PairsWorld
    few: float
    much: float

    @cached_property
    def lead(self) -> float:
        """By how much the first raises the genuine scores of the others, so that the value stays."""
        world, least, most = self.world, 0.0, self.much
        wanted = (world.value - self.few * world.lowered(self.much)) / (1 - self.few)
        for _ in range(30):
            lead = (least + most) / 2
            enough = (world.lowered(-lead) > wanted) == isinstance(world.measure, AUC)
            least, most = (least, lead) if enough else (lead, most)
        return (least + most) / 2

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and what both make of all their images."""
        rng, world = np.random.default_rng([seed, number, 13]), self.world
        people, n = len(world.numbers), sum(world.numbers)
        hard, wolf = (EFFECTS[world.kind](rng, people) for _ in range(2))
        common, first, second = rng.standard_normal((3, n, n))
        shift = np.where(rng.random(people) < self.few, self.much, -self.lead)
        found = [
            world.compared(lower, wolf, np.sqrt(_NOISE) * common + np.sqrt(1 - _NOISE) * own)
            for lower, own in ((hard + shift / np.sqrt(world.icc), first), (hard, second))
        ]
        data = tuple(world.scores(name, one) for name, one in zip(("first", "second"), found, strict=True))
        return DataSet(data, world.samples, 0.0, world.added(found[0]) - world.added(found[1]))


def numbers_in(experiment: Experiment, *, of_pairs: bool = False) -> tuple[int, ...]:
    """Count the probes of each person that can be found in the gallery; for pairs, all images of each."""
    places = experiment.probes[experiment.mated]
    if of_pairs:
        places = np.concatenate((experiment.gallery, experiment.probes))
    found: list[int] = np.unique(experiment.samples.codes[places], return_counts=True)[1].tolist()
    return tuple(found)
