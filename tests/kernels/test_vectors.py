"""The float64 scores of vectors: each compiled kernel against a plain twin, and against exact sums."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proband.kernels import vectors
from proband.kernels.codes import CHI2, COSINE, INNER, L1, L2
from proband.kernels.compiling import njit
from proband.kernels.vectorised import sum_of_products, sum_of_squares

LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 64, 100)


def both(kernel):
    """The compiled kernel and the Python function it was compiled from."""
    return pytest.mark.parametrize("kernel", [kernel, kernel.py_func], ids=["compiled", "python"])


def compiled(kernel):
    """A kernel that has no Python twin: it is made of vector instructions."""
    return pytest.mark.parametrize("kernel", [kernel], ids=["compiled"])


@njit()
def dot(x, y):
    return sum_of_products(x, y)


@njit()
def squared_distance(x, y):
    return sum_of_squares(x, y)


def pair(n: int, dtype=np.float64) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    return rng.standard_normal(n).astype(dtype), rng.standard_normal(n).astype(dtype)


def interleaved(terms: np.ndarray, lanes: int) -> float:
    """Add up in `lanes` partial sums; what is left over after whole rounds goes to the first; then pair by pair."""
    whole = len(terms) - len(terms) % lanes
    parts = np.zeros(lanes)
    for block in terms[:whole].reshape(-1, lanes):
        parts = parts + block
    for term in terms[whole:]:
        parts[0] += term
    while len(parts) > 1:
        parts = parts[::2] + parts[1::2]
    return float(parts[0])


@compiled(dot)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dot_adds_in_a_fixed_order(kernel, dtype):
    for n in LENGTHS:
        x, y = pair(n, dtype)
        products = x.astype(np.float64) * y.astype(np.float64)
        assert kernel(x, y) == interleaved(products, 8)
        assert kernel(x, y) == pytest.approx(math.fsum(products), rel=1e-12, abs=1e-12)
        assert kernel(x, y) == kernel(y, x)


@compiled(squared_distance)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_squared_distance_adds_in_a_fixed_order(kernel, dtype):
    for n in LENGTHS:
        x, y = pair(n, dtype)
        squares = (x.astype(np.float64) - y.astype(np.float64)) ** 2
        assert kernel(x, y) == interleaved(squares, 4)
        assert kernel(x, y) == pytest.approx(math.fsum(squares), rel=1e-12)
        assert kernel(x, x) == 0.0


@compiled(vectors.absolute_distance)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_absolute_distance_adds_in_a_fixed_order(kernel, dtype):
    for n in LENGTHS:
        x, y = pair(n, dtype)
        terms = np.abs(x.astype(np.float64) - y.astype(np.float64))
        assert kernel(x, y) == interleaved(terms, 4) == kernel(y, x)
        assert kernel(x, y) == pytest.approx(math.fsum(terms), rel=1e-12)


@both(vectors.chi_square)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_chi_square_passes_over_empty_bins(kernel, dtype):
    for n in LENGTHS:
        x, y = (np.floor(np.abs(v) * 2).astype(dtype) for v in pair(n))
        a, b = x.astype(np.float64), y.astype(np.float64)
        filled = a + b > 0
        expected = math.fsum((a - b)[filled] ** 2 / (a + b)[filled])
        assert kernel(x, y) == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert kernel(x, y) == kernel(y, x)
        assert kernel(x, x) == 0.0


@compiled(dot)
def test_float32_vectors_are_multiplied_in_float64(kernel):
    """1 + 2⁻²³ squared needs 47 bits; float32 arithmetic would lose the last of them."""
    x = np.array([1 + 2.0**-23], dtype=np.float32)
    assert kernel(x, x) == (1 + 2.0**-23) ** 2


@compiled(squared_distance)
def test_distances_far_from_the_origin_lose_nothing(kernel):
    x, y = np.full(9, 1e8), np.full(9, 1e8 + 0.25)
    assert kernel(x, y) == 9 * 0.0625


@compiled(vectors.score)
def test_score_of_each_metric(kernel):
    x, y = pair(21)
    x_norm, y_norm = np.linalg.norm(x), np.linalg.norm(y)
    assert kernel(x, y, x_norm, y_norm, INNER) == pytest.approx(x @ y, rel=1e-12)
    assert kernel(x, y, x_norm, y_norm, L2) == pytest.approx(np.linalg.norm(x - y), rel=1e-12)
    assert kernel(x, y, x_norm, y_norm, COSINE) == pytest.approx(x @ y / (x_norm * y_norm), rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_norms(dtype):
    table = np.random.default_rng(0).standard_normal((11, 19)).astype(dtype)
    table[3] = 0
    expected = [math.sqrt(math.fsum(float(v) ** 2 for v in row)) for row in table]
    np.testing.assert_allclose(vectors.norms(table), expected, rtol=1e-14)
    assert vectors.norms(table[:0]).shape == (0,)


@pytest.mark.parametrize("metric", [COSINE, INNER, L2, L1, CHI2])
@pytest.mark.parametrize(
    "dtypes", [(np.float32, np.float32), (np.float64, np.float64), (np.float32, np.float64)]
)
def test_score_tile_holds_every_pair(metric, dtypes):
    rng = np.random.default_rng(1)
    x, y = (rng.standard_normal((n, 10)).astype(dtype) for n, dtype in zip((4, 6), dtypes, strict=True))
    x_norms, y_norms = vectors.norms(x), vectors.norms(y)
    tile = vectors.score_tile(x, y, x_norms, y_norms, metric)
    assert tile.shape == (4, 6)
    one = {L1: vectors.absolute_distance, CHI2: vectors.chi_square}.get(metric)
    for i in range(4):
        for j in range(6):
            if one is None:
                expected = vectors.score(x[i], y[j], x_norms[i], y_norms[j], metric)
            else:
                expected = one(x[i], y[j])
            assert tile[i, j] == expected
    left, right = np.array([3, 0, 2]), np.array([5, 5, 1])
    chosen = vectors.score_pairs(x, y, x_norms, y_norms, metric, -1.0, left, right)
    assert np.array_equal(chosen, -tile[left, right])


@pytest.mark.parametrize("metric", [COSINE, INNER, L2, L1, CHI2])
def test_each_kernel_is_the_function_it_was_compiled_from(metric):
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((3, 9)), rng.standard_normal((4, 9))
    lengths = vectors.norms(x), vectors.norms(y)
    left, right = np.array([0, 2]), np.array([1, 3, 0])
    kernel = vectors.fill_by_component if metric in (L1, CHI2) else vectors.fill_scores
    arrays = (x, y, metric) if metric in (L1, CHI2) else (x, y, *lengths, metric)
    compiled, plain = np.empty((2, 3)), np.empty((2, 3))
    kernel(*arrays, 1.0, left, right, 0, compiled)
    kernel.py_func(*arrays, 1.0, left, right, 0, plain)
    assert np.array_equal(compiled, plain)
    assert np.array_equal(compiled, vectors.score_tile(x, y, *lengths, metric)[np.ix_(left, right)])
