"""Which interval can be trusted for which question: new images of these people, or new people? (docs/understand/trust.md)"""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.trust_of_medians import (
    SPREADS,
    RankPopulation,
    draw_ranks,
    median_intervals,
    median_trust,
    population_median,
)
from tests.statistical.trust_simulation import (
    CORRELATIONS,
    PEOPLE,
    PROBES,
    RATES,
    Population,
    draw,
    effective_freedom,
    expected,
    held_by_varying,
    intervals,
    textbook_variance,
    trust,
    varying,
)

from proband.designs import BRR, Binomial, Bootstrap, Clustered, Fay, Jackknife, RaoWu
from proband.inference import estimate
from proband.measures import MedianCensoredRank, Outcomes, RecognitionRate, rank
from proband.samples import Experiment, Samples
from proband.scores import Scores

QUICK, LONG = 1_000, 4_000
SAME = {
    "binomial": Binomial(),
    "clustered": Clustered(),
    "delete-one jackknife": Jackknife(kind="JK1", interval="t"),
    "BRR": BRR(interval="t"),
    "BRR, Cochran": BRR(degrees_of_freedom="cochran", interval="t"),
    "BRR, logit": BRR(interval="logit"),
    "BRR, Wilson": BRR(interval="wilson"),
}


def room(n_sets: int) -> float:
    """Three standard errors of a simulated coverage of 95 %."""
    return float(3 * np.sqrt(0.95 * 0.05 / n_sets))


def outcomes_with(ranks: np.ndarray) -> Outcomes:
    """Scores in which the probes (people × probes) come out with these ranks."""
    people, probes = ranks.shape
    ids = [f"g{p}" for p in range(people)] + [f"p{p}-{k}" for p in range(people) for k in range(probes)]
    subjects = [f"s{p}" for p in range(people)] + [f"s{p}" for p in range(people) for _ in range(probes)]
    values = np.empty((people * probes, people))
    for row, place in enumerate(ranks.ravel().tolist()):
        mate = row // probes
        order = np.roll(np.arange(people), -mate - 1)[:-1]  # everyone else
        values[row, np.insert(order, place - 1, mate)] = -np.arange(people)
    scores = Scores.from_array(values, ids[people:], ids[:people], orientation="similarity")
    return rank(scores, Experiment(Samples({"id": ids, "subject": subjects}), gallery=ids[:people]))


def successes(counts: np.ndarray) -> np.ndarray:
    """Ranks 1 and 2 for people of whom so many have 0, 1, … successes."""
    probes = len(counts) - 1
    each = np.repeat(np.arange(probes + 1), counts)
    return np.where(np.arange(probes) < each[:, None], 1, 2)


@pytest.mark.parametrize(
    "counts", [[3, 4, 6, 7], [0, 1, 0, 19], [2, 9, 14], [0, 2, 30], [0, 0, 20], [1, 0, 4, 2, 6, 12]]
)
def test_rates_are_those_of_the_library(counts):
    outcomes = outcomes_with(successes(np.array(counts)))
    made = intervals(np.array([counts]), np.random.default_rng(0))
    step = 1 / len(outcomes)
    for name, design in SAME.items():
        found = estimate(outcomes, measure=RecognitionRate(1), design=design)
        np.testing.assert_allclose((found.low, found.high), np.ravel(made[name]), atol=1e-12, err_msg=name)
    for unit, name in (("probe", "bootstrap over probes"), ("subject", "bootstrap over people")):
        found = estimate(outcomes, measure=RecognitionRate(1), design=Bootstrap(unit))
        if not np.ptp(made[name]):  # drawings that are all alike have the width that so many units allow
            assert found.low < found.high
            assert "bootstrap.no-event" in {note.code for note in found.notes}
            continue
        np.testing.assert_allclose((found.low, found.high), np.ravel(made[name]), atol=1.001 * step)
    found = estimate(outcomes, measure=RecognitionRate(1), design=RaoWu(interval="t"))
    low, high = np.ravel(made["Rao–Wu"])
    assert (found.high - found.low) == pytest.approx(high - low, rel=0.12)
    assert (found.high + found.low) == pytest.approx(high + low, abs=1e-12)


