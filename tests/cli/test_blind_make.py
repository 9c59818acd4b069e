from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from proband.blind import Key, Package

Run = Callable[..., object]
SETS = ("--target", "session == 1", "--query", "session == 2")


@pytest.fixture
def photos(study: Path) -> Path:
    """The study's samples with an archive of pictures."""
    ids = [
        line.split(",")[0] for line in (study / "samples.csv").read_text(encoding="utf-8").splitlines()[1:]
    ]
    images = np.random.default_rng(0).integers(0, 256, (len(ids), 12, 10), dtype=np.uint8)
    np.savez(study / "photos.npz", images=images, ids=ids)
    return study


def test_make(run: Run, photos: Path) -> None:
    done = run(
        "blind", "make", "samples.csv", "-i", "photos.npz", *SETS,
        "--keep", "glasses", "--name", "Spring", "--out", "test", "--key", "secret/test.key", cwd=photos,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Spring, fully automatic: 14 queries × 14 targets, control 10 × 10" in done.stdout
    assert "keep secret/test.key secret" in done.stdout
    package, key = Package.read(photos / "test"), Key.read(photos / "secret" / "test.key")
    key.require(package)
    assert package.digest in done.stdout
    assert package.name == "Spring"
    assert len(list((photos / "test" / "images").iterdir())) == 48


def test_json_notes_and_failures(run: Run, photos: Path) -> None:
    done = run(
        "blind", "make", "samples.csv", *SETS, "--failed", "not found", "--seed", 3,
        "--canaries", 0, "--control", 4, "--out", "test", "--key", "k", "--json", cwd=photos,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (told,) = json.loads(done.stdout)["packages"]
    assert (told["targets"], told["queries"], told["control_targets"]) == (12, 12, 4)
    assert "guesses" in done.stderr
    assert "k-names.csv" in done.stderr
    assert Key.read(photos / "k").samples.failed.sum() == 1


def test_training_that_meets_the_test_and_keys_in_packages_are_refused(run: Run, photos: Path) -> None:
    (photos / "trained.txt").write_text("q99\np03\n", encoding="utf-8")
    base = ("blind", "make", "samples.csv", *SETS, "--out", "test")
    done = run(*base, "--key", "k", "--training", "mine=trained.txt", cwd=photos)
    assert done.returncode == 1
    assert "'p03' belongs to a person who is tested" in done.stderr
    (photos / "others.txt").write_text("q99\n", encoding="utf-8")
    done = run(*base, "--key", "k", "--training", "a=others.txt", "--training", "a=others.txt", cwd=photos)
    assert done.returncode == 2
    assert "Two training sets are named 'a'" in done.stderr
    done = run(*base, "--key", "test/k", cwd=photos)
    assert done.returncode == 2
    assert "handed out" in done.stderr
    assert not (photos / "test").exists()


def test_both_versions_need_eyes(run: Run, photos: Path) -> None:
    done = run(
        "blind", "make", "samples.csv", *SETS, "--version", "partially", "--version", "fully",
        "--out", "test", "--key", "k", cwd=photos,
    )  # fmt: skip
    assert done.returncode == 1
    assert "no column 'left_eye_x'" in done.stderr
