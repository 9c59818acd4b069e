"""Bootstraps over people by weights, against matrices of the people drawn."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from tests.examples import some

from proband.designs.base import BLOCK
from proband.errors import DesignError, UsageError
from proband.inference.verification.intervals.dyadic_bootstrap import (
    bootstrapped_error_rates,
    fnmr_at_fmr_replicates,
    recentred_interval,
)
from proband.inference.verification.people import drawings
from proband.inference.verification.people.drawings import subject_weights
from proband.inference.verification.people.meetings import Comparisons
from proband.kernels.subject_bootstrap import add_pairs
from proband.measures.pairs.counts import allowed_errors

BOOTSTRAPS = {
    scheme: partial(bootstrapped_error_rates, scheme=scheme) for scheme in ("vertex", "double-or-nothing")
}


class Study:
    """A small score matrix, with everything the functions under test are given."""

    def __init__(self, seed: int, symmetric: bool, subjects: int = 7, decimals: int = 1) -> None:
        rng = np.random.default_rng(seed)
        rows = np.repeat(np.arange(subjects), rng.integers(1, 4, subjects))
        columns = rows if symmetric else np.repeat(np.arange(subjects), rng.integers(1, 4, subjects))
        ease = rng.normal(0, 1, subjects)
        scores = ease[rows][:, None] + ease[columns] + rng.normal(0, 1, (len(rows), len(columns)))
        scores = (scores + 2.0 * (rows[:, None] == columns)).round(decimals)  # some are tied
        self.rows, self.columns, self.symmetric = rows, columns, symmetric
        self.scores = (scores + scores.T) / 2 if symmetric else scores
        self.comparisons = Comparisons(
            np.bincount(rows, minlength=subjects), np.bincount(columns, minlength=subjects), symmetric
        )
        used = np.triu(np.ones_like(scores, dtype=bool), 1) if symmetric else np.ones_like(scores, dtype=bool)
        other = rows[:, None] != columns
        r, c = np.nonzero(used & other)
        self.i, self.j, self.closeness = rows[r], columns[c], self.scores[r, c]
        r, c = np.nonzero(used & ~other)
        self.genuine_subjects, self.genuine = rows[r], self.scores[r, c]

    def materialised(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Impostor and genuine scores of the people drawn, from the matrix that holds each copy of each of them."""
        drawn = np.repeat(np.arange(len(weights)), weights)
        impostor, genuine = [], []
        for person in drawn:
            own = np.flatnonzero(self.genuine_subjects == person)
            genuine.extend(self.genuine[own])
        if self.symmetric:
            for first, second in combinations(drawn, 2):
                if first != second:
                    block = self.scores[np.ix_(self.rows == first, self.columns == second)]
                    impostor.extend(block.ravel())
        else:
            images = np.concatenate([np.flatnonzero(self.rows == p) for p in drawn]) if len(drawn) else []
            against = np.concatenate([np.flatnonzero(self.columns == p) for p in drawn]) if len(drawn) else []
            matrix = self.scores[np.ix_(images, against)] if len(drawn) else np.empty((0, 0))
            if len(drawn):
                impostor = matrix[self.rows[images][:, None] != self.columns[against]]
        return np.asarray(impostor, dtype=float), np.asarray(genuine, dtype=float)


