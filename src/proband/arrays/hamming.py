"""Orthogonal arrays of any prime power of symbols, by the construction of Rao (1947) that the Hamming codes share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from proband.arrays.fields import GaloisField
from proband.errors import UsageError
from proband.words import count

Symbols = npt.NDArray[np.unsignedinteger]

LARGEST = 1 << 33  # symbols that are made at once: 8 GB of them are beyond any use


def column_limit(q: int, m: int) -> int:
    """How many columns an array of strength 2 with q^m rows and q symbols can have: (q^m − 1)/(q − 1).

    Rao's bound: the q − 1 contrasts of each column are orthogonal to each other and to the constant, and there are q^m rows. So no
    construction can give more.

    Examples
    --------
    >>> column_limit(3, 6), column_limit(2, 9)
    (364, 511)
    """
    if q < 2 or m < 1:
        raise UsageError(
            f"An array needs at least 2 symbols and a positive exponent, got q = {q} and m = {m}."
        )
    return int((q**m - 1) // (q - 1))


def smallest_exponent(q: int, columns: int) -> int:
    """The least m such that q^m rows can carry so many columns."""
    if columns < 1:
        raise UsageError(f"An array must have at least one column, got {columns}.")
    m = 1
    while column_limit(q, m) < columns:
        m += 1
    return m


def projective_points(q: int, m: int, columns: int) -> npt.NDArray[np.int64]:
    """The vectors of GF(q)^m that stand for the columns, one a row.

    A point is a vector whose first coordinate that is not 0 is 1. Read as a number to the base q, the first coordinate the highest
    digit, they come in increasing order: for q = 3 and m = 2 these are 01, 10, 11, 12. No one is a multiple of another.
    """
    check_columns(q, m, columns)
    starts = np.array([column_limit(q, j) if j else 0 for j in range(m)])
    column = np.arange(columns)
    j = np.searchsorted(starts, column, side="right") - 1
    numbers = np.array([q**i for i in range(m)])[j] + column - starts[j]
    places = np.array([q**i for i in reversed(range(m))])
    return np.asarray(numbers[:, None] // places % q)


def rao_hamming(q: int, m: int, columns: int | None = None) -> Symbols:
    """Make the array of q^m rows in which column h of row r is the product ⟨r, g_h⟩ over GF(q).

    Rows are all vectors r of GF(q)^m, read as numbers to the base q in increasing order; columns are the points g_h of
    :func:`projective_points`. Two points are never multiples of each other, so every ordered pair of symbols stands equally often in
    every two columns: the strength is 2.

    Parameters
    ----------
    q
        How many symbols: a prime power.
    m
        There are q^m rows.
    columns
        How many columns; by default all (q^m − 1)/(q − 1).

    Returns
    -------
    array
        Rows × columns of uint8 (uint16 for more than 256 symbols).

    Examples
    --------
    >>> rao_hamming(3, 2)
    array([[0, 0, 0, 0],
           [1, 0, 1, 2],
           [2, 0, 2, 1],
           [0, 1, 1, 1],
           [1, 1, 2, 0],
           [2, 1, 0, 2],
           [0, 2, 2, 2],
           [1, 2, 0, 1],
           [2, 2, 1, 0]], dtype=uint8)
    """
    field = GaloisField(q)
    columns = column_limit(q, m) if columns is None else columns
    check_columns(q, m, columns)
    check_size(q**m, columns)
    points = projective_points(q, m, columns)
    kind = np.min_scalar_type(q - 1)
    array = np.zeros((1, columns), dtype=kind)
    for coordinate in reversed(range(m)):
        shifts = field.multiply(field.elements[:, None], points[:, coordinate])
        array = np.concatenate([field.add(array, shift).astype(kind) for shift in shifts])
    return array


def check_columns(q: int, m: int, columns: int) -> None:
    """Refuse more columns than q^m rows can carry."""
    limit = column_limit(q, m)
    if not 1 <= columns <= limit:
        raise UsageError(
            f"{q}^{m} = {count(q**m)} rows allow 1 to {count(limit)} columns of {q} symbols, got "
            f"{count(columns)}.",
            f"use more rows: m = {smallest_exponent(q, max(columns, 1))}.",
        )


def check_size(rows: int, columns: int) -> None:
    """Refuse arrays that no memory would hold."""
    if rows * columns > LARGEST:
        raise UsageError(
            f"An array of {count(rows)} × {count(columns)} symbols is too large to build.",
            "use replicate_totals, which computes the totals of all rows without the array.",
        )
