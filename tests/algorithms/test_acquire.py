"""From pictures to crops: what fails is counted with its reason, and never stops the run."""

from __future__ import annotations

import threading
import time
import weakref
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from proband.algorithms import Acquired, Geometry, Pictures, acquire, crop_faces
from proband.algorithms.pictures.acquire import NO_EYES, NO_FACE, Failure
from proband.errors import InputError
from proband.samples import Samples

SMALL = Geometry(30, 26, (6.0, 9.0), (20.0, 9.0))
EYES = (10.0, 12.0, 28.0, 13.0)


def table(n: int, failed: str | None = None, **columns: list) -> Samples:
    eyes = zip(("left_eye_x", "left_eye_y", "right_eye_x", "right_eye_y"), EYES, strict=True)
    plain = {"id": [f"s{k}" for k in range(n)], "subject": [f"p{k // 2}" for k in range(n)]}
    return Samples({**plain, **{name: [value] * n for name, value in eyes}, **columns}, failed=failed)


def random_pictures(n: int, size: tuple[int, int] = (50, 40)) -> np.ndarray:
    return np.random.default_rng(n).integers(0, 256, (n, *size)).astype(np.uint8)


def in_memory(images: np.ndarray, samples: Samples) -> Pictures:
    return Pictures(dict(zip(samples.ids, images, strict=True)).__getitem__)


class Finds:
    """A detector that finds the eyes where it is told to, or no face in dark pictures."""

    name = "a detector of the tests"

    def __init__(self, eyes: tuple[float, ...] = EYES) -> None:
        self.eyes = eyes

    def find(self, picture: np.ndarray) -> tuple[float, ...] | None:
        return None if picture.max() < 20 else self.eyes


def test_crops_are_those_of_the_eyes_in_the_table() -> None:
    samples, images = table(6), random_pictures(6)
    acquired = acquire(in_memory(images, samples), samples, samples.ids, geometry=SMALL)
    assert np.array_equal(acquired.crops.images, crop_faces(images, [EYES] * 6, SMALL))
    assert acquired.crops.ids == samples.ids
    assert acquired.crops.subjects == ("p0", "p0", "p1", "p1", "p2", "p2")
    assert acquired.failures == {}
    assert acquired.notes == ()


def test_only_the_named_samples_are_read_in_the_order_they_are_named() -> None:
    samples, images = table(6), random_pictures(6)
    asked: list[str] = []
    pictures = Pictures(lambda name: asked.append(name) or images[int(name[1:])])
    acquired = acquire(pictures, samples, ["s4", "s1"], geometry=SMALL, threads=1)
    assert acquired.crops.ids[:] == ("s4", "s1")
    assert acquired.crops.subjects == ("p2", "p0")
    assert asked == ["s4", "s1"]
    assert np.array_equal(acquired.crops.images, crop_faces(images[[4, 1]], [EYES] * 2, SMALL))


def test_the_default_crop_is_150_by_130() -> None:
    samples = table(1)
    assert acquire(in_memory(random_pictures(1), samples), samples, ["s0"]).crops.shape == (150, 130)


def test_a_detector_is_asked_instead_of_the_table() -> None:
    samples, images = table(3), random_pictures(3)
    other = (5.0, 20.0, 33.0, 25.0)
    acquired = acquire(
        in_memory(images, samples), samples, samples.ids, detector=Finds(other), geometry=SMALL
    )
    assert np.array_equal(acquired.crops.images, crop_faces(images, [other] * 3, SMALL))
    blind = Samples({"id": samples.ids[:], "subject": ["a", "b", "c"]})  # no eyes in the table
    again = acquire(in_memory(images, blind), blind, blind.ids, detector=Finds(other), geometry=SMALL)
    assert np.array_equal(again.crops.images, acquired.crops.images)


