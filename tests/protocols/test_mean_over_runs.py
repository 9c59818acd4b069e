"""The accuracy is the mean over runs wherever it is told, and the pooled estimate stands apart with the interval that is its own.

People with unequal numbers of images make folds of unequal size, so that the mean over runs, over images and over predictions differ.
"""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.analyses.protocol.charts import accuracies
from proband.analyses.protocol.figures import accuracy_figure
from proband.analyses.protocol.tables import intervals_table, run_statements, runs_table
from proband.analyses.what_if.view import WhatIfView
from proband.cli.analyses.findings import show_findings
from proband.engine.files.documents import as_json
from proband.protocols.cards.card import ProtocolCard
from proband.protocols.cards.comparability import compare_cards
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.results import ProtocolResult, ProtocolRun
from proband.protocols.running.running import run_protocol
from proband.protocols.running.what_if import what_if
from proband.report.tables.formats import as_latex
from proband.report.writer import write_run
from proband.results.estimate import Estimate
from proband.samples import Samples
from proband.study.findings import Findings, Provenance

pytest.importorskip("sklearn")

SIZES = [2, 3, 5, 8, 13, 21, 4, 6]
KNN = "sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"
STABLE = {
    "lda": "sklearn.discriminant_analysis:LinearDiscriminantAnalysis()",
    "bayes": "sklearn.naive_bayes:GaussianNB()",
}
PROTOCOLS = ["LOSO", "4×3f CV+", "5×70-30 HO+", "3×LOO(20,9)+", "70-30 HO+", "LOO+"]
WHICH = ["method", "fitted-models"]


def known(interval: Estimate) -> tuple[float | None, float | None]:
    """The ends of an interval as tables and cards have them."""
    return (interval.low, interval.high) if interval.has_interval else (None, None)


@dataclass(frozen=True)
class Naive:
    """What is expected, from the rows of the predictions alone."""

    mean: float
    std: float | None
    least: float
    most: float
    pooled: float


def naive(one: ProtocolResult) -> Naive:
    """Add up row by row: a run is a subject of LOSO, a split of a hold-out, and else a repeat, the mean of its folds."""
    right: dict[tuple[int, int], list[bool]] = {}
    images: dict[str, list[bool]] = {}
    for row in one.predictions.frame.iter_rows(named=True):
        good = row["label"] == row["predicted"]
        right.setdefault((row["repeat"], row["fold"]), []).append(good)
        images.setdefault(row["id"], []).append(good)
    folds = {place: fmean(found) for place, found in right.items()}
    runs = list(folds.values())
    if one.protocol.kind not in ("leave-one-subject-out", "hold-out"):
        repeats = {repeat for repeat, _ in folds}
        runs = [fmean(value for (own, _), value in folds.items() if own == repeat) for repeat in repeats]
    spread = stdev(runs) if len(runs) > 1 else None
    return Naive(fmean(runs), spread, min(runs), max(runs), fmean(map(fmean, images.values())))


@cache
def table() -> FeatureTable:
    rng = np.random.default_rng(7)
    who = np.repeat(np.arange(len(SIZES)), SIZES)
    sex = rng.integers(0, 2, len(who))
    hard = rng.random(len(SIZES))[who]
    features = rng.normal(size=(len(who), 3)) + (1.6 * sex * hard)[:, None]
    samples = Samples(
        {"id": [f"s{k}" for k in range(len(who))], "subject": [f"p{k}" for k in who], "sex": sex.astype(str)}
    )
    return FeatureTable(samples, features=features, name="toy")


@cache
def made(which: str) -> ProtocolRun:
    """A run that quotes the method wherever it can, or the fitted models."""
    learners = STABLE if which == "method" else STABLE | {"near": KNN}
    return run_protocol(learners, table(), PROTOCOLS, task="attribute", label="sex", seed=2)


@pytest.fixture(params=WHICH)
def run(request: pytest.FixtureRequest) -> ProtocolRun:
    return made(request.param)


def percent(value: float, places: int = 2) -> str:
    return f"{100 * value:.{places}f}"


def test_the_means_differ_and_both_intervals_are_quoted() -> None:
    apart = [abs(one.accuracy - one.pooled.value) for which in WHICH for one in made(which).results]
    assert np.sum(np.array(apart) > 0.005) >= 10
    quoted = {one.recommended for one in made("method").results}
    assert quoted == {"method", "fitted-models"}
    assert {one.recommended for one in made("fitted-models").results} == {"fitted-models"}


