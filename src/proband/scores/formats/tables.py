"""CSV, Parquet and Arrow: a matrix (first column and header are ids) or long (columns query, target, score)."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from proband.engine import written_whole
from proband.engine.files.files import opened, refused
from proband.engine.files.parquet import COLUMNAR, parquet_columns, read_parquet
from proband.errors import InputError, Said, UsageError, first_few, quoted
from proband.kernels.codes import DONT_CARE, FAILED, OK
from proband.samples import Ids, Samples
from proband.samples.delimited import SEPARATORS, UTF_16, unfinished, without_words
from proband.samples.table import as_text, other_separator
from proband.scores.base import Scores
from proband.scores.formats.chunks import read_in_chunks
from proband.scores.formats.contents import Format, ReadOptions, ScoreFile, axis_ids, subjects_of
from proband.scores.pair_columns import (
    PairColumns,
    guessed,
    is_of_fractions,
    is_of_truths,
    needed_options,
    suggested,
)
from proband.scores.scored_pairs import trials_of
from proband.scores.trials import SCHEMA, Trials, as_scores
from proband.words import count, counted

_LONG = ("query", "target", "score")
# The columns of bob's CSV files, with their names here. A probe key is needed for ranks.
_BOB = {
    "probe_key": "query",
    "probe_subject_id": "query_subject",
    "bio_ref_template_id": "target",
    "bio_ref_subject_id": "target_subject",
    "score": "score",
}
_BOB_NEEDS = ("probe_subject_id", "bio_ref_subject_id", "score")
_LONGEST_HEADER = 1 << 24
# Tables of pairs are long and narrow; their content is used to suggest roles of columns.
_MOST_OF_PAIRS, _LEAST_PAIRS = 12, 20
_MOST_NAMED = 100
_ROWS_LOOKED_AT = 20_000
_ENDINGS = {"csv": (".csv", ".tsv")} | {
    kind.lower(): tuple(ending for ending, one in COLUMNAR.items() if one == kind)
    for kind in dict.fromkeys(COLUMNAR.values())
}


def _separator(path: Path) -> str:
    return SEPARATORS.get(path.suffix.lower(), ",")


def _header(path: Path, kind: str) -> list[str]:
    """The names of the columns."""
    if kind == "csv":
        return _first_line(path)
    return parquet_columns(path)


def _first_line(path: Path) -> list[str]:
    with opened(path) as file:
        line = file.readline(_LONGEST_HEADER)
    if not line:
        raise InputError(f"{path.name} is empty.", file=Said(path.name))
    if line.startswith(UTF_16):
        raise InputError(
            f"{path.name} is UTF-16 text.", "save the table as CSV in UTF-8.", file=Said(path.name)
        )
    if not line.strip():
        raise InputError(
            f"{path.name} begins with a blank line.",
            "put the column names on the first line.",
            file=Said(path.name),
        )
    if len(line) == _LONGEST_HEADER:
        raise InputError(
            f"{path.name} has a first line of more than {count(_LONGEST_HEADER)} bytes.", file=Said(path.name)
        )
    with refused("the first line does not contain column names", file=path.name):
        text = line.decode("utf-8-sig").rstrip("\r\n")
        # Strict: a quoted name that continues on the next line is not supported.
        names = next(csv.reader([text], delimiter=_separator(path), strict=True))
    hint = other_separator(names)
    if hint is not None:
        raise InputError(f"{path.name} has only one column, {quoted(names[0])}.", hint, file=Said(path.name))
    return names


def _meanings(header: Collection[str]) -> dict[str, str] | None:
    """The standard names of the columns of a list; None if it is not a list."""
    if set(header).issuperset(_LONG):
        return {name: name for name in SCHEMA}
    return _BOB if set(header).issuperset(_BOB_NEEDS) else None


def _read_text(path: Path, types: dict[str, pl.DataType], options: ReadOptions, layout: str) -> pl.DataFrame:
    separator = _separator(path)
    return read_in_chunks(
        path,
        types,
        options.progress,
        separator=separator,
        skip_header=True,
        layout=layout,
        missing_values=options.missing_values,
    )


# A matrix


def _read_matrix(path: Path, options: ReadOptions, kind: str) -> ScoreFile:
    header = _header(path, kind)
    if not options.stated and _holds_pairs(path, kind, header):
        raise _not_a_matrix(
            path,
            kind,
            header,
            "a column contains only 0 and 1, and others contain fractions; specify the format if it is a matrix",
            options,
        )
    try:
        return _matrix(path, options, kind, header)
    except InputError as error:
        obvious = guessed(header)
        if (obvious.score and (obvious.mated or obvious.a)) or _may_hold_pairs(path, kind, header):
            raise _not_a_matrix(path, kind, header, error.message.rstrip("."), options) from None
        raise


def _not_a_matrix(path: Path, kind: str, header: Sequence[str], why: str, options: ReadOptions) -> UsageError:
    """The error for a table of pairs with undeclared columns, with the options needed and the call to copy."""
    rows = _first_rows(path, kind, header)
    return UsageError(
        f"{path.name} is not a matrix of scores ({why}). If it is a table of pairs, specify its columns: {first_few(header, 12)}.",
        needed_options(
            guessed(header) if rows is None else suggested(rows),
            rows,
            named=False,
            mated_is=options.mated_is,
            oriented=options.oriented,
            call=True,
        ),
        file=Said(path.name),
    )


def _holds_pairs(path: Path, kind: str, header: Sequence[str]) -> bool:
    """Whether a table that could be a matrix contains pairs: long, narrow, and with a column of two values."""
    rows = _first_rows(path, kind, header) if len(header) <= _MOST_OF_PAIRS else None
    if (
        rows is None
        or rows.height < _LEAST_PAIRS
        or not set(header[1:]).isdisjoint(rows.to_series(0).cast(str))
    ):
        return False
    columns = rows.get_columns()
    return any(map(is_of_truths, columns)) and any(map(is_of_fractions, columns))


def _may_hold_pairs(path: Path, kind: str, header: Sequence[str]) -> bool:
    """Whether a table that is not a matrix has columns of pairs: scores, and names or a column of two values."""
    rows = _first_rows(path, kind, header) if len(header) <= _MOST_NAMED else None
    if rows is None:
        return False
    found = suggested(rows)
    named = any(one.dtype == pl.String and not _has_numbers(one) for one in rows.get_columns()[1:])
    return bool(found.score) and (named or found.mated == header[0])


def _has_numbers(texts: pl.Series) -> bool:
    return texts.cast(pl.Float64, strict=False).is_not_null().any()


def _first_rows(path: Path, kind: str, header: Sequence[str]) -> pl.DataFrame | None:
    """The first rows of a table, with inferred column types; None if unreadable."""
    if len(set(header)) < len(header) or "" in header[1:]:
        return None
    try:
        if kind != "csv":
            return read_parquet(path).head(_ROWS_LOOKED_AT)
        return pl.read_csv(
            path,
            separator=_separator(path),
            has_header=False,
            skip_rows=1,
            new_columns=list(header),
            n_rows=_ROWS_LOOKED_AT,
            infer_schema_length=_ROWS_LOOKED_AT,
        )
    except (pl.exceptions.PolarsError, InputError):
        return None


def _matrix(path: Path, options: ReadOptions, kind: str, header: list[str]) -> ScoreFile:
    targets = _targets(path, header, options)
    if kind != "csv":
        frame = read_parquet(path)
    else:
        types: dict[str, pl.DataType] = {"": pl.String()} | dict.fromkeys(targets, pl.Float64())
        frame = _read_text(path, types, options, "matrix")
    if not len(targets) or not frame.height:
        raise InputError(
            "a matrix must have a column of query ids and at least one target and one row.", file=path.name
        )
    queries, values = frame.to_series(0), frame[:, 1:]
    if queries.null_count():
        row = int(queries.is_null().arg_max() or 0)
        raise InputError(
            f"row {row + 1} has no query id.", "put an id for every row in the first column.", file=path.name
        )
    _refuse_gaps(path, values, targets)
    with refused("the scores must be numbers", file=path.name):
        matrix = pl.DataFrame([as_scores(one, path.name) for one in values.iter_columns()]).to_numpy()
    notes = unfinished(path) if kind == "csv" else ()
    return ScoreFile(
        f"{kind}-matrix",
        {path.stem: matrix},
        axis_ids(as_text(queries, path.name), "query", options),
        targets,
        notes=tuple(notes),
    )


def _targets(path: Path, header: Sequence[str], options: ReadOptions) -> Ids:
    nameless = [place for place, name in enumerate(header) if place and not name]
    if nameless:
        raise InputError(
            f"column {nameless[0] + 1} has no target id.",
            "put an id for every column on the first line.",
            file=path.name,
        )
    return axis_ids(header[1:], "target", options)


def _refuse_gaps(path: Path, values: pl.DataFrame, targets: Ids) -> None:
    gaps = np.array(values.null_count().row(0))
    if gaps.any():
        column = int(np.argmax(gaps > 0))
        row = int(values.to_series(column).is_null().arg_max() or 0)
        raise InputError(
            f"{counted(gaps.sum(), 'score is', 'scores are')} missing; the first is for target {targets[column]!r} in row "
            f"{row + 1}.",
            "give every row one score per target.",
            file=path.name,
        )


def _write_matrix(path: Path, scores: Scores, samples: Samples | None, kind: str) -> None:
    rows, columns = (np.arange(n) for n in scores.shape)
    if scores.cells(rows, columns) is not None:
        raise InputError(
            "a matrix table cannot store don't-care and failed cells.",
            "write .npz, or the long form.",
            file=path.name,
        )
    broken = [name for name in scores.targets if "\n" in name]
    if broken and kind == "csv":
        raise InputError(
            f"the target id {broken[0]!r} contains a line break, which the first line cannot store.",
            "write csv-long, or .npz.",
            file=path.name,
        )
    names = [_name_for_queries(path, scores.targets), *scores.targets]
    frame = pl.DataFrame({names[0]: scores.queries[:]}).hstack(
        pl.DataFrame(scores.tile(rows, columns), schema=names[1:])
    )
    _write(path, frame, kind)


def _name_for_queries(path: Path, targets: Ids) -> str:
    """A name for the column of query ids that differs from all targets, and does not make the table look like a list."""
    if _meanings(targets) is not None:
        raise InputError(
            "the target ids are the same as the column names of a list of pairs, so the file would be read as a list.",
            "write the long form, or .npz.",
            file=path.name,
        )
    candidates = itertools.chain(("query", "id"), (f"query id {number}" for number in itertools.count()))
    return next(name for name in candidates if name not in targets and _meanings([name, *targets]) is None)


# A list


def _read_long(path: Path, options: ReadOptions, kind: str) -> ScoreFile:
    header = _header(path, kind)
    if options.columns is not None:
        return _read_declared(path, options, kind, header, options.columns)
    known = _meanings(header)
    if known is None:
        raise InputError(
            f"{path.name} is not a list of scores: its columns are {first_few(header, 6)}.",
            f"it must have {', '.join(_LONG)}; use {kind}-matrix for a matrix.",
            file=Said(path.name),
        )
    kept = [name for name in header if name in known]
    repeated = [name for name in known if kept.count(name) > 1]
    if repeated:
        raise InputError(
            f"{path.name} has more than one column {repeated[0]!r}.",
            "leave the others out.",
            file=Said(path.name),
        )
    if kind != "csv":
        frame = read_parquet(path, kept)
    else:
        types = {
            (name if name in known else f"column {place}"): SCHEMA[known[name]]()
            if name in known
            else pl.Null()
            for place, name in enumerate(header)
        }
        frame = _read_text(path, types, options, "list")
    frame = frame.rename({name: known[name] for name in kept})
    if known is _BOB and "target" not in frame.columns:
        frame = frame.with_columns(target=pl.col("target_subject"))
    notes = tuple(unfinished(path)) if kind == "csv" else ()
    return ScoreFile.from_trials(f"{kind}-long", path.name, Trials(frame, name=path.stem, notes=notes))


def _read_declared(
    path: Path, options: ReadOptions, kind: str, header: list[str], columns: PairColumns
) -> ScoreFile:
    """Read a list with arbitrary column names, whose roles are declared by the user."""
    if options.key is not None:
        if options.key not in columns.score:
            raise InputError(
                f"{path.name} has no score column {options.key!r}; the score columns are {', '.join(columns.score)}.",
                file=Said(path.name),
            )
        columns = replace(columns, score=(options.key,))
    columns.require_sense(header, path.name, options.mated_is)
    if kind == "csv":
        # Columns other than names may be missing in a row; a missing score is a failed comparison.
        types: dict[str, pl.DataType] = {
            (name if name in columns.names else f"column {place}"): (
                pl.Float64() if name in columns.score else pl.String() if name in columns.names else pl.Null()
            )
            for place, name in enumerate(header)
        }
        frame = _read_text(path, types, options, "pairs")
        notes = tuple(unfinished(path))
    else:
        frame, notes = read_parquet(path, columns.names), ()
        texts = frame.select(pl.col(pl.String))
        frame = frame.with_columns(without_words(texts, options.missing_values).get_columns())
    trials = trials_of(
        frame, columns, options.mated_is, source=path.stem, notes=notes, oriented=options.oriented
    )
    if options.key is not None:
        trials = tuple(replace(one, name=options.key) for one in trials)
    return ScoreFile.from_trials(f"{kind}-long", path.name, *trials)


def _write_long(path: Path, scores: Scores, samples: Samples | None, kind: str) -> None:
    rows, columns = (np.arange(n) for n in scores.shape)
    places = {"query": np.repeat(rows, len(columns)), "target": np.tile(columns, len(rows))}
    axes = {"query": scores.queries, "target": scores.targets}
    frame = pl.DataFrame(
        {side: pl.Series(axis[:]).gather(places[side]) for side, axis in axes.items()}
        | {"score": scores.tile(rows, columns).ravel()}
    )
    if samples is not None:
        frame = frame.with_columns(
            pl.Series(f"{side}_subject", subjects_of(axis, samples)).gather(places[side])
            for side, axis in axes.items()
        )
    cells = scores.cells(rows, columns)
    if cells is not None:
        frame = frame.with_columns(pl.when(pl.Series(cells.ravel() == OK)).then("score").alias("score"))
        # A pair that was not compared has no row; a failed comparison is marked.
        frame = frame.with_columns(failed=pl.Series(cells.ravel() == FAILED))
        frame = frame.filter(pl.Series(cells.ravel() != DONT_CARE))
    _write(path, frame, kind)


def _write(path: Path, frame: pl.DataFrame, kind: str) -> None:
    with written_whole(path) as draft:
        if kind == "parquet":
            frame.write_parquet(draft)
        elif kind == "arrow":
            frame.write_ipc(draft)
        else:
            frame.write_csv(draft, separator=_separator(path))


# The formats


def _is_table(path: Path, head: bytes, kind: str) -> bool:
    return bool(head) and path.suffix.lower() in _ENDINGS[kind]


def _is_list(path: Path, head: bytes, kind: str) -> bool:
    return _is_table(path, head, kind) and _meanings(_header(path, kind)) is not None


def _formats(kind: str) -> tuple[Format, Format]:
    title, endings = kind.capitalize(), _ENDINGS[kind]
    return (
        Format(
            f"{kind}-long",
            f"{title} list of query, target, score",
            endings,
            partial(_is_list, kind=kind),
            partial(_read_long, kind=kind),
            partial(_write_long, kind=kind),
            is_list=True,
            takes_columns=True,
            told_by="header",
        ),
        Format(
            f"{kind}-matrix",
            f"{title} matrix, first column and header are ids",
            endings,
            partial(_is_table, kind=kind),
            partial(_read_matrix, kind=kind),
            partial(_write_matrix, kind=kind),
            told_by="header",
        ),
    )


FORMATS = tuple(made for kind in _ENDINGS for made in _formats(kind))
