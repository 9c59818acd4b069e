"""Recognition rates, CMCs, censored and relative ranks; averages and upper bounds of curves."""

from __future__ import annotations

import numpy as np
import pytest

from proband.errors import DesignError, UsageError
from proband.measures import (
    CMC,
    MedianCensoredRank,
    MedianRelativeRank,
    RecognitionRate,
    average_cmc,
    rank,
    upper_bound_cmc,
)
from proband.measures.base import weighing
from proband.measures.identification import of_the_leader
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.words import Target

INF = float("inf")


def test_recognition_rate(outcomes_with_ranks):
    outcomes = outcomes_with_ranks([1, 1, 2, 3, INF])
    rates = [RecognitionRate(t)(outcomes) for t in (1, 2, 3, 20, 1000)]
    assert [float(rate) for rate in rates] == [0.4, 0.6, 0.8, 0.8, 0.8]
    assert [rate.events for rate in rates] == [2, 3, 4, 4, 4]
    assert rates[0].facts.n_probes == 5
    assert rates[0].facts.n_failed == 1


def test_cmc_is_the_recognition_rate_at_every_rank(outcomes_with_ranks):
    outcomes = outcomes_with_ranks([1, 4, 4, 2, 7, INF, 20])
    curve = CMC()(outcomes)
    assert curve.ranks.tolist() == list(range(1, 21))
    assert curve.values.tolist() == [RecognitionRate(int(t))(outcomes).value for t in curve.ranks]
    assert (np.diff(curve.values) >= 0).all()
    assert curve.at(20) == curve.at(21) == curve.at(10**9) == 6 / 7
    for rank_asked in (0, -1):
        with pytest.raises(UsageError, match="from 1 to"):
            curve.at(rank_asked)


@pytest.mark.parametrize("ties", ["pessimistic", "optimistic", "mean"])
@pytest.mark.parametrize("counting", ["images", "subjects"])
def test_cmc_of_a_closed_universe_without_failures_ends_at_one(ties, counting):
    rng = np.random.default_rng(0)
    samples = Samples({"id": range(60), "subject": [k % 7 for k in range(60)]})
    scores = Scores.from_array(rng.integers(0, 2, (60, 60)), samples.ids, orientation="similarity")
    experiment = Experiment(samples, gallery=np.arange(60) < 30)
    curve = CMC()(rank(scores, experiment, ties=ties, counting=counting, check_orientation=False, threads=1))
    assert experiment.universe == "closed"
    assert curve.values[-1] == 1.0
    assert curve.values.max() <= 1.0
    assert (np.diff(curve.values) >= -1e-15).all()


def test_cmc_stops_where_it_is_told(outcomes_with_ranks):
    outcomes = outcomes_with_ranks([1, 5, 9])
    whole, short = CMC()(outcomes), CMC(max_rank=3)(outcomes)
    assert short.values.tolist() == whole.values[:3].tolist()
    assert CMC(max_rank=500)(outcomes).values.tolist() == whole.values.tolist()


@pytest.mark.parametrize(
    ("ranks", "at", "expected"),
    [
        ([1, 2, 9], 10, 2),
        ([1, 2, 9, 3], 10, 2.5),
        ([15, 16, 17], 10, 10),
        ([1, 16, 17], 10, 10),
        ([1, 1, INF], 10, 1),
        ([1, INF, INF], 10, 10),
        ([1, INF], 10, 5.5),
        ([4], 10, 4),
        ([1, 2, 3], 1, 1),
    ],
)
def test_median_censored_rank(outcomes_with_ranks, ranks, at, expected):
    found = MedianCensoredRank(at)(outcomes_with_ranks(ranks))
    assert found.value == expected
    assert found.events is None


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([1, 2, 9], 2 / 20),
        ([1, 2, 4, 9], 3 / 20),
        ([20], 1),
        ([1, INF, INF], INF),
        ([1, 1, INF], 1 / 20),
        ([INF, INF], INF),
    ],
)
def test_median_relative_rank(outcomes_with_ranks, ranks, expected):
    assert MedianRelativeRank()(outcomes_with_ranks(ranks)).value == pytest.approx(expected)


def test_relative_rank_counts_people_not_images():
    samples = Samples({"id": ["a1", "a2", "a3", "b1", "p"], "subject": ["a", "a", "a", "b", "b"]})
    scores = Scores.from_array([[9, 8, 7, 1]], ["p"], samples.ids[:4], orientation="similarity")
    experiment = Experiment(samples, gallery=samples.ids[:4])
    for counting, expected in (("images", 4 / 2), ("subjects", 2 / 2)):
        outcomes = rank(scores, experiment, counting=counting, check_orientation=False)
        assert MedianRelativeRank()(outcomes).value == expected
        assert outcomes.relative_ranks.tolist() == [expected]


