"""``proband datasets``: is one algorithm better than another over several data sets?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli import options as o
from proband.cli.analyses.command import analysis
from proband.cli.console import (
    print_json,
    say,
    say_all,
    say_below,
    show_tables,
    write_csv,
    write_latex,
    wrote,
)
from proband.cli.inputs import DatasetInputs

if TYPE_CHECKING:
    from proband.study.findings import Findings
    from proband.study.requests import Request


@analysis(
    "datasets",
    "Several data sets",
    experiment=(),
    output=("confidence_level", "formats"),
    reads=DatasetInputs,
)
def datasets(
    found: Findings,
    request: Request,
    csv: o.Csv = None,
    latex: o.Latex = None,
    figure: Annotated[
        list[Path] | None,
        typer.Option(
            "--figure",
            "-f",
            help="Draw average ranks: .png, .svg or .pdf; may be repeated.",
            rich_help_panel="Output",
        ),
    ] = None,
    by_dataset: Annotated[
        list[Path] | None,
        typer.Option(
            "--by-dataset",
            help="Draw the differences in every data set: .png, .svg or .pdf.",
            rich_help_panel="Output",
        ),
    ] = None,
    *,
    json: bool,
    explain: bool,
) -> None:
    """Is one algorithm better over several data sets? Ranks, means.

    Every two algorithms by Wilcoxon's signed ranks over data sets, adjusted by Holm; all of them by Friedman's ranks. With standard errors, or outcomes of
    people, also the mean difference over data sets and that to be expected in another one.

    [bold]Examples[/bold]

      proband datasets accuracies.csv --figure ranks.pdf

      proband datasets outcomes.csv --algorithm model --success correct --subject person
    """
    from proband.analyses.datasets.view import DatasetsView
    from proband.report.figures.style import save_figure

    result = found["datasets"]
    assert result is not None  # what was asked for
    tables = DatasetsView().tables(result)
    write_csv(result.to_frame(), csv)
    write_latex(latex, *tables)
    for which, paths in (("ranks", figure), ("differences", by_dataset)):
        for path in paths or ():
            save_figure(result.plot(which=which), path)
            wrote(path)
    if json:
        print_json(result.to_dict())
        return
    show_tables(*tables)
    sentences = result.sentences()
    say_all(sentences if explain else sentences[:3], dim=False)
    say("")
    beside = [*found.notes, *([] if explain else sentences[3:])]
    say_below(DatasetsView().notes(result), explain, [result.answers], beside)
