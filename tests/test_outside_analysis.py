"""An installed package adds a whole analysis from one file: its command with help, its section in studies, table, figure, JSON, schema and page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

MODULE = '''
"""How often probes are found, counted by a stranger."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from proband.engine import run_blocks
from proband.measures import measure_named
from proband.report import columns as col
from proband.report.charts.makers.rows import Valued, values
from proband.report.view import View, shows
from proband.results.base import Result
from proband.study.analysis import Analysis, AnalysisCommand
from proband.study.requests.base import MEASURES, AnalysisRequest, Option, Positive, Reads, Text


class ToyRequest(AnalysisRequest):
    """Found probes, counted."""

    measure: Annotated[Text, Field(description="What is measured."), Option(metavar="NAME[@VALUE]"), MEASURES] = "rank-1"
    rounds: Annotated[Positive, Field(description="How many squares are added up.")] = 3

    @property
    def reads(self):
        return Reads(ranks=True)


@dataclass(frozen=True)
class Square:
    """A task, as engines run them."""

    factor: int

    def __call__(self, block):
        return self.factor * block * block


@dataclass(frozen=True)
class ToyRow:
    algorithm: str
    measure: str
    value: float
    total: int


@dataclass(frozen=True, eq=False)
class Toys(Result):
    """What was counted."""

    rows: tuple[ToyRow, ...]


def counted(request, outcomes, total):
    with Path("made.txt").open("a") as made:
        made.write("once ")
    measured = measure_named(request.measure)
    return tuple(ToyRow(one.algorithm, request.measure, measured(one).value, total) for one in outcomes)


def run(requests, context):
    made = []
    for request in requests:
        total = sum(run_blocks(Square(2), range(request.rounds)))
        made += context.step(
            "toy",
            {"request": request.model_dump()},
            lambda: counted(request, context.outcomes, total),
        )
    return Toys(tuple(made))


@shows(Toys)
class ToyView(View[Toys]):
    """A row for each algorithm."""

    section = ("toy", "A toy", 90)

    def tables(self, found):
        return [
            col.table_of(
                "Counted by a stranger",
                found.rows,
                col.name("algorithm", lambda row: row.algorithm),
                col.rate("found", lambda row: row.value),
                col.count("total", lambda row: row.total),
                id="toy-rows",
            )
        ]

    def charts(self, found):
        return {"toy": [values([Valued(row.algorithm, row.value, None, None) for row in found.rows], "found", "rate")]}

    def frames(self, found):
        return {"toy": found.to_frame()}


