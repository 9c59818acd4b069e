"""Charts of covariate effects: standardised rates and differences, curves along numeric covariates, and model fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from proband.inference.covariates.results import CovariateStudy, FitCheck
from proband.report.charts.makers.curves import MOST_BANDS, curves_along
from proband.report.charts.makers.rows import Valued, difference_label, values
from proband.report.charts.scales import Unit
from proband.report.charts.spec import Chart, Series, listed, some
from proband.results.difference import Difference
from proband.words import counted, level, p_value


def study_charts(study: CovariateStudy) -> Mapping[str, Sequence[Chart]]:
    """Differences, rates, curves along numeric covariates, and the check of fit."""
    numbers = dict.fromkeys(band.along for band in study.curves)
    made = {
        "differences": [_differences(study)] if study.differences else [],
        "rates": [_rates(study)],
        "curves": [_along(study, name, f"covariates-curve-{place}") for place, name in enumerate(numbers, 1)],
        "fit": [fit_check(study, one, f"covariates-fit-{place}") for place, one in enumerate(study.checks)],
    }
    return {f"covariates_{name}": charts for name, charts in made.items() if charts}


def _rates(study: CovariateStudy) -> Chart:
    """The standardised rates, a row for each level."""
    return values(
        [
            Valued(f"{rate.who.column} {rate.who.group}", rate.value, rate.low, rate.high, rate.supported)
            for rate in study.rates
            if not rate.who.other_column
        ],
        str(study.answers.of),
        "rate" if study.in_points else "number",
        study.confidence_level,
        id="covariates-rates",
        title=f"{'Rates' if study.in_points else 'Means'} if every {study.row} were so",
        reference=study.rate,
        notes=_about(study, "Line: the observed mean."),
        answers=study.answers,
        see=f"Each row: the expected value if every {study.row} had this level and all else were as observed.",
    )


def _differences(study: CovariateStudy) -> Chart:
    """The differences as a forest around zero."""
    shown = some([pair for pair in study.differences if not pair.who.other_reference], "differences")
    references = dict.fromkeys(f"{pair.who.column} {pair.second}" for pair in study.differences)
    against = f"Against: {listed(list(references))}"
    return values(
        [Valued(_short(pair), pair.value, pair.low, pair.high, pair.supported) for pair in shown],
        difference_label(study.in_points),
        "points" if study.in_points else "number",
        study.confidence_level,
        id="covariates-differences",
        title="Effect of each covariate",
        beside=[f"p {p_value(pair.p_value)}" for pair in shown if pair.p_value is not None],
        reference=0.0,
        notes=_about(
            study,
            f"Neither intervals nor p-values are adjusted for the number of differences. {against}. Interactions are in "
            "the table.",
        ),
        answers=study.answers,
        above=against,
        see="Bars that do not reach zero are significant differences, unadjusted.",
    )


def _short(difference: Difference) -> str:
    """What is compared, without what it is compared with: ``probe.glasses on, pca``."""
    who = difference.who
    value = "" if who.number is not None else f" {difference.first}"
    # Names of algorithms speak for themselves.
    named = "" if who.other_column == "algorithm" else f"{who.other_column} "
    within = f", {named}{who.other_group}" if who.other_column else ""
    less = f" minus {who.other_reference}" if who.other_reference else ""
    return f"{who.column}{value}{within}{less}"


def _about(study: CovariateStudy, said: str) -> tuple[str, ...]:
    hollow = "" if all(one.supported for one in study.rates) else f" Hollow: too few {study.units}."
    return (f"Bars: {level(study.confidence_level)} intervals over {study.units}. {said}{hollow}",)


def _along(study: CovariateStudy, covariate: str, id: str) -> Chart:
    """The standardised rate along a number, a curve for each level of what acts on it."""
    own = [band for band in study.curves if band.along == covariate]
    series = [
        Series(band.who.other_group or "all", place, band.points, band.values, band.low, band.high)
        for place, band in enumerate(own)
    ]
    part, banded = level(study.confidence_level), len(series) <= MOST_BANDS
    bands = f"Bands: {part} at each value. Drawn from the lowest 5% of {study.row}s to the highest."
    return curves_along(
        series,
        covariate,
        "standardised rate" if study.in_points else study.mean_called,
        "rate" if study.in_points else "number",
        id=id,
        title=f"Along {covariate}",
        notes=(bands,) if banded else (),
        answers=study.answers,
        above=f"if every {study.row} had this value{f'; shaded {part}' if banded else ''}",
        see=f"Expected value if every {study.row} had this value and all else were as observed.",
    )


def fit_check(study: CovariateStudy, check: FitCheck, id: str = "covariates-fit") -> Chart:
    """Chart observed against expected outcomes by groups of expected values, or residuals along a numeric covariate."""
    base = np.zeros_like(check.expected) if check.by is None else check.expected
    band = check.observed
    low, high = (np.nan_to_num(end - base) for end in (band.low, band.high))
    observed = Series("observed", 0, band.points, band.values - base, low, high)
    unit: Unit = "rate" if study.in_points else "number"
    groups = counted(len(check.n), "group")
    tested = "" if check.test is None or check.test.p_value is None else f"p {p_value(check.test.p_value)}"
    title = "Check of fit" if check.by is None else f"Residuals along {check.by}"
    return curves_along(
        [observed, Series("expected", 1, band.points, check.expected - base)],
        check.by or "expected",
        "observed" if check.by is None else "observed minus expected",
        unit if check.by is None or not study.in_points else "points",
        id=id,
        title=title,
        said=f"{title}: {groups}, {tested or 'no test'}.",
        x_unit=unit if check.by is None else "number",
        notes=(f"Bands: {level(study.confidence_level)} intervals over {study.units} at each group.",),
        answers=study.answers,
        above="; ".join(filter(None, (groups, tested))),
        see="If the model fits, observed values follow expected values up to chance.",
    )
