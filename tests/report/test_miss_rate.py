"""Kish's miss rate in words: said where it is raised, and never as nonsense where it is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

import proband as pb
from proband.analyses.strat.tables import study_statements
from proband.inference.strata.kish import MissRate
from proband.inference.strata.study import StratStudy, strat_study
from proband.words import Note, as_sentence


def miss(icc: float, probes: float = 3.0, level: float = 0.95) -> MissRate:
    product = icc * (probes - 1)
    value = 2 * norm.cdf(-norm.ppf((1 + level) / 2) / np.sqrt(1 + product)) if product > -1 else 0.0
    return MissRate(icc, probes, product, level, round(1 - level, 12), float(value))


def study(right: np.ndarray) -> StratStudy:
    """People with four images each, which are recognised or not."""
    n = len(right)
    ids = [f"s{person}-{image}" for person in range(n) for image in range(4)]
    samples = pb.Samples({"id": ids, "subject": [one.split("-")[0] for one in ids]})
    who = np.repeat(np.arange(n), 4)
    same = who[:, None] == who
    values = np.where(right.ravel()[:, None], same, ~same) * 1.0
    scores = pb.Scores.from_array(values, ids, ids, orientation="similarity", name="pca")
    return strat_study(scores, samples=samples, n_images=4)


ALIKE = np.repeat(np.arange(20) % 4 != 0, 4).reshape(20, 4)


def said_of(found: StratStudy) -> list[Note]:
    return [note for note in study_statements(found) if note.code.startswith("strat.miss-rate")]


@pytest.mark.parametrize(
    ("icc", "said"),
    [
        (0.1, "would miss the true rate in 7.4% of cases instead of 5.0%"),
        (0.0005, "misses the true rate about as often as it should, in 5.0% of cases"),
        (0.0, "is not too narrow"),
        (-0.03, "is not too narrow"),
        (-0.5, "is not too narrow"),
        (-1.0, "is not too narrow"),
    ],
)
def test_it_says_what_the_correlation_does(icc: float, said: str) -> None:
    (note,) = said_of(replace(study(ALIKE), miss_rate=miss(icc)))
    text = as_sentence(note)
    assert said in text
    assert "0.0%" not in text.replace("10.0%", "")
    assert ("no more alike" in text) == (icc <= 0)


def test_studies_say_it_once_and_not_where_nothing_varies() -> None:
    unlike = np.tile([True, True, True, False], (20, 1))
    assert [note.code for note in said_of(study(ALIKE))] == ["strat.miss-rate"]
    assert [note.code for note in said_of(study(unlike))] == ["strat.miss-rate-not-raised"]
    assert said_of(study(np.ones((20, 4), bool))) == []
