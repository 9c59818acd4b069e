"""The public surface changes on purpose only, and what earlier versions wrote is read, or refused with what to do (docs/reference/stability.md)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from tests.frozen import surface
from tests.frozen.differences import ROOT, changed, now, report
from tests.frozen.freeze import file_of
from tests.frozen.writing import FILES

import proband as pb
from proband import __version__
from proband.cli.app import app
from proband.errors import InputError
from proband.scores.run_record import read_record
from proband.study.editing.migration import migrate
from proband.study.editing.renames import RENAMES
from proband.study.findings import SCHEMA

WHAT_TO_DO = """
The public surface differs from tests/frozen/surface.txt:

{changes}

A line with "-" is no longer there, a line with "+" is new. If that is not intended, undo it. If it is:
- keep an old name working for one minor release, with a warning, as docs/reference/stability.md says;
- name the change in CHANGELOG.md, and a rename in docs/reference/migrating.md (a key of a study also in RENAMES of study/editing/renames.py);
- run `python -m tests.frozen.freeze surface` and commit the file together with the change.
"""


def test_the_public_surface_is_the_frozen_one() -> None:
    changes = changed("surface", now("surface"))
    assert not changes, WHAT_TO_DO.format(changes=report(changes))


def test_a_renamed_option_is_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line is gone and a line is new; nothing else."""
    (info,) = [one for one in app.registered_commands if getattr(one.callback, "__name__", "") == "plan"]
    before = set(surface.command_line())
    made = typer.main.get_command(app)
    option = next(one for one in made.commands["plan"].params if one.name == "half_width")
    assert info.callback is not None
    monkeypatch.setattr(option, "opts", ["--half-widths"])
    monkeypatch.setattr(surface, "commands", lambda: {"plan": made.commands["plan"]})
    after = set(surface.command_line())
    plan = {line for line in before if line.startswith("command plan")}
    (gone,), (new,) = plan - after, after - plan
    assert gone == new.replace("--half-widths", "--half-width")


@pytest.mark.parametrize("kind", ["python", "command", "study", "results", "exit", "file", "name"])
def test_every_kind_of_promise_is_frozen_and_told(kind: str) -> None:
    lines = file_of("surface").read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith(f"{kind} ") for line in lines) > 5
    assert f"`{kind} …`" in (ROOT / "docs" / "reference" / "stability.md").read_text(encoding="utf-8")


def test_exit_codes_are_told() -> None:
    told = (ROOT / "docs" / "reference" / "stability.md").read_text(encoding="utf-8")
    lines = file_of("surface").read_text(encoding="utf-8").splitlines()
    codes = {re.match(r"exit (\d+)", line)[1] for line in lines if line.startswith("exit ")}
    assert codes == {"0", "1", "2", "3", "4", "130"}
    assert all(f"| {code} |" in told for code in codes)


def test_every_rename_of_study_files_is_told() -> None:
    told = (ROOT / "docs" / "reference" / "study.md").read_text(encoding="utf-8")
    told = told.split("## Studies of earlier versions")[1].split("\n## ")[0]
    for rename in RENAMES:
        assert f"`{rename.was}" in told, rename
        assert f"`{rename.now}" in told, rename


def test_results_of_other_versions_are_read_or_refused_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    number = int(SCHEMA.rpartition("/")[2])
    for version, said in (
        (number, None),
        (number - 1, None),
        (number - 2, "run the study again"),
        (number + 1, "install"),
    ):
        file.write_text(json.dumps({"schema": f"proband-results/{version}"}), encoding="utf-8")
        if said is None:
            assert pb.read_results(file) == {"schema": SCHEMA}
            continue
        with pytest.raises(InputError, match=f"proband-results/{version}") as error:
            pb.read_results(file)
        assert said in str(error.value.hint)
    file.write_text('{"schema": "other"}', encoding="utf-8")
    with pytest.raises(InputError, match="does not contain results"):
        pb.read_results(file)


@pytest.mark.parametrize("version", sorted(one.name for one in FILES.iterdir()))
def test_files_of_earlier_releases_are_read(version: str, tmp_path: Path) -> None:
    folder = shutil.copytree(FILES / version, tmp_path / "files")
    assert pb.read_results(folder / "results.json")["schema"] == SCHEMA
    assert pb.protocols.ProtocolCard.read(folder / "card.json").epd is not None
    assert pb.algorithms.load_model(folder / "model.npz").name == "pca:l2"
    assert read_record(folder / "scores.npz.run.json").seconds_of("strong") > 0
    package = pb.blind.Package.read(folder / "blind")
    assert len(package.queries) >= 12  # and canaries
    assert set(pb.blind.Key.read(folder / "blind.key").table["name"]) >= set(package.queries)
    (receipt,) = pb.blind.Receipts.read(folder / "receipts.jsonl").receipts
    assert receipt.algorithm == "strong"
    migrated = migrate((folder / "study.toml").read_text(encoding="utf-8"), folder / "study.toml")
    (folder / "study.toml").write_text(migrated.text, encoding="utf-8")
    asked = ["-s", "samples.csv", "-g", "session == 1", "--orientation", "similarity"]
    for words in (
        ["run", "study.toml", "--no-cache", "--out", "out"],
        ["gate", "scores.npz::strong", "--baseline", "pin.json", *asked],
        ["diff", "results.json", "out"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "proband", *words], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 3, 4), done.stderr


def test_this_release_has_files_for_later_ones() -> None:
    assert (FILES / __version__).is_dir(), "run `python -m tests.frozen.writing` and commit what it writes"


def test_a_study_of_an_earlier_version_is_brought_up_to_date(tmp_path: Path) -> None:
    """Every old key is refused with its new name, and `proband migrate` writes a study that is read."""
    study = tmp_path / "study.toml"
    text = """[samples]
file = "samples.csv"
id = "image"
subject = "person"
[[scores]]
file = "scores.npz"
orientation_check = false
orientation = "similarity"
[experiment]
count = "subjects"
[[comparison]]
rank = 5
test = "mcnemar"
[[comparison]]
median_rank = 10
[[comparison]]
fnmr_at = 0.001
[[comparison]]
auc = true
[verification]
replicates = 50
[choices]
trials = 100
pairs = "within"
[strat]
images = 4
[threshold]
confidence = 0.9
fmr = 0.01
[covariates]
subject = "person"
on = ["age"]
[classification]
group = "person"
table = "labels.csv"
truth = "label"
[outcomes]
system = "model"
systems = ["a", "b"]
[[category]]
name = "old"
rule = "age > 60"
"""
    made = migrate(text, study)
    assert {change.was[-1] for change in made.changes} >= {one.was for one in RENAMES} - {"level"}
    study.write_text(made.text, encoding="utf-8")
    again = migrate(made.text, study)
    assert again.changes == ()
    done = subprocess.run(
        [sys.executable, "-m", "proband", "run", "study.toml", "--dry-run"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "there is no key" not in done.stderr
    assert "is now called" not in done.stderr
