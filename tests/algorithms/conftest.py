"""What the tests of recognisers share: synthetic faces, random crops, modules to import, and the program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from proband.algorithms import Crops, Geometry, crop_faces
from proband.faces import Population
from proband.samples import Experiment, Ids, Samples

EYES = ("left_eye_x", "left_eye_y", "right_eye_x", "right_eye_y")
SMALL = Geometry(60, 52, (12.0, 18.0), (40.0, 18.0))


@dataclass(frozen=True)
class Faces:
    """Twenty-four synthetic people in two sessions of two images: half of them to train on, half to test."""

    samples: Samples
    pictures: np.ndarray
    eyes: np.ndarray
    crops: Crops
    training: tuple[str, ...]
    queries: tuple[str, ...]
    targets: tuple[str, ...]

    @property
    def train(self) -> Crops:
        return self.crops.take(self.training)

    @property
    def query(self) -> Crops:
        return self.crops.take(self.queries)

    @property
    def target(self) -> Crops:
        return self.crops.take(self.targets)

    @property
    def experiment(self) -> Experiment:
        return Experiment(self.samples, gallery=self.targets, probes=self.queries)


@pytest.fixture(scope="session")
def faces() -> Faces:
    population = Population(n_subjects=24, plan="grid", sessions=2, images_per_session=2)
    samples = Samples(population.columns())
    pictures = population.render()
    eyes = samples.frame.select(EYES).to_numpy()
    sessions = samples.frame["session"].to_list()
    parts: dict[str, list[str]] = {"training": [], "queries": [], "targets": []}
    for name, code, session in zip(samples.ids, samples.codes, sessions, strict=True):
        parts["training" if code < 12 else "targets" if session == 1 else "queries"].append(name)
    crops = Crops.of(crop_faces(pictures, eyes, SMALL), samples)
    return Faces(samples, pictures, eyes, crops, **{part: tuple(names) for part, names in parts.items()})


@pytest.fixture
def random_crops() -> Callable[..., Crops]:
    """Make crops of random grey values: every pixel on its own, so that nothing is singular by accident."""

    def make(n: int, height: int = 24, width: int = 20, people: int = 0, seed: int = 0) -> Crops:
        images = np.random.default_rng(seed).integers(0, 256, (n, height, width)).astype(np.uint8)
        subjects = tuple(f"person {k % people}" for k in range(n)) if people else None
        return Crops(images, Ids(f"crop {k}" for k in range(n)), subjects)

    return make


@pytest.fixture
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Write modules that can be imported for the length of a test."""
    known = set(sys.modules)

    def write(modules: dict[str, str]) -> None:
        for name, text in modules.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)

    yield write
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]
