"""``proband search``: identification when the person may not be enrolled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli import options as o
from proband.cli.analyses.command import analysis
from proband.cli.console import print_json, say_below, show_tables, write_csv, write_latex, wrote

if TYPE_CHECKING:
    from proband.study.findings import Findings
    from proband.study.requests import Request


@analysis("search", "Open-set identification", experiment=())
def search(
    found: Findings,
    request: Request,
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
    latex: o.Latex = None,
    *,
    json: bool,
    explain: bool,
) -> None:
    """Open-set identification: some people are not enrolled.

    A search returns up to so many candidates whose score reaches a threshold. FPIR: searches for people who are not enrolled that
    return anybody. FNIR: searches for enrolled people that do not return them.

    [bold]Example[/bold]

      proband search -e embeddings.npz::net -s samples.csv -g "session == 1 and enrolled" -p "session == 2" --metric cosine
    """
    import polars as pl

    from proband.analyses.search.view import SearchedView
    from proband.report.figures.style import save_figure

    results = list(found["search"].searches)
    rank = results[0].points[0].point.rank
    write_csv(pl.concat(one.to_frame() for one in results), csv)
    write_csv(pl.concat(one.searches.curve(rank) for one in results), curve)
    for path in figure or ():
        save_figure(found["search"].plot(), path)
        wrote(path)
    tables = SearchedView().tables(found["search"])
    write_latex(latex, *tables)
    if json:
        plain = [one.to_dict() for one in results]
        for one, frame in zip(plain, found["search"].by_gallery_size, strict=False):
            one["by_gallery_size"] = frame.to_dicts()
        print_json(plain)
        return
    show_tables(*tables)
    say_below(SearchedView().notes(found["search"]), explain, [results[0].answers], found.notes)
