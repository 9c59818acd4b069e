from __future__ import annotations

import gzip
import json
import re
import sys
from base64 import b64decode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

Report = Callable[..., tuple[Any, dict[str, Any]]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Sixteen people with four images each, compared all with all by two algorithms."""
    n, images = 16, 4
    ids = [f"p{person:02d}-{image}" for person in range(n) for image in range(images)]
    people = np.array([one[:3] for one in ids])
    rng = np.random.default_rng(4)
    alike = np.equal.outer(people, people)
    scores = {name: rng.normal(size=alike.shape) + lift * alike for name, lift in (("a", 3.0), ("b", 1.5))}
    np.savez(tmp_path / "scores.npz", **scores, query_ids=ids, target_ids=ids)
    pl.DataFrame(
        {
            "id": ids,
            "subject": people,
            "image": [int(one[-1]) for one in ids],
            "sex": [("f", "m")[int(one[1:3]) % 2] for one in ids],
        }
    ).write_csv(tmp_path / "samples.csv")
    pairs = pl.DataFrame(
        {
            "query": [f"p{person:02d}-0" for person in range(n)] * 2,
            "target": [f"p{person:02d}-1" for person in (*range(n), *range(1, n), 0)],
            "mated": [True] * n + [False] * n,
            "fold": [person % 4 for person in range(n)] * 2,
        }
    )
    pairs.write_csv(tmp_path / "pairs.csv")
    (tmp_path / "enrolled.txt").write_text("\n".join(ids[::images]), encoding="utf-8")
    return tmp_path


def embedded_results(page: str) -> dict[str, Any]:
    block = re.search(
        r'<script type="([^"]+)"[^>]* data-file="results-summary.json">(.*?)</script>', page, re.DOTALL
    )
    assert block
    packed = block[1] == "application/gzip"
    made: dict[str, Any] = json.loads(gzip.decompress(b64decode(block[2])) if packed else block[2])
    return made


@pytest.fixture
def report(run: Callable[..., Any], data: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """Run a command with --report; return what became of it, and the results that the page carries."""

    def reported(command: str, *more: object) -> tuple[Any, dict[str, Any]]:
        usual = (command, "scores.npz", "-s", "samples.csv", "--orientation", "similarity")
        words = [*map(str, (*usual, *more)), "--report", "page.html"]
        monkeypatch.setattr(sys, "argv", ["proband", *words])
        done = run(*words, cwd=data)
        if done.returncode:
            return done, {}
        page = (data / "page.html").read_text(encoding="utf-8")
        return done, embedded_results(page)

    return reported


SPLIT = ("-g", "image == 0", "-p", "image > 0")


@pytest.mark.usefixtures("few_deals")
@pytest.mark.parametrize(
    ("command", "more", "part"),
    [
        ("evaluate", SPLIT, "identification"),
        ("compare", SPLIT, "comparison"),
        ("compare", ("--measure", "fnmr@0.1"), "comparison"),
        ("verify", ("--by", "sex", "--zoo", "--replicates", 100), "verification"),
        ("search", ("-g", "image == 0 and sex == 'f'", "-p", "image > 0", "--sizes", 4), "search"),
        ("permute", ("--trials", 100), "choices"),
        ("permute", ("--exact",), "choices"),
        ("permute", ("--trainings",), "choices"),
        ("verify", ("--pairs", "pairs.csv"), "verification"),
        ("mcnemar", SPLIT, "mcnemar"),
        ("strat", ("--images", 4), "strat"),
        ("feret", (*SPLIT, "--by", "sex"), "feret"),
    ],
)
def test_every_command_writes_its_page(
    report: Report, data: Path, command: str, more: tuple[object, ...], part: str
) -> None:
    done, results = report(command, *more)
    assert done.returncode == 0, done.stderr
    assert "wrote page.html" in done.stderr
    assert part in results
    provenance = results["provenance"]
    assert provenance["command"].startswith(f"proband {command} scores.npz -s samples.csv")
    assert provenance["command"].endswith("--report page.html")
    assert {one["name"]: one["sha256"] for one in provenance["inputs"]} == {
        name: sha256((data / name).read_bytes()).hexdigest()
        for name in ("samples.csv", "scores.npz", *(["pairs.csv"] if "--pairs" in more else []))
    }
    if "--zoo" in more:
        assert results["verification"]["groups"]
        assert set(results["verification"]["hard_subjects"]) == {"a", "b"}
    if command == "search":
        assert {row["gallery"] for row in results["search"]["by_gallery_size"]} == {4}


def test_the_page_says_what_the_command_says(report: Report) -> None:
    done, results = report("evaluate", *SPLIT, "--json", "--level", 0.9)
    said = json.loads(done.stdout)
    assert results["confidence_level"] == 0.9
    assert [one["estimates"] for one in results["identification"]["evaluation"]["results"]] == [
        one["estimates"] for one in said["identification"]["evaluation"]["results"]
    ]


def test_a_command_is_quoted_and_files_of_ids_are_inputs(report: Report) -> None:
    done, results = report("evaluate", "-g", "@enrolled.txt")
    assert done.returncode == 0, done.stderr
    assert [one["name"] for one in results["provenance"]["inputs"]] == [
        "samples.csv",
        "scores.npz",
        "enrolled.txt",
    ]
    _, results = report("evaluate", *SPLIT)
    assert "-g 'image == 0' -p 'image > 0'" in results["provenance"]["command"]


@pytest.mark.parametrize("name", ["page.pdf", "nowhere/page.html"])
def test_a_place_that_cannot_be_is_refused_before_anything_is_read(
    run: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    done = run("evaluate", "missing.npz", "--report", name, cwd=tmp_path)
    assert done.returncode == 2
    assert Path(name).name in done.stderr
    assert "missing.npz" not in done.stderr
