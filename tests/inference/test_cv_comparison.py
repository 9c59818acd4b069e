from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import integrate, stats
from tests.examples import examples

from proband.designs import ClusteredMcNemar, SignFlip
from proband.errors import InputError, UsageError
from proband.inference import compare
from proband.inference.comparisons.testing.adjustment import holm
from proband.inference.comparisons.testing.clustered_mcnemar import clustered_mcnemar
from proband.inference.comparisons.testing.curves import Skewed
from proband.inference.comparisons.testing.sign_flip import sign_flip
from proband.inference.cross_validation.comparison import compare_folds, compare_pooled
from proband.inference.cross_validation.correlated_bayes import correlated_bayes
from proband.inference.cross_validation.five_by_two import compare_five_by_two
from proband.measures import RecognitionRate

RNG = np.random.default_rng(5)
FOLDS = {name: RNG.uniform(low, low + 0.3, 10) for name, low in (("a", 0.6), ("b", 0.55), ("c", 0.3))}
HALVES = {name: RNG.uniform(low, low + 0.3, (5, 2)) for name, low in (("a", 0.6), ("b", 0.55), ("c", 0.3))}


def test_the_corrected_test_is_the_paired_t_with_another_variance():
    made = compare_folds(FOLDS, 90, 10, disjoint=True, stable=dict.fromkeys(FOLDS, True))
    wider = np.sqrt((1 / 10 + 1 / 9) / (1 / 10))
    for pair in made.pairs:
        a, b = FOLDS[pair.first], FOLDS[pair.second]
        plain = stats.ttest_rel(a, b)
        assert pair.value == pytest.approx((a - b).mean())
        assert pair.p_value == pytest.approx(2 * stats.t.sf(abs(plain.statistic) / wider, 9))
        (alone,) = compare_folds({pair.first: a, pair.second: b}, 90, 10, disjoint=True).pairs
        low, high = plain.confidence_interval(0.95)
        assert alone.high - alone.value == pytest.approx(wider * (high - low) / 2)
        assert alone.low + alone.high == pytest.approx(2 * alone.value)
        assert (alone.low > 0 or alone.high < 0) == (alone.p_value < 0.05)
        assert pair.low < alone.low < alone.high < pair.high  # all three together
        assert (pair.low > 0 or pair.high < 0) == (pair.p_adjusted <= 0.05)
        assert pair.p_value < pair.p_adjusted <= 3 * pair.p_value
    assert made.pairs[1].verdict == "better"
    assert made.notes == ()


def test_verdicts_with_a_margin():
    rng = np.random.default_rng(0)
    first = rng.uniform(0.7, 0.9, 50)
    close = {"a": first, "b": first + rng.normal(0, 0.002, 50)}
    assert compare_folds(close, 90, 10, disjoint=True, margin=0.02).pairs[0].verdict == "equivalent"
    assert compare_folds(close, 90, 10, disjoint=True).pairs[0].verdict == "undecided"
    far = compare_folds(FOLDS, 90, 10, disjoint=True, margin=0.001).pairs[0]
    assert far.verdict == "undecided"
    assert far.subjects_needed > 100


@pytest.mark.parametrize(("first", "second"), [([0.5], [0.4]), ([0.9] * 4, [0.8] * 4), ([1, 0.5], [1, 0.5])])
def test_differences_that_do_not_vary_decide_nothing(first, second):
    made = compare_folds({"a": first, "b": second}, 90, 10, disjoint=True, margin=0.5)
    (pair,) = made.pairs
    assert (pair.low, pair.high, pair.p_value, pair.verdict) == (-1.0, 1.0, 1.0, "undecided")
    assert pair.value == pytest.approx(first[0] - second[0])
    assert pair.why_not is not None
    assert str(pair.why_not) in str(pair.sentence())
    bayes = correlated_bayes(first, second, 90, 10, disjoint=True)
    assert (bayes.scale, bayes.p_worse, bayes.p_rope, bayes.p_better) == (None, None, None, None)
    assert str(bayes.notes[0]) in " ".join(repr(bayes).split())
    json.dumps([made.to_dict(), bayes.to_dict()], allow_nan=False)


def five_by_two_in_loops(a, b):
    """Both statistics, a repeat at a time."""
    squares = spread = 0.0
    for one, other in zip(a.tolist(), b.tolist(), strict=True):
        d1, d2 = one[0] - other[0], one[1] - other[1]
        mean = (d1 + d2) / 2
        spread += (d1 - mean) ** 2 + (d2 - mean) ** 2
        squares += d1**2 + d2**2
    return squares / (2 * spread), (a[0, 0] - b[0, 0]) / np.sqrt(spread / 5)


