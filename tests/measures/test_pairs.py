"""Counts of comparisons against sorting all scores, pair by pair, in every setting that can go wrong."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest
from tests.examples import some

from proband.engine import Kept
from proband.errors import AlignmentError, DesignError, InputError, UsageError
from proband.kernels.codes import DONT_CARE, FAILED, OK
from proband.kernels.vectors import quick_dot, score_tile
from proband.measures.folds import FoldAccuracy
from proband.measures.pair_measures import facts_of_pairs
from proband.measures.pairs import (
    accumulator as accumulator_module,
    counts as counts_module,
    products as products_module,
    tiles as tiles_module,
)
from proband.measures.pairs.accumulator import slots_among
from proband.measures.pairs.counts import (
    PairAccumulator,
    PairCounts,
    count_trials,
    each_pair_once,
    genuine_pairs,
    tail_pairs,
)
from proband.measures.pairs.lists import impostor_meetings
from proband.measures.pairs.pair_set import PairSet
from proband.measures.pairs.tiles import row_blocks
from proband.samples import Experiment, Samples
from proband.scores import Embeddings, Scores
from proband.scores.names import keys_of_pairs
from proband.scores.trials import Trials

PRODUCTS = ("cosine", "inner", "l2")
EXACT = ("edges", "genuine_at", "impostor_ge", "impostor_gt")
NUMBERS = (
    "n_genuine",
    "n_impostor",
    "n_failed_genuine",
    "n_failed_impostor",
    "n_dont_care_genuine",
    "n_dont_care_impostor",
)


def table_of(n: int, people: int, failed: tuple[int, ...] = ()) -> Samples:
    return Samples(
        {
            "id": [f"i{k}" for k in range(n)],
            "subject": [f"p{k % people}" for k in range(n)],
            "bad": np.isin(np.arange(n), failed),
        },
        failed="bad",
    )


class Naive:
    """Every unordered pair of samples, looked up by name; the answers by comparing with all scores."""

    def __init__(self, scores: Scores, samples: Samples, within: Experiment | None = None) -> None:
        queries = [name for name in scores.queries if name in samples.ids]
        targets = [name for name in scores.targets if name in samples.ids]
        if within is not None:
            queries = [samples.ids[k] for k in within.probes]
            targets = [samples.ids[k] for k in within.gallery]
        rows, columns = np.arange(scores.shape[0]), np.arange(scores.shape[1])
        values = scores.tile(rows, columns).astype(np.float64) * (1 if scores.larger_is_closer else -1)
        cells = scores.cells(rows, columns)
        subject = dict(zip(samples.ids, samples.codes.tolist(), strict=True))
        lost = dict(zip(samples.ids, samples.failed.tolist(), strict=True))

        def cell(a: str, b: str) -> tuple[int, float]:
            at = scores.queries.place(a), scores.targets.place(b)
            return (OK if cells is None else int(cells[at])), float(values[at])

        seen = set()
        self.values: dict[bool, list[float]] = {True: [], False: []}
        self.failed, self.dont_care = {True: 0, False: 0}, {True: 0, False: 0}
        self.pairs: list[tuple[int, int, float]] = []
        for a, b in product(queries, targets):
            if a == b or frozenset((a, b)) in seen:
                continue
            seen.add(frozenset((a, b)))
            mated = subject[a] == subject[b]
            code, value = cell(a, b)
            if code == DONT_CARE and b in queries and a in targets:
                code, value = cell(b, a)
            if lost[a] or lost[b] or code == FAILED:
                self.failed[mated] += 1
            elif code == DONT_CARE:
                self.dont_care[mated] += 1
            else:
                self.values[mated].append(value)
                self.pairs.append((subject[a], subject[b], value))

    def check(self, counts: PairCounts, thresholds: tuple[float, ...] = ()) -> None:
        genuine, impostor = (np.array(self.values[kind]) for kind in (True, False))
        edges = np.unique(np.concatenate([genuine, thresholds]))
        assert counts.edges.tolist() == edges.tolist()
        assert counts.genuine_at.tolist() == [np.count_nonzero(genuine == edge) for edge in edges]
        assert counts.impostor_ge.tolist() == [np.count_nonzero(impostor >= edge) for edge in edges]
        assert counts.impostor_gt.tolist() == [np.count_nonzero(impostor > edge) for edge in edges]
        assert (counts.n_genuine, counts.n_impostor) == (len(genuine), len(impostor))
        assert (counts.n_failed_genuine, counts.n_failed_impostor) == (self.failed[True], self.failed[False])
        assert counts.n_dont_care_genuine == self.dont_care[True]
        assert counts.n_dont_care_impostor == self.dont_care[False]
        extremes = [counts.lowest_impostor, counts.highest_impostor]
        if impostor.size:
            assert extremes == [impostor.min(), impostor.max()]
        else:
            assert np.isnan(extremes).all()
        self.check_histogram(counts)

    def check_histogram(self, counts: PairCounts) -> None:
        genuine, impostor = (np.array(self.values[kind]) for kind in (True, False))
        edges = counts.histogram.edges
        if not genuine.size + impostor.size:
            assert edges.size == counts.histogram.genuine.size == counts.histogram.impostor.size == 0
            return
        assert (np.diff(edges) > 0).all()
        assert counts.histogram.genuine.tolist() == np.histogram(genuine, edges)[0].tolist()
        assert counts.histogram.impostor.tolist() == np.histogram(impostor, edges)[0].tolist()
        assert counts.histogram.genuine.sum() == len(genuine)
        assert counts.histogram.impostor.sum() == len(impostor)


def assert_same(one: PairCounts, two: PairCounts) -> None:
    for name in EXACT:
        assert getattr(one, name).tolist() == getattr(two, name).tolist(), name
    for name in NUMBERS:
        assert getattr(one, name) == getattr(two, name), name
    assert np.array_equal(
        [one.lowest_impostor, one.highest_impostor],
        [two.lowest_impostor, two.highest_impostor],
        equal_nan=True,
    )
    for name in ("edges", "genuine", "impostor"):
        assert getattr(one.histogram, name).tolist() == getattr(two.histogram, name).tolist(), name


def count_pairs(*arguments, **options) -> PairCounts:
    """Count in tiles, as of many pairs, and by sorting, as of few: the counts are the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts_module, "FEW_PAIRS", 0)
        in_tiles = counts_module.count_pairs(*arguments, **options)
    assert_same(in_tiles, counts_module.count_pairs(*arguments, **options))
    return in_tiles


