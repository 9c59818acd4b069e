"""Groups compared by dealing their labels anew over people."""

from __future__ import annotations

import numpy as np
import pytest

from proband.inference.verification.groups import Differential, GroupRates, error_rates_by
from proband.inference.verification.intervals.dyadic_rates import false_match_rate, false_non_match_rate
from proband.inference.verification.people.group_differences import (
    GenuineErrors,
    ImpostorErrors,
    differences_of_groups,
)
from proband.inference.verification.people.meetings import Comparisons
from proband.measures.verification import OperatingPoint
from proband.samples import Samples
from proband.scores import Scores


@pytest.mark.parametrize("symmetric", [True, False])
def test_rates_and_variances_are_those_of_the_groups_alone(symmetric):
    rng = np.random.default_rng(4)
    queries = rng.integers(1, 4, 24)
    everybody = Comparisons(queries, queries if symmetric else rng.integers(1, 4, 24), symmetric)
    labels = rng.permutation(np.repeat([0, 1, 2], 8))
    i, j = np.triu_indices(24, 1)
    errors = rng.binomial(everybody.n_between(i, j), np.where(rng.random(24)[i] < 0.3, 0.4, 0.1))
    first, second = np.repeat(i, errors), np.repeat(j, errors)
    rates, variances = ImpostorErrors(first, second, everybody)(labels, 3)
    for group in range(3):
        people = np.flatnonzero(labels == group)
        inside = (labels[first] == group) & (labels[second] == group)
        alone = Comparisons(everybody.queries[people], everybody.targets[people], symmetric)
        found = false_match_rate(
            np.searchsorted(people, first[inside]), np.searchsorted(people, second[inside]), alone
        )
        assert rates[group] == pytest.approx(found.value)
        assert variances[group] >= 0.99 * found.standard_error**2
    own = np.repeat(np.arange(24), 3)
    missed = rng.random(72) < rng.beta(1, 2, 24)[own]
    rates, variances = GenuineErrors(own, missed, 24)(labels, 3)
    for group in range(3):
        found = false_non_match_rate(own[labels[own] == group], missed[labels[own] == group])
        assert rates[group] == found.value
        assert variances[group] >= 0.99 * found.standard_error**2 * 0.9


def drawn(rng: np.random.Generator, differ: float, n: int = 40):
    own, labels = np.repeat(np.arange(n), 4), np.repeat(np.arange(4), n // 4)
    chance = np.clip(rng.beta(1, 4, n) + differ * (labels == 3), 0, 1)
    return own, labels, rng.random(len(own)) < chance[own]


def rejections(n_sets: int, differ: float, monkeypatch) -> tuple[float, float]:
    """How often some difference, and the ratio, are more than chance."""
    monkeypatch.setattr("proband.inference.verification.people.group_differences._DRAWS", 199)
    rng, found = np.random.default_rng(0), []
    for number in range(n_sets):
        own, labels, missed = drawn(rng, differ)
        test = differences_of_groups(
            GenuineErrors(own, missed, 40), labels, list("abcd"), np.ones(4, bool), seed=number
        )
        for one in test.differences:
            assert (one.p_adjusted <= 0.05) == (not one.low <= 0 <= one.high) == one.told_apart
            assert one.p_value <= one.p_adjusted
        found.append((min(one.p_adjusted for one in test.differences) <= 0.05, test.ratio_p <= 0.05))
    return tuple(np.mean(found, axis=0))


def test_groups_that_are_alike(monkeypatch):
    assert max(rejections(40, 0.0, monkeypatch)) <= 0.15
    assert min(rejections(15, 0.5, monkeypatch)) >= 0.6


@pytest.mark.long
def test_level_of_differences(monkeypatch):
    assert max(rejections(2000, 0.0, monkeypatch)) <= 0.065


@pytest.mark.usefixtures("few_deals")
def test_only_groups_of_people_are_dealt():
    ids = [f"{person}{image}" for person in "abcdefghijkl" for image in "123"]
    table = {
        "id": ids,
        "subject": [name[0] for name in ids],
        "sex": ["f" if name[0] in "abcdef" else "m" if name[0] in "ghijk" else None for name in ids],
        "session": [name[1] for name in ids],
    }
    values = np.random.default_rng(0).normal(size=(36, 36))
    scores = Scores.from_array(values + values.T, ids, orientation="similarity")
    point = OperatingPoint(0.5, 0, 60, 1, 6, 0, 0)
    of_people = error_rates_by(scores, Samples(table), "sex", point)
    assert of_people.tested
    rates = {one.group: one for one in of_people.groups}
    for rate in ("fnmr", "fmr"):
        (pair,) = of_people.differences(rate)
        assert (pair.who.column, pair.first, pair.second) == ("sex", "f", "m")
        assert pair.value == pytest.approx(getattr(rates["f"], rate).value - getattr(rates["m"], rate).value)
        assert pair.p_value == pair.p_adjusted  # there is one pair
    by_session = error_rates_by(scores, Samples(table), "session", point)
    assert not by_session.tested
    assert not by_session.fnmr_differences
    assert any(note.level == "caution" for note in by_session.sentences())


def test_intervals_agree_with_p_values(monkeypatch):
    """With few people dealings tie with the groups as they are, to rounding."""
    monkeypatch.setattr("proband.inference.verification.people.group_differences._DRAWS", 99)
    rng, own, tied = np.random.default_rng(3), np.repeat(np.arange(8), 7), 0
    for n in range(25):
        missed = rng.random(56) < rng.choice([0.05, 0.5, 0.9], 8)[own]
        labels = rng.permutation(np.repeat([0, 1], 4))
        for level in (0.5, 0.8, 0.95):
            found = differences_of_groups(
                GenuineErrors(own, missed, 8), labels, ["f", "m"], np.array([True, True]), level, n
            )
            for one in found.differences:
                assert (one.p_adjusted <= 1 - level) == (not one.low <= 0 <= one.high)
                tied += 0.0 in (one.low, one.high)
    assert tied


def test_dealings_without_an_error_are_no_difference():
    """One error between two people of a group: most dealings part them, and nobody errs within a group."""
    comparisons = Comparisons(np.full(8, 2), np.full(8, 2), symmetric=True)
    errors = ImpostorErrors(np.array([0]), np.array([1]), comparisons)
    labels = np.arange(8) // 2
    found = differences_of_groups(errors, labels, list("abcd"), np.ones(4, dtype=bool))
    assert all(0 < one.p_adjusted <= 1 and one.low <= one.value <= one.high for one in found.differences)


def test_people_without_comparisons_differ_in_nothing():
    errors = GenuineErrors(np.array([], dtype=np.intp), np.array([], dtype=bool), 4)
    found = differences_of_groups(errors, np.array([0, 0, 1, 1]), ["a", "b"], np.ones(2, dtype=bool))
    assert found.differences == ()


def test_differential_ratio_by_example() -> None:
    rates = [false_non_match_rate(range(200), [1] * errors + [0] * (200 - errors)) for errors in (40, 80, 10)]
    groups = tuple(GroupRates(name, 200, rate, None) for name, rate in zip("abc", rates, strict=True))
    assert Differential("net", "group", 0.5, groups, 0).ratio("fnmr") == 2.0
