"""Do rates keep their word where errors are few or none, and people a handful? And does the caution find the shares that few carry?"""

from __future__ import annotations

import numpy as np
import pytest

from proband.inference.estimates.person_weights import about_weights, by_person
from proband.inference.estimates.weighting import BY_DEFAULT, PeopleSums, moderated, rates_of_people
from proband.inference.simulation.populations import SimulatedPeople
from proband.measures import RecognitionRate
from proband.measures.open_set import chance_by_gallery_size
from proband.results.about import RestsOn, Who
from proband.results.base import describing


def coverage(population: SimulatedPeople, n_sets: int, weights: str = "probe") -> float:
    """How often 95 % intervals hold the rate of other people."""
    rng = np.random.default_rng(n_sets)
    numbers = np.array(population.numbers)
    own = population.own_rate(rng.random((n_sets, len(numbers))))
    sums = PeopleSums.of_counts(rng.binomial(numbers, 1 - own).astype(float), numbers)
    low, high = rates_of_people(sums, weights).ends(0.95)
    return float(np.mean((low <= population.rate) & (population.rate <= high)))


@pytest.mark.parametrize("kind", ["beta", "skewed", "classes"])
@pytest.mark.parametrize("icc", [0.1, 0.5])
def test_rates_that_mostly_show_no_error(icc, kind):
    """30 people with 30 probes; at .998 none or one error is usual, and one person's errors come together."""
    for rate in (0.99, 0.998):
        assert coverage(SimulatedPeople.of(30, 30, rate=rate, icc=icc, kind=kind), 500) >= 0.9


@pytest.mark.long
@pytest.mark.parametrize("kind", ["beta", "skewed", "classes"])
@pytest.mark.parametrize("icc", [0.0, 0.1, 0.2, 0.5])
@pytest.mark.parametrize("probes", [4, 30, (1, 2, 12), (40, 1, 1, 1, 1, 1, 1, 1, 1, 1)], ids=str)
@pytest.mark.parametrize("people", [10, 30, 100])
def test_rates_without_an_error_everywhere(people, probes, icc, kind):
    """Where half of all data sets and more are without an error; those with several are often of one person."""
    n = np.mean(probes) * people
    for rate in (1 - max(0.3 / n, 0.0005), 1 - max(0.7 / n, 0.001)):
        assert coverage(SimulatedPeople.of(people, probes, rate=rate, icc=icc, kind=kind), 3000) >= 0.87


@pytest.mark.long
@pytest.mark.parametrize("weights", ["probe", "person"])
@pytest.mark.parametrize("probes", [3, (1, 2, 3, 6), (1, 1, 5, 5), (1, 1, 1, 9)], ids=str)
@pytest.mark.parametrize("people", [4, 8])
def test_a_handful_of_people(people, probes, weights):
    for icc, kind in ((0.0, "beta"), (0.2, "skewed"), (0.5, "classes")):
        for rate in (0.5, 0.8, 0.9):
            assert (
                coverage(SimulatedPeople.of(people, probes, rate=rate, icc=icc, kind=kind), 3000, weights)
                >= 0.92
            )


def cautioned(population: SimulatedPeople, n_sets: int) -> tuple[float, float]:
    """How many people carry a share of probes in the population, and how often the caution says that few do."""
    rng = np.random.default_rng(1)
    said, squares = 0, np.zeros(2)
    for _ in range(n_sets):
        easiness, numbers = population.draw(rng)
        missed = rng.binomial(numbers, 1 - population.own_rate(easiness))
        values = (np.arange(numbers.max()) >= missed[:, None])[np.arange(numbers.max()) < numbers[:, None]]
        people = np.repeat(np.arange(len(numbers)), numbers)
        notes = about_weights(
            by_person(
                values.astype(float),
                people,
                0.95,
                BY_DEFAULT,
                describing(RecognitionRate(1).estimand),
                Who(),
                RestsOn(),
            ),
            values.astype(float),
            people,
        )
        said += "weights.few-people" in {note.code for note in notes}
        e = missed - numbers * (1 - population.probe_rate)
        squares += (e**2).sum(), (e**4).sum()
    return squares[0] ** 2 / squares[1] / n_sets, said / n_sets


