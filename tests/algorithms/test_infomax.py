"""InfoMax: it separates known sources, its gradient is the slope of its likelihood, and on faces it is no rotation."""

from __future__ import annotations

import numpy as np
import pytest

from proband.algorithms import ICA, PCA
from proband.algorithms.infomax import infomax, log_likelihood, natural_gradient
from proband.errors import UsageError


def every(scores) -> np.ndarray:
    return scores.tile(np.arange(scores.shape[0]), np.arange(scores.shape[1]))


def amari(product: np.ndarray) -> float:
    """How far a matrix is from one entry in every row and column: 0 for a scaled permutation, at most 1 (Amari 1996)."""
    size = np.abs(product)
    n = len(size)
    rows = (size.sum(axis=1) / size.max(axis=1) - 1).sum()
    columns = (size.sum(axis=0) / size.max(axis=0) - 1).sum()
    return float((rows + columns) / (2 * n * (n - 1)))


@pytest.mark.parametrize("kind", ["laplace", "logistic"])
def test_it_separates_mixed_sources_up_to_scale_and_order(kind: str) -> None:
    rng = np.random.default_rng(5)
    sources = getattr(rng, kind)(size=(20_000, 5))
    mixing = rng.normal(size=(5, 5))
    found = infomax(sources @ mixing.T + 3.0, tolerance=1e-4)
    assert found.settled
    assert found.gradient <= 1e-4
    assert amari(found.matrix @ mixing) < 0.03
    # Whitening alone does not: the search has to turn it.
    assert amari(np.linalg.solve(found.rotation, found.matrix) @ mixing) > 0.1


def test_logistic_sources_come_out_at_their_own_scale() -> None:
    rng = np.random.default_rng(2)
    found = infomax(rng.logistic(size=(50_000, 2)) @ rng.normal(size=(2, 2)), tolerance=1e-5)
    assert np.isclose(found.log_likelihood + 4, np.linalg.slogdet(found.rotation)[1], atol=0.05)


def test_the_gradient_is_the_slope_of_the_likelihood() -> None:
    rng = np.random.default_rng(1)
    unmixing, white = rng.normal(size=(4, 4)), rng.laplace(size=(4, 2_345))
    slopes, step = np.zeros((4, 4)), 1e-5
    for at in np.ndindex(4, 4):
        turn = np.zeros((4, 4))
        turn[at] = step
        ahead, back = (log_likelihood((np.eye(4) + sign * turn) @ unmixing, white) for sign in (1, -1))
        slopes[at] = (ahead - back) / (2 * step)
    assert np.allclose(natural_gradient(unmixing, white), slopes, atol=1e-7)


def test_the_likelihood_is_that_of_logistic_sources() -> None:
    rng = np.random.default_rng(3)
    unmixing, white = rng.normal(size=(3, 3)), 40 * rng.normal(size=(3, 50))
    sources = unmixing @ white
    plain = np.log(abs(np.linalg.det(unmixing))) + np.mean(
        (-np.logaddexp(0, sources) - np.logaddexp(0, -sources)).sum(axis=0)
    )
    assert np.isclose(log_likelihood(unmixing, white), plain, rtol=1e-12)


def test_nothing_is_drawn_and_a_search_that_stops_early_says_so() -> None:
    mixed = np.random.default_rng(4).laplace(size=(300, 4)) @ np.random.default_rng(5).normal(size=(4, 4))
    one, other = infomax(mixed), infomax(mixed)
    assert np.array_equal(one.matrix, other.matrix)
    short = infomax(mixed, rounds=1)
    assert (short.rounds, short.settled) == (1, False)
    assert short.log_likelihood < one.log_likelihood


@pytest.mark.parametrize(("architecture", "comparison"), [(1, "angle"), (2, "whitened-cosine")])
def test_on_faces_it_is_no_rotation_and_its_rotation_alone_would_be_pca(
    faces, architecture: int, comparison: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    recognizer = ICA(architecture, method="infomax")
    assert recognizer.name == f"ica:infomax-{architecture}"
    model = recognizer.fit(faces.train)
    assert "InfoMax converged in" in str(model.notes[0])
    principal = every(PCA(comparison).fit(faces.train).scores(faces.query, faces.target))
    assert np.abs(every(model.scores(faces.query, faces.target)) - principal).max() > 0.05

    def orthogonal(observations: np.ndarray):
        found = infomax(observations)
        left, _, right = np.linalg.svd(found.rotation)
        whitening = np.linalg.solve(found.rotation, found.matrix)
        return left @ right @ whitening, ()

    monkeypatch.setattr("proband.algorithms.ica._infomax", orthogonal)
    turned = recognizer.fit(faces.train).scores(faces.query, faces.target)
    assert np.allclose(every(turned), principal, atol=1e-4)


def test_other_methods_are_refused() -> None:
    with pytest.raises(UsageError, match="must be 'fastica' or 'infomax'; got 'jade'"):
        ICA(method="jade")
