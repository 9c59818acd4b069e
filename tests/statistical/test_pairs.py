"""Do intervals and tests over compared pairs keep their word, for people of every kind?"""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.pair_populations import Population

from proband.inference import verify
from proband.inference.verification.dyadic_auc import PairCloseness, PairPeople, auc_interval
from proband.samples import Samples
from proband.scores import Scores


def area_coverage(population: Population, n_sets: int) -> tuple[float, float]:
    """How often the interval of the area holds that of other people, and how often it is cut off at 1."""
    rng, area = np.random.default_rng(population.people), population.area()
    held = cut = 0
    for _ in range(n_sets):
        drawn = population.drawn(rng)
        found = auc_interval(
            PairCloseness(drawn.genuine, drawn.impostor), PairPeople(drawn.own, drawn.i, drawn.j)
        )
        held += found.low <= area <= found.high
        cut += found.high == 1.0 and found.value < 1.0
    return held / n_sets, cut / n_sets


def test_area_near_one():
    """A symmetric interval that is cut off at 1 covers this area 83 times in 100, and 79 with unequal images."""
    held, cut = area_coverage(Population(40, "normal", noise=0.6), 100)
    assert held >= 0.88
    assert cut == 0
    assert area_coverage(Population(40, "skewed", "unequal", noise=0.55), 70)[0] >= 0.84


@pytest.mark.long
@pytest.mark.parametrize("kind", ["normal", "skewed", "goats", "lambs"])
@pytest.mark.parametrize("sizes", ["equal", "unequal", "informative"])
def test_areas_everywhere(kind, sizes):
    held, cut = area_coverage(Population(60, kind, sizes, noise=0.6), 2000)
    assert (
        held >= 0.90 - 0.02
    )  # 99 % of simulations; some of these have fewer than three people who carry the variance
    assert cut == 0


def verified(population: Population, rng: np.random.Generator, fmr: float, n_resamples: int):
    """One data set, verified as a user does."""
    images, own = population.images(rng, population.people)
    ids = [f"{place}" for place in range(len(own))]
    scores = Scores.from_array(images @ images.T, ids, orientation="similarity")
    samples = Samples({"id": ids, "subject": [f"{person}" for person in own]})
    return verify(scores, samples, fmr=fmr, n_resamples=n_resamples, check_orientation=False)


def rates_coverage(population: Population, fmr: float, n_sets: int, n_resamples: int) -> dict[str, float]:
    """How often intervals hold FNMR at an FMR, the equal error rate and FNMR at the threshold."""
    rng, held = np.random.default_rng(population.people), dict.fromkeys(("at-fmr", "narrower", "eer"), 0)
    truth, crossing = population.fnmr_at(fmr), population.equal_error_rate()
    for _ in range(n_sets):
        found = verified(population, rng, fmr, n_resamples)
        (point,) = found.points
        low, high = point.fnmr_at_fmr or (point.fnmr.low, point.fnmr.high)
        held["at-fmr"] += low <= truth <= high
        held["narrower"] += high - low < (point.fnmr.high - point.fnmr.low) * (1 - 1e-9)
        held["eer"] += found.eer_interval.low <= crossing <= found.eer_interval.high
    return {name: times / n_sets for name, times in held.items()}


def test_few_false_non_matches():
    """Percentiles cover 79 in 100 here, and are narrower than the interval at the fixed threshold in most data sets."""
    found = rates_coverage(Population(30, "skewed", noise=0.35), 0.02, 40, 100)
    assert found["at-fmr"] >= 0.87
    assert found["narrower"] == 0
    assert found["eer"] >= 0.85


@pytest.mark.long
@pytest.mark.parametrize("kind", ["normal", "skewed", "goats", "lambs"])
@pytest.mark.parametrize("sizes", ["equal", "unequal", "informative"])
def test_rates_everywhere(kind, sizes):
    found = rates_coverage(Population(60, kind, sizes, noise=0.5), 0.01, 1000, 300)
    assert found["at-fmr"] >= 0.90
    assert found["narrower"] == 0
    assert found["eer"] >= 0.88
