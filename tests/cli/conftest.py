"""The program, run in this process: as in a shell, but without starting Python anew each time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from proband.cli import main


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    def run_program(*arguments: object, cwd: Path) -> Done:
        monkeypatch.chdir(cwd)
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in arguments])
        said = capsys.readouterr()
        return Done(int(stop.value.code or 0), said.out, said.err)

    return run_program
