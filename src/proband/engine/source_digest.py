"""The identity of the program: digests of its own code and of plug-ins."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from uuid import uuid4

_CODE = (".py", *EXTENSION_SUFFIXES)
_seen: dict[str, tuple[dict[str, ModuleSpec | None], str]] = {}


@cache
def code_digest() -> str:
    """The digest of the code of this package, which changes between releases with the same version."""
    return _hashed([Path(__file__).parent.parent])


def package_digest(module: str) -> str:
    """The digest of all code of the package of a module, as imported by this process.

    Changes on disk since the import are ignored, since they do not run. Code that is not in a file has a new digest every
    time.
    """
    package = module.partition(".")[0]
    loaded = {
        name: getattr(one, "__spec__", None)
        for name, one in sys.modules.copy().items()
        if name.partition(".")[0] == package
    }
    before, digest = _seen.get(package, ({}, ""))
    if before and all(loaded.get(name) is one for name, one in before.items()):
        return digest
    spec = find_spec(package)
    places = [] if spec is None else [*(spec.submodule_search_locations or filter(None, [spec.origin]))]
    found = [path for path in map(Path, places) if path.exists()]
    digest = _hashed(found) if found else uuid4().hex
    _seen[package] = loaded, digest
    return digest


def _hashed(places: Iterable[Path]) -> str:
    """The digest of the code in files and directories, from names and bytes."""
    hashed = hashlib.sha256()
    for place in places:
        root = place if place.is_dir() else place.parent
        files = (
            sorted(path for path in place.rglob("*") if path.name.endswith(_CODE))
            if place.is_dir()
            else [place]
        )
        for path in files:
            hashed.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return hashed.hexdigest()
