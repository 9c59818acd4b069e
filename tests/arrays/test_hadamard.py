from __future__ import annotations

import numpy as np
import pytest

from proband.arrays import balance, hadamard, smallest_hadamard
from proband.arrays.hadamard import how_made
from proband.errors import UsageError

LACKING = [92, 116, 156, 172, 184, 188, 232, 236]
ORDERS = [1, 2, *(n for n in range(4, 241, 4) if n not in LACKING)]


@pytest.mark.parametrize("order", ORDERS)
def test_columns_are_orthogonal_and_balanced(order):
    matrix = hadamard(order)
    assert matrix.dtype == np.int8
    wide = matrix.astype(np.int64)
    assert np.array_equal(wide.T @ wide, order * np.eye(order, dtype=np.int64))
    assert np.array_equal(wide @ wide.T, order * np.eye(order, dtype=np.int64))
    assert (matrix[0] == 1).all()
    assert (matrix[:, 0] == 1).all()
    if order > 2:
        assert balance((1 - matrix[:, 1:]) // 2, 2)


@pytest.mark.parametrize("order", LACKING)
def test_says_where_no_construction_applies(order):
    with pytest.raises(UsageError, match="None of the constructions") as told:
        hadamard(order)
    following = next(n for n in range(order, order + 50, 4) if n not in LACKING)
    assert str(following) in str(told.value.hint)


@pytest.mark.parametrize("order", [-4, 0, 3, 6, 10, 46])
def test_refuses_impossible_orders(order):
    with pytest.raises(UsageError, match="no Hadamard matrix"):
        hadamard(order)


def test_every_construction_is_used():
    assert how_made(16) == "Sylvester's Hadamard matrix of order 16"
    assert how_made(12) == "Paley's first Hadamard matrix over GF(11), of order 12"
    assert how_made(28) == "Paley's first Hadamard matrix over GF(27), of order 28"
    assert how_made(36) == "Paley's second Hadamard matrix over GF(17), of order 36"
    assert how_made(40) == "doubled Paley's first Hadamard matrix over GF(19), of order 20"
    assert how_made(52) == "Paley's second Hadamard matrix over GF(25), of order 52"


def test_smallest_order_leaves_the_column_of_ones():
    for columns in range(1, 240):
        order = smallest_hadamard(columns)
        assert order > columns
        assert not any(columns < other < order for other in ORDERS)
    with pytest.raises(UsageError):
        smallest_hadamard(0)
