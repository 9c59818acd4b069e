"""Many trials, block by block, and the distributions they add up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from proband.designs.image_choice import TRIALS_A_BLOCK, ImageChoice, draw_choices
from proband.engine import Progress, run_blocks, uninterrupted
from proband.inference.image_choice.rivals import PoolLayout
from proband.inference.image_choice.trials import LOW_RANKS, Packed, PackedAlgorithm, TrialCounts
from proband.samples.pool import Options

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.integer[Any]]
_AT_ONCE = 512  # trials counted together where each takes a number for every person


class Fractions(NamedTuple):
    """Trials in which successes are fractions: those at low ranks, and the moments of all.

    Attributes
    ----------
    low
        Algorithms × low ranks × trials.
    sums, difference_sums
        Sums and sums of squares at each rank, of algorithms and of pairs.
    """

    low: Floats
    sums: Floats
    difference_sums: Floats


class BlockCounts(NamedTuple):
    """What became of a block of trials.

    Attributes
    ----------
    people
        Algorithms × ranks × trials: people at each rank; where there are fractions, successes at that rank or better, rounded.
    by_person
        Algorithms × people × low ranks: the sum of a person's successes at that rank or better.
    """

    people: Integers
    by_person: npt.NDArray[Any]
    fractions: Fractions | None


@dataclass(frozen=True, eq=False)
class TrialTask:
    """All algorithms in the same choices of images, a block of trials at a time.

    Attributes
    ----------
    algorithms, layout
        The algorithms made ready, and where images stand in their tables.
    design, n_ranks, seed
        How images are chosen, the ranks that are counted, and the seed.
    pairs
        Algorithms whose differences are counted.
    compiled
        Whether compiled kernels draw and add up.
    """

    algorithms: tuple[PackedAlgorithm, ...]
    layout: PoolLayout | None
    design: ImageChoice
    n_ranks: int
    seed: int
    pairs: tuple[tuple[int, int], ...]
    compiled: bool

    @property
    def options(self) -> Options:
        """Everyone's choices."""
        return self.algorithms[0].options

    @property
    def n_low(self) -> int:
        """How many ranks are low and counted."""
        return min(self.n_ranks, LOW_RANKS)

    @property
    def fractional(self) -> bool:
        """Whether a success may be a fraction."""
        return any(one.fractional for one in self.algorithms)

    def __call__(self, block: int) -> BlockCounts:
        size = min(TRIALS_A_BLOCK, self.design.n_resamples - block * TRIALS_A_BLOCK)
        drawn = draw_choices(self.options, self.design.balanced, self.seed, block, self.compiled)[:size]
        step = size if all(one.slices for one in self.algorithms) else _AT_ONCE
        parts = [self._counted(drawn[start : start + step]) for start in range(0, size, step)]
        fractions = [part.fractions for part in parts if part.fractions is not None]
        return BlockCounts(
            np.concatenate([part.people for part in parts], axis=2),
            sum(part.by_person for part in parts),  # type: ignore[arg-type]
            Fractions(
                np.concatenate([part.low for part in fractions], axis=2),
                np.asarray(sum(part.sums for part in fractions)),
                np.asarray(sum(part.difference_sums for part in fractions)),
            )
            if fractions
            else None,
        )

    def _counted(self, choices: npt.NDArray[np.uint16]) -> BlockCounts:
        packed = None
        if self.layout is not None and any(one.slices for one in self.algorithms):
            packed = Packed.of(choices, self.options, self.layout)
        counted = [one.count(choices, packed) for one in self.algorithms]
        if self.fractional:
            return self._fractions(counted)
        people = np.stack([one.people for one in counted])
        by_person = np.cumsum(np.stack([one.by_person for one in counted]), axis=2)[
            :, : self.options.n_searched
        ]
        return BlockCounts(people.astype(np.min_scalar_type(self.options.n_subjects)), by_person, None)

    def _fractions(self, counted: list[TrialCounts]) -> BlockCounts:
        """Trials with fractions of a success are counted at the nearest whole number, and keep exact moments."""
        both = list(zip(counted, self.algorithms, strict=True))
        successes = np.stack(
            [one.people if made.fractional else np.cumsum(one.people, axis=0) for one, made in both]
        ).astype(np.float64)
        own = [one.by_person if made.fractional else np.cumsum(one.by_person, axis=1) for one, made in both]
        low = successes[:, : self.n_low]
        sums = np.stack([successes.sum(axis=2), (successes**2).sum(axis=2)])
        of_pairs = np.zeros((2, len(self.pairs), self.n_low))
        for place, (a, b) in enumerate(self.pairs):
            apart = (low[a] - low[b]).T
            of_pairs[:, place] = np.stack([apart.sum(axis=0), (apart**2).sum(axis=0)])
        # Sums of fractions are rounded to a grid on which adding is exact, so that no order of adding shows.
        by_person = np.rint(np.stack(own)[:, : self.options.n_searched] * 2.0**20) / 2.0**20
        return BlockCounts(np.rint(successes).astype(np.int32), by_person, Fractions(low, sums, of_pairs))


