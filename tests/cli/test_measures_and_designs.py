"""Every measure under every design from the command line: it answers, or names designs that do."""

from __future__ import annotations

import io
import re
import shlex
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from tests.golden.freeze import fresh

from proband.cli import main
from proband.designs import DESIGNS
from proband.measures import MEASURES

ASKED = """scores.npz -s samples.csv -g "session == 1 and kind == 'fa'" --quiet"""
SHORT = {
    ("evaluate", "median-rank", "bootstrap"),
    ("evaluate", "rank", "image-choice"),
    ("compare", "median-relative-rank", "sign-flip"),
}
EVERY = [
    pytest.param(*one, marks=() if one in SHORT else pytest.mark.long)
    for one in (
        (command, measure, design)
        for command in ("evaluate", "compare")
        for measure in MEASURES.names()
        for design in DESIGNS.names()
    )
]
# The golden people have unequal numbers of probes, which full enumeration does not take: its refusal names no other design.
WITHOUT_HINT = {"enumeration"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("data")
    fresh(made)
    return made


def ask(folder: Path, command: str, measure: str, design: str) -> tuple[int, str]:
    said = io.StringIO()
    with (
        chdir(folder),
        redirect_stdout(io.StringIO()),
        redirect_stderr(said),
        pytest.raises(SystemExit) as stop,
    ):
        main([command, *shlex.split(ASKED), "--measure", measure, "--design", design])
    return int(stop.value.code or 0), said.getvalue()


@pytest.mark.parametrize(("command", "measure", "design"), EVERY)
def test_it_answers_or_names_designs_that_do(folder: Path, command: str, measure: str, design: str) -> None:
    code, said = ask(folder, command, measure, design)
    assert code in (0, 1, 2)
    if code == 0 or design in WITHOUT_HINT:
        return
    assert "Traceback" not in said
    _, hint = said.split("hint:")
    named = [
        one for one in re.findall(r"[a-z-]+", hint) if one in ("auto", *DESIGNS.names()) and one != design
    ]
    assert named, said
    assert ask(folder, command, measure, named[0])[0] == 0
