"""``proband compare``: is one algorithm better than another?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli.analyses.command import analysis
from proband.cli.console import print_json, say, say_all, show_tables, wrote

if TYPE_CHECKING:
    from proband.study.findings import Findings
    from proband.study.requests import Request


@analysis("comparison", "Comparison", categories=True)
def compare(
    found: Findings,
    request: Request,
    latex: Annotated[
        Path | None, typer.Option("--latex", help="Write the table as LaTeX.", rich_help_panel="Output")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", help="Write it as Markdown.", rich_help_panel="Output")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write every pair as CSV.", rich_help_panel="Output")
    ] = None,
    *,
    json: bool,
) -> None:
    """Compare two or more algorithms on the same probes: effects with intervals, tests, places, a verdict.

    [bold]Examples[/bold]

    Every algorithm of an archive against every other, at rank 1, with one point as what matters:

      proband compare scores.npz -s samples.csv --orientation similarity

    Two files, at rank 10, two points:

      proband compare old=a.npz::net new=b.npz::net -s samples.csv --orientation similarity --rank 10 --margin 0.02
    """
    from proband.engine import written_whole
    from proband.report.analyses.comparisons import comparison_statements, comparison_table

    comparisons = list(found.comparisons.values())
    for path, of in ((latex, "to_latex"), (markdown, "to_markdown"), (csv, "to_csv")):
        if path is not None:
            with written_whole(path) as draft:
                draft.write_text("\n".join(getattr(one, of)() for one in comparisons), encoding="utf-8")
            wrote(path)
    if json:
        plain = {name: one.to_dict() for name, one in found.comparisons.items()}
        print_json(plain if len(plain) > 1 else next(iter(plain.values())))
        return
    for title, one in zip(found.titles.values(), comparisons, strict=True):
        if len(comparisons) > 1:
            say(title)
        show_tables(comparison_table(one))
        say_all(one.sentences(), dim=False)
        say("")
        say_all(comparison_statements(one))
