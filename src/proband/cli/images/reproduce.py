"""``proband reproduce``: published studies, repeated on synthetic people."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli import options as o
from proband.cli.analyses.findings import show_findings
from proband.cli.console import progress_bars, tell, tell_command, wrote

if TYPE_CHECKING:
    from proband.papers.page import Reproduction

reproduce = typer.Typer(
    name="reproduce",
    help="Reproduce published studies on synthetic people.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Out = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Directory of the report.")]


@reproduce.command()
def beveridge2001(
    out: Out = Path("beveridge2001"),
    n_resamples: Annotated[
        int, typer.Option("--n-resamples", "--trials", "-t", min=1, help="Number of trials.")
    ] = 10_000,
    seed: o.Seed = 0,
    people: Annotated[
        int, typer.Option("--people", min=8, help="Number of people to test; 160 in the paper.")
    ] = 160,
    training: Annotated[
        int, typer.Option("--training", min=8, help="Number of people to train on; 225 in the paper.")
    ] = 225,
    explain: o.Explain = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """McNemar's tests, the bootstrap, and permuted galleries and probes (Beveridge, She, Draper and Givens 2001)."""
    from proband.papers.beveridge2001_study import reproduce_beveridge2001

    with progress_bars(quiet) as progress:
        made, page = reproduce_beveridge2001(out, n_resamples, seed, threads, progress, people, training)
    _show(made, page, explain)


@reproduce.command(name="micheals-boult2001")
def micheals_boult2001(
    out: Out = Path("micheals-boult2001"),
    seed: o.Seed = 0,
    people: Annotated[
        int | None,
        typer.Option(
            "--people",
            min=10,
            help="Number of people to test in both parts; 481 and 256 in the paper.",
            show_default=False,
        ),
    ] = None,
    explain: o.Explain = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Galleries, mixing and balanced repeated replication (Micheals and Boult 2001, Efficient Evaluation)."""
    from proband.papers.micheals_boult2001 import reproduce_micheals_boult2001

    wanted = None if people is None else {3: people, 4: people}
    with progress_bars(quiet) as progress:
        made, page = reproduce_micheals_boult2001(out, seed, threads, progress, wanted)
    _show(made, page, explain)


@reproduce.command()
def feret2000(
    out: Out = Path("feret2000"),
    people: Annotated[
        int, typer.Option("--people", min=24, help="Number of people to test; 1,196 in the paper.")
    ] = 300,
    seed: o.Seed = 0,
    explain: o.Explain = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """The FERET evaluation of September 1996 (Phillips, Moon, Rizvi and Rauss 2000): categories, versions, galleries."""
    from proband.papers.feret2000_study import reproduce_feret2000

    with progress_bars(quiet) as progress:
        made, page = reproduce_feret2000(out, people, seed, threads, progress)
    _show(made, page, explain)


@reproduce.command()
def mery2016(
    out: Out = Path("mery2016"),
    people: Annotated[
        int,
        typer.Option("--people", min=12, help="Number of people in the largest gallery; 100 in the paper."),
    ] = 100,
    runs: Annotated[int, typer.Option("--runs", min=2, help="Runs of every protocol; 50 in the paper.")] = 30,
    seed: o.Seed = 0,
    explain: o.Explain = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Accuracy under many protocols (Mery, Zhao and Bowyer 2016, Tables 4 to 6): identity, expression and sex."""
    from proband.papers.mery2016_study import reproduce_mery2016

    with progress_bars(quiet) as progress:
        made, page = reproduce_mery2016(out, people, runs, seed, threads, progress)
    _show(made, page, explain)


def _show(made: Reproduction, page: Path, explain: bool) -> None:
    """Show every claim with its verdict, and name the page and what goes on from the files beside it."""
    from proband.papers.page import PART

    found = made.findings()
    show_findings(replace(found, notes=(), parts={PART: made}), json=False, explain=explain)
    wrote(page)
    if made.further:
        tell(f"continue from the saved scores, in {page.parent}:")
        for command in made.further:
            tell_command(command)
