"""``proband demo``: a complete evaluation of synthetic faces."""

from __future__ import annotations

import os
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from proband.cli import options as o
from proband.cli.console import (
    program,
    progress_bars,
    say,
    say_below,
    say_command,
    show_tables,
    typed,
    wrote,
)
from proband.words import as_typed


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Where to write the report.")
    ] = Path("proband-demo"),
    subjects: Annotated[int, typer.Option("--subjects", "-n", min=10, help="The number of people.")] = 200,
    seed: Annotated[int, typer.Option(help="The seed of the population.")] = 0,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm", "-a", help="A recogniser; may be repeated. Default: all bundled recognisers."
        ),
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open the report in a browser.")] = False,
    explain: o.Explain = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Evaluate all recognisers on synthetic faces; open the report.

    Renders faces, crops them by their eyes, trains every bundled recogniser on other people, and evaluates
    all of them on FERET's four probe categories.

    [bold]Example[/bold]

      proband demo --subjects 50 --out small
    """
    from proband.demo import FIGURE, SHOWN, leading_table, run_demo
    from proband.report.kinds.evaluation import statements

    with progress_bars(quiet) as progress:
        evaluation, report = run_demo(out, subjects, seed, algorithm or [], typed(), threads, progress)
    show_tables(leading_table(evaluation))
    n_algorithms = len(evaluation.algorithms)
    if n_algorithms > SHOWN:
        say(f"{SHOWN} of {n_algorithms} algorithms shown; all are in the report.")
        say("")
    say_below(statements(evaluation), explain, [evaluation.answers])
    for path in (out / f"{FIGURE}.png", out / "faces.png"):
        wrote(path)
    data = as_typed(str(out / "data" / "scores.npz"), "-s", str(out / "data" / "samples.csv"))
    say("")
    say("Next:")
    say_command(f"{program()} inspect {data}")
    say_command(f"{program()} evaluate {data} -g one_per_subject --figure cmc.svg")
    say("")
    address = report.resolve().as_uri()
    typer.echo(address)  # one line at any width, so that terminals make it a link
    if not no_open and _has_display():
        with suppress(webbrowser.Error, OSError):
            webbrowser.open(address)


def _has_display() -> bool:
    """Whether a person at a terminal can see a browser window."""
    if not sys.stdout.isatty() or os.environ.get("CI"):
        return False
    return sys.platform in ("win32", "darwin") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
