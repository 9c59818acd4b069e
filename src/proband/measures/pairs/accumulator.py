"""Exact counts of scores between edges, accumulated tile by tile in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from proband.errors import InputError, UsageError
from proband.kernels.codes import empty_cells
from proband.samples.table import frozen
from proband.scores.base import Cells, Values

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

_COARSE, _FINE, _FINEST = (
    1 << 13,
    1 << 16,
    1 << 17,
)  # cells: the counts of a coarse grid stay in the first-level cache, …
_WORTH = 0.08  # … at the cost of exact placement of up to this share of scores
_TAIL = 0.001  # the share of scores beyond the grid on either side
_TAILS, _DEEP = (0.02, 0.1, 0.3), 5.0  # shares to try if exact placement takes more than this number of steps
_PENDING = 1 << 30  # scores that cells can hold before they must be emptied
_CHUNK = 1 << 20  # scores of a list counted at once
_ROOM = 1 << 14  # scores per step of a kernel
_PARTS, _ASIDE = 1 << 8, 1 << 10  # equal parts of a grid, and buffered scores of each to be placed exactly
LONG = 1 << 20  # scores whose sorting takes longer than loading and running kernels
TYPICAL = 1 << 13  # scores of a list sampled to find their range


@dataclass(frozen=True)
class ScoreGrid:
    """A grid of equal cells over the range of most scores, and for each cell the edges that may be near its scores.

    Attributes
    ----------
    edges
        Closeness values, ascending and distinct, ending with infinity.
    keys
        The edges on the measured scale: the edges themselves, or the corresponding products.
    band
        The largest distance of a measured value from the key of the true score.
    slope, offset
        The cell of a value is the integer part of ``value * slope + offset``, clipped to the grid, in their precision.
    starts, stops
        Edges before the start are certainly below every score in the cell, and those from the stop on certainly above.
    depths
        The number of bisection steps to place a score between the two.
    low_cell, high_cell
        Scores in cells up to the former, or from the latter on, may be the lowest or the highest of all.

    """

    edges: Floats
    keys: Floats
    band: float
    slope: np.floating[Any]
    offset: np.floating[Any]
    starts: Codes
    stops: Codes
    depths: npt.NDArray[np.uint8]
    low_cell: int
    high_cell: int

    @classmethod
    def of(
        cls,
        edges: Floats,
        keys: Floats,
        band: float,
        typical: Floats,
        precision: type[np.floating[Any]] = np.float64,
    ) -> ScoreGrid:
        """Make a grid over the range of the keys of `typical` scores or, without any, of the edges; both end with infinity."""

        def laid(n_cells: int, tail: float) -> ScoreGrid:
            return cls._laid(n_cells, tail, edges, keys, band, typical, precision)

        fine = _FINE if band else _FINEST
        grid = laid(fine, _TAIL)
        if grid._share_near(typical, fine // _COARSE) < _WORTH:
            grid = laid(_COARSE, _TAIL)
        if grid._mean_depth(typical) <= _DEEP:
            return grid
        return min((grid, *(laid(fine, tail) for tail in _TAILS)), key=lambda one: one._mean_depth(typical))

    @classmethod
    def _laid(
        cls,
        n_cells: int,
        tail: float,
        edges: Floats,
        keys: Floats,
        band: float,
        typical: Floats,
        precision: type[np.floating[Any]],
    ) -> ScoreGrid:
        inside = typical if typical.size else keys[np.isfinite(keys)]
        low, high = np.quantile(inside, [tail, 1 - tail], method="nearest") if inside.size else np.zeros(2)
        with np.errstate(all="ignore"):
            slope = precision(n_cells / (high - low))
            offset = precision(-low * float(slope))
            # A margin for the rounding of the cell and of its ends.
            margin = float(band * slope + 16 * np.finfo(precision).eps * (abs(offset) + n_cells))
        if not margin < n_cells / 4:  # the range is too narrow for a grid: one cell holds everything
            slope, offset, margin = precision(0), precision(0), 0.0

        def cell(keys: Floats, side: float) -> Counts:
            return _cells_of(keys, float(slope), float(offset) + side, n_cells)

        from proband.kernels.pairs import lay_cells

        starts, stops = np.empty((2, n_cells), dtype=np.int32)
        lay_cells(keys, float(slope), float(offset), margin, starts, stops)
        within = stops - starts
        depths = np.zeros(n_cells, dtype=np.uint8)
        for bit in range(int(within.max()).bit_length()):
            depths += within >= 1 << bit
        return cls(
            edges=edges,
            keys=keys,
            band=band,
            slope=slope,
            offset=offset,
            starts=starts,
            stops=stops,
            depths=depths,
            low_cell=int(cell(typical, margin).min(initial=n_cells)),
            high_cell=int(cell(typical, -margin).max(initial=0)),
        )

    @cached_property
    def depths_of_parts(self) -> npt.NDArray[np.uint8]:
        """The maximum number of steps in each of several equal parts of the grid."""
        return frozen(self.depths.reshape(_PARTS, -1).max(axis=1))

    @property
    def n_edges(self) -> int:
        """The number of edges."""
        return len(self.edges) - 1

    @property
    def last(self) -> np.floating[Any]:
        """The index of the last cell, in the precision of the grid."""
        return self.slope.dtype.type(len(self.starts) - 1)

    def new_cells(self) -> npt.NDArray[np.uint32]:
        """Make empty cells, marked if their scores need exact placement; the last is for scores that are not counted."""
        marked = np.append(self.starts < self.stops, False)
        marked[: self.low_cell + 1] = marked[self.high_cell : -1] = True
        return marked.astype(np.uint32)

    def _share_near(self, typical: Floats, n: int) -> float:
        """The share of typical scores near an edge if every n cells were merged."""
        if not typical.size:
            return 0.0
        first = self._cells_of(typical) // n * n
        return float((self.starts[first] < self.stops[first + n - 1]).mean())

    def _mean_depth(self, typical: Floats) -> float:
        """The mean number of steps to place a typical score."""
        return float(self.depths[self._cells_of(typical)].mean()) if typical.size else 0.0

    def _cells_of(self, values: Floats) -> Counts:
        return _cells_of(values, float(self.slope), float(self.offset), len(self.starts))


def _cells_of(keys: Floats, slope: float, offset: float, n_cells: int) -> Counts:
    with np.errstate(over="ignore"):
        place = keys * slope + offset if slope else np.zeros_like(keys)
    return np.clip(np.floor(place), 0, n_cells - 1).astype(np.int64)


def _tiles_of(values: Values, sign: float) -> Iterator[tuple[Values, Cells, Counts, float, Codes, Codes]]:
    """Split a list of impostor scores into tiles of one row."""
    values, firsts = frozen(values.view()), np.zeros(1, dtype=np.int64)
    codes, one, others = (
        empty_cells(1),
        np.zeros(1, dtype=np.int32),
        np.ones(min(_CHUNK, len(values)), dtype=np.int32),
    )
    for start in range(0, len(values), _CHUNK):
        part = values[None, start : start + _CHUNK]
        yield frozen(part), frozen(codes), firsts, sign, frozen(one), frozen(others)


def slots_among(edges: Floats, values: Floats) -> npt.NDArray[np.int64]:
    """Return for each value the number of edges below it plus the number not above it; edges are ascending and distinct."""
    if len(values) < LONG or not np.isfinite(values.sum()):
        return np.searchsorted(edges, values) + np.searchsorted(edges, values, side="right")
    ended = np.append(edges, np.inf)
    grid = ScoreGrid.of(ended, ended, 0.0, values[:: -(-len(values) // TYPICAL)])
    slots = np.empty(len(values), dtype=np.int64)
    from proband.kernels.pairs import find_slots

    find_slots(
        frozen(values.view()), grid.slope, grid.offset, grid.last, grid.starts, grid.stops, grid.edges, slots
    )
    return slots


class Counted(NamedTuple):
    """The counts of an accumulator.

    Attributes
    ----------
    slots
        The numbers of scores between and equal to the edges.
    extremes
        The lowest and the highest scores, and the corresponding products.
    excluded
        The numbers of don't-care and of failed cells.
    cost
        The sum of ln(1 + e^s), if requested.
    """

    slots: Counts
    extremes: Floats
    excluded: Counts
    cost: Fraction


class PairAccumulator:
    """Counts of scores between and equal to edges, exact with ties; accumulators with the same edges can be merged.

    Parameters
    ----------
    edges
        Closeness values, ascending and distinct; or the grid over them.

    Attributes
    ----------
    excluded
        The numbers of don't-care and of failed cells skipped.
    """

    def __init__(self, edges: npt.ArrayLike | ScoreGrid) -> None:
        if not isinstance(edges, ScoreGrid):
            values = np.array(edges, dtype=np.float64).ravel()
            if np.isnan(values).any() or (np.diff(values) <= 0).any():
                raise UsageError("Edges must be strictly increasing numbers.")
            ended = np.append(values, np.inf)
            edges = ScoreGrid.of(ended, ended, 0.0, np.empty(0))
        self.grid = edges
        self._extremes = np.array([np.inf, -np.inf] * 2)  # of scores, and of products that stand for them
        self.excluded = np.zeros(2, dtype=np.int64)
        self._slots = np.zeros(2 * edges.n_edges + 1, dtype=np.int64)
        self._between = self._upon = np.empty(0, dtype=np.uint32)  # of products alone
        self._cells = edges.new_cells()
        self._pending = 0
        self._cost = Fraction(0)
        self._places, self._marked = np.empty((2, _ROOM), dtype=np.uint32)
        self._aside, self._fills = np.empty((_PARTS, _ASIDE)), np.zeros(_PARTS, dtype=np.uint32)
        self._lows = np.empty(_ASIDE, dtype=np.uint32)

    def add(self, closeness: npt.ArrayLike, *, log_ratios: bool = False) -> None:
        """Count impostor scores in an array of any shape, larger is closer; with `log_ratios`, also sum their cost."""
        values = np.ascontiguousarray(closeness).ravel()
        values = values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)
        if not values.size:
            return
        ends = values.min(), values.max()
        if not np.isfinite(ends).all():
            raise InputError("Only finite scores can be counted.")
        self._extremes[:2] = min(self._extremes[0], ends[0]), max(self._extremes[1], ends[1])
        self.add_list(values, 1.0)
        if log_ratios:
            self.add_costs_of_list(values)

    def add_list(self, values: Values, sign: float) -> None:
        """Count a list of finite impostor scores with known extremes; `sign` converts them to closeness."""
        for part, codes, firsts, _, one, others in _tiles_of(values, sign):
            self.add_tile(part, codes, firsts, sign, one, others[:0])

    def add_costs_of_list(self, values: Values) -> None:
        """Sum ln(1 + e^s) over a list of impostor scores."""
        for tile in _tiles_of(values, 1.0):
            self.add_costs(*tile)

    def add_tile(
        self, tile: Values, codes: Cells, firsts: Counts, sign: float, row_codes: Codes, column_codes: Codes
    ) -> None:
        """Count all scores of a tile, including genuine ones; see `proband.kernels.pairs.count_values`."""
        grid = self.grid
        self._expect(tile)
        from proband.kernels.pairs import count_values

        count_values(
            tile, codes, firsts, sign, row_codes, column_codes,
            grid.slope, grid.offset, grid.last, grid.starts, grid.depths_of_parts, grid.edges,
            grid.low_cell, grid.high_cell, self._cells, self._slots, self._extremes, self.excluded,
            self._places, self._marked, self._aside, self._fills, self._lows,
        )  # fmt: skip

    def add_products(
        self,
        tile: Values,
        firsts: Counts,
        row_codes: Codes,
        column_codes: Codes,
        quick: tuple[Values, Values, float],
        exact: tuple[Values, Values, Values, Values, int],
        sign: float,
    ) -> None:
        """Count all pairs of a tile of products, including genuine ones; see `proband.kernels.pairs.count_products`."""
        grid = self.grid
        self._expect(tile)
        if not len(self._between):
            self._between, self._upon = np.zeros((2, grid.n_edges + 1), dtype=np.uint32)
        if len(self._places) < tile.shape[1]:
            self._places, self._marked = np.empty((2, tile.shape[1]), dtype=np.uint32)
        from proband.kernels.pairs import count_products

        count_products(
            tile, firsts, row_codes, column_codes,
            grid.slope, grid.offset, grid.last, grid.starts, grid.stops, grid.edges, grid.keys, grid.band,
            grid.low_cell, grid.high_cell, *quick, *exact, sign,
            self._cells, self._between, self._upon, self._extremes, self._places, self._marked,
        )  # fmt: skip

    def add_costs(
        self, tile: Values, codes: Cells, firsts: Counts, sign: float, row_codes: Codes, column_codes: Codes
    ) -> None:
        """Sum ln(1 + e^s) over the closeness s of the impostors of a tile."""
        from proband.kernels.pairs import sum_costs

        cost = sum_costs(tile, codes, firsts, sign, row_codes, column_codes)
        if not np.isfinite(cost):
            raise InputError(
                "The scores are too large to be log-likelihood ratios: e to their power overflows.",
                "calibrate them first.",
            )
        self._cost += Fraction(cost)

    def pour(self) -> Counts:
        """Combine the counts by cell and by edge since the last call; return the counts between and equal to the edges."""
        if self._pending:
            grid = self.grid
            if self._fills.any():
                from proband.kernels.pairs import count_aside

                count_aside(
                    grid.slope, grid.offset, grid.last, grid.starts, grid.depths_of_parts, grid.edges,
                    self._slots, self._aside, self._fills, self._lows,
                )  # fmt: skip
            from proband.kernels.pairs import pour_cells

            pour_cells(self._cells, grid.starts, self._between, self._upon, self._slots)
            self._pending = 0
        return self._slots

    def merge(self, other: PairAccumulator) -> None:
        """Add the counts of another accumulator with the same edges."""
        if not np.array_equal(self.grid.edges, other.grid.edges):
            raise UsageError("Only accumulators with the same edges can be merged.")
        self.take(other.counted)

    @property
    def counted(self) -> Counted:
        """All counts, without the grid, for another accumulator with the same grid."""
        return Counted(self.pour(), self._extremes, self.excluded, self._cost)

    def take(self, counted: Counted) -> None:
        """Add the counts of an accumulator with the same grid."""
        self._slots += counted.slots
        self.excluded += counted.excluded
        self._extremes[::2] = np.minimum(self._extremes[::2], counted.extremes[::2])
        self._extremes[1::2] = np.maximum(self._extremes[1::2], counted.extremes[1::2])
        self._cost += counted.cost

    def take_out(self, at: Counts) -> None:
        """Subtract scores, given the number equal to each edge."""
        self._slots[1::2] -= at

    @property
    def n(self) -> int:
        """The number of counted scores."""
        return int(self.pour().sum())

    @property
    def tails(self) -> tuple[Counts, Counts]:
        """The numbers of scores at or above each edge, and above it."""
        reaching = np.cumsum(self.pour()[::-1])[::-1]
        return reaching[1::2], reaching[2::2]

    @property
    def at_least(self) -> Counts:
        """The number of scores at or above each edge."""
        return self.tails[0]

    @property
    def above(self) -> Counts:
        """The number of scores above each edge."""
        return self.tails[1]

    @property
    def extremes(self) -> Floats:
        """The lowest and the highest closeness of different subjects; empty if none was counted."""
        return self._extremes[:2] if self._extremes[0] <= self._extremes[1] else np.empty(0)

    @property
    def cost(self) -> float:
        """The sum of ln(1 + e^s), rounded once, so that it does not depend on the order of merging."""
        return float(self._cost)

    def _expect(self, tile: Values) -> None:
        """Empty the cells if they might overflow with the scores of a tile."""
        self._pending += tile.size
        if self._pending > _PENDING:
            self.pour()
            self._pending = tile.size
