"""What makes probes fail, and probes divided by difficulty, on the page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from proband.inference.covariates.results import CovariateStudy
from proband.report import cells
from proband.report.analyses.covariates import (
    coefficients_table,
    differences_table,
    partition_statements,
    partition_table,
    rates_table,
    study_statements,
    tests_table,
)
from proband.report.charts.makers import covariates as makers
from proband.report.leading import looks
from proband.report.page.charts import shown
from proband.report.page.model import Block, Chart, Folded, Section, said
from proband.report.page.registry import section
from proband.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from proband.study.findings import Findings

_TITLES = {True: "What makes a probe fail", False: "What explains the outcomes"}


@section("covariates", 45)
def covariates_section(found: Findings) -> Section | None:
    """Tests of terms, differences as a forest, rates, curves along numbers, and the check of fit."""
    study = found.covariates
    if study is None:
        return None
    places = looks(found)
    blocks: list[Block] = [
        *said([note for note in study_statements(study) if note.level == "caution"]),
        replace(tests_table(study), id="covariates-tests"),
    ]
    if study.differences:
        data = replace(differences_table(study), id="covariates-differences-data")
        blocks.append(shown(makers.differences(study), data))
    blocks.append(shown(makers.rates(study), replace(rates_table(study), id="covariates-rates-data")))
    numbers = list(dict.fromkeys(one.covariate for one in study.curves))
    blocks += [_curve(study, name, place, places) for place, name in enumerate(numbers, 1)]
    fits = [_fit(study, place) for place in range(len(study.checks))]
    blocks += [
        Folded("Does the model fit?", tuple(fits)),
        Folded("Coefficients", (replace(coefficients_table(study), id="covariates-coefficients"),)),
        Folded(
            "What the numbers mean",
            tuple(said(note for note in study_statements(study) if note.level != "caution")),
        ),
    ]
    return Section("covariates", _TITLES[study.unit == "person"], tuple(blocks))


def _curve(study: CovariateStudy, name: str, place: int, places: Mapping[str, int]) -> Chart:
    name_of = f"covariates-curve-{place}"
    rows = [
        (
            cells.text_cell("all" if one.other_level is None else one.other_level),
            cells.digits_cell(float(one.numbers[at]), 4),
            cells.rate_cell(float(one.values[at])),
            cells.interval_cell((float(one.low[at]), float(one.high[at])), study.answers),
        )
        for one in study.curves
        if one.covariate == name
        for at in range(len(one.numbers))
    ]
    heads = cells.columns("of", name, study.mean_called, "interval")
    return shown(
        makers.along(study, name, name_of),
        cells.table(f"{name_of}-data", f"Along {name}", heads, rows),
        places,
    )


def _fit(study: CovariateStudy, place: int) -> Chart:
    one, name_of = study.checks[place], f"covariates-fit-{place}"
    rows = [
        (
            cells.digits_cell(float(one.centers[at]), 4),
            cells.rate_cell(float(one.expected[at])),
            cells.rate_cell(float(one.observed[at])),
            cells.interval_cell((float(one.low[at]), float(one.high[at]))),
            cells.count_cell(one.n[at]),
        )
        for at in range(len(one.n))
    ]
    called = "fitted value" if one.by is None else one.by
    heads = cells.columns(called, "expected", "observed", "interval", "rows", text=0)
    data: Table = cells.table(f"{name_of}-data", f"By {called}", heads, rows)
    return shown(makers.fit_check(study, one, name_of), data)


@section("partition", 46)
def partition_section(found: Findings) -> Section | None:
    """Rates by difficulty on parts made without the algorithm, and what selection does."""
    divided = found.partition
    if divided is None:
        return None
    table = partition_table(divided)
    blocks: list[Block] = [
        *said([note for note in partition_statements(divided) if note.level == "caution"]),
        shown(makers.parts(divided), replace(table, id="partition-data"), looks(found)),
        shown(makers.selection(divided), replace(table, id="partition-selection-data")),
        Folded(
            "How the parts were made",
            tuple(said(note for note in partition_statements(divided) if note.level != "caution")),
        ),
    ]
    return Section("partition", "Difficulty", tuple(blocks))
