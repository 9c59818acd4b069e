"""Placements of impostors, summed in blocks of people: against all comparisons listed and summed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from proband.inference import verify
from proband.inference.verification.intervals.dyadic_auc import PairCloseness, PairPeople, auc_interval
from proband.kernels.codes import DONT_CARE, FAILED
from proband.measures.pairs import placements as room
from proband.measures.pairs.counts import genuine_pairs, tail_pairs
from proband.measures.pairs.pair_set import PairSet
from proband.measures.pairs.placements import placements
from proband.samples import Experiment, Samples
from proband.scores import Embeddings, Scores


def study(kind: str, metric: str = "cosine"):
    """People in no order, with ties; the same images on both axes, or others; scores, distances or vectors."""
    rng = np.random.default_rng(7)
    people = rng.permutation(np.repeat(np.arange(17), rng.integers(1, 5, 17)))
    ids = [f"{k}" for k in range(len(people))]
    samples = Samples({"id": ids, "subject": [f"p{k}" for k in people]})
    vectors = rng.normal(size=(17, 6))[people] + 0.8 * rng.normal(size=(len(people), 6))
    if kind == "vectors":
        return Embeddings(vectors, ids, metric=metric, name="net"), samples
    values = (vectors @ vectors.T).round(1)
    if kind == "distances":
        return Scores.from_array(-values, ids, orientation="distance", name="net"), samples
    if kind == "symmetric":
        return Scores.from_array(values, ids, orientation="similarity", name="net"), samples
    first = np.unique(people, return_index=True)[1]
    gallery = [ids[k] for k in first]
    rest = np.setdiff1d(np.arange(len(people)), first)
    scores = Scores.from_array(
        values[np.ix_(rest, first)], [ids[k] for k in rest], gallery, orientation="similarity"
    )
    return scores, Experiment(samples, gallery=gallery)


@pytest.mark.parametrize("kind", ["symmetric", "apart", "distances", "vectors"])
@pytest.mark.parametrize("cells", [1 << 22, 64])
def test_sums_are_those_of_the_list(kind, cells, monkeypatch):
    monkeypatch.setattr(room, "_CELLS", cells)  # many small blocks of people
    scores, within = study(kind)
    pairs = PairSet.of(scores, within)
    own, genuine = genuine_pairs(scores, pairs)
    first, second, impostor = tail_pairs(scores, pairs, -np.inf)
    share = ((genuine > impostor[:, None]) + 0.5 * (genuine == impostor[:, None])).mean(axis=1)
    area = share.mean()
    apart = share - area
    people = np.unique(np.concatenate([pairs.row_codes, pairs.column_codes]))
    low, high = (
        np.searchsorted(people, np.minimum(first, second)),
        np.searchsorted(people, np.maximum(first, second)),
    )
    matrix = np.zeros((len(people), len(people)))
    np.add.at(matrix, (low, high), apart)
    found = placements(scores, pairs, genuine, area)
    assert found.n == len(impostor)
    np.testing.assert_allclose(found.totals, matrix.sum(axis=0) + matrix.sum(axis=1), atol=1e-9)
    assert found.squares == pytest.approx((matrix**2).sum())
    listed = auc_interval(PairCloseness(genuine, impostor), PairPeople(own, first, second))
    made = verify(scores, within, fmr=0.1, n_resamples=0, check_orientation=False).auc
    for name in ("value", "low", "high", "standard_error", "degrees_of_freedom"):
        assert getattr(made, name) == pytest.approx(getattr(listed, name), rel=1e-9)
    assert made.rests_on == listed.rests_on


@pytest.mark.parametrize("metric", ["l2", "inner"])
def test_products_of_every_metric(metric):
    scores, samples = study("vectors", metric)
    pairs = PairSet.of(scores, samples)
    own, genuine = genuine_pairs(scores, pairs)
    first, second, impostor = tail_pairs(scores, pairs, -np.inf)
    listed = auc_interval(PairCloseness(genuine, impostor), PairPeople(own, first, second))
    made = verify(scores, samples, fmr=0.1, n_resamples=0, check_orientation=False).auc
    assert made.standard_error == pytest.approx(listed.standard_error, rel=1e-6)


@pytest.mark.parametrize("code", [DONT_CARE, FAILED])
def test_cells_without_a_score_add_nothing(code):
    """As a list of the comparisons there are; somebody without any takes no part."""
    scores, samples = study("symmetric")
    cells = np.zeros(scores.shape, dtype=np.uint8)
    cells[0, 5:9] = cells[5:9, 0] = code
    cells[3, 7] = code  # one way round: not to be counted there, it counts the other way
    nobody = samples.codes == samples.codes[-1]
    cells[nobody] = cells[:, nobody] = code
    every = np.arange(scores.shape[0])
    masked = Scores.from_array(scores.tile(every, every), samples.ids, orientation="similarity", cells=cells)
    pairs = PairSet.of(masked, samples)
    own, genuine = genuine_pairs(masked, pairs)
    first, second, impostor = tail_pairs(masked, pairs, -np.inf)
    listed = auc_interval(PairCloseness(genuine, impostor), PairPeople(own, first, second))
    made = verify(masked, samples, fmr=0.1, n_resamples=0, check_orientation=False).auc
    assert made.rests_on.n == len(genuine) + len(impostor) < pairs.n_genuine + pairs.n_impostor
    for name in ("value", "low", "high", "standard_error", "degrees_of_freedom"):
        assert getattr(made, name) == pytest.approx(getattr(listed, name), rel=1e-9)
    assert made.rests_on == listed.rests_on


def test_equal_genuine_scores():
    """Without a range of genuine scores there are no steps to look from."""
    ids = [f"{person}{image}" for person in "abcde" for image in "12"]
    samples = Samples({"id": ids, "subject": [name[0] for name in ids]})
    rng = np.random.default_rng(1)
    values = rng.normal(size=(10, 10)).round(1)
    values = values + values.T
    same = np.array([[x[0] == y[0] for y in ids] for x in ids])
    scores = Scores.from_array(np.where(same, 0.4, values), ids, orientation="similarity")
    made = verify(scores, samples, fmr=0.1, n_resamples=0, check_orientation=False)
    assert made.auc.value == pytest.approx(made.rates.auc())
    pairs = PairSet.of(scores, samples)
    own, genuine = genuine_pairs(scores, pairs)
    first, second, impostor = tail_pairs(scores, pairs, -np.inf)
    listed = auc_interval(PairCloseness(genuine, impostor), PairPeople(own, first, second))
    assert made.auc.low == pytest.approx(listed.low)
