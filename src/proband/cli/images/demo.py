"""``proband demo``: a complete example, on synthetic faces."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proband.cli import options as o
from proband.cli.analyses.findings import show_result
from proband.cli.console import progress_bars, say, typed, wrote


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Output directory.")] = Path(
        "proband-demo"
    ),
    subjects: Annotated[int, typer.Option("--subjects", "-n", min=10, help="Number of people.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed of the population.")] = 0,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm", "-a", help="Recogniser to use; may be repeated. Default: all bundled recognisers."
        ),
    ] = None,
    explain: o.Explain = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Run a complete example on synthetic faces, with a report.

    Renders the faces, crops them by their eye positions, trains every bundled recogniser on other people, and
    evaluates all of them on FERET's four probe categories.

    [bold]Example[/bold]

      proband demo --subjects 50 --out small
    """
    from proband.demo import FIGURE, GALLERY, run_demo

    with progress_bars(quiet) as progress:
        found, report = run_demo(out, subjects, seed, algorithm or [], typed(), threads, progress)
    show_result(next(iter(found.parts.values())), explain)
    data = out / "data"
    say("")
    say("Now try:")
    for line in (
        f'proband evaluate {data}/scores.npz -s {data}/samples.csv -g "{GALLERY}" --feret --figure cmc.svg',
        f'proband evaluate {data}/scores.npz -s {data}/samples.csv -g one_per_subject --category "other expression: probe.expression != mate.expression"',
        f"proband inspect {data}/scores.npz -s {data}/samples.csv",
        "proband faces population --subjects 100",
    ):
        say(f"  {line}")
    say("")
    for path in (out / f"{FIGURE}.png", out / "faces.png"):
        wrote(path)
    say(f"The report is {report}; open it in a browser.", style="bold")
