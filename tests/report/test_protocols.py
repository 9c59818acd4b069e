"""Accuracies under protocols as people read them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from proband.analyses.protocol.figures import accuracy_figure
from proband.analyses.protocol.tables import intervals_table, run_statements, runs_table
from proband.engine.files.documents import as_json
from proband.errors import InputError
from proband.protocols.cards.card import ProtocolCard
from proband.protocols.cards.comparability import compare_cards
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.results import ProtocolRun
from proband.protocols.running.running import run_protocol
from proband.protocols.splits.files import read_splits
from proband.report.tables.formats import as_latex
from proband.report.writer import write_run
from proband.samples import Samples
from proband.study.findings import Findings, Provenance
from proband.words import as_sentence

pytest.importorskip("sklearn")

CLASSIFIERS = {
    "l_da": "sklearn.discriminant_analysis:LinearDiscriminantAnalysis()",
    "centre|x": "sklearn.neighbors:NearestCentroid()",
}


@pytest.fixture(scope="module")
def run() -> ProtocolRun:
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(15), 4)
    table = Samples({"id": [f"s{k}" for k in range(60)], "subject": [f"p{k}" for k in who]})
    data = FeatureTable(
        table, features=rng.normal(size=(15, 5))[who] + 0.8 * rng.normal(size=(60, 5)), name="toy"
    )
    return run_protocol(CLASSIFIERS, data, ["6×75-25 HO", "6×2f CV", "75-25 HO"], margin=0.05)


def test_the_table_has_the_papers_layout(run: ProtocolRun) -> None:
    table = runs_table(run)
    rows = [[cell.text for cell in row] for row in table.rows]
    heads = [one.title for one in table.columns]
    assert heads == ["classifier", "over runs", "6×75-25 HO mixed", "6×2f CV mixed", "75-25 HO mixed"]
    assert [row[:2] for row in rows[:5]] == [
        ["l_da", "max"], ["l_da", "mean"], ["l_da", "min"], ["l_da", "std"], ["centre|x", "max"],
    ]  # fmt: skip
    assert table.rules == (4,)
    values = run.of("l_da", "6×75-25 HO").predictions.accuracies.ravel()
    expected = [f"{100 * values.max():.1f}", f"{100 * values.mean():.1f}", f"{100 * values.min():.1f}"]
    assert [row[2] for row in rows[:4]] == [*expected, f"{100 * values.std(ddof=1):.2f}"]
    assert rows[3][4] == "–"


def test_a_run_of_a_cross_validation_is_all_of_its_folds(run: ProtocolRun) -> None:
    means = run.of("l_da", "6×2f CV").predictions.accuracies.mean(axis=1)
    assert runs_table(run).rows[0][3].text == f"{100 * means.max():.1f}"


def test_one_split_has_no_interval_over_training(run: ProtocolRun) -> None:
    last = intervals_table(run, everything=True).rows[-1]
    assert last[3].text == "none"
    assert last[5].text.startswith("[")


def test_latex_escapes_and_balances(run: ProtocolRun) -> None:
    text = as_latex(runs_table(run))
    assert r"l\_da" in text
    assert r"6$\times$75-25 HO mixed" in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in rows} == {4}


def test_statements_say_what_varies_and_who_is_better(run: ProtocolRun) -> None:
    said = "\n".join(map(as_sentence, run_statements(run)))
    assert "60 samples of 15 subjects" in said
    assert "not a standard error" in said
    assert "training and test sets resampled from samples of the same subjects" in said
    assert "results do not apply to new subjects" in said
    assert "6×2f CV mixed, on people, one repeat (sign-flip" in said
    assert "HO mixed, on people" not in said
    assert "6×75-25 HO mixed, on splits (corrected resampled t): l_da" in said
    assert "posterior of l_da against centre|x" in said


def test_what_statements_tell_of_tests_are_notes_with_their_numbers(run: ProtocolRun) -> None:
    halves = run_protocol(CLASSIFIERS, run.setting.data, "5×2f CV", margin=0.02)
    told = [note["found"] for note in run_statements(halves) if "found" in dict(note.values)]
    assert {note.code for note in told} >= {"comparison.seen-tested", "folds.posterior"}
    five = next(note for note in told if note.code == "comparison.seen-tested")
    assert five["tested"]["statistic"] == halves.findings[0].five_by_two.pairs[0].statistic
    kinds = next(note for note in run_statements(run) if note.code == "protocol.runs")["kinds"]
    assert [one["what"].key for one in kinds] == ["split", "cross-validation"]


def test_the_figure_shows_every_run(run: ProtocolRun) -> None:
    axis = accuracy_figure(run).axes[0]
    dots = [line for line in axis.lines if line.get_marker() == "."]
    assert sorted(len(line.get_xdata()) for line in dots) == [6, 6, 6, 6]
    assert axis.get_xticklabels()[0].get_text() == "6×75-25\nHO\nmixed"


def whole(run: ProtocolRun) -> Findings:
    return Findings("toy", Provenance(""), {"protocol": run})


def test_the_directory_is_whole_and_agrees_with_itself(run: ProtocolRun, tmp_path: Path) -> None:
    write_run(whole(run), tmp_path / "made")
    results = json.loads((tmp_path / "made/results.json").read_text())
    assert results["protocol"] == json.loads(as_json(run.to_dict()))
    out = tmp_path / "made/protocol"
    card = ProtocolCard.read(out / "cards/l-da-6x2f-CV-mixed.json")
    predictions = out / card.predictions.file
    assert hashlib.sha256(predictions.read_bytes()).hexdigest() == card.predictions.sha256
    frame = pl.read_parquet(predictions)
    right = frame.group_by("repeat", "fold").agg((pl.col("label") == pl.col("predicted")).mean().alias("r"))
    assert card.value.estimate == pytest.approx(right["r"].mean())
    splits = read_splits(out / "splits/6x2f-CV-mixed.parquet").splits(run.setting.data.samples)
    again = list(run.findings[1].plan.splits())
    assert all((a.test == b.test).all() for a, b in zip(splits, again, strict=True))
    assert "centre|x" in (tmp_path / "made/report.html").read_text()


def test_two_classifiers_of_a_run_may_be_tested_in_pairs(run: ProtocolRun, tmp_path: Path) -> None:
    write_run(whole(run), tmp_path / "made")
    cards = [
        ProtocolCard.read(tmp_path / f"made/protocol/cards/{name}-6x2f-CV-mixed.json")
        for name in ("l-da", "centre-x")
    ]
    found = compare_cards(*cards)
    assert found.level.name == "SAME_TRIALS"


def test_written_twice_is_the_same_and_strangers_files_are_left_alone(
    run: ProtocolRun, tmp_path: Path
) -> None:
    def bytes_of(folder: Path) -> dict[str, bytes]:
        return {
            str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()
        }

    write_run(whole(run), tmp_path / "made")
    first = bytes_of(tmp_path / "made")
    write_run(whole(run), tmp_path / "made")
    assert bytes_of(tmp_path / "made") == first
    (tmp_path / "made/protocol/cards/mine.txt").write_text("mine")
    with pytest.raises(InputError, match=r"mine\.txt"):
        write_run(whole(run), tmp_path / "made")
