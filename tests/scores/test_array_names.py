"""A file that holds one array names its algorithm, several arrays name theirs: the same at every door."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.study.init.study_file import initial_study

IDS = [f"{s}{k}" for s in "abcdefgh" for k in range(2)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    people = np.repeat(np.eye(8), 2, axis=0)
    scores = people @ people.T + rng.normal(0, 0.1, (16, 16))
    vectors = np.repeat(rng.normal(size=(8, 5)), 2, axis=0) + rng.normal(0, 0.1, (16, 5))
    frame = {"id": IDS, "subject": [name[0] for name in IDS], "shot": [name[1] for name in IDS]}
    pl.DataFrame(frame).write_csv(tmp_path / "samples.csv")
    ids = {"query_ids": IDS, "target_ids": IDS}
    np.savez(tmp_path / "alone.npz", arr_0=scores, **ids)
    np.savez(tmp_path / "both.npz", old=scores, new=scores + 0.01, **ids)
    np.savez(tmp_path / "model.npz", embeddings=vectors, ids=IDS)
    np.savez(tmp_path / "models.npz", old=vectors, new=2 * vectors, ids=IDS)
    pl.DataFrame({"id": IDS, "embedding": vectors.tolist()}).write_parquet(tmp_path / "column.parquet")
    for directory, array in (("shards", "arr_0"), ("parts", "embeddings")):
        (tmp_path / directory).mkdir()
        for part, rows in enumerate((slice(0, 8), slice(8, 16))):
            values = scores if directory == "shards" else vectors
            own = {"query_ids": IDS[rows], "target_ids": IDS} if directory == "shards" else {"ids": IDS[rows]}
            np.savez(tmp_path / directory / f"{part}.npz", **{array: values[rows]}, **own)
    return tmp_path


SCORES = {"alone.npz": ["alone"], "both.npz": ["old", "new"], "both.npz::new": ["new"], "alone.npz::arr_0": ["alone"], "shards": ["shards"]}  # fmt: skip
VECTORS = {"model.npz": ["model"], "models.npz": ["old", "new"], "models.npz::old": ["old"], "column.parquet": ["column"], "parts": ["parts"]}  # fmt: skip


@pytest.mark.parametrize(("file", "names"), SCORES.items())
def test_scores(folder: Path, file: str, names: list[str], run: Callable[..., Any]) -> None:
    read = pb.read_scores(folder / file, orientation="similarity")
    assert list(read) == names == [scores.name for scores in read.values()]
    command = ("verify", file, "-s", "samples.csv", "--orientation", "similarity", "--json")
    done = run(*command, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert [one["algorithm"] for one in json.loads(done.stdout)["verification"]["algorithms"]] == names


@pytest.mark.parametrize(("file", "names"), VECTORS.items())
def test_embeddings(folder: Path, file: str, names: list[str], run: Callable[..., Any]) -> None:
    read = pb.read_embeddings(folder / file, metric="cosine")
    assert list(read) == names == [model.name for model in read.values()]
    command = ("verify", "-e", file, "-s", "samples.csv", "--metric", "cosine", "--json")
    done = run(*command, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert [one["algorithm"] for one in json.loads(done.stdout)["verification"]["algorithms"]] == names


def test_studies(folder: Path) -> None:
    study = folder / "study.toml"
    study.write_text(
        '[samples]\nfile = "samples.csv"\n[[scores]]\nfile = "alone.npz"\norientation = "similarity"\n'
        '[[scores]]\nfile = "both.npz"\norientation = "similarity"\n[verification]\nn_resamples = 0'
    )
    found = pb.run(pb.read_study(study))
    assert [one.algorithm for one in found["verification"].verification] == ["alone", "old", "new"]


def test_a_first_study_names_them_alike(folder: Path) -> None:
    files = [folder / name for name in ("alone.npz", "model.npz", "samples.csv")]
    (folder / "study.toml").write_text(initial_study(files, folder / "study.toml").text)
    read = pb.read_study(folder / "study.toml").request
    # No name is needed to tell them apart.
    assert [source.name for source in (*read.scores, *read.embeddings)] == [None, None]


def test_logits(tmp_path: Path, run: Callable[..., Any]) -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 60)
    for name in ("first", "second"):
        np.savez(tmp_path / f"{name}.npz", logits=rng.normal(size=(60, 3)) + 2 * np.eye(3)[labels])
    np.savez(tmp_path / "both.npz", a=rng.normal(size=(60, 3)), b=rng.normal(size=(60, 3)))
    np.savez(tmp_path / "again.npz", a=rng.normal(size=(60, 3)), c=rng.normal(size=(60, 3)))
    pl.DataFrame({"label": labels}).write_csv(tmp_path / "labels.csv")

    def names(*files: str) -> list[str]:
        done = run("classify", *files, "labels.csv", "--json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return list(json.loads(done.stdout)["classification"]["algorithms"])

    assert names("first.npz", "second.npz") == ["first", "second"]
    assert names("first.npz", "both.npz") == ["first", "a", "b"]
    assert names("both.npz", "again.npz") == ["both:a", "b", "again:a", "c"]