def square(samples: Samples, values: np.ndarray, orientation="similarity", cells=None) -> Scores:
    return Scores.from_array(values, samples.ids, orientation=orientation, cells=cells)


def tied(rng: np.random.Generator, shape: tuple[int, int], levels: int = 7) -> np.ndarray:
    return rng.integers(-levels, levels + 1, shape) / 8


# Which pairs


def test_every_pair_of_samples_once():
    samples = table_of(7, 3)
    pairs = PairSet.of(square(samples, np.eye(7)), samples)
    assert pairs.symmetric
    assert (pairs.n_genuine, pairs.n_impostor) == (5, 16)
    assert repr(pairs) == "PairSet(7 × 7 samples, every pair once: 5 genuine, 16 impostor)"


@pytest.mark.parametrize("seed", range(6))
def test_partly_overlapping_axes_count_every_pair_once(seed):
    rng = np.random.default_rng(seed)
    samples = table_of(24, 6, failed=(1, 5, 20))
    queries, targets = (rng.permutation(24)[: rng.integers(3, 20)] for _ in range(2))
    scores = Scores.from_array(
        tied(rng, (len(queries), len(targets))),
        [f"i{k}" for k in queries],
        [f"i{k}" for k in targets],
        orientation="similarity",
    )
    pairs = PairSet.of(scores, samples)
    naive = Naive(scores, samples)
    assert pairs.n_shared == len(np.intersect1d(queries, targets))
    assert (pairs.n_genuine, pairs.n_impostor) == (len(naive.values[True]), len(naive.values[False]))
    assert (pairs.n_failed_genuine, pairs.n_failed_impostor) == (naive.failed[True], naive.failed[False])
    naive.check(count_pairs(scores, pairs))


def test_disjoint_axes_drop_nothing():
    samples = table_of(9, 3)
    ids = samples.ids[:]
    scores = Scores.from_array(np.zeros((4, 5)), ids[:4], ids[4:], orientation="distance")
    pairs = PairSet.of(scores, samples)
    assert pairs.n_shared == 0
    assert pairs.n_genuine + pairs.n_impostor == 20
    assert not pairs.notes


def test_probes_meet_the_gallery_only():
    samples = table_of(20, 5, failed=(3,))
    scores = square(samples, tied(np.random.default_rng(0), (20, 20)))
    experiment = Experiment(samples, gallery=np.arange(20) % 3 == 0, probes=np.arange(20) % 3 == 1)
    pairs = PairSet.of(scores, experiment)
    assert len(pairs.rows) * len(pairs.columns) == 7 * 7
    assert pairs.n_shared == 0
    Naive(scores, samples, experiment).check(count_pairs(scores, pairs))


def test_ids_that_are_not_in_the_table_are_left_out_and_counted():
    samples = table_of(6, 2)
    names = [*samples.ids, "x", "y"]
    scores = Scores.from_array(tied(np.random.default_rng(1), (8, 8)), names, orientation="similarity")
    pairs = PairSet.of(scores, samples)
    assert len(pairs.rows) == 6
    assert "2 of 8 query ids are not in the samples table; left out" in map(str, pairs.notes)
    Naive(scores, samples).check(count_pairs(scores, pairs))


def test_no_known_id_is_an_error():
    scores = Scores.from_array(np.eye(2), ["x", "y"], orientation="similarity")
    with pytest.raises(AlignmentError, match="None of the 2 query ids"):
        PairSet.of(scores, table_of(6, 2))


def test_of_an_asymmetric_matrix_the_first_sample_is_the_query():
    samples = table_of(3, 1)
    values = np.array([[0, 1, 2], [8, 0, 3], [9, 9, 0]], dtype=float)
    counts = count_pairs(square(samples, values), PairSet.of(square(samples, values), samples))
    assert counts.edges.tolist() == [1, 2, 3]
    assert any(
        "each such pair is counted once, with the first sample as query" in str(note) for note in counts.notes
    )


# Counts of matrices


@pytest.mark.parametrize("small_tiles", some([True, False], 2))
@pytest.mark.parametrize("orientation", ["similarity", "distance"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int8])
@pytest.mark.parametrize("with_cells", [False, True])
def test_matrices_full_of_ties(monkeypatch, dtype, orientation, with_cells, small_tiles):
    if small_tiles:
        monkeypatch.setattr(tiles_module, "_CELLS_AT_ONCE", 64)
    rng = np.random.default_rng(2)
    samples = table_of(31, 8, failed=(4, 11))
    values = (8 * tied(rng, (31, 31))).astype(dtype)
    cells = rng.choice([OK, OK, OK, DONT_CARE, FAILED], values.shape).astype(np.uint8) if with_cells else None
    scores = square(samples, values, orientation, cells)
    thresholds = (-100.0, -3.0, -0.5, 0.0, 0.1, 4.0, 1e9, np.inf, -np.inf)
    counts = count_pairs(scores, PairSet.of(scores, samples), thresholds)
    Naive(scores, samples).check(counts, thresholds)


