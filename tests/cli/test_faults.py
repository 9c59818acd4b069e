"""However the ground gives way, the program ends with words and no traceback."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.cli.app import main
from proband.cli.console import output, show_tables
from proband.errors import InputError
from proband.report.tables.cells import columns, text_cell
from proband.report.tables.table import Table
from proband.scores import Scores
from proband.words import printable

Run = Callable[..., Any]
posix = pytest.mark.skipif(os.name != "posix", reason="devices and signals are POSIX's")
COUNTS = ("mcnemar", "104", "40", "--total", "1195")


def program(*words: str, before: str = "", **settings: Any) -> subprocess.CompletedProcess[bytes]:
    """The program in a process of its own, after some preparation within it."""
    code = f"{before}\nimport sys\nsys.argv[0] = 'proband'\nfrom proband.cli import main\nmain()"
    return subprocess.run(
        [sys.executable, "-c", code, *words], stderr=subprocess.PIPE, check=False, **settings
    )


@posix
@pytest.mark.parametrize("form", [(), pytest.param(("--json",), marks=pytest.mark.long)])
def test_output_that_cannot_be_written_is_an_error(form: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = program(*COUNTS, *form, stdout=full)
    assert done.returncode == 1
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@posix
@pytest.mark.parametrize(
    "form", [(), *(pytest.param((one,), marks=pytest.mark.long) for one in ("--json", "--help"))]
)
def test_a_reader_that_goes_away_is_no_error(form: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = program(*COUNTS, *form, stdout=writing)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@posix
def test_a_file_that_loses_its_end_under_a_map_ends_the_program_with_words(tmp_path: Path) -> None:
    np.save(tmp_path / "scores.npy", np.zeros((1000, 1000)))
    code = (
        "import os, numpy as np\nfrom proband.cli.faults import explain_bus_errors\nexplain_bus_errors()\n"
        "values = np.load('scores.npy', mmap_mode='r')\nos.truncate('scores.npy', 5000)\nprint(values.sum())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"was truncated" in done.stderr
    assert done.stdout == b""


@posix
def test_a_map_is_measured_again_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "scores.npy"
    names = ("a", "b")
    np.save(path, np.eye(2))
    (tmp_path / "scores.npy.json").write_text(
        '{"orientation": "similarity", "query_ids": ["a", "b"], "target_ids": ["a", "b"]}'
    )
    scores = Scores.read(path)
    both = np.arange(len(names))
    assert scores.tile(both, both).sum() == 2.0
    os.truncate(path, 130)
    with pytest.raises(InputError, match="truncated while it was being read"):
        scores.tile(both, both)


@posix
def test_too_little_memory_is_said(tmp_path: Path) -> None:
    before = (
        "import numpy, polars, scipy.special, proband.inference, proband.cli.app as app\n"
        "def mcnemar(*counts): return numpy.ones(1 << 50)\n"
        "proband.inference.mcnemar = mcnemar\n"
    )
    done = program(*COUNTS, before=before, stdout=subprocess.PIPE)
    assert done.returncode == 1
    assert b"not enough memory" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [("1" + "0" * 30, "3"), ("3", "1" * 5000), ("3000000000", "1"), ("1", "2", "--total", "1" + "0" * 40)],
)
def test_counts_beyond_all_counting_are_refused(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    done = run("mcnemar", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr) < 500


HOSTILE = "\x1b[2J\x9b31m\u202e\r\x07\u2066\udc80"


@pytest.mark.parametrize("mark", HOSTILE)
def test_no_name_controls_the_terminal(mark: str) -> None:
    name = f"pca{mark}lda"
    rows = ((text_cell(name), text_cell("x" * 100_000)), (text_cell(name), text_cell("[/no] [markup")))
    told = io.StringIO()
    with redirect_stdout(told):
        console = output()
        show_tables(Table(name, columns(name, "b"), rows, (name,)))
        console.print(name, markup=False, soft_wrap=True)
        console.print(f"[bold]{name}[/bold] [/]", soft_wrap=True)
    shown = told.getvalue()
    if not mark.isprintable():
        assert mark not in shown
    assert len(shown) < 10_000
    assert printable("é – 王\tx\ny") == "é – 王\tx\ny"


def test_names_of_files_and_algorithms_are_shown_and_not_obeyed(run: Run, study: Path) -> None:
    hostile = "x\x1b[31m[/bold]"
    folder = study / "sub"
    folder.mkdir()
    with np.load(study / "scores.npz") as kept:
        arrays = dict(kept)
    np.savez(
        folder / "s.npz",
        **{
            hostile.replace("/", ""): arrays["good"],
            "query_ids": arrays["query_ids"],
            "target_ids": arrays["target_ids"],
        },
    )
    (folder / "s.npz").rename(folder / "[bold]\x1b[0m.npz")
    for words in (
        ("inspect", "sub/[bold]\x1b[0m.npz", "-s", "samples.csv"),
        ("evaluate", "sub/[bold]\x1b[0m.npz", "-s", "samples.csv", "--orientation", "similarity"),
        ("inspect", "absent\x1b[0m.npz"),
    ):
        done = run(*words, cwd=study)
        assert done.returncode in (0, 1), done.stderr
        assert "\x1b[31m" not in done.stdout
        assert "\x1b[0m." not in done.stdout + done.stderr


def test_results_for_spreadsheets_hold_no_formula_and_data_hold_every_letter(run: Run, study: Path) -> None:
    with np.load(study / "scores.npz") as kept:
        arrays = dict(kept)
    arrays["=cmd|' C'!A0"] = arrays.pop("good")
    np.savez(study / "scores.npz", **arrays)
    done = run(
        "evaluate",
        "scores.npz",
        "-s",
        "samples.csv",
        "--orientation",
        "similarity",
        "--csv",
        "table.csv",
        cwd=study,
    )
    assert done.returncode == 0, done.stderr
    table = pl.read_csv(study / "table.csv")
    assert set(table["algorithm"]) == {"'=cmd|' C'!A0", "poor"}
    names = {"query": ["=a", "=a", "+b", "+b"], "target": ["@c", "-d"] * 2, "score": [1.0, -2.0, 0.5, 3.0]}
    pl.DataFrame(names).write_csv(study / "list.csv")
    again = run(
        "convert", "list.csv", "again.csv", "--orientation", "similarity", "--to", "csv-long", cwd=study
    )
    assert again.returncode == 0, again.stderr
    assert pl.read_csv(study / "again.csv").select(*names).equals(pl.DataFrame(names))


def test_too_few_addresses_are_said_at_once(study: Path) -> None:
    """Below a limit the libraries cannot be loaded, and some wait forever for memory that they will not get."""
    resource = pytest.importorskip("resource")
    limit = 900 << 20
    done = subprocess.run(
        [sys.executable, "-m", "proband", "evaluate", "scores.npz", "-s", "samples.csv"],
        cwd=study,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        check=False,
    )
    assert done.returncode == 1
    assert "0.88 GiB of address space" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("terminal", "stated", "folded"), [(True, "40", True), (False, "40", True), (False, "", False)]
)
def test_errors_fold_at_the_width_of_a_terminal_or_at_the_one_stated(
    capsys, monkeypatch, terminal: bool, stated: str, folded: bool
) -> None:
    monkeypatch.setenv("COLUMNS", stated)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with pytest.raises(SystemExit):
        main(["mcnemar", "5", "3", "--rank", "3"])
    lines = re.sub(r"\x1b\[\d+m", "", capsys.readouterr().err).splitlines()
    assert "--rank requires scores" in " ".join(lines)
    assert (max(map(len, lines)) <= 40) == folded
    assert (len(lines) <= 2) != folded
