"""Running trials: for each block of choices, how many people have each rank under each algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from proband.designs.image_choice import Choices
from proband.errors import DesignError
from proband.inference.image_choice.rivals import Closeness, Marks, PoolLayout, Slices
from proband.measures.outcomes import TiePolicy
from proband.samples.pool import Options

Kernel = Literal["auto", "bit-sliced", "bitset", "numpy"]
Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LOW_RANKS = 10  # ranks at which people's own successes are counted, and differences of algorithms
_NUMPY_TRIALS = 64  # trials whose bits the numpy path holds at once


@dataclass(frozen=True, eq=False)
class TrialCounts:
    """Some trials of one algorithm.

    Attributes
    ----------
    people
        Ranks × trials: people at each rank, or (fractional ties) expected successes at that rank or better.
    by_person
        People × low ranks: the trials in which a person has each rank, or the sum of their successes at it.
    """

    people: npt.NDArray[Any]
    by_person: npt.NDArray[Any]


class PackedAlgorithm:
    """One algorithm made ready for trials.

    Parameters
    ----------
    closeness
        Its scores.
    n_ranks
        How many ranks are counted.
    ties
        The tie policy; ``mean`` makes fractions only where there are ties.
    kernel
        ``bit-sliced`` (the ranks 1 to 10 only), ``bitset``, ``numpy``, or ``auto``: the fastest that can do it.
    """

    def __init__(
        self, closeness: Closeness, layout: PoolLayout | None, n_ranks: int, ties: TiePolicy, kernel: Kernel
    ) -> None:
        self.options: Options = closeness.options
        self.ties = ties
        self.n_ranks = n_ranks
        self.slices: Slices | None = None
        self.marks: Marks | None = None
        self.compiled = kernel != "numpy"
        self.fractional = False
        low_enough = n_ranks <= LOW_RANKS and ties != "mean"
        if kernel == "bit-sliced" and not low_enough:
            raise DesignError(
                f"The bit-sliced kernel supports ranks up to {LOW_RANKS} and whole successes only.",
                "use kernel='auto'.",
            )
        if low_enough and kernel in ("auto", "bit-sliced") and layout is not None:
            self.slices = Slices.of(closeness, layout, strictly=ties == "optimistic")
        if self.slices is None:
            self.marks = Marks.of(closeness, self.compiled)
            self.fractional = ties == "mean" and self.marks.any_tied

    def count(self, choices: Choices, packed: Packed | None) -> TrialCounts:
        """Count the people at each rank in each trial."""
        if self.slices is not None and packed is not None:
            return self._count_slices(packed)
        closer, tied = self.rivals(choices)
        usable = ~self.marks.unusable[self.options.starts[:-1] + choices]  # type: ignore[union-attr]
        if self.fractional:
            return self._fractions(closer, tied, usable)
        ranks = np.where(usable, 1 + closer + (tied if self.ties == "pessimistic" else 0), 0)
        people = np.zeros((self.n_ranks, len(ranks)), dtype=np.int32)
        by_person = np.zeros((self.options.n_subjects, LOW_RANKS), dtype=np.int64)
        if self.compiled:
            from proband.kernels.choices import tally_ranks

            tally_ranks(ranks, people, by_person)
        else:
            _tally_ranks(ranks, people, by_person)
        return TrialCounts(people, by_person)

    def ranks(self, choices: Choices) -> Floats:
        """Each person's rank in each trial (expected, under ``mean``), trials × people; infinite for a failure."""
        closer, tied = self.rivals(choices)
        usable = ~self.marks.unusable[self.options.starts[:-1] + choices]  # type: ignore[union-attr]
        share = {"pessimistic": 1.0, "optimistic": 0.0, "mean": 0.5}[
            self.ties
        ]  # of the tied that stand before the mate
        return np.where(usable, 1.0 + closer + share * tied, np.inf)

    def rivals(self, choices: Choices) -> tuple[Integers, Integers]:
        """Non-mates closer than the mate, and as close, for each trial and person."""
        assert self.marks is not None
        count = _counter(self.compiled)
        found = []
        for bits, wanted in ((self.marks.closer, True), (self.marks.tied, self.marks.any_tied)):
            counts = np.zeros(choices.shape, dtype=np.int64)
            if wanted:
                count(choices, self.options.starts, self.options.gallery, bits, counts)
            found.append(counts)
        return found[0], found[1]

    def _fractions(self, closer: Integers, tied: Integers, usable: npt.NDArray[np.bool_]) -> TrialCounts:
        """Expected successes when ties are broken at random."""
        successes = np.empty((self.n_ranks, len(closer)))
        by_person = np.empty((self.options.n_subjects, LOW_RANKS))
        for k in range(max(self.n_ranks, LOW_RANKS)):
            success = np.where(usable, np.clip((k + 1 - closer) / (tied + 1), 0.0, 1.0), 0.0)
            if k < self.n_ranks:
                successes[k] = success.sum(axis=1)
            if k < LOW_RANKS:
                by_person[:, k] = success.sum(axis=0)
        return TrialCounts(successes, by_person)

    def _count_slices(self, packed: Packed) -> TrialCounts:
        from proband.kernels.choices import count_low_ranks
        from proband.kernels.vectorised import LOW

        assert self.slices is not None
        s = self.slices
        people = np.zeros((LOW, packed.n_trials), dtype=np.int32)
        by_person = np.zeros((self.options.n_subjects, LOW_RANKS), dtype=np.int64)
        count_low_ranks(
            packed.chosen, packed.subsets, self.options.starts, s.level_starts, s.level_option, s.level_end, s.group_starts,
            s.entry_starts, s.entry_masks, s.entry_subsets, people, by_person,
        )  # fmt: skip
        return TrialCounts(people[: self.n_ranks], by_person)