def test_the_numbers_are_those_of_the_rows(run: ProtocolRun) -> None:
    for one in run.results:
        expected, spread = naive(one), one.spread
        assert one.accuracy == spread.mean == pytest.approx(expected.mean, abs=1e-12)
        assert spread.std == (None if expected.std is None else pytest.approx(expected.std, abs=1e-12))
        assert (spread.minimum, spread.maximum) == pytest.approx((expected.least, expected.most), abs=1e-12)
        assert one.corrected.value == pytest.approx(expected.mean, abs=1e-12)
        assert one.pooled.value == pytest.approx(expected.pooled, abs=1e-12)
        for each in (one.corrected, one.pooled):
            assert not each.has_interval or each.low <= each.value <= each.high


def test_words_tell_the_mean_over_runs_first_and_name_the_pooled_estimate(run: ProtocolRun) -> None:
    for one in run.results:
        expected = naive(one)
        said = " ".join(repr(one).split())
        spread = f"accuracy {expected.mean:.4f}"
        if expected.std is not None:
            spread += f" ± {expected.std:.4f} (max {expected.most:.4f}, min {expected.least:.4f})"
        assert said.startswith(f"{one.classifier} under {one.protocol}: {spread} o")
        if not one.interval.has_interval:
            assert said.endswith("split, without an interval.")
        else:
            ends = f"95% interval [{one.interval.low:.4f}, {one.interval.high:.4f}]"
            owner = "; " if one.recommended == "method" else f"; pooled estimate {expected.pooled:.4f}, "
            assert f"{owner}{ends}" in said
        assert str(one.sentence()) in [str(note) for note in run_statements(run)]
        assert str(one.sentence()) in " ".join(repr(run).split())


def test_tables_keep_the_two_apart(run: ProtocolRun) -> None:
    over_runs, latex = runs_table(run), as_latex(runs_table(run))
    for place, one in enumerate(run.results):
        expected = naive(one)
        column = 2 + place // len(run.classifiers)
        row = 4 * (place % len(run.classifiers))
        cells = [over_runs.rows[row + k][column].text for k in range(4)]
        std = "–" if expected.std is None else percent(expected.std)
        assert cells == [
            *(percent(value, 1) for value in (expected.most, expected.mean, expected.least)),
            std,
        ]
        assert percent(expected.mean, 1) in latex
    for everything in (False, True):
        shown = intervals_table(run, everything)
        titles = [one.title for one in shown.columns]
        for one, row in zip(run.results, shown.rows, strict=True):
            cells = dict(zip(titles, (cell.text for cell in row), strict=True))
            expected = naive(one)
            assert cells["accuracy"] == percent(expected.mean)
            owned = {"its 95% interval": one.corrected, "95% interval, pooled": one.pooled}
            for title, made in owned.items():
                of_this = everything or made is one.interval
                ends = f"[{percent(made.low)}, {percent(made.high)}]" if made.has_interval else "none"
                assert cells.get(title, "–") == (ends if of_this else "–")
            told = everything or one.recommended != "method"
            assert cells.get("pooled estimate", "–") == (percent(expected.pooled) if told else "–")


def whole(run: ProtocolRun) -> Findings:
    return Findings("toy", Provenance(""), {"protocol": run})


def test_the_terminal_begins_with_the_papers_layout(run: ProtocolRun) -> None:
    printed = io.StringIO()
    with redirect_stdout(printed):
        show_findings(whole(run), json=False, explain=False)
    first, second, *_ = re.split(r"\n\n", printed.getvalue())
    assert first.splitlines()[0] == "Accuracy over runs (%)"
    assert second.splitlines()[0] == "Intervals (%)"
    for name in run.classifiers:
        means = next(line for line in first.splitlines() if line.split()[:2] == [name, "mean"]).split()[2:]
        assert means == [percent(naive(one).mean, 1) for one in run.results if one.classifier == name]


