"""Read scores and embeddings from files and align them with a table of samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np

from proband.engine import Progress, Silent
from proband.engine.arguments import published
from proband.engine.files.files import naming, reading
from proband.engine.files.shards import RowShards, require_order, shard_files, shards_name
from proband.errors import Hint, InputError, Said, UsageError, meant, quoted
from proband.samples import Choice, Ids, Samples
from proband.samples.choosing import check_choice, choose
from proband.samples.npz import Archive
from proband.scores.alignment import check_ids
from proband.scores.array_names import array_names
from proband.scores.base import Declared, DenseScores, MissingPolicy, Orientation, check_orientation_name
from proband.scores.embeddings import Embeddings, Metric
from proband.scores.formats import ReadOptions, ScoreFile, labelled, read_file
from proband.scores.formats.contents import IdsName
from proband.scores.formats.numpy_files import open_npy
from proband.scores.formats.shards import joined_ids, read_parts, require_one_kind
from proband.scores.vector_files import VectorFile, ids_of_table, models_in
from proband.words import count

KEY_MARK = "::"
_ALL_IDS = "ids.csv"


def split_key(path: str | Path) -> tuple[Path, str | None]:
    """Split ``archive.npz::key`` into the file and the name of an array in it; both may contain ``::``.

    The file is the longest prefix that is a file, or else the text before the last ``::``.
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
    """Split ``NAME=FILE`` or ``NAME=FILE::KEY``; if the whole text is a file, its equals sign is kept."""
    name, mark, rest = text.partition("=")
    if mark and "/" not in name and not _exists(split_key(text)[0]):
        return name, rest
    return None, text


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False


@published
def read_scores(
    path: str | Path | Sequence[str | Path],
    samples: Samples | None = None,
    *,
    orientation: Declared | None = None,
    missing: MissingPolicy = "error",
    queries: Choice | None = None,
    targets: Choice | None = None,
    format: str | None = None,
    query_ids: str | None = None,
    target_ids: str | None = None,
    mask: str | Path | None = None,
    ids: IdsName = "samples",
    progress: Progress | None = None,
) -> dict[str, DenseScores]:
    """Read every score matrix of a file, by name. A single matrix is named after the file; several are named after their arrays.

    Parameters
    ----------
    path
        The file, or ``archive.npz::key`` for one matrix of an archive. A directory, a pattern
        (``"parts/*.npy"``) or a list of files is one matrix, split by rows.
    samples
        The table that must contain the ids; see `missing` for ids that it does not contain.
    orientation
        Required unless the file states it; must not contradict the file.
    queries, targets
        The samples of the rows and columns of a file without ids, in table order. Without them, a matrix
        without ids must be square over the whole table.
    format, query_ids, target_ids, mask
        See `proband.scores.formats`.
    ids
        Whether rows and columns are named by ``"samples"`` or by ``"subjects"``. By subject, a row and a
        column of the same name are two samples of one person, and `Scores.samples_by_label` makes the table.
    missing
        How ids found in only one of the files are handled: ``error`` or ``drop``.
    progress
        The progress callback.


    Returns
    -------
    dict
        Scores, by the name of the algorithm.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "net.npz")
    ...     np.savez(path, scores=[[0.9, 0.1]], query_ids=["a2"], target_ids=["a1", "b1"])
    ...     read_scores(path, orientation="similarity")
    {'net': DenseScores('net': 1 query × 2 targets, similarity)}
    """
    files = None if isinstance(path, str | Path) else list(map(Path, path))
    path, key = split_key(path) if isinstance(path, str | Path) else (_folder(path), None)
    options = ReadOptions(
        key,
        query_ids,
        target_ids,
        None if mask is None else Path(mask),
        ids=ids,
        oriented=orientation is not None,
        progress=progress or Silent(),
    )
    file = (
        read_file(path, options, format)
        if files is None
        else labelled(read_parts(files, path.name, options), path, options)
    )
    if samples is None and ids == "subjects":
        samples = file.subjects
    return scores_of(file, path, samples, orientation, missing, queries, targets)


