from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from proband.cli.protocols.what_if import what_if
from proband.protocols.splits.files import write_splits
from proband.protocols.splits.splits import splitter
from proband.samples import Samples

Run = Callable[..., Any]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Sixteen people × four images, with splits that keep people apart and splits that do not."""
    n = 16
    who = np.repeat([f"p{k:02d}" for k in range(n)], 4)
    table = pl.DataFrame(
        {
            "id": [f"{name}-{k % 4}" for k, name in enumerate(who)],
            "subject": who,
            "smile": ["no", "yes"] * (2 * n),
        }
    )
    table.write_csv(tmp_path / "samples.csv")
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (4 * n, 24, 20), dtype=np.uint8)
    images[4] = images[0]
    np.savez(tmp_path / "images.npz", images=images, ids=table["id"].to_numpy().astype(str))
    np.savez(
        tmp_path / "vectors.npz", model=rng.normal(size=(4 * n, 8)), ids=table["id"].to_numpy().astype(str)
    )
    samples = Samples(table)
    for name, protocol in (("apart.csv", "4f CV+"), ("mixed.parquet", "4f CV"), ("lists", "4f CV+")):
        write_splits(tmp_path / name, samples, splitter(protocol).splits(table["smile"].to_numpy(), who))
    return tmp_path


def test_clean_splits_give_0_and_say_what_was_looked_for(run: Run, desk: Path) -> None:
    for splits in ("apart.csv", "lists"):
        asked = ("audit", splits, "-s", "samples.csv", "--label", "smile", "-e", "vectors.npz")
        done = run(*asked, "--explain", cwd=desk)
        assert done.returncode == 0, done.stdout
        assert "No leak and no fault was found." in done.stdout
        assert "4 splits of 64 samples of 16 subjects; task: recognise attribute smile" in done.stdout


def test_a_leak_gives_3_and_names_people(run: Run, desk: Path) -> None:
    done = run("audit", "mixed.parquet", "-s", "samples.csv", "--label", "smile", cwd=desk)
    assert done.returncode == 3
    assert "16 of 16 subjects" in done.stdout
    assert "Not sound: 1 leak." in done.stdout
    identity = run("audit", "mixed.parquet", "-s", "samples.csv", cwd=desk)
    assert identity.returncode == 0


def test_json_and_csv_hold_the_findings(run: Run, desk: Path) -> None:
    done = run(
        "audit", "apart.csv", "-s", "samples.csv", "--task", "attribute", "--label", "smile", "--images", "images.npz",
        "--json", "--csv", "found.csv", cwd=desk,
    )  # fmt: skip
    assert done.returncode == 3
    found = json.loads(done.stdout)
    (copies,) = [one for one in found["findings"] if one["kind"] == "exact copies in training and testing"]
    assert copies["severity"] == "leak"
    assert [{pair["train"], pair["test"]} for pair in found["duplicates"]] == [{"p00-0", "p01-0"}]
    assert pl.read_csv(desk / "found.csv")["kind"][0] == copies["kind"]


def test_losses_need_reasons(run: Run, desk: Path) -> None:
    pl.read_csv(desk / "samples.csv").vstack(
        pl.DataFrame({"id": ["x1", "x2"], "subject": ["x", "x"], "smile": ["no", "yes"]})
    ).write_csv(desk / "all.csv")
    (desk / "dropped.csv").write_text("id,reason\nx1,eyes closed\n")
    options = (
        "audit",
        "apart.csv",
        "-s",
        "samples.csv",
        "--label",
        "smile",
        "--collected",
        "all.csv",
        "--exclusions",
    )
    done = run(*options, "dropped.csv", "--json", cwd=desk)
    assert done.returncode == 3
    losses = json.loads(done.stdout)["losses"]
    assert losses["reasons"] == {"eyes closed": 1}
    assert losses["unexplained"] == ["x2"]
    (desk / "dropped.csv").write_text("id,reason\nx1,eyes closed\nx2,eyes closed\n")
    done = run(*options, "dropped.csv", "--explain", cwd=desk)
    assert done.returncode == 0
    assert "Of 66 collected samples 64 are used and 2 are not." in done.stdout


def test_the_id_column_is_that_of_the_samples(run: Run, desk: Path) -> None:
    pl.read_csv(desk / "samples.csv").rename({"id": "file name"}).write_csv(desk / "named.csv")
    (desk / "dropped.csv").write_text("file name,reason\np00-0,closed\n")
    done = run(
        "audit",
        "apart.csv",
        "-s",
        "named.csv",
        "--id-column",
        "file name",
        "--exclusions",
        "dropped.csv",
        cwd=desk,
    )
    assert done.returncode == 3
    assert "excluded for a stated reason but used" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("audit", "nothing.csv", "-s", "samples.csv"), 1),
        (("audit", "apart.csv", "-s", "samples.csv", "--label", "hat"), 2),
        (("audit", "apart.csv", "-s", "samples.csv", "--task", "attribute"), 2),
        (("audit", "apart.csv", "-s", "samples.csv", "--protocol", "10 folds"), 2),
        (("audit", "apart.csv", "-s", "samples.csv", "-i", "images.npz", "-e", "vectors.npz"), 2),
        (("audit", "apart.csv"), 2),
    ],
)
def test_wrong_requests_and_files(run: Run, desk: Path, arguments: tuple[str, ...], code: int) -> None:
    assert run(*arguments, cwd=desk).returncode == code


def test_the_table_of_samples_must_be_given(run: Run, desk: Path) -> None:
    assert "MISSING" not in run("audit", "-h", cwd=desk).stdout
    assert "Missing option '--samples'" in run("audit", "apart.csv", cwd=desk).stderr


def test_a_protocol_is_held_against_the_splits(run: Run, desk: Path) -> None:
    done = run("audit", "apart.csv", "-s", "samples.csv", "--label", "smile", "-p", "80-20 HO+", cwd=desk)
    assert done.returncode == 3
    assert "There are 4 splits, but 80-20 HO+ has 1." in " ".join(done.stdout.split())
    asked = ("audit", "apart.csv", "-s", "samples.csv", "--label", "smile", "-p", "4f CV+")
    fine = run(*asked, cwd=desk)
    assert fine.returncode == 0, fine.stdout
    assert (
        "Caution: not checked against the protocol: whether samples were chosen at random (+ 2 more"
        in fine.stdout
    )
    assert (
        "Not checked against the protocol: whether samples were chosen at random."
        in run(*asked, "--explain", cwd=desk).stdout
    )


def test_a_table_without_folds_is_taken_for_one_split_and_says_so(run: Run, desk: Path) -> None:
    one = pl.read_csv(desk / "apart.csv").filter(fold=1).drop("fold", "repeat")
    (desk / "one.csv").write_text(one.write_csv(), encoding="utf-8-sig")
    done = run("audit", "one.csv", "-s", "samples.csv", "--label", "smile", "--json", cwd=desk)
    assert done.returncode == 0, done.stderr
    said = [found["what"]["code"] for found in json.loads(done.stdout)["findings"]]
    assert "audit.one-split" in said


def test_what_if_shows_both_sides(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(desk)
    app = typer.Typer()
    app.command()(what_if)
    nearest = "1nn=sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"
    options = ["-i", "vectors.npz", "-s", "samples.csv", "-c", nearest, "--label", "smile", "-p", "4f CV"]
    shown = CliRunner().invoke(app, ["mixed", *options])
    assert shown.exit_code == 0, shown.output
    assert "mixed minus unmixed" in shown.output
    assert "4f CV+" in shown.output
    (desk / "dropped.csv").write_text("id,reason\np00-0,closed\np03-1,closed\n")
    done = CliRunner().invoke(app, ["dropped", *options, "--exclusions", "dropped.csv", "--json"])
    assert done.exit_code == 0, done.output
    assert [side["n_samples"] for side in json.loads(done.stdout)["sides"]] == [64, 62]
    assert CliRunner().invoke(app, ["dropped", *options]).exit_code != 0
