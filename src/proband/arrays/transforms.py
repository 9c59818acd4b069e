"""Totals of all rows of a Rao–Hamming array at once, by a discrete Fourier transform in place of the array."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.arrays.fields import GaloisField
from proband.arrays.hamming import check_columns, projective_points, smallest_exponent
from proband.errors import InputError

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[Any]  # real for powers of 2, complex for the others
Integers = npt.NDArray[np.int64]

COMPILED_FROM = 1 << 19  # cells from which the compiled transform repays its loading
STEP = 16  # points that one product of matrices transforms, if the prime is not larger
PIECE = 1 << 15  # multiplications in one product
LARGE_PRIME = 64  # from here on numpy's own transform beats a product
CELLS = 1 << 21  # complex numbers at a time


def replicate_totals(values: npt.ArrayLike, m: int | None = None) -> Floats:
    """Sum, for every row of a Rao–Hamming array, the values that the symbols of the row choose.

    With L columns and q symbols, row α gives Σ_h values[h, symbol of row α in column h]. Neither the array nor anything of its size
    is made: the totals are one discrete Fourier transform of length k = q^m, so k log k steps take the place of k L.

    Parameters
    ----------
    values
        Columns × symbols, or columns × symbols × statistics: what each symbol of each column is worth, weights included. The number
        of symbols is a prime power.
    m
        There are q^m rows; by default the fewest that can carry the columns.

    Returns
    -------
    array
        The totals, k or k × statistics, in the order of the rows of :func:`proband.arrays.rao_hamming`.

    Notes
    -----
    Let χ(a) = exp(2πi tr(a)/p) in GF(q), q = p^e. As a function of the symbol s, the values of column h are Σ_j Ŷ_hj χ(js)/q, and
    the symbol in row r is ⟨r, g_h⟩. So the total of row r is Σ_h Σ_j Ŷ_hj χ(⟨r, j g_h⟩)/q: a Fourier sum over the vectors u = j g_h,
    which are all different. Numbered by their coordinates in the dual basis, tr⟨r, u⟩ is a sum of products of digits, and the
    transform one on em axes of p points.

    Examples
    --------
    Four columns of three symbols, nine rows:

    >>> replicate_totals([[1, 2, 3], [10, 20, 30], [0, 0, 0], [0, 0, 0]]).round(9)
    array([11., 12., 13., 21., 22., 23., 31., 32., 33.])
    """
    table = _checked(values)
    columns, q = table.shape[:2]
    field = GaloisField(q)
    m = smallest_exponent(q, columns) if m is None else m
    check_columns(q, m, columns)
    flat = table.reshape(columns, q, -1)
    totals_of = _real_totals if field.characteristic == 2 else _complex_totals
    return totals_of(flat, field, m).reshape(q**m, *table.shape[2:])


def _real_totals(values: Floats, field: GaloisField, m: int) -> Floats:
    """The totals for powers of 2: characters are +1 and −1, and the transform is that of Walsh and Hadamard."""
    _, q, n = values.shape
    totals = np.empty((q**m, n))
    if totals.size < COMPILED_FROM:
        _spread(values, field, m, totals)
        return np.ascontiguousarray(_fourier(totals, 2, field.degree * m, +1).T)
    from proband.kernels.walsh import spread_pairs, walsh

    if q == 2:
        spread_pairs(values, totals)
    else:
        _spread(values, field, m, totals)
    walsh(totals.reshape(-1), n)
    return totals


def _complex_totals(values: Floats, field: GaloisField, m: int) -> Floats:
    """The totals for other prime powers. As they are real, two statistics ride in one complex transform."""
    _, q, n = values.shape
    totals = np.empty((q**m, n))
    width = 2 * max(1, CELLS // q**m)
    for start in range(0, n, width):
        part, into = values[:, :, start : start + width], totals[:, start : start + width]
        pairs = part.shape[2] // 2
        riding = part[:, :, 0::2].astype(np.complex128)
        riding[:, :, :pairs] += 1j * part[:, :, 1::2]
        spectrum = np.empty((q**m, riding.shape[2]), dtype=np.complex128)
        _spread(riding, field, m, spectrum)
        made = _fourier(spectrum, field.characteristic, field.degree * m, +1).T
        into[:, 0::2] = made.real
        into[:, 1::2] = made.imag[:, :pairs]
    return totals


def _spread(values: Numbers, field: GaloisField, m: int, spectrum: Numbers) -> None:
    """Put the coefficients of the values of every column where the transform of all wants them."""
    columns, q, n = values.shape
    symbols_first = np.moveaxis(values, 1, 0).reshape(q, columns * n)
    own = _fourier(symbols_first, field.characteristic, field.degree, -1).reshape(columns, n, q) / q
    spectrum[...] = 0.0
    spectrum[0] = own[:, :, 0].sum(axis=0)
    spectrum[_places(field, m, columns)] = np.moveaxis(own[:, :, _dual_numbers(field)[1:]], 2, 1)


def _places(field: GaloisField, m: int, columns: int) -> Integers:
    """The number of the vector j g_h in the dual basis, for every column h and every j that is not 0."""
    if field.order == 2:
        return np.arange(1, columns + 1)[:, None]
    points = projective_points(field.order, m, columns)
    multipliers = field.elements[1:]
    dual = _dual_numbers(field)
    places = np.zeros((columns, len(multipliers)), dtype=np.int64)
    for coordinate in points.T:
        places = places * field.order + dual[field.multiply(coordinate[:, None], multipliers)]
    return places


def _dual_numbers(field: GaloisField) -> Integers:
    """Every element's number in the dual basis: its digit i is tr(x^i u), so that tr(ru) is the sum of products of the digits of r and u."""
    p = field.characteristic
    numbers = np.zeros(field.order, dtype=np.int64)
    for place in (p**i for i in range(field.degree)):
        numbers += field.trace(field.multiply(place, field.elements)) * place
    return numbers


