"""From files to scores that are aligned with a table of samples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from proband.engine import Progress, Silent
from proband.engine.files.files import naming, reading
from proband.errors import Hint, InputError, Said, UsageError
from proband.samples import Choice, Ids, Samples
from proband.samples.choosing import choose
from proband.samples.npz import Archive
from proband.scores.alignment import check_ids
from proband.scores.base import DenseScores, MissingPolicy, Orientation, check_orientation_name
from proband.scores.embeddings import Embeddings, Metric
from proband.scores.formats import ReadOptions, ScoreFile, read_file
from proband.scores.formats.numpy_files import ids_in, open_npy
from proband.words import count

KEY_MARK = "::"
_IDS_KEY = "ids"


def split_key(path: str | Path) -> tuple[Path, str | None]:
    """Part ``archive.npz::key`` into the file and the name of an array in it; both may hold the mark.

    The longest part that is a file is taken for it; without any, what stands before the last mark.
    """
    text = str(path)
    parts = text.split(KEY_MARK)
    for n in range(len(parts), 0, -1):
        file = Path(KEY_MARK.join(parts[:n]))
        if _exists(file):
            return file, KEY_MARK.join(parts[n:]) if n < len(parts) else None
    before, mark, key = text.rpartition(KEY_MARK)
    return (Path(before), key) if mark else (Path(text), None)


def split_name(text: str) -> tuple[str | None, str]:
    """Part ``NAME=FILE`` or ``NAME=FILE::KEY``; where the whole is a file, the equals sign is its own."""
    name, mark, rest = text.partition("=")
    if mark and "/" not in name and not _exists(split_key(text)[0]):
        return name, rest
    return None, text


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False


def read_scores(
    path: str | Path,
    samples: Samples | None = None,
    *,
    orientation: Orientation | None = None,
    missing: MissingPolicy = "error",
    queries: Choice | None = None,
    targets: Choice | None = None,
    format: str | None = None,
    query_ids: str | None = None,
    target_ids: str | None = None,
    mask: str | Path | None = None,
    progress: Progress | None = None,
) -> dict[str, DenseScores]:
    """Read every score matrix of a file, by name.

    Parameters
    ----------
    path
        The file, or ``archive.npz::key`` for one matrix of an archive.
    samples
        The table the ids must be in; `missing` says what to do with those that are not.
    orientation
        Needed unless the file states it; must not contradict it.
    queries, targets
        For a file without ids: which samples its rows and columns are, in table order. Without these a matrix without
        ids must be square over the whole table.
    format, query_ids, target_ids, mask
        See `proband.scores.formats`.

    """
    path, key = split_key(path)
    options = ReadOptions(
        key, query_ids, target_ids, None if mask is None else Path(mask), progress or Silent()
    )
    file = read_file(path, options, format)
    return scores_of(file, path, samples, orientation, missing, queries, targets)


def scores_of(
    file: ScoreFile,
    path: Path,
    samples: Samples | None,
    orientation: Orientation | None = None,
    missing: MissingPolicy = "error",
    queries: Choice | None = None,
    targets: Choice | None = None,
) -> dict[str, DenseScores]:
    """Turn what the file at `path` holds into scores aligned with the samples."""
    with naming(file=path.name):
        return _aligned(file.as_matrix(path.stem), path.stem, samples, orientation, missing, queries, targets)


def _aligned(
    file: ScoreFile,
    name: str,
    samples: Samples | None,
    orientation: Orientation | None,
    missing: MissingPolicy,
    queries: Choice | None,
    targets: Choice | None,
) -> dict[str, DenseScores]:
    if orientation and file.orientation and orientation != file.orientation:
        raise InputError(
            f"{name} states that it holds a {file.orientation}, but {orientation} was declared.",
            f"leave the declaration out, or declare {file.orientation}.",
            source=Said(name),
        )
    declared = check_orientation_name(orientation or file.orientation)
    found = {}
    for matrix, values in file.matrices.items():
        rows = _axis(file.queries, "query", queries, samples, values, 0, name)
        columns = _axis(file.targets, "target", targets, samples, values, 1, name)
        notes = file.notes
        if samples is not None:
            notes = tuple(
                dict.fromkeys(
                    (*notes, *check_ids(rows, samples, missing), *check_ids(columns, samples, missing))
                )
            )
        found[matrix] = DenseScores(
            values,
            rows,
            columns,
            orientation=declared,
            name=matrix,
            cells=file.cells,
            notes=notes,
        )
    return found


def read_embeddings(
    path: str | Path,
    samples: Samples | None = None,
    *,
    metric: Metric,
    missing: MissingPolicy = "error",
    rows: Choice | None = None,
    ids: str | None = None,
) -> dict[str, Embeddings]:
    """Read every model's embeddings of a file, by name.

    Parameters
    ----------
    path
        ``.npy`` (one model; memory-mapped) or ``.npz`` (each 2-D array of floats is a model), ``archive.npz::key`` for one.
    samples
        The table the ids must be in.
    rows
        For a file without ids: which samples the rows are, in table order; by default all.
    ids
        The array of an archive that holds the ids; otherwise the only text array of the right length.

    """
    path, key = split_key(path)
    found = {}
    with reading(path, "embeddings"):
        models, names = _models_of(path, key, ids)
        for name, vectors in models.items():
            axis = _axis(names, "sample", rows, samples, vectors, 0, name)
            notes = () if samples is None else check_ids(axis, samples, missing)
            found[name] = Embeddings(vectors, axis, metric=metric, name=name, notes=notes)
    return found


def _models_of(path: Path, key: str | None, ids: str | None) -> tuple[dict[str, Any], Ids | None]:
    if not path.exists():
        raise InputError(f"There is no file {path}.", file=Said(path))
    if path.suffix.lower() == ".npy":
        if key is not None or ids is not None:
            raise UsageError(
                f"{path.name} is a single array, so there is no {key or ids!r} in it.", file=Said(path.name)
            )
        return {path.stem: open_npy(path)}, None
    if path.suffix.lower() != ".npz":
        raise UsageError(
            f"Embeddings are read from .npy and .npz files, not from {path.name}.", file=Said(path.name)
        )
    archive = Archive(path)
    models = [name for name in archive if len(archive.shape(name)) == 2 and archive.dtype(name).kind == "f"]
    if key is not None:
        if key not in models:
            raise InputError(
                f"{path.name} has no embeddings {key!r}; it has {', '.join(models) or 'none'}.",
                file=Said(path.name),
            )
        models = [key]
    lengths = {archive.shape(name)[0] for name in models}
    if len(lengths) != 1:
        raise InputError(
            f"{path.name} does not hold embeddings of one set of samples.",
            Hint("pick one: {option:array}", file=path, key="NAME"),
            file=Said(path.name),
        )
    chosen = _find_ids(archive, path, ids, lengths.pop())
    names = None if chosen is None else ids_in(archive[chosen], chosen, "sample")
    return {name: archive[name] for name in models}, names


def _find_ids(archive: Archive, path: Path, asked: str | None, length: int) -> str | None:
    """The array that names the rows: the one asked for, ``ids``, or the only texts that tell all rows apart."""
    fitting = [name for name in archive if archive.shape(name) == (length,)]
    if asked is not None:
        if asked not in fitting:
            raise InputError(
                f"{path.name} has no array {asked!r} of {count(length)} ids.", file=Said(path.name)
            )
        return asked
    if _IDS_KEY in fitting:
        return _IDS_KEY
    # Other texts may be covariates, whose values repeat.
    texts = [name for name in fitting if archive.dtype(name).kind in "US"]
    candidates = [name for name in texts if len(np.unique(archive[name])) == length]
    if len(candidates) > 1:
        raise InputError(
            f"any of {', '.join(candidates)} could be the ids.",
            Hint("say which: {option:ids}"),
            file=path.name,
        )
    return candidates[0] if candidates else None


def _axis(
    ids: Ids | None,
    what: str,
    choice: Choice | None,
    samples: Samples | None,
    values: Any,
    axis: int,
    name: str,
) -> Ids:
    """The ids of one axis: the file's own, the samples chosen, or the whole table if its length agrees."""
    if ids is not None:
        return ids
    if values.ndim <= axis:
        raise InputError(
            f"{name} is not a table of numbers: it has no {'rows' if axis == 0 else 'columns'}.",
            source=Said(name),
        )
    length = values.shape[axis]
    if samples is None:
        raise UsageError(
            f"{name} has no {what} ids, and there is no samples table to take them from.",
            Hint("give one: {option:samples}"),
            source=Said(name),
        )
    positions = np.arange(len(samples)) if choice is None else choose(samples, choice).positions
    if len(positions) != length:
        of = "samples in the table" if choice is None else f"samples that meet {choice!r:.60}"
        raise InputError(
            f"{name} has no {what} ids, and its {count(length)} {'rows' if axis == 0 else 'columns'} are not the "
            f"{count(len(positions))} {of}.",
            Hint("say which samples its rows and columns are: {option:queries}, {option:targets}"),
            source=Said(name),
        )
    return Ids((samples.ids[place] for place in positions), what)
