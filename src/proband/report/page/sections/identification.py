"""Identification: curves and rates by set of probes, other choices of images, and the effect of the gallery."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from proband.inference import Evaluation, VirtualExperiments
from proband.inference.estimates.evaluation import Entry, probes_called
from proband.inference.image_choice.estimates import compared
from proband.report import cells
from proband.report.analyses.choices import choices_statements
from proband.report.analyses.evaluation import own_gallery, statements
from proband.report.leading import leading, looks, main_evaluation
from proband.report.page.charts.curves import cmc_chart
from proband.report.page.charts.distributions import differences_chart
from proband.report.page.model import Block, Folded, Section, said
from proband.report.page.registry import section
from proband.report.page.sections.galleries import feret_blocks, strat_blocks
from proband.report.page.sections.leaderboard import ALL_PAIRS
from proband.report.table import Cell, Column, Table
from proband.results.difference import Difference
from proband.words import counted

if TYPE_CHECKING:
    from proband.study.findings import Findings

MOST_CURVES = 8  # algorithms that have a row each in a chart of groups; tables have all
_MOST_ROWS = 12  # of a table that is not folded


def drawn(names: Sequence[str], order: Sequence[str], most: int = MOST_CURVES) -> list[str]:
    """The algorithms that charts show: the leading ones, in the order they were given in."""
    leaders = [name for name in order if name in names][:most]
    return [name for name in names if name in leaders]


def left_out(names: Sequence[str], shown: Sequence[str]) -> list[str]:
    """What is to be said where charts do not show every algorithm."""
    if len(shown) == len(names):
        return []
    return [f"Charts show the leading {len(shown)} of {counted(len(names), 'algorithm')}; tables have all."]


def of_length(table: Table) -> Block:
    """A table as it is, or folded where it is long."""
    n = len(table.rows)
    return table if n <= _MOST_ROWS else Folded(f"{table.caption}: {counted(n, 'row')}", (table,))


@section("identification", 20)
def identification_section(found: Findings) -> Section | None:
    """Everything about ranks."""
    order, places = leading(found), looks(found)
    blocks: list[Block] = []
    evaluation = main_evaluation(found)
    if evaluation is not None:
        blocks += _evaluation_blocks(evaluation, places, found.relative_ranks)
    if found.choices is not None:
        blocks += _choice_blocks(found.choices, order, found.confidence_level, places)
    if found.strat is not None:
        blocks += strat_blocks(found.strat, places, relative=found.relative_ranks)
    if found.feret is not None:
        blocks += feret_blocks(found.feret, places)
    return Section("identification", "Identification", tuple(blocks)) if blocks else None


def _evaluation_blocks(evaluation: Evaluation, places: Mapping[str, int], relative: bool) -> list[Block]:
    first, *others = evaluation.categories
    blocks: list[Block] = [_cmc(evaluation.of(first), "cmc", first, places, relative)]
    main, *more = rates_tables(evaluation)
    blocks.append(of_length(main))
    if more:
        blocks.append(Folded("Rates at other ranks, and what they rest on", tuple(more)))
    if others:
        charts = tuple(
            _cmc(evaluation.of(name), f"cmc-{place}", name, places, relative)
            for place, name in enumerate(others, 2)
        )
        blocks.append(Folded("Curves by probe category", charts))
    blocks.append(Folded("What the rates mean", tuple(said(statements(evaluation)))))
    return blocks


def _cmc(
    entries: Sequence[Entry], id: str, category: str | None, places: Mapping[str, int], relative: bool
) -> Block:
    title = f"Recognition rate by {'relative ' if relative else ''}rank, {probes_called(category)}"
    return cmc_chart(entries, id, title, places, relative=relative)


def rates_tables(evaluation: Evaluation) -> list[Table]:
    """Algorithms by sets of probes, a table for each rank asked for and way of weighing people, and what they rest on."""
    level = cells.percent(evaluation.confidence_level)
    made = []
    for place, rank in enumerate(evaluation.ranks):
        rows = {
            (entry.algorithm, entry.category): cells.over(
                cells.rate_cell(entry.curve.at(rank)),
                cells.interval_cell(entry.interval(rank), entry.band.answers),
            )
            for entry in evaluation.entries
        }
        called = evaluation.entries[0].weighted_rate(rank)
        caption = f"Recognition rate at {called}, with {level} intervals"
        made.append(_by_category(evaluation, "rates" if not place else f"rates-{rank}", caption, rows))
    for rank in evaluation.ranks:
        people = {
            (entry.algorithm, entry.category): _person_cell(entry, rank) for entry in evaluation.entries
        }
        if any(cell.value is not None for cell in people.values()):
            caption = f"Recognition rate at rank {rank} (person-weighted), with {level} intervals"
            made.append(_by_category(evaluation, f"rates-by-person-{rank}", caption, people))
    return [*made, _rest_on(evaluation)]


def _person_cell(entry: Entry, rank: int) -> Cell:
    found = entry.by_person[rank]
    if found is None:
        return cells.empty_cell()
    return cells.over(cells.rate_cell(found.value), cells.interval_cell((found.low, found.high)))


def _by_category(
    evaluation: Evaluation, id: str, caption: str, found: Mapping[tuple[str, str | None], Cell]
) -> Table:
    heads = [Column("algorithm", "name")]
    for category in evaluation.categories:
        facts = evaluation.of(category)[0].curve.facts
        enrolled = own_gallery(facts, evaluation.entries[0].curve.facts)
        heads.append(
            Column(f"{probes_called(category)}{enrolled}\n{counted(facts.n_probes, 'probe')}", "number")
        )
    rows = [
        [cells.text_cell(name), *(found[name, category] for category in evaluation.categories)]
        for name in evaluation.algorithms
    ]
    return cells.table(id, caption, tuple(heads), rows)


def _rest_on(evaluation: Evaluation) -> Table:
    """Probes, people, failures and ties of every set of probes; one row where they are the same for all algorithms."""
    rows = []
    for category in evaluation.categories:
        counts: dict[tuple[int, ...], list[str]] = {}
        for entry in evaluation.of(category):
            facts = entry.curve.facts
            own = (facts.n_probes, facts.n_probe_subjects, facts.n_failed, facts.n_tied)
            counts.setdefault(own, []).append(entry.algorithm)
        for numbers, names in counts.items():
            same = Cell("all algorithms", tone="faint")
            rows += [
                [cells.text_cell(probes_called(category)), own_name, *map(cells.count_cell, numbers)]
                for own_name in ([same] if len(counts) == 1 else map(cells.text_cell, names))
            ]
    heads = (
        Column("probes of", "name"),
        Column("algorithm", "name"),
        *cells.columns("probes", "people", text=0),
        Column("no rank", "number", "Failures to acquire or to compare."),
        Column("ties", "number", "Probes whose mate ties with somebody else."),
    )
    return cells.table("rates-counts", "What the rates rest on", heads, rows)


def _choice_blocks(
    result: VirtualExperiments, order: Sequence[str], level: float, places: Mapping[str, int]
) -> list[Block]:
    """Rates and differences over other choices of images of these people."""
    blocks: list[Block] = [of_length(_choices_table(result, level))]
    pairs = _pairs(result, order, level)
    if pairs:
        leader = pairs[0].first
        drawn = [(pair.first, pair.second) for pair in pairs if pair.first == leader][:_MOST_DRAWN]
        blocks.append(differences_chart(result, drawn, places=places))
        if len(drawn) < len(result.algorithms) - 1:
            blocks += said([f"Drawn: {leader} against the next {len(drawn)}; the table has more."])
        blocks.append(of_length(_differences_table(result, pairs, level)))
    return [*blocks, Folded("What choices of images mean", tuple(said(choices_statements(result))))]


_MOST_DRAWN = 6


def _choices_table(result: VirtualExperiments, level: float) -> Table:
    rows = []
    for name in result.algorithms:
        spread = result.rate(name)
        rows.append(
            [
                cells.text_cell(name),
                cells.rate_cell(spread.mean),
                cells.rate_cell(spread.standard_deviation),
                cells.interval_cell(spread.interval(level), result.answers),
            ]
        )
    heads = cells.columns(
        "algorithm", "mean rate at rank 1", "s.d. over choices", f"{cells.percent(level)} of choices"
    )
    return cells.table("choices", "Rates over choices of images", heads, rows)


def _pairs(result: VirtualExperiments, order: Sequence[str], level: float) -> list[Difference]:
    """Every pair of few algorithms, of many the leader's, where differences were counted."""
    names = sorted(result.algorithms, key=order.index)
    if len(names) < 2 or not result.differences():
        return []
    chosen = list(combinations(names, 2))
    if len(names) > ALL_PAIRS:
        chosen = chosen[: len(names) - 1]
    return [compared(result, first, second, 1, None, level) for first, second in chosen]


def _differences_table(result: VirtualExperiments, pairs: Sequence[Difference], level: float) -> Table:
    rows = [
        [
            cells.text_cell(pair.first),
            cells.text_cell(pair.second),
            cells.effect_cell(pair.difference),
            cells.effect_interval_cell(*(pair.over_choices or (pair.low, pair.high)), True, result.answers),
            cells.share_cell(pair.not_won or 0, pair.n_trials or 0),
            cells.p_cell(pair.p_value, pair.method.floor),
        ]
        for pair in pairs
    ]
    every = comb(len(result.algorithms), 2)
    notes = []
    if len(pairs) < every:
        notes.append(
            f"The leader against each other algorithm, of {counted(every, 'pair')}; tables/choices_differences has all."
        )
    heads = cells.columns(
        "first",
        "second",
        "difference, points",
        f"{cells.percent(level)} of choices",
        "first does not win in",
        "p over people, not adjusted",
        text=2,
    )
    return cells.table("choice-differences", "Differences at rank 1 in the same choices", heads, rows, notes)
