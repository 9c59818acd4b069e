"""Tables from files and from the frames of other libraries."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from proband.engine.files import first_line, reading
from proband.engine.frames import frame_of_rows
from proband.errors import InputError, UsageError

ROW_NUMBER = "#"
"""As an id column: number the rows."""

_DATES: dict[str, Any] = {
    r"^\d{4}-\d{2}-\d{2}$": pl.Date,
    r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?$": pl.Datetime("us"),
}
_SEPARATORS = {".csv": ",", ".tsv": "\t"}


def read_frame(path: Path, text_columns: Collection[str] = ()) -> pl.DataFrame:
    """Read a table by its ending; `text_columns` are kept as text whatever they look like."""
    ending = path.suffix.lower()
    with reading(path, ending[1:] or "a table"):
        if not path.exists():
            raise InputError(f"There is no file {path}.")
        try:
            if ending in _SEPARATORS:
                return _read_delimited(path, _SEPARATORS[ending], text_columns)
            if ending in (".parquet", ".pq"):
                return pl.read_parquet(path, glob=False)
            if ending in (".jsonl", ".ndjson"):
                with path.open("rb") as file:  # a name would be taken for a pattern
                    return pl.read_ndjson(file)
            if ending == ".npz":
                return _read_npz(path, text_columns)
        except pl.exceptions.NoDataError:
            raise InputError(f"{path.name} is empty.") from None
    raise UsageError(
        f"{path.name} is not a table that can be read: its ending is {ending or 'missing'}.",
        "use .csv, .tsv, .parquet, .jsonl or .npz.",
    )


def frame_from(data: Any) -> pl.DataFrame:
    """Turn what the user has into a polars frame: polars or pandas frames, mappings of columns, lists of rows."""
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if type(data).__module__.partition(".")[0] == "pandas":
        # Column by column through Python objects: no pyarrow needed, and every kind of missing value becomes null.
        return pl.DataFrame(
            {
                str(name): pl.Series(
                    values=column.astype(object).where(column.notna(), None).tolist(), strict=False
                )
                for name, column in data.items()
            }
        )
    if isinstance(data, Mapping | list):
        try:
            return pl.DataFrame(data) if isinstance(data, Mapping) else frame_of_rows(data)
        except (pl.exceptions.PolarsError, TypeError, ValueError) as error:
            raise InputError(f"The columns do not make a table: {first_line(error)}.") from None
    raise UsageError(
        f"A table of samples cannot be made from {type(data).__name__!r}.",
        "pass a polars or pandas frame, or a dict of columns; read files with Samples.read.",
    )


def _read_delimited(path: Path, separator: str, text_columns: Collection[str]) -> pl.DataFrame:
    with path.open("rb") as file:
        header = file.readline(1 << 20)
    names = pl.read_csv(header, separator=separator, n_rows=0).columns
    frame = pl.read_csv(
        path,
        separator=separator,
        schema_overrides={name: pl.String for name in names if name in text_columns},
        infer_schema_length=None,
        null_values=["", "NA", "NaN", "nan"],
        glob=False,
    )
    return _with_dates(without_blank_rows(frame), text_columns)


def _with_dates(frame: pl.DataFrame, text_columns: Collection[str]) -> pl.DataFrame:
    """Take columns of ISO dates for dates; of any other way to write them nobody knows which number is the month."""
    for name, dtype in frame.schema.items():
        if dtype != pl.String or name in text_columns or frame[name].null_count() == frame.height:
            continue
        for pattern, kind in _DATES.items():
            if frame[name].str.contains(pattern).all():
                parsed = frame[name].str.strptime(kind, strict=False)
                # A day that does not exist leaves the column as it is.
                frame = (
                    frame.with_columns(parsed) if parsed.null_count() == frame[name].null_count() else frame
                )
                break
    return frame


def without_blank_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Leave out rows without any value, which is what polars makes of blank lines."""
    if not any(frame.null_count().row(0)):
        return frame
    return frame.filter(~pl.all_horizontal(pl.all().is_null()))


def _read_npz(path: Path, text_columns: Collection[str]) -> pl.DataFrame:
    """Take the 1-D arrays of the subject column's length as columns."""
    from proband.samples.npz import Archive

    archive = Archive(path)
    columns = [name for name in archive if len(archive.shape(name)) == 1]
    lengths = {archive.shape(name)[0] for name in text_columns if name in columns}
    if len(lengths) != 1:
        raise InputError(
            f"{path.name} has no 1-D arrays {' and '.join(map(repr, text_columns))} of one length; "
            f"its 1-D arrays are: {', '.join(columns) or 'none'}.",
            "name them with id_column=… and subject_column=…; id_column='#' numbers the rows.",
        )
    length = lengths.pop()
    return pl.DataFrame({name: archive[name] for name in columns if archive.shape(name) == (length,)})
