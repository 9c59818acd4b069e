"""Published accuracies as protocol cards: the three tables of Mery, Zhao and Bowyer (2016), facts only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proband.errors import UsageError
from proband.protocols.cards.card import ProtocolCard
from proband.protocols.cards.comparability import compare_cards
from proband.protocols.cards.levels import Level
from proband.protocols.cards.sections import CardProcedure, CardProvenance, Dataset, Metric, Task, Value
from proband.protocols.notation import Protocol
from proband.results.base import Result
from proband.results.serializing import Written
from proband.words import Note, Sentence

if TYPE_CHECKING:
    import polars as pl

TABLES = ("ar", "jaffe", "feret")
_READINGS = {
    one.code: one
    for one in (
        Sentence(
            "literature.mean-over-runs",
            "note",
            "The tables report the accuracy of the paper's section 2: the mean over runs",
        ),
        Sentence(
            "literature.all-mixed",
            "note",
            "The people who are tested are those who were trained on, as a classifier of people requires: every row is mixed",
        ),
        Sentence(
            "literature.unmarked-mixed",
            "note",
            "The mark + says whether people were kept apart, so rows without it are taken as mixed",
        ),
        Sentence(
            "literature.images-counted",
            "note",
            "Males and females are counted in images; the number of people is stated in no row",
        ),
        Sentence(
            "literature.images-not-stated",
            "note",
            "The set has 213 images of 10 women in 7 expressions; how many of them were used is stated in no row, nor are seeds",
        ),
    )
}
"""How tables were read; each file names those that hold for it."""
_CONDITIONS = ("illumination", "sunglasses", "scarf")
_CLASSES = ("female", "male")


@dataclass(frozen=True)
class CardPair:
    """Two rows of a table, how far they may be compared, and whether they are of one publication, or one result."""

    rows: tuple[int, int]
    level: Level
    same_publication: bool
    same_result: bool


@dataclass(frozen=True)
class Group:
    """Rows that are comparable on their word only.

    Attributes
    ----------
    notation
        Their protocol; without ``+`` or ``mixed`` if one of them does not state which.
    rows
        Their numbers in the table.
    n_pairs
        How many pairs of them are comparable on their word; not all need be, since a row that states little differs from none.
    n_publications
        How many publications they come from.
    """

    notation: str
    rows: tuple[int, ...]
    n_pairs: int
    n_publications: int


@dataclass(frozen=True, repr=False)
class Literature(Result):
    """A table of published results.

    Attributes
    ----------
    name
        One of `TABLES`.
    title
        What the table is about.
    source, table
        Short key of the review, and the number of the table there.
    notes
        How the table was read.
    cards
        One for each row, in its order.
    """

    written = Written({"pairs": "comparable_pairs"}, also=("groups",))

    name: str
    title: str
    source: str
    table: int
    notes: tuple[Note, ...]
    cards: tuple[ProtocolCard, ...]

    def __repr__(self) -> str:
        return f"Literature({self.title}: {len(self.cards)} rows of {self.source}, table {self.table})"

    def card(self, row: int) -> ProtocolCard:
        """The card of a row, by its number in the table."""
        for one in self.cards:
            if one.provenance.row == row:
                return one
        raise UsageError(f"There is no row {row} in the table; it has {len(self.cards)}.")

    def pairs(self, least: int = Level.SAME_PROTOCOL) -> list[CardPair]:
        """The pairs of rows that may be compared, from a level on: by default the same protocol on the same data."""
        return [pair for pair in self._every_pair() if pair.level >= least]

    def groups(self) -> list[Group]:
        """Rows that are linked by pairs comparable on their word only.

        A row that does not state whether subjects are shared does not join those that do: it and they are a group of their own.
        """
        by_protocol: dict[str, list[tuple[int, int]]] = {}
        for pair in self.pairs(Level.ON_THEIR_WORD):
            if pair.level == Level.ON_THEIR_WORD:
                by_protocol.setdefault(self._protocol_of(pair.rows), []).append(pair.rows)
        found = [
            group for protocol, linked in by_protocol.items() for group in self._linked(protocol, linked)
        ]
        return sorted(found, key=lambda group: group.rows)

    def _protocol_of(self, rows: tuple[int, int]) -> str:
        notations = {self.card(row).protocol.notation or "" for row in rows}
        if len(notations) == 1:
            return notations.pop()
        return str(replace(Protocol.parse(min(notations)), disjoint=None))

    def _linked(self, protocol: str, linked: list[tuple[int, int]]) -> list[Group]:
        found: list[set[int]] = []
        for two in linked:
            touched = [group for group in found if group & set(two)]
            found = [group for group in found if group not in touched] + [set(two).union(*touched)]
        return [
            Group(
                notation=protocol,
                rows=tuple(sorted(group)),
                n_pairs=sum(set(two) <= group for two in linked),
                n_publications=len({self.card(row).provenance.publication for row in group}),
            )
            for group in found
        ]

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each published result."""
        import polars as pl

        return pl.DataFrame(
            {
                "row": [card.provenance.row for card in self.cards],
                "method": [card.method for card in self.cards],
                "publication": [card.provenance.publication for card in self.cards],
                "year": [card.provenance.year for card in self.cards],
                "accuracy": [card.value.estimate for card in self.cards],
                "subjects": [card.dataset.subjects for card in self.cards],
                "samples": [card.dataset.samples for card in self.cards],
                "protocol": [card.protocol.notation for card in self.cards],
            }
        )

    def _every_pair(self) -> Iterator[CardPair]:
        for a, b in combinations(self.cards, 2):
            both = compare_cards(a, b)
            rows = (a.provenance.row or 0, b.provenance.row or 0)
            yield CardPair(rows, both.level, both.same_publication, both.same_result)

    def comparable_pairs(self) -> list[CardPair]:
        """Every two rows that are comparable, be it on their word."""
        return self.pairs(Level.ON_THEIR_WORD)


