"""One algorithm or several, converted to a mapping from names."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import is_dataclass, replace
from typing import Any

from proband.errors import UsageError


def by_name(given: Any) -> dict[str, Any]:
    """Name one algorithm or several, by the keys of a mapping or by their own names."""
    if isinstance(given, Mapping):
        return {name: _called(one, name) for name, one in named_apart(given.items()).items()}
    listed: list[Any] = list(given) if is_several(given) else [given]
    return named_apart((name_of(one), one) for one in listed)


def named_apart(given: Iterable[tuple[object, Any]]) -> dict[str, Any]:
    """Algorithms by name as text; refuse none, and duplicate names such as 1 and "1"."""
    listed = [(str(name), one) for name, one in given]
    named = dict(listed)
    if not named:
        raise UsageError("No algorithm was given.", "pass scores or embeddings of at least one.")
    if len(named) < len(listed):
        raise UsageError(
            f"Algorithms must have different names; got {', '.join(name for name, _ in listed)}.",
            'pass names: {"a": scores, "b": others}, or NAME=FILE.',
        )
    return named


def is_several(given: Any) -> bool:
    """Whether several algorithms are given."""
    return isinstance(given, Sequence | Mapping) and not isinstance(given, str)


def name_of(one: Any) -> str:
    """The name of an algorithm, from its scores or outcomes."""
    return str(getattr(one, "algorithm", None) or getattr(one, "name", one))


def _called(one: Any, name: str) -> Any:
    """The same with another name."""
    if name_of(one) == name:
        return one
    if is_dataclass(one) and not isinstance(one, type):
        return replace(one, **{"algorithm" if hasattr(one, "algorithm") else "name": name})
    other = copy.copy(one)
    other.name = name
    return other
