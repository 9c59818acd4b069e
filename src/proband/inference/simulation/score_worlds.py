"""Scores whose truth is known: of people drawn towards a centre; for galleries dealt anew, other training sets, other choices of images, other query images."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from proband.inference.simulation.populations import Floats, Integers
from proband.inference.simulation.worlds import DataSet
from proband.measures.pair_measures import PairMeasure
from proband.measures.pairs.weighted import WeightedRates
from proband.samples import Experiment, Pool, Samples
from proband.scores import Scores

_WIDTH = 8  # dimensions of faces
_TRUTH = 10_001  # what tells the stream of random numbers of a truth from those of data sets
_TRUTH_PROBES = 200_000
_WIDE = 32  # dimensions of faces that are compared by their cosine
_TRUTH_PAIRS, _TRUTH_PARTS = 50_000, 20  # pairs of people by whom a truth is found, in so many parts


def _faces(rng: np.random.Generator, people: int, images: int, noise: float) -> Floats:
    """Images of people (people × images × dimensions), who differ in how well they are known."""
    centres = rng.standard_normal((people, 1, _WIDTH))
    own = noise * rng.gamma(4, 0.25, people)[:, None, None]
    return centres + own * rng.standard_normal((people, images, _WIDTH))


def _closeness(queries: Floats, targets: Floats) -> Floats:
    apart = (queries**2).sum(axis=1)[:, None] + (targets**2).sum(axis=1) - 2 * queries @ targets.T
    return np.asarray(-apart)


def _samples(people: int, images: int) -> Samples:
    rows = [(f"{k}.{j}", str(k), j) for j in range(images) for k in range(people)]
    ids, subjects, sessions = zip(*rows, strict=True)
    return Samples({"id": ids, "subject": subjects, "session": sessions})


@dataclass(frozen=True, eq=False)
class GalleriesWorld:
    """New people and other galleries: one image of each person enrolled, the others searched for.

    Attributes
    ----------
    people, galleries, probes
        How many, in how many galleries they are divided, and the probes of each. What is to be held is the rate in galleries of that
        size.
    hubs
        By how much some enrolled images attract everybody.
    noise
        How much images of a person differ.
    """

    people: int
    galleries: int
    probes: int = 1
    hubs: float = 1.0
    noise: float = 0.7

    @cached_property
    def experiment(self) -> Experiment:
        """Session 0 is enrolled."""
        return Experiment(_samples(self.people, 1 + self.probes), gallery="session == 0")

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people and compare their images."""
        rng = np.random.default_rng([seed, number, 3])
        faces = _faces(rng, self.people, 1 + self.probes, self.noise).swapaxes(0, 1)
        values = _closeness(faces[1:].reshape(-1, _WIDTH), faces[0])
        values += self.hubs * rng.standard_normal(self.people)
        ids = self.experiment.samples.ids
        scores = Scores.from_array(
            values, ids[self.people :], ids[: self.people], orientation="similarity", name="net"
        )
        return DataSet(scores, self.experiment, self.truth)

    @cached_property
    def truth(self) -> float:
        """The rate of one probe of each person in very many galleries of the size."""
        rng = np.random.default_rng([_TRUTH, 4])
        size = self.people // self.galleries
        found = []
        for _ in range(-(-_TRUTH_PROBES // size)):
            enrolled, searched = _faces(rng, size, 2, self.noise).swapaxes(0, 1)
            values = _closeness(searched, enrolled) + self.hubs * rng.standard_normal(size)
            found.append((values.argmax(axis=1) == np.arange(size)).mean())
        return float(np.mean(found))


@dataclass(frozen=True, eq=False)
class CentreWorld:
    """Cosines of images of people who are drawn towards a common centre, most a little and some far: lambs, who are taken for each other.

    Attributes
    ----------
    numbers
        Images of each person.
    fmr
        The false match rate; what is to be held is FNMR there, or the threshold.
    of_threshold
        Whether that is the threshold; otherwise `within` is the samples and the threshold.
    pull, noise
        How far people are drawn on average (exponential), and how much images of a person differ.
    """

    numbers: tuple[int, ...]
    fmr: float
    of_threshold: bool = False
    pull: float = 0.5
    noise: float = 0.4

    @cached_property
    def samples(self) -> Samples:
        """Every image of everybody."""
        rows = [(f"{k}.{j}", str(k)) for k, n in enumerate(self.numbers) for j in range(n)]
        ids, subjects = zip(*rows, strict=True)
        return Samples({"id": ids, "subject": subjects})

    def _images(self, rng: np.random.Generator, people: Integers) -> Floats:
        """Images of new people, of length one."""
        centres = rng.standard_normal((int(people[-1]) + 1, _WIDE)) / np.sqrt(_WIDE)
        centres[:, 0] += self.pull * rng.exponential(size=len(centres))
        made = centres[people] + self.noise * rng.standard_normal((len(people), _WIDE)) / np.sqrt(_WIDE)
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True))

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people and compare all their images."""
        rng = np.random.default_rng([seed, number, 24])
        people = np.repeat(np.arange(len(self.numbers)), self.numbers)
        images = self._images(rng, people)
        values = images @ images.T
        at, missed = self.truths
        scores = Scores.from_array(values, self.samples.ids, orientation="similarity", name="net")
        if not self.of_threshold:
            return DataSet(scores, (self.samples, at), missed)
        matched = np.where(people[:, None] == people, 0.0, (values >= at) - self.fmr).sum(axis=1)
        return DataSet(scores, self.samples, at, np.asarray(np.bincount(people, matched), np.float64))

    @cached_property
    def truths(self) -> tuple[float, float]:
        """The threshold, and FNMR there, of very many pairs of people who are in no other pair."""
        rng = np.random.default_rng([_TRUTH, 10])
        of_two = np.repeat(np.arange(_TRUTH_PAIRS), 2)
        genuine, impostor = [], []
        for _ in range(_TRUTH_PARTS):
            images = self._images(rng, of_two)
            genuine.append((images[::2] * images[1::2]).sum(axis=1))
            first = images[::2]
            impostor += [(first * np.roll(first, by, axis=0)).sum(axis=1) for by in (1, 2, 3, 4)]
        at = float(np.quantile(np.concatenate(impostor), 1 - self.fmr))
        return at, float((np.concatenate(genuine) < at).mean())


@dataclass(frozen=True, eq=False)
class TrainingsWorld:
    """The same people and images, and an algorithm trained on other sets: every training adds noise of its own to the scores.

    Attributes
    ----------
    people, trainings
        How many.
    noise
        How much images of a person differ.
    """

    people: int
    trainings: int
    noise: float = 0.7

    @cached_property
    def experiment(self) -> Experiment:
        """Session 0 is enrolled."""
        return Experiment(_samples(self.people, 2), gallery="session == 0")

    def draw(self, seed: int, number: int) -> DataSet:
        """Train anew."""
        values = self._closeness
        rng = np.random.default_rng([seed, number, 4])
        ids = self.experiment.samples.ids
        found = [
            Scores.from_array(
                values + rng.standard_normal(values.shape),
                ids[self.people :],
                ids[: self.people],
                orientation="similarity",
                name=f"trained {place}",
            )
            for place in range(self.trainings)
        ]
        return DataSet(found, self.experiment, self.truth)

    @cached_property
    def _closeness(self) -> Floats:
        """The scores of the people and images that stay the same."""
        faces = _faces(np.random.default_rng([_TRUTH, 5]), self.people, 2, self.noise)
        return _closeness(faces[:, 1], faces[:, 0])

    @cached_property
    def truth(self) -> float:
        """The mean rate of very many trainings."""
        rng = np.random.default_rng([_TRUTH, 6])
        own = np.arange(self.people)
        found = [
            ((self._closeness + rng.standard_normal(self._closeness.shape)).argmax(axis=1) == own).mean()
            for _ in range(-(-_TRUTH_PROBES // self.people))
        ]
        return float(np.mean(found))


@dataclass(frozen=True, eq=False)
class ChoicesWorld:
    """People with several images: what is to be held is the rate of one random choice of a gallery and a probe image of each.

    Attributes
    ----------
    people, images
        How many, and the images of each.
    noise
        How much images of a person differ.
    """

    people: int
    images: int
    noise: float = 0.7

    @cached_property
    def pool(self) -> Pool:
        """All images, any two of a person making a choice."""
        return Pool(_samples(self.people, self.images))

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, compare their images, and choose two of each."""
        values, chosen = self.compared(np.random.default_rng([seed, number, 5]))
        truth = float((values[np.ix_(*chosen)].argmax(axis=1) == np.arange(self.people)).mean())
        scores = Scores.from_array(values, self.pool.samples.ids, orientation="similarity", name="net")
        return DataSet(scores, self.pool, truth)

    def compared(self, rng: np.random.Generator) -> tuple[Floats, tuple[Integers, Integers]]:
        """How close images are to each other, and the images of a random choice that are searched for and enrolled."""
        faces = _faces(rng, self.people, self.images, self.noise).swapaxes(0, 1).reshape(-1, _WIDTH)
        order = np.argsort(rng.random((self.people, self.images)), axis=1)
        enrolled, searched = (order[:, place] * self.people + np.arange(self.people) for place in (0, 1))
        return _closeness(faces, faces), (searched, enrolled)


