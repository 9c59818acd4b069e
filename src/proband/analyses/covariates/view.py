"""Views of covariate analyses: tests of terms, standardised rates and differences, and the check of fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import polars as pl

from proband.analyses.covariates.charts import study_charts
from proband.engine.frames import frame_of_rows
from proband.inference.covariates.results import CovariateStudy
from proband.report import columns as col
from proband.report.charts.spec import Chart
from proband.report.methods_text import MethodsText
from proband.report.notes import answered
from proband.report.page.model import Badge, Section
from proband.report.page.sections.conditions import badges_of_facts
from proband.report.scene import Scene
from proband.report.tables.cells import ends_cell
from proband.report.tables.table import Cell, Table
from proband.report.view import Passage, Placed, Summary, View, shows
from proband.results.base import Facts
from proband.results.compared import metrics_statement
from proband.results.difference import Difference
from proband.results.estimate import Estimate
from proband.results.frames import rows_of_all
from proband.results.test import Test
from proband.words import Note, Sentence, counted

_ROWS = Sentence(
    "covariates.rows",
    "note",
    "{outcome:capital} of {probes:count probe} of {people:count person/people}, {algorithms:names}: {rate:rate} as observed",
)
_TABLE_ROWS = Sentence(
    "covariates.table-rows",
    "note",
    "{outcome:capital} of {rows:count row} of {clusters:count cluster}: {rate:rate} as observed",
)
_MATTERS = Sentence(
    "covariates.matters",
    "note",
    "{terms:names} {n:word is/are} significantly associated with the {of} (p {p:p} at most, adjusted for all terms)",
)
_NOTHING_MATTERS = Sentence(
    "covariates.nothing-matters",
    "note",
    "No covariate of {formula} is significantly associated with the {of}",
)
_METHOD = Sentence("covariates.method", "note", "Method: {method}")
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
_EXPLAINED_ERRORS = Sentence("methods.covariates-errors", "note", "Standard errors: {methods:parts}")
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
_ALPHA = 0.05
_MOST = 3  # differences that belong to the headline


@shows(CovariateStudy)
class CovariatesView(View[CovariateStudy]):
    """Tests of terms, standardised rates and differences, and the check of fit."""

    precedence: ClassVar = {"facts": 40, "badges": 60}

    def tables(self, found: CovariateStudy) -> Sequence[Table]:
        return [_tests(found), _rates(found), *([_differences(found)] if found.differences else [])]

    def page_tables(self, found: CovariateStudy) -> Sequence[Table]:
        return [*self.tables(found), _coefficients(found)]

    def charts(self, found: CovariateStudy) -> Mapping[str, Sequence[Chart]]:
        return study_charts(found)

    def notes(self, found: CovariateStudy) -> Sequence[Note]:
        shown = {"outcome": found.answers.of, "rate": found.rate}
        people, metrics = found.n_people, [(one.algorithm, one.metric) for one in found.facts]
        return [
            _ROWS(**shown, probes=found.n_probes, people=people, algorithms=found.algorithms)
            if found.unit == "person"
            else _TABLE_ROWS(**shown, rows=found.n_probes, clusters=people),
            *([metrics_statement(metrics)] if metrics else []),
            answered(found.answers),
            _METHOD(method=found.design),
            *found.notes,
        ]

    def passages(self, found: CovariateStudy, explain: bool) -> Iterator[Passage]:
        """Tests and effects; with everything explained, also interactions and coefficients."""
        alone = tuple(rate for rate in found.rates if not rate.who.other_column)
        tables = self.page_tables(found) if explain else self.tables(replace(found, rates=alone))
        yield Passage(tables, (), self.notes(found), [found.answers])

    def frames(self, found: CovariateStudy) -> Mapping[str, pl.DataFrame]:
        return {
            "covariates_differences": frame_of_rows(rows_of_all(found.differences)),
            "covariates": frame_of_rows(rows_of_all(found.rates)),
            "covariates_coefficients": frame_of_rows(rows_of_all((*found.coefficients, *found.ratios))),
        }

    def sections(self, found: CovariateStudy, scene: Scene) -> Iterator[Placed]:
        title = "What makes a probe fail" if found.unit == "person" else "What explains the outcomes"
        yield Placed(45, Section("covariates", title, tuple(self.blocks(found, scene))))

    def headline(self, found: CovariateStudy, scene: Scene) -> Summary | None:
        """The significant covariates, and the largest differences."""
        of = found.answers.of
        mattering = {
            test.who.column: p for test in found.tests if (p := test.p_adjusted) is not None and p < _ALPHA
        }
        if not mattering:
            return Summary(_NOTHING_MATTERS(formula=found.formula, of=of), found.answers, precedence=100)
        head = _MATTERS(terms=tuple(mattering), n=len(mattering), of=of, p=max(mattering.values()))
        own = [
            pair for pair in found.differences if not pair.who.other_column and pair.who.column in mattering
        ]
        largest = sorted(own, key=lambda pair: (pair.p_value or 0.0, -abs(pair.value)))[:_MOST]
        return Summary(head, found.answers, tuple(pair.sentence() for pair in largest), precedence=100)

    def facts(self, found: CovariateStudy) -> Sequence[Facts]:
        return found.facts

    def badges(self, found: CovariateStudy) -> Sequence[Badge]:
        """People and rows."""
        if found.facts:
            return badges_of_facts(found.facts[0])
        people = [] if found.unit == "row" else [Badge(counted(found.n_people, found.unit, found.units))]
        return (*people, Badge(counted(found.n_rows, found.row)))

    def methods(self, found: CovariateStudy, text: MethodsText, scene: Scene) -> None:
        told = {"probes": found.n_probes, "people": found.n_people, "formula": found.formula}
        explained = _EXPLAINED if found.unit == "person" else _EXPLAINED_ROWS
        text.say(explained(**told), "givens2004", "lane1982")
        text.say_methods(_EXPLAINED_ERRORS, [found.design])
        if found.covariance == "survey":
            text.say(_EXPLAINED_WALD(units=found.units), "holm1979", "horton1999")
        else:
            text.say(_EXPLAINED_TESTS(units=found.units), "pustejovsky2018", "holm1979", "horton1999")


def _tests(study: CovariateStudy) -> Table:
    """The terms: does each do anything?"""
    wald = (
        "Wald's statistic as F."
        if study.covariance == "survey"
        else f"Hotelling's T² over {study.units} as F."
    )
    return col.table_of(
        "Tests of terms",
        (*study.tests, *((study.overall,) if len(study.tests) > 1 else ())),
        col.name("term", lambda one: "all together" if one is study.overall else _term(one)),
        col.fixed("F", lambda one: one.statistic, wald),
        col.count("df", lambda one: one.degrees_of_freedom, "Number of coefficients tested together."),
        col.fixed(
            f"df over {study.units}",
            lambda one: one.denominator_degrees_of_freedom,
            f"Approximate number of {study.units} it is based on.",
            places=1,
        ),
        col.p("p", supported=lambda one: one.supported),
        col.p("adjusted p", lambda one: one.p_adjusted, "Adjusted for all terms of the model (Holm)."),
        id="covariates-tests",
    )


def _term(test: Test) -> str:
    return " ".join([test.who.column, *map(str, test.notes)])


def _rates(study: CovariateStudy) -> Table:
    """Standardised rates."""
    return col.table_of(
        "Standardised rates",
        study.rates,
        col.name(f"if every {study.row} had", lambda one: f"{one.who.column} {one.who.group}"),
        col.name(
            "where",
            lambda one: f"{one.who.other_column} {one.who.other_group}".strip(),
            "Level of an interacting covariate.",
            when=any(rate.who.other_column for rate in study.rates),
        ),
        col.rate(study.mean_called, supported=lambda one: one.supported),
        col.interval(col.at_level(study.confidence_level), answers=study.answers),
        col.rate("observed", lambda one: study.observed_at(one.who), "Observed mean at this level."),
        col.count(f"{study.row}s", lambda one: one.rests_on.n or None, "Number with this level."),
        col.count(
            study.units if study.unit != "row" else "units",
            lambda one: one.rests_on.n_units,
            "Number with this level.",
        ),
        id="covariates-rates-table",
    )


def _differences(study: CovariateStudy) -> Table:
    """Standardised differences."""
    unit = "points" if study.in_points else ""
    return col.table_of(
        "Differences",
        study.differences,
        col.name("covariate", lambda one: f"{one.who.column} {one.first} minus {one.second}"),
        col.name(
            "where",
            _where,
            "Level of an interacting covariate, or the size of the interaction.",
            when=any(pair.who.other_column for pair in study.differences),
        ),
        col.effect(
            "difference",
            lambda one: one.value,
            unit=unit,
            in_points=study.in_points,
            supported=lambda one: one.supported,
        ),
        col.effect_interval(
            col.at_level(study.confidence_level), unit=unit, in_points=study.in_points, answers=study.answers
        ),
        col.fixed(
            "df",
            lambda one: one.degrees_of_freedom,
            f"Degrees of freedom: approximate number of {study.units} it is based on.",
            places=1,
        ),
        col.p("p"),
        id="covariates-differences-table",
    )


def _where(pair: Difference) -> str:
    who = pair.who
    less = f" minus {who.other_reference}" if who.other_reference else ""
    return f"{who.other_column} {who.other_group}{less}".strip()


def _coefficients(study: CovariateStudy) -> Table:
    """The coefficients, as odds ratios or ratios of ranks where they are of logarithms."""
    ratios = {ratio.who: ratio for ratio in study.ratios}

    def ends(coefficient: Estimate) -> Cell:
        """The ends of the interval, of the ratio where there is one."""
        shown = ratios.get(coefficient.who, coefficient)
        return ends_cell(shown.low, shown.high, 4)

    return col.table_of(
        "Coefficients",
        study.coefficients,
        col.name("coefficient", lambda one: one.who.group),
        col.digits("value", significant=4, supported=lambda one: one.supported),
        col.digits("standard error", lambda one: one.standard_error, significant=4),
        col.fixed("df", lambda one: one.degrees_of_freedom, places=1),
        col.digits(
            "odds ratio" if study.in_points else "ratio of ranks",
            lambda one: ratios[one.who].value,
            significant=4,
            when=bool(ratios),
        ),
        col.cell("interval", ends),
        col.p("p"),
        id="covariates-coefficients",
    )
