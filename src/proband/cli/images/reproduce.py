"""``proband reproduce``: the studies of the papers, carried out anew on synthetic people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli import options as o
from proband.cli.console import progress_bars, say, say_below, show_tables, tell, wrote
from proband.words import count, counted, listed

if TYPE_CHECKING:
    from proband.papers.common import Finding

reproduce = typer.Typer(
    name="reproduce",
    help="Studies of the papers again, on synthetic people.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Out = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Where the report goes.")]


@reproduce.command()
def beveridge2001(
    out: Out = Path("beveridge2001"),
    trials: Annotated[int, typer.Option("--trials", "-t", min=1, help="How many trials.")] = 10_000,
    seed: o.Seed = 0,
    people: Annotated[int, typer.Option("--people", min=8, help="People to test; the paper had 160.")] = 160,
    training: Annotated[
        int, typer.Option("--training", min=8, help="People to train on; the paper had 225.")
    ] = 225,
    explain: o.Explain = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Permuting gallery and probe choices (Beveridge, She, Draper and Givens 2001, section 7)."""
    from proband.papers.beveridge2001_study import reproduce_beveridge2001
    from proband.report.analyses.choices import choices_statements, choices_tables

    with progress_bars(quiet) as progress:
        found, summary = reproduce_beveridge2001(out, trials, seed, threads, progress, people, training)
    show_tables(*choices_tables(found))
    say("The people are synthetic; the report puts the published numbers beside these.")
    say_below(choices_statements(found), explain, [found.answers])
    wrote(summary)


@reproduce.command(name="micheals-boult2001")
def micheals_boult2001(
    out: Out = Path("micheals-boult2001"),
    seed: o.Seed = 0,
    people: Annotated[
        int | None,
        typer.Option(
            "--people",
            min=10,
            help="People to test in both parts; the paper had 481 and 256.",
            show_default=False,
        ),
    ] = None,
    explain: o.Explain = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Galleries, mixing and balanced repeated replication (Micheals and Boult 2001, Efficient Evaluation)."""
    from proband.papers.micheals_boult2001 import reproduce_micheals_boult2001
    from proband.report.analyses.strat import study_statements, study_tables

    wanted = None if people is None else {3: people, 4: people}
    with progress_bars(quiet) as progress:
        studies, written = reproduce_micheals_boult2001(out, seed, threads, progress, wanted)
    for images, study in studies.items():
        say(f"{counted(study.n_subjects, 'synthetic person', 'synthetic people')} with {images} images each")
        show_tables(*study_tables(study))
        say_below(study_statements(study), explain, [study.effects[0].estimates[0].answers])
    for path in written:
        wrote(path)


@reproduce.command()
def feret2000(
    out: Out = Path("feret2000"),
    people: Annotated[
        int, typer.Option("--people", min=24, help="People to test; the paper had 1,196.")
    ] = 300,
    seed: o.Seed = 0,
    explain: o.Explain = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """The FERET evaluation of September 1996 (Phillips, Moon, Rizvi and Rauss 2000): categories, versions, galleries."""
    from proband.papers.feret2000_study import reproduce_feret2000
    from proband.report.analyses.feret_tables import leaderboards

    with progress_bars(quiet) as progress:
        study, found, notes, summary = reproduce_feret2000(out, people, seed, threads, progress)
    show_tables(*leaderboards(study))
    _say_findings(found, explain)
    for note in notes:
        tell(f"note: {note}")
    wrote(summary)


@reproduce.command()
def mery2016(
    out: Out = Path("mery2016"),
    people: Annotated[
        int, typer.Option("--people", min=12, help="People in the largest gallery; the paper had 100.")
    ] = 100,
    runs: Annotated[
        int, typer.Option("--runs", min=2, help="Runs of every protocol; the paper had 50.")
    ] = 50,
    seed: o.Seed = 0,
    explain: o.Explain = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Accuracy under many protocols (Mery, Zhao and Bowyer 2016, Tables 4 to 6): identity, expression and sex."""
    from proband.papers.mery2016_study import published_tables, reproduce_mery2016

    with progress_bars(quiet) as progress:
        study, found, summary = reproduce_mery2016(out, people, runs, seed, threads, progress)
    show_tables(*published_tables(study))
    _say_findings(found, explain)
    wrote(summary)


def _say_findings(found: Sequence[Finding], explain: bool) -> None:
    """Say how many findings agree with the paper, or with `explain` each of them."""
    verdicts = {True: "agrees", False: "does not agree", None: "no number to agree with"}
    for one in found if explain else ():
        say(f"The paper: {one.paper}.")
        say(f"Here: {one.here}. ({verdicts[one.agrees]})", dim=True)
    by_verdict = Counter(verdicts[one.agrees] for one in found)
    told = listed(f"{count(n)} {verdict}" for verdict, n in by_verdict.items())
    say(f"The people are synthetic. Of {counted(len(found), 'finding')} of the paper: {told}.")
    if not explain:
        say("--explain tells each of them, as the report does.", dim=True)