@dataclass(frozen=True, eq=False)
class TwoOverChoices:
    """Two algorithms that are equally good: each adds noise of its own to the closeness of images.

    Attributes
    ----------
    world
        The people and their images.
    of_choice
        Whether to be held is by how much they differ in one random choice of images, or that they do not for new people.
    """

    world: ChoicesWorld
    of_choice: bool = False

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and what both make of their images."""
        rng = np.random.default_rng([seed, number, 20])
        values, (searched, enrolled) = self.world.compared(rng)
        both = values + 2.0 * rng.standard_normal((2, *values.shape))
        data = tuple(
            Scores.from_array(each, self.world.pool.samples.ids, orientation="similarity", name=name)
            for name, each in zip(("first", "second"), both, strict=True)
        )
        own = np.arange(self.world.people)
        rates = [(each[np.ix_(searched, enrolled)].argmax(axis=1) == own).mean() for each in both]
        return DataSet(data, self.world.pool, float(rates[0] - rates[1]) if self.of_choice else 0.0)


@dataclass(frozen=True, eq=False)
class QueriesWorld:
    """Other query images of these people against the same targets: scores are normal about what two people make them.

    Attributes
    ----------
    people, queries
        How many, and the query images of each; everybody has one target image.
    measure
        `FNMR` at a false match rate, `AUC` or `EER`, whose truth is that of very many queries of the people of a data set.
    gap
        By how much genuine scores are higher.
    """

    people: int
    queries: int
    measure: PairMeasure
    gap: float = 3.0

    @cached_property
    def experiment(self) -> Experiment:
        """Session 0 is enrolled."""
        return Experiment(_samples(self.people, 1 + self.queries), gallery="session == 0")

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and the scores of their queries; a query has an effect of its own on all its scores."""
        rng = np.random.default_rng([seed, number, 8])
        means = self.means(rng)
        return DataSet(self.scored(rng, "net", means), self.experiment, self.truth_of(means))

    def means(self, rng: np.random.Generator) -> Floats:
        """What two people make their scores on average, for people drawn anew."""
        hard, lift = 0.7 * rng.standard_normal((2, self.people))
        means: Floats = 0.7 * (lift[:, None] + lift)
        np.fill_diagonal(means, self.gap - hard)
        return means

    def scored(self, rng: np.random.Generator, name: str, means: Floats) -> Scores:
        """The scores of new queries."""
        shape = self.queries, self.people, self.people
        values = means + 0.6 * rng.standard_normal(shape[:2])[:, :, None] + 0.8 * rng.standard_normal(shape)
        ids = self.experiment.samples.ids
        return Scores.from_array(
            values.reshape(-1, self.people), ids[self.people :], ids[: self.people],
            orientation="similarity", name=name,
        )  # fmt: skip

    def truth_of(self, means: Floats) -> float:
        """The measure of normal scores of variance 1 about their means, at closely spaced thresholds."""
        from scipy.special import ndtr

        own = np.eye(self.people, dtype=bool)
        edges = np.linspace(-5.0, 5.0 + self.gap, 1501)
        genuine = ndtr(edges[:, None] - means[own]).mean(axis=1)
        # Impostors are very many, and are taken together in narrow bins of their means.
        times, bounds = np.histogram(means[~own], 400)
        impostor = 1 - ndtr(edges[:, None] - (bounds[1:] + bounds[:-1]) / 2) @ times / times.sum()
        weighed = WeightedRates(
            np.diff(genuine, append=1.0)[:, None], impostor[:, None], impostor[:, None], np.ones(1)
        )
        return float(self.measure.of_weighted(weighed)[0])


