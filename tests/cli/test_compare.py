from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb

Run = Callable[..., Any]


@pytest.fixture
def compare(run: Run, study: Path) -> Run:
    usual = ("compare", "scores.npz", "-s", "samples.csv", "--orientation", "similarity")
    return lambda *more: run(*usual, *more, cwd=study)


def library(study: Path) -> tuple[list[pb.Scores], pb.Experiment]:
    samples = pb.Samples.read(study / "samples.csv")
    scores = list(pb.read_scores(study / "scores.npz", samples, orientation="similarity").values())
    return scores, pb.data.experiment_over(scores, samples)


def test_json_equals_python(compare: Run, study: Path) -> None:
    said = json.loads(compare("--json", "--margin", "0.05").stdout)["comparison"]["comparisons"]["rank-1"]
    expected = pb.compare(*library(study), measure="rank-1", margin=0.05).to_dict()
    assert said == json.loads(json.dumps(expected))


@pytest.mark.parametrize("test", ["sign-flip", "obuchowski", "durkalski", "mcnemar", "bootstrap"])
def test_every_test_can_be_asked_for(compare: Run, test: str) -> None:
    said = json.loads(compare("--json", "--test", test).stdout)["comparison"]["comparisons"]["rank-1"]
    assert 0 < said["pairs"][0]["p_value"] <= 1


def test_table_and_files(compare: Run, study: Path) -> None:
    done = compare("--latex", "t.tex", "--markdown", "t.md", "--csv", "t.csv", "--measure", "rank-2")
    assert done.returncode == 0, done.stderr
    assert "recognition rate at rank 2" in done.stdout
    assert "good" in done.stdout
    comparison = pb.compare(*library(study), measure="rank-2")
    assert (study / "t.tex").read_text(encoding="utf-8") == comparison.to_latex()
    assert (study / "t.md").read_text(encoding="utf-8") == comparison.to_markdown()
    written = pl.read_csv(study / "t.csv")
    assert written["comparison"].to_list() == ["rank-2"]
    assert written["value"].to_list() == comparison.to_frame()["value"].to_list()


