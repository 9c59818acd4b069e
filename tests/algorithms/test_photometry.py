"""From crops to comparable pixels, each step against the plainest numpy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from skimage.exposure import equalize_hist
from tests.examples import examples

from proband.algorithms import Photometry
from proband.algorithms.pictures.normalize import oval
from proband.errors import InputError


def naive(image: np.ndarray, photometry: Photometry) -> np.ndarray:
    inside = oval(*image.shape) if photometry.mask else np.ones(image.shape, dtype=bool)
    values = image[inside].astype(np.float64)
    if photometry.equalize:
        values = np.array([np.mean(values <= value) for value in values])
    if photometry.standardize:
        values = (values - values.mean()) / values.std()
    return values


crops_of_few_levels = arrays(np.uint8, (3, 9, 8), elements=st.integers(0, 255)).filter(
    lambda crops: all(len(np.unique(crop[oval(9, 8)])) > 1 for crop in crops)
)


@examples(20)
@given(crops_of_few_levels)
@pytest.mark.parametrize("steps", list(product([True, False], repeat=3)), ids=str)
def test_every_choice_of_steps_equals_plain_numpy(steps: tuple[bool, ...], crops: np.ndarray) -> None:
    photometry = Photometry(*steps)
    pixels = photometry.pixels(crops)
    assert pixels.dtype == np.float32
    for image, row in zip(crops, pixels, strict=True):
        assert np.allclose(row, naive(image, photometry), rtol=1e-5, atol=1e-5)


def test_equalisation_inside_the_mask_is_that_of_skimage() -> None:
    crops = np.random.default_rng(0).normal(120, 40, (4, 60, 52)).clip(0, 255).astype(np.uint8)
    mask = oval(60, 52)
    pixels = Photometry(standardize=False).pixels(crops)
    for image, row in zip(crops, pixels, strict=True):
        assert np.allclose(row, equalize_hist(image, mask=mask)[mask], atol=1e-6)


def test_standardised_pixels_have_zero_mean_and_unit_variance() -> None:
    crops = np.random.default_rng(1).integers(0, 256, (5, 150, 130)).astype(np.uint8)
    pixels = Photometry().pixels(crops).astype(np.float64)
    assert np.allclose(pixels.mean(axis=1), 0, atol=1e-5)
    assert np.allclose(pixels.std(axis=1), 1, atol=1e-5)


def test_light_that_keeps_the_order_of_grey_values_is_equalised_away() -> None:
    crops = np.random.default_rng(2).integers(0, 100, (3, 30, 26)).astype(np.uint8)
    brighter = (crops * 2 + 50).astype(np.uint8)
    assert np.array_equal(Photometry().pixels(crops), Photometry().pixels(brighter))


def test_what_lies_outside_the_oval_does_not_matter() -> None:
    crops = np.random.default_rng(3).integers(0, 256, (2, 30, 26)).astype(np.uint8)
    other = np.where(oval(30, 26), crops, 255 - crops)
    assert np.array_equal(Photometry().pixels(crops), Photometry().pixels(other))
    assert not np.array_equal(Photometry(mask=False).pixels(crops), Photometry(mask=False).pixels(other))


def test_the_oval_holds_eyes_and_mouth_and_no_corners() -> None:
    mask = oval(150, 130)
    assert mask[45, 30]
    assert mask[45, 100]
    assert mask[120, 65]
    assert not mask[[0, 0, -1, -1], [0, -1, 0, -1]].any()
    assert np.array_equal(mask, mask[:, ::-1])
    assert 0.6 < mask.mean() < 0.9


@pytest.mark.parametrize("equalize", [True, False])
def test_a_crop_of_one_grey_value_is_refused_by_name(equalize: bool) -> None:
    crops = np.random.default_rng(4).integers(0, 256, (4, 20, 16)).astype(np.uint8)
    crops[2] = np.where(oval(20, 16), 77, crops[2])  # flat inside the oval only
    photometry = Photometry(equalize=equalize)
    with pytest.raises(InputError, match=r"'dull'.*one grey value"):
        photometry.pixels(crops, 0, ["a", "b", "dull", "d"])
    with pytest.raises(InputError, match="'dull'"):
        photometry.pixels(crops[1:], 1, ["a", "b", "dull", "d"])
    with pytest.raises(InputError, match="'crop 2'"):
        photometry.pixels(crops)
    assert np.isfinite(Photometry(equalize=equalize, standardize=False).pixels(crops)).all()
    assert np.isfinite(Photometry(mask=False, equalize=equalize).pixels(crops)).all()