class TrialRun:
    """Distributions that fill up block by block."""

    def __init__(self, task: TrialTask, keep: bool) -> None:
        self.task, self.n, self.done = task, task.options.n_searched, 0
        n_algorithms, n_pairs, n_low = len(task.algorithms), len(task.pairs), task.n_low
        self.rates = np.zeros((n_algorithms, task.n_ranks, self.n + 1), dtype=np.int64)
        self.differences = np.zeros((n_pairs, n_low, 2 * self.n + 1), dtype=np.int64)
        self.by_person = np.zeros((n_algorithms, self.n, LOW_RANKS))
        # Fractions need their own moments, and ties of fractions their own count of trials not won.
        self.sums = np.zeros((2, n_algorithms, task.n_ranks))
        self.difference_sums = np.zeros((2, n_pairs, n_low))
        self.even = np.zeros((2, n_pairs, n_low), dtype=np.int64)
        self.kept = np.zeros((n_algorithms, task.design.n_resamples, n_low)) if keep else None

    def go(self, threads: int | None, progress: Progress, keep_on_interrupt: bool) -> None:
        """Run the trials; those that were done when the run is stopped may be kept."""
        n_blocks = -(-self.task.design.n_resamples // TRIALS_A_BLOCK)
        progress.begin("trials", self.task.design.n_resamples)
        try:
            for found in run_blocks(self.task, range(n_blocks), threads):
                uninterrupted(self._add, found)
                progress.advance(found.people.shape[2])
        except KeyboardInterrupt:
            if not keep_on_interrupt:
                raise

    def _add(self, found: BlockCounts) -> None:
        people = found.people.astype(np.int32)
        if found.fractions is None:
            self._add_whole(people)
            low: npt.NDArray[Any] = people[:, : self.task.n_low]
        else:
            self._add_fractions(people, found.fractions)
            low = found.fractions.low
        self.by_person += found.by_person
        size = people.shape[2]
        if self.kept is not None:
            self.kept[:, self.done : self.done + size] = low.swapaxes(1, 2) / self.n
        self.done += size

    def _add_whole(self, people: npt.NDArray[np.int32]) -> None:
        """Add trials to the distributions; `people` turns into successes at each rank or better."""
        pairs = self.task.pairs
        if self.task.compiled:
            from proband.kernels.choices import accumulate

            firsts, seconds = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
            accumulate(people, self.rates, self.differences, firsts, seconds)
            return
        people[:] = np.cumsum(people, axis=1)
        self._add_rates(people)
        for place, (a, b) in enumerate(pairs):
            self._add_differences(place, people[a, : self.task.n_low] - people[b, : self.task.n_low])

    def _add_fractions(self, people: npt.NDArray[np.int32], fractions: Fractions) -> None:
        self._add_rates(people)
        for place, (a, b) in enumerate(self.task.pairs):
            apart = fractions.low[a] - fractions.low[b]
            self.even[:, place] += np.stack([(apart <= 1e-9).sum(axis=1), (apart >= -1e-9).sum(axis=1)])
            self._add_differences(place, np.rint(apart).astype(np.int64))
        self.sums += fractions.sums
        self.difference_sums += fractions.difference_sums

    def _add_rates(self, people: npt.NDArray[np.int32]) -> None:
        for a, k in np.ndindex(people.shape[:2]):
            self.rates[a, k] += np.bincount(people[a, k], minlength=self.n + 1)

    def _add_differences(self, place: int, apart: Integers) -> None:
        for k, found in enumerate(apart):
            self.differences[place, k] += np.bincount(self.n + found, minlength=2 * self.n + 1)
