"""Scores of a set of pairs, read in tiles of whole rows; the genuine ones, and a sample of impostors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from proband.engine import run_blocks, slices, using
from proband.kernels.codes import DONT_CARE, FAILED, OK, empty_cells
from proband.measures.pairs.pair_set import Codes, Counts, Floats, PairSet
from proband.samples.ids import Positions
from proband.samples.table import frozen
from proband.scores import Scores
from proband.scores.base import Cells, Values

_CELLS_AT_ONCE = 1 << 22  # scores held at once by a thread
_FEW = 1 << 18  # genuine pairs
_SAMPLE = (32, 1024)  # rows and columns sampled for the range of impostor scores


@dataclass(frozen=True)
class ScoreTile:
    """Scores of some rows; row i counts from column ``firsts[i]`` on. `codes` has no columns if every cell is fine.

    The first column is column `start` of the set of pairs.

    Attributes
    ----------
    values, codes, firsts
        Scores, the codes of their cells, and the first counted column of each row.
    sign
        The sign that converts scores to closeness.
    row_codes, column_codes, start
        The subjects of rows and columns, and the number of the first column.
    """

    values: Values
    codes: Cells
    firsts: Counts
    sign: float
    row_codes: Codes
    column_codes: Codes
    start: int = 0

    @property
    def arrays(self) -> tuple[Values, Cells, Counts, float, Codes, Codes]:
        """The arguments of the kernels."""
        return self.values, self.codes, self.firsts, self.sign, self.row_codes, self.column_codes


@dataclass(frozen=True)
class GenuineScores:
    """Genuine comparisons with a score, with their positions and closeness, and the numbers without.

    Attributes
    ----------
    rows, columns, closeness
        The positions of each comparison in the set of pairs, and its closeness.
    n_dont_care, n_failed
        Comparisons not to be counted, and comparisons that failed.
    """

    rows: Positions
    columns: Positions
    closeness: Floats
    n_dont_care: int = 0
    n_failed: int = 0


@dataclass(frozen=True)
class ImpostorScores:
    """The closeness of impostor comparisons with a score, and the numbers without.

    Attributes
    ----------
    closeness
        The values in ascending order.
    n_dont_care, n_failed
        Comparisons not to be counted, and comparisons that failed.
    """

    closeness: Floats
    n_dont_care: int
    n_failed: int


def sign_of(scores: Scores) -> float:
    """Return the sign that converts scores to closeness: 1 for similarities, −1 for distances."""
    return 1.0 if scores.larger_is_closer else -1.0


def row_blocks(pairs: PairSet) -> Iterator[slice]:
    """Divide rows into runs whose tiles have a bounded number of scores."""
    return slices(len(pairs.rows), max(1, _CELLS_AT_ONCE // max(1, len(pairs.columns))))


def read_tile(scores: Scores, pairs: PairSet, rows: slice) -> ScoreTile:
    """Read the scores of some rows with all their counted columns."""
    start = int(pairs.firsts[rows].min())
    values, codes = read_places(
        scores, pairs, np.arange(rows.start, rows.stop), np.arange(start, len(pairs.columns))
    )
    # All read-only: kernels are compiled again for arrays of another kind.
    return ScoreTile(
        frozen(values.view()),
        frozen(empty_cells(len(values)) if codes is None else codes.view()),
        np.maximum(pairs.firsts[rows] - start, 0),
        sign_of(scores),
        pairs.row_codes[rows],
        pairs.column_codes[start:],
        start,
    )


def read_places(
    scores: Scores, pairs: PairSet, rows: Positions, columns: Positions
) -> tuple[Values, Cells | None]:
    """Read scores and cell codes at some positions of the set of pairs.

    If the comparison of two samples on both axes is a don't-care cell in one order, the other order counts.
    """
    values = scores.tile(pairs.rows[rows], pairs.columns[columns])
    codes = scores.cells(pairs.rows[rows], pairs.columns[columns])
    if codes is None:
        return values, None
    shared = np.ix_(rows < pairs.n_shared, columns < pairs.n_shared)
    missing = codes[shared] == DONT_CARE
    if missing.any():
        back = pairs.rows[columns[columns < pairs.n_shared]], pairs.columns[rows[rows < pairs.n_shared]]
        other, other_codes = scores.tile(*back).T, scores.cells(*back)
        values, codes = values.copy(), codes.copy()
        values[shared] = np.where(missing, other, values[shared])
        codes[shared] = np.where(missing, OK if other_codes is None else other_codes.T, codes[shared])
    return values, codes


def collect_genuine(scores: Scores, pairs: PairSet, threads: int | None = None) -> GenuineScores:
    """Score every genuine pair, row by row."""
    most = int(np.bincount(pairs.column_codes).max(initial=1))
    blocks = slices(len(pairs.rows), max(1, min(4096, _CELLS_AT_ONCE // most)))
    with using("threads" if pairs.n_genuine < _FEW else None):  # sending a few takes longer than scoring them
        parts = list(run_blocks(_Genuine(scores, pairs), blocks, threads))
    nothing = GenuineScores(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty(0))
    return GenuineScores(
        np.concatenate([part.rows for part in (nothing, *parts)]),
        np.concatenate([part.columns for part in (nothing, *parts)]),
        np.concatenate([part.closeness for part in (nothing, *parts)]),
        sum(part.n_dont_care for part in parts),
        sum(part.n_failed for part in parts),
    )


@dataclass(frozen=True, eq=False)
class _Genuine:
    """The genuine comparisons of a block of rows."""

    scores: Scores
    pairs: PairSet

    def __call__(self, rows: slice) -> GenuineScores:
        scores, pairs = self.scores, self.pairs
        left, right = pairs.genuine(rows)
        if not left.size:
            return GenuineScores(left, right, np.empty(0))
        values, codes = _read_each(scores, pairs, left, right)
        scored = codes == OK
        return GenuineScores(
            left[scored],
            right[scored],
            sign_of(scores) * values[scored].astype(np.float64),
            int((codes == DONT_CARE).sum()),
            int((codes == FAILED).sum()),
        )


def collect_impostors(scores: Scores, pairs: PairSet) -> ImpostorScores:
    """Score every impostor pair of a set that fits into memory."""
    closeness, n_dont_care, n_failed = [np.empty(0)], 0, 0
    for rows in row_blocks(pairs):
        tile = read_tile(scores, pairs, rows)
        counted = np.arange(tile.values.shape[1]) >= tile.firsts[:, None]
        counted &= tile.row_codes[:, None] != tile.column_codes
        if tile.codes.shape[1]:
            codes = tile.codes[counted]
            n_dont_care += int((codes == DONT_CARE).sum())
            n_failed += int((codes == FAILED).sum())
            counted &= tile.codes == OK
        closeness.append(tile.sign * tile.values[counted].astype(np.float64))
    return ImpostorScores(np.sort(np.concatenate(closeness)), n_dont_care, n_failed)


def _read_each(scores: Scores, pairs: PairSet, left: Positions, right: Positions) -> tuple[Values, Cells]:
    """Read scores and cell codes of single pairs; don't-care cells are replaced by those of the other order."""
    rows, columns = pairs.rows[left], pairs.columns[right]
    values, codes = scores.each(rows, columns), scores.each_cell(rows, columns)
    if codes is None:
        return values, np.full(len(values), OK, dtype=np.uint8)
    turned = (codes == DONT_CARE) & (left < pairs.n_shared) & (right < pairs.n_shared)
    if turned.any():
        back = pairs.rows[right[turned]], pairs.columns[left[turned]]
        values[turned] = scores.each(*back)
        other = scores.each_cell(*back)
        codes[turned] = OK if other is None else other
    return values, codes


def sample_impostors(scores: Scores, pairs: PairSet) -> Floats:
    """Sample some impostor pairs, always the same, to estimate the range of most scores."""
    rng = np.random.default_rng(0)
    rows, columns = (
        np.sort(rng.choice(len(axis), min(len(axis), most), replace=False))
        for axis, most in zip((pairs.rows, pairs.columns), _SAMPLE, strict=True)
    )
    if not (rows.size and columns.size):
        return np.empty(0)
    values, codes = read_places(scores, pairs, rows, columns)
    counted = columns >= pairs.firsts[rows][:, None]
    counted &= pairs.column_codes[columns] != pairs.row_codes[rows][:, None]
    if codes is not None:
        counted &= codes == OK
    return sign_of(scores) * values[counted].astype(np.float64)
