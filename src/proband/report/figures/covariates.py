"""Printed figures of what makes probes fail, and of probes divided by difficulty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband.inference.covariates.difficulty import Partition
from proband.inference.covariates.results import CovariateStudy
from proband.report.charts.makers.covariates import (
    along,
    calibration,
    differences,
    parts,
    rates,
    residuals,
    selection,
)
from proband.report.charts.mpl import figure
from proband.report.charts.spec import in_places
from proband.report.figures.identification import curves_figure, values_figure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

_WIDE = 7.16
_PANEL = 3.4


def covariates_figures(study: CovariateStudy, places: Mapping[str, int] | None = None) -> dict[str, Figure]:
    """Draw the rates, the differences, curves along numbers and the check of fit."""
    made = {"rates": values_figure(rates(study), _WIDE)}
    if study.differences:
        made["differences"] = values_figure(differences(study), _WIDE)
    numbers = list(dict.fromkeys(one.covariate for one in study.curves))
    if numbers:
        charts = [in_places(along(study, one), places or {}) for one in numbers]
        made["curves"] = curves_figure(charts, inside=False)
    fits = [calibration(study), *(residuals(study, one.by) for one in study.checks[1:])]
    columns = min(len(fits), 3)
    size = (max(5.4, 3.6 * columns), _PANEL * -(-len(fits) // columns) + 0.3)
    made["fit"] = figure(fits, size, columns=columns, shared=False)
    return made


def partition_figures(found: Partition, places: Mapping[str, int] | None = None) -> dict[str, Figure]:
    """Draw the rates by difficulty, and what selection does."""
    return {
        "rates": values_figure(in_places(parts(found), places or {}), _WIDE),
        "selection": values_figure(selection(found), _WIDE),
    }
