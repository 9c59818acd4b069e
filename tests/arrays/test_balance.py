from __future__ import annotations

import importlib
import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.arrays import balance, n_replicates, rao_hamming
from proband.errors import InputError, UsageError

module = importlib.import_module("proband.arrays.balance")


def by_hand(array: np.ndarray, symbols: int) -> tuple[list[int], list[tuple[int, int]]]:
    """The definition, counted with loops."""
    rows, columns = array.shape
    every = range(symbols)
    bad_columns = [
        h for h in range(columns) if any(np.sum(array[:, h] == s) * symbols != rows for s in every)
    ]
    bad_pairs = [
        (a, b)
        for a, b in combinations(range(columns), 2)
        if any(
            np.sum((array[:, a] == s) & (array[:, b] == t)) * symbols**2 != rows for s in every for t in every
        )
    ]
    return bad_columns, bad_pairs


@st.composite
def nearly_balanced(draw):
    """A balanced array with a few columns put out of order, or a cell changed, or a row lost."""
    q, m = draw(st.sampled_from([(2, 2), (2, 3), (3, 2), (4, 2), (3, 3), (5, 2)]))
    array = rao_hamming(q, m).astype(np.int64)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    for h in rng.choice(array.shape[1], draw(st.integers(0, 2)), replace=False):
        array[:, h] = rng.permutation(array[:, h])
    for _ in range(draw(st.integers(0, 2))):
        array[rng.integers(len(array)), rng.integers(array.shape[1])] = rng.integers(q)
    return array[draw(st.integers(0, 1)) :], q


@pytest.mark.parametrize("few", [0, 10], ids=["counting", "products"])
@examples(40)
@given(case=nearly_balanced())
def test_finds_what_the_definition_finds(few, case):
    array, symbols = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEW_SYMBOLS", few)
        patch.setattr(module, "CELLS", 64)  # several blocks
        found = balance(array, symbols)
    columns, pairs = by_hand(array, symbols)
    assert found.full == bool(found) == (not columns and not pairs)
    assert (found.n_columns, found.n_pairs) == (len(columns), len(pairs))
    assert list(found.unbalanced_columns) == columns[:10]
    assert list(found.unbalanced_pairs) == pairs[:10]


def test_zero_or_the_same_number_of_times_is_not_enough():
    """The definition of Micheals and Boult 2001, App. A, would let this pass: (0, 0), (1, 2) and (2, 1), three times each."""
    array = np.tile([[0, 0], [1, 2], [2, 1]], (3, 1))
    found = balance(array, 3)
    assert found.n_columns == 0
    assert found.unbalanced_pairs == ((0, 1),)


def test_a_symbol_that_does_not_occur_counts():
    assert balance([[0], [1]], 2)
    assert not balance([[0], [1]], 3)


def test_a_large_array_is_proved_quickly():
    made = rao_hamming(3, 7, 481)
    begun = time.process_time()
    assert balance(made, 3)
    assert time.process_time() - begun < 5


def test_says_what_it_found():
    assert str(balance(rao_hamming(3, 2), 3)) == (
        "Balanced: each of 3 symbols occurs 3 times in every column, and each ordered pair of them once in each of 6 pairs of columns."
    )
    assert str(balance([[0], [1]], 2)) == "Balanced: each of 2 symbols occurs once in every column."
    assert str(balance(np.zeros((4, 5), dtype=int), 2)) == (
        "Not balanced, counting columns from 0: 5 of 5 columns (0, 1, 2, …); 10 of 10 pairs of columns (0 and 1, 0 and 2, 0 and 3, …)."
    )


@pytest.mark.parametrize("wrong", [[0, 1], [[0.5, 1.0]], np.zeros((0, 3), dtype=int), [["a"]]])
def test_refuses_what_is_no_table_of_numbers(wrong):
    with pytest.raises(InputError, match="array of integers"):
        balance(wrong, 2)


def test_refuses_other_symbols():
    with pytest.raises(InputError, match="0 to 1, got -1 to 1") as told:
        balance([[1, -1], [1, 1]], 2)
    assert "(1 − matrix) // 2" in str(told.value)
    with pytest.raises(UsageError):
        balance([[0, 0]], 1)


def test_a_smaller_array_than_a_power_of_its_symbols():
    """Addelman and Kempthorne 1961: 54 rows for 25 columns of 3 symbols, here by developing 9 rows with a difference scheme."""
    scheme = np.array(
        [list(map(int, row)) for row in ["000000", "001122", "010212", "012021", "021201", "022110"]]
    )
    developed = (scheme[:, None, :, None] + rao_hamming(3, 2)[None, :, None, :]) % 3
    made = np.column_stack([developed.reshape(54, 24), np.repeat(np.arange(6) % 3, 9)])
    assert balance(made, 3)
    assert len(made) < n_replicates(3, 25) == 81
