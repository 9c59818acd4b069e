"""A study of a stranger runs no code that the user did not allow, and writes nowhere but beside itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.errors import InputError, UsageError
from proband.study.caching import beside
from proband.study.reading import read_study
from proband.study.run import run as carry_out

Run = Callable[..., Any]
CODE = """from pathlib import Path
Path(__file__).with_name("imported").touch()
def vectors(images):
    Path(__file__).with_name("called").touch()
    return images.reshape(len(images), -1) / 255.0
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study of twelve pictures whose recogniser is a function that leaves a trace."""
    home = tmp_path / "study"
    (home / "stranger").mkdir(parents=True)
    (home / "stranger" / "code.py").write_text(CODE)
    monkeypatch.syspath_prepend(str(home))
    for name in [one for one in sys.modules if one.split(".")[0] == "stranger"]:
        monkeypatch.delitem(sys.modules, name)
    rng = np.random.default_rng(2)
    ids = [f"{person}-{k}" for person in "abcdef" for k in (1, 2)]
    faces = np.repeat(rng.integers(0, 200, (6, 8, 6)), 2, axis=0) + rng.integers(0, 50, (12, 8, 6))
    np.savez(home / "images.npz", images=faces.astype(np.uint8), ids=np.array(ids))
    pl.DataFrame({"id": ids, "subject": [name[0] for name in ids], "k": [1, 2] * 6}).write_csv(
        home / "samples.csv"
    )
    (home / "study.toml").write_text(
        'verification = false\n[samples]\nfile = "samples.csv"\n'
        '[images]\nfile = "images.npz"\nas_they_are = true\nalgorithms = ["correlation", "stranger.code:vectors"]\n'
        '[experiment]\ngallery = "k == 1"\n[output]\nformats = ["csv"]\n'
    )
    return home


def traces(folder: Path) -> set[str]:
    return {path.name for path in (folder / "stranger").iterdir()} & {"imported", "called"}


def test_code_that_a_study_names_is_run_only_if_the_user_allows_it(run: Run, folder: Path) -> None:
    refused = run("run", "study.toml", cwd=folder)
    assert refused.returncode == 2
    assert "line 7" in refused.stderr
    assert "stranger.code:vectors" in refused.stderr
    assert "--allow-plugins" in refused.stderr
    with pytest.raises(UsageError, match="code that the study would run"):
        carry_out(read_study(folder / "study.toml"))
    assert not traces(folder)
    assert not (folder / "study-results").exists()
    done = run("run", "study.toml", "--allow-plugins", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert traces(folder) == {"imported", "called"}
    assert "--allow-plugins" in (folder / "study-results" / "results.json").read_text()


def text_with(folder: Path, directory: str) -> None:
    path = folder / "study.toml"
    text = path.read_text().replace(', "stranger.code:vectors"', "")
    path.write_text(f"{text}directory = {directory!r}\n")


@pytest.mark.parametrize("place", ["absolute", "above", "link", "within link", "default link"])
def test_results_leave_the_directory_of_the_study_only_if_the_user_says_so(
    run: Run, folder: Path, place: str
) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    said = {"absolute": str(outside / "made"), "above": "../outside/made", "within link": "link/made"}
    (folder / "link").symlink_to(outside)
    if place == "default link":
        (folder / "study-results").symlink_to(outside)
    text_with(folder, "study-results" if place == "default link" else said.get(place, "link"))
    refused = run("run", "study.toml", cwd=folder)
    assert (refused.returncode, "--out" in refused.stderr) == (2, True)
    assert list(outside.iterdir()) == []
    done = run("run", "study.toml", "--out", outside / "made", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (outside / "made" / "report.html").exists()


def test_a_place_within_may_be_named_in_any_way(folder: Path) -> None:
    for directory in ("a/b", str(folder / "c"), "a/../d"):
        (folder / "own.toml").write_text(
            f'[scores]\nfile = "images.npz"\norientation = "similarity"\n[output]\ndirectory = {directory!r}\n'
        )
        assert read_study(folder / "own.toml").directory == folder / directory


def test_a_cache_that_is_a_link_is_not_followed(folder: Path) -> None:
    (folder / ".made.cache").symlink_to(folder.parent)
    with pytest.raises(InputError, match="is a link"):
        beside(folder / "made")
