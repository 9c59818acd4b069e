"""Proving that an array is balanced: counting every pair of symbols in every pair of columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.errors import InputError, UsageError
from proband.words import count

SHOWN = 10  # offenders that are named
FEW_SYMBOLS = 10  # up to here products of matrices count pairs faster than counting does
WIDTH, CELLS = 2_048, 1 << 23  # of a matrix at a time


@dataclass(frozen=True)
class Balance:
    """The balance of an array.

    Attributes
    ----------
    rows, columns, symbols
        The size of the array.
    n_columns, n_pairs
        The numbers of columns, and of pairs of columns, that are not balanced.
    unbalanced_columns, unbalanced_pairs
        The first few of these, counted from 0.
    """

    rows: int
    columns: int
    symbols: int
    n_columns: int
    n_pairs: int
    unbalanced_columns: tuple[int, ...]
    unbalanced_pairs: tuple[tuple[int, int], ...]

    @property
    def full(self) -> bool:
        """Whether every symbol is equally often in every column, and every ordered pair of symbols in every two columns."""
        return not self.n_columns and not self.n_pairs

    def __bool__(self) -> bool:
        return self.full

    def __str__(self) -> str:
        pairs = self.columns * (self.columns - 1) // 2
        if self.full:
            single = (
                f"each of {self.symbols} symbols occurs {_times(self.rows // self.symbols)} in every column"
            )
            if not pairs:
                return f"Balanced: {single}."
            often = _times(self.rows // self.symbols**2)
            return f"Balanced: {single}, and each ordered pair of them {often} in each of {count(pairs)} pairs of columns."
        said = []
        if self.n_columns:
            named = _named(map(str, self.unbalanced_columns), self.n_columns)
            said.append(f"{count(self.n_columns)} of {count(self.columns)} columns ({named})")
        if self.n_pairs:
            named = _named((f"{a} and {b}" for a, b in self.unbalanced_pairs), self.n_pairs)
            said.append(f"{count(self.n_pairs)} of {count(pairs)} pairs of columns ({named})")
        return f"Not balanced, counting columns from 0: {'; '.join(said)}."


def balance(array: npt.ArrayLike, symbols: int) -> Balance:
    """Prove that an array has strength 2, or find the columns where it has not.

    The proof is a count of everything: in every column each symbol stands equally often, and in every two columns each ordered pair of symbols.
    The mean over the rows is then that over all possible choices, and so is the variance, for anything that adds up over columns.

    Parameters
    ----------
    array
        Rows × columns of whole numbers from 0 to ``symbols`` − 1.
    symbols
        How many symbols there are; one that does not occur is counted too.

    Examples
    --------
    >>> from proband.arrays import rao_hamming
    >>> print(balance(rao_hamming(3, 6), 3))
    Balanced: each of 3 symbols occurs 243 times in every column, and each ordered pair of them 81 times in each of 66,066 pairs of columns.
    >>> print(balance([[0, 0], [1, 1]], 2))
    Not balanced, counting columns from 0: 1 of 1 pairs of columns (0 and 1).
    """
    table = _checked(array, symbols)
    rows, columns = table.shape
    counts = np.stack([np.count_nonzero(table == symbol, axis=0) for symbol in range(symbols)])
    bad_columns = (counts * symbols != rows).any(axis=0)
    blocks = _by_products if symbols <= FEW_SYMBOLS else _by_counting
    n_pairs, shown = 0, []
    for first, second, bad in blocks(table, symbols):
        bad |= bad_columns[first : first + len(bad), None] | bad_columns[second : second + bad.shape[1]]
        own = np.arange(first, first + len(bad))[:, None] < np.arange(second, second + bad.shape[1])
        found = np.argwhere(bad & own)
        n_pairs += len(found)
        shown += [(first + int(a), second + int(b)) for a, b in found[:SHOWN]]
    offenders = np.flatnonzero(bad_columns)
    return Balance(
        rows=rows,
        columns=columns,
        symbols=symbols,
        n_columns=len(offenders),
        n_pairs=n_pairs,
        unbalanced_columns=tuple(offenders[:SHOWN].tolist()),
        unbalanced_pairs=tuple(sorted(shown)[:SHOWN]),
    )


Blocks = Iterator[tuple[int, int, npt.NDArray[np.bool_]]]
"""The first column of either side of a block of pairs, and which pairs are not balanced."""


def _by_products(table: npt.NDArray[np.integer], symbols: int) -> Blocks:
    """Count by products of matrices of zeros and ones.

    The last symbol is left out: if the columns are balanced, its pairs follow from the others by subtraction.
    """
    rows, columns = table.shape
    kept = np.arange(symbols - 1, dtype=table.dtype)
    kind = np.float32 if rows < 1 << 24 else np.float64  # counts are exact
    width = max(1, min(WIDTH // len(kept), CELLS // (rows * len(kept))))
    expected = _expected(rows, symbols)

    def indicators(start: int) -> npt.NDArray[np.floating]:
        some = table[:, start : start + width, None] == kept
        return np.asarray(some.reshape(rows, -1), dtype=kind)

    for first in range(0, columns, width):
        left = indicators(first)
        for second in range(first, columns, width):
            right = left if second == first else indicators(second)
            counts = left.T @ right
            apart = (counts != expected).reshape(-1, len(kept), right.shape[1] // len(kept), len(kept))
            yield first, second, apart.any(axis=(1, 3))


def _by_counting(table: npt.NDArray[np.integer], symbols: int) -> Blocks:
    """Count the pairs of one column with some others at a time."""
    rows, columns = table.shape
    pairs = symbols * symbols
    width = max(1, CELLS // max(rows, pairs))
    expected = _expected(rows, symbols)
    wide = table.astype(np.int64)
    for first in range(columns):
        for second in range(first + 1, columns, width):
            others = wide[:, second : second + width]
            codes = wide[:, first, None] * symbols + others + np.arange(others.shape[1]) * pairs
            counts = np.bincount(codes.ravel(), minlength=others.shape[1] * pairs)
            yield first, second, (counts != expected).reshape(1, -1, pairs).any(axis=2)


def _expected(rows: int, symbols: int) -> int:
    """How often each pair must be there; −1, which no count is, if that is not a whole number."""
    return rows // symbols**2 if rows % symbols**2 == 0 else -1


def _checked(array: npt.ArrayLike, symbols: int) -> npt.NDArray[np.integer]:
    table = np.asarray(array)
    if symbols < 2:
        raise UsageError(f"An array must have at least 2 symbols, got {symbols}.")
    if table.ndim != 2 or not table.size or table.dtype.kind not in "iu":
        raise InputError(
            f"Expected a two-dimensional array of integers, got {table.dtype} of shape {table.shape}."
        )
    if table.min() < 0 or table.max() >= symbols:
        raise InputError(
            f"The symbols must be 0 to {symbols - 1}, got {table.min()} to {table.max()}.",
            "convert a matrix of +1 and −1 with (1 − matrix) // 2.",
        )
    return table


def _times(n: int) -> str:
    return "once" if n == 1 else f"{count(n)} times"


def _named(items: Iterator[str], total: int) -> str:
    some = list(items)[:3]
    return ", ".join(some) + (", …" if total > len(some) else "")