def test_median_ranks(compare: Run) -> None:
    done = compare("--measure", "median-rank@5")
    assert done.returncode == 0, done.stderr
    assert "median rank censored at 5" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--margin", "0"), 2, "margin"),
        (("--rank", "0"), 2, "rank"),
        (("--level", "1.5"), 2, "--confidence-level: expected a number above 0 and below 1, got 1.5"),
        (("--level", "95"), 2, "hint: write 0.95 for 95%."),
        (("--gallery", "all"), 1, "hint: for example pass --gallery one_per_subject"),
        (("--gallery", "session == 3"), 1, "hint: the column 'session' has no 3; available: 1 and 2."),
        (("--test", "t"), 2, "no design 't'"),
    ],
)
def test_bad_requests(compare: Run, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = compare(*arguments)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr


def test_one_algorithm_is_no_comparison(run: Run, study: Path) -> None:
    done = run("compare", "scores.npz::good", "-s", "samples.csv", "--orientation", "similarity", cwd=study)
    assert (done.returncode, "at least two" in done.stderr) == (2, True)


def test_mcnemar_from_scores_equals_python(run: Run, study: Path) -> None:
    done = run(
        "mcnemar", "scores.npz", "-s", "samples.csv", "--orientation", "similarity", "--json", cwd=study
    )
    (said,) = json.loads(done.stdout)["mcnemar"]["rows"]
    scores, experiment = library(study)
    a, b = (pb.rank(one, experiment).success(1) for one in scores)
    expected = pb.mcnemar(int((a > b).sum()), int((a < b).sum())).to_dict()
    assert said["test"] == expected | {"p_adjusted": expected["p_value"]}
    assert said["difference"]["value"] == pytest.approx(float((a - b).mean()))


def test_mcnemar_from_counts(run: Run, study: Path) -> None:
    said = json.loads(run("mcnemar", 104, 40, "--total", 1195, "--json", cwd=study).stdout)
    assert said["p_greater"] == pytest.approx(4.72745380885331e-08, rel=1e-10)
    said = " ".join(run("mcnemar", 5, 0, "--total", 5, "--explain", cwd=study).stdout.split())
    assert "exact 0.063" in said
    assert "[+0.1310, +1.0000]" in said
    assert "corresponds to the mid-p: it may exclude 0 where the two-sided exact p-value" in said
    assert run("mcnemar", 104, 40, "--total", 100, cwd=study).returncode == 2
    assert run("mcnemar", 104, cwd=study).returncode != 0
    three = run("mcnemar", "scores.npz::good", "-s", "samples.csv", "--orientation", "similarity", cwd=study)
    assert (three.returncode, "two algorithms" in three.stderr) == (2, True)


# Regression: the interval was one of 95 % whatever level was asked for.
@pytest.mark.parametrize(
    "words",
    [
        ("104", "40", "--total", "1195"),
        ("scores.npz", "-s", "samples.csv", "--orientation", "similarity"),
    ],
)
def test_mcnemar_has_the_level_asked_for(run: Run, study: Path, words: tuple[str, ...]) -> None:
    made = [
        json.loads(run("mcnemar", *words, "--level", level, "--json", cwd=study).stdout)
        for level in (0.9, 0.99)
    ]
    assert [one["confidence_level"] for one in made] == [0.9, 0.99]
    ninety, most = (one["mcnemar"]["rows"][0]["difference"] if "mcnemar" in one else one for one in made)
    assert most["low"] < ninety["low"] < ninety["high"] < most["high"]
    assert "99%" in run("mcnemar", *words, "--level", 0.99, cwd=study).stdout


def test_mcnemar_takes_two_counts_and_nothing_else(run: Run, study: Path) -> None:
    for words in (("5",), ("104", "40", "7"), ("104", "40", "-s", "samples.csv")):
        done = run("mcnemar", *words, cwd=study)
        assert done.returncode == 2
        assert "two counts without --samples" in done.stderr


@pytest.fixture
def several(run: Run, tmp_path: Path) -> Run:
    """Twelve people with four probes each, of whom *perfect* misses none and *poor* two people's; some samples failed."""
    people, n = [f"p{k:02d}" for k in range(12)], 12 * 4
    owner = np.repeat(np.arange(12), 4)
    perfect, poor = np.eye(12)[owner], np.eye(12)[owner]
    for k in range(6):
        poor[k, (owner[k] + 1) % 12] = 2.0
    queries, targets = (
        [f"{people[k]}-{j}" for k in range(12) for j in range(1, 5)],
        [f"{p}-0" for p in people],
    )
    np.savez(tmp_path / "scores.npz", perfect=perfect, poor=poor, query_ids=queries, target_ids=targets)
    ids, subjects = targets + queries, people + [people[k] for k in owner]
    lost = [one in ("p00-0", "p00-1", "p05-2") for one in ids]
    table = {"id": ids, "subject": subjects, "session": [0] * 12 + [1] * n, "lost": lost}
    pl.DataFrame(table).write_csv(tmp_path / "samples.csv")
    words = (
        "compare",
        "scores.npz",
        "-s",
        "samples.csv",
        "--orientation",
        "similarity",
        "-g",
        "session == 0",
    )
    return lambda *more: run(*words, *more, cwd=tmp_path)


def test_what_was_noted_of_estimates_is_explained(several: Run) -> None:
    done = several("--explain")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "perfect, recognition rate at rank 1: fewer than two of 48 probes from 12 people fail" in said
    assert "(borrowed from another rate in these data) gives an effective sample size of" in said
    assert said.count("Estimates: people have several probes, so people are the units") == 1
    assert "For the rate of poor alone, 48 probes of 12 people have an effective sample size of" in said
    assert "Failures to acquire" not in said


def test_failures_to_acquire_are_told(several: Run, tmp_path: Path) -> None:
    done = several("--failed", "lost", "--explain", "--report", "r.html")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    told = "Failures to acquire: 2 probes and 1 gallery image are marked in the table; "
    assert said.count(told) == 1
    assert "count as misses: 5." in said
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "2 probes and 1 gallery image failed; 5 probes count as misses" in page
    ignored = several("--failed", "lost", "--on-failure", "as-scored", "--explain")
    assert "Failures to acquire: marked, but every score is used as given." in " ".join(
        ignored.stdout.split()
    )
