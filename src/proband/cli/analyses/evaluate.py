"""``proband evaluate``: from scores and samples to rates and curves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli import options as o
from proband.cli.analyses.command import analysis
from proband.cli.console import (
    print_json,
    say,
    say_below,
    show_tables,
    write_csv,
    write_latex,
    write_model_card,
    wrote,
)
from proband.marks import Needs

if TYPE_CHECKING:
    from proband.study.findings import Findings
    from proband.study.requests import Request


@analysis(
    "identification",
    "Identification",
    categories=True,
    marks=lambda: {"seed": Needs("measures"), "distribution": Needs("measures")},
)
def evaluate(
    found: Findings,
    request: Request,
    csv: o.Csv = None,
    figure: Annotated[
        list[Path] | None,
        typer.Option(
            "--figure",
            "-f",
            help="Write the CMC plot: .png, .svg or .pdf; may be repeated.",
            rich_help_panel="Output",
        ),
    ] = None,
    distribution: Annotated[
        list[Path] | None,
        typer.Option(
            "--distribution",
            help="Write the distributions of replicates of --measure under a design that draws them: .png, .svg or .pdf; may be repeated.",
            rich_help_panel="Output",
        ),
    ] = None,
    model_card: o.ModelCard = None,
    latex: o.Latex = None,
    *,
    json: bool,
    explain: bool,
) -> None:
    """Recognition rates and cumulative match curves, with intervals.

    [bold]Examples[/bold]

    Five algorithms in one archive; images without a detected face count as misses:

      proband evaluate scores.npz -s samples.csv --orientation similarity --failed "not detected"

    Embeddings; the first image of each person is enrolled, all others are probes:

      proband evaluate -e model.npy -s samples.csv -g one_per_subject --metric cosine

    Other measures, with people drawn anew, and how they are spread:

      proband evaluate scores.npz -s samples.csv --measure median-rank@50 --measure rank-rate@20 --design bootstrap --distribution spread.svg

    A score list of bob's, which names the subjects itself:

      proband evaluate scores-dev --orientation similarity --figure cmc.svg
    """
    from proband.analyses.identification.view import measures_statements, measures_table
    from proband.report import evaluation_figure, save_figure, statements
    from proband.report.kinds.evaluation import overlap_tables, short_tables

    evaluation = found["identification"].evaluation
    assert evaluation is not None  # what was asked for
    drawn = None
    for path in figure or ():
        drawn = drawn or evaluation_figure(evaluation, relative=found["identification"].relative_ranks)
        save_figure(drawn, path)
        wrote(path)
    _draw_replicates(found, distribution)
    write_csv(evaluation.to_frame(), csv)
    write_model_card(found, request, model_card)
    write_latex(latex, *short_tables(evaluation))
    if json:
        measures = (
            {"measures": [one.to_dict() for one in found["identification"].measured]}
            if found["identification"].measured
            else {}
        )
        overlap = (
            {"overlap": found["identification"].overlap.to_dict()}
            if found["identification"].overlap is not None
            else {}
        )
        print_json({**evaluation.to_dict(), **measures, **overlap})
        return
    show_tables(*short_tables(evaluation))
    say_below(statements(evaluation), explain, [evaluation.answers], found.notes)
    if found["identification"].overlap is not None:
        say("")
        show_tables(*overlap_tables(found["identification"].overlap))
    if found["identification"].measured:
        say("")
        show_tables(measures_table(found["identification"].measured, found.confidence_level))
        answers = [estimate.answers for one in found["identification"].measured for estimate in one.estimates]
        say_below(measures_statements(found["identification"].measured), explain, answers)


def _draw_replicates(found: Findings, paths: list[Path] | None) -> None:
    """Draw how measures are spread over their replicates, if a file is named."""
    if not paths:
        return
    from proband.analyses.identification.view import with_replicates
    from proband.errors import UsageError
    from proband.report import save_figure
    from proband.report.figures.identification import replicates_figure

    measured = with_replicates(found["identification"].measured)
    if not measured:
        raise UsageError(
            "--distribution draws replicates, and nothing that was asked for has any.",
            "for example --measure rank-rate@1 --design bootstrap.",
        )
    drawn = replicates_figure(measured)
    for path in paths:
        save_figure(drawn, path)
        wrote(path)
