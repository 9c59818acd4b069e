"""What many tests share: a small study with a known answer, written as files."""

from __future__ import annotations

import gc
import os
import sys

# Two workers share the machine, and threads of BLAS that wait for work burn it. Before numpy is imported, or it is too late.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from proband.cli import main
from proband.report.figures.style import STYLE

# Each worker, and each program that a test starts, would compile all modules anew where the shell says that nothing is kept.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
_escaped: list[str] = []
# Nothing that is collected goes before the tests begin.
gc.disable()


def pytest_warning_recorded(warning_message: warnings.WarningMessage, nodeid: str) -> None:
    """Warnings are errors, so one that is only recorded was given while other code had the filters swapped."""
    _escaped.append(f"{nodeid}: {warning_message.message}")


def pytest_collection_finish() -> None:
    """What was collected stays; looking through it again and again for what can go took a tenth of the time."""
    _first_property()
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    gc.enable()


@given(st.none())
def _first_property(_: None) -> None:
    """Hypothesis looks for who holds its random numbers when it makes them, and from Python 3.14 on finds no one who is frozen."""


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _escaped and not session.exitstatus:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for warning in _escaped:
        terminalreporter.write_line(f"FAILED by a warning that escaped the filters: {warning}", red=True)


# How wide a terminal is, is for each test to say.
os.environ.pop("COLUMNS", None)
# Tests check numbers, not speed; two threads exercise the code that more would.
os.environ.setdefault("PROBAND_THREADS", "2")
# The same examples every time; make fuzz looks for others. No test may fail because a machine is slow.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=100 if "PROBAND_FUZZ" in os.environ else 30,
)
settings.register_profile("searching", deadline=None)
settings.load_profile("searching" if "PROBAND_FUZZ_SEED" in os.environ else "repeatable")


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_the_disk() -> Iterator[None]:
    """Syncing takes milliseconds and shows only after the power failed; the test of it puts itself in its place."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda number: None)
        patch.setattr("proband.engine.files.placing.sync_file_system", lambda path: True)
        yield


# Embedding fonts costs more than all else in a PDF, and pixels in a PNG; test_choice_figures.py does it as users have it.
USUAL = {name: STYLE[name] for name in ("pdf.fonttype", "savefig.dpi")}
STYLE.update({"pdf.fonttype": 3, "savefig.dpi": 50})


@pytest.fixture
def usual_style(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in USUAL.items():
        monkeypatch.setitem(STYLE, name, value)


@pytest.fixture
def few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deal labels and errors anew a few times, where the numbers that come of it are not looked at."""
    for name in ("group_differences", "hard_subjects"):
        monkeypatch.setattr(f"proband.inference.verification.people.{name}._DRAWS", 199)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Twelve people × two sessions; algorithm *good* is right for all but one person, *poor* for half of them."""
    n = 12
    people = [f"p{k:02d}" for k in range(n)]
    rng = np.random.default_rng(3)
    good = rng.uniform(0.0, 0.4, (n, n)) + np.eye(n)
    good[0, 1] = 2.0
    poor = rng.uniform(0.0, 0.4, (n, n)) + np.eye(n)
    for k in range(n // 2):
        poor[k, k + 1] = 2.0
    queries, targets = [f"{p}-2" for p in people], [f"{p}-1" for p in people]
    np.savez(tmp_path / "scores.npz", good=good, poor=poor, query_ids=queries, target_ids=targets)
    pl.DataFrame(
        {
            "id": targets + queries,
            "subject": people * 2,
            "session": [1] * n + [2] * n,
            "found": [True] * (2 * n - 1) + [False],
            "glasses": [False, True] * n,
        }
    ).write_csv(tmp_path / "samples.csv")
    return tmp_path


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """The program, run in this process: as in a shell, but without starting Python anew each time."""

    def run_program(*arguments: object, cwd: Path) -> Done:
        monkeypatch.chdir(cwd)
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in arguments])
        said = capsys.readouterr()
        return Done(int(stop.value.code or 0), said.out, said.err)

    return run_program


@pytest.fixture
def install_peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Put a program in the place of a peer's Python; without that no peer is installed."""
    from benchmarks.peers import PEERS

    monkeypatch.setenv("PROBAND_PEERS", str(tmp_path))

    def put(name: str, line: str) -> None:
        python = PEERS[name].folder / "bin" / "python"
        python.parent.mkdir(parents=True, exist_ok=True)
        python.write_text(f"#!/bin/sh\n{line}\n")
        python.chmod(0o755)
        PEERS[name].stamp.write_text("\n".join(PEERS[name].requires))

    return put
