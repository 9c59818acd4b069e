"""Error rates over people: closed forms against loops over every two comparisons, and what is said at the edges."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from tests.examples import some

from proband.errors import DesignError, UsageError
from proband.inference import proportion_interval
from proband.inference.proportions import t_quantile, wilson_interval
from proband.inference.verification.intervals.dyadic_auc import (
    PairCloseness,
    PairPeople,
    _Numbered,
    _sums,
    auc_difference,
    auc_interval,
)
from proband.inference.verification.intervals.dyadic_rates import (
    false_match_rate,
    false_non_match_rate,
    naive_interval,
)
from proband.inference.verification.intervals.few_errors import bounds_without_errors, zero_error_bounds
from proband.inference.verification.intervals.rate_interval import FALSE_MATCHES
from proband.inference.verification.people.carriers import effective_people, small_sample
from proband.inference.verification.people.meetings import Comparisons
from proband.inference.verification.people.supposed import effect_of_sharing


def some_images(rng: np.random.Generator, subjects: int, symmetric: bool) -> Comparisons:
    queries = rng.integers(0, 4, subjects)
    return Comparisons(queries, queries if symmetric else rng.integers(0, 4, subjects), symmetric)


def listed(comparisons: Comparisons) -> tuple[np.ndarray, np.ndarray]:
    """The two subjects of every impostor comparison there is."""
    found = []
    for i, j in combinations(range(comparisons.n_subjects), 2):
        if comparisons.symmetric:
            n = comparisons.queries[i] * comparisons.queries[j]
        else:
            n = (
                comparisons.queries[i] * comparisons.targets[j]
                + comparisons.queries[j] * comparisons.targets[i]
            )
        found += [(i, j)] * int(n)
    return np.array(found, dtype=np.int64).reshape(-1, 2).T


def plain(interval):
    """What JSON can hold: fails on NaN and infinity."""
    return json.loads(json.dumps(interval.to_dict(), allow_nan=False))


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_numbers_of_comparisons(seed, symmetric):
    comparisons = some_images(np.random.default_rng(seed), 9, symmetric)
    i, j = listed(comparisons)
    keys, counts = np.unique(i * 9 + j, return_counts=True)
    assert comparisons.n_impostor == len(i)
    assert comparisons.n_by_subject.tolist() == [np.sum((i == s) | (j == s)) for s in range(9)]
    assert comparisons.sum_of_squares == np.sum(counts**2)
    assert comparisons.n_between(keys // 9, keys % 9).tolist() == counts.tolist()


def most_disjoint(edges: list[tuple[int, int]]) -> int:
    if not edges:
        return 0
    (i, j), rest = edges[0], edges[1:]
    return max(most_disjoint(rest), 1 + most_disjoint([e for e in rest if not {i, j} & set(e)]))


@pytest.mark.parametrize("seed", range(8))
def test_number_of_disjoint_pairs(seed):
    rng = np.random.default_rng(seed)
    comparisons = Comparisons(rng.integers(0, 2, 6), rng.integers(0, 2, 6))
    i, j = listed(comparisons)
    assert comparisons.n_disjoint == most_disjoint(sorted(set(zip(i.tolist(), j.tolist(), strict=True))))


def test_large_numbers_do_not_overflow():
    images = np.full(200_000, 30_000)
    everybody = Comparisons(images, images, symmetric=True)
    assert everybody.sum_of_squares == 30_000**4 * 200_000 * 199_999 // 2


def loop_variance(i: np.ndarray, j: np.ndarray, residuals: np.ndarray) -> float:
    """Σ of products of residuals over every two comparisons that share a person, each with itself too."""
    share = (
        (i[:, None] == i) | (i[:, None] == j) | (j[:, None] == i) | (j[:, None] == j)
    )  # fmt: skip
    return float(residuals @ share @ residuals)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_variance_against_every_two_comparisons(seed, symmetric):
    rng = np.random.default_rng(seed)
    comparisons = some_images(rng, 12, symmetric)
    i, j = listed(comparisons)
    # Errors come with a person, so that they are alike and the variance is above its floor.
    careless = rng.random(12) < 0.3
    wrong = rng.random(len(i)) < np.where(careless[i] | careless[j], 0.6, 0.05)
    found = false_match_rate(j[wrong], i[wrong], comparisons, method="wilson")
    variance = loop_variance(i, j, wrong - wrong.mean()) / len(i) ** 2
    assert found.value == wrong.mean()
    assert found.standard_error**2 == pytest.approx(variance, rel=1e-10)
    assert found.rests_on.n_effective == pytest.approx(
        wrong.mean() * (1 - wrong.mean()) / variance, rel=1e-10
    )
    corrected = false_match_rate(i[wrong], j[wrong], comparisons)
    people = int(np.count_nonzero(comparisons.n_by_subject))
    assert corrected.standard_error**2 == pytest.approx(variance * small_sample(people), rel=1e-10)
    half = np.log(corrected.high / (1 - corrected.high)) - np.log(wrong.mean() / (1 - wrong.mean()))
    t = t_quantile(0.95, corrected.degrees_of_freedom)
    assert half == pytest.approx(
        t / np.sqrt(corrected.rests_on.n_effective * wrong.mean() * (1 - wrong.mean()))
    )


def test_independent_pairs_lose_nothing():
    """Errors that share nobody: the variance is held at that of independent comparisons."""
    n = 60
    comparisons = Comparisons(np.ones(n, int), np.ones(n, int), symmetric=True)
    found = false_match_rate(np.arange(0, n, 2), np.arange(1, n, 2), comparisons)
    assert found.rests_on.n_effective <= found.rests_on.n
    assert found.rests_on.n_effective == pytest.approx(found.rests_on.n, rel=1e-3)
    assert found.supported


def test_right_and_wrong_are_mirror_images():
    rng = np.random.default_rng(3)
    comparisons = some_images(rng, 15, symmetric=False)
    i, j = listed(comparisons)
    wrong = rng.random(len(i)) < 0.1
    one = false_match_rate(i[wrong], j[wrong], comparisons)
    other = false_match_rate(i[~wrong], j[~wrong], comparisons)
    assert (other.low, other.high) == pytest.approx((1 - one.high, 1 - one.low), rel=1e-9)
    assert other.degrees_of_freedom == pytest.approx(one.degrees_of_freedom, rel=1e-9)


def test_effective_people():
    assert effective_people(np.ones(50)) == 49
    assert effective_people(np.array([1.0, -1.0, 1.0, -1.0] + [0.0] * 96)) == pytest.approx(4)
    assert effective_people(np.array([5.0] + [0.0] * 9)) == 2
    assert effective_people(np.zeros(5)) == 4


def test_a_few_who_carry_the_errors_are_noted():
    comparisons = Comparisons(np.ones(100, int), np.ones(100, int), symmetric=True)
    wolf = false_match_rate(np.zeros(40, int), np.arange(1, 41), comparisons)
    assert wolf.degrees_of_freedom == 2
    assert any("2 of 100 people" in str(note) for note in wolf.notes)
    assert wolf.low < wolf.value < wolf.high < 1


def test_no_errors_have_three_bounds():
    """With a design effect, as if independent, and from people who share nothing; the first is the interval."""
    comparisons = Comparisons(np.ones(101, int), np.ones(101, int), symmetric=True)
    none = false_match_rate([], [], comparisons)
    effect = 1 + 0.005 * (101 * 100**2 - 2 * 5050) / 5050
    assert none.high == pytest.approx(1 - 0.025 ** (effect / 5050))
    assert none.rests_on.n_effective == pytest.approx(5050 / effect)
    assert false_match_rate([], [], comparisons, design_effect=1.5).high == pytest.approx(
        1 - 0.025 ** (1.5 / 5050)
    )
    assert [note.code for note in none.notes] == ["rates.not-supported", "rates.no-errors"]
    borrowed = false_match_rate([], [], comparisons, design_effect=1.5).notes[1]
    assert borrowed.code == "rates.no-errors-borrowed"
    bounds = bounds_without_errors(none, 50)
    assert (none.value, none.rests_on.events, none.rests_on.n, none.low, none.standard_error) == (
        0.0,
        0,
        5050,
        0.0,
        0.0,
    )
    assert not none.supported
    assert bounds.independent == pytest.approx(1 - 0.05 ** (1 / 5050))
    assert bounds.rule_of_three == pytest.approx(3 / 5050, rel=2e-3)
    assert bounds.disjoint == pytest.approx(1 - 0.05 ** (1 / 50))
    # However alike comparisons are, people who share nothing are worth as many.
    most = false_match_rate([], [], comparisons, design_effect=1e6)
    assert most.high == pytest.approx(1 - 0.025 ** (1 / 50))
    assert bounds.n_disjoint == 50
    everything = false_match_rate(*listed(comparisons), comparisons)
    assert (everything.low, everything.high) == (1 - none.high, 1.0)
    assert everything.supported


@pytest.mark.parametrize("effect", [None, 1.0, 3.0, 1e6])
def test_one_false_match_is_wilsons_of_what_comparisons_are_worth(effect):
    """Two people carry it whatever they are like, which shows nothing; so it reaches about as far as none."""
    comparisons = Comparisons([2] * 40, [2] * 40, symmetric=True)
    taken = effect_of_sharing(comparisons) if effect is None else effect
    worth = max(comparisons.n_impostor / taken, 20)
    one = false_match_rate([0], [1], comparisons, design_effect=effect)
    assert (one.low, one.high) == pytest.approx(wilson_interval(one.value, worth, stats.norm.ppf(0.975)))
    assert one.rests_on.n_effective == pytest.approx(worth)
    none = false_match_rate([], [], comparisons, design_effect=effect)
    assert 0.95 * none.high < one.high < 2 * none.high
    assert f"rates.one-error{'-borrowed' * (effect is not None)}" in {note.code for note in one.notes}


def test_genuine_without_errors():
    none = false_non_match_rate([0, 0, 1, 1, 2, 2], [0] * 6)
    assert none.high == pytest.approx(1 - 0.025 ** (1.25 / 6))  # 1 + 0.25·(2 − 1)
    assert bounds_without_errors(none, 3).independent == pytest.approx(1 - 0.05 ** (1 / 6))


@pytest.mark.parametrize("each", [1, 3, 10, 45])
@pytest.mark.parametrize("effect", [None, 1.0, 4.0, 40.0])
def test_none_is_at_most_three_times_as_wide_as_one(each, effect):
    own = np.repeat(np.arange(40), each)
    none, one, two = (
        false_non_match_rate(
            own, np.isin(np.arange(len(own)), [7, len(own) - 1][:errors]), design_effect=effect
        )
        for errors in (0, 1, 2)
    )
    assert none.high - none.low <= 3 * (one.high - one.low)
    assert two.rests_on.n_effective == pytest.approx(
        len(own), rel=0.03
    )  # two errors of two people show that nobody errs twice


def test_zero_error_bounds_of_one():
    assert zero_error_bounds(1, 1).disjoint == pytest.approx(0.95)
    assert zero_error_bounds(1, 1).rule_of_three == 1.0
    with pytest.raises(UsageError):
        zero_error_bounds(3, 0)


@pytest.mark.parametrize(
    ("queries", "targets", "i", "j"),
    [
        ([1, 1], [1, 1], [0], [1]),
        ([1, 1, 1], [1, 1, 1], [0, 1], [1, 2]),
        ([1, 0, 0, 0, 0], [0, 1, 1, 1, 1], [0], [1]),  # one person is in every comparison
    ],
)
def test_too_few_people_say_nothing(queries, targets, i, j):
    found = false_match_rate(i, j, Comparisons(queries, targets))
    assert (found.low, found.high) == (0.0, 1.0)
    assert any("too few people" in str(note) for note in found.notes)
    plain(found)


@pytest.mark.parametrize("method", ["logit", "wilson"])
@pytest.mark.parametrize("level", some([1e-6, 0.5, 1 - 1e-9, 0.95], 2))
def test_defined_everywhere(level, method):
    """Every set of errors among four people with one image each, and every share of genuine errors."""
    comparisons = Comparisons(np.ones(4, int), np.ones(4, int), symmetric=True)
    i, j = listed(comparisons)
    for chosen in range(2**6):
        wrong = np.array([chosen >> k & 1 for k in range(6)], dtype=bool)
        found = false_match_rate(i[wrong], j[wrong], comparisons, level, method)
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert 0 < found.rests_on.n_effective <= found.rests_on.n
        plain(found)
        genuine = false_non_match_rate([0, 0, 1, 1, 2, 3], wrong, level)
        assert 0 <= genuine.low <= genuine.value <= genuine.high <= 1
        plain(genuine)


def test_one_comparison_and_one_person():
    one = false_match_rate([0], [1], Comparisons([1, 0], [0, 1]))
    assert (one.rests_on.n, one.value, one.low, one.high) == (1, 1.0, pytest.approx(0.025), 1.0)
    with pytest.raises(DesignError, match="no impostor comparisons"):
        false_match_rate([], [], Comparisons([3], [3]))
    with pytest.raises(DesignError, match="no genuine"):
        false_non_match_rate([], [])
    alone = false_non_match_rate([7, 7], [True, False])
    assert (alone.low, alone.high, alone.rests_on.n_units) == (0.0, 1.0, 1)


def test_genuine_errors_are_clustered():
    """Cochran's leprosy patients (a surrogate with the same sums): the standard error of the ratio estimator."""
    per_person = np.repeat(np.arange(7), [15, 12, 6, 7, 6, 6, 9])
    wrong = np.concatenate([[1] * k + [0] * (6 - k) for k in per_person])
    found = false_non_match_rate(np.repeat(np.arange(61), 6), wrong)
    assert (found.rests_on.events, found.rests_on.n) == (153, 366)
    assert found.standard_error == pytest.approx(0.046528378049, abs=1e-12)
    assert found.rests_on.n_effective == pytest.approx(366 / 3.256927184, rel=1e-9)
    assert found.degrees_of_freedom == 60