def test_five_by_two_by_loops():
    by_f = compare_five_by_two(HALVES, disjoint=True, n_subjects=100).pairs
    by_t = compare_five_by_two(HALVES, disjoint=True, n_subjects=100, test="t").pairs
    for (first, second), f, t in zip(combinations(HALVES, 2), by_f, by_t, strict=True):
        statistic_f, statistic_t = five_by_two_in_loops(HALVES[first], HALVES[second])
        assert (f.first, f.second) == (first, second)
        assert f.value == pytest.approx((HALVES[first] - HALVES[second]).mean())
        assert f.statistic == pytest.approx(statistic_f)
        assert t.statistic == pytest.approx(statistic_t)
        assert f.p_value == pytest.approx(stats.f.sf(statistic_f, 10, 5))
        assert t.p_value == pytest.approx(2 * stats.t.sf(abs(statistic_t), 5))
    assert [one.p_adjusted for one in by_f] == pytest.approx(holm([one.p_value for one in by_f]))
    assert "±" not in repr(by_f[0])
    assert json.loads(json.dumps(by_t[0].to_dict()))["degrees_of_freedom"] == 5


def test_five_by_two_without_spread_or_with_few_people():
    same = np.full((5, 2), 0.75)
    found = compare_five_by_two({"a": same + 0.125, "b": same}, disjoint=False, n_subjects=40)
    (pair,) = found.pairs
    assert (pair.statistic, pair.p_value, pair.p_adjusted) == (None, 1.0, 1.0)
    assert str(pair.why_not).startswith("no variation")
    assert "no verdict" in str(pair.sentence())
    assert "results do not apply to new subjects" in str(found.notes[0])
    assert "100 are needed" in str(found.notes[1])


def posterior_by_matrices(differences, rho):
    """Mean and scale by generalised least squares, with the correlations written out."""
    n = len(differences)
    inverse = np.linalg.inv((1 - rho) * np.eye(n) + rho)
    ones = np.ones(n)
    mean = ones @ inverse @ differences / (ones @ inverse @ ones)
    left = differences - mean
    return mean, np.sqrt(left @ inverse @ left / (n - 1) / (ones @ inverse @ ones))


@examples(30)
@given(st.integers(0, 1000), st.integers(2, 12), st.integers(1, 40))
def test_the_posterior_is_that_of_correlated_normals(seed, n, n_test):
    first, second = np.random.default_rng(seed).uniform(0.4, 0.6, (2, n))
    found = correlated_bayes(first, second, 60, n_test, disjoint=True, rope=0.02)
    mean, scale = posterior_by_matrices(first - second, n_test / (60 + n_test))
    assert (found.mean, found.scale) == (pytest.approx(mean), pytest.approx(scale))
    posterior = stats.t(n - 1, mean, scale)
    assert found.p_worse == pytest.approx(posterior.cdf(-0.02))
    assert found.p_better == pytest.approx(posterior.sf(0.02))
    assert found.p_worse + found.p_rope + found.p_better == pytest.approx(1)
    turned = correlated_bayes(second, first, 60, n_test, disjoint=True, rope=0.02)
    assert (turned.p_worse, turned.p_better) == (pytest.approx(found.p_better), pytest.approx(found.p_worse))


def test_the_posterior_by_integrating_over_the_unknown_variance():
    """From the likelihood and the priors (flat for the mean, 1/σ) alone."""
    differences, rho = np.array([0.1, 0.2, 0.1, 0.2, 0.05]), 0.2
    inverse = np.linalg.inv((1 - rho) * np.eye(5) + rho)
    means, logs = np.linspace(-0.8, 1.1, 1901), np.linspace(-7, 2, 901)
    left = differences - means[:, None]
    squares = np.einsum("mi,ij,mj->m", left, inverse, left)
    # 1/σ and dσ = σ d(log σ) cancel
    likelihood = np.exp(-5 * logs - squares[:, None] / (2 * np.exp(2 * logs)))
    density = integrate.simpson(likelihood, x=logs, axis=1)
    above = means >= 0.01 - 1e-9
    share = integrate.simpson(density[above], x=means[above]) / integrate.simpson(density, x=means)
    found = correlated_bayes(differences, np.zeros(5), 80, 20, disjoint=True, rope=0.01)
    assert found.p_better == pytest.approx(share, abs=2e-3)


def test_the_posterior_is_the_corrected_test_read_the_other_way():
    (pair,) = compare_folds({name: FOLDS[name] for name in "ab"}, 90, 10, disjoint=True).pairs
    found = correlated_bayes(FOLDS["a"], FOLDS["b"], 90, 10, disjoint=True, rope=0.0)
    assert 2 * min(found.p_worse, found.p_better) == pytest.approx(pair.p_value)
    assert found.p_rope == pytest.approx(0, abs=1e-12)
    assert found.to_frame()["mean"].item() == pytest.approx(pair.value)


def pooled_data(people=30, each=4, seed=3):
    rng = np.random.default_rng(seed)
    subjects = np.repeat(np.arange(people), each)
    own = rng.beta(4, 2, people)[subjects]
    return {
        name: (rng.random(len(own)) < own + gain).astype(int) for name, gain in (("a", 0.1), ("b", -0.15))
    }, subjects


