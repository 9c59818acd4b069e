"""``proband compare``: is one algorithm better than another?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.console import output, print_json, progress_bars, talk
from proband.cli.gathering import gathered
from proband.cli.inputs import ExperimentInputs, RunInputs, ScoreInputs
from proband.cli.reporting import ReportFile, write_report

if TYPE_CHECKING:
    from proband.inference import Comparison


class TestName(StrEnum):
    """How a pair is tested."""

    auto = "auto"
    sign_flip = "sign-flip"
    obuchowski = "obuchowski"
    durkalski = "durkalski"
    mcnemar = "mcnemar"
    bootstrap = "bootstrap"


@gathered
def compare(
    inputs: ScoreInputs,
    setting: ExperimentInputs,
    rank: Annotated[
        int, typer.Option("--rank", "-r", help="The rank of the rate.", rich_help_panel="Comparison")
    ] = 1,
    median: Annotated[
        bool,
        typer.Option(
            "--median-rank",
            help="Compare median ranks, censored at --rank, instead of rates.",
            rich_help_panel="Comparison",
        ),
    ] = False,
    fnmr_at: Annotated[
        float | None,
        typer.Option(
            metavar="FMR",
            help="Compare verification instead: FNMR at this false match rate, over all pairs or gallery and probes.",
            show_default=False,
            rich_help_panel="Comparison",
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="The smallest difference worth having; 0.01 (one point) for rates.",
            show_default=False,
            rich_help_panel="Comparison",
        ),
    ] = None,
    test: Annotated[
        TestName,
        typer.Option(
            help="How pairs are tested; auto knows that people are shared.", rich_help_panel="Comparison"
        ),
    ] = TestName.auto,
    seed: o.Seed = 0,
    level: o.Level = 0.95,
    latex: Annotated[
        Path | None, typer.Option("--latex", help="Write the table as LaTeX.", rich_help_panel="Output")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", help="Write it as Markdown.", rich_help_panel="Output")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write every pair as CSV.", rich_help_panel="Output")
    ] = None,
    report: ReportFile = None,
    *,
    running: RunInputs,
) -> None:
    """Compare two or more algorithms on the same probes: effects with intervals, tests, places, a verdict.

    [bold]Examples[/bold]

    Every algorithm of an archive against every other, at rank 1, with one point as what matters:

      proband compare scores.npz -s samples.csv --orientation similarity

    Two files, at rank 10, two points:

      proband compare old=a.npz::net new=b.npz::net -s samples.csv --orientation similarity --rank 10 --margin 0.02
    """
    from proband.errors import UsageError
    from proband.measures import FNMR, MedianCensoredRank, RecognitionRate

    if fnmr_at is not None:
        if test is not TestName.auto or median:
            raise UsageError(
                "--fnmr-at compares verification, which has a test of its own: without --test and --median-rank."
            )
        measure: Any = FNMR(fnmr_at)
        comparison = _by_fnmr(inputs, setting, measure, margin, level, seed, running)
    else:
        measure = MedianCensoredRank(rank if rank > 1 else 10) if median else RecognitionRate(rank)
        comparison = _by_ranks(inputs, setting, measure, test, margin, level, seed, running)
    _write(comparison, latex, markdown, csv)
    write_report(
        report,
        "Comparison",
        inputs,
        (setting.gallery, setting.probes),
        seed=seed,
        level=level,
        comparisons={measure.estimand: comparison},
    )
    _show(comparison, running.json)


def _by_ranks(
    inputs: ScoreInputs,
    setting: ExperimentInputs,
    measure: Any,
    test: TestName,
    margin: float | None,
    level: float,
    seed: int,
    running: RunInputs,
) -> Comparison:
    from proband.inference import compare as compare_scores
    from proband.measures import rank as ranked
    from proband.study.designs import paired_design

    with progress_bars(running.quiet) as progress:
        found, table = inputs.read(progress)
        experiment = setting.over(found, table, inputs.missing)
        outcomes = [
            ranked(
                one,
                experiment,
                check_orientation=inputs.orientation_check,
                threads=running.threads,
                progress=progress,
                **setting.ranking(),
            )
            for one in found
        ]
    return compare_scores(
        measure, outcomes, design=paired_design(test.value), margin=margin, confidence_level=level, rng=seed
    )


def _by_fnmr(
    inputs: ScoreInputs,
    setting: ExperimentInputs,
    measure: Any,
    margin: float | None,
    level: float,
    seed: int,
    running: RunInputs,
) -> Comparison:
    from proband.inference import compare as compare_scores

    with progress_bars(running.quiet) as progress:
        found, table = inputs.read(progress)
        chosen = setting.gallery is not None or setting.probes is not None
        within: Any = setting.over(found, table, inputs.missing) if chosen else table
        return compare_scores(measure, found, within, margin=margin, confidence_level=level, rng=seed)


def _write(comparison: Comparison, latex: Path | None, markdown: Path | None, csv: Path | None) -> None:
    from proband.engine import written_whole

    for path, text in (
        (latex, comparison.to_latex),
        (markdown, comparison.to_markdown),
        (csv, comparison.to_csv),
    ):
        if path is not None:
            with written_whole(path) as draft:
                draft.write_text(text(), encoding="utf-8")
            talk().print(f"wrote {path}", markup=False, soft_wrap=True)


def _show(comparison: Comparison, json: bool) -> None:
    from proband.report.comparisons import comparison_statements, comparison_table
    from proband.report.notes import told

    if json:
        print_json(comparison.to_dict())
        return
    console = output()
    console.print(comparison_table(comparison))
    for said in comparison.sentences():
        console.print(said, markup=False, soft_wrap=True)
    console.print()
    for note in comparison_statements(comparison):
        console.print(told(note), style="dim", markup=False, soft_wrap=True)
