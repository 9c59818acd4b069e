"""Do intervals of false match rates far below a hundredth cover, and of FNMR at such rates?"""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.deployed_thresholds import CENTRED, POPULATIONS, Population, centred, zipf

import proband as pb
from proband.inference.verification.intervals.dyadic_rates import false_match_rate
from proband.inference.verification.people.meetings import Comparisons

SMALL = {"normal": POPULATIONS["normal"], "lambs": POPULATIONS["lambs"], "centred": CENTRED["mild"]}


def _covered(population: Population, images: list[int], fmr: float, sets: int) -> float:
    rng, threshold, inside = np.random.default_rng(3), population.threshold(fmr), 0
    for _ in range(sets):
        each = rng.permutation(images)
        people = np.repeat(np.arange(len(each)), each)
        i, j = np.nonzero(np.triu(population.scores(rng, people) >= threshold, 1))
        apart = people[i] != people[j]
        met = Comparisons(each, each, symmetric=True)
        found = false_match_rate(people[i[apart]], people[j[apart]], met)
        inside += found.low <= fmr <= found.high
    return inside / sets


@pytest.mark.long
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize(
    ("images", "fmr"), [([2] * 100, 1e-3), ([2] * 300, 1e-3), ([2] * 300, 1e-4), (zipf(200), 1e-3)]
)
def test_small_false_match_rates_are_covered(name: str, images: list[int], fmr: float) -> None:
    """With 300 data sets the share is known to 1.3 points."""
    assert _covered(SMALL[name], images, fmr, sets=300) >= 0.93 - 0.025


@pytest.mark.long
@pytest.mark.parametrize(("people", "images", "fmr"), [(100, 4, 1e-3), (300, 2, 1e-4)])
def test_fnmr_at_small_false_match_rates_is_covered(people: int, images: int, fmr: float) -> None:
    """People who are alike but for chance: where few carry false matches, fewer are covered (docs/understand/verification.md)."""
    population = centred(lambda rng, n: np.zeros(n), noise=0.6)
    rng, threshold = np.random.default_rng(8), population.threshold(fmr)
    twice, first = np.repeat(np.arange(500), 2), np.arange(0, 1000, 2)
    true = np.mean([(population.scores(rng, twice)[first, first + 1] < threshold).mean() for _ in range(40)])
    own = np.repeat(np.arange(people), images)
    ids = [str(k) for k in range(len(own))]
    samples = pb.Samples({"id": ids, "subject": [f"s{k}" for k in own]})
    inside = 0
    for _ in range(200):
        scores = pb.Scores.from_array(population.scores(rng, own), ids, orientation="similarity")
        found = pb.verify(scores, samples, fmr=fmr, check_orientation=False).points[0].fnmr
        inside += found.low <= true <= found.high
    assert inside / 200 >= 0.93 - 0.03
