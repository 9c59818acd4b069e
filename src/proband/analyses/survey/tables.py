"""Surveys in tables and words: estimates by domain, and differences between domains."""

from __future__ import annotations

from proband.inference.survey import SurveyContrast, SurveyEstimate, SurveyEstimates
from proband.report.cells import (
    count_cell,
    digits_cell,
    ends_cell,
    fixed_cell,
    interval_cell,
    p_cell,
    rate_cell,
    text_cell,
)
from proband.report.notes import answered
from proband.report.table import Cell, Column, Table
from proband.words import Note, Sentence, level

_SAMPLE = Sentence(
    "survey.sample",
    "note",
    "{rows:count row} of {units:count unit} in {strata:count stratum/strata} stand for {size:four}; degrees of freedom: {freedom:small}",
)
_METHOD = Sentence("survey.method", "note", "Method: {method}")
_DIGITS = 6
_EFFECT = "The variance over that of a simple random sample of as many rows."


def survey_tables(found: SurveyEstimates) -> list[Table]:
    """Every estimate, and every difference if there are any."""
    tables = [estimates_table(found)]
    return [*tables, differences_table(found)] if found.differences else tables


def estimates_table(found: SurveyEstimates) -> Table:
    """A row for each number."""
    domains = tuple(dict.fromkeys(key for one in found.estimates for key in one.domain))
    effects = any(one.design_effect is not None for one in found.estimates)
    clustered = any(one.n_units < one.n_rows for one in found.estimates)
    heads = (
        *(Column(name, "name") for name in domains),
        Column("statistic", "name"),
        Column("estimate", "number"),
        Column("standard error", "number"),
        Column(f"{level(found.confidence_level)} interval", "interval"),
        *((Column("design effect", "number", _EFFECT),) if effects else ()),
        *((Column("units", "number"),) if clustered else ()),
        Column("rows", "number"),
    )
    rows = tuple(
        (
            *(text_cell(one.domain.get(name, "")) for name in domains),
            text_cell(_called(one)),
            *_numbers(one, found),
            *((fixed_cell(one.design_effect),) if effects else ()),
            *((count_cell(one.n_units),) if clustered else ()),
            count_cell(one.n_rows),
        )
        for one in found.estimates
    )
    return Table("", heads, rows)


def differences_table(found: SurveyEstimates) -> Table:
    """Every two domains, for each statistic."""
    heads = (
        Column("difference", "name"),
        Column("estimate", "number"),
        Column("standard error", "number"),
        Column(f"{level(found.confidence_level)} interval", "interval"),
        Column("p", "number"),
    )
    return Table("", heads, tuple(_difference(one) for one in found.differences))


def _difference(one: SurveyContrast) -> tuple[Cell, ...]:
    return (
        text_cell(one.name),
        digits_cell(one.value, _DIGITS),
        digits_cell(one.standard_error, 4),
        ends_cell(one.low, one.high, _DIGITS),
        p_cell(one.p_value, None),
    )


def _numbers(one: SurveyEstimate, found: SurveyEstimates) -> tuple[Cell, Cell, Cell]:
    """A share to four places, as all rates are; anything else by its digits."""
    if one.label.share:
        return (
            rate_cell(one.value),
            rate_cell(one.standard_error),
            interval_cell((one.low, one.high), found.answers),
        )
    return (
        digits_cell(one.value, _DIGITS),
        digits_cell(one.standard_error, 4),
        ends_cell(one.low, one.high, _DIGITS, found.answers),
    )


def _called(one: SurveyEstimate) -> str:
    label = one.label
    plain = label.name
    if label.statistic in ("ratio", "quantile", "function"):
        return f"{label.statistic} {plain}"
    return (
        f"share {plain}"
        if label.share and label.level is not None
        else (f"mean {plain}" if label.statistic == "mean" else plain)
    )


def survey_statements(found: SurveyEstimates) -> list[Note]:
    """Say what the numbers rest on and mean, a note each."""
    return [
        _SAMPLE(
            rows=found.n_rows,
            units=found.n_units,
            strata=found.n_strata,
            size=found.size,
            freedom=found.degrees_of_freedom,
        ),
        _METHOD(method=found.design),
        answered(found.answers),
        *found.notes,
    ]
