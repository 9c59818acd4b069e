"""What makes probes fail in tables and words, and probes divided by difficulty."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from proband.engine.frames import frame_of_rows
from proband.inference.covariates.difficulty import Partition
from proband.inference.covariates.results import CovariateStudy
from proband.report.cells import (
    columns,
    count_cell,
    digits_cell,
    effect_cell,
    effect_interval_cell,
    empty_cell,
    fixed_cell,
    interval_cell,
    over,
    p_cell,
    rate_cell,
    text_cell,
    unsupported,
)
from proband.report.notes import answered
from proband.report.table import Cell, Column, Table
from proband.results.compared import metrics_statement
from proband.words import Note, Sentence, counted, level

_ROWS = Sentence(
    "covariates.rows",
    "note",
    "{outcome:capital} of {probes:count probe} of {people:count person/people}, {algorithms:names}: {rate:rate} as they are",
)
_TABLE_ROWS = Sentence(
    "covariates.table-rows",
    "note",
    "{outcome:capital} of {rows:count row} of {clusters:count cluster}: {rate:rate} as they are",
)
_MATTERS = Sentence(
    "covariates.matters",
    "note",
    "{terms:names} {n:word makes/make} a difference to the {of} that chance does not explain (p {p:p} at most, for all terms together)",
)
_NOTHING_MATTERS = Sentence(
    "covariates.nothing-matters",
    "note",
    "No covariate of {formula} makes a difference to the {of} that chance would not explain",
)
_ALPHA = 0.05
_MOST = 3
_METHOD = Sentence("covariates.method", "note", "Method: {method}")
_WITH = " with its interactions"
_ALL = "all together"


def tests_table(study: CovariateStudy) -> Table:
    """Make a table of the terms: does each do anything?"""
    heads = (
        Column("term", "name"),
        Column(
            "F",
            "number",
            "Wald's statistic as F."
            if study.covariance == "survey"
            else f"Hotelling's T² over {study.units} as F.",
        ),
        Column("df", "number", "Coefficients that are tested together."),
        Column(f"df over {study.units}", "number", f"How many {study.units} it rests on, about."),
        Column("p", "number"),
        Column("adjusted p", "number", "For all terms of the model together (Holm)."),
    )
    rows = tuple(
        (
            text_cell(_ALL if one is study.overall else one.term + (_WITH if one.with_interactions else "")),
            empty_cell() if one.statistic is None else fixed_cell(one.statistic),
            count_cell(one.numerator),
            fixed_cell(one.denominator, 1),
            _marked(p_cell(one.p_value, None), one.supported),
            p_cell(one.p_adjusted, None),
        )
        for one in (*study.tests, *((study.overall,) if len(study.tests) > 1 else ()))
    )
    return Table("Does it matter?", heads, rows)


def rates_table(study: CovariateStudy) -> Table:
    """Make a table of standardised rates."""
    heads = (
        Column(f"if every {study.row} had", "name"),
        Column("where", "name", "The level of a covariate that acts on it."),
        Column(study.mean_called, "number"),
        Column(f"{level(study.confidence_level)} interval", "interval"),
        Column("observed", "number", "The mean of those that have it, as they are."),
        Column(f"{study.row}s", "number", "That have it."),
        Column(study.units if study.unit != "row" else "units", "number", "That have it."),
    )
    rows = tuple(
        (
            text_cell(f"{one.covariate} {one.level}"),
            text_cell("" if one.other is None else f"{one.other} {one.other_level}"),
            _marked(rate_cell(one.value), one.supported),
            interval_cell((one.low, one.high), study.answers),
            rate_cell(one.observed),
            count_cell(one.n_probes),
            count_cell(one.n_people),
        )
        for one in study.rates
    )
    return _without_empty(Table("Standardised rates", heads, rows), 1)


def differences_table(study: CovariateStudy) -> Table:
    """Make a table of standardised differences."""
    unit = "points" if study.in_points else ""
    heads = (
        Column("covariate", "name"),
        Column("where", "name", "The level of a covariate that acts on it; or by how much it acts."),
        Column("difference", "number", unit=unit),
        Column(f"{level(study.confidence_level)} interval", "interval", unit=unit),
        Column("df", "number", f"Degrees of freedom: how many {study.units} it rests on, about."),
        Column("p", "number"),
    )
    rows = tuple(
        (
            text_cell(f"{one.covariate} {one.level} against {one.reference}"),
            text_cell(_where(one.other, one.other_level, one.other_reference)),
            _marked(effect_cell(one.difference, study.in_points), one.supported),
            effect_interval_cell(one.low, one.high, study.in_points, study.answers),
            fixed_cell(one.degrees_of_freedom, 1),
            p_cell(one.p_value, None),
        )
        for one in study.differences
    )
    return _without_empty(Table("Differences", heads, rows), 1)


def coefficients_table(study: CovariateStudy) -> Table:
    """Make a table of the coefficients, as odds ratios or ratios of ranks where they are of logarithms."""
    ratio = ("odds ratio" if study.in_points else "ratio of ranks",) if study.outcome != "number" else ()
    heads = columns("coefficient", "value", "standard error", "df", *ratio, "interval", "p")
    rows = tuple(
        (
            text_cell(one.name),
            _marked(digits_cell(one.value, 4), one.supported),
            digits_cell(one.standard_error, 4),
            fixed_cell(one.degrees_of_freedom, 1),
            *(() if one.ratio is None else (digits_cell(one.ratio, 4),)),
            over(
                digits_cell(one.low if one.ratio_low is None else one.ratio_low, 4),
                digits_cell(one.high if one.ratio_high is None else one.ratio_high, 4),
            ),
            p_cell(one.p_value, None),
        )
        for one in study.coefficients
    )
    return Table("Coefficients", heads, rows)


def verdict_of(study: CovariateStudy) -> tuple[Note, tuple[Note, ...]]:
    """Say which covariates matter, and by how much those that do differ most."""
    of = study.answers.of
    found = [one for one in study.tests if one.p_adjusted is not None and one.p_adjusted < _ALPHA]
    if not found:
        return _NOTHING_MATTERS(formula=study.formula, of=of), ()
    terms = tuple(one.term for one in found)
    head = _MATTERS(terms=terms, n=len(terms), of=of, p=max(one.p_adjusted or 0.0 for one in found))
    own = [one for one in study.differences if one.other is None and one.covariate in terms]
    largest = sorted(own, key=lambda one: (one.p_value, -abs(one.difference)))[:_MOST]
    return head, tuple(one.sentence() for one in largest)


def study_tables(study: CovariateStudy, *, whole: bool = True) -> list[Table]:
    """The terms, the rates and the differences; `whole` with the rates of covariates that act on each other."""
    alone = tuple(one for one in study.rates if one.other is None)
    tables = [tests_table(study), rates_table(study if whole else replace(study, rates=alone))]
    return [*tables, differences_table(study)] if study.differences else tables


def study_statements(study: CovariateStudy) -> list[Note]:
    """Say what was explained, what varies, and how it fits."""
    rows = _TABLE_ROWS(
        outcome=study.answers.of, rows=study.n_probes, clusters=study.n_people, rate=study.rate
    )
    if study.unit == "person":
        rows = _ROWS(
            outcome=study.answers.of,
            probes=study.n_probes,
            people=study.n_people,
            algorithms=study.algorithms,
            rate=study.rate,
        )
    return [
        rows,
        *([metrics_statement((one.algorithm, one.metric) for one in study.facts)] if study.facts else []),
        answered(study.answers),
        _METHOD(method=study.design),
        *study.notes,
    ]


def rates_frame(study: CovariateStudy) -> pl.DataFrame:
    """Return a row for each standardised rate."""
    return frame_of_rows([one.to_dict() for one in study.rates])


def differences_frame(study: CovariateStudy) -> pl.DataFrame:
    """Return a row for each standardised difference."""
    return frame_of_rows([one.to_dict() for one in study.differences])


def coefficients_frame(study: CovariateStudy) -> pl.DataFrame:
    """Return a row for each coefficient."""
    return frame_of_rows([one.to_dict() for one in study.coefficients])


def partition_table(found: Partition) -> Table:
    """Make a table of every algorithm on every part, with what selection does."""
    part = f"{level(found.confidence_level)} interval"
    heads = (
        Column("algorithm", "name"),
        Column("part", "name"),
        Column("rate", "number", "On the part made without it."),
        Column(part, "interval"),
        Column("probes", "number"),
        Column("naive rate", "number", "On the part that it helped to make."),
        Column("selection", "number", "The naive rate less the other.", unit="points"),
        Column(f"its {part}", "interval", unit="points"),
        Column("p", "number"),
    )
    rows = tuple(
        (
            text_cell(one.algorithm),
            text_cell(one.part),
            rate_cell(one.value),
            interval_cell((one.low, one.high), found.answers),
            count_cell(one.n_probes),
            rate_cell(one.naive),
            effect_cell(one.excess),
            effect_interval_cell(one.excess_low, one.excess_high, answers=found.answers),
            p_cell(one.p_value, None),
        )
        for one in found.rates
    )
    caption = (
        f"{counted(found.n_probes, 'probe')} of {counted(found.n_people, 'person', 'people')} by difficulty"
    )
    return Table(caption, heads, rows)


def partition_statements(found: Partition) -> list[Note]:
    """Say how parts were made, and what to beware of."""
    return [*found.notes, answered(found.answers)]


def _where(other: str | None, other_level: str | None, reference: str | None) -> str:
    if other is None:
        return ""
    return f"{other} {other_level}" + ("" if reference is None else f" less {reference}")


def _marked(cell: Cell, supported: bool) -> Cell:
    return Cell(cell.text, cell.value, unsupported(supported))


def _without_empty(table: Table, place: int) -> Table:
    """The same without a column in which nothing stands."""
    if any(row[place].text for row in table.rows):
        return table
    rows = tuple(row[:place] + row[place + 1 :] for row in table.rows)
    return Table(table.caption, table.columns[:place] + table.columns[place + 1 :], rows)
