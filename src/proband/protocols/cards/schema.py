"""The schema of protocol cards, and the few rules of JSON Schema that it uses."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from proband.errors import first_few

_NAMES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


@cache
def card_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of protocol cards."""
    loaded: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return loaded


def faults(content: object, schema: dict[str, Any] | None = None, path: str = "") -> Iterator[str]:
    """Report where a card violates the schema: the path, what was expected, and what was found."""
    schema = card_schema() if schema is None else schema
    where = path or "the card"
    kinds = _listed(schema.get("type", list(_NAMES)))
    if not any(_IS[kind](content) for kind in kinds):
        yield f"{where}: expected {' or '.join(_NAMES[kind] for kind in kinds)}, got {_shown(content)}"
        return
    if "const" in schema and content != schema["const"]:
        yield f"{where}: expected {schema['const']!r}, got {_shown(content)}"
    if "enum" in schema and content not in schema["enum"]:
        known = ", ".join(repr(word) for word in schema["enum"] if word is not None)
        yield f"{where}: expected one of {known}, got {_shown(content)}"
    if isinstance(content, dict):
        yield from _faults_of_object(content, schema, path)
    elif isinstance(content, list):
        yield from _faults_of_list(content, schema, path)
    elif isinstance(content, str):
        yield from _faults_of_text(content, schema, where)
    elif isinstance(content, int | float) and not isinstance(content, bool):
        yield from _faults_of_number(content, schema, where)


def _faults_of_object(content: dict[str, Any], schema: dict[str, Any], path: str) -> Iterator[str]:
    known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name in schema.get("required", ()):
        if name not in content:
            yield f"{_at(path, name)}: is missing"
    unknown = [_at(path, name) for name in content if name not in known and others is False]
    if unknown:
        more = f", nor {'is' if len(unknown) == 2 else 'are'} {first_few(unknown[1:])}" if unknown[1:] else ""
        yield f"{unknown[0]}: is not a field of a card{more}; the fields are {', '.join(known)}"
    for name, value in content.items():
        if name in known:
            yield from faults(value, known[name], _at(path, name))
        elif isinstance(others, dict):
            yield from faults(value, others, _at(path, name))


def _faults_of_list(content: list[Any], schema: dict[str, Any], path: str) -> Iterator[str]:
    least, most = schema.get("minItems", 0), schema.get("maxItems", math.inf)
    if not least <= len(content) <= most:
        yield f"{path}: expected {least} items, got {len(content)}"
    for place, item in enumerate(content):
        yield from faults(item, schema.get("items", {}), f"{path}[{place}]")


def _faults_of_text(content: str, schema: dict[str, Any], where: str) -> Iterator[str]:
    if len(content) < schema.get("minLength", 0):
        yield f"{where}: is an empty text; use null for 'not stated'"
    pattern = schema.get("pattern")
    # In Python $ also stands before a last line break, in JSON Schema it does not.
    if pattern is not None and (re.search(pattern, content) is None or "\n" in content):
        yield f"{where}: expected a text of the form {pattern}, got {_shown(content)}"


def _faults_of_number(content: float, schema: dict[str, Any], where: str) -> Iterator[str]:
    limits: tuple[tuple[str, str, Callable[[float, float], bool]], ...] = (
        ("minimum", "at least", lambda value, limit: value >= limit),
        ("maximum", "at most", lambda value, limit: value <= limit),
        ("exclusiveMinimum", "more than", lambda value, limit: value > limit),
        ("exclusiveMaximum", "less than", lambda value, limit: value < limit),
    )
    for rule, words, holds in limits:
        if rule in schema and not holds(content, schema[rule]):
            yield f"{where}: expected {words} {schema[rule]}, got {_shown(content)}"


def _listed(kinds: str | list[str]) -> list[str]:
    return [kinds] if isinstance(kinds, str) else kinds


def _at(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _shown(content: object) -> str:
    return f"{content!r:.60}"


def _is_number(content: object) -> bool:
    whole = isinstance(content, int) and not isinstance(content, bool)
    return whole or (isinstance(content, float) and math.isfinite(content))


_IS: dict[str, Callable[[object], bool]] = {
    "object": lambda content: isinstance(content, dict),
    "array": lambda content: isinstance(content, list),
    "string": lambda content: isinstance(content, str),
    "integer": lambda content: isinstance(content, int) and not isinstance(content, bool),
    "number": _is_number,
    "boolean": lambda content: isinstance(content, bool),
    "null": lambda content: content is None,
}
