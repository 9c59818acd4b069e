"""Several files as one array, cut by rows, that is never put together."""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.engine.files.files import resolved
from proband.engine.files.mapping import let_go
from proband.engine.files.names import in_order
from proband.errors import InputError, Said
from proband.words import count

ENDINGS = (".npy", ".npz")
Array = npt.NDArray[Any]


class RowShards:
    """The rows of several arrays one after another, read where they are asked for.

    Parameters
    ----------
    parts
        Tables of numbers, of one type and with as many columns.
    names
        What they are called, for error messages.
    """

    ndim = 2

    def __init__(self, parts: Sequence[Array], names: Sequence[str]) -> None:
        first = parts[0]
        for part, name in zip(parts, names, strict=True):
            if part.ndim != 2:
                raise InputError(
                    f"{name} is not a matrix: it is {' × '.join(map(str, part.shape)) or 'one number'}.",
                    file=Said(name),
                )
            if (part.shape[1], part.dtype) != (first.shape[1], first.dtype):
                raise InputError(
                    f"{name} has {count(part.shape[1])} columns of {part.dtype}, and {names[0]} {count(first.shape[1])} of "
                    f"{first.dtype}.",
                    "pass only files that belong together; the parts of one array must have the same columns and type.",
                    file=Said(name),
                )
        self.parts = tuple(parts)
        self.dtype = first.dtype
        self._starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])

    def __len__(self) -> int:
        return int(self._starts[-1])

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), self.parts[0].shape[1]

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self) * self.shape[1]

    def __getitem__(self, rows: slice | npt.NDArray[np.intp]) -> Array:
        if isinstance(rows, slice):
            start, stop, step = rows.indices(len(self))
            if step == 1:
                return self._run(start, max(start, stop))
            rows = np.arange(start, stop, step)
        found = np.empty((len(rows), self.shape[1]), self.dtype)
        owners = np.searchsorted(self._starts, rows, side="right") - 1
        for owner in np.unique(owners):
            own = owners == owner
            found[own] = self.parts[owner][rows[own] - self._starts[owner]]
        return found

    def each(self, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]) -> Array:
        """Single numbers, each by its row and column."""
        found = np.empty(len(rows), self.dtype)
        owners = np.searchsorted(self._starts, rows, side="right") - 1
        for owner in np.unique(owners):
            own = owners == owner
            found[own] = self.parts[owner][rows[own] - self._starts[owner], columns[own]]
        return found

    def _run(self, start: int, stop: int) -> Array:
        """Rows without a gap: as they lie in the file, where it is one."""
        pieces = [
            part[max(start - at, 0) : max(stop - at, 0)]
            for part, at in zip(self.parts, self._starts[:-1], strict=True)
            if start < at + len(part) and at < stop
        ]
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces or [self.parts[0][:0]])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self[:], dtype)


class Translated:
    """Bytes that lie in a file, each standing for another, which is looked up when it is asked for.

    Parameters
    ----------
    content
        The bytes, mapped.
    meaning
        What each of the 256 bytes stands for.
    """

    def __init__(self, content: Array, meaning: npt.NDArray[np.uint8]) -> None:
        self.parts, self._meaning = (content,), meaning
        self.shape, self.dtype = content.shape, meaning.dtype

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, rows: slice | npt.NDArray[np.intp]) -> npt.NDArray[np.uint8]:
        found: npt.NDArray[np.uint8] = self._meaning[self.parts[0][rows]]
        return found

    def each(self, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]) -> npt.NDArray[np.uint8]:
        """Single codes, each by its row and column."""
        found: npt.NDArray[np.uint8] = self._meaning[self.parts[0][rows, columns]]
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self[:], dtype)


def in_files(array: object) -> bool:
    """Whether an array lies in files, and is read when it is asked for."""
    return isinstance(array, np.memmap | RowShards | Translated)


def pick(array: Any, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]) -> Array:
    """Take single numbers out of an array, each by its row and column."""
    found: Array = (
        array.each(rows, columns) if isinstance(array, RowShards | Translated) else array[rows, columns]
    )
    return found


def has_read(array: Any, n_bytes: int) -> None:
    """Say how much was read of an array, so that memory does not fill with what lies in files anyway."""
    for part in getattr(array, "parts", (array,)):
        let_go(part, n_bytes)


def shard_files(path: Path) -> list[Path]:
    """The files that a directory or a pattern names as parts of one array, sorted by name; none for a plain file."""
    if path.is_dir():
        found = list(path.iterdir())
    elif not path.exists() and glob.has_magic(str(path)):
        found = [Path(name) for name in glob.glob(str(path))]  # noqa: PTH207 - its directories may be patterns too
    else:
        return []
    return in_order(one for one in found if one.suffix.lower() in ENDINGS and one.is_file())


def files_beside(files: Sequence[Path]) -> list[Path]:
    """Files and those beside them that name their rows, which are read with them."""
    beside = [
        other
        for one in files
        for other in (one.with_name(f"{one.name}.json"), one.with_suffix(".csv"), one.with_name("ids.csv"))
    ]
    return in_order({*files, *(one for one in beside if one.is_file())})


def shards_root(path: Path) -> Path:
    """The directory beneath which all files are that a directory or a pattern names."""
    while not path.is_dir() and glob.has_magic(str(path)):
        path = path.parent
    return path


def shards_name(path: Path) -> str:
    """What an array is called whose parts a directory or a pattern names: after the directory."""
    return resolved(shards_root(path)).name


def require_order(files: Sequence[Path]) -> None:
    """Refuse files whose order is not clear, where the ids of their rows depend on it: is ``part-10`` before ``part-2``?"""
    counted = sorted(files, key=lambda one: [int(t) if t.isdecimal() else t for t in _split(one)])
    wrong = next((pair for pair in zip(files, counted, strict=True) if pair[0] != pair[1]), None)
    if wrong is not None and list(files) == in_order(files):  # another order is one that somebody chose
        raise InputError(
            f"The order of the files is ambiguous: {wrong[0].name} is first alphabetically, {wrong[1].name} by its number.",
            "write all numbers with the same number of digits, or put the ids next to every file.",
        )


def _split(path: Path) -> list[str]:
    """Letters and numbers by turns."""
    return re.split(r"(\d+)", path.name)
