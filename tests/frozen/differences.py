"""What changed against a frozen file."""

from __future__ import annotations

import difflib
import os
import subprocess
import sys
from pathlib import Path

from tests.frozen.freeze import file_of

_MOST = 40
ROOT = Path(__file__).parents[2]


def now(name: str) -> list[str]:
    """What the program has now, by a process of its own: other tests add measures, formats and analyses to theirs."""
    command = [sys.executable, "-m", "tests.frozen.freeze", "--show", name]
    paths = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def changed(name: str, made: list[str]) -> list[str]:
    """The lines that are gone, with a minus, and those that are new, with a plus."""
    kept = file_of(name).read_text(encoding="utf-8").splitlines()
    found = difflib.unified_diff(kept, made, lineterm="", n=0)
    return [line for line in found if line[0] in "+-" and line[:3] not in ("+++", "---")]


def report(changes: list[str]) -> str:
    """The first changes, and how many more there are."""
    rest = len(changes) - _MOST
    return "\n".join(changes[:_MOST]) + (f"\n… and {rest} more" if rest > 0 else "")
