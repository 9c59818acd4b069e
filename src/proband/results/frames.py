"""Results as rows: one for each innermost record of a result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from proband.results.about import RestsOn, Who, stated
from proband.results.serializing import Written, entries, is_record, members, paths, type_at
from proband.words import Method, Note, Target, plain

Row = dict[str, Any]
_FIRST = ("algorithm", "first", "second", "measure", *(one.name for one in fields(Who)))
"""The columns that people filter by stand first."""


def tidy_rows(record: Any) -> list[Row]:
    """Return a row for each number nested in a result; a result without numbers gives the rows of its records."""
    rows = [_numbered(leaf) for leaf in leaves_of(record)]
    if not rows:
        return rows_of(record)
    names = dict.fromkeys(name for row in rows for name in row)
    ordered = [*(name for name in _FIRST if name in names), *(name for name in names if name not in _FIRST)]
    return [{name: row.get(name) for name in ordered} for row in rows]


def leaves_of(record: Any) -> Iterator[Any]:
    """The estimates, differences and tests in a result, in order; those within an estimate follow it."""
    if hasattr(type(record), "tidy"):
        yield record
    if is_record(record):
        for key, value in entries(record).items():
            if key == "by_person" and value is not None and not value.measure and record.measure:
                value = replace(value, measure=f"{record.measure}-by-person")
            yield from leaves_of(value)
    elif isinstance(record, Mapping):
        for value in record.values():
            yield from leaves_of(value)
    elif isinstance(record, tuple | list):
        for value in record:
            yield from leaves_of(value)


def _numbered(leaf: Any) -> Row:
    """The row of a number: what it describes, its value and its interval."""
    values = {name: getattr(leaf, name) for name in type(leaf).tidy}
    shown = {
        name: str(value) if isinstance(value, Method | Target) else value for name, value in values.items()
    }
    return stated(leaf.who) | {name: None if value == "" else value for name, value in shown.items()}


def rows_of(record: Any) -> list[Row]:
    """Return a record as rows.

    Values of the record itself are repeated in each row. Arrays go down the rows. The columns are those named in `columns` of
    the class, or else all fields but notes. Optional fields without a value have no column.
    """
    kind: Any = type(record)
    own: Row = {}
    arrays: dict[str, list[Any]] = {}
    parts: dict[str, list[Row]] = {}
    for key, value in entries(record).items():
        if key == "proband":
            continue
        if value is None:
            if key not in getattr(kind, "written", Written()).if_any:
                own |= dict.fromkeys(_columns_of(kind, key))
            continue
        if isinstance(value, np.ndarray):
            arrays[key] = value.tolist()
            continue
        if isinstance(value, tuple) and value and all(hasattr(one, "_fields") for one in value):
            arrays |= {f"{key}_{name}": [getattr(one, name) for one in value] for name in value[0]._fields}
            continue
        inner = _inner(key, value)
        if inner is None:
            own |= _cells(key, value)
        elif inner:
            parts[key] = inner
    if arrays or not parts:
        parts[", ".join(arrays)] = _down(arrays)
    return [
        {**own, **({"part": key} if len(parts) > 1 else {}), **row} for key in parts for row in parts[key]
    ]


def rows_of_all(records: Iterable[Any]) -> list[Row]:
    """Return several records as rows, one below the other."""
    return [row for record in records for row in rows_of(record)]


def _down(arrays: dict[str, list[Any]]) -> list[Row]:
    """Rows of arrays side by side, shorter ones padded with None; one empty row if there are none."""
    length = max(map(len, arrays.values()), default=1)
    padded = {key: [*values, *[None] * (length - len(values))] for key, values in arrays.items()}
    return [{key: padded[key][place] for key in padded} for place in range(length)]


@cache
def _columns_of(kind: Any, key: str) -> tuple[str, ...]:
    """The columns that a missing value would have."""
    (own, *_) = members(type_at(kind, paths(kind)[key]))
    if own is kind:  # an estimate within an estimate
        return ()
    names = getattr(own, "_fields", None)
    if names is None and isinstance(own, type) and is_flat(own):
        names = tuple(name for name in paths(own) if name != "proband")
    return (key,) if names is None else tuple(f"{key}_{name}" for name in names)


def is_flat(kind: Any) -> bool:
    """Whether records of a type contain only numbers and text, so that their columns follow from the type."""
    if not is_dataclass(kind):
        return False
    record: Any = kind
    first = (members(type_at(record, path))[0] for path in paths(record).values())
    return all(
        one in (int, float, bool, str) or isinstance(one, str) for one in first
    )  # the members of a Literal are strings


def _inner(key: str, value: Any) -> list[Row] | None:
    """The rows of a value that contains several records; None for anything else."""
    if isinstance(value, pl.DataFrame):
        return value.to_dicts()
    if isinstance(value, Mapping):
        named = [({key: plain(name)}, one) for name, one in value.items()]
        return [{**name, **row} for name, one in named for row in _rows_or_cell(one)]
    if isinstance(value, tuple | list) and all(is_record(one) or isinstance(one, Mapping) for one in value):
        return [row for one in value for row in (rows_of(one) if is_record(one) else [dict(one)])]
    if is_record(value) and not hasattr(value, "columns") and not isinstance(value, Who | RestsOn):
        inner = rows_of(value)
        return inner if len(inner) > 1 else None
    return None


def _rows_or_cell(value: Any) -> list[Row]:
    if is_record(value):
        return rows_of(value)
    return [_cells("value", one) for one in (value if isinstance(value, np.ndarray) else (value,))]


def _cells(key: str, value: Any) -> Row:
    """The cells of a value in a row: one, several or none."""
    if isinstance(value, Note):
        return {}
    if isinstance(value, Method | Target):
        return {key: str(value)}
    if hasattr(value, "_asdict"):
        return {f"{key}_{name}": one for name, one in value._asdict().items()}
    if isinstance(value, Who | RestsOn):  # these have their own columns
        return stated(value)
    if is_record(value):
        chosen = getattr(value, "columns", None)
        if chosen is not None:
            return {name: getattr(value, name) for name in chosen}
        (row,) = rows_of(value)
        return {f"{key}_{name}": one for name, one in row.items()}
    if isinstance(value, tuple | list):
        shown = [str(plain(one)) for one in value if not isinstance(one, Note)]
        return {key: ", ".join(shown)} if shown or not value else {}
    is_cell = isinstance(value, float) or hasattr(value, "isoformat")  # tables hold infinity and dates
    return {key: value if is_cell else plain(value)}
