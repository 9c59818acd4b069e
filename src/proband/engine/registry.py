"""Things known by name: those that come with the program, those of installed plug-ins, and a user's own by dotted name."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from proband.errors import UsageError


@dataclass(frozen=True)
class Registry:
    """Names and what they mean; nothing is imported before it is asked for.

    Parameters
    ----------
    what
        What kind of thing is known here, in words.
    group
        The entry points by which an installed package adds to it.
    known
        What comes with the program: for each name a function that makes it, or ``module:attribute``.
    """

    what: str
    group: str
    known: Mapping[str, Callable[[], Any] | str]
    _added: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, thing: Any) -> None:
        """Add something from Python, for this process."""
        self._added[name] = thing

    def names(self) -> list[str]:
        """All names there are, without importing anything."""
        installed = sorted(entry.name for entry in self._installed())
        return list(dict.fromkeys([*self.known, *self._added, *installed]))

    def names_code(self, name: str) -> bool:
        """Whether a name means code to be imported, ``package.module:attribute``, and nothing that is known here."""
        module, _, attribute = name.partition(":")
        return "." in module and not module.startswith(".") and bool(attribute) and name not in self.names()

    def find(self, name: str) -> Any:
        """Return what a name means; for what comes with the program and has a maker, what that makes."""
        if name in self.known:
            home = self.known[name]
            return _imported(home) if isinstance(home, str) else home()
        if name in self._added:
            return self._added[name]
        for entry in self._installed():
            if entry.name == name:
                return _loaded(entry)
        if self.names_code(name):
            return _imported(name)
        names = self.names()
        near = difflib.get_close_matches(name, names, n=3)
        raise UsageError(
            f"There is no {self.what} {name!r}.",
            f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are: {', '.join(names)}.",
        )

    def installed(self) -> dict[str, Any]:
        """Everything that was added or that installed packages add, by name, imported."""
        return {**self._added, **{entry.name: _loaded(entry) for entry in self._installed()}}

    def _installed(self) -> list[EntryPoint]:
        found = _entry_points(self.group, tuple(sys.path))
        return [entry for entry in found if entry.name not in self.known and entry.name not in self._added]


@cache
def _entry_points(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """What installed packages register; looking through all of them takes some hundredths of a second."""
    return tuple(entry_points(group=group))


def _loaded(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:  # whatever a stranger's module raises when it is imported
        raise UsageError(f"The plug-in {entry.name} ({entry.value}) cannot be imported: {error}.") from None


def _imported(name: str) -> Any:
    module, _, attribute = name.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"{name} cannot be imported: {error}.") from None
