from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.arrays import UnbalancedArrayWarning, n_replicates, orthogonal_array, smallest_hadamard
from proband.errors import UsageError


@examples(50)
@given(st.sampled_from([2, 3, 4, 5, 7, 8, 9, 11, 13]), st.integers(1, 60), st.booleans())
def test_every_array_is_balanced_and_as_small_as_promised(symbols, columns, fewest):
    fewest = fewest and symbols == 2
    made = orthogonal_array(symbols, columns, fewest=fewest)
    assert made.rows.shape == (n_replicates(symbols, columns, fewest=fewest), columns)
    assert (made.n_rows, made.n_columns, made.symbols, made.strength) == (*made.rows.shape, symbols, 2)
    assert made.balance()
    if made.m is None:
        assert made.n_rows == smallest_hadamard(columns) < n_replicates(2, columns)
    else:
        assert made.n_rows == symbols**made.m
        smaller = symbols ** (made.m - 1)
        assert (smaller - 1) // (symbols - 1) < columns


def test_sizes_of_the_papers():
    assert n_replicates(2, 483) == 512
    assert n_replicates(3, 256) == 729  # the other paper of 2001 says 256, below Rao's bound of 513
    assert n_replicates(3, 481) == 2187
    assert n_replicates(3, 481, rule="strat-2001") == 729
    assert n_replicates(3, 256, rule="strat-2001") == 729
    assert n_replicates(2, 483, fewest=True) == 484


def test_fewest_is_refused_where_it_has_no_effect():
    for asked in ((3, 4, "strength-2"), (2, 4, "strat-2001")):
        with pytest.raises(UsageError, match="has no effect"):
            orthogonal_array(*asked, fewest=True)


def test_fewest_rows_of_two_symbols():
    made = orthogonal_array(2, 8, fewest=True)
    assert made.rows.shape == (12, 8)
    assert made.rows.dtype == np.uint8
    assert "Paley" in made.construction
    assert orthogonal_array(2, 7, fewest=True).m == 3


@pytest.mark.parametrize(
    ("columns", "rows", "strength"), [(1, 3, 2), (2, 3, 1), (4, 9, 2), (8, 9, 1), (9, 27, 2), (26, 27, 1)]
)
def test_rule_of_2001(columns, rows, strength):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = orthogonal_array(3, columns, rule="strat-2001")
    assert made.rows.shape == (rows, columns)
    assert made.strength == strength
    assert bool(made.balance()) == (strength == 2)
    assert [w.category for w in caught] == [UnbalancedArrayWarning] * (strength == 1)


def test_rule_of_2001_is_for_primes():
    with pytest.raises(UsageError, match="prime"):
        orthogonal_array(4, 9, rule="strat-2001")


@pytest.mark.parametrize("symbols", [6, 10, 12, 1, 0])
def test_names_the_remedy_for_other_numbers(symbols):
    with pytest.raises(UsageError, match="prime power") as told:
        orthogonal_array(symbols, 5)
    assert "jackknife" in str(told.value)
    assert "Rao-Wu" in str(told.value)


def test_refuses_no_columns_and_other_rules():
    with pytest.raises(UsageError, match="at least one column"):
        orthogonal_array(3, 0)
    with pytest.raises(UsageError, match="strength-2 or strat-2001"):
        orthogonal_array(3, 4, rule="strength-3")
    with pytest.raises(UsageError, match="too large") as told:
        orthogonal_array(2, 1_000_000)
    assert "replicate_totals" in str(told.value)


def test_is_read_only_and_says_what_it_is():
    made = orthogonal_array(3, 5)
    with pytest.raises(ValueError, match="read-only"):
        made.rows[0, 0] = 1
    assert str(made) == "27 × 5 array of 3 symbols: Rao–Hamming over GF(3)"
    assert repr(made) == (
        "OrthogonalArray(symbols=3, construction='Rao–Hamming over GF(3)', m=3, strength=2)"
    )
