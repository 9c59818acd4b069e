"""What the tests of blind tests share: small random pictures with telling names, and a test made of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.algorithms import Pictures
from proband.blind import BlindTest, Key, Package
from proband.samples import Samples


@pytest.fixture(scope="session")
def people() -> Samples:
    """Thirty people with four images each, in order, with eye centres and a pose."""
    rng = np.random.default_rng(5)
    n = 120
    subject = [f"Subject-{k // 4:03d}" for k in range(n)]
    return Samples(
        pl.DataFrame(
            {
                "id": [f"{who}-picture-{k % 4}" for k, who in enumerate(subject)],
                "subject": subject,
                "session": [1 + k % 4 // 2 for k in range(n)],
                "yaw_deg": rng.choice([0.0, 20.0], n),
                "taken": [date(2020, 1, 1 + k % 28) for k in range(n)],
                "glasses": [k % 3 == 0 for k in range(n)],
                "left_eye_x": [5.0] * n,
                "left_eye_y": rng.uniform(4, 9, n).round(2),
                "right_eye_x": [12.5] * n,
                "right_eye_y": rng.uniform(4, 9, n).round(2),
            }
        )
    )


@pytest.fixture(scope="session")
def pictures(people: Samples) -> Pictures:
    """Random grey values; later people have brighter, larger pictures, so that careless files would tell."""

    def load(name: str) -> np.ndarray:
        place = people.ids.place(name)
        code = int(people.codes[place])
        rng = np.random.default_rng(place)
        return rng.integers(0, 2 + 8 * code, (20 + code % 3, 18 + code % 2), dtype=np.uint8)

    return Pictures(load)


@pytest.fixture
def make(people: Samples, pictures: Pictures, tmp_path: Path) -> Callable[..., tuple[Package, Key]]:
    """Make a test of all images of session 1 against all images, and return the package and its key."""

    def build(name: str = "test", **asked: Any) -> tuple[Package, Key]:
        settings = {"pictures": pictures, "seed": 3, **asked}
        test = BlindTest(
            people, settings.pop("target", "session == 1"), settings.pop("query", "all"), **settings
        )
        made = test.make(tmp_path / name, tmp_path / f"{name}.key")
        return Package.read(made.packages[0].path), Key.read(made.keys[0])

    return build


@pytest.fixture
def answer(people: Samples, tmp_path: Path) -> Callable[..., Path]:
    """Answer a package as an algorithm would that sees people as points: similarity is the cosine of noisy directions.

    The key serves only to know which image a random name shows. `change` is done to each matrix before it is written.
    """
    rng = np.random.default_rng(11)
    directions = rng.normal(size=(len(people.subjects), 16))
    points = directions[people.codes] + 0.8 * rng.normal(size=(len(people), 16))
    points /= np.linalg.norm(points, axis=1, keepdims=True)

    def score(
        package: Package,
        key: Key,
        change: Callable[[np.ndarray], np.ndarray] = lambda matrix: matrix,
        *,
        name: str = "directions",
        **declared: Any,
    ) -> Path:
        sample = dict(zip(key.table["name"], key.table["sample"], strict=True))

        def seen(names: tuple[str, ...]) -> np.ndarray:
            return points[people.ids.positions(sample[one] for one in names)]

        path = tmp_path / f"{name} for {package.path.name}"
        path.mkdir(exist_ok=True)
        for part, rows, columns in (
            ("scores", package.queries, package.targets),
            ("control", package.control_queries, package.control_targets),
        ):
            if rows:
                # Each pair by itself: a product of matrices adds up differently at its edges.
                matrix = np.einsum("id,jd->ij", seen(rows), seen(columns))
                np.save(path / f"{part}.npy", change(matrix.astype(np.float32)))
        stated = {"algorithm": name, "orientation": "similarity", "training": [], **declared}
        lines = [f"{key} = {json.dumps(value)}\n" for key, value in stated.items()]
        (path / "submission.toml").write_text("".join(lines))
        return path

    return score
