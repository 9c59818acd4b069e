"""Lazy loading of the names of a package."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(
    package: str, homes: Mapping[str, str], rooms: tuple[str, ...] = (), *, published: bool = False
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make ``__getattr__`` and ``__dir__`` of a package; only names given here are listed.

    Parameters
    ----------
    homes
        The names that each module provides, separated by blanks, by the dotted name of the module within the package, or its full name.
    rooms
        Subpackages that are also loaded.
    published
        Whether the argument checks are applied to loaded names, as `publish` does for names defined directly.
    """
    known = {name: module for module, names in homes.items() for name in names.split()}

    def find(name: str) -> Any:
        if name in rooms:
            return import_module(f"{package}.{name}")
        if name not in known:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = known[name] if known[name].startswith("proband.") else f"{package}.{known[name]}"
        value = getattr(import_module(home), name)
        if published:
            from proband.engine.arguments import published as gated

            value = gated(value)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        return sorted([*known, *rooms])

    return find, listed
