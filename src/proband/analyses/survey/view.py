"""Views of survey estimates: by domain, and differences between domains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan
from typing import TypeVar

import polars as pl

from proband.engine.frames import frame_of_rows
from proband.inference.survey.results import SurveyEstimates
from proband.report import columns as col
from proband.report.charts.makers.rows import Valued, values
from proband.report.charts.scales import Unit
from proband.report.charts.spec import Chart
from proband.report.methods_text import MethodsText
from proband.report.notes import answered
from proband.report.scene import Scene
from proband.report.tables.cells import digits_cell, empty_cell, ends_cell, interval_cell, rate_cell
from proband.report.tables.table import Cell, Table
from proband.report.view import Summary, View, shows
from proband.results.difference import Difference
from proband.results.estimate import Estimate
from proband.results.frames import tidy_rows
from proband.words import Note, Sentence

Row = TypeVar("Row")

_SAMPLE = Sentence(
    "survey.sample",
    "note",
    "{rows:count row} of {units:count unit} in {strata:count stratum/strata} represent {size:four}; degrees of freedom: {freedom:small}",
)
_SAMPLE_OF_DOMAINS = Sentence(
    "survey.sample-of-domains",
    "note",
    "{rows:count row} of {units:count unit} in {strata:count stratum/strata} represent {size:four}; degrees of freedom by "
    "domain: {freedom:row} (a difference has the smaller of two)",
)
_FREEDOM = Sentence("survey.freedom", "note", "{domain} {freedom:small}")
_HEADLINE = Sentence("verdict.survey", "note", "{statistic}: {each:row}{more:also}")
_SHARE = Sentence("verdict.survey-share", "note", "{domain}{value:rate} [{low:rate}, {high:rate}]")
_NUMBER = Sentence("verdict.survey-number", "note", "{domain}{value:four} [{low:four}, {high:four}]")
_MORE = Sentence("verdict.survey-more", "note", "{n:count more estimate} below")
_METHOD = Sentence("survey.method", "note", "Method: {method}")
_SURVEY = Sentence("methods.survey", "note", "Estimates for the population sampled: {methods:parts}")
_DIGITS = 6
_TOLD = 2  # domains in the headline
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
        return [
            _sample(found),
            _METHOD(method=found.design),
            answered(found.answers),
            *found.notes,
        ]

    def headline(self, found: SurveyEstimates, scene: Scene) -> Summary | None:
        """The first statistic, in its first domains."""
        return Summary(_headline(found), found.answers, precedence=140)

    def methods(self, found: SurveyEstimates, text: MethodsText, scene: Scene) -> None:
        text.say_methods(_SURVEY, [found.design])


def _headline(found: SurveyEstimates) -> Note:
    first = found.rows[0].label
    told = [row for row in found.rows if row.label == first][:_TOLD]
    each = tuple(
        (_SHARE if first.share else _NUMBER)(
            domain=f"{row.estimate.who.category} " if row.domain else "",
            value=row.estimate.value,
            low=row.estimate.low,
            high=row.estimate.high,
        )
        for row in told
    )
    more = len(found.rows) - len(told)
    return _HEADLINE(statistic=first.called, each=each, more=(_MORE(n=more),) if more else ())


def _sample(found: SurveyEstimates) -> Note:
    """The sample and its degrees of freedom, which differ between domains that not all strata are part of."""
    sizes = {"rows": found.n_rows, "units": found.n_units, "strata": found.n_strata, "size": found.size}
    by_domain = {
        row.estimate.who.category or row.name: row.estimate.degrees_of_freedom
        for row in found.rows
        if row.estimate.degrees_of_freedom is not None
    }
    if set(by_domain.values()) <= {found.degrees_of_freedom}:
        return _SAMPLE(**sizes, freedom=found.degrees_of_freedom)
    each = tuple(_FREEDOM(domain=domain, freedom=freedom) for domain, freedom in by_domain.items())
    return _SAMPLE_OF_DOMAINS(**sizes, freedom=each)


def _estimates(found: SurveyEstimates) -> Table:
    """A row for each number: a share to four places, as all rates are, anything else by its digits."""
    domains = dict.fromkeys(key for domain in found.domains for key in domain)
    rests = [estimate.rests_on for estimate in found.estimates]
    return col.table_of(
        "",
        found.rows,
        *col.each(domains, lambda key: col.name(key, lambda row: row.domain.get(key, ""))),
        col.name("statistic", lambda row: row.label.called),
        *_numbers(found, lambda row: row.estimate, lambda row: row.label.share),
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


def _numbers(
    found: SurveyEstimates, of: Callable[[Row], Estimate | Difference], share: Callable[[Row], bool]
) -> list[col.ColumnOf[Row]]:
    """A number with its standard error and interval: of shares as rates, of anything else by digits."""

    def number(row: Row, value: float, significant: int) -> Cell:
        return rate_cell(value) if share(row) else digits_cell(value, significant)

    def error(row: Row) -> Cell:
        found = of(row).standard_error
        return empty_cell() if found is None or isnan(found) else number(row, found, 4)

    def ends(row: Row) -> Cell:
        low, high = of(row).low, of(row).high
        if isnan(low) and isnan(high):
            return empty_cell()
        return interval_cell((low, high)) if share(row) else ends_cell(low, high, _DIGITS)

    return [
        col.cell("estimate", lambda row: number(row, of(row).value, _DIGITS)),
        col.cell("standard error", error),
        col.cell(col.at_level(found.confidence_level), ends, answers=found.answers, kind="interval"),
    ]


def _differences(found: SurveyEstimates) -> Table:
    """Every two domains, for each statistic."""
    shares = {row.name for row in found.rows if row.label.share}

    def itself(pair: Difference) -> Difference:
        return pair

    def share(pair: Difference) -> bool:
        return pair.first in shares

    return col.table_of(
        "",
        found.differences,
        col.name("difference", lambda pair: f"{pair.first} − {pair.second}"),
        *_numbers(found, itself, share),
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
