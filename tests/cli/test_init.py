from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.study.reading import read_study

Run = Callable[..., Any]


def test_a_study_from_files(run: Run, study: Path) -> None:
    done = run("init", "scores.npz", "samples.csv", cwd=study)
    assert done.returncode == 0, done.stderr
    assert "24 samples of 12 people, 1 failed to acquire (not found)" in done.stdout
    assert "read as a similarity" in done.stdout
    assert "proband run study.toml" in done.stdout
    assert "wrote study.toml" in done.stderr
    made = read_study(study / "study.toml")
    assert made.request.samples is not None
    assert (made.request.samples.id_column, made.request.samples.failed) == ("id", "not found")
    assert made.request.scores[0].orientation == "similarity"
    assert sorted(one.name for one in study.iterdir()) == ["samples.csv", "scores.npz", "study.toml"]


def test_a_study_is_never_replaced_unasked(run: Run, study: Path) -> None:
    (study / "study.toml").write_text("mine", encoding="utf-8")
    done = run("init", "scores.npz", "samples.csv", cwd=study)
    assert (done.returncode, "this is not TOML" in done.stderr) == (2, True)
    assert (study / "study.toml").read_text(encoding="utf-8") == "mine"
    assert run("init", "scores.npz", "samples.csv", "--force", cwd=study).returncode == 0
    assert read_study(study / "study.toml").request.scores
    assert run("init", ".", "-o", "made/other.toml", cwd=study).returncode == 0
    assert read_study(study / "made" / "other.toml").request.scores[0].file == "../scores.npz"


MINE = """# Our people.
title = "Mine"   # as the board knows it
verification = false

[samples]
file = "samples.csv"   # by hand

# The old one alone.
[scores]
file = "old.npz"
orientation = "similarity"

# Of everyone:
[output]
seed = 7
"""


@pytest.fixture
def mine(study: Path) -> Path:
    stored = dict(np.load(study / "scores.npz"))
    poor = stored.pop("poor")
    np.savez(study / "old.npz", **{**stored, "good": poor})
    np.savez(study / "new.npz", **stored)
    (study / "study.toml").write_text(MINE, encoding="utf-8")
    return study / "study.toml"


def test_files_that_a_study_does_not_name_are_added_at_its_end(run: Run, mine: Path) -> None:
    done = run("init", "new.npz", "samples.csv", cwd=mine.parent)
    assert done.returncode == 0, done.stderr
    assert "added [[scores]]" in done.stdout
    assert "wrote study.toml" in done.stderr
    text = mine.read_text(encoding="utf-8")
    assert text.startswith(MINE.replace("[scores]", "[[scores]]").rstrip())
    request = read_study(mine).request
    assert [one.file for one in request.scores] == ["old.npz", "new.npz"]
    assert (request.output.seed, request.samples and request.samples.file) == (7, "samples.csv")
    before = mine.read_bytes()
    again = run("init", "new.npz", "samples.csv", "old.npz", cwd=mine.parent)
    assert again.stdout.splitlines()[-1] == "the study already contains all of this"
    assert (again.returncode, mine.read_bytes()) == (0, before)


def test_sections_are_added_with_their_keys_as_proposals(run: Run, mine: Path) -> None:
    done = run("init", "--add", "search", "--add", "verification", "--add", "comparison", cwd=mine.parent)
    assert done.returncode == 0, done.stderr
    assert "added [search], [verification], [[comparison]]" in done.stdout
    text = mine.read_text(encoding="utf-8")
    assert text.startswith(MINE.replace("verification = false\n", "").rstrip())
    assert "# fpir = [0.1, 0.01, 0.001]   # Target false positive identification rates" in text
    request = read_study(mine).request
    assert request.says("search")
    assert request.says("verification")
    assert run("init", "--add", "comparison", cwd=mine.parent).returncode == 0
    assert len(read_study(mine).request.comparison) == 2


def test_what_a_section_needs_is_to_be_filled_in(run: Run, mine: Path) -> None:
    done = run("init", "--add", "gate", cwd=mine.parent)
    assert done.returncode == 0, done.stderr
    assert "to fill in: " in done.stdout
    new = run("init", "new.npz", "samples.csv", "--add", "search", "-o", "other.toml", cwd=mine.parent)
    assert new.returncode == 0, new.stderr
    assert read_study(mine.parent / "other.toml").request.says("search")


def test_what_cannot_be_added_leaves_the_study_alone(run: Run, mine: Path) -> None:
    text = mine.read_text(encoding="utf-8")
    for arguments, told in (
        (("--add", "serch"), "did you mean 'search'?"),
        (("--add", "title"), "There is no section 'title'"),
        (("--add", "output"), "[output] already exists"),
        ((), "there is nothing to add"),
    ):
        done = run("init", *arguments, cwd=mine.parent)
        assert (done.returncode, told in done.stderr) == (2, True), done.stderr
    assert mine.read_text(encoding="utf-8") == text
    flat = 'scores = { file = "old.npz", orientation = "similarity" }\n' + '[samples]\nfile = "samples.csv"\n'
    mine.write_text(flat, encoding="utf-8")
    done = run("init", "new.npz", cwd=mine.parent)
    assert (done.returncode, "write it as a section" in done.stderr) == (2, True)
    assert mine.read_text(encoding="utf-8") == flat