def weights_of(scheme: str, study: Study, n: int, seed: int) -> np.ndarray:
    blocks = range(-(-n // BLOCK))
    sizes = [min(BLOCK, n - block * BLOCK) for block in blocks]
    return np.concatenate(
        [
            subject_weights(scheme, study.comparisons.n_subjects, size, seed, block)
            for block, size in zip(blocks, sizes, strict=True)
        ]
    )


@pytest.mark.parametrize("scheme", BOOTSTRAPS)
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("seed", some(range(3), 3))
def test_rates_at_thresholds(seed, symmetric, scheme):
    study = Study(seed, symmetric)
    thresholds = [1.0, -0.5, 2.5, 1.0]  # in any order, one of them twice
    kept = study.closeness >= -0.5
    found = BOOTSTRAPS[scheme](
        study.i[kept],
        study.j[kept],
        study.closeness[kept],
        study.comparisons,
        thresholds,
        150,
        seed,
        genuine_subjects=study.genuine_subjects,
        genuine_closeness=study.genuine,
    )
    expected_fmr, expected_fnmr = [], []
    for weights in weights_of(scheme, study, 150, seed):
        impostor, genuine = study.materialised(weights)
        if len(impostor) and len(genuine):
            expected_fmr.append([(impostor >= t).mean() for t in thresholds])
            expected_fnmr.append([(genuine < t).mean() for t in thresholds])
    assert np.array_equal(found.fmr_replicates, expected_fmr)
    assert np.array_equal(found.fnmr_replicates, expected_fnmr)
    assert np.array_equal(found.fmr, [(study.closeness >= t).mean() for t in thresholds])
    assert np.array_equal(found.fnmr, [(study.genuine < t).mean() for t in thresholds])
    assert np.array_equal(found.false_matches, [(study.closeness >= t).sum() for t in thresholds])
    assert np.array_equal(found.false_non_matches, [(study.genuine < t).sum() for t in thresholds])
    for rates, intervals in ((found.fmr, found.fmr_intervals()), (found.fnmr, found.fnmr_intervals())):
        assert all(0 <= low <= rate <= high <= 1 for rate, (low, high) in zip(rates, intervals, strict=True))


def best_fnmr(impostor: np.ndarray, genuine: np.ndarray, fmr: float) -> float:
    """The least FNMR of any threshold whose FMR is not above the one asked for, by trying all."""
    thresholds = np.unique(np.concatenate([impostor, genuine, [np.inf]]))
    allowed = [t for t in thresholds if (impostor >= t).sum() / len(impostor) <= fmr]
    return float((genuine < min(allowed)).sum() / len(genuine))


@pytest.mark.parametrize("scheme", BOOTSTRAPS)
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("fmr", some([0.001, 0.1, 0.25, 0.9], 2))
def test_threshold_found_anew(symmetric, scheme, fmr):
    study = Study(5, symmetric)
    found = fnmr_at_fmr_replicates(
        study.i,
        study.j,
        study.closeness,
        study.genuine_subjects,
        study.genuine,
        study.comparisons,
        fmr,
        150,
        3,
        scheme=scheme,
    )
    expected = []
    for weights in weights_of(scheme, study, 150, 3):
        impostor, genuine = study.materialised(weights)
        if len(impostor) and len(genuine):
            expected.append(best_fnmr(impostor, genuine, fmr))
    assert np.array_equal(found, expected)


def test_part_of_the_tail_is_enough():
    study = Study(6, True, subjects=30)
    arguments = (study.genuine_subjects, study.genuine, study.comparisons, 0.05, 600, 1)
    whole = fnmr_at_fmr_replicates(study.i, study.j, study.closeness, *arguments)
    kept = study.closeness >= np.quantile(study.closeness, 0.6)
    part = fnmr_at_fmr_replicates(study.i[kept], study.j[kept], study.closeness[kept], *arguments)
    assert np.array_equal(whole, part)
    kept = study.closeness >= np.quantile(study.closeness, 0.96)
    with pytest.raises(DesignError, match="closest impostor comparisons"):
        fnmr_at_fmr_replicates(study.i[kept], study.j[kept], study.closeness[kept], *arguments)
    # Where no genuine comparison is less close than the tail, what lies below it does not matter.
    short = fnmr_at_fmr_replicates(
        study.i[kept], study.j[kept], study.closeness[kept], [0, 1], [90.0, 91.0], study.comparisons, 0.05
    )
    assert not short.any()


@pytest.mark.parametrize(("likely", "beyond"), [(1, True), (8, False)])
def test_drawings_go_beyond_the_nearest_impostors_where_they_must(monkeypatch, likely, beyond):
    study = Study(6, True, subjects=30)
    rest = (study.genuine_subjects, study.genuine, study.comparisons, 0.02, 600, 1)
    expected = fnmr_at_fmr_replicates(study.i, study.j, study.closeness, *rest)
    monkeypatch.setattr(drawings, "_LEAST_LIKELY", 1)
    monkeypatch.setattr(drawings, "_LIKELY", likely)
    looked_at, measure = set(), drawings.AtRates.__call__
    monkeypatch.setattr(
        drawings.AtRates,
        "__call__",
        lambda self, weights: looked_at.add(len(self.first)) or measure(self, weights),
    )
    assert np.array_equal(fnmr_at_fmr_replicates(study.i, study.j, study.closeness, *rest), expected)
    assert min(looked_at) < len(study.i) / 2
    assert (len(study.i) in looked_at) == beyond


def test_a_rate_that_is_met_exactly_is_not_exceeded():
    """Seven of 7,000 is 0.001, whatever the rounding of the product."""
    sizes = np.arange(1, 3000)
    for count in (1, 3, 7, 29):
        assert (allowed_errors(count / 1000, 1000 * sizes) == count * sizes).all()


@pytest.mark.parametrize("scheme", BOOTSTRAPS)
def test_same_bits_at_any_number_of_threads(scheme):
    study = Study(7, False, subjects=40, decimals=3)
    one, two = (
        BOOTSTRAPS[scheme](study.i, study.j, study.closeness, study.comparisons, [0.5], 1200, 9, threads=n)
        for n in (1, 3)
    )
    assert np.array_equal(one.fmr_replicates, two.fmr_replicates)
    fewer = BOOTSTRAPS[scheme](study.i, study.j, study.closeness, study.comparisons, [0.5], 1000, 9)
    assert np.array_equal(one.fmr_replicates[:1000], fewer.fmr_replicates)
    one, two = (
        fnmr_at_fmr_replicates(
            study.i,
            study.j,
            study.closeness,
            study.genuine_subjects,
            study.genuine,
            study.comparisons,
            0.1,
            1200,
            9,
            scheme=scheme,
            threads=n,
        )
        for n in (1, 3)
    )
    assert np.array_equal(one, two)


def test_weights():
    vertex = subject_weights("vertex", 50, 400, 1, 0)
    assert (vertex.sum(axis=1) == 50).all()
    assert np.array_equal(vertex, subject_weights("vertex", 50, 400, 1, 0))
    assert not np.array_equal(vertex, subject_weights("vertex", 50, 400, 1, 1))
    coins = subject_weights("double-or-nothing", 50, 400, 1, 0)
    assert set(np.unique(coins)) == {0, 2}
    assert abs(coins.mean() - 1) < 0.05


def test_long_and_short_counters_agree():
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 5, (20, 300)).astype(np.int32)
    bins, first = np.sort(rng.integers(0, 3, 500)), rng.integers(0, 20, 500)
    second = (first + rng.integers(1, 20, 500)) % 20
    totals = {}
    for kind in (np.int32, np.int64):
        totals[kind] = np.zeros((3, 300), dtype=kind)
        add_pairs(weights, first, second, bins, totals[kind])
    plain = [(weights[first[bins == b]] * weights[second[bins == b]]).sum(axis=0) for b in range(3)]
    assert np.array_equal(totals[np.int32], plain)
    assert np.array_equal(totals[np.int64], plain)


def test_recentred_interval():
    drawn = np.arange(1001.0) / 1000
    assert recentred_interval(drawn / 10, 0.05) == pytest.approx((0.0025, 0.0975))
    assert recentred_interval(drawn / 10, 0.2) == pytest.approx((0.1525, 0.2475))
    assert recentred_interval(drawn / 10, 0.0) == pytest.approx((0.0, 0.0475))
    assert recentred_interval(np.zeros(100), 0.0) == (0.0, 1.0)
    assert recentred_interval(np.zeros(100), 0.0, limits=(-1.0, 1.0)) == (-1.0, 1.0)


def test_edges():
    pair = Comparisons([1, 1], [1, 1], symmetric=True)
    for bootstrap in BOOTSTRAPS.values():
        two = bootstrap([0], [1], [0.7], pair, [0.5, 0.9], genuine_subjects=[0, 1], genuine_closeness=[0, 1])
        assert 0 < len(two.fmr_replicates) < 1000  # drawings of one person twice have no impostors
        assert (two.fmr_replicates == [1.0, 0.0]).all()
        assert two.fmr_intervals() == [(0.0, 1.0), (0.0, 1.0)]
        assert np.isfinite(two.fnmr_replicates).all()
        none = bootstrap([], [], [], pair, [0.5])
        assert not none.fmr_replicates.any()
        with pytest.raises(DesignError, match="no genuine"):
            none.fnmr_intervals()
        with pytest.raises(DesignError, match="no impostor comparisons"):
            bootstrap([], [], [], Comparisons([2], [2]), [0.5])
    anew = fnmr_at_fmr_replicates([0], [1], [0.7], [0, 1], [0.5, 0.9], pair, 0.5)
    assert np.isin(anew, [0.5]).all()


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"n_resamples": 10}, "at least 100"),
        ({"seed": -1}, "seed"),
        ({"fmr": 0.0}, "above 0 and below 1"),
        ({"scheme": "jackknife"}, "Unknown resampling scheme"),
        ({"tail_closeness": [np.nan] * 3}, "same number of scores"),
        ({"genuine_subjects": [0, 3]}, "numbered"),
        ({"genuine_subjects": [], "genuine_closeness": []}, "no genuine"),
        ({"tail_i": [0, 0, 1, 0], "tail_j": [1, 2, 2, 1], "tail_closeness": [1, 2, 3, 4]}, "too many"),
    ],
)
def test_impossible_requests_are_refused(changes, error):
    asked = {
        "tail_i": [0, 0, 1],
        "tail_j": [1, 2, 2],
        "tail_closeness": [0.1, 0.2, 0.3],
        "genuine_subjects": [0, 1],
        "genuine_closeness": [0.5, 0.6],
        "comparisons": Comparisons([1, 1, 1], [1, 1, 1], symmetric=True),
        "fmr": 0.4,
    }
    with pytest.raises((UsageError, DesignError), match=error):
        fnmr_at_fmr_replicates(**{**asked, **changes})


def test_thresholds_are_numbers():
    pair = Comparisons([1, 1], [1, 1], symmetric=True)
    for thresholds in ([], [np.nan]):
        with pytest.raises(UsageError, match="Thresholds"):
            bootstrapped_error_rates([0], [1], [0.5], pair, thresholds)
