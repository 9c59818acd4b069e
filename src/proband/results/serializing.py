"""The single traversal of records: the value of each key, from the fields of a dataclass and its `written`.

Plain values, tables and the JSON Schema of results are all made from `paths`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from inspect import ismethod
from types import NoneType
from typing import Any, get_args, get_type_hints

from proband.words import Method, Note, Target


@dataclass(frozen=True)
class Written:
    """How the JSON of a result differs from its fields.

    Attributes
    ----------
    keys
        Keys, and the path to the value of each: a field under another name, a property or a method without arguments, or several
        of these joined by dots. A key of a field, or its new name, takes the place of the field; others come last.
    also
        Properties, or methods without arguments, that are written under their own names after the fields.
    without
        Fields that are not written.
    spread
        Fields that are replaced by their own keys.
    if_any
        Keys that are only written if they have a value.
    versioned
        Whether the version of Proband is written first.
    beside
        A field with results by key, which are written next to the other keys.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    spread: tuple[str, ...] = ()
    if_any: tuple[str, ...] = ()
    versioned: bool = False
    beside: str | None = None


def is_record(value: Any) -> bool:
    """Whether a value is a record of other values; text and words are not."""
    return is_dataclass(value) and not isinstance(value, Note | Method | Target)


def entries(record: Any) -> dict[str, Any]:
    """The value of each key of a record."""
    kind: Any = type(record)
    return {key: _follow(record, path) for key, path in paths(kind).items()}


@cache
def paths(kind: Any) -> dict[str, str]:
    """The keys of a type of records, in order, each with the path to its value."""
    written: Written = getattr(kind, "written", Written())
    renamed = {path: key for key, path in written.keys.items()}
    found = {"proband": "proband"} if written.versioned else {}
    for one in fields(kind):
        if one.name in written.spread:
            inner: Any = members(type_at(kind, one.name))[0]
            found |= {key: f"{one.name}.{path}" for key, path in paths(inner).items()}
        elif one.name in written.keys or one.name not in written.without:
            key = one.name if one.name in written.keys else renamed.get(one.name, one.name)
            found[key] = one.name
    return found | dict(written.keys) | {name: name for name in written.also}


def type_at(kind: Any, path: str) -> Any:
    """The annotated type at the end of a path."""
    for name in path.split("."):
        owner = members(kind)[0]
        hints = _hints(owner)
        if name in hints:
            kind = hints[name]
        else:
            found = getattr(owner, name)
            function = found.fget if isinstance(found, property) else getattr(found, "func", found)
            kind = get_type_hints(function, include_extras=True)["return"]
    return kind


@cache
def _hints(owner: Any) -> dict[str, Any]:
    """The annotations of a record, evaluated once."""
    return get_type_hints(owner, include_extras=True)


def members(kind: Any) -> tuple[Any, ...]:
    """The types of a union except None, or the single type."""
    return tuple(one for one in get_args(kind) if one is not NoneType) or (kind,)


def _follow(record: Any, path: str) -> Any:
    for name in path.split("."):
        if record is None:
            return None
        record = getattr(record, name)
        record = record() if ismethod(record) else record
    return record
