"""Reading of tables from files and from frames of other libraries."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np
import polars as pl

from proband.engine.files.files import content_of, first_line, reading, require_there
from proband.engine.files.parquet import COLUMNAR, read_parquet
from proband.engine.foreign import array_from, plain_values
from proband.engine.frames import frame_of_rows
from proband.engine.labels import aligned
from proband.errors import Hint, InputError, Said, UsageError, quoted
from proband.samples.delimited import SEPARATORS, read_delimited, without_words
from proband.words import Note, count

ROW_NUMBER = "#"
"""As an id column: number the rows."""


def read_frame(
    path: Path,
    text_columns: Collection[str] = (),
    missing_values: Collection[str] | None = None,
    notes: list[Note] | None = None,
    label_columns: Collection[str] = (),
) -> pl.DataFrame:
    """Read a table by its file extension; `text_columns` are always kept as text.

    Texts among `missing_values` are missing. By default, text files follow `read_delimited`, which also defines
    `label_columns`. Decisions are added to `notes`.
    """
    frame = _read(path, text_columns, missing_values, notes, label_columns)
    if not missing_values:
        return frame
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    if not texts:
        return frame
    return frame.with_columns(without_words(frame[texts], missing_values).get_columns())


def _read(
    path: Path,
    text_columns: Collection[str],
    missing_values: Collection[str] | None,
    notes: list[Note] | None,
    label_columns: Collection[str],
) -> pl.DataFrame:
    ending = path.suffix.lower()
    with reading(path, ending[1:] or "a table"):
        require_there(path)
        try:
            if ending in SEPARATORS:
                return read_delimited(
                    path, SEPARATORS[ending], text_columns, missing_values, notes, label_columns
                )
            if ending in COLUMNAR:
                return read_parquet(path)
            if ending in (".jsonl", ".ndjson"):
                return _read_lines_of_json(path, text_columns)
            if ending == ".npz":
                return _read_npz(path, text_columns)
        except pl.exceptions.NoDataError:
            raise InputError(f"{path.name} is empty.", file=Said(path.name)) from None
    raise UsageError(
        f"{path.name} is not a readable table: its file extension is {ending or 'missing'}.",
        "use .csv, .tsv, .parquet, .arrow, .feather, .jsonl or .npz.",
        file=Said(path.name),
    )


def filled_frame(data: Any) -> pl.DataFrame:
    """Convert user data to a frame; refuse one without rows."""
    frame = frame_from(data)
    if not frame.height:
        raise InputError("The table has no rows.")
    return frame


def frame_from(data: Any) -> pl.DataFrame:
    """Convert user data to a polars frame: mappings of columns, lists of rows, and frames of any library.

    Pandas frames are read by their own methods, since rows may have labels. All others are read through Arrow's interface,
    ``__arrow_c_stream__``.
    """
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if (
        type(data).__module__.partition(".")[0] == "pandas"
        and hasattr(data, "items")
        and hasattr(data, "columns")
    ):
        if any(name is not None and name not in data.columns for name in data.index.names):
            data = data.reset_index()  # an index with a name is a column
        names = [str(name) for name in data.columns]
        twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if twice is not None:
            raise InputError(f"The table has two columns {twice!r}.", "give each column a different name.")
        return pl.DataFrame({str(name): series_from(str(name), column) for name, column in data.items()})
    if isinstance(data, Mapping | list):
        try:
            if isinstance(data, Mapping):
                _refuse_ragged(data)
                columns = aligned({str(name): column for name, column in data.items()})
                return pl.DataFrame({name: _column(name, one) for name, one in columns.items()})
            return frame_of_rows(data)
        except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"The columns do not make a table: {first_line(error)}.") from None
    if hasattr(data, "__arrow_c_stream__") and not _is_column(data):
        try:
            return pl.DataFrame(data)
        except Exception as error:  # any exception: it is from the other library
            raise InputError(
                f"The {type(data).__name__} does not make a table: {first_line(error)}."
            ) from None
    if isinstance(data, str | Path):
        raise UsageError(
            f"Expected a table, got {quoted(data)}.",
            f"read the file first: polars.read_csv({str(data)!r}), or Samples.read for samples.",
        )
    raise UsageError(
        f"Cannot make a table from {type(data).__name__!r}.",
        "pass a frame (polars, pandas, or any with Arrow's interface) or a dict of columns.",
    )


def _is_column(data: Any) -> bool:
    """Whether data are one column of a frame, in Arrow or elsewhere."""
    return hasattr(data, "dtype") or (hasattr(data, "type") and not hasattr(data, "columns"))


def _refuse_ragged(columns: Mapping[Any, Any]) -> None:
    """Refuse columns of different lengths; a single value applies to a whole column."""
    lengths = {
        name: len(one)
        for name, one in columns.items()
        if hasattr(one, "__len__") and not isinstance(one, str)
    }
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{quoted(name)} has {count(n)}" for name, n in list(lengths.items())[:8])
        raise InputError(
            f"The columns differ in length: {told}.", "give every sample a value in each column."
        )


def _column(name: str, data: Any) -> Any:
    """A column of a mapping; lists that mix integers and fractions are numeric."""
    if hasattr(data, "__array__") or hasattr(data, "__dlpack__"):
        return series_from(name, data)
    if isinstance(data, list | tuple):
        values = [None if one is np.ma.masked else one for one in data]
        mixed = {type(one) for one in values} - {NoneType} == {int, float}  # polars infers from the first
        return pl.Series(values=values, dtype=pl.Float64, strict=False) if mixed else values
    return data


def series_from(name: str, data: Any) -> pl.Series:
    """Convert user data to a column: a polars or pandas column, an array, a tensor or a list."""
    if isinstance(data, pl.Series):
        return data.alias(name)
    try:
        return _series(name, data)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{name} contains half a character (a lone surrogate), which is not valid text.",
            "save it as UTF-8.",
        ) from error


def _series(name: str, data: Any) -> pl.Series:
    if type(data).__module__.partition(".")[0] == "pandas":
        # Through Python objects: pyarrow is not needed, and all missing values become null.
        return pl.Series(name, plain_values(data, name), strict=False)
    array = array_from(data, name)
    if array.ndim != 1:
        raise InputError(
            f"{name} must be one column, got {' × '.join(map(str, array.shape)) or 'one value'}."
        )
    if array.dtype.kind == "O":
        return pl.Series(name, array.tolist(), strict=False)
    return pl.Series(name, np.ascontiguousarray(array))


def _read_lines_of_json(path: Path, text_columns: Collection[str]) -> pl.DataFrame:
    """Read all lines before inferring columns and types; numbers in text columns keep their digits."""
    content = content_of(path)
    names = pl.read_ndjson(content, infer_schema_length=None).columns
    texts = {name: pl.String for name in text_columns if name in names}
    return pl.read_ndjson(content, infer_schema_length=None, schema_overrides=texts)


def _read_npz(path: Path, text_columns: Collection[str]) -> pl.DataFrame:
    """Read the 1-D arrays with the length of the subject column as columns."""
    from proband.samples.npz import Archive

    archive = Archive(path)
    columns = [name for name in archive if len(archive.shape(name)) == 1]
    lengths = {archive.shape(name)[0] for name in text_columns if name in columns}
    if len(lengths) != 1:
        raise InputError(
            f"{path.name} has no 1-D arrays {' and '.join(map(repr, text_columns))} of the same length; its "
            f"1-D arrays are: {', '.join(columns) or 'none'}.",
            Hint(
                "specify them: {option:id_column}, {option:subject_column}; {option:id_column=#} numbers the rows."
            ),
            file=Said(path.name),
        )
    length = lengths.pop()
    return pl.DataFrame({name: archive[name] for name in columns if archive.shape(name) == (length,)})
