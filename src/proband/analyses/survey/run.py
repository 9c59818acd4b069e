"""Read tables and known totals, and compute survey estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import polars as pl

from proband.analyses.survey.request import SurveyRequest
from proband.errors import Hint, InputError, UsageError, first_few
from proband.inference.survey import Mean, Quantile, Ratio, Survey, SurveyEstimates, Total, Variance
from proband.inference.survey.known_totals import long_totals
from proband.inference.survey.statistics import Statistic
from proband.samples.reading import read_frame
from proband.study.context import Context
from proband.study.requests import Output
from proband.words import Note

_ALL = "1"  # what stands for a column of ones among totals of columns


def run(request: SurveyRequest, context: Context) -> SurveyEstimates:
    """Compute the requested estimates from the files of a request."""
    origin, output = context.origin, context.output
    notes: list[Note] = []
    files = [name for name in (request.post_stratify, *request.rake, request.calibrate) if name is not None]
    known = {name: _totals(origin.find(name)) for name in files}
    labels = {*request.units, *request.by, *(column for one in known.values() for column in _columns(one))}
    labels |= {request.strata} if request.strata is not None else set()
    table = read_frame(origin.find(request.table or ""), labels, notes=notes)
    context.note(*notes)
    survey = Survey(
        table,
        weights=request.weights,
        strata=request.strata,
        units=request.units,
        fpc=request.fpc,
        nest=request.nest,
        lonely=request.lonely,
    )
    survey = _varying(_agreeing(survey, request, known), request, output)
    if request.where is not None:
        survey = survey.within(request.where)
    return survey.estimate(
        *_statistics(request, table.columns),
        by=request.by,
        differences=request.differences,
        confidence_level=output.confidence_level,
        interval=request.interval,
        degrees_of_freedom=request.degrees_of_freedom,
        design_effect=request.design_effect,
        quantile_interval=request.quantile_interval,
        missing=request.missing,
    )


def _varying(survey: Survey, request: SurveyRequest, output: Output) -> Survey:
    """The survey with replicates, where these are asked for."""
    if request.replicate_weights:
        return survey.with_replicate_weights(
            _matching(request.replicate_weights, survey.frame.columns),
            request.replicate_kind,
            scale=request.scale,
            rscales=request.rscales or None,
            rho=request.rho,
            combined=request.combined,
            centre=request.centre,
            degrees_of_freedom=request.degrees_of_freedom,
        )
    if request.method == "taylor":
        return survey
    return survey.replicated(
        request.method,
        rho=0.5 if request.rho is None else request.rho,
        n_resamples=request.n_resamples,
        centre=request.centre,
        seed=output.seed,
    )


def _agreeing(survey: Survey, request: SurveyRequest, known: Mapping[str, pl.DataFrame]) -> Survey:
    """The survey with weights that agree with known totals: cells first, then margins, then columns."""
    if request.post_stratify is not None:
        survey = survey.poststratified(known[request.post_stratify])
    if request.rake:
        survey = survey.raked(
            [known[name] for name in request.rake], epsilon=request.epsilon, max_rounds=request.max_rounds
        )
    if request.calibrate is not None:
        long = long_totals(known[request.calibrate])
        if long is None:
            raise InputError(
                f"{Path(request.calibrate).name}: expected the columns variable, level and total; got "
                f"{first_few(known[request.calibrate].columns, 8)}.",
                "leave the level empty for a column of numbers.",
            )
        size = long.pop(_ALL, {}).get("")
        totals: dict[str, Any] = {name: own[""] if list(own) == [""] else own for name, own in long.items()}
        survey = survey.calibrated(totals, size)
    return survey


def _totals(path: Path) -> pl.DataFrame:
    """A table of totals: texts but for the last column."""
    columns = read_frame(path).columns
    return read_frame(path, set(columns[:-1]))


def _columns(known: pl.DataFrame) -> Sequence[str]:
    """The columns of the sample that totals are of, as far as they hold names."""
    long = long_totals(known)
    if long is None:
        return known.columns[:-1]
    return [name for name, own in long.items() if list(own) != [""]]


def _matching(patterns: Sequence[str], columns: Sequence[str]) -> list[str]:
    found: list[str] = []
    for pattern in patterns:
        own = [name for name in columns if name == pattern or fnmatchcase(name, pattern)]
        if not own:
            raise InputError(
                f"No column is called {pattern!r}; the table has {first_few(columns, 8)}.",
                Hint("pass the columns of replicate weights: {option:replicate_weights}"),
            )
        found += [name for name in own if name not in found]
    return found


def _statistics(request: SurveyRequest, columns: Sequence[str]) -> list[Statistic]:
    """What is asked for, in the order of the options."""
    found: list[Statistic] = [*map(Mean, request.mean), *map(Total, request.total)]
    for text in request.ratio:
        parts = _halves(text, columns)
        if parts is None:
            raise UsageError(
                f"{text!r} is not a ratio of two columns; the table has {first_few(columns, 8)}.",
                "write COLUMN/COLUMN.",
            )
        found.append(Ratio(*parts))
    found += map(Variance, request.variance)
    for text in request.quantile:
        name, mark, share = (text, "", "") if text in columns else text.rpartition("@")
        try:
            found.append(
                Quantile(name if mark else text, float(share) if mark else 0.5, request.quantile_rule)
            )
        except ValueError:
            raise UsageError(f"{text!r} is not a column and a share.", "write COLUMN@0.5.") from None
    return found


def _halves(text: str, columns: Sequence[str]) -> tuple[str, str] | None:
    """Split a text at the slash that leaves two columns; names may contain slashes."""
    places = [place for place, letter in enumerate(text) if letter == "/"]
    for place in places:
        first, second = text[:place], text[place + 1 :]
        if first in columns and second in columns:
            return first, second
    return None
