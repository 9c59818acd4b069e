"""Running sums over errors that share people, against sums over all errors so far."""

from __future__ import annotations

import numpy as np
import pytest

from proband.kernels.shared_people import sum_over_partners


@pytest.mark.parametrize("seed", range(3))
def test_running_sums_are_those_of_all_errors_so_far(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people, n = 7, 40
    low = rng.integers(0, people - 1, n)
    high = rng.integers(low + 1, people)  # some pairs of people several times
    weights, sizes = rng.random(n), rng.random(people)
    errors = np.bincount(low, minlength=people) + np.bincount(high, minlength=people)
    products, crossed = np.empty(n), np.empty(n)
    sum_over_partners(low, high, weights, sizes, np.cumsum(errors) - errors, products, crossed)
    for k in range(n):
        i, j, w = low[: k + 1], high[: k + 1], weights[: k + 1]
        totals = np.bincount(i, w, people) + np.bincount(j, w, people)
        assert products[k] == pytest.approx(float((w * totals[i] * totals[j]).sum()))
        assert crossed[k] == pytest.approx(float((w * (totals[i] * sizes[j] + totals[j] * sizes[i])).sum()))
