"""``proband blind check``: is a submission fit to be scored?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proband.cli.console import print_json, progress_bars, say, say_below
from proband.cli.gathering import gathered
from proband.cli.inputs import RunInputs
from proband.marks import Needs

Tolerance = Annotated[
    float,
    typer.Option(
        help="How far scores that must be equal may lie apart, in typical spreads of the scores (interquartile ranges, as standard deviations).",
        rich_help_panel="Check",
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
    *,
    running: RunInputs,
) -> None:
    """Is a submission fit to be scored? Names the first thing that is wrong and how to mend it.

    Participants check before sending, without the key; whoever administers the test checks again, with it. What is refused
    with the key may name repeated images: such messages are not for participants.

    [bold]Examples[/bold]

      proband blind check test answers/pca

      proband blind check test answers/pca --key secret/test.key
    """
    from proband.blind import Key, Package
    from proband.blind.checking.checking import check as check_submission
    from proband.blind.checking.submission import Submission

    opened = None if key is None else Key.read(key)
    with progress_bars(running.quiet) as progress:
        found = check_submission(
            Package.read(package),
            Submission.read(submission, progress),
            opened,
            tolerance=tolerance,
            threads=running.threads,
            progress=progress,
        )
    if running.json:
        print_json(found.to_dict())
        return
    say("Fit to be scored.", style="green")
    say_below(found.sentences(), running.explain)
