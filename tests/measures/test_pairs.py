"""Which comparisons count, and how many lie where: against plain loops over all of them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.errors import DesignError
from proband.measures.pair_counts import (
    PairAccumulator,
    count_pairs,
    count_trials,
    genuine_pairs,
    tail_pairs,
)
from proband.measures.pairs import PairSet
from proband.scores.trials import Trials


def table(people: int, images: int, lost: tuple[int, ...] = ()) -> pb.Samples:
    ids = [f"s{p:02d}-{k}" for p in range(people) for k in range(images)]
    marked = [place in lost for place in range(len(ids))]
    return pb.Samples({"id": ids, "subject": [name[:3] for name in ids], "lost": marked}, failed="lost")


def naive(scores, samples, queries, targets):
    """Every unordered pair of different samples once, the query the one that comes first on the query axis."""
    sign = 1 if scores.larger_is_closer else -1
    who = dict(zip(samples.ids, samples.codes.tolist(), strict=True))
    failed = dict(zip(samples.ids, samples.failed.tolist(), strict=True))
    both = [name for name in queries if name in set(targets)]
    order = {name: place for place, name in enumerate(both)}
    genuine, impostor, lost = [], [], [0, 0]
    for q in queries:
        for t in targets:
            if q == t or (q in order and t in order and order[q] > order[t]):
                continue
            same = who[q] == who[t]
            if failed[q] or failed[t]:
                lost[0 if same else 1] += 1
                continue
            value = scores.tile(scores.queries.positions([q]), scores.targets.positions([t]))[0, 0]
            (genuine if same else impostor).append((sign * float(value), who[q], who[t]))
    return genuine, impostor, lost


def check(scores, samples, queries, targets, within=None):
    pairs = PairSet.of(scores, samples, within)
    genuine, impostor, lost = naive(scores, samples, queries, targets)
    counts = count_pairs(scores, pairs, [0.0, 1.25])
    values, others = np.array([g[0] for g in genuine]), np.array([i[0] for i in impostor])
    assert (counts.n_genuine, counts.n_impostor) == (len(values), len(others))
    assert (counts.n_failed_genuine, counts.n_failed_impostor) == tuple(lost)
    assert set(counts.edges) == set(values.tolist()) | {0.0, 1.25}
    for k, edge in enumerate(counts.edges):
        assert counts.genuine_at[k] == int((values == edge).sum())
        assert counts.impostor_ge[k] == int((others >= edge).sum())
        assert counts.impostor_gt[k] == int((others > edge).sum())
    assert counts.histogram.genuine.sum() == len(values)
    assert counts.histogram.impostor.sum() == len(others)
    own, closeness = genuine_pairs(scores, pairs)
    assert sorted(zip(closeness.tolist(), own.tolist(), strict=True)) == sorted((g[0], g[1]) for g in genuine)
    first, second, tail = tail_pairs(scores, pairs, 0.5)
    found = sorted(
        (c, min(i, j), max(i, j))
        for c, i, j in zip(tail.tolist(), first.tolist(), second.tolist(), strict=True)
    )
    assert found == sorted((c, min(i, j), max(i, j)) for c, i, j in impostor if c >= 0.5)
    return counts


@pytest.mark.parametrize("orientation", ["similarity", "distance"])
@pytest.mark.parametrize("levels", [None, 1, 3])
def test_matrices_symmetric_partly_shared_and_disjoint(orientation, levels):
    rng = np.random.default_rng(levels or 0)
    samples = table(5, 3, lost=(4, 9))
    ids = list(samples.ids)
    square = rng.normal(0, 1, (15, 15))
    square = (square + square.T) / 2
    if levels:
        square = np.rint(square * levels)
    for queries, targets in (
        (ids, ids),
        (ids[:9], ids[6:]),
        (ids[::3], [n for n in ids if n not in ids[::3]]),
    ):
        values = square[np.ix_([ids.index(q) for q in queries], [ids.index(t) for t in targets])]
        scores = pb.Scores.from_array(values, queries, targets, orientation=orientation)
        check(scores, samples, queries, targets)


@pytest.mark.parametrize("metric", ["cosine", "inner", "l2", "l1"])
@pytest.mark.parametrize("whole", [False, True])
def test_embeddings_equal_their_definition(metric, whole):
    rng = np.random.default_rng(3)
    samples = table(6, 3, lost=(2,))
    vectors = rng.integers(-2, 3, (18, 4)) + 0.5 if whole else rng.normal(0, 1, (18, 4))
    scores = pb.Embeddings(vectors.astype(np.float32), list(samples.ids), metric=metric)
    check(scores, samples, list(samples.ids), list(samples.ids))


def test_experiments_compare_probes_with_the_gallery():
    rng = np.random.default_rng(4)
    samples = table(6, 3)
    ids = list(samples.ids)
    scores = pb.Scores.from_array(rng.normal(0, 1, (18, 18)), ids, orientation="similarity")
    gallery, probes = [n for n in ids if n.endswith("0")], [n for n in ids if n.endswith("2")]
    check(scores, samples, probes, gallery, pb.Experiment(samples, gallery=gallery, probes=probes))


def test_cells_that_hold_no_score():
    rng = np.random.default_rng(5)
    samples = table(4, 2)
    ids = list(samples.ids)
    cells = np.zeros((8, 8), dtype=np.uint8)
    cells[0, 1] = cells[0, 5] = 2  # a failed genuine and a failed impostor comparison
    cells[2, 6] = cells[6, 2] = 1  # not to be counted, either way round
    cells[3, 7] = 1  # not to be counted one way: the other way has a score
    scores = pb.Scores.from_array(rng.normal(0, 1, (8, 8)), ids, orientation="similarity", cells=cells)
    counts = count_pairs(scores, PairSet.of(scores, samples))
    assert (counts.n_genuine, counts.n_failed_genuine) == (3, 1)
    assert (counts.n_impostor, counts.n_failed_impostor, counts.n_dont_care_impostor) == (22, 1, 1)


def test_threads_do_not_matter():
    rng = np.random.default_rng(6)
    samples = table(60, 3)
    scores = pb.Embeddings(rng.normal(0, 1, (180, 8)), list(samples.ids), metric="cosine")
    pairs = PairSet.of(scores, samples)
    one, two = (count_pairs(scores, pairs, threads=n) for n in (1, 3))
    for name in ("edges", "genuine_at", "impostor_ge", "impostor_gt"):
        assert np.array_equal(getattr(one, name), getattr(two, name))


def test_accumulators_merge():
    rng = np.random.default_rng(7)
    edges = np.unique(np.round(rng.normal(0, 1, 50), 1))
    values = np.round(rng.normal(0, 1, 3000), 1)
    whole, first, second = (PairAccumulator(edges) for _ in range(3))
    whole.add(values)
    first.add(values[:1000])
    second.add(values[1000:])
    first.merge(second)
    assert np.array_equal(first.at_least, whole.at_least)
    assert np.array_equal(whole.at_least, [(values >= edge).sum() for edge in edges])
    assert np.array_equal(whole.above, [(values > edge).sum() for edge in edges])


def test_a_tail_has_a_limit():
    samples = table(10, 2)
    scores = pb.Scores.from_array(np.ones((20, 20)), list(samples.ids), orientation="similarity")
    with pytest.raises(DesignError):
        tail_pairs(scores, PairSet.of(scores, samples), 0.5, limit=20)


def test_lists_of_comparisons():
    rng = np.random.default_rng(8)
    mated = rng.random(400) < 0.3
    score = np.round(rng.normal(0, 1, 400) + mated, 1)
    lost = rng.random(400) < 0.05
    frame = pl.DataFrame(
        {
            "query": [f"q{k}" for k in range(400)],
            "target": [f"t{k % 9}" for k in range(400)],
            "mated": mated,
            "score": score,
            "failed": lost,
        }
    )
    counts = count_trials(Trials(frame, "similarity"))
    genuine, impostor = score[mated & ~lost], score[~mated & ~lost]
    assert counts.n_failed_genuine == int((mated & lost).sum())
    for k, edge in enumerate(counts.edges):
        assert counts.impostor_ge[k] == int((impostor >= edge).sum())
        assert counts.genuine_at[k] == int((genuine == edge).sum())