@pytest.mark.parametrize("step", [1, 5, 1000])
def test_a_mask_over_either_triangle_gives_the_same(monkeypatch, step):
    monkeypatch.setattr(tiles_module, "_CELLS_AT_ONCE", step * 20)
    rng = np.random.default_rng(3)
    samples = table_of(20, 4)
    values = tied(rng, (20, 20))
    values += values.T
    upper, lower = (
        np.where(part(np.ones((20, 20))), OK, DONT_CARE).astype(np.uint8) for part in (np.triu, np.tril)
    )
    plain, above, below = (square(samples, values, cells=cells) for cells in (None, upper, lower))
    pairs = PairSet.of(plain, samples)
    counts = count_pairs(plain, pairs)
    for masked in (above, below):
        assert_same(counts, count_pairs(masked, pairs))
        Naive(masked, samples).check(count_pairs(masked, pairs))


def test_a_memory_map_is_read_in_tiles(tmp_path):
    samples = table_of(40, 9)
    values = np.random.default_rng(4).standard_normal((40, 40)).astype(np.float32)
    np.save(tmp_path / "m.npy", values)
    scores = square(samples, np.load(tmp_path / "m.npy", mmap_mode="r"), "distance")
    Naive(scores, samples).check(count_pairs(scores, PairSet.of(scores, samples)))


@pytest.mark.parametrize("value", [0.0, -0.0, 0.7, -3e5, 1e300])
@pytest.mark.parametrize("orientation", ["similarity", "distance"])
def test_all_scores_tie(value, orientation):
    samples = table_of(12, 4)
    scores = square(samples, np.full((12, 12), value), orientation)
    counts = count_pairs(scores, PairSet.of(scores, samples), (value, 5.0))
    Naive(scores, samples).check(counts, (value, 5.0))
    at = np.searchsorted(counts.edges, value if orientation == "similarity" else -value)
    assert counts.impostor_ge[at] == counts.n_impostor
    assert counts.impostor_gt[at] == 0


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-5, 1e5, 1.7e308])
@pytest.mark.parametrize("shift", [0.0, 1e9])
def test_scores_of_any_size(scale, shift):
    rng = np.random.default_rng(5)
    samples = table_of(25, 5)
    values = rng.uniform(-1, 1, (25, 25)) * scale + shift
    scores = square(samples, values)
    Naive(scores, samples).check(
        count_pairs(scores, PairSet.of(scores, samples), (0.0, -1e308)), (0.0, -1e308)
    )


def test_scores_far_from_all_others_are_counted_too():
    rng = np.random.default_rng(6)
    samples = table_of(200, 40)
    values = rng.standard_normal((200, 200)) ** 9
    values[3, 150], values[2, 90] = 1e200, -1e200
    scores = square(samples, values)
    Naive(scores, samples).check(count_pairs(scores, PairSet.of(scores, samples)))


def test_one_subject_has_no_impostors():
    samples = table_of(6, 1)
    scores = square(samples, tied(np.random.default_rng(7), (6, 6)))
    counts = count_pairs(scores, PairSet.of(scores, samples), (0.3,))
    Naive(scores, samples).check(counts, (0.3,))
    assert counts.n_impostor == 0
    assert not counts.impostor_ge.any()


@pytest.mark.parametrize("thresholds", [(), (0.0, 0.5)])
def test_no_genuine_pair(thresholds):
    samples = table_of(6, 6)
    scores = square(samples, tied(np.random.default_rng(8), (6, 6)))
    counts = count_pairs(scores, PairSet.of(scores, samples), thresholds)
    Naive(scores, samples).check(counts, thresholds)
    assert counts.n_genuine == 0
    assert genuine_pairs(scores, PairSet.of(scores, samples))[1].size == 0


@pytest.mark.parametrize("metric", ["cosine", None])
def test_all_samples_failed_or_only_one_is_there(metric):
    for samples in (
        table_of(6, 2, failed=tuple(range(6))),
        table_of(1, 1),
        table_of(6, 2, failed=(1, 2, 3, 4, 5)),
    ):
        n = len(samples)
        scores = (
            Embeddings(np.ones((n, 2)), samples.ids, metric=metric) if metric else square(samples, np.eye(n))
        )
        pairs = PairSet.of(scores, samples)
        Naive(scores, samples).check(count_pairs(scores, pairs, (1.0,)), (1.0,))
        assert tail_pairs(scores, pairs, -np.inf)[2].size == genuine_pairs(scores, pairs)[1].size == 0


def test_a_threshold_must_be_a_number():
    samples = table_of(4, 2)
    scores = square(samples, np.eye(4))
    with pytest.raises(UsageError, match="threshold"):
        count_pairs(scores, PairSet.of(scores, samples), [np.nan])
    with pytest.raises(UsageError, match="threshold"):
        tail_pairs(scores, PairSet.of(scores, samples), np.nan)


def test_roc_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    samples = table_of(60, 12)
    values = np.random.default_rng(9).integers(0, 40, (60, 60)) + 8.0 * np.equal.outer(
        samples.codes, samples.codes
    )
    scores = square(samples, values)
    counts = count_pairs(scores, PairSet.of(scores, samples), np.arange(60.0))
    upper = np.triu_indices(60, 1)
    mated = np.equal.outer(samples.codes, samples.codes)[upper]
    fmr, tmr, thresholds = metrics.roc_curve(mated, values[upper], drop_intermediate=False)
    at = np.searchsorted(counts.edges, thresholds[1:])
    assert counts.edges[at].tolist() == thresholds[1:].tolist()
    assert np.allclose(counts.impostor_ge[at] / counts.n_impostor, fmr[1:], rtol=1e-15)
    assert np.allclose(counts.genuine_at[::-1].cumsum()[::-1][at] / counts.n_genuine, tmr[1:], rtol=1e-15)


# Counts of embeddings