def test_naive_is_wilson_and_says_so():
    found = naive_interval(FALSE_MATCHES, np.int64(24), np.int64(697))
    assert (found.low, found.high) == tuple(proportion_interval(24, 697))
    assert "naive" in str(found.method)
    assert any("too narrow" in str(note) for note in found.notes)
    plain(found)


@pytest.mark.parametrize(
    ("i", "j", "message"),
    [
        ([0], [0], "with itself"),
        ([0], [5], "numbered from 0 to 4"),
        ([-1], [2], "numbered"),
        ([0, 1], [2], "first"),
        ([0.5], [1.0], "whole numbers"),
        ([0, 0], [1, 1], "more false matches than comparisons"),
    ],
)
def test_impossible_errors_are_refused(i, j, message):
    comparisons = Comparisons(np.ones(5, int), np.ones(5, int), symmetric=True)
    with pytest.raises(UsageError, match=message):
        false_match_rate(i, j, comparisons)


def test_impossible_comparisons_are_refused():
    for queries, targets, symmetric in [([1], [1, 2], False), ([1, 2], [2, 1], True), ([-1], [1], False)]:
        with pytest.raises(UsageError):
            Comparisons(queries, targets, symmetric)
    with pytest.raises(UsageError, match="Unknown method"):
        false_match_rate([], [], Comparisons([1, 1], [1, 1]), method="bayes")
    with pytest.raises(UsageError, match="error or not"):
        false_non_match_rate([0, 1], [0.5, 1.0])


