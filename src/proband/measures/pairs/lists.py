"""Lists of few comparisons: the genuine ones, and the impostors above a threshold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from proband.engine import one_blas_thread, run_blocks
from proband.errors import DesignError, UsageError
from proband.kernels.codes import OK, empty_cells
from proband.measures.pairs.pair_set import Codes, Counts, Floats, PairSet
from proband.measures.pairs.products import Block, Products
from proband.measures.pairs.tiles import ScoreTile, collect_genuine, read_tile, row_blocks, sign_of
from proband.samples.ids import Positions
from proband.scores import Embeddings, Scores
from proband.words import count, counted, digits

_TAIL_LIMIT = 5_000_000
_ROOM = 4  # table entries that take as much memory as one listed pair of people

Work = TypeVar("Work")
Found = tuple[Codes, Codes, Floats]


def genuine_pairs(scores: Scores, pairs: PairSet, threads: int | None = None) -> tuple[Codes, Floats]:
    """Return the subject and the closeness of every genuine comparison with a score, row by row."""
    near = pairs.acquired
    genuine = collect_genuine(scores, near, threads)
    return near.row_codes[genuine.rows], genuine.closeness


class ImpostorMeetings(NamedTuple):
    """The number of impostor comparisons of every two subjects, or of missing ones, whichever are fewer.

    Attributes
    ----------
    first, second, counts
        Two subjects, the lower code first and in order, and a number of comparisons.
    lacking
        Whether the counted comparisons are those without a score.
    """

    first: Codes
    second: Codes
    counts: Codes
    lacking: bool


def impostor_meetings(scores: Scores, pairs: PairSet, threads: int | None = None) -> ImpostorMeetings | None:
    """Count the impostor comparisons of every two subjects with a score, or those without; None if all have scores."""
    near = pairs.acquired
    if scores.cells(near.rows[:1], near.columns[:1]) is None:
        return None
    # Marked self-comparisons or genuine cells lose no impostors; and all pairs of people are too many to list.
    n_lacking = sum(run_blocks(_Gaps(scores, near), row_blocks(near), threads))
    if not n_lacking:
        return None
    most = 1 + int(max(near.row_codes.max(initial=0), near.column_codes.max(initial=0)))
    # If only some samples are on both axes, totals per pair have no simple form from which gaps could be subtracted.
    lacking = 2 * n_lacking <= near.n_impostor and (near.symmetric or not near.n_shared)
    found = run_blocks(_Met(scores, near, most, lacking), row_blocks(near), threads)
    keys, counts = _summed(found, n_lacking if lacking else near.n_impostor - n_lacking, most**2)
    first = (keys // most).astype(np.int32)
    keys %= most
    return ImpostorMeetings(first, keys.astype(np.int32), counts, lacking)


def _summed(found: Iterable[tuple[Counts, Codes]], n_listed: int, n_keys: int) -> tuple[Counts, Codes]:
    """The distinct keys, in order, and the sum of their counts, using a table of all keys if it is smaller than a list."""
    if _ROOM * n_listed >= n_keys:
        table = np.zeros(n_keys, dtype=np.int32)
        for keys, counts in found:
            table[keys] += counts
        there = np.flatnonzero(table)
        return there, table[there]
    keys, counts = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[starts], np.add.reduceat(counts, starts)


def _impostors(tile: ScoreTile) -> npt.NDArray[np.bool_]:
    """The cells of a tile that are counted comparisons of different people."""
    counted = np.arange(tile.values.shape[1]) >= tile.firsts[:, None]
    counted &= tile.column_codes != tile.row_codes[:, None]
    return counted


@dataclass(frozen=True, eq=False)
class _Gaps:
    """The number of impostor comparisons without a score in a block of rows."""

    scores: Scores
    pairs: PairSet

    def __call__(self, rows: slice) -> int:
        tile = read_tile(self.scores, self.pairs, rows)
        return int(np.count_nonzero(_impostors(tile) & (tile.codes != OK)))


@dataclass(frozen=True, eq=False)
class _Met:
    """The number of comparisons of every two subjects with (or without) a score in a block of rows; the key is lower × `most` + higher."""

    scores: Scores
    pairs: PairSet
    most: int
    lacking: bool

    def __call__(self, rows: slice) -> tuple[Counts, Codes]:
        tile = read_tile(self.scores, self.pairs, rows)
        left, right = np.nonzero(_impostors(tile) & ((tile.codes == OK) != self.lacking))
        one, other = tile.row_codes[left], tile.column_codes[right]
        keys = np.minimum(one, other).astype(np.int64) * self.most + np.maximum(one, other)
        pairs, counts = np.unique(keys, return_counts=True)
        return pairs, counts.astype(np.int32)


def tail_pairs(
    scores: Scores,
    pairs: PairSet,
    threshold: float,
    limit: int = _TAIL_LIMIT,
    threads: int | None = None,
    below: float = np.inf,
) -> Found:
    """Return all impostor comparisons at or above a closeness, and below another, with the subjects of both sides.

    Raises
    ------
    DesignError
        If there are more than `limit`; it states the number.
    """
    near = pairs.acquired
    rows, columns, closeness = tail_places(scores, pairs, threshold, limit, threads, below)
    return near.row_codes[rows], near.column_codes[columns], closeness


def tail_places(
    scores: Scores,
    pairs: PairSet,
    threshold: float,
    limit: int = _TAIL_LIMIT,
    threads: int | None = None,
    below: float = np.inf,
) -> Found:
    """Return all impostor comparisons at or above a closeness, and below another, with positions among acquired rows and columns.

    Raises
    ------
    DesignError
        If there are more than `limit`; it states the number.
    """
    if np.isnan(threshold):
        raise UsageError("A threshold must be a number.")
    with one_blas_thread():
        find, work = finding(scores, pairs.acquired, threshold, below)
        parts, n_found = _gather(find, work, limit, threads)
    if n_found > limit:
        raise DesignError(
            f"{counted(n_found, 'impostor comparison is', 'impostor comparisons are')} at or above {digits(threshold, 6)}, and only {count(limit)} may be "
            "listed.",
            "use a higher threshold, or raise the limit (each comparison takes 16 bytes).",
            source=scores.name,
        )
    rows, columns, closeness = zip(*parts, strict=True)
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(closeness)


def finding(
    scores: Scores, near: PairSet, threshold: float, below: float = np.inf
) -> tuple[Callable[[Any], Iterable[Found]], Iterable[Any]]:
    """Return a task that finds impostors in a block by their closeness, and the blocks; all samples are acquired."""
    if isinstance(scores, Embeddings) and scores.is_product and near.n_impostor:
        products = Products.of(scores, near)
        return _InProducts(products, near, threshold, below), products.blocks(near)
    return _InTiles(scores, near, threshold, below), row_blocks(near)


@dataclass(frozen=True, eq=False)
class _InTiles:
    """The impostors of a block of rows at or above a threshold, and below another."""

    scores: Scores
    pairs: PairSet
    threshold: float
    below: float

    def __call__(self, rows: slice) -> Iterable[Found]:
        tile = read_tile(self.scores, self.pairs, rows)
        left, right = _places(tile, self.threshold)
        closeness = tile.sign * tile.values[left, right].astype(np.float64)
        kept = closeness < self.below
        yield _placed(left[kept], rows.start), _placed(right[kept], tile.start), closeness[kept]


@dataclass(frozen=True, eq=False)
class _InProducts:
    """The impostors of a block of products whose exact score is at or above a threshold, and below another."""

    products: Products
    pairs: PairSet
    threshold: float
    below: float

    def __call__(self, block: Block) -> Iterable[Found]:
        from proband.kernels.vectors import score_pairs

        products = self.products
        low, high = products.keys(np.array([self.threshold, self.below])).tolist()
        bound, most = low - products.band, np.float64(high + products.band)
        for tile in products.tiles(block, self.pairs):
            codes = empty_cells(len(tile.products))
            same = ScoreTile(tile.products, codes, tile.firsts, 1.0, tile.row_codes, tile.column_codes)
            left, right = _places(same, bound)
            if most < np.inf:
                near = tile.products[left, right] <= most
                left, right = left[near], right[near]
            closeness = score_pairs(*tile.exact, sign_of(products.embeddings), left, right)
            kept = (closeness >= self.threshold) & (closeness < self.below)
            yield (
                _placed(left[kept], tile.first_row),
                _placed(right[kept], tile.first_column),
                closeness[kept],
            )


def _placed(within: Positions, start: int) -> Codes:
    """Positions among all rows or columns, from those within a tile."""
    return (within + start).astype(np.int32)


def _places(tile: ScoreTile, bound: float) -> tuple[Positions, Positions]:
    """The positions of impostors at or above a bound in a tile, row by row."""
    values = tile.values
    with np.errstate(over="ignore"):
        least = values.dtype.type(bound)
    if least < bound:  # it was rounded: the next number is the first that reaches the bound
        least = np.nextafter(least, values.dtype.type(np.inf))
    reached = values >= least if tile.sign > 0 else values <= -least
    left, right = np.divmod(np.flatnonzero(reached), values.shape[1])
    kept = (right >= tile.firsts[left]) & (tile.row_codes[left] != tile.column_codes[right])
    if tile.codes.shape[1]:
        kept &= tile.codes[left, right] == OK
    return left[kept], right[kept]


def _gather(
    find: Callable[[Work], Iterable[Found]], work: Iterable[Work], limit: int, threads: int | None
) -> tuple[list[Found], int]:
    """Collect what is found in blocks; beyond the limit, only count."""
    nothing: Found = (np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32), np.empty(0))
    gathered = [nothing]
    n_gathered = 0
    for kept, n_found in run_blocks(_UpTo(find, limit), work, threads):
        n_gathered += n_found
        if n_gathered > limit:
            gathered.clear()
        else:
            gathered += kept
    return gathered, n_gathered


@dataclass(frozen=True, eq=False)
class _UpTo:
    """What is found in a block, and its number; nothing is kept beyond the limit."""

    find: Callable[[Any], Iterable[Found]]
    limit: int

    def __call__(self, block: object) -> tuple[list[Found], int]:
        kept: list[Found] = []
        n_found = 0
        for part in self.find(block):
            n_found += len(part[2])
            if n_found <= self.limit:
                kept.append(part)
            else:
                kept.clear()
        return kept, n_found