ANALYSIS = Analysis(
    key="toy",
    place=190,
    many=True,
    request=ToyRequest,
    run=run,
    result=Toys,
    view=ToyView,
    command=AnalysisCommand(
        "toy", help="Count found probes, as a stranger would.", job="From elsewhere", title="Toy", frames=("toy",), figures=("toy",)
    ),
)
'''

STUDY = """output.formats = ["csv", "svg"]
identification = false
comparison = false
verification = false
[samples]
file = "samples.csv"
[[scores]]
file = "scores.npz"
orientation = "similarity"
query_ids = "ids"
target_ids = "ids"
[experiment]
gallery = "number == 0"
[[toy]]
rounds = 3
[[toy]]
measure = "{measure}"
rounds = {rounds}
"""
GIVEN = ("scores.npz", "-s", "samples.csv", "-g", "number == 0", "--orientation", "similarity",
         "--query-ids", "ids", "--target-ids", "ids")  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("outside")
    ids = [f"p{person}-{number}" for person in range(12) for number in range(3)]
    rows = [f"{one},{one.split('-')[0]},{one.split('-')[1]}" for one in ids]
    (made / "samples.csv").write_text("id,subject,number\n" + "\n".join(rows) + "\n")
    people = np.array([one.split("-")[0] for one in ids])
    rng = np.random.default_rng(2)
    alike = np.equal.outer(people, people)
    scores = {name: rng.normal(size=alike.shape) + lift * alike for name, lift in (("a", 2.0), ("b", 1.0))}
    np.savez(made / "scores.npz", **scores, ids=ids)
    info = made / "site" / "toys-1.0.dist-info"
    info.mkdir(parents=True)
    (made / "site" / "toys.py").write_text(MODULE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[proband.analyses]\ntoy = toys:ANALYSIS\n")
    return made


def proband(home: Path, *words: str) -> Any:
    """The program in a process of its own, with the package installed."""
    path = os.pathsep.join([str(home / "site"), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-m", "proband", *words],
        cwd=home,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_its_command_is_listed_and_has_help(home: Path) -> None:
    listed = proband(home, "--help").stdout
    assert "From elsewhere" in listed
    assert "toy           Count found probes, as a stranger would." in listed
    told = proband(home, "toy", "--help").stdout
    assert "--rounds" in told
    assert "How many squares are added up." in told
    assert "--figure" in told


def test_its_command_prints_and_writes(home: Path) -> None:
    done = proband(
        home,
        "toy",
        *GIVEN,
        "--rounds",
        "4",
        "--csv",
        "toy.csv",
        "--figure",
        "toy.svg",
        "--report",
        "toy.html",
    )
    assert done.returncode == 0, done.stderr
    assert "found" in done.stdout
    assert "28" in done.stdout  # 2·(0 + 1 + 4 + 9)
    assert (home / "toy.csv").read_text().startswith("algorithm,")
    assert "</svg>" in (home / "toy.svg").read_text()
    assert "Counted by a stranger" in (home / "toy.html").read_text()
    as_json = proband(home, "toy", *GIVEN, "--json", "--engine", "processes:2")
    assert as_json.returncode == 0, as_json.stderr
    rows = json.loads(as_json.stdout)["toy"]["rows"]
    assert [(row["algorithm"], row["total"]) for row in rows] == [("a", 10), ("b", 10)]


def test_a_study_has_its_sections_and_keeps_what_they_find(home: Path) -> None:
    (home / "study.toml").write_text(STUDY.format(measure="rank-2", rounds=5))
    (home / "made.txt").unlink(missing_ok=True)
    texts = []
    for _ in range(2):  # the second time from the cache
        done = proband(home, "run", "study.toml", "--out", "run", "--quiet")
        assert done.returncode == 0, done.stderr
        texts.append((home / "run" / "results.json").read_text())
    assert texts[0] == texts[1]
    assert (home / "made.txt").read_text() == "once once "
    found = json.loads(texts[0])["toy"]["rows"]
    assert [(row["measure"], row["total"]) for row in found] == [
        ("rank-1", 10),
        ("rank-1", 10),
        ("rank-2", 60),
        ("rank-2", 60),
    ]
    assert "A toy" in (home / "run" / "report.html").read_text()
    assert (home / "run" / "tables" / "toy.csv").exists()
    assert (home / "run" / "figures" / "toy.svg").exists()


@pytest.mark.parametrize(
    ("measure", "rounds", "line", "said"),
    [
        ("rank-2", "0", 18, "rounds"),
        ("rank-2", '"many"', 18, "rounds"),
        ("no-such", "2", 17, "there is no measure 'no-such'"),
        ("os.path:join", "2", 17, "--allow-plugins"),
    ],
)
def test_a_mistake_in_its_second_section_is_told_where_it_stands(
    measure: str, rounds: str, line: int, said: str, home: Path
) -> None:
    (home / "wrong.toml").write_text(STUDY.format(measure=measure, rounds=rounds))
    done = proband(home, "run", "wrong.toml", "--out", "wrong", "--quiet")
    assert done.returncode == 2
    assert f"line {line}" in done.stderr, done.stderr
    assert said in " ".join(done.stderr.split())
    assert not (home / "wrong").exists()


def test_the_schema_has_it_only_if_asked(home: Path) -> None:
    code = (
        "from proband.study.findings import results_schema\n"
        "print(['toy' in results_schema(plugins)['properties'] for plugins in (False, True)])"
    )
    path = os.pathsep.join([str(home / "site"), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[False, True]", done.stderr
