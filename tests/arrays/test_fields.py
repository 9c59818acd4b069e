from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples, some

from proband.arrays import GaloisField
from proband.arrays.polynomials import is_irreducible, prime_power
from proband.errors import UsageError

ORDERS = [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 25, 27, 32, 49, 64, 81, 121, 125, 128, 243, 256, 257]
FIELDS = {order: GaloisField(order) for order in ORDERS}


@examples(200)
@given(st.sampled_from(ORDERS), st.data())
def test_axioms(order, data):
    field = FIELDS[order]
    a, b, c = (data.draw(st.integers(0, order - 1)) for _ in range(3))
    add, times = field.add, field.multiply
    assert add(a, b) == add(b, a)
    assert times(a, b) == times(b, a)
    assert add(add(a, b), c) == add(a, add(b, c))
    assert times(times(a, b), c) == times(a, times(b, c))
    assert times(a, add(b, c)) == add(times(a, b), times(a, c))
    assert add(a, 0) == a == times(a, 1)
    assert add(a, field.negative(a)) == 0
    assert field.subtract(add(a, b), b) == a
    assert times(a, 0) == 0
    if a:
        assert times(a, field.inverse(a)) == 1
        assert field.power(a, order - 1) == 1
        assert field.power(a, field.multiplicative_order(a)) == 1


@pytest.mark.parametrize("order", some([4, 8, 9, 16, 25, 27], 2))
def test_is_arithmetic_of_polynomials(order):
    """Every product, by long division written out."""
    field = GaloisField(order)
    p, e = field.characteristic, field.degree
    for a in range(order):
        for b in range(order):
            product = np.convolve(field.coefficients(a), field.coefficients(b))
            _, rest = np.polydiv(product.astype(float), np.array(field.modulus, dtype=float))
            rest = np.round(rest).astype(int) % p
            assert field.multiply(a, b) == field.element([0] * (e - len(rest)) + rest.tolist())
            assert field.add(a, b) == field.element(field.coefficients(a) + field.coefficients(b))


@pytest.mark.parametrize("order", [*ORDERS, 2**16, 3**10, 65521, 251**2])
def test_x_generates_the_field(order):
    field = GaloisField(order)
    x = field.characteristic if field.degree > 1 else -field.modulus[-1] % order
    assert field.primitive_element == x
    assert np.array_equal(np.sort(field.powers), np.arange(1, order))
    assert is_irreducible(field.modulus, field.characteristic)
    some = field.powers[:50]
    assert np.array_equal(field.multiply(some, x), field.powers[1:51] if order > 51 else np.roll(some, -1))


def test_large_field_works_on_arrays():
    field = GaloisField(2**16)
    rng = np.random.default_rng(0)
    a, b, c = rng.integers(1, field.order, (3, 4, 500))
    left = field.multiply(a, field.add(b, c))
    assert np.array_equal(left, field.add(field.multiply(a, b), field.multiply(a, c)))
    assert (field.multiply(a, field.inverse(a)) == 1).all()


@pytest.mark.parametrize("order", [4, 9, 8, 27, 25, 7])
def test_trace_is_linear_and_takes_every_value_equally_often(order):
    field = GaloisField(order)
    p = field.characteristic
    trace = field.trace(field.elements)
    assert np.array_equal(np.bincount(trace), np.full(p, order // p))
    a, b = field.elements[:, None], field.elements
    assert np.array_equal(field.trace(field.add(a, b)), (trace[:, None] + trace) % p)


G = (2, 2, 0, 0, 2)
ROWS = {1: G, 2: (2, 1, 0, 0, 2), 3: (1, 2, 2, 0, 2), 241: (2, 2, 1, 1, 1), 242: (0, 0, 0, 0, 1)}


class TestFigureOne:
    """Micheals and Boult 2001, fig. 1: powers of g = 2x⁴ + 2x³ + 2 in GF(3⁵)."""

    def test_it_is_taken_modulo_another_polynomial_than_the_text_s(self):
        field = GaloisField(243, modulus=(1, 1, 0, 1, 0, 1))  # x⁵ + x⁴ + x² + 1
        g = field.element(G)
        assert field.multiplicative_order(g) == 242
        for exponent, row in ROWS.items():
            assert tuple(field.coefficients(field.power(g, exponent)).tolist()) == row

    def test_modulo_the_text_s_polynomial_it_generates_nothing_much(self):
        field = GaloisField(243, modulus=(1, 0, 0, 0, 2, 1))  # x⁵ + 2x + 1
        assert field.multiplicative_order(field.element(G)) == 11
        assert field.multiplicative_order(field.element([1, 1])) == 242  # the text's x + 1


def test_a_modulus_where_x_does_not_generate():
    field = GaloisField(9, modulus=(1, 0, 1))  # x² + 1: x has order 4
    assert field.multiplicative_order(3) == 4
    assert field.primitive_element == 4
    assert np.array_equal(np.sort(field.powers), np.arange(1, 9))


def test_powers_of_zero():
    field = GaloisField(8)
    assert field.power([0, 3], 0).tolist() == [1, 1]
    assert field.power([0, 0], 5).tolist() == [0, 0]
    with pytest.raises(UsageError, match="0 has no inverse"):
        field.inverse([1, 0])
    with pytest.raises(UsageError, match="0 has no multiplicative order"):
        field.multiplicative_order(0)


@pytest.mark.parametrize("order", [-3, 0, 1, 6, 10, 12, 100, 2**21])
def test_refuses_what_is_no_prime_power(order):
    with pytest.raises(UsageError):
        GaloisField(order)


@pytest.mark.parametrize("modulus", [(1, 0, 2), (2, 0, 1), (1, 1), (1, 0, 0)])
def test_refuses_a_modulus_that_makes_no_field(modulus):
    with pytest.raises(UsageError):
        GaloisField(9, modulus=modulus)


@pytest.mark.parametrize("wrong", [9, -1, 1.5, [0, 9]])
def test_refuses_what_is_no_element(wrong):
    with pytest.raises(UsageError, match=r"GF\(9\)"):
        GaloisField(9).add(wrong, 0)


def test_irreducible_polynomials_are_as_many_as_they_should_be():
    """Gauss's count of monic irreducible polynomials over GF(p)."""
    for p, degree, wanted in ((2, 4, 3), (2, 6, 9), (3, 3, 8), (3, 4, 18), (5, 2, 10)):
        numbers = (tuple(n // p**i % p for i in reversed(range(degree))) for n in range(p**degree))
        assert sum(is_irreducible((1, *lower), p) for lower in numbers) == wanted


def test_prime_powers():
    found = [n for n in range(-2, 33) if prime_power(n)]
    assert found == [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]
    assert prime_power(243) == (3, 5)
