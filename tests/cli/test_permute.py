from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proband as pb

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight people with two images on each of two days, one with a single image, two algorithms."""
    place = tmp_path_factory.mktemp("choices")
    rng = np.random.default_rng(0)
    ids = [f"s{s}-{k}" for s in range(8) for k in range(4)] + ["s9-0"]
    rows = ["id,subject,day"] + [f"{name},{name[:2]},{1 + int(name[-1]) // 2}" for name in ids]
    (place / "samples.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    own = np.array([name[:2] for name in ids])
    arrays = {
        name: rng.normal(0, 1, (33, 33)) + strength * (own[:, None] == own[None, :])
        for name, strength in (("good", 3.0), ("poor", 1.0))
    }
    np.savez(place / "scores.npz", ids=np.array(ids), **arrays)
    return place


@pytest.fixture
def permute(run: Run, folder: Path) -> Run:
    usual = (
        "permute",
        "scores.npz",
        "-s",
        "samples.csv",
        "--orientation",
        "similarity",
        "--query-ids",
        "ids",
    )

    def with_groups(*more: object) -> Any:
        groups = () if "--groups" in more else ("--groups", "day")
        return run(*usual, "--target-ids", "ids", *groups, *more, cwd=folder)

    return with_groups


def library(folder: Path) -> tuple[list[pb.Scores], pb.Pool]:
    samples = pb.Samples.read(folder / "samples.csv")
    scores = pb.read_scores(
        folder / "scores.npz", samples, orientation="similarity", query_ids="ids", target_ids="ids"
    )
    found = list(scores.values())
    return found, pb.data.pool_over(found, samples, groups="day")


def test_json_equals_python(permute: Run, folder: Path) -> None:
    done = permute("--json", "--trials", 500, "--seed", 3)
    assert done.returncode == 0, done.stderr
    scores, pool = library(folder)
    expected = pb.permute(scores, pool, design=pb.designs.ImageChoice(500), seed=3).to_dict()
    assert json.loads(done.stdout)["choices"]["trials"] == json.loads(json.dumps(expected))


def test_table_says_who_cannot_take_part(permute: Run) -> None:
    done = permute("--trials", 200, "--explain")
    assert "good − poor" in done.stdout
    assert "not a p-value" in done.stdout
    assert "1 of 9 people cannot take part" in done.stdout


def test_exact_equals_python(permute: Run, folder: Path) -> None:
    said = json.loads(permute("--exact", "--json").stdout)["choices"]["exact"]
    scores, pool = library(folder)
    for one in scores:
        exact = pb.choices.exact_over_choices(one, pool)
        assert said[one.name]["values"] == exact.values.tolist()
        drawn = pb.permute([one], pool, design=pb.designs.ImageChoice(20_000, balanced=False)).rate(one.name)
        assert drawn.mean == pytest.approx(exact.values[0], abs=0.01)
        assert drawn.standard_deviation == pytest.approx(exact.variance_rank_1**0.5, rel=0.05)


def test_training_sets(permute: Run, folder: Path) -> None:
    choices = json.loads(permute("--trainings", "--json").stdout)["choices"]
    said = choices["trainings"]
    scores, pool = library(folder)
    means = [pb.permute([one], pool, max_rank=10).rate(one.name).mean for one in scores]
    assert choices["training_values"] == pytest.approx(means)
    assert said["value"] == pytest.approx(np.mean(means))
    assert said["standard_error"] == pytest.approx(np.std(means, ddof=1) / np.sqrt(2))
    assert "over choices of images" in said["notes"][0]["text"]


@pytest.mark.long
def test_directory(permute: Run, folder: Path) -> None:
    for _ in range(2):
        done = permute("--trials", 200, "--out", "made")
        assert done.returncode == 0, done.stderr
    names = {path.name for path in (folder / "made").rglob("*")}
    assert {
        "results.json",
        "choices.csv",
        "choices_differences.csv",
        "report.html",
        "choices_distributions.svg",
        "choices_ranks.svg",
    } <= names


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--groups", "month"), 2, "no column"),
        (("--image-pairs", "across"), 2, "image-pairs"),
        (("--exact", "--trainings"), 2, "--exact"),
        (("--trials", "0"), 2, "n-resamples"),
        (("--where", "day == 1"), 1, "cannot|None of"),
    ],
)
def test_bad_requests(permute: Run, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = permute(*arguments)
    assert done.returncode == code, done.stderr
    assert any(part in done.stderr for part in said.split("|"))
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_the_study_of_the_paper(run: Run, tmp_path: Path) -> None:
    done = run(
        "reproduce",
        "beveridge2001",
        "--people",
        8,
        "--training",
        10,
        "--trials",
        100,
        "-o",
        "b",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "b" / "report.html").read_text(encoding="utf-8")
    assert "synthetic" in text
    assert "9,014" in text
    # What it saves is read by the other commands.
    read = ("--orientation", "similarity", "--quiet")
    done = run(
        "permute",
        "b/scores.npz",
        "-s",
        "b/samples.csv",
        "--groups",
        "day",
        "--trials",
        50,
        *read,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    probes = ("-s", "b/probe_sets.csv", "--gallery", "kind == 'fa' and session == 1")
    done = run("compare", "b/probe_sets_scores.npz", *probes, *read, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "ica:infomax-1" in done.stdout


def test_chosen_pairs_one_way_and_other_measures(permute: Run, folder: Path) -> None:
    asked = (
        "-g",
        "day == 1",
        "-p",
        "day == 2",
        "--pairs",
        "poor-good",
        "--measure",
        "median-rank@4",
        "--trials",
        300,
    )
    done = permute(*asked, "--json")
    assert done.returncode == 0, done.stderr
    trials = json.loads(done.stdout)["choices"]["trials"]
    assert [(row["first"], row["second"]) for row in trials["differences"]] == [("poor", "good")]
    (pair,) = trials["measured"]["median-rank-4"]["differences"]
    samples = pb.Samples.read(folder / "samples.csv")
    scores = pb.read_scores(folder / "scores.npz", samples, orientation="similarity")
    pool = pb.data.pool_over(scores, samples, gallery="day == 1", probes="day == 2")
    expected = pb.permute(
        scores, pool, design=pb.designs.ImageChoice(300), measures="median-rank@4", pairs=[("poor", "good")]
    ).measured["median-rank-4"]
    assert (pair["value"], pair["not_won"]) == (
        expected.differences[0].value,
        expected.differences[0].not_won,
    )
    told = permute(
        *asked, "--csv", "measure_differences=apart.csv", "--figure", "measures=m.svg", "--report", "p.html"
    )
    assert told.returncode == 0, told.stderr
    assert "poor − good" in told.stdout
    assert "good − poor" not in told.stdout
    assert (
        (folder / "apart.csv")
        .read_text(encoding="utf-8")
        .splitlines()[1]
        .startswith("median-rank-4,poor,good,")
    )
    page = (folder / "p.html").read_text(encoding="utf-8")
    assert "Differences of other measures in the same choices" in page


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--pairs", "within"), "--image-pairs within"),
        (("--pairs", "good-bad"), "There is no algorithm 'bad'"),
        (("--against", "bad"), "There is no algorithm 'bad'"),
        (("--measure", "auc"), "from compared pairs"),
        (("--measure", "rank-3", "--exact"), "no effect with --exact"),
        (("-g", "day == 1", "-p", "day == 1", "--groups", "day"), "has a valid pair of images"),
    ],
)
def test_pairs_measures_and_days_that_do_not_fit_are_refused(
    permute: Run, asked: tuple[str, ...], said: str
) -> None:
    done = permute(*asked)
    assert done.returncode in (1, 2)
    assert said in " ".join(done.stderr.split())
