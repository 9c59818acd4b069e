"""Half-samples in the order in which R's package survey makes them, so that non-linear statistics have the same variance.

The variance of a total does not depend on which Hadamard matrix balances the half-samples; that of a ratio does, a little.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from proband.arrays.polynomials import prime_factors
from proband.inference.survey.columns import Integers

Bits = npt.NDArray[np.int8]
_FOUR = np.array([[1, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 1]], dtype=np.int8)
_ORDER_28 = """
    fffffff 9c71c78 83cd378 83b2e66 9a0f8d6 952c5ae 8cd239e
    58aa7f0 45b59d4 46cbcac 561774a 4b64e9a 5959b26 2d1eae8
    3666b34 2b3b51c 31d74b2 32f89ca 2ced646 ea545e4 f1632cc
    f09ce1c e54ad52 e6392b2 e8a792a dffe000 bf81f80 7f8007e
"""  # of the many matrices of this order, the one that survey uses: rows as hexadecimal numbers
_KNOWN = (4, 16, 28, 36)  # orders that survey keeps whole
_LARGEST_PRIME = 7_919  # of those whose matrices survey makes


def half_samples(columns: int) -> Bits:
    """Rows of half-samples (replicates × columns), 0 for the first of two units and 1 for the second.

    As R's brrweights: the orders 4·2ᵏ by doubling, Paley's for primes, 28, and 36 of twin primes.
    """
    found = _matrix(columns)
    return (1 - found[1 : columns + 1].T).astype(np.int8)


def _matrix(n: int) -> Bits:
    near = n - n % 4
    for order in _KNOWN:
        if near < order <= near + 4:
            return _known(order)
    sizes = [order * 2 ** max(0, int(np.ceil(np.log2((n + 1) / order)))) for order in _KNOWN]
    best = int(np.argmin(sizes))
    if sizes[best] - n > 4:
        made = _paley(n, sizes[best])
        if made is not None:
            return made
    found = _known(_KNOWN[best])
    while len(found) < sizes[best]:
        found = _doubled(found)
    return found


def _known(order: int) -> Bits:
    if order == 36:
        return _of_twin_primes()
    if order == 28:
        rows = [[int(bit) for bit in f"{int(row, 16):028b}"] for row in _ORDER_28.split()]
        return np.array(rows, dtype=np.int8)
    return _FOUR if order == 4 else _doubled(_doubled(_FOUR))


def _doubled(matrix: Bits) -> Bits:
    return np.block([[matrix, matrix], [matrix, 1 - matrix]]).astype(np.int8)


def _paley(n: int, most: int) -> Bits | None:
    """Paley's matrix of at least n columns; None where survey has none that is small enough."""
    ceiling = part = n + 4 - n % 4
    if n % 4 + 4 == n % 8:
        while part % 8 == 0:
            part //= 2
        if _is_used(part - 1):
            made = _of_prime(part - 1)
            while len(made) < ceiling:
                made = _doubled(made)
            return made
    if n > _LARGEST_PRIME:
        return None
    prime = next(one for one in range(n, _LARGEST_PRIME + 1) if _is_used(one))
    if prime + 1 > ceiling + 4 and ceiling + 4 < most:
        return _paley(ceiling + 3, 2 * (ceiling + 3))
    return None if prime > most else _of_prime(prime)


def _is_used(number: int) -> bool:
    return number > 2 and number % 4 == 3 and number <= _LARGEST_PRIME and prime_factors(number) == [number]


def _of_prime(prime: int) -> Bits:
    squares = np.zeros(prime, dtype=np.bool_)
    squares[np.arange(prime) ** 2 % prime] = True
    places = np.add.outer(np.arange(prime), np.arange(prime)) % prime
    made = np.ones((prime + 1, prime + 1), dtype=np.int8)
    made[1:, 1:] = ~squares[places]
    return made


def _of_twin_primes() -> Bits:
    """The matrix of order 36 of the twin primes 5 and 7."""
    places = np.arange(35)
    signs = np.where(np.isin(places % 5, (1, 4)), 1, -1) * np.where(np.isin(places % 7, (1, 2, 4)), 1, -1)
    signs[places % 5 == 0] = -1
    signs[places % 7 == 0] = 1
    row = (signs[2 * places % 35] < 0).astype(np.int8)
    made = np.zeros((36, 36), dtype=np.int8)
    made[0] = 1
    made[1:, :35] = row[np.add.outer(places, places) % 35]
    return made


def pairs_in_order(strata: Integers, names: Sequence[str]) -> Integers | None:
    """The pair of each unit, numbered as R does: those of larger strata first, by name; None where a stratum has an odd number.

    Units of a stratum with four or more are paired as they come.
    """
    sizes = np.bincount(strata, minlength=len(names))
    if (sizes % 2).any():
        return None
    by_name = sorted(range(len(names)), key=lambda one: names[one])
    pairs = np.empty(len(strata), dtype=np.intp)
    upto = 0
    for large in (True, False):
        for stratum in by_name:
            if (sizes[stratum] > 2) == large:
                own = np.flatnonzero(strata == stratum)
                pairs[own] = upto + np.arange(len(own)) // 2
                upto += len(own) // 2
    return pairs