def families(rng: np.random.Generator, n: int, d: int) -> dict[str, np.ndarray]:
    few = rng.integers(-1, 2, (n, d)).astype(float)
    few[:, 0] = 1
    return {
        "plain": rng.standard_normal((n, d)),
        "duplicated": rng.standard_normal((5, d))[rng.integers(0, 5, n)],
        "scaled copies": rng.standard_normal((5, d))[rng.integers(0, 5, n)]
        * rng.choice([0.5, 1, 2, 3], (n, 1)),
        "nearly equal": rng.standard_normal(d) * (1 + 2.0**-24 * rng.integers(-3, 4, (n, d))),
        "few values": few,
        "far cluster": 1000 + rng.standard_normal((n, d)),
        "mixed lengths": rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4, (n, 1)),
        "all the same": np.ones((n, d)),
    }


@pytest.mark.parametrize("precision", [np.float32, pytest.param(np.float64, marks=pytest.mark.long)])
@pytest.mark.parametrize("dtype", some([np.float32, np.float64], 2))
@pytest.mark.parametrize("family", families(np.random.default_rng(0), 1, 1))
@pytest.mark.parametrize("metric", PRODUCTS)
def test_embeddings_count_as_their_defined_scores(monkeypatch, metric, family, dtype, precision):
    monkeypatch.setattr(products_module, "_DOUBTFUL", 2.0 if precision is np.float32 else -1.0)
    monkeypatch.setattr(products_module, "_STRIP", 20)
    monkeypatch.setattr(products_module, "_ROWS_AT_ONCE", 7)
    monkeypatch.setattr(products_module, "_COLUMNS_AT_ONCE", 16)
    samples = table_of(53, 11, failed=(7, 30))
    vectors = families(np.random.default_rng(10), 53, 9)[family].astype(dtype)
    scores = Embeddings(vectors, samples.ids, metric=metric)
    naive = Naive(scores, samples)
    thresholds = (-1.0, 0.0, 0.5, naive.values[False][3], 1e200, np.inf)
    pairs = PairSet.of(scores, samples)
    assert pairs.symmetric
    naive.check(count_pairs(scores, pairs, thresholds), thresholds)


@pytest.mark.parametrize("scale", [1e-135, 1e-30, 1e30, 1e135])
@pytest.mark.parametrize("metric", PRODUCTS)
def test_very_long_and_very_short_vectors(metric, scale):
    samples = table_of(30, 6)
    vectors = np.random.default_rng(11).standard_normal((30, 5)) * scale
    scores = Embeddings(vectors, samples.ids, metric=metric)
    thresholds = (0.0, -1e300, 1e300, 1e-300)
    Naive(scores, samples).check(count_pairs(scores, PairSet.of(scores, samples), thresholds), thresholds)


@pytest.mark.parametrize("size", [1e-150, 1e-160, 1e-162, 1e-170])
def test_differences_too_small_to_square_well(size):
    samples = table_of(40, 8)
    vectors = np.ones((40, 3))
    vectors[:, 1:] = np.random.default_rng(12).standard_normal((40, 2)) * size
    scores = Embeddings(vectors, samples.ids, metric="l2")
    Naive(scores, samples).check(count_pairs(scores, PairSet.of(scores, samples)))


@pytest.mark.parametrize("metric", [*PRODUCTS, "l1", "chi2"])
def test_queries_and_targets_that_overlap_partly(metric):
    rng = np.random.default_rng(13)
    samples = table_of(70, 9, failed=(2, 33, 60))
    scores = Embeddings(
        rng.integers(1, 5, (45, 6)).astype(np.float32),
        samples.ids[:45],
        metric=metric,
        targets=rng.integers(1, 5, (40, 6)).astype(float),
        target_ids=samples.ids[30:],
    )
    pairs = PairSet.of(scores, samples)
    assert pairs.n_shared == 15
    naive = Naive(scores, samples)
    naive.check(count_pairs(scores, pairs))
    subjects, closeness = genuine_pairs(scores, pairs)
    expected = sorted((a, value) for a, b, value in naive.pairs if a == b)
    assert sorted(zip(subjects.tolist(), closeness.tolist(), strict=True)) == expected


def test_a_failed_sample_may_be_a_vector_of_zeros():
    samples = table_of(20, 4, failed=(5, 6))
    vectors = np.random.default_rng(14).standard_normal((20, 4))
    vectors[[5, 6]] = 0
    scores = Embeddings(vectors, samples.ids, metric="cosine")
    counts = count_pairs(scores, PairSet.of(scores, samples))
    assert counts.n_genuine + counts.n_impostor == 18 * 17 // 2
    assert counts.n_failed_genuine + counts.n_failed_impostor == 20 * 19 // 2 - 18 * 17 // 2
    with pytest.raises(InputError, match="all zeros"):
        count_pairs(scores, PairSet.of(scores, table_of(20, 4)), threads=2)


def test_the_precision_follows_the_number_of_doubtful_pairs():
    rng = np.random.default_rng(15)
    samples = table_of(300, 100)
    centres = rng.standard_normal((100, 32))[samples.codes]
    scores = Embeddings(centres + 0.3 * rng.standard_normal((300, 32)), samples.ids, metric="cosine")
    pairs = PairSet.of(scores, samples)
    products = products_module.Products.of(scores, pairs)
    _, genuine = genuine_pairs(scores, pairs)
    sample = tiles_module.sample_impostors(scores, pairs)
    assert products.settled_by(np.sort(genuine), sample).dtype is np.float32
    crowded = np.linspace(-1, 1, 1_000_000)
    assert products.settled_by(crowded, sample).dtype is np.float64