def _fourier(table: Numbers, p: int, axes: int, sign: int) -> Numbers:
    """Transform p^axes rows, not normalised; the result has the rows as its last axis.

    Each step transforms the first few axes and moves them to the end; after the last one the axes are in their old order, behind the columns.
    """
    at_once = 1
    while p ** (at_once + 1) <= STEP:
        at_once += 1
    columns = table.shape[1]
    while axes:
        step = min(at_once, axes)
        turned = table.reshape(p**step, -1).T
        if p < LARGE_PRIME:
            table = _in_pieces(turned, _characters(p, step, sign))
        elif sign > 0:
            table = np.fft.ifft(turned, axis=1, norm="forward")
        else:
            table = np.fft.fft(turned, axis=1)
        axes -= step
    return table.reshape(columns, -1)


def _in_pieces(tall: Numbers, square: Numbers) -> Numbers:
    """A product of matrices, by pieces that stay in the cache and that BLAS does not share out: its threads would wait for each other."""
    product = np.empty(tall.shape, dtype=square.dtype)
    rows = max(1, PIECE // square.size)
    for start in range(0, len(tall), rows):
        np.matmul(tall[start : start + rows], square, out=product[start : start + rows])
    return product


@lru_cache(maxsize=32)
def _characters(p: int, axes: int, sign: int) -> Numbers:
    """The matrix exp(±2πi a·b/p) of the vectors a and b of so many digits."""
    products = np.outer(np.arange(p), np.arange(p)) % p
    one = np.array([1.0, -1.0])[products] if p == 2 else np.exp(sign * 2j * np.pi / p * products)
    matrix = one
    for _ in range(axes - 1):
        matrix = np.kron(matrix, one)
    return matrix


def _checked(values: npt.ArrayLike) -> Floats:
    table = np.ascontiguousarray(values, dtype=np.float64)
    if table.ndim not in (2, 3) or not table.size:
        raise InputError(
            "Values must have the shape columns × symbols or columns × symbols × statistics, got "
            f"{table.shape}."
        )
    return table
