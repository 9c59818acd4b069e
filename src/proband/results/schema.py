"""The JSON Schema of results, made from their types by the code that writes their JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from inspect import getdoc
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import polars as pl

from proband.engine.hints import plain
from proband.engine.limits import Matching, Within
from proband.results.serializing import Written, paths, type_at
from proband.words import Method, Note, Target

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string"}
_WORDS: dict[type, Schema] = {
    Note: {
        "code": _TEXT,
        "level": {"enum": ["note", "caution"]},
        "values": {"type": "object"},
        "text": _TEXT,
    },
    Target: {"key": _TEXT, "text": _TEXT},
    Method: {
        "key": _TEXT,
        "text": _TEXT,
        "cites": {"type": "array", "items": _TEXT},
        "draws": {"type": ["integer", "null"]},
    },
}
_SCALARS: dict[Any, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": ["number", "null"]},  # for values that are not finite
    str: _TEXT,
    NoneType: {"type": "null"},
    Any: {},
    pl.DataFrame: {"type": "array", "items": {"type": "object"}},
}


def schema_of(kind: type, title: str, parts: Mapping[str, type] | None = None) -> Schema:
    """Return the JSON Schema (draft 2020-12) of `to_dict` of a type of results.

    The top level allows no other keys; nested records do, since they may be of a subclass. `parts` may be added to the
    top-level keys.
    """
    found: dict[str, Schema] = {}
    _schema(kind, found)
    name = kind.__name__
    holds_its_own = f"#/$defs/{name}'" in repr(found)  # an estimate within an estimate
    own = {**found[name], "properties": dict(found[name]["properties"])}
    if not holds_its_own:
        del found[name]
    own["properties"] |= {key: _schema(part, found) for key, part in (parts or {}).items()}
    top = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return {**top, **own, "additionalProperties": False, "$defs": dict(sorted(found.items()))}


def _schema(kind: Any, found: dict[str, Schema]) -> Schema:
    """The schema of a type; those of records are added to `found` and referenced."""
    kind = plain(kind)
    origin, parts = get_origin(kind), get_args(kind)
    if kind in _SCALARS:
        return dict(_SCALARS[kind])
    if origin is Annotated:
        return _limited(_schema(parts[0], found), parts[1])
    if origin in (Union, UnionType):
        return _any_of([_schema(one, found) for one in parts])
    if origin is Literal:
        return {"const": parts[0]} if len(parts) == 1 else {"enum": list(parts)}
    if origin is np.ndarray:
        whole = issubclass(get_args(parts[1])[0], np.integer)
        return _list_of(_SCALARS[int if whole else float])
    if origin is not None and issubclass(origin, tuple) and parts[-1] is not Ellipsis:
        return _list_of(_schema(parts[0], found), len(parts))
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(parts[1], found)}
    if origin is not None and issubclass(origin, Sequence):
        return _list_of(_schema(parts[0], found))
    if issubclass(kind, Enum):
        return {"enum": [one.value for one in kind]}
    if issubclass(kind, tuple):
        ends = list(get_type_hints(kind, include_extras=True).values())
        return _list_of(_schema(ends[0], found), len(ends))
    if kind not in _WORDS and "to_dict" in vars(kind):
        return {"type": "object"}  # has its own format
    return _record(kind, found)


def _record(kind: type, found: dict[str, Schema]) -> Schema:
    name = kind.__name__
    if name not in found:
        found[name] = {}  # a record may contain others of its type
        if kind in _WORDS:
            keys, required = _WORDS[kind], list(_WORDS[kind])
        else:
            if not is_dataclass(kind):
                raise TypeError(f"{name} is not a record, so it has no schema.")
            written: Written = getattr(kind, "written", Written())
            keys = {key: _schema(type_at(kind, path), found) for key, path in paths(kind).items()}
            sparse = getattr(kind, "sparse", False)
            required = [key for key in keys if key not in written.if_any and not sparse]
        found[name] = {
            "description": (getdoc(kind) or name).partition("\n")[0],
            "type": "object",
            "required": required,
            "properties": keys,
        }
    return {"$ref": f"#/$defs/{name}"}


def _list_of(items: Schema, length: int | None = None) -> Schema:
    exact = {} if length is None else {"minItems": length, "maxItems": length}
    return {"type": "array", "items": items, **exact}


def _limited(schema: Schema, limits: Within | Matching) -> Schema:
    """The schema of a limited number, which is never null, of a list of these, or of text with a pattern."""
    if schema["type"] == "array":
        return {**schema, "items": _limited(schema["items"], limits)}
    kind = (
        _SCALARS[int]["type"]
        if schema == _SCALARS[int]
        else "number"
        if isinstance(limits, Within)
        else "string"
    )
    return {**schema, "type": kind, **limits.in_schema}


def _any_of(each: list[Schema]) -> Schema:
    """The union of several schemas; null is added to the type of a plain type, or to the values of an enumeration."""
    others = [one for one in each if one != _SCALARS[NoneType]]
    if len(others) == len(each):
        return {"anyOf": each}
    if len(others) == 1 and "enum" in others[0]:
        return {"enum": [*others[0]["enum"], None]}
    if len(others) == 1 and "type" in others[0]:
        kinds = others[0]["type"]
        return {
            **others[0],
            "type": list(dict.fromkeys([*([kinds] if isinstance(kinds, str) else kinds), "null"])),
        }
    return {"anyOf": each}