@pytest.mark.parametrize("kind", PRODUCTS)
@pytest.mark.parametrize("dimension", [1, 15, 16, 31, 130, 515])
def test_products_are_within_their_bands(kind, dimension):
    """Also where all terms have one sign, so that errors of rounding can add up, and where vectors are nearly alike."""
    rng = np.random.default_rng(dimension)
    vectors = rng.standard_normal((40, dimension)) + rng.choice([0, 3], (40, 1))
    vectors[20:30] = vectors[:10] * (1 + 1e-7 * rng.standard_normal((10, dimension)))
    vectors[30:] = np.abs(vectors[30:])
    samples = table_of(40, 10)
    scores = Embeddings(vectors.astype(np.float32), samples.ids, metric=kind)
    pairs = PairSet.of(scores, samples)
    single = products_module.Products.of(scores, pairs)
    assert single.quick_band <= single.band or dimension < 20
    for products in (single, replace(single, dtype=np.float64, strips=Kept())):
        sign = tiles_module.sign_of(scores)
        for block in products.blocks(pairs):
            for tile in products.tiles(block, pairs):
                x, y, quick_band = tile.quick
                defined = score_tile(*tile.exact[:2], *tile.exact[2:4], tile.exact[4])
                keys = products.keys(sign * defined)
                quick = np.array([[quick_dot(one, other) for other in y] for one in x])
                assert np.abs(tile.products - keys).max() <= products.band
                assert np.abs(quick - keys).max() <= quick_band == products.quick_band


# The same bits at any number of threads, and however shards are merged


@pytest.mark.parametrize("kind", [*PRODUCTS, "l1", "matrix", "cells"])
def test_any_number_of_threads_gives_the_same(monkeypatch, kind):
    monkeypatch.setattr(tiles_module, "_CELLS_AT_ONCE", 500)
    monkeypatch.setattr(products_module, "_COLUMNS_AT_ONCE", 16)
    rng = np.random.default_rng(16)
    samples = table_of(90, 20)
    if kind in ("matrix", "cells"):
        cells = rng.choice([OK, OK, FAILED], (90, 90)).astype(np.uint8) if kind == "cells" else None
        scores = square(samples, 3 * rng.standard_normal((90, 90)), cells=cells)
    else:
        scores = Embeddings(rng.standard_normal((90, 8)), samples.ids, metric=kind)
    pairs = PairSet.of(scores, samples)
    one, two, five = (count_pairs(scores, pairs, threads=n, log_ratios=kind == "matrix") for n in (1, 2, 5))
    for more in (two, five):
        assert_same(one, more)
        assert (one.genuine_bits, one.impostor_bits) == (more.genuine_bits, more.impostor_bits)
    threshold = float(np.median(one.histogram.edges))
    tails = [tail_pairs(scores, pairs, threshold, threads=n) for n in (1, 2, 5)]
    for tail in tails[1:]:
        assert [part.tolist() for part in tail] == [part.tolist() for part in tails[0]]


def test_shards_merge_in_any_order():
    rng = np.random.default_rng(17)
    values = 20 * rng.standard_normal(5000)
    edges = np.unique(rng.choice(values, 100))
    parts = np.array_split(values, 9)
    results = []
    for order in (rng.permutation(9) for _ in range(3)):
        total = PairAccumulator(edges)
        for k in order:
            shard = PairAccumulator(edges)
            shard.add(parts[k], log_ratios=True)
            total.merge(shard)
        counts = total.at_least.tolist(), total.above.tolist()
        results.append((*counts, total.extremes.tolist(), total.cost, total.n))
    assert results[0] == results[1] == results[2]
    at_least, above, extremes, cost, n = results[0]
    assert at_least == [np.count_nonzero(values >= edge) for edge in edges]
    assert above == [np.count_nonzero(values > edge) for edge in edges]
    assert (extremes, n) == ([values.min(), values.max()], 5000)
    assert cost == pytest.approx(np.logaddexp(0, values).sum())


def test_an_accumulator_takes_tiles_lists_and_whole_numbers(monkeypatch):
    monkeypatch.setattr(accumulator_module, "_CHUNK", 4)
    monkeypatch.setattr(accumulator_module, "_PENDING", 10)
    counts = PairAccumulator([1, 2])
    for values in (
        np.ones((3, 5), dtype=np.float32),
        [0, 1, 2, 3],
        np.arange(6, dtype=np.int16),
        np.float16(1.5),
        [],
    ):
        counts.add(values)
    every = np.concatenate([np.ones(15), np.arange(4), np.arange(6), [1.5]])
    assert counts.at_least.tolist() == [np.count_nonzero(every >= 1), np.count_nonzero(every >= 2)]
    assert counts.above.tolist() == [np.count_nonzero(every > 1), np.count_nonzero(every > 2)]
    assert counts.n == len(every)


def test_what_an_accumulator_refuses():
    for edges in ([1.0, 1.0], [2.0, 1.0], [np.nan]):
        with pytest.raises(UsageError, match="increasing"):
            PairAccumulator(edges)
    with pytest.raises(InputError, match="finite"):
        PairAccumulator([0.0]).add([np.nan])
    with pytest.raises(UsageError, match="same edges"):
        PairAccumulator([0.0]).merge(PairAccumulator([1.0]))


# What Cllr needs


@pytest.mark.parametrize("embeddings", [False, True])
def test_costs_in_bits(embeddings):
    samples = table_of(30, 7, failed=(3,))
    rng = np.random.default_rng(18)
    scores = (
        Embeddings(rng.standard_normal((30, 4)), samples.ids, metric="inner")
        if embeddings
        else square(samples, 5 * rng.standard_normal((30, 30)))
    )
    counts = count_pairs(scores, PairSet.of(scores, samples), log_ratios=True)
    naive = Naive(scores, samples)
    naive.check(counts)
    genuine, impostor = (np.array(naive.values[kind]) for kind in (True, False))
    assert counts.genuine_bits == pytest.approx(np.log2(1 + np.exp(-genuine)).sum())
    assert counts.impostor_bits == pytest.approx(np.log2(1 + np.exp(impostor)).sum())
    assert count_pairs(scores, PairSet.of(scores, samples)).impostor_bits is None


