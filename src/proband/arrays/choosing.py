"""The smallest array for a number of symbols and columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from proband.arrays.balance import Balance, balance
from proband.arrays.hadamard import hadamard, how_made, smallest_hadamard
from proband.arrays.hamming import Symbols, check_size, column_limit, rao_hamming, smallest_exponent
from proband.arrays.polynomials import prime_power
from proband.arrays.sequences import cyclic_shift_array
from proband.errors import UsageError
from proband.words import count

Rule = Literal["strength-2", "strat-2001"]


@dataclass(frozen=True, eq=False)
class OrthogonalArray:
    """An array of symbols in which every pair of columns is balanced, and how it was made.

    Attributes
    ----------
    rows
        The array: one row a replicate, one column a factor or stratum. It is read-only.
    symbols
        How many symbols: they are 0 to ``symbols`` − 1.
    construction
        How it was made, in words.
    m
        The exponent if there are ``symbols`` ** m rows by construction.
    strength
        2: every ordered pair of symbols is equally often in every two columns. 1: only every symbol in every column, which is all that
        the rule of 2001 gives beyond the limit.
    """

    rows: Symbols = field(repr=False)
    symbols: int
    construction: str
    m: int | None
    strength: int = 2

    def __post_init__(self) -> None:
        self.rows.setflags(write=False)

    @property
    def n_rows(self) -> int:
        return int(self.rows.shape[0])

    @property
    def n_columns(self) -> int:
        return int(self.rows.shape[1])

    def balance(self) -> Balance:
        """Prove its balance, by counting."""
        return balance(self.rows, self.symbols)

    def __str__(self) -> str:
        return f"{count(self.n_rows)} × {count(self.n_columns)} array of {self.symbols} symbols: {self.construction}"


def n_replicates(symbols: int, columns: int, rule: Rule = "strength-2", fewest: bool = False) -> int:
    """How many rows :func:`orthogonal_array` gives: the least power of the number of symbols that suffices for the columns.

    Other constructions may need fewer: 54 rows balance 25 columns of 3 symbols (Addelman and Kempthorne 1961), where this gives 81.

    Examples
    --------
    >>> n_replicates(3, 256), n_replicates(3, 481), n_replicates(2, 483)
    (729, 2187, 512)
    >>> n_replicates(2, 483, fewest=True)
    484
    """
    rows = int(symbols ** _exponent(symbols, columns, rule))
    if fewest and (symbols != 2 or rule != "strength-2"):
        raise UsageError(
            f"fewest applies to balanced arrays of 2 symbols and has no effect with {symbols} symbols and "
            f"the rule {rule}.",
            "leave it out.",
        )
    if fewest:
        return min(rows, smallest_hadamard(columns))
    return rows


def orthogonal_array(
    symbols: int, columns: int, rule: Rule = "strength-2", fewest: bool = False
) -> OrthogonalArray:
    """Make an array of strength 2 with so many symbols and columns, of as few rows as the construction allows.

    Parameters
    ----------
    symbols
        A prime power: 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, ….
    columns
        How many columns are needed.
    rule
        "strength-2", or "strat-2001" for the array of Micheals and Boult (2001), which allows p^m − 1 columns of a prime number p
        of symbols; beyond (p^m − 1)/(p − 1) they are not balanced.
    fewest
        For two symbols, take a Hadamard matrix if it has fewer rows than the power of 2. For other numbers of symbols nothing here has fewer.

    Warns
    -----
    UnbalancedArrayWarning
        If the rule of 2001 gives more columns than can be balanced.

    Examples
    --------
    >>> print(orthogonal_array(3, 256))
    729 × 256 array of 3 symbols: Rao–Hamming over GF(3)
    >>> print(orthogonal_array(2, 8, fewest=True))
    12 × 8 array of 2 symbols: Paley's first Hadamard matrix over GF(11), of order 12
    """
    m, order = _exponent(symbols, columns, rule), n_replicates(symbols, columns, rule, fewest)
    if rule == "strat-2001":
        made = cyclic_shift_array(symbols, m, columns)
        strength = 2 if columns <= column_limit(symbols, m) else 1
        return OrthogonalArray(
            made, symbols, f"shifts of a maximal sequence of GF({symbols}^{m})", m, strength
        )
    if order < symbols**m:
        check_size(order, order)
        signs = hadamard(order)[:, 1 : columns + 1]
        return OrthogonalArray(((1 - signs) // 2).astype(np.uint8), 2, how_made(order), None)
    return OrthogonalArray(rao_hamming(symbols, m, columns), symbols, f"Rao–Hamming over GF({symbols})", m)


def _exponent(symbols: int, columns: int, rule: Rule) -> int:
    """The least exponent that a rule allows."""
    if prime_power(symbols) is None:
        raise UsageError(
            f"The number of symbols must be a prime power, got {symbols}.",
            "use the jackknife or the Rao-Wu bootstrap, which accept any number of units in a stratum.",
        )
    m = smallest_exponent(symbols, columns)
    if rule == "strength-2":
        return m
    if rule != "strat-2001":
        raise UsageError(f"The rule must be strength-2 or strat-2001, got {rule!r}.")
    while m > 1 and symbols ** (m - 1) > columns:
        m -= 1
    return m
