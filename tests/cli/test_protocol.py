from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.protocols.running.data import FeatureTable
from proband.protocols.running.running import run_protocol
from proband.protocols.splits.files import read_splits
from proband.protocols.splits.splits import splitter
from proband.samples import Samples

pytest.importorskip("sklearn")
Run = Callable[..., Any]
KNN = "knn=sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve people with five samples each: small images, features, and a table."""
    place = tmp_path_factory.mktemp("protocol")
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(12), 5)
    ids = [f"s{k:02d}" for k in range(60)]
    pl.DataFrame(
        {
            "id": ids,
            "subject": [f"p{k:02d}" for k in who],
            "sex": ["f" if k % 2 else "m" for k in who],
            "sharp": [k != 7 for k in range(60)],
        }
    ).write_csv(place / "samples.csv")
    np.save(place / "features.npy", rng.normal(size=(12, 4))[who] + 0.5 * rng.normal(size=(60, 4)))
    smooth = np.kron(rng.uniform(30, 220, (12, 6, 6)), np.ones((4, 4)))
    images = np.clip(smooth[who] + rng.normal(0, 40, (60, 24, 24)), 0, 255).astype(np.uint8)
    np.savez(place / "images.npz", images=images, ids=np.array(ids))
    return place


@pytest.fixture
def protocol(run: Run, folder: Path) -> Run:
    return lambda *words: run("protocol", *words, cwd=folder)


def test_json_equals_python(protocol: Run, folder: Path) -> None:
    done = protocol(
        "run", "features.npy", "-s", "samples.csv", "-c", KNN, "-P", "3x5f cv", "--seed", 2, "--json"
    )
    assert done.returncode == 0, done.stderr
    data = FeatureTable.read(folder / "features.npy", Samples.read(folder / "samples.csv"))
    name, spec = KNN.split("=", 1)
    expected = run_protocol({name: spec}, data, "3×5f CV", seed=2).to_dict()
    assert json.loads(done.stdout)["protocol"] == json.loads(json.dumps(expected))


def test_images_a_table_and_a_directory(protocol: Run, folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("skimage")
    out = tmp_path / "made"
    done = protocol(
        "run", "images.npz", "-s", "samples.csv", "--size", "12x12", "-c", "LBP=lbp:nbnn", "-c", "SRC=src",
        "-P", "2×80-20 HO", "-P", "2×5f CV", "--failed", "not sharp", "--name", "toy", "--out", out, "--explain",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Accuracy over runs (%)")
    assert "Intervals (%)" in done.stdout
    assert "Accuracy over runs" in (out / "report.html").read_text(encoding="utf-8")
    assert "toy: 59 samples of 12 subjects, 12 × 12 pixels each" in done.stdout
    assert "1 of 60 samples is left out: marked as failed in the table" in done.stdout
    assert "wrote" in done.stderr
    assert {one.name for one in out.iterdir()} == {
        "files.json",
        "results.json",
        "report.html",
        "tables",
        "figures",
        "protocol",
    }
    assert not out.with_name("made.cache").exists()


@pytest.mark.parametrize(
    ("command", "key"),
    [
        (("run", "features.npy", "-P", "2×3f CV+", "--figure", "drawn.svg"), "protocol"),
        (("what-if", "mixed", "-i", "features.npy", "-p", "3f CV"), "what_if"),
    ],
)
def test_every_output_says_what_json_says(
    protocol: Run, tmp_path: Path, command: tuple[str, ...], key: str
) -> None:
    outputs = {
        "--csv": "made.csv", "--latex": "made.tex", "--out": "made", "--report": "made.html", "--formats": "csv",
    }  # fmt: skip
    words = [str(tmp_path / word) if word == "drawn.svg" else word for word in command]
    asked = [*words, "-s", "samples.csv", "-c", KNN, "--label", "sex", "--json"]
    done = protocol(
        *asked,
        *(
            word
            for name, file in outputs.items()
            for word in (name, file if name == "--formats" else str(tmp_path / file))
        ),
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    kept = json.loads((tmp_path / "made" / "results.json").read_text(encoding="utf-8"))
    assert {name: part for name, part in kept.items() if name != "provenance"} == {
        name: part for name, part in told.items() if name != "provenance"
    }
    assert key in told
    table = tmp_path / "made" / "tables" / f"{key}.csv"
    assert table.read_bytes() == (tmp_path / "made.csv").read_bytes()
    assert "tabular" in (tmp_path / "made.tex").read_text(encoding="utf-8")
    assert (tmp_path / "made.html").read_text(encoding="utf-8").count("<h2") > 2
    assert ("drawn.svg" in command) == (tmp_path / "drawn.svg").is_file()


def test_a_named_cache_is_kept(protocol: Run, tmp_path: Path) -> None:
    asked = (
        "run",
        "features.npy",
        "-s",
        "samples.csv",
        "-c",
        KNN,
        "-P",
        "5f CV",
        "--cache",
        tmp_path / "kept",
        "--json",
    )
    first = protocol(*asked)
    assert len(list((tmp_path / "kept").iterdir())) == 1
    assert protocol(*asked).stdout == first.stdout


def test_an_attribute_is_auto_and_disjoint(protocol: Run) -> None:
    asked = ("run", "features.npy", "-s", "samples.csv", "-c", KNN, "--label", "sex")
    brief = protocol(*asked)
    assert "Caution: with 12 subjects" in brief.stdout
    done = protocol(*asked, "--explain")
    assert done.returncode == 0, done.stderr
    assert "LOSO was chosen because" in done.stdout
    assert "results do not apply to new subjects" not in done.stdout
    assert "With 12 subjects" in done.stdout


def test_what_was_stopped_says_where_it_goes_on(protocol: Run, tmp_path: Path, monkeypatch) -> None:
    from proband.protocols.running import running

    def stopped(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "summarised", stopped)
    out = tmp_path / "made"
    done = protocol("run", "features.npy", "-s", "samples.csv", "-c", KNN, "-P", "5f CV", "--out", out)
    assert done.returncode == 130
    assert "run the same command again to continue" in done.stderr
    assert len(list(out.with_name("made.cache").iterdir())) == 1
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)


def test_splits_are_those_of_the_splitter(protocol: Run, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "splits.csv"
    done = protocol("splits", "samples.csv", "--label", "sex", "-P", "2×3f CV+", "--seed", 5, "-o", file)
    assert done.returncode == 0, done.stderr
    assert "6 splits of 60 samples; 0 left out." in done.stdout
    table = Samples.read(folder / "samples.csv")
    people = [table.subjects[code] for code in table.codes]
    expected = splitter("2×3f CV+", seed=5).splits(table.frame["sex"].to_list(), people)
    for one, other in zip(read_splits(file).splits(table), expected, strict=True):
        np.testing.assert_array_equal(one.test, other.test)


def test_explain_is_here(protocol: Run) -> None:
    assert protocol("explain", "10x13-13 ho*").stdout.startswith("10×13-13 HO*\n")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["-c", "nothing"], 2, "no recogniser 'nothing'"),
        (["-c", "x=sklearn.svm:SVC(C=open('a'))"], 2, "not a plain value"),
        (["-c", KNN, "-P", "5f CX"], 2, "Character"),
        (["-c", KNN, "-P", "LOSO"], 1, "among one person is always correct"),
        (["-c", "sklearn.svm:SVC()", "-P", "5f CV+"], 2, "can only name people it was trained on"),
        (
            ["-c", KNN, "-P", "5f CV", "--enrolled-each", "2"],
            2,
            "a subject-disjoint protocol, and no protocol here is one",
        ),
        (["-c", KNN, "--size", "10"], 2, "HEIGHTxWIDTH"),
        (["-c", "src"], 1, "needs images"),
        (["-c", KNN, "--task", "attribute"], 2, "--label"),
        (["-c", KNN, "--label", "age"], 2, "no column 'age'"),
        (["-c", KNN, "--where", "sex == 'x'"], 1, "No samples are left"),
        (["-c", KNN, "-P", "4-4 HO*"], 1, "too few samples"),
    ],
)
def test_what_is_wrong_is_said(protocol: Run, words: list[str], code: int, said: str) -> None:
    done = protocol("run", "features.npy", "-s", "samples.csv", *words)
    assert done.returncode == code
    assert said in done.stderr


