"""``proband search``: identification when the person may not be enrolled."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.console import output, print_json, progress_bars, talk
from proband.cli.gathering import gathered
from proband.cli.inputs import RunInputs, ScoreInputs, numbers, whole_numbers
from proband.cli.reporting import ReportFile, write_report


class FusionName(StrEnum):
    """How a person's samples make one score."""

    max = "max"
    mean = "mean"


@gathered
def search(
    inputs: ScoreInputs,
    gallery: Annotated[
        str | None,
        o.condition("--gallery", "-g", "Who is enrolled. Default: every target."),
    ] = None,
    probes: Annotated[
        str | None,
        o.condition(
            "--probes",
            "-p",
            "Who is searched for, enrolled or not. Default: every query that is not in the gallery.",
        ),
    ] = None,
    fusion: Annotated[
        FusionName,
        typer.Option(help="How several samples of a person make one score.", rich_help_panel="Experiment"),
    ] = FusionName.max,
    fpir: Annotated[
        str, typer.Option(help="False positive identification rates.", rich_help_panel="Output")
    ] = "0.1,0.01,0.001",
    ranks: Annotated[str, typer.Option(help="Numbers of candidates.", rich_help_panel="Output")] = "1,20",
    sizes: Annotated[
        str | None,
        typer.Option(
            help="Errors for galleries of these numbers of people, at the first FPIR's threshold.",
            rich_help_panel="Output",
        ),
    ] = None,
    level: o.Level = 0.95,
    csv: o.Csv = None,
    curve: Annotated[
        Path | None,
        typer.Option(
            "--curve", help="Write every point of FNIR against FPIR as CSV.", rich_help_panel="Output"
        ),
    ] = None,
    figure: Annotated[
        list[Path] | None,
        typer.Option(
            "--figure", "-f", help="Write FNIR against FPIR: .png, .svg or .pdf.", rich_help_panel="Output"
        ),
    ] = None,
    report: ReportFile = None,
    *,
    running: RunInputs,
) -> None:
    """Open-set identification: FNIR at fixed FPIR, when some of the people searched for are not enrolled.

    A search returns up to so many candidates whose score reaches a threshold. FPIR: searches for people who are not enrolled that
    return anybody. FNIR: searches for enrolled people that do not return them.

    [bold]Example[/bold]

      proband search -e embeddings.npz::net -s samples.csv -g "session == 1 and enrolled" -p "session == 2" --metric cosine
    """
    import polars as pl

    from proband.engine import written_whole
    from proband.inference.searching import searches_with_intervals
    from proband.measures.open_set import search as run
    from proband.scores import experiment_over

    asked, shown = numbers(fpir, "--fpir"), whole_numbers(ranks, "--ranks")
    with progress_bars(running.quiet) as progress:
        found, table = inputs.read(progress)
        experiment = experiment_over(found, table, gallery, probes, inputs.missing.value)
        made = [
            run(
                one,
                experiment,
                fusion=fusion.value,
                check_orientation=inputs.orientation_check,
                threads=running.threads,
                progress=progress,
            )
            for one in found
        ]
        by_size = _by_size(found, made, experiment, asked[0], sizes, shown[0]) if sizes else None
    results = [searches_with_intervals(one, asked, shown, level) for one in made]
    for path, frames in (
        (csv, (one.to_frame() for one in results)),
        (curve, (one.curve(shown[0]) for one in made)),
    ):
        if path is not None:
            with written_whole(path) as draft:
                from proband.engine.spreadsheets import write_spreadsheet

                write_spreadsheet(pl.concat(frames), draft)
            talk().print(f"wrote {path}", markup=False, soft_wrap=True)
    if figure:
        from proband.report.figures import save_figure
        from proband.report.verification import searches_figure

        drawn = searches_figure(made, shown[0])
        for path in figure:
            save_figure(drawn, path)
            talk().print(f"wrote {path}", markup=False, soft_wrap=True)
    write_report(
        report,
        "Open-set identification",
        inputs,
        (gallery, probes),
        level=level,
        searches=tuple(results),
        notes=tuple(_size_sentences(by_size or [])),
    )
    if running.json:
        plain = [one.to_dict() for one in results]
        if by_size is not None:
            for one, frame in zip(plain, by_size, strict=True):
                one["by_gallery_size"] = frame.to_dicts()
        print_json(plain)
        return
    _show(results)
    for said in _size_sentences(by_size or []):
        output().print(said, markup=False)


def _by_size(
    found: list[Any], made: list[Any], experiment: Any, fpir: float, sizes: str, rank: int
) -> list[Any]:
    """Search again, counting who reaches the threshold of the first FPIR."""
    from proband.measures.open_set import search as run

    wanted = whole_numbers(sizes, "--sizes")
    frames = []
    for scores, one in zip(found, made, strict=True):
        threshold = one.at_fpir(fpir, rank).threshold
        counted = () if threshold is None else (threshold,)
        again = run(scores, experiment, fusion=one.fusion, counted_at=counted, check_orientation=False)
        frames.append(again.by_gallery_size(wanted, rank))
    return frames


def _size_sentences(frames: list[Any]) -> list[str]:
    return [
        f"{row['algorithm']}, {row['gallery']:,} people enrolled at random: FPIR {row['fpir']:.4f}, FNIR {row['fnir']:.4f}"
        for frame in frames
        for row in frame.iter_rows(named=True)
    ]


def _show(results: list[Any]) -> None:
    from proband.report.notes import told
    from proband.report.verification import search_statements, search_table

    console = output()
    console.print(search_table(results))
    for said in search_statements(results):
        console.print(told(said), style="dim", markup=False, soft_wrap=True)
