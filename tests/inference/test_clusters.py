"""The variance over people stands in one place, and everything that speaks of it agrees with a plain sum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from proband.inference.cross_validation.intervals import pooled_interval
from proband.inference.estimates.clusters import cluster_statistics, design_effect, variance_over_people
from proband.inference.estimates.people_fractions import people_interval
from proband.inference.proportions import t_quantile, wilson_interval
from proband.inference.strata.kish import kish_miss_rate
from proband.protocols.running.mixing import difference_over_people


def plainly(values: list[float], people: list[int]) -> float:
    own: dict[int, list[float]] = {}
    for value, person in zip(values, people, strict=True):
        own.setdefault(person, []).append(value)
    mean, k = sum(values) / len(values), len(own)
    return sum((sum(one) - mean * len(one)) ** 2 for one in own.values()) * k / (k - 1) / len(values) ** 2


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6)), min_size=3, max_size=40))
def test_all_agree_with_a_plain_sum(drawn: list[tuple[int, int]]) -> None:
    success = np.array([one for one, _ in drawn], dtype=np.float64)
    people = np.array([3 * person for _, person in drawn])  # numbers need not follow one another
    k, n, mean = len(np.unique(people)), len(success), success.mean()
    if k < 2:
        return
    expected = plainly(success.tolist(), people.tolist())
    assert variance_over_people(success, people) == pytest.approx(expected, abs=1e-15)
    pooled = pooled_interval(success, people, disjoint=False)
    assert pooled.standard_error == pytest.approx(np.sqrt(expected), abs=1e-9)
    _, error, _ = difference_over_people((success, people), (np.zeros(n), people))
    assert (error or 0.0) == pytest.approx(np.sqrt(expected), abs=1e-9)
    if not 0 < mean < 1:
        return
    assert cluster_statistics(success, people).cluster_se == pytest.approx(np.sqrt(expected), abs=1e-9)
    if k < n and len(np.unique(np.unique(people, return_counts=True)[1])) == 1:
        effect = max(1.0, expected / (mean * (1 - mean) / n))
        assert design_effect(success, people) == pytest.approx(effect)
        ends = wilson_interval(mean, n / effect, t_quantile(0.95, k - 1.0))
        assert people_interval(success, people, 0.95) == pytest.approx(ends)


def test_where_nothing_varies_each_person_counts_once() -> None:
    assert design_effect(np.ones(6), np.array([0, 0, 0, 1, 1, 1])) == 3.0
    assert design_effect(np.array([1.0, 0.0]), np.array([0, 0])) == 2.0
    assert design_effect(np.array([1.0, 0.0]), np.array([0, 1])) == 1.0


def test_kishs_miss_rate_is_his_and_that_of_simulated_tests() -> None:
    """A product ρ(n̄ − 1) of 0.2 makes a 95 % interval miss with 7.36 % (Kish 1957); and so it does where people are drawn."""
    assert kish_miss_rate(0.2, 2) == pytest.approx(0.0736, abs=5e-5)
    assert kish_miss_rate(0.05, 5) == pytest.approx(2 * stats.norm.cdf(-1.959964 / np.sqrt(1.2)), rel=1e-6)
    assert kish_miss_rate(0.3, 1) == pytest.approx(0.05)
    assert kish_miss_rate(-0.5, 3) == 0.0  # a product of −1: every person has the same rate
    rng = np.random.default_rng(2)
    people, probes, rate, icc = 400, 4, 0.6, 0.25
    own = rng.beta(rate * (1 - icc) / icc, (1 - rate) * (1 - icc) / icc, (4_000, people))
    seen = rng.binomial(probes, own).sum(axis=1) / (people * probes)
    missed = np.abs(seen - rate) > 1.959964 * np.sqrt(seen * (1 - seen) / (people * probes))
    assert kish_miss_rate(icc, probes) == pytest.approx(missed.mean(), abs=0.02)
