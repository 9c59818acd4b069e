"""Confusion matrices hold their numbers wherever they are shown; of many classes the pairs most often confused are shown instead."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import proband as pb
from proband.analyses.classification.tables import confusion_tables
from proband.engine.rendering import render
from proband.inference.classification.results import Classification
from proband.report.charts.data import data_of
from proband.report.charts.makers.confusions import confusion
from proband.report.charts.spec import Matrix, Rows
from proband.report.charts.svg.drawing import drawings
from proband.report.tables.terminal import as_terminal

SVG = "{http://www.w3.org/2000/svg}"


def classified(n_classes: int, n: int = 600) -> Classification:
    rng = np.random.default_rng(n_classes)
    true = np.arange(n) % n_classes
    taken = np.where(rng.random(n) < 0.8, true, (true + 1) % n_classes)
    names = np.array([f"class {k}" for k in range(n_classes)])
    return pb.classify(names[true], {"net": names[taken]})


@pytest.mark.parametrize("n_classes", [2, 5, 20])
def test_the_numbers_stand_in_the_cells(n_classes: int) -> None:
    found = classified(n_classes)
    chart = confusion(found, "net")
    assert isinstance(chart.marks, Matrix)
    root = ElementTree.fromstring(drawings(chart)["linear"])
    said = [one.text for one in root.iter(f"{SVG}text") if (one.get("class") or "").startswith("in-cell")]
    expected = [f"{value:.0f}" for value in found.confusion("net").ravel()]
    assert said == expected
    axis = render(found, "figure", which="confusion").axes[0]
    assert [text.get_text() for text in axis.texts if text.get_text().isdigit()] == expected
    assert [cell.text for row in data_of(chart).rows for cell in row[1:]] == expected
    # The darkest cell is not so dark that ink could not be read on it, on light and dark pages.
    tints = [float(one.get("fill-opacity") or 0) for one in root.iter(f"{SVG}rect")]
    assert max(tints) <= 0.45


def test_a_matrix_of_few_classes_is_in_the_terminal() -> None:
    found = classified(4)
    (table,) = confusion_tables(found, 3)
    text = as_terminal(table, 80).plain
    assert "net: true \\ predicted" in text
    for row in found.confusion("net"):
        for value in row:
            assert f" {value:.0f}" in text


def test_of_many_classes_the_most_confused_pairs_are_shown() -> None:
    found = classified(40)
    chart = confusion(found, "net")
    assert isinstance(chart.marks, Rows)
    most = found.top_confusions("net", 15)
    assert chart.marks.labels == tuple(f"{one.true} → {one.predicted}" for one in most)
    assert "40 classes are too many to show as a matrix" in chart.notes[0]
    assert render(found, "figure", which="confusion").axes
    (table,) = confusion_tables(found, 3)
    assert table.caption == "Most common errors (40 classes are too many to show as a matrix)"
    assert len(table.rows) == 3
