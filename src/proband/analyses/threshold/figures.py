"""Rates and bounds by threshold, drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from proband.analyses.threshold.charts import bounds
from proband.engine.limits import Title
from proband.inference.verification.thresholds.results import DeployedThreshold
from proband.report.charts.spec import in_places
from proband.report.figures.verification import panel_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def thresholds_figure(
    found: Sequence[DeployedThreshold], title: Title | None = None, places: Mapping[str, int] | None = None
) -> Figure:
    """Draw false match rates and their bounds for new people by threshold."""
    return panel_figure(in_places(bounds(found), places or {}), title, 3.6)
