from __future__ import annotations

import warnings

import numpy as np
import pytest

from proband.arrays import (
    UnbalancedArrayWarning,
    balance,
    column_limit,
    cyclic_shift_array,
    m_sequence,
    orthogonal_array,
)
from proband.errors import UsageError

SIZES = [(2, 2), (2, 5), (2, 8), (3, 2), (3, 3), (3, 5), (5, 2), (5, 3), (7, 2), (11, 2), (13, 2)]


@pytest.mark.parametrize(("p", "m"), [*SIZES, (2, 1), (3, 1), (7, 1)])
def test_every_window_but_zeros_is_there_once(p, m):
    sequence = m_sequence(p, m)
    assert len(sequence) == p**m - 1
    windows = np.stack([np.roll(sequence, -shift) for shift in range(m)], axis=1)
    numbers = windows @ (p ** np.arange(m))
    assert np.array_equal(np.sort(numbers), np.arange(1, p**m))


@pytest.mark.parametrize(("p", "m"), SIZES)
def test_shifts_up_to_the_limit_are_balanced(p, m):
    assert balance(cyclic_shift_array(p, m, column_limit(p, m)), p)


@pytest.mark.parametrize(("p", "m"), [size for size in SIZES if size[0] > 2 and size[0] ** size[1] < 250])
def test_beyond_the_limit_they_are_not_and_are_warned_of(p, m):
    limit = column_limit(p, m)
    for columns in sorted({limit + 1, p**m - 1}):
        with pytest.warns(UnbalancedArrayWarning) as caught:
            made = cyclic_shift_array(p, m, columns)
        found = balance(made, p)
        expected = [(a, b) for a in range(columns) for b in range(a + limit, columns, limit)]
        assert found.n_columns == 0
        assert found.n_pairs == len(expected)
        assert list(found.unbalanced_pairs) == expected[:10]
        assert f"{len(expected):,} pairs" in str(caught[0].message)
        assert f"columns 0 and {limit}" in str(caught[0].message)


def test_columns_a_limit_apart_are_multiples():
    with pytest.warns(UnbalancedArrayWarning):
        made = cyclic_shift_array(3, 3, 26).astype(int)
    assert np.array_equal(made[:, 13:], 2 * made[:, :13] % 3)
    assert {(a, b) for a, b in made[:, [0, 13]].tolist()} == {(0, 0), (1, 2), (2, 1)}


def test_rotates_as_the_paper_says():
    """Eq. 25 of Micheals and Boult 2001."""
    made = cyclic_shift_array(3, 3, 13)
    for j in range(12):
        assert np.array_equal(made[:-2, j + 1], made[1:-1, j])
        assert made[-2, j + 1] == made[0, j]
    assert not made[-1].any()


def test_two_symbols_are_never_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert balance(cyclic_shift_array(2, 6, 63), 2)


class TestTheMistakeOfTheLiterature:
    """27 × 26 arrays of 3 symbols give wrong variances; 27 × 13 and 81 × 26 do not."""

    @staticmethod
    def off(array: np.ndarray, y: np.ndarray) -> float:
        """How far the variance from the replicates is off the textbook's, relatively."""
        columns, n = y.shape
        replicates = y[np.arange(columns), array].sum(axis=1)
        v = np.square(replicates - y.mean(axis=1).sum()).sum() / (len(array) * (n - 1))
        return float(v / (y.var(axis=1, ddof=1) / n).sum() - 1)

    @staticmethod
    def papers() -> np.ndarray:
        with pytest.warns(UnbalancedArrayWarning):
            return orthogonal_array(3, 26, rule="strat-2001").rows

    def test_single_variances_are_off_by_a_half(self):
        array = self.papers()
        assert array.shape == (27, 26)
        for seed in range(3):
            data = np.random.default_rng(seed).standard_normal((200, 26, 3))
            found = [self.off(array, y) for y in data]
            assert -0.65 < min(found) < -0.45  # −56 % and +52 % were found elsewhere
            assert 0.45 < max(found) < 0.6
            assert abs(np.mean(found)) < 0.05

    def test_they_can_be_off_by_everything(self):
        array = self.papers()
        y = np.tile([0.0, 1.0, 2.0], (26, 1))
        y[13:] = [0.0, 2.0, 1.0]
        assert self.off(array, y) == pytest.approx(1.0)
        y[13:] = [0.0, -2.0, -1.0]
        assert self.off(array, y) == pytest.approx(-1.0)

    def test_balanced_arrays_are_right(self):
        data = np.random.default_rng(0).standard_normal((200, 26, 3))
        assert max(abs(self.off(orthogonal_array(3, 26).rows, y)) for y in data) < 1e-12
        assert max(abs(self.off(cyclic_shift_array(3, 3, 13), y[:13])) for y in data) < 1e-12


@pytest.mark.parametrize(("p", "m"), [(4, 2), (6, 2), (9, 1), (3, 0), (1, 3)])
def test_refuses_what_is_no_prime(p, m):
    with pytest.raises(UsageError):
        m_sequence(p, m)


@pytest.mark.parametrize("columns", [0, 27])
def test_refuses_more_columns_than_shifts(columns):
    with pytest.raises(UsageError, match="26 shifts"):
        cyclic_shift_array(3, 3, columns)
