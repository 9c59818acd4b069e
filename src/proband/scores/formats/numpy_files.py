"""NumPy's ``.npy`` (one matrix, ids in a side-car) and ``.npz`` (matrices and ids in one archive)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.engine import written_whole
from proband.engine.files.documents import read_json
from proband.engine.files.files import (
    naming,
    opened,
    reading,
    refused,
    require_regular,
    text_of,
    written_together,
)
from proband.errors import Hint, InputError, Said, nearest
from proband.kernels.codes import DONT_CARE, FAILED, OK
from proband.samples import Ids, Samples
from proband.samples.npz import Archive, read_header, text_array, write_archive
from proband.scores.archive import RESERVED, TRAINED_ON_GALLERY, TRAINED_TARGETS
from proband.scores.array_names import array_names
from proband.scores.base import Cells, Orientation, Scores, check_orientation_name
from proband.scores.formats.contents import Format, ReadOptions, ScoreFile, axis_ids, row_blocks
from proband.words import Sentence, count

IDS_FROM = Sentence("scores.ids-from-array", "note", "{role} ids are read from the array {array!r}")


_ROWS_AT_ONCE_CELLS = 1 << 22
_QUERY_KEY, _TARGET_KEY, _ORIENTATION_KEY, _CELLS_KEY = "query_ids", "target_ids", "orientation", "cells"
_SIDECAR_HINT = 'it must contain {"orientation": …, "query_ids": […], "target_ids": […]}.'


def open_npy(path: Path) -> Any:
    """Open an ``.npy`` file as a memory map, which is instantaneous for any size and read in tiles."""
    require_regular(path)
    name = Said(path.name)
    with naming(file=name), refused(f"{name} is not a valid .npy file", file=name):
        with opened(path) as file:
            header = read_header(file, path.name)
        header.require(path.stat().st_size - header.offset, path.name)
        if not header.n_bytes:
            raise InputError(
                f"{path.name} contains no numbers: it is {' × '.join(map(str, header.shape))}.",
                file=Said(path.name),
            )
        return np.memmap(path, header.dtype, "r", header.offset, header.shape, header.order)


def ids_in(array: npt.NDArray[Any], name: str, what: str, options: ReadOptions | None = None) -> Ids:
    """Read the ids in an array of text, UTF-8 bytes or integers."""
    if array.ndim != 1 or array.dtype.kind not in "USiu":
        raise InputError(
            f"The array {name!r} contains no {what} ids: it is {' × '.join(map(str, array.shape)) or 'one value'} of "
            f"{array.dtype}.",
            "use a list of strings or whole numbers as ids.",
        )
    return axis_ids(_texts(array), what, options or ReadOptions())


def _texts(array: npt.NDArray[Any]) -> list[Any]:
    with refused("Text stored as bytes is not UTF-8"):
        return [value.decode() if isinstance(value, bytes) else value for value in array.ravel().tolist()]


# .npy


def _sidecar(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def read_npy(path: Path, options: ReadOptions) -> ScoreFile:
    """Read a matrix, and its ids if there is a side-car."""
    values = open_npy(path)
    if values.ndim != 2:
        raise InputError(
            f"{path.name} is not a matrix of scores: it is {' × '.join(map(str, values.shape)) or 'one number'}.",
            file=Said(path.name),
        )
    sidecar = _sidecar(path)
    if not sidecar.exists():
        return ScoreFile("npy", {path.stem: values})
    with reading(sidecar, f"the ids of {path.name}"):
        stated = read_json(text_of(sidecar, "utf-8"))
        if not isinstance(stated, dict):
            raise InputError(
                f"{sidecar.name} does not describe {path.name}.", _SIDECAR_HINT, file=Said(sidecar.name)
            )
        orientation = stated.get(_ORIENTATION_KEY)
        return ScoreFile(
            "npy",
            {path.stem: values},
            _stated_ids(stated.get(_QUERY_KEY), _QUERY_KEY, "query", options),
            _stated_ids(stated.get(_TARGET_KEY), _TARGET_KEY, "target", options),
            orientation=None if orientation is None else check_orientation_name(orientation, InputError),
        )


def _stated_ids(stated: Any, key: str, what: str, options: ReadOptions) -> Ids:
    if not isinstance(stated, list):
        raise InputError(f"{key!r} must be a list, got {stated!r:.60}.", _SIDECAR_HINT)
    strange = [name for name in stated if type(name) not in (str, int)]
    if strange:
        raise InputError(
            f"{key!r} has {strange[0]!r:.60} for a {what} id.",
            "ids must be all strings or all whole numbers.",
        )
    return axis_ids(stated, what, options)


def _write_npy(path: Path, scores: Scores, samples: Samples | None) -> None:
    """Write block by block, so that scores larger than memory can be written."""
    columns = np.arange(scores.shape[1])
    if scores.cells(np.arange(1), columns) is not None:
        raise InputError(
            ".npy cannot store don't-care and failed cells.", "write .npz instead.", file=path.name
        )
    stated = {
        _ORIENTATION_KEY: scores.orientation,
        _QUERY_KEY: scores.queries[:],
        _TARGET_KEY: scores.targets[:],
    }
    with written_together(path, _sidecar(path)) as (draft, sidecar):
        sidecar.write_text(json.dumps(stated, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
        # Not through a memory map, with which a full disk would crash the program.
        with draft.open("wb") as file:
            for rows in row_blocks(scores.shape, _ROWS_AT_ONCE_CELLS):
                tile = scores.tile(rows, columns)
                if not file.tell():
                    claims = np.lib.format.header_data_from_array_1_0(tile) | {"shape": scores.shape}
                    claims["fortran_order"] = False
                    np.lib.format.write_array_header_1_0(file, claims)
                file.write(tile.tobytes())


# .npz


def _read_named(path: Path, options: ReadOptions) -> ScoreFile:
    return called_after(read_npz(path, options), path.stem, path)


def called_after(file: ScoreFile, name: str, archive: Path) -> ScoreFile:
    """The matrices by algorithm name: `name` if the archive has only one."""
    named = array_names(name, _all_matrices(Archive(archive)))
    return replace(file, matrices={named[key]: values for key, values in file.matrices.items()})


def read_npz(
    path: Path, options: ReadOptions, read: Callable[[Archive, str], Any] = Archive.__getitem__
) -> ScoreFile:
    """Read the matrices of an archive, each by `read`, and their ids."""
    archive = Archive(path)
    matrices = _matrices(archive, path, options.key)
    n_queries, n_targets = archive.shape(matrices[0])
    query_key = _find_ids(archive, path, options.query_ids, _QUERY_KEY, n_queries)
    target_key = _find_ids(archive, path, options.target_ids, _TARGET_KEY, n_targets)
    notes = [
        IDS_FROM(role=role, array=key)
        for role, key, usual in (("query", query_key, _QUERY_KEY), ("target", target_key, _TARGET_KEY))
        if key is not None and key != usual
    ]
    if TRAINED_TARGETS in archive:
        notes.append(TRAINED_ON_GALLERY(n=archive.shape(TRAINED_TARGETS)[0], total=n_targets))
    return ScoreFile(
        "npz",
        {name: read(archive, name) for name in matrices},
        None if query_key is None else ids_in(archive[query_key], query_key, "query", options),
        None if target_key is None else ids_in(archive[target_key], target_key, "target", options),
        orientation=_stated_orientation(archive),
        cells=_stated_cells(archive),
        notes=tuple(notes),
    )


def _matrices(archive: Archive, path: Path, key: str | None) -> list[str]:
    """The names of the score matrices, which must have the same shape; with a key, only that one."""
    matrices = _all_matrices(archive)
    if key is not None:
        if key not in matrices:
            raise InputError(
                f"{path.name} has no score matrix {key!r}; it has {', '.join(matrices) or 'none'}.",
                nearest(key, matrices),
                file=Said(path.name),
            )
        return [key]
    if not matrices:
        raise InputError(
            f"{path.name} contains no score matrix; "
            + (f"its arrays are {', '.join(archive)}." if len(archive) else "it contains no arrays."),
            file=Said(path.name),
        )
    if len({archive.shape(name) for name in matrices}) != 1:
        sizes = ", ".join(f"{name} {'×'.join(map(str, archive.shape(name)))}" for name in matrices)
        raise InputError(
            f"its matrices differ in shape ({sizes}).",
            Hint("select one: {option:array}", file=path, key=matrices[0]),
            file=path.name,
        )
    return matrices


def _all_matrices(archive: Archive) -> list[str]:
    return [
        name
        for name in archive
        if len(archive.shape(name)) == 2 and archive.dtype(name).kind in "fiu" and name != _CELLS_KEY
    ]


def _find_ids(archive: Archive, path: Path, asked: str | None, usual: str, length: int) -> str | None:
    """The array of ids of an axis: the requested one, the usual name, or the only text array of that length."""
    if asked is not None:
        if asked not in archive or archive.shape(asked) != (length,):
            raise InputError(
                f"{path.name} has no array {asked!r} with {count(length)} ids.", file=Said(path.name)
            )
        return asked
    if usual in archive:
        return usual
    texts = [
        name
        for name in archive
        if archive.shape(name) == (length,) and archive.dtype(name).kind in "US" and name != TRAINED_TARGETS
    ]
    if len(texts) > 1:
        raise InputError(
            f"any of {', '.join(texts)} could be the {usual}.",
            Hint("specify it: {option:{usual}}", usual=usual),
            file=path.name,
        )
    return texts[0] if texts else None


def _stated_orientation(archive: Archive) -> Orientation | None:
    stated = one_word(archive, _ORIENTATION_KEY)
    return None if stated is None else check_orientation_name(stated, InputError)


def one_word(archive: Archive, key: str) -> str | None:
    """The value of a single-word array of an archive; None if it has no such array."""
    if key not in archive:
        return None
    stated = _texts(archive[key])
    if len(stated) != 1:
        raise InputError(f"The array {key!r} must contain one word; it contains {len(stated)}.")
    return str(stated[0])


def _stated_cells(archive: Archive) -> Cells | None:
    if _CELLS_KEY not in archive:
        return None
    cells = archive[_CELLS_KEY]
    if cells.dtype.kind not in "biuf" or not np.isin(cells, (OK, DONT_CARE, FAILED)).all():
        raise InputError(
            f"The array 'cells' of {cells.dtype} does not contain cell codes.",
            "use 0 (compared), 1 (don't care) and 2 (the comparison failed).",
        )
    return cells.astype(np.uint8)


def _write_npz(path: Path, scores: Scores, samples: Samples | None) -> None:
    rows, columns = (np.arange(n) for n in scores.shape)
    # Reserved names of the archive, and paths, cannot be names of algorithms.
    name = "scores" if scores.name in RESERVED or "/" in scores.name else scores.name
    arrays: dict[str, Any] = {name: scores.tile(rows, columns)}
    cells = scores.cells(rows, columns)
    if cells is not None:
        arrays[_CELLS_KEY] = cells
    arrays[_QUERY_KEY] = text_array(scores.queries)
    arrays[_TARGET_KEY] = text_array(scores.targets)
    arrays[_ORIENTATION_KEY] = np.array(scores.orientation)
    with written_whole(path) as draft:
        write_archive(draft, arrays)


FORMATS = (
    Format(
        "npy",
        "NumPy array, ids in a .npy.json sidecar",
        (".npy",),
        lambda path, head: head.startswith(b"\x93NUMPY"),
        read_npy,
        _write_npy,
    ),
    Format(
        "npz",
        "NumPy archive with ids",
        (".npz",),
        lambda path, head: head.startswith(b"PK") and path.suffix.lower() == ".npz",
        _read_named,
        _write_npz,
        holds_arrays=True,
    ),
)
