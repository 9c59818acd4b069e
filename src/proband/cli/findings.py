"""What was found, printed and written: all of it is the view's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from proband.study.findings import Findings


def write_findings(
    found: Findings, csv: Path | None, latex: Path | None, figure: Sequence[Path] | None = None
) -> None:
    """Write the first table of rows, the tables and the first figure of what an analysis found, each if a file is named."""
    from proband.report.figures.style import save_figure
    from proband.report.scene import Scene

    scene = Scene(found)
    ((view, part),) = scene.parts.values()
    if csv is not None:
        write_csv(next(iter(view.frames(part).values())), csv)
    if latex is not None:
        write_latex(latex, *view.latex(part))
    for path in figure or ():
        draw = next(iter(view.figures(part, scene).values()))
        save_figure(draw(), path)
        wrote(path)


def show_findings(found: Findings, json: bool, explain: bool) -> None:
    """Print what was found: tables, verdicts and what is to be known of them; or all of it as JSON."""
    from proband.report.scene import Scene

    if json:
        print_json(found.to_dict())
        return
    parts = Scene(found).parts.values()
    passages = [passage for view, part in parts for passage in view.passages(part, explain)]
    for place, passage in enumerate(passages):
        if place:
            say("")
        say_all(passage.before, dim=False)
        show_tables(*passage.tables)
        say_all(passage.verdicts, dim=False)
        say_below(passage.notes, explain, passage.answers, () if place else found.notes)
