"""Charts of the page: each drawn as SVG, with its data as a table."""

from proband.report.charts import spec
from proband.report.charts.svg.drawing import drawings
from proband.report.page.model import Chart
from proband.report.table import Table


def shown(chart: spec.Chart, data: Table) -> Chart:
    """A chart as the page holds it."""
    return Chart(
        chart.id,
        chart.title,
        chart.description,
        drawings(chart),
        chart.names,
        data,
        chart.notes,
        chart.answers,
    )
