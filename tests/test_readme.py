"""The demo, and the README's commands and code, run as they stand."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.gallery import FOLDERS, GALLERY, GUIDES, IMAGES, METHODS, NAMED, figures

from proband.cli import main

pytestmark = pytest.mark.long
README = Path(__file__).parents[1] / "README.md"
TOUR = README.parent / "docs" / "start" / "tour.md"
TEN_MINUTES = TOUR.with_name("ten-minutes.md")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The directory that a demo was made in, as `demo`, and what was said."""
    place, said = tmp_path_factory.mktemp("readme"), StringIO()
    with pytest.raises(SystemExit) as stop, chdir(place), redirect_stdout(said):
        main(["demo", "--subjects", "48", "--out", "demo"])
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
    assert said[-1] == (place / "demo" / "report.html").resolve().as_uri()
    assert "10 of 18 algorithms shown; all are in the report." in said
    assert max(map(len, said[: said.index("")])) <= 80
    assert not any("Note(" in line for line in said)
    assert any("--explain shows the rest" in line for line in said)
    page = (place / "demo" / "report.html").read_text(encoding="utf-8")
    assert "synthetic people</h1>" in page
    for word in ("fb", "dup1", "lda:angle", "correlation", "The people are synthetic"):
        assert word in page
    for name in ("cmc.png", "faces.png", "results.json", "tables/leaderboard.csv", "data/scores.npz"):
        assert (place / "demo" / name).is_file()
    hints = [shlex.split(line) for line in said if line.startswith("  proband ")]
    assert len(hints) == 2
    for words in hints:
        tried = run(*words[1:], cwd=place)
        assert tried.returncode == 0, (words, tried.stderr)


@pytest.fixture(scope="module")
def first_screen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The README's arrays, under the names of files that its commands use."""
    place, made = tmp_path_factory.mktemp("first-screen"), namespace(README)
    person, image = np.array(made["person"]), np.array(made["image"])
    for name in ("old", "new"):
        np.savez(place / f"{name}.npz", ids=image, **{name: made[f"x_{name}"]})
    pl.DataFrame(made["shots"]).write_csv(place / "images.csv")
    a, b = np.triu_indices(len(image), 1)
    listed = (person[a] == person[b]) | ((a + b) % 40 == 0)
    a, b = a[listed], b[listed]
    pairs = {"name1": person[a], "name2": person[b]}
    for name in ("old", "new"):
        unit = made[f"x_{name}"] / np.linalg.norm(made[f"x_{name}"], axis=1, keepdims=True)
        pairs[name] = (unit[a] * unit[b]).sum(axis=1)
    pl.DataFrame(pairs).write_csv(place / "pairs.csv")
    return place


def namespace(page: Path) -> dict[str, Any]:
    """What a page's examples leave behind."""
    made: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8")):
        exec(compile(example.source, page.name, "single"), made)
    return made


def blocks(page: Path, language: str) -> Iterator[str]:
    yield from re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def commands(page: Path) -> Iterator[tuple[list[str], str]]:
    """Every command of our program on a page, and what the page shows of its output."""
    for block in blocks(page, "console"):
        for one in re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
            line, _, shown = one.partition("\n")
            if line.startswith("proband "):
                yield shlex.split(line, comments=True)[1:], shown


def test_tour_in_python(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(data)
    (code,) = blocks(TOUR, "python")
    exec(compile(code, TOUR.name, "exec"), {})
    assert "pca:mahalanobis: recognition rate at rank 1 = " in capsys.readouterr().out
    assert (data / "cmc.svg").exists()


@pytest.mark.parametrize("page", [README, TOUR], ids=["readme", "tour"])
def test_commands_run_and_show_what_the_page_shows(
    page: Path,
    data: Path,
    first_screen: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    found = list(commands(page))
    assert len(found) >= 3
    for words, shown in found:
        monkeypatch.chdir(
            data if page == TOUR or "study.toml" in words or "samples.csv" in words else first_screen
        )
        with pytest.raises(SystemExit) as stop:
            main(words)
        assert stop.value.code == 0, words
        said = capsys.readouterr().out
        if shown:
            assert doctest.OutputChecker().check_output(shown, said, doctest.ELLIPSIS), said


def test_commands_of_ten_minutes_run_on_the_files_it_names(data: Path, run: Callable[..., Any]) -> None:
    for words, _ in commands(TEN_MINUTES):
        done = run(*words, cwd=data)
        assert done.returncode == 0, (words, done.stderr)


def test_gallery_is_drawn_by_its_page(data: Path) -> None:
    assert sorted(figures(GALLERY, data)) == sorted(NAMED.findall(GALLERY.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_guides_are_drawn_by_their_pages(page: Path, tmp_path: Path) -> None:
    assert sorted(figures(page, tmp_path)) == sorted(NAMED.findall(page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", METHODS, ids=lambda page: page.stem)
def test_methods_are_drawn_by_their_pages_and_commands_show_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sorted(figures(page, tmp_path)) == sorted(NAMED.findall(page.read_text(encoding="utf-8")))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for words, shown in commands(page):
        if shown:
            with pytest.raises(SystemExit):
                main(words)
            said = capsys.readouterr().out
            assert doctest.OutputChecker().check_output(shown, said, doctest.ELLIPSIS), said


def test_every_drawn_image_is_on_a_page() -> None:
    pages = (GALLERY, *GUIDES, *METHODS)
    named = {name for page in pages for name in NAMED.findall(page.read_text(encoding="utf-8"))}
    drawn = {f"{folder}/{image.name}" for folder in FOLDERS for image in (IMAGES / folder).iterdir()}
    assert named == drawn


@pytest.mark.parametrize("page", [README, TOUR], ids=["readme", "tour"])
def test_examples_fit_a_terminal(page: Path) -> None:
    wide = [
        line
        for one in ("console", "python")
        for text in blocks(page, one)
        for line in text.splitlines()
        if len(line) > 80
    ]
    assert wide == []
