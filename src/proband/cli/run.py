"""``proband run``: run a study file, from data to report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli import options as o
from proband.cli.console import progress_bars, say, say_all, say_below, wrote

if TYPE_CHECKING:
    from proband.study.definition import Study


def run(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="Study file; proband init writes one.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Output directory. Default: the directory named in the study (within its own directory), or STUDY-results next to it.",
            rich_help_panel="Output",
        ),
    ] = None,
    cache: Annotated[
        bool,
        typer.Option(
            "--cache/--no-cache",
            help="Keep expensive results in a hidden directory next to DIR, so that an interrupted or repeated run continues from there.",
            rich_help_panel="Output",
        ),
    ] = True,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="SECTION",
            help="Run only the analysis of this section, and those whose results it needs; may be repeated. DIR then contains only these.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Show what would be read and done, with estimates of time and memory; compute and write nothing.",
        ),
    ] = False,
    allow_plugins: Annotated[
        bool,
        typer.Option(
            "--allow-plugins",
            help="Allow the study to import and call the code it names (package.module:attribute). Only for studies you trust.",
        ),
    ] = False,
    show: Annotated[
        bool, typer.Option("--open", help="Open the report in the browser.", rich_help_panel="Output")
    ] = False,
    explain: o.Explain = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Run a study file: report, results, tables, figures.

    The output directory appears when the run is complete. The same study gives identical files, with any number of threads.

    [bold]Examples[/bold]

      proband init samples.csv scores.npz && proband run study.toml

      proband run study.toml --dry-run

      proband run study.toml --only verification --out verification
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
    chosen = tuple(only or ())
    if dry_run:
        _show_preview(asked, place, chosen, threads, quiet, allow_plugins)
        return
    kept = Cache(beside(place) if cache else None)
    with progress_bars(quiet) as progress:
        findings = carry_out(
            asked,
            only=chosen,
            threads=threads,
            progress=progress,
            cache=kept,
            allow_plugins=allow_plugins,
        )
        progress.begin("writing the report", 0)
        scene = Scene(findings)
        report = write_run(scene, place, asked.request.output.formats, kept, dataset=asked.request.dataset)
    kept.finish()
    if scene.summary is not None:
        say_all(scene.summary.headlines, dim=False)
    for view, part in scene.parts.values():
        say_all(view.told(part), dim=False)
    say_below(findings.notes, explain)
    wrote(report)
    if show:
        import webbrowser

        webbrowser.open(report.resolve().as_uri())


def _show_preview(
    study: Study, place: Path, only: tuple[str, ...], threads: int | None, quiet: bool, allow_plugins: bool
) -> None:
    from proband.study.runs.preview import preview

    with progress_bars(quiet) as progress:
        made = preview(
            study, place, only=only, threads=threads, progress=progress, allow_plugins=allow_plugins
        )
    for read in made.reads:
        say(str(read))
    say("")
    for number, step in enumerate(made.steps, 1):
        say(f"{number}. {step}")
    say("")
    if made.cost is not None:
        say(made.cost)
    say_all(made.notes, dim=False)
    say("Nothing was computed or written.")
