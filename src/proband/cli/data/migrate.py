"""``proband migrate``: a study file of an earlier version brought up to date."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proband.cli.console import say, wrote

_OLD_KEYS = 1  # exit code of a finding


def migrate(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="Study file.")],
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Report what would change without writing; exit code 1 if the file would change, 0 if not.",
        ),
    ] = False,
) -> int:
    """Update a study file of an earlier version: rename its keys.

    Comments, order and blank lines are preserved. The file is replaced as a whole or not at all.

    [bold]Examples[/bold]

      proband migrate study.toml

      proband migrate study.toml --check
    """
    from proband.engine.files.files import written_whole
    from proband.study.editing.migration import migrate as migrated
    from proband.study.reading import text_of_study

    made = migrated(text_of_study(study), study)
    if not made.changes:
        say(f"{study} is up to date.")
        return 0
    for change in made.changes:
        say(f"{study.name}, {change}")
    if check:
        return _OLD_KEYS
    with written_whole(study) as draft:
        draft.write_text(made.text, encoding="utf-8", newline="")
    wrote(study)
    return 0
