"""Every command writes the same kinds of files, and names in help what its view has."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.golden.cases import CASES
from tests.golden.freeze import fresh

from proband.cli.analyses.findings import short_names
from proband.study.analysis import analyses

COMMANDS = {one.command.name: one for one in reversed(analyses()) if one.command is not None}
FIRST = {command: words for command, words, _ in reversed(CASES) if not words[0].isdigit()}
WRITING = (
    "--csv",
    "--figure",
    "--latex",
    "--markdown",
    "--model-card",
    "--out",
    "--report",
    "--save",
    "--table",
)
Run = Callable[..., Any]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    fresh(folder)
    return folder


def asked(command: str) -> list[str]:
    """The first case of a command, without the files it writes."""
    words = shlex.split(FIRST[command])
    places = [place for place, word in enumerate(words) if word in WRITING]
    return [word for place, word in enumerate(words) if place not in places and place - 1 not in places]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_writes_all_that_its_view_has(name: str, data: Path, tmp_path: Path, run: Run) -> None:
    analysis = COMMANDS[name]
    command = analysis.command
    assert command is not None
    words = [
        *name.split(),
        *asked(name),
        "--out",
        str(tmp_path / "out"),
        "--formats",
        "csv",
        "--formats",
        "svg",
        "--json",
    ]
    words += ["--markdown", str(tmp_path / "t.md"), "--latex", str(tmp_path / "t.tex")]
    if command.card:
        words += ["--model-card", str(tmp_path / "card.md")]
    done = run(*words, cwd=data)
    assert done.returncode in (0, 3, 4), done.stderr
    assert f'"{analysis.key}"' in done.stdout
    for kind, declared in (("tables", command.frames), ("figures", command.figures)):
        written = {path.stem for path in (tmp_path / "out" / kind).glob("*")}
        # What is there several times is numbered from the second on.
        assert {one.rstrip("_0123456789") for one in written} <= set(declared), kind
        assert set(declared[:1]) <= written
    assert all((tmp_path / file).stat().st_size for file in ("t.md", "t.tex"))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name in ("feret", "strat"))) for name in COMMANDS]
)
def test_tables_and_figures_are_chosen_by_name(name: str, data: Path, tmp_path: Path, run: Run) -> None:
    analysis = COMMANDS[name]
    command = analysis.command
    assert command is not None
    table = short_names(command.frames, analysis.key)[0]
    words = [
        *name.split(),
        *asked(name),
        "--csv",
        f"{table}={tmp_path / 'by-name.csv'}",
        "--csv",
        str(tmp_path / "first.csv"),
    ]
    drawn = [f"{one}={tmp_path / 'by-name.svg'}" for one in short_names(command.figures, analysis.key)[:1]]
    words += [word for one in drawn for word in ("--figure", one)]
    done = run(*words, cwd=data)
    assert done.returncode in (0, 3, 4), done.stderr
    assert (tmp_path / "by-name.csv").read_bytes() == (tmp_path / "first.csv").read_bytes()
    assert (tmp_path / "by-name.svg").exists() == bool(drawn)
    wrong = run(*name.split(), *asked(name), "--csv", "nothing=x.csv", cwd=data)
    assert wrong.returncode == 2
    assert f"there is no 'nothing' to write.\nhint: available: {table!r}" in wrong.stderr
    assert run(*name.split(), *asked(name), "--figure", "x.gif", cwd=data).returncode == 2
