from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from proband.designs import Binomial, Bootstrap, ClusteredMcNemar, SignFlip
from proband.errors import DesignError
from proband.inference import compare, compare_independent, mcnemar
from proband.inference.comparisons.testing.clustered_mcnemar import clustered_mcnemar
from proband.measures import MedianCensoredRank, MedianRelativeRank, RankStatistic, RecognitionRate
from proband.results.targets import difference_of


@pytest.fixture
def two(outcomes_of):
    """Two algorithms on 5 people with 3 probes each, the first better."""
    rng = np.random.default_rng(5)
    subjects = np.repeat(np.arange(5), 3)
    return (
        outcomes_of(rng.poisson(0.5, 15), subjects, name="a"),
        outcomes_of(rng.poisson(2.5, 15), subjects, name="b"),
    )


def by_enumeration(two, statistic) -> float:
    """The share of all 2^5 swaps of people's outcomes with as large a difference."""
    a, b = (one.ranks.reshape(5, 3) for one in two)
    observed = abs(statistic(a.ravel()) - statistic(b.ravel()))
    as_large = 0
    for swap in product((False, True), repeat=5):
        mask = np.array(swap)[:, None]
        one, other = np.where(mask, b, a), np.where(mask, a, b)
        as_large += abs(statistic(one.ravel()) - statistic(other.ravel())) >= observed - 1e-12
    return as_large / 32


@pytest.mark.parametrize(
    ("measure", "statistic"),
    [
        (MedianCensoredRank(10), lambda ranks: np.median(np.minimum(ranks, 10))),
        (RankStatistic(np.mean, "mean rank"), np.mean),
        (RecognitionRate(1), lambda ranks: np.mean(ranks <= 1)),
    ],
)
def test_swapping_outcomes_equals_enumeration(two, measure, statistic):
    (pair,) = compare(two, measure=measure, design=Bootstrap("subject", n_resamples=500)).pairs
    truth = by_enumeration(two, statistic)
    assert pair.p_value == pytest.approx(truth, abs=4 * np.sqrt(truth * (1 - truth) / 9999) + 2e-4)
    first, second = (statistic(one.ranks) for one in two)
    assert pair.value == pytest.approx(first - second)
    assert pair.low <= pair.value <= pair.high


def test_lower_ranks_are_better(outcomes_of):
    rng = np.random.default_rng(0)
    good, poor = outcomes_of(rng.poisson(0.2, 80), name="good"), outcomes_of(rng.poisson(6, 80), name="poor")
    found = compare([good, poor], measure=MedianCensoredRank(20), margin=1.0)
    assert found.pairs[0].verdict == "better"
    assert found.pairs[0].value < 0
    assert found.beaten_by("good") == ["poor"]
    assert found.places() == {"good": (1, 1), "poor": (2, 2)}
    assert [one.facts.algorithm for one in found.ordered] == ["good", "poor"]
    assert "points" not in str(found.sentences()[0])


def test_mcnemar_over_probes_is_warned_about(two):
    found = compare(two, measure=RecognitionRate(1), design=Binomial())
    assert found.pairs[0].p_value == pytest.approx(mcnemar(found.pairs[0].n_sf, found.pairs[0].n_fs).p_mid)
    assert any("rejected too often" in str(note) for note in found.notes)
    assert found.answers.varying.key == "probes"


@pytest.mark.parametrize("method", ["obuchowski", "durkalski"])
def test_clustered_mcnemar_is_the_function(two, method):
    (pair,) = compare(two, measure=RecognitionRate(1), design=ClusteredMcNemar(method)).pairs
    sums = (two[0].success(1) - two[1].success(1)).reshape(5, 3).sum(axis=1)
    assert pair.p_value == clustered_mcnemar(sums, np.full(5, 3.0), method).p_value


def test_a_mapping_names_algorithms(two):
    found = compare({"x": two[0], "y": two[1]}, measure=RecognitionRate(1))
    assert (found.pairs[0].first, found.pairs[0].second) == ("x", "y")


