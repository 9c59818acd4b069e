from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Run = Callable[..., Any]

SOURCES = """[samples]
file = "samples.csv"
[[scores]]
file = "scores.npz"
orientation = "similarity"
"""
QUICK = """[verification]
fmr = [0.1]
n_resamples = 0
[output]
formats = ["csv"]
"""


@pytest.fixture
def file(study: Path) -> Path:
    (study / "study.toml").write_text(SOURCES + QUICK, encoding="utf-8")
    return study / "study.toml"


def entries(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_run_says_the_verdict_and_where_the_report_is(run: Run, file: Path) -> None:
    done = run("run", "study.toml", cwd=file.parent)
    assert done.returncode == 0, done.stderr
    assert "good" in done.stdout
    assert "recognition rate at rank 1" in done.stdout
    assert "wrote study-results/report.html" in done.stderr
    made = file.parent / "study-results"
    assert entries(made) == {
        "files.json", "model-card.md", "report.html", "results.json", "study.toml", "tables",
    }  # fmt: skip
    assert (file.parent / ".study-results.cache").is_dir()
    results = json.loads((made / "results.json").read_text(encoding="utf-8"))
    assert results["schema"] == "proband-results/3"
    assert done.stdout.splitlines()[0] in (made / "report.html").read_text(encoding="utf-8").replace(
        "&#39;", "'"
    )


def test_from_elsewhere_and_into_another_directory(run: Run, file: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = run("run", file, "--out", "deep/er", "--no-cache", "--threads", "1", cwd=elsewhere)
    assert done.returncode == 0, done.stderr
    assert (elsewhere / "deep" / "er" / "report.html").is_file()
    assert entries(elsewhere / "deep") == {"er"}
    assert "study-results" not in entries(file.parent)


def test_again_is_the_same(run: Run, file: Path) -> None:
    run("run", "study.toml", cwd=file.parent)
    first = (file.parent / "study-results" / "results.json").read_bytes()
    done = run("run", "study.toml", cwd=file.parent)
    assert done.returncode == 0, done.stderr
    assert (file.parent / "study-results" / "results.json").read_bytes() == first


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (SOURCES + "[verify]\n", 2, "study.toml, line 6, verify: there is no section or key 'verify'"),
        (SOURCES + "[verification]\nfmrs = [0.1]\n", 2, "line 7, [verification] fmrs: there is no key"),
        (SOURCES.replace("scores.npz", "score.npz"), 1, "there is no file or directory"),
        (SOURCES.replace("similarity", "distance"), 1, "look"),
        (SOURCES + "[experiment]\ngallery = 'session == 3'\n", 1, "The gallery is empty"),
        (SOURCES + "[experiment]\nprobes = 'session == 1'\n", 1, "in the gallery and in the probe set"),
        (SOURCES + "[search]\n", 1, "every probe has a mate"),
        (SOURCES + "[strat]\n", 1, "strat"),
        ("title = ", 2, "this is not TOML"),
        ("", 2, "specifies no scores"),
    ],
)
def test_a_bad_study_is_one_error_and_leaves_no_directory(
    run: Run, study: Path, text: str, code: int, said: str
) -> None:
    (study / "study.toml").write_text(text, encoding="utf-8")
    before = entries(study)
    done = run("run", "study.toml", "-q", cwd=study)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert entries(study) - before <= {".study-results.cache"}
    assert done.stdout == ""


def test_ids_that_do_not_agree_leave_nothing(run: Run, file: Path) -> None:
    stored = dict(np.load(file.parent / "scores.npz"))
    stored["query_ids"][0] = "p99-2"
    np.savez(file.parent / "scores.npz", **stored)
    before = entries(file.parent)
    done = run("run", "study.toml", cwd=file.parent)
    assert done.returncode == 1
    assert "1 of 12 query ids is not in the samples table: 'p99-2'" in done.stderr
    assert entries(file.parent) == before


def test_a_directory_of_other_things_is_refused_at_once(run: Run, file: Path) -> None:
    before = entries(file.parent)
    done = run("run", "study.toml", "--out", ".", cwd=file.parent)
    assert done.returncode == 1
    assert "not replaced" in done.stderr
    assert entries(file.parent) == before


def test_no_study(run: Run, tmp_path: Path) -> None:
    done = run("run", "study.toml", cwd=tmp_path)
    assert done.returncode == 1
    assert "There is no file study.toml" in done.stderr


