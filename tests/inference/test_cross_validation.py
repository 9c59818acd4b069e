from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint
from tests.examples import examples

from proband.errors import InputError, UsageError
from proband.inference.cross_validation.folds import notes_on_method
from proband.inference.cross_validation.intervals import (
    corrected_resampled_interval,
    fold_spread,
    plain_t_interval,
    pooled_interval,
)
from proband.inference.estimates.closed import effective_size
from proband.inference.estimates.clusters import cluster_statistics
from proband.inference.proportions import t_quantile, wilson_interval

FOLDS = np.array([[0.8, 0.9, 0.7], [0.85, 0.75, 0.8]])


def test_a_run_is_a_whole_cross_validation_or_one_split_or_one_subject():
    cross = fold_spread(FOLDS, "cross-validation")
    means = [sum(row) / 3 for row in FOLDS.tolist()]
    assert (cross.n_runs, cross.mean) == (2, pytest.approx(sum(means) / 2))
    assert cross.std == pytest.approx(abs(means[0] - means[1]) / np.sqrt(2))
    assert (cross.minimum, cross.maximum) == (pytest.approx(min(means)), pytest.approx(max(means)))
    for kind in ("hold-out", "per-subject hold-out", "leave-one-subject-out"):
        each = fold_spread(FOLDS.reshape(-1, 1), kind)
        assert (each.n_runs, each.minimum, each.maximum) == (6, 0.7, 0.9)
        assert each.std == pytest.approx(np.sqrt(sum((v - 0.8) ** 2 for v in FOLDS.ravel()) / 5))
    subjects = fold_spread(FOLDS[:1], "leave-one-subject-out")
    assert (subjects.n_runs, subjects.run.key) == (3, "subject")
    assert "gives no information about other data" in str(subjects.answers.assuming)


def test_one_run_has_no_spread():
    alone = fold_spread(FOLDS[:1], "cross-validation")
    assert alone.std is None
    assert "±" not in repr(alone)
    assert json.loads(json.dumps(alone.to_dict()))["std"] is None
    assert alone.to_frame().height == 1


@examples(60)
@given(
    st.lists(st.floats(0.02, 0.98), min_size=2, max_size=30).filter(lambda v: np.ptp(v) > 0.01),
    st.integers(10, 200),
    st.integers(1, 50),
    st.sampled_from([0.8, 0.95, 0.99]),
)
def test_the_corrected_interval_by_its_definition(values, n_train, n_test, level):
    found = corrected_resampled_interval(values, n_train, n_test, disjoint=True, confidence_level=level)
    n = len(values)
    mean = sum(values) / n
    variance = sum((v - mean) ** 2 for v in values) / (n - 1) * (1 / n + n_test / n_train)
    assert found.standard_error == pytest.approx(np.sqrt(variance))
    assert (found.degrees_of_freedom, found.rests_on.n_units) == (n - 1, n_train + n_test)
    assert 0 <= found.low < mean < found.high <= 1
    # Wilson's ends are the proportions from which the mean is t standard errors away, each with its own standard error.
    worth = mean * (1 - mean) / variance
    for end in (found.low, found.high):
        apart = abs(mean - end) / np.sqrt(end * (1 - end) / worth)
        assert apart == pytest.approx(stats.t.ppf(0.5 + level / 2, n - 1), rel=1e-6)


def test_sizes_of_each_split_count_by_their_means():
    each = corrected_resampled_interval(FOLDS, np.array([90, 91] * 3), np.array([10, 9] * 3), disjoint=True)
    mean = corrected_resampled_interval(FOLDS.ravel(), 90.5, 9.5, disjoint=True)
    assert each.to_dict() == mean.to_dict()


def test_the_plain_interval_is_the_textbooks_and_says_that_it_is_wrong():
    found = plain_t_interval(FOLDS, disjoint=True, n_subjects=100)
    low, high = stats.ttest_1samp(FOLDS.ravel(), 0).confidence_interval(0.95)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert "not valid" in str(found.method)
    assert "not valid" in str(found.notes[0])
    assert plain_t_interval([0.5, 1.0, 1.0], disjoint=True).high == 1.0


def test_repeating_the_same_folds_narrows_only_the_wrong_interval():
    once = corrected_resampled_interval(FOLDS, 90, 10, disjoint=True).standard_error
    often = corrected_resampled_interval(np.tile(FOLDS, (50, 1)), 90, 10, disjoint=True).standard_error
    assert often > 0.5 * once
    narrowed = plain_t_interval(np.tile(FOLDS, (50, 1)), disjoint=True).standard_error
    assert narrowed < 0.15 * plain_t_interval(FOLDS, disjoint=True).standard_error


