"""Estimates of a survey: values at the final weights, and a covariance linearised or from replicates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from proband.errors import DesignError, Hint, UsageError
from proband.inference.strata.estimates import NO_WIDTH, NOTHING_VARIES
from proband.inference.survey.columns import Flags, Floats, crossed, labels_of
from proband.inference.survey.intervals import Domain, DomainPart, SurveyOptions, rows_of
from proband.inference.survey.results import SurveyEstimates, SurveyRow
from proband.inference.survey.sampling import Sample
from proband.inference.survey.statistics import Bound, BoundQuantile, Statistic
from proband.results.base import Answers
from proband.words import Method, Note, Sentence, Target, count, counted

if TYPE_CHECKING:
    from proband.inference.survey.survey import Survey

_FEW = 10
_TAYLOR = Method(
    "taylor",
    "Taylor linearisation",
    "linearised variances over the units sampled within strata",
    ("wolter2007", "lumley2004"),
)
_SEVERAL = Target("survey", "estimates for the sampled population")
_UNITS = Target("survey-units", "other samples of units from the same strata of the population")
_ROWS = Target("survey-rows", "other samples of rows from the same strata of the population")
_UNITS_ALONE = Target("survey-units-without-strata", "other samples of units from this population")
_ROWS_ALONE = Target("survey-rows-without-strata", "other samples of rows from this population")
_AS_SUPPLIED = Target("survey-replicates", "other samples, as represented by the supplied replicate weights")
_FIXED = Target("survey-population", "the population, its strata and the outcome of every row")
_REPLACED = Target(
    "survey-with-replacement", "units are sampled independently within strata, and the weights are correct"
)
_FINITE = Target(
    "survey-without-replacement",
    "units are sampled randomly without replacement within strata, and the weights are correct",
)
_FEW_UNITS = Sentence(
    "survey.few-units",
    "caution",
    "{freedom:count degree} of freedom: with so few units, intervals of skewed columns and of shares near 0 "
    "or 1 have low coverage",
)
_OUTSIDE = Sentence(
    "survey.missing", "note", "{n:count row lacks/rows lack} a value and {n:word is/are} outside the domain"
)
_PAST = Sentence(
    "survey.past-limits",
    "caution",
    "the interval of a share extends beyond 0 or 1; the default (interval='auto') does not",
)
_PAST_DIFFERENCE = Sentence(
    "survey.difference-past-limits",
    "caution",
    "the interval of a difference of shares extends beyond −1 or 1: there are too few units for Student's interval",
)
_EXACT = Sentence(
    "survey.exact",
    "note",
    "estimates without a standard error are exact: all units of the population were sampled, or the totals are known",
)
_EXTREME = Sentence(
    "survey.extreme-quantile",
    "caution",
    "a quantile is below the share of the smallest value: R's rules give the second smallest value; hf1 "
    "gives the smallest",
)
_NO_END = Sentence(
    "survey.quantile-without-end",
    "caution",
    "an interval of a quantile is unbounded: the share below it may be 0 or 1",
)


def estimate_statistics(
    survey: Survey,
    statistics: Sequence[Statistic],
    by: Sequence[str],
    differences: bool,
    options: SurveyOptions,
) -> SurveyEstimates:
    """Estimate statistics in every domain, with the covariance of all."""
    sample, table, inside = Sample.of(survey), survey.frame, survey.inside
    bound = [one.bind(table, options.drop) for one in statistics]
    _require_suitable(bound, sample, options)
    domains = _domains(table, by, inside)
    parts = [DomainPart(domain, one, domain.inside & one.complete) for domain in domains for one in bound]
    _require_rows(sample, parts)
    found = [
        one.bound.values((sample.weights * one.inside)[None, :], sample.n(one.inside))[0] for one in parts
    ]
    _require_numbers(parts, found)
    values, ends = np.concatenate(found), np.cumsum([len(one) for one in found])
    replicates = None if sample.replicates is None else _replicated(sample, parts)
    covariance = _covariance(sample, parts, found, replicates)
    first = survey.stages.first
    method = _TAYLOR if sample.replicates is None else sample.replicates.method
    answers = Answers(_SEVERAL, _varying(survey), _FIXED, _REPLACED if first.populations is None else _FINITE)
    rows: list[SurveyRow] = []
    for part, stop in zip(parts, ends, strict=True):
        own = slice(stop - len(part.bound.labels), stop)
        rows += rows_of(sample, part, values[own], covariance[own, own], options, method, answers)
    _require_each_once(rows)
    for place, row in enumerate(rows):  # Woodruff's errors come with his intervals
        if row.label.statistic == "quantile" and options.quantile_interval != "replicates":
            covariance[place, :] = covariance[:, place] = np.nan
            covariance[place, place] = (row.estimate.standard_error or 0.0) ** 2
    units = np.unique(first.codes[inside & (sample.weights != 0)])
    made = SurveyEstimates(
        estimates=tuple(row.estimate for row in rows),
        labels=tuple(row.label for row in rows),
        domains=tuple(row.domain for row in rows),
        covariance=covariance,
        confidence_level=options.confidence_level,
        design=method,
        answers=answers,
        n_rows=int(inside.sum()),
        n_units=len(units),
        n_strata=len(np.unique(first.strata[units])),
        size=float(sample.weights[inside].sum()),
        degrees_of_freedom=sample.freedom(inside),
        replicates=replicates,
        notes=tuple(_notes(survey, bound, options)),
        by_shares=options.quantile_interval != "replicates",
    )
    if differences and len(domains) > 1:
        made = replace(made, differences=made.pairwise())
    return replace(made, notes=(*made.notes, *dict.fromkeys(_cautions(made, sample, parts, options))))


def _cautions(
    found: SurveyEstimates, sample: Sample, parts: Sequence[DomainPart], options: SurveyOptions
) -> Iterator[Note]:
    """What may mislead about the numbers."""
    rows, numbers = found.rows, found.estimates
    shares = {row.name for row in rows if row.label.share}
    others = [
        row
        for row in rows
        if row.estimate.standard_error and not (options.interval == "auto" and row.label.share)
    ]
    tested = any(pair.p_value is not None for pair in found.differences)
    if (others or tested) and found.degrees_of_freedom < _FEW and options.freedom is None:
        yield _FEW_UNITS(freedom=int(found.degrees_of_freedom))
    if options.interval in ("t", "normal") and any(
        row.label.share and not 0 <= row.estimate.low <= row.estimate.high <= 1 for row in rows
    ):
        yield _PAST()
    if any(
        isinstance(one.bound, BoundQuantile) and one.bound.extreme(sample.weights * one.inside)
        for one in parts
    ):
        yield _EXTREME()
    without = [number for number in numbers if number.standard_error == 0 and number.low == number.high]
    if any(not number.supported for number in without):
        yield NO_WIDTH()
    if any(number.supported for number in without):
        yield _EXACT()
    for pair in found.differences:
        yield from (note for note in pair.notes if not pair.supported)
        if {pair.first, pair.second} <= shares and not -1 <= pair.low <= pair.high <= 1 and pair.has_interval:
            yield _PAST_DIFFERENCE()
    still = [
        number.rests_on.n_units or 0
        for number in numbers
        if number.standard_error == 0 and number.low < number.high
    ]
    if still:
        yield NOTHING_VARIES(n=min(still))
    if any(
        row.label.statistic == "quantile" and not np.isfinite([row.estimate.low, row.estimate.high]).all()
        for row in rows
    ):
        yield _NO_END()


def _varying(survey: Survey) -> Target:
    if survey.units:
        return _UNITS_ALONE if survey.strata is None else _UNITS
    given = survey.replicate_weights is not None and survey.replicate_weights.supplied
    if given:
        return _AS_SUPPLIED
    return _ROWS_ALONE if survey.strata is None else _ROWS


def _domains(table: pl.DataFrame, by: Sequence[str], inside: Flags) -> list[Domain]:
    if not by:
        return [Domain((), inside)]
    labels, codes = crossed([labels_of(table, name, "by") for name in by])
    return [
        Domain(tuple(zip(by, label, strict=True)), (codes == place) & inside)
        for place, label in enumerate(labels)
        if ((codes == place) & inside).any()
    ]


def _require_rows(sample: Sample, parts: Sequence[DomainPart]) -> None:
    for one in parts:
        if not (one.inside & (sample.weights > 0)).any():
            raise DesignError(
                f"The domain {one.domain if one.domain.values else 'of all rows'} has no rows with a value "
                "and a weight.",
                "leave it out, or merge it with another domain.",
            )


def _require_numbers(parts: Sequence[DomainPart], found: Sequence[Floats]) -> None:
    for part, values in zip(parts, found, strict=True):
        for label, value in zip(part.bound.labels, values, strict=True):
            if not np.isfinite(value):
                where = f" for {part.domain}" if part.domain.values else ""
                why = f"{label.denominator!r} adds up to 0" if label.denominator else f"it is {value}"
                raise DesignError(
                    f"{label.name!r} is undefined{where}: {why}.",
                    "leave this part of the population out, or merge it with another.",
                )


def _require_each_once(rows: Sequence[SurveyRow]) -> None:
    names = [row.name for row in rows]
    if len(set(names)) < len(names):
        twice = next(one for one in names if names.count(one) > 1)
        raise UsageError(f"{twice!r} is requested twice.", "request each statistic once.")


def _require_suitable(bound: Sequence[Bound], sample: Sample, options: SurveyOptions) -> None:
    of_quantiles = any(isinstance(one, BoundQuantile) for one in bound)
    if of_quantiles and options.quantile_interval == "replicates":
        if sample.replicates is None:
            raise UsageError(
                "Replicate intervals of quantiles need replicates.",
                Hint("{give:method=brr}, or leave quantile_interval out for Woodruff's interval."),
            )
        if sample.replicates.method.key in ("jackknife", "jackknife-stratified"):
            raise DesignError(
                "The jackknife's variance is not valid for quantiles.",
                Hint("use {option:method=brr}, fay or bootstrap, or Woodruff's interval."),
            )
    if options.interval in ("logit", "asin", "beta"):
        for one in bound:
            for label, column in zip(one.labels, one.columns.T, strict=False):
                if label.statistic != "mean" or column.min() < 0 or column.max() > 1:
                    raise UsageError(
                        f"{label.name!r} is not a share, so it has no {options.interval} interval.",
                        Hint("{option:interval=t}"),
                    )


def _replicated(sample: Sample, parts: Sequence[DomainPart]) -> Floats:
    """All numbers in all replicates (replicates × numbers)."""
    made: list[Floats | None] = [sample.tallied(one.bound, one.inside) for one in parts]
    whole = [place for place, one in enumerate(made) if one is None]
    if whole:
        blocks: dict[int, list[Floats]] = {place: [] for place in whole}
        for block in sample.blocks():
            for place in whole:
                one = parts[place]
                blocks[place].append(one.bound.values(block * one.inside, sample.n(one.inside)))
        for place, values in blocks.items():
            made[place] = np.concatenate(values)
    found = np.concatenate([one for one in made if one is not None], axis=1)
    if not np.isfinite(found).all():
        lost = int((~np.isfinite(found)).any(axis=1).sum())
        raise DesignError(
            f"In {counted(lost, 'replicate')} of {count(len(found))} a statistic is not finite: a domain "
            "has no rows left.",
            Hint(
                "use {option:method=fay}, which gives every unit some weight, or {option:method=taylor}, "
                "which needs no replicates."
            ),
        )
    return found


def _covariance(
    sample: Sample, parts: Sequence[DomainPart], found: Sequence[Floats], replicates: Floats | None
) -> Floats:
    if replicates is not None:
        assert sample.replicates is not None  # they were made of these
        return sample.replicates.covariance(replicates, np.concatenate(found))
    scores = [
        part.bound.scores(sample.weights * part.inside, values)
        for part, values in zip(parts, found, strict=True)
    ]
    return sample.covariance(np.concatenate(scores, axis=1))


def _notes(survey: Survey, bound: Sequence[Bound], options: SurveyOptions) -> list[Note]:
    found = [*survey.notes]
    replicates = survey.replicate_weights
    if replicates is not None:
        found += replicates.notes
    lacking = int((~np.all([one.complete for one in bound], axis=0) & survey.inside).sum())
    if options.drop and lacking:
        found.append(_OUTSIDE(n=lacking))
    return found
