"""The standings: algorithms in order, with intervals drawn on one axis and differences from the leader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from proband.inference.comparisons.comparison import Standings
from proband.report.charts.makers.rows import around
from proband.report.charts.scales import Unit
from proband.report.charts.spec import Mark
from proband.report.kinds.comparisons import given_twice, unit_weighted_cell, weighted_by
from proband.report.kinds.verdicts import leading_group
from proband.report.tables import cells
from proband.report.tables.table import Around, Bar, Cell, Column, Table
from proband.results.base import Answers
from proband.results.difference import Difference, turned
from proband.words import Sentence, as_sentence, counted

if TYPE_CHECKING:
    from proband.report.scene import Scene

_MOST_ROWS = 12  # that the first screen shows
_TOP = 10  # of more than those
_PLACE = "Best place: one more than the number of algorithms significantly better than it. Worst place: the number of algorithms minus those it is significantly better than. Holds for all algorithms together."
_LEADERS = Sentence(
    "standings.leaders",
    "note",
    "Shaded: the leading group; no algorithm is significantly better than any of its members",
)
_CHOSEN = Sentence(
    "standings.chosen-pairs",
    "note",
    "Only {n:count chosen pair} {n:word was/were} compared; other pairs were not tested",
)
_FIRST = Sentence("standings.first", "note", "The first {shown:count} of {n:count algorithm}")


class Standing(NamedTuple):
    """One algorithm with its estimate."""

    name: str
    value: float
    low: float
    high: float
    answers: Answers
    beside: Cell | None = None
    places: tuple[int, int] | None = None
    difference: Difference | None = None


def first_standings(table: Table) -> tuple[Table, Table | None]:
    """The standings as the first screen has them, of many algorithms the first; and all of them where that is not all."""
    if len(table.rows) <= _MOST_ROWS:
        return table, None
    few = replace(
        table,
        rows=table.rows[:_TOP],
        shaded=tuple(row for row in table.shaded if row < _TOP),
        notes=(" ".join([*table.notes, as_sentence(_FIRST(shown=_TOP, n=len(table.rows)))]),),
    )
    return few, replace(table, id="standings-all")


def standings_table(scene: Scene) -> Table | None:
    """The standings of several algorithms, with tests if they were compared."""
    summary = scene.summary  # the table is of what the headline is about
    standings = scene.standings if summary is None or summary.compared is None else summary.compared
    if standings is not None:
        return compared_table(standings, scene.looks)
    measured = scene.first("estimates", lambda view, part: view.estimates(part))
    if measured is None:
        return None
    of, rows = measured
    return _table(rows, of, scene.confidence_level, "rate", scene.looks)


def compared_table(comparison: Standings, places: Mapping[str, int]) -> Table:
    """The standings of algorithms that were compared."""
    leader = comparison.ordered[0].algorithm
    standing = comparison.places()
    twice = given_twice(comparison)
    rows = [
        Standing(
            name,
            one.value,
            one.low,
            one.high,
            one.answers,
            unit_weighted_cell(one) if twice else None,
            standing[name],
            _from_leader(comparison, name, leader),
        )
        for one in comparison.ordered
        if (name := one.algorithm)
    ]
    in_points = comparison.pairs[0].in_points
    group = leading_group(comparison) if comparison.all_pairs else []
    first = comparison.estimates[0]
    table = _table(
        rows, str(first.answers.of), comparison.confidence_level, "rate" if in_points else "number",
        places, leader, comparison.answers, weighted_by(first),
    )  # fmt: skip
    shaded = tuple(row for row, one in enumerate(rows) if one.name in group)
    if not comparison.all_pairs:
        return replace(table, notes=(as_sentence(_CHOSEN(n=len(comparison.pairs))),))
    notes = () if len(shaded) == len(rows) else (as_sentence(_LEADERS()),)
    return replace(table, shaded=() if len(shaded) == len(rows) else shaded, notes=notes)


def _from_leader(comparison: Standings, name: str, leader: str) -> Difference | None:
    pair = next((one for one in comparison.pairs if {one.first, one.second} == {name, leader}), None)
    return pair if pair is None or pair.first == name else turned(pair)


def _table(
    rows: Sequence[Standing],
    of: str,
    level: float,
    drawn_in: Unit,
    places: Mapping[str, int],
    leader: str | None = None,
    answers: Answers | None = None,
    weighted: tuple[str, str] = ("person", "probe"),
) -> Table:
    twice, (unit, item) = rows[0].beside is not None, weighted
    marks = [Mark(0, 0, one.value, one.low, one.high) for one in rows]
    part = cells.percent(level)
    heads = [Column("place", "number", _PLACE)] if leader is not None else []
    heads += [
        Column("algorithm", "name"),
        Column(f"{of}, {item}-weighted" if twice else of, "number"),
        Column(
            f"{part} interval",
            "interval",
            "Interval of each algorithm separately.",
            axis=around(marks, drawn_in, of),
        ),
    ]
    if twice:
        heads.append(Column(f"{unit}-weighted", "interval", f"Rate with every {unit} weighted equally."))
    if leader is not None:
        points = "points" if rows[-1].difference is not None and rows[-1].difference.in_points else ""
        several = ", adjusted for all pairs" if len(rows) > 2 else ""
        heads.append(
            Column(
                f"difference from {leader}",
                "interval",
                f"Difference from the leader, with its {part} interval{several}.",
                unit=points,
            )
        )
    made = [_row(one, places, leader, answers) for one in rows]
    return cells.table("standings", f"{counted(len(rows), 'algorithm')}, best first", tuple(heads), made)


def _row(one: Standing, places: Mapping[str, int], leader: str | None, answers: Answers | None) -> list[Cell]:
    bar = Bar(one.value, one.low, one.high, places[one.name])
    interval = replace(cells.interval_cell((one.low, one.high), one.answers), bar=bar)
    row = [cells.text_cell(one.name), cells.rate_cell(one.value), interval]
    row += [] if one.beside is None else [one.beside]
    if leader is None or one.places is None:
        return row
    return [cells.places_cell(*one.places), *row, _difference_cell(one.difference, answers)]


def _difference_cell(pair: Difference | None, answers: Answers | None) -> Cell:
    """A difference from the leader with its interval; empty for the leader."""
    if pair is None:
        return cells.empty_cell()
    unit = 100 if pair.in_points else 1
    text = f"{cells.effect(pair.value, pair.in_points)} {cells.effect_interval(pair.low, pair.high, pair.in_points)}"
    return Cell(text, Around(unit * pair.value, unit * pair.low, unit * pair.high), answers=answers)
