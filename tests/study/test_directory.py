from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.schema import closed

from proband.errors import InputError
from proband.protocols.cards.schema import faults
from proband.report.writer import write_run
from proband.study.caching import Cache
from proband.study.definition import Study
from proband.study.findings import Findings, results_schema
from proband.study.run import run

from .conftest import EXPERIMENT
from .test_running import EVERYTHING

Studied = Callable[..., Study]


_DOUBLED = (
    ('by = "sex"\n[[comparison]]', 'by = "sex"\n[[category]]\nby = "number"\n[[comparison]]'),
    ('by = "sex"\nzoo', 'by = ["sex", "device"]\nzoo'),
    ('units = "label"', 'by = ["label", "old"]'),
    ("sizes = [5]", "sizes = [5, 6]"),
    ('protocols = "2×4f CV"', 'protocols = ["2×4f CV", "2×3f CV"]'),
)
"""What an analysis does for each value of a column, done for two columns."""
SCHEMA = results_schema()


@pytest.fixture
def findings(studied: Studied) -> Findings:
    return run(studied(EXPERIMENT, "[verification]\nfmr = [0.1]\nn_resamples = 0"))


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_everything_is_there_and_of_the_schema(studied: Studied, tmp_path: Path) -> None:
    study = studied(EXPERIMENT, EVERYTHING)
    report = write_run(run(study), str(tmp_path / "run"), ("csv",))
    found = contents(tmp_path / "run")
    assert report.read_bytes() == found["report.html"]
    assert found["study.toml"] == study.path.read_bytes()
    results = json.loads(found["results.json"])
    assert list(faults(results, closed(SCHEMA))) == []
    places = [name for name in SCHEMA["properties"] if name in results]
    assert list(results) == places
    assert [name for name in SCHEMA["properties"] if name not in results] == []


@pytest.mark.long
def test_everything_by_two_columns_is_replaced(studied: Studied, tmp_path: Path) -> None:
    doubled = EVERYTHING
    for one, two in _DOUBLED:
        assert one in doubled
        doubled = doubled.replace(one, two)
    findings = run(studied(EXPERIMENT, doubled))
    write_run(findings, tmp_path / "run", ("csv", "parquet", "svg"))
    found = contents(tmp_path / "run")
    write_run(findings, tmp_path / "run", ("csv", "parquet", "svg"))
    assert contents(tmp_path / "run") == found
    assert {"figures/groups.svg", "figures/groups_2.svg"} <= set(found)


def test_tables_say_what_the_results_say(findings: Findings, tmp_path: Path) -> None:
    write_run(findings, tmp_path / "run", ("csv", "parquet"))
    results = json.loads((tmp_path / "run" / "results.json").read_text(encoding="utf-8"))
    tables: dict[str, pl.DataFrame] = {}
    for path in (tmp_path / "run" / "tables").glob("*.parquet"):
        tables[path.stem] = pl.read_parquet(path)
        text = pl.read_csv(path.with_suffix(".csv"), infer_schema_length=None)
        assert text.columns == tables[path.stem].columns
        assert text.height == tables[path.stem].height
    assert not (tmp_path / "run" / "figures").exists()
    rows = tables["leaderboard"].to_dicts()
    for row, one in zip(rows, results["identification"]["evaluation"]["results"], strict=True):
        assert row["rank_1"] == one["estimates"]["1"]["value"]
        assert [row["rank_1_low"], row["rank_1_high"]] == [
            one["estimates"]["1"][end] for end in ("low", "high")
        ]
    comparisons = results["comparison"]["comparisons"]
    assert tables["comparisons"]["p_adjusted"].to_list() == [
        pair["p_adjusted"] for comparison in comparisons.values() for pair in comparison["pairs"]
    ]
    assert tables["places"].select("comparison", "algorithm", "worst_place").sort(pl.all()).rows() == sorted(
        (key, name, place[1])
        for key, comparison in comparisons.items()
        for name, place in comparison["places"].items()
    )
    points = [
        point["fnmr"]["value"] for one in results["verification"]["algorithms"] for point in one["points"]
    ]
    assert tables["operating_points"]["fnmr"].to_list() == points


@pytest.mark.long
def test_the_same_bytes_in_another_directory(studied: Studied, folder: Path, tmp_path: Path) -> None:
    sections = (EXPERIMENT, "[verification]\nfmr = [0.1]\nn_resamples = 100")
    study = studied(*sections)
    (folder / "moved").mkdir()
    for name in ("samples.csv", "good.npz", "poor.npz"):
        (folder / "moved" / name).write_bytes((folder / name).read_bytes())
    moved = studied(*sections, name="moved/study.toml")
    cache = Cache(tmp_path / "kept")
    forms = ("csv", "parquet", "svg")
    write_run(run(study, threads=1, cache=cache), tmp_path / "one", forms, cache=cache)
    write_run(run(moved, threads=2), folder / "moved" / "two", forms)
    again = Cache(tmp_path / "kept")
    write_run(run(study, cache=again), tmp_path / "three", forms, cache=again)
    assert again.made == []
    assert contents(tmp_path / "one") == contents(folder / "moved" / "two") == contents(tmp_path / "three")
    assert not [
        name for name, content in contents(tmp_path / "one").items() if str(tmp_path).encode() in content
    ]


def test_an_earlier_run_is_replaced_and_nothing_else(studied: Studied, tmp_path: Path) -> None:
    findings = run(
        studied(EXPERIMENT, "[verification]\nfmr = [0.1]\nn_resamples = 0\nby = ['sex', 'device']")
    )
    write_run(findings, tmp_path / "run", ("csv", "parquet", "svg"))
    assert (tmp_path / "run" / "figures" / "groups_2.svg").is_file()
    write_run(findings, tmp_path / "run", ("csv",))
    assert not list((tmp_path / "run" / "tables").glob("*.parquet"))
    (tmp_path / "run" / "thesis.tex").write_text("years of work", encoding="utf-8")
    before = contents(tmp_path / "run")
    assert sorted([*json.loads(before["files.json"]), "thesis.tex"]) == sorted(
        one.relative_to(tmp_path / "run").as_posix() for one in (tmp_path / "run").rglob("*")
    )
    with pytest.raises(InputError, match=r"not replaced: 'thesis\.tex'"):
        write_run(findings, tmp_path / "run", ("csv",))
    assert contents(tmp_path / "run") == before


def test_a_failure_leaves_nothing(
    findings: Findings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("no page")

    monkeypatch.setattr("proband.report.writer.render_page", fail)
    (tmp_path / "place").mkdir()
    with pytest.raises(RuntimeError):
        write_run(findings, tmp_path / "place" / "run", ("csv",))
    assert list((tmp_path / "place").iterdir()) == []
