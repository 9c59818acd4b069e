"""Identification: curves and rates by set of probes, other choices of images, and the effect of the gallery."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from proband.inference import Evaluation, VirtualExperiments
from proband.inference.estimates.evaluation import Entry, probes_called
from proband.inference.image_choice.estimates import compared
from proband.report import cells
from proband.report.analyses.choices import choices_statements
from proband.report.analyses.evaluation import statements
from proband.report.page.charts.curves import cmc_chart
from proband.report.page.charts.distributions import differences_chart
from proband.report.page.model import Block, Folded, Section, said
from proband.report.page.registry import section
from proband.report.page.sections.galleries import feret_blocks, strat_blocks
from proband.report.page.sections.leaderboard import ALL_PAIRS
from proband.report.page.sections.verdict import leading, main_evaluation
from proband.report.table import Cell, Column, Table
from proband.results.difference import Difference
from proband.words import count

if TYPE_CHECKING:
    from proband.study.findings import Findings

MOST_CURVES = 8  # algorithms whose curves are drawn; tables have all


def drawn(names: Sequence[str], order: Sequence[str], most: int = MOST_CURVES) -> list[str]:
    """The algorithms that charts show: the leading ones, in the order they were given in."""
    leaders = [name for name in order if name in names][:most]
    return [name for name in names if name in leaders]


def left_out(names: Sequence[str], shown: Sequence[str]) -> list[str]:
    """What is to be said where charts do not show every algorithm."""
    if len(shown) == len(names):
        return []
    return [f"Charts show the leading {len(shown)} of {count(len(names))} algorithms; tables have all."]


@section("identification", 20)
def identification_section(found: Findings) -> Section | None:
    """Everything about ranks."""
    order = leading(found)
    blocks: list[Block] = []
    evaluation = main_evaluation(found)
    if evaluation is not None:
        blocks += _evaluation_blocks(evaluation, order)
    if found.choices is not None:
        blocks += _choice_blocks(found.choices, order, found.confidence_level)
    if found.strat is not None:
        blocks += strat_blocks(found.strat, drawn([one.algorithm for one in found.strat.effects], order))
    if found.feret is not None:
        blocks += feret_blocks(found.feret, order[:MOST_CURVES])
    return Section("identification", "Identification", tuple(blocks)) if blocks else None


def _evaluation_blocks(evaluation: Evaluation, order: Sequence[str]) -> list[Block]:
    shown = drawn(evaluation.algorithms, order)
    first, *others = evaluation.categories
    blocks: list[Block] = [_cmc(evaluation.of(first), shown, "cmc", first)]
    blocks += said(left_out(evaluation.algorithms, shown))
    blocks.append(rates_table(evaluation))
    if others:
        charts = tuple(
            _cmc(evaluation.of(name), shown, f"cmc-{place}", name) for place, name in enumerate(others, 2)
        )
        blocks.append(Folded("Curves by probe category", charts))
    blocks.append(Folded("What the rates mean", tuple(said(statements(evaluation)))))
    return blocks


def _cmc(entries: Sequence[Entry], shown: Sequence[str], id: str, category: str | None) -> Block:
    return cmc_chart(
        [entry for entry in entries if entry.algorithm in shown],
        id,
        f"Recognition rate by rank, {probes_called(category)}",
    )


def rates_table(evaluation: Evaluation) -> Table:
    """Rates with intervals at every rank asked for, a row for each algorithm and set of probes."""
    several = len(evaluation.categories) > 1
    level = cells.percent(evaluation.confidence_level)
    heads = [Column("probes of", "name")] if several else []
    heads.append(Column("algorithm", "name"))
    beside = [t for t in evaluation.ranks if any(entry.by_person[t] for entry in evaluation.entries)]
    for rank in evaluation.ranks:
        heads += [Column(f"rank {rank}", "number"), Column(f"{level} interval", "interval")]
    for rank in beside:
        heads += [
            Column(
                f"rank {rank} by person", "number", "People weigh the same, whatever their number of probes."
            ),
            Column(f"{level} interval", "interval"),
        ]
    heads += [Column("probes", "number"), Column("people", "number"), Column("no rank", "number", "Failures to acquire or to compare."),
              Column("ties", "number", "Probes whose mate ties with somebody else.")]  # fmt: skip
    rows = []
    for entry in evaluation.entries:
        facts = entry.curve.facts
        row: list[Cell] = [cells.text_cell(probes_called(entry.category))] if several else []
        row.append(cells.text_cell(entry.algorithm))
        for rank in evaluation.ranks:
            row += [
                cells.rate_cell(entry.curve.at(rank)),
                cells.interval_cell(entry.interval(rank), entry.band.answers),
            ]
        for rank in beside:
            found = entry.by_person[rank]
            row += [
                cells.rate_cell(found.value if found else None),
                cells.interval_cell((found.low, found.high) if found else None),
            ]
        counted = (facts.n_probes, facts.n_probe_subjects, facts.n_failed, facts.n_tied)
        rows.append([*row, *map(cells.count_cell, counted)])
    return cells.table("rates", "Recognition rates", tuple(heads), rows)


def _choice_blocks(result: VirtualExperiments, order: Sequence[str], level: float) -> list[Block]:
    """Rates and differences over other choices of images of these people."""
    blocks: list[Block] = [_choices_table(result, level)]
    pairs = _pairs(result, order, level)
    if pairs:
        blocks.append(differences_chart(result, [(pair.first, pair.second) for pair in pairs[:_MOST_DRAWN]]))
        blocks.append(_differences_table(result, pairs, level))
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
            cells.p_cell(pair.p_value, pair.method),
        ]
        for pair in pairs
    ]
    heads = cells.columns(
        "first",
        "second",
        "difference, points",
        f"{cells.percent(level)} of choices",
        "first does not win in",
        "p over people, not adjusted",
        text=2,
    )
    return cells.table("choice-differences", "Differences at rank 1 in the same choices", heads, rows)
