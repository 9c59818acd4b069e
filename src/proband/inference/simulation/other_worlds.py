"""Searches for strangers and splits of a cross-validation, whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import ndtr

from proband.inference.simulation.pair_worlds import EFFECTS, PairKind, PairsWorld
from proband.inference.simulation.populations import Floats, Integers
from proband.inference.simulation.worlds import DataSet, OutcomesWorld, World
from proband.measures.open_set import Searches
from proband.samples import Samples
from proband.scores.trials import Trials

_TRUTH = 10_001  # what tells the stream of random numbers of a truth from those of data sets
_LISTED = 0.2  # of the pairs of different people
_TRUTH_SEARCHES = 1_000_000
_TRUTH_SETS = 2_000
_NEW = 4_000  # samples of new people, on which nearest neighbours are tried


@dataclass(frozen=True, eq=False)
class OneRank:
    """The searches of a world of curves, of which one rank is to be held."""

    world: OutcomesWorld
    rank: int

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people and what becomes of their probes."""
        one = self.world.draw(seed, number)
        assert isinstance(one.truth, np.ndarray)
        return replace(one, truth=float(one.truth[self.rank - 1]))


@dataclass(frozen=True, eq=False)
class NothingApart:
    """The data sets of a world, for a test of what does not differ in them."""

    world: World

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw a data set."""
        return replace(self.world.draw(seed, number), truth=0.0)


@dataclass(frozen=True, eq=False)
class ThresholdWorld:
    """The scores of a world of pairs; what is to be held from above is the threshold at which new people have the false match rate."""

    world: PairsWorld

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people and the scores of all their images."""
        one = self.world.draw(seed, number)
        residuals = self.world.matched(one.data.values)
        return replace(one, truth=self.world.threshold, residuals=residuals)


@dataclass(frozen=True, eq=False)
class AtThreshold:
    """Pairs of two groups of people at the threshold that has the false match rate; `within` is the samples and the threshold.

    Attributes
    ----------
    world
        The pairs, of FNMR at a false match rate.
    of
        What is to be held: the false match rate, the false non-match rate, or the difference of the latter between the groups.
    worse
        By how much less genuine scores of the second group are.
    images
        What part of the variance images add on top, the same to all their scores.
    """

    world: PairsWorld
    of: Literal["fmr", "fnmr", "groups"] = "fnmr"
    worse: float = 0.0
    images: float = 0.0

    @cached_property
    def samples(self) -> Samples:
        """Every image of everybody, with the person's group."""
        samples = self.world.samples
        people = [name.partition(".")[0] for name in samples.ids]
        return Samples({"id": samples.ids, "subject": people, "group": ["ab"[int(k) % 2] for k in people]})

    @cached_property
    def truth(self) -> float:
        """At the threshold."""
        if self.of == "groups":
            return self.world.missed() - self.world.missed(self.worse)
        return self.world.fmr if self.of == "fmr" else self.world.value

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people and the scores of all their images."""
        rng = np.random.default_rng([seed, number, 18])
        world = self.world
        n = sum(world.numbers)
        hard, wolf = (EFFECTS[world.kind](rng, len(world.numbers)) for _ in range(2))
        values = world.compared(hard, wolf, rng.standard_normal((n, n)))
        residuals = (
            world.matched(values) if self.of == "fmr" else world.added(values) if self.of == "fnmr" else None
        )
        second = np.repeat(np.arange(len(world.numbers)) % 2, world.numbers)
        values -= self.worse * (world.mated & (second == 1))
        image = np.sqrt(self.images) * rng.standard_normal(n)
        values += image[:, None] + image
        return DataSet(world.scores("net", values), (self.samples, world.threshold), self.truth, residuals)


@dataclass(frozen=True, eq=False)
class NamedPairs:
    """A list that names images and nobody: disjoint mated pairs, several of most people, and a fifth of all others.

    Attributes
    ----------
    world
        The pairs; images of a person are mated two by two.
    """

    world: PairsWorld

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, the scores of all their images, and which of these are listed."""
        rng = np.random.default_rng([seed, number, 25])
        world = self.world
        n = sum(world.numbers)
        hard, wolf = (EFFECTS[world.kind](rng, len(world.numbers)) for _ in range(2))
        values = world.compared(hard, wolf, rng.standard_normal((n, n)))
        place = np.concatenate([np.arange(each) for each in world.numbers])
        own = np.flatnonzero((place % 2 == 0) & (np.append(place[1:], 0) > place))
        i, j = np.nonzero(np.triu(~world.mated & (rng.random((n, n)) < _LISTED)))
        first, second = np.append(own, i), np.append(own + 1, j)
        ids = np.asarray(world.samples.ids)
        frame = pl.DataFrame(
            {
                "query": ids[first],
                "target": ids[second],
                "mated": np.arange(len(first)) < len(own),
                "score": values[first, second],
            }
        )
        return DataSet(Trials(frame, "similarity"), world.threshold, world.value)


