"""Pairs of algorithms on the page: differences, tests and verdicts, and the publication table of every comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from proband.inference.comparisons.comparison import Standings
from proband.report import columns as col
from proband.report.charts.makers.rows import forest
from proband.report.charts.svg.drawing import shortened
from proband.report.kinds.comparisons import comparison_statements, comparison_table
from proband.report.kinds.verdicts import turned
from proband.report.page.charts import shown
from proband.report.page.model import Block, ChartBlock, Folded, Section
from proband.report.scene import Scene
from proband.report.tables.table import Table
from proband.report.view import Placed
from proband.results.difference import Difference
from proband.words import as_sentence, count

ALL_PAIRS = 6  # algorithms up to which every pair is shown; beyond, those with the leader
_HALF = 11  # letters of each name of a pair


_ADJUSTED = {
    "single-step": "It and the interval hold for all pairs together.",
    "none": "Not adjusted: each pair by itself.",
}


def leaderboard(id: str, caption: str, comparison: Standings) -> Table:
    """One comparison as it is published, to be copied as LaTeX."""
    said = tuple(map(as_sentence, comparison_statements(comparison)))
    made = comparison_table(comparison)
    return replace(made, id=id, caption=caption, notes=said, latex=comparison.to_latex())


def pairs_shown(comparison: Standings) -> tuple[Difference, ...]:
    """Every pair of few algorithms, or those that were chosen; of many, the leader against each other one, in order."""
    if len(comparison.estimates) <= ALL_PAIRS or not comparison.all_pairs:
        return comparison.pairs
    best, *others = (one.algorithm for one in comparison.ordered)
    by_names = {frozenset((pair.first, pair.second)): pair for pair in comparison.pairs}
    found = [by_names[frozenset((best, other))] for other in others]
    return tuple(pair if pair.first == best else turned(pair) for pair in found)


def leading_section(comparison: Standings | None, scene: Scene) -> Iterator[Placed]:
    """The section of a comparison that leads the page."""
    if comparison is not None and scene.standings is comparison:
        named = {str(comparison.estimates[0].answers.of): comparison}
        yield Placed(40, Section("comparisons", "Comparisons", tuple(comparison_blocks(named))))


def comparison_blocks(compared: Mapping[str, Standings]) -> list[Block]:
    """Every pair: effect, interval, test and verdict; and the tables as they are published. The first is open."""
    blocks: list[Block] = []
    for place, (name, comparison) in enumerate(compared.items(), 1):
        chart = pairs_chart(f"forest-{place}", f"pairs-{place}", f"Differences in {name}", comparison)
        published = leaderboard(f"leaderboard-{place}", name, comparison)
        table = Folded("The table as it is published, with letters", (published,))
        # The standings say the same of the leader.
        many = len(pairs_shown(comparison)) < len(comparison.pairs)
        shown = Folded("The leader against each other algorithm", (chart,)) if many else chart
        blocks += [shown, table] if place == 1 else [Folded(name, (published, chart))]
    return blocks


def pairs_chart(id: str, data: str, title: str, comparison: Standings) -> ChartBlock:
    """Differences of pairs as a chart, and all that was found of them as its table."""
    pairs = pairs_shown(comparison)
    labels = [f"{shortened(one.first, _HALF)} − {shortened(one.second, _HALF)}" for one in pairs]
    return shown(forest(comparison, pairs, id, title, labels), pairs_table(data, title, comparison))


def pairs_table(id: str, caption: str, comparison: Standings) -> Table:
    """The table of differences."""
    shown = pairs_shown(comparison)
    in_points = shown[0].in_points
    with_counts = any(pair.n_sf is not None for pair in shown)
    notes = []
    if len(shown) < len(comparison.pairs):
        notes.append(
            f"The leader against each other algorithm, of {count(len(comparison.pairs))} pairs; p-values are adjusted for all of them."
        )
    return col.table_of(
        caption,
        shown,
        col.name("first", lambda pair: pair.first),
        col.name("second", lambda pair: pair.second),
        col.effect(
            "difference" + (", points" if in_points else ""),
            lambda pair: pair.value,
            "The first less the second.",
            in_points=in_points,
        ),
        col.effect_interval(
            col.at_level(comparison.confidence_level), answers=comparison.answers, in_points=in_points
        ),
        col.p("p", lambda pair: (pair.p_value, pair.method.floor)),
        col.p("adjusted p", lambda pair: pair.p_with_floor, _ADJUSTED[shown[0].adjustment]),
        col.count("only first", lambda pair: pair.n_sf, "What only the first has right.", when=with_counts),
        col.count("only second", lambda pair: pair.n_fs, when=with_counts),
        col.text("verdict", lambda pair: pair.verdict),
        id=id,
        notes=notes,
    )
