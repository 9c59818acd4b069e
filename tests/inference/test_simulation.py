"""Simulated designs: people are as they are said to be, shares are counted right, and procedures name their studies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.examples import some

from proband import Experiment, Samples
from proband.designs import BRR, Binomial, Bootstrap, Clustered
from proband.errors import DesignError, UsageError
from proband.inference.simulation.asking import (
    Banding,
    Comparing,
    Estimating,
    Searching,
    Validating,
    of_a_test,
)
from proband.inference.simulation.covered import SimulationTally, share_of, simulate
from proband.inference.simulation.other_worlds import OneRank, SplitsWorld, StrangersWorld
from proband.inference.simulation.pair_worlds import PairsWorld, TwoOverPairs
from proband.inference.simulation.populations import KINDS, SimulatedPeople
from proband.inference.simulation.studies.trials import SOME, each, pairs_of, population_of, zipf
from proband.inference.simulation.worlds import OutcomesWorld, TwoAlgorithms
from proband.measures import AUC, CMC, EER, FNMR, MedianCensoredRank, RecognitionRate
from proband.planning import compare_halves, coverage
from proband.words import Method, plain

RATE = RecognitionRate(1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("rate", "icc"), [(0.95, 0.3), (0.5, 0.1), (0.8, 0.6)])
def test_people_have_the_mean_and_the_correlation_that_were_asked_for(kind, rate, icc):
    population = SimulatedPeople.of(10, 3, rate=rate, icc=icc, kind=kind)
    own = population.own_rate((np.arange(40_000) + 0.5) / 40_000)
    assert own.mean() == pytest.approx(rate, abs=2e-4)
    assert own.var() == pytest.approx(icc * rate * (1 - rate), rel=5e-3)
    assert 0 <= own.min() <= own.max() <= 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_rate_of_probes_of_people_who_have_more_if_they_are_hard(kind):
    population = SimulatedPeople.of(300, [1, 2, 12], rate=0.8, icc=0.2, kind=kind, informative=True)
    rng = np.random.default_rng(1)
    drawn = [population.draw(rng) for _ in range(400)]
    own = np.concatenate([population.own_rate(easiness) for easiness, _ in drawn])
    numbers = np.concatenate([n for _, n in drawn])
    ratios = numbers * (own - population.probe_rate)
    assert abs(ratios.mean()) < 4 * ratios.std() / np.sqrt(len(ratios))
    assert population.probe_rate < 0.78
    assert np.corrcoef(own, numbers)[0, 1] < -0.2


def test_two_algorithms_differ_by_the_margin_and_agree_as_much_as_asked():
    world = OutcomesWorld(SimulatedPeople.of(400, 4, rate=0.85, icc=0.2), RATE)
    two = TwoAlgorithms(world, 0.05, 0.12)
    found = [two.draw(0, number) for number in range(30)]
    first, second = (np.concatenate([RATE.success(one.data[side]) for one in found]) for side in (0, 1))
    assert first.mean() - second.mean() == pytest.approx(0.05, abs=0.012)
    assert np.abs(first - second).mean() == pytest.approx(0.12, abs=0.012)
    with pytest.raises(UsageError, match="impossible"):
        TwoAlgorithms(world, 0.05, 0.9).draw(0, 0)


@pytest.mark.parametrize(("measure", "value"), [(AUC(), 0.97), (FNMR(0.05), 0.1)])
@pytest.mark.parametrize("kind", some(["normal", "skewed", "classes"], 2))
def test_pairs_have_the_value_that_was_asked_for(measure, value, kind):
    world = PairsWorld((2,) * 80, measure, value, 0.2, kind)
    found = [float(measure(one.data, one.within)) for one in (world.draw(0, n) for n in range(8))]
    assert np.mean(found) == pytest.approx(value, abs=4.5 * np.std(found) / np.sqrt(8))


def test_tallies_of_parts_add_up_to_that_of_the_whole():
    world = TwoAlgorithms(OutcomesWorld(SimulatedPeople.of(40, [1, 2, 6], rate=0.8, icc=0.2), RATE), 0.1)
    whole, _ = simulate(world, Comparing(RATE), 20)
    parts = [simulate(world, Comparing(RATE), n, first=first)[0] for first, n in ((0, 7), (7, 13))]
    added, wanted = plain(parts[0] + parts[1]), plain(whole)
    for name, value in wanted.items():
        assert added[name] == pytest.approx(value), name
    assert whole.n == whole.tested == whole.bounded == 20
    assert whole.covered + whole.too_low + whole.too_high == 20
    assert (SimulationTally() + whole, whole + SimulationTally()) == (whole, whole)


@pytest.mark.parametrize("measure", [AUC(), FNMR(0.05), EER()])
@pytest.mark.long
def test_what_people_add_to_a_measure_of_pairs_is_its_error(measure):
    """To first order: the sum of what they add follows the error of the estimate, but that pairs are counted for both."""
    world = PairsWorld((3,) * 80, measure, 0.9 if measure.form == "area" else 0.1, 0.3, "normal")
    drawn = [world.draw(1, number) for number in range(60)]
    errors = np.array([float(measure(one.data, one.within)) - one.truth for one in drawn])
    added = np.array([one.residuals.sum() for one in drawn])
    assert np.corrcoef(errors, added)[0, 1] > 0.8
    second = TwoOverPairs(world, 0.02).draw(0, 0)
    assert abs(second.truth) == pytest.approx(0.02)


def test_carriers_are_those_of_the_definition():
    """One probe each: e is 1 − p with probability p, and −p otherwise."""
    world = OutcomesWorld(SimulatedPeople.of(100, 1, rate=0.7, icc=0.0), RATE)
    found, _ = simulate(world, Estimating(RATE, "auto"), 200)
    second, fourth = (0.7 * 0.3**k + 0.3 * 0.7**k for k in (2, 4))
    assert found.carriers == pytest.approx(100 * second**2 / fourth, rel=0.02)


def test_the_coverage_of_wilsons_interval_is_the_exact_one():
    """Against enumeration: the share of binomial counts whose interval holds the truth."""
    from proband.inference.proportions import proportion_interval

    n, rate, sets = 25, 0.9, 800
    held = sum(
        stats.binom.pmf(k, n, rate)
        for k in range(n + 1)
        if (ends := proportion_interval(k, n)).low <= rate <= ends.high
    )
    found = coverage(measure=RATE, subjects=n, rate=rate, n_sets=sets)
    assert found.interval.covered.low <= held <= found.interval.covered.high
    assert found.interval.too_low + found.interval.too_high == pytest.approx(1 - found.covered)
    assert found.interval.known_width == pytest.approx(2 * 1.96 * np.sqrt(rate * (1 - rate) / n), rel=0.08)


def test_probes_taken_for_independent_fall_short_and_it_is_said():
    common = {"subjects": 60, "probes_per_subject": 10, "rate": 0.8, "icc": 0.4, "n_sets": 150}
    naive, people = (coverage(measure=RATE, design=design, **common) for design in (Binomial(), Clustered()))
    assert naive.covered < 0.8 < 0.9 < people.covered
    assert "coverage.falls-short" in {note.code for note in naive.notes}
    assert "coverage.falls-short" not in {note.code for note in people.notes}
    assert naive.interval.cautioned > 0.9


def test_new_images_of_the_same_people_are_another_question():
    common = {"subjects": 60, "probes_per_subject": 4, "rate": 0.8, "icc": 0.5, "n_sets": 80}
    images = coverage(measure=RATE, design=BRR(), **common)
    people = coverage(measure=RATE, design=BRR(), about="people", **common)
    assert people.covered < 0.8 < 0.88 < images.covered
    assert (images.answers.varying.key, people.answers.varying.key) == (
        "simulated-images",
        "simulated-data-sets",
    )


def test_people_and_probes_as_they_are_in_the_data():
    rows = [(f"{s}{k}", s, k) for s, n in (("a", 3), ("b", 2), ("c", 5), ("d", 2)) for k in range(n)]
    ids, subjects, places = zip(*rows, strict=True)
    samples = Samples({"id": ids, "subject": subjects, "place": places})
    experiment = Experiment(samples, gallery="place == 0")
    found = coverage(experiment, measure=RATE, rate=0.7, icc=0.1, n_sets=20)
    assert (found.subjects, found.probes) == (4, 8)
    assert found.probes_cv == pytest.approx(np.std([2, 1, 4, 1]) / 2)
    outcomes = OutcomesWorld(SimulatedPeople.of(30, 3, rate=0.8, icc=0.2), RATE).draw(0, 0).data
    taken = coverage(outcomes, measure=RATE, n_sets=20)
    assert taken.rate == pytest.approx(RATE.success(outcomes).mean())
    assert 0 <= taken.icc < 1


def test_the_same_seed_gives_the_same_numbers():
    made = [
        coverage(subjects=20, probes_per_subject=2, rate=0.8, icc=0.2, margin=0.1, n_sets=20)
        for _ in range(2)
    ]
    assert made[0].to_dict() == made[1].to_dict()


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"subjects": 10},
        {"subjects": 10, "rate": 1.2},
        {"subjects": 10, "probes_per_subject": 2, "rate": 0.8},
        {"subjects": 10, "rate": 0.8, "kind": "odd"},
        {"subjects": 10, "rate": 0.8, "informative": True},
        {"subjects": 10, "rate": 0.8, "n_sets": 3},
        {"subjects": 1, "rate": 0.8},
        {"subjects": 10, "probes_per_subject": 0, "rate": 0.8},
        {"subjects": 10, "rate": 0.8, "margin": 0.9},
        {"measure": AUC(), "subjects": 10, "probes_per_subject": 2, "rate": 0.9, "icc": 0.1, "margin": 0.1},
        {"measure": AUC(), "subjects": 10, "probes_per_subject": 2, "rate": 0.9, "icc": 0.1, "kind": "beta"},
        {"measure": MedianCensoredRank(), "subjects": 10, "rate": 0.8, "about": "images"},
    ],
    ids=str,
)
def test_what_cannot_be_simulated_is_refused(wrong):
    with pytest.raises(UsageError):
        coverage(**{"n_sets": 20, **wrong})


def test_a_share_has_its_monte_carlo_error():
    share = share_of(95, 100)
    assert share.standard_error == pytest.approx(np.sqrt(0.95 * 0.05 / 100))
    assert share.low == pytest.approx(stats.beta.ppf(0.005, 95, 6))
    assert share.high == pytest.approx(stats.beta.ppf(0.995, 96, 5))


def test_halves_agree_as_often_as_they_should():
    """Over many data sets: 95 % of differences within t·√(V_A + V_B), 83.4 % of estimates in the other half's interval."""
    world = OutcomesWorld(SimulatedPeople.of(60, 4, rate=0.7, icc=0.3), RATE)
    sets = [world.draw(3, number).data for number in range(25)]
    right, naive = (
        [compare_halves(one, measure=RATE, design=design, n_splits=5) for one in sets]
        for design in (Clustered(), Binomial())
    )
    assert np.mean([one.agree.value for one in right]) == pytest.approx(0.95, abs=0.04)
    assert np.mean([one.inside for one in right]) == pytest.approx(0.834, abs=0.06)
    assert np.mean([one.z_squared for one in right]) == pytest.approx(1, abs=0.3)
    assert np.mean([one.z_squared for one in naive]) > 1.4
    assert right[0].expected_inside == pytest.approx(2 * stats.norm.cdf(1.959964 / np.sqrt(2)) - 1)
    with pytest.raises(DesignError):
        compare_halves(
            OutcomesWorld(SimulatedPeople.of(3, 1, rate=0.7, icc=0), RATE).draw(0, 0).data, measure=RATE
        )


