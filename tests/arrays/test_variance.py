"""For anything that adds up over strata, balanced replicates give the textbook variance: Σ W² s²/q."""

from __future__ import annotations

import numpy as np
import pytest

from proband.arrays import column_limit, hadamard, replicate_totals, smallest_hadamard

ORDERS = [2, 3, 4, 5, 7, 8, 9, 11, 13]


def largest_exponent(q: int) -> int:
    return max(m for m in range(1, 13) if q**m <= 4096)


def assert_textbook(q: int, columns: int, m: int | None = None) -> None:
    rng = np.random.default_rng([q, columns])
    y = rng.standard_normal((columns, q)) + rng.standard_normal((columns, 1))
    weights = rng.dirichlet(np.ones(columns))
    replicates = replicate_totals(weights[:, None] * y, m)
    theta = float(weights @ y.mean(axis=1))
    v = np.square(replicates - theta).sum() / (len(replicates) * (q - 1))
    textbook = float(weights**2 @ y.var(axis=1, ddof=1)) / q
    assert v == pytest.approx(textbook, rel=1e-12)
    scale = np.abs(weights[:, None] * y).sum()
    assert replicates.mean() == pytest.approx(theta, abs=1e-13 * scale)


@pytest.mark.parametrize("q", ORDERS)
def test_equals_the_textbook_at_a_spread_of_sizes(q):
    limits = [column_limit(q, m) for m in range(1, largest_exponent(q) + 1)]
    sizes = {
        1,
        2,
        *limits,
        *(n + 1 for n in limits[:-1]),
        *np.linspace(1, limits[-1], 12).astype(int).tolist(),
    }
    for columns in sorted(sizes):
        if columns <= limits[-1]:
            assert_textbook(q, columns)


@pytest.mark.parametrize("q", ORDERS)
def test_equals_the_textbook_with_more_rows_than_needed(q):
    assert_textbook(q, 1, largest_exponent(q))


@pytest.mark.long
@pytest.mark.parametrize("q", ORDERS)
def test_equals_the_textbook_at_every_size(q):
    for columns in range(1, column_limit(q, largest_exponent(q)) + 1):
        assert_textbook(q, columns)


@pytest.mark.parametrize("columns", [2, 8, 11, 20, 100])
def test_hadamard_matrices_do_too(columns):
    rng = np.random.default_rng(columns)
    y = rng.standard_normal((columns, 2))
    signs = hadamard(smallest_hadamard(columns))[:, 1 : columns + 1]
    replicates = y[np.arange(columns), (1 - signs) // 2].sum(axis=1)
    v = np.square(replicates - y.mean(axis=1).sum()).mean()
    assert v == pytest.approx(float((y.var(axis=1, ddof=1) / 2).sum()), rel=1e-12)


def test_a_study_of_three_units():
    """The total of the oracle of three units a stratum (R survey 4.1): SE 9.05538513814."""
    y = np.array([[3, 5, 4], [7, 9, 12], [2, 1, 6], [10, 8, 15]])
    replicates = 3 * replicate_totals(y)
    assert replicates.mean() == pytest.approx(82)
    v = np.square(replicates - 82).sum() / (9 * 2)
    assert np.sqrt(v) == pytest.approx(9.05538513814, rel=1e-11)
