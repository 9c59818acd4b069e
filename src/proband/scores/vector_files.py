"""Files of embeddings: NumPy arrays and archives, safetensors, and tables of Parquet and Arrow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.files.documents import read_json
from proband.engine.files.files import naming, opened, require_regular, require_there
from proband.engine.files.parquet import COLUMNAR, read_parquet
from proband.errors import Hint, InputError, Said, UsageError, first_few, unknown_name
from proband.samples import Ids
from proband.samples.npz import Archive
from proband.samples.reading import read_frame
from proband.samples.table import as_text
from proband.scores.formats.numpy_files import ids_in, one_word, open_npy
from proband.words import Note, Sentence, count

_IDS_KEY, _ID_COLUMN, _METRIC_KEY = "ids", "id", "metric"
_SAFETENSORS = ".safetensors"
_LONGEST_HEADER = 100_000_000  # bytes, as in the format
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
_METADATA = "__metadata__"
OF_COLUMNS = Sentence(
    "embeddings.of-columns",
    "note",
    "{file}: vectors are read from {n:count column}, {first!r} to {last!r}",
)


@dataclass(frozen=True, eq=False)
class VectorFile:
    """The contents of a file of embeddings.

    Attributes
    ----------
    models
        The vectors of every model, by array name.
    arrays
        The arrays of all models in the file, including those not requested; empty if it has no names.
    ids
        The ids of the rows, if the file has any.
    metric
        The metric, if stated in the file.
    notes
        Notes on decisions in reading.
    """

    models: dict[str, Any]
    ids: Ids | None = None
    metric: str | None = None
    notes: tuple[Note, ...] = ()
    arrays: tuple[str, ...] = ()


def models_in(
    path: Path,
    key: str | None,
    ids: str | None,
    read: Callable[[Archive, str], Any] = Archive.__getitem__,
) -> VectorFile:
    """Read every model of a file; with a key, one model."""
    found = _read(path, key, ids, read)
    empty = next((name for name, one in found.models.items() if not one.shape or not one.shape[0]), None)
    if empty is not None:
        raise InputError(f"the embeddings {empty!r} have no rows.", file=path.name)
    return found


def _read(path: Path, key: str | None, ids: str | None, read: Callable[[Archive, str], Any]) -> VectorFile:
    require_there(path)
    ending = path.suffix.lower()
    if ending in COLUMNAR:
        return _of_table(path, key, ids)
    if ending == _SAFETENSORS:
        return _of_safetensors(path, key, ids)
    if ending == ".npy":
        if key is not None or ids is not None:
            raise UsageError(
                f"{path.name} is a single array, so it has no array {key or ids!r}.", file=Said(path.name)
            )
        return VectorFile({path.stem: open_npy(path)})
    if ending != ".npz":
        raise UsageError(
            f"Embeddings are read from .npy, .npz, .safetensors, .parquet and .arrow files, not from {path.name}.",
            file=Said(path.name),
        )
    return _of_archive(path, key, ids, read)


def _of_archive(
    path: Path,
    key: str | None,
    ids: str | None,
    read: Callable[[Archive, str], Any],
) -> VectorFile:
    archive = Archive(path)
    models = [name for name in archive if len(archive.shape(name)) == 2 and archive.dtype(name).kind == "f"]
    if not models:
        shapes = [f"{name} of {' × '.join(map(str, archive.shape(name)))}" for name in archive]
        raise InputError(
            f"{path.name} contains no embeddings (samples × components); it has {', '.join(shapes[:8]) or 'none'}.",
            "flatten each sample to a row: values.reshape(len(values), -1).",
            file=Said(path.name),
        )
    picked = _picked(models, key, path)
    lengths = {archive.shape(name)[0] for name in picked}
    if len(lengths) != 1:
        raise _of_several(path)
    chosen = _find_ids(archive, path, ids, lengths.pop())
    names = None if chosen is None else ids_in(archive[chosen], chosen, "sample")
    vectors = {name: read(archive, name) for name in picked}
    return VectorFile(vectors, names, one_word(archive, _METRIC_KEY), arrays=tuple(models))


def _find_ids(archive: Archive, path: Path, asked: str | None, length: int) -> str | None:
    """The array of row ids: the requested one, ``ids``, or the only text array with unique values."""
    fitting = [name for name in archive if archive.shape(name) == (length,)]
    if asked is not None:
        if asked not in fitting:
            raise InputError(
                f"{path.name} has no array {asked!r} with {count(length)} ids.", file=Said(path.name)
            )
        return asked
    if _IDS_KEY in fitting:
        return _IDS_KEY
    # Other text arrays may be covariates, whose values repeat.
    texts = [name for name in fitting if archive.dtype(name).kind in "US"]
    candidates = [name for name in texts if len(np.unique(archive[name])) == length]
    if len(candidates) > 1:
        raise InputError(
            f"any of {', '.join(candidates)} could be the ids.",
            Hint("specify it: {option:ids}"),
            file=path.name,
        )
    return candidates[0] if candidates else None


def _picked(models: list[str], key: str | None, path: Path) -> list[str]:
    """All models, or the requested one."""
    if key is None:
        return models
    if key not in models:
        raise InputError(
            f"{path.name} has no embeddings {key!r}; it has {', '.join(models) or 'none'}.",
            file=Said(path.name),
        )
    return [key]


def _of_several(path: Path) -> InputError:
    return InputError(
        f"{path.name} does not contain embeddings of a single set of samples.",
        Hint("select one: {option:array}", file=path, key="NAME"),
        file=Said(path.name),
    )


def ids_of_table(path: Path) -> Ids | None:
    """The column of ids in a table next to embeddings; None if there is no such file."""
    if not path.exists():
        return None
    frame = read_frame(path, text_columns=[_ID_COLUMN])
    if _ID_COLUMN not in frame.columns:
        raise InputError(
            f"{path.name} has no column {_ID_COLUMN!r}; it has {first_few(frame.columns, 6)}.",
            file=Said(path.name),
        )
    with naming(file=path.name):
        return Ids(frame[_ID_COLUMN], "sample")


# safetensors


def _of_safetensors(path: Path, key: str | None, ids: str | None) -> VectorFile:
    """Map the tensors of a file, with ids in a CSV of the same name next to it."""
    if ids is not None:
        raise UsageError(
            f"{path.name} contains tensors but no ids.",
            f"put the ids in the column {_ID_COLUMN!r} of {path.with_suffix('.csv').name} next to it.",
            file=Said(path.name),
        )
    tensors, start, metric = _tensors_in(path)
    every = [name for name, tensor in tensors.items() if len(tensor["shape"]) == 2]
    models = _picked(every, key, path)
    if not models:
        raise InputError(
            f"{path.name} contains no embeddings (two-dimensional tensors); it has {first_few(list(tensors), 8) or 'none'}.",
            file=Said(path.name),
        )
    if len({tensors[name]["shape"][0] for name in models}) != 1:
        raise _of_several(path)
    names = ids_of_table(path.with_suffix(".csv"))
    vectors = {name: _mapped(path, tensors[name], start) for name in models}
    return VectorFile(vectors, names, metric, arrays=tuple(every))


def _tensors_in(path: Path) -> tuple[dict[str, dict[str, Any]], int, str | None]:
    """The tensor descriptions of a file, checked against its size; the start of the data; and the metric, if stated."""
    require_regular(path)
    size = path.stat().st_size
    with opened(path) as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, _LONGEST_HEADER):
            raise ValueError(f"its header claims {count(length)} bytes, and the file has {count(size)}")
        stated = read_json(file.read(length))
    if not isinstance(stated, dict):
        raise ValueError("its header names no tensors")
    tensors = {name: one for name, one in stated.items() if name != _METADATA}
    for name, one in tensors.items():
        _require_sense(name, one, size - 8 - length)
    about = stated.get(_METADATA)
    metric = about.get(_METRIC_KEY) if isinstance(about, dict) else None
    return tensors, 8 + length, None if metric is None else str(metric)


def _require_sense(name: str, one: Any, stored: int) -> None:
    """Refuse invalid tensors: an unknown type, an invalid shape, or missing data."""
    shape, ends = (one.get(what) if isinstance(one, dict) else None for what in ("shape", "data_offsets"))
    whole = [value for part in (shape, ends) if isinstance(part, list) for value in part]
    if not isinstance(shape, list) or not isinstance(ends, list) or len(ends) != 2 or len(shape) > 32:
        raise ValueError(f"its header does not describe the tensor {name!r:.60}")
    if not all(type(value) is int and 0 <= value < 2**62 for value in whole):
        raise ValueError(f"its header states an impossible shape for {name!r:.60}")
    kind = one.get("dtype")
    size = np.dtype(_TYPES[kind]).itemsize if kind in _TYPES else None
    if (
        ends[0] > ends[1]
        or ends[1] > stored
        or (size is not None and ends[1] - ends[0] != prod(shape) * size)
    ):
        raise ValueError(
            f"{name!r:.60} claims bytes {ends[0]} to {ends[1]} of {count(stored)}, which does not match its shape and type"
        )
    if len(shape) == 2 and size is None:
        raise InputError(
            f"The tensor {name!r:.60} is of type {kind!r:.20}.", f"use one of {', '.join(_TYPES)}."
        )


def _mapped(path: Path, tensor: dict[str, Any], start: int) -> npt.NDArray[Any]:
    """The mapped data of a tensor; bfloat16, which NumPy lacks, is widened to float32 without loss."""
    shape = tuple(tensor["shape"])
    if not prod(shape):
        raise InputError(
            f"{path.name} contains no numbers: it is {' × '.join(map(str, shape))}.", file=Said(path.name)
        )
    stored = np.memmap(path, _TYPES[tensor["dtype"]], "r", start + tensor["data_offsets"][0], shape)
    if tensor["dtype"] != "BF16":
        return stored
    return (np.asarray(stored).astype(np.uint32) << 16).view(np.float32)


# Tables


def _of_table(path: Path, key: str | None, ids: str | None) -> VectorFile:
    """Vectors in columns of lists, each a model; or else in all columns of fractions (or of integers, without any) together."""
    frame = read_parquet(path)
    column = (
        ids
        if ids is not None
        else next((name for name in (_ID_COLUMN, _IDS_KEY) if name in frame.columns), None)
    )
    if column is not None and column not in frame.columns:
        raise unknown_name("column", column, frame.columns, f"in {path.name}", file=Said(path.name))
    names = None if column is None else Ids(as_text(frame[column], path.name), "sample")
    rest = [one for one in frame.iter_columns() if one.name != column]
    lists = [one for one in rest if isinstance(one.dtype, pl.List | pl.Array)]
    if lists:
        every = [column.name for column in lists]
        vectors = {name: _vectors(frame[name], path) for name in _picked(every, key, path)}
        return VectorFile(vectors, names, arrays=tuple(every))
    numbers = [one for one in rest if one.dtype.is_float()] or [one for one in rest if one.dtype.is_integer()]
    if key is not None or not numbers:
        there = "" if not numbers else "; all its numeric columns together are one model"
        raise InputError(
            f"{path.name} has no column of vectors{'' if key is None else f' {key!r}'}{there}; it has {first_few(frame.columns, 8)}.",
            file=Said(path.name),
        )
    gaps = next((one for one in numbers if one.null_count()), None)
    if gaps is not None:
        raise _gap(gaps, path)
    note = OF_COLUMNS(file=path.name, n=len(numbers), first=numbers[0].name, last=numbers[-1].name)
    return VectorFile({path.stem: frame[[one.name for one in numbers]].to_numpy()}, names, notes=(note,))


def _gap(column: pl.Series, path: Path) -> InputError:
    row = int(column.is_null().arg_max() or 0)
    return InputError(
        f"the column {column.name!r} is empty in row {count(row + 1)}.",
        "set the vector of a sample without an embedding to zeros and mark it as failed to acquire.",
        file=path.name,
    )


def _vectors(column: pl.Series, path: Path) -> npt.NDArray[Any]:
    """Convert a column of lists of equal length to a 2-D array."""
    if isinstance(column.dtype, pl.Array):
        column = column.cast(pl.List(column.dtype.inner))
    if column.null_count():
        raise _gap(column, path)
    lengths = column.list.len()
    if lengths.n_unique() > 1:
        raise InputError(
            f"the vectors in {column.name!r} differ in length: {first_few(lengths.unique().sort().to_list(), 4)}.",
            file=path.name,
        )
    if not lengths.max():
        raise InputError(f"the vectors in {column.name!r} have no components.", file=path.name)
    values = column.explode()
    if not values.dtype.is_numeric() or values.null_count():
        raise InputError(
            f"the vectors in {column.name!r} contain {values.dtype} and missing values, not numbers.",
            file=path.name,
        )
    return values.to_numpy().reshape(len(column), -1)
