"""Protocols and audits through the command line, a study file and Python: the same findings, by the same names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image
from tests.program import whole_program

from proband.analyses.audit.request import AuditRequest
from proband.analyses.protocol.request import ProtocolRequest
from proband.analyses.what_if.request import WhatIfRequest
from proband.cli import main
from proband.engine.files.documents import as_json
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.running import run_protocol
from proband.protocols.splits.files import write_splits
from proband.protocols.splits.splits import splitter
from proband.samples import Samples
from proband.study.caching import Cache
from proband.study.reading import read_study
from proband.study.requests import Output, only
from proband.study.run import run

pytest.importorskip("sklearn")
ASKED: dict[str, Any] = {
    "file": "features.npz",
    "key": "found",
    "classifiers": ["near=sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)", "centre=sklearn.neighbors:NearestCentroid()"],
    "protocols": ["2×3f CV+", "60-40 HO"],
    "task": "attribute",
    "label": "mood",
    "where": "age > 20",
    "stratify": False,
    "missing": "drop",
    "file_column": "file",
    "name": "toy",
    "margin": 0.05,
    "justification": "one camera",
    "subjects": [8],
    "images_each": [5],
    "draws": 2,
}  # fmt: skip
# What the command line calls otherwise; pictures have options that features have not.
CALLED = {"file": "source", "key": "source"}
OF_PICTURES = {"size", "eyes"}
OF_IDENTITY = {"enrolled_each"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = np.random.default_rng(8)
    who = np.repeat(np.arange(10), 6)
    ids = [f"s{k}" for k in range(60)]
    table = pl.DataFrame(
        {
            "id": ids,
            "subject": np.where(who == 0, "NA", who.astype(str)),
            "mood": ["NA", "sad", "glad"] * 20,
            "age": 20 + who,
        }
    )
    table.write_csv(tmp_path / "samples.csv")
    np.savez(tmp_path / "features.npz", found=rng.normal(size=(60, 4)), ids=np.array(ids))
    subjects, mood = table["subject"].to_numpy(), table["mood"].to_numpy()
    write_splits(tmp_path / "splits.csv", ids, list(splitter("3f CV").splits(mood, subjects)))
    pl.DataFrame({"id": ["s1"], "reason": ["NA"]}).write_csv(tmp_path / "dropped.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, Any]:
    with pytest.raises(SystemExit) as stop:
        main([*argv])
    return int(stop.value.code or 0), json.loads(capsys.readouterr().out)


def studied(folder: Path, **sections: dict[str, Any]) -> Any:
    text = [
        f"[{name}]\n"
        + "\n".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items())
        for name, values in sections.items()
    ]
    (folder / "study.toml").write_text("\n".join(text) + "\n", encoding="utf-8")
    return read_study(folder / "study.toml")


def test_protocols_are_the_same_through_three_doors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert set(ASKED) | OF_PICTURES | OF_IDENTITY == set(ProtocolRequest.model_fields)
    options = {one.name for one in whole_program().commands["protocol"].commands["run"].params}
    assert {CALLED.get(name, name) for name in ProtocolRequest.model_fields} <= options
    words = [
        word
        for name, value in ASKED.items()
        if name not in ("file", "key", "stratify", "classifiers", "protocols")
        for word in (
            f"--{name.replace('_', '-')}",
            ",".join(map(str, value)) if isinstance(value, list) else str(value),
        )
    ]
    words += [word for one in ASKED["classifiers"] for word in ("-c", one)]
    words += [word for one in ASKED["protocols"] for word in ("-P", one)]
    code, typed = answer(
        capsys, "protocol", "run", "features.npz::found", "-s", "samples.csv", "--no-stratify", "--seed", "5", "--level", "0.9",
        "--json", "-q", *words,
    )  # fmt: skip
    assert code == 0
    output = {"seed": 5, "confidence_level": 0.9}
    study = studied(folder, samples={"file": "samples.csv"}, protocol=ASKED, output=output)
    kept = Cache(folder / "kept")
    by_study = run(study, cache=kept)
    assert json.loads(as_json(by_study.to_dict()))["protocol"] == typed["protocol"]
    n_kept = len(list((folder / "kept" / "splits").iterdir()))
    again = run(study, cache=Cache(folder / "kept"), threads=2)
    assert as_json(again.to_dict()) == as_json(by_study.to_dict())
    request = only("protocol", ASKED, samples={"file": "samples.csv"}, output=Output(**output))
    assert json.loads(as_json(run(request).to_dict()))["protocol"] == typed["protocol"]
    assert [one["epd"]["justification"] for one in typed["protocol"]["protocols"]] == ["one camera"] * 2
    assert typed["protocol"]["classes"] == 3  # NA is a mood
    fewer = studied(folder, samples={"file": "samples.csv"}, protocol=ASKED | {"draws": 1}, output=output)
    again = Cache(folder / "kept")
    run(fewer, cache=again)
    again.finish()
    assert len(list((folder / "kept" / "splits").iterdir())) < n_kept  # what is not used is forgotten


def test_new_people_are_identified_alike_through_three_doors(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {
        "file": "features.npz",
        "key": "found",
        "classifiers": ASKED["classifiers"],
        "protocols": ["2×3f CV+"],
        "enrolled_each": 2,
    }
    words = [word for name in asked["classifiers"] for word in ("-c", name)]
    code, typed = answer(
        capsys, "protocol", "run", "features.npz::found", "-s", "samples.csv", "-P", "2×3f CV+", "--enrolled-each", "2", "--json", "-q",
        *words,
    )  # fmt: skip
    assert code == 0
    assert typed["protocol"]["protocols"][0]["enrolment"]["images_each"] == 2
    by_study = run(studied(folder, samples={"file": "samples.csv"}, protocol=asked))
    assert json.loads(as_json(by_study.to_dict()))["protocol"] == typed["protocol"]
    data = FeatureTable.read("features.npz::found", Samples.read("samples.csv"))
    in_python = run_protocol(asked["classifiers"], data, "2×3f CV+", enrolled_each=2)
    assert json.loads(as_json(in_python.to_dict()))["protocols"] == typed["protocol"]["protocols"]


def test_audits_are_the_same_through_three_doors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = {
        "splits": "splits.csv",
        "task": "attribute",
        "label": "mood",
        "protocol": "3f CV",
        "file_column": "file",
        "embeddings": "features.npz",
        "collected": "samples.csv",
        "exclusions": "dropped.csv",
    }
    assert set(asked) | {"images"} == set(AuditRequest.model_fields)
    given = set(AuditRequest.model_fields) - {"splits"} | {"source"}  # splits, or a data set
    assert given <= {one.name for one in whole_program().commands["audit"].params}
    words = [
        word
        for name, value in asked.items()
        if name != "splits"
        for word in (f"--{name.replace('_', '-')}", value)
    ]
    code, typed = answer(capsys, "audit", "splits.csv", "-s", "samples.csv", "--json", "-q", *words)
    assert code == 3
    study = studied(folder, samples={"file": "samples.csv"}, audit=asked)
    (by_study,) = run(study, cache=Cache(folder / "kept"))["audit"].audits
    shown = json.loads(as_json(by_study.to_dict()))
    assert [shown] == typed["audit"]["audits"]
    again = Cache(folder / "kept")
    assert json.loads(as_json(run(study, cache=again)["audit"].audits[0].to_dict())) == shown
    assert again.found == ["audit"]


def test_what_if_is_the_same_through_three_doors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = {
        "question": "dropped",
        "file": "features.npz",
        "key": "found",
        "classifier": ASKED["classifiers"][0],
        "protocol": "3f CV+",
        "task": "attribute",
        "label": "mood",
        "file_column": "file",
        "exclusions": "dropped.csv",
        "where": "age < 29",
    }
    assert set(asked) | OF_PICTURES == set(WhatIfRequest.model_fields)
    own = {"question", "file", "key"}
    given = set(asked) - own | {"question", "images"}
    assert given <= {one.name for one in whole_program().commands["protocol"].commands["what-if"].params}
    words = [
        word
        for name, value in asked.items()
        if name not in own
        for word in (f"--{name.replace('_', '-')}", value)
    ]
    code, typed = answer(
        capsys, "protocol", "what-if", "dropped", "-i", "features.npz::found", "-s", "samples.csv", "--seed", "3", "--json",
        "-q", *words,
    )  # fmt: skip
    assert code == 0
    study = studied(folder, samples={"file": "samples.csv"}, what_if=asked, output={"seed": 3})
    kept = Cache(folder / "kept")
    assert json.loads(as_json(run(study, cache=kept).to_dict()))["what_if"] == typed["what_if"]
    assert len(list((folder / "kept" / "splits").iterdir())) == 2
    request = only("what_if", asked, samples={"file": "samples.csv"}, output=Output(seed=3))
    assert json.loads(as_json(run(request).to_dict()))["what_if"] == typed["what_if"]


def test_pictures_that_nobody_is_known_on_are_audited_through_every_door(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(1)
    (folder / "shots").mkdir()
    for name in ("one.png", "other.png"):
        Image.fromarray(rng.integers(0, 255, (24, 20), dtype=np.uint8)).save(folder / "shots" / name)
    code, typed = answer(capsys, "audit", "shots", "--json", "-q")
    assert code == 0
    assert (typed["audit"]["audits"][0]["n_samples"], typed["audit"]["audits"][0]["n_subjects"]) == (2, 0)
    found = run(studied(folder, audit={"images": "shots"}))
    assert json.loads(as_json(found.to_dict()))["audit"]["audits"] == typed["audit"]["audits"]


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        ({"audit": {}}, "No subject IDs were given"),
        ({"samples": {"file": "samples.csv"}, "audit": {}}, "only copies"),
        ({"protocol": {"file": "features.npz", "classifiers": "src"}}, "No subject IDs were given"),
        (
            {"samples": {"file": "samples.csv"}, "protocol": {"file": "features.npz"}},
            "no classifier was given",
        ),
        (
            {"samples": {"file": "samples.csv"}, "protocol": {"classifiers": "src"}},
            "no training data were given",
        ),
        (
            {
                "samples": {"file": "samples.csv"},
                "protocol": {"file": "features.npz", "classifiers": "os.path:join"},
            },
            "is code that the study would run",
        ),
        ({"audit": {"splits": "none.csv"}}, "there is no file or directory"),
        ({"what_if": {"file": "features.npz", "classifier": "src"}}, "'question' is missing"),
        ({"what_if": {"question": "mixed", "classifier": "src"}}, "no training data were given"),
        ({"what_if": {"question": "mixed", "file": "features.npz"}}, "no classifier was given"),
        (
            {"what_if": {"question": "dropped", "file": "features.npz", "classifier": "src"}},
            "required for the question 'dropped'",
        ),
    ],
)
def test_what_a_study_lacks_is_told_where_it_stands(
    folder: Path, sections: dict[str, Any], said: str
) -> None:
    with pytest.raises(Exception, match=said) as refused:
        run(studied(folder, **sections))
    assert "study.toml, line" in str(refused.value)