def test_power_grows_with_the_margin():
    world = OutcomesWorld(SimulatedPeople.of(80, 3, rate=0.8, icc=0.1), RATE)
    none, some, much = (
        simulate(TwoAlgorithms(world, margin), Comparing(RATE), 25)[0].rejected / 25
        for margin in (0.0, 0.06, 0.15)
    )
    assert none < 0.2 < some < much


def test_bootstraps_are_tried_as_well():
    found = coverage(
        measure=MedianCensoredRank(30),
        design=Bootstrap("subject", n_resamples=100),
        subjects=60,
        probes_per_subject=2,
        rate=0.1,
        icc=0.1,
        n_sets=20,
    )
    assert not found.in_points
    assert found.interval.covered.value > 0.6


def test_a_curve_has_the_truth_of_its_ranks():
    population = SimulatedPeople.of(40, 3, rate=0.4, icc=0.2, kind="skewed")
    world = OutcomesWorld(population, CMC(10))
    found = np.array([CMC(10)(world.draw(0, number).data).values for number in range(150)])
    error = found.std(axis=0) / np.sqrt(len(found))
    assert (np.abs(found.mean(axis=0) - world.truth) < 4.5 * error).all()
    assert OneRank(world, 5).draw(0, 0).truth == world.truth[4]
    held, first = simulate(world, Banding(simultaneous=False, last=10), 20)
    assert len(held.squared) == 10
    assert first.low.shape == (10,)


