"""``proband run``: a study file carried out, from data to report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proband.cli import options as o
from proband.cli.console import progress_bars, say, say_all, say_below, wrote


def run(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="The study file; proband init writes one.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Where results go. Default: as the study says, which may name no place outside its own directory, or STUDY-results beside it.",
            rich_help_panel="Output",
        ),
    ] = None,
    cache: Annotated[
        bool,
        typer.Option(
            "--cache/--no-cache",
            help="Keep costly results in a hidden directory beside DIR, so that a run that is stopped or repeated goes on from there.",
            rich_help_panel="Output",
        ),
    ] = True,
    allow_plugins: Annotated[
        bool,
        typer.Option(
            "--allow-plugins",
            help="Let the study import and call the code it names (package.module:attribute). Only for studies you trust.",
        ),
    ] = False,
    show: Annotated[
        bool, typer.Option("--open", help="Open the report in the browser.", rich_help_panel="Output")
    ] = False,
    explain: o.Explain = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Carry out a study file: report, results, tables, figures.

    The directory appears when all is done. The same study gives the same bytes, with any number of threads.

    [bold]Example[/bold]

      proband init samples.csv scores.npz && proband run study.toml
    """
    from proband.report.directory import require_free
    from proband.report.scene import Scene
    from proband.report.writer import write_run
    from proband.study.caching import Cache, beside
    from proband.study.reading import read_study
    from proband.study.run import run as carry_out

    asked = read_study(study)
    place = out if out is not None else asked.directory
    require_free(place)
    kept = Cache(beside(place) if cache else None)
    with progress_bars(quiet) as progress:
        found = carry_out(asked, threads=threads, progress=progress, cache=kept, allow_plugins=allow_plugins)
        progress.begin("writing the report", 0)
        report = write_run(found, place, asked.request.output.formats, kept, dataset=asked.request.dataset)
    kept.finish()
    scene = Scene(found)
    if scene.summary is not None:
        say(scene.summary.headline)
    for view, part in scene.parts.values():
        say_all(view.told(part), dim=False)
    say_below(found.notes, explain)
    wrote(report)
    if show:
        import webbrowser

        webbrowser.open(report.resolve().as_uri())
