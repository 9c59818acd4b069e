"""NumPy's ``.npy`` (one matrix, ids in a side-car) and ``.npz`` (matrices and ids in one archive)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from proband.engine import written_whole
from proband.errors import InputError
from proband.samples import Ids, Samples
from proband.samples.npz import Archive, write_archive
from proband.scores.base import Orientation, Scores, check_orientation_name
from proband.scores.formats.contents import Format, ReadOptions, ScoreFile, first_line

_ROWS_AT_ONCE_CELLS = 1 << 22
_QUERY_KEY, _TARGET_KEY, _ORIENTATION_KEY, _CELLS_KEY = "query_ids", "target_ids", "orientation", "cells"


def open_npy(path: Path) -> Any:
    """Open an ``.npy`` file as a memory map: a file of any size opens at once, and is read in tiles."""
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise InputError(f"{path.name} is not a sound .npy file: {first_line(error)}.") from None


def _sidecar(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def _read_npy(path: Path, options: ReadOptions) -> ScoreFile:
    values = open_npy(path)
    sidecar = _sidecar(path)
    if not sidecar.exists():
        return ScoreFile("npy", {path.stem: values})
    try:
        stated = json.loads(sidecar.read_text(encoding="utf-8"))
        queries, targets = Ids(stated["query_ids"], "query"), Ids(stated["target_ids"], "target")
        orientation = stated.get("orientation")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{sidecar.name} does not describe {path.name}: {type(error).__name__} {first_line(error)}.",
            'it holds {"orientation": …, "query_ids": […], "target_ids": […]}.',
        ) from None
    if orientation is not None:
        check_orientation_name(orientation)
    return ScoreFile("npy", {path.stem: values}, queries, targets, orientation=orientation)


def _write_npy(path: Path, scores: Scores, samples: Samples | None) -> None:
    """Write row by row through a memory map, so that scores larger than memory can be written."""
    n_rows, n_columns = scores.shape
    columns = np.arange(n_columns)
    if scores.cells(np.arange(min(1, n_rows)), columns) is not None:
        raise InputError(
            f"{path.name}: .npy has no place for don't-care and failed cells.", "write .npz instead."
        )
    step = max(1, _ROWS_AT_ONCE_CELLS // max(1, n_columns))
    with written_whole(_sidecar(path)) as sidecar, written_whole(path) as draft:
        out = None
        for start in range(0, n_rows, step):
            rows = np.arange(start, min(start + step, n_rows))
            tile = scores.tile(rows, columns)
            if out is None:
                out = np.lib.format.open_memmap(draft, mode="w+", dtype=tile.dtype, shape=scores.shape)
            out[rows[0] : rows[-1] + 1] = tile
        del out
        stated = {
            "orientation": scores.orientation,
            "query_ids": scores.queries[:],
            "target_ids": scores.targets[:],
        }
        sidecar.write_text(json.dumps(stated, ensure_ascii=False) + "\n", encoding="utf-8")


def _read_npz(path: Path, options: ReadOptions) -> ScoreFile:
    archive = Archive(path)
    matrices = [
        name
        for name in archive
        if len(archive.shape(name)) == 2 and archive.dtype(name).kind in "fiu" and name != _CELLS_KEY
    ]
    if options.key is not None:
        if options.key not in matrices:
            raise InputError(
                f"{path.name} has no score matrix {options.key!r}; it has {', '.join(matrices) or 'none'}."
            )
        matrices = [options.key]
    if not matrices:
        raise InputError(
            f"{path.name} holds no matrix of scores; its arrays are {', '.join(archive) or 'none'}."
        )
    shapes = {archive.shape(name) for name in matrices}
    if len(shapes) != 1:
        sizes = ", ".join(f"{name} {'×'.join(map(str, archive.shape(name)))}" for name in matrices)
        raise InputError(
            f"{path.name}: its matrices differ in shape ({sizes}).", f"pick one: {path}::{matrices[0]}"
        )
    n_queries, n_targets = shapes.pop()
    query_key = _find_ids(archive, path, options.query_ids, _QUERY_KEY, n_queries)
    target_key = _find_ids(archive, path, options.target_ids, _TARGET_KEY, n_targets)
    notes = [
        f"{role} ids are taken from the array {key!r}"
        for role, key, usual in (("query", query_key, _QUERY_KEY), ("target", target_key, _TARGET_KEY))
        if key is not None and key != usual
    ]
    cells = archive[_CELLS_KEY].astype(np.uint8) if _CELLS_KEY in archive else None
    return ScoreFile(
        "npz",
        {name: archive[name] for name in matrices},
        None if query_key is None else Ids(archive[query_key].tolist(), "query"),
        None if target_key is None else Ids(archive[target_key].tolist(), "target"),
        orientation=_stated_orientation(archive),
        cells=cells,
        notes=tuple(notes),
    )


def _find_ids(archive: Archive, path: Path, asked: str | None, usual: str, length: int) -> str | None:
    """The array that names an axis: the one asked for, the usual name, or the only text array of that length."""
    if asked is not None:
        if asked not in archive or archive.shape(asked) != (length,):
            raise InputError(f"{path.name} has no array {asked!r} of {length:,} ids.")
        return asked
    if usual in archive:
        return usual
    texts = [
        name for name in archive if archive.shape(name) == (length,) and archive.dtype(name).kind in "US"
    ]
    if len(texts) > 1:
        option = f"--{usual.replace('_', '-')}"
        raise InputError(
            f"{path.name}: any of {', '.join(texts)} could be the {usual}.", f"say which: {option} …"
        )
    return texts[0] if texts else None


def _stated_orientation(archive: Archive) -> Orientation | None:
    if _ORIENTATION_KEY not in archive:
        return None
    return check_orientation_name(str(archive[_ORIENTATION_KEY].item()))


def _write_npz(path: Path, scores: Scores, samples: Samples | None) -> None:
    rows, columns = (np.arange(n) for n in scores.shape)
    # A name that means something else in the archive, or that would be a path, cannot be an algorithm's.
    usual = (_QUERY_KEY, _TARGET_KEY, _ORIENTATION_KEY, _CELLS_KEY)
    name = "scores" if scores.name in usual or "/" in scores.name else scores.name
    arrays: dict[str, Any] = {name: scores.tile(rows, columns)}
    cells = scores.cells(rows, columns)
    if cells is not None:
        arrays[_CELLS_KEY] = cells
    arrays[_QUERY_KEY] = np.array(scores.queries[:])
    arrays[_TARGET_KEY] = np.array(scores.targets[:])
    arrays[_ORIENTATION_KEY] = np.array(scores.orientation)
    with written_whole(path) as draft:
        write_archive(draft, arrays)


NPY = Format(
    "npy",
    "NumPy array, ids in a .npy.json side-car",
    (".npy",),
    lambda path, head: head.startswith(b"\x93NUMPY"),
    _read_npy,
    _write_npy,
)
NPZ = Format(
    "npz",
    "NumPy archive with ids",
    (".npz",),
    lambda path, head: head.startswith(b"PK") and path.suffix.lower() == ".npz",
    _read_npz,
    _write_npz,
)
