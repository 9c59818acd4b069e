"""``proband strat``: stratified evaluation by balanced repeated replication."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from proband.cli import options as o
from proband.cli.console import output, print_json, progress_bars, talk
from proband.cli.gathering import gathered
from proband.cli.inputs import RunInputs, ScoreInputs
from proband.cli.reporting import ReportFile, write_report


class DesignName(StrEnum):
    """How variance is replicated."""

    brr = "brr"
    fay = "fay"
    jackknife = "jackknife"
    rao_wu = "rao-wu"


@gathered
def strat(
    inputs: ScoreInputs,
    images: Annotated[
        int | None,
        typer.Option(
            "--images",
            "-n",
            min=3,
            help="Images of each person: one is the gallery, the others are the units. Default: as many as leave the most probes.",
            rich_help_panel="Stratification",
        ),
    ] = None,
    order_by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="What orders a person's images; default: the table.",
            rich_help_panel="Stratification",
        ),
    ] = None,
    design: Annotated[
        DesignName, typer.Option(help="How variance is replicated.", rich_help_panel="Stratification")
    ] = DesignName.brr,
    rank: Annotated[
        int,
        typer.Option("--rank", "-r", min=1, help="The rank of tables and tests.", rich_help_panel="Output"),
    ] = 1,
    ties: Annotated[o.TiesName, typer.Option(help="How tied scores are ordered.")] = o.TiesName.pessimistic,
    level: o.Level = 0.95,
    seed: o.Seed = 0,
    out: o.OutDir = None,
    report: ReportFile = None,
    *,
    running: RunInputs,
) -> None:
    """Each column of images as the gallery in turn: does it matter which, before and after mixing? (Micheals & Boult 2001)

    People are the strata and their probe images the units. Standard errors say how rates vary with the probe images of *these
    people*; for other people see proband evaluate.

    [bold]Example[/bold]

      proband strat similarity.npz -s samples.csv --id-column filename --orientation similarity --images 4 --out strat
    """
    from proband.inference.strat_study import strat_study
    from proband.report.notes import told
    from proband.report.strat import galleries_table, study_statements, write_study
    from proband.study.designs import stratified_design

    with progress_bars(running.quiet) as progress:
        found, table = inputs.read(progress)
        study = strat_study(
            found,
            table,
            images,
            rank=rank,
            design=stratified_design(design.value),
            order_by=order_by,
            confidence_level=level,
            ties=ties.value,
            rng=seed,
            progress=progress,
        )
    if out is not None:
        summary = write_study(study, out)
        talk().print(f"wrote {summary}", markup=False, soft_wrap=True)
    write_report(report, "Stratified evaluation", inputs, seed=seed, level=level, strat=study)
    if running.json:
        print_json(study.to_dict())
        return
    console = output()
    console.print(galleries_table(study.effects))
    console.print(galleries_table(study.mixed))
    if study.comparison is not None:
        for said in study.comparison.sentences():
            console.print(said, markup=False, soft_wrap=True)
    for note in study_statements(study):
        console.print(told(note), style="dim", markup=False, soft_wrap=True)
