"""Tables of results that have none of their own: their frames."""

from __future__ import annotations

from typing import Any

import polars as pl

from proband.errors import UsageError
from proband.report.tables.cells import count_cell, digits_cell, empty_cell, text_cell
from proband.report.tables.table import Cell, Column, Table


def frame_tables(result: Any) -> list[Table]:
    """Make a table of a result's frame, for results that have none of their own."""
    if not hasattr(result, "to_frame"):
        raise UsageError(f"There is no table of a {type(result).__name__}.")
    frame: pl.DataFrame = result.to_frame()
    heads: list[Column] = []
    for name, kind in frame.schema.items():
        leading = all(one.kind == "name" for one in heads)
        heads.append(Column(name, "number" if kind.is_numeric() else "name" if leading else "text"))
    return [Table("", tuple(heads), tuple(tuple(map(_plain_cell, row)) for row in frame.rows()))]


def _plain_cell(value: object) -> Cell:
    match value:
        case None:
            return empty_cell()
        case bool():
            return text_cell("yes" if value else "no")
        case int():
            return count_cell(value)
        case float():
            return digits_cell(value, 6)
        case _:
            return text_cell(str(value))
