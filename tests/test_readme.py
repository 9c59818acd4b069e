"""The demo, and the README's commands and code, run as they stand."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.cli import main

pytestmark = pytest.mark.long
README = Path(__file__).parents[1] / "README.md"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The directory that a demo was made in, as `demo`, and what was said."""
    place, said = tmp_path_factory.mktemp("readme"), StringIO()
    with pytest.raises(SystemExit) as stop, chdir(place), redirect_stdout(said):
        main(["demo", "--subjects", "16", "--out", "demo"])
    assert stop.value.code == 0
    return place, said.getvalue().splitlines()


@pytest.fixture(scope="module")
def data(demo: tuple[Path, list[str]]) -> Path:
    """Scores and samples under the names the README uses."""
    place, _ = demo
    shutil.copy(place / "demo" / "data" / "samples.csv", place)
    with np.load(place / "demo" / "data" / "scores.npz", allow_pickle=False) as found:
        few = ("pca:mahalanobis", "lda:angle", "lbp:chi2")
        kept = [name for name in found if name in few or found[name].ndim < 2]
        np.savez(place / "scores.npz", **{name: found[name] for name in kept})
    return place


def test_demo_writes_a_report_and_its_next_commands_work(
    demo: tuple[Path, list[str]], run: Callable[..., Any]
) -> None:
    place, said = demo
    assert said[-1].startswith("The report is demo/report.html")
    assert not any("Note(" in line for line in said)
    assert any(line.startswith("--explain tells the rest") for line in said)
    page = (place / "demo" / "report.html").read_text(encoding="utf-8")
    assert "synthetic people</h1>" in page
    for word in ("fb", "dup1", "lda:angle", "correlation", "Nobody here exists"):
        assert word in page
    for name in ("cmc.png", "faces.png", "results.json", "tables/leaderboard.csv", "data/scores.npz"):
        assert (place / "demo" / name).is_file()
    hints = [shlex.split(line) for line in said if line.startswith("  proband ")]
    assert len(hints) >= 3
    for words in hints:
        tried = run(*words[1:], cwd=place)
        assert tried.returncode == 0, (words, tried.stderr)


def blocks(language: str) -> Iterator[str]:
    yield from re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_python(data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(data)
    (code,) = blocks("python")
    exec(compile(code, "README.md", "exec"), {})
    assert "pca:mahalanobis: recognition rate at rank 1 = " in capsys.readouterr().out
    assert (data / "cmc.svg").exists()


def test_shell(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(data)
    text = "\n".join(blocks("console")).replace("\\\n", " ")
    commands = [
        shlex.split(line[2:], comments=True) for line in text.splitlines() if line.startswith("$ proband")
    ]
    assert len(commands) >= 8
    for words in commands:
        with pytest.raises(SystemExit) as stop:
            main(words[1:])
        assert stop.value.code == 0, words
