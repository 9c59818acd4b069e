"""Charts of recognition rates, by rank and by the size of the gallery, with their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proband.inference.estimates.evaluation import Entry
from proband.inference.estimates.people_fractions import SizeCurve
from proband.report.cells import (
    columns,
    count_cell,
    empty_cell,
    interval_cell,
    rate_cell,
    table,
    text_cell,
)
from proband.report.charts import spec
from proband.report.charts.makers.curves import cmc, gallery_sizes
from proband.report.charts.spec import Curves
from proband.report.page.charts import shown
from proband.report.page.model import Chart
from proband.results.band import Band

_TABLED = (1, 2, 5)  # and these times ten, a hundred, …


def cmc_chart(
    entries: Sequence[Entry],
    id: str = "cmc",
    title: str = "Recognition rate by rank",
    places: Mapping[str, int] | None = None,
    *,
    relative: bool = False,
) -> Chart:
    """Draw the curves of algorithms on one set of probes, with a table of rates at some ranks."""
    return bands_chart([one.band for one in entries], id, title, places, relative=relative)


def bands_chart(
    bands: Sequence[Band],
    id: str,
    title: str,
    places: Mapping[str, int] | None = None,
    *,
    relative: bool = False,
) -> Chart:
    """Draw curves that come with bands of their own, such as averages and galleries, by rank or relative rank; the table has ranks."""
    chart = cmc(bands, id, title)
    last = max(len(one.values) for one in bands)
    found = [digit * 10**power for power in range(len(str(last))) for digit in _TABLED]
    ranks = [*(rank for rank in found if rank < last), last]
    drawn = cmc(bands, id, title, relative=True) if relative else None
    return _tabled(chart, f"{title}: rates at some ranks", "rank", ranks, places, drawn)


def gallery_size_chart(
    curves: Sequence[SizeCurve],
    id: str = "gallery-size",
    title: str = "Recognition rate by the size of the gallery",
    places: Mapping[str, int] | None = None,
) -> Chart:
    """Draw the expected rate of algorithms in smaller galleries, with a table of all."""
    sizes = sorted({size for one in curves for size in one.sizes})
    return _tabled(gallery_sizes(curves, id, title), title, "people enrolled", sizes, places)


def _tabled(
    chart: spec.Chart,
    caption: str,
    number: str,
    numbers: Sequence[int],
    places: Mapping[str, int] | None,
    drawn: spec.Chart | None = None,
) -> Chart:
    """Give a chart of curves its table: a row for each curve and number, as far as the curve goes; `drawn` is shown in its place."""
    assert isinstance(chart.marks, Curves)
    assert chart.answers is not None
    rows = []
    for one in chart.marks.series:
        found = {int(value): at for at, value in enumerate(one.xs)}
        for value in numbers:
            at = found.get(value)
            if at is not None:
                ends = (float(one.low[at]), float(one.high[at])) if at < len(one.low) else None
                rows.append(
                    (
                        text_cell(one.name),
                        count_cell(value),
                        rate_cell(float(one.ys[at])),
                        empty_cell() if ends is None else interval_cell(ends, chart.answers),
                    )
                )
    heads = columns("algorithm", number, "recognition rate", "interval")
    return shown(drawn or chart, table(f"{chart.id}-data", caption, heads, rows), places)
