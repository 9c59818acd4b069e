"""Galois fields: the arithmetic of p^e symbols, on whole arrays at once."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from proband.arrays.polynomials import (
    checked_modulus,
    digits,
    generates,
    multiply,
    one,
    power,
    prime_power,
    primitive_polynomial,
)
from proband.errors import UsageError
from proband.words import count

Elements = npt.NDArray[np.int64]

LARGEST = 1 << 20  # the tables of logarithms grow with the order


class GaloisField:
    """The field of p^e elements, which are the numbers 0 to p^e − 1.

    The digits of a number to the base p are the coefficients of a polynomial over the integers modulo p: in GF(9) the number
    7 = 2·3 + 1 is 2x + 1. Polynomials are multiplied modulo an irreducible one. All operations take numbers and arrays, and
    arrays are combined by the rules of numpy.

    Parameters
    ----------
    order
        How many elements: a prime power up to 2^20.
    modulus
        Coefficients of the polynomial to multiply by, that of the highest power first. Without it the first one is taken modulo which the
        powers of x are all elements but 0.

    Examples
    --------
    >>> field = GaloisField(9)
    >>> field.modulus  # x² + x + 2
    (1, 1, 2)
    >>> field.add(7, 5)  # (2x + 1) + (x + 2) = 0
    array(0)
    >>> field.multiply([3, 7], field.inverse([3, 7]))
    array([1, 1])
    """

    def __init__(self, order: int, modulus: Sequence[int] | None = None) -> None:
        if order > LARGEST:
            raise UsageError(f"A field may have at most {count(LARGEST)} elements, got {count(order)}.")
        found = prime_power(order)
        if found is None:
            raise UsageError(
                f"There is no field of {order} elements, since {order} is not a power of a prime.",
                "use a prime power: 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, …",
            )
        self.order = order
        self.characteristic, self.degree = found
        if modulus is None:
            self.modulus = primitive_polynomial(self.characteristic, self.degree)
        else:
            self.modulus = checked_modulus(modulus, self.characteristic, self.degree)

    def __repr__(self) -> str:
        return f"GaloisField({self.order}, modulus={self.modulus})"

    @property
    def elements(self) -> Elements:
        """All elements, 0 first."""
        return np.arange(self.order)

    def element(self, coefficients: Sequence[int]) -> int:
        """The element with these coefficients, that of the highest power first."""
        number = 0
        for coefficient in coefficients:
            number = number * self.characteristic + int(coefficient) % self.characteristic
        return int(self._checked(number))

    def coefficients(self, a: npt.ArrayLike) -> Elements:
        """The coefficients of elements along a new last axis, that of the highest power first."""
        places = self.characteristic ** np.arange(self.degree)[::-1]
        return self._checked(a)[..., None] // places % self.characteristic

    def add(self, a: npt.ArrayLike, b: npt.ArrayLike) -> Elements:
        """The sums a + b."""
        left, right, p = self._checked(a), self._checked(b), self.characteristic
        if self.degree == 1:
            return np.asarray((left + right) % p)
        if p == 2:
            return np.asarray(left ^ right)
        total = np.zeros(np.broadcast_shapes(left.shape, right.shape), dtype=np.int64)
        for place in (p**k for k in range(self.degree)):
            total += (left // place + right // place) % p * place
        return total

    def negative(self, a: npt.ArrayLike) -> Elements:
        """The elements −a."""
        p = self.characteristic
        return (-self.coefficients(a)) % p @ p ** np.arange(self.degree)[::-1]

    def subtract(self, a: npt.ArrayLike, b: npt.ArrayLike) -> Elements:
        """The differences a − b."""
        return self.add(a, self.negative(b))

    def multiply(self, a: npt.ArrayLike, b: npt.ArrayLike) -> Elements:
        """The products ab."""
        left, right = self._checked(a), self._checked(b)
        if self.degree == 1:
            return np.asarray(left * right % self.order)
        product = self.powers[(self._logarithms[left] + self._logarithms[right]) % (self.order - 1)]
        return np.where((left == 0) | (right == 0), 0, product)

    def inverse(self, a: npt.ArrayLike) -> Elements:
        """The elements 1/a; 0 has none."""
        return self.power(a, -1)

    def power(self, a: npt.ArrayLike, exponent: int) -> Elements:
        """The powers of elements to a whole number; 0 to the power 0 is 1."""
        base = self._checked(a)
        if exponent < 0 and not base.all():
            raise UsageError("0 has no inverse.", "leave the zeros out.")
        n = self.order - 1
        raised = self.powers[self._logarithms[base] * (exponent % n) % n]
        return np.where((base == 0) & (exponent != 0), 0, raised)

    def multiplicative_order(self, element: int) -> int:
        """The least positive power of an element that is 1."""
        if element == 0:
            raise UsageError("0 has no multiplicative order.", "use a nonzero element.")
        n = self.order - 1
        return n // int(np.gcd(n, self._logarithms[self._checked(element)]))

    def trace(self, a: npt.ArrayLike) -> Elements:
        """The traces a + a^p + a^(p²) + …, which are integers modulo p."""
        conjugate = total = self._checked(a)
        for _ in range(self.degree - 1):
            conjugate = self.power(conjugate, self.characteristic)
            total = self.add(total, conjugate)
        return total

    @cached_property
    def primitive_element(self) -> int:
        """The element whose powers are all but 0: x itself where it can be, else the first that can."""
        p, e = self.characteristic, self.degree
        x: int = -self.modulus[-1] % p if e == 1 else p
        candidates = itertools.chain([x], range(1, self.order))
        return next(a for a in candidates if generates(digits(a, p, e), self.modulus, p))

    @cached_property
    def powers(self) -> Elements:
        """The powers of the primitive element, 1 first: every element but 0 once."""
        # They are found by doubling: multiplying by a constant is linear in the coefficients.
        p, e, n = self.characteristic, self.degree, self.order - 1
        places = p ** np.arange(e)[::-1]
        base = digits(self.primitive_element, p, e)
        powers = np.array([one(e)])
        while len(powers) < n:
            step = power(base, len(powers), self.modulus, p)
            powers = np.concatenate([powers, powers @ self._times(step) % p])
        return powers[:n] @ places

    def _times(self, constant: tuple[int, ...]) -> Elements:
        """The matrix that multiplies coefficients by a constant."""
        p, e = self.characteristic, self.degree
        x = digits(self.element([1, 0]), p, e) if e > 1 else (1,)
        rows = [power(x, k, self.modulus, p) for k in reversed(range(e))]
        return np.array([multiply(row, constant, self.modulus, p) for row in rows])

    @cached_property
    def _logarithms(self) -> Elements:
        logarithms = np.zeros(self.order, dtype=np.int64)
        logarithms[self.powers] = np.arange(self.order - 1)
        return logarithms

    def _checked(self, a: npt.ArrayLike) -> Elements:
        array = np.asarray(a)
        if array.dtype.kind not in "iu" and array.size:
            raise UsageError(f"Elements of GF({self.order}) must be integers, got {array.dtype}.")
        if array.size and (array.min() < 0 or array.max() >= self.order):
            raise UsageError(
                f"Elements of GF({self.order}) must be 0 to {self.order - 1}, got {array.min()} to "
                f"{array.max()}."
            )
        return array.astype(np.int64, copy=False)
