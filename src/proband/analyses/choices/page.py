"""Other choices of images on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb

from proband.analyses.choices.run import Choices
from proband.analyses.choices.tables import choices_statements
from proband.inference import Estimate, VirtualExperiments
from proband.inference.image_choice.estimates import compared
from proband.report import cells
from proband.report.charts.makers.histograms import differences
from proband.report.kinds.pairs import ALL_PAIRS
from proband.report.page.charts import shown
from proband.report.page.lengths import of_length
from proband.report.page.model import Block, Folded, Section, said
from proband.report.scene import Scene
from proband.report.table import Table
from proband.results.difference import Difference
from proband.words import as_sentence, counted

_RANKS = 10


def choices_section(result: VirtualExperiments, scene: Scene) -> Section:
    """Rates and differences over trials."""
    blocks = _choice_blocks(result, scene.order, scene.confidence_level, scene.looks)
    return Section("choices", "Choice of images", tuple(blocks))


def exact_section(found: Choices) -> Section:
    """Mean rates over all choices of images, computed and not drawn."""
    ranks = range(1, min(_RANKS, max(len(one.cmc) for one in found.exact_choices.values())) + 1)
    rows = [
        [
            cells.text_cell(name),
            *(cells.rate_cell(float(one.cmc[min(rank, len(one.cmc)) - 1])) for rank in ranks),
            cells.empty_cell() if one.variance_rank_1 is None else cells.rate_cell(one.variance_rank_1**0.5),
        ]
        for name, one in found.exact_choices.items()
    ]
    heads = cells.columns("algorithm", *(f"rank {rank}" for rank in ranks), "standard deviation at rank 1")
    notes = ["Every person's pair drawn independently, all pairs equally likely; nothing is simulated."]
    notes += [] if found.pool is None else [as_sentence(note) for note in found.pool.notes]
    table = cells.table("exact-choices", "Mean rates over choices of images", heads, rows, notes)
    return Section("exact-choices", "Choice of images, exactly", (table,))


def trainings_section(found: Choices, made: Estimate) -> Section:
    """How much training sets matter."""
    values = () if made.replicates is None else made.replicates
    rows = [
        [cells.text_cell(name), cells.rate_cell(float(value))]
        for name, value in zip(found.trained, values, strict=True)
    ]
    blocks: list[Block] = [
        *said([repr(made), *(as_sentence(note) for note in made.notes)]),
        cells.table(
            "trainings", "The rate with each training set", cells.columns("trained as", "rate"), rows
        ),
    ]
    return Section("trainings", "Training sets", tuple(blocks))


def _choice_blocks(
    result: VirtualExperiments, order: Sequence[str], level: float, places: Mapping[str, int]
) -> list[Block]:
    """Rates and differences over other choices of images of these people."""
    blocks: list[Block] = [of_length(_choices_table(result, level))]
    pairs = _pairs(result, order, level)
    if pairs:
        leader = pairs[0].first
        drawn = [(pair.first, pair.second) for pair in pairs if pair.first == leader][:_MOST_DRAWN]
        chart = differences(result, drawn)
        named = dict(zip(chart.names, (places[other] for _, other in drawn), strict=True))
        blocks.append(shown(chart, places=named))
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
    return cells.table("choice-rates", "Rates over choices of images", heads, rows)


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