def test_scores_too_large_for_log_ratios_are_refused():
    samples = table_of(4, 4)
    scores = square(samples, np.full((4, 4), 1.7e308))
    with pytest.raises(InputError, match="log-likelihood"):
        count_pairs(scores, PairSet.of(scores, samples), log_ratios=True)


def test_the_sum_of_costs_is_rounded_once():
    total = PairAccumulator([0.0])
    for value in (1e16, 1.0, 1.0, 1.0):
        total.add([value], log_ratios=True)
    assert total.cost == float(Fraction(10**16) + 3 * Fraction(float(np.log1p(np.exp(-1.0)) + 1)))


# Tails


@pytest.mark.parametrize("kind", [*PRODUCTS, "chi2", "matrix", "cells"])
def test_tails_are_all_impostors_at_or_above(monkeypatch, kind):
    monkeypatch.setattr(tiles_module, "_CELLS_AT_ONCE", 500)
    monkeypatch.setattr(products_module, "_COLUMNS_AT_ONCE", 16)
    rng = np.random.default_rng(19)
    samples = table_of(60, 12, failed=(9,))
    if kind in ("matrix", "cells"):
        cells = (
            rng.choice([OK, OK, DONT_CARE, FAILED], (60, 60)).astype(np.uint8) if kind == "cells" else None
        )
        scores = square(samples, tied(rng, (60, 60)), "distance", cells)
    else:
        scores = Embeddings(rng.integers(1, 4, (60, 5)).astype(np.float32), samples.ids, metric=kind)
    naive = Naive(scores, samples)
    impostors = [pair for pair in naive.pairs if pair[0] != pair[1]]
    pairs = PairSet.of(scores, samples)
    for threshold in (-np.inf, *np.quantile([value for *_, value in impostors], [0.2, 0.9, 1]), np.inf):
        rows, columns, closeness = tail_pairs(scores, pairs, threshold)
        found = sorted(zip(rows.tolist(), columns.tolist(), closeness.tolist(), strict=True))
        assert found == sorted(pair for pair in impostors if pair[2] >= threshold)


@pytest.mark.parametrize("kind", ["cosine", "matrix"])
def test_too_long_a_tail_says_how_long(monkeypatch, kind):
    monkeypatch.setattr(tiles_module, "_CELLS_AT_ONCE", 500)
    monkeypatch.setattr(products_module, "_COLUMNS_AT_ONCE", 16)
    rng = np.random.default_rng(20)
    samples = table_of(60, 60)
    vectors = rng.standard_normal((60, 5))
    scores = (
        Embeddings(vectors, samples.ids, metric="cosine")
        if kind == "cosine"
        else square(samples, vectors @ vectors.T)
    )
    pairs = PairSet.of(scores, samples)
    assert len(tail_pairs(scores, pairs, -np.inf, limit=1770)[2]) == 1770
    with pytest.raises(DesignError, match=r"1,770 impostor comparisons .* only 1,769 may be listed"):
        tail_pairs(scores, pairs, -np.inf, limit=1769)


# Lists


def trials_of(rows: list[tuple[object, ...]], orientation="similarity") -> Trials:
    frame = pl.DataFrame(
        rows,
        schema={"query": pl.String, "target": pl.String, "mated": pl.Boolean, "score": pl.Float64},
        orient="row",
    )
    return Trials(frame, orientation, "list")


@pytest.mark.parametrize("orientation", ["similarity", "distance"])
def test_a_list_counts_as_the_matrix_it_was_written_from(orientation):
    rng = np.random.default_rng(21)
    samples = table_of(26, 6)
    values = tied(rng, (26, 26))
    cells = rng.choice([OK, OK, OK, FAILED], (26, 26)).astype(np.uint8)
    scores = square(samples, values, orientation, cells)
    rows = [
        (a, b, bool(samples.codes[i] == samples.codes[j]), None if cells[i, j] else float(values[i, j]))
        for (i, a), (j, b) in product(enumerate(samples.ids), repeat=2)
    ]
    upper = np.triu((values != values.T) & (cells == OK) & (cells.T == OK), 1)
    apart = int(upper.sum())
    counts = count_trials(trials_of(rows, orientation), (0.3,), log_ratios=True)
    expected = count_pairs(scores, PairSet.of(scores, samples), (0.3,), log_ratios=True)
    assert_same(counts, expected)
    assert counts.genuine_bits == pytest.approx(expected.genuine_bits, rel=1e-13)
    assert counts.impostor_bits == pytest.approx(expected.impostor_bits, rel=1e-13)
    assert tuple(map(str, counts.notes)) == (
        "26 comparisons of a sample with itself were left out",
        f"325 pairs are listed in both orders, {apart} of them with different scores; only the first is counted",
    )


def test_a_list_without_ids_counts_every_row():
    rows = [
        (None, None, True, 0.9),
        (None, None, True, 0.9),
        (None, None, False, 0.9),
        (None, None, False, 0.1),
    ]
    counts = count_trials(trials_of(rows))
    assert (counts.edges.tolist(), counts.genuine_at.tolist(), counts.impostor_ge.tolist()) == (
        [0.9],
        [2],
        [1],
    )
    assert not counts.notes


def test_ids_that_repeat_a_pair_do_not_tell_samples_apart():
    rows = [("a", "b", False, 0.1), ("a", "b", False, 0.2), ("b", "a", False, 0.3), ("a", "a", True, 0.5)]
    counts = count_trials(trials_of(rows))
    assert (counts.n_genuine, counts.n_impostor) == (1, 3)
    assert tuple(map(str, counts.notes)) == (
        "1 comparison repeats the ids of an earlier comparison, 1 pair with different scores; all are counted",
    )


