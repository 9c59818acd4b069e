from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from proband.algorithms import Crop, correlation, crop_faces, eigenfaces, fit_eigenfaces
from proband.errors import InputError


def spots(eyes: np.ndarray, shape: tuple[int, int] = (180, 160)) -> np.ndarray:
    """Images with a bright spot at each eye, so that the crop can be checked by eye position."""
    images = np.zeros((len(eyes), *shape))
    for image, (lx, ly, rx, ry) in zip(images, eyes, strict=True):
        rows, columns = np.mgrid[: shape[0], : shape[1]]
        for x, y in ((lx, ly), (rx, ry)):
            image += 250 * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / 8)
    return np.clip(images, 0, 255).astype(np.uint8)


def test_eyes_land_on_their_places() -> None:
    rng = np.random.default_rng(0)
    eyes = np.array([[50, 70, 105, 74]]) + rng.uniform(-8, 8, (12, 4))
    crops = crop_faces(spots(eyes), eyes)
    crop = Crop()
    rows, columns = np.mgrid[: crop.height, : crop.width]
    for image in crops:
        for (x, y), side in ((crop.left_eye, columns < 65), (crop.right_eye, columns >= 65)):
            weight = np.where(side, image.astype(np.float64), 0)
            assert abs((weight * columns).sum() / weight.sum() - x) < 0.5
            assert abs((weight * rows).sum() / weight.sum() - y) < 0.5


def test_threads_do_not_matter() -> None:
    eyes = np.tile([50.0, 70.0, 105.0, 74.0], (40, 1))
    images = np.random.default_rng(1).integers(0, 256, (40, 180, 160)).astype(np.uint8)
    assert np.array_equal(crop_faces(images, eyes, threads=1), crop_faces(images, eyes, threads=3))


def test_bad_eyes_are_named() -> None:
    images = np.zeros((2, 50, 50), dtype=np.uint8)
    with pytest.raises(InputError, match="'b'"):
        crop_faces(images, [[10, 10, 30, 10], [30, 10, 10, 10]], ids=["a", "b"])
    with pytest.raises(InputError, match="2 × 4"):
        crop_faces(images, [[10, 10, 30, 10]])


def faces(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    crop = Crop()
    return np.stack(
        [gaussian_filter(rng.standard_normal((crop.height, crop.width)), 6) for _ in range(n)]
    ).astype("f4")


def test_correlation_is_the_correlation_coefficient() -> None:
    crops = faces(5, 2)
    scores = correlation(crops, list("abcde"))
    everything = np.arange(5)
    expected = np.corrcoef(crops[:, Crop().mask].astype(np.float64))
    assert np.allclose(scores.tile(everything, everything), expected, atol=1e-5)


def test_eigenfaces_equal_a_plain_decomposition() -> None:
    training, crops = faces(12, 3), faces(6, 4)
    model = fit_eigenfaces(training, share=0.5)

    def standard(images: np.ndarray) -> np.ndarray:
        pixels = images[:, Crop().mask].astype(np.float64)
        pixels -= pixels.mean(axis=1, keepdims=True)
        return pixels / pixels.std(axis=1, keepdims=True)

    vectors = standard(training)
    _, singular, directions = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    kept = round(0.5 * 11)
    assert model.components.shape[0] == kept
    assert np.allclose(model.variances, singular[:kept] ** 2 / 11, rtol=1e-4)
    whitened = (
        (standard(crops) - vectors.mean(axis=0)) @ directions[:kept].T / (singular[:kept] / np.sqrt(11))
    )
    unit = whitened / np.linalg.norm(whitened, axis=1, keepdims=True)
    everything = np.arange(6)
    got = eigenfaces(model, crops, list("abcdef")).tile(everything, everything)
    assert np.allclose(got, unit @ unit.T, atol=1e-3)


def test_refusals() -> None:
    with pytest.raises(InputError, match="at least 3"):
        fit_eigenfaces(faces(2, 0))
    flat = faces(3, 0)
    flat[1] = 7
    with pytest.raises(InputError, match="position 1"):
        correlation(flat, list("abc"))
    with pytest.raises(InputError, match="n × 150 × 130"):
        correlation(np.zeros((2, 10, 10), dtype=np.float32), list("ab"))
