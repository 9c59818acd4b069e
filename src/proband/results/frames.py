"""Results as rows: one for each of the records a result is made of, down to those that are made of no others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
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
    """Return a row for each number that a result holds, however deep; a result that holds none is shown as its records are."""
    rows = [_numbered(leaf) for leaf in leaves_of(record)]
    if not rows:
        return rows_of(record)
    names = dict.fromkeys(name for row in rows for name in row)
    ordered = [*(name for name in _FIRST if name in names), *(name for name in names if name not in _FIRST)]
    return [{name: row.get(name) for name in ordered} for row in rows]


def leaves_of(record: Any) -> Iterator[Any]:
    """The estimates, differences and tests in a result, in order; what stands beside an estimate follows it."""
    if hasattr(type(record), "tidy"):
        yield record
    if is_record(record):
        for value in entries(record).values():
            yield from leaves_of(value)
    elif isinstance(record, Mapping):
        for value in record.values():
            yield from leaves_of(value)
    elif isinstance(record, tuple | list):
        for value in record:
            yield from leaves_of(value)


def _numbered(leaf: Any) -> Row:
    """A number, whom it is about, and how sure it is."""
    values = {name: getattr(leaf, name) for name in type(leaf).tidy}
    shown = {
        name: str(value) if isinstance(value, Method | Target) else value for name, value in values.items()
    }
    return stated(leaf.who) | {name: None if value == "" else value for name, value in shown.items()}


def rows_of(record: Any) -> list[Row]:
    """Return a record as rows.

    What a record says of itself stands in each of its rows. Arrays go down the rows. A record has the columns that its class names
    in `columns`; without, all it holds but notes. What is only there if it holds anything is no column without.
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
    """Arrays beside each other, a shorter one with gaps at its end; one empty row without any."""
    length = max(map(len, arrays.values()), default=1)
    padded = {key: [*values, *[None] * (length - len(values))] for key, values in arrays.items()}
    return [{key: padded[key][place] for key in padded} for place in range(length)]


@cache
def _columns_of(kind: Any, key: str) -> tuple[str, ...]:
    """The columns that a value would have had which is not there."""
    (own, *_) = members(type_at(kind, paths(kind)[key]))
    if own is kind:  # an estimate beside an estimate
        return ()
    names = getattr(own, "_fields", None)
    if names is None and isinstance(own, type) and is_flat(own):
        names = tuple(name for name in paths(own) if name != "proband")
    return (key,) if names is None else tuple(f"{key}_{name}" for name in names)


def is_flat(kind: Any) -> bool:
    """Whether a type is of records that hold nothing but numbers and words, so that their columns are known without one."""
    if not is_dataclass(kind):
        return False
    record: Any = kind
    first = (members(type_at(record, path))[0] for path in paths(record).values())
    return all(
        one in (int, float, bool, str) or isinstance(one, str) for one in first
    )  # a literal's are its words


def _inner(key: str, value: Any) -> list[Row] | None:
    """The rows of what holds several records; None for anything else."""
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
    """What a value is in a row: one cell, several, or none."""
    if isinstance(value, Note):
        return {}
    if isinstance(value, Method | Target):
        return {key: str(value)}
    if hasattr(value, "_asdict"):
        return {f"{key}_{name}": one for name, one in value._asdict().items()}
    if isinstance(value, Who | RestsOn):  # what a number is about are columns of their own
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
    is_cell = isinstance(value, float) or hasattr(value, "isoformat")  # a table knows infinity, and dates
    return {key: value if is_cell else plain(value)}