@cache
def literature(name: str) -> Literature:
    """Return a table of published results: ``"ar"``, ``"jaffe"`` or ``"feret"``."""
    if name not in TABLES:
        raise UsageError(f"There is no literature on {name!r}.", f"there are tables on {', '.join(TABLES)}.")
    file = Path(__file__).with_name("literature") / f"{name}.json"
    table = json.loads(file.read_text(encoding="utf-8"))
    return Literature(
        name=name,
        title=table["title"],
        source=table["source"],
        table=table["table"],
        notes=tuple(_READINGS[code]() for code in table["notes"]),
        cards=tuple(_card(row, table) for row in table["rows"]),
    )


def _card(row: dict[str, Any], table: dict[str, Any]) -> ProtocolCard:
    """Make the card of a row; what the row does not hold is not stated, but for what the whole table says."""
    conditions = {name: row[name] for name in _CONDITIONS if name in row}
    classes = {name: row[name] for name in _CLASSES if row.get(name) is not None}
    images = row.get("images")
    return ProtocolCard(
        method=row["method"],
        dataset=Dataset(
            name=row.get("dataset", table["dataset"]),
            samples=sum(classes.values()) if classes else None,
            subjects=row.get("subjects"),
            images_per_subject=None if images is None else (images, images),
        ),
        task=Task(
            **table["task"],
            n_classes=len(classes) or None,
            classes=tuple(sorted(classes.items())) or None,
        ),
        conditions=tuple(sorted(conditions.items())) or None,
        protocol=_procedure(row, table),
        metric=Metric(**table["metric"]),
        value=Value(round(row["accuracy"] / 100, 6)),
        provenance=CardProvenance(
            publication=row["publication"],
            year=row["year"],
            source=table["source"],
            table=table["table"],
            row=row["row"],
            remarks=tuple(row["remarks"]) if "remarks" in row else None,
        ),
    )


def _procedure(row: dict[str, Any], table: dict[str, Any]) -> CardProcedure:
    """Read the evaluation of a row; where nothing marks it as disjoint, the table says what that means."""
    stated = CardProcedure(row["evaluation"])
    if stated.disjoint is not None:
        return stated
    return CardProcedure(stated.notation, row.get("disjoint", table["disjoint"]))
