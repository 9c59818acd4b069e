"""System calls that Python lacks, if the system has them."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

_SWAP = 2  # Linux's RENAME_EXCHANGE and macOS's RENAME_SWAP
_AT_FDCWD = -100
_CANNOT = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM)  # EPERM: a sandbox


def exchange(one: Path, other: Path) -> bool:
    """Exchange two directories of a file system atomically; return whether the system supports it."""
    first, second = os.fsencode(one), os.fsencode(other)
    if sys.platform == "darwin":
        return _done("renamex_np", other, first, second, ctypes.c_uint(_SWAP))
    return _done("renameat2", other, _AT_FDCWD, first, _AT_FDCWD, second, ctypes.c_uint(_SWAP))


def sync_file_system(path: Path) -> bool:
    """Flush the file system of a path to disk; return whether the system supports it."""
    if _call("syncfs") is None:
        return False  # Windows, among others, cannot open directories
    number = os.open(path, os.O_RDONLY)
    try:
        return _done("syncfs", path, number)
    finally:
        os.close(number)


def _done(name: str, path: Path, *arguments: Any) -> bool:
    """Make a system call; False if it is unsupported here or for this file system."""
    call = _call(name)
    if call is None:
        return False
    if call(*arguments) == 0:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), str(path))


@cache
def _call(name: str) -> Any:
    try:
        return getattr(ctypes.CDLL(None, use_errno=True), name)
    except (AttributeError, OSError, TypeError):  # the last if there is no C library
        return None
