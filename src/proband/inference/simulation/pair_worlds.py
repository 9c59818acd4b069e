"""Scores of pairs whose truth is known: of people whose own rates are known, with one algorithm and with two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from proband.errors import UsageError
from proband.inference.simulation.populations import Floats, Integers
from proband.inference.simulation.worlds import TRUTH, DataSet
from proband.measures import Measure
from proband.measures.pair_measures import AUC, EER, FNMR
from proband.samples import Samples
from proband.scores import Scores

PairKind = Literal["normal", "skewed", "classes"]
"""How people can differ in the scores of their pairs."""
_TRUTH_PAIRS = 1_000_000
_GRID = 4_001  # scores at which influences are known
_ALIKE = 0.8  # the share of people who are to one of two algorithms what they are to the other
_NOISE = 0.5  # the correlation of what is left of their scores
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
                f"Scores of pairs are not simulated for the kind {self.kind!r}.",
                f"use one of {', '.join(EFFECTS)}.",
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
        rng = np.random.default_rng([TRUTH, 1])
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
            "use AUC, EER or FNMR at a false match rate.",
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
