"""Impostors that are too many to list: the same rates, and intervals as from the whole list, up to what was drawn."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import proband as pb
from proband.inference.verification import thinned, verification
from proband.inference.verification.people.matches import ListedMatches
from proband.inference.verification.people.meetings import Comparisons
from proband.inference.verification.thinned import ThinnedTail
from proband.measures.pairs import products
from proband.measures.pairs.counts import count_pairs, tail_pairs
from proband.measures.pairs.pair_set import PairSet
from proband.results.estimate import Estimate
from proband.samples import Experiment, Samples
from proband.scores import Embeddings, Scores

SIZES = {
    "equal": np.full(120, 4),
    "unequal": np.random.default_rng(5).integers(1, 7, 120),
    "skewed": np.minimum(40, np.random.default_rng(6).pareto(1.2, 120) * 1.5 + 1).astype(int),
}
ASKED: dict[str, Any] = {"fmr": (0.05, 0.01), "thresholds": [0.3], "n_resamples": 300}


def world(sizes: np.ndarray, *, matrix: bool = False, distance: bool = False) -> tuple[Scores, Samples]:
    rng = np.random.default_rng(3)
    subjects = np.repeat(np.arange(len(sizes)), sizes)
    own = 1.2 + 0.4 * rng.random(len(sizes))
    vectors = rng.standard_normal((len(sizes), 24))[subjects]
    vectors += own[subjects][:, None] * rng.standard_normal(vectors.shape)
    samples = Samples({"id": np.arange(len(subjects)), "subject": subjects})
    scores: Scores = Embeddings(
        vectors.astype(np.float32), samples.ids, metric="l2" if distance else "cosine"
    )
    if matrix:  # coarse, so that many are tied
        every = np.arange(len(subjects))
        values = np.round(scores.tile(every, every), 2)
        scores = Scores.from_array(
            values, samples.ids, orientation="distance" if distance else "similarity", name="net"
        )
    return scores, samples


def few_may_be_listed(monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    monkeypatch.setattr(verification, "LARGEST_TAIL", 100)
    monkeypatch.setattr(thinned, "KEPT", kept)


def ends(estimate: Estimate | None) -> tuple[float, ...]:
    assert estimate is not None
    return estimate.value, estimate.low, estimate.high, estimate.standard_error or 0.0


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(("matrix", "distance"), [(False, False), (True, False), (False, True), (True, True)])
def test_where_all_are_drawn_nothing_changes(
    sizes: str, matrix: bool, distance: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores, samples = world(SIZES[sizes], matrix=matrix, distance=distance)
    asked = {**ASKED, "thresholds": [6.0 if distance else 0.3]}
    whole = pb.verify(scores, samples, **asked)
    few_may_be_listed(monkeypatch, 10**9)
    part = pb.verify(scores, samples, **asked)
    assert "verification.thinned-tail" in [note.code for note in part.notes]
    assert "verification.thinned-tail" not in [note.code for note in whole.notes]
    for a, b in zip(whole.points, part.points, strict=True):
        assert a.counts == b.counts
        for name in ("fmr", "fnmr", "fnmr_at_threshold"):
            one, other = getattr(a, name), getattr(b, name)
            assert ends(one) == pytest.approx(ends(other), rel=1e-9)
            assert (one.by_person is None) == (other.by_person is None)
            if one.by_person is not None:
                assert ends(one.by_person) == pytest.approx(ends(other.by_person), rel=1e-9)
        assert (a.fnmr.replicates is None) == (b.fnmr.replicates is None)
        if a.fnmr.replicates is not None:
            np.testing.assert_array_equal(a.fnmr.replicates, b.fnmr.replicates)
    for name in ("eer", "auc"):
        assert ends(getattr(whole, name)) == pytest.approx(ends(getattr(part, name)), nan_ok=True)


@pytest.mark.parametrize("sizes", SIZES)
def test_intervals_of_a_part_are_those_of_all(sizes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proband.inference.verification.points._LEAST_TAIL", 1_000)
    scores, samples = world(SIZES[sizes])
    whole = pb.verify(scores, samples, **ASKED)
    few_may_be_listed(monkeypatch, 15_000)  # of some 20,000 for FMR 0.05; all of the 4,500 for 0.01
    part = pb.verify(scores, samples, **ASKED)
    for a, b in zip(whole.points, part.points, strict=True):
        assert a.counts == b.counts
        for name in ("fmr", "fnmr"):
            one, other = getattr(a, name), getattr(b, name)
            assert one.value == other.value
            assert other.standard_error == pytest.approx(one.standard_error, rel=0.1)
            assert (other.low, other.high) == pytest.approx(
                (one.low, one.high), abs=0.1 * (one.high - one.low)
            )
    again = pb.verify(scores, samples, **ASKED, threads=3)
    assert again.to_dict() == part.to_dict()


def test_queries_and_targets_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, samples = world(SIZES["unequal"])
    experiment = Experiment(samples, np.arange(0, len(samples), 2), np.arange(1, len(samples), 2))
    asked = {**ASKED, "check_orientation": False}
    whole = pb.verify(scores, experiment, **asked)
    few_may_be_listed(monkeypatch, 10**9)
    part = pb.verify(scores, experiment, **asked)
    for a, b in zip(whole.points, part.points, strict=True):
        assert a.counts == b.counts
        assert ends(a.fmr) == pytest.approx(ends(b.fmr), rel=1e-9)
        assert ends(a.fnmr) == pytest.approx(ends(b.fnmr), rel=1e-9)


def test_squares_over_pairs_of_people_have_no_bias(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinned, "KEPT", 3_000)
    scores, samples = world(SIZES["skewed"])
    pairs = PairSet.of(scores, samples)
    sizes = np.bincount(samples.codes)
    comparisons = Comparisons(sizes, sizes, symmetric=True)
    first, second, closeness = tail_pairs(scores, pairs, 0.2)
    exact = ListedMatches.of(first, second, comparisons)
    squares = sum(
        n * n for n in Counter(zip(exact.first.tolist(), exact.second.tolist(), strict=True)).values()
    )
    found = []
    rng = np.random.default_rng(0)
    monkeypatch.setattr(thinned, "_chances", lambda rows, columns: rng.random(len(rows)))
    for _ in range(40):
        tail = ThinnedTail.of(
            scores, pairs, pairs.people, comparisons, [0.2], {}, lambda _: len(closeness), 1
        )
        summed = tail.matches(0.2)
        assert summed.n == exact.n
        np.testing.assert_array_equal(summed.by_subject, exact.by_subject)
        np.testing.assert_allclose(summed.shares.by_subject, exact.shares.by_subject)
        found.append((summed.squares / squares, summed.shares.squares / exact.shares.squares))
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(mean - 1) < 3.5 * error).all()
    assert (error < 0.02).all()


def test_what_is_drawn_depends_on_nothing_but_the_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, columns = np.divmod(np.arange(1_000_000, dtype=np.int32), 1000)
    chances = thinned._chances(rows, columns)
    assert chances.min() >= 0
    assert chances.max() < 1
    assert len(np.unique(chances)) == len(chances)
    np.testing.assert_allclose(np.histogram(chances, 20, (0, 1))[0], 50_000, atol=1200)
    for side in (rows, columns):  # nobody is drawn more than others
        drawn = np.bincount(side[chances < 0.1], minlength=1000)
        assert 0.8 < drawn.var() / (1000 * 0.1 * 0.9) < 1.2
    scores, samples = world(SIZES["unequal"])
    few_may_be_listed(monkeypatch, 2_000)
    before = pb.verify(scores, samples, **ASKED).to_dict()
    monkeypatch.setattr(products, "_STRIP", 100)
    monkeypatch.setattr(products, "_COLUMNS_AT_ONCE", 37)
    after = pb.verify(scores, samples, **ASKED)
    for point, other in zip(before["points"], after.to_dict()["points"], strict=True):
        assert point["fnmr"] == other["fnmr"]


@pytest.mark.parametrize("distance", [False, True])
@pytest.mark.parametrize("matrix", [False, True])
def test_a_window_finds_the_threshold_that_all_impostors_find(matrix: bool, distance: bool) -> None:
    scores, samples = world(SIZES["unequal"][:40], matrix=matrix, distance=distance)
    pairs = PairSet.of(scores, samples)
    counts = count_pairs(scores, pairs)
    _, _, every = tail_pairs(scores, pairs, -np.inf)
    for most in (0, 1, 2, 7, 100, 1_000, len(every) // 2, len(every) - 1, len(every)):
        low, high, closer = counts.window_to_admit(most)
        inside = tail_pairs(scores, pairs, low, below=high)[2]
        np.testing.assert_array_equal(np.sort(inside), np.sort(every[(every >= low) & (every < high)]))
        assert closer == np.count_nonzero(every >= high)
        found, expected = counts.admitting(inside, [most], closer), counts.admitting(every, [most])
        admits = [
            (some.edges[ok][0], some.impostor_ge[ok][0]) if (ok := some.impostor_ge <= most).any() else None
            for some in (found, expected)
        ]
        assert admits[0] == admits[1]
        np.testing.assert_array_equal(
            found.impostor_ge, len(every) - np.searchsorted(np.sort(every), found.edges)
        )
    for closeness in (*np.quantile(every, [0, 0.3, 0.9, 1]), *counts.edges[::50], -np.inf, np.inf):
        least, at_most = counts.reaching(closeness)
        assert least <= np.count_nonzero(every >= closeness) <= at_most
