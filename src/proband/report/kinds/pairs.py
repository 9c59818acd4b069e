"""Pairs of algorithms on the page: differences, tests and verdicts, and the publication table of every comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from proband.inference.comparisons.comparison import Standings
from proband.report.charts import spec
from proband.report.charts.makers.rows import forest
from proband.report.charts.spec import aligned_charts
from proband.report.charts.svg.drawing import shortened
from proband.report.kinds.comparisons import comparison_statements, comparison_table
from proband.report.kinds.differences import pairs_shown, pairs_table
from proband.report.page.charts import shown
from proband.report.page.model import Block, ChartBlock, Folded, Section
from proband.report.scene import Scene
from proband.report.tables.table import Table
from proband.report.view import Placed
from proband.words import as_sentence

_HALF = 11  # letters of each name of a pair


def leaderboard(id: str, caption: str, comparison: Standings) -> Table:
    """Publication table of a comparison, to copy as LaTeX."""
    said = tuple(map(as_sentence, comparison_statements(comparison)))
    made = comparison_table(comparison)
    return replace(made, id=id, caption=caption, notes=said, latex=comparison.to_latex())


def leading_section(comparison: Standings | None, scene: Scene) -> Iterator[Placed]:
    """The section of a comparison that leads the page."""
    if comparison is not None and scene.standings is comparison:
        named = {str(comparison.estimates[0].answers.of): comparison}
        yield Placed(40, Section("comparisons", "Comparisons", tuple(comparison_blocks(named))))


def comparison_blocks(compared: Mapping[str, Standings]) -> list[Block]:
    """Every pair: effect, interval, test and verdict; and the tables as they are published. The first is open."""
    blocks: list[Block] = []
    forests = [
        _forest(f"forest-{place}", f"Differences in {name}", comparison)
        for place, (name, comparison) in enumerate(compared.items(), 1)
    ]
    # Categories of probes are compared by eye: differences in one measure are on one axis.
    alike = [
        [chart for chart in forests if chart.axes[0][0].label == one.axes[0][0].label] for one in forests
    ]
    for place, (name, comparison) in enumerate(compared.items(), 1):
        own = forests[place - 1]
        drawn = aligned_charts(alike[place - 1], across=True)[alike[place - 1].index(own)]
        chart = shown(drawn, pairs_table(f"pairs-{place}", own.title, comparison))
        published = leaderboard(f"leaderboard-{place}", name, comparison)
        table = Folded("Publication table, with letters", (published,))
        # The standings say the same of the leader.
        many = len(pairs_shown(comparison)) < len(comparison.pairs)
        opened = Folded("The leader against each other algorithm", (chart,)) if many else chart
        blocks += [opened, table] if place == 1 else [Folded(name, (published, chart))]
    return blocks


def pairs_chart(id: str, data: str, title: str, comparison: Standings) -> ChartBlock:
    """Differences of pairs as a chart, and all that was found of them as its table."""
    return shown(_forest(id, title, comparison), pairs_table(data, title, comparison))


def _forest(id: str, title: str, comparison: Standings) -> spec.Chart:
    pairs = pairs_shown(comparison)
    labels = [f"{shortened(pair.first, _HALF)} − {shortened(pair.second, _HALF)}" for pair in pairs]
    return forest(comparison, pairs, id, title, labels)
