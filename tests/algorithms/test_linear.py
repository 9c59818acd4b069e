"""Correlation and eigenfaces against decompositions written out in float64."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.examples import some

from proband.algorithms import PCA, Correlation, Crops, Photometry, recognizer
from proband.algorithms.pictures.normalize import oval
from proband.errors import InputError, UsageError
from proband.samples import Ids

Make = Callable[..., Crops]
COMPARISONS = ("l1", "l2", "angle", "mahalanobis", "whitened-cosine", "whitened-l2")


def every(scores) -> np.ndarray:
    return scores.tile(np.arange(scores.shape[0]), np.arange(scores.shape[1]))


def standard(crops: Crops) -> np.ndarray:
    """Mask, equalise and standardise, the plain way."""
    rows = []
    for image in crops.images:
        values = image[oval(*crops.shape)]
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        shares = np.cumsum(counts)[place] / values.size
        rows.append((shares - shares.mean()) / shares.std())
    return np.array(rows)


def by_svd(train: Crops, kept: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean face, the leading directions (rows) and their variances."""
    pixels = standard(train)
    mean = pixels.mean(axis=0)
    _, singular, directions = np.linalg.svd(pixels - mean, full_matrices=False)
    return mean, directions[:kept], singular[:kept] ** 2 / (len(pixels) - 1)


def compared(x: np.ndarray, y: np.ndarray, variances: np.ndarray, comparison: str) -> np.ndarray:
    """All six comparisons as they are defined, pair by pair."""

    def one(a: np.ndarray, b: np.ndarray) -> float:
        unit_a, unit_b = a / np.linalg.norm(a), b / np.linalg.norm(b)
        white_a, white_b = a / np.sqrt(variances), b / np.sqrt(variances)
        return {
            "l1": np.abs(a - b).sum(),
            "l2": np.sqrt(((a - b) ** 2).sum()),
            "angle": unit_a @ unit_b,
            "mahalanobis": (unit_a * unit_b / np.sqrt(variances)).sum(),
            "whitened-cosine": white_a @ white_b / np.linalg.norm(white_a) / np.linalg.norm(white_b),
            "whitened-l2": np.linalg.norm(white_a - white_b),
        }[comparison]

    return np.array([[one(a, b) for b in y] for a in x])


# Correlation


def test_correlation_is_pearsons_inside_the_oval(random_crops: Make) -> None:
    query, target = random_crops(5, seed=1), random_crops(7, seed=2)
    model = Correlation().fit(query)
    inside = oval(24, 20)
    together = np.concatenate([query.images[:, inside], target.images[:, inside]]).astype(np.float64)
    assert np.allclose(every(model.scores(query, target)), np.corrcoef(together)[:5, 5:], atol=1e-5)
    assert np.allclose(every(model.scores(query, query)), np.corrcoef(together)[:5, :5], atol=1e-5)
    assert model.training is None


def test_correlation_without_mask_takes_every_pixel(random_crops: Make) -> None:
    crops = random_crops(6)
    model = recognizer("correlation", mask=False).fit(crops)
    expected = np.corrcoef(crops.images.reshape(6, -1).astype(np.float64))
    assert np.allclose(every(model.scores(crops, crops)), expected, atol=1e-5)


def test_correlation_needs_no_training_and_expects_one_size(random_crops: Make) -> None:
    model = Correlation(height=24, width=20).fit(None)
    assert model.represent(random_crops(3)).shape == (3, oval(24, 20).sum())
    with pytest.raises(InputError, match="24 × 20, got 20 × 24"):
        model.represent(random_crops(3, 20, 24))
    with pytest.raises(InputError, match="150 × 130"):
        Correlation().fit(None).represent(random_crops(3))
    with pytest.raises(InputError, match="too small"):
        Correlation(height=1).fit(None)


def test_a_flat_crop_is_named_wherever_it_stands(random_crops: Make) -> None:
    crops = random_crops(300, 8, 8)
    images = crops.images.copy()
    images[270] = 5
    with pytest.raises(InputError, match="'crop 270'"):
        Correlation().fit(crops).represent(Crops(images, crops.ids))


# PCA


@pytest.mark.parametrize("comparison", some(COMPARISONS, 2))
@pytest.mark.parametrize(
    ("n", "size", "components", "kept"),
    [(12, (24, 20), 5, 5), (12, (24, 20), 0.4, 4), (90, (8, 7), 0.4, None), (90, (8, 7), 10.0, 10)],
    ids=["fewer faces than pixels", "a share", "more faces than pixels", "a whole float"],
)
def test_pca_equals_a_plain_svd(
    random_crops: Make,
    comparison: str,
    n: int,
    size: tuple[int, int],
    components: float,
    kept: int | None,
) -> None:
    train, query, target = (random_crops(count, *size, seed=k) for k, count in enumerate((n, 4, 6)))
    n_pixels = int(oval(*size).sum())
    # Standardised pixels add up to zero, so that there is a direction fewer than pixels.
    kept = kept if kept is not None else round(0.4 * min(n - 1, n_pixels - 1))
    model = PCA(comparison, components).fit(train)
    mean, directions, variances = by_svd(train, kept)
    assert model.basis.shape == (kept, n_pixels)

    expected = compared(
        (standard(query) - mean) @ directions.T,
        (standard(target) - mean) @ directions.T,
        variances,
        comparison,
    )
    scores = model.scores(query, target)
    assert np.allclose(every(scores), expected, rtol=2e-4, atol=2e-4 * np.abs(expected).max())
    assert scores.orientation == ("distance" if comparison.endswith(("l1", "l2")) else "similarity")
    assert scores.name == f"pca:{comparison}"
    assert (scores.queries, scores.targets) == (query.ids, target.ids)


