"""Objects by name: bundled, from installed plug-ins, or a user's own by dotted name."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import Distribution, EntryPoint, distribution, entry_points, packages_distributions
from pkgutil import iter_modules
from typing import Any, TypeVar

from proband.engine.source_digest import package_digest
from proband.errors import UsageError, meant, nearest

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Registry:
    """Objects by name; nothing is imported before it is requested.

    Parameters
    ----------
    what
        A description of the kind of object.
    group
        The entry point group by which installed packages add objects.
    known
        For each name, a function that makes the object, or ``module:attribute``.
    package
        A package whose modules register their objects; modules with an underscore are shared helpers.
    """

    what: str
    group: str
    known: Mapping[str, Callable[[], Any] | str] = field(default_factory=dict)
    package: str | None = None
    _registered: dict[str, Any] = field(default_factory=dict)

    def register(self, *names: str) -> Callable[[Thing], Thing]:
        """Register an object under names, directly or as a decorator."""

        def take(thing: Thing) -> Thing:
            self._registered.update(dict.fromkeys(names, thing))
            return thing

        return take

    def names(self) -> list[str]:
        """All registered names, without importing plug-ins."""
        self._load()
        installed = sorted(entry.name for entry in self._installed())
        return list(dict.fromkeys([*self.known, *self._registered, *installed]))

    def names_code(self, name: str) -> bool:
        """Whether a name refers to code to import, ``package.module:attribute``, and is not registered here."""
        module, _, attribute = name.partition(":")
        return "." in module and not module.startswith(".") and bool(attribute) and name not in self.names()

    def find(self, name: str) -> Any:
        """Return the object of a name, made by its registered factory if there is one."""
        self._load()
        if name in self.known:
            home = self.known[name]
            return imported(home) if isinstance(home, str) else home()
        if name in self._registered:
            return self._registered[name]
        for entry in self._installed():
            if entry.name == name:
                return _loaded(entry)
        if self.names_code(name):
            return imported(name)
        if name.endswith(")"):
            raise UsageError(
                f"There is no {self.what} {name!r}.",
                f"specify the module of the class: MODULE:{name}, as in sklearn.linear_model:LogisticRegression().",
            )
        raise UsageError(f"There is no {self.what} {name!r}.", self.meant_by(name))

    def meant_by(self, name: str) -> str:
        """A hint for an unknown name: a similar name, all names, or code without its package."""
        names = self.names()
        module, _, attribute = name.partition(":")
        own = ""
        if attribute and "." not in module:
            own = f" Write your own with its package: package.{module or 'module'}:{attribute}."
        return nearest(name, names) or meant(name, names, len(names)) + own

    def made_by(self, *names: str) -> dict[str, tuple[str, ...]]:
        """The origin of code of plug-in names: location, distributions with versions, and digest of the code."""
        installed = {entry.name: entry for entry in self._installed()}
        found = {}
        for name in names:
            if name in installed or self.names_code(name):
                self.find(name)  # the digest is that of the imported code
                entry = installed.get(name) or EntryPoint(name, name, self.group)
                whose = _distributions(entry.module) if entry.dist is None else [entry.dist]
                versions = sorted(f"{one.name} {one.version}" for one in whose)
                found[name] = (entry.value, *versions, package_digest(entry.module))
        return found

    def everything(self) -> dict[str, Any]:
        """All registered objects, including those of installed packages, by name."""
        self._load()
        return {**self._registered, **{entry.name: _loaded(entry) for entry in self._installed()}}

    def _load(self) -> None:
        """Import the modules that register objects."""
        if self.package is not None:
            _import_modules(self.package)

    def _installed(self) -> list[EntryPoint]:
        ours = (*self.known, *self._registered)
        return [entry for entry in _entry_points(self.group, tuple(sys.path)) if entry.name not in ours]


@cache
def _entry_points(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """The entries of installed packages; searching them takes some hundredths of a second."""
    return tuple(entry_points(group=group))


@cache
def _import_modules(package: str) -> None:
    """Import the modules of a package once: registries are used hundreds of times, and listing the folder is slow."""
    for module in iter_modules(import_module(package).__path__):
        if not module.name.startswith("_"):
            import_module(f"{package}.{module.name}")


def _distributions(module: str) -> list[Distribution]:
    """The installed packages that contain a module; none for a user's own file."""
    return [*map(distribution, set(packages_distributions().get(module.partition(".")[0], ())))]


def _loaded(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:  # a foreign module may raise anything when imported
        raise UsageError(f"The plug-in {entry.name} ({entry.value}) cannot be imported: {error}.") from None


def imported(name: str) -> Any:
    """Import and return ``package.module:attribute``."""
    module, _, attribute = name.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"{name} cannot be imported: {error}.") from None
