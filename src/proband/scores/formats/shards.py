"""A matrix split by rows into several files: a directory, a pattern or a list of ``.npy`` or ``.npz`` files, each read on request."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from proband.engine.files.shards import RowShards, require_order, shard_files, shards_name
from proband.errors import InputError, Said
from proband.kernels.codes import OK
from proband.samples import Ids
from proband.samples.ids import SubjectIds
from proband.samples.npz import Archive
from proband.scores.base import Cells
from proband.scores.formats.contents import Format, ReadOptions, ScoreFile
from proband.scores.formats.numpy_files import called_after, read_npy, read_npz


def read_parts(files: Sequence[Path], name: str, options: ReadOptions) -> ScoreFile:
    """Read files as parts of one matrix, in order; they must agree in everything but rows."""
    require_one_kind(files)
    if files[0].suffix.lower() == ".npz":
        parts = [read_npz(file, options, Archive.mapped) for file in files]
    else:
        if options.key is not None:
            raise InputError(
                f"{files[0].name} is a single array, so it has no array {options.key!r}.",
                file=Said(files[0].name),
            )
        parts = [read_npy(file, options) for file in files]
        parts = [_renamed(part, name) for part in parts]
    for file, part in zip(files, parts, strict=True):
        _require_alike(parts[0], part, files[0].name, file.name)
    names = [file.name for file in files]
    whole = ScoreFile(
        "shards",
        {key: RowShards([part.matrices[key] for part in parts], names) for key in parts[0].matrices},
        joined_ids(files, [part.queries for part in parts], "query"),
        parts[0].targets,
        orientation=parts[0].orientation,
        cells=_joined_cells(parts),
        notes=tuple(dict.fromkeys(chain.from_iterable(part.notes for part in parts))),
    )
    return called_after(whole, name, files[0]) if files[0].suffix.lower() == ".npz" else whole


def require_one_kind(files: Sequence[Path]) -> None:
    """Refuse a mixture of ``.npy`` and ``.npz`` parts."""
    first = files[0]
    other = next((file for file in files if file.suffix.lower() != first.suffix.lower()), None)
    if other is not None:
        raise InputError(
            f"{first.name} and {other.name} have different file types, and cannot be parts of one array.",
            "pass only files that belong together, such as 'part-*.npy'.",
            file=Said(other.name),
        )


def joined_ids(files: Sequence[Path], parts: Sequence[Ids | None], what: str) -> Ids | None:
    """The ids of all rows; None if no file has any, in which case the order of files must be unambiguous."""
    if all(part is None for part in parts):
        require_order(files)
        return None
    for file, part in zip(files, parts, strict=True):
        if part is None:
            raise InputError(
                f"{file.name} has no {what} ids, but other parts of the same array do.",
                "add ids to every file, or to none.",
                file=Said(file.name),
            )
    if all(isinstance(part, SubjectIds) for part in parts):
        return SubjectIds(
            chain.from_iterable(part.labels for part in parts if isinstance(part, SubjectIds)), what
        )
    try:
        return Ids(chain.from_iterable(part or () for part in parts), what)
    except InputError as error:
        raise InputError(
            error.fault,
            "several files passed together, such as a directory, are parts of one array, split by rows; pass "
            "them separately to read each as an array.",
        ) from None


def _joined_cells(parts: Sequence[ScoreFile]) -> Cells | None:
    if all(part.cells is None for part in parts):
        return None
    shapes = [next(iter(part.matrices.values())).shape for part in parts]
    return np.concatenate(
        [
            np.full(shape, OK, np.uint8) if part.cells is None else part.cells
            for part, shape in zip(parts, shapes, strict=True)
        ]
    )


def _renamed(part: ScoreFile, name: str) -> ScoreFile:
    (values,) = part.matrices.values()
    return ScoreFile(
        part.format,
        {name: values},
        part.queries,
        part.targets,
        orientation=part.orientation,
        notes=part.notes,
    )


def _require_alike(first: ScoreFile, part: ScoreFile, first_name: str, name: str) -> None:
    for what, one, other in (
        ("algorithms", list(first.matrices), list(part.matrices)),
        ("orientation", first.orientation, part.orientation),
        ("target ids", first.targets, part.targets),
    ):
        if one != other:
            raise InputError(
                f"{name} and {first_name} do not have the same {what}.",
                "parts of one matrix must differ only in their rows.",
                file=Said(name),
            )


def _read(path: Path, options: ReadOptions) -> ScoreFile:
    files = shard_files(path)
    if not files:
        raise InputError(f"{path} contains no .npy or .npz files.", file=Said(path))
    return read_parts(files, shards_name(path), options)


FORMATS = (
    Format(
        "shards",
        "Directory or pattern of .npy or .npz files, one matrix split by rows",
        (),
        lambda path, head: bool(shard_files(path)),
        _read,
        holds_arrays=True,
    ),
)
