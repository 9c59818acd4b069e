"""``proband alter``, pixel by pixel: every grey value of every copy recomputed in plain loops from what the table says."""

from __future__ import annotations

import csv
from collections.abc import Callable
from math import ceil, cos, floor, isclose, radians, sin
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from proband.algorithms.pictures.alterations import Gamma, Gradient, Illumination, Rotation, Scale, alteration

Floats = npt.NDArray[np.float64]
EYES = ("left_eye_x", "left_eye_y", "right_eye_x", "right_eye_y")
CHANGES = (
    "gain:0.45", "gain:1.7", "gamma:2.2", "gamma:0.6", "side:0.5", "side:0.8:90", "side:0.6:200", "side:1:315",
    "scale:0.6", "scale:0.37", "scale:1.45", "scale:2", "rotate:12", "rotate:-33.5", "rotate:90",
)  # fmt: skip


def cubic(x: float, a: float) -> float:
    """Keys' kernel (1981)."""
    x = abs(x)
    if x < 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * (x**3 - 5 * x**2 + 8 * x - 4) if x < 2 else 0.0


def lit(image: Floats, gain: Callable[[int, int], float]) -> Floats:
    return np.array([[v * gain(x, y) for x, v in enumerate(row)] for y, row in enumerate(image)])


def light_from(strength: float, angle: float, width: int, height: int) -> Callable[[int, int], float]:
    """1 + strength where the image is nearest to the light, 1 − strength where it is farthest, a plane between."""
    towards = {
        (x, y): -(cos(radians(angle)) * (2 * x / (width - 1) - 1) + sin(radians(angle)) * (2 * y / (height - 1) - 1))
        for x in range(width)
        for y in range(height)
    }  # fmt: skip
    most = max(towards.values())
    return lambda x, y: 1 + strength * towards[x, y] / most


def along(length: int, centre: float, factor: float) -> list[list[tuple[int, float]]]:
    """For each pixel of the canvas, which pixels of the line it is made of, and their shares.

    `centre` stays. The kernel is as wide as a pixel of what is smaller; shares sum to 1 where it reaches beyond the line. Pixels that the scaled line
    does not cover wholly repeat the last that it does.
    """
    covered = [
        k
        for k in range(length)
        if centre + (k - centre) / factor >= -1e-6 and centre + (k + 1 - centre) / factor <= length + 1e-6
    ]
    reach = max(1.0, 1 / factor)
    made = []
    for k in range(length):
        nearest = min(max(k, covered[0]), covered[-1])
        at = centre + (nearest + 0.5 - centre) / factor
        shares = [
            (j, cubic((j + 0.5 - at) / reach, -0.5))
            for j in range(max(0, floor(at - 2 * reach) - 1), min(length, ceil(at + 2 * reach) + 1))
        ]
        total = sum(share for _, share in shares)
        made.append([(j, share / total) for j, share in shares])
    return made


def scaled(image: Floats, factor: float, centre: tuple[float, float]) -> Floats:
    height, width = image.shape
    across, down = along(width, centre[0] + 0.5, factor), along(height, centre[1] + 0.5, factor)
    return np.array(
        [
            [sum(a * b * image[j, i] for j, b in down[y] for i, a in across[x]) for x in range(width)]
            for y in range(height)
        ]
    )


def turned(image: Floats, degrees: float, centre: tuple[float, float]) -> Floats:
    """Turned clockwise: what is seen at a pixel lay as far counter-clockwise before; beyond the border it is repeated."""
    height, width = image.shape
    c, s = cos(radians(degrees)), sin(radians(degrees))
    made = np.zeros((height, width))
    for y in range(height):
        for x in range(width):
            dx, dy = x - centre[0], y - centre[1]
            from_x, from_y = centre[0] + c * dx + s * dy, centre[1] - s * dx + c * dy
            for j in range(floor(from_y) - 1, floor(from_y) + 3):
                for i in range(floor(from_x) - 1, floor(from_x) + 3):
                    share = cubic(from_x - i, -1.0) * cubic(from_y - j, -1.0)
                    made[y, x] += share * image[min(max(j, 0), height - 1), min(max(i, 0), width - 1)]
    return made


def by_hand(
    change: str, image: npt.NDArray[np.uint8], eyes: list[float] | None
) -> tuple[Floats, list[float] | None]:
    """The grey values before they are rounded, and where the eyes are."""
    kind, *numbers = change.split(":")
    values = [float(number) for number in numbers]
    pixels, (height, width) = image.astype(np.float64), image.shape
    centre = ((width - 1) / 2, (height - 1) / 2)
    if eyes is not None:
        centre = ((eyes[0] + eyes[2]) / 2, (eyes[1] + eyes[3]) / 2)
    if kind == "gain":
        return lit(pixels, lambda x, y: values[0]), eyes
    if kind == "gamma":
        return np.array([[255 * (v / 255) ** values[0] for v in row] for row in pixels]), eyes
    if kind == "side":
        return lit(pixels, light_from(values[0], values[1] if values[1:] else 0.0, width, height)), eyes
    move: Callable[[float, float], tuple[float, float]]
    if kind == "scale":
        made = scaled(pixels, values[0], centre)
        move = lambda x, y: (values[0] * x, values[0] * y)  # noqa: E731
    else:
        made = turned(pixels, values[0], centre)
        c, s = cos(radians(values[0])), sin(radians(values[0]))
        move = lambda x, y: (c * x - s * y, s * x + c * y)  # noqa: E731
    if eyes is None:
        return made, None
    ends = [move(eyes[k] - centre[0], eyes[k + 1] - centre[1]) for k in (0, 2)]
    return made, [centre[k % 2] + end[k % 2] for end in ends for k in (0, 1)]


