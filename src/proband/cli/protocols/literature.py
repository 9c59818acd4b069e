"""``proband literature``: published accuracies, and which are comparable."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli import options as o
from proband.cli.analyses.findings import named_file
from proband.cli.console import print_json, say_all, say_below, show_tables, write_csv, wrote
from proband.marks import Needs, Unless
from proband.words import plain

if TYPE_CHECKING:
    from proband.protocols.cards.card import ProtocolCard


class TableName(StrEnum):
    """Which table of Mery, Zhao and Bowyer (2016)."""

    ar = "ar"
    jaffe = "jaffe"
    feret = "feret"


def literature(
    name: Annotated[
        TableName, typer.Argument(help="Face recognition (ar), expression (jaffe) or gender (feret).")
    ],
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="Show only pairs with the same protocol on the same data."),
        Unless("card"),
    ] = False,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Also show pairs that are comparable only by their own statement."),
        Unless("card"),
    ] = False,
    card: Annotated[
        int | None, typer.Option("--card", metavar="ROW", help="Show the protocol card of a row.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="With --card: save the card to this file."),
        Needs("card"),
    ] = None,
    csv: Annotated[
        list[str] | None,
        typer.Option(
            "--csv",
            metavar="[NAME=]FILE",
            help="Write a table as CSV (rows; others as NAME=FILE: families); may be repeated.",
            rich_help_panel="Output",
        ),
        Unless("card"),
    ] = None,
    json: Annotated[o.Json, Unless("out")] = False,
    explain: Annotated[o.Explain, Unless("card")] = False,
) -> None:
    """Published accuracies by protocol, and which are comparable.

    Tables 1 to 3 of Mery, Zhao and Bowyer (2016).

    [bold]Examples[/bold]

      proband literature ar --pairs

      proband literature feret --card 6 -o theirs.json
    """
    from proband.protocols.cards.levels import Level
    from proband.protocols.cards.literature import literature as read_literature
    from proband.report.cards import families_table, literature_statements, literature_table, pairs_table

    table = read_literature(name.value)
    if card is not None:
        _show_card(table.card(card), out, json)
        return
    frames = {"rows": table.to_frame, "families": table.families_frame}
    for file in [named_file("csv", [*frames], text) for text in csv or ()]:
        write_csv(file.choose(frames, "")(), file.path)
    listed = table.pairs(Level.ON_THEIR_WORD if everything else Level.SAME_PROTOCOL)
    if json:
        only = {"name": table.name, "pairs": [plain(pair) for pair in listed]}
        content = only if pairs else table.to_dict()
        print_json(content)
        return
    if not pairs:
        show_tables(literature_table(table), families_table(table))
    if listed and (pairs or everything):
        show_tables(pairs_table(table, listed))
    different, same, *rest = literature_statements(table)
    say_all([different, same], dim=False)
    say_below(rest, explain)


def _show_card(card: ProtocolCard, out: Path | None, json: bool) -> None:
    if out is not None:
        wrote(card.write(out))
    elif json:
        print_json(card.to_dict())
    else:
        say_all(card.to_text().splitlines(), dim=False)
