"""Crops: what they may be, who they are of, and what is made of them once."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import proband.algorithms
from proband.algorithms import Crops, recognizer
from proband.algorithms.pictures.crops import area_means
from proband.errors import InputError
from proband.samples import Ids, Samples

Make = Callable[..., Crops]
IMAGES = np.arange(4 * 3 * 2, dtype=np.uint8).reshape(4, 3, 2)


@pytest.mark.parametrize(
    "images",
    [
        IMAGES[0],
        IMAGES[None],
        IMAGES.astype(np.float32),
        IMAGES.astype(np.uint16),
        IMAGES.astype(np.int8),
        np.empty((4, 0, 2), dtype=np.uint8),
    ],
    ids=["one image", "four axes", "floats", "16 bits", "signed", "no pixels"],
)
def test_crops_are_grey_images_of_8_bits(images: np.ndarray) -> None:
    with pytest.raises(InputError, match=f"n × height × width.*{images.dtype}") as caught:
        Crops(images, Ids("abcd"))
    assert caught.value.hint


# Regression: the hint names proband.algorithms.read_images, which does not exist; it is read_picture.
def test_what_the_hint_names_exists() -> None:
    with pytest.raises(InputError) as caught:
        Crops(IMAGES[0], Ids("abcd"))
    for name in re.findall(r"proband\.algorithms\.(\w+)", str(caught.value.hint)):
        assert hasattr(proband.algorithms, name)


def test_ids_and_subjects_must_be_as_many_as_crops() -> None:
    with pytest.raises(InputError, match="4 crops but 3 ids"):
        Crops(IMAGES, Ids("abc"))
    with pytest.raises(InputError, match="4 crops but 2 subjects"):
        Crops(IMAGES, Ids("abcd"), ("p", "q"))


def test_crops_cannot_be_changed_and_leave_the_callers_array_alone() -> None:
    images = IMAGES.copy()
    crops = Crops(images, Ids("abcd"))
    with pytest.raises(ValueError, match="read-only"):
        crops.images[0, 0, 0] = 1
    images[0, 0, 0] = 9  # the caller's own array stays writable
    assert len(crops) == 4
    assert crops.shape == (3, 2)


def test_taking_some_keeps_their_order_ids_and_subjects() -> None:
    crops = Crops(IMAGES, Ids("abcd"), ("p", "q", "p", "r"))
    some = crops.take(["d", "a"])
    assert np.array_equal(some.images, IMAGES[[3, 0]])
    assert some.ids[:] == ("d", "a")
    assert some.subjects == ("r", "p")
    assert Crops(IMAGES, Ids("abcd")).take(["b"]).subjects is None
    with pytest.raises(InputError, match="'z'"):
        crops.take(["a", "z"])
    with pytest.raises(InputError, match="repeat"):
        crops.take(["a", "a"])


def test_a_memory_map_is_not_copied(tmp_path: Path) -> None:
    np.save(tmp_path / "images.npy", IMAGES)
    mapped = np.load(tmp_path / "images.npy", mmap_mode="r")
    crops = Crops(mapped, Ids("abcd"))
    assert crops.images is mapped
    assert np.array_equal(crops.take(["c"]).images, IMAGES[2:3])


def test_something_is_made_once_for_each_key() -> None:
    crops = Crops(IMAGES, Ids("abcd"))
    calls: list[str] = []

    def make(key: str) -> Callable[[], str]:
        return lambda: calls.append(key) or f"made of {key}"

    assert [crops.remember(key, make(key)) for key in "aaba"] == [f"made of {key}" for key in "aaba"]
    assert calls == ["a", "b"]
    assert crops.take(["a"]).remember("a", make("new")) == "made of new"


def test_recognisers_trained_on_the_same_crops_share_components(random_crops: Make) -> None:
    train = random_crops(20, people=5)
    one, other = (recognizer(name).fit(train) for name in ("pca:l2", "pca:mahalanobis"))
    assert np.shares_memory(one.basis, other.basis)
    assert not np.array_equal(recognizer("pca:l2", mask=False).fit(train).basis.shape, one.basis.shape)


def test_crops_of_a_table_know_their_people() -> None:
    samples = Samples({"id": list("abcd"), "subject": ["p", "q", "p", "r"]})
    assert Crops.of(IMAGES, samples).subjects == ("p", "q", "p", "r")
    mixed = Crops.of(IMAGES[:2], samples, ["d", "b"])
    assert mixed.subjects == ("r", "q")
    assert mixed.ids[:] == ("d", "b")
    with pytest.raises(InputError, match="'z'"):
        Crops.of(IMAGES[:1], samples, ["z"])


def test_people_are_numbered_in_order_of_appearance() -> None:
    people, codes = Crops(IMAGES, Ids("abcd"), ("q", "p", "q", "r")).classes("the test")
    assert people == ["q", "p", "r"]
    assert codes.tolist() == [0, 1, 0, 2]
    with pytest.raises(InputError, match="the test needs the subject"):
        Crops(IMAGES, Ids("abcd")).classes("the test")


def test_blocks_cover_all_crops_once() -> None:
    crops = Crops(np.zeros((10, 2, 2), dtype=np.uint8), Ids(range(10)))
    assert [(part.start, part.stop) for part in crops.blocks(4)] == [(0, 4), (4, 8), (8, 10)]
    assert [(part.start, part.stop) for part in crops.blocks()] == [(0, 10)]


@pytest.mark.parametrize("size", [(12, 10), (24, 20), (30, 7), (1, 1)])
def test_other_sizes_are_means_over_areas(random_crops: Callable[..., Crops], size: tuple[int, int]) -> None:
    """Against an independent implementation; the whole keeps its mean."""
    from skimage.transform import resize_local_mean

    (image,) = random_crops(1).images
    made = area_means(image, size)
    assert made == pytest.approx(resize_local_mean(image, size, preserve_range=True), abs=1e-9)
    assert made.mean() == pytest.approx(image.mean())