def _folder(files: Sequence[str | Path]) -> Path:
    """The folder of the parts of an array, after which the array is named."""
    if not files:
        raise UsageError("The list of files is empty.", "pass at least one file.")
    return Path(files[0]).resolve().parent


def scores_of(
    file: ScoreFile,
    path: Path,
    samples: Samples | None,
    orientation: Orientation | None = None,
    missing: MissingPolicy = "error",
    queries: Choice | None = None,
    targets: Choice | None = None,
    *,
    shared: bool = False,
) -> dict[str, DenseScores]:
    """Convert the contents of the file at `path` to scores aligned with the samples."""
    with naming(file=path.name):
        laid = file.as_matrix()
        chosen = (("queries", laid.queries, queries), ("targets", laid.targets, targets))
        for option, own, choice in () if shared else chosen:
            if own is not None and choice is not None:
                raise UsageError(
                    Hint(
                        "{named:{which}} has no effect on {file}, which contains its own ids.",
                        which=option,
                        file=path.name,
                    ),
                    "leave it out; use gallery and probes to select among the ids.",
                    file=Said(path.name),
                )
        return _aligned(laid, path.stem, samples, orientation, missing, queries, targets)


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
            f"{name} states {file.orientation} as its orientation, but {orientation} was declared.",
            f"leave the orientation out, or declare {file.orientation}.",
            source=Said(name),
        )
    # Find out what rows and columns are first: vectors have no orientation to declare.
    axes = [
        (
            _axis(file.queries, "query", queries, samples, values, 0, name),
            _axis(file.targets, "target", targets, samples, values, 1, name),
        )
        for values in file.matrices.values()
    ]
    declared = check_orientation_name(orientation or file.orientation)
    found = {}
    for (matrix, values), (rows, columns) in zip(file.matrices.items(), axes, strict=True):
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


@published
def read_embeddings(
    path: str | Path | Sequence[str | Path],
    samples: Samples | None = None,
    *,
    metric: Metric | Mapping[str, Metric] | None = None,
    missing: MissingPolicy = "error",
    rows: Choice | None = None,
    ids: str | None = None,
) -> dict[str, Embeddings]:
    """Read the embeddings of every model in a file, by name. A single model is named after the file; several are named after their arrays.

    Parameters
    ----------
    path
        ``.npy`` (one model; memory-mapped), ``.npz`` (each 2-D array of floats is a model), ``archive.npz::key`` for one;
        ``.safetensors`` (each 2-D tensor is a model; memory-mapped), ids in a CSV next to it; a table of
        Parquet or Arrow (each column of vectors is a model, or all columns of fractions together are one). A
        directory, a pattern (``"parts/*.npy"``) or a list of files is one set of embeddings in several parts,
        memory-mapped and never joined in memory; ids are in a CSV next to each ``.npy`` (``part-1.csv``,
        column ``id``), or in one for all, ``ids.csv``.
    samples
        The table that must contain the ids.
    metric
        How vectors are compared: one metric for all models, or one per model name. Required unless the file
        states it (an array ``metric`` of an archive, ``metric`` in the metadata of safetensors); must not
        contradict the file, and is never guessed.
    rows
        The samples of the rows of a file without ids, in table order; by default all.
    ids
        The array of an archive, or the column of a table, with the ids. Default: the only text array of the
        right length, or the column ``id``.
    missing
        How ids found in only one of the files are handled: ``error`` or ``drop``.


    Returns
    -------
    dict
        Embeddings, by the name of the model.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "net.npz")
    ...     np.savez(path, embeddings=np.eye(2), ids=["a1", "b1"])
    ...     read_embeddings(path, metric="cosine")
    {'net': Embeddings('net': 2 queries × 2 targets, similarity)}
    """
    found = embeddings_in(path, samples, metric, missing=missing, rows=rows, ids=ids)
    if isinstance(metric, Mapping):
        require_models(metric, list(found))
    return found


