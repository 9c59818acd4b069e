"""``proband card``: documentation of a reported accuracy, and whether two are comparable."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.analyses.findings import show_result
from proband.cli.console import print_json, say, say_all, say_below, show_tables, talk
from proband.errors import UsageError

if TYPE_CHECKING:
    from proband.inference.classification.results import Classification
    from proband.protocols.cards.card import ProtocolCard
    from proband.protocols.cards.comparability import Comparability
    from proband.words import Note

_LEVEL = 0.95
_NOT_COMPARABLE = 3  # exit code of a finding
_NOT_VALID = 1

card = typer.Typer(
    name="card",
    help="Protocol cards: document an accuracy, compare two.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

File = Annotated[Path, typer.Argument(help="A protocol card (JSON).")]


@card.command()
def show(file: File, json: o.Json = False) -> None:
    """Show a card: what it states and omits, its digest and its EPD verdict.

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
    a: Annotated[Path, typer.Argument(help="Protocol card (JSON).")],
    b: Annotated[Path, typer.Argument(help="Another protocol card.")],
    predictions: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Prediction files of both, in the same order. Default: the files named in the cards, if they exist.",
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Show every field, also those that agree, that neither card states, or that do not affect comparability.",
        ),
    ] = False,
    margin: Annotated[
        float | None,
        typer.Option(
            help="For the paired test: the smallest relevant difference; 0.01 is one percentage point."
        ),
    ] = None,
    confidence_level: o.Level = _LEVEL,
    json: o.Json = False,
    explain: o.Explain = False,
) -> None:
    """Check whether two results are comparable, and by which test. With the predictions of both, the paired test is run.

    Exit code 3 if they are not, or if the predictions do not allow a test.

    [bold]Examples[/bold]

      proband card diff ours/card.json theirs/card.json

      proband card diff ours/card.json theirs/card.json --predictions ours.csv --predictions theirs.csv
    """
    from proband.protocols.cards.card import ProtocolCard
    from proband.protocols.cards.comparability import compare_cards
    from proband.protocols.cards.levels import Level
    from proband.protocols.cards.paired import NO_TEST
    from proband.report.cards import agreeing, comparability_table

    cards = (ProtocolCard.read(a), ProtocolCard.read(b))
    found = compare_cards(*cards)
    judging = {"margin": margin, "confidence_level": confidence_level}
    test, why = _tested(cards, (a, b), found, predictions, judging)
    if test is None and (margin is not None or confidence_level != _LEVEL):
        option = "--margin" if margin is not None else "--confidence-level"
        raise UsageError(f"{option} applies to the paired test, which is not run.", "leave it out.")
    if json:
        print_json(found.to_dict() | ({} if test is None else {"paired_test": test.to_dict()}))
    else:
        names = (a.name, b.name) if a.name != b.name else (str(a), str(b))
        table = comparability_table(found, names, everything)
        if table.rows:
            show_tables(table)
        if not everything:
            say_all(agreeing(found))
        reached, *reasons, allowed = found.sentences()
        if explain:
            say_all([reached, *reasons, allowed], dim=False)
        else:
            say_all([reached, allowed], dim=False)
            say_below(reasons, explain)
        if test is not None:
            show_result(test, explain)
        elif why is not None and (predictions or found.level == Level.SAME_TRIALS):
            say(NO_TEST(why=why))
    if not found.comparable or (predictions and test is None):
        raise typer.Exit(_NOT_COMPARABLE)


def _tested(
    cards: tuple[ProtocolCard, ProtocolCard],
    paths: tuple[Path, Path],
    found: Comparability,
    given: list[Path] | None,
    judging: dict[str, Any],
) -> tuple[Classification | None, Note | None]:
    """The paired test, or why there is none."""
    from proband.protocols.cards.paired import NOT_FOUND, paired_test, predictions_beside, why_no_test

    if given and len(given) != 2:
        raise UsageError(f"--predictions expects two files, got {len(given)}.", "pass one for each card.")
    why = why_no_test(found)
    if why is not None:
        return None, why
    beside = [predictions_beside(card, path) for card, path in zip(cards, paths, strict=True)]
    files = [*given] if given else beside
    missing = [str(path) for path, file in zip(paths, files, strict=True) if file is None]
    if missing:
        return None, NOT_FOUND(names=tuple(missing))
    return paired_test(cards, [file for file in files if file is not None], **judging), None


@card.command()
def validate(
    files: Annotated[list[Path], typer.Argument(help="Protocol cards (JSON).")],
) -> None:
    """Check cards against the schema and for contradictions. Reports the path of each error.

    [bold]Example[/bold]

      proband card validate results/*/card.json
    """
    from proband.cli.faults import as_wide_as_the_terminal
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
            talk().print(as_wide_as_the_terminal(told), style="red", markup=False, soft_wrap=True)
    if refused:
        raise typer.Exit(_NOT_VALID)
