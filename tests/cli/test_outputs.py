from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def contents(folder: Path) -> dict[str, str]:
    return {
        one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in folder.iterdir() if one.is_file()
    }


USUAL = ("scores.npz", "-s", "samples.csv", "--orientation", "similarity")
GALLERY = ("-g", "one_per_subject")


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", *USUAL, *GALLERY, "--csv", "samples.csv"),
        ("evaluate", *USUAL, *GALLERY, "--figure", "link.svg"),
        ("evaluate", *USUAL, "-g", "@ids.txt", "--csv", "ids.txt"),
        ("compare", *USUAL, *GALLERY, "--latex", "scores.npz"),
        ("compare", *USUAL, *GALLERY, "--markdown", "./samples.csv"),
        ("search", *USUAL, *GALLERY, "--curve", "samples.csv"),
        ("convert", "scores.npz::good", "scores.npz"),
        ("convert", "scores.npz::good", "samples.csv", "-s", "samples.csv"),
        ("init", "scores.npz", "samples.csv", "-o", "samples.csv", "--force"),
        ("evaluate", *USUAL, *GALLERY, "--csv", "same.svg", "--figure", "same.svg"),
        ("search", *USUAL, *GALLERY, "--csv", "same.csv", "--curve", "same.csv"),
    ],
)
def test_nothing_that_is_read_is_written_over_and_no_output_is_lost(
    run: Run, study: Path, words: tuple[str, ...]
) -> None:
    (study / "link.svg").symlink_to("scores.npz")
    (study / "ids.txt").write_text("p00-1\n", encoding="utf-8")
    before = contents(study)
    done = run(*words, cwd=study)
    assert done.returncode == 2
    assert "not written over" in done.stderr or "would be lost" in done.stderr
    assert contents(study) == before


def test_a_metric_is_of_embeddings(run: Run, study: Path) -> None:
    done = run("evaluate", *USUAL, *GALLERY, "--metric", "l2", cwd=study)
    assert (done.returncode, "--metric is about embeddings" in done.stderr) == (2, True)