def test_fractions_are_compared_by_swapping(outcomes_of):
    rng = np.random.default_rng(3)
    a, b = (
        outcomes_of(rng.poisson(0.3, 40), name=name, ties="mean", tied=rng.integers(0, 3, 40))
        for name in "ab"
    )
    found = compare([a, b], measure=RecognitionRate(1))
    assert found.pairs[0].method.parts[0].key == "swapped"
    with pytest.raises(DesignError, match="counted"):
        compare([a, b], measure=RecognitionRate(1), design=SignFlip())


def test_independent_people(outcomes_of):
    first = outcomes_of(np.repeat([0, 1], [928, 267]), name="net")
    second = outcomes_of(np.repeat([0, 1], [277, 445]), name="net")
    (pair,) = compare_independent(first, second, measure=RecognitionRate(1)).pairs
    # The pooled score test is Pearson's chi-square without a continuity correction.
    table = [[928, 267], [277, 445]]
    assert pair.p_value == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue, rel=1e-6)
    assert pair.value == pytest.approx(928 / 1195 - 277 / 722)
    assert pair.verdict == "better"
    assert pair.first == "net (first set)"
    with pytest.raises(DesignError, match="same probes"):
        compare_independent(first, first, measure=RecognitionRate(1))


def test_shared_people_weigh_less_in_independent_sets(outcomes_of):
    rng = np.random.default_rng(0)
    alone = outcomes_of(np.repeat([0, 1], [80, 20]), name="x")
    own = np.repeat(rng.random(20) < 0.6, 5)
    shared = outcomes_of((~own).astype(int), np.repeat(np.arange(20), 5), name="y")
    apart = outcomes_of((~own).astype(int)[:99], name="y")
    with_people = compare_independent(alone, shared, measure=RecognitionRate(1)).pairs[0]
    as_probes = compare_independent(alone, apart, measure=RecognitionRate(1)).pairs[0]
    assert with_people.p_value > as_probes.p_value
    assert with_people.high - with_people.low > as_probes.high - as_probes.low


def test_tie_groups_are_runs(outcomes_of):
    n = 400
    made = [outcomes_of(np.repeat([0, 1], [k, n - k]), name=str(k)) for k in (380, 378, 300, 299, 100)]
    found = compare(made, measure=RecognitionRate(1))
    assert found.tie_groups() == [("380", "378"), ("300", "299")]
    assert found.places()["380"] == (1, 2)
    assert found.places()["100"] == (5, 5)


def test_not_inferior(outcomes_of):
    a = outcomes_of(np.repeat([0, 0, 1, 1], [900, 30, 20, 50]), name="a")
    b = outcomes_of(np.repeat([0, 1, 0, 1], [900, 30, 20, 50]), name="b")
    (pair,) = compare([a, b], measure=RecognitionRate(1), margin=0.01).pairs
    assert (pair.verdict, pair.not_inferior) == ("undecided", True)
    assert "not worse by 1 point or more" in str(pair.sentence())


def test_ties_broken_at_random_without_any_tie_change_nothing(outcomes_of):
    closer = np.zeros(20, dtype=int)
    people = np.repeat(np.arange(10), 2)
    plain = compare([outcomes_of(closer, people, name) for name in "ab"], measure=RecognitionRate(1))
    mean = compare(
        [outcomes_of(closer, people, name, ties="mean") for name in "ab"], measure=RecognitionRate(1)
    )
    assert mean.pairs[0] == plain.pairs[0]
    assert mean.pairs[0].verdict == "undecided"
    assert mean.estimates[0].low == plain.estimates[0].low < 1


def test_replicates_that_do_not_vary_prove_nothing(outcomes_of):
    closer = np.zeros(20, dtype=int)
    both = [outcomes_of(closer, np.repeat(np.arange(10), 2), name) for name in "ab"]
    assert (
        compare(both, measure=RecognitionRate(1), design=Bootstrap("subject")).pairs[0].verdict == "undecided"
    )


def test_two_infinite_medians_are_refused_and_not_subtracted(outcomes_of):
    lost = np.zeros(40, dtype=bool)
    lost[:30] = True
    ranked = [outcomes_of(np.arange(40) % 3, name=name, failed=lost) for name in ("a", "b")]
    with pytest.raises(DesignError, match="infinite in some replicates"):
        compare(ranked, measure=MedianRelativeRank())


def test_difference_of_by_example() -> None:
    assert difference_of(RecognitionRate(1).estimand).key == "difference-of-rank-1"