def people_and_scores(rng, subjects=9, each=3, ties=False):
    a = rng.normal(0, 0.7, subjects)
    own = np.repeat(np.arange(subjects), each)
    i, j = np.repeat(np.triu_indices(subjects, 1), 2, axis=1)
    genuine = a[own] + rng.normal(1.5, 1, len(own))
    impostor = 0.7 * (a[i] + a[j]) + rng.normal(0, 1, len(i))
    if ties:
        genuine, impostor = genuine.round(), impostor.round()
    return PairPeople(own, i, j), PairCloseness(genuine, impostor)


def loop_components(genuine, impostor):
    beats = (genuine[:, None] > impostor) + 0.5 * (genuine[:, None] == impostor)
    return beats.mean(), beats.mean(axis=1), beats.mean(axis=0)


@pytest.mark.parametrize("ties", [False, True])
def test_delong(ties):
    _, (genuine, impostor) = people_and_scores(np.random.default_rng(0), ties=ties)
    area, of_genuine, of_impostor = loop_components(genuine, impostor)
    found = auc_interval(PairCloseness(genuine, impostor))
    u = stats.mannwhitneyu(genuine, impostor).statistic
    assert found.value == pytest.approx(area) == pytest.approx(u / len(genuine) / len(impostor))
    variance = of_genuine.var(ddof=1) / len(genuine) + of_impostor.var(ddof=1) / len(impostor)
    assert found.standard_error == pytest.approx(np.sqrt(variance))
    assert found.low == pytest.approx(area - 1.959963985 * np.sqrt(variance))


