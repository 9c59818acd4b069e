"""Help, and what needs no data, loads nothing heavy: people wait for what is imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("polars", "numba", "matplotlib", "scipy", "pandas", "sklearn", "rich", "tomlkit")
ALL_HELP = """
import contextlib, io, sys
from proband.cli.app import app, main
from typer.main import get_command

def every(command, words=()):
    yield words
    for name, inner in getattr(command, "commands", {}).items():
        yield from every(inner, (*words, name))

for words in every(get_command(app)):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main([*words, "--help"])
"""
CALLED = "import sys\nfrom proband.cli import main\ntry:\n    main({words!r})\nexcept SystemExit:\n    pass\n"
TOLD = "print([name for name in {heavy!r} if name in sys.modules])"


def loaded(code: str, heavy: tuple[str, ...]) -> str:
    whole = code + TOLD.format(heavy=heavy)
    done = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def test_the_help_of_no_command_loads_anything_heavy() -> None:
    assert loaded(ALL_HELP, HEAVY) == "[]"


@pytest.mark.parametrize(
    "words",
    [
        ["plan", "--rate", "0.95", "--half-width", "0.02"],
        ["plan", "--rate", "0.9", "--margin", "0.02", "--discordant", "0.1"],
    ],
)
def test_a_plan_loads_no_tables_figures_or_compilers(words: list[str]) -> None:
    assert loaded(CALLED.format(words=words), ("polars", "numba", "matplotlib")) == "[]"
