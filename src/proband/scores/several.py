"""One algorithm or several: what every verb takes, made a mapping of names."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import is_dataclass, replace
from typing import Any

from proband.errors import UsageError


def by_name(given: Any) -> dict[str, Any]:
    """Name one algorithm or several: in a mapping by its keys, else by the names they have."""
    if isinstance(given, Mapping):
        return {name: _called(one, name) for name, one in named_apart(given.items()).items()}
    listed: list[Any] = list(given) if is_several(given) else [given]
    return named_apart((name_of(one), one) for one in listed)


def named_apart(given: Iterable[tuple[object, Any]]) -> dict[str, Any]:
    """Algorithms by their names as texts; refused where there are none, or two of one name, as 1 and "1" are."""
    listed = [(str(name), one) for name, one in given]
    named = dict(listed)
    if not named or len(named) < len(listed):
        got = ", ".join(name for name, _ in listed)
        raise UsageError(
            f"Algorithms must have different names; got {got or 'none'}.",
            'pass names: {"a": scores, "b": others}, or NAME=FILE.',
        )
    return named


def is_several(given: Any) -> bool:
    """Whether several algorithms are given, and not one."""
    return isinstance(given, Sequence | Mapping) and not isinstance(given, str)


def name_of(one: Any) -> str:
    """What an algorithm is called, by its scores or by its outcomes."""
    return str(getattr(one, "algorithm", None) or getattr(one, "name", one))


def _called(one: Any, name: str) -> Any:
    """The same under another name."""
    if name_of(one) == name:
        return one
    if is_dataclass(one) and not isinstance(one, type):
        return replace(one, **{"algorithm" if hasattr(one, "algorithm") else "name": name})
    other = copy.copy(one)
    other.name = name
    return other