def test_a_dry_run_says_what_would_be_done_and_writes_nothing(run: Run, file: Path) -> None:
    before = entries(file.parent)
    done = run("run", "study.toml", "--dry-run", cwd=file.parent)
    assert done.returncode == 0, done.stderr
    assert "reads scores.npz (" in done.stdout
    assert "24 samples of 12 people" in done.stdout
    assert "good has scores of 12 × 12 samples" in done.stdout
    steps = [line for line in done.stdout.splitlines() if line[:1].isdigit() and ". " in line]
    assert steps == [
        "1. rank 12 probes in a gallery of 12 images, for 2 algorithms",
        "2. count errors over 144 comparisons, for 2 algorithms",
        "3. identification; run by default",
        "4. verification",
        "5. comparison; run by default",
        "6. write report, results, tables and figures to study-results",
    ]
    assert "less than 10 seconds and about 350 MB of memory." in done.stdout
    assert entries(file.parent) == before
    only = run("run", "study.toml", "--dry-run", "--only", "verification", "-o", "x", cwd=file.parent)
    assert "identification" not in only.stdout
    assert "figures to x" in only.stdout
    assert entries(file.parent) == before


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        ("[verify]\n", 2, "there is no section or key 'verify'"),
        ("[experiment]\ngallery = 'session == 3'\n", 1, "The gallery is empty"),
        ("[strat]\nn_images = 9\n", 1, "strat"),
        ("[[comparison]]\nmeasure = 'mine.measures:Own'\n", 2, "code that the study would run"),
    ],
)
def test_a_dry_run_refuses_what_the_run_would(run: Run, study: Path, more: str, code: int, said: str) -> None:
    (study / "study.toml").write_text(SOURCES + more, encoding="utf-8")
    dry = run("run", "study.toml", "--dry-run", cwd=study)
    real = run("run", "study.toml", cwd=study)
    assert (dry.returncode, dry.stderr) == (real.returncode, real.stderr)
    assert (dry.returncode, said in dry.stderr) == (code, True)


def test_a_dry_run_scores_no_pictures(run: Run, study: Path) -> None:
    (study / "faces").mkdir()
    (study / "faces" / "one.png").write_bytes(b"nothing")
    text = '[samples]\nfile = "samples.csv"\n[images]\nfile = "faces"\nalgorithms = ["lbp:chi2"]\nas_they_are = true\n'
    (study / "study.toml").write_text(text, encoding="utf-8")
    done = run("run", "study.toml", "--dry-run", cwd=study)
    assert done.returncode == 0, done.stderr
    assert "reads faces (7 bytes)" in done.stdout
    assert "1. score the images of faces with 1 recogniser: lbp:chi2" in done.stdout
    assert "are not yet known" in done.stdout


def test_one_section_alone_has_the_numbers_of_the_whole(run: Run, study: Path) -> None:
    text = (
        SOURCES
        + "[experiment]\nties = 'mean'\nprobes = 'session == 2'\n[[comparison]]\nmeasure = 'fnmr@0.1'\n"
        + QUICK
    )
    (study / "study.toml").write_text(
        text.replace("n_resamples = 0", "comparisons = 'all'"), encoding="utf-8"
    )
    assert run("run", "study.toml", "-o", "whole", cwd=study).returncode == 0
    for key in ("verification", "comparison"):
        done = run("run", "study.toml", "--only", key, "-o", key, cwd=study)
        assert done.returncode == 0, done.stderr
        whole, alone = (json.loads((study / name / "results.json").read_text()) for name in ("whole", key))
        assert alone[key] == whole[key]
        assert {"identification", "comparison", "verification"} & set(alone) == {key}
        assert alone["provenance"]["command"] == f"proband run study.toml --only {key}"


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("verificaton", "did you mean 'verification'?"),
        ("search", "study.toml has no section search"),
        ("samples", "There is no analysis 'samples'"),
    ],
)
def test_only_what_the_study_asks_for(run: Run, file: Path, key: str, said: str) -> None:
    done = run("run", "study.toml", "--only", key, cwd=file.parent)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_what_is_chosen_must_be_possible(run: Run, study: Path) -> None:
    (study / "study.toml").write_text(SOURCES.replace("scores.npz", "one.npz"), encoding="utf-8")
    stored = dict(np.load(study / "scores.npz"))
    del stored["poor"]
    np.savez(study / "one.npz", **stored)
    assert run("run", "study.toml", "--only", "identification", "-o", "x", cwd=study).returncode == 0
    assert run("run", "study.toml", "--only", "comparison", "-o", "y", cwd=study).returncode == 1
