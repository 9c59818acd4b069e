"""Small data that peers and Proband are given alike: whole numbers and dyadic fractions, the same on every machine and in every precision.

Peers import it in environments of their own, so it needs NumPy alone.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

FMRS = (0.1, 0.05, 0.01, 0.001)
PRIORS = (0.5, 0.1, 0.01)
GUESSES = (1, 2, 3, 5)
RANKS = (1, 2, 5, 10)
N_CLASSES = 8


@dataclass(frozen=True)
class Pairs:
    """Scores of comparisons, larger is closer, between 0 and 1, where some peers need them."""

    genuine: Array
    impostors: Array

    @property
    def scores(self) -> Array:
        return np.concatenate([self.genuine, self.impostors])

    @property
    def mated(self) -> Integers:
        return (np.arange(len(self.scores)) < len(self.genuine)).astype(np.int64)

    @property
    def thresholds(self) -> Array:
        """Some scores, and values between scores and beyond them."""
        scores = np.unique(self.scores)
        return np.concatenate([scores[:: 1 + len(scores) // 40], [0.0, 0.2501, 0.5, 0.6401, 0.9999]])

    @property
    def log_ratios(self) -> tuple[Array, Array]:
        """The same scores as if they were log-likelihood ratios."""
        return (self.genuine - 0.5) * 16, (self.impostors - 0.5) * 16


def _distinct() -> Pairs:
    """No two scores are equal, and an FMR of 0.001 is that of one comparison."""
    rng = np.random.default_rng(4001)
    impostors = 2 * rng.choice(2_500, 1_000, replace=False)
    genuine = 2 * rng.choice(2_000, 80, replace=False) + 3_001
    return Pairs(genuine / 8_192, impostors / 8_192)


def _tied() -> Pairs:
    """Seventeen levels, which genuine and impostor scores share; both have the highest and the lowest."""
    rng = np.random.default_rng(4002)
    genuine = np.minimum(16, rng.integers(4, 13, 150) + rng.integers(0, 6, 150))
    impostors = rng.integers(0, 7, 600) + rng.integers(0, 6, 600)
    genuine[:2], impostors[:2] = (0, 16), (16, 0)
    return Pairs(genuine / 16, impostors / 16)


def _few() -> Pairs:
    """Seven impostor scores, two of them equal, among sixty genuine ones: FMR changes in large steps."""
    rng = np.random.default_rng(4003)
    impostors = np.array([3, 9, 17, 25, 25, 33, 47])
    return Pairs((2 * rng.integers(10, 32, 60)) / 64, impostors / 64)


def _few_genuine() -> Pairs:
    """Five genuine scores, two of them equal, and ninety impostors, of which a third have one score: there FMR passes FNMR."""
    rng = np.random.default_rng(4004)
    impostors = np.concatenate([np.full(30, 36), 2 * rng.integers(1, 23, 60)])
    return Pairs(np.array([25, 39, 39, 51, 61]) / 64, impostors / 64)


PAIRS = {
    "distinct": _distinct(),
    "tied": _tied(),
    "few-impostors": _few(),
    "few-genuine": _few_genuine(),
}


@dataclass(frozen=True)
class Labelled:
    """Scores of classes; no sample is of the last class, which is said of some, and one is of the last but one."""

    truth: Integers
    logits: Array

    @property
    def said(self) -> Integers:
        """The class with the highest score, the first of several."""
        return self.logits.argmax(axis=1).astype(np.int64)

    @property
    def in_turn(self) -> Array:
        """The logits with ties broken: of equal scores that of the later class is higher."""
        return self.logits + np.arange(N_CLASSES) / 1_024


def _truth(rng: np.random.Generator, n: int) -> Integers:
    truth = np.minimum(rng.integers(0, 9, n), rng.integers(0, 6, n)).astype(np.int64)
    truth[-1] = N_CLASSES - 2
    return truth


def _logits(tied: bool) -> Labelled:
    rng = np.random.default_rng(4005 + tied)
    n = 240
    truth = _truth(rng, n)
    own = np.eye(N_CLASSES, dtype=np.int64)[truth]
    if tied:
        return Labelled(truth, (rng.integers(0, 8, (n, N_CLASSES)) + 3 * own) / 8)
    # Even numbers, each once in a row, and an odd one for the true class.
    others = 2 * rng.permuted(np.tile(np.arange(32), (n, 1)), axis=1)[:, :N_CLASSES]
    return Labelled(truth, (others + 25 * own) / 8)


LABELLED = {"distinct": _logits(tied=False), "tied": _logits(tied=True)}


@dataclass(frozen=True)
class Searched:
    """Probes × gallery, with many ties; the probes after the first `n_mated` are of people who are not enrolled.

    Attributes
    ----------
    scores, probes, gallery
        Similarities, and whose the rows and the columns are.
    """

    scores: Array
    probes: Integers
    gallery: Integers
    n_mated: int

    @property
    def first_images(self) -> Searched:
        """The same with one image of every enrolled person."""
        _, first = np.unique(self.gallery, return_index=True)
        return Searched(self.scores[:, first], self.probes, self.gallery[first], self.n_mated)

    @property
    def probes_with_mates(self) -> Searched:
        """The same without people who are not enrolled."""
        n = self.n_mated
        return Searched(self.scores[:n], self.probes[:n], self.gallery, n)

    def splits(self) -> list[tuple[Array, Array]]:
        """For each probe the scores of others, and its mates' (none of a stranger)."""
        own = self.probes[:, None] == self.gallery
        return [(row[~mine], row[mine]) for row, mine in zip(self.scores, own, strict=True)]


def _searched() -> Searched:
    rng = np.random.default_rng(4007)
    gallery = np.concatenate([np.arange(24), np.arange(0, 24, 2)])
    probes = np.concatenate([np.arange(24), np.arange(0, 24, 3), np.arange(24, 36)])
    own = probes[:, None] == gallery
    levels = rng.integers(0, 11, own.shape) + rng.integers(0, 6, own.shape) + 6 * own
    return Searched(np.minimum(levels, 20) / 32, probes, gallery, 32)


SEARCHED = _searched()
SEARCH_THRESHOLDS = (0.25, 0.375, 0.40625, 0.45, 0.5)


def digest() -> str:
    """What shows that two environments have the same data."""
    arrays = [array for one in PAIRS.values() for array in (one.genuine, one.impostors)]
    arrays += [array for one in LABELLED.values() for array in (one.truth, one.logits)]
    arrays += [SEARCHED.scores, SEARCHED.probes, SEARCHED.gallery]
    found = hashlib.sha256()
    for array in arrays:
        found.update(repr(array.shape).encode() + np.ascontiguousarray(array, dtype="<f8").tobytes())
    return found.hexdigest()
