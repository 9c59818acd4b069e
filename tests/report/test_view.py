"""A whole view on one screen: what is declared is in the terminal, the files, the figure and the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl
import pytest
from tests.report.page import finding

from proband.errors import UsageError
from proband.report import columns as col
from proband.report.charts.data import data_of
from proband.report.charts.makers.rows import Valued, values
from proband.report.charts.spec import Chart
from proband.report.page.model import ChartBlock as PageChart, Folded, Paragraph
from proband.report.page.registry import sections_of
from proband.report.scene import Scene
from proband.report.tables.table import Ends, Table
from proband.report.view import View, shows, view_of
from proband.report.writer import figures_of, frames_of
from proband.results.base import Answers, Result
from proband.study.findings import Findings
from proband.words import Note, Sentence, Target

ANSWERS = Answers(
    *(Target(one, one) for one in ("mean grade", "other pupils", "the school", "pupils are alike"))
)
WHY = Sentence("toy.why", "note", "Grades are from 0 to 1")
FEW = Sentence("toy.few", "caution", "only {n:count pupil} took part")


@dataclass(frozen=True)
class Grade:
    pupil: str
    value: float
    low: float | None
    high: float | None
    n: int

    @property
    def supported(self) -> bool:
        return self.n >= 30


@dataclass(frozen=True)
class Grades(Result):
    grades: tuple[Grade, ...]
    answers: Answers
    confidence_level: float = 0.95

    def _frame(self, wide: bool) -> pl.DataFrame:
        return pl.DataFrame([{"pupil": one.pupil, "value": one.value} for one in self.grades])


@shows(Grades)
class GradesView(View[Grades]):
    """Grades of pupils."""

    section = ("grades", "Grades", 3)
    meaning = "What the grades mean"

    def tables(self, found: Grades) -> Sequence[Table]:
        return [
            col.table_of(
                "",
                found.grades,
                col.name("pupil", lambda one: one.pupil),
                col.rate("grade", supported=lambda one: one.supported),
                col.interval(col.at_level(found.confidence_level), answers=found.answers),
                col.count("tests", lambda one: one.n, "That were taken."),
                col.text("remark", lambda one: "", when=False),
                id="grades-table",
                on_page="Grades of pupils",
            )
        ]

    def charts(self, found: Grades) -> Mapping[str, Sequence[Chart]]:
        rows = [Valued(one.pupil, one.value, one.low, one.high, one.supported) for one in found.grades]
        return {
            "grades": [
                values(rows, "grade", "rate", found.confidence_level, id="grades-chart", title="Grades")
            ]
        }

    def notes(self, found: Grades) -> Sequence[Note]:
        return [WHY(), FEW(n=len(found.grades))]


GRADES = Grades((Grade("ann", 0.8, 0.7, 0.9, 40), Grade("bob", 0.5, None, None, 12)), ANSWERS)


def test_columns_are_written_by_their_role() -> None:
    (table,) = view_of(GRADES).tables(GRADES)
    assert [one.title for one in table.columns] == ["pupil", "grade", "95% interval", "tests"]
    assert [one.kind for one in table.columns] == ["name", "number", "interval", "number"]
    first, second = table.rows
    assert [cell.text for cell in first] == ["ann", "0.8000", "[0.7000, 0.9000]", "40"]
    assert (first[2].value, first[2].answers) == (Ends(0.7, 0.9), ANSWERS)
    assert (second[1].raised, second[2].text, second[2].value) == ("*", "–", None)


def test_an_estimate_has_its_interval_below_it() -> None:
    table = col.table_of(
        "", [GRADES.grades[0]], col.estimate("grade", lambda one: (one.value, col.ends(one)), answers=ANSWERS)
    )
    ((cell,),) = table.rows
    assert cell.below is not None
    assert (cell.text, cell.answers, cell.below.text, cell.below.answers) == (
        "0.8000",
        None,
        "[0.7000, 0.9000]",
        ANSWERS,
    )


def test_a_part_that_a_row_lacks_leaves_its_columns_empty() -> None:
    rows = [("ann", GRADES.grades[0]), ("cid", None)]
    inside = col.inside(lambda row: row[1], col.rate("grade"), col.threshold("pass", lambda one: None))
    table = col.table_of("", rows, col.name("pupil", lambda row: row[0]), *inside)
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["ann", "0.8000", "none"],
        ["cid", "–", "–"],
    ]


def test_the_page_lays_it_out() -> None:
    scene = Scene(Findings("School", finding.PROVENANCE, {"grades": GRADES}))
    (section,) = (one for one in sections_of(scene) if one.id == "grades")
    chart, table, caution, meaning = section.blocks
    assert isinstance(chart, PageChart)
    assert isinstance(table, Table)
    assert table.caption == "Grades of pupils"
    assert caution == Paragraph("Only 2 pupils took part.")
    assert meaning == Folded("What the grades mean", (Paragraph("Grades are from 0 to 1."),))
    assert list(frames_of(scene)) == list(figures_of(scene)) == ["grades"]
    assert figures_of(scene)["grades"]().axes[0].get_xlabel() == "grade"


def test_it_is_drawn_by_name_or_as_it_is() -> None:
    assert [one.get_text() for one in GRADES.plot().axes[0].get_yticklabels()] == ["ann", "bob"]
    with pytest.raises(UsageError, match="no figure 'ranks'"):
        GRADES.plot(which="ranks")


def test_the_numbers_of_a_chart_are_a_table() -> None:
    ((chart,),) = view_of(GRADES).charts(GRADES).values()
    table = data_of(chart)
    assert [[cell.text + cell.raised for cell in row] for row in table.rows] == [
        ["ann", "0.8000", "[0.7000, 0.9000]"],
        ["bob", "0.5000*", "–"],
    ]
    assert table.notes