def test_the_directory_one_is_in_has_a_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "faces").mkdir()
    (tmp_path / "faces" / "one.png").write_bytes(b"")
    assert "faces: pictures" in run("init", ".", cwd=tmp_path / "faces").stdout


def test_what_is_to_be_filled_in_is_said(run: Run, study: Path) -> None:
    done = run("init", "scores.npz", cwd=study)
    assert done.returncode == 0, done.stderr
    assert "to fill in: [samples]" in done.stdout
    assert "Fill these in" in done.stdout


def test_bad_requests(run: Run, study: Path) -> None:
    for arguments, code, said in (
        (("absent.npz",), 1, "no file"),
        ((), 2, "No files were given"),
        (("scores.npz", "-o", "."), 1, "directory"),
        (("scores.npz", "-o", ".", "--force"), 1, "directory"),
    ):
        done = run("init", *arguments, cwd=study)
        assert (done.returncode, said in done.stderr) == (code, True), done.stderr
        assert "Traceback" not in done.stderr
    assert not (study / "study.toml").exists()


def test_scores_of_classes_are_no_embeddings(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 4, 40)
    np.savez(tmp_path / "logits.npz", net=rng.normal(size=(40, 4)) + 3 * np.eye(4)[truth])
    pl.DataFrame({"label": [f"c{k}" for k in truth]}).write_csv(tmp_path / "labels.csv")
    done = run("init", "logits.npz", "labels.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "scores of 4 classes for 40 samples by net; the true class is 'label'" in done.stdout
    request = read_study(tmp_path / "study.toml").request
    assert request.classification is not None
    assert (request.classification.truth, request.classification.table) == ("label", "labels.csv")
    assert not request.embeddings
    np.save(tmp_path / "alone.npy", rng.normal(size=(40, 4)))
    assert "scores of 4 classes" in run("init", "alone.npy", "labels.csv", "--force", cwd=tmp_path).stdout
    np.savez(tmp_path / "vectors.npz", net=rng.normal(size=(40, 16)))
    assert "[[embeddings]]" in _written(
        run("init", "vectors.npz", "labels.csv", "--force", cwd=tmp_path), tmp_path
    )


def _written(done: Any, folder: Path) -> str:
    assert done.returncode == 0, done.stderr
    return (folder / "study.toml").read_text(encoding="utf-8")


def test_scored_pairs_are_known_by_their_columns(run: Run, tmp_path: Path) -> None:
    rows = [f"p{k}a,p{k + k % 2}b,{1 - k % 2},{0.9 - 0.5 * (k % 2) + 0.001 * k:.4f}" for k in range(20)]
    (tmp_path / "pairs.csv").write_text("\n".join(["img1,img2,label,cosine", *rows]) + "\n", encoding="utf-8")
    text = _written(run("init", "pairs.csv", cwd=tmp_path), tmp_path)
    assert 'columns = { a = "img1", b = "img2", mated = "label", score = ["cosine"] }' in text
    assert 'orientation = "similarity"' in text
    request = read_study(tmp_path / "study.toml").request
    assert request.scores[0].columns is not None
    (tmp_path / "odd.csv").write_text(
        "\n".join(
            ["img1,img2,label,cosine", *(row.replace(",1,", ",x,").replace(",0,", ",y,") for row in rows)]
        )
        + "\n",
        encoding="utf-8",
    )
    odd = run("init", "odd.csv", "pairs.csv", "--force", cwd=tmp_path)
    assert "it is unclear which value of 'label' means mated" in odd.stdout


def test_pictures_are_samples_by_their_names(run: Run, tmp_path: Path) -> None:
    (tmp_path / "yale").mkdir()
    for who in ("01", "02"):
        for what in ("happy", "sad"):
            (tmp_path / "yale" / f"subject{who}.{what}").write_bytes(b"GIF89a")
    text = _written(run("init", "yale", cwd=tmp_path), tmp_path)
    assert 'file = "yale"' in text
    assert 'subject_column = "subject"' in text
    named = _written(
        run("init", "yale", "--names", "subject{subject}.{mood}", "--force", cwd=tmp_path), tmp_path
    )
    assert 'file = "yale/subject{subject}.{mood}"' in named
    refused = run("init", "yale", "--names", "x{subject}", "--force", cwd=tmp_path)
    assert (refused.returncode, "do not match the pattern" in refused.stderr) == (1, True)