def check(changed: npt.NDArray[np.uint8], expected: Floats) -> None:
    """The nearest whole number, black or white; float32 sums may put what lies on a half on either side."""
    assert changed.shape == expected.shape
    assert np.abs(changed - np.clip(expected, 0, 255)).max() < 0.5 + 2e-3


@pytest.fixture(scope="module")
def pictures() -> dict[str, npt.NDArray[np.uint8]]:
    """Noise, edges and a ramp; of three sizes, one of them odd."""
    rng = np.random.default_rng(6)
    rows, columns = np.mgrid[:23, :17]
    return {
        "noise": rng.integers(0, 256, (20, 16), dtype=np.uint8),
        "ramp": (7 * columns + 4 * rows).astype(np.uint8),
        "edge": np.where(np.mgrid[:18, :21][1] < 9, 12, 250).astype(np.uint8),
    }


WHERE = {"noise": [4.0, 8.0, 11.5, 7.0], "ramp": [5.25, 10.0, 12.0, 11.5], "edge": None}


@pytest.mark.parametrize("change", CHANGES)
def test_every_pixel(pictures: dict[str, npt.NDArray[np.uint8]], change: str) -> None:
    for name, image in pictures.items():
        eyes = WHERE[name]
        altered = alteration(change).apply(image[None], None if eyes is None else np.array([eyes]))
        expected, moved = by_hand(change, image, eyes)
        check(altered.images[0], expected)
        if moved is not None:
            assert altered.eyes is not None
            assert altered.eyes[0] == pytest.approx(moved, abs=1e-9)
        lost = (expected <= -0.5 - 2e-3) | (expected >= 255.5 + 2e-3)
        doubtful = (np.abs(expected + 0.5) < 2e-3) | (np.abs(expected - 255.5) < 2e-3)
        assert lost.mean() <= altered.clipped[0] <= (lost | doubtful).mean()


@pytest.mark.parametrize(
    "change", [Illumination(1 + 1e-9), Gamma(1 + 1e-9), Gradient(1e-9), Scale(1 + 1e-9), Rotation(1e-9)]
)
def test_next_to_nothing_changes_nothing(pictures: dict[str, npt.NDArray[np.uint8]], change: Any) -> None:
    """A change by nothing is refused; one by next to nothing leaves every pixel and both eyes."""
    for name, image in pictures.items():
        eyes = WHERE[name]
        altered = change.apply(image[None], None if eyes is None else np.array([eyes]))
        assert np.array_equal(altered.images[0], image)
        assert not altered.clipped.any()
        if eyes is not None:
            assert altered.eyes is not None
            assert altered.eyes[0] == pytest.approx(eyes, abs=1e-6)


def test_files_hold_what_their_rows_say(
    pictures: dict[str, npt.NDArray[np.uint8]], run: Callable[..., Any], tmp_path: Path
) -> None:
    """Of every row of the table that is written: the file, made anew from the original that it names."""
    with (tmp_path / "samples.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "subject", "file", *EYES])
        for name, image in pictures.items():
            Image.fromarray(image).save(tmp_path / f"{name}.png")
            writer.writerow([name, name, f"{name}.png", *(WHERE[name] or [""] * 4)])
    asked = [word for change in CHANGES for word in ("-c", change)]
    done = run("alter", tmp_path, "-s", "samples.csv", *asked, "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "out" / "samples.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(pictures) * (1 + len(CHANGES))
    for row in rows:
        with Image.open(tmp_path / "out" / row["file"]) as picture:
            image = np.asarray(picture)
        if row["alteration"] == "none":
            assert (row["altered_from"], row["subject"]) == ("", row["id"])
            assert np.array_equal(image, pictures[row["id"]])
            continue
        name = row["altered_from"]
        assert row["id"] == f"{name}@{row['alteration'].replace(':', '-')}"
        assert row["subject"] == name
        expected, eyes = by_hand(row["alteration"], pictures[name], WHERE[name])
        check(image, expected)
        if eyes is None:
            assert [row[column] for column in EYES] == [""] * 4
        else:
            assert all(isclose(float(row[c]), at, abs_tol=1e-9) for c, at in zip(EYES, eyes, strict=True))
    said = {line.partition(": ")[0]: line for line in done.stdout.splitlines()}
    for change in CHANGES:
        shares = []
        for name, image in pictures.items():
            expected, _ = by_hand(change, image, WHERE[name])
            shares.append(float(np.mean((expected < -0.5) | (expected >= 255.5))))
        assert ("no pixel clipped" in said[change]) == (max(shares) == 0)
