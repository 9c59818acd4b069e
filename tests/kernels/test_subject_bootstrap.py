"""Weighted counts over drawings: the kernels against counting drawing by drawing."""

from __future__ import annotations

import numpy as np
import pytest

from proband.kernels import subject_bootstrap as kernels


def expected(weights, first, second, ends, allowed, subjects, places):
    """Count each drawing and rate by itself, over all groups."""
    found, rejected = np.empty_like(allowed), np.empty_like(allowed)
    for r, own in enumerate(weights.astype(np.int64)):
        sums = np.concatenate([[0], np.cumsum(own[first] * own[second])])[ends]
        for rate in range(allowed.shape[1]):
            over = np.flatnonzero(sums > allowed[r, rate])
            found[r, rate] = over[0] if over.size else len(ends)
            rejected[r, rate] = own[subjects[: places[found[r, rate]]]].sum()
    return found, rejected


@pytest.mark.parametrize(
    "kernel", [kernels.count_rejected, kernels.count_rejected.py_func], ids=["compiled", "python"]
)
@pytest.mark.parametrize(
    ("n_pairs", "n_drawings", "n_values"),
    [
        (2_500, 70, 2_500),  # more than two stretches
        (2_500, 3, 2),  # groups longer than a stretch
        (1_024, 64, 40),  # just one stretch
        (7, 5, 3),
        (0, 5, 1),
    ],
)
def test_count_rejected(kernel, n_pairs, n_drawings, n_values):
    if kernel is not kernels.count_rejected and n_pairs * n_drawings > 10_000:
        n_drawings, n_pairs = 2, min(n_pairs, 1_100)
    rng = np.random.default_rng([n_pairs, n_drawings])
    n_people, n_genuine = 12, 30
    weights = rng.multinomial(n_people, np.full(n_people, 1 / n_people), size=n_drawings).astype(np.int32)
    first, second = rng.integers(n_people, size=(2, n_pairs))
    closeness = np.sort(rng.integers(n_values, size=n_pairs))[::-1]
    ends = np.append(np.flatnonzero(np.diff(closeness)) + 1, n_pairs or []).astype(np.int64)
    totals = (weights[:, first] * weights[:, second]).sum(axis=1)
    allowed = np.stack([totals // 7, totals // 2, totals - 1, totals], axis=1).astype(np.int64)
    subjects = rng.integers(n_people, size=n_genuine)
    places = np.sort(rng.integers(n_genuine, size=len(ends) + 1))[::-1].copy()
    found, rejected = np.full_like(allowed, len(ends)), np.empty_like(allowed)
    room = np.zeros((2, n_drawings), dtype=np.int64), np.zeros(n_drawings, dtype=np.int64)
    groups = np.searchsorted(ends, np.arange(n_pairs), side="right")
    kernel(
        weights,
        np.ascontiguousarray(weights.T),
        first,
        second,
        groups,
        allowed,
        subjects,
        places,
        *room,
        found,
        rejected,
    )
    for got, wanted in zip(
        (found, rejected), expected(weights, first, second, ends, allowed, subjects, places), strict=True
    ):
        assert np.array_equal(got, wanted)
