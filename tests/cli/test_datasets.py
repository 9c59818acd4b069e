from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [f"d{k},{0.7 + 0.02 * k:.3f},{0.68 + 0.0235 * k:.3f},{0.6 + 0.02 * k:.3f}" for k in range(8)]
    (tmp_path / "t.csv").write_text("\n".join(["dataset,A,B,C", *rows]) + "\n")
    return tmp_path


def test_tables_and_json(run: Run, table: Path) -> None:
    done = run("datasets", "t.csv", "--explain", cwd=table)
    assert done.returncode == 0, done.stderr
    assert "A is significantly better than C over data sets" in done.stdout
    assert "Friedman" in done.stdout
    found = json.loads(run("datasets", "t.csv", "--json", cwd=table).stdout)["datasets"]
    assert found["algorithms"] == ["A", "B", "C"]
    assert len(found["pairs"]) == 3


def test_mistakes(run: Run, table: Path) -> None:
    for more, said, code in (
        (("t.csv", "--dataset", "name"), "no column 'name'", 2),
        (("t.csv", "--algorithm", "A"), "name both", 2),
        (("t.csv", "--errors", "t.csv"), "table of standard errors", 1),
        (("t.csv", "--csv", "t.csv"), "t.csv", 2),
        (("absent.csv",), "no file", 1),
    ):
        done = run("datasets", *more, cwd=table)
        assert done.returncode == code, (more, done.stderr)
        assert said in done.stderr, (more, done.stderr)


@pytest.mark.long
def test_figures(run: Run, table: Path) -> None:
    done = run("datasets", "t.csv", "-f", "ranks.svg", "-f", "differences=by.pdf", cwd=table)
    assert done.returncode == 0, done.stderr
    assert "average rank" in (table / "ranks.svg").read_text()
    assert (table / "by.pdf").stat().st_size > 1000
