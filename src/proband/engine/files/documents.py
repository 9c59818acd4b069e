"""Results as JSON, in one form wherever they are printed or written."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from proband.words import UNPRINTABLE


def as_json(plain: Any, indent: int | None = 1) -> str:
    r"""Write plain values as JSON text with a last line break.

    Numbers that JSON has no word for are null, and what a terminal would obey is written as its number.

    Examples
    --------
    >>> print(as_json({"name": "é\u202e", "value": float("nan")}, indent=None), end="")
    {"name": "é\u202e", "value": null}

    """
    try:
        text = json.dumps(plain, indent=indent, ensure_ascii=False, allow_nan=False, default=_plain)
    except ValueError:
        text = json.dumps(_finite(plain), indent=indent, ensure_ascii=False, allow_nan=False, default=_plain)
    return escaped_json(text) + "\n"


def escaped_json(text: str) -> str:
    r"""Write what a terminal would obey, or not show, as JSON spells it: the data stay what they are.

    Examples
    --------
    >>> escaped_json('"\U000e0041"'), json.loads(escaped_json('"\u202e"')) == "\u202e"
    ('"\\udb40\\udc41"', True)

    """
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
