"""The gate at the command line: three exits, pinned baselines, and what other programs read."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

Run = Callable[..., Any]
USUAL = ("-s", "samples.csv", "--orientation", "similarity", "-g", "image == 0")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Sixty people with two images each, and three algorithms in a file each, all called `net`."""
    ids = [f"s{person:02d}-{image}" for person in range(60) for image in range(2)]
    rows = ["id,subject,image", *(f"{one},{one[:3]},{one[-1]}" for one in ids)]
    (tmp_path / "samples.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    own = np.array([one[:3] for one in ids])
    rng = np.random.default_rng(2)
    for name, lift in (("good", 6.0), ("fair", 3.0), ("poor", 0.5)):
        values = rng.normal(size=(120, 120)) + lift * np.equal.outer(own, own)
        np.savez(tmp_path / f"{name}.npz", net=values, query_ids=ids, target_ids=ids)
    return tmp_path


def test_three_exits(run: Run, folder: Path) -> None:
    for new, old, margin, code, word in (
        ("good", "poor", "0.05", 0, "Pass"),
        ("poor", "good", "0.05", 3, "Fail"),
        ("good", "good", "0.01", 4, "Undecided"),
    ):
        asked = (f"{new}.npz", "--baseline", f"{old}.npz", *USUAL, "--margin", margin)
        done = run("gate", *asked, cwd=folder)
        assert done.returncode == code, done.stderr
        assert word in done.stdout
        assert "An equally good algorithm would pass " in done.stdout
        assert ("do not differ for any person" in done.stdout) == (old == new)
        found = json.loads(run("gate", *asked, "--json", cwd=folder).stdout)["gate"]
        assert (found["exit_code"], found["decision"]) == (code, word.lower())
        assert found["baseline"] == (old if old != new else "baseline")


def test_a_baseline_is_called_after_its_key(run: Run, folder: Path) -> None:
    both = {}
    for name in ("good", "poor"):
        with np.load(folder / f"{name}.npz") as net:
            both[name], ids = net["net"], net["query_ids"]
    np.savez(folder / "both.npz", **both, query_ids=ids, target_ids=ids)
    for new, old, called in (
        (["both.npz::good"], "both.npz::poor", "poor"),
        (["both.npz::good"], "both.npz::good", "baseline"),
        (["new=both.npz::good"], "both.npz::good", "good"),
        (["both.npz", "--candidate", "good"], "both.npz::poor", "baseline"),
        (["good.npz"], "both.npz::poor", "poor"),
    ):
        done = run("gate", *new, "--baseline", old, *USUAL, "--json", "--save", "pin.json", cwd=folder)
        assert json.loads(done.stdout)["gate"]["baseline"] == called, done.stderr
        again = run("gate", *new, "--baseline", "pin.json", *USUAL, "--json", cwd=folder)
        assert json.loads(again.stdout)["gate"]["baseline"] == called, again.stderr


def test_lines_fit_a_terminal(run: Run, folder: Path) -> None:
    done = run("gate", "good.npz", "--baseline", "poor.npz", *USUAL, cwd=folder)
    table, _, below = done.stdout.partition("\n\n")
    assert all(len(line) <= 80 for line in table.splitlines())
    answer, _, rest = below.partition("\n\n")
    assert len(answer.strip().splitlines()) == 2  # the decision, and what the gate can see at all
    assert len(rest.strip().splitlines()) <= 3


def test_a_pinned_baseline_cannot_creep(run: Run, folder: Path) -> None:
    (folder / "ci").mkdir()
    done = run(
        "gate", "fair.npz", "--baseline", "poor.npz", *USUAL, "--explain", "--save", "ci/pin.json", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert "not pinned" in done.stdout
    digest = sha256((folder / "poor.npz").read_bytes()).hexdigest()
    pin = json.loads((folder / "ci" / "pin.json").read_text())
    assert (pin["pinned"]["file"], pin["pinned"]["sha256"]) == ("../poor.npz", digest)
    again = run(
        "gate", "good.npz", "--baseline", "ci/pin.json", *USUAL, "--explain", "--out", "made", cwd=folder
    )
    assert again.returncode == 0, again.stderr
    assert f"pinned by its digest {digest[:12]}" in again.stdout
    third = run("gate", "good.npz", "--baseline", "made/results.json", *USUAL, "--explain", cwd=folder)
    assert third.stdout == again.stdout
    by_hand = run(
        "gate", "good.npz", "--baseline", "poor.npz", *USUAL, "--explain", "--digest", digest, cwd=folder
    )
    assert "pinned by its digest" in by_hand.stdout
    (folder / "poor.npz").write_bytes((folder / "fair.npz").read_bytes())
    refused = run("gate", "good.npz", "--baseline", "ci/pin.json", *USUAL, cwd=folder)
    assert refused.returncode == 1
    assert "not the pinned file" in refused.stderr
    assert "hint:" in refused.stderr


def test_what_pins_nothing_is_refused(run: Run, folder: Path) -> None:
    for text, word in (
        ("{", "not JSON"),
        ('{"gate": {"decision": "pass"}}', "does not pin a baseline"),
        ("{}", "does not pin a baseline"),
    ):
        (folder / "pin.json").write_text(text)
        done = run("gate", "good.npz", "--baseline", "pin.json", *USUAL, cwd=folder)
        assert done.returncode == 1
        assert word in done.stderr
        assert "Traceback" not in done.stderr


def test_other_programs_read_it(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {0: None, 3: "failure", 4: "error"}
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "step.md"))
    (folder / "step.md").write_text("# before\n")
    for new, old in (("good", "poor"), ("poor", "good"), ("good", "good")):
        asked = (
            f"<&>{new}={new}.npz",
            "--baseline",
            f"{old}.npz",
            *USUAL,
            "--junit",
            "j.xml",
            "--summary",
            "s.md",
        )
        done = run("gate", *asked, "--github", cwd=folder)
        (suite,) = ElementTree.parse(folder / "j.xml").getroot()
        (case,) = suite
        expected = kinds[done.returncode]
        assert [one.tag for one in case] == [expected or "system-out"]
        assert (suite.get("failures"), suite.get("errors")) == (
            str(int(expected == "failure")),
            str(int(expected == "error")),
        )
        assert (folder / "step.md").read_text().endswith((folder / "s.md").read_text())
    assert (folder / "step.md").read_text().startswith("# before\n### ✅ Pass")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    done = run("gate", "good.npz", "--baseline", "poor.npz", *USUAL, "--github", cwd=folder)
    assert done.returncode == 2
    assert "UsageError: --github appends to" in done.stderr
    assert "--summary FILE.md" in done.stderr


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        (("good.npz",), 2, "--baseline"),
        (("good.npz", "--baseline", "nobody"), 2, "there is no algorithm 'nobody'"),
        (
            ("good.npz", "--baseline", "pooor.npz"),
            1,
            "There is no file or directory pooor.npz. hint: similar names: 'poor.npz'",
        ),
        (("good.npz", "--baseline", "pin.json"), 1, "There is no file or directory pin.json"),
        (
            ("a=good.npz", "b=fair.npz", "--baseline", "poor.npz"),
            2,
            "in addition to the baseline, got 2: a, b",
        ),
        (("a=good.npz", "--baseline", "a"), 2, "in addition to the baseline, got 0"),
        (
            ("a=good.npz", "b=poor.npz", "--baseline", "a", "--candidate", "a"),
            2,
            "the new algorithm and the baseline are the same",
        ),
        (("a=good.npz", "--baseline", "poor.npz", "--measure", "median-rank@5"), 2, "loss that matters"),
        (("a=good.npz", "--baseline", "poor.npz", "--measure", "speed"), 2, "no measure 'speed'"),
        (("a=good.npz", "--baseline", "poor.npz", "--digest", "abc"), 2, "--digest"),
        (("a=good.npz", "--baseline", "poor.npz", "--level", "0.5"), 2, "above 0.5"),
        (("a=good.npz", "--baseline", "poor.npz", "--margin", "0"), 2, "--margin"),
        (
            ("a=good.npz", "--baseline", "poor.npz", "--margin", "1%"),
            2,
            "expected a number, got '1%'. hint: write 0.01",
        ),
        (("a=good.npz", "--baseline", "poor.npz", "--threads", "0"), 2, "expected 1 or more, got '0'"),
        (
            ("a=good.npz", "--baseline", "poor.npz", "--ties", "avg"),
            2,
            "[OPTIONS] [[NAME=]FILE[::KEY]...] Try",
        ),
    ],
)
def test_what_is_wrong_is_said(run: Run, folder: Path, asked: tuple[str, ...], code: int, said: str) -> None:
    done = run("gate", *asked, *USUAL, cwd=folder)
    assert done.returncode == code, done.stderr
    assert said in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