def moderated(value: float, variance: float, sums: np.ndarray, sizes: np.ndarray) -> tuple[float, ...]:
    """The ends and the standard error of an interval with a moderated variance, written out."""
    carriers, people, n = (sums**2).sum() ** 2 / (sums**4).sum(), len(sums), sizes.sum()
    seen = min(2 * carriers / (1 - carriers / people), people - 1)
    supposed = value * (1 - value) * sum((size / n) ** 2 * (0.25 + 0.75 / size) for size in sizes if size)
    variance = (seen * variance + 0.4 * max(variance, supposed)) / (seen + 0.4)
    t = t_quantile(0.95, min(seen + 0.4, people - 1))
    trials = value * (1 - value) / variance
    ends = np.roots([1 + t * t / trials, -2 * value - t * t / trials, value**2])
    return min(ends), max(ends), np.sqrt(variance)


@pytest.mark.parametrize("seed", range(3))
def test_area_over_people_against_every_two_comparisons(seed):
    people, (genuine, impostor) = people_and_scores(np.random.default_rng(seed))
    area, of_genuine, of_impostor = loop_components(genuine, impostor)
    own, i, j = people
    first, second = np.concatenate([own, i]), np.concatenate([own, j])
    deviations = np.concatenate([(of_genuine - area) / len(genuine), (of_impostor - area) / len(impostor)])
    variance = loop_variance(first, second, deviations) * small_sample(9)
    found = auc_interval(PairCloseness(genuine, impostor), people)
    sums = np.array([deviations[(first == who) | (second == who)].sum() for who in range(9)])
    expected = moderated(area, variance, sums, np.bincount(own))
    assert (found.low, found.high, found.standard_error) == pytest.approx(expected)
    assert found.rests_on.n_units == 9