def test_the_stratified_jackknife_is_balanced_replication():
    """For a rate JKn and BRR are one variance, the textbook's, so that the tables need only one of them."""
    for population in (Population(20, 2, 0.8, 0.3), Population(13, 3, 0.6, 0.1), Population(12, 5, 0.8, 0.5)):
        counts = draw(population, 3).people
        for one, variance in zip(counts, textbook_variance(counts), strict=True):
            outcomes = outcomes_with(successes(one))
            jackknife = estimate(outcomes, measure=RecognitionRate(1), design=Jackknife())
            balanced = estimate(outcomes, measure=RecognitionRate(1), design=BRR())
            spread = np.mean((balanced.replicates - balanced.value) ** 2) / (population.probes - 1)
            assert jackknife.low == pytest.approx(balanced.low, abs=1e-12)
            assert jackknife.standard_error**2 == pytest.approx(variance, rel=1e-12)
            assert spread == pytest.approx(variance, rel=1e-9)


def test_cochrans_freedom_is_the_number_of_people_who_vary():
    """With two probes each; that is why it matters where few vary."""
    assert effective_freedom(np.array([[3, 4, 13], [0, 1, 19], [5, 0, 15]])).tolist() == [4, 1, 20]


def test_medians_are_those_of_the_library():
    ranks = np.minimum(draw_ranks(RankPopulation(40, 3, 6.5, 1.05), 3).ranks, 40)
    made = median_intervals(ranks, 300)
    same = {
        "BRR": BRR(interval="t"),
        "Fay": Fay(interval="t"),
        "Rao–Wu": RaoWu(n_resamples=300, interval="t"),
        "bootstrap over people": Bootstrap("subject", n_resamples=300),
    }
    for place, one in enumerate(ranks):
        outcomes = outcomes_with(one)
        for name, design in same.items():
            found = estimate(outcomes, measure=MedianCensoredRank(100), design=design)
            low, high = (ends[place] for ends in made[name])
            np.testing.assert_allclose((found.low, found.high), (low, high), atol=1e-9, err_msg=name)
        found = estimate(outcomes, measure=MedianCensoredRank(100), design=Bootstrap("probe"))
        low, high = (ends[place] for ends in made["bootstrap over probes"])
        np.testing.assert_allclose((found.low, found.high), (low, high), atol=1.0)


@pytest.mark.parametrize(("icc", "others"), [(0.2, 0.862), (0.5, 0.673)])
def test_balanced_replication_is_for_new_images_only(icc, others):
    found = trust(Population(200, 3, 0.8, icc), QUICK, seed=1, rao_wu=500)
    assert expected(icc, 3, "images", "people") == pytest.approx(others, abs=0.0005)
    for name in ("BRR", "Rao–Wu"):
        assert 0.935 - room(QUICK) <= found[name].images <= 0.965 + room(QUICK)
        assert found[name].others == pytest.approx(others, abs=0.03)
    assert 0.935 - room(QUICK) <= found["clustered"].others <= 0.965 + room(QUICK)
    assert found["clustered"].images > 0.975
    assert found["binomial"].images > 0.96
    assert found["binomial"].others < 0.93
    assert found["BRR"].width < found["binomial"].width < found["clustered"].width