def test_files_state_the_same(run: ProtocolRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proband.report.writer.save_figure", lambda figure, path: path.touch())
    write_run(whole(run), tmp_path / "out")
    frame = pl.read_csv(tmp_path / "out/tables/protocol.csv")
    results = json.loads((tmp_path / "out/results.json").read_text(encoding="utf-8"))["protocol"]
    assert results == json.loads(as_json(run.to_dict()))
    plain = [one for found in results["protocols"] for one in found["results"]]
    cards = {
        (card.method, card.protocol.notation): card
        for card in map(ProtocolCard.read, (tmp_path / "out/protocol/cards").iterdir())
    }
    for one, row, written in zip(run.results, frame.iter_rows(named=True), plain, strict=True):
        expected = naive(one)
        spread = (expected.mean, expected.std, expected.most, expected.least)
        card = cards[one.classifier, str(one.protocol)].value
        stated: list[tuple[Any, ...]] = [
            (row["accuracy"], row["std"], row["max"], row["min"]),
            (card.estimate, card.std, card.maximum, card.minimum),
            (
                written["accuracy"],
                *(written["spread"][name] for name in ("std", "maximum", "minimum")),
            ),
        ]
        for found in stated:
            assert found == tuple(None if value is None else pytest.approx(value) for value in spread)
        assert (written["corrected"]["value"], written["pooled"]["value"]) == pytest.approx(
            (expected.mean, expected.pooled)
        )
        assert (row["pooled_estimate"], card.pooled_estimate) == pytest.approx((expected.pooled,) * 2)
        ends = known(one.pooled)
        assert (row["pooled_low"], row["pooled_high"]) == (card.pooled_low, card.pooled_high) == ends
        assert (row["low"], row["high"]) == known(one.corrected)
        assert (card.confidence_level is None) == (not one.interval.has_interval)
        assert card.interval == (known(one.corrected) if one.recommended == "method" else None)


def test_charts_and_figures_draw_the_interval_that_is_quoted_at_its_estimate(run: ProtocolRun) -> None:
    expected: list[tuple[float | None, ...]] = []
    sure = [one for one in run.results if one.interval.has_interval]
    assert len(sure) < len(run.results)  # one split that tests one person
    for one in run.results:
        told, quoted = naive(one), one.interval
        own = (told.mean, quoted.low, quoted.high)
        bare = (told.mean, told.mean, told.mean)
        pooled = (told.pooled, quoted.low, quoted.high)
        expected += [own] if one.recommended == "method" else [bare, pooled] if one in sure else [bare]
    drawn = [(mark.value, mark.low, mark.high) for mark in accuracies(run).marks.marks]
    np.testing.assert_allclose(drawn, np.array(expected, float), atol=1e-12)
    axis = accuracy_figure(run).axes[0]
    bars = [one.get_segments()[0][:, 1].tolist() for one in axis.collections]
    np.testing.assert_allclose(bars, [[one.interval.low, one.interval.high] for one in sure])
    marked = [line for line in axis.lines if line.get_marker() != "."]
    filled = [line.get_ydata()[0] for line in marked if line.get_markerfacecolor() != "none"]
    hollow = [line.get_ydata()[0] for line in marked if line.get_markerfacecolor() == "none"]
    np.testing.assert_allclose(filled, [naive(one).mean for one in run.results])
    np.testing.assert_allclose(hollow, [naive(one).pooled for one in sure if one.recommended != "method"])
    # A bar stands where the marker of its own estimate does.
    at = {line.get_xdata()[0] for line in marked if line.get_markerfacecolor() == "none"}
    feet = [one.get_segments()[0][0, 0] for one in axis.collections]
    assert {x for x, one in zip(feet, sure, strict=True) if one.recommended != "method"} == at


def test_what_if_tells_the_two_apart() -> None:
    found = what_if({"near": KNN}, table(), "mixed", "3×3f CV", label="sex")
    rows = found.to_frame().rows(named=True)
    shown = [[cell.text for cell in row] for row in WhatIfView().tables(found)[0].rows]
    for side, row, cells in zip(found.sides, rows, shown, strict=True):
        expected = naive(side.result)
        assert (row["accuracy"], row["pooled_estimate"]) == pytest.approx((expected.mean, expected.pooled))
        assert cells[3].startswith(f"{expected.mean:.4f}")
        assert cells[5] == f"{expected.pooled:.4f}"
        assert f"{side.name} {expected.mean:.4f}" in repr(found)
    apart = [naive(side.result).pooled for side in found.sides]
    assert found.difference.value == pytest.approx(apart[0] - apart[1])


def test_cards_are_compared_by_numbers_that_have_an_interval() -> None:
    def told(which: str, protocol: str) -> str:
        run = made(which)
        cards = [run.card(run.of(name, protocol)) for name in STABLE]  # without digests: the same protocol
        return str(compare_cards(*cards).allowed.code)

    assert told("method", "4×3f CV+") == "cards.allowed-unpaired"
    assert told("fitted-models", "4×3f CV+") == "cards.allowed-unpaired-pooled"