def test_every_kind_of_failure_is_counted_with_its_reason(tmp_path: Path) -> None:
    names = ["good", "broken", "missing", "nameless", "no eyes", "swapped", "outside", "marked", "last"]
    samples = Samples(
        {
            "id": names,
            "subject": [f"p{k}" for k in range(9)],
            "file": ["good.png", "broken.png", "nowhere.png", None, *["good.png"] * 5],
            "left_eye_x": [10.0, 10.0, 10.0, 10.0, None, 28.0, -3.0, 10.0, 10.0],
            "left_eye_y": [12.0] * 9,
            "right_eye_x": [28.0, 28.0, 28.0, 28.0, 28.0, 10.0, 28.0, 28.0, 28.0],
            "right_eye_y": [13.0] * 9,
            "found": [True] * 7 + [False, True],
        },
        failed="not found",
    )
    Image.fromarray(random_pictures(1)[0]).save(tmp_path / "good.png")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n and then nothing")
    acquired = acquire(Pictures.of(tmp_path, samples), samples, names, geometry=SMALL)
    assert acquired.crops.ids[:] == ("good", "last")
    assert np.array_equal(acquired.crops.images[0], acquired.crops.images[1])
    said = {
        "broken": "cannot be read as an image",
        "missing": "cannot be read as an image",
        "nameless": "has no file",
        "no eyes": "no eye centres",
        "swapped": "not to the left",
        "outside": "outside the image",
        "marked": "marked as failed",
    }
    assert list(acquired.failures) == list(said)
    for name, why in said.items():
        assert why in str(acquired.failures[name])
        assert not str(acquired.failures[name]).endswith(".")


def test_a_face_that_is_not_found_is_a_failure() -> None:
    samples, images = table(4), random_pictures(4)
    images[[1, 2]] = 7
    acquired = acquire(in_memory(images, samples), samples, samples.ids, detector=Finds(), geometry=SMALL)
    assert acquired.failures == dict.fromkeys(("s1", "s2"), Failure(NO_FACE))
    assert tuple(map(str, acquired.notes)) == ("2 failures to acquire: no face was found",)


def test_eyes_that_a_detector_puts_outside_the_picture_are_a_failure() -> None:
    samples, images = table(3), random_pictures(3)

    class Wild(Finds):
        def find(self, picture: np.ndarray) -> tuple[float, ...] | None:
            return (
                (-5.0, 3.0, 20.0, 3.0) if picture is images[1] or np.array_equal(picture, images[1]) else EYES
            )

    acquired = acquire(in_memory(images, samples), samples, samples.ids, detector=Wild(), geometry=SMALL)
    assert {name: why.kind for name, why in acquired.failures.items()} == {"s1": NO_EYES}
    assert [str(note) for note in acquired.notes] == [
        "1 failure to acquire: no usable eye centres (first: In 1 image an eye is outside the image: 's1')"
    ]


def test_pictures_that_are_not_grey_are_failures() -> None:
    samples, images = table(3), random_pictures(3)
    odd = {"s1": images[1].astype(np.float32), "s2": np.stack([images[2]] * 3, axis=2)}
    pictures = Pictures(lambda name: odd.get(name, images[int(name[1:])]))
    for as_they_are in (True, False):
        acquired = acquire(pictures, samples, samples.ids, geometry=SMALL, as_they_are=as_they_are)
        assert list(acquired.failures) == ["s1", "s2"]
        assert all("not an 8-bit grey image" in str(why) for why in acquired.failures.values())


def test_reasons_are_counted_most_frequent_first() -> None:
    samples, images = (
        table(8, failed="gone", gone=[False, True, False, False, False, True, True, True]),
        random_pictures(8),
    )
    images[[2, 3]] = 0
    acquired = acquire(in_memory(images, samples), samples, samples.ids, detector=Finds(), geometry=SMALL)
    assert tuple(map(str, acquired.notes)) == (
        "4 failures to acquire: marked as failed in the table",
        "2 failures to acquire: no face was found",
    )


# Regression: a reason that begins with the name of a file is a kind of its own, so a thousand files make a
# thousand notes.
@pytest.mark.parametrize("column", [True, False], ids=["named in a column", "named as the sample"])
def test_failures_of_one_kind_are_one_note(tmp_path: Path, column: bool) -> None:
    samples = table(6, **({"file": [f"s{k}.png" for k in range(6)]} if column else {}))
    Image.fromarray(random_pictures(1)[0]).save(tmp_path / "s0.png")
    acquired = acquire(Pictures.of(tmp_path, samples), samples, samples.ids, geometry=SMALL)
    assert len(acquired.failures) == 5
    assert len(acquired.notes) == 1
    assert str(acquired.notes[0]).startswith("5 failures")


def test_pictures_as_they_are_need_no_eyes() -> None:
    samples = Samples({"id": ["a", "b"], "subject": ["p", "q"]})
    images = random_pictures(2, (17, 11))
    acquired = acquire(in_memory(images, samples), samples, samples.ids, as_they_are=True)
    assert np.array_equal(acquired.crops.images, images)


