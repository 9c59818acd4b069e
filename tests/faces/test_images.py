"""The images of a synthetic population, and sheets of them."""

from __future__ import annotations

import numpy as np
import pytest

from proband.errors import UsageError
from proband.faces import Population, contact_sheet
from proband.faces.layout import lay_out
from proband.faces.painting.camera import frame, rotate
from proband.faces.plan import Take
from proband.faces.population import Subject

EYES = (("left_eye_x", "left_eye_y"), ("right_eye_x", "right_eye_y"))


@pytest.fixture(scope="module")
def population() -> Population:
    return Population(30, seed=4)


@pytest.fixture(scope="module")
def images(population: Population) -> np.ndarray:
    return population.render(threads=2)


@pytest.fixture(scope="module")
def calm() -> Population:
    return Population(12, seed=4, difficulty=0.0)


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a.ravel(), b.ravel())[0, 1])


@pytest.mark.long
def test_images_are_grey_and_as_large_as_asked(images: np.ndarray, population: Population) -> None:
    assert images.dtype == np.uint8
    assert images.shape == (len(population), 192, 160)
    for height, width in ((48, 48), (97, 64), (50, 120)):
        small = Population(2, height=height, width=width)
        assert small.render(threads=1).shape == (len(small), height, width)


@pytest.mark.long
def test_bytes_do_not_depend_on_threads_or_order(images: np.ndarray, population: Population) -> None:
    np.testing.assert_array_equal(images, population.render(threads=1))
    some = [7, 3, 3, 20]
    np.testing.assert_array_equal(images[some], population.render(some, threads=3))
    np.testing.assert_array_equal(images[some], population.render(np.array(some)))


def test_a_smaller_population_is_the_beginning_of_a_larger_one(images: np.ndarray) -> None:
    few = Population(5, seed=4)
    np.testing.assert_array_equal(few.render(), images[: len(few)])


def test_progress_adds_up_to_the_number_of_images(population: Population) -> None:
    steps: list[int] = []
    population.render(range(10), progress=steps.append)
    assert sum(steps) == 10


def test_no_image_is_flat_black_or_white(images: np.ndarray) -> None:
    assert images.std(axis=(1, 2)).min() > 12
    assert 60 < images.mean(axis=(1, 2)).min() < images.mean(axis=(1, 2)).max() < 220
    assert ((images == 0) | (images == 255)).mean() < 0.05


def test_the_mean_image_is_that_of_a_face(images: np.ndarray, population: Population) -> None:
    mean = images.mean(axis=0)
    columns = population.columns()
    x = [round(np.mean(columns[name])) for name in ("left_eye_x", "right_eye_x")]
    y = round(np.mean(columns["left_eye_y"]))
    cheeks = mean[y + 18 : y + 26]
    for at in x:
        assert mean[y - 2 : y + 3, at - 4 : at + 5].mean() < cheeks[:, at - 4 : at + 5].mean() - 15
    assert mean.std() > 15


def test_eyes_lie_where_the_columns_say(images: np.ndarray, population: Population) -> None:
    columns = population.columns()
    rows, cols = np.mgrid[:192, :160]
    darker = []
    for k, image in enumerate(images):
        for name_x, name_y in EYES:
            away = np.hypot(cols - columns[name_x][k], rows - columns[name_y][k])
            darker.append(image[away < 2.5].mean() < image[(away > 6) & (away < 9)].mean() - 5)
    assert np.mean(darker) > 0.97


@pytest.mark.parametrize("number", range(6))
def test_places_survive_the_rotation_to_a_fraction_of_a_pixel(number: int) -> None:
    subject = Subject(seed=4, number=number, difficulty=2.0)
    identity = subject.identity()
    sitting, shot = subject.appear(identity, Take(1, 0, 0, "fa", "neutral"))
    framing = frame(shot, 192, 160)
    assert abs(framing.roll) > 0.002
    for u, v in lay_out(identity.anatomy, sitting, shot).eyes:
        image = rotate(framing.grid().blob((u, v), (0.1, 0.1)), framing)
        rows, columns = np.mgrid[:192, :160]
        x, y = (float((at * image).sum() / image.sum()) for at in (columns, rows))
        assert framing.place(u, v) == pytest.approx((x, y), abs=0.03)


def test_without_difficulty_only_expression_changes(calm: Population) -> None:
    columns, images = calm.columns(), calm.render()
    neutral: dict[str, np.ndarray] = {}
    for subject, kind, image in zip(columns["subject"], columns["kind"], images, strict=True):
        if kind == "fb":
            assert correlation(neutral[subject], image) > 0.97
            assert (np.abs(neutral[subject].astype(int) - image) > 3).mean() < 0.25
        else:
            np.testing.assert_array_equal(neutral.setdefault(subject, image), image)
    assert set(columns["yaw"]) == {0.0}


@pytest.mark.long
def test_difficulty_makes_images_of_a_subject_less_alike() -> None:
    def likeness(difficulty: float) -> float:
        pair = {"plan": "grid", "sessions": 2, "images_per_session": 1}
        images = Population(15, seed=4, difficulty=difficulty, **pair).render()  # type: ignore[arg-type]
        inside = images[:, 50:160, 45:115]
        return float(np.mean([correlation(a, b) for a, b in zip(inside[::2], inside[1::2], strict=True)]))

    easy, usual, hard = (likeness(difficulty) for difficulty in (0.0, 1.0, 2.0))
    assert easy == pytest.approx(1.0)
    assert hard < usual < 0.95


def test_subjects_differ(calm: Population) -> None:
    columns, images = calm.columns(), calm.render()
    first = [k for k, name in enumerate(columns["id"]) if name.endswith("-1-fa")]
    faces = images[first][:, 50:160, 45:115].reshape(len(first), -1)
    between = np.corrcoef(faces)[np.triu_indices(len(first), 1)]
    assert between.max() < 0.97
    assert between.min() > 0.0


@pytest.mark.parametrize("indices", [[-1], [10**6]])
def test_images_that_do_not_exist_are_refused(population: Population, indices: list[int]) -> None:
    with pytest.raises(UsageError, match=str(indices[0])):
        population.render(indices)


def test_less_than_one_thread_is_refused(population: Population) -> None:
    with pytest.raises(UsageError, match="threads"):
        population.render([0], threads=0)


def test_no_images_are_an_empty_array(population: Population) -> None:
    assert population.render([]).shape == (0, 192, 160)


def test_a_sheet_holds_all_images(images: np.ndarray) -> None:
    sheet = np.asarray(contact_sheet(images[:5], 3))
    assert sheet.shape == (2 * (192 + 4) + 4, 3 * (160 + 4) + 4)
    np.testing.assert_array_equal(sheet[4:196, 4:164], images[0])
    np.testing.assert_array_equal(sheet[200:392, 168:328], images[4])
    labelled = contact_sheet(images[:5], 3, labels=list("abcde"))
    assert labelled.height > sheet.shape[0]


def test_a_sheet_of_nonsense_is_refused(images: np.ndarray) -> None:
    with pytest.raises(UsageError, match="shape"):
        contact_sheet(images[0], 3)
    with pytest.raises(UsageError, match="columns_per_row"):
        contact_sheet(images[:2], 0)
    with pytest.raises(UsageError, match="labels"):
        contact_sheet(images[:2], 2, labels=["one"])
