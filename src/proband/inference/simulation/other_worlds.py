"""Searches for strangers and splits of a cross-validation, whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtr

from proband.inference.simulation.populations import Floats, Integers
from proband.inference.simulation.worlds import EFFECTS, DataSet, OutcomesWorld, PairKind
from proband.measures.open_set import Searches

_TRUTH = 10_001  # what tells the stream of random numbers of a truth from those of data sets
_TRUTH_SEARCHES = 1_000_000
_TRUTH_SETS = 2_000


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

    Examples
    --------
    >>> one = StrangersWorld(30, 40, 3, 0.1, 0.2).draw(0, 0)
    >>> len(one.data.mate), len(one.data.best), one.truth
    (90, 120, 0.2)
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
    """Subject-disjoint cross-validation of a nearest-centroid classifier of two classes of people, such as the sexes.

    A sample is its class's centre, its person's own place and noise, all normal, so that the accuracy of every fitted model for new
    people is known: Φ of its margin.

    Attributes
    ----------
    people, images, folds, repeats
        How many, the images of each, and the splits.
    apart
        How far the centres of the classes are from each other.
    about
        What is to be held: the accuracy of these fitted ``models`` for new people, or of the ``method``: its mean over very many of
        them.

    Examples
    --------
    >>> one = SplitsWorld(40, 3).draw(0, 0)
    >>> one.data.correct.size, len(one.data.accuracies), 0.5 < one.truth < 1
    (120, 5, True)
    """

    people: int
    images: int
    folds: int = 5
    repeats: int = 1
    apart: float = 2.5
    about: Literal["models", "method"] = "models"

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people and their images, train and test."""
        folds, truth = self._validated(np.random.default_rng([seed, number, 7]), self.repeats)
        return DataSet(folds, None, truth if self.about == "models" else self.truth)

    @cached_property
    def truth(self) -> float:
        """The mean accuracy for new people of models trained on very many sets of people."""
        rng = np.random.default_rng([_TRUTH, 7])
        return float(np.mean([self._validated(rng, 1)[1] for _ in range(_TRUTH_SETS)]))

    def _validated(self, rng: np.random.Generator, repeats: int) -> tuple[Folds, float]:
        """A cross-validation, and the mean accuracy of its models for new people."""
        n, each, width = self.people, self.images, 6
        sexes = np.arange(n) % 2
        centres = np.zeros((2, width))
        centres[1, 0] = self.apart
        own = centres[sexes] + rng.standard_normal((n, width))
        samples = own[:, None] + 0.7 * rng.standard_normal((n, each, width))
        spread = np.sqrt(1 + 0.7**2)
        correct, accuracies, truths = [], [], []
        for _ in range(repeats):
            fold = np.empty(n, dtype=np.int64)
            for sex in (0, 1):
                places = rng.permutation(np.flatnonzero(sexes == sex))
                fold[places] = np.arange(len(places)) % self.folds
            right = np.empty((n, each))
            for k in range(self.folds):
                tested = fold == k
                low, high = (samples[~tested & (sexes == sex)].mean(axis=(0, 1)) for sex in (0, 1))
                weights, middle = high - low, (high + low) / 2
                sided = np.where(sexes == 1, 1.0, -1.0)
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
