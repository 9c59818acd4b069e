"""A blind test from the pictures to the table of participants, as organiser, participant and supervisor type it; one comes late."""

from __future__ import annotations

import getpass
import json
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

Run = Callable[..., Any]
DEADLINE = "2026-12-01T13:00+01:00"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures, the package and its key, and the answers of two algorithms with the records of their runs."""

    def run(*words: str, cwd: Path) -> Any:
        return subprocess.run(
            [sys.executable, "-m", "proband", *words], cwd=cwd, capture_output=True, text=True
        )

    where = tmp_path_factory.mktemp("desk")
    done = [run("faces", "people", "-n", "12", cwd=where)]
    done.append(
        run(
            *(
                "blind",
                "make",
                "people/samples.csv",
                "-i",
                "people",
                "--target",
                "kind == 'fa' and session == 1",
            ),
            *("--query", "kind != 'fa' or session > 1", "--version", "partially", "--control", "4"),
            *("--deadline", DEADLINE, "--out", "test", "--key", "secret/test.key"),
            cwd=where,
        )
    )
    assert "submissions are accepted until 2026-12-01 12:00 UTC" in done[-1].stdout
    for algorithm, operator in (("correlation", ["--operator", "P. Participant"]), ("lbp:chi2", [])):
        answer = where / algorithm.partition(":")[0]
        answer.mkdir()
        for part, prefix in (("scores", ""), ("control", "control_")):
            lists = {
                name: pl.read_csv(where / "test" / f"{prefix}{name}.csv") for name in ("queries", "targets")
            }
            pl.concat(lists.values()).write_csv(where / "both.csv")
            chosen = []
            for name, frame in lists.items():
                (where / f"{name}.txt").write_text("\n".join(frame["id"]))
                chosen += [f"--{name}", f"@{name}.txt"]
            out = f"{answer.name}/{part}.npz"
            command = (
                "recognize",
                "test/images",
                "-s",
                "both.csv",
                "--subject-column",
                "id",
                "-a",
                algorithm,
                "-o",
                out,
            )
            done.append(run(*command, *chosen, *operator, cwd=where))
        form = (where / "test" / "submission.toml").read_text()
        for key, value in (("algorithm", answer.name), ("orientation", "similarity")):
            form = form.replace(f'{key} = ""', f'{key} = "{value}"')
        (answer / "submission.toml").write_text(form)
    assert [one.returncode for one in done] == [0] * len(done), [one.stderr for one in done]
    return where


def test_the_record_of_a_run(desk: Path, run: Run) -> None:
    record = json.loads((desk / "correlation" / "scores.npz.run.json").read_bytes())
    assert record["operator"] == "P. Participant"
    assert record["started"] <= record["finished"]
    assert record["command"].startswith("proband recognize test/images")
    assert platform.system() in record["machine"]
    assert platform.python_version() in record["software"]
    (algorithm,) = record["algorithms"]
    assert algorithm["algorithm"] == "correlation"
    assert algorithm["code"].startswith("proband ")
    assert all(algorithm[part] >= 0 for part in ("training", "enrolment", "comparison"))
    assert record["images"] > 0
    unnamed = (desk / "lbp" / "scores.npz.run.json").read_text()
    assert json.loads(unnamed)["operator"] is None
    assert platform.node() not in json.loads(unnamed)["machine"]
    assert getpass.getuser() not in json.loads(unnamed)["machine"]


def test_scores_have_the_same_bytes_at_any_hour(desk: Path, run: Run, tmp_path: Path) -> None:
    made = []
    for name in ("first", "second"):
        out = tmp_path / f"{name}.npz"
        command = ("recognize", "people", "-s", "people/samples.csv", "-a", "correlation", "-a", "pca:l2")
        done = run(*command, "--train", "subject < 's0004'", "-o", str(out), "--operator", name, cwd=desk)
        assert done.returncode == 0, done.stderr
        assert f"wrote {out}.run.json" in done.stderr.replace("\n", "")
        made.append(out.read_bytes())
    assert made[0] == made[1]


def test_feret_shows_the_record_and_leaves_out_that_of_other_scores(
    desk: Path, run: Run, tmp_path: Path
) -> None:
    scores = tmp_path / "scores.npz"
    made = run(
        "recognize",
        "people",
        "-s",
        "people/samples.csv",
        "-a",
        "correlation",
        "-o",
        str(scores),
        "--operator",
        "A. Tester",
        cwd=desk,
    )
    assert made.returncode == 0, made.stderr
    asked = (
        "feret",
        str(scores),
        "-s",
        "people/samples.csv",
        "--gallery",
        "kind == 'fa' and session == 1",
        "--json",
    )
    first, again = run(*asked, cwd=desk), run(*asked, cwd=desk)
    assert first.stdout == again.stdout
    found = json.loads(first.stdout)
    (participant,) = found["feret"]["participants"]
    record = json.loads(Path(f"{scores}.run.json").read_bytes())
    assert participant["operator"] == "A. Tester"
    assert (participant["started"], participant["machine"]) == (record["started"], record["machine"])
    took = sum(record["algorithms"][0][part] for part in ("training", "enrolment", "comparison"))
    assert participant["seconds"] == pytest.approx(record["images"] + took)
    assert f"{scores}.run.json" in [file["name"] for file in found["provenance"]["inputs"]]
    shown = run(*asked[:-1], cwd=desk).stdout
    assert "participants" in shown
    assert "A. Tester" in shown
    (tmp_path / "who.csv").write_text("algorithm,operator,seconds\nscores,B. Other,60\n")
    (told,) = json.loads(run(*asked, "--participants", str(tmp_path / "who.csv"), cwd=desk).stdout)["feret"][
        "participants"
    ]
    assert (told["operator"], told["seconds"], told["started"]) == ("B. Other", 60, record["started"])

    other = run(
        "recognize",
        "people",
        "-s",
        "people/samples.csv",
        "-a",
        "lbp:chi2",
        "-o",
        str(tmp_path / "other.npz"),
        cwd=desk,
    )
    assert other.returncode == 0
    scores.write_bytes((tmp_path / "other.npz").read_bytes())
    stale = json.loads(run(*asked, cwd=desk).stdout)
    assert [one["operator"] for one in stale["feret"]["participants"]] == [None]
    explained = run(*asked[:-1], "--explain", cwd=desk)
    assert "belongs to a different score file" in " ".join((explained.stdout + explained.stderr).split())


def test_the_whole_story_with_a_late_one(desk: Path, run: Run, tmp_path: Path) -> None:
    log = str(tmp_path / "receipts.jsonl")
    early = run("blind", "check", "test", "correlation", "--at", "2026-12-01T11:00Z", cwd=desk)
    assert "The deadline is 2026-12-01 12:00 UTC: 1 h left." in early.stdout
    passed = run("blind", "check", "test", "correlation", "--at", "2026-12-01T15:00Z", cwd=desk)
    assert passed.returncode == 0
    assert "Caution: The deadline was 2026-12-01 12:00 UTC: it passed 3 h ago." in passed.stdout
    timed = run("blind", "check", "test", "correlation", "--at", "2026-12-01T11:00Z", "--json", cwd=desk)
    assert json.loads(timed.stdout)["time"]["seconds_left"] == 3600

    received = run(
        *("blind", "receive", "test", "correlation", "--receipts", log, "--operator", "S. Supervisor"),
        *("--at", "2026-12-01T11:00Z"),
        cwd=desk,
    )
    assert received.returncode == 0, received.stderr
    assert "correlation was received at 2026-12-01 11:00 UTC, 1 h before the deadline." in received.stdout
    assert "entered by hand" in received.stdout
    late = run(
        "blind",
        "receive",
        "test",
        "lbp",
        "--receipts",
        log,
        "--at",
        "2026-12-01T14:00+01:00",
        "--json",
        cwd=desk,
    )
    receipt = json.loads(late.stdout)
    assert (receipt["number"], receipt["received"]) == (2, "2026-12-01T13:00:00Z")
    assert receipt["previous"] in received.stdout.replace("\n", "")

    scored = ("blind", "score", "secret/test.key", "test", "correlation", "lbp")
    without = run(*scored, cwd=desk)
    assert without.returncode == 2
    assert "--receipts" in without.stderr
    assert "--late label" in without.stderr
    refused = run(*scored, "--receipts", log, cwd=desk)
    assert refused.returncode == 1
    assert "lbp was received at 2026-12-01 13:00 UTC, 1 h after the deadline." in refused.stderr
    out = tmp_path / "results"
    labelled = run(*scored, "--receipts", log, "--late", "label", "--out", str(out), cwd=desk)
    assert labelled.returncode == 0, labelled.stderr
    assert "late by" in labelled.stdout
    held = pl.read_csv(out / "tables" / "feret_participants.csv", infer_schema=False)
    assert held["received"].to_list() == ["2026-12-01T11:00:00Z", "2026-12-01T13:00:00Z"]
    assert [None if text is None else float(text) for text in held["seconds_late"]] == [None, 3600]
    assert held["operator"].to_list() == ["P. Participant", None]
    assert held["version"].to_list() == ["partially automatic"] * 2
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Participants" in page
    assert "2026-12-01 13:00 UTC" in page
    results = (out / "results.json").read_bytes()
    assert run(*scored, "--receipts", log, "--late", "label", "--out", str(out), cwd=desk).returncode == 0
    assert (out / "results.json").read_bytes() == results


def test_a_record_of_other_scores_is_not_handed_in(desk: Path, run: Run, tmp_path: Path) -> None:
    answer = tmp_path / "answer"
    answer.mkdir()
    for path in (desk / "correlation").iterdir():
        (answer / path.name).write_bytes(path.read_bytes())
    (answer / "scores.npz.run.json").write_bytes((desk / "lbp" / "scores.npz.run.json").read_bytes())
    done = run("blind", "check", str(desk / "test"), str(answer), cwd=tmp_path)
    assert done.returncode == 1
    assert "scores.npz.run.json does not belong to scores.npz" in done.stderr
    (answer / "scores.npz.run.json").write_bytes((desk / "correlation" / "scores.npz.run.json").read_bytes())
    with (answer / "submission.toml").open("a") as form:
        form.write('[run]\nstarted = "2026-11-30T08:00Z"\nfinished = "2026-11-30T08:00Z"\n')
    done = run("blind", "check", str(desk / "test"), str(answer), cwd=tmp_path)
    assert done.returncode == 1
    assert "remove one of the two" in done.stderr


def test_late_without_a_deadline_is_refused(desk: Path, run: Run, tmp_path: Path) -> None:
    made = run(
        *(
            "blind",
            "make",
            "people/samples.csv",
            "-i",
            "people",
            "--target",
            "kind == 'fa'",
            "--query",
            "kind != 'fa'",
        ),
        *("--out", str(tmp_path / "test"), "--key", str(tmp_path / "test.key"), "--control", "0"),
        cwd=desk,
    )
    assert made.returncode == 0, made.stderr
    done = run("blind", "check", str(tmp_path / "test"), "correlation", "--at", DEADLINE, cwd=desk)
    assert done.returncode == 2
    assert "has no opening time and no deadline" in done.stderr
