"""Sparse codes from inner products against scikit-learn's solver, and against the conditions of the optimum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.kernels import lasso


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def case(seed: int, n_atoms: int, n_features: int, shift: float) -> tuple[np.ndarray, np.ndarray]:
    """Atoms and faces; a shift makes them alike, as images are."""
    rng = np.random.default_rng(seed)
    return unit(rng.normal(size=(n_atoms, n_features)) + shift), unit(
        rng.normal(size=(4, n_features)) + shift
    )


@pytest.mark.parametrize("seed", range(4))
def test_codes_are_those_of_scikit_learn(seed: int) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    atoms, faces = case(seed, 25, 60, 1.0)
    penalty = 0.02
    codes, failed = lasso.sparse_codes(atoms @ atoms.T, faces @ atoms.T, penalty)
    other = linear_model.Lasso(alpha=penalty / 60, fit_intercept=False, tol=1e-12, max_iter=100_000)
    assert failed == -1
    np.testing.assert_allclose(codes, other.fit(atoms.T, faces.T).coef_, atol=1e-7)


@examples(60)
@given(
    st.integers(0, 10_000),
    st.integers(1, 40),
    st.integers(2, 20),
    st.sampled_from([0.0, 2.0]),
    st.sampled_from([0.3, 0.03, 0.003]),
    st.integers(0, 3),
)
def test_the_conditions_of_the_optimum_hold(seed, n_atoms, n_features, shift, penalty, n_twice) -> None:
    atoms, faces = case(seed, n_atoms, n_features, shift)
    atoms = np.vstack([atoms, atoms[:n_twice]])  # the same image twice
    codes, failed = lasso.sparse_codes(atoms @ atoms.T, np.ascontiguousarray(faces @ atoms.T), penalty)
    slopes = (faces - codes @ atoms) @ atoms.T
    assert failed == -1
    assert np.abs(slopes).max() <= penalty * (1 + 1e-6)
    used = codes != 0
    np.testing.assert_allclose(slopes[used], penalty * np.sign(codes[used]), rtol=1e-4)


def test_what_is_left_is_that_of_the_vectors() -> None:
    atoms, faces = case(9, 12, 30, 1.0)
    owners = np.arange(12) % 3
    gram, products = atoms @ atoms.T, faces @ atoms.T
    codes, _ = lasso.sparse_codes(gram, products, 0.01)
    left = lasso.unexplained(gram, products, np.ones(4), codes, owners, 3)
    for person in range(3):
        own = owners == person
        rest = faces - codes[:, own] @ atoms[own]
        np.testing.assert_allclose(left[:, person], (rest**2).sum(axis=1), atol=1e-12)


def test_too_few_rounds_are_told() -> None:
    atoms, faces = case(1, 10, 30, 1.0)
    out = np.zeros((4, 10))
    assert lasso.fill_codes(atoms @ atoms.T, faces @ atoms.T, 0.001, 1, out) == 0


def test_plain_python_gives_the_same() -> None:
    atoms, faces = case(2, 8, 20, 1.0)
    gram, products = atoms @ atoms.T, faces @ atoms.T
    out = [np.zeros((4, 8)), np.zeros((4, 8))]
    for kernel, codes in zip((lasso.fill_codes, lasso.fill_codes.py_func), out, strict=True):
        assert kernel(gram, products, 0.01, 100, codes) == -1
    np.testing.assert_array_equal(*out)
