from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from proband.study.reading import read_study

Run = Callable[..., Any]


def test_a_study_from_files(run: Run, study: Path) -> None:
    done = run("init", "scores.npz", "samples.csv", cwd=study)
    assert done.returncode == 0, done.stderr
    assert "24 samples of 12 people, 1 failed to acquire (not found)" in done.stdout
    assert "taken as a similarity" in done.stdout
    assert "proband run study.toml" in done.stdout
    assert "wrote study.toml" in done.stderr
    made = read_study(study / "study.toml")
    assert made.request.samples is not None
    assert (made.request.samples.id, made.request.samples.failed) == ("id", "not found")
    assert made.request.scores[0].orientation == "similarity"
    assert sorted(one.name for one in study.iterdir()) == ["samples.csv", "scores.npz", "study.toml"]


def test_a_study_is_never_replaced_unasked(run: Run, study: Path) -> None:
    (study / "study.toml").write_text("mine", encoding="utf-8")
    done = run("init", "scores.npz", "samples.csv", cwd=study)
    assert (done.returncode, "exists already" in done.stderr) == (2, True)
    assert (study / "study.toml").read_text(encoding="utf-8") == "mine"
    assert run("init", "scores.npz", "samples.csv", "--force", cwd=study).returncode == 0
    assert read_study(study / "study.toml").request.scores
    assert run("init", ".", "-o", "made/other.toml", cwd=study).returncode == 0
    assert read_study(study / "made" / "other.toml").request.scores[0].file == "../scores.npz"


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
        ((), 2, "Missing argument"),
        (("scores.npz", "-o", "."), 2, "exists already"),
        (("scores.npz", "-o", ".", "--force"), 1, "directory"),
    ):
        done = run("init", *arguments, cwd=study)
        assert (done.returncode, said in done.stderr) == (code, True), done.stderr
        assert "Traceback" not in done.stderr
    assert not (study / "study.toml").exists()
