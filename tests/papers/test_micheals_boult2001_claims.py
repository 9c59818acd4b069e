"""Every claim about Micheals and Boult 2001 can hold, and fails for scrambled results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import proband as pb
from proband.inference.galleries.effect import GalleryEffect, ImageColumns, gallery_effect
from proband.inference.strata.study import errors_by_method
from proband.measures import rank
from proband.papers.claims import ShownDifference
from proband.papers.micheals_boult2001 import _balanced_pairs, _leprosy, successes
from proband.papers.micheals_boult2001_claims import StratEvidence, claims, decrease_of
from proband.results.difference import Difference

PEOPLE = 40


@pytest.fixture(scope="module")
def columns() -> tuple[ImageColumns, pb.Scores]:
    ids = [f"s{s:02d}-{k}" for s in range(PEOPLE) for k in range(4)]
    own = np.array([name[:3] for name in ids])
    rng = np.random.default_rng(1)
    values = rng.normal(size=(len(ids), len(ids))) + 2.5 * (own[:, None] == own)
    scores = pb.Scores.from_array(values, ids, orientation="similarity", name="a")
    samples = pb.Samples({"id": ids, "subject": own.tolist()})
    return ImageColumns.of(samples, [scores], 4), scores


def pair(base: GalleryEffect, first: int, second: int, difference: float) -> Difference:
    return replace(base.pairs[0], first=str(first), second=str(second), value=difference, standard_error=0.01)


def effect(base: GalleryEffect, differences: tuple[float, ...], p: float) -> GalleryEffect:
    named = ((1, 2), (1, 3), (2, 3), (3, 4))
    return replace(
        base,
        test=replace(base.test, p_value=p),
        pairs=tuple(pair(base, *at, d) for at, d in zip(named, differences, strict=True)),
    )


@pytest.fixture(scope="module")
def good(columns: tuple[ImageColumns, pb.Scores]) -> StratEvidence:
    base = gallery_effect(columns[1], columns=columns[0])
    seen = effect(base, (0.1, 0.2, 0.1, 0.1), 1e-6)
    level = effect(base, (0.0, 0.01, -0.01, 0.0), 0.6)
    rng = np.random.default_rng(0)
    own = rng.beta(1.6, 0.4, 600)[:, None, None]
    ahead = [ShownDifference(0.1, 0.05, 0.15), ShownDifference(0.2, 0.15, 0.25)]
    errors = {"bootstrap-of-probes": np.full(9, 0.02), "jackknife": np.full(9, 0.0201), "bootstrap-of-people": np.full(9, 0.03)}  # fmt: skip
    return StratEvidence(
        {3: seen, 4: seen},
        {3: level, 4: level},
        errors,
        (rng.random((600, 3, 1)) < 0.4 * own + 0.5).astype(float),
        {0: np.full(5, 2.0), 1: np.full(5, 3.0), 2: np.full(5, 2.9), 3: np.full(5, 3.1)},
        {3: ahead, 4: ahead},
        [ShownDifference(0.3, 0.28, 0.32), ShownDifference(0.2, 0.18, 0.22)],
        256,
        325,
        (0.02578, 0.046528),
        0.0739,
    )


def verdicts(found: StratEvidence) -> dict[str, str]:
    return {one.key.partition(".")[2]: one.verdict for each in claims(found).values() for one in each}


def _with_icc(decrease: float) -> np.ndarray:
    """Outcomes of people of whom a share is always recognised or never, the others half of the time."""
    rng = np.random.default_rng(3)
    fixed = rng.random(600) < decrease
    always = (rng.random(600) < 0.5)[:, None, None]
    made = np.where(fixed[:, None, None], always, rng.random((600, 3, 1)) < 0.5)
    return made.astype(float)


def test_results_like_the_papers_fulfil_every_rule(good: StratEvidence) -> None:
    found = verdicts(replace(good, successes=_with_icc(0.2)))
    assert len(found) == 14
    assert {key: verdict for key, verdict in found.items() if verdict != "agrees"} == {}


def test_the_decrease_in_variance_is_the_correlation_within_people() -> None:
    for icc in (0.0, 0.2, 0.5):
        assert decrease_of(_with_icc(icc))[0] == pytest.approx(icc, abs=0.04)


def test_scrambled_results_fail_every_rule(good: StratEvidence) -> None:
    other = good.effects[3]
    behind = [ShownDifference(-0.1, -0.15, -0.05)] * 2
    # Images of one person that are less alike than those of different people.
    apart = np.tile(np.array([1.0, 1.0, 0.0])[None, :, None], (200, 1, 1))
    failed: dict[str, str] = {}
    for scrambled in (
        replace(good, effects=dict.fromkeys((3, 4), effect(other, (-0.1, 0.0, 0.0, -0.1), 0.01))),
        replace(good, effects=dict.fromkeys((3, 4), effect(other, (0.0, 0.01, -0.01, 0.0), 0.6))),
        replace(good, mixed=good.effects),
        replace(good, successes=apart),
        replace(good, successes=_with_icc(0.5)),
        replace(
            good,
            errors={**good.errors, "bootstrap-of-people": np.full(9, 0.01), "jackknife": np.full(9, 0.03)},
        ),
        replace(good, variances={**good.variances, 0: np.full(5, 3.0)}),
        replace(good, leads={3: behind, 4: behind}, gaps=good.gaps[::-1]),
        replace(good, n_replicates=729, balanced_columns=312, leprosy=(0.0258, 0.0258), missed=0.05),
    ):
        failed |= {key: verdict for key, verdict in verdicts(scrambled).items() if verdict == "disagrees"}
    assert set(failed) == set(verdicts(good))


def test_claims_and_figure_3_are_of_the_same_outcomes(columns: tuple[ImageColumns, pb.Scores]) -> None:
    mixed, scores = columns
    outcomes = rank(scores, mixed.experiment(0))
    at = successes(outcomes, 4)
    assert at.shape == (PEOPLE, 3, 4)
    assert at.mean(axis=(0, 1)) == pytest.approx([outcomes.success(t).mean() for t in range(1, 5)])
    within = at.var(axis=1, ddof=1).sum(axis=0) / 3 / PEOPLE**2
    assert np.sqrt(within) == pytest.approx(errors_by_method(outcomes)["brr"].by_rank[:4])


def test_what_is_arithmetic() -> None:
    assert _balanced_pairs() == 312
    assert _leprosy() == pytest.approx((0.02578184, 0.046528378049), rel=1e-7)
