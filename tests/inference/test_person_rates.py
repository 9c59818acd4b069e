"""Rates of people with different numbers of comparisons, against matrices of covariances."""

from __future__ import annotations

import numpy as np
import pytest

from proband.inference.estimates.weighting import PeopleSums
from proband.inference.verification.intervals.dyadic_rates import false_match_rate, false_non_match_rate
from proband.inference.verification.people.meetings import Comparisons
from proband.inference.verification.people.person_rates import by_comparison, by_person


@pytest.mark.parametrize("seed", range(5))
def test_variance_and_freedom_against_matrices(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, 15).astype(float)
    errors = rng.binomial(sizes.astype(int), rng.beta(1, 3, 15)).astype(float)
    n, rate = sizes.sum(), errors.sum() / sizes.sum()
    alike = max(0.0, float(PeopleSums.of_counts(errors, sizes).icc))
    own = np.diag(sizes * (1 + (sizes - 1) * alike))
    less = np.eye(15) - np.outer(sizes / n, np.ones(15))
    covariance = less @ own @ less.T
    factors = np.diag(own) / np.diag(covariance)
    residuals = errors - rate * sizes
    found = by_comparison(errors, sizes)
    scaled = np.sqrt(factors)[:, None] * covariance * np.sqrt(factors)
    bell_mccaffrey = np.trace(scaled) ** 2 / (scaled**2).sum()
    variance, kish = (factors * residuals**2).sum() / n**2, n**2 / (sizes**2).sum()
    supposed, alike = 3 * (1 - kish / 15), max(rate * (1 - rate) / kish, variance)
    moderated = (bell_mccaffrey * variance + supposed * alike) / (bell_mccaffrey + supposed)
    assert found.variance == pytest.approx(max(moderated, rate * (1 - rate) / n))
    carriers = (residuals**2).sum() ** 2 / (residuals**4).sum()
    assert found.freedom == pytest.approx(min(bell_mccaffrey, 2 * carriers / (1 - carriers / 15), 14))


def test_people_weigh_the_same():
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 9, 30)
    own = np.repeat(np.arange(30), sizes)
    wrong = rng.random(len(own)) < rng.beta(1, 4, 30)[own]
    rates = [wrong[own == person].mean() for person in range(30)]
    found = false_non_match_rate(own, wrong)
    assert found.value == wrong.mean()
    assert found.by_person.value == pytest.approx(np.mean(rates))
    assert found.by_person.standard_error == pytest.approx(np.std(rates, ddof=1) / np.sqrt(30))
    assert found.by_person.low < found.by_person.value < found.by_person.high
    assert false_non_match_rate(np.repeat(np.arange(30), 2), rng.random(60) < 0.3).by_person is None
    assert by_person(np.ones(3), np.full(3, 2.0)).rate == 0.5


@pytest.mark.parametrize("symmetric", [True, False])
def test_every_two_people_weigh_the_same(symmetric):
    rng = np.random.default_rng(5)
    images = rng.integers(1, 5, 10)
    comparisons = Comparisons(images, images if symmetric else rng.integers(1, 5, 10), symmetric)
    i, j = np.triu_indices(10, 1)
    n = comparisons.n_between(i, j)
    errors = rng.binomial(n, rng.beta(1, 4, 10)[i])
    found = false_match_rate(np.repeat(i, errors), np.repeat(j, errors), comparisons).by_person
    assert found.value == pytest.approx((errors / n).mean())
    deviations = np.zeros((10, 10))
    deviations[i, j] = deviations[j, i] = errors / n - found.value
    squares = (deviations.sum(axis=0) ** 2).sum() - (deviations**2).sum() / 2
    assert found.standard_error**2 == pytest.approx(squares / 45**2 * 90 / 56)
    assert false_match_rate(i[:9], j[:9], Comparisons([2] * 10, [2] * 10, symmetric=True)).by_person is None
