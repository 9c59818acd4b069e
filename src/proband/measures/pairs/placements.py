"""Placements of impostor comparisons among the genuine ones, summed by person and by pair of people, in constant memory.

People are processed in pairs of blocks, so that all comparisons of two people are together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from proband.engine import one_blas_thread, run_blocks
from proband.kernels.codes import OK
from proband.measures.pairs.pair_set import Counts, Floats, PairSet
from proband.measures.pairs.products import Products
from proband.measures.pairs.tiles import read_places, sign_of
from proband.samples.ids import Positions
from proband.samples.table import frozen
from proband.scores import Embeddings, Scores
from proband.scores.base import Cells, Values

_CELLS = 1 << 22  # scores held at once by a thread
_GUIDES = 1 << 14  # equal steps between the extremes of genuine scores, as starting points of searches


class PlacementSums(NamedTuple):
    """Deviations of impostor comparisons from the mean area, summed by person, and squared by pair of people.

    Attributes
    ----------
    totals
        The sum over the comparisons of each person of the pairs, in the order of their codes.
    counts
        The number of comparisons of each person.
    squares
        The sum over all pairs of people of the square of their sum.
    n
        The number of comparisons.
    """

    totals: Floats
    counts: Counts
    squares: float
    n: int


def placements(
    scores: Scores, pairs: PairSet, genuine: Floats, area: float, threads: int | None = None
) -> PlacementSums:
    """Sum, over impostor comparisons with a score, the share of genuine ones that are closer (ties half) minus the area."""
    near = _by_person(pairs.acquired)
    # The area itself is counted exactly elsewhere; for its variance, single-precision products suffice.
    products = None
    if isinstance(scores, Embeddings) and scores.is_product:
        products = Products.of(scores, near)
    people = np.unique(np.concatenate([near.row_codes, near.column_codes]))
    task = _Placed(
        scores,
        near,
        products,
        _Guided.of(genuine if products is None else products.keys(genuine)),
        area,
        np.searchsorted(people, near.row_codes),
        np.searchsorted(people, near.column_codes),
    )
    totals, counts = np.zeros(len(people)), np.zeros(len(people), dtype=np.int64)
    squares, n = 0.0, 0
    with one_blas_thread():
        for part in run_blocks(task, _blocks(task, len(people)), threads):
            for at, sums, sizes in part.sums:
                totals[at] += sums
                counts[at] += sizes
            squares, n = squares + part.squares, n + part.n
    return PlacementSums(totals, counts, squares, n)


def _by_person(pairs: PairSet) -> PairSet:
    """The same pairs in the order of people; shared images keep the same order on both axes."""
    if pairs.n_shared and not pairs.symmetric:
        raise ValueError("only pairs of the same images or of different images can be ordered")
    by_row = np.argsort(pairs.row_codes, kind="stable")
    by_column = by_row if pairs.symmetric else np.argsort(pairs.column_codes, kind="stable")
    sides = {
        name: getattr(pairs, name)[by_row] for name in ("rows", "row_samples", "row_codes", "row_failed")
    }
    sides |= {
        name: getattr(pairs, name)[by_column]
        for name in ("columns", "column_samples", "column_codes", "column_failed")
    }
    return replace(pairs, **sides)


class _Two(NamedTuple):
    """Two blocks of people, each with its start and stop."""

    first: slice
    second: slice


def _blocks(task: _Placed, n_people: int) -> Iterator[_Two]:
    images = np.bincount(task.row_people, minlength=n_people) + np.bincount(
        task.column_people, minlength=n_people
    )
    step = int(np.sqrt(_CELLS))
    cuts = np.searchsorted(np.cumsum(images), np.arange(step, int(images.sum()), step))
    edges = np.unique(np.concatenate([[0], cuts, [n_people]]))
    people = [slice(int(a), int(b)) for a, b in pairwise(edges)]
    for k, first in enumerate(people):
        for second in people[k:]:
            yield _Two(first, second)


class _Part(NamedTuple):
    """The sums of two blocks of people."""

    sums: tuple[tuple[slice, Floats, Counts], ...]
    squares: float
    n: int


@dataclass(frozen=True, eq=False)
class _Guided:
    """Distinct genuine closeness in ascending order, the number below each, and starting points for searches."""

    edges: Floats
    below: npt.NDArray[np.int64]
    guide: npt.NDArray[np.int64]
    scale: float

    @classmethod
    def of(cls, genuine: Floats) -> _Guided:
        edges, times = np.unique(genuine, return_counts=True)
        below = np.concatenate([[0], np.cumsum(times)]).astype(np.int64)
        reach = float(edges[-1] - edges[0])
        scale = _GUIDES / reach if reach > 0 and np.isfinite(_GUIDES / reach) else 0.0
        steps = edges[0] + np.arange(_GUIDES + 1) / (scale or 1.0)
        guide = np.searchsorted(edges, steps) if scale else np.zeros(_GUIDES + 1)
        guide[-1] = len(edges)
        if not scale:
            guide[1:] = len(edges)
        return cls(edges, below, guide.astype(np.int64), scale)


@dataclass(frozen=True, eq=False)
class _Placed:
    """The placements of the comparisons between two blocks of people."""

    scores: Scores
    pairs: PairSet
    products: Products | None
    genuine: _Guided
    area: float
    row_people: Positions
    column_people: Positions

    def __call__(self, two: _Two) -> _Part:
        first, second = two
        shape = first.stop - first.start, second.stop - second.start
        sums, counts = np.zeros(shape), np.zeros(shape, dtype=np.int64)
        self._add(first, second, sums, counts)
        if first == second:
            np.fill_diagonal(sums, 0.0)
            sums, counts = np.triu(sums + sums.T), np.triu(counts + counts.T)
        elif not self.pairs.symmetric:
            across, back = np.ascontiguousarray(sums.T), np.ascontiguousarray(counts.T)
            self._add(second, first, across, back)
            sums, counts = np.ascontiguousarray(across.T), np.ascontiguousarray(back.T)
        apart = sums - self.area * counts
        parts = (
            (first, apart.sum(axis=1), counts.sum(axis=1)),
            (second, apart.sum(axis=0), counts.sum(axis=0)),
        )
        return _Part(parts, float((apart**2).sum()), int(counts.sum()))

    def _add(self, of_rows: slice, of_columns: slice, sums: Floats, counts: Counts) -> None:
        from proband.kernels.pairs import add_placements

        rows = _between(self.row_people, of_rows)
        columns = _between(self.column_people, of_columns)
        step = max(1, _CELLS // max(1, columns.stop - columns.start))
        for start in range(rows.start, rows.stop, step):
            some = slice(start, min(start + step, rows.stop))
            values, cells, sign = self._tile(some, columns)
            firsts = np.maximum(self.pairs.firsts[some] - columns.start, 0)
            left, right = (
                self.row_people[some] - of_rows.start,
                self.column_people[columns] - of_columns.start,
            )
            codes = self.pairs.row_codes[some], self.pairs.column_codes[columns]
            if cells is not None:
                # Scores closer than every genuine score add nothing, and are removed from the counts.
                without = cells != OK
                values = np.where(without, np.asarray(sign * np.inf, dtype=values.dtype), values)
                without &= np.arange(values.shape[1]) >= firsts[:, None]
                without &= codes[0][:, None] != codes[1]
                at, to = np.nonzero(without)
                np.subtract.at(counts, (left[at], right[to]), 1)
            values = frozen(values.view())  # always of one type, so that the kernel is compiled once
            add_placements(
                values, firsts, sign, left, right, *codes,
                self.genuine.edges, self.genuine.below, self.genuine.guide, self.genuine.scale, sums, counts,
            )  # fmt: skip

    def _tile(self, rows: slice, columns: slice) -> tuple[Values, Cells | None, float]:
        """Scores of some rows and columns and their cells, or products, with the sign to convert them to closeness."""
        if self.products is None:
            places = (np.arange(some.start, some.stop) for some in (rows, columns))
            values, cells = read_places(self.scores, self.pairs, *places)
            return np.ascontiguousarray(values), cells, sign_of(self.scores)
        left, right = self.pairs.rows[rows], self.pairs.columns[columns]
        own, products = self.products.embeddings, self.products
        x, y = own.query_rows(left), own.target_rows(right)
        ready = products.ready(x, own.query_norms(x, left), products.row_scale)
        against = products.ready(y, own.target_norms(y, right), products.column_scale, halves_first=True)
        return np.matmul(ready, against.T), None, 1.0


def _between(people: Positions, block: slice) -> slice:
    """The positions of the images of some people, which are contiguous."""
    return slice(*(int(at) for at in np.searchsorted(people, [block.start, block.stop])))
