from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.blind import BlindTest, Key
from proband.samples import Samples

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An administrator's desk: two versions of a test of twenty people, and answers of two algorithms to each."""
    where = tmp_path_factory.mktemp("desk")
    n = 20
    samples = Samples(
        {
            "id": [f"{k:02d}-{s}" for s in (1, 2) for k in range(n)],
            "subject": [f"p{k:02d}" for k in range(n)] * 2,
            "session": [1] * n + [2] * n,
            "glasses": [k % 2 == 0 for k in range(n)] * 2,
            **{name: [10.0] * 2 * n for name in ("left_eye_x", "left_eye_y", "right_eye_x", "right_eye_y")},
        }
    )
    made = BlindTest(
        samples, "session == 1", "session == 2", versions=("partially automatic", "fully automatic")
    ).make(where / "test", where / "test.key")
    rng = np.random.default_rng(4)
    for name, noise in (("near", 0.5), ("far", 1.5)):
        people = rng.normal(size=(n, 8))
        points = np.concatenate([people, people]) + noise * rng.normal(size=(2 * n, 8))
        for package, key_path in zip(made.packages, made.keys, strict=True):
            key = Key.read(key_path)
            sample = dict(zip(key.table["name"], key.table["sample"], strict=True))
            path = where / f"{name}-{package.version.split()[0]}"
            path.mkdir()
            for part, rows, columns in (
                ("scores", package.queries, package.targets),
                ("control", package.control_queries, package.control_targets),
            ):
                one, other = (
                    points[samples.ids.positions(sample[k] for k in names)] for names in (rows, columns)
                )
                np.save(path / f"{part}.npy", np.abs(one[:, None] - other).sum(axis=2))
            (path / "submission.toml").write_text(f'algorithm = "{name}"\norientation = "distance"\n')
    return where


@pytest.fixture
def own(desk: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(desk, tmp_path / "desk"))


def test_check_for_participant_and_administrator(run: Run, own: Path) -> None:
    seen = run("blind", "check", "test-fully", "near-fully", cwd=own)
    assert seen.returncode == 0, seen.stderr
    assert "Ready to be scored" in seen.stdout
    assert "repeated queries" not in seen.stdout
    known = run("blind", "check", "test-fully", "near-fully", "--key", "test-fully.key", "--json", cwd=own)
    said = json.loads(known.stdout)
    assert said["algorithm"] == "near"
    assert said["canaries"]["n_control"] == 100


def test_refusals_have_exit_codes_and_hints(run: Run, own: Path) -> None:
    np.save(own / "near-fully" / "scores.npy", np.load(own / "near-fully" / "scores.npy")[:5])
    short = run("blind", "check", "test-fully", "near-fully", cwd=own)
    assert short.returncode == 1
    assert "scores.npy is 5 × 22, but there are 22 queries and 22 targets" in short.stderr
    assert "hint: rows follow queries.csv" in short.stderr
    wrong = run("blind", "check", "test-fully", "far-fully", "-k", "test-partially.key", cwd=own)
    assert wrong.returncode == 1
    assert "does not belong to the package" in wrong.stderr
    (own / "test-fully" / "extra.txt").write_text("!")
    changed = run("blind", "check", "test-fully", "far-fully", cwd=own)
    assert changed.returncode == 1
    assert "extra.txt does not belong to the package" in changed.stderr


