"""Over galleries of different people: does the interval of the mean cover, and does the test hold its level?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from proband.designs import Galleries
from proband.inference import estimate
from proband.inference.galleries.places import heterogeneity, spread_of
from proband.inference.proportions import Interval
from proband.measures import Outcomes, RecognitionRate
from proband.samples import Experiment, Samples
from proband.scores import Scores

QUICK, LONG = 300, 4000


def room(share: float, n_sets: int) -> float:
    """Three standard errors of a simulated share."""
    return 3 * np.sqrt(share * (1 - share) / n_sets)


def compared(rng: np.random.Generator, people: int, probes: int, hubs: float) -> np.ndarray:
    """Similarities of probes with enrolled images; people differ in how well they are known, images in whom they attract."""
    centres = rng.normal(size=(people, 8))
    noise = 0.7 * rng.gamma(4, 0.25, people)
    gallery = centres + noise[:, None] * rng.normal(size=centres.shape)
    own = np.repeat(np.arange(people), probes)
    searched = centres[own] + noise[own, None] * rng.normal(size=(len(own), 8))
    apart = (searched**2).sum(axis=1)[:, None] + (gallery**2).sum(axis=1) - 2 * searched @ gallery.T
    return hubs * rng.normal(size=people) - apart


def coverage(k: int, size: int, probes: int, hubs: float, n_sets: int) -> float:
    """How often the interval of the mean holds the expected rate in a gallery of this size."""
    rng = np.random.default_rng([k, size, probes, round(10 * hubs)])
    rates = np.array(
        [
            [(compared(rng, size, probes, hubs).argmax(axis=1) == np.repeat(np.arange(size), probes)).mean()]
            for _ in range(n_sets * k)
        ]
    ).reshape(n_sets, k)
    truth = rates.mean()  # of thousands of galleries: its own error is small beside that of k
    intervals = [spread_of(own, 0.95, Interval(0.0, 1.0)).interval for own in rates]
    return float(np.mean([low <= truth <= high for low, high in filter(None, intervals)]))


@pytest.mark.parametrize(("k", "hubs"), [(4, 0.0), (6, 3.0)])
def test_the_interval_of_the_mean_covers(k, hubs):
    held = coverage(k, 25, 2, hubs, QUICK)
    assert 0.935 - room(0.95, QUICK) <= held <= 0.965 + room(0.95, QUICK)


@pytest.mark.long
@pytest.mark.parametrize("k", [3, 6, 10])
@pytest.mark.parametrize("size", [20, 60])
@pytest.mark.parametrize("hubs", [0.0, 3.0, 8.0])
def test_the_interval_of_the_mean_covers_everywhere(k, size, hubs):
    held = coverage(k, size, 2, hubs, LONG // k)
    assert held + room(0.95, LONG // k) >= 0.93
    assert held - room(0.95, LONG // k) <= 0.97


@pytest.mark.long
def test_dealing_one_population_at_random_covers_too():
    """The whole way: one matrix over all people, people dealt at random, the estimate's own interval."""
    people, n_sets, k = 60, 250, 5
    ids = [f"g{p}" for p in range(people)] + [f"p{p}" for p in range(people)]
    samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    experiment = Experiment(samples, gallery=ids[:people])
    rng = np.random.default_rng(12)
    found = []
    for seed in range(n_sets):
        values = compared(rng, people, 1, 1.0)
        scores = Scores.from_array(values, ids[people:], ids[:people], orientation="similarity")
        found.append(estimate(scores, experiment, measure=RecognitionRate(1), design=Galleries(k, seed=seed)))
    truth = np.mean([one.value for one in found])
    held = np.mean([one.low <= truth <= one.high for one in found])
    assert 0.94 - room(0.95, n_sets) <= held <= 0.97 + room(0.95, n_sets)


