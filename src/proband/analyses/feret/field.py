"""Who took part in a FERET study, who is consistently ahead, and both orders: tables, frames and sentences."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from proband.inference.estimates.evaluation import probes_called
from proband.inference.galleries.consistency import Consistency, PairConsistency
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.galleries.orders import Orders
from proband.inference.galleries.participants import FACTS
from proband.report.cells import (
    blank_cell,
    columns,
    count_cell,
    effect_cell,
    empty_cell,
    p_cell,
    placed_cell,
    places_cell,
    text_cell,
)
from proband.report.table import Cell, Column, Ends, Table
from proband.words import Method, Note, Sentence, count, run_of

MOST_PAIRS = 15  # of a table on the terminal
_HEADS = {"date": "tested", "metric": "metric", "training": "training", "version": "version"}
_COUNTS = Sentence(
    "feret.what-counts-are",
    "note",
    "Ahead, equal, behind: in how many of them the first's rate is higher, the same, lower: a description. Truly ahead: bounds at "
    "{level:level} for the number in which it would be so for new people, for all pairs together; sign flips of people, the same "
    "wherever a person is counted ({people:count person/people}). p: of the mean difference, among all pairs",
)
_LEFT_OUT = Sentence(
    "feret.pairs-left-out",
    "note",
    "The first {shown:count} of {pairs:count pair} of algorithms; all are in the results (--json, --out)",
)
_EMPTY_PANEL = Sentence(
    "feret.no-date",
    "note",
    "No date of a test is known for {names:names}",
)


def participants_table(study: FeretStudy) -> Table | None:
    """Who took part, with what is known of anybody; None where nothing is."""
    if not study.told_of_participants:
        return None
    known = [name for name in FACTS if any(getattr(one, name) is not None for one in study.participants)]
    rows = []
    for panel in study.panels:
        for one in study.participants:
            if one.algorithm in panel.algorithms:
                facts = (one.when if name == "date" else getattr(one, name) for name in known)
                rows.append(
                    (
                        text_cell(one.algorithm),
                        *(empty_cell() if fact is None else text_cell(fact) for fact in facts),
                    )
                )
    heads = (Column("algorithm", "name"), *(Column(_HEADS[name], "text") for name in known))
    return Table("who took part", heads, tuple(rows))


def in_panels(
    study: FeretStudy, rows: dict[str, tuple[Cell, ...]]
) -> tuple[list[tuple[Cell, ...]], tuple[int, ...]]:
    """Put the rows of algorithms under the dates of their tests, and say where panels end; as they are without dates."""
    if all(panel.date is None for panel in study.panels):
        return list(rows.values()), ()
    made: list[tuple[Cell, ...]] = []
    ends: list[int] = []
    for panel in study.panels:
        own = [rows[name] for name in rows if name in panel.algorithms]
        if not own:
            continue
        if made:
            ends.append(len(made))
        made.append((text_cell(panel.label or "no date"), *[blank_cell()] * (len(own[0]) - 1)))
        made += own
    return made, tuple(ends)


def consistency_table(found: Consistency, most: int | None = MOST_PAIRS, id: str = "") -> Table:
    """How often one algorithm is ahead of another, with bounds for how often it truly is; the first pairs only."""
    heads = (
        *columns("algorithm", "against", text=2),
        *columns("ahead", "equal", "behind", text=0),
        Column("truly ahead", "interval"),
        Column("mean difference", "number", unit="points"),
        Column("adjusted p", "number"),
        Column("verdict", "text"),
    )
    how = "" if found.galleries is None else f", {found.galleries}"
    title = f"ahead over {count(max(one.cells for one in found.pairs))} {found.over}{how}"
    return Table(title, heads, tuple(_pair_row(one, found.method) for one in found.pairs[:most]), id=id)


def _pair_row(one: PairConsistency, method: Method) -> tuple[Cell, ...]:
    bounds = Ends(one.surely_ahead, one.most_ahead)
    return (
        text_cell(one.first),
        text_cell(one.second),
        *(count_cell(n) for n in (one.ahead, one.equal, one.behind)),
        Cell(f"{run_of(one.surely_ahead, one.most_ahead)} of {count(one.cells)}", bounds),
        effect_cell(one.mean_difference),
        p_cell(one.p_adjusted, method.floor),
        text_cell(one.verdict),
    )


def orders_table(found: Orders, id: str = "") -> Table:
    """Every algorithm in both orders, with the places that the tests leave it."""
    heads = (
        Column("algorithm", "name"),
        Column(f"{found.identification}\n(place)", "number", key="identification"),
        Column("places", "number", key="identification places"),
        Column(f"{found.verification}\n(place)", "number", key="verification"),
        Column("places", "number", key="verification places"),
    )
    rows = tuple(
        (
            text_cell(one.algorithm),
            placed_cell(one.identification, one.identification_place),
            places_cell(*one.identification_places),
            placed_cell(one.verification, one.verification_place),
            places_cell(*one.verification_places),
        )
        for one in found.standings
    )
    return Table(
        f"{probes_called(found.category)}: order by identification and by verification", heads, rows, id=id
    )


def field_statements(study: FeretStudy) -> list[Note]:
    """Say what the counts mean, which panels have no date, and how the orders agree."""
    said: list[Note] = []
    for found in study.consistency:
        said += [] if len(found.pairs) > MOST_PAIRS else found.sentences()
        if len(found.pairs) > MOST_PAIRS:
            said.append(_LEFT_OUT(shown=MOST_PAIRS, pairs=len(found.pairs)))
    if study.consistency:
        people = max(one.n_people for one in study.consistency)
        said.append(_COUNTS(level=study.evaluation.confidence_level, people=people))
    for one in study.orders:
        said += one.sentences()
    undated = [panel for panel in study.panels if panel.date is None]
    if undated and len(study.panels) > 1:
        said.append(_EMPTY_PANEL(names=undated[0].algorithms))
    return list(dict.fromkeys(said))


def consistency_frame(found: Sequence[Consistency]) -> pl.DataFrame:
    """Every pair, over categories and over galleries."""
    return pl.concat((one.to_frame() for one in found), how="vertical_relaxed")


def orders_frame(found: Sequence[Orders]) -> pl.DataFrame:
    """Every algorithm in both orders, for each set of probes."""
    return pl.concat((one.to_frame() for one in found), how="vertical_relaxed")
