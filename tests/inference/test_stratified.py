"""Replicate variances against R's survey package (svrepdesign) and against the textbook."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.special import stdtrit

import proband as pb
from proband.designs.strata import Strata
from proband.errors import DesignError, UsageError
from proband.inference import estimate, estimate_cmc, estimate_weighted
from proband.measures import MedianCensoredRank, RecognitionRate

ARRESTS = np.array([120, 78, 185, 228, 670, 530.0])
ALIVE = np.array([25, 24, 30, 49, 80, 70.0])
AMBULANCES = [1, 1, 2, 2, 3, 3]

Y = np.array([[3, 5, 4], [7, 9, 12], [2, 1, 6], [10, 8, 15.0]]).ravel()
X = np.array([[10, 12, 9], [20, 21, 26], [5, 4, 11], [22, 19, 30.0]]).ravel()
FOUR = np.repeat(np.arange(4), 3)


def ratio(w):
    return (w @ ALIVE) / (w @ ARRESTS)


def ratio_of_three(w):
    return (w @ Y) / (w @ X)


def test_half_samples_of_ambulances():
    found = estimate_weighted(ratio, AMBULANCES, design=pb.designs.BRR(centre="mean"))
    assert sorted(found.replicates) == pytest.approx(
        sorted([0.13846153846154, 0.15676229508197, 0.15636822194199, 0.16400911161731]), rel=1e-12
    )
    assert found.value == pytest.approx(0.153506350083, rel=1e-11)
    assert found.degrees_of_freedom == 3
    assert (found.low, found.high) == pytest.approx((0.123532795669, 0.183479904496), rel=1e-10)


@pytest.mark.parametrize(
    ("design", "error"),
    [
        (pb.designs.BRR(centre="mean"), 0.00941840066992),
        (pb.designs.BRR(), 0.00942663573267),
        (pb.designs.Fay(rho=0.3, centre="mean"), 0.00952518747771),
        (pb.designs.Fay(rho=0.5, centre="mean"), 0.00960096935782),
        (pb.designs.Jackknife(centre="mean"), 0.009846457204),
        (pb.designs.Jackknife(), 0.00984917313064),
    ],
)
def test_ratio_against_r(design, error):
    assert estimate_weighted(ratio, AMBULANCES, design=design).standard_error == pytest.approx(
        error, rel=1e-10
    )


@pytest.mark.parametrize(
    "design", [pb.designs.BRR(), pb.designs.Fay(rho=0.3), pb.designs.Jackknife(), pb.designs.Enumeration()]
)
def test_totals_and_means_against_r(design):
    total = estimate_weighted(lambda w: w @ ALIVE, AMBULANCES, design=design)
    assert (total.value, total.standard_error) == pytest.approx((278, 21.4941852602), rel=1e-11)
    mean = estimate_weighted(lambda w: (w @ ALIVE) / 6, AMBULANCES, design=design)
    assert (mean.value, mean.standard_error) == pytest.approx((46.3333333333, 3.58236421003), rel=1e-11)


@pytest.mark.parametrize(
    ("design", "error"),
    [
        (pb.designs.BRR(centre="mean"), 0.0195411599561),
        (pb.designs.BRR(), 0.0196055886338),
        (pb.designs.Fay(rho=0.3, centre="mean"), 0.0193334542454),
        (pb.designs.Jackknife(centre="mean"), 0.0193299386594),
    ],
)
def test_three_units_against_r(design, error):
    found = estimate_weighted(ratio_of_three, FOUR, design=design)
    assert found.value == pytest.approx(0.433862433862, rel=1e-11)
    assert found.standard_error == pytest.approx(error, rel=1e-10)
    assert found.degrees_of_freedom == 8
    assert estimate_weighted(lambda w: w @ Y, FOUR, design=design).standard_error == pytest.approx(
        9.05538513814, rel=1e-11
    )


def test_an_array_of_one_s_own():
    rows = ["0000", "1012", "2021", "0111", "1120", "2102", "0222", "1201", "2210"]
    array = np.array([[int(mark) for mark in row] for row in rows])
    found = estimate_weighted(ratio_of_three, FOUR, design=pb.designs.BRR(array=array, centre="mean"))
    assert found.standard_error == pytest.approx(0.0195411599561, rel=1e-10)
    array[0, 0] = 1
    with pytest.raises(DesignError, match="not balanced"):
        estimate_weighted(ratio_of_three, FOUR, design=pb.designs.BRR(array=array))


def people(outcomes_of, rng, sizes, rate=0.6, name="net"):
    subjects = np.repeat(np.arange(len(sizes)), sizes)
    own = rng.beta(2 * rate, 2 * (1 - rate), len(sizes))
    success = rng.random(len(subjects)) < own[subjects]
    closer = np.where(success, 0, rng.integers(1, 6, len(subjects)))
    return outcomes_of(closer, subjects, name=name)


@pytest.mark.parametrize("units", [2, 3, 4, 5, 7, 8, 9])
def test_rates_have_the_textbook_variance(outcomes_of, units):
    outcomes = people(outcomes_of, np.random.default_rng(units), [units] * 10)
    success = outcomes.success(1).reshape(10, units)
    textbook = np.sqrt((success.var(axis=1, ddof=1) / units).sum()) / 10
    for design in (pb.designs.BRR(), pb.designs.Fay(rho=0.5), pb.designs.Jackknife()):
        found = estimate(outcomes, measure=RecognitionRate(1), design=design)
        assert found.value == pytest.approx(success.mean())
        assert found.standard_error == pytest.approx(textbook, rel=1e-12)
        assert 1 <= found.degrees_of_freedom <= 10 * (units - 1)
        plain = estimate(outcomes, measure=RecognitionRate(1), design=replace(design, interval="t"))
        assert plain.degrees_of_freedom == 10 * (units - 1)
        plan = design.replicates(Strata.of(outcomes.subjects))
        base = Strata.of(outcomes.subjects).unit_weights
        rows = np.concatenate([block for part in plan.parts for block in part.blocks(len(base))])
        each = (rows * base) @ outcomes.success(1)
        assert plan.variance(each, found.value, "estimate") == pytest.approx(textbook**2, rel=1e-12)
        if found.replicates is not None:
            assert found.replicates == pytest.approx(each, abs=1e-12)


def test_unequal_units_are_grouped(outcomes_of):
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 6, 40)
    outcomes = people(outcomes_of, rng, sizes)
    strata = Strata.of(outcomes.subjects)
    textbook = float(np.sqrt(strata.textbook_variance(outcomes.success(1))[0]))
    found = estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.BRR())
    assert found.value == pytest.approx(outcomes.success(1).mean())
    assert found.standard_error == pytest.approx(textbook, rel=1e-12)
    plan = pb.designs.BRR().replicates(strata)
    assert "grouped" in str(plan.notes[0])
    rows = np.concatenate([block for part in plan.parts for block in part.blocks(len(sizes))])
    each = (rows * strata.unit_weights) @ outcomes.success(1)
    assert plan.variance(each, found.value, "estimate") == pytest.approx(textbook**2, rel=1e-12)


def test_medians_are_evaluated(outcomes_of):
    rng = np.random.default_rng(3)
    outcomes = people(outcomes_of, rng, [3] * 4, rate=0.3)
    found = estimate(outcomes, measure=MedianCensoredRank(10), design=pb.designs.BRR())
    ranks = np.minimum(outcomes.ranks, 10).reshape(4, 3)
    every = [np.median(ranks[np.arange(4), choice]) for choice in product(range(3), repeat=4)]
    assert set(found.replicates) <= set(every)
    assert found.value == np.median(ranks)
    assert found.standard_error == pytest.approx(
        np.sqrt(((found.replicates - found.value) ** 2).sum() / (9 * 2))
    )
    mine = estimate(
        outcomes,
        measure=pb.measures.RankStatistic(lambda r: np.median(np.minimum(r, 10))),
        design=pb.designs.BRR(),
    )
    assert sorted(mine.replicates) == sorted(found.replicates)
    whole = estimate(outcomes, measure=MedianCensoredRank(10), design=pb.designs.Enumeration())
    assert sorted(whole.replicates) == sorted(every)
    with pytest.raises(DesignError, match="not valid for medians"):
        estimate(outcomes, measure=MedianCensoredRank(10), design=pb.designs.Jackknife())
    with pytest.raises(DesignError, match="weighted=True"):
        estimate(outcomes, measure=pb.measures.RankStatistic(np.mean), design=pb.designs.Jackknife())


def test_weighted_functions(outcomes_of):
    outcomes = people(outcomes_of, np.random.default_rng(4), [3] * 6)
    mean = pb.measures.RankStatistic(lambda r, w: float(w @ r / w.sum()), "mean rank", weighted=True)
    for design in (
        pb.designs.BRR(),
        pb.designs.Fay(),
        pb.designs.Jackknife(),
        pb.designs.RaoWu(n_resamples=500),
    ):
        found = estimate(outcomes, measure=mean, design=design)
        assert found.value == pytest.approx(outcomes.ranks.mean())
        if not isinstance(design, pb.designs.RaoWu):
            strata = Strata.of(outcomes.subjects)
            assert found.standard_error == pytest.approx(np.sqrt(strata.textbook_variance(outcomes.ranks)[0]))


def test_rao_wu_comes_close(outcomes_of):
    outcomes = people(outcomes_of, np.random.default_rng(5), [3] * 60)
    truth = estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.BRR()).standard_error
    made = estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.RaoWu(n_resamples=4000), seed=1)
    assert made.standard_error == pytest.approx(truth, rel=0.05)
    again = estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.RaoWu(n_resamples=4000), seed=1)
    assert np.array_equal(made.replicates, again.replicates)


def test_ordinary_jackknife_is_the_sample_variance(outcomes_of):
    outcomes = people(outcomes_of, np.random.default_rng(6), [3] * 20)
    success = outcomes.success(1)
    found = estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.Jackknife(kind="JK1"))
    assert found.standard_error == pytest.approx(success.std(ddof=1) / np.sqrt(60), rel=1e-10)
    assert found.answers.varying.key == "probes"


def test_three_units_are_two_thirds_of_the_mean_of_two(outcomes_of):
    """Efficient 2001, figure 5: exact, whatever the data."""
    outcomes = people(outcomes_of, np.random.default_rng(7), [3] * 30)
    success = outcomes.success(1).reshape(30, 3)
    three = Strata.of(np.repeat(np.arange(30), 3)).textbook_variance(success.ravel())[0]
    pairs = [
        Strata.of(np.repeat(np.arange(30), 2)).textbook_variance(np.delete(success, k, axis=1).ravel())[0]
        for k in range(3)
    ]
    assert three == pytest.approx(2 / 3 * np.mean(pairs), rel=1e-12)


def test_bands_are_the_estimates_at_every_rank(outcomes_of):
    outcomes = people(outcomes_of, np.random.default_rng(8), [2, 3, 3, 4, 2, 5] * 5)
    for design in (pb.designs.BRR(), pb.designs.Jackknife(kind="JK1"), pb.designs.RaoWu(n_resamples=200)):
        band = estimate_cmc(outcomes, design=design)
        for t in range(1, 6):
            one = estimate(outcomes, measure=RecognitionRate(t), design=design)
            assert band.values[t - 1] == pytest.approx(one.value)
            assert band.low[t - 1] == pytest.approx(max(0.0, one.low), abs=1e-12)
            assert band.high[t - 1] == pytest.approx(min(1.0, one.high), abs=1e-12)


def test_reweighting_explores_other_populations(outcomes_of):
    outcomes = people(outcomes_of, np.random.default_rng(9), [2] * 6)
    own = outcomes.success(1).reshape(6, 2).mean(axis=1)
    shares = np.array([0.5, 0.1, 0.1, 0.1, 0.1, 0.1])
    names = [str(name) for name in outcomes.experiment.samples.subjects]
    labels = np.array(names)[outcomes.subjects][::2]
    found = estimate(
        outcomes,
        measure=RecognitionRate(1),
        design=pb.designs.BRR(weights=dict(zip(labels, shares, strict=True))),
    )
    assert found.value == pytest.approx(shares @ own)
    for weights, message in (
        (dict.fromkeys(labels, 1.0), "sum to 1"),
        ({**dict.fromkeys(labels, 0.3), labels[0]: -0.5}, "at least 0"),
        ({labels[0]: 1.0}, "no weight"),
    ):
        with pytest.raises(UsageError, match=message):
            estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.BRR(weights=weights))


def test_intervals_that_stay_inside(outcomes_of):
    closer = np.zeros(40, dtype=int)
    closer[0] = 1
    outcomes = outcomes_of(closer, np.repeat(np.arange(20), 2))
    usual = estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.BRR())
    assert 0 < usual.low < usual.value < usual.high < 1
    plain = estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.BRR(interval="t"))
    assert plain.high > 1
    assert any("extends beyond 0 or 1" in str(note) for note in plain.notes)
    assert any("19 of 20 strata have no variation" in str(note) for note in plain.notes)
    for kind in ("logit", "wilson"):
        inside = estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.BRR(interval=kind))
        assert 0 < inside.low < inside.value < inside.high < 1
    few = estimate(
        outcomes,
        measure=RecognitionRate(1),
        design=pb.designs.BRR(degrees_of_freedom="cochran", interval="t"),
    )
    assert few.degrees_of_freedom == pytest.approx(1)  # one stratum of two units varies
    assert few.high > plain.high
    still = estimate(
        outcomes_of(np.zeros(40), np.repeat(np.arange(20), 2)),
        measure=RecognitionRate(1),
        design=pb.designs.BRR(),
    )
    assert (still.low, still.high) == (pytest.approx(40 / (40 + stdtrit(20, 0.975) ** 2)), 1)
    assert any("there is no variation within strata" in str(note) for note in still.notes)


def test_collapsed_strata_err_on_the_large_side(outcomes_of):
    rng = np.random.default_rng(10)
    outcomes = people(outcomes_of, rng, [1] * 9)
    with pytest.raises(DesignError, match="one unit"):
        estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.BRR())
    found = estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.CollapsedStrata())
    assert found.value == pytest.approx(outcomes.success(1).mean())
    assert any("upper bound" in str(note) for note in found.notes)
    values = outcomes.success(1)
    groups = [values[0:2], values[2:4], values[4:6], values[6:9]]
    variance = sum((len(g) / 9) ** 2 * g.var(ddof=1) / len(g) for g in groups)
    assert found.standard_error == pytest.approx(np.sqrt(variance))


def test_paired_differences_under_the_same_replicates(outcomes_of):
    rng = np.random.default_rng(11)
    a, b = (people(outcomes_of, rng, [3] * 30, rate, name) for rate, name in ((0.9, "a"), (0.4, "b")))
    found = pb.compare([a, b], measure=RecognitionRate(1), design=pb.designs.BRR())
    apart = (a.success(1) - b.success(1)).reshape(30, 3)
    error = np.sqrt((apart.var(axis=1, ddof=1) / 3).sum()) / 30
    (pair,) = found.pairs
    assert pair.value == pytest.approx(apart.mean())
    from scipy import stats

    assert pair.p_value == pytest.approx(2 * stats.t.sf(abs(apart.mean()) / error, 60))
    assert "probe images of these people" in str(found.answers.varying)
    median = pb.compare([a, b], measure=MedianCensoredRank(10), design=pb.designs.BRR(), margin=1.0)
    assert median.pairs[0].value == np.median(a.censored(10)) - np.median(b.censored(10))


@pytest.mark.parametrize(
    ("sizes", "design", "message"),
    [
        ([2, 2, 1], pb.designs.Jackknife(), "one unit"),
        ([2] * 40, pb.designs.Enumeration(), "too many"),
        ([2, 3], pb.designs.Enumeration(), "the same number of units"),
    ],
)
def test_refusals_name_the_remedy(outcomes_of, sizes, design, message):
    outcomes = people(outcomes_of, np.random.default_rng(0), sizes)
    with pytest.raises((DesignError, UsageError), match=message) as refused:
        estimate(
            outcomes,
            measure=MedianCensoredRank(5)
            if isinstance(design, pb.designs.BRR | pb.designs.Enumeration)
            else RecognitionRate(1),
            design=design,
        )
    assert refused.value.hint or "equally" in message