def read_features(path: str | Path, samples: Samples) -> Embeddings:
    """Read the vectors of one model for uses without a metric; samples without vectors are left out."""
    return only_model(embeddings_in(path, samples, "inner", missing="drop", overriding=True), path)


def only_model(found: dict[str, Embeddings], path: str | Path | Sequence[str | Path]) -> Embeddings:
    """The only model in a file; refuse several."""
    if len(found) != 1:
        named = Path(path if isinstance(path, str | Path) else path[0])
        raise InputError(
            f"{named.name} holds {len(found)} models: {', '.join(found)}.",
            Hint(
                "select one: {option:array}, or read all with read_embeddings.",
                file=named,
                key=next(iter(found)),
            ),
            file=Said(named.name),
        )
    return next(iter(found.values()))


def embeddings_in(
    path: str | Path | Sequence[str | Path],
    samples: Samples | None,
    metric: Metric | Mapping[str, Metric] | None,
    *,
    missing: MissingPolicy = "error",
    rows: Choice | None = None,
    ids: str | None = None,
    name: str | None = None,
    overriding: bool = False,
) -> dict[str, Embeddings]:
    """Read embeddings like `read_embeddings`, for callers that read several files.

    Metrics may include models of other files; `name` names the only model; with `overriding`, a metric stated by the
    file is ignored.
    """
    files = [] if isinstance(path, str | Path) else list(map(Path, path))
    path, key = split_key(path) if isinstance(path, str | Path) else (_folder(path), None)
    found = {}
    with reading(path, "embeddings"):
        files = files or shard_files(path)
        file = _parts_of(files, path, key, ids) if files else models_in(path, key, ids)
        if name is not None:
            require_one(list(file.models), str(path))
        if rows is not None and file.ids is not None:
            raise UsageError(
                f"rows has no effect on {path.name}, which contains its own ids.",
                "leave it out.",
                file=Said(path.name),
            )
        names = array_names(shards_name(path) if files else path.stem, file.arrays)
        for own, vectors in file.models.items():
            called = name or names.get(own, own)
            axis = _axis(file.ids, "sample", rows, samples, vectors, 0, called)
            notes = () if samples is None else check_ids(axis, samples, missing)
            compared = _metric_of(called, metric, None if overriding else file.metric)
            found[called] = Embeddings(
                vectors, axis, metric=compared, name=called, notes=(*file.notes, *notes)
            )
    return found


def _metric_of(name: str, declared: Metric | Mapping[str, Metric] | None, stated: str | None) -> Metric:
    """The metric of a model: as declared, or as stated by its file."""
    if stated is not None and stated not in get_args(Metric):
        raise InputError(
            f"the stated metric must be one of {', '.join(get_args(Metric))}; got {quoted(stated)}."
        )
    said = declared.get(name) if isinstance(declared, Mapping) else declared
    if said is not None and stated not in (None, said):
        raise InputError(
            f"its file states the metric {stated} for {name}, but {said} was declared.",
            f"leave the metric out, or declare {stated}.",
        )
    found = said or stated
    if found is None:
        raise UsageError(
            f"no metric was given for the embeddings {name}.",
            Hint(
                "specify the metric the model was trained with, one of {metrics}: {option:metric=cosine}; for "
                "several models: {option:metric_of}. Proband does not guess it.",
                metrics=", ".join(get_args(Metric)),
                name=name,
            ),
        )
    return found  # type: ignore[return-value]  # one of them, as was asked for or stated


def require_models(metrics: Mapping[str, Metric], names: Sequence[str]) -> None:
    """Refuse a metric of an unknown model."""
    unknown = next((name for name in metrics if name not in names), None)
    if unknown is not None:
        raise UsageError(
            f"a metric was given for {quoted(unknown)}, but there are no embeddings of that name.",
            meant(unknown, names),
        )


