from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from proband.designs import Binomial, Bootstrap, Clustered, SignFlip, design_named
from proband.errors import DesignError, UsageError
from proband.inference import cluster_statistics, estimate, estimate_cmc, proportion_interval
from proband.inference.estimates.bootstrap import resampling_answers
from proband.inference.estimates.estimate import chosen_design
from proband.inference.estimates.evaluate import evaluate_sets
from proband.inference.procedures import Question, procedure_for
from proband.measures import CMC, MedianCensoredRank, MedianRelativeRank, RankStatistic, RecognitionRate
from proband.samples import Samples
from proband.samples.experiment import Experiment
from proband.scores.base import Scores
from proband.words import Target

RNG = np.random.default_rng(5)
CLOSER = RNG.geometric(0.4, 120) - 1
SUBJECTS = np.repeat(np.arange(30), 4)


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson", "jeffreys"])
def test_binomial_is_the_interval_of_a_proportion(outcomes_of, method):
    found = estimate(
        outcomes_of(CLOSER), measure=RecognitionRate(1), design=Binomial(method), confidence_level=0.9
    )
    k = int((CLOSER == 0).sum())
    assert (found.low, found.high) == proportion_interval(k, 120, method, 0.9)
    assert (found.rests_on.events, found.value) == (k, k / 120)
    assert found.standard_error == pytest.approx(np.sqrt(k / 120 * (1 - k / 120) / 120))


def test_auto_says_what_it_took_and_why(outcomes_of):
    one = estimate(outcomes_of(CLOSER), measure=RecognitionRate(1))
    assert "binomial" in str(one.method)
    assert "one probe" in str(one.notes[0])
    several = estimate(outcomes_of(CLOSER, SUBJECTS), measure=RecognitionRate(1))
    assert "effective sample size" in str(several.method)
    assert "several probes" in str(several.notes[0])
    assert several.answers.varying.key == "people"
    median = estimate(outcomes_of(CLOSER, SUBJECTS), measure=MedianCensoredRank(5))
    assert "bootstrap over subjects" in str(median.method)


def test_clustered_is_wilson_with_the_effective_size(outcomes_of):
    success = np.repeat(RNG.random(30) < 0.7, 4)
    outcomes = outcomes_of(np.where(success, 0, 3), SUBJECTS)
    found = estimate(outcomes, measure=RecognitionRate(1), design=Clustered())
    clusters = cluster_statistics(success.astype(float), SUBJECTS)
    assert clusters.effective_n == pytest.approx(30, rel=0.05)  # all four probes of a person say the same
    t = stats.t.ppf(0.975, 29)
    p, n = success.mean(), clusters.effective_n
    for end in (found.low, found.high):  # the ends of Wilson's interval solve |p - x| = t sqrt(x (1 - x) / n)
        assert abs(p - end) == pytest.approx(t * np.sqrt(end * (1 - end) / n), rel=1e-9)
    assert found.degrees_of_freedom == 29
    assert any("too narrow by a factor of" in str(note) or "would be" in str(note) for note in found.notes)


def test_without_failures_probes_are_worth_what_a_correlation_of_a_half_leaves(outcomes_of):
    found = estimate(outcomes_of(np.zeros(120), SUBJECTS), measure=RecognitionRate(1))
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(48 / (48 + 1.959964**2), abs=1e-6)  # 120/(1 + 3/2)


def test_binomial_over_people_warns(outcomes_of):
    success = np.repeat(RNG.random(30) < 0.7, 4)
    found = estimate(
        outcomes_of(np.where(success, 0, 3), SUBJECTS), measure=RecognitionRate(1), design=Binomial()
    )
    assert any("this interval is too narrow by a factor of 2.0" in str(note) for note in found.notes)


def test_bootstrap_of_a_rate_over_probes_is_binomial(outcomes_of):
    design = Bootstrap("probe", n_resamples=20_000)
    found = estimate(outcomes_of(CLOSER), measure=RecognitionRate(1), design=design)
    counts = np.rint(found.replicates * 120).astype(int)
    k = int((CLOSER == 0).sum())
    grid = np.arange(121)
    observed = np.searchsorted(np.sort(counts), grid, side="right") / len(counts)
    assert np.abs(observed - stats.binom.cdf(grid, 120, k / 120)).max() < 0.015


@pytest.mark.parametrize("interval", ["percentile", "basic", "bca"])
def test_bootstrap_over_probes_by_name_has_the_limits_of_the_binomial(outcomes_of, interval):
    """Of c in n the percentile limits are quantiles of Binomial(n, c/n), the basic ones these mirrored."""
    design = replace(design_named("bootstrap-probe"), interval=interval, n_resamples=100_000)
    found = estimate(outcomes_of(CLOSER), measure=RecognitionRate(1), design=design)
    k = int((CLOSER == 0).sum())
    low, high = stats.binom.ppf([0.025, 0.975], 120, k / 120) / 120
    expected = (2 * k / 120 - high, 2 * k / 120 - low) if interval == "basic" else (low, high)
    assert (found.low, found.high) == pytest.approx(expected, abs=1.01 / 120)
    assert any(note.code == "bootstrap.binomial-count" for note in found.notes)
    assert not any(note.level == "caution" for note in found.notes)


