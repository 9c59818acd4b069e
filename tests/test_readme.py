"""The README's commands and code run as they stand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from proband.cli import main

README = Path(__file__).parents[1] / "README.md"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores and samples under the names the README uses."""
    place = tmp_path_factory.mktemp("readme")
    with pytest.raises(SystemExit) as stop:
        main(["demo", "--subjects", "30", "--out", str(place / "demo")])
    assert stop.value.code == 0
    for name in ("scores.npz", "samples.csv"):
        (place / "demo" / "data" / name).rename(place / name)
    return place


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
