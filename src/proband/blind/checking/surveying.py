"""Statistics of a submitted matrix that do not need the key, computed in one pass by blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.blind.checking.equality import Equality, middles
from proband.blind.checking.matrices import Laid, Mask
from proband.engine import Progress, Silent, run_blocks, slices
from proband.results.base import Record
from proband.results.serializing import Written

CELLS_AT_ONCE = 1 << 20
_FEW = 2  # so many different values are decisions and no scores

Floats = npt.NDArray[np.floating[Any]]
Pairs = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ScoreSurvey(Record):
    """Statistics of a matrix of scores.

    Attributes
    ----------
    n_scores, n_failed
        The numbers of cells with a score and of failed comparisons.
    n_tied
        The number of scores equal to another score of the same row.
    n_not_finite, first_not_finite
        The number of scores that are not finite, and the row and column of the first.
    levels
        The distinct values if there are at most two; otherwise three of them.
    constant_row, constant_column
        The first row and column whose scores are all equal.
    least, greatest, mean, spread
        The least and the greatest score, their mean and standard deviation.
    column_gaps, gap_rows
        For each requested pair of columns, the largest difference relative to the tolerance, and its row;
        infinite if only one of the two failed.
    """

    written = Written(
        {"n": "n_scores"},
        also=("tied",),
        without=(
            "n_tied",
            "n_not_finite",
            "first_not_finite",
            "levels",
            "constant_row",
            "constant_column",
            "column_gaps",
            "gap_rows",
        ),
    )

    n_scores: int
    n_failed: int
    n_tied: int
    n_not_finite: int
    first_not_finite: tuple[int, int] | None
    levels: tuple[float, ...]
    constant_row: int | None
    constant_column: int | None
    least: float
    greatest: float
    mean: float
    spread: float
    column_gaps: Floats
    gap_rows: Pairs

    @property
    def tied(self) -> float:
        """The share of scores equal to another score of the same query."""
        return self.n_tied / self.n_scores


@dataclass(frozen=True, eq=False)
class _BlockSums:
    """What a block of rows adds."""

    n_rows: int
    n_failed: int
    n_tied: int
    n_not_finite: int
    first_not_finite: tuple[int, int] | None
    levels: Floats
    constant_row: int | None
    column_low: Floats
    column_high: Floats
    n: int
    mean: float
    squares: float
    gaps: Floats
    gap_rows: Pairs


def survey(
    matrix: Laid,
    column_pairs: Pairs | None = None,
    equality: Equality | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> ScoreSurvey:
    """Process every score once, in constant memory.

    `column_pairs` (n × 2) are pairs of columns to compare in the same pass, with `equality`.
    """
    n_rows, n_columns = matrix.shape
    step = max(1, CELLS_AT_ONCE // n_columns)

    progress = progress or Silent()
    progress.begin(f"checking {matrix.name}", n_rows)

    def counted(part: _BlockSums) -> _BlockSums:
        progress.advance(part.n_rows)
        return part

    parts = run_blocks(_Looks(matrix, column_pairs, equality), slices(n_rows, step), threads)
    return _summary(reduce(_merged, map(counted, parts)))


@dataclass(frozen=True, eq=False)
class _Looks:
    """A look at a block of rows."""

    matrix: Laid
    column_pairs: Pairs | None
    equality: Equality | None

    def __call__(self, block: slice) -> _BlockSums:
        values, failed = self.matrix.floats(block), self.matrix.failures(block)
        return _part(values, failed, block.start, self.column_pairs, self.equality)


def _part(
    values: Floats, failed: Mask | None, first_row: int, column_pairs: Pairs | None, equality: Equality | None
) -> _BlockSums:
    finite = np.isfinite(values)
    judged = np.ones_like(finite) if failed is None else ~failed
    bad = judged & ~finite
    good = judged & finite
    first = None
    if bad.any():
        row, column = np.unravel_index(int(np.argmax(bad)), bad.shape)
        first = (first_row + int(row), int(column))
    n = int(good.sum())
    if n < values.size:
        values[~good] = np.nan  # sorted to the end, equal to nothing, and passed over by fmin and fmax
    scores = values if n == values.size else values[good]
    mean = float(scores.mean(dtype=np.float64)) if n else 0.0
    ordered = np.sort(values, axis=1)
    gaps, gap_rows = _gaps(values, ordered, column_pairs, equality)
    low, high = ordered[:, 0], np.fmax.reduce(values, axis=1)
    constant = np.flatnonzero((low == high) & (good.sum(axis=1) > 1))
    return _BlockSums(
        n_rows=len(values),
        n_failed=int(values.size - judged.sum()),
        n_tied=_tied(ordered),
        n_not_finite=int(bad.sum()),
        first_not_finite=first,
        levels=_levels(values, low, high),
        constant_row=first_row + int(constant[0]) if len(constant) else None,
        column_low=np.fmin.reduce(values, axis=0),
        column_high=np.fmax.reduce(values, axis=0),
        n=n,
        mean=mean,
        squares=float(np.square(scores - mean, dtype=np.float64).sum()),
        gaps=gaps,
        gap_rows=gap_rows + first_row,
    )


def _gaps(
    values: Floats, ordered: Floats, pairs: Pairs | None, equality: Equality | None
) -> tuple[Floats, Pairs]:
    """The greatest difference of each pair of columns, and the row it is in."""
    if equality is None or pairs is None or not len(pairs):
        return np.zeros(0), np.zeros(0, dtype=np.intp)
    apart = equality.apart(values[:, pairs[:, 0]], values[:, pairs[:, 1]], middles(ordered))
    rows = apart.argmax(axis=0)
    return apart.max(axis=0), rows


def _tied(ordered: Floats) -> int:
    equal = ordered[:, 1:] == ordered[:, :-1]
    before = np.zeros((len(ordered), 1), dtype=np.bool_)
    return int((np.hstack([equal, before]) | np.hstack([before, equal])).sum())


def _levels(values: Floats, low: Floats, high: Floats) -> npt.NDArray[np.float64]:
    """The different values, no more than three of them."""
    ends = np.unique(np.concatenate([low, high]).astype(np.float64))
    ends = ends[~np.isnan(ends)]
    if len(ends) > _FEW or not len(ends):
        return ends[: _FEW + 1]
    others: Floats = values[(values != ends[0]) & (values != ends[-1]) & ~np.isnan(values)]
    return np.concatenate([ends, others[:1]])


def _merged(one: _BlockSums, other: _BlockSums) -> _BlockSums:
    n = one.n + other.n
    step = other.mean - one.mean
    nearer = one.gaps >= other.gaps
    return _BlockSums(
        n_rows=one.n_rows + other.n_rows,
        n_failed=one.n_failed + other.n_failed,
        n_tied=one.n_tied + other.n_tied,
        n_not_finite=one.n_not_finite + other.n_not_finite,
        first_not_finite=one.first_not_finite or other.first_not_finite,
        levels=one.levels
        if len(one.levels) > _FEW
        else np.unique(np.concatenate([one.levels, other.levels]))[: _FEW + 1],
        constant_row=other.constant_row if one.constant_row is None else one.constant_row,
        column_low=np.fmin(one.column_low, other.column_low),
        column_high=np.fmax(one.column_high, other.column_high),
        n=n,
        mean=one.mean + step * other.n / n if n else 0.0,
        squares=one.squares + other.squares + (step * step * one.n * other.n / n if n else 0.0),
        gaps=np.where(nearer, one.gaps, other.gaps),
        gap_rows=np.where(nearer, one.gap_rows, other.gap_rows),
    )


def _summary(total: _BlockSums) -> ScoreSurvey:
    constant = np.flatnonzero(total.column_low == total.column_high) if total.n_rows > 1 else np.zeros(0)
    # Adding zero turns minus zero into zero.
    return ScoreSurvey(
        n_scores=total.n,
        n_failed=total.n_failed,
        n_tied=total.n_tied,
        n_not_finite=total.n_not_finite,
        first_not_finite=total.first_not_finite,
        levels=tuple((total.levels + 0.0).tolist()),
        constant_row=total.constant_row,
        constant_column=int(constant[0]) if len(constant) else None,
        least=float(np.fmin.reduce(total.column_low)) + 0.0,
        greatest=float(np.fmax.reduce(total.column_high)) + 0.0,
        mean=total.mean,
        spread=float(np.sqrt(total.squares / total.n)) if total.n else 0.0,
        column_gaps=total.gaps,
        gap_rows=total.gap_rows,
    )
