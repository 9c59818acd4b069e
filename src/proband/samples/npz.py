"""NumPy archives: read with distrust (nothing is unpickled, no header believed unchecked), written reproducibly."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.errors import InputError

# Deflate cannot expand a byte to more than about 1,032; a member that claims more is lying.
_MAX_EXPANSION = 1_100


class Archive(Mapping[str, npt.NDArray[Any]]):
    """The arrays of an ``.npz`` file by name, each checked and read when it is asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with zipfile.ZipFile(path) as archive:
                members = archive.infolist()
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise InputError(f"{path.name} is not a NumPy archive (.npz): {error}.") from None
        self._members = {info.filename.removesuffix(".npy"): info for info in members}
        self._headers = {name: self._header(info) for name, info in self._members.items()}

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape an array claims, without reading it."""
        return self._headers[name][0]

    def dtype(self, name: str) -> np.dtype[Any]:
        """The type an array claims, without reading it."""
        return self._headers[name][1]

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        info = self._members[name]
        try:
            with zipfile.ZipFile(self._path) as archive, archive.open(info) as file:
                return np.lib.format.read_array(file, allow_pickle=False)
        except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
            raise InputError(f"{self._path.name}: the array {name!r} cannot be read: {error}.") from None

    def _header(self, info: zipfile.ZipInfo) -> tuple[tuple[int, ...], np.dtype[Any]]:
        where = f"{self._path.name}: the member {info.filename!r}"
        try:
            with zipfile.ZipFile(self._path) as archive, archive.open(info) as file:
                version = np.lib.format.read_magic(file)
                reader = (
                    np.lib.format.read_array_header_1_0
                    if version == (1, 0)
                    else np.lib.format.read_array_header_2_0
                )
                shape, _, dtype = reader(file)
        except (ValueError, OSError, EOFError, zipfile.BadZipFile, NotImplementedError) as error:
            raise InputError(f"{where} is not a NumPy array: {error}.") from None
        if dtype.hasobject:
            raise InputError(
                f"{where} holds Python objects, which are never loaded.", "save plain numbers or text."
            )
        claimed = math.prod(shape) * dtype.itemsize
        if claimed > info.file_size or info.file_size > _MAX_EXPANSION * info.compress_size + 1_000_000:
            raise InputError(
                f"{where} claims {claimed:,} bytes ({' × '.join(map(str, shape))} of {dtype}), "
                f"more than the {info.compress_size:,} bytes stored can hold."
            )
        return shape, dtype


def write_archive(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write a compressed ``.npz`` whose bytes depend on the arrays alone (numpy's own carries the time of day)."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            info = zipfile.ZipInfo(f"{name}.npy")  # dated 1980, the format's beginning of time
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)