def test_paired_areas():
    rng = np.random.default_rng(2)
    people, first = people_and_scores(rng, 40)
    second = PairCloseness(first.genuine - 1.0 + 0.3 * rng.normal(size=len(first.genuine)), first.impostor)
    for whose in (None, people):
        found = auc_difference(first, second, whose)
        assert found.value == pytest.approx(auc_interval(first).value - auc_interval(second).value)
        assert found.low < found.value < found.high
        assert found.p_value < 0.01
        # Paired: less uncertain than two areas of different people would be.
        apart = np.hypot(
            auc_interval(first, whose).standard_error, auc_interval(second, whose).standard_error
        )
        assert found.standard_error < apart
        same = auc_difference(first, first, whose)
        assert (same.value, same.p_value) == (0.0, 1.0)
        plain(same)


def test_areas_at_the_edge():
    apart = auc_interval(PairCloseness([2.0, 3.0, 4.0], [0.0, 1.0, 0.5]))
    assert (apart.value, apart.high) == (1.0, 1.0)
    assert apart.low == pytest.approx(0.05 ** (1 / 3))
    reversed_ = auc_interval(PairCloseness([0.0], [1.0]), PairPeople([0], [0], [1]))
    assert (reversed_.value, reversed_.low, reversed_.high) == (0.0, 0.0, 1.0)
    own, (i, j) = np.arange(40), np.triu_indices(40, 1)
    separate = auc_interval(PairCloseness(np.ones(40), np.zeros(len(i))), PairPeople(own, i, j))
    assert (separate.low, separate.high) == (pytest.approx(0.025 ** (1 / 40)), 1.0)
    alike = auc_interval(PairCloseness([1.0], [1.0]))
    assert (alike.value, alike.low, alike.high) == (0.5, 0.0, 1.0)
    for found in (apart, reversed_, alike):
        plain(found)
    with pytest.raises(DesignError):
        auc_interval(PairCloseness([], [1.0]))
    with pytest.raises(UsageError):
        auc_interval(PairCloseness([np.nan], [1.0]))
    with pytest.raises(UsageError):
        auc_interval(PairCloseness([1.0], [1.0]), PairPeople([0], [1], [1]))
    with pytest.raises(UsageError):
        auc_difference(PairCloseness([1.0], [1.0]), PairCloseness([1.0], [1.0, 2.0]))