@pytest.mark.parametrize(
    "measure", [RecognitionRate(1), MedianCensoredRank(10), RankStatistic(np.mean, "mean rank")]
)
def test_bootstrap_over_probes_of_people_with_several_carries_the_caution(outcomes_of, measure):
    found = estimate(outcomes_of(CLOSER, SUBJECTS), measure=measure, design="bootstrap-probe")
    (told,) = (note for note in found.notes if note.code == "bootstrap.probes-independent")
    assert told.level == "caution"
    assert "120 probes from 30 people are resampled individually" in str(told)
    over_people = estimate(outcomes_of(CLOSER, SUBJECTS), measure=measure, design="bootstrap")
    assert not any(note.code == told.code for note in over_people.notes)


def test_bands_over_probes_carry_the_caution(outcomes_of):
    success = np.repeat(np.arange(30) % 3 > 0, 4)
    outcomes = outcomes_of(np.where(success, 0, 3), SUBJECTS)
    band = estimate_cmc(outcomes, design="bootstrap-probe")
    assert "bootstrap.probes-independent" in [note.code for note in band.notes]
    assert any("this interval is too narrow by a factor of 2.0" in str(note) for note in band.notes)


def test_bootstrap_over_people_equals_a_loop(outcomes_of):
    outcomes = outcomes_of(CLOSER, SUBJECTS)
    design = Bootstrap("subject", n_resamples=700)
    for measure, naive in (
        (RecognitionRate(2), lambda r: np.mean(r <= 2)),
        (MedianCensoredRank(4), lambda r: np.median(np.minimum(r, 4))),
        (MedianRelativeRank(), lambda r: np.median(r / 30)),
        (RankStatistic(np.mean, "mean rank"), np.mean),
    ):
        found = estimate(outcomes, measure=measure, design=design, seed=3)
        weights = np.concatenate(list(design.weights(30, 3)))
        expected = [naive(np.repeat(outcomes.ranks, row[SUBJECTS])) for row in weights]
        assert np.allclose(found.replicates, expected)
        assert (found.low, found.high) == pytest.approx(np.quantile(expected, [0.025, 0.975]))
        assert found.value == pytest.approx(naive(outcomes.ranks))


def test_bca_agrees_with_scipy(outcomes_of):
    outcomes = outcomes_of(CLOSER)
    expected = stats.bootstrap(
        (outcomes.ranks,), np.mean, method="BCa", n_resamples=20_000, rng=np.random.default_rng(0)
    ).confidence_interval
    design = Bootstrap("probe", "bca", n_resamples=20_000)
    found = estimate(outcomes, measure=RankStatistic(np.mean, "mean rank"), design=design)
    assert found.low == pytest.approx(expected.low, abs=0.03)
    assert found.high == pytest.approx(expected.high, abs=0.03)


def test_same_seed_same_replicates_and_more_extend_them(outcomes_of):
    outcomes = outcomes_of(CLOSER, SUBJECTS)
    few = estimate(outcomes, measure=RecognitionRate(1), design=Bootstrap(n_resamples=1000), seed=9)
    many = estimate(outcomes, measure=RecognitionRate(1), design=Bootstrap(n_resamples=3000), seed=9)
    assert np.array_equal(few.replicates, many.replicates[:1000])
    assert not np.array_equal(
        few.replicates,
        estimate(outcomes, measure=RecognitionRate(1), design=Bootstrap(n_resamples=1000)).replicates,
    )


def test_finite_population(outcomes_of):
    outcomes = outcomes_of(CLOSER)
    endless = estimate(outcomes, measure=RecognitionRate(1))
    half = estimate(outcomes, measure=RecognitionRate(1), population=240)
    assert (half.low, half.high) == (
        endless.low,
        endless.high,
    )  # one probe each: nothing tells people from images
    assert "estimate.population-one-probe" in {note.code for note in half.notes}
    with pytest.raises(UsageError, match="smaller than"):
        estimate(outcomes, measure=RecognitionRate(1), population=50)


