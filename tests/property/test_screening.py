"""The float32 screen: its error never passes the band, so the ranks are those of the exact scores."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.measures import rank, ranks as ranks_module
from proband.samples import Experiment, Samples
from proband.scores import Embeddings, Scores
from proband.scores.screening import Screen, make_screen

METRICS = ("cosine", "inner", "l2")


@st.composite
def vector_tables(draw: st.DrawFn) -> np.ndarray:
    """Vectors meant to be hard to tell apart: repeated, scaled, nudged by a rounding unit, far from the origin."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, dimension = draw(st.integers(3, 24)), draw(st.integers(1, 40))
    kind = draw(st.sampled_from(["plain", "few values", "one direction", "positive", "spikes"]))
    if kind == "few values":
        table = rng.integers(-2, 3, size=(n, dimension)).astype(np.float64)
    elif kind == "one direction":
        table = rng.standard_normal(dimension) + 1e-6 * rng.standard_normal((n, dimension))
    elif kind == "positive":
        table = 1.0 + rng.random((n, dimension)) * 2.0**-20
    elif kind == "spikes":
        table = rng.standard_normal((n, dimension)) * 10.0 ** rng.integers(-6, 7, size=(n, dimension))
    else:
        table = rng.standard_normal((n, dimension))
    table = table[rng.integers(0, n, size=n)]  # some vectors repeat exactly
    if draw(st.booleans()):
        table = table * 2.0 ** rng.integers(-30, 31, size=(n, 1))
    if draw(st.booleans()):
        table = table + draw(st.sampled_from([1.0, 100.0, 1e4])) * rng.standard_normal(dimension)
    if draw(st.booleans()):
        table = table * (1 + 2.0**-24 * rng.integers(-2, 3, size=table.shape))
    table[~table.any(axis=1)] = 1.0  # a cosine needs a direction
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    return np.ascontiguousarray(table * draw(st.sampled_from([1.0, 1e-12, 1e12])), dtype=dtype)


def screened(embeddings: Embeddings) -> tuple[Screen, np.ndarray]:
    everyone = np.arange(len(embeddings.queries))
    screen = make_screen(embeddings, everyone, everyone)
    vectors = embeddings.target_rows(everyone)
    block = screen.gallery(vectors, embeddings.target_norms(vectors, everyone))
    assert screen.probes.dtype == block.dtype == np.float32
    return screen, screen.probes @ block.T


def exact(x: np.ndarray) -> list[Fraction]:
    return [Fraction(float(value)) for value in x]


def inner(x: list[Fraction], y: list[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))


def ideal_value(screen: Screen, x: list[Fraction], y: list[Fraction], longest: Fraction) -> float:
    """What the screen stands for, without rounding: see the module's description."""
    metric = screen.embeddings.metric
    if metric == "cosine":
        return float(inner(x, y)) / (sqrt(inner(x, x)) * sqrt(inner(y, y)))
    if metric == "inner":
        return float(inner(x, y)) / (sqrt(inner(x, x)) * sqrt(longest))
    centre, scale = exact(screen.centre), Fraction(screen.scale)
    x, y = ([(a - c) / scale for a, c in zip(v, centre, strict=True)] for v in (x, y))
    return float(inner(x, y) - inner(y, y) / 2)


@pytest.mark.parametrize("metric", METRICS)
@examples(30)
@given(vectors=vector_tables())
def test_the_screen_is_never_off_by_more_than_the_band(metric, vectors):
    embeddings = Embeddings(vectors, range(len(vectors)), metric=metric)
    screen, values = screened(embeddings)
    rows = [exact(v) for v in vectors[:6]]
    longest = max(inner(y, y) for y in map(exact, vectors))
    for i, x in enumerate(rows):
        for j, y in enumerate(rows):
            assert abs(float(values[i, j]) - ideal_value(screen, x, y, longest)) <= screen.band


@pytest.mark.parametrize("metric", METRICS)
@examples(40)
@given(vectors=vector_tables())
def test_a_pair_stands_within_the_limits_of_its_own_score(metric, vectors):
    """Were a pair's exact score the best mate's, the screen must not take the pair for closer or farther."""
    embeddings = Embeddings(vectors, range(len(vectors)), metric=metric)
    everyone = np.arange(len(vectors))
    scores = embeddings.tile(everyone, everyone)
    screen, values = screened(embeddings)
    for j in everyone:
        low, high = screen.limits(scores[:, j])
        assert (low <= values[:, j]).all()
        assert (values[:, j] <= high).all()


@pytest.mark.parametrize("counting", ["images", "subjects"])
@pytest.mark.parametrize("metric", METRICS)
@examples(30)
@given(vectors=vector_tables(), data=st.data())
def test_screened_counts_are_those_of_the_dense_matrix(metric, counting, vectors, data):
    n = len(vectors)
    subjects = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    mated = {subjects[i] for i in range(n) if mask[i]} & {subjects[i] for i in range(n) if not mask[i]}
    if not mated:
        return
    samples = Samples({"id": range(n), "subject": subjects})
    embeddings = Embeddings(vectors, samples.ids, metric=metric)
    everyone = np.arange(n)
    dense = Scores.from_array(
        embeddings.tile(everyone, everyone), samples.ids, orientation=embeddings.orientation
    )
    experiment = Experiment(samples, gallery=mask)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranks_module, "_PROBES_AT_ONCE", data.draw(st.sampled_from([1, 3, 512])))
        patch.setattr(ranks_module, "_GALLERY_AT_ONCE", data.draw(st.sampled_from([1, 4, 2048])))
        fast, slow = (
            rank(scores, experiment, counting=counting, check_orientation=False, threads=1)
            for scores in (embeddings, dense)
        )
    for name in ("probes", "closer", "tied", "best_mates", "failed"):
        assert getattr(fast, name).tolist() == getattr(slow, name).tolist(), name