@pytest.mark.parametrize(
    ("values", "why"), [([0.9], "one split"), ([0.9] * 10, "no variation"), ([1.0] * 3, "no variation")]
)
def test_what_does_not_vary_has_no_interval(values, why):
    made = (
        corrected_resampled_interval(values, 90, 10, disjoint=True),
        plain_t_interval(values, disjoint=True, n_subjects=100),
    )
    for one in made:
        assert (one.has_interval, one.standard_error, one.degrees_of_freedom) == (False, None, None)
        assert one.value == pytest.approx(values[0])
        assert why in str(one.notes[0])
        assert "no interval" in repr(one)
        json.dumps(one.to_dict(), allow_nan=False)


def test_sums_in_another_order_are_no_variation():
    assert not corrected_resampled_interval([0.3, 0.1 + 0.2], 90, 10, disjoint=True).has_interval


@pytest.mark.parametrize("values", [[0.9, np.nan], [0.9, 1.1], [-0.1, 0.5], [], [np.inf, 0.5]])
def test_what_is_no_accuracy_is_refused(values):
    with pytest.raises(InputError):
        corrected_resampled_interval(values, 90, 10, disjoint=True)


@pytest.mark.parametrize(("train", "test"), [(0, 10), (90, 0), (90, np.nan), (-1, 10), (np.array([]), 10)])
def test_sizes_must_be_positive(train, test):
    with pytest.raises(UsageError, match="positive"):
        corrected_resampled_interval(FOLDS, train, test, disjoint=True)


def test_other_arguments_are_checked():
    with pytest.raises(UsageError, match="no protocol"):
        fold_spread(FOLDS, "guessing")
    with pytest.raises(UsageError, match="repeats × folds"):
        fold_spread(FOLDS.ravel(), "hold-out")
    with pytest.raises(UsageError, match="confidence level"):
        plain_t_interval([0.9, 0.9], disjoint=True, confidence_level=95)
    with pytest.raises(UsageError, match="do not match"):
        pooled_interval([1, 0], [1, 2, 3], disjoint=True)
    with pytest.raises(InputError, match="correct"):
        pooled_interval([1, 0.5], [1, 2], disjoint=True)
    with pytest.raises(InputError, match="No sample"):
        pooled_interval([np.nan, np.nan], [1, 2], disjoint=True)


@pytest.mark.parametrize("right", [0, 37, 50])
def test_with_one_sample_a_person_pooling_is_binomial(right):
    correct = np.arange(50) < right
    found = pooled_interval(correct, np.arange(50), disjoint=True)
    low, high = proportion_confint(right, 50, method="wilson")
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-12), pytest.approx(high))
    assert found.degrees_of_freedom is None


@examples(40)
@given(st.integers(0, 10_000), st.integers(12, 30))
def test_with_several_samples_a_person_pooling_is_the_clustered_interval_of_rates(seed, people):
    rng = np.random.default_rng(seed)
    subjects = rng.permutation(np.repeat(np.arange(people), 4))
    correct = (rng.random(len(subjects)) < rng.beta(4, 2, people)[subjects]).astype(float)
    found = pooled_interval(correct, [f"p{s}" for s in subjects], disjoint=True)
    clusters = cluster_statistics(correct, subjects)
    assume(
        min(correct.sum(), len(correct) - correct.sum()) >= 2
    )  # fewer errors do not show how alike a person's samples are
    expected = wilson_interval(
        clusters.rate, effective_size(clusters), t_quantile(0.95, clusters.n_clusters - 1)
    )
    assert (found.low, found.high) == (pytest.approx(expected.low), pytest.approx(expected.high))
    if 0 < clusters.rate < 1:
        assert found.standard_error == pytest.approx(clusters.cluster_se)


def test_samples_count_by_their_means_over_the_repeats_that_test_them():
    subjects = np.repeat(np.arange(4), 2)
    rows = np.array([[1, 0, 1, 1, 0, 1, 1, 0], [1, 1, 1, 0, 0, 1, 1, 1]], dtype=float)
    same = pooled_interval([rows[0]] * 5, subjects, disjoint=True)
    assert same.to_dict() == pooled_interval(rows[0], subjects, disjoint=True).to_dict()
    assert pooled_interval(rows, subjects, disjoint=True).value == pytest.approx(rows.mean())
    partly = rows.copy()
    partly[1, :2], partly[:, 7] = np.nan, np.nan
    found = pooled_interval(partly, subjects, disjoint=True)
    means = [1, 0, 1, 0.5, 0, 1, 1]
    assert (found.value, found.rests_on.n) == (pytest.approx(np.mean(means)), 7)


def test_no_failure_is_no_certainty_and_one_subject_tells_nothing():
    found = pooled_interval(np.ones(40), np.repeat(np.arange(10), 4), disjoint=True)
    assert found.high == 1.0
    assert found.low == pytest.approx(16 / (16 + 1.959964**2), abs=1e-6)  # 40/(1 + 3/2) probes
    alone = pooled_interval([1, 0, 1], ["a"] * 3, disjoint=True)
    assert (alone.has_interval, alone.standard_error) == (False, None)
    assert "one subject" in str(alone.notes[0])


