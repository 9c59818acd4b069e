"""Algorithms over several data sets, in tables and words."""

from __future__ import annotations

from proband.inference.datasets.results import DatasetComparison, DatasetPair
from proband.report.cells import (
    count_cell,
    effect_cell,
    effect_interval_cell,
    empty_cell,
    fixed_cell,
    over,
    p_cell,
    rate_cell,
    text_cell,
)
from proband.report.notes import answered
from proband.report.table import Cell, Column, Table, Tone
from proband.words import Note, Sentence

_ALL = Sentence(
    "datasets.all",
    "note",
    "All {k:count algorithm} together: Friedman's chi-square {chi:small} (p {chi_p:p}), Iman and Davenport's F {f:small} (p {p:p})",
)
_SAME = Sentence(
    "datasets.all-alike",
    "note",
    "All {n:count data set} rank the {k:count algorithm} in the same order: p {p:p}",
)
_METHOD = Sentence("datasets.method", "note", "Method: {method}")
_POOLED = Sentence(
    "datasets.pooled",
    "note",
    "Means over data sets are by random effects (Paule and Mandel, Hartung and Knapp); another data set is expected within the last interval",
)


def ranks_table(result: DatasetComparison) -> Table:
    """Every algorithm, the best average rank first: its rank, its mean accuracy and that in each data set."""
    found = {(one.dataset, one.algorithm): one.accuracy for one in result.accuracies}
    heads = (
        Column("algorithm", "name"),
        Column("average\nrank", "number", "Over data sets; 1 is the best."),
        Column("mean\naccuracy", "number", "Every data set weighs the same."),
        *(Column(name, "number") for name in result.datasets),
    )
    rows = tuple(
        (
            text_cell(name),
            fixed_cell(rank),
            rate_cell(sum(found[place, name] for place in result.datasets) / len(result.datasets)),
            *(rate_cell(found[place, name]) for place in result.datasets),
        )
        for name, rank in zip(result.algorithms, result.average_ranks, strict=True)
    )
    return Table("", heads, rows)


def pairs_table(result: DatasetComparison) -> Table:
    """Every two algorithms: in how many data sets the one is better, the median difference, its test, and the mean with its intervals."""
    pooled = any(pair.pooled is not None for pair in result.pairs)
    heads = [
        Column("pair", "name"),
        Column("better/\nequal/worse", "text", "Data sets in which the first is better, as good and worse."),
        Column("median\ndifference", "number", "Hodges and Lehmann's, in points."),
        Column("p", "number", "Of signed ranks, by themselves."),
        Column("p, Holm", "number", "Adjusted for all pairs."),
    ]
    if pooled:
        heads += [
            Column("mean over\ndata sets", "number", "By random effects, in points."),
            Column(
                "in another\ndata set",
                "interval",
                "Where the difference of another data set is expected, in points.",
            ),
        ]
    return Table("Every two", tuple(heads), tuple(_pair_row(pair, pooled) for pair in result.pairs))


def _pair_row(pair: DatasetPair, pooled: bool) -> tuple[Cell, ...]:
    tone: Tone = "plain" if pair.verdict == "undecided" else "good"
    cells = [
        text_cell(f"{pair.first} − {pair.second}", tone),
        text_cell(f"{pair.wins}/{pair.ties}/{pair.losses}"),
        _with_ends(pair.difference, pair.low, pair.high),
        p_cell(pair.p_value, None),
        p_cell(pair.adjusted_p_value, None),
    ]
    if pooled:
        one = pair.pooled
        cells += (
            [empty_cell(), empty_cell()]
            if one is None
            else [
                _with_ends(one.difference, one.low, one.high),
                empty_cell()
                if one.prediction_low is None or one.prediction_high is None
                else effect_interval_cell(one.prediction_low, one.prediction_high),
            ]
        )
    return tuple(cells)


def _with_ends(value: float, low: float | None, high: float | None) -> Cell:
    return (
        effect_cell(value)
        if low is None or high is None
        else over(effect_cell(value), effect_interval_cell(low, high))
    )


def differences_table(result: DatasetComparison) -> Table:
    """Every difference in every data set, with its standard error where that is known."""
    heads = (
        *(Column(name, "name") for name in ("data set", "pair")),
        Column("difference", "number"),
        Column("standard error", "number"),
        Column("people", "number"),
    )
    rows = tuple(
        (
            text_cell(one.dataset),
            text_cell(f"{one.first} − {one.second}"),
            effect_cell(one.difference),
            empty_cell() if one.standard_error is None else effect_cell(one.standard_error),
            count_cell(one.n_subjects),
        )
        for one in result.by_dataset
    )
    return Table("By data set", heads, rows)


def datasets_tables(result: DatasetComparison) -> list[Table]:
    """The ranks, and every two algorithms."""
    return [ranks_table(result), pairs_table(result)]


def datasets_statements(result: DatasetComparison) -> list[Note]:
    """Say what varies, what all algorithms together show, and what to beware of."""
    k, n = len(result.algorithms), len(result.datasets)
    said = [answered(result.answers), _METHOD(method=result.method)]
    if result.f_p_value is not None:
        said.append(
            _SAME(n=n, k=k, p=result.f_p_value)
            if result.f is None
            else _ALL(
                k=k, chi=result.chi_square, chi_p=result.chi_square_p_value, f=result.f, p=result.f_p_value
            )
        )
    if any(pair.pooled is not None for pair in result.pairs):
        said.append(_POOLED())
    return [*said, *result.notes]
