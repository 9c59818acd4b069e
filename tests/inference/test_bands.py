from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from proband.designs import Bootstrap
from proband.inference import estimate, estimate_cmc
from proband.inference.estimates.evaluate import evaluate_outcomes
from proband.inference.proportions import wilson_interval
from proband.measures import CMC, MedianCensoredRank, RecognitionRate


@pytest.mark.parametrize("probes", [1, 4])
@pytest.mark.parametrize("seed", range(3))
def test_each_rank_has_the_interval_that_estimate_gives(outcomes_of, probes, seed):
    rng = np.random.default_rng(seed)
    subjects = np.repeat(np.arange(30), probes)
    if probes > 1:
        subjects = subjects[rng.random(len(subjects)) < 0.8]  # people with different numbers of probes
    closer = rng.geometric(0.3, len(subjects)) - 1
    outcomes = outcomes_of(closer, subjects, failed=rng.random(len(subjects)) < 0.05)
    band = estimate_cmc(outcomes)
    assert np.array_equal(band.values, CMC()(outcomes).values)
    each = [estimate(outcomes, measure=RecognitionRate(t)) for t in range(1, len(band.values) + 1)]
    assert band.low == pytest.approx([one.low for one in each], abs=1e-12)
    assert band.high == pytest.approx([one.high for one in each], abs=1e-12)


def test_several_algorithms_lend_to_each_other_at_every_door(outcomes_of):
    """Curves of `evaluate` and estimates of the same algorithms borrow from the same rates."""
    rng, subjects = np.random.default_rng(4), np.repeat(np.arange(30), [2, 3, 4] * 10)
    made = {
        name: outcomes_of(rng.geometric(rate, 90) - 1, subjects, name)
        for name, rate in (("poor", 0.3), ("perfect", 1.0), ("fair", 0.8))
    }
    entries = evaluate_outcomes(list(made.values()), made["poor"].experiment, ranks=(1, 3, 20)).entries
    for t in (1, 3, 20):
        for entry, found in zip(entries, estimate(made, measure=RecognitionRate(t)).values(), strict=True):
            assert tuple(entry.interval(t)) == pytest.approx((found.low, found.high), abs=1e-12)
            beside = entry.by_person[t]
            assert (beside.low, beside.high) == pytest.approx((found.by_person.low, found.by_person.high))
    alone = estimate(made["perfect"], measure=RecognitionRate(1))
    assert alone.low < entries[1].interval(1).low


@pytest.mark.parametrize(
    ("design", "simultaneous"),
    [
        ("auto", True),
        *(
            (Bootstrap(unit, n_resamples=200), whole)
            for unit in ("subject", "probe")
            for whole in (False, True)
        ),
    ],
    ids=str,
)
@pytest.mark.parametrize("sizes", [(1, 2, 12), (40, 1, 1)])
def test_ends_never_fall_and_meet(outcomes_of, design, sizes, simultaneous):
    """With people of any sizes, good and bad algorithms, from no success to no miss."""
    rng = np.random.default_rng(len(sizes))
    for chance in (0.05, 0.9, 1.0):
        subjects = np.repeat(np.arange(24), np.tile(sizes, 8))
        own = (
            np.clip(chance + rng.normal(0, 0.15, 24), 0.02, 1)[subjects]
            if chance < 1
            else np.ones(len(subjects))
        )
        outcomes = outcomes_of(rng.geometric(own) - 1, subjects)
        band = estimate_cmc(outcomes, design=design, simultaneous=simultaneous)
        assert (np.diff(band.low) >= 0).all()
        assert (np.diff(band.high) >= 0).all()
        assert (band.high - band.low > 1e-6).all()


@pytest.mark.parametrize("unit", ["subject", "probe"])
def test_replicates_that_are_alike_are_said_and_bounded(outcomes_of, unit):
    design, people = Bootstrap(unit, n_resamples=200), np.repeat(np.arange(20), [1, 2, 3, 2] * 5)
    for missed in (0, 4):
        found = estimate(outcomes_of(np.full(40, missed), people), measure=RecognitionRate(1), design=design)
        n = 20 if unit == "subject" else 40
        assert "bootstrap.no-event" in [note.code for note in found.notes]
        assert 0.05 < found.high - found.low < 0.3
        if unit == "probe":
            reach = wilson_interval(found.value, n, float(stats.t.ppf(0.975, n - 1)))
            assert (found.low, found.high) == pytest.approx(reach)
    median = estimate(outcomes_of(np.zeros(40, int), people), measure=MedianCensoredRank(10), design=design)
    assert (median.low, median.high) == (1, 1)
    (said,) = [note for note in median.notes if note.code == "bootstrap.no-width"]
    assert said.level == "caution"
    moving = estimate(outcomes_of(np.arange(40) % 9, people), measure=MedianCensoredRank(10), design=design)
    assert "bootstrap.no-width" not in [note.code for note in moving.notes]


@pytest.mark.parametrize("weights", ["probe", "person"])
def test_a_band_does_not_fall_where_the_curve_reaches_one(outcomes_of, weights):
    subjects = np.repeat(np.arange(12), np.r_[[6] * 10, 2, 2])
    closer = np.zeros(len(subjects), int)
    closer[[0, 7, 8, 20]] = 1, 1, 2, 3
    band = estimate_cmc(outcomes_of(closer, subjects), weights=weights)
    assert band.values[-1] == 1
    assert (band.low[-1] >= band.low).all()


def test_a_whole_curve_without_a_miss_is_bounded(outcomes_of):
    band = estimate_cmc(outcomes_of(np.zeros(20, int)), simultaneous=True)
    assert band.low == pytest.approx(np.full(20, 0.05 ** (1 / 20)))
    assert (band.high == 1).all()


def test_one_person_says_nothing_of_others(outcomes_of):
    band = estimate_cmc(outcomes_of([0, 1, 0], [0, 0, 0]))
    assert (band.low == 0).all()
    assert (band.high == 1).all()


def test_whole_curves_need_wider_bands(outcomes_of):
    rng = np.random.default_rng(1)
    outcomes = outcomes_of(rng.geometric(0.3, 200) - 1)
    each = estimate_cmc(outcomes, design=Bootstrap("probe", n_resamples=2000))
    whole = estimate_cmc(outcomes, design=Bootstrap("probe", n_resamples=2000), simultaneous=True)
    assert (whole.high - whole.low)[:5].min() > (each.high - each.low)[:5].max() * 0.9
    assert (whole.high - whole.low).sum() > (each.high - each.low).sum()


def test_replicates_can_be_extended(outcomes_of):
    rng = np.random.default_rng(2)
    outcomes = outcomes_of(rng.geometric(0.3, 60) - 1, np.repeat(np.arange(20), 3))
    for unit in ("subject", "probe"):
        few = estimate(outcomes, measure=RecognitionRate(1), design=Bootstrap(unit, n_resamples=1200))
        more = few.extended(3000)
        assert len(more.replicates) == 3000
        assert np.array_equal(more.replicates[:1200], few.replicates)
        whole = estimate(outcomes, measure=RecognitionRate(1), design=Bootstrap(unit, n_resamples=3000))
        assert np.array_equal(more.replicates, whole.replicates)
        assert (more.low, more.high) == (whole.low, whole.high)
