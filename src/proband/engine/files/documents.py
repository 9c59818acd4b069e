"""Documents of nested values: canonical JSON of results, and JSON, TOML and XML input within limits."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Callable
from typing import Any
from xml.parsers import expat

from proband.errors import InputError, Said
from proband.words import UNPRINTABLE, count

LARGEST_TOML = 500_000
"""Bytes; what is read of TOML are small files that people write."""
_DEEPEST = 12
# An unclosed string takes the rest of the line or text, so that nothing is scanned twice.
TOML_STRING = (
    r'"""(?:[^"\\]++|\\.?|"(?!""))*+(?:"{3,5}|\Z)'
    r"|'''.*?(?:'{3,5}(?!')|\Z)"
    r'|"(?:[^"\\\n]++|\\.?)*+"?'
    r"|'[^'\n]*+'?"
)
# Strings and comments, in which brackets and dots have no meaning; brackets, dots, and ends of keys.
_TOML_TOKEN = re.compile(rf"{TOML_STRING}|#[^\n]*|[\[\]{{}}.\n=,]", re.DOTALL)


def as_json(plain: Any, indent: int | None = 1) -> str:
    r"""Write plain values as JSON text with a final line break.

    Numbers that JSON cannot represent become null, and control characters are escaped.
    """
    try:
        text = json.dumps(plain, indent=indent, ensure_ascii=False, allow_nan=False, default=_plain)
    except ValueError:
        text = json.dumps(_finite(plain), indent=indent, ensure_ascii=False, allow_nan=False, default=_plain)
    return escaped_json(text) + "\n"


def escaped_json(text: str) -> str:
    r"""Escape control and invisible characters in JSON text, without changing the data."""
    return UNPRINTABLE.sub(_as_units, text)


def _as_units(mark: re.Match[str]) -> str:
    units = mark[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _plain(record: Any) -> Any:
    return record.to_dict()


def _finite(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _finite(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_finite(value) for value in part]
    return None if isinstance(part, float) and not math.isfinite(part) else part


def read_json(content: bytes | str, **options: Any) -> Any:
    """Read JSON; a `ValueError` explains errors, including too deep nesting."""
    try:
        return json.loads(content, **options)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_toml(text: str) -> dict[str, Any]:
    r"""Read TOML; a `ValueError` explains errors, from the parser or because of too deep nesting."""
    if len(text) > LARGEST_TOML:
        raise ValueError(f"it has more than {count(LARGEST_TOML)} characters")
    _refuse_deep(text)
    return tomllib.loads(text)


def _refuse_deep(text: str) -> None:
    """Refuse names of many parts, for which the parser takes quadratic time, and deeply nested brackets."""
    open_brackets = dots = 0
    for found in _TOML_TOKEN.finditer(text):
        mark = found[0]
        if mark == ".":
            dots += 1
        elif len(mark) == 1 and mark != "#":
            dots = 0
            open_brackets += (mark in "[{") - (mark in "]}")
        if max(open_brackets, dots) > _DEEPEST:
            line = text.count("\n", 0, found.start()) + 1
            raise ValueError(f"line {count(line)} is nested more than {_DEEPEST} levels deep")


def read_xml(
    content: bytes,
    name: str,
    what: str,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None] | None = None,
    *,
    typed: bool = False,
) -> None:
    """Parse the elements of an XML file, which may not declare entities, nor a document type unless `typed`."""

    def refuse(*_: object) -> None:
        raise InputError(
            f"{name} declares a document type or an entity, which is not allowed.",
            file=Said(name),
        )

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.EntityDeclHandler = refuse
    if not typed:
        parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError, ValueError) as error:  # the last two also for encodings
        raise InputError(f"{name} is not {what}: {error}.", file=Said(name)) from None
