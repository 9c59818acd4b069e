"""``proband feret``: the whole of a FERET evaluation from one command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from proband.cli import options as o
from proband.cli.analyses.command import analysis
from proband.cli.console import say_below, show_tables, write_latex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from proband.inference.galleries.feret_results import FeretStudy
    from proband.study.findings import Findings
    from proband.study.requests import Request
    from proband.words import Note


@analysis("feret", "FERET evaluation", categories=True)
def feret(found: Findings, request: Request, latex: o.Latex = None, *, json: bool, explain: bool) -> None:
    """A whole FERET evaluation: categories, galleries, rejection.

    After Phillips et al. (2000), with versions and gallery sizes. Average performance and current upper bound of every category; whether it is too easy or too hard to tell algorithms apart;
    what locating faces costs; how rates and places vary over galleries of different people.

    [bold]Examples[/bold]

      proband feret scores.npz -s samples.csv --orientation distance --feret --galleries 6 --order date --out feret

      proband feret eyes.npz own.npz -s samples.csv --version own=eyes --by sex --sizes 50,100,200 --reject 0.25
    """
    from proband.analyses.feret.view import FeretView

    if latex is not None:
        write_latex(latex, *FeretView().tables(found["feret"]))
    show_study(found["feret"], json, explain, found.notes)


def show_study(study: FeretStudy, json: bool, explain: bool, beside: Sequence[Note] = ()) -> None:
    """Print a FERET evaluation."""
    from proband.analyses.feret.view import FeretView
    from proband.engine.files.documents import as_json

    if json:
        typer.echo(as_json(study.to_dict()), nl=False)
        return
    show_tables(*FeretView().tables(study))
    say_below(FeretView().notes(study), explain, [study.evaluation.answers], beside)
