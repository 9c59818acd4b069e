"""``proband blind receive``: record when a submission was handed in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proband.cli import options as o
from proband.cli.blind.check import At, say_times
from proband.cli.console import print_json, say
from proband.words import count, counted

ReceiptsFile = Annotated[
    Path,
    typer.Option(
        "--receipts",
        "-r",
        metavar="FILE",
        help="The supervisor's log: one line a receipt. It is made if it is not there.",
        rich_help_panel="Output",
    ),
]


def receive(
    package: Annotated[Path, typer.Argument(help="The package's directory, as it was handed out.")],
    submission: Annotated[Path, typer.Argument(help="The directory that was handed in.")],
    receipts: ReceiptsFile,
    at: At = None,
    operator: o.Operator = None,
    json: o.Json = False,
) -> None:
    """Record when a submission was handed in, with its digest, in a log to which lines are only added.

    Every line holds the digest of the line before, so that none can be changed later without notice. Give the participant the
    digest of the receipt. What is received is checked by blind check, not here: a receipt says when, not how good.

    [bold]Examples[/bold]

      proband blind receive test answers/pca --receipts receipts.jsonl --operator "A. Supervisor"

    It came by post before the deadline, and is recorded later:

      proband blind receive test answers/lda --receipts receipts.jsonl --at 2026-12-01T11:30+01:00
    """
    from proband.blind import Package, receive as record

    test = Package.read(package)
    receipt = record(test, submission, receipts, at=at, operator=operator)
    if json:
        print_json(receipt.to_dict())
        return
    say_times(receipt.sentences(test))
    say(f"Submission: {counted(len(receipt.files), 'file')}, digest {receipt.submission}")
    say(f"Receipt {count(receipt.number)} in {receipts}, for the participant: {receipt.digest}")
