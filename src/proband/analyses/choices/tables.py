"""Virtual experiments as people read them: rates over choices of images, differences, and who could take part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from math import comb
from typing import TYPE_CHECKING

import polars as pl

from proband import words
from proband.analyses.choices.figures import (
    differences_figure,
    rank_intervals_figure,
    rate_distributions_figure,
)
from proband.engine.frames import frame_of_rows
from proband.inference import Estimate, VirtualExperiments
from proband.inference.image_choice.estimates import compared
from proband.inference.image_choice.exact import ExactChoice
from proband.inference.image_choice.trials import LOW_RANKS
from proband.report.cells import (
    columns,
    effect_cell,
    effect_interval_cell,
    fixed_cell,
    interval_cell,
    p_cell,
    rate_cell,
    share_cell,
    text_cell,
)
from proband.report.notes import answered
from proband.report.table import Table
from proband.results.compared import metrics_statement
from proband.results.difference import Difference
from proband.samples import Pool
from proband.words import Note, Sentence, as_sentence, part_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_PAIRS = 28  # differences that tables show: those of eight algorithms
_TRIALS = Sentence(
    "choices.trials",
    "note",
    "{n:count} {kind} trials with {people:count person/people} each, seed {seed}; ties {ties}; {kernel} kernel",
)
_NOT_WON = Sentence(
    "choices.not-won",
    "note",
    "How often the first does not win counts image choices of these people; trials are not draws under a null "
    "hypothesis, so the share is not a p-value. The p-value over people (sign flip of people's mean successes, not "
    "adjusted) asks whether they differ for new people",
)
_MORE_PAIRS = Sentence("choices.more-pairs", "note", "And {n:count more pair}: JSON and CSV have all")
_UNDRAWN = Sentence("choices.left-undrawn", "note", "Figure {figure}: {part}; the tables show all")


def rates_frame(result: VirtualExperiments, level: float = 0.95) -> pl.DataFrame:
    """Every algorithm and rank: mean, standard deviation and percentile interval over choices of images."""
    return result.at_level(level).to_frame()


def differences_frame(result: VirtualExperiments, rank: int = 1, level: float = 0.95) -> pl.DataFrame:
    """Every pair at a rank: D over choices of images, how often the first does not win, and the test over people."""
    rows = [
        (
            pair.first,
            pair.second,
            rank,
            pair.difference,
            *(pair.over_choices or (pair.low, pair.high)),
            pair.not_won,
            pair.n_trials,
            pair.p_value,
        )
        for pair in _pairs(result, rank, level)
    ]
    columns = ["first", "second", "rank", "difference", "low", "high", "not_won", "trials", "p_over_people"]
    return frame_of_rows(rows, columns)


def _pairs(result: VirtualExperiments, rank: int, level: float) -> Iterator[Difference]:
    for first, second in combinations(result.algorithms, 2):
        yield compared(result, first, second, rank, None, level)


def choices_table(result: VirtualExperiments, rank: int = 1, level: float = 0.95) -> Table:
    """Make a table of rates."""
    heads = columns(
        "algorithm", f"mean rate at rank {rank}", "s.d. over choices", f"{words.level(level)} of choices"
    )
    rows = []
    for name in result.algorithms:
        spread = result.rate(name, rank)
        cells = (rate_cell(spread.mean), rate_cell(spread.standard_deviation))
        rows.append((text_cell(name), *cells, interval_cell(spread.interval(level))))
    return Table("", heads, tuple(rows))


def differences_table(result: VirtualExperiments, rank: int = 1, level: float = 0.95) -> Table:
    """Make a table of differences, of as many pairs as can be read."""
    rank = min(rank, LOW_RANKS)
    heads = columns(
        f"at rank {rank}", "difference, points", f"{words.level(level)} of choices", "does not win in", "p over people",
    )  # fmt: skip
    rows = (
        (
            text_cell(f"{pair.first} − {pair.second}"),
            effect_cell(pair.difference),
            effect_interval_cell(*(pair.over_choices or (pair.low, pair.high))),
            share_cell(pair.not_won or 0, pair.n_trials or 0),
            p_cell(pair.p_value, pair.method.floor),
        )
        for pair in islice(_pairs(result, rank, level), _MOST_PAIRS)
    )
    more = comb(len(result.algorithms), 2) - _MOST_PAIRS
    notes = (as_sentence(_MORE_PAIRS(n=more)),) if more > 0 else ()
    return Table("", heads, tuple(rows), notes)


def choices_tables(result: VirtualExperiments, rank: int = 1, level: float = 0.95) -> list[Table]:
    """Make the table of rates, and that of differences where there are several algorithms."""
    rates = choices_table(result, rank, level)
    return [rates, differences_table(result, rank, level)] if len(result.algorithms) > 1 else [rates]


def exact_table(found: Mapping[str, ExactChoice], rank: int) -> Table:
    """Make a table of exact means, with the standard deviation at rank 1 where it is known."""
    at = min(rank, *(len(one.cmc) for one in found.values()))
    spreads = {
        name: None if one.variance_rank_1 is None else one.variance_rank_1**0.5 for name, one in found.items()
    }
    heads = columns("algorithm", f"mean rate at rank {at}", "standard deviation at rank 1")
    rows = (
        (text_cell(name), fixed_cell(one.cmc[at - 1], 6), fixed_cell(spreads[name], 6))
        for name, one in found.items()
    )
    return Table("", heads, tuple(rows))


def trainings_table(made: Estimate, trained: Sequence[str]) -> Table:
    """Make a table of the value of every training set."""
    assert made.replicates is not None  # one of each
    rows = (
        (text_cell(name), rate_cell(float(value)))
        for name, value in zip(trained, made.replicates, strict=True)
    )
    return Table("", columns("trained on", str(made.answers.of)), tuple(rows))


def choices_statements(result: VirtualExperiments) -> list[Note]:
    """Say what the numbers mean, a note each."""
    return [
        _TRIALS(
            n=result.n_trials,
            kind="balanced" if result.design.balanced else "unbalanced",
            people=result.n_subjects,
            seed=result.seed,
            ties=result.ties,
            kernel=result.kernel,
        ),
        metrics_statement(result.metrics.items()),
        answered(result.answers),
        *([_NOT_WON()] if len(result.algorithms) > 1 else []),
        *result.notes,
    ]


def figures_of(result: VirtualExperiments, level: float = 0.95) -> dict[str, Callable[[], Figure]]:
    """What draws the figures of the paper that these results allow: distributions, intervals by rank, differences."""
    names = result.algorithms
    last = min(result.n_ranks, LOW_RANKS)
    leading = leading_algorithms(result)
    drawn, paired = leading[:_MOST_BANDS], leading[:_MOST_PAIRED]
    among, between = left_undrawn(result)
    made: dict[str, Callable[[], Figure]] = {
        "distributions": lambda: rate_distributions_figure(
            {name: result.rate(name) for name in names}, _bin_width(result.n_subjects)
        ),
        "ranks": lambda: rank_intervals_figure(
            {name: [result.rate(name, t) for t in range(1, last + 1)] for name in names if name in drawn},
            level,
            note=among,
        ),
    }
    pairs = list(combinations((name for name in names if name in paired), 2))
    if pairs:
        made["differences"] = lambda: differences_figure(
            {(a, b): result.difference(a, b) for a, b in pairs},
            _bin_width(result.n_subjects),
            note=between,
        )
    return made


_MOST_BANDS, _MOST_PAIRED = (
    12,
    6,
)  # algorithms whose intervals, and whose differences, can be read in one figure


def leading_algorithms(result: VirtualExperiments) -> list[str]:
    """The algorithms by their mean rate at rank 1, the best first."""
    return sorted(result.algorithms, key=lambda name: -result.rate(name).mean)


def left_undrawn(result: VirtualExperiments) -> tuple[str, str]:
    """Say which algorithms the figure of ranks draws, and which pairs that of differences; empty where it draws all."""
    total = len(result.algorithms)
    bands, paired = min(total, _MOST_BANDS), min(total, _MOST_PAIRED)
    rule = "the {} with the highest mean rate at rank 1"
    return (
        part_of(bands, total, "algorithms", rule.format(bands)),
        part_of(comb(paired, 2), comb(total, 2), "pairs", f"of {total} algorithms {rule.format(paired)}"),
    )


def undrawn_statements(result: VirtualExperiments) -> list[Note]:
    """Say what the figures leave out, and where it is."""
    figures = zip(("ranks", "differences"), left_undrawn(result), strict=True)
    return [_UNDRAWN(figure=name, part=said) for name, said in figures if said]


def _bin_width(n: int) -> int:
    """Whole values in a bin: 4 of 160 as in the paper, and in that proportion."""
    return max(1, round(n / 40))


_EXACT = Sentence(
    "choices.exact",
    "note",
    "Exact: each person's pair is drawn independently, all pairs equally likely; nothing is simulated",
)


def exact_statements(pool: Pool) -> list[Note]:
    """What exact means are over, a note each."""
    return [_EXACT(), *pool.notes]
