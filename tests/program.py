"""The program with the options of all its commands."""

from __future__ import annotations

from functools import cache
from typing import Any

from typer.main import get_command

from proband.cli.app import app


@cache
def whole_program() -> Any:
    """Every command with its options; the program itself makes those of one command alone."""
    return get_command(app)
