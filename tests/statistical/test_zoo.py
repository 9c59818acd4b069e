"""Do tests for goats and lambs reject as seldom as they say where people are alike, and often where they are not?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.statistical.deployed_thresholds import zipf

from proband.inference.verification.people.hard_subjects import ImageErrors, hard_subjects
from proband.inference.verification.people.meetings import Comparisons

Drawn = Callable[[np.random.Generator, int], np.ndarray]
NOTHING: Drawn = lambda rng, n: np.zeros(n)  # noqa: E731
SKEWED: Drawn = lambda rng, n: 0.5 * rng.exponential(size=n)  # noqa: E731
NORMAL: Drawn = lambda rng, n: 0.5 * rng.normal(size=n)  # noqa: E731
FEW: Drawn = lambda rng, n: 2.0 * (rng.random(n) < 0.05)  # noqa: E731


def _rejected(
    person: Drawn, image: Drawn, images: list[int], rates: tuple[float, float], sets: int, of_two: float = 0.0
) -> np.ndarray:
    """How often goats and lambs are found, where errors have such rates: amounts of people, of images and of two people."""
    rng, n = np.random.default_rng(6), len(images)
    found, thresholds = [], None
    for turn in range(-20, sets):
        own = np.repeat(np.arange(n), rng.permutation(images))
        amounts = person(rng, n)[own] + image(rng, len(own))
        shared = np.triu(rng.normal(size=(n, n)), 1)
        noise = np.triu(rng.normal(size=(len(own), len(own))), 1) + of_two * (shared + shared.T)[own][:, own]
        values = np.triu(amounts[:, None] + amounts + noise, 1)
        same, once = own[:, None] == own, np.triu(np.ones((len(own), len(own)), dtype=bool), 1)
        kinds = (same & once, ~same & once)
        if turn < 0:
            here = [np.quantile(values[kind], 1 - rate) for kind, rate in zip(kinds, rates, strict=True)]
            thresholds = np.array(here) if thresholds is None else thresholds + np.array(here)
            continue
        assert thresholds is not None
        missed, matched = (
            np.nonzero(kind & (values >= t)) for kind, t in zip(kinds, thresholds / 20, strict=True)
        )
        errors = ImageErrors(own, own, True, matched, missed)
        met = Comparisons(np.bincount(own), np.bincount(own), symmetric=True)
        nobody = np.empty(0, dtype=np.int64)
        hard = hard_subjects(
            [str(k) for k in range(n)], met, nobody, nobody.astype(bool), nobody, nobody, errors
        )
        found.append((hard.goats_p or 0.0, hard.lambs_p or 0.0))
    return (np.array(found) <= 0.05).mean(axis=0)


@pytest.mark.long
@pytest.mark.parametrize("image", [NOTHING, NORMAL, SKEWED, FEW], ids=["nothing", "normal", "skewed", "few"])
@pytest.mark.parametrize("of_two", [0.0, 1.0])
@pytest.mark.parametrize(
    ("images", "rates"), [([4] * 30, (0.1, 0.02)), ([4] * 80, (0.05, 0.001)), (zipf(50), (0.1, 0.01))]
)
def test_people_who_are_alike(
    monkeypatch: pytest.MonkeyPatch,
    image: Drawn,
    of_two: float,
    images: list[int],
    rates: tuple[float, float],
) -> None:
    """Hard images, and people who look alike, are no goats and no lambs; of 300 data sets, 2.5 points are two errors."""
    monkeypatch.setattr("proband.inference.verification.people.hard_subjects._DRAWS", 199)
    assert (_rejected(NOTHING, image, images, rates, 300, of_two) <= 0.05 + 0.025).all()


@pytest.mark.long
@pytest.mark.parametrize("person", [NORMAL, SKEWED, FEW], ids=["normal", "skewed", "few"])
def test_people_who_are_not_alike(monkeypatch: pytest.MonkeyPatch, person: Drawn) -> None:
    monkeypatch.setattr("proband.inference.verification.people.hard_subjects._DRAWS", 199)
    goats, lambs = _rejected(person, NORMAL, [8] * 100, (0.1, 0.01), 60)
    assert goats > 0.8
    assert lambs > 0.35  # about half where a few of them make most false matches