@pytest.mark.long
def test_score_writes_the_study_and_the_record(run: Run, own: Path) -> None:
    test = ("test-fully.key", "test-fully", "near-fully", "far-fully")
    done = run("blind", "score", *test, "--category", "glasses: probe.glasses", "--out", "results", cwd=own)
    assert done.returncode == 0, done.stderr
    told = json.loads((own / "results" / "results.json").read_text())
    (kept,) = told["feret"]["administration"]["tests"]
    assert [one["algorithm"] for one in kept["submissions"]] == ["near", "far"]
    report = (own / "results" / "report.html").read_text(encoding="utf-8")
    assert kept["package"] in report
    assert kept["submissions"][0]["files"]["scores.npy"] in report
    board = pl.read_csv(own / "results" / "tables" / "feret.csv")
    assert set(board["category"]) == {"all probes", "glasses"}
    printed = run("blind", "score", *test, "--category", "glasses: probe.glasses", "--json", cwd=own)
    assert json.loads(printed.stdout)["feret"] == told["feret"]
    files = {
        "--csv": "board.csv",
        "--figure": "cmc.svg",
        "--latex": "t.tex",
        "--markdown": "t.md",
        "--report": "p.html",
    }
    again = run("blind", "score", *test, "--out", "results", *chain(*files.items()), cwd=own)
    assert again.returncode == 0, again.stderr
    assert all((own / name).stat().st_size for name in files.values())
    over = run("blind", "score", *test, "--csv", test[0], cwd=own)
    assert over.returncode == 2
    assert "will not be overwritten" in over.stderr


@pytest.mark.long
def test_score_both_versions(run: Run, own: Path) -> None:
    words = [
        "test-fully.key",
        "test-fully",
        "near-fully",
        "+",
        "test-partially.key",
        "test-partially",
        "near-partially",
    ]
    done = run("blind", "score", *words, "--json", cwd=own)
    assert done.returncode == 0, done.stderr
    (pair,) = json.loads(done.stdout)["feret"]["versions"]
    assert (pair["first"], pair["second"]) == ("near (fully automatic)", "near (partially automatic)")
    assert pair["rows"][0]["pair"]["value"] == 0  # the same scores under other names
    shown = run("blind", "score", *words, "--out", "both", cwd=own)
    report = (own / "both" / "report.html").read_text(encoding="utf-8")
    for said in (shown.stdout, report):
        assert "near (fully automatic)" in " ".join(said.split())
        assert "(fully automatic) (fully automatic)" not in " ".join(said.split())


def test_a_refusal_leaves_nothing_written(run: Run, own: Path) -> None:
    path = own / "far-fully" / "scores.npy"
    np.save(
        path, (lambda m: (m - m.mean(axis=1, keepdims=True)) / m.std(axis=1, keepdims=True))(np.load(path))
    )
    done = run(
        "blind", "score", "test-fully.key", "test-fully", "near-fully", "far-fully", "-o", "results", cwd=own
    )
    assert done.returncode == 1
    assert "far-fully: control.npy" in done.stderr
    assert "such as by t-norm" in done.stderr
    assert not (own / "results").exists()
    assert done.stdout == ""


def test_wrong_requests(run: Run, own: Path) -> None:
    few = run("blind", "score", "test-fully.key", "test-fully", cwd=own)
    assert few.returncode == 2
    assert "at least one submission" in few.stderr
    first, second = ([f"test-{kind}.key", f"test-{kind}", f"near-{kind}"] for kind in ("fully", "partially"))
    for words in (["+", *first], [*first, "+"], [*first, "+", "+", *second]):
        stray = run("blind", "score", *words, cwd=own)
        assert stray.returncode == 2
        assert "Use + only between two tests" in stray.stderr
    forged = json.loads((own / "test-fully.key").read_text())
    forged["secret"]["table"]["sample"].reverse()
    (own / "forged.key").write_text(json.dumps(forged))
    done = run("blind", "score", "forged.key", "test-fully", "near-fully", cwd=own)
    assert done.returncode == 1
    assert "its seal does not match" in done.stderr


def test_a_submission_that_would_end_its_reader_is_refused(run: Run, own: Path) -> None:
    folder = own / "near-fully"
    (folder / "scores.npy").unlink()
    pl.DataFrame({"query": ["a"] * 9, "score": [1.0] * 9}).write_parquet(folder / "scores.parquet")
    content = bytearray((folder / "scores.parquet").read_bytes())
    for place in range(4, len(content) - 8, 3):
        content[place] ^= 0x40
    (folder / "scores.parquet").write_bytes(content)
    done = run("blind", "check", "test-fully", "near-fully", cwd=own)
    assert done.returncode == 1
    assert "scores.parquet cannot be read as Parquet" in done.stderr