@pytest.mark.parametrize("measure", [RecognitionRate, CMC, MedianCensoredRank])
@pytest.mark.parametrize("value", [0, -5])
def test_ranks_below_one_are_refused(measure, value):
    with pytest.raises(UsageError, match="A rank must be a whole number from 1"):
        measure(value)


@pytest.mark.parametrize("measure", [RecognitionRate(), CMC(), MedianCensoredRank(), MedianRelativeRank()])
def test_measures_take_scores_within_an_experiment(measure):
    samples = Samples({"id": ["g1", "g2", "p1", "p2"], "subject": list("abab")})
    scores = Scores.from_array([[9, 1], [2, 1]], ["p1", "p2"], ["g1", "g2"], orientation="similarity")
    experiment = Experiment(samples, ["g1", "g2"])
    direct, ranked = measure(scores, experiment), measure(rank(scores, experiment))
    assert repr(direct) == repr(ranked)
    with pytest.raises(UsageError, match="need an experiment"):
        measure(scores)


def test_average_cmc(outcomes_with_ranks):
    curves = [CMC()(outcomes_with_ranks(ranks, name=name)) for name, ranks in (("x", [1, 1]), ("y", [3, 20]))]
    average = average_cmc(curves)
    assert average.values.tolist() == pytest.approx(
        [(a + b) / 2 for a, b in zip(*(c.values for c in curves), strict=True)]
    )
    assert average.at(1) == 0.5
    assert average.facts.algorithm == "average"
    assert average_cmc(curves, name="both").facts.algorithm == "both"
    assert "mean over 2 algorithms" in str(average.answers.of)
    assert [c.facts.algorithm for c in curves] == ["x", "y"]


def test_average_of_curves_of_different_lengths_stops_with_the_shorter(outcomes_with_ranks):
    long, short = CMC()(outcomes_with_ranks([1, 2])), CMC(max_rank=5)(outcomes_with_ranks([1, 3]))
    assert len(average_cmc([long, short]).values) == 5


def test_upper_bound_is_one_algorithms_curve(outcomes_with_ranks):
    """Not the best of all at each rank: 'late' leads from rank 2 on, but 'early' is best at rank 1."""
    early = CMC()(outcomes_with_ranks([1, 1, 9, 9], name="early"))
    late = CMC()(outcomes_with_ranks([1, 2, 2, 2], name="late"))
    bound = upper_bound_cmc([late, early])
    assert bound.values.tolist() == early.values.tolist()
    assert bound.facts.algorithm == "upper bound (early)"
    assert upper_bound_cmc([late, early], name="bound").facts.algorithm == "bound"
    assert "best at rank 1" in str(bound.answers.of)


def test_upper_bound_with_a_tie_at_rank_one(outcomes_with_ranks):
    curves = [
        CMC()(outcomes_with_ranks(ranks, name=name))
        for name, ranks in (("a", [1, 5, 5]), ("b", [1, 5, 3]), ("c", [1, 4, 4]), ("d", [2, 2, 2]))
    ]
    for order in (curves, curves[::-1]):
        assert upper_bound_cmc(order).facts.algorithm == "upper bound (b)"


@pytest.mark.parametrize("combine", [average_cmc, upper_bound_cmc])
@pytest.mark.parametrize(
    "other",
    [
        {"ranks": [1, 2, 3]},
        {"ranks": [1, 2], "people": 19},
        {"ranks": [1, 2], "ties": "mean"},
        {"ranks": [1, 2], "counting": "subjects"},
        {"ranks": [1, 2], "on_failure": "as_scored"},
    ],
    ids=str,
)
def test_curves_of_different_experiments_are_refused(outcomes_with_ranks, combine, other):
    with pytest.raises(DesignError, match="come from different experiments"):
        combine([CMC()(outcomes_with_ranks([1, 2])), CMC()(outcomes_with_ranks(**other))])


@pytest.mark.parametrize("combine", [average_cmc, upper_bound_cmc])
def test_no_curves(combine):
    with pytest.raises(UsageError, match="No curves"):
        combine([])


def test_estimands_say_what_is_measured():
    assert str(RecognitionRate(5).estimand) == "recognition rate at rank 5"
    assert str(MedianCensoredRank(7).estimand) == "median rank censored at 7"
    assert str(MedianRelativeRank().estimand) == "median relative rank"
    assert "cumulative match characteristic" in str(CMC().estimand)


def test_weighing_by_example() -> None:
    assert (
        str(weighing("person", Target("rank-rate", "recognition rate at rank 1")))
        == "recognition rate at rank 1, person-weighted"
    )


def test_of_the_leader_by_example() -> None:
    assert of_the_leader(RecognitionRate(1).estimand).key == "upper-bound-of-rank-1"
