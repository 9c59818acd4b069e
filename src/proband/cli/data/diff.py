"""``proband diff``: which numbers changed between two runs, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli import options as o
from proband.cli.console import print_json, say, show_tables

if TYPE_CHECKING:
    from proband.report.tables.table import Table
    from proband.study.runs.difference import Leaf, RunDifference

_SHOWN = 20
_DIFFERENT = 3


def diff(
    first: Annotated[
        Path, typer.Argument(metavar="RUN", help="A directory of results, or its results.json.")
    ],
    second: Annotated[Path, typer.Argument(metavar="RUN", help="Another.")],
    json: o.Json = False,
) -> int:
    """Report which numbers changed between two runs, and why.

    Numbers that agree to nine digits count as equal. Reasons come from the runs' records: contents of input
    files, versions, seed and settings. The exit code is 0 if the results are equal and 3 if not.

    [bold]Example[/bold]

      proband diff results-before results-after
    """
    from proband.study.runs.difference import compare_runs

    made = compare_runs(first, second)
    if json:
        print_json(made.to_dict())
    else:
        _show(made)
    return 0 if made.is_equal else _DIFFERENT


def _show(made: RunDifference) -> None:
    from proband.words import count, counted

    if made.moves:
        show_tables(_table(made))
        rest = len(made.moves) - _SHOWN
        if rest > 0:
            say(f"{counted(rest, 'smaller change')} not shown; --json lists all.")
        say(f"{count(len(made.moves))} of {counted(made.n_compared, 'value')} moved.")
    elif made.n_compared:
        say(f"All {counted(made.n_compared, 'value')} are equal.")
    for which, keys in (("first", made.only_first), ("second", made.only_second)):
        if keys:
            say(f"Only in the {which} run: {', '.join(keys)}.")
    if made.reasons:
        say("Differences between the runs:")
        for reason in made.reasons:
            say(f"  {reason}")
    else:
        say("Inputs, versions, seed and settings are the same, as far as recorded.")


def _table(made: RunDifference) -> Table:
    from proband.report.tables.cells import columns, text_cell
    from proband.report.tables.table import Table
    from proband.words import digits

    def told(value: Leaf) -> str:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return "–" if value is None else str(value)
        return digits(value, 6)

    rows = [
        (
            text_cell(" / ".join(move.where)),
            text_cell(told(move.before)),
            text_cell(told(move.after)),
            text_cell("" if move.change is None else digits(move.change, 3)),
        )
        for move in made.moves[:_SHOWN]
    ]
    return Table("Largest changes", columns("where", "first", "second", "change"), tuple(rows))