def test_few_subjects_and_mixed_splits_are_spoken_of():
    few = corrected_resampled_interval(FOLDS, 9, 1, disjoint=True, stable=True)
    assert tuple(map(str, few.notes)) == (
        "with 10 subjects, coverage and significance level are not guaranteed; 40 are needed",
    )
    assert corrected_resampled_interval(FOLDS, 36, 4, disjoint=True, stable=True).notes == ()
    mixed = corrected_resampled_interval(FOLDS, 360, 40, disjoint=False, n_subjects=100, stable=True)
    (note,) = mixed.notes
    assert "results do not apply to new subjects" in str(note)
    assert "same subjects" in str(mixed.answers.varying)
    assert "the subjects" in str(mixed.answers.fixed)
    unknown = corrected_resampled_interval(FOLDS, 360, 40, disjoint=False, stable=True)
    assert "unknown" in str(unknown.notes[1])
    correct, subjects = np.arange(80) % 3 > 0, np.arange(80) // 2
    assert pooled_interval(correct, subjects, disjoint=True).notes == ()
    assert "results do not apply to new subjects" in str(
        pooled_interval(correct, subjects, disjoint=False).notes[0]
    )
    assert "not used in training" in str(pooled_interval(correct, subjects, disjoint=True).answers.varying)
    assert "10 subjects" in str(pooled_interval(correct[:20], subjects[:20], disjoint=True).notes[0])


def test_of_an_unstable_learner_s_method_nothing_is_claimed():
    made = {
        stable: corrected_resampled_interval(FOLDS, 90, 10, disjoint=True, stable=stable)
        for stable in (True, None, False)
    }
    assert (made[False].has_interval, made[False].standard_error) == (False, None)
    assert (made[None].low, made[None].high) == (made[True].low, made[True].high)
    codes = {stable: [note.code for note in one.notes] for stable, one in made.items()}
    assert codes == {True: [], None: ["folds.stability-not-said"], False: ["accuracy.declined"]}
    correct, subjects = np.arange(80) % 3 > 0, np.arange(80) // 2
    targets = [made[True].answers, pooled_interval(correct, subjects, disjoint=True).answers]
    assert [one.of.key for one in targets] == ["accuracy", "pooled-accuracy"]


def test_results_can_be_written():
    found = corrected_resampled_interval(FOLDS, 90, 10, disjoint=True)
    assert float(found) == found.value
    assert (
        json.loads(json.dumps(found.to_dict()))["answers"]["of"]["text"]
        == "accuracy of the method at this training size"
    )
    assert found.to_frame()["low"].item() == found.low
    assert max(map(len, repr(found).splitlines())) <= 100


def test_what_is_declined_has_no_interval_and_says_why() -> None:
    made = corrected_resampled_interval(FOLDS, 90, 10, disjoint=True, declined="one test set")
    assert (made.has_interval, made.standard_error, made.degrees_of_freedom) == (False, None, None)
    assert made.value == corrected_resampled_interval(FOLDS, 90, 10, disjoint=True).value
    assert str(made.notes[0]) == "no corrected interval and no test over splits: one test set"


def test_with_one_test_set_the_corrected_interval_misses_and_the_pooled_one_holds() -> None:
    """Forty people are tested in each of 50 splits, whose training shifts all of them a little."""
    from scipy.stats import norm

    rng = np.random.default_rng(0)
    people = np.repeat(np.arange(40), 4)
    truth = norm.cdf(1 / np.sqrt(0.8**2 + 1 + 0.1**2))
    held = np.zeros(2)
    for _ in range(300):
        image = rng.normal(1, 0.8, 40)[people] + rng.normal(size=160)
        right = (image + rng.normal(0, 0.1, (50, 1)) > 0).astype(float)
        made = (
            corrected_resampled_interval(right.mean(axis=1), 40, 40, disjoint=True),
            pooled_interval(right, people, disjoint=True),
        )
        held += [one.low <= truth <= one.high for one in made]
    assert held[0] / 300 < 0.8
    assert held[1] / 300 > 0.91


@pytest.mark.parametrize("kind", ["cross-validation", "hold-out", "leave-one-subject-out"])
@pytest.mark.parametrize("n", [1, 3, 7, 10])
@pytest.mark.parametrize("value", [0.99, 0.1, 0.7, 1 / 3, 0.0, 1.0])
def test_runs_that_are_alike_have_no_dust(kind: str, n: int, value: float) -> None:
    found = fold_spread(np.full((3, n), value), kind)
    assert (found.mean, found.minimum, found.maximum, found.std) == (value, value, value, 0.0)
    made = corrected_resampled_interval(np.full((3, n), value), 40, 10, disjoint=True)
    assert made.value == value


def test_notes_on_method_by_example() -> None:
    assert ([note.code for note in notes_on_method(True, None)], notes_on_method(True)) == (
        ["folds.stability-not-said"],
        (),
    )
