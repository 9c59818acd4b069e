"""Prime powers, and polynomials over the integers modulo a prime."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proband.errors import UsageError

Polynomial = tuple[int, ...]
"""Coefficients, that of the highest power first: (1, 0, 2, 1) is x³ + 2x + 1."""


def prime_factors(number: int) -> list[int]:
    """The distinct primes that divide a positive number, the smallest first."""
    factors = []
    divisor = 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            factors.append(divisor)
            while number % divisor == 0:
                number //= divisor
        divisor += 1
    return [*factors, number] if number > 1 else factors


def prime_power(number: int) -> tuple[int, int] | None:
    """The prime p and the exponent e of a number p^e, or None if it is no prime power."""
    factors = prime_factors(number) if number > 1 else []
    if len(factors) != 1:
        return None
    prime, exponent = factors[0], 0
    while number > 1:
        number //= prime
        exponent += 1
    return prime, exponent


def multiply(a: Polynomial, b: Polynomial, modulus: Polynomial, prime: int) -> Polynomial:
    """The product of two polynomials of lower degree than the modulus, reduced by it."""
    degree = len(modulus) - 1
    product = [0] * (2 * degree - 1)
    for i, left in enumerate(a):
        for j, right in enumerate(b):
            product[i + j] += left * right
    for i in range(degree - 1):
        top = product[i] % prime
        for j in range(1, degree + 1):
            product[i + j] -= top * modulus[j]
    return tuple(coefficient % prime for coefficient in product[degree - 1 :])


def power(base: Polynomial, exponent: int, modulus: Polynomial, prime: int) -> Polynomial:
    """A power of a polynomial, reduced by the modulus."""
    result = one(len(modulus) - 1)
    while exponent:
        if exponent & 1:
            result = multiply(result, base, modulus, prime)
        base = multiply(base, base, modulus, prime)
        exponent >>= 1
    return result


def one(degree: int) -> Polynomial:
    """The constant 1 among the polynomials below a degree."""
    return (*(0,) * (degree - 1), 1)


def generates(element: Polynomial, modulus: Polynomial, prime: int) -> bool:
    """Whether an element's powers are all the p^m − 1 polynomials that are not 0.

    If they are, each of these has an inverse, so the modulus is irreducible too.
    """
    degree = len(modulus) - 1
    size = prime**degree - 1
    unit = one(degree)
    if power(element, size, modulus, prime) != unit:
        return False
    return all(power(element, size // r, modulus, prime) != unit for r in prime_factors(size))


def is_irreducible(modulus: Polynomial, prime: int) -> bool:
    """Whether a monic polynomial has no factor of a lower degree (Rabin's test)."""
    degree = len(modulus) - 1
    if degree == 1:
        return True
    x = (*(0,) * (degree - 2), 1, 0)
    if power(x, prime**degree, modulus, prime) != x:
        return False
    for r in prime_factors(degree):
        raised = power(x, prime ** (degree // r), modulus, prime)
        difference = tuple((a - b) % prime for a, b in zip(raised, x, strict=True))
        if len(_common_divisor(modulus, difference, prime)) > 1:
            return False
    return True


def primitive_polynomial(prime: int, degree: int) -> Polynomial:
    """The first monic polynomial, counted by its lower coefficients, modulo which the powers of x are everything but 0."""
    for lower in _counted(prime, degree):
        modulus = (1, *lower)
        x = (*(0,) * (degree - 2), 1, 0) if degree > 1 else (-lower[0] % prime,)
        if lower[-1] and generates(x, modulus, prime):
            return modulus
    raise AssertionError("every finite field has a primitive polynomial")


def digits(number: int, base: int, count: int) -> Polynomial:
    """The digits of a number, the highest first."""
    return tuple(number // base**place % base for place in reversed(range(count)))


def checked_modulus(coefficients: Sequence[int], prime: int, degree: int) -> Polynomial:
    """Check that a modulus makes a field of the size wanted."""
    modulus = tuple(int(coefficient) % prime for coefficient in coefficients)
    if len(modulus) != degree + 1 or modulus[0] != 1:
        raise UsageError(
            f"The modulus of GF({prime}^{degree}) must be a polynomial of degree {degree} with leading "
            f"coefficient 1, got {list(coefficients)}.",
            f"pass its {degree + 1} coefficients, highest power first.",
        )
    if not is_irreducible(modulus, prime):
        raise UsageError(
            f"{list(modulus)} is reducible modulo {prime}, so it does not define a field.",
            f"leave it out to use {list(primitive_polynomial(prime, degree))}.",
        )
    return modulus


def _counted(prime: int, degree: int) -> Iterator[Polynomial]:
    return (digits(number, prime, degree) for number in range(1, prime**degree))


def _common_divisor(a: Polynomial, b: Polynomial, prime: int) -> Polynomial:
    a, b = _trimmed(a), _trimmed(b)
    while b:
        a, b = b, _remainder(a, b, prime)
    return a


def _remainder(a: Polynomial, b: Polynomial, prime: int) -> Polynomial:
    rest = list(a)
    inverse = pow(b[0], -1, prime)
    for i in range(len(rest) - len(b) + 1):
        factor = rest[i] * inverse % prime
        for j, coefficient in enumerate(b):
            rest[i + j] = (rest[i + j] - factor * coefficient) % prime
    return _trimmed(tuple(rest))


def _trimmed(a: Polynomial) -> Polynomial:
    start = next((i for i, coefficient in enumerate(a) if coefficient), len(a))
    return a[start:]
