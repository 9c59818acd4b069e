"""Embedding scores as matrix products whose error is bounded, so that only doubtful pairs need exact scores.

The product of a prepared row with a prepared column is an increasing function of the pair's closeness, up to an error of
at most `band`:

- cosine: the product of unit vectors;
- inner product: both sides divided by their longest vector;
- Euclidean distance: x·y − |x|²/2 − |y|²/2 = −|x − y|²/2, after moving the origin to the targets' centre and scaling the
  longest vector to one.

All factors have length at most one, so the error of a product of d terms is at most about d units of rounding in any
order of addition (Higham's bound); rounding of the factors and of the defined score adds a few units.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from threading import local
from typing import Any, NamedTuple

import numpy as np

from proband.engine import Kept, slices
from proband.kernels.codes import SCREEN_LANES
from proband.measures.pairs.pair_set import Codes, Counts, Floats, PairSet
from proband.scores.base import Values
from proband.scores.embeddings import Embeddings
from proband.scores.screening import SHORTEST, longest_vector, mean_vector

_SINGLE, _DOUBLE = 2.0**-24, 2.0**-53  # units of rounding
_STRIP, _ROWS_AT_ONCE, _COLUMNS_AT_ONCE = 8192, 512, 1024  # a tile of products stays in cache
_DOUBTFUL = 0.1  # above this share of doubtful pairs, exact scores cost more than float64 products


class _Room(local):
    """A buffer for the products of a thread, reused for all tiles and blocks because new memory must be cleared first."""

    held: Values = np.empty(0)

    def of(self, n: int, dtype: type[np.floating[Any]]) -> Values:
        """A buffer for n products, overwritten by the next block of this thread."""
        if len(self.held) < n or self.held.dtype != dtype:
            self.held = np.empty(n, dtype)
        return self.held[:n]


_ROOM = _Room()

Exact = tuple[Values, Values, Values, Values, int]  # vectors and lengths of both sides, and the metric
Quick = tuple[Values, Values, float]  # factors of both sides, and the error bound of their product in lanes


@dataclass(frozen=True)
class Block:
    """A strip of rows, and the columns to compare them with.

    Attributes
    ----------
    rows, columns
        The rows and columns of the comparisons.
    """

    rows: slice
    columns: slice

    def n_pairs(self, pairs: PairSet) -> int:
        """The number of counted pairs in the block."""
        firsts = np.maximum(pairs.firsts[self.rows], self.columns.start)
        return int(np.maximum(self.columns.stop - firsts, 0).sum())


class Strip(NamedTuple):
    """The vectors of a strip of rows, their lengths, and the prepared vectors.

    Attributes
    ----------
    vectors, norms, ready
        One of each for every row.
    """

    vectors: Values
    norms: Values
    ready: Values


@dataclass(frozen=True)
class Tile:
    """Products of some rows with some columns; row i counts from column ``firsts[i]`` on.

    `exact` has the arguments of `proband.kernels.vectors.score` for exact scores of the same pairs.

    Attributes
    ----------
    products, firsts
        Rows × columns, and the first counted column of each row.
    row_codes, column_codes
        The subjects of the rows and the columns.
    quick
        The factors of both sides, and the error bound of their product summed in lanes.
    exact
        Vectors and lengths of both sides, and the metric.
    first_row, first_column
        The positions of the first row and column in the set of pairs.
    """

    products: Values
    firsts: Counts
    row_codes: Codes
    column_codes: Codes
    quick: Quick
    exact: Exact
    first_row: int
    first_column: int

    @property
    def arrays(self) -> tuple[Values, Counts, Codes, Codes, Quick, Exact]:
        """The arguments of an accumulator."""
        return self.products, self.firsts, self.row_codes, self.column_codes, self.quick, self.exact


@dataclass(frozen=True)
class Products:
    """The preparation of vectors for products, and the relation of products to scores.

    Attributes
    ----------
    embeddings, centre
        The vectors, and what is subtracted from them.
    row_scale, column_scale, dtype
        The divisors of rows and columns, and the precision of products.
    strips
        The strips in use.
    """

    embeddings: Embeddings
    centre: Floats
    row_scale: float
    column_scale: float
    dtype: type[np.floating[Any]]
    strips: Kept[int, Strip] = field(default_factory=Kept, repr=False, compare=False)

    @classmethod
    def of(cls, embeddings: Embeddings, pairs: PairSet) -> Products:
        """Find the scales for some pairs; products are float32 by default."""
        rows, columns = pairs.rows, pairs.columns
        centre = np.zeros(embeddings.dimension)
        row_scale = column_scale = 1.0
        if embeddings.metric == "l2":
            centre = mean_vector(embeddings.target_rows, columns)
        if embeddings.metric != "cosine":
            row_scale = longest_vector(embeddings.query_rows, rows, centre) or 1.0
            column_scale = longest_vector(embeddings.target_rows, columns, centre) or 1.0
        if embeddings.metric == "l2":
            row_scale = column_scale = max(row_scale, column_scale, SHORTEST)
        return cls(embeddings, centre, row_scale, column_scale, np.float32)

    @property
    def band(self) -> float:
        """The error bound of a product, relative to the key of the defined score, for any order of addition."""
        return self._band(self._width)

    @property
    def quick_band(self) -> float:
        """The error bound of a product summed in lanes, which depends on the number of terms in one sum."""
        whole, left = divmod(self._width, SCREEN_LANES)
        return self._band(whole + left + SCREEN_LANES.bit_length() - 1)

    @property
    def _width(self) -> int:
        return self.embeddings.dimension + (2 if self.embeddings.metric == "l2" else 0)

    def _band(self, roundings: int) -> float:
        """The error bound of a product whose terms are each rounded a given number of times.

        Four more roundings cover both factors, the defined score and products of errors.
        """
        if self.dtype is np.float64:  # the rounding of the defined score is as large as that of the product
            return 8 * 1.01 * (self._width + 16) * _DOUBLE
        return (2 if self.embeddings.metric == "l2" else 1) * 1.01 * (roundings + 4) * _SINGLE

    def keys(self, closeness: Floats) -> Floats:
        """Convert closeness values to the scale of the products."""
        with np.errstate(over="ignore", under="ignore"):
            scaled = closeness / self.row_scale
            if self.embeddings.metric == "l2":
                return 0.5 * np.abs(scaled) * scaled
            return scaled / self.column_scale

    def settled_by(self, edges: Floats, impostors: Floats) -> Products:
        """Choose the precision: float64 if a sample of impostors has too many values too near an edge for float32."""
        edges, impostors = self.keys(edges), self.keys(impostors)
        low, high = (
            np.searchsorted(edges, impostors + side, "left" if side < 0 else "right")
            for side in (-self.band, self.band)
        )
        if impostors.size and np.mean(low < high) > _DOUBTFUL:
            return replace(self, dtype=np.float64, strips=Kept())
        return self

    def blocks(self, pairs: PairSet) -> Iterator[Block]:
        """Divide the pairs into blocks; blocks of a strip of rows are consecutive, so that it is prepared once."""
        for rows in slices(len(pairs.rows), _STRIP):
            for columns in slices(len(pairs.columns), _COLUMNS_AT_ONCE, int(pairs.firsts[rows].min())):
                yield Block(rows, columns)

    def _strip(self, rows: slice, pairs: PairSet) -> Strip:
        positions = pairs.rows[rows]
        vectors = self.embeddings.query_rows(positions)
        norms = self.embeddings.query_norms(vectors, positions)
        return Strip(vectors, norms, self.ready(vectors, norms, self.row_scale))

    def tiles(self, block: Block, pairs: PairSet) -> Iterator[Tile]:
        """Multiply a block, some rows at a time. The products of a tile are overwritten by the next."""
        strip = self.strips.of(block.rows.start, lambda: self._strip(block.rows, pairs))
        columns = block.columns
        positions = pairs.columns[columns]
        vectors = self.embeddings.target_rows(positions)
        norms = self.embeddings.target_norms(vectors, positions)
        ready = self.ready(vectors, norms, self.column_scale, halves_first=True)
        metric = self.embeddings.metric_code
        buffer = _ROOM.of(_ROWS_AT_ONCE * len(positions), self.dtype)
        for part in slices(len(strip.norms), _ROWS_AT_ONCE):
            rows = slice(block.rows.start + part.start, block.rows.start + part.stop)
            firsts = np.maximum(pairs.firsts[rows] - columns.start, 0)
            skipped = int(firsts.min())
            if skipped >= len(positions):
                continue
            shape = part.stop - part.start, len(positions) - skipped
            out = buffer[: shape[0] * shape[1]].reshape(shape)
            yield Tile(
                np.matmul(strip.ready[part], ready[skipped:].T, out=out),
                firsts - skipped,
                pairs.row_codes[rows],
                pairs.column_codes[columns][skipped:],
                (strip.ready[part], ready[skipped:], self.quick_band),
                (strip.vectors[part], vectors[skipped:], strip.norms[part], norms[skipped:], metric),
                rows.start,
                columns.start + skipped,
            )

    def ready(self, vectors: Values, norms: Values, scale: float, halves_first: bool = False) -> Values:
        """Prepare vectors: the products are ``ready(rows) @ ready(columns, halves_first=True).T``."""
        if self.embeddings.metric == "cosine":
            unit = np.empty(vectors.shape, self.dtype)
            return np.divide(vectors, norms[:, None], out=unit, casting="same_kind")
        scaled = (vectors - self.centre) / scale
        if self.embeddings.metric == "l2":
            half = -0.5 * np.einsum("ij,ij->i", scaled, scaled)
            extra = [half, np.ones(len(half))] if halves_first else [np.ones(len(half)), half]
            scaled = np.column_stack([scaled, *extra])
        return scaled.astype(self.dtype, copy=False)
