"""Each counting kernel, compiled and as plain Python, against a twin written with numpy's own comparisons."""

from __future__ import annotations

import numpy as np
import pytest

from proband.kernels import counting, few
from proband.kernels.codes import (
    COSINE,
    DONT_CARE,
    FAILED,
    INNER,
    L2,
    NO_MATE,
    NO_SCORE,
    OK,
    RANKED,
    empty_cells,
    new_counts,
)
from proband.kernels.vectors import norms, score_tile

SEEDS = range(4)


def both(kernel):
    """The compiled kernel and the Python function it was compiled from."""
    return pytest.mark.parametrize("kernel", [kernel, kernel.py_func], ids=["compiled", "python"])


def mates_of(row_codes: np.ndarray, column_codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    own = [np.flatnonzero(column_codes == code) for code in row_codes]
    starts = np.concatenate([[0], np.cumsum([len(places) for places in own])]).astype(np.int64)
    return starts, np.concatenate(own).astype(np.int64)


def matrix_case(seed: int, dtype, with_cells: bool):
    """A tile full of ties; every row's subject is among the columns."""
    rng = np.random.default_rng(seed)
    column_codes = rng.integers(0, 5, 14)
    row_codes = rng.choice(column_codes, 9)
    tile = rng.integers(-2, 3, (9, 14)).astype(dtype)
    cells = empty_cells(9)
    if with_cells:
        cells = rng.choice([OK, OK, OK, DONT_CARE, FAILED], (9, 14)).astype(np.uint8)
        cells[0] = DONT_CARE
        cells[1] = FAILED
    return tile, cells, row_codes, column_codes


def matrix_twin(tile, cells, sign, row_codes, column_codes, by_subject: bool):
    closer, tied, best_mates, status = (np.zeros(len(tile), dtype=np.int64) for _ in range(4))
    for i, row in enumerate(tile.astype(np.float64) * float(sign)):
        code = np.zeros(len(row)) if cells.shape[1] == 0 else cells[i]
        own = column_codes == row_codes[i]
        usable = code == OK
        if not (own & usable).any():
            status[i] = NO_MATE if (code[own] == DONT_CARE).all() else NO_SCORE
            continue
        status[i] = RANKED
        best = row[own & usable].max()
        rivals = row[~own & usable]
        best_mates[i] = np.count_nonzero(row[own & usable] == best)
        if by_subject:
            others = np.unique(column_codes[~own & usable])
            rivals = np.array([row[usable & (column_codes == who)].max() for who in others])
            best_mates[i] = 1
        closer[i], tied[i] = np.count_nonzero(rivals > best), np.count_nonzero(rivals == best)
    return closer, tied, best_mates, status


def assert_counts(found, expected) -> None:
    for got, wanted in zip(found, expected, strict=True):
        assert got.tolist() == wanted.tolist()


@pytest.mark.parametrize(
    "kernel",
    [counting.count_images, counting.count_images.py_func, few.count_images],
    ids=["compiled", "python", "numpy"],
)
@pytest.mark.parametrize("with_cells", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sign", [1, -1])
def test_count_images(kernel, dtype, with_cells, sign):
    for seed in SEEDS:
        tile, cells, row_codes, column_codes = matrix_case(seed, dtype, with_cells)
        found = new_counts(len(tile))
        kernel(tile, cells, dtype(sign), *mates_of(row_codes, column_codes), *found)
        assert_counts(found, matrix_twin(tile, cells, sign, row_codes, column_codes, by_subject=False))


@both(counting.count_subjects)
@pytest.mark.parametrize("with_cells", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sign", [1, -1])
def test_count_subjects(kernel, dtype, with_cells, sign):
    for seed in SEEDS:
        tile, cells, row_codes, column_codes = matrix_case(seed, dtype, with_cells)
        found = new_counts(len(tile))
        kernel(tile, cells, dtype(sign), *mates_of(row_codes, column_codes), column_codes, 5, *found)
        assert_counts(found, matrix_twin(tile, cells, sign, row_codes, column_codes, by_subject=True))


def test_best_mate_says_why_there_is_none():
    kernel = counting._best_mate
    row = np.array([5.0, 7.0, 7.0, 9.0])
    plain = np.empty(0, dtype=np.uint8)
    assert kernel(row, plain, 1.0, np.array([0, 1, 2])) == (RANKED, 7.0, 2)
    assert kernel(row, plain, -1.0, np.array([0, 1, 2])) == (RANKED, -5.0, 1)
    cells = np.array([OK, DONT_CARE, FAILED, DONT_CARE], dtype=np.uint8)
    assert kernel(row, cells, 1.0, np.array([0, 1, 2])) == (RANKED, 5.0, 1)
    assert kernel(row, cells, 1.0, np.array([1, 3]))[0] == NO_MATE
    assert kernel(row, cells, 1.0, np.array([1, 2]))[0] == NO_SCORE
    assert kernel(row, cells, 1.0, np.array([2, 1]))[0] == NO_SCORE


def vector_case(seed: int, metric: int):
    """Vectors with many exactly equal scores, their exact score matrix and a screen of it with a wide band."""
    rng = np.random.default_rng(100 + seed)
    column_codes = np.sort(rng.integers(0, 5, 16)).astype(np.int32)
    row_codes = rng.choice(column_codes, 8)
    gallery = rng.integers(-1, 2, (16, 5)).astype(np.float64)
    probes = rng.integers(-1, 2, (8, 5)).astype(np.float64)
    gallery[:, 0] = probes[:, 0] = 1
    probe_norms, gallery_norms = norms(probes), norms(gallery)
    exact = score_tile(probes, gallery, probe_norms, gallery_norms, metric)
    closeness = -exact if metric == L2 else exact
    own = row_codes[:, None] == column_codes
    best = np.where(own, closeness, -np.inf).max(axis=1)
    band = 0.3
    screen = (closeness + rng.uniform(-band, band, closeness.shape) * 0.99).astype(np.float32)
    limits = (best - band).astype(np.float32), (best + band).astype(np.float32)
    vectors = (probes, gallery, probe_norms, gallery_norms, metric)
    return screen, limits, best, closeness, own, row_codes, column_codes, vectors


@both(counting.best_mate_scores)
@pytest.mark.parametrize("metric", [COSINE, INNER, L2])
def test_best_mate_scores(kernel, metric):
    for seed in SEEDS:
        _, _, best, closeness, own, row_codes, column_codes, vectors = vector_case(seed, metric)
        found, n_best = np.zeros(len(best)), np.zeros(len(best), dtype=np.int64)
        kernel(*vectors, *mates_of(row_codes, column_codes), found, n_best)
        assert np.array_equal(-found if metric == L2 else found, best)
        assert np.array_equal(n_best, (own & (closeness == best[:, None])).sum(axis=1))


@both(counting.count_screened_images)
@pytest.mark.parametrize("metric", [COSINE, INNER, L2])
def test_count_screened_images(kernel, metric):
    for seed in SEEDS:
        screen, limits, best, closeness, own, row_codes, column_codes, vectors = vector_case(seed, metric)
        starts, mates = mates_of(row_codes, column_codes)
        closer, tied, _, _ = new_counts(len(best))
        scores = -best if metric == L2 else best
        kernel(screen, *limits, scores, row_codes, column_codes, starts, mates, 0, *vectors, closer, tied)
        assert np.array_equal(closer, (~own & (closeness > best[:, None])).sum(axis=1))
        assert np.array_equal(tied, (~own & (closeness == best[:, None])).sum(axis=1))


@both(counting.count_screened_subjects)
@pytest.mark.parametrize("metric", [COSINE, INNER, L2])
def test_count_screened_subjects(kernel, metric):
    for seed in SEEDS:
        screen, limits, best, closeness, _, row_codes, column_codes, vectors = vector_case(seed, metric)
        closer, tied, _, _ = new_counts(len(best))
        scores = -best if metric == L2 else best
        kernel(screen, *limits, scores, row_codes, column_codes, *vectors, closer, tied)
        for i in range(len(best)):
            others = [who for who in np.unique(column_codes) if who != row_codes[i]]
            tops = np.array([closeness[i, column_codes == who].max() for who in others])
            assert closer[i] == np.count_nonzero(tops > best[i])
            assert tied[i] == np.count_nonzero(tops == best[i])


def test_counts_start_at_nothing():
    closer, tied, best_mates, status = new_counts(3)
    assert closer.tolist() == tied.tolist() == best_mates.tolist() == status.tolist() == [0, 0, 0]
    assert empty_cells(4).shape == (4, 0)


@both(counting.count_screened_images)
@pytest.mark.parametrize("metric", [COSINE, INNER, L2])
def test_tiles_add_up_to_the_whole(kernel, metric):
    for seed in SEEDS:
        screen, limits, best, closeness, own, row_codes, column_codes, vectors = vector_case(seed, metric)
        probes, gallery, probe_norms, gallery_norms, code = vectors
        starts, mates = mates_of(row_codes, column_codes)
        closer, tied, _, _ = new_counts(len(best))
        scores = -best if metric == L2 else best
        for first in range(0, screen.shape[1], 3):
            part = slice(first, first + 3)
            tile = np.ascontiguousarray(screen[:, part])
            exact = (probes, gallery[part], probe_norms, gallery_norms[part], code)
            kernel(
                tile,
                *limits,
                scores,
                row_codes,
                column_codes[part],
                starts,
                mates,
                first,
                *exact,
                closer,
                tied,
            )
        assert np.array_equal(closer, (~own & (closeness > best[:, None])).sum(axis=1))
        assert np.array_equal(tied, (~own & (closeness == best[:, None])).sum(axis=1))


def test_small_jobs_do_without_the_compiler(monkeypatch):
    monkeypatch.setattr(few, "_COMPILED", "no.such.module")
    monkeypatch.setattr(few._Spared, "cells", 0)
    half = few._MOST_CELLS // 2
    assert [few.images_counter(half).__module__ for _ in range(3)] == [few.__name__] * 2 + [counting.__name__]
    monkeypatch.undo()
    assert few.images_counter(1) is counting.count_images  # it is loaded
