"""``proband permute``: what if other images of these people had been chosen?"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.console import output, print_json, progress_bars, talk
from proband.cli.gathering import gathered
from proband.cli.inputs import RunInputs, ScoreInputs
from proband.cli.reporting import ReportFile, write_report

if TYPE_CHECKING:
    from proband.inference import VirtualExperiments
    from proband.scores import Scores


class PairsName(StrEnum):
    """Where gallery and probe image come from."""

    between = "between"
    within = "within"


@gathered
def permute(
    inputs: ScoreInputs,
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups",
            metavar="COLUMN[,COLUMN]",
            help="Columns whose values make the groups of exchangeable images, such as the session. "
            "Without it any two images of a person make a pair.",
            rich_help_panel="Choice of images",
        ),
    ] = None,
    pairs: Annotated[
        PairsName | None,
        typer.Option(
            help="Gallery and probe image come from different groups (the default with groups), or from the same.",
            rich_help_panel="Choice of images",
        ),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION", help="Which samples belong to the pool.", rich_help_panel="Choice of images"
        ),
    ] = None,
    trials: Annotated[
        int,
        typer.Option("--trials", "-t", min=1, help="How many trials.", rich_help_panel="Choice of images"),
    ] = 10_000,
    balanced: Annotated[
        bool,
        typer.Option(
            "--balanced/--unbalanced",
            help="Use every image column equally often, or draw each person's pair independently.",
            rich_help_panel="Choice of images",
        ),
    ] = True,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Compute the mean of every rate exactly instead of drawing trials (unbalanced).",
            rich_help_panel="Choice of images",
        ),
    ] = False,
    trainings: Annotated[
        bool,
        typer.Option(
            "--trainings",
            help="The scores are of one algorithm trained on several sets: how much do those matter?",
            rich_help_panel="Choice of images",
        ),
    ] = False,
    rank: Annotated[
        int, typer.Option("--rank", "-r", min=1, help="The rank to show.", rich_help_panel="Output")
    ] = 1,
    max_rank: Annotated[
        int | None,
        typer.Option(
            min=1, help="Ranks to count; default: all. Up to 10 is fastest.", rich_help_panel="Output"
        ),
    ] = None,
    ties: Annotated[o.TiesName, typer.Option(help="How tied scores are ordered.")] = o.TiesName.pessimistic,
    seed: o.Seed = 0,
    level: o.Level = 0.95,
    out: o.OutDir = None,
    report: ReportFile = None,
    *,
    running: RunInputs,
) -> None:
    """Permute the choice of gallery and probe images (Beveridge et al. 2001): how much do rates vary with the images chosen?

    Every algorithm goes through the same trials. The variation is over images of *these people*; whether one algorithm is
    better on other people is tested beside it.

    [bold]Examples[/bold]

    Gallery and probe image from different sessions, a million trials:

      proband permute scores.npz -s samples.csv --orientation similarity --groups session --trials 1000000 --max-rank 10

    Embeddings, several encounters of each person:

      proband permute -e embeddings.npz::dlib -s samples.csv --id-column filename --metric l2 --groups encounter
    """
    from proband.designs import ImageChoice
    from proband.errors import UsageError
    from proband.inference import permute as run
    from proband.scores import pool_over

    if exact and (trainings or out or report):
        raise UsageError("--exact gives means only; it goes with neither --trainings nor --out nor --report.")
    if trainings and report:
        raise UsageError("--trainings gives one number, so it does not go with --report.")
    columns = tuple(name.strip() for name in groups.split(",")) if groups else None
    with progress_bars(running.quiet) as progress:
        found, table = inputs.read(progress)
        pool = pool_over(found, table, columns, pairs=pairs.value if pairs else None, where=where)
        if exact:
            _show_exact(found, pool, ties.value, rank, running.json)
            return
        if trainings:
            _show_trainings(found, pool, rank, level, seed, running.json)
            return
        result = run(
            found,
            pool,
            ImageChoice(trials, balanced),
            max_rank=max_rank,
            ties=ties.value,
            rng=seed,
            threads=running.threads,
            progress=progress,
            keep_on_interrupt=True,
        )
    if out is not None:
        from proband.report.choices import undrawn_statements, write_choices

        summary = write_choices(result, out, level)
        for said in (f"wrote {summary}", *undrawn_statements(result)):
            talk().print(said, markup=False, soft_wrap=True)
    write_report(report, "Choice of images", inputs, (where,), seed=seed, level=level, choices=result)
    _show(result, pool, min(rank, result.n_ranks), level, running.json)
    if result.n_trials < trials:
        raise typer.Exit(130)


def _show(result: VirtualExperiments, pool: Any, rank: int, level: float, json: bool) -> None:
    from proband.report.choices import choices_statements, choices_table, differences_table

    if json:
        print_json(result.to_dict(level), indent=None)
        return
    console = output()
    console.print(choices_table(result, rank, level))
    if len(result.algorithms) > 1:
        console.print(differences_table(result, rank, level))
    console.print(repr(pool), style="dim", markup=False, soft_wrap=True)
    for said in choices_statements(result):
        console.print(said, style="dim", markup=False, soft_wrap=True)


def _show_exact(found: list[Scores], pool: Any, ties: str, rank: int, json: bool) -> None:
    from proband.inference.choice import exact_over_choices

    made = {one.name: exact_over_choices(one, pool, ties) for one in found}  # type: ignore[arg-type]
    if json:
        plain = {
            name: {"mean": one.cmc.tolist(), "variance_rank_1": one.variance_rank_1}
            for name, one in made.items()
        }
        print_json(plain)
        return
    console = output()
    for name, one in made.items():
        spread = (
            ""
            if one.variance_rank_1 is None
            else f", standard deviation at rank 1 {one.variance_rank_1**0.5:.6f}"
        )
        at = min(rank, len(one.cmc))
        console.print(f"{name}: mean rate at rank {at} {one.cmc[at - 1]:.6f}{spread}", markup=False)
    console.print(repr(pool), style="dim", markup=False, soft_wrap=True)
    console.print(
        "Exact: every person's pair drawn independently, all pairs equally likely; nothing is simulated.",
        style="dim",
        markup=False,
    )
    from proband.words import as_sentence

    for note in pool.notes:
        console.print(as_sentence(note), style="dim", markup=False, soft_wrap=True)


def _show_trainings(found: list[Scores], pool: Any, rank: int, level: float, seed: int, json: bool) -> None:
    from proband.designs import TrainingSets
    from proband.inference import estimate
    from proband.measures import RecognitionRate

    made = estimate(RecognitionRate(rank), found, pool, TrainingSets(), confidence_level=level, rng=seed)
    if json:
        print_json({**made.to_dict(), "values": made.replicates.tolist()}, indent=None)  # type: ignore[union-attr]
        return
    console = output()
    for one, value in zip(found, made.replicates, strict=True):  # type: ignore[arg-type]
        console.print(f"{one.name:30} {value:.4f}", markup=False)
    console.print(repr(made), markup=False, soft_wrap=True)
    from proband.words import as_sentence

    for note in made.notes:
        console.print(as_sentence(note), style="dim", markup=False, soft_wrap=True)
