"""Tables whose truth is known: samples of classes, trials with covariates, rows of a survey, accuracies in data sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.special import expit, ndtri

from proband.inference.simulation.compared_worlds import SeveralAlgorithms
from proband.inference.simulation.populations import Floats, Integers, SimulatedPeople
from proband.inference.simulation.worlds import DataSet

_TRUTH = 10_001  # what tells the stream of random numbers of a truth from those of data sets
_TRUTH_ROWS = 400_000


@dataclass(frozen=True, eq=False)
class ClassesWorld:
    """Samples of fixed classes, and models with a recall in each: what is hard for one is hard for another, and groups differ.

    Attributes
    ----------
    sizes
        Samples of each class.
    recalls
        Of every model in every class.
    groups
        How many groups samples belong to, at random; None for none.
    average
        Whether samples or classes weigh the same in what is to be held: the accuracy of one model, or differences of several.
    spread
        How much groups differ.
    of_class
        Whether the recall of the first class is to be held instead.
    """

    sizes: tuple[int, ...]
    recalls: tuple[tuple[float, ...], ...]
    groups: int | None = None
    average: Literal["micro", "macro"] = "micro"
    spread: float = 0.6
    of_class: bool = False

    @property
    def accuracy(self) -> float:
        """Of the first model."""
        return float(np.average(self.recalls[0], weights=self._weights))

    @property
    def _weights(self) -> tuple[int, ...] | None:
        return self.sizes if self.average == "micro" else None

    @cached_property
    def truth(self) -> float:
        """The accuracy or the recall, or the difference of the first two."""
        if self.of_class:
            return self.recalls[0][0]
        if len(self.recalls) == 1:
            return self.accuracy
        apart = float(np.average(np.array(self.recalls[0]) - self.recalls[1], weights=self._weights))
        return 0.0 if abs(apart) < 1e-12 else apart

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw samples, and what models make of them."""
        rng = np.random.default_rng([seed, number, 13])
        classes = np.repeat(np.arange(len(self.sizes)), self.sizes)
        n = len(classes)
        units = np.arange(n) if self.groups is None else rng.integers(0, self.groups, n)
        spread = 0.0 if self.groups is None else self.spread
        common = rng.standard_normal(n)
        predicted = {}
        for name, recall in zip("abcdefghij", self.recalls, strict=False):
            own = spread * rng.standard_normal(units.max() + 1)[units]
            noise = np.sqrt(0.5) * (common + rng.standard_normal(n)) + own
            right = noise / np.sqrt(1 + spread**2) < ndtri(np.array(recall))[classes]
            predicted[name] = np.where(right, classes, (classes + 1) % len(self.sizes))
        return DataSet((classes, predicted, None if self.groups is None else units), self.average, self.truth)


@dataclass(frozen=True, eq=False)
class ItemsWorld:
    """Items in clusters of unequal size, and systems that solve them, the second worse by the margin.

    Attributes
    ----------
    population, margins
        Clusters with their numbers of items, and by how much each system is worse than the first.
    """

    population: SimulatedPeople
    margins: tuple[float, ...]

    @cached_property
    def compared(self) -> SeveralAlgorithms:
        """What makes successes."""
        return SeveralAlgorithms(self.population, self.margins)

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw clusters, and what becomes of their items."""
        one = self.compared.draw(seed, number)
        table = {each.algorithm: (each.closer == 0).astype(np.int64) for each in one.data}
        table["cluster"] = one.data[0].subjects
        truth = one.truth if len(self.margins) > 2 else float(np.ravel(one.truth)[0])
        return DataSet(table, None, truth)


@dataclass(frozen=True, eq=False)
class CovariatesWorld:
    """People with 1 to 12 trials, skewed, those with many being harder; a covariate of the person or of the trial, and a number.

    Attributes
    ----------
    people
        How many.
    between
        Whether the covariate belongs to the person, to a quarter of them, or to the trial.
    effect
        What it adds to the log odds; to be held is the difference of standardised rates.
    """

    people: int
    between: bool
    effect: float = 0.0

    def _drawn(self, rng: np.random.Generator, people: int) -> tuple[Integers, Floats, Floats, Floats]:
        sizes = np.minimum(1 + rng.geometric(0.35, people), 12)
        person = np.repeat(np.arange(people), sizes)
        own = rng.gamma(2.0, 0.7, people) - 1.4 - 0.1 * (sizes - 3.86)
        chosen = np.zeros(people)
        chosen[rng.permutation(people)[: max(people // 4, 4)]] = 1
        worn = chosen[person] if self.between else (rng.random(len(person)) < 0.4).astype(float)
        number = rng.standard_normal(len(person)) + 0.5 * own[person]
        return person, worn, number, 1.2 + 0.5 * number + own[person]

    @cached_property
    def truth(self) -> float:
        """The mean over very many trials of what the covariate adds to the chance of success."""
        if not self.effect:
            return 0.0
        *_, odds = self._drawn(np.random.default_rng([_TRUTH, 8]), _TRUTH_ROWS // 4)
        return float((expit(odds + self.effect) - expit(odds)).mean())

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people, their trials and what becomes of them."""
        rng = np.random.default_rng([seed, number, 14])
        person, worn, amount, odds = self._drawn(rng, self.people)
        success = rng.random(len(person)) < expit(odds + self.effect * worn)
        table = {
            "person": person,
            "worn": np.where(worn > 0, "yes", "no"),
            "number": amount,
            "success": success.astype(np.int64),
        }
        return DataSet(table, None, self.truth)


