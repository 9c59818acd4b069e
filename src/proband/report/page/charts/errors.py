"""Charts of two kinds of errors against each other, with tables of their operating points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from proband.inference.verification.open_set import SearchEstimates
from proband.inference.verification.results import Verification
from proband.measures.verification import SUPPORTED
from proband.report.cells import (
    columns,
    interval_cell,
    rate_cell,
    small_cell,
    table,
    text_cell,
    unsupported,
)
from proband.report.charts.makers.errors import det, error_curve, search_points, searches
from proband.report.charts.spec import some
from proband.report.page.charts import shown
from proband.report.page.model import Chart

_STARRED = (f"* rests on fewer than {SUPPORTED} errors.",)


def det_chart(
    results: Sequence[Verification], id: str = "det", places: Mapping[str, int] | None = None
) -> Chart:
    """Draw FNMR against FMR; the table has FMR, FNMR and its interval at that FMR, or at the threshold."""
    first = some(results)[0]
    chart = det([error_curve(one) for one in results], id, confidence_level=first.confidence_level)
    rows = [
        (
            text_cell(one.algorithm),
            small_cell(found.point.fmr, found.point.fmr_supported),
            small_cell(found.point.fnmr, found.point.fnmr_supported),
            interval_cell(found.fnmr_at_fmr or (found.fnmr.low, found.fnmr.high), one.answers),
        )
        for one in results
        for found in one.points
    ]
    heads = columns("algorithm", "FMR", "FNMR", "interval of FNMR")
    data = table(f"{id}-data", "Operating points of the curves", heads, rows, _STARRED)
    return shown(replace(chart, answers=first.answers), data, places)


def search_chart(
    results: Sequence[SearchEstimates],
    id: str = "search",
    *,
    rank: int = 1,
    places: Mapping[str, int] | None = None,
) -> Chart:
    """Draw FNIR against FPIR of searches that return up to `rank` candidates."""
    chart = searches(results, id, rank=rank)
    rows = [
        (
            text_cell(one.algorithm),
            small_cell(found.point.fpir, found.fpir_supported),
            rate_cell(found.point.fnir, unsupported(found.fnir_supported)),
            interval_cell(found.fnir, one.answers),
        )
        for one in results
        for found in search_points(one, rank)
    ]
    heads = columns("algorithm", "FPIR", "FNIR", "interval of FNIR")
    data = table(f"{id}-data", f"{chart.title}: operating points", heads, rows, _STARRED)
    return shown(chart, data, places)
