"""Strict reading of delimited text: rows must have equal lengths, and types follow simple rules."""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from proband.engine.files.files import content_of, opened
from proband.errors import InputError, Said, first_few, quoted
from proband.words import Note, Sentence, count

UNFINISHED = Sentence(
    "samples.file-unfinished",
    "caution",
    "{file} does not end with a line break; if it was cut off, its last value may be wrong",
)
TAKEN_AS_TEXT = Sentence(
    "samples.column-taken-as-text",
    "caution",
    "the column {column} is read as text: {n:count} of {total:count value} cannot be read as {kind}: {examples}",
)


SEPARATORS = {".csv": ",", ".tsv": "\t"}

DEFAULT_MISSING = ("NA", "NaN", "nan")
"""What stands for a missing value besides nothing, save in the columns of ids and subjects, where it may be a name."""

_MARK = "\ufeff".encode()
# In this order; a column has the first type that fits all its values, or else it is text.
_WHOLE = r"^[+-]?[0-9]+$"
_KINDS: dict[str, tuple[str, Any]] = {
    "whole numbers": (_WHOLE, pl.Int64),
    "numbers": (r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$", pl.Float64),
    "true or false": (r"^(true|True|TRUE|false|False|FALSE)$", pl.Boolean),
    "dates": (r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", pl.Date),
    "points in time": (
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?$",
        pl.Datetime("us"),
    ),
}
_WORTH_A_NOTE = 0.5  # of the values of a text column are of another type


def read_delimited(
    path: Path,
    separator: str,
    text_columns: Collection[str] = (),
    missing_values: Collection[str] | None = None,
    notes: list[Note] | None = None,
    label_columns: Collection[str] = (),
) -> pl.DataFrame:
    """Read a table and infer the types of its columns; `text_columns` are kept as text.

    Empty cells are missing, as are `missing_values` in every column; by default `DEFAULT_MISSING`, except in text columns
    and in text among `label_columns`, where they may be names. Decisions are added to `notes`.
    """
    texts = without_blank_rows(read_texts(path, separator))
    heard = [] if notes is None else notes
    heard += unfinished(path)
    plain = [name for name in texts.columns if name not in text_columns]
    kept = texts if missing_values is None else without_words(texts, missing_values)
    words = DEFAULT_MISSING if missing_values is None else ()
    found = kept
    if plain:  # an empty list would select rows
        found = kept.with_columns(_typed(without_words(kept[plain], words), heard).get_columns())
    labels = label_columns if missing_values is None else ()
    return found.with_columns(
        texts[name] for name, kind in found.schema.items() if kind == pl.String and name in labels
    )


def read_texts(path: Path, separator: str) -> pl.DataFrame:
    """Read every cell as text, empty ones as null; all rows must have the same number of cells as the first line."""
    data = content_of(path).removeprefix(_MARK)
    _refuse_bytes(path, data)
    names = _names(path, data, separator)
    _refuse_uneven(path, data, separator, len(names))
    if b'"' in data:
        # With misplaced quotation marks, polars may lose rows.
        rows = [fields for _, fields in _records(data, separator) if fields][1:]
        cells = zip(*rows, strict=True) if rows else ((),) * len(names)
        texts = pl.DataFrame(
            {name: pl.Series(one, dtype=pl.String) for name, one in zip(names, cells, strict=True)}
        )
    else:
        texts = pl.read_csv(
            data,
            separator=separator,
            quote_char=None,
            infer_schema=False,
            new_columns=names,
            raise_if_empty=False,
        )
    return without_words(texts, ("",))


def unfinished(path: Path) -> list[Note]:
    """Note that a file does not end with a line break, since a truncated number is still a number."""
    with opened(path) as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(max(0, size - 1))
        if file.read(1) in (b"", b"\n"):
            return []
    return [UNFINISHED(file=path.name)]


def without_words(texts: pl.DataFrame, words: Collection[str]) -> pl.DataFrame:
    """Text columns, with null for blank cells and for missing-value words."""
    if not texts.width or not words:
        return texts
    return texts.select(_only(pl.all(), ~pl.all().str.strip_chars().is_in(["", *words])))


def without_blank_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Drop rows without any value, which polars makes of blank lines."""
    if not any(frame.null_count().row(0)):
        return frame
    return frame.filter(~pl.all_horizontal(pl.all().is_null()))


UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""What text of 16 bits begins with."""


def _refuse_bytes(path: Path, data: bytes) -> None:
    """Refuse anything but plain UTF-8 text, stating the line."""
    fault, place = "", -1
    if data.startswith(UTF_16):
        fault, place = "is UTF-16 text", 0
    elif b"\0" in data:
        fault, place = "has a NUL byte", data.index(b"\0")
    elif b'"' not in data and b"\r" in data.replace(b"\r\n", b""):
        fault = "has a carriage return that does not end a line"
        place = next(k for k, byte in enumerate(data) if byte == 13 and data[k + 1 : k + 2] != b"\n")
    else:
        try:
            data.decode()
        except UnicodeDecodeError as error:
            fault, place = "is not UTF-8 text", error.start
    if fault:
        line = data.count(b"\n", 0, place) + 1
        raise InputError(
            f"{path.name}, line {line}: it {fault}.", "save the table as CSV in UTF-8.", file=Said(path.name)
        )


def _names(path: Path, data: bytes, separator: str) -> list[str]:
    if not data:
        raise InputError(f"{path.name} is empty.", file=Said(path.name))
    names = next(_records(data, separator))[1]
    if not any(names):
        raise InputError(
            f"{path.name} begins with a blank line.",
            "put the column names on the first line.",
            file=Said(path.name),
        )
    repeated = [name for name, count in Counter(name.strip() for name in names).items() if count > 1]
    if repeated:
        raise InputError(
            f"{path.name} has more than one column {first_few(repeated)}.",
            "give every column a different name; names that differ only in blanks are not allowed.",
            file=Said(path.name),
        )
    return names


def _refuse_uneven(path: Path, data: bytes, separator: str, width: int) -> None:
    """Refuse rows that are too short or too long."""
    uneven = first_uneven(data, separator, width)
    if uneven is not None:
        line, found = uneven
        raise InputError(
            f"{path.name}, line {line}: the row has {count(found)} {'value' if found == 1 else 'values'}, and there are "
            f"{count(width)} columns.",
            "check whether the file was truncated; write a missing value as an empty cell.",
            file=Said(path.name),
        )


def first_uneven(data: bytes, separator: str, width: int) -> tuple[int, int] | None:
    """The line and the number of values of the first row without `width` values; blank lines are skipped."""
    if b'"' in data:
        rows = ((line, len(fields)) for line, fields in _records(data, separator))
        return next((row for row in rows if row[1] not in (0, width)), None)
    marks = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(marks == ord("\n"))
    if not data.endswith(b"\n"):
        ends = np.append(ends, len(marks))
    counts = 1 + np.diff(np.searchsorted(np.flatnonzero(marks == ord(separator)), ends), prepend=0)
    starts = np.append(0, ends[:-1] + 1)
    is_blank = (ends == starts) | (
        (ends == starts + 1) & (marks[starts.clip(max=len(marks) - 1)] == ord("\r"))
    )
    wrong = np.flatnonzero((counts != width) & ~is_blank)
    return (int(wrong[0]) + 1, int(counts[wrong[0]])) if len(wrong) else None


def _records(data: bytes, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The first line of each record, and its fields."""
    rows = csv.reader(io.StringIO(data.decode(), newline=""), delimiter=separator, strict=True)
    line = 1
    for fields in rows:
        yield line, fields
        line = rows.line_num + 1


def _typed(texts: pl.DataFrame, notes: list[Note]) -> pl.DataFrame:
    """Columns converted to the type of all their values, or kept as text; a note is added if most, but not all, are of a type.

    All columns are tested at once, since there may be ten thousand.
    """
    found: dict[str, pl.Series] = {}
    noted: dict[str, Note] = {}
    n_values = _numbers(texts.count())
    left = texts.columns
    for kind, (pattern, dtype) in _KINDS.items():
        if not left:
            break
        plain = texts[left].select(pl.all().str.strip_chars())
        n_fitting = _numbers(plain.select(pl.all().str.contains(pattern).sum()))
        likely = [name for name, n in n_fitting.items() if n and n >= n_values[name] * _WORTH_A_NOTE]
        if not likely:
            continue
        converted = (
            plain[likely].select(_only(pl.all(), pl.all().str.contains(pattern))).select(_converted(dtype))
        )
        for name, n in _numbers(converted.count()).items():
            if n == n_values[name]:
                found[name] = converted[name]
            elif dtype != pl.Int64 or n_fitting[name] == n_values[name]:
                found[name] = texts[name]
                strange = texts[name].filter(converted[name].is_null() & texts[name].is_not_null())
                noted[name] = TAKEN_AS_TEXT(
                    column=quoted(name),
                    n=len(strange),
                    total=n_values[name],
                    kind=kind,
                    examples=first_few(strange.unique(maintain_order=True).to_list()),
                )
        left = [name for name in left if name not in found]
    notes += [noted[name] for name in texts.columns if name in noted]
    return texts.with_columns(found.values())


def _numbers(frame: pl.DataFrame) -> dict[str, int]:
    """The single row of a table of numbers."""
    return {name: n or 0 for name, n in frame.row(0, named=True).items()} if frame.width else {}


def _converted(dtype: Any) -> pl.Expr:
    """Convert all text columns to a type, null where impossible: an invalid date, a number too large to be exact."""
    texts = pl.all()
    if dtype == pl.Boolean:
        return texts.str.to_lowercase() == "true"
    if dtype == pl.Date:
        return texts.str.strptime(dtype, "%Y-%m-%d", strict=False)
    if dtype == pl.Datetime:
        is_short = texts.str.len_chars() == len("1996-01-31 12:00")
        whole = texts.str.replace("T", " ") + pl.when(is_short).then(pl.lit(":00")).otherwise(pl.lit(""))
        return whole.str.strptime(dtype, "%Y-%m-%d %H:%M:%S", strict=False)
    numbers = texts.cast(dtype, strict=False)
    if dtype != pl.Float64:
        return numbers
    rounded = texts.str.contains(_WHOLE) & (numbers.abs() >= 2**53)
    return _only(numbers, numbers.is_finite() & ~rounded)


def _only(values: pl.Expr, kept: pl.Expr) -> pl.Expr:
    """The values, with null for those not kept."""
    return pl.when(kept).then(values)