@pytest.mark.parametrize("seed", range(3))
def test_area_of_unequal_people(seed):
    """The sum of a person with many genuine comparisons counts more."""
    rng = np.random.default_rng(seed)
    people, (genuine, impostor) = people_and_scores(rng, 12, each=6)
    kept = rng.random(len(genuine)) < np.linspace(0.2, 1.0, 12)[people.genuine]
    genuine, own = genuine[kept], people.genuine[kept]
    area, of_genuine, of_impostor = loop_components(genuine, impostor)
    sums, pairs = np.zeros(12), np.zeros((12, 12))
    for who, beats in zip(own, of_genuine, strict=True):
        sums[who] += (beats - area) / len(genuine)
    for i, j, beats in zip(people.impostor_i, people.impostor_j, of_impostor, strict=True):
        pairs[i, j] += (beats - area) / len(impostor)
    sums += pairs.sum(axis=0) + pairs.sum(axis=1)
    sums *= (11 / 12) / (1 - np.bincount(own, minlength=12) / len(own))
    found = auc_interval(
        PairCloseness(genuine, impostor), PairPeople(own, people.impostor_i, people.impostor_j)
    )
    variance = ((sums**2).sum() - (pairs**2).sum()) * small_sample(12)
    variance = max(variance, ((of_genuine - area) ** 2).sum() / len(own) ** 2 + (pairs**2).sum())
    expected = moderated(area, variance, sums, np.bincount(own, minlength=12))
    assert (found.low, found.high, found.standard_error) == pytest.approx(expected)


def test_area_that_few_people_carry_says_so():
    """One of thirty people is never recognised: no variance over people can be seen."""
    own, (i, j) = np.arange(30), np.triu_indices(30, 1)
    genuine = np.where(own == 0, -1.0, 1.0)
    found = auc_interval(PairCloseness(genuine, np.zeros(len(i))), PairPeople(own, i, j))
    assert found.low < 0.9 < found.value < found.high < 1.0
    assert [note.level for note in found.notes] == ["caution"]


@pytest.mark.parametrize(
    ("errors", "levels"), [(4, {"caution"}), (12, {"note"}), (29, {"note"}), (30, set())]
)
def test_few_errors_are_said_and_very_few_cautioned(errors, levels):
    """Where 30 errors are expected fewer are seen in half of all data sets, which is nothing to beware of."""
    missed = np.arange(200) < errors
    found = false_non_match_rate(np.arange(200), missed)
    assert {note.level for note in found.notes} == levels
    assert found.supported == (errors >= 30)
    i, j = np.arange(0, 2 * errors, 2), np.arange(1, 2 * errors, 2)
    everybody = Comparisons([1] * 100, [1] * 100, symmetric=True)
    assert {note.level for note in false_match_rate(i, j, everybody).notes} == levels


@pytest.mark.parametrize("n_comparisons", [9, 60])  # fewer and more than every two of five people
def test_sums_of_comparisons_by_person_and_by_two(n_comparisons):
    rng = np.random.default_rng(n_comparisons)
    i = rng.integers(0, 5, n_comparisons)
    j = (i + rng.integers(1, 5, n_comparisons)) % 5
    values = rng.standard_normal(n_comparisons)
    found = _sums(values, _Numbered(np.arange(5), i, j, 5))
    by_two = np.zeros((5, 5))
    for value, one, other in zip(values, i, j, strict=True):
        by_two[min(one, other), max(one, other)] += value
    assert found.totals == pytest.approx(by_two.sum(axis=0) + by_two.sum(axis=1))
    assert found.counts.tolist() == [np.count_nonzero((i == k) | (j == k)) for k in range(5)]
    assert found.squares == pytest.approx((by_two**2).sum())
    assert found.n == n_comparisons