@pytest.mark.parametrize("weights", ["probe", "person"])
def test_evaluations_allow_for_a_finite_population_as_estimates_do(outcomes_of, weights):
    """Two stages: (1 − K/N) of the variance over people and K/N of that of other images of one person (Cochran 1977, §10.4)."""
    closer = np.where(np.repeat(np.arange(30) % 3 > 0, 4), 0, CLOSER)  # a third of the people is hard
    outcomes = outcomes_of(closer, SUBJECTS)
    found = evaluate_sets([outcomes], {None: [outcomes]}, (), (1, 2), weights=weights, population=60)
    for rank in (1, 2):
        alone = estimate(outcomes, measure=RecognitionRate(rank, weights), population=60)
        assert (found.entries[0].at(rank).low, found.entries[0].at(rank).high) == pytest.approx(
            (alone.low, alone.high)
        )
        endless = estimate(outcomes, measure=RecognitionRate(rank, weights))
        assert endless.low < alone.low < alone.high < endless.high
    success = (closer == 0).reshape(30, 4)
    means = success.mean(axis=1)
    between = means.var(ddof=1) / 30  # of the mean over people; at least that of independent probes
    rate = success.mean()
    independent = rate * (1 - rate) / 120
    images = float(sum(row.var(ddof=1) for row in success)) / 4 / 30**2
    variance = 0.5 * max(between, independent) + 0.5 * images
    assert estimate(outcomes, measure=RecognitionRate(1), population=60).standard_error == pytest.approx(
        variance**0.5
    )
    (told,) = (note for note in found.entries[0].band.notes if note.code == "estimate.population")
    assert str(told).startswith(
        "30 people drawn without replacement from a population of 60: the variance includes 50% of the variance"
    )


def test_refusals(outcomes_of):
    outcomes = outcomes_of(CLOSER)
    with pytest.raises(DesignError, match="is for rates"):
        estimate(outcomes, measure=MedianCensoredRank(), design=Binomial())
    with pytest.raises(DesignError, match="fractions"):
        estimate(
            outcomes_of(CLOSER, ties="mean", tied=np.ones(120, dtype=int)),
            measure=RecognitionRate(),
            design=Binomial(),
        )
    with pytest.raises(DesignError, match="one person"):
        estimate(outcomes_of(CLOSER, np.zeros(120, dtype=int)), measure=MedianCensoredRank())
    with pytest.raises(UsageError, match="estimate_cmc"):
        estimate(outcomes, measure=CMC())
    with pytest.raises(UsageError):
        Bootstrap("gallery")
    with pytest.raises(UsageError, match="should be a Measure or its name"):
        estimate(outcomes, measure=object(), design=Bootstrap())


def test_results_speak(outcomes_of):
    found = estimate(outcomes_of(CLOSER, SUBJECTS), measure=RecognitionRate(1))
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert set(plain["answers"]) == {"of", "varying", "fixed", "assuming"}
    assert "for new people searched in this gallery" in " ".join(repr(found).split())
    assert float(found) == found.value


def test_bands(outcomes_of):
    outcomes = outcomes_of(CLOSER, SUBJECTS)
    point = estimate_cmc(outcomes, max_rank=6)
    for t in range(1, 7):
        one = estimate(outcomes, measure=RecognitionRate(t))
        found = point.values[t - 1], point.low[t - 1], point.high[t - 1]
        assert found == pytest.approx((one.value, one.low, one.high))
    percentile = estimate_cmc(outcomes, design=Bootstrap(), max_rank=6)
    simultaneous = estimate_cmc(outcomes, max_rank=6, simultaneous=True)
    inner = slice(0, 4)
    assert (simultaneous.high - simultaneous.low)[inner].sum() > (percentile.high - percentile.low)[
        inner
    ].sum()
    assert point.to_frame().columns == ["algorithm", "rank", "value", "low", "high"]


def test_resampling_answers_by_example() -> None:
    assert resampling_answers(Target("rank-rate", "a rate"), Bootstrap("subject")).varying.key == "people"


def test_chosen_design_by_example() -> None:
    samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    scores = Scores.from_array([[0.9, 0.1], [0.7, 0.3]], ["a2", "b2"], ["a1", "b1"], orientation="similarity")
    asked = Question.of(
        RecognitionRate(1), [scores], Experiment(samples, gallery="session == 1"), "auto", 0.95, 0
    )
    assert repr(chosen_design(asked)[0]) == "Binomial(interval='wilson')"


def test_procedure_for_by_example() -> None:
    def found(measure, design, comparing=False):
        return procedure_for(
            Question.of(measure, {"a": None}, None, design, 0.95, 0), comparing=comparing
        ).key

    assert (found(RecognitionRate(1), Clustered()), found(MedianCensoredRank(), Bootstrap())) == (
        "clustered",
        "resampled",
    )
    assert found(RecognitionRate(1), SignFlip(), comparing=True) == "sign-flip"


def test_a_finite_population_lessens_no_binomial_interval_and_the_note_says_so(outcomes_of):
    outcomes = outcomes_of(CLOSER, SUBJECTS)
    endless, finite = (
        estimate(outcomes, measure=RecognitionRate(1), design="binomial", population=population)
        for population in (None, 240)
    )
    assert (finite.low, finite.high) == (endless.low, endless.high)
    codes = {note.code for note in finite.notes}
    assert "estimate.population-binomial" in codes
    assert "estimate.population" not in codes