@pytest.mark.parametrize(
    ("test", "design"), [("sign flip", SignFlip()), ("clustered McNemar", ClusteredMcNemar())]
)
def test_pooled_predictions_are_compared_as_recognition_is(test, design, outcomes_of):
    correct, subjects = pooled_data()
    (found,) = compare_pooled(correct, subjects, disjoint=True, test=test, margin=0.01).pairs
    sums, sizes = np.zeros(30), np.zeros(30)
    for a, b, who in zip(correct["a"], correct["b"], subjects, strict=True):
        sums[who] += a - b
        sizes[who] += 1
    expected = clustered_mcnemar(sums, sizes).p_value
    if test == "sign flip":
        expected = max(sign_flip(sums).p_mid, Skewed.of(sums, sizes).at(0.0))
    assert found.p_value == pytest.approx(expected)
    assert found.n_discordant_subjects == np.count_nonzero(sums)
    outcomes = [outcomes_of(1 - correct[name], subjects, name) for name in "ab"]
    (same,) = compare(outcomes, measure=RecognitionRate(1), design=design, margin=0.01).pairs
    assert (found.low, found.high, found.verdict) == (same.low, same.high, same.verdict)
    assert (found.n_sf, found.n_fs) == (same.n_sf, same.n_fs)


@pytest.mark.parametrize("n_models", [2, 5, 10])
def test_people_who_train_other_models_widen_pooled_differences(n_models):
    """z/√v of the p-value, and the interval of a higher level; people with unequal numbers of samples have both differences."""
    correct, subjects = pooled_data()
    kept = np.flatnonzero(np.arange(len(subjects)) % 7 != 3)
    for chosen in (np.arange(len(subjects)), kept):
        some, whose = {name: row[chosen] for name, row in correct.items()}, subjects[chosen]
        root = np.sqrt(1 + (1 - 1 / n_models) / 3)
        level = 1 - 2 * stats.norm.sf(stats.norm.isf(0.025) * root)
        (plain,) = compare_pooled(some, whose, disjoint=True, confidence_level=level).pairs
        (found,) = compare_pooled(some, whose, disjoint=True, n_models=n_models).pairs
        assert found.p_value == pytest.approx(2 * stats.norm.sf(stats.norm.isf(plain.p_value / 2) / root))
        assert (found.low, found.high) == pytest.approx((plain.low, plain.high))
        assert (found.p_value <= 0.05) == (found.low > 0 or found.high < 0)
        assert (found.by_person is None) == (len(np.unique(np.bincount(whose))) == 1)
        if found.by_person is not None:
            assert (found.by_person.low, found.by_person.high) == pytest.approx(
                (plain.by_person.low, plain.by_person.high)
            )


def test_pooled_predictions_that_never_differ():
    correct, subjects = pooled_data(people=10)
    made = compare_pooled({"a": correct["a"], "again": correct["a"]}, subjects, disjoint=False)
    (pair,) = made.pairs
    assert (pair.value, pair.p_value, pair.verdict) == (0.0, 1.0, "undecided")
    assert pair.low < 0 < pair.high
    assert len(made.notes) == 2
    assert "images of them in the training data" in str(made.answers.varying)
    assert made.to_frame().height == 1
    assert "again" in repr(made)


def test_malformed_requests_are_refused():
    good = {"a": [0.9, 0.8], "b": [0.7, 0.8]}
    with pytest.raises(UsageError, match="two classifiers"):
        compare_folds({"a": [0.9, 0.8]}, 90, 10, disjoint=True)
    with pytest.raises(UsageError, match="same splits"):
        compare_folds({**good, "c": [0.5]}, 90, 10, disjoint=True)
    with pytest.raises(UsageError, match="margin"):
        compare_folds(good, 90, 10, disjoint=True, margin=0.0)
    with pytest.raises(InputError, match="between 0 and 1"):
        compare_folds({**good, "c": [0.5, np.nan]}, 90, 10, disjoint=True)
    with pytest.raises(UsageError, match="5 repeats × 2 folds"):
        compare_five_by_two(good, disjoint=True)
    with pytest.raises(UsageError, match="5×2cv test"):
        compare_five_by_two(HALVES, disjoint=True, test="g")
    with pytest.raises(UsageError, match="same splits"):
        correlated_bayes([0.9, 0.8], [0.9], 90, 10, disjoint=True)
    with pytest.raises(UsageError, match="practical equivalence"):
        correlated_bayes([0.9, 0.8], [0.9, 0.7], 90, 10, disjoint=True, rope=-0.1)
    with pytest.raises(UsageError, match="do not match"):
        compare_pooled({"a": [1, 0], "b": [0, 1]}, [1, 2, 3], disjoint=True)
    with pytest.raises(InputError, match="must be correct"):
        compare_pooled({"a": [1, 0.5], "b": [0, 1]}, [1, 2], disjoint=True)
    with pytest.raises(InputError, match="from one subject"):
        compare_pooled({"a": [1, 0], "b": [0, 1]}, [1, 1], disjoint=True)
    with pytest.raises(UsageError, match="no test"):
        compare_pooled({"a": [1, 0], "b": [0, 1]}, [1, 2], disjoint=True, test="guess")