@dataclass(frozen=True, eq=False)
class SurveyWorld:
    """Rows of people drawn within sites that stand for unequal parts of the population.

    Attributes
    ----------
    people, rows
        Drawn at every site, and the rows of each, dealt out in turn.
    rates
        Of success at every site.
    shares
        What part of the population each site has.
    icc
        How much people of a site differ.
    of
        What is to be held: the mean of the column ``hit`` (0 or 1), of ``size`` (positive and skewed), its ``median``, or the difference of
        the first two sites' means of ``hit``.
    """

    people: tuple[int, ...]
    rows: tuple[int, ...]
    rates: tuple[float, ...]
    shares: tuple[float, ...]
    icc: float = 0.2
    of: Literal["hit", "size", "median", "difference"] = "hit"

    @cached_property
    def sites(self) -> tuple[SimulatedPeople, ...]:
        """The people of every site."""
        return tuple(
            SimulatedPeople.of(n, self.rows, rate=rate, icc=self.icc)
            for n, rate in zip(self.people, self.rates, strict=True)
        )

    @cached_property
    def truth(self) -> float:
        """Of the population."""
        if self.of == "difference":
            return self.rates[0] - self.rates[1]
        if self.of == "median":
            rng = np.random.default_rng([_TRUTH, 10])
            parts = [
                site.own_rate(rng.random(n)) + rng.exponential(size=n)
                for site, n in zip(
                    self.sites, (int(_TRUTH_ROWS * share) for share in self.shares), strict=True
                )
            ]
            return float(np.median(np.concatenate(parts)))
        return float(np.dot(self.shares, self.rates)) + (self.of == "size")

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw people at every site, and their rows."""
        rng = np.random.default_rng([seed, number, 15])
        parts = []
        for place, (site, share) in enumerate(zip(self.sites, self.shares, strict=True)):
            easiness, numbers = site.draw(rng)
            own = np.repeat(site.own_rate(easiness), numbers)
            person = 1_000 * place + np.repeat(np.arange(len(numbers)), numbers)
            n = len(own)
            hit = rng.random(n) < own
            parts.append(
                (hit, own + rng.exponential(size=n), person, np.full(n, place), np.full(n, share / n))
            )
        hit, size, person, site_of, weight = (np.concatenate(each) for each in zip(*parts, strict=True))
        table = {
            "hit": hit.astype(np.int64),
            "size": size,
            "person": person,
            "site": site_of,
            "weight": weight,
        }
        return DataSet(table, None, self.truth)


@dataclass(frozen=True, eq=False)
class DatasetsWorld:
    """Accuracies of algorithms in several data sets: data sets are hard or easy for all, and suit one algorithm or another.

    Attributes
    ----------
    datasets
        How many.
    margins
        By how much each algorithm is worse than the first, on average over data sets.
    spread, error
        The standard deviation of what a data set adds to one algorithm, and that of measurement.
    """

    datasets: int
    margins: tuple[float, ...]
    spread: float = 0.02
    error: float = 0.01

    def draw(self, seed: int, number: int) -> DataSet:
        """Draw data sets, and the accuracies in them."""
        rng = np.random.default_rng([seed, number, 16])
        hard = 0.8 + 0.08 * rng.standard_normal(self.datasets)
        sized = np.hypot(self.spread, self.error)
        table: dict[str, object] = {"dataset": [f"d{k}" for k in range(self.datasets)]}
        for name, margin in zip("abcdefghij", self.margins, strict=False):
            table[name] = np.clip(hard - margin + sized * rng.standard_normal(self.datasets), 0, 1)
        apart = [b - a for i, a in enumerate(self.margins) for b in self.margins[i + 1 :]]
        return DataSet(table, self.error * np.sqrt(2), np.array(apart) if len(apart) > 1 else apart[0])
