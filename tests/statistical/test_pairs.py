"""Do intervals and tests over compared pairs keep their word, for people of every kind?"""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.pair_populations import Population

from proband.inference.verification.dyadic_auc import PairCloseness, PairPeople, auc_interval


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
    held, cut = area_coverage(Population(40, "normal", noise=0.6), 150)
    assert held >= 0.88
    assert cut == 0
    assert area_coverage(Population(40, "skewed", "unequal", noise=0.55), 100)[0] >= 0.84


@pytest.mark.long
@pytest.mark.parametrize("kind", ["normal", "skewed", "goats", "lambs"])
@pytest.mark.parametrize("sizes", ["equal", "unequal", "informative"])
def test_areas_everywhere(kind, sizes):
    held, cut = area_coverage(Population(60, kind, sizes, noise=0.6), 2000)
    assert (
        held >= 0.90 - 0.02
    )  # 99 % of simulations; some of these have fewer than three people who carry the variance
    assert cut == 0
