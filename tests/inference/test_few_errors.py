"""Rates that fewer than two errors or successes decide: what is supposed, what is borrowed, and that no interval leaps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from proband import classify, compare_outcomes
from proband.designs import Binomial, Bootstrap
from proband.inference import estimate
from proband.inference.estimates.weighting import PeopleSums, Supposed, rates_of_people
from proband.inference.proportions import wilson_interval
from proband.measures import RecognitionRate

DESIGNS = [np.full(people, probes) for people in (3, 4, 7, 12, 30, 200) for probes in (2, 3, 10, 30, 300)] + [
    np.tile([1, 2, 12], 4),
    np.tile([1, 2, 12], 30),
    np.r_[40, 40, np.ones(18, int)],
    60 // np.arange(1, 31),
]


def ends(missed: np.ndarray, sizes: np.ndarray, weights: str = "probe") -> tuple[float, float]:
    low, high = rates_of_people(PeopleSums.of_counts(missed.astype(float), sizes), weights).ends(0.95)
    return float(low), float(high)


@pytest.mark.parametrize("sizes", DESIGNS, ids=lambda one: f"{len(one)} people, {one[0]}")
@pytest.mark.parametrize("weights", ["probe", "person"])
def test_no_interval_grows_threefold_as_the_only_error_goes(sizes, weights):
    none = np.zeros(len(sizes))
    zero, one = ends(none, sizes, weights), []
    for person in {0, int(sizes.argmin()), int(sizes.argmax())}:
        missed = none.copy()
        missed[person] = 1
        one.append(ends(missed, sizes, weights))
        # All wrong but one is the mirror image.
        assert ends(sizes - missed, sizes, weights) == pytest.approx((1 - one[-1][1], 1 - one[-1][0]))
    assert zero[1] == 1
    assert 1 - zero[0] <= 3 * min(high - low for low, high in one)
    assert ends(sizes.astype(float), sizes, weights) == pytest.approx((0, 1 - zero[0]))


def test_two_errors_one_and_none_are_as_far_apart_as_threefold_allows():
    """30 people × 30 probes: each step is below threefold, and neither much larger than the other."""
    widths = [
        high - low for low, high in (ends(np.arange(30) < errors, np.full(30, 30)) for errors in range(3))
    ]
    assert widths[0] / widths[1] == pytest.approx(2.9)
    assert widths[1] / widths[2] == pytest.approx(2.71, abs=0.01)


@pytest.mark.parametrize("sizes", DESIGNS, ids=lambda one: f"{len(one)} people, {one[0]}")
def test_without_an_error_probes_are_worth_what_a_correlation_of_a_half_leaves(sizes):
    m = sizes.astype(float)
    for weights, variance in (
        ("probe", (m * (1 + (m - 1) / 2)).sum() / m.sum() ** 2),
        ("person", ((1 + (m - 1) / 2) / m).sum() / len(m) ** 2),
    ):
        low, _ = wilson_interval(1.0, 1 / variance, float(stats.norm.ppf(0.975)))
        assert ends(np.zeros(len(m)), sizes, weights) == pytest.approx((low, 1.0))


def test_a_dozen_people_with_two_errors_speak_for_themselves():
    missed = np.r_[1.0, 1.0, np.zeros(28)]
    p, k, m = 2 / 900, 30, 30
    squares = ((missed - m * p) ** 2).sum() * k / (k - 1) / 900**2
    expected = wilson_interval(1 - p, p * (1 - p) / max(squares, p * (1 - p) / 900), stats.t.ppf(0.975, 29))
    assert ends(missed, np.full(30, 30)) == pytest.approx(expected)


def test_fractions_of_an_error_lie_between():
    """As an error fades its interval becomes that without any, and never leaps."""
    faded = np.linspace(0, 2, 81)
    sums = PeopleSums.of(
        np.stack([np.r_[1 - min(f, 1), 1 - max(f - 1, 0), np.ones(898)] for f in faded]),
        np.r_[0, 1, np.arange(898) % 30],
    )
    low, high = rates_of_people(sums).ends(0.95)
    assert (np.abs(np.diff(np.log(high - low))) < 0.1).all()


def test_what_is_borrowed_is_a_mean_by_carriers():
    rng = np.random.default_rng(0)
    lenders, weights, correlations = [], [], []
    for rate in (0.1, 0.4):
        missed = rng.binomial(5, rng.beta(2 * rate, 2 - 2 * rate, 40)).astype(float)
        e = missed - missed.mean()
        means = missed / 5
        between = 5 * means.var(ddof=1)
        within = (missed * (1 - means)).sum() / (200 - 40)
        weights.append((e**2).sum() ** 2 / (e**4).sum())
        correlations.append((between - within) / (between + 4 * within))
        lenders.append(PeopleSums.of_counts(missed, np.full(40, 5)))
    most = max(weights)
    expected = (most * np.average(correlations, weights=weights) + 3 * 0.5) / (most + 3)
    # A rate without errors has nothing to lend.
    found = Supposed.borrowed([*lenders, PeopleSums.of_counts(np.zeros(40), np.full(40, 5))])
    assert (found.alike, found.lenders) == (pytest.approx(expected), 2)


def test_estimates_say_what_they_suppose(outcomes_of):
    subjects = np.repeat(np.arange(20), 5)
    perfect = outcomes_of(np.zeros(100, int), subjects, "perfect")
    poor = outcomes_of(np.arange(100) % 3, subjects, "poor")
    alone = estimate(perfect, measure=RecognitionRate(1))
    (said,) = [note for note in alone.notes if note.code == "supposed.correlation"]
    assert (said.level, said["source"].code, said["alike"]) == ("note", "supposed.by-default", 0.5)
    # The bound behind it: each person counts once.
    assert (said["low"], said["high"]) == pytest.approx(wilson_interval(1.0, 20, stats.t.ppf(0.975, 19)))
    beside = estimate({"perfect": perfect, "poor": poor}, measure=RecognitionRate(1))["perfect"]
    (lent,) = [note for note in beside.notes if note.code == "supposed.correlation"]
    assert str(lent["source"]) == "borrowed from another rate in these data"
    assert lent["alike"] < 0.2
    assert beside.low > alone.low
    # What its interval rests on is in the result, and one sentence says it.
    assert beside.clusters is not None
    assert (beside.clusters.supposed_icc, beside.clusters.lenders) == (lent["alike"], 1)
    assert beside.clusters.effective_n == lent["worth"]
    assert {note.code for note in beside.notes} == {"estimate.people-are-units", "supposed.correlation"}
    drawn = estimate(perfect, measure=RecognitionRate(1), design=Bootstrap(n_resamples=200))
    assert drawn.clusters is not None
    assert drawn.clusters.supposed_icc == 0.5
    assert "supposed.correlation" in {note.code for note in drawn.notes}
    probes = estimate(perfect, measure=RecognitionRate(1), design=Binomial())
    assert probes.clusters is not None
    assert probes.clusters.supposed_icc is None
    assert not [
        n for n in estimate(poor, measure=RecognitionRate(1)).notes if n.code == "supposed.correlation"
    ]
    # Its own first rank lends to ranks at which nobody is missed.
    assert estimate(poor, measure=RecognitionRate(3)).low > alone.low


def test_samples_in_groups():
    truth, group = np.arange(900) % 3, np.repeat(np.arange(30), 30)
    right = classify(truth, truth, cluster=group).rates[0]
    assert (round(right.low, 4), right.high) == (0.9379, 1.0)
    assert "outcomes.supposed-correlation" in {note.code for note in right.notes}
    once = truth.copy()
    once[0] = 1
    one = classify(truth, once, cluster=group).rates[0]
    assert right.high - right.low < 3 * (one.high - one.low)
    macro = {n: classify(truth, said, cluster=group, average="macro") for n, said in ((0, truth), (1, once))}
    widths = [one.high - one.low for one in (macro[0].rates[1], macro[1].rates[1])]
    assert macro[0].rates[1].measure == "macro-top-1"
    assert widths[0] < 3 * widths[1]
    poor = np.where(np.random.default_rng(0).random(900) < 0.8, truth, (truth + 1) % 3)
    beside = classify(truth, {"right": truth, "poor": poor}, cluster=group).rates[0]
    assert beside.low > 0.975


def test_items_in_clusters_borrow():
    rng, cluster = np.random.default_rng(1), np.repeat(np.arange(40), 10)
    table = {"a": np.ones(400), "b": (rng.random(400) < 0.7).astype(float), "cluster": cluster}
    first, second = compare_outcomes(table, algorithms=["a", "b"], cluster="cluster").estimates
    assert first.low > 0.97
    assert not [note for note in second.notes if note.code == "outcomes.supposed-correlation"]