def require_one(names: Sequence[str], reference: str) -> None:
    """Refuse several algorithms with the same name."""
    if len(names) != 1:
        raise UsageError(
            f"{reference} contains {len(names)} algorithms ({', '.join(names)}), so it cannot be given one name.",
            Hint("select one: {option:array}", file=reference, key=names[0]),
        )


def _parts_of(files: Sequence[Path], path: Path, key: str | None, ids: str | None) -> VectorFile:
    """Models whose rows are split among files, and the ids of all rows if there are any."""
    require_one_kind(files)
    parts = []
    for file in files:
        with naming(file=file.name):
            parts.append(models_in(file, key, ids, Archive.mapped))
    names = [file.name for file in files]
    if files[0].suffix.lower() == ".npy":
        vectors = RowShards([next(iter(one.models.values())) for one in parts], names)
        return VectorFile({shards_name(path): vectors}, _ids_beside(files, len(vectors)))
    metrics = {one.metric for one in parts}
    if len(metrics) > 1:
        raise InputError(f"{' and '.join(names[:2])} do not state the same metric.", file=Said(names[0]))
    for one, name in zip(parts, names, strict=True):
        if one.models.keys() != parts[0].models.keys():
            raise InputError(
                f"{name} and {names[0]} do not contain the same models.",
                Hint("select one: {option:array}", file=path, key="NAME"),
                file=Said(name),
            )
    joined = {own: RowShards([one.models[own] for one in parts], names) for own in parts[0].models}
    ids_of_all = joined_ids(files, [one.ids for one in parts], "sample")
    return VectorFile(joined, ids_of_all, metrics.pop(), arrays=parts[0].arrays)


def _ids_beside(files: Sequence[Path], n: int) -> Ids | None:
    """The ids in a table next to each file, or in one table for all."""
    own = [ids_of_table(file.with_suffix(".csv")) for file in files]
    whole = ids_of_table(files[0].with_name(_ALL_IDS))
    if whole is None or any(one is not None for one in own):
        for file, part in zip(files, own, strict=True):
            length = len(open_npy(file))
            if part is not None and len(part) != length:
                raise InputError(
                    f"{file.with_suffix('.csv').name} has {count(len(part))} ids for the {count(length)} rows of {file.name}.",
                    file=Said(file.name),
                )
        return joined_ids(files, own, "sample")
    require_order(files)
    if len(whole) != n:
        raise InputError(
            f"{_ALL_IDS} has {count(len(whole))} ids for the {count(n)} rows of {count(len(files))} files.",
            file=Said(_ALL_IDS),
        )
    return whole


def _axis(
    ids: Ids | None,
    what: str,
    choice: Choice | None,
    samples: Samples | None,
    values: Any,
    axis: int,
    name: str,
) -> Ids:
    """The ids of one axis: from the file, the chosen samples, or the whole table if the length matches."""
    if choice is not None:
        check_choice(choice)
    if ids is not None:
        return ids
    if values.ndim <= axis:
        raise InputError(
            f"{name} is not a matrix of numbers: it has no {'rows' if axis == 0 else 'columns'}.",
            source=Said(name),
        )
    length = values.shape[axis]
    vectors = "; if the rows are embeddings, {give:embeddings}" if what == "target" else ""
    if samples is None:
        raise UsageError(
            f"{name} has no {what} ids, and there is no samples table to read them from.",
            Hint(f"{{give:samples}}{vectors}"),
            source=Said(name),
        )
    positions = np.arange(len(samples)) if choice is None else choose(samples, choice).positions
    if len(positions) != length:
        of = "samples in the table" if choice is None else f"samples that meet {choice!r:.60}"
        raise InputError(
            f"{name} has no {what} ids, and its {count(length)} {'rows' if axis == 0 else 'columns'} do not match the "
            f"{count(len(positions))} {of}.",
            Hint(
                f"specify the samples of its rows and columns: {{option:queries}}, {{option:targets}}{vectors}"
            ),
            source=Said(name),
        )
    return Ids((samples.ids[place] for place in positions), what)
