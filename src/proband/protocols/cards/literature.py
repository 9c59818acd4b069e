"""Published accuracies as protocol cards: the three tables of Mery, Zhao and Bowyer (2016), facts only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from proband.errors import UsageError
from proband.protocols.cards.card import ProtocolCard
from proband.protocols.cards.comparability import compare_cards
from proband.protocols.cards.levels import Level
from proband.protocols.cards.sections import CardProcedure, CardProvenance, Dataset, Metric, Task, Value
from proband.protocols.notation import Family, Protocol
from proband.results.base import Result
from proband.results.serializing import Written
from proband.words import Note, Sentence

if TYPE_CHECKING:
    import polars as pl

TABLES = ("ar", "jaffe", "feret")
Subjects = Literal["mixed", "disjoint", "not stated"]
_READINGS = {
    reading.code: reading
    for reading in (
        Sentence(
            "literature.mean-over-runs",
            "note",
            "The tables report the accuracy of the paper's section 2: the mean over runs",
        ),
        Sentence(
            "literature.all-mixed",
            "note",
            "The people tested are also in training, as a classifier of people requires, so every row is mixed",
        ),
        Sentence(
            "literature.unmarked-mixed",
            "note",
            "The mark + states that people were kept apart, so rows without it are taken as mixed",
        ),
        Sentence(
            "literature.images-counted",
            "note",
            "Males and females are numbers of images; no row states the number of people",
        ),
        Sentence(
            "literature.images-not-stated",
            "note",
            "The set has 213 images of 10 women in 7 expressions; no row states how many images were used, or the seeds",
        ),
        Sentence(
            "literature.text-of-the-paper",
            "note",
            "The text of the paper counts at least 13 protocols and gives 88.3% to 96.7% for hold-outs and leave-one-out, which the rows of its table do not support",
        ),
    )
}
"""How tables were read; each file names the rules that apply to it."""
_CONDITIONS = ("illumination", "sunglasses", "scarf")
_CLASSES = ("female", "male")


@dataclass(frozen=True)
class CardPair:
    """Two rows of a table, their level of comparability, and whether they are from the same publication or the same result."""

    rows: tuple[int, int]
    level: Level
    same_publication: bool
    same_result: bool


@dataclass(frozen=True)
class Group:
    """Rows that are comparable only as far as stated.

    Attributes
    ----------
    notation
        Their protocol; without ``+`` or ``mixed`` if a row does not state it.
    rows
        Their numbers in the table.
    n_pairs
        The number of pairs comparable as far as stated; not all pairs need be, because a row that states
        little differs from no other.
    n_publications
        The number of publications they come from.
    """

    notation: str
    rows: tuple[int, ...]
    n_pairs: int
    n_publications: int


@dataclass(frozen=True)
class AccuracyRange:
    """The accuracies reported under one kind of protocol.

    Attributes
    ----------
    family
        Hold-out, cross-validation, …; None for all of them.
    subjects
        Whether subjects were ``mixed`` or ``disjoint``, or that this is ``not stated``; None for all.
    rows
        Their numbers in the table.
    n_publications, n_protocols
        The number of publications they come from, and of different protocols they state.
    lowest, highest
        The range of accuracies, as shares of 1.
    """

    family: Family | None
    subjects: Subjects | None
    rows: tuple[int, ...]
    n_publications: int
    n_protocols: int
    lowest: float
    highest: float


@dataclass(frozen=True, repr=False)
class Literature(Result):
    """A table of published results.

    Attributes
    ----------
    name
        One of `TABLES`.
    title
        The title of the table.
    source, table
        Short key of the review, and the number of the table there.
    notes
        How the table was read.
    cards
        One card for each row, in order.
    """

    written = Written(
        {"pairs": "comparable_pairs"}, also=("groups", "n_protocols", "n_experiments", "families", "subjects")
    )

    name: str
    title: str
    source: str
    table: int
    notes: tuple[Note, ...]
    cards: tuple[ProtocolCard, ...]

    def __repr__(self) -> str:
        return f"Literature({self.title}: {len(self.cards)} rows of {self.source}, table {self.table})"

    def card(self, row: int) -> ProtocolCard:
        """Return the card of a row, by its number in the table."""
        for card in self.cards:
            if card.provenance.row == row:
                return card
        raise UsageError(f"There is no row {row} in the table; it has {len(self.cards)}.")

    @property
    def n_protocols(self) -> int:
        """The number of different protocols, regardless of the images."""
        return _different(self.cards)

    @property
    def n_experiments(self) -> int:
        """The number of different experiments: protocols together with the stated people, images and conditions."""
        return len({_experiment(card) for card in self.cards})

    def families(self) -> list[AccuracyRange]:
        """The range of accuracies by family of protocols, separately for mixed and disjoint subjects."""
        return [
            made
            for family in get_args(Family)
            for subjects in get_args(Subjects)
            if (made := self._range(family, subjects)) is not None
        ]

    def subjects(self) -> list[AccuracyRange]:
        """The range of accuracies with mixed and with disjoint subjects, and of all rows."""
        ranges = (self._range(None, subjects) for subjects in (*get_args(Subjects), None))
        return [span for span in ranges if span is not None]

    def families_frame(self) -> pl.DataFrame:
        """Return the ranges of `families` and `subjects` as a table."""
        from proband.engine.frames import frame_of_rows

        return frame_of_rows(
            {
                "family": span.family or "all",
                "subjects": span.subjects or "all",
                "rows": len(span.rows),
                "publications": span.n_publications,
                "protocols": span.n_protocols,
                "lowest": span.lowest,
                "highest": span.highest,
            }
            for span in (*self.families(), *self.subjects())
        )

    def _range(self, family: Family | None, subjects: Subjects | None) -> AccuracyRange | None:
        cards = [
            card
            for card in self.cards
            if family in (None, _stated(card).family) and subjects in (None, _subjects(card))
        ]
        values = [card.value.estimate for card in cards if card.value.estimate is not None]
        if not values:
            return None
        return AccuracyRange(
            family,
            subjects,
            tuple(card.provenance.row or 0 for card in cards),
            len({card.provenance.publication for card in cards}),
            _different(cards),
            min(values),
            max(values),
        )

    def pairs(self, least: int = Level.SAME_PROTOCOL) -> list[CardPair]:
        """Return the pairs of rows comparable at least at this level: by default the same protocol on the same data."""
        return [pair for pair in self._every_pair() if pair.level >= least]

    def groups(self) -> list[Group]:
        """Return groups of rows linked by pairs that are comparable only as far as stated.

        A row that does not state whether subjects are shared does not link rows that do: they form a separate
        group.
        """
        by_protocol: dict[str, list[tuple[int, int]]] = {}
        for pair in self.pairs(Level.ON_THEIR_WORD):
            if pair.level == Level.ON_THEIR_WORD:
                by_protocol.setdefault(self._protocol_of(pair.rows), []).append(pair.rows)
        groups = [
            group for protocol, linked in by_protocol.items() for group in self._linked(protocol, linked)
        ]
        return sorted(groups, key=lambda group: group.rows)

    def _protocol_of(self, rows: tuple[int, int]) -> str:
        notations = {self.card(row).protocol.notation or "" for row in rows}
        if len(notations) == 1:
            return notations.pop()
        return str(replace(Protocol.parse(min(notations)), disjoint=None))

    def _linked(self, protocol: str, linked: list[tuple[int, int]]) -> list[Group]:
        groups: list[set[int]] = []
        for two in linked:
            touched = [group for group in groups if group & set(two)]
            groups = [group for group in groups if group not in touched] + [set(two).union(*touched)]
        return [
            Group(
                notation=protocol,
                rows=tuple(sorted(group)),
                n_pairs=sum(set(two) <= group for two in linked),
                n_publications=len({self.card(row).provenance.publication for row in group}),
            )
            for group in groups
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
        """All pairs of rows that are comparable, including those comparable only as far as stated."""
        return self.pairs(Level.ON_THEIR_WORD)


def _stated(card: ProtocolCard) -> Protocol:
    return card.protocol.parsed or Protocol("unstated")


def _subjects(card: ProtocolCard) -> Subjects:
    return {True: "disjoint", False: "mixed", None: "not stated"}[card.protocol.disjoint]  # type: ignore[return-value]


def _different(cards: Iterable[ProtocolCard]) -> int:
    """How many different protocols are stated; another data set makes another protocol of the same notation."""
    return len(
        {(card.protocol.notation, card.dataset.name) for card in cards if card.protocol.notation is not None}
    )


def _experiment(card: ProtocolCard) -> tuple[object, ...]:
    data = card.dataset
    used = (data.name, data.subjects, data.images_per_subject, data.samples)
    return (card.protocol.notation, *used, card.task.classes, card.conditions)


@cache
def literature(name: str) -> Literature:
    """Return a table of published results: ``"ar"``, ``"jaffe"`` or ``"feret"``."""
    if name not in TABLES:
        raise UsageError(f"There is no literature table on {name!r}.", f"choose from {', '.join(TABLES)}.")
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
