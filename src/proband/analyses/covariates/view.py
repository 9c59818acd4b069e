"""Outcomes explained by covariates shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import polars as pl

from proband.analyses.covariates import charts as makers
from proband.analyses.covariates.figures import covariates_figure, covariates_figures
from proband.analyses.covariates.tables import (
    coefficients_frame,
    coefficients_table,
    differences_frame,
    differences_table,
    rates_frame,
    rates_table,
    study_statements,
    study_tables,
    tests_table,
    verdict_of,
)
from proband.inference.covariates.results import CovariateStudy
from proband.report import cells
from proband.report.methods_text import MethodsText
from proband.report.page.charts import shown
from proband.report.page.model import Badge, Block, Chart, Folded, Section, said
from proband.report.page.sections.conditions import badges_of_facts
from proband.report.scene import Scene
from proband.report.table import Table
from proband.report.view import Draw, Passage, Placed, Summary, View, shows
from proband.results.base import Facts
from proband.words import Note, Sentence, counted

_TITLES = {True: "What makes a probe fail", False: "What explains the outcomes"}
_EXPLAINED = Sentence(
    "methods.covariates",
    "note",
    "The outcome of {probes:count probe} of {people:count person/people} was explained by {formula}; rates and differences are standardised over these "
    "probes",
)
_EXPLAINED_ROWS = Sentence(
    "methods.covariates-rows",
    "note",
    "The outcome of {probes:count row} of {people:count cluster} was explained by {formula}; rates and differences are standardised over these rows",
)
_EXPLAINED_ERRORS = Sentence("methods.covariates-errors", "note", "Errors of these: {methods:parts}")
_EXPLAINED_TESTS = Sentence(
    "methods.covariates-tests",
    "note",
    "Terms were tested by Hotelling's T² with matched degrees of freedom, adjusted by Holm's method, and the fit by a score test over {units}",
)
_EXPLAINED_WALD = Sentence(
    "methods.covariates-wald",
    "note",
    "Terms were tested by Wald's statistic as F, adjusted by Holm's method, and the fit by a score test over {units}",
)


@shows(CovariateStudy)
class CovariatesView(View[CovariateStudy]):
    """Tests of terms, standardised rates and differences, and the check of fit."""

    precedence: ClassVar = {"facts": 40, "badges": 60}
    plot = staticmethod(covariates_figure)

    def tables(self, found: CovariateStudy) -> Sequence[Table]:
        """Tests, rates and differences."""
        return study_tables(found)

    def notes(self, found: CovariateStudy) -> Sequence[Note]:
        """What the numbers mean."""
        return study_statements(found)

    def passages(self, found: CovariateStudy, explain: bool) -> Iterator[Passage]:
        """What matters; with coefficients if everything is explained."""
        tables = [*study_tables(found, whole=explain), *([coefficients_table(found)] if explain else [])]
        yield Passage(tables, (), study_statements(found), [found.answers])

    def frames(self, found: CovariateStudy) -> Mapping[str, pl.DataFrame]:
        """Differences, rates and coefficients."""
        return {
            "covariates_differences": differences_frame(found),
            "covariates": rates_frame(found),
            "covariates_coefficients": coefficients_frame(found),
        }

    def figures(self, found: CovariateStudy, scene: Scene) -> Mapping[str, Draw]:
        """Differences first."""
        drawn = covariates_figures(found, scene.looks)
        first = ["differences"] if "differences" in drawn else []
        return {f"covariates_{name}": drawn[name] for name in dict.fromkeys([*first, *drawn])}

    def sections(self, found: CovariateStudy, scene: Scene) -> Iterator[Placed]:
        """Tests of terms, differences as a forest, rates, curves along numbers, and the check of fit."""
        notes = study_statements(found)
        blocks: list[Block] = [
            *said([note for note in notes if note.level == "caution"]),
            replace(tests_table(found), id="covariates-tests"),
        ]
        if found.differences:
            data = replace(differences_table(found), id="covariates-differences-data")
            blocks.append(shown(makers.differences(found), data))
        blocks.append(shown(makers.rates(found), replace(rates_table(found), id="covariates-rates-data")))
        numbers = list(dict.fromkeys(one.covariate for one in found.curves))
        blocks += [_curve(found, name, place, scene.looks) for place, name in enumerate(numbers, 1)]
        fits = [_fit(found, place) for place in range(len(found.checks))]
        blocks += [
            Folded("Does the model fit?", tuple(fits)),
            Folded("Coefficients", (replace(coefficients_table(found), id="covariates-coefficients"),)),
            Folded("What the numbers mean", tuple(said(one for one in notes if one.level != "caution"))),
        ]
        yield Placed(45, Section("covariates", _TITLES[found.unit == "person"], tuple(blocks)))

    def algorithms(self, found: CovariateStudy) -> Sequence[str]:
        """The algorithms, in order."""
        return found.algorithms

    def headline(self, found: CovariateStudy, scene: Scene) -> Summary | None:
        """Which covariates matter, and by how much."""
        head, rest = verdict_of(found)
        return Summary(head, found.answers, rest, precedence=100)

    def facts(self, found: CovariateStudy) -> Sequence[Facts]:
        """Of ranked probes."""
        return found.facts

    def badges(self, found: CovariateStudy) -> Sequence[Badge]:
        """People and rows."""
        if found.facts:
            return badges_of_facts(found.facts[0])
        rows = Badge(counted(found.n_rows, found.row))
        if found.unit == "row":
            return (rows,)
        return (Badge(counted(found.n_people, found.unit, found.units)), rows)

    def methods(self, found: CovariateStudy, text: MethodsText, scene: Scene) -> None:
        """How outcomes were explained."""
        told = {"probes": found.n_probes, "people": found.n_people, "formula": found.formula}
        text.say(
            (_EXPLAINED if found.unit == "person" else _EXPLAINED_ROWS)(**told), "givens2004", "lane1982"
        )
        text.say_methods(_EXPLAINED_ERRORS, [found.design])
        if found.covariance == "survey":
            text.say(_EXPLAINED_WALD(units=found.units), "holm1979", "horton1999")
        else:
            text.say(_EXPLAINED_TESTS(units=found.units), "pustejovsky2018", "holm1979", "horton1999")

    def metrics_of_scores(self, found: CovariateStudy) -> Mapping[str, str | None]:
        """As the probes have it."""
        return {one.algorithm: one.metric for one in found.facts}


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
