"""Does a gate let pass, and fail, no more often than it says where the new algorithm is worse by just the margin?"""

from __future__ import annotations

import numpy as np
import pytest

from proband import gate
from proband.measures import Outcomes, rank
from proband.samples import Experiment, Samples
from proband.scores import Scores


def _outcomes(right: np.ndarray, own: np.ndarray, experiment: Experiment, name: str) -> Outcomes:
    """Probes that are recognised or not: their own person's score is above all others, or below."""
    ids = experiment.samples.ids
    probes, enrolled = ([ids[k] for k in places] for places in (experiment.probes, experiment.gallery))
    values = np.where(own, right[:, None] * 1.0, 0.5)
    return rank(Scores.from_array(values, probes, enrolled, orientation="similarity", name=name), experiment)


@pytest.mark.long
def test_at_the_margin_either_answer_is_rare() -> None:
    """120 people with two probes each, alike within a person; the new algorithm loses 8 points, which is the margin."""
    people, sets, margin = 120, 400, 0.08
    ids = [f"g{k:03d}" for k in range(people)] + [f"p{k:03d}{image}" for k in range(people) for image in "ab"]
    samples = Samples({"id": ids, "subject": [one[1:4] for one in ids]})
    experiment = Experiment(samples, gallery=ids[:people])
    own = np.equal.outer(np.repeat(np.arange(people), 2), np.arange(people))
    rng = np.random.default_rng(4)
    found = []
    for _ in range(sets):
        ease = np.repeat(rng.random(people) < 0.7, 2)  # who is hard for both algorithms
        old = rng.random(2 * people) < np.where(ease, 0.95, 0.75)
        lost = rng.random(2 * people) < margin / np.mean(0.7 * 0.95 + 0.3 * 0.75)
        new, before = (
            _outcomes(right, own, experiment, name) for right, name in ((old & ~lost, "new"), (old, "old"))
        )
        found.append(gate(new, before, margin=margin).decision)
    for answer in ("pass", "fail"):
        assert found.count(answer) / sets <= 0.05 + 0.03, answer  # 0.05, and three standard errors