@dataclass(frozen=True, eq=False)
class FinitePopulation:
    """People drawn from a population of so many; what is to be held is the rate of all of them.

    Attributes
    ----------
    world, size
        Those who are tested, and how many there are in all.
    """

    world: OutcomesWorld
    size: int

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw those who are tested, and those who are not."""
        one = self.world.draw(seed, number)
        population = self.world.population
        others = np.random.default_rng([seed, number, 19]).random(self.size - population.subjects)
        own = population.subjects * float(one.truth) + population.own_rate(others).sum()
        return replace(one, within=self.size, truth=float(own / self.size), residuals=None)


@dataclass(frozen=True, eq=False)
class StrangersWorld:
    """Searches for enrolled people and for strangers: the best rival scores a_i + noise, the mate gap − b_i + noise, of variance 1.

    Attributes
    ----------
    mated, strangers, searches
        People of either kind, and the searches of each.
    fpir, fnir
        The false positive rate, and the true false negative rate at it, by which the gap is found.
    icc, kind
        The share of the variance that people account for, and how their effects are distributed.
    """

    mated: int
    strangers: int
    searches: int
    fpir: float
    fnir: float
    icc: float = 0.2
    kind: PairKind = "normal"

    def _scores(self, rng: np.random.Generator, people: int, each: int) -> Floats:
        own = np.repeat(EFFECTS[self.kind](rng, people), each)
        return np.asarray(
            np.sqrt(self.icc) * own + np.sqrt(1 - self.icc) * rng.standard_normal(people * each)
        )

    @cached_property
    def gap(self) -> float:
        """What makes mates score higher, so that FNIR at the FPIR has its value."""
        rng = np.random.default_rng([_TRUTH, 3])
        rival, mate = (self._scores(rng, _TRUTH_SEARCHES, 1) for _ in range(2))
        threshold = float(np.quantile(rival, 1 - self.fpir))
        # A search misses where the mate, gap − mate, lies below the threshold or the best rival.
        return float(np.quantile(np.maximum(threshold, rival) + mate, 1 - self.fnir))

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, and what their searches return."""
        rng = np.random.default_rng([seed, number, 6])
        mate = self.gap - self._scores(rng, self.mated, self.searches)
        ahead = self._scores(rng, self.mated, self.searches) > mate
        best = self._scores(rng, self.strangers, self.searches)
        people = np.repeat(np.arange(self.mated + self.strangers, dtype=np.int32), self.searches)
        n = len(mate)
        found = Searches(
            "net", True, "max", self.mated, mate, 1 + ahead.astype(np.int64), best, people[:n], people[n:], ()
        )
        return DataSet(found, None, self.fnir)


class Folds(NamedTuple):
    """What a cross-validation gave.

    Attributes
    ----------
    correct, people
        Whether each sample is classified correctly (repeats × samples), and whose it is.
    accuracies, n_train, n_test
        On every test set, and the people trained on and tested.
    """

    correct: Floats
    people: Integers
    accuracies: Floats
    n_train: int
    n_test: int


