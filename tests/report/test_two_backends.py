"""One specification, two drawings: the page and print show the same data in the same looks."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.axes import Axes
from tests.report.page import finding

import proband.report.page
from proband.report.charts.makers import concentration, curves, errors, histograms, rows
from proband.report.charts.mpl import figure
from proband.report.charts.palette import COLOURS, DASHES, colour, dashes
from proband.report.charts.scales import AxisScale
from proband.report.charts.spec import Chart, Curves, Errors, Rows
from proband.report.charts.svg.drawing import drawings

SVG = "{http://www.w3.org/2000/svg}"


@cache
def charts() -> dict[str, Chart]:
    found = finding.whole()
    evaluation, strat, verification = (
        found["identification"].evaluation,
        found["strat"],
        found["verification"],
    )
    choices = found["choices"].choices
    assert choices is not None
    comparison = next(iter(found["comparison"].comparisons.values()))
    verified = [errors.error_curve(one) for one in verification.verification]
    made = (
        curves.cmc(evaluation.bands()),
        rows.leaderboard(comparison.ordered),
        rows.forest(comparison),
        rows.against_best(comparison),
        rows.gallery_effect(strat.effects),
        rows.groups(verification.groups[:1], "fmr", counts=True),
        errors.det(verified),
        errors.roc(verified),
        errors.searches(found["search"].searches),
        histograms.scores(histograms.score_counts(verification.verification[0])),
        histograms.differences(choices, [("sharp", "plain"), ("sharp", "blunt")]),
        concentration.concentration(verification.hard_subjects["sharp"]),
    )
    return {one.id: one for one in made}


IDS = ("cmc", "leaderboard-chart", "forest", "against-best", "gallery-effect-chart", "groups-chart", "det", "roc", "search",
       "scores", "choice-differences-chart", "hard-subjects")  # fmt: skip


@cache
def both(id: str) -> tuple[ElementTree.Element, Axes]:
    """The drawing that the page shows at first, and the printed one."""
    chart = charts()[id]
    first = next(iter(drawings(chart).values()))
    return ElementTree.fromstring(first), figure([chart], (6.0, 4.0)).axes[0]


def scales(root: ElementTree.Element) -> tuple[AxisScale, AxisScale]:
    a = root.attrib
    ends = (("x", "x0", "x1", "left", "right"), ("y", "y0", "y1", "bottom", "top"))
    x, y = (
        AxisScale(a[f"data-scale-{k}"], *(float(a[f"data-{name}"]) for name in names)) for k, *names in ends
    )  # type: ignore[arg-type]
    return x, y


@pytest.mark.parametrize("id", IDS)
def test_both_draw_every_chart_on_the_same_axes(id: str) -> None:
    chart = charts()[id]
    root, axis = both(id)
    x, y = chart.axes[0]
    assert root.attrib["data-scale-x"] == x.kind
    assert root.attrib["data-label-x"] == x.label == axis.get_xlabel().replace("\n", " ")
    inner = np.array([tick for tick in axis.get_xticks() if x.low <= tick <= x.high])
    assert len(inner) >= 2
    assert (axis.get_xscale() == "log") == (x.kind == "log")
    low, high = axis.get_xlim()
    assert low <= x.low * (1 + 1e-9) or x.low <= 0
    assert high >= x.high * (1 - 1e-9)
    if not isinstance(chart.marks, Rows):
        assert root.attrib["data-scale-y"] == y.kind


@pytest.mark.parametrize("id", [one for one in IDS if one not in ("scores", "choice-differences-chart")])
def test_dots_are_at_the_same_values(id: str) -> None:
    root, axis = both(id)
    x, y = scales(root)
    page = sorted(
        round(x.inverse(float(one.attrib["cx"])), 3)
        for one in root.iter(f"{SVG}circle")
        if x.start <= float(one.attrib["cx"]) <= x.end
    )
    dots = [
        line for line in axis.lines if len(line.get_xdata()) == 1 and line.get_marker() not in ("<", ">", "_")
    ]
    printed = sorted(round(float(line.get_xdata()[0]), 3) for line in dots)
    if not isinstance(charts()[id].marks, Curves):  # where those of rank 1 stand aside
        assert page == pytest.approx(printed, abs=2e-3)
    else:
        heights = sorted(y.inverse(float(one.attrib["cy"])) for one in root.iter(f"{SVG}circle"))
        assert heights == pytest.approx(sorted(float(line.get_ydata()[0]) for line in dots), abs=2e-3)


def test_hollow_dots_and_the_zone_are_the_same() -> None:
    for chart in (one for one in charts().values() if isinstance(one.marks, Errors)):
        root, axis = both(chart.id)
        hollow = sum(one.attrib["class"] == "dot hollow" for one in root.iter(f"{SVG}circle"))
        assert hollow == sum(line.get_markerfacecolor() == "white" for line in axis.lines)
        x, y = scales(root)
        (page,) = (one for one in root.iter(f"{SVG}polygon") if one.attrib["class"] == "unsupported")
        corners = [tuple(map(float, pair.split(","))) for pair in page.attrib["points"].split()]
        (printed,) = (patch for patch in axis.patches if patch.get_hatch())
        for (across, down), (fmr, rate) in zip(corners, printed.get_xy(), strict=False):
            assert across == pytest.approx(x.at(fmr), abs=0.02)
            assert down == pytest.approx(y.at(rate), abs=0.02) or chart.marks.complement  # hatched from above


def test_curves_that_are_read_on_the_page_are_those_in_print() -> None:
    root, axis = both("cmc")
    lines = [line for line in axis.lines if len(line.get_xdata()) > 1]
    groups = [one for one in root.iter(f"{SVG}g") if "data-points" in one.attrib]
    for group, line in zip(groups, lines, strict=True):
        for rank, rate in (pair.split(",") for pair in group.attrib["data-points"].split(";")):
            assert float(rate) == pytest.approx(line.get_ydata()[int(rank) - 1], rel=1e-5)


def test_a_series_looks_the_same_everywhere() -> None:
    """As many colours and dashes in the style sheet as in print, given out by the same rule."""
    sheet = Path(proband.report.page.__file__).with_name("style.css").read_text(encoding="utf-8")
    assert len(set(re.findall(r"^\.series-(\d+) ", sheet, re.MULTILINE))) == len(COLOURS)
    assert len(set(re.findall(r"^\.dash-(\d+) ", sheet, re.MULTILINE))) + 1 == len(DASHES)  # 0 has none
    root, axis = both("cmc")
    lines = [line for line in axis.lines if len(line.get_xdata()) > 1]
    for place, line in enumerate(lines):
        assert f"series-{COLOURS.index(line.get_color())} " in ElementTree.tostring(root, "unicode")
        assert line.get_color() == colour(place)
    assert len({colour(place) for place in range(len(COLOURS))}) == len(COLOURS)
    assert {dashes(place) for place in range(len(DASHES))} == set(DASHES)
