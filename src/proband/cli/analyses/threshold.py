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
    from proband.analyses.threshold.view import ThresholdsView
    from proband.inference.verification.thresholds import DeployedThresholds
    from proband.report.figures.style import save_figure

    view = ThresholdsView()
    whole = DeployedThresholds(found["threshold"].thresholds)
    write_csv(whole.to_frame(), csv)
    for path in figure or ():
        save_figure(whole.plot(), path)
        wrote(path)
    write_latex(latex, *view.tables(whole))
    if json:
        print_json([one.to_dict() for one in found["threshold"].thresholds])
        return
    (shown,) = view.passages(whole, explain)
    show_tables(*shown.tables)
    say(shown.verdicts[0])
    say("")
    say_below(shown.notes, explain, shown.answers, found.notes)
