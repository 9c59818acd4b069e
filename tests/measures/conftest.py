"""Small experiments that several tests share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from proband.measures import Outcomes, rank
from proband.samples import Experiment, Samples
from proband.scores import Scores


@pytest.fixture
def outcomes_with_ranks() -> Callable[..., Outcomes]:
    """Make outcomes with given ranks: one mate for each probe, and as many people enrolled as asked."""

    def make(
        ranks: list[float],
        people: int = 20,
        name: str = "made",
        ties: str = "pessimistic",
        **policies: object,
    ) -> Outcomes:
        n = len(ranks)
        samples = Samples(
            {
                "id": [f"g{k}" for k in range(people)] + [f"p{k}" for k in range(n)],
                "subject": [f"s{k}" for k in range(people)] + [f"s{k % people}" for k in range(n)],
                "bad": [False] * people + [rank == np.inf for rank in ranks],
            },
            failed="bad",
        )
        values = np.zeros((n, people))
        for row, wanted in enumerate(ranks):
            own = row % people
            others = [k for k in range(people) if k != own]
            values[row, own] = 1
            if wanted != np.inf:
                values[row, others[: int(wanted) - 1]] = 2
        scores = Scores.from_array(
            values,
            [f"p{k}" for k in range(n)],
            [f"g{k}" for k in range(people)],
            orientation="similarity",
            name=name,
        )
        mask = np.arange(people + n) < people
        return rank(
            scores,
            Experiment(samples, gallery=mask),
            ties=ties,
            check_orientation=False,
            threads=1,
            **policies,
        )

    return make
