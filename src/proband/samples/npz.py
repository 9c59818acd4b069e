"""NumPy files, read safely (nothing is unpickled, headers are checked) and written reproducibly."""

from __future__ import annotations

import ast
import math
import re
import struct
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
import numpy.typing as npt

from proband.engine.files.files import naming, opened, refused, require_regular
from proband.engine.files.memory import require_memory
from proband.errors import InputError, Said
from proband.words import count

_MAGIC = b"\x93NUMPY"
# By version: the number of bytes of the header length, and the encoding.
_LAYOUTS = {(1, 0): (2, "latin-1"), (2, 0): (4, "latin-1"), (3, 0): (4, "utf-8")}
_LONGEST_HEADER = 10_000
_LARGEST_SIDE = 2**63
_MOST_AXES = 64
_CHUNK = 1 << 20
_LOCAL_HEADER = struct.Struct("<26sHH")  # of a member: its last fields are the lengths of what follows
_LAST_CHARACTER, _SURROGATES = 0x10FFFF, (0xD800, 0xDFFF)
# Exceptions of the compiler and NumPy for forged headers.
_NONSENSE = (
    AttributeError,
    LookupError,
    MemoryError,
    OverflowError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True)
class Header:
    """The header of a ``.npy`` file, whose data begin at `offset`."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran_order: bool
    offset: int

    @property
    def n_bytes(self) -> int:
        """The number of bytes of the data: at least one per element, so that the number of empty texts is limited."""
        return math.prod(self.shape) * max(1, self.dtype.itemsize)

    @property
    def order(self) -> Literal["F", "C"]:
        """The memory order, as named by NumPy."""
        return "F" if self.fortran_order else "C"

    def require(self, stored: int, where: str) -> None:
        """Raise an error unless the stored bytes match the header."""
        if stored != self.n_bytes:
            raise InputError(
                f"{where} claims {count(self.n_bytes)} bytes ({' × '.join(map(str, self.shape))} of {self.dtype}), "
                f"but {count(stored)} are stored.",
                "save it again; it is damaged or truncated.",
            )


def read_header(file: IO[bytes], where: str) -> Header:
    """Read and check the header of a ``.npy`` file; an invalid one raises a `ValueError`."""
    start = file.read(8)
    if start[:6] != _MAGIC or tuple(start[6:]) not in _LAYOUTS:
        raise ValueError("it does not begin with a header of version 1, 2 or 3")
    width, encoding = _LAYOUTS[start[6], start[7]]
    length = int.from_bytes(file.read(width), "little")
    if length > _LONGEST_HEADER:
        raise ValueError(f"its header is longer than {count(_LONGEST_HEADER)} bytes")
    text = file.read(length)
    if len(text) < length:
        raise ValueError("it ends within its header")
    shape, dtype, fortran_order = _claims(text.decode(encoding))
    if dtype.hasobject:
        raise InputError(
            f"{where} contains Python objects, which are never loaded.", "save plain numbers or text."
        )
    return Header(shape, dtype, fortran_order, len(start) + width + length)


def _claims(text: str) -> tuple[tuple[int, ...], np.dtype[Any], bool]:
    """Parse the dictionary in a header, with Python 2 integers allowed: ``(3L, 3L)``."""
    text = re.sub(r"(?<=\d)L(?=\s*[,)])", "", text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # for odd literals and old type names, from the compiler and NumPy
            claims = ast.literal_eval(text.strip())
            dtype = np.lib.format.descr_to_dtype(claims["descr"])
            shape, fortran_order = claims["shape"], claims["fortran_order"]
    except _NONSENSE:
        raise ValueError(f"its header does not describe an array: {text.strip()!r:.80}") from None
    sound = isinstance(shape, tuple) and len(shape) <= _MOST_AXES and isinstance(fortran_order, bool)
    if not sound or not all(type(side) is int and 0 <= side < _LARGEST_SIDE for side in shape):
        raise ValueError(f"its header states an impossible shape: {text.strip()!r:.80}")
    return shape, dtype, fortran_order


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except zipfile.BadZipFile:
        wrong = "is not a NumPy archive (.npz), or is incomplete" if path.stat().st_size else "is empty"
        raise InputError(f"{path.name} {wrong}.", "write the file again.", file=Said(path.name)) from None


class Archive(Mapping[str, npt.NDArray[Any]]):
    """The arrays of an ``.npz`` file by name, each checked and read on request."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._members: dict[str, zipfile.ZipInfo] = {}
        self._headers: dict[str, Header] = {}
        require_regular(path)
        with (
            naming(file=path.name),
            refused(f"{path.name} is not a NumPy archive (.npz)", file=Said(path.name)),
        ):
            # Kept open: reopening it for every array would read the list of members each time.
            self._archive = _opened(path)
            for info in self._archive.infolist():
                name = info.filename.removesuffix(".npy")
                if name in self._members:
                    raise InputError(
                        f"{path.name} contains two arrays {name!r}.",
                        "save each under a different name.",
                        file=Said(path.name),
                    )
                self._members[name] = info
                self._headers[name] = self._header(info)

    def __reduce__(self) -> tuple[type[Archive], tuple[Path]]:
        return Archive, (self._path,)

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape in the header of an array."""
        return self._headers[name].shape

    def dtype(self, name: str) -> np.dtype[Any]:
        """The type in the header of an array."""
        return self._headers[name].dtype

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        info, header = self._members[name], self._headers[name]
        where = f"the array {name!r}"
        with naming(file=self._path.name), refused(f"{where} cannot be read"):
            require_memory(header.n_bytes, where)
            content = bytearray()
            with self._archive.open(info) as file:
                file.read(header.offset)
                # The directory of the archive may state wrong sizes: only existing data are loaded.
                while len(content) <= header.n_bytes and (part := file.read(_CHUNK)):
                    content += part
            header.require(len(content), where)
            array = np.ndarray(header.shape, header.dtype, buffer=content, order=header.order)
            _require_characters(array, where)
            return array

    def mapped(self, name: str) -> npt.NDArray[Any]:
        """A memory-mapped array; a compressed array is read at once."""
        info, header = self._members[name], self._headers[name]
        if info.compress_type != zipfile.ZIP_STORED or not header.n_bytes:
            return self[name]
        with naming(file=self._path.name), refused(f"the array {name!r} cannot be read"):
            with opened(self._path) as file:
                file.seek(info.header_offset)
                local = file.read(_LOCAL_HEADER.size)
                _, n_name, n_extra = _LOCAL_HEADER.unpack(local)
            start = info.header_offset + len(local) + n_name + n_extra + header.offset
            if start + header.n_bytes > self._path.stat().st_size:
                raise ValueError("it extends beyond the end of the file")
            return np.memmap(self._path, header.dtype, "r", start, header.shape, header.order)

    def _header(self, info: zipfile.ZipInfo) -> Header:
        where = f"the member {info.filename!r}"
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InputError(
                f"{where} uses a compression that NumPy does not support.", "save it with numpy.savez."
            )
        with refused(f"{where} is not a NumPy array"), self._archive.open(info) as file:
            header = read_header(file, where)
        header.require(info.file_size - header.offset, where)
        return header


def _require_characters(array: npt.NDArray[Any], where: str) -> None:
    """Refuse text with invalid code points, which cannot be compared, printed or written."""
    if array.dtype.kind != "U" or not array.size or not array.dtype.itemsize:
        return
    codes = array.ravel(order="K").view(np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
    bad = (codes > _LAST_CHARACTER) | ((codes >= _SURROGATES[0]) & (codes <= _SURROGATES[1]))
    if bad.any():
        raise InputError(
            f"{where} is not valid text: it contains the code {int(codes[bad.argmax()]):#x}, which is not a character.",
            "save it again, as text.",
        )


def write_archive(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write a compressed ``.npz`` whose bytes depend only on the arrays (NumPy's contains the time)."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            info = zipfile.ZipInfo(f"{name}.npy")  # dated 1980, the earliest date of the format
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)


def text_array(ids: Iterable[str]) -> npt.NDArray[np.str_]:
    """Make an array of ids; ids that NumPy would truncate are refused."""
    ids = list(ids)
    cut = next((name for name in ids if name.endswith("\0")), None)
    if cut is not None:
        raise InputError(
            f"The id {cut!r} ends in a null character, which a NumPy array of text cannot store.",
            "rename it, or write .npy, whose ids are in a separate file.",
        )
    return np.array(ids)
