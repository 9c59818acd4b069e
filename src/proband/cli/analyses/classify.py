"""``proband classify``: how accurate are classifiers, and which is better?"""

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
    write_model_card,
    wrote,
)
from proband.cli.inputs import ClassInputs

if TYPE_CHECKING:
    from proband.study.findings import Findings
    from proband.study.requests import Request


@analysis("classification", "Classification", experiment=(), reads=ClassInputs)
def classify(
    found: Findings,
    request: Request,
    csv: o.Csv = None,
    by_class: Annotated[
        Path | None,
        typer.Option("--by-class", help="Write every class as CSV.", rich_help_panel="Output"),
    ] = None,
    confusions: Annotated[
        Path | None,
        typer.Option("--confusions", help="Write every confusion as CSV.", rich_help_panel="Output"),
    ] = None,
    latex: o.Latex = None,
    figure: Annotated[
        list[Path] | None,
        typer.Option(
            "--figure", "-f", help="Write the accuracies: .png, .svg or .pdf.", rich_help_panel="Output"
        ),
    ] = None,
    model_card: o.ModelCard = None,
    *,
    json: bool,
    explain: bool,
) -> None:
    """Accuracy of classifiers, by class, and which is better.

    Classes are fixed, samples vary; with --group the groups do.

    [bold]Examples[/bold]

    Logits of two models, samples × classes, with the true class in a table of the same order:

      proband classify logits.npz labels.csv --truth label

    Predicted labels in columns; patients are the independent units:

      proband classify predictions.csv --truth diagnosis --predicted A=model_a,B=model_b --group patient
    """
    from proband.analyses.classification.tables import (
        classification_statements,
        classification_tables,
        rates_table,
    )
    from proband.report.figures.style import save_figure
    from proband.report.kinds.comparisons import unsaid_verdicts, verdicts

    result = found["classification"]
    assert result is not None  # what was asked for
    write_csv(result.to_frame(), csv)
    write_model_card(found, request, model_card)
    write_csv(result.class_frame(), by_class)
    write_csv(result.confusion_frame(), confusions)
    write_latex(latex, rates_table(result))
    for path in figure or ():
        save_figure(result.plot(), path)
        wrote(path)
    if json:
        print_json(result.to_dict())
        return
    show_tables(*classification_tables(result))
    unsaid = []
    if result.comparison is not None:
        say_all(result.sentences() if explain else verdicts(result.comparison), dim=False)
        say("")
        unsaid = [] if explain else unsaid_verdicts(result.comparison)
    say_below([*unsaid, *classification_statements(result)], explain, [result.answers], found.notes)
