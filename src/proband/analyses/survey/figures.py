"""Estimates of a survey, drawn with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from proband.engine.limits import Inches, Title
from proband.inference.survey import SurveyEstimates
from proband.report.charts.makers.rows import Valued, values
from proband.report.charts.scales import Unit
from proband.report.figures.identification import values_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def survey_figure(found: SurveyEstimates, width: Inches = 5.4, title: Title | None = None) -> Figure:
    """Draw every estimate with its interval; without an end, the estimate is the end."""
    rows = [
        Valued(
            one.name,
            one.value,
            one.low if np.isfinite(one.low) else one.value,
            one.high if np.isfinite(one.high) else one.value,
            True,
        )
        for one in found.estimates
    ]
    unit: Unit = "rate" if all(one.label.share for one in found.estimates) else "number"
    return values_figure(values(rows, "estimate", unit, found.confidence_level), width, title)
