"""Options that have an effect only beside others: marked where they are declared, and refused in the same words wherever they are given.

An option is named as hints name it: ``reject`` where it is given, ``method=bootstrap`` where it has a value, ``exact=on`` where it is switched on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from proband.errors import Hint, Predicate


class _Mark:
    def __init__(self, *others: str) -> None:
        self.others = others


class Needs(_Mark):
    """That an option has no effect unless one of these is there."""


class Unless(_Mark):
    """That an option has no effect beside any of these."""


def why_idle(
    marks: Iterable[object], values: Callable[[str], Any], defaults: Mapping[str, Any]
) -> tuple[Predicate, Hint] | None:
    """Say why an option has no effect beside the others as they are, and what to do; None where it has one."""
    for mark in marks:
        if not isinstance(mark, _Mark):
            continue
        there = [other for other in mark.others if _holds(other, values, defaults)]
        if isinstance(mark, Unless) and there:
            return Predicate(f"has no effect with {_named(there[:1])}"), Hint("leave one of them out.")
        if isinstance(mark, Needs) and not there:
            named = _named(mark.others)
            return Predicate(f"has no effect without {named}"), Hint(f"leave it out, or add {named}.")
    return None


def _holds(other: str, values: Callable[[str], Any], defaults: Mapping[str, Any]) -> bool:
    name, equals, wanted = other.partition("=")
    value = values(name)
    if not equals:
        return value is not None and value != defaults.get(name) and value != []
    return bool(value) if wanted == "on" else str(getattr(value, "value", value)) == wanted


def _named(others: Iterable[str]) -> str:
    return " or ".join(f"{{named:{other}}}" for other in others)
