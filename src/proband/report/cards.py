"""Protocol cards and published results as tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from proband.protocols.card import NOT_STATED, ProtocolCard, shown
from proband.protocols.comparability import Comparability
from proband.protocols.literature import Literature, Pair
from proband.protocols.notation import Protocol

if TYPE_CHECKING:
    from rich.table import Table

_STYLES = {"agree": "green", "differ": "red", NOT_STATED: "dim"}
_UNKNOWN = "?"


def comparability_table(found: Comparability, names: tuple[str, str], everything: bool = False) -> Table:
    """Make a table of two cards, field by field; fields that neither states, or that do not bear on it, only if asked."""
    table = _table("field", *names, "")
    for one in found.fields:
        if everything or (one.bears and (one.a, one.b) != (None, None)):
            style = _STYLES[one.verdict] if one.bears else "dim"
            _add(table, [one.field, shown(one.a), shown(one.b), one.verdict], style)
    return table


def literature_table(found: Literature) -> Table:
    """Make a table of published results, as the review has them; what is not stated is a question mark."""
    conditions = sorted({name for card in found.cards for name, _ in card.conditions or ()})
    classes = sorted({name for card in found.cards for name, _ in card.task.classes or ()})
    counted = ["subjects"] if any(card.dataset.subjects for card in found.cards) else []
    imaged = ["images each"] if any(card.dataset.images_per_subject for card in found.cards) else []
    columns = ["row", "method", "publication", "year", "accuracy", *counted, *imaged, *conditions, *classes]
    table = _table(*columns, "protocol")
    for card in found.cards:
        images = card.dataset.images_per_subject
        cells = [
            str(card.provenance.row),
            card.method,
            card.provenance.publication,
            str(card.provenance.year),
            None if card.value.estimate is None else f"{100 * card.value.estimate:.1f}",
            *([_number(card.dataset.subjects)] if counted else []),
            *([None if images is None else shown(list(images))] if imaged else []),
            *(_condition(card, name) for name in conditions),
            *(_number(dict(card.task.classes or ()).get(name)) for name in classes),
            card.protocol.notation,
        ]
        _add(table, [_UNKNOWN if cell is None else cell for cell in cells])
    return table


def pairs_table(found: Literature, pairs: Sequence[Pair]) -> Table:
    """Make a table of pairs of published results."""
    cards = {card.provenance.row: card for card in found.cards}
    table = _table("rows", "methods", "accuracy", "protocol", "may they be compared?")
    for pair in pairs:
        a, b = (cards[row] for row in pair.rows)
        values = " and ".join(f"{100 * (card.value.estimate or 0):.1f}" for card in (a, b))
        protocols = dict.fromkeys(card.protocol.notation or NOT_STATED for card in (a, b))
        cells = [
            f"{pair.rows[0]}, {pair.rows[1]}",
            f"{a.method} and {b.method}",
            values,
            " / ".join(protocols),
            _verdict(pair.found),
        ]
        _add(table, cells)
    return table


def literature_statements(found: Literature) -> list[str]:
    """Say in sentences which rows are comparable, and how the table was read."""
    pairs = found.pairs()
    two = [pair.rows for pair in pairs if not pair.found.same_result]
    once = [pair.rows for pair in pairs if pair.found.same_result]
    said = [f"Same protocol on the same data: {_rows(two)}."]
    if once:
        said.append(f"One publication listed twice, not a comparison: {_rows(once)}.")
    for group in found.groups():
        n = len(group.rows)
        some = (
            ""
            if group.n_pairs == n * (n - 1) // 2
            else f"; {group.n_pairs} of their {n * (n - 1) // 2} pairs"
        )
        of = f"rows {', '.join(map(str, group.rows))} of {group.n_publications} publications{some}"
        unsaid = Protocol.parse(group.notation).disjoint is None
        protocol = f"{group.notation}, mixed or not being not stated" if unsaid else group.notation
        said.append(f"Comparable on their word only, {protocol}: {of}.")
    return [*said, *found.notes]


def _rows(pairs: Sequence[tuple[int, int]]) -> str:
    return ", ".join(f"rows {a} and {b}" for a, b in pairs) or "no two rows"


def _verdict(found: Comparability) -> str:
    if found.same_result:
        return "same publication and value: not a comparison"
    within = ", within one publication" if found.same_publication else ""
    return f"{int(found.level)}: {found.level.words}{within}"


def _condition(card: ProtocolCard, name: str) -> str | None:
    value = dict(card.conditions or ()).get(name)
    return None if value is None else shown(value)


def _number(value: int | None) -> str | None:
    return None if value is None else f"{value:,}"


def _table(*columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        table.add_column(name, overflow="fold")
    return table


def _add(table: Table, cells: Sequence[str], style: str | None = None) -> None:
    """Add a row of plain text: brackets of the notation are not markup."""
    from rich.text import Text

    table.add_row(*map(Text, cells), style=style)
