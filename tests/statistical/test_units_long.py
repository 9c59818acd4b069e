"""Do intervals over people within strata, of new images and of medians keep their word? docs/methods/strat.md has the table."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.trust_of_medians import RankPopulation, draw_ranks

from proband import Experiment, Samples, Scores, designs, estimate
from proband.designs.strata import Strata
from proband.inference.strata.intervals import Carried, median_ends, share_ends
from proband.measures import Outcomes, RecognitionRate, rank
from proband.measures.tallies import median_tally

pytestmark = pytest.mark.long
TRIALS = 400
SITES = "tuvw"


def population(rng: np.random.Generator, people: int, kind: str = "goats") -> tuple[np.ndarray, np.ndarray]:
    """The chance of success and the number of probes of people: one in seven often fails, and has more probes; or people with
    as many probes each, or with one to twenty, a few of whom have most."""
    if kind == "goats":
        hard = rng.random(people) < 0.15
        chances = np.where(hard, rng.beta(2, 2, people), 1 - rng.beta(1, 40, people))
        return chances, np.where(hard, rng.integers(3, 9, people), rng.integers(1, 6, people))
    chances = 1 - np.minimum(rng.exponential(0.06, people), 1.0)
    sizes = np.full(people, 4) if kind == "equal" else np.minimum(20, rng.zipf(1.7, people))
    return chances, sizes


def drawn(rng: np.random.Generator, people: int, kind: str) -> Outcomes:
    """So many people, dealt to the sites, with their probes ranked: one rival is nearer than the mate where a probe fails."""
    chances, sizes = population(rng, people, kind)
    own = np.repeat(np.arange(people), sizes)
    hits = rng.random(len(own)) < chances[own]
    gallery, probes = [f"g{k}" for k in range(people)], [f"p{k}" for k in range(len(own))]
    subjects = [*range(people), *own.tolist()]
    table = {
        "id": gallery + probes,
        "subject": subjects,
        "site": [SITES[one % len(SITES)] for one in subjects],
    }
    values = np.zeros((len(own), people))
    values[np.arange(len(own)), (own + 1) % people] = 0.9
    values[np.arange(len(own)), own] = np.where(hits, 1.0, 0.8)
    scores = Scores.from_array(values, probes, gallery, orientation="similarity")
    return rank(scores, Experiment(Samples(table), gallery=gallery))


def coverage(per_site: int, kind: str) -> dict[str, float]:
    """The share of samples whose 95 % interval holds the rate of the population."""
    chances, sizes = population(np.random.default_rng(1), 2_000_000, kind)
    truth = float((chances * sizes).sum() / sizes.sum())
    held = dict.fromkeys(("auto", "t", "logit", "wilson", "no strata"), 0)
    rng = np.random.default_rng(per_site)
    for _ in range(TRIALS):
        outcomes = drawn(rng, per_site * len(SITES), kind)
        for interval in ("auto", "t", "logit", "wilson"):
            found = estimate(
                outcomes,
                measure=RecognitionRate(1),
                design=designs.Jackknife(strata="site", units="subject", interval=interval),
            )
            held[interval] += found.low <= truth <= found.high
        found = estimate(outcomes, measure=RecognitionRate(1))
        held["no strata"] += found.low <= truth <= found.high
    return {name: count / TRIALS for name, count in held.items()}


@pytest.mark.parametrize("kind", ["goats", "equal", "skewed"])
@pytest.mark.parametrize("per_site", [2, 5, 10, 20])
def test_people_within_strata(per_site: int, kind: str) -> None:
    held = coverage(per_site, kind)
    assert held["auto"] >= 0.93
    assert held["t"] <= held["auto"]


@pytest.mark.parametrize("rate", [0.9, 0.95, 0.98])
@pytest.mark.parametrize("probes", [(2,), (4,), (2, 3, 4, 6)])
def test_new_images_of_these_people(probes: tuple[int, ...], rate: float) -> None:
    """BRR over images of fifty people, of whom one in five often fails."""
    rng = np.random.default_rng(len(probes) + round(100 * rate))
    numbers = np.resize(probes, 50)
    people, held = np.repeat(np.arange(50), numbers), 0
    strata = Strata.of(people)
    for _ in range(2 * TRIALS):
        chances = np.where(rng.random(50) < 0.2, 1 - 4 * (1 - rate), 1 - (1 - rate) / 4)
        values = (rng.random(len(people)) < chances[people]).astype(float)
        truth = float((chances * numbers).sum() / numbers.sum())
        low, high, _ = share_ends(
            strata.mean(values)[None],
            strata.textbook_variance(values),
            float(len(people) - 50),
            0.95,
            Carried.in_strata(strata, values),
        )
        held += low[0] <= truth <= high[0]
    assert held >= 0.93 * 2 * TRIALS


@pytest.mark.parametrize("units", [2, 3, 5, 6, 8, 10, 12])
@pytest.mark.parametrize("centre", [3.0, 12.0])
def test_medians(units: int, centre: float) -> None:
    """Coarse medians and fine ones; the standard error is hardly ever 0."""
    drawn = draw_ranks(RankPopulation(20, units, centre, 0.5), 300)
    strata, free = Strata.of(np.repeat(np.arange(20), units)), 20.0 * (units - 1)
    plan = designs.BRR().replicates_of_quantiles(strata)
    factors = np.concatenate([block for part in plan.parts for block in part.blocks(20 * units)])
    held, still = 0, 0
    for ranks, truth in zip(drawn.ranks, drawn.own, strict=True):
        tally = median_tally(ranks.ravel().astype(float), np.arange(20 * units))
        median = float(tally.value())
        low, high, _ = median_ends(tally, median, strata, free, 0.95)
        held += low <= truth <= high
        still += plan.variance(tally.values(factors), median, "estimate") == 0
    assert held >= 0.93 * 300
    assert still <= 9
