"""``proband threshold``: which threshold to deploy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli import options as o
from proband.cli.analyses.command import analysis
from proband.cli.console import print_json, say, say_below, show_tables, write_csv, write_latex, wrote

if TYPE_CHECKING:
    from proband.study.findings import Findings
    from proband.study.requests import Request


@analysis(
    "threshold",
    "Thresholds for new people",
    experiment=("gallery", "one_per_subject", "probes"),
    output=("confidence_level", "formats"),
)
def threshold(
    found: Findings,
    request: Request,
    csv: o.Csv = None,
    figure: Annotated[
        list[Path] | None,
        typer.Option(
            "--figure",
            "-f",
            help="Write rates and bounds by threshold: .png, .svg or .pdf.",
            rich_help_panel="Output",
        ),
    ] = None,
    latex: o.Latex = None,
    *,
    json: bool,
    explain: bool,
) -> None:
    """The threshold that keeps a false match rate for new people.

    With the confidence of --level its rate is within the target. A threshold that has the rate on these people exceeds it on others about every second time.

    [bold]Example[/bold]

      proband threshold scores.npz -s samples.csv --orientation similarity --fmr 0.001 --level 0.99
    """
    from proband.analyses.threshold.figures import thresholds_figure
    from proband.analyses.threshold.tables import starred, thresholds_table
    from proband.inference.verification.thresholds.results import DeployedThresholds
    from proband.report.figures.style import save_figure
    from proband.report.notes import answered

    whole = DeployedThresholds(found["threshold"].thresholds)
    write_csv(whole.to_frame(), csv)
    for path in figure or ():
        save_figure(thresholds_figure(found["threshold"].thresholds), path)
        wrote(path)
    write_latex(latex, thresholds_table(found["threshold"].thresholds))
    if json:
        print_json([one.to_dict() for one in found["threshold"].thresholds])
        return
    show_tables(thresholds_table(found["threshold"].thresholds))
    answers = found["threshold"].thresholds[0].answers
    first, *rest = whole.sentences()
    say(first)
    say("")
    notes = [*rest, answered(answers), *starred(found["threshold"].thresholds)]
    say_below(notes, explain, [answers], found.notes)
