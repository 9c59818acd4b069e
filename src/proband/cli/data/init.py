"""``proband init``: a first study file from one's own files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proband.cli import options as o
from proband.cli.console import say, wrote
from proband.cli.outputs import require_apart


def init(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE...",
            help="Your files: scores, embeddings, images, the table of samples; or a directory of them.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The study file to write, or to add to.")
    ] = Path("study.toml"),
    add: Annotated[
        list[str] | None,
        typer.Option(
            "--add",
            metavar="SECTION",
            help="Add this section, with all its keys and defaults as proposals; may be repeated.",
        ),
    ] = None,
    names: o.Names = None,
    force: Annotated[bool, typer.Option("--force", help="Write a study file that exists anew.")] = False,
) -> None:
    """Write a study file for your own files, or add to one.

    Finds the columns of ids and subjects, failures to acquire, the algorithms, and which way scores point: that is shown with
    its evidence, for you to check. What cannot be found is left for you to fill in, and named. In a study that exists nothing is changed:
    sections are added at its end for files that it does not name yet.

    [bold]Examples[/bold]

      proband init scores.npz samples.csv -o study.toml

      proband init newer.npz --add search

      proband init photos --names "{subject}-{shot:d}"
    """
    from proband.study.init.additions import study_for
    from proband.study.init.study_file import write_initial

    looked_at = files or []
    require_apart([out], looked_at)
    made = study_for(looked_at, add or [], out, names, anew=force)
    for said in (*made.facts, *made.remarks):
        say(str(said))
    for said in made.to_fill_in:
        say(f"to fill in: {said}", style="bold")
    if not made.changed:
        return
    write_initial(made, out)
    wrote(out)
    say(f"{'Fill these in' if made.to_fill_in else 'Review it'}, then: proband run {out}")
