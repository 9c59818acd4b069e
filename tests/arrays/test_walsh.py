"""The compiled transform, compiled and as plain Python, against the definition."""

from __future__ import annotations

import numpy as np
import pytest

from proband.arrays import hadamard
from proband.kernels import walsh as kernels


@pytest.fixture(params=["compiled", "python"])
def kernel(request, monkeypatch):
    if request.param == "compiled":
        return kernels
    monkeypatch.setattr(kernels, "walsh", kernels.walsh.py_func)
    monkeypatch.setattr(kernels, "spread_pairs", kernels.spread_pairs.py_func)
    return kernels


@pytest.mark.parametrize("order", [1, 2, 4, 8, 16, 32, 64, 256])
@pytest.mark.parametrize("width", [1, 3])
def test_is_the_product_with_sylvester_s_matrix(kernel, order, width):
    table = np.random.default_rng(order).integers(-9, 10, (order, width)).astype(np.float64)
    expected = hadamard(order).astype(np.float64) @ table
    kernel.walsh(table.reshape(-1), width)
    assert np.array_equal(table, expected)


def test_pairs_become_sums_and_differences(kernel):
    values = np.random.default_rng(0).integers(0, 9, (5, 2, 3)).astype(np.float64)
    spectrum = np.full((8, 3), np.nan)
    kernel.spread_pairs(values, spectrum)
    assert np.array_equal(spectrum[0], values.sum(axis=(0, 1)) / 2)
    assert np.array_equal(spectrum[1:6], (values[:, 0] - values[:, 1]) / 2)
    assert not spectrum[6:].any()
