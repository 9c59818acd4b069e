from __future__ import annotations

import importlib

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples, some

from proband.arrays import column_limit, n_replicates, rao_hamming, replicate_totals
from proband.errors import InputError, UsageError

module = importlib.import_module("proband.arrays.transforms")
ORDERS = [2, 3, 4, 5, 7, 8, 9, 11, 13]


def dense(values: np.ndarray, m: int) -> np.ndarray:
    columns, q = values.shape[:2]
    return values[np.arange(columns), rao_hamming(q, m, columns)].sum(axis=1)


def assert_close(found: np.ndarray, expected: np.ndarray) -> None:
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()


@examples(80)
@given(st.sampled_from([*ORDERS, 16, 17, 25, 27, 31, 32]), st.data())
def test_is_the_dense_sum(q, data):
    m = data.draw(st.integers(1, next(m for m in range(12, 0, -1) if m == 1 or q**m <= 2200)))
    columns = data.draw(st.integers(1, column_limit(q, m)))
    statistics = data.draw(st.sampled_from([(), (1,), (2,), (5,)]))
    values = np.random.default_rng(data.draw(st.integers(0, 99))).standard_normal((columns, q, *statistics))
    assert_close(replicate_totals(values, m), dense(values, m))


@pytest.mark.parametrize("q", ORDERS)
def test_takes_the_fewest_rows(q):
    for columns in (1, q + 1, q + 2):
        values = np.random.default_rng(q).standard_normal((columns, q, 3))
        k = n_replicates(q, columns)
        m = next(m for m in range(1, 20) if q**m == k)
        assert_close(replicate_totals(values), dense(values, m))


@pytest.mark.parametrize("q", some([61, 67, 101, 128, 243, 257, 343], 3))
def test_large_fields(q):
    values = np.random.default_rng(q).standard_normal((20, q, 3))
    assert_close(replicate_totals(values), dense(values, 2))


@pytest.mark.parametrize(
    ("q", "columns", "statistics"), [(2, 700, 600), (2, 500, 1031), (4, 300, 513), (8, 70, 1100)]
)
def test_compiled_transform_is_the_dense_sum(q, columns, statistics):
    values = np.random.default_rng(1).standard_normal((columns, q, statistics))
    k = n_replicates(q, columns)
    assert k * statistics >= module.COMPILED_FROM
    found = replicate_totals(values)
    array = rao_hamming(q, next(m for m in range(1, 20) if q**m == k), columns)
    some = np.random.default_rng(2).integers(0, k, 30)
    expected = values[np.arange(columns), array[some]].sum(axis=1)
    assert np.abs(found[some] - expected).max() <= 1e-12 * np.abs(found).max()


@pytest.mark.parametrize("q", [2, 3, 4, 9])
def test_whole_numbers_stay_exact_or_nearly_so(q):
    values = np.random.default_rng(q).integers(0, 2, (40, q, 7))
    m = next(m for m in range(1, 20) if q**m == n_replicates(q, 40))
    found = replicate_totals(values)
    assert_close(found, dense(values, m).astype(float))
    if q % 2 == 0:
        assert np.array_equal(found, dense(values, m))


def test_many_statistics_go_in_blocks(monkeypatch):
    values = np.random.default_rng(0).standard_normal((13, 3, 11))
    whole = replicate_totals(values)
    monkeypatch.setattr(module, "CELLS", 60)  # four statistics at a time
    assert_close(replicate_totals(values), whole)


def test_memory_is_that_of_the_totals():
    import tracemalloc

    values = np.random.default_rng(0).standard_normal((100_000, 2))
    tracemalloc.start()
    found = replicate_totals(values)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 131_072
    assert peak < 10 * found.nbytes


@pytest.mark.parametrize("wrong", [[1.0, 2.0], np.zeros((0, 2)), np.zeros((2, 2, 2, 2)), 3.0])
def test_refuses_other_shapes(wrong):
    with pytest.raises(InputError, match="columns × symbols"):
        replicate_totals(wrong)


def test_refuses_what_has_no_array():
    with pytest.raises(UsageError, match="6 is not a power"):
        replicate_totals(np.zeros((3, 6)))
    with pytest.raises(UsageError, match="rows allow"):
        replicate_totals(np.zeros((5, 3)), m=2)
