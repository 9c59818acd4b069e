"""``proband compare``: is one algorithm better than another?"""

from __future__ import annotations

from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.analyses.command import Command, analysis, by_switch, marked
from proband.cli.console import print_json, say, say_all, say_below, show_tables, write_texts
from proband.cli.inputs import OutcomeInputs
from proband.marks import Needs, Unless

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from proband.inference.comparisons.comparison import Standings
    from proband.study.findings import Findings
    from proband.study.requests import Request
    from proband.words import Note


_Markdown = Annotated[
    Path | None, typer.Option("--markdown", help="Write it as Markdown.", rich_help_panel="Output")
]
_Csv = Annotated[
    Path | None, typer.Option("--csv", help="Write every pair as CSV.", rich_help_panel="Output")
]


@analysis("comparison", "Comparison", categories=True)
def _of_scores(
    found: Findings,
    request: Request,
    latex: o.Latex = None,
    markdown: _Markdown = None,
    csv: _Csv = None,
    *,
    json: bool,
    explain: bool,
) -> None:
    comparisons = list(found["comparison"].comparisons.values())
    write_texts(comparisons, {"to_latex": latex, "to_markdown": markdown, "to_csv": csv})
    if json:
        plain = {name: one.to_dict() for name, one in found["comparison"].comparisons.items()}
        print_json(plain if len(plain) > 1 else next(iter(plain.values())))
        return
    _show(dict(zip(found["comparison"].titles.values(), comparisons, strict=True)), explain, found.notes)


@analysis("outcomes", "Outcomes", experiment=(), reads=OutcomeInputs)
def _of_outcomes(
    found: Findings,
    request: Request,
    latex: o.Latex = None,
    markdown: _Markdown = None,
    csv: _Csv = None,
    *,
    json: bool,
    explain: bool,
) -> None:
    result = found["outcomes"]
    assert result is not None  # what was asked for
    write_texts([result], {"to_latex": latex, "to_markdown": markdown, "to_csv": csv})
    if json:
        print_json(result.to_dict())
        return
    _show({"": result}, explain, found.notes)


def _show(comparisons: Mapping[str, Standings], explain: bool, beside: Sequence[Note]) -> None:
    """Print each comparison with its verdicts; what is to be known of several at once is told beneath the last, if in brief."""
    from proband.report.kinds.comparisons import (
        comparison_statements,
        comparison_table,
        unsaid_verdicts,
        verdicts,
    )

    for title, one in comparisons.items():
        if len(comparisons) > 1:
            say(title)
        show_tables(comparison_table(one))
        say_all(one.sentences() if explain else verdicts(one), dim=False)
        say("")
        if explain:
            say_all(comparison_statements(one))
    if not explain:
        notes = [
            note
            for one in comparisons.values()
            for note in (*unsaid_verdicts(one), *comparison_statements(one))
        ]
        say_below(notes, explain, [one.answers for one in comparisons.values()], beside)


def _compare(**given: Any) -> None:
    """Is one algorithm better? Differences, tests, places, a verdict.

    Two or more algorithms are compared on the same probes, every two of them.

    [bold]Examples[/bold]

    Every algorithm of an archive against every other, at rank 1, with one point as what matters:

      proband compare scores.npz -s samples.csv --orientation similarity

    Two files, at rank 10, two points:

      proband compare old=a.npz::net new=b.npz::net -s samples.csv --orientation similarity --rank 10 --margin 0.02

    Outcomes and nothing else, 0 or 1 for each item and system, with documents as the independent units:

      proband compare outcomes.csv --outcomes --item question --system model --success correct --cluster document
    """
    own = {name: given.pop(name) for name in _only_of_outcomes()}
    if not given.pop("outcomes"):
        _of_scores(**given)
        return
    taken = signature(_of_outcomes).parameters
    rest = {name: value for name, value in given.items() if name in taken}
    _of_outcomes(**rest, **own, files=given["scores"])


_OUTCOMES = Annotated[
    bool,
    typer.Option(
        "--outcomes",
        help="The file is a table of outcomes (0, 1 or between) of systems, and not of scores.",
        rich_help_panel="Outcomes",
    ),
]


def _only_of_outcomes() -> dict[str, Parameter]:
    """The options that a table of outcomes alone has."""
    of_scores = signature(_of_scores).parameters
    found = signature(_of_outcomes).parameters.values()
    return {one.name: one for one in found if one.name not in of_scores and one.name != "files"}


def _options() -> list[Parameter]:
    own = Parameter("outcomes", Parameter.KEYWORD_ONLY, default=False, annotation=_OUTCOMES)
    return [*signature(_of_scores).parameters.values(), own, *_only_of_outcomes().values()]


def _marks() -> dict[str, Needs | Unless]:
    found = by_switch("outcomes", signature(_of_scores).parameters, signature(_of_outcomes).parameters)
    return {name: mark for name, mark in found.items() if name not in ("scores", "files")}


compare = marked(Command(_compare, _compare, _options), _marks)
compare.__name__ = "compare"
