"""Independent components: what is white, what is a rotation, and what a search that stops early says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from proband.algorithms import ICA, PCA, Crops, LinearModel
from proband.algorithms.pictures.normalize import oval
from proband.errors import InputError, UsageError
from proband.measures import rank

Make = Callable[..., Crops]


def every(scores) -> np.ndarray:
    return scores.tile(np.arange(scores.shape[0]), np.arange(scores.shape[1]))


def is_identity(covariance: np.ndarray, tolerance: float) -> bool:
    return bool(np.allclose(covariance, np.eye(len(covariance)), atol=tolerance))


@pytest.fixture(scope="module")
def models(faces) -> dict[int, LinearModel]:
    return {architecture: ICA(architecture).fit(faces.train) for architecture in (1, 2)}


def test_the_code_of_architecture_2_is_white_on_the_training_faces(faces, models) -> None:
    code = models[2].represent(faces.train).astype(np.float64)
    assert code.shape == (48, round(0.4 * 47))
    assert np.allclose(code.mean(axis=0), 0, atol=1e-3)
    assert is_identity(np.cov(code.T, ddof=0), 1e-3)


def test_the_basis_images_of_architecture_1_are_white(models) -> None:
    basis = models[1].basis.astype(np.float64)
    assert basis.shape == (round(0.4 * 47), oval(60, 52).sum())
    covariance = np.cov(basis, ddof=0)
    # They are white up to one common scale, which a cosine does not see.
    assert is_identity(covariance / covariance[0, 0], 1e-3)


def test_basis_images_span_the_principal_components(faces, models) -> None:
    directions = PCA("l2").fit(faces.train).basis.astype(np.float64)
    for architecture in (1, 2):
        basis = models[architecture].basis.astype(np.float64)
        explained = basis @ directions.T @ directions
        assert np.allclose(explained, basis, atol=1e-4 * np.abs(basis).max())


def test_components_are_unmixed_and_not_only_whitened(faces, models) -> None:
    """Independent basis images are further from Gaussian than the principal components they come from."""

    def excess(images: np.ndarray) -> np.ndarray:
        standard = (images - images.mean(axis=1, keepdims=True)) / images.std(axis=1, keepdims=True)
        return np.abs((standard**4).mean(axis=1) - 3)

    mixed = PCA("l2").fit(faces.train).basis.astype(np.float64)
    unmixed = models[1].basis.astype(np.float64)
    assert excess(unmixed).mean() > 1.5 * excess(mixed).mean()


@pytest.mark.parametrize(("architecture", "comparison"), [(1, "angle"), (2, "whitened-cosine")])
def test_a_rotation_does_not_change_ranks(faces, models, architecture: int, comparison: str) -> None:
    unmixed = models[architecture].scores(faces.query, faces.target)
    principal = PCA(comparison).fit(faces.train).scores(faces.query, faces.target)
    assert np.allclose(every(unmixed), every(principal), atol=1e-4)
    ranks = [rank(scores, faces.experiment).ranks for scores in (unmixed, principal)]
    assert np.array_equal(*ranks)
    assert unmixed.name == f"ica:{architecture}"


@pytest.mark.parametrize("architecture", [1, 2])
def test_a_search_that_does_not_settle_is_noted_and_warns_nobody(
    faces, models, architecture: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert models[architecture].notes == ()
    monkeypatch.setattr("proband.algorithms.ica._MOST_ROUNDS", 1)
    model = ICA(architecture).fit(faces.train)  # a warning would be an error here
    assert "did not converge within 1 iteration" in str(model.notes[0])
    assert model.scores(faces.query, faces.target).notes == model.notes


def test_the_same_faces_give_the_same_model(random_crops: Make) -> None:
    one, other = (ICA(2).fit(random_crops(20)).basis for _ in range(2))
    assert np.array_equal(one, other)


@pytest.mark.parametrize("architecture", [1, 2])
def test_the_least_training_there_can_be(random_crops: Make, architecture: int) -> None:
    assert len(ICA(architecture).fit(random_crops(4)).basis) == 1
    with pytest.raises(InputError, match="at least 4 training faces, got 3"):
        ICA(architecture).fit(random_crops(3))


def test_other_architectures_are_refused() -> None:
    with pytest.raises(UsageError, match="should be 1 or 2; got 3"):
        ICA(3)
    with pytest.raises(UsageError, match="number of components"):
        ICA(components=0)