def test_pairs_with_several_scores_are_told():
    rows = [("a", "b", False, 0.1), ("b", "c", False, 0.2), ("a", "a2", True, 0.5)]
    said = {
        (("b", "a"), 0.1): "1 pair is listed in both orders; only the first is counted",
        (("b", "a"), 0.3): "1 pair is listed in both orders, 1 of them with different scores; only the first is counted",
        (("a", "b"), 0.1): "1 comparison repeats the ids of an earlier comparison; all are counted",
        (("a", "b"), 0.3): "1 comparison repeats the ids of an earlier comparison, 1 pair with different scores; all are counted",
    }  # fmt: skip
    for (pair, score), told in said.items():
        counts = count_trials(trials_of([*rows, (*pair, False, score)]))
        assert tuple(map(str, counts.notes)) == (told,)


def test_failures_in_a_list():
    rows = [("a", "x", True, None), ("b", "x", False, np.nan), ("c", "x", False, 0.5), ("d", "x", True, 0.5)]
    counts = count_trials(trials_of(rows))
    assert (counts.n_genuine, counts.n_impostor) == (1, 1)
    assert (counts.n_failed_genuine, counts.n_failed_impostor) == (1, 1)
    assert repr(counts) == "PairCounts(1 genuine, 1 impostor comparison; 2 failed)"


def test_what_a_list_must_say():
    with pytest.raises(UsageError, match="no score orientation"):
        count_trials(trials_of([("a", "b", True, 1.0)], orientation=None))
    with pytest.raises(InputError, match="whether 1 of 2 comparisons are of one subject"):
        count_trials(trials_of([("a", "b", True, 1.0), ("a", "c", None, 1.0)]))


def test_progress_is_told_in_pairs():
    class Told:
        total = done = 0

        def begin(self, what: str, total: int) -> None:
            assert self.done == self.total
            self.total, self.done = total, 0

        def advance(self, steps: int) -> None:
            self.done += steps

    samples = table_of(50, 10, failed=(0,))
    vectors = np.random.default_rng(22).standard_normal((50, 6))
    for scores in (Embeddings(vectors, samples.ids, metric="cosine"), square(samples, vectors @ vectors.T)):
        told = Told()
        count_pairs(scores, PairSet.of(scores, samples), progress=told)
        assert told.total == told.done == 49 * 48 // 2


def test_gaps_that_part_no_two_people_are_not_listed():
    """Cells of genuine pairs, or of samples with themselves, may be empty: everybody still meets everybody."""
    samples = Samples({"id": list("abcd"), "subject": ["x", "x", "y", "z"]})
    cells = np.eye(4, dtype=np.uint8)
    for i, j, listed in ((0, 1, False), (1, 0, False), (0, 2, True)):
        marked = cells.copy()
        marked[i, j] = marked[j, i] = 1
        scores = Scores.from_array(np.ones((4, 4)), samples.ids, orientation="similarity", cells=marked)
        assert (impostor_meetings(scores, PairSet.of(scores, samples)) is not None) == listed


def test_fold_accuracy_by_example() -> None:
    found = FoldAccuracy("net", np.array([0.9, 0.8, 1.0]), np.zeros(3), 30, ())
    assert (round(found.mean, 4), round(found.standard_error, 4)) == (0.9, 0.0577)


def test_facts_of_pairs_by_example() -> None:
    samples = Samples({"id": ["a1", "a2", "b1"], "subject": ["a", "a", "b"]})
    scores = Scores.from_array(np.eye(3), samples.ids, orientation="similarity")
    counts = count_pairs(scores, PairSet.of(scores, samples))
    facts = facts_of_pairs(scores, samples, counts, 2, ())
    assert (facts.n_probes, facts.n_probe_subjects, facts.universe) == (1, 2, "verification")


def test_each_pair_once_by_example() -> None:
    pairs = pl.DataFrame({"query": ["a", "a", "b"], "target": ["a", "b", "a"], "score": [1.0, 0.5, 0.6]})
    assert each_pair_once(Trials(pairs, "similarity")).frame.select("query", "target", "score").rows() == [
        ("a", "b", 0.5)
    ]


def test_row_blocks_by_example() -> None:
    samples = Samples({"id": ["a1", "a2", "b1"], "subject": ["a", "a", "b"]})
    scores = Scores.from_array(np.eye(3), samples.ids, orientation="similarity")
    assert repr(list(row_blocks(PairSet.of(scores, samples)))) == "[slice(0, 3, None)]"


def naive_counts(genuine: np.ndarray, impostors: np.ndarray, thresholds=()) -> dict[str, list]:
    """What a list counts, by sorting everything and comparing."""
    edges = np.unique(np.concatenate([genuine, np.asarray(thresholds, dtype=np.float64)])) + 0.0
    below, up_to = (np.searchsorted(np.sort(impostors), edges, side) for side in ("left", "right"))
    return {
        "edges": edges.tolist(),
        "genuine_at": [np.count_nonzero(genuine == edge) for edge in edges[:50]],
        "impostor_ge": (len(impostors) - below).tolist(),
        "impostor_gt": (len(impostors) - up_to).tolist(),
        "ends": [impostors.min(), impostors.max()],
    }


