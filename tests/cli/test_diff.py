from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.study.runs.difference import compare_runs

Run = Callable[..., Any]

STUDY = """[samples]
file = "samples.csv"
[[scores]]
file = "scores.npz"
orientation = "similarity"
[verification]
fmr = [0.1]
n_resamples = 100
[output]
formats = ["csv"]
"""


@pytest.fixture
def results(run: Run, study: Path) -> Path:
    (study / "study.toml").write_text(STUDY, encoding="utf-8")
    assert run("run", "study.toml", "-q", "-o", "before", cwd=study).returncode == 0
    return study


def test_the_same_run_is_equal(run: Run, results: Path) -> None:
    done = run("diff", "before", "before/results.json", cwd=results)
    assert done.returncode == 0, done.stderr
    assert "values are equal." in done.stdout
    assert "Inputs, versions, seed and settings are the same" in done.stdout


def test_what_moved_and_why(run: Run, results: Path) -> None:
    stored = dict(np.load(results / "scores.npz"))
    stored["poor"][6, 7] = 2.0
    np.savez(results / "scores.npz", **stored)
    text = STUDY.replace("n_resamples = 100", "n_resamples = 200\nzoo = true").replace(
        "[output]", "[output]\nseed = 4"
    )
    (results / "study.toml").write_text(text, encoding="utf-8")
    assert run("run", "study.toml", "-q", "-o", "after", cwd=results).returncode == 0
    done = run("diff", "before", "after", cwd=results)
    assert done.returncode == 3, done.stderr
    for reason in (
        "  scores.npz has different content",
        "  seed 0 → 4",
        "  verification.n_resamples: 100 → 200",
        "  verification.zoo: – → true",
    ):
        assert reason in done.stdout.splitlines()
    told = json.loads(run("diff", "before", "after", "--json", cwd=results).stdout)
    moved = {" / ".join(move["where"]): move for move in told["moves"]}
    rate = next(
        move
        for where, move in moved.items()
        if where.endswith("results poor, all probes / estimates / 1 / value")
    )
    assert (rate["before"], rate["after"]) == (0.5, pytest.approx(5 / 12))
    assert rate["change"] == pytest.approx(-1 / 12)
    assert not any("results good, all probes / estimates" in where for where in moved)
    assert all(len(line) <= 80 for line in shown_at(80, run, results))


def shown_at(width: int, run: Run, folder: Path) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        lines: list[str] = run("diff", "before", "after", cwd=folder).stdout.splitlines()
    assert lines[0] == "Largest changes"
    return lines


def written(path: Path, **parts: Any) -> Path:
    path.write_text(json.dumps({"schema": "proband-results/3", **parts}), encoding="utf-8")
    return path


def test_records_are_found_by_what_they_are_of(tmp_path: Path) -> None:
    rows = [{"algorithm": "a", "value": 0.5}, {"algorithm": "b", "value": 0.25}]
    one = written(tmp_path / "1.json", x={"rows": rows})
    two = written(tmp_path / "2.json", x={"rows": rows[::-1]})
    assert compare_runs(one, two).is_equal
    three = written(tmp_path / "3.json", x={"rows": [{"algorithm": "b", "value": 0.75}]})
    found = {move.where: (move.before, move.after) for move in compare_runs(one, three).moves}
    assert found == {
        ("x", "rows a", "algorithm"): ("a", None),
        ("x", "rows a", "value"): (0.5, None),
        ("x", "rows b", "value"): (0.25, 0.75),
    }


def test_verdicts_come_first_then_rates_then_counts(tmp_path: Path) -> None:
    one = written(
        tmp_path / "1.json", x={"n": 10, "rate": 0.5, "small": 0.5, "verdict": "better", "same": 1 / 3}
    )
    two = written(
        tmp_path / "2.json",
        x={"n": 90, "rate": 0.7, "small": 0.51, "verdict": "equal", "same": 1 / 3 + 1e-13},
    )
    found = compare_runs(one, two)
    assert [move.where[-1] for move in found.moves] == ["verdict", "rate", "small", "n"]
    assert found.n_compared == 5


def test_a_curve_is_one_value(tmp_path: Path) -> None:
    one = written(
        tmp_path / "1.json", x={"cmc": [0.5, 0.7, 0.9], "ends": [[0.1, 0.2], [0.3, 0.4]], "bins": [1, 2]}
    )
    two = written(
        tmp_path / "2.json", x={"cmc": [0.5, 0.8, 0.95], "ends": [[0.1, 0.2], [0.3, 0.6]], "bins": [1]}
    )
    found = compare_runs(one, two)
    assert [(move.where, round(move.change or 0, 9)) for move in found.moves] == [
        (("x", "ends 2 2"), 0.2),
        (("x", "cmc 2"), 0.1),
        (("x", "bins", "length"), -1),
    ]
    assert found.n_compared == 3


def test_analyses_of_one_run_alone(run: Run, tmp_path: Path) -> None:
    one, two = (
        written(tmp_path / "1.json", x={"n": 1}, y={"n": 1}),
        written(tmp_path / "2.json", x={"n": 1}, z=[]),
    )
    found = compare_runs(one, two)
    assert (found.only_first, found.only_second, found.moves) == (("y",), ("z",), ())
    done = run("diff", one, two, cwd=tmp_path)
    assert done.returncode == 3
    assert "Only in the first run: y." in done.stdout


def test_versions_commands_and_inputs(tmp_path: Path) -> None:
    before = {
        "command": "proband verify a.npz",
        "versions": {"proband": "0.1", "numpy": "2.1"},
        "inputs": [{"name": "a", "sha256": "1"}],
    }
    after = {
        "command": "proband verify b.npz",
        "versions": {"proband": "0.2", "numpy": "2.1"},
        "inputs": [{"name": "b", "sha256": "1"}],
    }
    found = compare_runs(
        written(tmp_path / "1.json", provenance=before), written(tmp_path / "2.json", provenance=after)
    )
    assert list(map(str, found.reasons)) == [
        "only the first run read a",
        "only the second run read b",
        "proband 0.1 → 0.2",
        "command: proband verify a.npz → proband verify b.npz",
    ]


def test_what_holds_no_results(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    for arguments, code in ((("x.json", "x.json"), 1), (("x.json", "y.json"), 1), (("x.json",), 2)):
        done = run("diff", *arguments, cwd=tmp_path)
        assert (done.returncode, "Traceback" in done.stderr) == (code, False)
