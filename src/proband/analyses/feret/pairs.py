"""Pairs of algorithms as written on the command line; names may contain the separators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proband.errors import UsageError


def _version(text: str, known: Sequence[str]) -> dict[str, Any]:
    fully, partially = _parted(text, known, "--version", "FULL=PARTIAL")
    return {"fully": fully, "partially": partially}


def _improvement(text: str, known: Sequence[str]) -> dict[str, Any]:
    sides = _parted(text, known, "--improvement", "EARLIER=LATER")
    (earlier, before), (later, after) = (_dated(side, known) for side in sides)
    said = {"earlier": earlier, "later": later, "earlier_date": before, "later_date": after}
    return {name: value for name, value in said.items() if value is not None}


def _parted(text: str, known: Sequence[str], option: str, form: str) -> tuple[str, str]:
    """Split two names at the equals sign that leaves two known names; names may contain equals signs."""
    marks = [place for place, letter in enumerate(text) if letter == "="]
    if not marks:
        raise UsageError(f"{option} takes {form}, got {text!r:.80}.")
    sides = [(text[:place], text[place + 1 :]) for place in marks]
    return next((two for two in sides if all(_dated(one, known)[0] in known for one in two)), sides[0])


def _dated(text: str, known: Sequence[str]) -> tuple[str, str | None]:
    """Part a name and its date, unless the whole is a name."""
    name, mark, date = text.rpartition("@")
    return (name, date) if mark and text not in known else (text, None)


PAIRS = {"versions": _version, "improvements": _improvement}
"""Request fields that name pairs of algorithms, and the function that parses each once the names are known."""
