"""Comparisons weighted by their units: people, or images within people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from proband.engine import run_blocks
from proband.errors import DesignError, Hint
from proband.measures.pairs.lists import tail_places
from proband.measures.pairs.pair_set import PairSet
from proband.measures.pairs.tiles import collect_genuine
from proband.measures.pairs.weighted import WeightedRates
from proband.scores import Scores
from proband.words import counted

if TYPE_CHECKING:
    from proband.measures.pair_measures import PairMeasure

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
AnyWeights = npt.NDArray[np.integer[Any] | np.floating[Any]]

_MOST = 20_000_000  # impostor comparisons held in memory
_CELLS = 1 << 22  # sums at edges held at once by a thread
_REPLICATES = 128  # evaluated together at most


@dataclass(frozen=True, eq=False)
class Units:
    """The sampling units of the rows and columns of a set of pairs.

    Attributes
    ----------
    n
        The number of units; the index `n` is for what is never resampled and has weight 1.
    rows, columns
        The unit of each row and column.
    strata
        The person of each unit if units are images; None if they are people.
    in_pairs
        Whether two units of one person make a genuine comparison.
    who
        If units are people, the code of each among the subjects of the table.
    """

    n: int
    rows: Ints
    columns: Ints
    strata: Ints | None = None
    in_pairs: bool = False
    who: Ints | None = None

    @classmethod
    def people(cls, pairs: PairSet) -> Units:
        """Use people as units: both people of a comparison are resampled."""
        near = pairs.acquired
        who = np.unique(np.concatenate([near.row_codes, near.column_codes]))
        rows, columns = (
            np.searchsorted(who, side).astype(np.int32) for side in (near.row_codes, near.column_codes)
        )
        return cls(len(who), rows, columns, who=who.astype(np.int32))

    @classmethod
    def images(cls, pairs: PairSet) -> Units:
        """Use images as units if both axes are the same; otherwise queries, with targets fixed."""
        near = pairs.acquired
        if near.n_shared and not near.symmetric:
            raise DesignError(
                f"{counted(near.n_shared, 'sample is', 'samples are')} both queries and targets, but not "
                "all samples are, so it is unclear which images would be the other images of a person.",
                Hint("choose which samples are compared: {option:gallery}, {option:probes}"),
            )
        rows = np.arange(len(near.rows), dtype=np.int32)
        columns = rows if near.symmetric else np.full(len(near.columns), len(rows), dtype=np.int32)
        return cls(len(rows), rows, columns, near.row_codes, near.symmetric)


@dataclass(frozen=True, eq=False)
class _Kind:
    """Genuine or impostor comparisons in the order of the kernel: their two units, own weights and bins."""

    first: Ints
    second: Ints
    shares: Floats
    bins: Ints

    @classmethod
    def of(cls, first: Ints, second: Ints, shares: Floats, bins: npt.NDArray[np.intp]) -> _Kind:
        order = np.lexsort((first, bins))
        return cls(first[order], second[order], shares[order], bins[order].astype(np.int32))

    def sums(self, weights: Floats, n_bins: int) -> Floats:
        """The weight of the comparisons of each bin in each replicate; `weights` is units × replicates."""
        from proband.kernels.subject_bootstrap import add_weighted

        totals = np.zeros((n_bins, weights.shape[1]))
        add_weighted(weights, self.first, self.second, self.shares, self.bins, totals)
        return totals


@dataclass(frozen=True, eq=False)
class WeightedPairs:
    """Every comparison of one algorithm, weighted by the product of the weights of its two units.

    A genuine comparison has the weight of the person once if units are people, and the product of both weights if units are
    images. No unit is compared with a copy of itself.

    Attributes
    ----------
    units
        The units.
    n_edges, genuine, impostor
        The number of distinct genuine scores, and the comparisons at and between them.
    """

    units: Units
    n_edges: int
    genuine: _Kind
    impostor: _Kind

    @classmethod
    def of(
        cls,
        scores: Scores,
        pairs: PairSet,
        units: Units,
        *,
        by_person: bool = False,
        threads: int | None = None,
    ) -> WeightedPairs:
        """Collect every comparison with a score.

        Parameters
        ----------
        by_person
            Whether the genuine comparisons of a person share one weight, and so do the impostor comparisons of two people.
        """
        near = pairs.acquired
        own = collect_genuine(scores, near, threads)
        rows, columns, closeness = tail_places(scores, pairs, -np.inf, _MOST, threads)
        edges, at = np.unique(own.closeness, return_inverse=True)
        among = np.searchsorted(edges, closeness, "left") + np.searchsorted(edges, closeness, "right")
        # A person's weight counts once in a genuine comparison, since both images come with the person.
        partner = (
            units.columns[own.columns] if units.strata is not None else np.full(len(at), units.n, np.int32)
        )
        return cls(
            units,
            len(edges),
            _Kind.of(units.rows[own.rows], partner, _shares(near, own.rows, own.columns, by_person), at),
            _Kind.of(
                units.rows[rows], units.columns[columns], _shares(near, rows, columns, by_person), among
            ),
        )

    def rates(self, weights: AnyWeights) -> WeightedRates:
        """Compute weighted error rates; `weights` is replicates × units."""
        drawn = np.ones((self.units.n + 1, len(weights)))
        drawn[:-1] = weights.T
        between = self.impostor.sums(drawn, 2 * self.n_edges + 1)
        reached = np.cumsum(between[::-1], axis=0)[::-1]
        genuine = self.genuine.sums(drawn, self.n_edges)
        return WeightedRates(genuine, reached[1::2], reached[2::2], reached[0])

    def values(self, measure: PairMeasure, weights: AnyWeights, threads: int | None = None) -> Floats:
        """The measure in every replicate; NaN if all comparisons of a kind have no weight."""
        return self.replicates(measure, [weights], threads)

    def replicates(
        self, measure: PairMeasure, blocks: Iterable[AnyWeights], threads: int | None = None
    ) -> Floats:
        """The measure in all replicates of blocks, in order and independent of the number of threads."""
        most = max(1, min(_REPLICATES, _CELLS // (2 * self.n_edges + 1)))
        parts = (block[at : at + most] for block in blocks for at in range(0, len(block), most))
        return np.concatenate(list(run_blocks(_Valued(self, measure), parts, threads)))

    @property
    def genuine_shares(self) -> Floats:
        """The weight of the genuine comparisons of each unit."""
        weighed = np.bincount(self.genuine.first, self.genuine.shares, minlength=self.units.n)
        return weighed.astype(np.float64)

    def same_comparisons(self, other: WeightedPairs) -> bool:
        """Whether another algorithm has the same number of comparisons for every unit."""
        n = self.units.n + 1

        def counted(held: WeightedPairs) -> list[npt.NDArray[np.intp]]:
            sides = (side for kind in (held.genuine, held.impostor) for side in (kind.first, kind.second))
            return [np.bincount(side, minlength=n) for side in sides]

        return n == other.units.n + 1 and all(
            np.array_equal(mine, theirs) for mine, theirs in zip(counted(self), counted(other), strict=True)
        )


def _shares(pairs: PairSet, rows: npt.NDArray[Any], columns: npt.NDArray[Any], by_person: bool) -> Floats:
    """The weight of each comparison: 1, or one over the number of comparisons of its two people."""
    if not by_person:
        return np.ones(len(rows))
    one, other = pairs.row_codes[rows].astype(np.int64), pairs.column_codes[columns].astype(np.int64)
    keys = np.minimum(one, other) * (1 + max(one.max(initial=0), other.max(initial=0))) + np.maximum(
        one, other
    )
    _, places, times = np.unique(keys, return_inverse=True, return_counts=True)
    found: Floats = (1.0 / times)[places]
    return found


@dataclass(frozen=True, eq=False)
class _Valued:
    """The values of a measure in some replicates."""

    pairs: WeightedPairs
    measure: PairMeasure

    def __call__(self, weights: AnyWeights) -> Floats:
        return self.measure.of_weighted(self.pairs.rates(weights))
