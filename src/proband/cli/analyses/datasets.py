"""``proband datasets``: is one algorithm better than another over several data sets?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proband.cli import options as o
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
from proband.cli.outputs import require_apart


def datasets(
    table: Annotated[
        Path,
        typer.Argument(
            help="Accuracies, a row for each data set and a column for each algorithm (.csv, .tsv, .parquet, …); or outcomes, a row for each."
        ),
    ],
    dataset: Annotated[
        str, typer.Option(metavar="COLUMN", help="Column of data sets.", rich_help_panel="Data")
    ] = "dataset",
    errors: Annotated[
        Path | None,
        typer.Option(
            help="Standard errors of differences: a table of data set, first, second and standard_error.",
            rich_help_panel="Data",
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="For outcomes: column of algorithms.", rich_help_panel="Outcomes"
        ),
    ] = None,
    success: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="For outcomes: column of 1 and 0.", rich_help_panel="Outcomes"),
    ] = None,
    subject: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="For outcomes: column of people.", rich_help_panel="Outcomes"),
    ] = None,
    level: o.Level = 0.95,
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
    json: o.Json = False,
    explain: o.Explain = False,
) -> None:
    """Is one algorithm better over several data sets? Ranks, means.

    Every two algorithms by Wilcoxon's signed ranks over data sets, adjusted by Holm; all of them by Friedman's ranks. With standard errors, or outcomes of
    people, also the mean difference over data sets and that to be expected in another one.

    [bold]Examples[/bold]

      proband datasets accuracies.csv --figure ranks.pdf

      proband datasets outcomes.csv --algorithm model --success correct --subject person
    """
    from proband.inference import compare_datasets
    from proband.report.analyses.datasets import datasets_statements, datasets_tables
    from proband.report.figures.style import save_figure
    from proband.samples.reading import read_frame

    figures = [*(figure or ()), *(by_dataset or ())]
    require_apart([csv, latex, *figures], [table, *([] if errors is None else [errors])])
    texts = [name for name in (dataset, algorithm, subject, "first", "second") if name is not None]
    found = compare_datasets(
        read_frame(table, text_columns=texts),
        dataset=dataset,
        errors=None if errors is None else read_frame(errors, text_columns=texts),
        algorithm=algorithm,
        success=success,
        subject=subject,
        confidence_level=level,
    )
    tables = datasets_tables(found)
    write_csv(found.to_frame(), csv)
    write_latex(latex, *tables)
    for which, paths in (("ranks", figure), ("differences", by_dataset)):
        for path in paths or ():
            save_figure(found.plot(which=which), path)
            wrote(path)
    if json:
        print_json(found.to_dict())
        return
    show_tables(*tables)
    sentences = found.sentences()
    say_all(sentences if explain else sentences[:3], dim=False)
    say("")
    say_below(datasets_statements(found), explain, [found.answers], [] if explain else sentences[3:])
