"""Two sets of different people: closed forms where people have one probe, one computation where they have several."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from proband.errors import UsageError
from proband.inference import compare_independent
from proband.measures import RecognitionRate

RATE = RecognitionRate(1)


def wilson(hits: float, n: float, z: float) -> tuple[float, float]:
    p = hits / n
    middle, half = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_one_probe_each_has_newcombe_s_interval_and_pearson_s_test(outcomes_of: Any, level: float) -> None:
    """Newcombe (1998), example (a): 56 of 70 against 48 of 80, 0.0524 to 0.3339 at 95 %."""
    first, second = outcomes_of(np.repeat([0, 1], [56, 14])), outcomes_of(np.repeat([0, 1], [48, 32]))
    (pair,) = compare_independent(first, second, measure=RATE, confidence_level=level).pairs
    (l1, u1), (l2, u2) = (wilson(*one, ndtri(0.5 + level / 2)) for one in ((56, 70), (48, 80)))
    assert pair.low == pytest.approx(0.2 - np.hypot(0.8 - l1, u2 - 0.6))
    assert pair.high == pytest.approx(0.2 + np.hypot(u1 - 0.8, 0.6 - l2))
    if level == 0.95:
        assert (round(pair.low, 4), round(pair.high, 4)) == (0.0524, 0.3339)
    table = [[56, 14], [48, 32]]
    assert pair.p_value == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue)
    (bound,) = compare_independent(
        first, second, measure=RATE, confidence_level=level, one_sided="lower"
    ).pairs
    (l1, _), (_, u2) = (wilson(*one, ndtri(level)) for one in ((56, 70), (48, 80)))
    assert bound.low == pytest.approx(0.2 - np.hypot(0.8 - l1, u2 - 0.6))
    assert (bound.high, bound.p_value) == (1.0, pytest.approx(pair.p_value / 2))


def test_over_people_the_interval_ends_at_zero_at_the_level_of_the_p_value(outcomes_of: Any) -> None:
    rng = np.random.default_rng(4)
    for _ in range(5):
        sets = []
        for _ in range(2):
            sizes = rng.choice([1, 2, 9], rng.integers(12, 30))
            people = np.repeat(np.arange(len(sizes)), sizes)
            own = rng.beta(6, 2, len(sizes))
            sets.append(outcomes_of((rng.random(len(people)) > own[people]).astype(int), people))
        (pair,) = compare_independent(*sets, measure=RATE).pairs
        if not 1e-6 < pair.p_value < 0.99:
            continue
        (at,) = compare_independent(*sets, measure=RATE, confidence_level=1 - pair.p_value).pairs
        assert min(abs(at.low), abs(at.high)) < 1e-6
        for level in (0.8, 0.95):
            (one,) = compare_independent(*sets, measure=RATE, confidence_level=level).pairs
            assert (one.low > 0 or one.high < 0) == (one.p_value <= 1 - level)


def test_several_algorithms_are_matched_by_name_or_by_pairs(outcomes_of: Any) -> None:
    first = {name: outcomes_of(np.repeat([0, 1], [30 + k, 20 - k]), name=name) for k, name in enumerate("ab")}
    second = {
        name: outcomes_of(np.repeat([0, 1], [40 + k, 20 - k]), name=name) for k, name in enumerate("bc")
    }
    (pair,) = compare_independent(first, second, measure=RATE).pairs
    assert (pair.first, pair.second) == ("b (first set)", "b (second set)")
    found = compare_independent(first, second, measure=RATE, pairs=[("a", "b"), ("a", "c")])
    assert [(one.first, one.second) for one in found.pairs] == [("a", "b (second set)"), ("a", "c")]
    assert [one.facts.algorithm for one in found.estimates] == ["a", "b (second set)", "c"]
    for one in found.pairs:
        assert one.p_adjusted == pytest.approx(min(1.0, 2 * one.p_value))
    with pytest.raises(UsageError, match="no algorithm 'c' in the first set"):
        compare_independent(first, second, measure=RATE, pairs=[("c", "b")])
    with pytest.raises(UsageError, match="No algorithm of the first set"):
        compare_independent({"x": first["a"], "y": first["b"]}, second, measure=RATE)


@pytest.mark.long
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((60, [1], 0.9, 0.2), (60, [1], 0.9, 0.2)),
        ((40, [3], 0.9, 0.3), (100, [5], 0.9, 0.3)),
        ((40, [1, 2, 12], 0.9, 0.3), (100, [4], 0.9, None)),
        ((30, [1, 1, 1, 20], 0.85, None), (30, [2], 0.85, 0.2)),
        ((40, [1, 2, 12], 0.95, 0.3), (60, [4], 0.85, None)),
    ],
)
def test_coverage_for_unequal_and_skewed_people(outcomes_of: Any, first: Any, second: Any) -> None:
    """400 pairs of data sets; abilities beta, or (None) 15 % of the people far worse than the others."""
    rng, n_sets, covered, rejected = np.random.default_rng(1), 400, 0, 0

    def drawn(people: int, sizes: list[int], rate: float, icc: float | None) -> tuple[np.ndarray, np.ndarray]:
        numbers = np.resize(sizes, people)
        if icc is None:
            own = np.where(rng.random(people) < 0.15, 0.3, (rate - 0.15 * 0.3) / 0.85)
        else:
            own = rng.beta(rate * (1 - icc) / icc, (1 - rate) * (1 - icc) / icc, people)
        whose = np.repeat(np.arange(people), numbers)
        return (rng.random(len(whose)) > own[whose]).astype(int), whose

    for _ in range(n_sets):
        (a, of_a), (b, of_b) = drawn(*first), drawn(*second)
        (pair,) = compare_independent(
            outcomes_of(a, of_a), outcomes_of(b, of_b + 1000, name="other"), measure=RATE
        ).pairs
        covered += pair.low <= first[2] - second[2] <= pair.high
        rejected += pair.p_value <= 0.05
    assert covered / n_sets >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / n_sets)
    if first[2] == second[2]:
        assert rejected / n_sets <= 0.05 + 3 * np.sqrt(0.95 * 0.05 / n_sets)
