"""Do intervals of rates by difficulty, and of what selection does, cover as often as they say?"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, rankdata

import proband as pb

PEOPLE, IMAGES, PARTS = 60, 3, 3


def _closeness(rng: np.random.Generator, people: int, algorithms: int) -> np.ndarray:
    """Hard people and hard probes, and what each algorithm adds: the closeness of each probe to its mate."""
    hard = np.repeat(0.7 * rng.normal(size=people), IMAGES) + 0.5 * rng.normal(size=people * IMAGES)
    closeness: np.ndarray = 2.6 - hard[:, None] + rng.normal(size=(people * IMAGES, algorithms))
    return closeness


def _parts(hardness: np.ndarray) -> np.ndarray:
    made = np.empty(len(hardness), dtype=int)
    made[np.argsort(hardness, kind="stable")] = np.arange(len(hardness)) * PARTS // len(hardness)
    return made


def _truth(algorithms: int) -> list[tuple[float, float]]:
    """The rate of the first algorithm on each part made without it and on that made with it, of a hundred thousand people."""
    rng, people = np.random.default_rng(5), 100_000
    close = _closeness(rng, people, algorithms)
    right = close[:, 0] > norm.ppf(rng.random(len(close)) ** (1 / (PEOPLE - 1)))  # the closest of the others
    hard = np.array([rankdata(-one) for one in close.T])
    own = hard[0].reshape(people, IMAGES)
    others = hard[1:].mean(0) if algorithms > 1 else (own.sum(1, keepdims=True) - own).ravel()
    held, naive = _parts(others), _parts(hard.mean(0))
    return [(right[held == k].mean(), right[naive == k].mean()) for k in range(PARTS)]


@pytest.mark.long
@pytest.mark.parametrize("algorithms", [3, 1])
def test_rates_by_difficulty_and_selection_cover(algorithms: int) -> None:
    """With 400 data sets and three parts the share is known to about a point."""
    truth, rng = _truth(algorithms), np.random.default_rng(3)
    gallery = [f"g{k}" for k in range(PEOPLE)]
    probes = [f"p{k}-{image}" for k in range(PEOPLE) for image in range(IMAGES)]
    subjects = [name[1:].partition("-")[0] for name in gallery + probes]
    experiment = pb.Experiment(pb.Samples({"id": gallery + probes, "subject": subjects}), gallery=gallery)
    mated = np.repeat(np.eye(PEOPLE), IMAGES, axis=0) > 0
    covered = []
    for _ in range(400):
        values = rng.normal(size=(algorithms, *mated.shape))
        values[:, mated] = _closeness(rng, PEOPLE, algorithms).T
        found = pb.partition(
            [
                pb.Scores.from_array(one, probes, gallery, orientation="similarity", name=name)
                for one, name in zip(values, "abc", strict=False)
            ],
            experiment,
        )
        for (held, naive), row in zip(truth, found.judged[:PARTS], strict=True):
            rate, selection = row.rate, row.selection
            covered.append((rate.low <= held <= rate.high, selection.low <= naive - held <= selection.high))
    assert np.mean(covered, axis=0).min() > 0.925
