"""Directories of pictures whose names say who is on them: every way to name them finds the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from proband.cli import main

PATTERN = "p{subject}-{shot:d}"


@pytest.fixture
def pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = np.random.default_rng(0)
    (tmp_path / "pics").mkdir()
    for who in "abcd":
        face = rng.integers(60, 190, (24, 20))
        for shot in range(4):
            drawn = (face + rng.integers(-30, 30, face.shape)).astype(np.uint8)
            Image.fromarray(drawn).save(tmp_path / "pics" / f"p{who}-{shot}.png")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    with pytest.raises(SystemExit) as stop:
        main([*argv])
    assert not stop.value.code
    return capsys.readouterr().out


def test_a_directory_as_argument_is_that_of_images(
    pictures: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--names", PATTERN, "-a", "correlation", "--as-they-are", "-q")
    for place, out in (("pics", "one.npz"), ("-ipics", "other.npz")):
        answer(capsys, "recognize", place, *asked, "-o", out)
    assert (pictures / "one.npz").read_bytes() == (pictures / "other.npz").read_bytes()


@pytest.mark.long
def test_protocols_by_names_are_those_by_a_pattern(
    pictures: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("protocol", "run", "pics", "-c", "correlation", "-P", "2f CV", "--json", "-q")
    by_names = answer(capsys, *asked, "--names", PATTERN)
    assert by_names == answer(capsys, *asked, "-s", f"pics/{PATTERN}")
    (pictures / "study.toml").write_text(
        f'[samples]\nfile = "pics/{PATTERN}"\n[protocol]\nfile = "pics"\nclassifiers = "correlation"\nprotocols = "2f CV"\n'
        '[output]\nformats = "csv"\n',
        encoding="utf-8",
    )
    assert "EPD: experiments (E) yes, protocol (P) no, data (D) stated." in answer(
        capsys, "run", "study.toml", "-q"
    )
