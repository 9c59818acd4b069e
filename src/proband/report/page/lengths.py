"""Length limits of a page: leading algorithms only, and long tables folded."""

from __future__ import annotations

from collections.abc import Sequence

from proband.report.page.model import Block, Folded
from proband.report.tables.table import Table
from proband.words import counted

MOST_CURVES = 8  # algorithms that have a row each in a chart of groups; tables have all
_MOST_ROWS = 12  # of a table that is not folded


def drawn(names: Sequence[str], order: Sequence[str], most: int = MOST_CURVES) -> list[str]:
    """The algorithms that charts show: the leading ones, in the order they were given in."""
    leaders = [name for name in order if name in names][:most]
    return [name for name in names if name in leaders]


def left_out(names: Sequence[str], shown: Sequence[str]) -> list[str]:
    """Note for charts that do not show every algorithm."""
    if len(shown) == len(names):
        return []
    return [
        f"Charts show the leading {len(shown)} of {counted(len(names), 'algorithm')}; tables show all of them."
    ]


def of_length(table: Table) -> Block:
    """A table as it is, or folded where it is long."""
    n = len(table.rows)
    return table if n <= _MOST_ROWS else Folded(f"{table.caption}: {counted(n, 'row')}", (table,))