def test_pictures_as_they_are_must_be_of_one_size() -> None:
    samples = table(3)
    images = {"s0": random_pictures(1)[0], "s1": random_pictures(1)[0], "s2": random_pictures(1, (50, 41))[0]}
    with pytest.raises(InputError, match=r"images have different sizes: 's0'.*'s2'"):
        acquire(Pictures(images.__getitem__), samples, samples.ids, as_they_are=True)


def test_pictures_of_many_sizes_are_cropped_to_one() -> None:
    samples = table(3)
    images = {f"s{k}": random_pictures(1, size)[0] for k, size in enumerate([(50, 40), (33, 60), (90, 90)])}
    acquired = acquire(Pictures(images.__getitem__), samples, samples.ids, geometry=SMALL)
    for name, crop in zip(samples.ids, acquired.crops.images, strict=True):
        assert np.array_equal(crop, crop_faces([images[name]], [EYES], SMALL)[0])


def test_order_and_result_do_not_depend_on_threads() -> None:
    samples, images = table(120), random_pictures(120)
    images[[5, 50, 119]] = 0
    rng = np.random.default_rng(0)
    delays = dict(zip(samples.ids, rng.uniform(0, 0.002, 120), strict=True))

    def load(name: str) -> np.ndarray:
        time.sleep(delays[name])
        return images[int(name[1:])]

    def run(threads: int) -> Acquired:
        return acquire(
            Pictures(load), samples, samples.ids, detector=Finds(), geometry=SMALL, threads=threads
        )

    one, several = run(1), run(4)
    assert one.failures == several.failures
    assert list(several.failures) == ["s5", "s50", "s119"]
    assert one.crops.ids == several.crops.ids
    assert np.array_equal(one.crops.images, several.crops.images)


@pytest.mark.parametrize("threads", [1, 3])
def test_pictures_are_let_go_once_they_are_cropped(threads: int) -> None:
    samples = table(100)
    alive: set[int] = set()
    most, lock = [0], threading.Lock()

    def gone(number: int) -> None:
        with lock:
            alive.discard(number)

    def load(name: str) -> np.ndarray:
        number = int(name[1:])
        picture = np.full((50, 40), number, dtype=np.uint8)
        with lock:
            alive.add(number)
            most[0] = max(most[0], len(alive))
        weakref.finalize(picture, gone, number)
        return picture

    acquire(Pictures(load), samples, samples.ids, geometry=SMALL, threads=threads)
    assert most[0] <= threads + 1


def test_progress_is_told_of_every_picture() -> None:
    class Listener:
        total = done = 0

        def begin(self, what: str, total: int) -> None:
            self.total = total

        def advance(self, steps: int) -> None:
            self.done += steps

    samples, listener = table(37), Listener()
    acquire(in_memory(random_pictures(37), samples), samples, samples.ids, geometry=SMALL, progress=listener)
    assert (listener.total, listener.done) == (37, 37)


def test_nothing_usable_is_refused_with_a_reason() -> None:
    samples = table(3)
    with pytest.raises(InputError, match=r"None of 3 images could be used.*no face was found"):
        acquire(in_memory(random_pictures(3) * 0, samples), samples, samples.ids, detector=Finds())


def test_a_table_without_eyes_is_refused_before_anything_is_read() -> None:
    samples = Samples({"id": ["a"], "subject": ["p"], "left_eye_x": [3.0]})

    def load(name: str) -> np.ndarray:
        raise AssertionError("nothing should be read")

    with pytest.raises(InputError, match="no column 'left_eye_y'") as caught:
        acquire(Pictures(load), samples, ["a"])
    assert "detect=" in str(caught.value.hint)


def test_a_sample_that_is_not_in_the_table_is_refused() -> None:
    samples = table(2)
    with pytest.raises(InputError, match="'nobody'"):
        acquire(in_memory(random_pictures(2), samples), samples, ["s0", "nobody"])


def test_eyes_that_are_no_numbers_are_missing() -> None:
    samples = table(3, left_eye_x=["10", "?", "10.0"])
    acquired = acquire(in_memory(random_pictures(3), samples), samples, samples.ids, geometry=SMALL)
    assert list(acquired.failures) == ["s1"]
    assert "no eye centres" in str(acquired.failures["s1"])
