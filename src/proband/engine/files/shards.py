"""Several files as one array, split by rows and never joined."""

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
    """The concatenated rows of several arrays, read on request.

    Parameters
    ----------
    parts
        2-D arrays with the same type and number of columns.
    names
        The names of the parts, for error messages.
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
        """The numbers of rows and columns."""
        return len(self), self.parts[0].shape[1]

    @property
    def size(self) -> int:
        """The number of elements."""
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
        """Return single elements by row and column."""
        found = np.empty(len(rows), self.dtype)
        owners = np.searchsorted(self._starts, rows, side="right") - 1
        for owner in np.unique(owners):
            own = owners == owner
            found[own] = self.parts[owner][rows[own] - self._starts[owner], columns[own]]
        return found

    def _run(self, start: int, stop: int) -> Array:
        """Contiguous rows; a view of the file if they are in one."""
        pieces = [
            part[max(start - at, 0) : max(stop - at, 0)]
            for part, at in zip(self.parts, self._starts[:-1], strict=True)
            if start < at + len(part) and at < stop
        ]
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces or [self.parts[0][:0]])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self[:], dtype)


class Translated:
    """Bytes in a file that are translated by a lookup table on request.

    Parameters
    ----------
    content
        The bytes, mapped.
    meaning
        The translation of each of the 256 bytes.
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
        """Return single codes by row and column."""
        found: npt.NDArray[np.uint8] = self._meaning[self.parts[0][rows, columns]]
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self[:], dtype)


def in_files(array: object) -> bool:
    """Whether an array is in files and read on request."""
    return isinstance(array, np.memmap | RowShards | Translated)


def pick(array: Any, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]) -> Array:
    """Return single elements of an array by row and column."""
    found: Array = (
        array.each(rows, columns) if isinstance(array, RowShards | Translated) else array[rows, columns]
    )
    return found


def has_read(array: Any, n_bytes: int) -> None:
    """Report the bytes read from an array, so that mapped pages can be released."""
    for part in getattr(array, "parts", (array,)):
        let_go(part, n_bytes)


def shard_files(path: Path) -> list[Path]:
    """The files of a directory or pattern that are parts of one array, sorted by name; empty for a plain file."""
    if path.is_dir():
        found = list(path.iterdir())
    elif not path.exists() and glob.has_magic(str(path)):
        found = [Path(name) for name in glob.glob(str(path))]  # noqa: PTH207 - its directories may be patterns too
    else:
        return []
    return in_order(one for one in found if one.suffix.lower() in ENDINGS and one.is_file())


def files_beside(files: Sequence[Path]) -> list[Path]:
    """Files, with the files next to them that name their rows."""
    beside = [
        other
        for one in files
        for other in (one.with_name(f"{one.name}.json"), one.with_suffix(".csv"), one.with_name("ids.csv"))
    ]
    return in_order({*files, *(one for one in beside if one.is_file())})


def shards_root(path: Path) -> Path:
    """The root directory of all files of a directory or pattern."""
    while not path.is_dir() and glob.has_magic(str(path)):
        path = path.parent
    return path


def shards_name(path: Path) -> str:
    """The name of an array split into the files of a directory or pattern: that of the directory."""
    return resolved(shards_root(path)).name


def require_order(files: Sequence[Path]) -> None:
    """Refuse files with an ambiguous order, on which row ids depend: is ``part-10`` before ``part-2``?"""
    counted = sorted(files, key=lambda one: [int(t) if t.isdecimal() else t for t in _split(one)])
    wrong = next((pair for pair in zip(files, counted, strict=True) if pair[0] != pair[1]), None)
    if wrong is not None and list(files) == in_order(files):  # any other order was chosen deliberately
        raise InputError(
            f"The order of the files is ambiguous: {wrong[0].name} is first alphabetically, {wrong[1].name} by its number.",
            "write all numbers with the same number of digits, or put the ids next to every file.",
        )


def _split(path: Path) -> list[str]:
    """Split a name into alternating text and numbers."""
    return re.split(r"(\d+)", path.name)
