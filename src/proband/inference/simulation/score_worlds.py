"""Scores whose truth is known: for galleries dealt anew, other training sets, other choices of images, other query images."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from proband.inference.simulation.populations import Floats
from proband.inference.simulation.worlds import DataSet
from proband.measures.pair_measures import PairMeasure
from proband.measures.pairs.weighted import WeightedRates
from proband.samples import Experiment, Pool, Samples
from proband.scores import Scores

_WIDTH = 8  # dimensions of faces
_TRUTH = 10_001  # what tells the stream of random numbers of a truth from those of data sets
_TRUTH_PROBES = 200_000


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

    Examples
    --------
    >>> one = GalleriesWorld(20, 4, 2).draw(0, 0)
    >>> one.data.shape, 0 < one.truth < 1
    ((40, 20), True)
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
class TrainingsWorld:
    """The same people and images, and an algorithm trained on other sets: every training adds noise of its own to the scores.

    Attributes
    ----------
    people, trainings
        How many.
    noise
        How much images of a person differ.

    Examples
    --------
    >>> one = TrainingsWorld(20, 3).draw(0, 0)
    >>> len(one.data), 0 < one.truth < 1
    (3, True)
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

    Examples
    --------
    >>> one = ChoicesWorld(20, 3).draw(0, 0)
    >>> one.data.shape, 0 <= one.truth <= 1
    ((60, 60), True)
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
        rng = np.random.default_rng([seed, number, 5])
        faces = _faces(rng, self.people, self.images, self.noise).swapaxes(0, 1).reshape(-1, _WIDTH)
        values = _closeness(faces, faces)
        order = np.argsort(rng.random((self.people, self.images)), axis=1)
        everybody = np.arange(self.people)
        enrolled, searched = (order[:, place] * self.people + everybody for place in (0, 1))
        chosen = values[np.ix_(searched, enrolled)]
        truth = float((chosen.argmax(axis=1) == everybody).mean())
        scores = Scores.from_array(values, self.pool.samples.ids, orientation="similarity", name="net")
        return DataSet(scores, self.pool, truth)


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

    Examples
    --------
    >>> from proband import AUC
    >>> one = QueriesWorld(20, 2, AUC()).draw(0, 0)
    >>> one.data.shape, 0.8 < one.truth < 1
    ((40, 20), True)
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
        hard, lift = 0.7 * rng.standard_normal((2, self.people))
        means = 0.7 * (lift[:, None] + lift)
        np.fill_diagonal(means, self.gap - hard)
        shape = self.queries, self.people, self.people
        values = means + 0.6 * rng.standard_normal(shape[:2])[:, :, None] + 0.8 * rng.standard_normal(shape)
        ids = self.experiment.samples.ids
        scores = Scores.from_array(
            values.reshape(-1, self.people), ids[self.people :], ids[: self.people],
            orientation="similarity", name="net",
        )  # fmt: skip
        return DataSet(scores, self.experiment, self._truth(means))

    def _truth(self, means: Floats) -> float:
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
