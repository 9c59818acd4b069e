"""City-block and chi-square distances of embeddings, and the ranks they give, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.errors import InputError
from proband.measures import rank
from proband.samples import Experiment, Samples
from proband.scores import Embeddings


def by_numpy(x: np.ndarray, y: np.ndarray, metric: str) -> np.ndarray:
    x, y = x.astype(np.float64)[:, None], y.astype(np.float64)[None]
    if metric == "l1":
        return np.abs(x - y).sum(axis=2)
    both = x + y
    return np.divide((x - y) ** 2, both, out=np.zeros_like(both), where=both > 0).sum(axis=2)


def every(scores: Embeddings) -> np.ndarray:
    return scores.tile(np.arange(scores.shape[0]), np.arange(scores.shape[1]))


@pytest.mark.parametrize("metric", ["l1", "chi2"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
@pytest.mark.parametrize("dimension", [1, 3, 4, 59, 130])
def test_distances_equal_numpys(metric: str, dtype: type, dimension: int) -> None:
    rng = np.random.default_rng(dimension)
    x, y = (rng.integers(0, 6, (n, dimension)).astype(dtype) for n in (5, 8))
    if dtype != np.uint8:
        x, y = x / dtype(7), y / dtype(7)
    scores = Embeddings(x, list("abcde"), metric=metric, targets=y, target_ids=range(8))
    assert np.allclose(every(scores), by_numpy(x, y, metric), rtol=1e-12, atol=1e-15)
    assert scores.orientation == "distance"
    assert not scores.is_product


def test_bins_that_are_empty_in_both_histograms_add_nothing() -> None:
    scores = Embeddings([[0.0, 0.5, 0.5], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], list("abc"), metric="chi2")
    expected = [[0, 0.25 / 1.5 + 0.5, 1], [0.25 / 1.5 + 0.5, 0, 1], [1, 1, 0]]
    assert np.allclose(every(scores), expected)


def test_city_block_takes_negative_components_and_chi_square_does_not() -> None:
    vectors = [[1.0, -2.0], [0.0, 3.0]]
    assert every(Embeddings(vectors, list("ab"), metric="l1")).tolist() == [[0, 6], [6, 0]]
    with pytest.raises(InputError, match="must not be negative"):
        Embeddings(vectors, list("ab"), metric="chi2")


@examples(40)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["l1", "chi2"]), st.sampled_from(["images", "subjects"]))
def test_ranks_equal_those_of_sorted_distances(seed: int, metric: str, counting: str) -> None:
    rng = np.random.default_rng(seed)
    people = rng.integers(0, 5, 14)
    people[:6] = [0, 1, 2, 3, 4, 4]
    vectors = rng.integers(0, 4, (14, 6)) / 4  # coarse, so that distances tie
    samples = Samples({"id": [f"s{k}" for k in range(14)], "subject": [f"p{k}" for k in people]})
    experiment = Experiment(samples, gallery=np.arange(14) < 6)
    scores = Embeddings(vectors, samples.ids, metric=metric)
    got = rank(scores, experiment, counting=counting, check_orientation=False, threads=2).ranks

    distances = every(scores)[6:, :6]
    wanted = []
    for own, row in zip(people[6:], distances, strict=True):
        best = row[people[:6] == own].min()
        ahead = [k for k in range(6) if people[k] != own and row[k] <= best]
        wanted.append(1 + (len(ahead) if counting == "images" else len({people[k] for k in ahead})))
    assert got.tolist() == wanted
