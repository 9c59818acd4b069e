"""Samples with weights: means, shares and differences of people drawn within sites, and any function of weights."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from proband.designs import BRR
from proband.inference.simulation.asking import Answered, Asking
from proband.inference.simulation.studies.trials import SOME, Bars, CoverageStudy, Trial, each
from proband.inference.simulation.table_worlds import SurveyWorld
from proband.inference.simulation.worlds import DataSet
from proband.inference.survey import Survey, estimate_weighted
from proband.words import Target, given

WITHIN_SITES = Target("new-people-within-sites", "new people at these sites")
_BARS = Bars(coverage=0.92)


def _survey(one: DataSet) -> Survey:
    return Survey(one.data, weights="weight", strata="site", units="person")


def _mean_of(survey: Survey, column: str, level: float) -> Answered:
    found = survey.mean(column, confidence_level=level)
    (mean,) = found.estimates
    return Answered(mean.value, mean.low, mean.high, found.design, found.notes)


def _share(one: DataSet, level: float, seed: int) -> Answered:
    return _mean_of(_survey(one), "hit", level)


def _mean(one: DataSet, level: float, seed: int) -> Answered:
    return _mean_of(_survey(one), "size", level)


def _replicated(one: DataSet, level: float, seed: int) -> Answered:
    return _mean_of(_survey(one).replicated("jkn"), "hit", level)


def _median(one: DataSet, level: float, seed: int) -> Answered:
    found = _survey(one).quantile("size", 0.5, confidence_level=level)
    (median,) = found.estimates
    return Answered(median.value, median.low, median.high, found.design, found.notes)


def _apart(one: DataSet, level: float, seed: int) -> Answered:
    found = _survey(one).mean("hit", by="site", differences=True, confidence_level=level)
    pair = found.differences[0]
    return Answered(pair.value, pair.low, pair.high, found.design, found.notes, pair.p_value)


def _weighed(one: DataSet, level: float, seed: int) -> Answered:
    hit = np.asarray(one.data["hit"], float)
    found = estimate_weighted(
        lambda w: (w @ hit) / w.sum(-1),
        one.data["site"],
        design=BRR(),
        weights=one.data["weight"],
        units=one.data["person"],
        confidence_level=level,
        seed=seed,
    )
    return Answered(found.value, found.low, found.high, found.method, found.notes)


def _sites(
    people: tuple[int, ...],
    rows: tuple[int, ...],
    ask: Any,
    rates: tuple[float, ...] = (0.95, 0.9, 0.8, 0.9),
    of: Literal["hit", "size", "median", "difference"] = "hit",
    bars: Bars = _BARS,
) -> Trial:
    n = len(people)
    said = f"{n} sites × {each(people[0]) if len(set(people)) == 1 else ' or '.join(map(str, people))} people × {each(rows[0] if len(rows) == 1 else rows)}"
    said += f", rates {', '.join(map(given, rates[:n]))}, icc 0.2"
    shares = (0.4, 0.3, 0.2, 0.1) if n == 4 else (0.6, 0.4)
    return Trial(said, SurveyWorld(people, rows, rates[:n], shares, of=of), ask, bars)


_SHARE, _MEAN = Asking("share", _share), Asking("mean", _mean)

STUDIES = (
    CoverageStudy(
        "survey",
        WITHIN_SITES,
        (
            _sites((15,) * 4, (3,), _SHARE),
            _sites((30,) * 4, SOME, _SHARE),
            _sites((5, 10, 20, 30), (4,), _SHARE),
            _sites((30,) * 4, (2,), _SHARE, (0.99, 0.98, 0.98, 0.95)),
            _sites((15,) * 4, (3,), _MEAN, of="size"),
            _sites((30,) * 4, SOME, _MEAN, of="size"),
            _sites((15,) * 4, (3,), Asking("share-by-jackknife", _replicated)),
            _sites((30,) * 4, (3,), Asking("median", _median), of="median"),
        ),
        (
            *("Survey.mean", "Survey.estimate", "Survey.ratio", "Survey.total", "Survey.quantile"),
            "Survey.replicated",
        ),
    ),
    CoverageStudy(
        "difference-in-a-survey",
        WITHIN_SITES,
        (
            _sites((40, 40), (3,), Asking("difference", _apart), (0.85, 0.85), "difference"),
            _sites((40, 40), SOME, Asking("difference", _apart), (0.85, 0.85), "difference"),
            _sites((60, 60), (3,), Asking("difference", _apart), (0.9, 0.75), "difference"),
        ),
        ("Survey.estimate",),
    ),
    CoverageStudy(
        "functions-of-weights",
        WITHIN_SITES,
        (_sites((16,) * 4, (3,), Asking("function", _weighed)),),
        ("estimate_weighted", "Survey.function"),
    ),
)
