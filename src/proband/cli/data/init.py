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
            help="Your files: scores, embeddings, images, samples table; or a directory of them.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Study file to write or to extend.")
    ] = Path("study.toml"),
    add: Annotated[
        list[str] | None,
        typer.Option(
            "--add",
            metavar="SECTION",
            help="Add this section, with all keys commented out at their defaults; may be repeated.",
        ),
    ] = None,
    names: o.Names = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing study file.")] = False,
) -> None:
    """Write a study file for your own data, or extend an existing one.

    Detects the columns of ids and subjects, failures to acquire, the algorithms, and the orientation of the
    scores, which is shown with the evidence for you to check. What cannot be detected is listed for you to
    fill in. An existing study is not changed: sections are added at its end for files that it does not name
    yet.

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