def test_coefficients_are_those_of_the_svd_up_to_sign(random_crops: Make) -> None:
    train = random_crops(15)
    got = PCA("l2", 6).fit(train).represent(train)
    mean, directions, variances = by_svd(train, 6)
    wanted = (standard(train) - mean) @ directions.T
    signs = np.sign((got * wanted).sum(axis=0))
    assert np.allclose(got * signs, wanted, atol=1e-3)
    assert np.allclose(got.var(axis=0, ddof=1), variances, rtol=1e-4)


def test_scores_of_a_set_with_itself_equal_those_with_its_copy(random_crops: Make) -> None:
    crops = random_crops(9)
    model = PCA("mahalanobis").fit(crops)
    copy = Crops(crops.images.copy(), crops.ids)
    assert np.array_equal(every(model.scores(crops, crops)), every(model.scores(crops, copy)))


@pytest.mark.parametrize(
    ("components", "kept"), [(1, 1), (1.0, 9), (9, 9), (0.999, 9), (0.5, 4), (0.4, 4), (0.01, 1), (3.0, 3)]
)
def test_numbers_and_shares_of_components(random_crops: Make, components: float, kept: int) -> None:
    assert len(PCA("l2", components).fit(random_crops(10)).basis) == kept


# Regression: numpy's whole number 1 is taken for the share 1.0, and keeps all.
def test_whole_numbers_of_numpy_are_whole_numbers(random_crops: Make) -> None:
    for number in (np.int64(1), np.int32(2)):
        assert len(PCA("l2", number).fit(random_crops(10)).basis) == number


def test_too_many_components_are_refused(random_crops: Make) -> None:
    with pytest.raises(InputError, match=r"10 components .* 10 training faces provide only 9"):
        PCA("l2", 10).fit(random_crops(10))
    plain = Photometry(mask=False, equalize=False, standardize=False)
    assert len(PCA("l2", 12, plain).fit(random_crops(50, 4, 3)).basis) == 12
    with pytest.raises(InputError, match="only 12"):
        PCA("l2", 13, plain).fit(random_crops(50, 4, 3))


@pytest.mark.parametrize("components", [0, -1, 1.5, -0.2, float("inf")])
def test_numbers_of_components_that_are_none_are_refused(components: float) -> None:
    with pytest.raises(UsageError, match="number of components"):
        PCA("l2", components)


# Regression: what is not a number passes, and comes out of fit as a ValueError.
def test_a_number_of_components_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(UsageError, match="components must be a number"):
        PCA("l2", float("nan"))


@pytest.mark.parametrize("copies", [2, 3, 5])
def test_repeated_faces_add_no_direction(random_crops: Make, copies: int) -> None:
    once = random_crops(7)
    often = Crops(np.repeat(once.images, copies, axis=0), Ids(range(7 * copies)))
    model = PCA("whitened-l2", 1.0).fit(often)
    assert len(model.basis) == 6
    # The directions are the same, and the variances as well but for their divisor.
    ratio = every(model.scores(once, once)) / np.maximum(
        every(PCA("whitened-l2", 1.0).fit(once).scores(once, once)), 1e-9
    )
    off = ~np.eye(7, dtype=bool)
    assert np.allclose(ratio[off], np.sqrt((7 * copies - 1) / (6 * copies)), rtol=1e-3)


@pytest.mark.parametrize("components", [0.4, 1, 3])
def test_faces_that_are_all_the_same_are_refused(random_crops: Make, components: float) -> None:
    same = Crops(np.repeat(random_crops(1).images, 6, axis=0), Ids(range(6)))
    with pytest.raises(InputError, match="only 0"):
        PCA("l2", components).fit(same)


# Regression: a share of 1.0 of no components is none, and a model without a basis silently compares plain pixels.
def test_faces_that_are_all_the_same_are_refused_with_all_components(random_crops: Make) -> None:
    same = Crops(np.repeat(random_crops(1).images, 6, axis=0), Ids(range(6)))
    with pytest.raises(InputError):
        PCA("l2", 1.0).fit(same)


def test_too_little_training_and_other_sizes_are_refused(random_crops: Make) -> None:
    with pytest.raises(InputError, match="at least 3 training faces, got 2"):
        PCA().fit(random_crops(2))
    with pytest.raises(InputError, match="got 0"):
        PCA().fit(None)
    with pytest.raises(UsageError, match="got 'euclid'"):
        PCA("euclid")
    model = PCA("l2").fit(random_crops(6))
    with pytest.raises(InputError, match="trained on crops of 24 × 20, got 20 × 24"):
        model.scores(random_crops(2, 20, 24), random_crops(2))


def test_what_a_model_was_trained_on_is_recorded(random_crops: Make) -> None:
    train = random_crops(12, people=4)
    training = PCA("l1").fit(train).training
    assert (training.n_images, training.n_subjects) == (12, 4)
    assert PCA("l1").fit(random_crops(12)).training.n_subjects is None


def test_many_faces_are_represented_as_a_few_at_a_time(random_crops: Make) -> None:
    crops = random_crops(600, 10, 9)
    model = PCA("l2", 5).fit(random_crops(30, 10, 9, seed=1))
    whole = model.represent(crops)
    parts = [model.represent(crops.take(crops.ids[k : k + 7])) for k in range(0, 600, 7)]
    assert np.allclose(whole, np.concatenate(parts), rtol=1e-5, atol=1e-5)
