"""Charts of what makes probes fail: standardised rates and differences, curves along numbers, and how the model fits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proband.inference.covariates.difficulty import Partition
from proband.inference.covariates.results import CovariateStudy, FitCheck, StandardizedCurve
from proband.report.charts.makers.rows import around, difference_label, rows_chart
from proband.report.charts.scales import Unit, rounded_out
from proband.report.charts.spec import Axis, Chart, Curves, Mark, Rows, Series, listed, some
from proband.words import counted, effect, effect_interval, fixed, interval, level, p_value

MOST_CURVES = 6


def rates(study: CovariateStudy, id: str = "covariates-rates") -> Chart:
    """Chart the standardised rates, a row for each level; levels of another covariate that acts on it stand below one another."""
    alone = [one for one in study.rates if one.other is None]
    labels = [f"{one.covariate} {one.level}" for one in alone]
    marks = tuple(Mark(row, 0, one.value, one.low, one.high, one.supported) for row, one in enumerate(alone))
    told = [
        f"{label} {fixed(one.value)} {interval(one.low, one.high)}"
        for label, one in zip(labels, alone, strict=True)
    ]
    unit: Unit = "rate" if study.in_points else "number"
    of = str(study.answers.of)
    return rows_chart(
        id,
        f"{'Rates' if study.in_points else 'Means'} if every {study.row} were so",
        f"{of}: {listed(told)}.",
        Rows(tuple(labels), (of,), marks, reference=study.rate),
        [around(marks, unit, of, [study.rate])],
        notes=_hollow(study, "The line: the mean of all as they are."),
        answers=study.answers,
        confidence_level=study.confidence_level,
        see=f"Each row: what would be expected if every {study.row} had this value, and all else were as it is.",
    )


def differences(study: CovariateStudy, id: str = "covariates-differences") -> Chart:
    """Chart the differences as a forest around zero."""
    found = some([one for one in study.differences if one.other_reference is None], "differences")
    marks = tuple(
        Mark(row, 0, one.difference, one.low, one.high, one.supported) for row, one in enumerate(found)
    )
    told = [
        f"{one.setting}: {effect(one.difference, study.in_points)} {effect_interval(one.low, one.high, study.in_points)}"
        for one in found
    ]
    tests = tuple(f"p {p_value(one.p_value)}" for one in found)
    unit: Unit = "points" if study.in_points else "number"
    return rows_chart(
        id,
        "What each covariate does",
        f"{listed(told)}.",
        Rows(tuple(one.short for one in found), ("difference",), marks, tests, reference=0.0),
        [around(marks, unit, difference_label(study.in_points), [0.0])],
        notes=_hollow(
            study,
            "Neither intervals nor p-values are adjusted for the number of differences. "
            f"{compared_with(study)}. How much one acts on another: the table.",
        ),
        answers=study.answers,
        confidence_level=study.confidence_level,
        see="Bars that do not reach zero: a difference that chance does not explain, each by itself.",
    )


def compared_with(study: CovariateStudy) -> str:
    """What the levels of every covariate are compared with."""
    references = dict.fromkeys(f"{one.covariate} {one.reference}" for one in study.differences)
    return f"Against: {listed(list(references))}"


def _hollow(study: CovariateStudy, said: str) -> tuple[str, ...]:
    few = any(not one.supported for one in study.rates)
    hollow = (f" Hollow: too few {study.units} are behind it.",) if few else ()
    return (f"Bars: {level(study.confidence_level)} intervals over {study.units}. {said}" + "".join(hollow),)


def along(study: CovariateStudy, covariate: str, id: str = "covariates-curve") -> Chart:
    """Chart the standardised rate along a number, a curve for each level of what acts on it."""
    curves = [one for one in study.curves if one.covariate == covariate]
    series = tuple(
        Series(
            "all" if one.other_level is None else one.other_level,
            place,
            one.numbers,
            one.values,
            one.low,
            one.high,
        )
        for place, one in enumerate(some(curves))
    )
    ends = [
        end for one in curves for end in (one.low.min(), one.high.max(), one.values.min(), one.values.max())
    ]
    low, high = rounded_out(min(ends), max(ends))
    if study.in_points:
        low, high = max(low, 0.0), min(high, 1.0)
    first = curves[0].numbers
    unit: Unit = "rate" if study.in_points else "number"
    told = [_ends(one) for one in curves]
    part = level(study.confidence_level)
    banded = len(series) <= MOST_CURVES
    return Chart(
        id,
        f"Along {covariate}",
        f"{study.answers.of} along {covariate}: {listed(told)}.",
        ((Axis(covariate, "linear", float(first[0]), float(first[-1]), "number"), Axis(_short(study), "linear", low, high, unit)),),
        Curves(series, banded, step=False),
        tuple(one.name for one in series),
        (f"Bands: {part} at each value. Drawn from the lowest 5% of {study.row}s to the highest.",) if banded else (),
        study.answers,
        f"if every {study.row} had this value{f'; shaded {part}' if banded else ''}",
        see=f"What would be expected if every {study.row} had this value, and all else were as it is.",
    )  # fmt: skip


def _ends(one: StandardizedCurve) -> str:
    name = "" if one.other_level is None else f"{one.other_level} "
    return f"{name}{fixed(float(one.values[0]))} to {fixed(float(one.values[-1]))}"


def _short(study: CovariateStudy) -> str:
    return "standardised rate" if study.in_points else study.mean_called


def fit_check(study: CovariateStudy, one: FitCheck, id: str = "covariates-fit") -> Chart:
    """Chart observed against expected outcomes, by groups of what is expected; or what is left over along a number."""
    base = np.zeros_like(one.expected) if one.by is None else one.expected
    observed = Series(
        "observed",
        0,
        one.centers,
        one.observed - base,
        np.nan_to_num(one.low - base),
        np.nan_to_num(one.high - base),
    )
    line = Series("expected", 1, one.centers, one.expected - base)
    ends = np.concatenate([observed.ys, observed.low, observed.high, line.ys])
    low, high = rounded_out(float(ends.min()), float(ends.max()))
    x_low, x_high = rounded_out(float(one.centers.min()), float(one.centers.max()))
    unit: Unit = "rate" if study.in_points else "number"
    along: Unit = unit if one.by is None else "number"
    x = Axis("expected" if one.by is None else one.by, "linear", x_low, x_high, along)
    left = "observed" if one.by is None else "observed less expected"
    tested = "" if one.p_value is None else f"p {p_value(one.p_value)}"
    title = "Check of fit" if one.by is None else f"Residuals along {one.by}"
    return Chart(
        id,
        title,
        f"{title}: {counted(len(one.n), 'group')}, {tested or 'no test'}.",
        ((x, Axis(left, "linear", low, high, unit if one.by is None or not study.in_points else "points")),),
        Curves((observed, line), True, step=False),
        ("observed", "expected"),
        (f"Bands: {level(study.confidence_level)} intervals over {study.units} at each group.",),
        study.answers,
        "; ".join(filter(None, (counted(len(one.n), "group"), tested))),
        see="Where the model fits, the observed follow the expected as far as chance allows.",
    )


def parts(found: Partition, id: str = "partition-rates") -> Chart:
    """Chart the rates of every algorithm on every part made without it."""
    names = found.algorithms
    marks = [
        Mark(found.parts.index(one.part), names.index(one.algorithm), one.value, one.low, one.high)
        for one in found.rates
    ]
    told = [
        f"{one.algorithm}, {one.part}: {fixed(one.value)}, naive {fixed(one.naive)}" for one in found.rates
    ]
    return rows_chart(
        id,
        "Rates by difficulty",
        f"{listed(told)}.",
        Rows(found.parts, names, tuple(marks)),
        [around(marks, "rate", str(found.answers.of))],
        names=names if len(names) > 1 else (),
        notes=(
            f"Bars: {level(found.confidence_level)} intervals over people, on parts made without the algorithm.",
        ),
        answers=found.answers,
        confidence_level=found.confidence_level,
        see="The parts hold equally many probes, the easiest above.",
    )


def selection(found: Partition, id: str = "partition-selection") -> Chart:
    """Chart what selection does: the naive rate of each algorithm and part less that on parts made without it."""
    labels: Sequence[str] = [f"{one.algorithm}, {one.part}" for one in found.rates]
    marks = tuple(
        Mark(row, 0, one.excess, one.excess_low, one.excess_high) for row, one in enumerate(found.rates)
    )
    return rows_chart(
        id,
        "What selection does",
        f"{listed([f'{label} {effect(one.excess)}' for label, one in zip(labels, found.rates, strict=True)])}.",
        Rows(tuple(labels), ("difference",), marks, reference=0.0),
        [around(marks, "points", difference_label(True), [0.0])],
        notes=("The naive rate less that on parts made without the algorithm.",),
        answers=found.answers,
        confidence_level=found.confidence_level,
        see="To the left of zero: the algorithm looks worse there only because its own mistakes made the part.",
    )
