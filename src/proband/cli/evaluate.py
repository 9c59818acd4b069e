"""``proband evaluate``: from scores and samples to rates and curves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.console import output, print_json, progress_bars, talk
from proband.cli.gathering import gathered
from proband.cli.inputs import ExperimentInputs, RunInputs, ScoreInputs, whole_numbers
from proband.cli.reporting import ReportFile, write_report


@gathered
def evaluate(
    inputs: ScoreInputs,
    setting: ExperimentInputs,
    category: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'NAME: RULE'",
            help="A probe category: a condition on probe.x and mate.x; may be repeated.",
            rich_help_panel="Experiment",
        ),
    ] = None,
    feret: Annotated[
        bool,
        typer.Option(
            "--feret",
            help="Add FERET's categories fb, fc, dup1, dup2 (columns image_set, date, camera).",
            rich_help_panel="Experiment",
        ),
    ] = False,
    long_after: o.LongAfter = None,
    ranks: Annotated[str, typer.Option(help="Ranks to show.", rich_help_panel="Output")] = "1,5,10",
    level: o.Level = 0.95,
    out: o.OutDir = None,
    figure: Annotated[
        list[Path] | None,
        typer.Option(
            "--figure",
            "-f",
            help="Write the CMC plot: .png, .svg or .pdf; may be repeated.",
            rich_help_panel="Output",
        ),
    ] = None,
    csv: o.Csv = None,
    report: ReportFile = None,
    *,
    running: RunInputs,
) -> None:
    """Recognition rates and cumulative match curves of one or more algorithms, with intervals.

    [bold]Examples[/bold]

    Five algorithms in one archive; images without a detected face count as misses:

      proband evaluate scores.npz -s samples.csv --orientation similarity --failed "not detected"

    Embeddings; the first image of each person is enrolled, all others are probes:

      proband evaluate -e model.npy -s samples.csv -g one_per_subject --metric cosine

    A score list of bob's, which names the subjects itself:

      proband evaluate scores-dev --orientation similarity --figure cmc.svg
    """
    from proband.inference import evaluate as evaluate_scores
    from proband.samples import Category

    asked = [Category.parse(text) for text in category or []]
    asked += o.feret_asked(feret, long_after)
    shown = whole_numbers(ranks, "--ranks")
    with progress_bars(running.quiet) as progress:
        found, table = inputs.read(progress)
        evaluation = evaluate_scores(
            found,
            setting.over(found, table, inputs.missing),
            categories=asked,
            ranks=shown,
            confidence_level=level,
            check_orientation=inputs.orientation_check,
            threads=running.threads,
            progress=progress,
            **setting.ranking(),
        )
    write_report(
        report,
        "Identification",
        inputs,
        (setting.gallery, setting.probes),
        level=level,
        evaluation=evaluation,
    )
    _show(evaluation, running.json, csv, figure or [], out)


def _show(evaluation: Any, json: bool, csv: Path | None, figures: list[Path], out: Path | None) -> None:
    from proband.engine import written_whole
    from proband.report import cmc_figure, evaluation_table, save_figure, statements, write_evaluation
    from proband.report.notes import told

    drawn = None
    for path in figures:
        drawn = drawn or cmc_figure({name: evaluation.bands(name) for name in evaluation.categories})
        save_figure(drawn, path)
    if csv is not None:
        with written_whole(csv) as draft:
            from proband.engine.spreadsheets import write_spreadsheet

            write_spreadsheet(evaluation.to_frame(), draft)
    summary = write_evaluation(evaluation, out) if out is not None else None
    if json:
        print_json(evaluation.to_dict())
    else:
        console = output()
        console.print(evaluation_table(evaluation))
        for said in statements(evaluation):
            console.print(told(said), style="dim", markup=False, soft_wrap=True)
    written = [*figures, *([csv] if csv else []), *([summary] if summary else [])]
    for path in written:
        talk().print(f"wrote {path}", markup=False, soft_wrap=True)
