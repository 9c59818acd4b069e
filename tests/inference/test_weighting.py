"""Rates of people with different numbers of probes: oracles by plain sums, and what stands beside a share of probes."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from proband.designs import BRR, Binomial, Bootstrap, Clustered, ClusteredMcNemar, TrainingSets
from proband.errors import DesignError, UsageError
from proband.inference import compare, estimate, estimate_cmc
from proband.inference.comparisons.testing.curves import Skewed
from proband.inference.estimates.evaluate import evaluate_outcomes
from proband.inference.estimates.person_weights import by_person
from proband.inference.estimates.weighting import BY_DEFAULT, PeopleSums, Supposed, rates_of_people
from proband.inference.proportions import wilson_interval
from proband.measures import CMC, RecognitionRate
from proband.measures.base import measure_named, weighted
from proband.results.about import RestsOn, Who
from proband.results.base import describing

SIZES = np.array([1, 1, 2, 3, 5, 9, 9, 14])
SUBJECTS = np.repeat(np.arange(8), SIZES)


def drawn(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random(len(SUBJECTS)) < rng.beta(3, 1, 8)[SUBJECTS]).astype(float)


def carriers(e: np.ndarray) -> float:
    s = (e**2).sum() ** 2 / (e**4).sum()
    return 2 * s / (1 - s / len(e))


def of_eight(variance: float, freedom: float, spread: float, alike: float) -> tuple[float, float]:
    """Eight people are averaged with what probes with a correlation of ½ would show, worth 3/2 (12/8 − 1) degrees of freedom."""
    averaged = (freedom * variance + 0.75 * spread * alike) / (freedom + 0.75)
    most = 1.15 * variance * (stats.t.ppf(0.975, freedom) / stats.t.ppf(0.975, freedom + 0.75)) ** 2
    return min(averaged, most), freedom + 0.75


@pytest.mark.parametrize("seed", range(6))
def test_share_of_probes_against_matrices(seed):
    values = drawn(seed)
    m, n, k = SIZES, len(SUBJECTS), len(SIZES)
    p = values.mean()
    totals = np.array([values[i == SUBJECTS].sum() for i in range(k)])
    means = totals / m
    within = sum(((values[i == SUBJECTS] - means[i]) ** 2).sum() for i in range(k)) / (n - k)
    between = (m * (means - p) ** 2).sum() / (k - 1)
    usual = (n - (m**2).sum() / n) / (k - 1)
    rho = max(0.0, (between - within) / (between + (usual - 1) * within))
    own, hat = m * (1 + (m - 1) * rho), np.eye(k) - np.outer(m / n, np.ones(k))
    cover = hat @ np.diag(own) @ hat.T
    c, e = own / np.diag(cover), totals - p * m
    seen, alike = (c * e**2).sum() / n**2, p * (1 - p) * (m**2).sum() / n**2
    bell, supposed = own.sum() ** 2 / (np.outer(c, c) * cover**2).sum(), 3 - 3 * n**2 / (m**2).sum() / k
    variance = max((bell * seen + supposed * max(seen, alike)) / (bell + supposed), p * (1 - p) / n)
    variance, freedom = of_eight(
        variance, min(bell, carriers(e)), p * (1 - p), (m * (1 + (m - 1) / 2)).sum() / n**2
    )
    found = rates_of_people(PeopleSums.of(values, SUBJECTS))
    assert (float(found.rate), float(found.freedom)) == pytest.approx((p, freedom))
    assert float(found.effective_n) == pytest.approx(p * (1 - p) / variance)


@pytest.mark.parametrize("seed", range(6))
def test_people_weigh_the_same_against_plain_sums(seed):
    values = drawn(seed)
    means = np.array([values[i == SUBJECTS].mean() for i in range(8)])
    p, e = means.mean(), means - means.mean()
    variance = max(means.var(ddof=1) / 8, p * (1 - p) * (1 / SIZES).sum() / 64)
    variance, freedom = of_eight(
        variance, min(carriers(e), 7), p * (1 - p), ((1 + (SIZES - 1) / 2) / SIZES).sum() / 64
    )
    ends = wilson_interval(p, p * (1 - p) / variance, stats.t.ppf(0.975, freedom))
    described = describing(RecognitionRate(1).estimand)
    found = by_person(values, SUBJECTS, 0.95, BY_DEFAULT, described, Who(), RestsOn())
    assert (found.value, found.low, found.high) == pytest.approx((p, *ends))
    u = SIZES / SIZES.mean() * (means - values.mean()) - e
    t = (values.mean() - p) / np.sqrt((u**2).sum() / 56)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), min(carriers(u), 7)))


@pytest.mark.parametrize("probes", [1, 2, 5])
def test_with_as_many_probes_each_weights_change_nothing(outcomes_of, probes):
    rng = np.random.default_rng(probes)
    outcomes = outcomes_of(rng.geometric(0.5, 20 * probes) - 1, np.repeat(np.arange(20), probes))
    by_probe = estimate(outcomes, measure=RecognitionRate(1))
    person = estimate(outcomes, measure=RecognitionRate(1, "person"))
    assert by_probe.by_person is None
    assert (person.value, person.low, person.high) == pytest.approx(
        (by_probe.value, by_probe.low, by_probe.high)
    )


def test_both_rates_stand_beside_each_other(outcomes_of):
    outcomes = outcomes_of(1 - drawn(1).astype(int), SUBJECTS)
    for design in ("auto", Clustered(), Bootstrap("subject", n_resamples=200), Binomial()):
        found = estimate(outcomes, measure=RecognitionRate(1), design=design)
        assert found.value == pytest.approx(drawn(1).mean())
        assert found.by_person.value == pytest.approx(float(RecognitionRate(1, "person")(outcomes)))
        assert "weights.two-rates" in {note.code for note in found.notes}
        assert found.to_dict()["by_person"]["value"] == found.by_person.value
    as_asked = estimate(outcomes, measure=RecognitionRate(1, "person"))
    assert (as_asked.low, as_asked.high) == pytest.approx((found.by_person.low, found.by_person.high))
    assert as_asked.by_person is None
    assert as_asked.answers.of.key != found.answers.of.key


def test_evaluations_give_both(outcomes_of):
    outcomes = outcomes_of(np.random.default_rng(0).geometric(0.6, len(SUBJECTS)) - 1, SUBJECTS)
    found = evaluate_outcomes([outcomes], outcomes.experiment, ranks=(1, 2))
    (entry,) = found.entries
    person = evaluate_outcomes([outcomes], outcomes.experiment, ranks=(1, 2), weights="person").entries[0]
    for t in (1, 2):
        assert person.curve.at(t) == pytest.approx(entry.by_person[t].value)
        assert tuple(person.interval(t)) == pytest.approx((entry.by_person[t].low, entry.by_person[t].high))
        assert person.by_person[t] is None
    assert "rank_1_by_person" in found.to_frame(wide=True).columns
    assert "rank 1<br>(person-weighted)" in str(
        found.to_markdown() if hasattr(found, "to_markdown") else found._repr_html_()
    )


def test_bootstraps_and_curves_weigh_people(outcomes_of):
    outcomes = outcomes_of(np.random.default_rng(0).geometric(0.6, len(SUBJECTS)) - 1, SUBJECTS)
    measure = RecognitionRate(2, "person")
    assert estimate(
        outcomes, measure=measure, design=Bootstrap("subject", n_resamples=200)
    ).value == pytest.approx(float(measure(outcomes)))
    assert CMC(weights="person")(outcomes).at(2) == pytest.approx(float(measure(outcomes)))
    drawn_band = estimate_cmc(outcomes, design=Bootstrap("subject", n_resamples=200), weights="person")
    assert drawn_band.values == pytest.approx(CMC(weights="person")(outcomes).values)


def test_what_cannot_weigh_people_refuses(outcomes_of):
    outcomes = outcomes_of(1 - drawn(1).astype(int), SUBJECTS)
    measure = RecognitionRate(1, "person")
    for design in (Binomial(), BRR()):
        with pytest.raises(DesignError, match="weigh"):
            estimate(outcomes, measure=measure, design=design)
    with pytest.raises(DesignError, match="weigh"):
        compare({"a": outcomes, "b": outcomes}, measure=measure, design=ClusteredMcNemar())
    with pytest.raises(UsageError, match="probe"):
        RecognitionRate(1, "image")
    assert weighted(measure_named("rank"), "person") == RecognitionRate(1, "person")


def test_comparisons_weigh_people(outcomes_of):
    """What stands beside a difference of shares of probes is the difference where people are to weigh; signs by enumeration."""
    made = [
        outcomes_of(1 - drawn(seed).astype(int), SUBJECTS, name)
        for seed, name in ((1, "a"), (4, "b"), (5, "c"))
    ]
    (beside,), (asked,) = (
        compare(made[:2], measure=RecognitionRate(1, weights)).pairs for weights in ("probe", "person")
    )
    means = [np.array([1 - one.closer[i == SUBJECTS].mean() for i in range(8)]) for one in made]
    apart = means[0] - means[1]
    assert asked.value == beside.by_person.value == pytest.approx(apart.mean())
    assert (asked.low, asked.high, asked.p_value) == (
        beside.by_person.low,
        beside.by_person.high,
        beside.by_person.p_value,
    )
    assert asked.by_person is None
    sums = np.abs(np.array(list(product((1, -1), repeat=8))) @ apart)
    observed = abs(apart.sum())
    same = np.isclose(sums, observed)
    flipped = ((sums > observed) & ~same).mean() + same.mean() / 2
    assert asked.p_value == pytest.approx(max(flipped, Skewed.of(apart, np.ones(8)).at(0.0)))
    together = compare(made, measure=RecognitionRate(1, "person"))
    assert together.overall is None
    assert [pair.value for pair in together.pairs] == pytest.approx(
        [(a - b).mean() for a, b in combinations(means, 2)]
    )
    for pair in together.pairs:
        assert pair.p_value <= pair.p_adjusted
        assert (pair.low > 0 or pair.high < 0) == (pair.p_adjusted <= 0.05)


def test_a_finite_population_keeps_the_noise_of_images(outcomes_of):
    rng = np.random.default_rng(2)
    subjects = np.repeat(np.arange(30), 4)
    success = (rng.random(120) < rng.beta(4, 1, 30)[subjects]).astype(float)
    outcomes = outcomes_of(1 - success.astype(int), subjects)
    endless = estimate(outcomes, measure=RecognitionRate(1), design=Clustered()).standard_error ** 2
    means = success.reshape(30, 4)
    images = (means.var(axis=1, ddof=1) / 4).sum() / 900
    for population in (30, 40, 1000):
        found = estimate(outcomes, measure=RecognitionRate(1), population=population)
        f = 30 / population
        assert found.standard_error**2 == pytest.approx((1 - f) * endless + f * images)


def test_fractions_of_successes_have_wilson_intervals(outcomes_of):
    rng = np.random.default_rng(0)
    outcomes = outcomes_of(
        rng.geometric(0.6, 60) - 1, np.repeat(np.arange(20), 3), ties="mean", tied=rng.integers(0, 2, 60)
    )
    found = estimate(outcomes, measure=RecognitionRate(1))
    success = outcomes.success(1)
    variance = success.reshape(20, 3).mean(axis=1).var(ddof=1) / 20
    p = success.mean()
    n = p * (1 - p) / max(variance, success.var() / 60)
    assert (found.low, found.high) == pytest.approx(tuple(wilson_interval(p, n, stats.t.ppf(0.975, 19))))
    band = estimate_cmc(outcomes)
    assert (band.low[0], band.high[0]) == pytest.approx((found.low, found.high))


def test_a_rate_over_training_sets_stays_a_rate(outcomes_of):
    from proband.samples import Experiment, Samples
    from proband.scores import Scores

    samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    values = {"first": [[0.9, 0.1], [0.3, 0.7]], "second": [[0.9, 0.1], [0.7, 0.3]]}
    scores = [
        Scores.from_array(v, ["a2", "b2"], ["a1", "b1"], orientation="similarity", name=n)
        for n, v in values.items()
    ]
    found = estimate(
        scores, Experiment(samples, gallery="session == 1"), measure=RecognitionRate(1), design=TrainingSets()
    )
    assert (found.low, found.value, found.high) == pytest.approx((0, 0.75, 1), abs=1e-6)
    assert 0 <= found.low < found.high <= 1


def test_supposed_worth_by_example() -> None:
    assert Supposed(0.5).worth(PeopleSums.of_counts(np.zeros(10), np.full(10, 3))) == 15.0
