"""What the user's files are: tables of samples, scores, embeddings or pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from proband.engine.files.files import require_there
from proband.engine.files.names import in_order
from proband.engine.files.parquet import COLUMNAR
from proband.errors import Hint, InputError, ProbandError, Said, UsageError
from proband.samples.directories import DATA_SETS, frame_of_names, has_pictures
from proband.samples.npz import Archive
from proband.samples.reading import read_frame
from proband.scores.array_names import array_names
from proband.scores.formats import FORMATS, ReadOptions, ScoreFile, read_file, read_image_list
from proband.scores.formats.numpy_files import one_word, open_npy
from proband.scores.pair_columns import PairColumns, guessed, is_of_truths, more_scores, suggested
from proband.study.init.columns import subject_column
from proband.study.init.logits import FoundLogits, logits_alone, logits_in, predictions_in

_TABLES = (".csv", ".tsv", *COLUMNAR, ".jsonl", ".ndjson")
_ARRAYS = (".npz", ".npy")
_KNOWN = (*_TABLES, *_ARRAYS, ".srt", ".mtx", ".mask", ".txt")
_MASK, _SIDECAR = ".mask", ".json"
_IMAGES = "images"
_MATED = ("same", "mated", "genuine", "match", "matched", "positive", "target", "yes", "true")


@dataclass(frozen=True, eq=False)
class FoundTable:
    """A file that may be a table of samples: as it is read, and with every value as text."""

    path: Path
    frame: pl.DataFrame
    texts: pl.DataFrame


@dataclass(frozen=True, eq=False)
class FoundScores:
    """A file of scores, and the arrays of ids, the mask or the columns of pairs that had to be named to read it.

    `more_scores` are columns of pairs that were not read, and may be scores too.
    """

    path: Path
    file: ScoreFile
    query_ids: str | None = None
    target_ids: str | None = None
    mask: Path | None = None
    columns: PairColumns | None = None
    mated_is: str | None = None
    more_scores: tuple[str, ...] = ()

    @property
    def ranked(self) -> bool:
        """Whether the scores make a matrix: a list of pairs that does not name its probes makes none."""
        if not self.file.trials:
            return True
        if self.columns is not None:
            return False  # pairs that were chosen are verified, as a list
        try:
            self.file.as_matrix()
        except ProbandError:
            return False
        return True


@dataclass(frozen=True)
class FoundVectors:
    """A file of embeddings: its models, how many rows they have, the ids of those, and the metric where it is stated."""

    path: Path
    models: tuple[str, ...]
    n_rows: int
    ids: tuple[str, ...] | None = None
    metric: str | None = None


@dataclass
class FoundFiles:
    """Everything that was found, in the order in which it was named."""

    tables: list[FoundTable] = field(default_factory=list)
    scores: list[FoundScores] = field(default_factory=list)
    vectors: list[FoundVectors] = field(default_factory=list)
    logits: list[FoundLogits] = field(default_factory=list)
    pictures: list[Path] = field(default_factory=list)
    masks: list[Path] = field(default_factory=list)
    unknown: dict[Path, str] = field(default_factory=dict)


def look_at(paths: Sequence[Path], names: str | None = None) -> FoundFiles:
    """Find out what each file is: first the tables and masks, without which others cannot be told.

    Pictures without a table are samples by the names of their files, if these follow `names` or are those of a public data set.
    """
    found = FoundFiles()
    files = list(dict.fromkeys(_expanded(paths)))
    first = (*_TABLES, _MASK)
    for path in sorted(files, key=lambda one: one.suffix.lower() not in first):
        try:
            _look(path, found)
        except ProbandError as error:
            found.unknown[path] = error.message.rstrip(".")
    if not (found.scores or found.vectors or found.logits or found.pictures):
        tables = (predictions_in(*table) for table in _frames(found))
        found.logits += [one for one in tables if one is not None]
    named = [] if found.tables else [path for path in found.pictures if path.is_dir()]
    if names is not None and not named:
        raise UsageError(
            Hint("{named:names} applies to a directory of images and has no effect on these files."),
            "leave it out, or pass the directory without a samples table.",
        )
    for path in named:
        _add_names(path, names, found)
    return found


def _add_names(directory: Path, names: str | None, found: FoundFiles) -> None:
    try:
        frame = frame_of_names(directory, names, [])
    except ProbandError:
        if names is not None:
            raise
        return  # of no known data set: a table is to be filled in
    path = directory if names is None else directory / DATA_SETS.get(names, names)
    found.tables.append(FoundTable(path, frame, _as_texts(path, frame)))


def _expanded(paths: Iterable[Path]) -> Iterator[Path]:
    """Each file, and the files of a directory that is neither one of pictures nor one of distances."""
    for path in paths:
        require_there(path)
        inside = [] if not path.is_dir() or has_pictures(path) else in_order(path.iterdir())
        known = [one for one in inside if one.is_file() and one.suffix.lower() in _KNOWN]
        # A list of images alone stands among the files of CSU's distances, which have no ending of their own.
        if all(one.suffix.lower() == ".srt" for one in known):
            yield path
        else:
            yield from known


def _look(path: Path, found: FoundFiles) -> None:
    ending = path.suffix.lower()
    if path.is_dir() and has_pictures(path):
        found.pictures.append(path)
    elif ending == _MASK:
        found.masks.append(path)
    elif ending == ".srt":
        listed = read_image_list(path).frame
        found.tables.append(FoundTable(path, listed, listed))
    elif ending in _TABLES and not _is_scores(path, found):
        frame = read_frame(path)
        found.tables.append(FoundTable(path, frame, _as_texts(path, frame)))
    elif ending == ".npz":
        _look_at_archive(path, found)
    elif (
        ending == ".npy" and (logits := logits_alone(path, open_npy(path).shape, _frames(found))) is not None
    ):
        found.logits.append(logits)
    elif ending == ".npy" and _is_vectors(path, found):
        found.vectors.append(FoundVectors(path, (path.stem,), len(open_npy(path))))
    elif ending not in _TABLES:
        mask = _only(found.masks, path)
        found.scores.append(FoundScores(path, read_file(path, ReadOptions(mask=mask)), mask=mask))


def _only(masks: list[Path], path: Path) -> Path | None:
    """The one mask that was named, for a matrix that has none of its own name."""
    own = path.suffix.lower() != ".mtx" or path.with_suffix(_MASK).exists()
    return masks[0] if len(masks) == 1 and not own else None


def _is_scores(path: Path, found: FoundFiles) -> bool:
    """Take a table for scores if it is a list of pairs, or all numbers but for its first column; then read it as such."""
    kind = COLUMNAR.get(path.suffix.lower(), "csv").lower()
    is_list = path.suffix.lower() not in (".jsonl", ".ndjson") and FORMATS.find(f"{kind}-long").recognises(
        path, b" "
    )
    if not is_list:
        frame = read_frame(path)
        if _is_list_of_pairs(path, frame, found):
            return True
        numeric = [dtype.is_numeric() for dtype in frame.dtypes[1:]]
        if len(numeric) < 2 or not all(numeric) or subject_column(frame) is not None:
            return False
    found.scores.append(FoundScores(path, read_file(path)))
    return True


def _is_list_of_pairs(path: Path, frame: pl.DataFrame, found: FoundFiles) -> bool:
    """Take a table for scored pairs if its columns are called so, or hold what pairs hold and nobody is named."""
    columns = guessed(frame.columns)
    if not _names_pairs(columns):
        if subject_column(frame) is not None:
            return False
        columns = suggested(frame)
    if not _names_pairs(columns):
        return False
    mated_is = None
    if (
        columns.mated is not None
        and frame.height
        and frame[columns.mated].dtype != pl.Boolean
        and not is_of_truths(frame[columns.mated])
    ):
        values = frame[columns.mated].cast(pl.String).unique().drop_nulls().to_list()
        meant = [one for one in values if one.lower() in _MATED]
        if len(meant) != 1:
            said = " and ".join(sorted(values)[:3])
            raise InputError(
                f"{path.name} contains pairs, but it is unclear which value of {columns.mated!r} means mated: {said}",
                file=Said(path.name),
            )
        mated_is = meant[0]
    file = read_file(path, ReadOptions(columns=columns, mated_is=mated_is))
    more = more_scores(columns, frame)
    found.scores.append(FoundScores(path, file, columns=columns, mated_is=mated_is, more_scores=more))
    return True


def _names_pairs(columns: PairColumns) -> bool:
    """Whether columns are two samples or two people, scores, and what is mated."""
    sides = columns.a is not None or columns.subject_a is not None
    return sides and bool(columns.score) and (columns.mated is not None or columns.subject_a is not None)


def _frames(found: FoundFiles) -> list[tuple[Path, pl.DataFrame]]:
    return [(one.path, one.frame) for one in found.tables]


def _as_texts(path: Path, frame: pl.DataFrame) -> pl.DataFrame:
    """The table with its values as they are written: ``007`` is not 7."""
    if path.suffix.lower() in (".csv", ".tsv"):
        return read_frame(path, text_columns=frame.columns)
    no_texts = (pl.Object, pl.Binary, pl.Duration)
    plain = [one for one in frame if not one.dtype.is_nested() and one.dtype not in no_texts]
    return pl.DataFrame({one.name: one.cast(pl.String) for one in plain})


def _is_vectors(path: Path, found: FoundFiles) -> bool:
    """Whether an array without ids is of embeddings: not square, and as many rows as a table has."""
    if path.with_name(path.name + _SIDECAR).exists():
        return False
    shape = open_npy(path).shape
    return len(shape) == 2 and shape[0] != shape[1] and shape[0] in {one.frame.height for one in found.tables}


def _look_at_archive(path: Path, found: FoundFiles) -> None:
    archive = Archive(path)
    logits = logits_in(path, archive, _frames(found))
    if logits is not None and "query_ids" not in archive:
        found.logits.append(logits)
        return
    columns = {name: archive.shape(name)[0] for name in archive if len(archive.shape(name)) == 1}
    subject = subject_column(columns)
    pictures = _IMAGES in archive and len(archive.shape(_IMAGES)) == 3
    if subject is not None:
        frame = read_frame(path, text_columns=(subject,))
        found.tables.append(FoundTable(path, frame, _as_texts(path, frame)))
    if pictures:
        found.pictures.append(path)
    matrices = [
        name for name in archive if len(archive.shape(name)) == 2 and archive.dtype(name).kind in "fiu"
    ]
    if not matrices:
        if subject is None and not pictures:
            raise InputError(
                f"{path.name} contains neither scores nor embeddings; "
                + (f"its arrays are {', '.join(archive)}." if len(archive) else "it contains no arrays."),
                file=Said(path.name),
            )
        return
    shapes = {archive.shape(name) for name in matrices if name != "cells"}
    if _are_scores(shapes, set(columns.values()), "query_ids" in archive):
        found.scores.append(_read_archive(path, archive))
    else:
        found.vectors.append(_vectors_of(path, archive, matrices))


def _are_scores(shapes: set[tuple[int, ...]], lengths: set[int], stated: bool) -> bool:
    """Whether matrices are of scores: of one shape, and with something known of each row and of each column."""
    if len(shapes) != 1:
        return False
    n_rows, n_columns = next(iter(shapes))
    return stated or n_rows == n_columns or {n_rows, n_columns} <= lengths


def _read_archive(path: Path, archive: Archive) -> FoundScores:
    try:
        return FoundScores(path, read_file(path))
    except InputError:
        matrix = next(name for name in archive if len(archive.shape(name)) == 2)
        queries, targets = (
            _ids_of(archive, length, role) for length, role in zip(archive.shape(matrix), _ROLES, strict=True)
        )
        options = ReadOptions(query_ids=queries, target_ids=targets)
        return FoundScores(path, read_file(path, options), queries, targets)


_ROLES = (("query", "queries", "probe", "row"), ("target", "gallery", "col"))


def _ids_of(archive: Archive, length: int, words: tuple[str, ...]) -> str | None:
    """The only texts that tell all rows apart, or the only ones of a name that says which axis they are of."""
    fitting = _telling(archive, length)
    named = [name for name in fitting if any(word in name.lower() for word in words)]
    return named[0] if len(named) == 1 else fitting[0] if len(fitting) == 1 else None


def _telling(archive: Archive, length: int) -> list[str]:
    texts = (
        name for name in archive if archive.shape(name) == (length,) and archive.dtype(name).kind in "US"
    )
    return [name for name in texts if len(set(archive[name].tolist())) == length]


def _vectors_of(path: Path, archive: Archive, matrices: list[str]) -> FoundVectors:
    models = tuple(name for name in matrices if archive.dtype(name).kind == "f")
    lengths = {archive.shape(name)[0] for name in models}
    if len(lengths) != 1:
        raise InputError(
            f"{path.name} does not contain embeddings of a single set of samples.", file=Said(path.name)
        )
    (length,) = lengths
    named = (
        ["ids"]
        if archive.get("ids") is not None and archive.shape("ids") == (length,)
        else _telling(archive, length)
    )
    ids = tuple(map(str, archive[named[0]].tolist())) if len(named) == 1 else None
    called = tuple(array_names(path.stem, models).values())
    return FoundVectors(path, called, length, ids, one_word(archive, "metric"))
