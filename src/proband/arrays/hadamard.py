"""Hadamard matrices: two symbols with fewer rows than powers of 2 allow."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from proband.arrays.fields import GaloisField
from proband.arrays.polynomials import prime_power
from proband.errors import UsageError

Signs = npt.NDArray[np.int8]


def hadamard(order: int) -> Signs:
    """Make a matrix of +1 and −1 whose columns are orthogonal to each other.

    Sylvester's for powers of 2; else the first that applies of Paley's first construction (order q + 1 for a prime power q = 3 modulo 4),
    his second (order 2(q + 1) for q = 1 modulo 4), and the doubling of a smaller one. They give all possible orders up to 88; 92 is the
    first that they lack.

    Returns
    -------
    array
        int8, normalised: the first row and the first column are +1. Each of the other columns has as many −1 as +1.

    Examples
    --------
    >>> hadamard(4)
    array([[ 1,  1,  1,  1],
           [ 1, -1,  1, -1],
           [ 1,  1, -1, -1],
           [ 1, -1, -1,  1]], dtype=int8)
    """
    how = _construction(order)
    if how is None:
        if order < 1 or order % 4:
            raise UsageError(f"There is no Hadamard matrix of order {order}: it is 1, 2 or a multiple of 4.")
        raise UsageError(
            f"None of the constructions of Sylvester and Paley gives a Hadamard matrix of order {order}.",
            f"{smallest_hadamard(order - 1)} is the next order available.",
        )
    kind, q = how
    if kind == "double":
        half = hadamard(order // 2)
        return np.block([[half, half], [half, -half]])
    matrix = np.ones((1, 1), dtype=np.int8) if kind == "one" else _paley(kind, q)
    matrix = matrix * matrix[:, :1]
    return matrix * matrix[:1]


def smallest_hadamard(columns: int) -> int:
    """The least order that :func:`hadamard` gives with more than so many columns, since the one of all ones is not used.

    Examples
    --------
    >>> smallest_hadamard(8), smallest_hadamard(483), smallest_hadamard(90)
    (12, 484, 96)
    """
    if columns < 1:
        raise UsageError(f"An array must have at least one column, got {columns}.")
    order = 2 if columns == 1 else -(-(columns + 1) // 4) * 4
    while _construction(order) is None:
        order += 4
    return order


def how_made(order: int) -> str:
    """Say in words how the matrix of an order is made."""
    kind, q = _construction(order) or ("none", 0)
    if order & (order - 1) == 0:
        return f"Sylvester's Hadamard matrix of order {order}"
    if kind == "double":
        return f"doubled {how_made(order // 2)}"
    return f"Paley's {kind} Hadamard matrix over GF({q}), of order {order}"


@cache
def _construction(order: int) -> tuple[str, int] | None:
    """How a matrix of an order is made, and over which field."""
    if order == 1:
        return "one", 0
    if order < 1 or order % 2 or (order > 2 and order % 4):
        return None
    if order & (order - 1) == 0:
        return "double", 0
    if prime_power(order - 1):
        return "first", order - 1
    if (order // 2 - 1) % 4 == 1 and prime_power(order // 2 - 1):
        return "second", order // 2 - 1
    return ("double", 0) if _construction(order // 2) else None


def _paley(kind: str, q: int) -> Signs:
    """Paley's matrices, from which differences of elements of GF(q) are squares."""
    field = GaloisField(q)
    character = np.full(q, -1, dtype=np.int8)
    character[field.multiply(field.elements, field.elements)] = 1
    character[0] = 0
    core = np.ones((q + 1, q + 1), dtype=np.int8)
    core[0, 0] = 0
    core[1:, 1:] = character[field.subtract(field.elements[:, None], field.elements)]
    identity = np.eye(q + 1, dtype=np.int8)
    if kind == "first":
        core[1:, 0] = -1
        return core + identity
    plus, minus = np.array([[1, 1], [1, -1]], dtype=np.int8), np.array([[1, -1], [-1, -1]], dtype=np.int8)
    return np.kron(core, plus) + np.kron(identity, minus)
