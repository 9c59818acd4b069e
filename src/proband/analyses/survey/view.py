"""Views of survey estimates: by domain, and differences between domains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from proband.engine.frames import frame_of_rows
from proband.inference.survey.results import SurveyEstimates, SurveyRow
from proband.report import columns as col
from proband.report.charts.makers.rows import Valued, values
from proband.report.charts.scales import Unit
from proband.report.charts.spec import Chart
from proband.report.methods_text import MethodsText
from proband.report.notes import answered
from proband.report.scene import Scene
from proband.report.tables.cells import digits_cell, ends_cell, interval_cell, rate_cell
from proband.report.tables.table import Cell, Table
from proband.report.view import View, shows
from proband.results.frames import tidy_rows
from proband.words import Note, Sentence

_SAMPLE = Sentence(
    "survey.sample",
    "note",
    "{rows:count row} of {units:count unit} in {strata:count stratum/strata} represent {size:four}; degrees of freedom: {freedom:small}",
)
_METHOD = Sentence("survey.method", "note", "Method: {method}")
_SURVEY = Sentence("methods.survey", "note", "Estimates for the population sampled: {methods:parts}")
_DIGITS = 6
_EFFECT = "Variance relative to a simple random sample of the same size."


@shows(SurveyEstimates)
class SurveyView(View[SurveyEstimates]):
    """Every estimate, and every difference if there are any."""

    section = ("survey", "Survey", 14)
    meaning = "Notes on the estimates"

    def tables(self, found: SurveyEstimates) -> Sequence[Table]:
        return [_estimates(found), *([_differences(found)] if found.differences else [])]

    def frames(self, found: SurveyEstimates) -> Mapping[str, pl.DataFrame]:
        """Every estimate, and every difference if there are any."""
        made = {"survey": found.to_frame()}
        if found.differences:
            made["survey_differences"] = frame_of_rows(
                [row for difference in found.differences for row in tidy_rows(difference)]
            )
        return made

    def charts(self, found: SurveyEstimates) -> Mapping[str, Sequence[Chart]]:
        return {"survey": list(_charts(found))}

    def notes(self, found: SurveyEstimates) -> Sequence[Note]:
        sizes = {"rows": found.n_rows, "units": found.n_units, "strata": found.n_strata, "size": found.size}
        return [
            _SAMPLE(**sizes, freedom=found.degrees_of_freedom),
            _METHOD(method=found.design),
            answered(found.answers),
            *found.notes,
        ]

    def methods(self, found: SurveyEstimates, text: MethodsText, scene: Scene) -> None:
        text.say_methods(_SURVEY, [found.design])


def _estimates(found: SurveyEstimates) -> Table:
    """A row for each number: a share to four places, as all rates are, anything else by its digits."""
    domains = dict.fromkeys(key for domain in found.domains for key in domain)
    rests = [estimate.rests_on for estimate in found.estimates]
    return col.table_of(
        "",
        found.rows,
        *col.each(domains, lambda key: col.name(key, lambda row: row.domain.get(key, ""))),
        col.name("statistic", lambda row: row.label.called),
        col.cell("estimate", lambda row: _number(row, row.estimate.value, _DIGITS)),
        col.cell("standard error", lambda row: _number(row, row.estimate.standard_error or 0.0, 4)),
        col.cell(col.at_level(found.confidence_level), _interval, answers=found.answers, kind="interval"),
        col.fixed(
            "design effect",
            lambda row: row.estimate.rests_on.design_effect,
            _EFFECT,
            when=any(rest.design_effect is not None for rest in rests),
        ),
        col.count(
            "units",
            lambda row: row.estimate.rests_on.n_units,
            when=any((rest.n_units or 0) < rest.n for rest in rests),
        ),
        col.count("rows", lambda row: row.estimate.rests_on.n),
        id="survey-estimates",
        on_page="Estimates for the population",
    )


def _number(row: SurveyRow, number: float, significant: int) -> Cell:
    return rate_cell(number) if row.label.share else digits_cell(number, significant)


def _interval(row: SurveyRow) -> Cell:
    ends = row.estimate.low, row.estimate.high
    return interval_cell(ends) if row.label.share else ends_cell(*ends, _DIGITS)


def _differences(found: SurveyEstimates) -> Table:
    """Every two domains, for each statistic."""
    return col.table_of(
        "",
        found.differences,
        col.name("difference", lambda pair: f"{pair.first} − {pair.second}"),
        col.digits("estimate", significant=_DIGITS),
        col.digits("standard error", lambda one: one.standard_error, significant=4),
        col.digits_interval(col.at_level(found.confidence_level), significant=_DIGITS),
        col.p("p"),
        id="survey-differences",
        on_page="Differences between domains",
    )


def _charts(found: SurveyEstimates) -> Iterator[Chart]:
    """The estimates with their intervals: a chart for each statistic, a row for each domain."""
    for place, name in enumerate(dict.fromkeys(label.called for label in found.labels), 1):
        own = [row for row in found.rows if row.label.called == name]
        rows = [
            Valued(", ".join(domain.values()) or name, estimate.value, estimate.low, estimate.high)
            for _, domain, estimate in own
        ]
        unit: Unit = "rate" if own[0].label.share else "number"
        yield values(
            rows,
            name,
            unit,
            found.confidence_level,
            id=f"survey-chart-{place}",
            title=name,
            answers=found.answers,
        )