@dataclass(frozen=True, eq=False)
class Packed:
    """A block of choices as bits over trials, shared by all algorithms.

    Attributes
    ----------
    n_trials
        How many there are.
    chosen, subsets
        For each chunk of trials, who chose which option, and which subsets of images hold a chosen one.
    """

    n_trials: int
    chosen: npt.NDArray[np.uint64]
    subsets: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, choices: Choices, options: Options, layout: PoolLayout) -> Packed:
        """Pack the choices, a chunk of trials at a time."""
        from proband.kernels.choices import CHUNK, SUBSET, pack
        from proband.kernels.vectorised import WORDS

        n_chunks = -(-len(choices) // CHUNK)
        chosen = np.zeros((n_chunks, len(options.gallery), WORDS), dtype=np.uint64)
        subsets = np.zeros((n_chunks, layout.n_chunks << SUBSET, WORDS), dtype=np.uint64)
        pack(choices, options.starts, options.gallery, layout.chunk_of, layout.bit_of, chosen, subsets)
        return cls(len(choices), chosen, subsets)


def _counter(compiled: bool) -> Any:
    if compiled:
        from proband.kernels.choices import count_rivals

        return count_rivals
    return _count_rivals


def _count_rivals(
    choices: Choices,
    starts: npt.NDArray[np.int64],
    gallery: npt.NDArray[np.int64],
    bits: npt.NDArray[np.uint64],
    counts: Integers,
) -> None:
    """What the compiled counter does, some trials at a time."""
    for start in range(0, len(choices), _NUMPY_TRIALS):
        chosen = starts[:-1] + choices[start : start + _NUMPY_TRIALS]
        images = np.zeros((len(chosen), bits.shape[1] * 64), dtype=np.bool_)
        np.put_along_axis(images, gallery[chosen], values=True, axis=1)
        enrolled = np.packbits(images, axis=1, bitorder="little").view(np.uint64)
        marked = bits[chosen] & enrolled[:, None, :]
        counts[start : start + len(chosen)] = np.bitwise_count(marked).sum(axis=2, dtype=np.uint32)


def _tally_ranks(ranks: Integers, people: npt.NDArray[np.int32], by_person: Integers) -> None:
    for k in range(max(len(people), by_person.shape[1])):
        here = ranks == k + 1
        if k < len(people):
            people[k] = here.sum(axis=1)
        if k < by_person.shape[1]:
            by_person[:, k] += here.sum(axis=0)
