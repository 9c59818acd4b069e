"""Columns of a survey's table: labels as codes, and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.errors import Hint, InputError, unknown_name
from proband.words import count, counted

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]


def column_of(table: pl.DataFrame, name: str, option: str) -> pl.Series:
    """A column by its name; one that is not there is refused with those that are, and the option that named it."""
    if name not in table.columns:
        raise unknown_name("column", name, table.columns, "in the table", option=option)
    return table[name]


def labels_of(table: pl.DataFrame, name: str, option: str) -> tuple[tuple[str, ...], Integers]:
    """The values of a column in order, as texts, and which of them each row has; none may be missing."""
    column = column_of(table, name, option)
    _refuse_missing(column, name, "fill in the missing values, or leave these rows out.")
    known = column.unique().sort()
    places = pl.DataFrame({"value": known, "place": np.arange(len(known))})
    found = pl.DataFrame({"value": column}).join(places, on="value", how="left", maintain_order="left")
    return tuple(map(text_of, known.to_list())), found["place"].to_numpy().astype(np.intp)


def text_of(value: Any) -> str:
    """A label as people write it: whole numbers without a point."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def is_numeric(table: pl.DataFrame, name: str, option: str) -> bool:
    """Whether a column holds numbers, or yes and no, rather than names."""
    kind = column_of(table, name, option).dtype
    return bool(kind.is_numeric() or kind == pl.Boolean)


def numbers_of(table: pl.DataFrame, name: str, option: str, missing: bool = False) -> Floats:
    """A column as finite numbers; what is missing is refused, or NaN where that is allowed."""
    column = column_of(table, name, option)
    if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
        raise InputError(
            f"The column {name!r} is not numeric: {column.drop_nulls()[0]!r}."
            if column.drop_nulls().len()
            else f"The column {name!r} is empty.",
            Hint("use another column: {option:{column}}", column=option) if option else None,
        )
    found: Floats = column.cast(pl.Float64).fill_nan(None).to_numpy().astype(np.float64)
    if not missing:
        _refuse_missing(
            column.cast(pl.Float64).fill_nan(None),
            name,
            Hint("fill in the missing values, or leave these rows out: {option:missing=drop}")
            if option not in ("", "weights", "fpc")
            else "fill in the missing values, or leave these rows out.",
        )
    if np.isinf(found).any():
        raise InputError(
            f"The column {name!r} is infinite in row {count(int(np.isinf(found).argmax()) + 1)}."
        )
    return found


def crossed(
    parts: Sequence[tuple[tuple[str, ...], Integers]],
) -> tuple[tuple[tuple[str, ...], ...], Integers]:
    """The combinations of labels that come, in the order of the first, then the second, …, and which of them each row has."""
    codes = np.zeros(len(parts[0][1]), dtype=np.intp)
    for names, own in parts:
        codes = codes * len(names) + own
    kinds, inverse = np.unique(codes, return_inverse=True)
    found = []
    for kind in kinds.tolist():
        labels = []
        for names, _ in reversed(parts):
            kind, place = divmod(kind, len(names))
            labels.append(names[place])
        found.append(tuple(reversed(labels)))
    return tuple(found), inverse.ravel().astype(np.intp)


def _refuse_missing(column: pl.Series, name: str, hint: str | Hint) -> None:
    missing = int(column.null_count())
    if missing:
        row = int(column.is_null().arg_max() or 0)
        raise InputError(
            f"The column {name!r} is empty in {counted(missing, 'row')}, first in row {count(row + 1)}.", hint
        )
