"""Scored pairs and matrices that name subjects, as they are typed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.cli.options import columns_of
from proband.errors import UsageError

Run = Callable[..., Any]
NAMED = ("--columns", "a=img1,b=img2,mated=label,score=cosine", "--orientation", "similarity")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    ids = [f"s{k:02}-{image}" for k in range(20) for image in "ab"]
    i, j = np.triu_indices(40, 1)
    same = i // 2 == j // 2
    score = rng.normal(size=len(i)) + 3 * same
    frame = pl.DataFrame(
        {"img1": [ids[k] for k in i], "img2": [ids[k] for k in j], "label": same.astype(int), "cosine": score}
    )
    frame.write_csv(tmp_path / "pairs.csv")
    frame.with_columns(
        label=pl.when(pl.col("label") == 1).then(pl.lit("same")).otherwise(pl.lit("other"))
    ).write_csv(tmp_path / "words.csv")
    names = [f"s{k:02}" for k in range(20)]
    values = rng.normal(size=(20, 20)) + 3 * np.eye(20)
    np.savez(tmp_path / "face.npz", face=values, query_ids=names, target_ids=names, orientation="similarity")
    pl.DataFrame({"id": names, "subject": names}).write_csv(tmp_path / "people.csv")
    return tmp_path


def test_columns_are_typed() -> None:
    assert columns_of(["a=x,b=y", "score=s,1", "score=t"]) == {"a": "x", "b": "y", "score": ("s,1", "t")}
    for wrong in (["a=x,a=y"], ["colour=x"], ["x"]):
        with pytest.raises(UsageError):
            columns_of(wrong)


def test_an_unknown_layout_tells_what_to_copy(run: Run, folder: Path) -> None:
    done = run("verify", "pairs.csv", cwd=folder)
    assert done.returncode == 1
    assert "which of its columns is what is not said: 'img1', 'img2', 'label', 'cosine'" in done.stderr
    assert "--columns a=img1,b=img2,mated=label,score=cosine" in done.stderr
    done = run("verify", "pairs.csv", *NAMED[:2], cwd=folder)
    assert done.returncode == 2
    assert "never guessed" in done.stderr
    done = run("verify", "words.csv", *NAMED, cwd=folder)
    assert done.returncode == 1
    assert "'other', 'same'" in done.stderr.replace("'same', 'other'", "'other', 'same'")
    assert "--mated-is" in done.stderr


def test_pairs_are_verified(run: Run, folder: Path) -> None:
    done = run("verify", "pairs.csv", *NAMED, "--fmr", "0.05", "--replicates", "0", "--explain", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "'1' was taken for mated (20 pairs), '0' for not mated (760)" in done.stdout
    assert "20 people with 40 samples" in done.stdout
    done = run(
        "verify",
        "words.csv",
        *NAMED,
        "--mated-is",
        "same",
        "--fmr",
        "0.05",
        "--replicates",
        "0",
        "--json",
        cwd=folder,
    )
    assert json.loads(done.stdout)[0]["n_subjects"] == 20
    done = run("evaluate", "pairs.csv", *NAMED, cwd=folder)
    assert done.returncode == 1
    assert "can only be verified" in done.stderr


def test_rows_and_columns_may_name_subjects(run: Run, folder: Path) -> None:
    done = run("verify", "face.npz", cwd=folder)
    assert done.returncode == 2
    assert "--ids subjects" in done.stderr
    for command in (("verify", "face.npz", "-s", "people.csv"), ("evaluate", "face.npz", "-s", "people.csv")):
        done = run(*command, cwd=folder)
        assert done.returncode == 1
        assert "--ids subjects" in done.stderr
    done = run(
        "verify", "face.npz", "--ids", "subjects", "--fmr", "0.05", "--replicates", "0", "--json", cwd=folder
    )
    (found,) = json.loads(done.stdout)
    assert (found["n_genuine"], found["n_impostor"], found["n_subjects"]) == (20, 380, 20)
    done = run("verify", "face.npz", "-s", "people.csv", "--ids", "subjects", cwd=folder)
    assert done.returncode == 2
    assert "stand in no table" in done.stderr
    done = run("verify", "pairs.csv", *NAMED, "--ids", "subjects", cwd=folder)
    assert done.returncode == 2
    done = run("verify", "-e", "face.npz", "-s", "people.csv", "--ids", "subjects", cwd=folder)
    assert done.returncode == 2
    assert "--ids is about files of scores" in done.stderr
