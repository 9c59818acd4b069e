"""Do intervals over people within strata keep their word? With few people they do not, and docs/strat.md says so."""

from __future__ import annotations

import numpy as np
import pytest

from proband import Experiment, RecognitionRate, Samples, Scores, designs, estimate
from proband.measures import Outcomes, rank

pytestmark = pytest.mark.long
TRIALS = 400
SITES = "tuvw"


def population(rng: np.random.Generator, people: int) -> tuple[np.ndarray, np.ndarray]:
    """The chance of success and the number of probes of people: one in seven often fails, and has more probes."""
    hard = rng.random(people) < 0.15
    chances = np.where(hard, rng.beta(2, 2, people), 1 - rng.beta(1, 40, people))
    return chances, np.where(hard, rng.integers(3, 9, people), rng.integers(1, 6, people))


def drawn(rng: np.random.Generator, people: int) -> Outcomes:
    """So many people, dealt to the sites, with their probes ranked: one rival is nearer than the mate where a probe fails."""
    chances, sizes = population(rng, people)
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


def coverage(per_site: int) -> dict[str, float]:
    """The share of samples whose 95 % interval holds the rate of the population."""
    chances, sizes = population(np.random.default_rng(1), 2_000_000)
    truth = float((chances * sizes).sum() / sizes.sum())
    held = dict.fromkeys(("t", "logit", "wilson", "auto"), 0)
    rng = np.random.default_rng(per_site)
    for _ in range(TRIALS):
        outcomes = drawn(rng, per_site * len(SITES))
        for interval in ("t", "logit", "wilson"):
            found = estimate(
                RecognitionRate(1),
                outcomes,
                None,
                designs.Jackknife(strata="site", units="subject", interval=interval),
            )
            held[interval] += found.low <= truth <= found.high
        found = estimate(RecognitionRate(1), outcomes)
        held["auto"] += found.low <= truth <= found.high
    return {name: count / TRIALS for name, count in held.items()}


def test_few_people_within_strata_are_too_few() -> None:
    few = coverage(2)
    assert few["t"] < 0.85
    assert few["auto"] > 0.93


@pytest.mark.parametrize(("per_site", "least"), [(5, 0.84), (10, 0.92), (20, 0.92)])
def test_people_within_strata(per_site: int, least: float) -> None:
    held = coverage(per_site)
    assert held["logit"] >= least
    assert held["t"] <= held["logit"] + 0.02
    assert held["auto"] >= 0.93
