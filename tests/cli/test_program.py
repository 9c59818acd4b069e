from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.cli import console
from proband.cli.app import app, main
from proband.samples import Samples
from proband.scores import Scores

Run = Callable[..., Any]


def commands() -> list[str]:
    return [command.callback.__name__ for command in app.registered_commands if command.callback]


@pytest.mark.parametrize("command", commands())
def test_help_has_text(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert "Usage" in capsys.readouterr().out


def test_version_and_no_arguments(run: Run, tmp_path: Path) -> None:
    assert run("--version", cwd=tmp_path).stdout.startswith("proband ")
    bare = run(cwd=tmp_path)
    assert "Usage" in bare.stdout + bare.stderr
    wrong = run("evalute", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "Traceback" not in wrong.stderr


def test_help_does_not_load_the_heavy_libraries() -> None:
    code = (
        "import sys\nfrom proband.cli.app import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('numpy', 'polars', 'numba', 'scipy', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_import_is_light() -> None:
    code = (
        "import sys, proband; print([n for n in ('numpy', 'polars', 'numba', 'scipy') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_exist() -> None:
    import proband as pb

    public = [name for name in dir(pb) if not name.startswith("_")]
    for name in public:
        assert getattr(pb, name) is not None
    for room in (pb.protocols, pb.papers, pb.blind, pb.designs, pb.results):
        assert all(getattr(room, name) is not None for name in dir(room) if not name.startswith("_"))
    assert {"estimate", "compare", "run", "designs", "papers"} <= set(public)
    with pytest.raises(AttributeError):
        pb.no_such_name  # noqa: B018


def test_inspect_scores_table_and_archive(run: Run, study: Path) -> None:
    done = run("inspect", "scores.npz", "-s", "samples.csv", "--json", cwd=study)
    found = json.loads(done.stdout)
    assert found["kind"] == "a matrix of scores"
    good = found["summaries"][0]
    assert (good["name"], good["genuine"]["n"], good["impostor"]["n"]) == ("good", 12, 132)
    assert good["auc_as_similarity"] > 0.9
    shown = run("inspect", "scores.npz", "-s", "samples.csv", cwd=study).stdout
    assert "looks like a similarity" in shown
    table = run("inspect", "samples.csv", cwd=study)
    assert "a table of samples" in table.stdout
    assert "subjects: 12" in table.stdout
    (line,) = [line for line in shown.splitlines() if line.startswith("good") and "genuine" in line]
    assert line.split()[:3] == ["good", "genuine", "12"]
    np.savez(study / "vectors.npz", net=np.zeros((3, 2)), other=np.zeros((3, 4)))
    done = run("inspect", "vectors.npz", cwd=study)
    assert "to evaluate embeddings, pass them with -e" in " ".join(done.stdout.split())


def test_inspect_without_subjects_tells_no_genuine_scores_from_others(run: Run, study: Path) -> None:
    rows = [line.split(",")[:1] for line in (study / "samples.csv").read_text().splitlines()[1:3]]
    (study / "pairs.csv").write_text(f"query,target,score\n{rows[0][0]},{rows[1][0]},0.5\n")
    for name, n in (("scores.npz", "144"), ("pairs.csv", "1")):
        bare = run("inspect", name, cwd=study).stdout
        words, _, rest = bare.partition("algorithm")
        assert "genuine and impostor scores cannot be distinguished; pass --samples" in rest
        table = rest.split("\n\n")[0].splitlines()
        assert table[0].split() == ["scores"], words
        named = [line.split()[0] for line in table[2:]]
        assert len(set(named)) == len(named)
        assert {line.split()[1] for line in table[2:]} == {n}
        (summary, *_) = json.loads(run("inspect", name, "--json", cwd=study).stdout)["summaries"]
        assert (summary["genuine"], summary["impostor"], str(summary["n_scores"])) == (None, None, n)


def test_inspect_refuses_clearly(run: Run, study: Path) -> None:
    (study / "strange.csv").write_text("a,b\nx,y\n")
    for name, words in (("strange.csv", "--id-column"), ("absent.npz", "There is no file")):
        done = run("inspect", name, cwd=study)
        assert done.returncode == 1
        assert words in done.stderr
        assert "Traceback" not in done.stderr
    (study / "empty.txt").touch()
    assert run("inspect", "empty.txt", cwd=study).returncode == 1


@pytest.mark.parametrize("target", ["out.npy", "out.csv", "out.parquet", "out.mtx"])
def test_convert(run: Run, study: Path, target: str) -> None:
    done = run(
        "convert", "scores.npz::good", target, "-s", "samples.csv", "--orientation", "similarity", cwd=study
    )
    assert done.returncode == 0, done.stderr
    samples = Samples.read(study / "samples.csv")
    before = Scores.read(f"{study / 'scores.npz'}::good", samples, orientation="similarity")
    stated = None if target.endswith((".npy", ".mtx")) else "similarity"
    after = Scores.read(study / target, orientation=stated)
    assert after.shape == before.shape
    everything = [list(range(12))] * 2
    tolerance = 1e-6 if target.endswith(".mtx") else 0
    difference = abs(
        before.tile(*map(_positions, everything)) - after.tile(*map(_positions, everything))
    ).max()
    assert difference <= tolerance


def _positions(values: list[int]):
    import numpy as np

    return np.array(values)


def test_convert_refuses(run: Run, study: Path) -> None:
    several = run(
        "convert", "scores.npz", "x.csv", "-s", "samples.csv", "--orientation", "similarity", cwd=study
    )
    assert (several.returncode, "select one" in several.stderr) == (2, True)
    ending = run("convert", "scores.npz::good", "x.what", "--orientation", "similarity", cwd=study)
    assert (ending.returncode, "--to" in ending.stderr) == (2, True)
    assert not (study / "x.csv").exists()


def test_faces(run: Run, tmp_path: Path) -> None:
    done = run("faces", "people", "--subjects", 3, "--plan", "grid", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    table = pl.read_csv(tmp_path / "people" / "samples.csv")
    assert table.height == 12
    assert all((tmp_path / "people" / name).exists() for name in table["file"])
    assert (tmp_path / "people" / "sheet.png").exists()
    again = run("faces", "people", "--subjects", 3, cwd=tmp_path)
    assert (again.returncode, "already exists" in again.stderr) == (1, True)
    archive = run("faces", "more", "--subjects", 2, "--npz", cwd=tmp_path)
    assert archive.returncode == 0, archive.stderr
    assert (tmp_path / "more" / "images.npz").exists()
    assert run("faces", "none", "--subjects", 0, cwd=tmp_path).returncode == 2


def test_a_stage_that_is_done_makes_room_and_no_bar_stands_full() -> None:
    from rich.console import Console
    from rich.progress import Progress as Bars

    bars = Bars(console=Console(file=io.StringIO(), force_terminal=True, width=80))
    progress = console._Bars(bars)
    progress.advance(1)  # before any stage
    progress.begin("ranks of net", 2)
    progress.advance(1)
    assert [(one.description, one.completed, one.total) for one in bars.tasks] == [("ranks of net", 1, 2)]
    progress.advance(1)
    assert [(one.finished, one.total) for one in bars.tasks] == [(False, None)]
    progress.advance(1)  # more steps than were announced
    progress.begin("intervals of net", 0)
    assert [(one.description, one.total) for one in bars.tasks] == [("intervals of net", None)]


@pytest.mark.parametrize("terminal", [True, False])
def test_what_only_waiting_people_need_is_said_on_a_terminal_alone(
    terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    with pytest.raises(SystemExit):
        main(["--version"])
    logging.getLogger("proband").info("compiling", extra={"terminal_only": True})
    assert ("compiling" in stream.getvalue()) == terminal
    logging.getLogger("proband").info("of all")
    assert "of all" in stream.getvalue()
