"""``proband blind receive``: record when a submission was received."""

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
        help="The administrator's log, one line per receipt. Created if it does not exist.",
        rich_help_panel="Output",
    ),
]


def receive(
    package: Annotated[Path, typer.Argument(help="Directory of the package, as distributed.")],
    submission: Annotated[Path, typer.Argument(help="Directory of the submission.")],
    receipts: ReceiptsFile,
    at: At = None,
    operator: o.Operator = None,
    json: o.Json = False,
) -> None:
    """Record when a submission was received, with its digest, in an append-only log.

    Every line contains the digest of the line before, so that later changes are detected. Give the
    participant the digest of the receipt. A receipt states when a submission arrived, not whether it is
    valid: proband blind check does that.

    [bold]Examples[/bold]

      proband blind receive test answers/pca --receipts receipts.jsonl --operator "A. Supervisor"

    It arrived by post before the deadline, and is recorded later:

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
    say(f"Receipt {count(receipt.number)} in {receipts}; digest for the participant: {receipt.digest}")
