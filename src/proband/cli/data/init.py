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
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Your files: scores, embeddings, images, the table of samples; or a directory of them.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The study file to write.")] = Path(
        "study.toml"
    ),
    names: o.Names = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a study file that exists.")] = False,
) -> None:
    """Look at your files and write a study file for them.

    Finds the columns of ids and subjects, failures to acquire, the algorithms, and which way scores point: that is shown with
    its evidence, for you to check. What cannot be found is left for you to fill in, and named.

    [bold]Examples[/bold]

      proband init scores.npz samples.csv -o study.toml

      proband init photos --names "{subject}-{shot:d}"
    """
    from proband.study.init.study_file import initial_study, require_free, write_initial

    require_apart([out], files)
    require_free(out, force)
    made = initial_study(files, out, names)
    write_initial(made, out)
    for said in (*made.facts, *made.remarks):
        say(str(said))
    for said in made.to_fill_in:
        say(f"to fill in: {said}", style="bold")
    wrote(out)
    say(f"{'Fill these in' if made.to_fill_in else 'Look it through'}, then: proband run {out}")
