"""Somebody's initials are NA, as of a model of JAFFE: every reader of a table or a label takes NA for a name."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.analyses.classification.request import ClassificationRequest
from proband.analyses.outcomes.request import OutcomesRequest
from proband.protocols.audit.audit import audit
from proband.protocols.cards.card import FORMAT, ProtocolCard
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.prediction_files import read_predictions
from proband.protocols.running.running import run_protocol
from proband.protocols.splits.files import read_splits, write_splits
from proband.protocols.splits.splits import splitter
from proband.samples import Samples
from proband.scores.pair_lists import read_pairs
from proband.study.definition import Origin
from proband.study.requests import only
from proband.study.run import run as carry_out

NAMES = ["NA", "NaN", "KA", "nan"]
FRAME = pl.DataFrame(
    {
        "id": [f"{name}.{k}" if k else name for name in NAMES for k in range(3)],
        "subject": [name for name in NAMES for _ in range(3)],
        "model": [name for name in NAMES for _ in range(3)],
        "mark": [1, 2, 3] * 4,
    }
)


def written(path: Path, frame: pl.DataFrame = FRAME) -> Path:
    match path.suffix:
        case ".csv":
            frame.write_csv(path)
        case ".tsv":
            frame.write_csv(path, separator="\t")
        case ".parquet":
            frame.write_parquet(path)
        case ".jsonl":
            frame.write_ndjson(path)
        case ".npz":
            np.savez(path, **{name: frame[name].to_numpy().astype(str) for name in frame.columns})
    return path


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".jsonl", ".npz"])
def test_samples(tmp_path: Path, ending: str) -> None:
    found = Samples.read(written(tmp_path / f"s{ending}"), label_columns=["model", "mark"])
    assert list(found.ids) == FRAME["id"].to_list()
    assert list(found.subjects) == NAMES
    assert found.frame["model"].to_list() == FRAME["model"].to_list()


def test_a_label_is_a_name_only_where_it_is_text_and_nobody_says_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("id,subject,age,sex\na,x,1,NA\nb,y,NA,f\n")
    found = Samples.read(path, label_columns=["age", "sex"]).frame
    assert (found["age"].to_list(), found["sex"].to_list()) == ([1, None], ["NA", "f"])
    told = Samples.read(path, label_columns=["sex"], missing_values=["NA"]).frame
    assert told["sex"].to_list() == [None, "f"]
    assert Samples.read(path).frame["sex"].to_list() == [None, "f"]


def test_frames_in_memory() -> None:
    pandas = pytest.importorskip("pandas")
    for made in (FRAME, pandas.DataFrame(FRAME.to_dict(as_series=False)), FRAME.to_dict(as_series=False)):
        found = Samples(made)
        assert list(found.subjects) == NAMES
        assert found.frame["model"].to_list() == FRAME["model"].to_list()
    truth = FRAME["model"].to_list()
    for labels in (truth, pl.Series(truth), pandas.Series(truth), np.array(truth)):
        assert pb.classify(labels, {"m": labels}).classes == tuple(sorted(NAMES))


def test_a_run_and_everything_it_writes(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    table = Samples.read(written(tmp_path / "s.csv"), label_columns=["model"])
    features = np.eye(4)[np.repeat(np.arange(4), 3)] + 0.01 * np.arange(12)[:, None]
    run = run_protocol(
        {"c": "sklearn.neighbors:NearestCentroid()"}, FeatureTable(table, features=features), "2×3f CV"
    )
    assert set(run.findings[0].classification.classes) == set(NAMES)
    predictions = run.results[0].predictions.frame
    for ending in (".csv", ".parquet", ".jsonl"):
        path = written(tmp_path / f"p{ending}", predictions)
        found = read_predictions({"one": path}).frame
        assert set(found["label"]) == set(found["subject"]) == set(found["one"]) == set(NAMES)
    labelled = FeatureTable(table, features=features)
    by_label = run_protocol(
        {"c": "sklearn.neighbors:NearestCentroid()"}, labelled, "3f CV", task="attribute", label="model"
    )
    assert by_label.classes == 4
    assert not by_label.setting.data.left_out
    assert "protocols.class-called-missing" in {note.code for note in by_label.notes}
    card = run.card(run.results[0])
    assert ProtocolCard.read(card.write(tmp_path / "card.json")) == card
    splits = list(splitter("3f CV").splits(FRAME["subject"].to_numpy(), FRAME["subject"].to_numpy()))
    for name in ("splits.csv", "splits.tsv", "splits.parquet", "folder"):
        write_splits(tmp_path / name, table, splits)
        back = read_splits(tmp_path / name)
        assert set(back.ids) == set(FRAME["id"])
        assert audit(back, table).n_subjects == 4


def test_a_card() -> None:
    content = {
        "format": FORMAT,
        "method": "NA",
        "dataset": {"name": "NA", "samples": 3},
        "task": {"kind": "attribute", "label": "model", "classes": {"NA": 2, "nan": 1}},
        "protocol": {"notation": "HO(NA:1, nan:1)", "justification": "NA"},
        "selection": {"collected": 4, "excluded": {"NA": 1}},
    }
    card = ProtocolCard.from_dict(json.loads(json.dumps(content)))
    assert card.method == card.dataset.name == card.protocol.justification == "NA"
    assert dict(card.task.classes or ()) == {"NA": 2, "nan": 1}
    assert card.epd.data.answer == "stated"


def test_exclusions(tmp_path: Path) -> None:
    from proband.protocols.audit.losses import read_exclusions

    path = written(tmp_path / "x.csv", pl.DataFrame({"id": ["NA"], "reason": ["NA"]}))
    assert read_exclusions(path).row(0) == ("NA", "NA")


def test_lists_of_pairs(tmp_path: Path) -> None:
    rows = pl.DataFrame({"query": ["NA", "NaN"], "target": ["NaN.1", "nan"], "score": [0.5, 0.25]})
    pairs = read_pairs(written(tmp_path / "pairs.csv", rows), Samples(FRAME))
    assert pairs.select("query", "target").rows() == [("NA", "NaN.1"), ("NaN", "nan")]
    scores = pl.DataFrame(
        {
            "query": ["NA", "NA", "nan", "nan"],
            "target": ["NA.1", "nan.1", "NA.1", "nan.1"],
            "score": [0.9, 0.1, 0.2, 0.8],
        }
    )
    (found,) = pb.read_scores(
        written(tmp_path / "scores.csv", scores), Samples(FRAME), orientation="similarity"
    ).values()
    assert list(found.queries) == ["NA", "nan"]
    assert list(found.targets) == ["NA.1", "nan.1"]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_tables_of_labels_and_outcomes(tmp_path: Path, ending: str) -> None:
    truth = FRAME["model"].to_list()
    table = pl.DataFrame({"label": truth, "said": truth[1:] + truth[:1], "who": FRAME["subject"]})
    written(tmp_path / f"t{ending}", table)
    origin = Origin(tmp_path / "study.toml")
    asked = ClassificationRequest(table=f"t{ending}", predicted="said", cluster="who")
    assert carry_out(only("classification", asked), origin=origin)["classification"].classes == tuple(
        sorted(NAMES)
    )
    long = pl.DataFrame(
        {
            "item": FRAME["id"].to_list() * 2,
            "system": ["NA"] * 12 + ["nan"] * 12,
            "success": [1, 0] * 12,
            "who": truth * 2,
        }
    )
    written(tmp_path / f"o{ending}", long)
    about = OutcomesRequest(
        table=f"o{ending}", item="item", algorithm="system", success="success", cluster="who"
    )
    found = carry_out(only("outcomes", about), origin=origin)["outcomes"]
    assert [one.algorithm for one in found.estimates] == ["NA", "nan"]
