"""Assign whole subjects to folds and parts so that these get their share of the samples and of each class.

All deciding sums are over integers, or computed one entry at a time: a seed gives the same assignment on every
machine, regardless of its linear algebra library.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from proband.errors import DesignError
from proband.protocols.splits.material import Mask, Material
from proband.samples.ids import Positions
from proband.words import count

Counts = npt.NDArray[np.int64]

_SIZES_PER_CLASS = 4
"""The weight of a class relative to the size of a fold; larger weights did not help in trials."""
_FINE = 2**16
"""The largest integer weight."""
_FEW = 200
"""Up to this number of subjects, exchanges of two are tried as well; with more subjects, moving one is enough."""
_MOST_CLASSES = 15
"""The number of classes (the largest) kept in proportion when parts are assigned."""
_NOTHING = 1e-9


def deal_to_folds(of: Material, folds: int, stratify: bool, rng: np.random.Generator) -> Positions:
    """Assign every subject to one of several equal folds.

    Subjects are processed in random order, large subjects first, and each goes to the fold where the sum
    over folds and classes of (count − quota)² / quota grows least; then single moves (and exchanges, if there
    are few subjects) are made as long as they lower that sum. The start is random and the end is a local
    minimum, so repeats differ unless there is only one good assignment.

    Returns
    -------
    positions
        The fold of each subject, from 0; none is empty.
    """
    n_people = len(of.people)
    if n_people < folds:
        raise DesignError(
            f"{count(n_people)} subjects cannot be divided into {count(folds)} folds without splitting a subject.",
            f"use at most {count(n_people)} folds." if n_people > 1 else None,
        )
    deal = _Deal(of.table(stratify), folds)
    deal.fill(np.argsort(-deal.counts[:, 0] * rng.random(n_people), kind="stable"))
    deal.improve()
    return deal.fold


class _Deal:
    """Subjects among folds, and how far each fold is from its quota of size (first column) and of every class."""

    def __init__(self, counts: Counts, folds: int) -> None:
        self.counts = counts
        self.folds = folds
        totals = counts.sum(axis=0)
        relative = totals.min() / totals
        relative[0] /= 1 if len(totals) == 1 else _SIZES_PER_CLASS
        largest = max(1, min(_FINE, 2**60 // int(folds * totals[0] * totals.min() * len(totals))))
        self.weighted = counts * np.maximum(1, np.rint(largest * relative)).astype(np.int64)
        self.squares = folds * (counts * self.weighted).sum(axis=1)
        self.excess = np.tile(-totals, (folds, 1))  # times the number of folds, to be whole
        self.fold = np.zeros(len(counts), np.intp)
        self._everybody = np.arange(len(counts))

    def fill(self, order: Positions) -> None:
        """Place one subject after the other where the sum grows least: an empty fold always comes first."""
        for subject in order:
            place = int((self.excess @ self.weighted[subject]).argmin())
            self.fold[subject] = place
            self.excess[place] += self.folds * self.counts[subject]

    def improve(self) -> None:
        """Move, or exchange, for as long as the sum falls."""
        few = len(self.fold) <= _FEW
        for _ in range(2 * len(self.fold)):
            growth = self._growth_of_moves()
            subject, place = divmod(int(growth.argmin()), self.folds)
            if growth[subject, place] < 0:
                self._move(subject, place)
                continue
            pair = self._best_exchange() if few else None
            if pair is None:
                return
            one, other = pair
            here, there = int(self.fold[one]), int(self.fold[other])
            self._move(one, there)
            self._move(other, here)

    def _move(self, subject: int, place: int) -> None:
        self.excess[self.fold[subject]] -= self.folds * self.counts[subject]
        self.excess[place] += self.folds * self.counts[subject]
        self.fold[subject] = place

    def _growth_of_moves(self) -> Counts:
        """What every move would add to half the sum; nobody leaves a fold empty."""
        cross = self.weighted @ self.excess.T
        own = cross[self._everybody, self.fold]
        growth = cross - own[:, None] + self.squares[:, None]
        alone = np.bincount(self.fold, minlength=self.folds)[self.fold] == 1
        growth[alone] = 0
        growth[self._everybody, self.fold] = 0
        return np.asarray(growth)

    def _best_exchange(self) -> tuple[int, int] | None:
        """The two subjects of different folds whose exchange lowers the sum most, if any does."""
        cross = self.weighted @ self.excess.T
        gap = cross[:, self.fold] - cross[self._everybody, self.fold]
        squares = self.squares[:, None] + self.squares - 2 * self.folds * (self.counts @ self.weighted.T)
        growth = gap + gap.T + squares
        growth[self.fold[:, None] == self.fold] = 0
        one, other = divmod(int(growth.argmin()), len(self.fold))
        return (one, other) if growth[one, other] < 0 else None


def deal_to_parts(
    of: Material, shares: Sequence[float], stratify: bool, rng: np.random.Generator
) -> Positions:
    """Assign every subject to training, validation or testing.

    Every subject, large or small, is assigned to a part with the probability of its share, and the parts
    have their shares of samples and classes except for what the last few, smallest subjects cannot balance.
    (Filling parts greedily would send large subjects to the largest part.)

    Returns
    -------
    positions
        The part of each subject, in the order of `shares`; none is empty.
    """
    n_people = len(of.people)
    if n_people < len(shares):
        raise DesignError(
            f"{n_people} subjects cannot be divided into {len(shares)} parts without splitting a subject."
        )
    counts = of.table(stratify)
    # The size and all classes but one say what the last would; large classes are given up last.
    classes = 1 + np.argsort(-counts[:, 1:].sum(axis=0), kind="stable")
    kept = [0, *classes[: min(len(classes) - 1, _MOST_CLASSES)]] if len(classes) else [0]
    part = np.zeros(n_people, np.intp)
    left = np.arange(n_people)
    for place in range(len(shares) - 1, 0, -1):
        probability = shares[place] / sum(shares[: place + 1])
        chosen = balanced_sample(counts[left][:, kept], probability, rng)
        if not chosen.any():
            chosen[int(rng.random() * len(left))] = True
        while chosen.sum() > len(left) - place:  # somebody must remain for each of the others
            taken = np.flatnonzero(chosen)
            chosen[taken[int(rng.random() * len(taken))]] = False
        part[left[chosen]] = place
        left = left[~chosen]
    return part


def balanced_sample(counts: Counts, probability: float, rng: np.random.Generator) -> Mask:
    """Sample units with equal probabilities, so that the sums of their counts are as expected: the cube method.

    A few units at a time, the probabilities follow a random walk along directions that change no column sum,
    until one of them is 0 or 1 (Deville and Tillé, Biometrika 91, 2004, 893–912). The walk is a
    martingale, so each unit keeps its probability. If too few units are left for all columns, the last
    columns are dropped first.

    Parameters
    ----------
    counts
        One row per unit, and one column per sum to balance, the most important first.
    probability
        The probability that a unit is in the sample.
    """
    waiting = np.lexsort(
        (rng.random(len(counts)), -counts[:, 0])
    )  # the large first: the last cannot be balanced
    columns = counts[waiting].T.astype(np.float64)
    chosen = np.zeros(len(counts), np.bool_)
    moving, coming = np.arange(0), 0
    state = np.zeros(0)
    while coming < len(waiting) or len(moving):
        # One unit more than columns can always move; at the end fewer units move for fewer columns.
        arriving = np.arange(coming, min(coming + 1 + len(columns) - len(moving), len(waiting)))
        coming += len(arriving)
        moving = np.concatenate([moving, arriving])
        state = np.concatenate([state, np.full(len(arriving), float(probability))])
        state = _walked(state, _kernel(columns[: len(moving) - 1, moving]), rng.random())
        settled = (state < _NOTHING) | (state > 1.0 - _NOTHING)
        chosen[waiting[moving[settled]]] = state[settled] > 0.5
        moving, state = moving[~settled], state[~settled]
    return chosen


def _walked(
    state: npt.NDArray[np.float64], direction: npt.NDArray[np.float64], chance: float
) -> npt.NDArray[np.float64]:
    """Go forward or back until a probability is 0 or 1, as far on average in both directions."""
    (ahead, first), (behind, last) = _reach(state, direction), _reach(state, -direction)
    forward = chance * (ahead + behind) < behind
    moved = state + (ahead if forward else -behind) * direction
    stopped = first if forward else last
    moved[stopped] = np.rint(moved[stopped])
    return np.asarray(moved)


def _reach(state: npt.NDArray[np.float64], direction: npt.NDArray[np.float64]) -> tuple[float, int]:
    """How far one can go before a probability is 0 or 1, and whose."""
    room = np.full(len(state), np.inf)
    up, down = direction > _NOTHING, direction < -_NOTHING
    room[up] = (1.0 - state[up]) / direction[up]
    room[down] = state[down] / -direction[down]
    return float(room.min()), int(room.argmin())


def _kernel(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A vector that every row annuls, of one column more than there are rows, by Gauss and Jordan."""
    pivots: list[tuple[int, int]] = []
    free = np.ones(rows.shape[1], np.bool_)
    smallest = _NOTHING * max(1.0, float(np.abs(rows).max(initial=0.0)))
    for k in range(len(rows)):
        column = int(np.where(free, np.abs(rows[k]), -1.0).argmax())
        if abs(rows[k, column]) <= smallest:
            continue  # it says nothing that the rows before did not say
        rows[k] /= rows[k, column]
        others = rows[:, column].copy()
        others[k] = 0.0
        rows -= others[:, None] * rows[k]
        free[column] = False
        pivots.append((k, column))
    open_column = int(free.argmax())
    vector = np.zeros(rows.shape[1])
    vector[open_column] = 1.0
    for k, column in pivots:
        vector[column] = -rows[k, open_column]
    return vector
