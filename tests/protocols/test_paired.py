"""The paired test from two files of predictions, by cards and by themselves."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from proband.analyses.protocol.tables import write_parts
from proband.cli import main
from proband.errors import DesignError, InputError
from proband.inference.cross_validation.comparison import compare_pooled
from proband.protocols.cards.card import ProtocolCard
from proband.protocols.cards.paired import paired_test, predictions_beside
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.prediction_files import compare_predictions
from proband.protocols.running.running import run_protocol
from proband.samples import Samples


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(2)
    who = np.repeat(np.arange(25), 4)
    table = Samples({"id": [f"s{k}" for k in range(100)], "subject": who, "sex": ["f", "m"] * 50})
    features = rng.normal(size=(100, 6)) + 0.4 * np.tile([[0.0], [1.0]], (50, 1))
    classifiers = {
        "lda": "sklearn.discriminant_analysis:LinearDiscriminantAnalysis()",
        "tree": "sklearn.tree:DecisionTreeClassifier(max_depth=1)",
    }
    run = run_protocol(
        classifiers, FeatureTable(table, features=features, name="toy"), ["2×5f CV+", "80-20 HO+"], task="attribute", label="sex"
    )  # fmt: skip
    place = tmp_path_factory.mktemp("run") / "out"
    write_parts(run, place)
    pair = run.findings[0].on_people
    assert pair is not None
    (place / "expected.json").write_text(json.dumps([pair.pairs[0].p_value, pair.pairs[0].low]))
    return place


def card(out: Path, name: str) -> tuple[ProtocolCard, Path]:
    path = out / "cards" / f"{name}.json"
    found = ProtocolCard.read(path)
    predictions = predictions_beside(found, path)
    assert predictions is not None
    return found, predictions


def test_predictions_are_found_from_within_the_folder_of_the_cards(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, predictions = card(out, "lda-2x5f-CV-disjoint")
    monkeypatch.chdir(out / "cards")
    beside = predictions_beside(found, Path("lda-2x5f-CV-disjoint.json"))
    assert beside is not None
    assert beside.samefile(predictions)


def test_cards_of_the_same_trials_are_tested_as_the_run_did(out: Path) -> None:
    (a, first), (b, second) = (card(out, f"{name}-2x5f-CV-disjoint") for name in ("lda", "tree"))
    made = paired_test((a, b), (first, second))
    assert made.comparison is not None
    (pair,) = made.comparison.pairs
    expected = json.loads((out / "expected.json").read_text())
    assert [pair.p_value, pair.low] == pytest.approx(expected)
    assert (made.n_samples, made.n_groups, made.algorithms) == (100, 25, ("lda", "tree"))
    assert "predictions.one-repeat" in {note.code for note in made.notes}


def test_a_file_that_is_not_the_cards_is_refused(out: Path, tmp_path: Path) -> None:
    (a, first), (b, second) = (card(out, f"{name}-2x5f-CV-disjoint") for name in ("lda", "tree"))
    with pytest.raises(InputError, match="SHA-256 differs"):
        paired_test((a, b), (second, first))
    (c, third) = card(out, "lda-80-20-HO-disjoint")
    with pytest.raises(DesignError, match="level 1"):
        paired_test((a, c), (first, third))
    with pytest.raises(DesignError, match="both cards state the same result"):
        paired_test((a, a), (first, first))


def test_without_people_it_is_mcnemars_test(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.choice(["NA", "b"], 60)
    frames = {}
    for name, share in (("a", 0.9), ("b", 0.6)):
        right = rng.random(60) < share
        frames[name] = np.where(right, truth, np.where(truth == "b", "NA", "b"))
        order = rng.permutation(60)  # rows may stand in any order
        table = {"id": np.arange(60)[order], "label": truth[order], "predicted": frames[name][order]}
        pl.DataFrame(table).write_csv(tmp_path / f"{name}.csv")
    found = compare_predictions({name: tmp_path / f"{name}.csv" for name in frames})
    assert found.comparison is not None
    (pair,) = found.comparison.pairs
    a, b = (frames[name] == truth for name in "ab")
    only, other = int((a & ~b).sum()), int((b & ~a).sum())
    exact = stats.binomtest(only, only + other).pvalue
    half = stats.binom.pmf(only, only + other, 0.5)
    assert pair.p_value == pytest.approx(exact - half)  # mid-p
    assert pair.value == pytest.approx((only - other) / 60)
    assert "predictions.no-subjects" in {note.code for note in found.notes}
    with_people = pl.read_csv(tmp_path / "a.csv").with_columns(subject=pl.col("id") // 4)
    with_people.write_csv(tmp_path / "a.csv")
    pl.read_csv(tmp_path / "b.csv").with_columns(subject=pl.col("id") // 4).write_csv(tmp_path / "b.csv")
    grouped = compare_predictions({name: tmp_path / f"{name}.csv" for name in frames}).comparison
    assert grouped is not None
    pooled = compare_pooled({"a": a, "b": b}, np.arange(60) // 4, disjoint=True).pairs[0]
    one = grouped.pairs[0]
    assert [one.p_value, one.low, one.high] == pytest.approx([pooled.p_value, pooled.low, pooled.high])


ROWS = {
    "id": ["x", "y", "z"],
    "label": ["f", "m", "f"],
    "predicted": ["f", "f", "f"],
    "subject": ["p", "q", "r"],
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": ["x", "y", "w"]}, "1 of 3 samples of a.csv is not in b.csv: 'z'"),
        (
            {"label": ["f", "f", "f"]},
            "1 sample differs in label between b.csv and a.csv: 'y' is 'f' and 'm'",
        ),
        ({"subject": ["p", "q", "q"]}, "differs in subject"),
        ({"id": ["x", "y", "y"]}, "1 sample appears twice"),
        ({"predicted": ["f", None, "f"]}, "'predicted' is empty in 1 row"),
        ({"id": None}, "has no column 'id'"),
    ],
)
def test_other_samples_are_refused(tmp_path: Path, change: dict[str, list[str] | None], said: str) -> None:
    pl.DataFrame(ROWS).write_csv(tmp_path / "a.csv")
    other = {name: value for name, value in {**ROWS, **change}.items() if value is not None}
    pl.DataFrame(other).write_csv(tmp_path / "b.csv")
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        compare_predictions({"a": tmp_path / "a.csv", "b": tmp_path / "b.csv"})


def answer(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stop:
        main([*argv])
    return int(stop.value.code or 0), capsys.readouterr().out


def test_on_the_command_line(out: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b, c = (
        str(out / "cards" / f"{name}.json")
        for name in ("lda-2x5f-CV-disjoint", "tree-2x5f-CV-disjoint", "lda-80-20-HO-disjoint")
    )
    code, said = answer(capsys, "card", "diff", a, b, "--json")
    test = json.loads(said)["paired_test"]
    expected = json.loads((out / "expected.json").read_text())
    assert code == 0
    assert test["comparison"]["pairs"][0]["p_value"] == pytest.approx(expected[0])
    predictions = [str(out / "predictions" / f"{name}-2x5f-CV-disjoint.parquet") for name in ("lda", "tree")]
    given = [word for file in predictions for word in ("--predictions", file)]
    code, said = answer(capsys, "card", "diff", a, c, *given)
    assert (code, "No paired test" in said) == (3, True)
    code, said = answer(capsys, "classify", *given, "--json")
    assert json.loads(said)["classification"]["comparison"]["pairs"][0]["p_value"] == pytest.approx(
        expected[0]
    )
    moved = [tmp_path / f"{k}.json" for k in range(2)]  # cards without their predictions
    for path, place in zip((a, b), moved, strict=True):
        place.write_text(Path(path).read_text())
    code, said = answer(capsys, "card", "diff", *map(str, moved))
    assert (code, "were not found; pass both files" in " ".join(said.split())) == (0, True)
