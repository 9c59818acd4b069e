"""Results as bytes and back: plain values, arrays, tables and the frozen result types of this package and of installed analyses.

An entry is a line with a digest, then the structure as JSON with the arrays' bytes behind it, all compressed. The digest is of the
content and of all that it depends on, so that an entry in the place of another is as good as none.
"""

from __future__ import annotations

import hashlib
import io
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from functools import partial
from importlib import import_module
from types import FunctionType
from typing import Any

import numpy as np
import polars as pl

from proband.engine.files.documents import read_json
from proband.samples import Experiment
from proband.study.analysis import analyses

_MARK = b"proband cache 2 "
_PACKAGE = "proband."
_PARTS = ("samples", "gallery", "probes", "gallery_rule", "probe_rule", "notes")


class DamagedError(Exception):
    """The bytes are not those of an entry, or of an entry that this version understands."""


def pack(value: object, given: Mapping[str, object], key: str) -> bytes:
    """Turn a result into bytes; what is in `given` is only named, and must be given again to unpack.

    `key` says all that the result depends on. How an estimate could be made anew (a function) is left behind.
    """
    packer = _CachePacker(given)
    structure = json.dumps(packer.plain(value), ensure_ascii=False).encode()
    body = zlib.compress(len(structure).to_bytes(8, "little") + structure + b"".join(packer.blobs), 1)
    return _head(body, key) + b"\n" + body


def unpack(content: bytes, given: Mapping[str, object], key: str) -> Any:
    """Make the result again; raise `DamagedError` for anything but what `pack` made with this key."""
    head, _, body = content.partition(b"\n")
    if head != _head(body, key):
        raise DamagedError("the digest does not agree")
    try:
        whole = zlib.decompress(body)
        size = int.from_bytes(whole[:8], "little")
        return _Unpacker(memoryview(whole)[8 + size :], given).value(read_json(whole[8 : 8 + size]))
    except (
        ArithmeticError,
        AttributeError,
        ImportError,
        LookupError,
        TypeError,
        ValueError,
        zlib.error,
    ) as e:
        raise DamagedError(str(e)) from e


def _head(body: bytes, key: str) -> bytes:
    return _MARK + hashlib.sha256(hashlib.sha256(key.encode()).digest() + body).hexdigest().encode()


class _CachePacker:
    def __init__(self, given: Mapping[str, object]) -> None:
        self.blobs: list[bytes] = []
        self._size = 0
        self._given = {id(value): name for name, value in given.items()}

    def plain(self, value: Any) -> Any:
        """The value as JSON can hold it; whatever is not a plain value becomes a list that begins with its kind."""
        if id(value) in self._given:
            return ["given", self._given[id(value)]]
        if value is None or isinstance(value, bool | int | str) or type(value) in (float, np.float64):
            return value
        if isinstance(value, np.ndarray | np.generic):
            return self._array(np.asarray(value), isinstance(value, np.generic))
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return ["named", _address(type(value)), [self.plain(part) for part in value]]
        if isinstance(value, list | tuple):
            kind = "list" if isinstance(value, list) else "tuple"
            return [kind, [self.plain(part) for part in value]]
        if isinstance(value, Mapping):
            return ["dict", [[self.plain(key), self.plain(part)] for key, part in value.items()]]
        if isinstance(value, Experiment):
            return ["experiment", [self.plain(getattr(value, name)) for name in _PARTS]]
        if isinstance(value, date):
            return ["moment" if isinstance(value, datetime) else "date", value.isoformat()]
        if isinstance(value, pl.DataFrame):
            written = io.BytesIO()
            value.write_ipc_stream(written)
            return ["frame", self._blob(written.getvalue())]
        if is_dataclass(value):
            return ["of", _address(type(value)), self._fields(value)]
        raise TypeError(f"a {type(value).__name__} cannot be kept")

    def _fields(self, value: Any) -> dict[str, Any]:
        found = {one.name: getattr(value, one.name) for one in fields(value)}
        return {
            name: None if isinstance(part, FunctionType | partial) else self.plain(part)
            for name, part in found.items()
        }

    def _array(self, array: np.ndarray, alone: bool) -> list[Any]:
        if array.dtype.hasobject:
            raise TypeError("an array of objects cannot be kept")
        content = np.ascontiguousarray(array).tobytes()
        return ["scalar" if alone else "array", array.dtype.str, list(array.shape), self._blob(content)]

    def _blob(self, content: bytes) -> list[int]:
        self.blobs.append(content)
        self._size += len(content)
        return [self._size - len(content), len(content)]


class _Unpacker:
    def __init__(self, blobs: memoryview, given: Mapping[str, object]) -> None:
        self._blobs, self._given = blobs, given
        self._kinds: dict[str, Callable[..., Any]] = {
            "given": self._given.__getitem__,
            "array": self._array,
            "scalar": lambda *stored: self._array(*stored)[()],
            "named": lambda address, parts: _found(address)(*map(self.value, parts)),
            "list": lambda parts: [self.value(part) for part in parts],
            "tuple": lambda parts: tuple(self.value(part) for part in parts),
            "dict": lambda pairs: {self.value(key): self.value(part) for key, part in pairs},
            "experiment": self._experiment,
            "moment": datetime.fromisoformat,
            "date": date.fromisoformat,
            "frame": lambda place: pl.read_ipc_stream(io.BytesIO(self._blob(place))),
            "of": self._of,
        }

    def value(self, plain: Any) -> Any:
        """The value that a plain one stands for."""
        return self._kinds[plain[0]](*plain[1:]) if isinstance(plain, list) else plain

    def _of(self, address: str, parts: Mapping[str, Any]) -> Any:
        kind = _found(address)
        if {one.name for one in fields(kind)} != set(parts):
            raise ValueError(f"{address} has other fields")
        made: Any = object.__new__(kind)
        for name, part in parts.items():
            object.__setattr__(made, name, self.value(part))
        return made

    def _experiment(self, parts: Sequence[Any]) -> Experiment:
        made = object.__new__(Experiment)
        for name, part in zip(_PARTS, parts, strict=True):
            setattr(made, name, self.value(part))
        return made

    def _array(self, kind: str, shape: Sequence[int], place: Sequence[int]) -> np.ndarray:
        return np.frombuffer(self._blob(place), dtype=np.dtype(kind)).reshape(shape)

    def _blob(self, place: Sequence[int]) -> bytes:
        start, size = place
        return bytes(self._blobs[start : start + size])


def _address(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _modules_of_plugins() -> set[str]:
    return {one.result_type.__module__ for one in analyses() if not one.bundled}


def _found(address: str) -> type:
    """The type at an address: a frozen result of this package, or beside what an installed analysis finds; nothing else."""
    module, _, name = address.partition(":")
    if not module.startswith(_PACKAGE) and module not in _modules_of_plugins():
        raise ValueError(f"{address} belongs neither to this package nor to an installed analysis")
    kind = getattr(import_module(module), name)
    if not isinstance(kind, type) or not (is_dataclass(kind) or issubclass(kind, tuple)):
        raise TypeError(f"{address} is not a result type")
    return kind
