"""Printed figures of what makes probes fail, and of probes divided by difficulty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband.analyses.covariates.charts import (
    along,
    compared_with,
    differences,
    fit_check,
    parts,
    rates,
    selection,
)
from proband.errors import UsageError
from proband.inference.covariates.difficulty import Partition
from proband.inference.covariates.results import CovariateStudy
from proband.report.charts.mpl import figure
from proband.report.charts.spec import in_places
from proband.report.figures.identification import curves_figure, values_figure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.figure import Figure

_WIDE = 7.16
_PANEL = 3.4
_LINE = 0.13  # inches


def covariates_figure(
    study: CovariateStudy, which: str = "differences", places: Mapping[str, int] | None = None
) -> Figure:
    """Draw one figure: ``rates``, ``differences``, ``curves`` along numbers, or the check of ``fit``."""
    return _one(covariates_figures(study, places), which)


def partition_figure(
    found: Partition, which: str = "rates", places: Mapping[str, int] | None = None
) -> Figure:
    """Draw one figure: ``rates`` by difficulty, or what ``selection`` does."""
    return _one(partition_figures(found, places), which)


def covariates_figures(
    study: CovariateStudy, places: Mapping[str, int] | None = None
) -> dict[str, Callable[[], Figure]]:
    """What draws the rates, the differences, curves along numbers and the check of fit."""
    made: dict[str, Callable[[], Figure]] = {"rates": lambda: values_figure(rates(study), _WIDE)}
    if study.differences:
        made["differences"] = lambda: values_figure(differences(study), _WIDE, compared_with(study))
    numbers = list(dict.fromkeys(one.covariate for one in study.curves))
    if numbers:
        made["curves"] = lambda: curves_figure(
            [in_places(along(study, one), places or {}) for one in numbers], inside=False
        )
    made["fit"] = lambda: _fit(study)
    return made


def _fit(study: CovariateStudy) -> Figure:
    fits = [fit_check(study, one) for one in study.checks]
    columns = min(len(fits), 3)
    size = (max(5.4, 3.6 * columns), _PANEL * -(-len(fits) // columns) + 0.3)
    return figure(fits, size, columns=columns, shared=False)


def partition_figures(
    found: Partition, places: Mapping[str, int] | None = None
) -> dict[str, Callable[[], Figure]]:
    """What draws the rates by difficulty, and what selection does."""
    height = 1.4 + _LINE * len(found.rates) + 0.1 * len(found.parts)
    return {
        "rates": lambda: figure([in_places(parts(found), places or {})], (_WIDE, height), headed=False),
        "selection": lambda: values_figure(selection(found), _WIDE),
    }


def _one(figures: Mapping[str, Callable[[], Figure]], which: str) -> Figure:
    if which not in figures:
        raise UsageError(f"There is no figure {which!r}.", f"there are: {', '.join(figures)}.")
    return figures[which]()