def test_a_file_of_splits_holds_one_protocol(protocol: Run, tmp_path: Path) -> None:
    done = protocol("splits", "samples.csv", "-P", "5f CV", "-P", "2f CV", "-o", tmp_path / "x.csv")
    assert done.returncode == 2
    assert not (tmp_path / "x.csv").exists()


def test_who_has_too_few_samples_is_counted_and_named(protocol: Run, tmp_path: Path) -> None:
    file = tmp_path / "splits.csv"
    asked = ("samples.csv", "--where", "id != 's07'", "-P", "3-2 HO*", "-o", file)
    refused = protocol("splits", *asked)
    assert refused.returncode == 1
    assert "--missing drop" in refused.stderr
    done = protocol("splits", *asked, "--missing", "drop")
    assert done.returncode == 0, done.stderr
    assert "1 split of 55 samples; 4 left out." in done.stdout
    assert "Of these, 4 belong to 1 subject with too few samples: 'p01'." in done.stdout
    assert pl.read_csv(file)["id"].n_unique() == 55
    run = protocol(
        "run", "features.npy", "-s", "samples.csv", "-c", KNN, "--where", "id != 's07'", "-P", "3-2 HO*",
        "--missing", "drop", "--explain",
    )  # fmt: skip
    assert "features: 55 samples of 11 subjects" in run.stdout


def test_what_cannot_be_written_or_judged_is_refused_before_anything_is_read(
    protocol: Run, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("mine")
    asked = ("run", "nowhere.npy", "-s", "nothing.csv", "-c", KNN)
    done = protocol(*asked, "--out", tmp_path / "taken")
    assert done.returncode == 1
    assert "is a file" in done.stderr
    assert not (tmp_path / "taken.cache").exists()
    done = protocol(*asked, "--margin", "1.5")
    assert done.returncode == 2
    assert "margin" in done.stderr


def test_dropped_ids_that_are_unknown_or_unexplained_are_told(protocol: Run, tmp_path: Path) -> None:
    file = tmp_path / "dropped.csv"
    file.write_text("id,reason\ns01,blurred\ns06,\nzz,lost\n")
    asked = (
        "what-if",
        "dropped",
        "-i",
        "features.npy",
        "-s",
        "samples.csv",
        "-c",
        KNN,
        "--label",
        "sex",
        "-p",
        "3f CV",
    )
    done = protocol(*asked, "--exclusions", file, "--json")
    assert done.returncode == 0, done.stderr
    notes = [note["text"] for note in json.loads(done.stdout)["what_if"]["notes"] if isinstance(note, dict)]
    assert "1 of the 3 dropped ids is not among the usable samples: 'zz'" in notes
    assert "1 of the 3 dropped ids has no stated reason: 's06'" in notes
    file.write_text("name,reason\ns01,blurred\n")
    assert protocol(*asked, "--exclusions", file).returncode == 1
