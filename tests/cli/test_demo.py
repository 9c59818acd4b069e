"""The end of the demo: commands to try, the address of the report, and when a browser is opened."""

from __future__ import annotations

import shlex
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proband as pb
from proband.cli.console import program
from proband.cli.images import demo as command
from proband.demo import SHOWN, leading_table, run_demo
from proband.engine import Silent
from proband.errors import UsageError
from proband.faces.population import Population
from proband.report.tables.terminal import as_terminal

Run = Callable[..., Any]
SMALL = ("demo", "-n", "10", "-a", "correlation", "-a", "pca:l2", "--out", "small demo")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were opened in a browser."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    return addresses


def test_it_ends_with_two_commands_and_the_address(run: Run, tmp_path: Path, opened: list[str]) -> None:
    done = run(*SMALL, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[-1] == (tmp_path / "small demo" / "report.html").resolve().as_uri()
    assert "algorithms shown" not in done.stdout
    started = said[said.index("Next:") + 1 : -2]
    assert len(started) == 2
    assert all(line.startswith("  proband ") for line in started)
    assert opened == []
    for line in started:
        tried = run(*shlex.split(line)[1:], cwd=tmp_path)
        assert tried.returncode == 0, (line, tried.stderr)


@pytest.mark.parametrize("words", [(), ("--no-open",)])
def test_a_browser_shows_the_report_unless_refused(
    run: Run, tmp_path: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(command, "_has_display", lambda: True)
    done = run(*SMALL, *words, cwd=tmp_path)
    assert opened == ([] if words else [done.stdout.splitlines()[-1]])


@pytest.mark.parametrize(
    ("terminal", "variables", "expected"),
    [
        (True, {"DISPLAY": ":0"}, True),
        (True, {"WAYLAND_DISPLAY": "wayland-0"}, True),
        (True, {}, False),
        (True, {"DISPLAY": ":0", "CI": "true"}, False),
        (False, {"DISPLAY": ":0"}, False),
    ],
)
def test_a_browser_needs_a_terminal_and_a_display(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, variables: dict[str, str], expected: bool
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "CI"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert command._has_display() is expected


def test_the_program_is_named_as_it_was_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "bin" / "proband"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "argv", ["bin/proband", "demo"])
    assert program() == "bin/proband"
    monkeypatch.setenv("PATH", str(script.parent))
    assert program() == "proband"
    monkeypatch.setattr(sys, "argv", ["/lib/proband/__main__.py", "demo"])
    monkeypatch.setattr(sys, "orig_argv", ["python3", "-m", "proband", "demo"])
    assert program() == "python3 -m proband"


def test_the_table_has_the_leading_algorithms_and_fits() -> None:
    rng = np.random.default_rng(5)
    people, n = np.arange(1500) % 500, 500
    ids = [f"i{k}" for k in range(1500)]
    samples = pb.Samples({"id": ids, "subject": people, "shot": np.arange(1500) // n, "fc": people < 30})
    faces = rng.normal(size=(n, 32))[people]
    made = [
        pb.Embeddings(
            faces + (1 + k / 4) * rng.normal(size=faces.shape),
            ids,
            metric="cosine",
            name=f"pca:whitened-{k:06}",
        )
        for k in range(SHOWN + 2)
    ]
    experiment = pb.Experiment(samples, gallery="shot == 0")
    categories = [pb.Category(name, "probe.fc") for name in ("fb", "fc", "dup1", "dup2")]
    evaluation = pb.evaluate(made[::-1], experiment, categories=categories)
    table = leading_table(evaluation)
    rates = sorted((entry.curve.at(1) for entry in evaluation.of(evaluation.categories[0])), reverse=True)
    assert [row[1].value for row in table.rows] == rates[:SHOWN]
    lines = as_terminal(table, 80).plain.splitlines()
    assert max(map(len, lines)) <= 80


def test_a_missing_library_is_named_before_any_face_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Population, "render", lambda *_, **__: pytest.fail("it drew faces"))
    for name, library in (
        ("lbp:chi2", "skimage.feature"),
        ("lbp:nbnn", "skimage.feature"),
        ("ica:2", "sklearn.decomposition"),
    ):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, library, None)
            with pytest.raises(UsageError, match=r"is not installed") as refused:
                run_demo(tmp_path / "out", 10, 0, [name], "proband demo", None, Silent())
            assert str(refused.value.hint) == "pip install 'proband[images]'"
