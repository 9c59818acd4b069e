"""``proband card``: what a reported accuracy is of, and whether two may be compared."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proband.cli import options as o
from proband.cli.console import print_json, say, say_all, say_below, show_tables, talk

_NOT_COMPARABLE = 3  # exit code of a finding

card = typer.Typer(
    name="card",
    help="Protocol cards: what an accuracy is of; may two be compared?",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

File = Annotated[Path, typer.Argument(help="A protocol card (JSON).")]


@card.command()
def show(file: File, json: o.Json = False) -> None:
    """Show a card: what it states, what it does not, its digest and its EPD verdict.

    [bold]Example[/bold]

      proband card show results/card.json
    """
    from proband.protocols.cards.card import ProtocolCard

    found = ProtocolCard.read(file)
    if json:
        content = {**found.to_dict(), "sha256": found.digest, "epd": found.epd.to_dict()}
        print_json(content)
        return
    say_all(found.to_text().splitlines(), dim=False)


@card.command()
def diff(
    a: Annotated[Path, typer.Argument(help="A protocol card (JSON).")],
    b: Annotated[Path, typer.Argument(help="Another one.")],
    everything: Annotated[
        bool,
        typer.Option("--all", help="Also fields that neither states, or that do not bear on comparability."),
    ] = False,
    json: o.Json = False,
    explain: o.Explain = False,
) -> None:
    """May two results be compared, and by what test? Exit code 3 if they may not.

    [bold]Example[/bold]

      proband card diff ours/card.json theirs/card.json
    """
    from proband.protocols.cards.card import ProtocolCard
    from proband.protocols.cards.comparability import compare_cards
    from proband.report.analyses.cards import comparability_table

    found = compare_cards(ProtocolCard.read(a), ProtocolCard.read(b))
    if json:
        print_json(found.to_dict())
    else:
        names = (a.name, b.name) if a.name != b.name else (str(a), str(b))
        show_tables(comparability_table(found, names, everything))
        level, *reasons, allowed = found.sentences()
        if explain:
            say_all([level, *reasons, allowed], dim=False)
        else:
            say_all([level, allowed], dim=False)
            say_below(reasons, explain)
    if not found.comparable:
        raise typer.Exit(_NOT_COMPARABLE)


@card.command()
def validate(
    files: Annotated[list[Path], typer.Argument(help="Protocol cards (JSON).")],
) -> None:
    """Are these cards as the schema has them, and free of contradictions? Names the path of what is wrong.

    [bold]Example[/bold]

      proband card validate results/*/card.json
    """
    from proband.errors import ProbandError
    from proband.protocols.cards.card import ProtocolCard

    refused = 0
    for file in files:
        try:
            read = ProtocolCard.read(file)
            say(f"{file}: {read.digest}; {read.epd.summary()}")
        except ProbandError as error:
            refused += 1
            message, hint = error.of_file(str(file)).told("command line")
            told = message if hint is None else f"{message}\nhint: {hint}"
            talk().print(told, style="red", markup=False, soft_wrap=True)
    if refused:
        raise typer.Exit(1)
