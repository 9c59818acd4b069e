"""Outcomes made to order: who succeeds is given, the rest follows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from proband.measures import Outcomes
from proband.samples import Experiment, Samples

Make = Callable[..., Outcomes]


def make_experiment(subjects: np.ndarray) -> Experiment:
    people = np.unique(subjects)
    ids = [f"g{p}" for p in people] + [f"p{k}" for k in range(len(subjects))]
    samples = Samples({"id": ids, "subject": [str(p) for p in people] + [str(s) for s in subjects]})
    return Experiment(samples, gallery=ids[: len(people)])


@pytest.fixture
def outcomes_of() -> Make:
    """``outcomes_of(closer, subjects)``: how many non-mates are closer than each probe's mate."""
    made: dict[bytes, Experiment] = {}

    def make(
        closer, subjects=None, name: str = "net", ties: str = "pessimistic", tied=None, failed=None
    ) -> Outcomes:
        closer = np.asarray(closer, dtype=np.int64)
        subjects = np.arange(len(closer)) if subjects is None else np.asarray(subjects)
        key = subjects.tobytes()
        if key not in made:
            made[key] = make_experiment(subjects)
        n = len(closer)
        return Outcomes(
            algorithm=name,
            experiment=made[key],
            probes=made[key].probes.copy(),
            closer=closer,
            tied=np.zeros(n, dtype=np.int64) if tied is None else np.asarray(tied),
            best_mates=np.ones(n, dtype=np.int64),
            failed=np.zeros(n, dtype=bool) if failed is None else np.asarray(failed),
            ties=ties,
            counting="images",
            on_failure="miss",
            n_ranks=max(len(np.unique(subjects)), int(closer.max(initial=0)) + 1),
            n_unmated=0,
            n_gallery_failed=0,
        )

    return make


def people_with(rng: np.random.Generator, people: int, probes: int, rate: float, icc: float) -> np.ndarray:
    """Successes of people whose own rates vary (beta-binomial): one row a person."""
    own = np.full(people, rate)
    if icc > 0:
        own = rng.beta(rate * (1 - icc) / icc, (1 - rate) * (1 - icc) / icc, people)
    return rng.random((people, probes)) < own[:, None]
