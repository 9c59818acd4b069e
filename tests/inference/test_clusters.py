"""The variance over people stands in one place, and everything that speaks of it agrees with a plain sum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proband.inference.cross_validation.intervals import pooled_interval
from proband.inference.estimates.clusters import cluster_statistics, design_effect, variance_over_people
from proband.inference.estimates.people_fractions import people_interval
from proband.inference.proportions import t_quantile, wilson_interval
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
