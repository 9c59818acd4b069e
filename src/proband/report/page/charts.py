"""Charts of the page: each drawn as SVG, with its data as a table."""

from collections.abc import Mapping, Sequence

from proband.report.charts import spec
from proband.report.charts.data import data_of
from proband.report.charts.palette import is_grey
from proband.report.charts.svg.drawing import drawings
from proband.report.page.model import Block, ChartBlock, Panels
from proband.report.tables.table import Table
from proband.words import count

_GREY = "Grey: the other {n} algorithms, labelled where space permits. Point at a curve to read it."


def shown(
    chart: spec.Chart, data: Table | None = None, places: Mapping[str, int] | None = None
) -> ChartBlock:
    """A chart block of the page, with consistent styles of algorithms and a data table."""
    data = data or data_of(chart)
    chart = spec.in_places(chart, places or {})
    marks = chart.marks
    order = [one.place for one in marks.series] if isinstance(marks, spec.Curves) else None
    looks = [chart.place(n) for n in range(len(chart.names))] if order is None else order
    n_grey = sum(map(is_grey, looks))
    notes = (*chart.notes, _GREY.format(n=count(n_grey))) if n_grey else chart.notes
    return ChartBlock(
        chart.id,
        chart.title,
        chart.see,
        drawings(chart),
        tuple(zip(chart.names, looks, strict=True)),
        data,
        notes,
        chart.answers,
    )


def side_by_side(charts: Sequence[spec.Chart], places: Mapping[str, int] | None = None) -> list[Block]:
    """One chart as it is; several as panels on the axes that they share."""
    made = tuple(shown(chart, places=places) for chart in spec.comparable_charts(charts))
    return list(made) if len(made) < 2 else [Panels(made)]
