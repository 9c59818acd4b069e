"""The compiler, with a safe cache: keyed on all kernels together, sealed, and in a private directory.

numba's own cache checks only the file of the function itself, so a kernel would keep calling an old version of another one
after that was changed. It also unpickles and runs what it finds, so anyone who can write there can run code as the user.
Functions compiled into a kernel become part of it, and are not cached separately.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib
import io
import logging
import os
import pickle
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import Environment, lookup_environment
from numba.core.runtime.nrt import rtsys
from numba.extending import register_jitable

_LOG = logging.getLogger("proband")
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def njit(
    *, cache: bool = False, allocates: bool = False, **options: Any
) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function as `numba.njit` does.

    Unused parts are not compiled: the C interface of kernels; the Python interface of functions with a leading underscore, which
    are only used in other kernels and are plain functions in Python; and reference counts of arrays, unless arrays are made.

    Parameters
    ----------
    cache, allocates
        Whether compiled code is cached, sealed; and whether the function makes arrays.
    options
        Options of numba.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        if function.__name__.startswith("_"):
            return register_jitable(_nrt=allocates, **options)(function)
        unknown: dict[str, Any] = {"no_cfunc_wrapper": True, "_nrt": allocates}  # numba types
        dispatcher = numba.njit(cache=cache, **unknown, **options)(function)
        if cache:
            dispatcher._cache = _SealedCache(function)
        return dispatcher

    return compiled


class _Compilations(event.Listener):
    """The depth of nested compilation of our functions; the first compilation is announced once.

    One thread compiles at a time.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.announced = False

    def on_start(self, event: event.Event) -> None:
        if not self.depth:
            _load_arrays_alone()
        self.depth += 1
        if not self.announced and isinstance(event.data["dispatcher"]._cache, _SealedCache):
            self.announced = True
            _LOG.info(
                "compiling kernels for this machine (once, a few seconds)", extra={"terminal_only": True}
            )

    def on_end(self, event: event.Event) -> None:
        self.depth -= 1


@global_compiler_lock
def _load_arrays_alone() -> None:
    """Load numba's array support without linear algebra, which kernels do not use and which would import `scipy.linalg`."""
    linalg: Any = importlib.import_module("numba.np.linalg")
    look_for_it = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = look_for_it


class _SealedFile(IndexDataCacheFile):
    """Cache files with a checksum, since a flipped bit in machine code would be executed."""

    def save(self, key: Any, data: Any) -> None:
        content = self._dump((key, data))
        super().save(key, (hashlib.sha256(content).digest(), content))

    def load(self, key: Any) -> Any:
        found = super().load(key)
        if found is None:
            return None
        seal, content = found
        if hashlib.sha256(content).digest() != seal:
            raise ValueError("the seal is broken")
        own, data = _Unpickler(io.BytesIO(content)).load()  # only we can write there
        return data if own == key else None


class _Unpickler(pickle.Unpickler):
    """Reads cached code without importing the modules of functions compiled into it."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("numba.core.environment", "_rebuild_env"):
            return _rebuilt_environment
        return super().find_class(module, name)


def _rebuilt_environment(module: str, constants: list[Any], name: str) -> Any:
    """Rebuild the environment of a function from its constants, since its globals are in the compiled code."""
    found = lookup_environment(name)
    if found is None:
        found = Environment({"__name__": module})
        found.consts[:] = constants
        found.env_name = name
        Environment._memo[name] = found
    return found


class _SealedCache(FunctionCache):
    """A cache that never fails: what cannot be read is recompiled, and what cannot be written is not cached."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file.__class__ = _SealedFile

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if _COMPILATIONS.depth:
            return None
        try:
            # Cached code needs what it calls at run time. The compiler takes longer to load than all kernels together,
            # and the compiler loads it itself.
            rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except Exception:  # a damaged pickle may raise anything
            self._start_anew()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if _COMPILATIONS.depth:
            return
        try:
            super().save_overload(sig, data)
        except Exception:  # also if the index is damaged or the disk is full
            self._start_anew()

    def _start_anew(self) -> None:
        try:
            self.flush()
        except OSError:
            self.disable()


def _cache_directory() -> Path:
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    usual = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - never raises
    for place in filter(None, (os.environ.get("NUMBA_CACHE_DIR"), str(Path(usual) / "proband"))):
        directory = Path(place) / digest.hexdigest()[:16]
        try:
            directory = directory.resolve()
            _make_privately(directory)
            if _is_private(directory):
                with tempfile.TemporaryFile(dir=directory):
                    return directory
        except (OSError, RuntimeError, ValueError):
            continue
    return _passing_directory()


def _make_privately(directory: Path) -> None:
    """Make a directory and its parents for this user only."""
    if not directory.is_dir():
        _make_privately(directory.parent)
        directory.mkdir(mode=0o700, exist_ok=True)


def _is_private(directory: Path) -> bool:
    """Whether only this user and the system can write to a directory or replace it.

    A parent directory may be open to all if it is sticky, like that for temporary files, where only owners rename.
    """
    if not hasattr(os, "getuid"):
        return True  # Windows, where user profiles are private
    trusted = {os.getuid(), 0, Path("/").stat().st_uid}  # in a user namespace, root has another number
    own = directory.lstat()
    if not stat.S_ISDIR(own.st_mode) or own.st_uid != os.getuid() or own.st_mode & _WRITABLE_BY_OTHERS:
        return False
    return all(
        above.st_uid in trusted and (not above.st_mode & _WRITABLE_BY_OTHERS or above.st_mode & stat.S_ISVTX)
        for above in (parent.lstat() for parent in directory.parents)
    )


def _passing_directory() -> Path:
    """Make a private directory that is removed with the process."""
    _LOG.warning(
        "compiled code cannot be cached, so every start takes longer: set NUMBA_CACHE_DIR to a directory "
        "that only you can write to"
    )
    directory, owner = Path(tempfile.mkdtemp(prefix="proband-")), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # not in a forked child
            shutil.rmtree(directory, ignore_errors=True)

    atexit.register(remove)
    return directory


_COMPILATIONS = _Compilations()
event.register("numba:compile", _COMPILATIONS)
numba.config.CACHE_DIR = str(_cache_directory())  # type: ignore[attr-defined]
