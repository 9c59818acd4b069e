from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image
from typer.testing import CliRunner

from proband.cli.app import app
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
    (found,) = json.loads(done.stdout)["audit"]["audits"]
    (copies,) = [one for one in found["findings"] if one["kind"] == "exact copies in training and testing"]
    assert copies["severity"] == "leak"
    assert [{pair["train"], pair["test"]} for pair in found["duplicates"]] == [{"p00-0", "p01-0"}]
    assert pl.read_csv(desk / "found.csv")["kind"][0] == copies["kind"]


def test_a_directory_and_a_page_hold_the_findings_and_the_copies(run: Run, desk: Path) -> None:
    done = run(
        "audit", "apart.csv", "-s", "samples.csv", "--label", "smile", "--images", "images.npz", "--csv", "copies=copies.csv",
        "--out", "made", "--formats", "csv", "--report", "page.html", "--latex", "found.tex", "--json", cwd=desk,
    )  # fmt: skip
    assert done.returncode == 3
    told = json.loads(done.stdout)
    kept = json.loads((desk / "made" / "results.json").read_text(encoding="utf-8"))
    assert kept["audit"] == told["audit"]
    findings = pl.read_csv(desk / "made" / "tables" / "audit.csv")
    assert findings["kind"].to_list() == [one["kind"] for one in told["audit"]["audits"][0]["findings"]]
    copies = pl.read_csv(desk / "made" / "tables" / "audit_copies.csv")
    assert copies.equals(pl.read_csv(desk / "copies.csv"))
    assert "Audit of the splits" in (desk / "page.html").read_text(encoding="utf-8")
    assert "tabular" in (desk / "found.tex").read_text(encoding="utf-8")


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
    losses = json.loads(done.stdout)["audit"]["audits"][0]["losses"]
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
    done = run("audit", "apart.csv", cwd=desk)
    assert done.returncode == 2
    assert "No subject IDs were given" in done.stderr
    assert "--samples" in done.stderr


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
    said = [found["what"]["code"] for found in json.loads(done.stdout)["audit"]["audits"][0]["findings"]]
    assert "audit.one-split" in said


def test_what_if_shows_both_sides(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(desk)
    nearest = "1nn=sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"
    options = ["-i", "vectors.npz", "-s", "samples.csv", "-c", nearest, "--label", "smile", "-p", "4f CV"]
    shown = CliRunner().invoke(app, ["protocol", "what-if", "mixed", *options])
    assert shown.exit_code == 0, shown.output
    assert "mixed minus unmixed" in shown.output
    assert "4f CV+" in shown.output
    (desk / "dropped.csv").write_text("id,reason\np00-0,closed\np03-1,closed\n")
    done = CliRunner().invoke(
        app, ["protocol", "what-if", "dropped", *options, "--exclusions", "dropped.csv", "--json"]
    )
    assert done.exit_code == 0, done.output
    assert [side["n_samples"] for side in json.loads(done.stdout)["what_if"]["sides"]] == [64, 62]
    assert CliRunner().invoke(app, ["protocol", "what-if", "dropped", *options]).exit_code != 0


def test_a_data_set_is_searched_for_copies(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    folder = tmp_path / "jaffe"
    folder.mkdir()
    for number, name in enumerate(("KA.HA1", "KA.SA1", "NA.HA1", "NA.SA1"), 1):
        small = Image.fromarray(rng.integers(0, 255, (6, 6), dtype=np.uint8))
        small.resize((48, 64), Image.Resampling.BICUBIC).save(folder / f"{name}.{number}.tiff")
    clean = run("audit", "jaffe", "--label", "expression", "--explain", cwd=tmp_path)
    assert clean.returncode == 0, clean.stdout
    assert "jaffe: 4 samples of 2 subjects, without splits" in clean.stdout
    with Image.open(folder / "NA.SA1.4.tiff") as picture:
        picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT).save(folder / "KA.SA2.5.tiff")
        picture.copy().save(folder / "NA.HA2.6.tiff")
    done = run("audit", "jaffe", "--label", "expression", "--csv", "copies=pairs.csv", "--json", cwd=tmp_path)
    assert done.returncode == 3
    (found,) = json.loads(done.stdout)["audit"]["audits"]
    kinds = {one["kind"]: one["count"] for one in found["findings"]}
    assert kinds == {"near copies under two subjects": 2, "exact copies under two labels": 1}
    pairs = pl.read_csv(tmp_path / "pairs.csv")
    assert pairs.height == len(found["duplicates"]) == 3
    assert pairs["group"].to_list() == [1, 1, 1]
    unknown = run("audit", "jaffe", "--names", "*", cwd=tmp_path)
    assert unknown.returncode == 2
    (folder / "other.tiff").write_bytes((folder / "KA.HA1.1.tiff").read_bytes())
    nobody = run("audit", "jaffe", "--explain", cwd=tmp_path)
    assert nobody.returncode == 3
    assert "do not identify them" in nobody.stdout


def test_what_a_data_set_cannot_be_asked(run: Run, desk: Path) -> None:
    for more, said in (
        (("samples.csv",), "only copies and losses can be checked"),
        (("samples.csv", "-s", "samples.csv"), "leave one of them out"),
        (("samples.csv", "--images", "images.npz", "-p", "10f CV"), "no splits to check"),
        (("images.npz", "-s", "samples.csv", "--names", "x{subject}"), "leave it out"),
        (("apart.csv", "-s", "samples.csv", "--csv", "copies=made.csv"), "there are no results for it"),
    ):
        done = run("audit", *more, cwd=desk)
        assert done.returncode == 2, (more, done.stdout, done.stderr)
        assert said in " ".join(done.stderr.split()), more
