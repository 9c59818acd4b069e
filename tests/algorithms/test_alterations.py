"""Digitally changed pictures: grey values by plain arithmetic, geometry by where things land, and the table."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.algorithms.pictures.alterations import (
    Alteration,
    Gamma,
    Gradient,
    Illumination,
    Rotation,
    Scale,
    alteration,
    with_altered,
)
from proband.errors import InputError, UsageError
from proband.samples import Samples

ROWS, COLUMNS = np.mgrid[:120, :100]
EYES = np.array([[30.0, 50.0, 80.0, 47.0]])


@pytest.fixture(scope="module")
def noise() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (3, 30, 20)).astype(np.uint8)


def dot(x: float, y: float, width: float = 4.0) -> np.ndarray:
    """A soft white dot on black."""
    return np.rint(220 * np.exp(-((COLUMNS - x) ** 2 + (ROWS - y) ** 2) / (2 * width**2))).astype(np.uint8)


def centroid(image: np.ndarray) -> tuple[float, float]:
    weights = image.astype(float)
    return float((weights * COLUMNS).sum() / weights.sum()), float((weights * ROWS).sum() / weights.sum())


def rounded(value: float) -> int:
    return int(min(max(np.floor(value + 0.5), 0), 255))


@pytest.mark.parametrize("gain", [0.3, 0.5, 1.4, 3.0])
def test_gain_is_multiplication_and_says_what_it_clips(noise: np.ndarray, gain: float) -> None:
    changed, eyes, clipped = Illumination(gain).apply(noise)
    expected = [[[rounded(int(v) * gain) for v in row] for row in image] for image in noise]
    assert np.array_equal(changed, expected)
    assert eyes is None
    assert clipped == pytest.approx([np.mean(image * gain >= 255.5) for image in noise])
    assert changed.dtype == np.uint8


@pytest.mark.parametrize("gamma", [0.4, 2.0])
def test_gamma_is_a_power_and_clips_nothing(noise: np.ndarray, gamma: float) -> None:
    changed, _, clipped = Gamma(gamma).apply(noise)
    expected = [[[rounded(255 * (int(v) / 255) ** gamma) for v in row] for row in image] for image in noise]
    assert np.array_equal(changed, expected)
    assert not clipped.any()
    assert set(np.unique(Gamma(gamma).apply(np.array([[[0, 255]]], dtype=np.uint8)).images)) == {0, 255}


def test_light_comes_from_the_side_it_is_said_to() -> None:
    grey = np.full((1, 21, 11), 100, dtype=np.uint8)
    left = Gradient(0.5).apply(grey).images[0]
    assert np.array_equal(left[0], [rounded(100 * (1.5 - k / 10)) for k in range(11)])
    assert (left == left[0]).all()
    above = Gradient(0.5, 90).apply(grey).images[0]
    assert np.array_equal(above[:, 0], [rounded(100 * (1.5 - k / 20)) for k in range(21)])
    assert (above == above[:, :1]).all()
    assert np.array_equal(Gradient(0.5, 180).apply(grey).images[0], left[:, ::-1])
    corner = Gradient(1.0, 45).apply(grey).images[0]
    assert (corner[0, 0], corner[10, 5], corner[-1, -1]) == (200, 100, 0)


def test_light_from_one_side_counts_what_it_clips() -> None:
    bright = np.full((1, 4, 11), 200, dtype=np.uint8)
    changed, _, clipped = Gradient(0.5).apply(bright)
    values = [200 * (1.5 - k / 10) for k in range(11)]
    assert changed[0, 0].tolist() == [rounded(value) for value in values]
    assert clipped[0] == pytest.approx(np.mean([value >= 255.5 for value in values]))


@given(
    factor=st.floats(0.3, 1.9).filter(lambda value: value != 1),
    x=st.floats(44, 66),
    y=st.floats(37, 60),
)
@examples(60)
def test_a_dot_lands_where_the_eyes_say(factor: float, x: float, y: float) -> None:
    changed, eyes, _ = Scale(factor).apply(dot(x, y)[None], EYES)
    middle = np.array([55.0, 48.5])
    assert eyes is not None
    assert eyes[0].reshape(2, 2) == pytest.approx(middle + factor * (EYES[0].reshape(2, 2) - middle))
    before = np.array(centroid(dot(x, y)))
    assert centroid(changed[0]) == pytest.approx(tuple(middle + factor * (before - middle)), abs=0.06)


def test_an_eye_that_is_a_dot_stays_under_its_coordinates() -> None:
    for factor in (0.5, 0.8, 1.25):
        for side in (0, 2):
            at = EYES[0, side : side + 2]
            changed, eyes, _ = Scale(factor).apply(dot(*at, width=2.0)[None], EYES)
            assert eyes is not None
            assert centroid(changed[0]) == pytest.approx(tuple(eyes[0, side : side + 2]), abs=0.05)


def test_without_eyes_the_centre_stays() -> None:
    image = dot(49.5 + 20, 59.5 - 16)[None]
    expected = (49.5 + 10, 59.5 - 8)
    changed, eyes, _ = Scale(0.5).apply(image)
    assert eyes is None
    assert centroid(changed[0]) == pytest.approx(expected, abs=0.05)
    changed, eyes, _ = Scale(0.5).apply(image, np.full((1, 4), np.nan))
    assert eyes is not None
    assert np.isnan(eyes).all()
    assert centroid(changed[0]) == pytest.approx(expected, abs=0.05)


def test_a_smaller_image_is_smoothed_and_its_border_repeated() -> None:
    chequered = np.where((ROWS + COLUMNS) % 2, 255, 0).astype(np.uint8)[None]
    small = Scale(0.5).apply(chequered).images[0]
    assert small.shape == chequered.shape[1:]
    assert small.min() > 100  # picking every other pixel would leave black or white only
    assert small.max() < 155
    ramp = np.broadcast_to(2 * np.arange(100), (120, 100)).astype(np.uint8)[None]
    small = Scale(0.5).apply(ramp).images[0]
    assert (small[:, :25] == small[:, 25:26]).all()
    assert (small[:, 75:] == small[:, 74:75]).all()
    # Away from the border a ramp stays one, twice as steep.
    assert small[60, 30:70] == pytest.approx(2 * (49.5 + 2 * (np.arange(30, 70) - 49.5)), abs=0.51)


def test_scaling_by_whole_numbers_agrees_with_means_of_blocks() -> None:
    """A triangle filter is no box, but over a plane both keep the mean: compare smooth images with block means."""
    smooth = (100 + 50 * np.sin(COLUMNS / 15) * np.cos(ROWS / 20))[None]
    image = np.rint(smooth).astype(np.uint8)
    small = Scale(0.5).apply(image).images[0][30:90, 25:75]
    blocks = image[0].reshape(60, 2, 50, 2).mean(axis=(1, 3))
    assert np.abs(small - blocks).max() < 1.6


def test_overshoot_of_the_filter_is_counted() -> None:
    edge = np.where(COLUMNS < 50, 0, 255).astype(np.uint8)[None]
    assert Scale(1.5).apply(edge).clipped[0] > 0
    assert Scale(1.5).apply(np.full_like(edge, 255)).clipped[0] == 0


def test_images_do_not_depend_on_their_neighbours(noise: np.ndarray) -> None:
    eyes = np.array([[4.0, 9, 14, 9], [5, 11, 15, 10], [np.nan] * 4])
    for text in ("scale:0.7", "gain:2", "side:0.4:30"):
        together = alteration(text).apply(noise, eyes)
        for k in range(3):
            alone = alteration(text).apply(noise[k : k + 1], eyes[k : k + 1])
            assert np.array_equal(alone.images[0], together.images[k])
            assert alone.clipped[0] == together.clipped[k]
            np.testing.assert_array_equal(alone.eyes[0], together.eyes[k])


@pytest.mark.parametrize(
    ("text", "made", "label"),
    [
        ("gain:0.5", Illumination(0.5), "gain-0.5"),
        ("gamma:2", Gamma(2), "gamma-2"),
        ("side:0.5", Gradient(0.5), "side-0.5"),
        ("side:0.5:90", Gradient(0.5, 90), "side-0.5-90"),
        ("scale:0.8", Scale(0.8), "scale-0.8"),
    ],
)
def test_changes_are_read_and_written(text: str, made: Alteration, label: str) -> None:
    assert alteration(text) == made
    assert str(made) == text
    assert made.label == label
    assert alteration(str(made)) == made


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("zoom:2", "Unknown change: 'zoom:2'"),
        ("scal:2", "did you mean 'scale'"),
        ("scale", "0 numbers"),
        ("scale:much", "state an amount"),
        ("scale:", "state an amount"),
        ("scale:0.8:2", "2 numbers"),
        ("scale:0", "between 0.1 and 10"),
        ("scale:1", "not 1"),
        ("gain:-1", "above 0"),
        ("gain:1", "not 1"),
        ("gamma:nan", "above 0"),
        ("side:1.5", "at most 1"),
        ("side:0.5:inf", "degrees"),
        ("", "Unknown change"),
    ],
)
def test_what_is_no_change_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        alteration(text)
    assert said in str(error.value)


def test_what_cannot_be_changed_is_refused(noise: np.ndarray) -> None:
    with pytest.raises(InputError, match="n × height × width"):
        Gamma(2).apply(noise[0])
    with pytest.raises(InputError, match="8-bit"):
        Gamma(2).apply(noise.astype(np.int32))
    with pytest.raises(InputError, match="3 images, but the eyes have the shape 1 × 4"):
        Scale(2).apply(noise, EYES)
    with pytest.raises(InputError, match="outside"):
        Scale(2).apply(noise[:1], EYES + 200)
    with pytest.raises(InputError, match="too small"):
        Scale(0.1).apply(np.zeros((1, 4, 4), dtype=np.uint8))


def table() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": ["a1", "a2", "b1"],
            "subject": ["a", "a", "b"],
            "left_eye_x": [30, 20, None],
            "left_eye_y": [50, 40, None],
            "right_eye_x": [80, 60, None],
            "right_eye_y": [47, 44, None],
        }
    )


def test_the_table_grows_by_copies_with_their_own_eyes() -> None:
    found = with_altered(Samples(table()), [Scale(0.5), Illumination(2)], [1, 2])
    assert found["id"].to_list() == [
        "a1", "a2", "b1", "a2@scale-0.5", "b1@scale-0.5", "a2@gain-2", "b1@gain-2"
    ]  # fmt: skip
    assert found["alteration"].to_list() == ["none"] * 3 + ["scale:0.5"] * 2 + ["gain:2"] * 2
    assert found["altered_from"].to_list() == [None] * 3 + ["a2", "b1"] * 2
    assert found["subject"].to_list() == ["a", "a", "b", "a", "b", "a", "b"]
    assert found["left_eye_x"].to_list() == [30, 20, None, 30, None, 20, None]
    assert found["right_eye_y"].to_list() == [47, 44, None, 43, None, 44, None]
    samples = Samples(found)
    assert len(samples.select("alteration == 'none'").positions) == 3
    assert samples.select("alteration == 'none'").unknown == 0


def test_tables_with_other_names_and_without_eyes() -> None:
    plain = table().select(pl.col("id").alias("filename"), "subject")
    samples = Samples(plain, id_column="filename")
    found = with_altered(samples, [Gamma(2)], id_column="filename")
    assert found["filename"].to_list() == found["id"].to_list()
    assert found["filename"].to_list()[3:] == ["a1@gamma-2", "a2@gamma-2", "b1@gamma-2"]
    own = plain.with_columns(id=pl.Series([7, 8, 9]))
    found = with_altered(Samples(own, id_column="filename"), [Gamma(2)], id_column="filename")
    assert found["id"].to_list() == [7, 8, 9] * 2
    with pytest.raises(UsageError, match="does not contain the ids"):
        with_altered(samples, [Gamma(2)], id_column="subject")


def test_changes_that_cannot_be_told_apart_are_refused() -> None:
    samples = Samples(table())
    with pytest.raises(UsageError, match="twice"):
        with_altered(samples, [Scale(0.5), alteration("scale:0.50")])
    with pytest.raises(UsageError, match="No change"):
        with_altered(samples, [])
    with pytest.raises(InputError, match="already"):
        with_altered(Samples(with_altered(samples, [Scale(0.5)])), [Gamma(2)])


def test_a_quarter_turn_about_the_centre_is_exact() -> None:
    """Independent: the rows and columns exchanged; clockwise, so that what was above is on the right."""
    images = np.random.default_rng(0).integers(60, 200, (2, 21, 21), dtype=np.uint8)
    found = Rotation(90).apply(images)
    assert np.array_equal(found.images, np.rot90(images, -1, axes=(1, 2)))
    assert found.eyes is None
    assert np.array_equal(Rotation(180).apply(images).images, images[:, ::-1, ::-1])


def test_eyes_turn_with_the_face_and_the_border_is_repeated() -> None:
    images = np.full((1, 60, 80), 90, dtype=np.uint8)
    eyes = np.array([[30.0, 25.0, 50.0, 25.0]])
    for x, y in eyes.reshape(2, 2).astype(int):
        images[0, y - 1 : y + 2, x - 1 : x + 2] = 250
    found = Rotation(20).apply(images, eyes)
    assert found.eyes is not None
    c, s = np.cos(np.radians(20)), np.sin(np.radians(20))
    assert found.eyes[0] == pytest.approx([40 - 10 * c, 25 - 10 * s, 40 + 10 * c, 25 + 10 * s])
    rows, columns = np.indices((60, 80))
    for x, y in found.eyes.reshape(2, 2):
        near = (np.hypot(columns - x, rows - y) < 5) & (found.images[0] > 120)
        light = found.images[0].astype(float)[near] - 90
        assert (columns[near] @ light / light.sum(), rows[near] @ light / light.sum()) == pytest.approx(
            (x, y), abs=0.15
        )
    assert set(np.unique(found.images[0][:5])) == {90}  # nothing black comes in from beyond the edge
    assert (str(alteration("rotate:-7.5")), Rotation(-7.5).label) == ("rotate:-7.5", "rotate--7.5")


def test_turns_that_are_refused() -> None:
    for wrong in ("rotate:0", "rotate:200", "rotate:nan"):
        with pytest.raises(UsageError, match="between −180 and 180"):
            alteration(wrong)