@pytest.mark.parametrize("kind", ["normal", "skewed", "classes"])
def test_searches_miss_as_often_as_asked(kind):
    world = StrangersWorld(2_000, 2_000, 2, 0.05, 0.1, kind=kind)
    found = [world.draw(0, number).data.at_fpir(0.05).fnir for number in range(10)]
    assert np.mean(found) == pytest.approx(0.1, abs=4.5 * np.std(found) / np.sqrt(10))
    held, first = simulate(
        StrangersWorld(40, 40, 3, 0.1, 0.2, kind=kind), Searching(0.1, n_resamples=200), 20
    )
    assert (held.n, first.method.key) == (20, "wilson-threshold-anew")


def test_fitted_models_are_as_accurate_as_their_truth():
    """The closed form of a fitted model's accuracy is what very many new people show."""
    world = SplitsWorld(20, 200)
    found = [world.draw(0, number) for number in range(60)]
    seen = np.array([one.data[0].correct.mean() - one.truth for one in found])
    assert abs(seen.mean()) < 4.5 * seen.std() / np.sqrt(len(seen))
    held, first = simulate(SplitsWorld(40, 3), Validating(method=False), 20)
    assert (held.n, first.method.key) == (20, "pooled-predictions")
    trained = SplitsWorld(40, 3, repeats=2, about="method")
    held, first = simulate(trained, Validating(method=True), 20)
    assert (trained.draw(0, 0).truth, first.method.key) == (trained.truth, "corrected-resampled-t")


def test_of_a_test_by_example() -> None:
    assert of_a_test(0.2, Method("t", "a test")).p_value == 0.2


def test_each_by_example() -> None:
    assert (each(3), each((1, 2, 12)), each((1,) * 9 + (40,)), each(zipf(60, 40))) == (
        "3",
        "1 or 2 or 12",
        "1 or 40 (one in 10)",
        "40, 20, 13, … (Zipf)",
    )


def test_population_of_by_example() -> None:
    assert population_of(60, SOME, 0.8, 0.2)[0] == "60 × 1 or 2 or 12, rate 0.8, icc 0.2, beta"


def test_pairs_of_by_example() -> None:
    assert pairs_of(60, 3, AUC(), 0.98)[0] == "60 × 3 images, value 0.98, icc 0.2, normal"
