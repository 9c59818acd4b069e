"""Memory-mapped arrays: sent by reference to their file, and read there."""

from __future__ import annotations

import hashlib
import mmap
import platform
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from proband.engine.files.files import require_whole
from proband.errors import InputError, Said

_PIECES, _PIECE = 16, 1 << 12
_MOST_HELD = 1 << 28
_READ: WeakKeyDictionary[mmap.mmap, int] = WeakKeyDictionary()

Mapped = npt.NDArray[Any]
"""A `np.memmap`."""
Reference = tuple[str, np.dtype[Any], int, tuple[int, ...], str, str]


def reference_to(array: Mapped) -> Reference | None:
    """Return the location of a mapped array in its file, and a digest of some bytes; None if it is not from a file."""
    mapping = getattr(array, "_mmap", None)
    path, flags = getattr(array, "filename", None), array.flags
    whole_runs = flags.c_contiguous or flags.f_contiguous
    if mapping is None or path is None or array.mode != "r" or not (array.size and whole_runs):  # type: ignore[attr-defined]
        return None
    if not Path(path).exists():  # what is mapped outlives its name
        return None
    require_whole(array)
    # A part of a mapped array keeps the offset of the whole, so its location is found from its address.
    offset: int = array.offset  # type: ignore[attr-defined]
    start = offset - offset % mmap.ALLOCATIONGRANULARITY
    offset = start + array.ctypes.data - np.frombuffer(mapping, np.uint8).ctypes.data
    order = "C" if flags.c_contiguous else "F"
    return str(Path(path).resolve()), array.dtype, offset, array.shape, order, _some_of(array)


def mapped_at(
    path: str, dtype: np.dtype[Any], offset: int, shape: tuple[int, ...], order: Any, some: str
) -> Mapped:
    """Map an array from a file, here or on another machine, which must have the same content as the sender's."""
    here = platform.node() or "this machine"
    try:
        array: Mapped = np.memmap(path, dtype, "r", offset, shape, order)
        require_whole(array)
    except (OSError, ValueError) as error:
        raise InputError(
            f"A worker on {here} cannot read {path}: {error}.",
            "put the file at a path that all workers can read.",
            file=Said(path),
        ) from None
    if _some_of(array) != some:
        raise InputError(
            f"The content of {path} on the worker {here} differs from the content on the sending machine.",
            "put the same file where all workers can read it, and make sure no program writes to it.",
            file=Said(path),
        )
    return array


def _some_of(array: Mapped) -> str:
    """A digest of pieces from beginning to end, enough to distinguish files."""
    content = array.reshape(-1, order="A").view(np.uint8)
    starts = np.linspace(0, max(0, content.size - _PIECE), _PIECES).astype(np.int64)
    pieces = b"".join(content[start : start + _PIECE].tobytes() for start in starts)
    return hashlib.sha256(pieces).hexdigest()


def let_go(array: Mapped, n_bytes: int) -> None:
    """Count bytes read from a mapped file, and release its pages now and then: they would add up to the whole file.

    A released page is loaded again on the next access.
    """
    mapping = getattr(array, "_mmap", None)
    if mapping is None or getattr(array, "mode", None) != "r" or not hasattr(mmap, "MADV_DONTNEED"):
        return
    read = _READ.get(mapping, 0) + n_bytes
    if read > _MOST_HELD:
        mapping.madvise(mmap.MADV_DONTNEED)
        read = 0
    _READ[mapping] = read
