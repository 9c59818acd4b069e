"""``proband blind check``: can a submission be scored?"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from proband.cli.console import print_json, progress_bars, say, say_below
from proband.cli.gathering import gathered
from proband.cli.inputs import RunInputs
from proband.marks import Needs
from proband.words import Note, as_sentence

Tolerance = Annotated[
    float,
    typer.Option(
        help="Largest difference between scores that must be equal, in units of the typical spread of scores "
        "(interquartile range, scaled to a standard deviation).",
        rich_help_panel="Check",
    ),
]
At = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar="TIME",
        help="Time of receipt, with a time zone: 2026-12-01T12:00Z. Default: now.",
        show_default=False,
        rich_help_panel="Time",
    ),
]


@gathered
def check(
    package: Annotated[Path, typer.Argument(help="Directory of the package, as distributed.")],
    submission: Annotated[
        Path, typer.Argument(help="Directory with submission.toml, scores.* and control.*")
    ],
    key: Annotated[
        Path | None,
        typer.Option(
            "--key",
            "-k",
            help="Key file: also check repeated images, the control pair, orientation and training.",
            rich_help_panel="Check",
        ),
    ] = None,
    tolerance: Annotated[Tolerance, Needs("key")] = 1e-5,
    at: At = None,
    *,
    running: RunInputs,
) -> None:
    """Check whether a submission can be scored. Reports the first error and how to fix it.

    Also reports whether the deadline has passed, or how much time remains. Participants check before sending,
    without the key; the test administrator checks again, with the key. Error messages with the key may name
    repeated images: do not pass them on to participants.

    [bold]Examples[/bold]

      proband blind check test answers/pca

      proband blind check test answers/pca --key secret/test.key
    """
    from proband.blind import Key, Package, time_left
    from proband.blind.checking.checking import check as check_submission
    from proband.blind.checking.submission import Submission

    opened = None if key is None else Key.read(key)
    test = Package.read(package)
    left = time_left(test, at)
    with progress_bars(running.quiet) as progress:
        checked = check_submission(
            test,
            Submission.read(submission, progress),
            opened,
            tolerance=tolerance,
            threads=running.threads,
            progress=progress,
        )
    if running.json:
        print_json(checked.to_dict() | ({} if left is None else {"time": left.to_dict()}))
        return
    say("Ready to be scored.", style="green")
    say_times([] if left is None else left.sentences())
    say_below(checked.sentences(), running.explain)


def say_times(notes: Iterable[Note]) -> None:
    """Print notes on times, with cautions marked."""
    from proband.report.notes import is_caution

    for note in notes:
        say(f"{'Caution: ' if is_caution(note) else ''}{as_sentence(note)}")
