from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.arrays import GaloisField, balance, column_limit, hadamard, projective_points, rao_hamming
from proband.errors import UsageError

SIZES = [
    (q, m) for q in (2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 25, 27, 32) for m in range(1, 11) if q**m <= 1100
]


@examples(60)
@given(st.sampled_from(SIZES), st.floats(0, 1))
def test_every_array_has_strength_2(size, share):
    q, m = size
    columns = max(1, round(share * column_limit(q, m)))
    made = rao_hamming(q, m, columns)
    assert made.shape == (q**m, columns)
    assert made.dtype == np.uint8
    assert balance(made, q)


@pytest.mark.parametrize("q", [2, 3, 4, 5, 7, 8, 9, 11, 13])
def test_full_arrays_have_strength_2(q):
    m = max(m for m in range(1, 12) if q**m <= 600)
    assert balance(rao_hamming(q, m), q)


@pytest.mark.parametrize(("q", "m"), [(2, 5), (3, 3), (4, 2), (8, 2), (9, 2)])
def test_is_the_product_of_row_and_point(q, m):
    field = GaloisField(q)
    made = rao_hamming(q, m)
    rows = np.stack(np.unravel_index(np.arange(q**m), (q,) * m), axis=1)
    for h, point in enumerate(projective_points(q, m, column_limit(q, m))):
        total = np.zeros(q**m, dtype=np.int64)
        for coordinate in range(m):
            total = field.add(total, field.multiply(rows[:, coordinate], point[coordinate]))
        assert np.array_equal(made[:, h], total)


@pytest.mark.parametrize(("q", "m"), [(2, 6), (3, 4), (4, 3), (5, 3), (9, 2), (16, 2)])
def test_points_stand_for_every_line_once(q, m):
    field = GaloisField(q)
    points = projective_points(q, m, column_limit(q, m))
    assert (points[np.arange(len(points)), (points != 0).argmax(axis=1)] == 1).all()
    numbers = points @ (q ** np.arange(m)[::-1])
    assert (np.diff(numbers) > 0).all()
    multiples = field.multiply(field.elements[1:, None, None], points) @ (q ** np.arange(m)[::-1])
    assert np.array_equal(np.sort(multiples.ravel()), np.arange(1, q**m))


def test_two_symbols_are_sylvester_s_matrix():
    assert np.array_equal(1 - 2 * rao_hamming(2, 5).astype(int), hadamard(32)[:, 1:])


def test_nine_rows_of_three_symbols():
    """The array of the oracle of three units a stratum (R survey 4.1)."""
    rows = ["".join(map(str, row)) for row in rao_hamming(3, 2).tolist()]
    assert rows == ["0000", "1012", "2021", "0111", "1120", "2102", "0222", "1201", "2210"]


def test_more_rows_repeat_what_fewer_columns_need():
    assert np.array_equal(rao_hamming(3, 3, 4), np.tile(rao_hamming(3, 2), (3, 1)))


def test_more_than_256_symbols_are_wider():
    made = rao_hamming(257, 1)
    assert made.dtype == np.uint16
    assert np.array_equal(made[:, 0], np.arange(257))
    assert balance(rao_hamming(257, 2, 3), 257)


@pytest.mark.parametrize(
    ("q", "m", "columns"), [(3, 2, 5), (3, 2, 0), (3, 0, 1), (6, 2, 3), (2, 40, 9), (2, 20, 9999)]
)
def test_refuses_what_cannot_be(q, m, columns):
    with pytest.raises(UsageError):
        rao_hamming(q, m, columns)


def test_no_array_has_more_columns_than_the_limit():
    """Rao's bound: with one column more, the contrasts would be more than the rows."""
    assert [column_limit(3, m) for m in range(1, 8)] == [1, 4, 13, 40, 121, 364, 1093]
    for q, m in SIZES:
        assert 1 + column_limit(q, m) * (q - 1) == q**m