@dataclass(frozen=True, eq=False)
class TwoOfQueries:
    """Two algorithms on the same queries.

    Attributes
    ----------
    world, lower
        The queries, and by how much genuine scores are lower with the second.
    """

    world: QueriesWorld
    lower: float = 0.0

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and the scores of their queries with both."""
        rng = np.random.default_rng([seed, number, 21])
        means = self.world.means(rng)
        others = means - self.lower * np.eye(self.world.people)
        data = self.world.scored(rng, "first", means), self.world.scored(rng, "second", others)
        return DataSet(data, self.world.experiment, self.world.truth_of(means) - self.world.truth_of(others))


@dataclass(frozen=True, eq=False)
class TwoInGalleries:
    """Two algorithms that are equally good.

    Attributes
    ----------
    world
        The people, who are enrolled by one image each.
    """

    world: GalleriesWorld

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and what both make of their images."""
        one = self.world.draw(seed, number)
        rng = np.random.default_rng([seed, number, 22])
        data = tuple(
            Scores.from_array(
                one.data.values + 1.5 * rng.standard_normal(one.data.shape),
                one.data.queries,
                one.data.targets,
                orientation="similarity",
                name=name,
            )
            for name in ("first", "second")
        )
        return DataSet(data, one.within, 0.0)


@dataclass(frozen=True, eq=False)
class PartsWorld:
    """Three algorithms on the same probes; what is to be held is the first one's rate on the third that is hardest to the others.

    Attributes
    ----------
    people, probes
        How many, and the probes of each; everybody is enrolled by one image.
    """

    people: int
    probes: int

    @cached_property
    def experiment(self) -> Experiment:
        """Session 0 is enrolled."""
        return Experiment(_samples(self.people, 1 + self.probes), gallery="session == 0")

    def _closeness(self, rng: np.random.Generator, people: int) -> Floats:
        """How close probes are to their mates, to three algorithms (algorithms × probes × people)."""
        own = rng.standard_normal(people)
        probe = rng.standard_normal((self.probes, people))
        return np.asarray(1.2 + 0.6 * own + 0.5 * probe + 0.6 * rng.standard_normal((3, self.probes, people)))

    @cached_property
    def truth(self) -> float:
        """Of very many people."""
        first, *others = self._closeness(np.random.default_rng([_TRUTH, 9]), _TRUTH_PROBES)
        hard = np.mean([other.ravel().argsort().argsort() for other in others], axis=0)
        return float((first.ravel()[hard < np.quantile(hard, 1 / 3)] > 0).mean())

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and how close their probes are; a probe is found if it is closer than everybody else, who are at 0."""
        rng = np.random.default_rng([seed, number, 17])
        found = self._closeness(rng, self.people)
        ids = self.experiment.samples.ids
        own = np.tile(np.eye(self.people, dtype=bool), (self.probes, 1))
        data = [
            Scores.from_array(
                np.where(own, close.reshape(-1, 1), 0.0),
                ids[self.people :],
                ids[: self.people],
                orientation="similarity",
                name=name,
            )
            for name, close in zip("abc", found, strict=True)
        ]
        return DataSet(data, self.experiment, self.truth)
