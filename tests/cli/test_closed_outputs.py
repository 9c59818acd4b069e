"""Whoever reads what the program prints may go away, or be full: files are written all the same."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from tests.golden.cases import CASES
from tests.golden.freeze import fresh

from proband.cli import main
from proband.cli.faults import outlive_outputs

OUTPUTS = (*("--out", "-o", "--csv", "--latex", "--markdown", "--report", "--figure", "--model-card"),)
DEFAULT = (
    "evaluate",
    "audit",
    "survey",
    "datasets",
    "protocol run",
    "protocol splits",
    "literature",
    "array",
)
posix = pytest.mark.skipif(os.name != "posix", reason="pipes and devices are POSIX's")


def outputs(words: str) -> list[str]:
    """The files and directories that a command is to write; ``NAME=FILE`` says of what as well."""
    given = shlex.split(words)
    return [after.rpartition("=")[2] for option, after in pairwise(given) if option in OUTPUTS]


WRITING = {(command, words): None for command, words, _ in CASES if outputs(words)}
FIRST = dict(reversed(WRITING))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    fresh(folder)
    return folder


@pytest.fixture
def nobody_reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Standard output and standard error go into a pipe whose reader has gone."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as left:
        for name in ("stdout", "stderr"):
            monkeypatch.setattr(sys, name, left)
        outlive_outputs()
        yield


@posix
@pytest.mark.parametrize(
    ("command", "words"),
    [
        pytest.param(
            *one, id=" ".join(one), marks=() if one[0] in DEFAULT and FIRST[one[0]] == one[1] else pytest.mark.long
        )
        for one in WRITING
    ],
)  # fmt: skip
def test_every_command_writes_its_files_though_nobody_reads(
    command: str, words: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nobody_reads: None
) -> None:
    for one in data.iterdir():
        (shutil.copytree if one.is_dir() else shutil.copyfile)(one, tmp_path / one.name)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main([*command.split(), *shlex.split(words)])
    assert stop.value.code in (0, 3, 4)
    assert [name for name in outputs(words) if not (tmp_path / name).exists()] == []


@posix
@pytest.mark.parametrize(
    ("redirected", "code"),
    [
        ("2>&1 | true", 0),
        *(pytest.param(one, 0, marks=pytest.mark.long) for one in ("| true", ">&-", ">&- 2>&-")),
        pytest.param("> /dev/full", 1, marks=pytest.mark.long),
    ],
)
def test_a_command_in_a_shell_loses_nothing(redirected: str, code: int, data: Path, tmp_path: Path) -> None:
    shutil.copyfile(data / "accuracies.csv", tmp_path / "a.csv")
    words = "-m proband datasets a.csv --dataset name --csv made.csv --latex made.tex"
    done = subprocess.run(
        ["bash", "-c", f"{shlex.quote(sys.executable)} {words} {redirected}; exit ${{PIPESTATUS[0]}}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.csv", "made.csv", "made.tex"]
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert ("No space left" in done.stderr) == (code == 1)