def outcomes_in(size: int, probes: int) -> Outcomes:
    ids = [f"g{p}" for p in range(size)] + [f"p{p}-{j}" for p in range(size) for j in range(probes)]
    samples = Samples({"id": ids, "subject": [name[1:].split("-")[0] for name in ids]})
    experiment = Experiment(samples, gallery=ids[:size])
    n = size * probes
    return Outcomes(
        algorithm="net",
        experiment=experiment,
        probes=experiment.probes.copy(),
        closer=np.zeros(n, dtype=np.int64),
        tied=np.zeros(n, dtype=np.int64),
        best_mates=np.ones(n, dtype=np.int64),
        failed=np.zeros(n, dtype=bool),
        ties="pessimistic",
        counting="images",
        on_failure="miss",
        n_ranks=size,
        n_unmated=0,
        n_gallery_failed=0,
    )


def rejections(
    k: int, size: int, probes: int, rate: float, icc: float, between: float, n_sets: int
) -> tuple[float, float]:
    """How often the test rejects at 5 %, and the root mean square of what it leaves between galleries."""
    rng = np.random.default_rng([k, size, probes, round(100 * rate), round(100 * icc), round(100 * between)])
    blank = outcomes_in(size, probes)
    found = []
    for _ in range(n_sets):
        outcomes = []
        for own in np.clip(rng.normal(rate, between, k), 0.02, 0.98):
            chance = (
                np.full(size, own)
                if icc == 0
                else rng.beta(own * (1 - icc) / icc, (1 - own) * (1 - icc) / icc, size)
            )
            success = rng.random((size, probes)) < chance[:, None]
            outcomes.append(replace(blank, closer=(~success).ravel().astype(np.int64)))
        found.append(heterogeneity(outcomes, 1))
    kept = [(test, between) for test, between in found if test.p_value is not None]
    assert len(kept) > 0.9 * n_sets
    rejected = np.mean([test.p_value <= 0.05 for test, _ in kept])
    return float(rejected), float(np.sqrt(np.mean([between**2 for _, between in kept])))


@pytest.mark.parametrize(
    ("probes", "rate", "icc"), [pytest.param(1, 0.8, 0.0, marks=pytest.mark.long), (4, 0.8, 0.3)]
)
@pytest.mark.long
def test_the_test_holds_its_level_and_finds_differences(probes, rate, icc):
    level, _ = rejections(6, 60, probes, rate, icc, 0.0, QUICK)
    assert level <= 0.06 + room(0.05, QUICK)
    assert level >= 0.03 - room(0.05, QUICK)
    power, left = rejections(6, 60, probes, rate, icc, 0.1, QUICK)
    assert power > 0.5
    assert left == pytest.approx(0.1, rel=0.15)


@pytest.mark.long
@pytest.mark.parametrize(("k", "size"), [(3, 50), (6, 50), (6, 200)])
@pytest.mark.parametrize(("probes", "icc"), [(1, 0.0), (4, 0.0), (4, 0.3)])
@pytest.mark.parametrize("rate", [0.5, 0.8])
def test_the_test_holds_its_level_everywhere(k, size, probes, icc, rate):
    level, _ = rejections(k, size, probes, rate, icc, 0.0, LONG // 2)
    assert 0.02 <= level <= 0.065 + room(0.05, LONG // 2)


@pytest.mark.long
@pytest.mark.parametrize("skewed", [False, True])
@pytest.mark.parametrize(("galleries", "people"), [(3, 10), (6, 10), (6, 40), (10, 20)])
def test_the_mean_over_galleries_of_people_who_differ(galleries: int, people: int, skewed: bool) -> None:
    """Rates above .9, one person in eight of whom often fails; as many probes each, or Zipf's numbers."""
    rng = np.random.default_rng([galleries, people, skewed])

    def rate(n: int) -> float:
        hard = rng.random(n) < 0.12
        probes = np.minimum(20, rng.zipf(1.6, n)) if skewed else np.full(n, 2)
        hits = rng.binomial(probes, np.where(hard, 0.6, 0.985))
        return float(hits.sum() / probes.sum())

    truth = np.mean([rate(people) for _ in range(60_000)])
    held = shown = 0
    for _ in range(600):
        spread = spread_of(np.array([rate(people) for _ in range(galleries)]), 0.95, Interval(0.0, 1.0))
        if spread.interval is not None:
            shown += 1
            held += spread.interval.low <= truth <= spread.interval.high
    assert held >= 0.91 * shown
