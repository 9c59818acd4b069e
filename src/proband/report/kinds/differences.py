"""Pairs of algorithms in tables: each difference with its interval, its test and its verdict."""

from __future__ import annotations

from proband.inference.comparisons.comparison import Standings
from proband.report import columns as col
from proband.report.tables.table import Table
from proband.results.difference import Difference, turned
from proband.words import count

ALL_PAIRS = 6  # algorithms up to which every pair is shown; beyond, those with the leader
_MOST_EMBEDDED, _LEADING = (
    300,
    10,
)  # pairs in a page: those of 25 algorithms; of more, those of the leading ones
_MOST_PAIRS = 15  # in brief: those of six algorithms
_ADJUSTED = {
    "single-step": "The p-value and the interval are adjusted for all pairs.",
    "none": "Not adjusted for other pairs.",
}


def pairs_shown(comparison: Standings) -> tuple[Difference, ...]:
    """Every pair of a few algorithms, the best first, or the chosen pairs; with many, the leader against each other algorithm, in order."""
    if not comparison.all_pairs:
        return comparison.pairs
    if len(comparison.estimates) <= ALL_PAIRS:
        return comparison.leading_pairs
    best, *others = (one.algorithm for one in comparison.ordered)
    by_names = {frozenset((pair.first, pair.second)): pair for pair in comparison.pairs}
    pairs = [by_names[frozenset((best, other))] for other in others]
    return tuple(pair if pair.first == best else turned(pair) for pair in pairs)


def pairs_embedded(comparison: Standings) -> tuple[Difference, ...]:
    """The pairs embedded in the page: all, or with very many the pairs of the leading algorithms, best first."""
    if len(comparison.pairs) <= _MOST_EMBEDDED or not comparison.all_pairs:
        return comparison.pairs
    leading = {one.algorithm for one in comparison.ordered[:_LEADING]}
    return tuple(pair for pair in comparison.leading_pairs if {pair.first, pair.second} <= leading)


def difference_tables(comparison: Standings | None) -> list[Table]:
    """Differences between three or more algorithms in brief, with many only the leaders'; two algorithms get a sentence instead."""
    if comparison is None or len(comparison.pairs) == 1 or comparison.pairs[0].n_trials is not None:
        return []
    shown, n = comparison.leading_pairs[:_MOST_PAIRS], len(comparison.pairs)
    part = f", first {count(len(shown))} of {count(n)} pairs, best algorithms first"
    more = f"The other {count(n - len(shown))} are in the frame and the CSV file."
    return [
        col.table_of(
            f"Differences{part if len(shown) < n else ''}",
            shown,
            *_names_and_effect(comparison),
            _tested(shown[0]),
            col.text("verdict", lambda pair: pair.verdict),
            id="differences",
            notes=[more] if len(shown) < n else [],
        )
    ]


def _names_and_effect(comparison: Standings) -> list[col.ColumnOf[Difference]]:
    in_points = comparison.pairs[0].in_points
    return [
        col.name("first", lambda pair: pair.first),
        col.name("second", lambda pair: pair.second),
        col.effect(
            "difference" + (", points" if in_points else ""),
            lambda pair: pair.value,
            "First minus second.",
            in_points=in_points,
        ),
        col.effect_interval(
            col.at_level(comparison.confidence_level), answers=comparison.answers, in_points=in_points
        ),
    ]


def _tested(pair: Difference) -> col.ColumnOf[Difference]:
    heading = "p" if pair.adjustment == "none" else "adjusted p"
    return col.p(heading, lambda pair: pair.p_with_floor, _ADJUSTED[pair.adjustment])


def pairs_table(id: str, caption: str, comparison: Standings) -> Table:
    """The full table of differences."""
    shown = pairs_shown(comparison)
    with_counts = any(pair.n_sf is not None for pair in shown)
    notes = []
    if len(shown) < len(comparison.pairs):
        notes.append(
            f"The leader against each other algorithm, out of {count(len(comparison.pairs))} pairs; p-values are adjusted for all pairs."
        )
        if len(pairs_embedded(comparison)) < len(comparison.pairs):
            notes.append(
                "All pairs are in the tables and in results.json, in the same directory as the page."
            )
    return col.table_of(
        caption,
        shown,
        *_names_and_effect(comparison),
        col.p("p", lambda pair: (pair.p_value, pair.method.floor)),
        col.p("adjusted p", lambda pair: pair.p_with_floor, _ADJUSTED[shown[0].adjustment]),
        col.count(
            "only first",
            lambda pair: pair.n_sf,
            "Only the first is correct.",
            when=with_counts,
        ),
        col.count("only second", lambda pair: pair.n_fs, when=with_counts),
        col.text("verdict", lambda pair: pair.verdict),
        id=id,
        notes=notes,
    )
