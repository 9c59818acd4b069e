"""Arrays from shifts of a sequence (Gurney and Jewett 1975; Micheals and Boult 2001, App. B), with the right limit on columns."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt

from proband.arrays.fields import GaloisField
from proband.arrays.hamming import Symbols, check_size, column_limit
from proband.arrays.polynomials import prime_power
from proband.errors import UsageError
from proband.words import count


class UnbalancedArrayWarning(UserWarning):
    """An array has columns that are not balanced against each other, so variances from it are wrong."""


def m_sequence(p: int, m: int) -> npt.NDArray[np.uint8 | np.uint16]:
    """Make a sequence of p^m − 1 integers modulo a prime in which every m of them in a row, but for zeros, stand once.

    It is the coefficient of 1 in the successive powers of x, modulo a polynomial for which these are all of GF(p^m) but 0.

    Examples
    --------
    >>> m_sequence(3, 2)
    array([1, 0, 1, 2, 2, 0, 2, 1], dtype=uint8)
    """
    found = prime_power(p)
    if found is None or found[1] != 1 or m < 1:
        raise UsageError(
            f"A maximal sequence needs a prime number of symbols and a positive degree, got {p} and {m}.",
            "use rao_hamming, which accepts any prime power.",
        )
    sequence = GaloisField(p**m).powers % p
    return sequence.astype(np.min_scalar_type(p - 1))


def cyclic_shift_array(p: int, m: int, columns: int) -> Symbols:
    """Make the array of p^m rows whose columns are a maximal sequence shifted by one place each, and a last row of zeros.

    Only the first (p^m − 1)/(p − 1) columns are balanced. A shift by that many places multiplies the sequence by a constant, so the
    pairs of symbols in two such columns are only (0, 0), (1, 2), (2, 1), …. For p = 2 the limit is p^m − 1. For p > 2 the papers take
    p^m − 1 columns too; that is possible here, but warned of.

    Parameters
    ----------
    p
        How many symbols: a prime.
    m
        There are p^m rows.
    columns
        How many columns, at most p^m − 1.

    Warns
    -----
    UnbalancedArrayWarning
        If there are more columns than can be balanced; it names some pairs of them.

    Examples
    --------
    >>> cyclic_shift_array(3, 2, 4).T
    array([[1, 0, 1, 2, 2, 0, 2, 1, 0],
           [0, 1, 2, 2, 0, 2, 1, 1, 0],
           [1, 2, 2, 0, 2, 1, 1, 0, 0],
           [2, 2, 0, 2, 1, 1, 0, 1, 0]], dtype=uint8)
    """
    sequence = m_sequence(p, m)
    length = len(sequence)
    if not 1 <= columns <= length:
        raise UsageError(
            f"There are {count(length)} shifts of a sequence of {count(length)} symbols, got {count(columns)} columns.",
            "use a larger m.",
        )
    check_size(length + 1, columns)
    _warn_of_multiples(p, m, columns)
    array = np.zeros((length + 1, columns), dtype=sequence.dtype)
    twice = np.concatenate([sequence, sequence])
    array[:-1] = np.lib.stride_tricks.sliding_window_view(twice, columns)[:length]
    return array


def _warn_of_multiples(p: int, m: int, columns: int) -> None:
    """Warn of the columns that are multiples of each other: those a multiple of the limit apart."""
    limit = column_limit(p, m)
    if columns <= limit:
        return
    later = np.arange(limit, columns)
    n_pairs = int((later // limit).sum())
    some = ", ".join(f"{column - limit} and {column}" for column in later[:3])
    warnings.warn(
        f"{count(n_pairs)} pairs of the {count(columns)} columns are multiples of each other and not balanced (columns {some}, …): {p}^{m} = {count(p**m)} "
        f"rows can balance {count(limit)} columns of {p} symbols. Variances from this array are wrong.",
        UnbalancedArrayWarning,
        stacklevel=3,
    )