def _lists_of_scores() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(23)
    normal = rng.normal(0.6, 0.05, 900), rng.normal(0.45, 0.05, 6000)
    outlier = np.append(normal[0], 1e30)
    return {
        "normal": normal,
        "single precision": tuple(one.astype(np.float32) for one in normal),
        "all equal": (np.full(40, 0.5), np.full(4000, 0.5)),
        "genuine equal": (np.full(40, 0.5), normal[1]),
        "one genuine": (np.array([0.5]), normal[1]),
        "eight bits": (rng.integers(100, 256, 700), rng.integers(0, 180, 5000)),
        "a huge genuine score": (outlier, normal[1]),
        "huge impostors": (normal[0], np.concatenate([normal[1], [1e300, -1e300], np.full(200, -1e12)])),
        "the whole range": (np.array([-1.7e308, 0.5, 1.7e308]), np.append(normal[1], [-1.7e308, 1.7e308])),
        "many magnitudes": (10.0 ** rng.uniform(-300, 300, 500), 10.0 ** rng.uniform(-300, 300, 4000)),
        "denormals": (rng.integers(0, 50, 300) * 5e-324, rng.integers(0, 60, 3000) * 5e-324),
        "zeros": (rng.choice([-0.0, 0.0, 1.0], 50), rng.choice([-0.0, 0.0, -1.0, 1.0], 3000)),
        "neighbours": (1 + np.spacing(1.0) * rng.integers(0, 40, 90), 1 + np.spacing(1.0) * rng.integers(0, 40, 3000)),
        "impostors below": (normal[0] + 10, normal[1]),
        "impostors above": (normal[0] - 10, normal[1]),
    }  # fmt: skip


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("orientation", ["similarity", "distance"])
@pytest.mark.parametrize("kind", _lists_of_scores())
def test_a_long_list_is_counted_as_by_sorting(monkeypatch, kind, orientation, threads):
    monkeypatch.setattr(counts_module, "_IMPOSTORS_AN_EDGE", 1)
    monkeypatch.setenv("PROBAND_THREADS", str(threads))
    genuine, impostors = _lists_of_scores()[kind]
    scores = np.concatenate([genuine, impostors])
    rng = np.random.default_rng(24)
    failed = rng.random(len(scores)) < 0.02
    mixed = rng.permutation(len(scores)) if threads == 2 else np.arange(len(scores))
    frame = pl.DataFrame({"score": scores, "mated": np.arange(len(scores)) < len(genuine), "failed": failed})[
        mixed
    ]
    frame = pl.concat(
        [frame[:700], frame[700:701], frame[701:]], rechunk=False
    )  # as a file may have been read
    trials, thresholds = Trials(frame, orientation), (0.5, -np.inf, np.inf, -0.0, 1e40)
    by_sorting = count_trials(trials, thresholds, log_ratios=kind in ("normal", "zeros"))
    monkeypatch.setattr(counts_module, "LONG", 0)
    monkeypatch.setattr(accumulator_module, "_ROOM", 7)
    counts = count_trials(trials, thresholds, log_ratios=kind in ("normal", "zeros"))
    assert_same(counts, by_sorting)
    assert (counts.genuine_bits, counts.impostor_bits) == (by_sorting.genuine_bits, by_sorting.impostor_bits)
    sign = 1.0 if orientation == "similarity" else -1.0
    kept, is_mated = ~frame["failed"].to_numpy(), frame["mated"].to_numpy()
    closeness = sign * frame["score"].cast(pl.Float64).to_numpy()
    expected = naive_counts(closeness[kept & is_mated], closeness[kept & ~is_mated], thresholds)
    found = {
        name: getattr(counts, name).tolist() for name in ("edges", "genuine_at", "impostor_ge", "impostor_gt")
    }
    found["genuine_at"] = found["genuine_at"][:50]
    assert {**found, "ends": [counts.lowest_impostor, counts.highest_impostor]} == expected
    assert counts.histogram.impostor.sum() == counts.n_impostor == np.count_nonzero(kept & ~is_mated)
    assert not np.signbit(counts.edges[counts.edges == 0]).any()


def test_a_long_list_without_impostors_or_without_genuine_scores(monkeypatch):
    monkeypatch.setattr(counts_module, "LONG", 0)
    alone = count_trials(
        Trials(pl.DataFrame({"score": [0.1, 0.4, 0.2], "mated": [False] * 3}), "similarity"), (0.2,)
    )
    assert (alone.edges.tolist(), alone.impostor_ge.tolist(), alone.impostor_gt.tolist()) == ([0.2], [2], [1])


@pytest.mark.parametrize("kind", _lists_of_scores())
def test_slots_are_those_of_sorted_edges(monkeypatch, kind):
    genuine, impostors = (np.asarray(one, dtype=np.float64) for one in _lists_of_scores()[kind])
    edges = np.unique(genuine)
    expected = [np.count_nonzero(edges < x) + np.count_nonzero(edges <= x) for x in impostors]
    assert slots_among(edges, impostors).tolist() == expected
    monkeypatch.setattr(accumulator_module, "LONG", 0)
    assert slots_among(edges, impostors).tolist() == expected


@pytest.mark.parametrize("n", [3, 300, 70_000])
def test_keys_of_pairs_are_in_their_order(n):
    rng = np.random.default_rng(25)
    one, other = rng.integers(0, n, (2, 400)).astype(np.uint32)
    keys = keys_of_pairs(one, other, n)
    assert keys.tolist() == [a * n + b for a, b in zip(one.tolist(), other.tolist(), strict=True)]
    assert keys.itemsize == (4 if n < 70_000 else 8)


@pytest.mark.parametrize("seed", range(8))
def test_each_pair_is_kept_once(seed):
    rng = np.random.default_rng(seed)
    names = np.array(["a", "b", "c", "d", "e", "f"])
    sides = [(str(a), str(b)) for a, b in names[rng.integers(0, 6, (8 + 4 * (seed % 3), 2))]]
    if seed % 2:
        sides = list(dict.fromkeys(sides))  # no pair twice the same way round
    if seed > 5:
        sides += [(None, "a"), ("b", None), (None, None)] * 2
    rows = [(a, b, a == b, float(k)) for k, (a, b) in enumerate(sides)]
    kept = each_pair_once(trials_of(rows)).frame["score"].to_list()
    seen: set[frozenset[str]] = set()
    expected = []
    named = [pair for pair in sides if None not in pair]
    for k, (a, b) in enumerate(sides):
        if len(set(named)) < len(named) or a is None or b is None:
            expected.append(float(k))
        elif a != b and frozenset((a, b)) not in seen:
            seen.add(frozenset((a, b)))
            expected.append(float(k))
    assert kept == expected