@dataclass(frozen=True, eq=False)
class SplitsWorld:
    """Subject-disjoint cross-validation of classifiers of two classes of people, such as the sexes.

    A sample is its class's centre, its person's own place and noise, all normal, so that the accuracy of every nearest-centroid model
    for new people is known: Φ of its margin. That of nearest neighbours is counted on 4,000 samples of new people.

    Attributes
    ----------
    people, images, folds, repeats
        How many, the images of each, and the splits.
    apart
        How far the centres of the classes are from each other, to each classifier; each has features of its own.
    neighbours
        Whether the last classifier goes by the nearest sample; all others go by the nearest centroid.
    about
        What is to be held: the accuracy of these fitted ``models`` for new people, or of the ``method``: its mean over very many of
        them. Of two classifiers, the difference.
    """

    people: int
    images: int
    folds: int = 5
    repeats: int = 1
    apart: tuple[float, ...] = (2.5,)
    about: Literal["models", "method"] = "models"
    neighbours: bool = False

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people and their images, train and test."""
        folds, truths = self._validated(np.random.default_rng([seed, number, 7]), self.repeats)
        return DataSet(folds, None, _first_less_second(truths) if self.about == "models" else self.truth)

    @cached_property
    def truth(self) -> float:
        """The mean accuracy for new people of models trained on very many sets of people; alike classifiers do not differ."""
        if len(set(self.apart)) < len(self.apart):
            return 0.0
        rng = np.random.default_rng([_TRUTH, 7])
        return float(np.mean([_first_less_second(self._validated(rng, 1)[1]) for _ in range(_TRUTH_SETS)]))

    def _validated(
        self, rng: np.random.Generator, repeats: int
    ) -> tuple[tuple[Folds, ...], tuple[float, ...]]:
        """A cross-validation of every classifier, and the mean accuracy of its models for new people."""
        n = self.people
        sexes = np.arange(n) % 2
        dealt = np.empty((repeats, n), dtype=np.int64)
        for fold in dealt:
            for sex in (0, 1):
                places = rng.permutation(np.flatnonzero(sexes == sex))
                fold[places] = np.arange(len(places)) % self.folds
        last = len(self.apart) - 1
        found = [
            self._classified(rng, apart, sexes, dealt, self.neighbours and place == last)
            for place, apart in enumerate(self.apart)
        ]
        return tuple(folds for folds, _ in found), tuple(truth for _, truth in found)

    def _classified(
        self, rng: np.random.Generator, apart: float, sexes: Integers, dealt: Integers, neighbours: bool
    ) -> tuple[Folds, float]:
        n, each, width = self.people, self.images, 6
        centres = np.zeros((2, width))
        centres[1, 0] = apart
        own = centres[sexes] + rng.standard_normal((n, width))
        samples = own[:, None] + 0.7 * rng.standard_normal((n, each, width))
        spread = np.sqrt(1 + 0.7**2)
        new = (
            centres[np.arange(_NEW) % 2] + spread * rng.standard_normal((_NEW, width)) if neighbours else None
        )
        sided = np.where(sexes == 1, 1.0, -1.0)
        correct, accuracies, truths = [], [], []
        for fold in dealt:
            right = np.empty((n, each))
            for k in range(self.folds):
                tested = fold == k
                trained = [samples[~tested & (sexes == sex)] for sex in (0, 1)]
                if new is not None:
                    nearer = _nearer_second(samples[tested].reshape(-1, width), trained).reshape(-1, each)
                    right[tested] = nearer == (sexes[tested] == 1)[:, None]
                    accuracies.append(right[tested].mean())
                    truths.append(np.mean(_nearer_second(new, trained) == (np.arange(_NEW) % 2 == 1)))
                    continue
                low, high = (one.mean(axis=(0, 1)) for one in trained)
                weights, middle = high - low, (high + low) / 2
                margin = ((samples[tested] - middle) @ weights) * sided[tested][:, None]
                right[tested] = margin > 0
                accuracies.append(right[tested].mean())
                reach = spread * np.linalg.norm(weights)
                truths.append(np.mean(ndtr(((centres - middle) @ weights) * [-1, 1] / reach)))
            correct.append(right.ravel())
        made = Folds(
            np.array(correct),
            np.repeat(np.arange(n), each),
            np.array(accuracies),
            n - n // self.folds,
            n // self.folds,
        )
        return made, float(np.mean(truths))


def _nearer_second(samples: Floats, trained: list[Floats]) -> npt.NDArray[np.bool_]:
    """Whether the nearest of the samples that were trained on is of the second class."""
    known = [one.reshape(-1, samples.shape[1]) for one in trained]
    first, second = (((one**2).sum(axis=1) - 2 * samples @ one.T).min(axis=1) for one in known)
    return np.asarray(second < first)


def _first_less_second(values: tuple[float, ...]) -> float:
    return values[0] if len(values) == 1 else values[0] - values[1]
