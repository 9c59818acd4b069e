"""``proband blind check``: is a submission fit to be scored?"""

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
        help="How far scores that must be equal may lie apart, in typical spreads of the scores (interquartile ranges, as standard deviations).",
        rich_help_panel="Check",
    ),
]
At = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar="TIME",
        help="At which time, with a zone: 2026-12-01T12:00Z. Default: now.",
        show_default=False,
        rich_help_panel="Time",
    ),
]


@gathered
def check(
    package: Annotated[Path, typer.Argument(help="The package's directory, as it was handed out.")],
    submission: Annotated[
        Path, typer.Argument(help="The directory with submission.toml, scores.* and control.*")
    ],
    key: Annotated[
        Path | None,
        typer.Option(
            "--key",
            "-k",
            help="The key: also check repeated images, the control pair, orientation and training.",
            rich_help_panel="Check",
        ),
    ] = None,
    tolerance: Annotated[Tolerance, Needs("key")] = 1e-5,
    at: At = None,
    *,
    running: RunInputs,
) -> None:
    """Is a submission fit to be scored? Names the first thing that is wrong and how to mend it.

    It also says whether the deadline has passed, and how long remains. Participants check before sending, without the key; whoever administers the test checks again, with it. What is refused
    with the key may name repeated images: such messages are not for participants.

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
    say("Fit to be scored.", style="green")
    say_times([] if left is None else left.sentences())
    say_below(checked.sentences(), running.explain)


def say_times(notes: Iterable[Note]) -> None:
    """Print what is said of times, with a warning where it is one."""
    from proband.report.notes import is_caution

    for note in notes:
        say(f"{'Caution: ' if is_caution(note) else ''}{as_sentence(note)}")
