"""``proband covariates``: what makes a probe fail? ``proband partition``: the good, the bad and the ugly."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli import options as o
from proband.cli.analyses.command import analysis, by_switch
from proband.cli.console import print_json, say_below, show_tables, write_csv, write_latex, wrote
from proband.cli.inputs import CovariateInputs, ScoreInputs
from proband.marks import Needs, Unless

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from proband.study.findings import Findings
    from proband.study.requests import Request

_Figure = Annotated[
    list[Path] | None,
    typer.Option(
        "--figure",
        "-f",
        help="Write the main figure: .png, .svg or .pdf; may be repeated. --out writes all.",
        rich_help_panel="Output",
    ),
]


def _marks() -> dict[str, Needs | Unless]:
    """What is of scores has no effect on a table of outcomes, and what is of a table none on scores."""
    from proband.study.requests import ExperimentDesign

    scores = [one.name for one in fields(ScoreInputs) if one.name != "scores"]
    of_ranks = ("outcome", "rank", "fmr", *ExperimentDesign.model_fields)
    return by_switch("outcomes", (*scores, *of_ranks), ("table", "success", "cluster", "weights", "strata"))


@analysis(
    "covariates",
    "Covariates",
    output=("confidence_level", "formats"),
    reads=CovariateInputs,
    marks=_marks,
)
def covariates(
    found: Findings,
    request: Request,
    csv: o.Csv = None,
    coefficients: Annotated[
        Path | None,
        typer.Option(
            "--coefficients", help="Write coefficients and odds ratios as CSV.", rich_help_panel="Output"
        ),
    ] = None,
    latex: o.Latex = None,
    figure: _Figure = None,
    *,
    json: bool,
    explain: bool,
) -> None:
    """What makes a probe fail?

    Explains success by covariates of the probe, its mate, the pair and the algorithm, with people as clusters (after Givens, Beveridge, Phillips et al.). Shown are rates and differences as if every probe
    had one value and all else were as it is; odds ratios are in --coefficients and --json.

    [bold]Examples[/bold]

    Does elapsed time cost some algorithms more than others?

      proband covariates scores.npz -s samples.csv --orientation similarity --on "elapsed(date) * algorithm + sex"

    A match at a threshold instead of a rank, age in four groups:

      proband covariates scores.npz -s samples.csv --orientation similarity --on "cut(age, 4) + same(glasses)" --outcome match --fmr 0.001

    A table of outcomes, 0 or 1 for each trial, with sampling weights and people drawn within sites:

      proband covariates outcomes.csv --outcomes --success correct --cluster person --on "age + sex*glasses" --weights w --strata site
    """
    from proband.analyses.covariates.view import CovariatesView

    study, view = found["covariates"], CovariatesView()
    assert study is not None  # what was asked for
    frames = view.frames(study)
    write_csv(frames["covariates_differences"], csv)
    write_csv(frames["covariates_coefficients"], coefficients)
    write_latex(latex, *view.tables(study))
    _draw(figure, study.plot)
    if json:
        print_json(study.to_dict())
        return
    (shown,) = view.passages(study, explain)
    show_tables(*shown.tables)
    say_below(shown.notes, explain, shown.answers, found.notes)


@analysis(
    "partition",
    "Difficulty",
    output=("confidence_level", "pseudonyms", "formats"),
    marks=lambda: {"pseudonyms": Needs("out")},
)
def partition(
    found: Findings,
    request: Request,
    csv: o.Csv = None,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table",
            help="Write the samples table with the parts of probes as more columns (CSV), for evaluate --by.",
            rich_help_panel="Output",
        ),
    ] = None,
    latex: o.Latex = None,
    figure: _Figure = None,
    *,
    json: bool,
    explain: bool,
) -> None:
    """Divide probes by difficulty: the good, the bad and the ugly.

    An algorithm is judged on parts made without it, by the other algorithms or by other images of each person (after Phillips et al. 2011); the naive rate and what selection
    does stand beside.

    [bold]Example[/bold]

      proband partition scores.npz -s samples.csv --orientation similarity --table parts.csv
    """
    from proband.analyses.partition.view import PartitionView

    divided, view = found["partition"], PartitionView()
    assert divided is not None  # what was asked for
    write_csv(divided.to_frame(), csv)
    write_csv(divided.table, table)
    write_latex(latex, *view.tables(divided))
    _draw(figure, divided.plot)
    if json:
        print_json(divided.to_dict())
        return
    show_tables(*view.tables(divided))
    say_below(view.notes(divided), explain, [divided.answers], found.notes)


def _draw(paths: list[Path] | None, plot: object) -> None:
    from proband.report.figures.style import save_figure

    for path in paths or ():
        drawn: Figure = plot()  # type: ignore[operator]
        save_figure(drawn, path)
        wrote(path)