@pytest.mark.long
def test_the_width_says_how_many_vary():
    """At a rate of .95, Student's interval for new images fails when fewer than four people vary, the logit when none does."""
    held = held_by_varying(QUICK // 4)
    few, none = (held["vary"] > 0) & (held["vary"] < 4), held["vary"] == 0
    enough = (held["vary"] >= 4) & (held["vary"] < 20)
    assert held["BRR"][few].mean() < 0.88
    assert held["BRR, logit"][few].mean() > 0.93
    assert not held["BRR, logit"][none].any()
    for name in ("BRR", "BRR, logit", "BRR, Wilson"):
        assert 0.93 < held[name][enough].mean() < 0.975


@pytest.mark.long
def test_medians_answer_the_same_two_questions():
    population = RankPopulation(50, 3, 20.5, 1.85)
    assert population_median(population)[1] == pytest.approx(0.5, abs=0.01)
    found = median_trust(population, 400, replicates=400)
    for name in ("BRR", "Fay", "Rao–Wu"):
        assert found[name].images > 0.9
        assert found[name].others < 0.8
    assert found["bootstrap over people"].others > 0.9
    assert found["bootstrap over people"].images > 0.98


@pytest.mark.long
@pytest.mark.parametrize("people", PEOPLE)
@pytest.mark.parametrize("probes", PROBES)
def test_rates_everywhere(people, probes):
    for population in [Population(people, probes, rate, icc) for rate in RATES for icc in CORRELATIONS]:
        found = trust(population, LONG, seed=1, rao_wu=2_000 if people == 50 else 0)
        check_new_images(population, found)
        check_new_people(population, found)
        if "Rao–Wu" in found:
            assert found["Rao–Wu"].images == pytest.approx(found["BRR"].images, abs=0.015), population
        if people >= 200 and population.rate <= 0.8:
            names = {"images": "BRR", "binomial": "binomial", "people": "clustered"}
            for variance, name in names.items():
                for question, held in (("images", found[name].images), ("people", found[name].others)):
                    right = expected(population.icc, probes, variance, question)
                    assert held == pytest.approx(right, abs=0.025), (population, name, question)


def check_new_images(population: Population, found: dict) -> None:
    """What docs/understand/trust.md claims of new images of the same people."""
    people, _, rate, icc = population
    vary = varying(population)
    if (people >= 50 and rate <= 0.8) or vary >= 12:
        assert 0.93 <= found["BRR"].images <= 0.97, population
    if vary >= 4:
        assert 0.93 <= found["BRR, logit"].images <= 0.975, population
    if people == 20 and rate == 0.95 and icc > 0:
        assert found["BRR"].images < 0.94, population
    assert found["binomial"].images >= 0.92, population
    if icc >= 0.2:
        assert found["clustered"].images >= 0.975, population
    if icc >= 0.3:
        assert found["binomial"].images >= 0.965, population


def check_new_people(population: Population, found: dict) -> None:
    """What docs/understand/trust.md claims of new people."""
    people, _, rate, icc = population
    if people >= 200:
        assert 0.93 <= found["clustered"].others <= 0.97, population
    if rate <= 0.8 or people == 20:
        assert 0.935 <= found["clustered"].others <= 0.985, population
    assert found["clustered"].others >= 0.90, population
    if people >= 50 and icc >= 0.2:
        assert found["BRR"].others <= 0.915, population
    if people >= 50 and icc >= 0.3 and rate <= 0.8:
        assert found["binomial"].others <= 0.94, population


@pytest.mark.long
@pytest.mark.parametrize("people", [50, 200])
@pytest.mark.parametrize("icc", [0.1, 0.3, 0.5])
def test_medians_everywhere(people, icc):
    large = median_trust(RankPopulation(people, 3, 20.5, SPREADS[icc]), 1_000, seed=1)
    small = median_trust(RankPopulation(people, 3, 4.5, SPREADS[icc]), 1_000, seed=1)
    for name in ("BRR", "Fay", "Rao–Wu"):
        assert 0.92 <= large[name].images <= 0.98
        assert large[name].others <= (0.94 if icc < 0.3 else 0.86)
    for found in (large, small):
        assert found["bootstrap over people"].others >= 0.93
        assert found["bootstrap over people"].images >= 0.97
    if people == 200 and icc >= 0.3:  # the median of most replicates is one and the same whole number
        assert small["BRR"].images < 0.88
        assert small["Fay"].images > small["BRR"].images
        assert small["bootstrap over probes"].images >= 0.97
        assert small["bootstrap over probes"].width <= small["Fay"].width