TENTH = (40, *[1] * 9)
ZIPF = tuple(int(max(1, 100 // k)) for k in range(1, 101))


@pytest.mark.parametrize(
    ("people", "probes", "rate", "few"),
    [
        (50, TENTH, 0.95, True),
        (100, ZIPF, 0.95, True),
        (200, (1, 2, 12), 0.8, False),
        (200, TENTH, 0.8, False),
    ],
)
def test_the_caution_finds_shares_that_few_people_carry(people, probes, rate, few):
    population = SimulatedPeople.of(people, probes, rate=rate, icc=0.3, kind="skewed", informative=True)
    carriers, said = cautioned(population, 60)
    assert (carriers < 1.2) if few else (carriers > 8)
    assert said >= 0.85 if few else said <= 0.1


@pytest.mark.long
@pytest.mark.parametrize("kind", ["beta", "skewed", "classes"])
@pytest.mark.parametrize("rate", [0.8, 0.95, 0.98])
@pytest.mark.parametrize("probes", [TENTH, ZIPF, (1, 2, 12)], ids=["tenth", "zipf", "mixed"])
@pytest.mark.parametrize("people", [50, 100, 200])
def test_the_caution_everywhere(people, probes, rate, kind):
    population = SimulatedPeople.of(people, probes, rate=rate, icc=0.3, kind=kind, informative=True)
    carriers, said = cautioned(population, 300)
    assert said >= 0.88 or carriers > 1
    assert said <= 0.15 or carriers < 10


@pytest.mark.parametrize(
    ("probes", "size"),
    [
        (1, 10),
        (4, 50),
        *(pytest.param(m, size, marks=pytest.mark.long) for m in (4, 20) for size in (10, 150)),
    ],
)
def test_rates_expected_in_smaller_galleries(probes, size):
    """Chances of success are mostly near 1, and few people carry what varies: 71 to 83 % of them without moderation."""
    population = SimulatedPeople.of(100, probes, rate=0.9, icc=0.3, kind="skewed")
    rng, people = np.random.default_rng(2), np.repeat(np.arange(100), probes)
    chance = chance_by_gallery_size(np.arange(200), 200, size, 1)

    def drawn(n_sets: int) -> np.ndarray:
        own = np.maximum(population.own_rate(rng.random((n_sets, 100))), 0.02)[:, people]
        return chance[np.minimum(rng.geometric(own) - 1, 199)]

    truth = drawn(3000).mean()
    sums = PeopleSums.of(drawn(400), people)
    low, high = moderated(sums, rates_of_people(sums)).ends(0.95)
    assert np.mean((low <= truth) & (truth <= high)) >= 0.92


@pytest.mark.parametrize("probes", [4, (1, 2, 12)], ids=str)
def test_ties_that_are_broken_at_random(probes):
    population = SimulatedPeople.of(60, probes, rate=0.9, icc=0.3, kind="skewed")
    rng, people = np.random.default_rng(3), np.repeat(np.arange(60), population.numbers)
    own = population.own_rate(rng.random((500, 60)))[:, people]
    tied = rng.random(own.shape) < 0.25
    sums = PeopleSums.of(
        np.where(tied, 1 / rng.integers(2, 6, own.shape), rng.random(own.shape) < own), people
    )
    low, high = rates_of_people(sums).ends(0.95)
    truth = 0.75 * 0.9 + 0.25 * np.mean([1 / 2, 1 / 3, 1 / 4, 1 / 5])
    assert np.mean((low <= truth) & (truth <= high)) >= 0.92


@pytest.mark.long
@pytest.mark.parametrize("weights", ["probe", "person"])
@pytest.mark.parametrize("numbers", [(4,), (1, 2, 12), TENTH], ids=str)
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 1.0])
def test_finite_populations_with_unequal_probes(share, numbers, weights):
    rng, people, n_sets = np.random.default_rng(4), 100, 1500
    everybody = round(people / share)
    m = np.resize(numbers, everybody)
    for rate, icc, kind in ((0.7, 0.1, "beta"), (0.9, 0.3, "skewed"), (0.9, 0.5, "classes")):
        population = SimulatedPeople(tuple(int(one) for one in m), rate, icc, kind)
        own = population.own_rate(rng.random((n_sets, everybody)))
        missed = rng.binomial(m[:people], 1 - own[:, :people]).astype(float)
        found = rates_of_people(PeopleSums.of_counts(missed, m[:people]), weights, population=everybody)
        low, high = found.ends(0.95)
        truth = own @ m / m.sum() if weights == "probe" else own.mean(axis=1)
        assert np.mean((low <= truth) & (truth <= high)) >= 0.92
