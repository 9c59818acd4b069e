"""Pages of studies as large as the papers': 256 people (Efficient 2001) and 481 (STRAT)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.report.page import finding

import proband as pb
from proband.inference.strata.study import strat_study
from proband.report.page.build import build_page, embedded_files
from proband.report.page.render import render_page
from proband.report.scene import Scene
from proband.study.findings import Findings

SIZES = (256, 481)


@dataclass(frozen=True)
class Longer(Findings):
    """Findings in which every list has this many items."""

    size: int = 0

    def to_dict(self) -> dict[str, Any]:
        made = _longer(super().to_dict(), self.size)
        assert isinstance(made, dict)
        return made


def _longer(value: Any, size: int) -> Any:
    """The same with every innermost list repeated until it is so long; the lists around it as they are."""
    if isinstance(value, dict):
        return {key: _longer(one, size) for key, one in value.items()}
    if not isinstance(value, list) or not value:
        return value
    if any(isinstance(one, dict | list) for one in value):
        return [_longer(one, size) for one in value]
    return (value * size)[:size]


@pytest.mark.parametrize("size", [256, pytest.param(481, marks=pytest.mark.long)])
@pytest.mark.parametrize("made", [finding.whole, finding.feret, finding.labelled, finding.under_protocols])
def test_whatever_is_long_is_embedded_or_named_as_left_out(made: Callable[[], Findings], size: int) -> None:
    found = made()
    given = {key: value for key, value in vars(found).items() if key != "schema"}
    longer = Longer(**given, size=size)
    kept = json.loads(embedded_files(Scene(longer))["results-summary.json"])
    assert kept["left_out"]

    def check(part: Any) -> None:
        for one in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            check(one)
        assert not isinstance(part, list) or part is kept["left_out"] or len(part) < size

    check(kept)
    every = longer.to_dict()
    for path in kept["left_out"]:
        parts: list[Any] = [every]
        for key in path.split("."):
            inner = [one for part in parts for one in (part if isinstance(part, list) else [part])]
            parts = [one[key] for one in inner if one is not None and key in one]
        assert parts, f"{path} is named and was not there"


def people(n: int, images: int) -> tuple[pb.Samples, list[pb.Scores]]:
    ids = [f"s{person}-{image}" for person in range(n) for image in range(images)]
    table = {"id": ids, "subject": [one.split("-")[0] for one in ids]}
    who, rng = np.repeat(np.arange(n), images), np.random.default_rng(1)
    made = [
        pb.Scores.from_array(
            rng.normal(size=(len(ids), len(ids))) + 4 * (who[:, None] == who), ids, ids, orientation="similarity", name=name
        )
        for name in "ab"
    ]  # fmt: skip
    return pb.Samples(table), made


@pytest.mark.parametrize("n", SIZES)
def test_a_study_of_galleries_has_a_page(n: int) -> None:
    samples, scores = people(n, 3)
    found = Findings(
        "Galleries", finding.PROVENANCE, {"strat": strat_study(scores, samples=samples, n_images=3)}
    )
    page = build_page(Scene(found))
    left_out = json.loads(page.embedded["results-summary.json"])["left_out"]
    assert "strat.galleries.bands.values" in left_out
    assert "strat.standard_errors.a.brr.by_rank" in left_out
    assert len(render_page(page).encode()) < 2_000_000


S = "scores.npz -s samples.csv --orientation similarity --query-ids ids --target-ids ids"
G = '-g "image == 0"'
COMMANDS = (
    f"evaluate {S} {G} --by level --overlap --measure median-rank@5",
    f"compare {S} {G} --by-category --by half",
    f"verify {S} --fmr 0.01 --replicates 100 --by half --zoo",
    f'search {S} -g "image == 0 and half == 1" --fpir 0.1 --sizes 8,64',
    f"threshold {S} --fmr 0.01",
    f"gate {S} {G} --baseline a --candidate b",
    f"mcnemar {S} {G} --against a --by half",
    f"feret {S} {G} --galleries 2 --by half --sizes 8,64 --reject 0.25",
    f"permute {S} --trials 50 --max-rank 100",
    f"permute {S} --exact --max-rank 100",
    f"strat {S} --images 3",
    f"strat {S} {G} --design brr --strata half --units subject",
    f"covariates {S} {G} --on levels(half)",
    f"partition {S} {G}",
    "classify labels.csv --truth subject --predicted said",
    "survey samples.csv --mean value --by subject",
    "compare values.csv --outcomes --algorithms x --algorithms y",
    "datasets means.csv --dataset name",
)


@pytest.mark.long
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one.split()[0])
def test_every_analysis_of_many_people_has_a_page(
    command: str, n: int, tmp_path: Path, run: Callable[..., Any]
) -> None:
    samples, scores = people(n, 3)
    rng = np.random.default_rng(2)
    place = np.arange(3 * n)
    table = samples.frame.with_columns(
        image=pl.Series(place % 3),
        half=pl.Series(place // 3 % 2),
        level=pl.Series([f"level {k // 3 % 20}" for k in place]),
        value=pl.Series(rng.normal(size=3 * n)),
    )
    table.write_csv(tmp_path / "samples.csv")
    table.select("id", "subject", said=pl.col("subject").shift(1).fill_null("s0")).write_csv(
        tmp_path / "labels.csv"
    )
    values = {name: rng.integers(0, 2, n) for name in "xy"}
    pl.DataFrame(values).write_csv(tmp_path / "values.csv")
    pl.DataFrame(
        {"name": [f"d{k}" for k in range(n)]} | {k: v / 2 + 0.1 for k, v in values.items()}
    ).write_csv(tmp_path / "means.csv")
    held = {one.name: np.asarray(one.values) for one in scores}
    np.savez(tmp_path / "scores.npz", **held, ids=list(samples.ids))
    done = run(
        *shlex.split(command), "--report", "page.html", "--out", "out", "--formats", "csv",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode in (0, 3, 4), done.stderr
    assert (tmp_path / "page.html").stat().st_size < 3_000_000
    assert (tmp_path / "out" / "report.html").exists()
