"""How every impostor comparison stands among the genuine ones, summed by person and by two people, in flat memory.

People are taken in blocks, and two blocks at a time: all comparisons of two people are then seen together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from proband.engine import one_blas_thread, run_blocks
from proband.measures.pairs.pair_set import Floats, PairSet
from proband.measures.pairs.products import Products
from proband.measures.pairs.tiles import sign_of
from proband.samples.ids import Positions
from proband.samples.table import frozen
from proband.scores import Embeddings, Scores
from proband.scores.base import Values

_CELLS = 1 << 22  # scores held at once by a thread
_GUIDES = 1 << 14  # even steps between the extremes of genuine scores, from which places are sought


class PlacementSums(NamedTuple):
    """What impostor comparisons add to an area, less what they should: by person, and squared by two people.

    Attributes
    ----------
    totals
        The sum over the comparisons that each person takes part in; people are those of the pairs, in the order of their codes.
    squares
        The sum over every two people of the square of their sum.
    n
        How many comparisons there are.
    """

    totals: Floats
    squares: float
    n: int


def placements(
    scores: Scores, pairs: PairSet, genuine: Floats, area: float, threads: int | None = None
) -> PlacementSums | None:
    """Sum, over impostor comparisons, the share of genuine ones that are closer (ties half) less the area: None if cells have none.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb")})
    >>> similarity = np.array([[1, 0.9, 0.2, 0.6], [0.9, 1, 0.3, 0.1], [0.2, 0.3, 1, 0.5], [0.6, 0.1, 0.5, 1]])
    >>> scores = Scores.from_array(similarity, samples.ids, orientation="similarity")
    >>> placements(scores, PairSet.of(scores, samples), np.array([0.5, 0.9]), 0.875)  # 1, 1, 1 and a half
    PlacementSums(totals=array([0., 0.]), squares=0.0, n=4)
    """
    near = pairs.acquired
    if scores.cells(near.rows[:1], near.columns[:1]) is not None:
        return None
    near = _by_person(near)
    # The area itself is counted exactly elsewhere; for its variance products in single precision are more than enough.
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
    totals, squares, n = np.zeros(len(people)), 0.0, 0
    with one_blas_thread():
        for part in run_blocks(task, _blocks(task, len(people)), threads):
            for at, sums in part.sums:
                totals[at] += sums
            squares, n = squares + part.squares, n + part.n
    return PlacementSums(totals, squares, n)


def _by_person(pairs: PairSet) -> PairSet:
    """The same pairs in the order of people; images on both axes stay in one order."""
    if pairs.n_shared and not pairs.symmetric:
        raise ValueError("only pairs of the same or of different images can be put in order")
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
    """Two blocks of people: the numbers of the first and of the last but one of each."""

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

    sums: tuple[tuple[slice, Floats], ...]
    squares: float
    n: int


@dataclass(frozen=True, eq=False)
class _Guided:
    """Distinct genuine closeness in ascending order, how many lie below each, and where to begin to look for a place."""

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
        parts = (first, apart.sum(axis=1)), (second, apart.sum(axis=0))
        return _Part(parts, float((apart**2).sum()), int(counts.sum()))

    def _add(self, of_rows: slice, of_columns: slice, sums: Floats, counts: npt.NDArray[np.int64]) -> None:
        from proband.kernels.pairs import add_placements

        rows = _between(self.row_people, of_rows)
        columns = _between(self.column_people, of_columns)
        step = max(1, _CELLS // max(1, columns.stop - columns.start))
        for start in range(rows.start, rows.stop, step):
            some = slice(start, min(start + step, rows.stop))
            values, sign = self._tile(some, columns)
            values = frozen(values.view())  # of one kind, wherever they are from: the kernel is compiled once
            firsts = np.maximum(self.pairs.firsts[some] - columns.start, 0)
            add_placements(
                values, firsts, sign, self.row_people[some] - of_rows.start,
                self.column_people[columns] - of_columns.start, self.pairs.row_codes[some], self.pairs.column_codes[columns],
                self.genuine.edges, self.genuine.below, self.genuine.guide, self.genuine.scale, sums, counts,
            )  # fmt: skip

    def _tile(self, rows: slice, columns: slice) -> tuple[Values, float]:
        """Scores of some rows and columns, or products, and what makes them closeness."""
        left, right = self.pairs.rows[rows], self.pairs.columns[columns]
        if self.products is None:
            return np.ascontiguousarray(self.scores.tile(left, right)), sign_of(self.scores)
        own, products = self.products.embeddings, self.products
        x, y = own.query_rows(left), own.target_rows(right)
        ready = products.ready(x, own.query_norms(x, left), products.row_scale)
        against = products.ready(y, own.target_norms(y, right), products.column_scale, halves_first=True)
        return np.matmul(ready, against.T), 1.0


def _between(people: Positions, block: slice) -> slice:
    """The places of some people's images, which stand in their order."""
    return slice(*(int(at) for at in np.searchsorted(people, [block.start, block.stop])))
