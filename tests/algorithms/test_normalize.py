"""Crops by the eyes: where the eyes land, against an oracle, and what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.ndimage import map_coordinates
from tests.examples import examples

import proband.algorithms
from proband.algorithms import Geometry, crop_faces
from proband.errors import InputError, ProbandError

SHAPE = (260, 280)


def eyes_at(x: float, y: float, distance: float, degrees: float) -> np.ndarray:
    """The eyes of a face around a point, tilted."""
    half = distance / 2 * np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    return np.array([x - half[0], y - half[1], x + half[0], y + half[1]])


def spots(eyes: np.ndarray, shape: tuple[int, int] = SHAPE) -> np.ndarray:
    """A black picture with a bright spot at each eye."""
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    spread = np.hypot(eyes[2] - eyes[0], eyes[3] - eyes[1]) / 18
    picture = np.zeros(shape)
    for x, y in (eyes[:2], eyes[2:]):
        picture += 250 * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * spread**2))
    return np.clip(np.rint(picture), 0, 255).astype(np.uint8)


def centre_near(crop: np.ndarray, x: float, y: float, radius: int) -> tuple[float, float]:
    """The centre of brightness around a place."""
    rows, columns = np.mgrid[: crop.shape[0], : crop.shape[1]]
    weight = np.where((columns - x) ** 2 + (rows - y) ** 2 <= radius**2, crop.astype(np.float64), 0)
    return float((weight * columns).sum() / weight.sum()), float((weight * rows).sum() / weight.sum())


def by_oracle(picture: np.ndarray, eyes: np.ndarray, geometry: Geometry) -> np.ndarray:
    """Solve for the similarity transform from crop to picture and interpolate with scipy."""
    (ax, ay), (bx, by) = geometry.left_eye, geometry.right_eye
    # x' = p x - q y + s and y' = q x + p y + t at both eyes.
    system = [[ax, -ay, 1, 0], [ay, ax, 0, 1], [bx, -by, 1, 0], [by, bx, 0, 1]]
    p, q, s, t = np.linalg.solve(system, eyes)
    rows, columns = np.mgrid[: geometry.height, : geometry.width].astype(np.float64)
    where = [q * columns + p * rows + t, p * columns - q * rows + s]
    return map_coordinates(picture.astype(np.float64), where, order=1, mode="nearest")


faces_anywhere = st.builds(
    eyes_at,
    st.floats(110, 170),
    st.floats(100, 160),
    st.floats(30, 120),
    st.floats(-60, 60),
)


@examples(40)
@given(faces_anywhere)
def test_eyes_land_within_half_a_pixel(eyes: np.ndarray) -> None:
    crop = crop_faces([spots(eyes)], [eyes], threads=1)[0]
    assert crop.shape == (150, 130)
    for x, y in ((30, 45), (100, 45)):
        assert np.allclose(centre_near(crop, x, y, 14), (x, y), atol=0.5)


@examples(25)
@given(faces_anywhere, st.integers(0, 2**32 - 1), st.booleans())
def test_crops_equal_scipys_interpolation(eyes: np.ndarray, seed: int, tilted: bool) -> None:
    geometry = Geometry(70, 64, (14.0, 20.5), (45.5, 27.0)) if tilted else Geometry()
    picture = np.random.default_rng(seed).integers(0, 256, SHAPE).astype(np.uint8)
    crop = crop_faces([picture], [eyes], geometry, threads=1)[0]
    assert np.abs(crop - by_oracle(picture, eyes, geometry)).max() <= 1


def test_eyes_already_in_place_leave_the_picture_as_it_is() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (150, 130)).astype(np.uint8)
    assert np.array_equal(crop_faces([picture], [[30, 45, 100, 45]])[0], picture)


def test_outside_the_picture_its_border_is_repeated() -> None:
    picture = np.tile(np.arange(40, 90, dtype=np.uint8), (60, 1))
    eyes = np.array([2.0, 3.0, 37.0, 3.0])  # half a pixel of the picture to each of the crop
    crop = crop_faces([picture], [eyes])[0]
    assert (crop[:, :26] == 40).all()
    assert (crop[:, 124:] == 89).all()
    assert np.array_equal(crop[0], crop[149])
    assert np.abs(crop - by_oracle(picture, eyes, Geometry())).max() <= 1


def test_eyes_on_the_very_edge_are_inside() -> None:
    picture = np.random.default_rng(1).integers(0, 256, (20, 31)).astype(np.uint8)
    for eyes in ([0, 0, 30, 0], [0, 19, 30, 19], [0, 0, 30, 19]):
        crop = crop_faces([picture], [eyes])[0]
        assert np.abs(crop - by_oracle(picture, np.array(eyes), Geometry())).max() <= 1


def test_pictures_of_many_sizes_in_one_call() -> None:
    rng = np.random.default_rng(2)
    pictures = [rng.integers(0, 256, size).astype(np.uint8) for size in ((90, 120), (200, 70), (64, 64))]
    pictures.append(pictures[0][::2, ::-1])  # a view that is not contiguous
    eyes = np.array([[20, 30, 60, 34], [10, 90, 50, 80], [9, 9, 40, 9], [20, 20, 60, 24]], dtype=float)
    crops = crop_faces(pictures, eyes)
    for picture, own, crop in zip(pictures, eyes, crops, strict=True):
        assert np.array_equal(crop, crop_faces([np.ascontiguousarray(picture)], [own])[0])


def test_an_array_is_as_good_as_a_list_and_threads_do_not_matter() -> None:
    pictures = np.random.default_rng(3).integers(0, 256, (70, 50, 50)).astype(np.uint8)
    eyes = np.tile([12.0, 20.0, 35.0, 22.0], (70, 1)) + np.arange(70)[:, None] / 20
    small = Geometry(30, 26, (6.0, 9.0), (20.0, 9.0))
    once = crop_faces(pictures, eyes, small, threads=1)
    assert np.array_equal(once, crop_faces(list(pictures), eyes, small, threads=3))


def test_no_pictures_give_no_crops() -> None:
    assert crop_faces([], np.empty((0, 4))).shape == (0, 150, 130)


GREY = np.zeros((2, 50, 50), dtype=np.uint8)
GOOD = [10.0, 10.0, 30.0, 10.0]


@pytest.mark.parametrize(
    ("eyes", "said"),
    [
        ([30.0, 10.0, 10.0, 10.0], "not to the left"),
        ([10.0, 10.0, 10.0, 20.0], "not to the left"),
        ([10.0, np.nan, 30.0, 10.0], "no eye centres"),
        ([10.0, 10.0, np.inf, 10.0], "no eye centres"),
        ([-1.0, 10.0, 30.0, 10.0], "outside"),
        ([10.0, 10.0, 49.5, 10.0], "outside"),
        ([10.0, 49.1, 30.0, 10.0], "outside"),
        ([10.0, 10.0, 30.0, -0.01], "outside"),
    ],
)
def test_bad_eyes_are_named(eyes: list[float], said: str) -> None:
    with pytest.raises(InputError, match=f"{said}.*'b'") as caught:
        crop_faces(GREY, [GOOD, eyes], ids=["a", "b"])
    assert "'a'" not in caught.value.message
    with pytest.raises(InputError, match="'image 1'"):
        crop_faces(GREY, [GOOD, eyes])


@pytest.mark.parametrize("eyes", [[GOOD], [GOOD[:3], GOOD[:3]], GOOD, [[GOOD, GOOD]]])
def test_eyes_of_the_wrong_shape_are_refused(eyes: list) -> None:
    with pytest.raises(InputError, match="2 × 4"):
        crop_faces(GREY, eyes)


# Regression: eyes that are no table of numbers come out as numpy's ValueError.
@pytest.mark.parametrize("eyes", [[GOOD[:3], GOOD], [list("abcd"), GOOD]])
def test_eyes_that_are_no_table_of_numbers_are_refused(eyes: list) -> None:
    with pytest.raises(ProbandError):
        crop_faces(GREY, eyes)


@pytest.mark.parametrize(
    "odd",
    [
        np.zeros((50, 50, 3), dtype=np.uint8),
        np.zeros((50, 50), dtype=np.float32),
        np.zeros((50, 50), dtype=np.uint16),
        np.zeros(50, dtype=np.uint8),
    ],
)
def test_pictures_that_are_not_grey_and_8_bit_are_named(odd: np.ndarray) -> None:
    with pytest.raises(InputError, match="'odd one'.*" + str(odd.dtype)):
        crop_faces([GREY[0], odd], [GOOD, GOOD], ids=["even", "odd one"])


# Regression: the hint names proband.algorithms.read_images, which does not exist; it is read_picture.
def test_what_a_hint_names_exists() -> None:
    with pytest.raises(InputError) as caught:
        crop_faces([np.zeros((50, 50, 3), dtype=np.uint8)], [GOOD])
    for name in re.findall(r"proband\.algorithms\.(\w+)", str(caught.value.hint)):
        assert hasattr(proband.algorithms, name)


@pytest.mark.parametrize(
    "wrong", [{"height": 7}, {"width": 0}, {"left_eye": (100.0, 45.0)}, {"left_eye": (101.0, 45.0)}]
)
def test_geometries_that_hold_no_face_are_refused(wrong: dict) -> None:
    with pytest.raises(InputError, match="not a valid crop"):
        Geometry(**wrong)


# Regression: a place that is not a number passes every check, and makes every crop nonsense.
@pytest.mark.parametrize("side", ["left_eye", "right_eye"])
@pytest.mark.parametrize("place", [(np.nan, 45.0), (50.0, np.nan), (50.0, np.inf)])
def test_places_of_eyes_must_be_finite(side: str, place: tuple[float, float]) -> None:
    with pytest.raises(ProbandError, match=r"not a valid crop|must be a number"):
        Geometry(**{side: place})
