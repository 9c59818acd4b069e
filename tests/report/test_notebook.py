from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass, fields, is_dataclass
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import numpy as np
import pytest
from tests.report.page import finding

import proband as pb
from proband.engine.rendering import Shown
from proband.report.figures.style import COLUMN, PAGE
from proband.report.tables.cells import columns, text_cell
from proband.report.tables.formats import as_html, as_latex, as_markdown, as_tex
from proband.report.tables.table import Table


def results() -> dict[str, Any]:
    found = finding.whole()
    evaluation = found["identification"].evaluation
    compared = next(iter(found["comparison"].comparisons.values()))
    made = (
        evaluation,
        compared,
        compared.estimates[0],
        evaluation.bands()[0],
        evaluation.curves()[0],
        found["verification"].verification[0],
        found["verification"].groups[0],
        found["search"].searches[0],
        found["choices"].choices,
        found["strat"],
        finding.feret()["feret"],
    )
    return {type(one).__name__: one for one in made}


KINDS = [
    "Band",
    "Comparison",
    "Curve",
    "Differential",
    "Estimate",
    "Evaluation",
    "FeretStudy",
    "SearchEstimates",
    "StratStudy",
    "Verification",
    "VirtualExperiments",
]


class Cells(HTMLParser):
    """The text of every cell, and that every element is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self.open or "th" in self.open:
            self.cells[-1] += data


def read(html: str) -> list[str]:
    cells = Cells()
    cells.feed(html)
    cells.close()
    assert cells.open == []
    return cells.cells


def test_every_kind_is_known() -> None:
    assert sorted(results()) == KINDS
    assert all(isinstance(one, Shown) for one in results().values())


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_a_table_of_its_own(kind: str) -> None:
    html = results()[kind]._repr_html_()
    assert len(read(html)) > 5
    assert len(html) < 40_000
    assert "http" not in html
    assert "<script" not in html


@pytest.mark.parametrize("kind", KINDS)
def test_latex_has_rules_and_as_many_cells_in_every_row(kind: str) -> None:
    latex = results()[kind].to_latex()
    for table in re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", latex, re.DOTALL):
        assert all(rule in table for rule in (r"\toprule", r"\midrule", r"\bottomrule"))
        rows = [line for line in table.splitlines() if line.endswith(r"\\")]
        columns = re.match(r"\\begin\{tabular\}\{([lr]+)\}", table)
        assert columns
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {len(columns[1]) - 1}


@pytest.mark.parametrize(
    "kind", [KINDS[0], *(pytest.param(one, marks=pytest.mark.long) for one in KINDS[1:])]
)
def test_plots_are_figures_that_notebooks_show(kind: str) -> None:
    figure = results()[kind].plot()
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_numbers_are_those_of_the_results() -> None:
    made = results()
    cells = read(made["Estimate"]._repr_html_())
    one = made["Estimate"]
    assert f"{one.value:.4f}" in cells
    assert f"[{one.low:.4f}, {one.high:.4f}]" in cells
    cells = read(made["Evaluation"]._repr_html_())
    for curve in made["Evaluation"].curves():
        assert any(cell.startswith(f"{curve.at(1):.4f}") for cell in cells)


def test_names_are_escaped() -> None:
    ids = [f"{side}{k}" for side in "gp" for k in range(5)]
    samples = pb.Samples({"id": ids, "subject": [one[1:] for one in ids]})
    name = "<img src=x onerror=alert(1)> & 50%_$"
    scores = pb.Scores.from_array(np.eye(5), ids[5:], ids[:5], orientation="similarity", name=name)
    rate = pb.estimate(
        scores, pb.Experiment(samples, gallery=ids[:5]), measure=pb.measures.RecognitionRate(1)
    )
    html = rate._repr_html_()
    assert "<img" not in html
    assert name in read(html)
    assert r"$<$img src=x onerror=alert(1)$>$ \& 50\%\_\$" in rate.to_latex()


@pytest.mark.long
def test_figures_are_as_wide_as_asked_for() -> None:
    made = results()
    for kind in ("Evaluation", "Comparison", "Estimate", "Band"):
        for width in (COLUMN, PAGE):
            assert made[kind].plot(width=width).get_size_inches()[0] == pytest.approx(width)


@pytest.mark.parametrize("ending", ["pdf", "svg", "png"])
def test_a_column_wide_figure_is_saved_in_every_form(
    request: pytest.FixtureRequest, tmp_path: Path, ending: str
) -> None:
    if ending == "png":
        request.getfixturevalue("usual_style")  # the other forms have no dots
    path = tmp_path / f"figure.{ending}"
    pb.save_figure(results()["Evaluation"].plot(width=COLUMN), path)
    content = path.read_bytes()
    if ending == "svg":
        assert b'width="252pt"' in content  # 3.5 inches
    elif ending == "pdf":
        assert re.search(rb"/MediaBox\s*\[\s*0 0 252 ", content)
    else:
        assert int.from_bytes(content[16:20], "big") == 700  # at 200 dots an inch


def test_a_figure_of_several_is_chosen_by_name() -> None:
    made = results()["Verification"]
    assert made.plot(which="roc").axes[0].get_ylabel().startswith("true accept rate")
    with pytest.raises(pb.errors.UsageError, match="no figure 'rok'"):
        made.plot(which="rok")


@pytest.mark.parametrize("heading", ["", "letter"])
@pytest.mark.parametrize("names", [1, 2])
def test_a_table_says_which_columns_are_names(heading: str, names: int) -> None:
    """How a table is set does not depend on what its heads say."""
    table = Table("", columns(heading, "name", "rate", text=names), (tuple(map(text_cell, "abc")),))
    assert as_html(table).count("text-align:left") == 2 * names
    assert ("{lrr}", "{llr}")[names - 1] in as_latex(table)
    assert ("|---|--:|--:|", "|---|---|--:|")[names - 1] in as_markdown(table)
    assert table.n_names == names


def test_signs_that_latex_has_no_letters_for() -> None:
    cells = (text_cell("[a]"), text_cell("−1 ± 2"))
    assert r"{}[a] & $-$1 $\pm$ 2 \\" in as_latex(Table("", columns("algorithm", "rate"), (cells,)))
    assert as_tex("a_b ≥ 5%") == r"a\_b $\geq$ 5\%"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX")
def test_latex_compiles(tmp_path: Path) -> None:
    body = "\n\n".join(one.to_latex() for one in results().values())
    text = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{body}\end{{document}}"
    (tmp_path / "x.tex").write_text(text, encoding="utf-8")
    subprocess.run(["pdflatex", "-halt-on-error", "x.tex"], cwd=tmp_path, check=True, capture_output=True)


def kinds() -> list[type]:
    """Every result there is: it holds a number with its interval, or makes a frame."""
    found = []
    for room in ("results", "measures", "inference", "protocols.running"):
        home = import_module(f"proband.{room}")
        for place in walk_packages(home.__path__, f"{home.__name__}."):
            for name, kind in vars(import_module(place.name)).items():
                if name.startswith("_") or not is_dataclass(kind) or kind.__module__ != place.name:
                    continue
                names = {one.name for one in fields(kind)}
                interval = {"low", "high"} < names and names & {"value", "rate", "difference"}
                if interval or hasattr(kind, "to_frame"):
                    found.append(kind)
    return found


# An interval on its way into a result, a rate between two thresholds, and a plan, which has measured nothing.
UNDRAWN = {"IntervalFound"}


def test_every_result_can_be_drawn() -> None:
    assert {one.__name__ for one in kinds() if not issubclass(one, Shown)} == UNDRAWN


def drawn_rows(figure: Any) -> tuple[list[str], list[float], list[tuple[float, float]]]:
    axis = figure.axes[0]
    bars = [tuple(segment[:, 0]) for one in axis.collections for segment in one.get_segments()]
    values = [line.get_xdata()[0] for line in axis.lines if len(line.get_xdata()) == 1]
    return [one.get_text() for one in axis.get_yticklabels()], values, bars


def test_results_without_a_figure_of_their_own_are_rows_of_values() -> None:
    found = finding.whole()
    pair = next(iter(found["comparison"].comparisons.values())).pairs[0]
    names, values, bars = drawn_rows(pair.plot(width=COLUMN))
    assert (names, values) == ([f"{pair.first} − {pair.second}"], [pair.value])
    assert bars == [pytest.approx((pair.low, pair.high))]
    bare = pb.measures.RecognitionRate(1)(found["identification"].evaluation.entries[0].outcomes)
    assert drawn_rows(bare.plot())[:2] == (["sharp"], [bare.value])
    rate = found["verification"].verification[0].points[0].fnmr
    figure = rate.plot()
    assert drawn_rows(figure)[1:] == ([rate.value], [pytest.approx((rate.low, rate.high))])
    assert not rate.supported
    assert figure.axes[0].lines[0].get_markerfacecolor() == "white"


def test_what_has_nothing_to_draw_names_what_can_be_drawn() -> None:
    @dataclass(frozen=True)
    class Study(Shown):
        label: str
        pairs: tuple[Any, ...]

    pairs = next(iter(finding.whole()["comparison"].comparisons.values())).pairs
    with pytest.raises(pb.errors.UsageError, match="A Study cannot be plotted") as refused:
        Study("a", pairs).plot()
    assert "pairs" in str(refused.value.hint)


@pytest.mark.long
def test_composites_have_figures_of_their_own() -> None:
    found, feret = finding.whole(), finding.feret()["feret"]
    made = (
        found["verification"].hard_subjects["sharp"],
        found["strat"].effects[0],
        found["verification"].verification[0].rates,
        feret.variation[0],
        feret.sizes[0],
    )
    for one in made:
        assert one.plot()._repr_png_().startswith(b"\x89PNG"), type(one)
