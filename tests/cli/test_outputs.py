from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.dom import minidom

import numpy as np
import polars as pl
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
        ("search", *USUAL, *GALLERY, "--csv", "curve=samples.csv"),
        ("convert", "scores.npz::good", "scores.npz"),
        ("convert", "scores.npz::good", "samples.csv", "-s", "samples.csv"),
        ("init", "scores.npz", "samples.csv", "-o", "samples.csv", "--force"),
        ("evaluate", *USUAL, *GALLERY, "--csv", "same.svg", "--figure", "same.svg"),
        ("search", *USUAL, *GALLERY, "--csv", "same.csv", "--csv", "curve=same.csv"),
        ("evaluate", *USUAL, *GALLERY, "--out", "made", "--csv", "made"),
        ("evaluate", *USUAL, *GALLERY, "--out", "made", "--csv", "made/rates.csv"),
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
    assert any(
        why in done.stderr
        for why in ("not be overwritten", "have the same path", "must contain only results")
    )
    assert contents(study) == before


def test_a_metric_is_of_embeddings(run: Run, study: Path) -> None:
    done = run("evaluate", *USUAL, *GALLERY, "--metric", "l2", cwd=study)
    assert (done.returncode, "--metric applies to embeddings" in done.stderr) == (2, True)


def test_a_control_character_in_a_name_leaves_a_figure_that_is_xml(run: Run, study: Path) -> None:
    with np.load(study / "scores.npz") as found:
        arrays = {("\x1b[31mred" if name == "good" else name): found[name] for name in found}
    np.savez(study / "odd.npz", **arrays)
    words = ("odd.npz", "-s", "samples.csv", "--orientation", "similarity", *GALLERY, "--figure", "cmc.svg")
    done = run("evaluate", *words, cwd=study)
    assert done.returncode == 0, done.stderr
    minidom.parse(str(study / "cmc.svg"))


def test_whole_numbers_of_embeddings_that_floats_cannot_hold_are_refused(run: Run, study: Path) -> None:
    ids = pl.read_csv(study / "samples.csv")["id"].to_list()
    vectors = 2**60 + np.arange(2 * len(ids), dtype=np.int64).reshape(-1, 2)
    np.save(study / "vectors.npy", vectors)
    done = run("evaluate", "-e", "vectors.npy", "-s", "samples.csv", *GALLERY, "--metric", "l2", cwd=study)
    assert (done.returncode, "2**53" in done.stderr) == (1, True)


def test_an_orientation_that_a_file_states_wrongly_is_the_files_fault(run: Run, study: Path) -> None:
    with np.load(study / "scores.npz") as found:
        np.savez(study / "odd.npz", **{name: found[name] for name in found}, orientation="sim")
    done = run("evaluate", "odd.npz", "-s", "samples.csv", *GALLERY, cwd=study)
    assert (done.returncode, "'sim'" in done.stderr) == (1, True)
