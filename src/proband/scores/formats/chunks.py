"""Reading of delimited text in chunks: files larger than memory, with progress and line numbers in errors."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import polars as pl

from proband.engine import Progress
from proband.engine.files.files import first_line, opened
from proband.errors import Hint, InputError, Said, quoted
from proband.samples.delimited import first_uneven, without_blank_rows
from proband.scores.names import coded, together
from proband.scores.trials import truths
from proband.words import as_typed, count

_CHUNK = 1 << 26
_LONGEST_LINE = 1 << 24
_MOST_DIGITS = 300  # of a float; larger values are infinite, and refused as such
_EXACT = 2**53
ROUNDED = "the whole number {} has more digits than a score can store, so different scores would be tied."
_MARK = "\ufeff".encode()


def read_in_chunks(
    path: Path,
    schema: dict[str, pl.DataType],
    progress: Progress,
    *,
    separator: str | None,
    skip_header: bool = False,
    layout: str = "list",
    missing_values: Sequence[str] = (),
) -> pl.DataFrame:
    """Read rows of the given columns; ``separator=None`` means runs of blanks or tabs, and no quotation marks.

    In a list, every column in `schema` must have a value in every row, except the score of a comparison that
    ``failed``; columns of type null are skipped, and names are coded (`proband.scores.names`). In a matrix, and in a table of
    ``pairs``, missing values and `missing_values` are null. Blank lines are skipped.
    """
    progress.begin(f"reading {path.name}", path.stat().st_size)
    wanted = [name for name, dtype in schema.items() if dtype != pl.Null]
    parts: list[pl.DataFrame] = []
    line = 2 if skip_header else 1
    for chunk in _chunks(path, skip_header, has_quotes=separator is not None):
        bare = _without_quoted(chunk, separator)
        reason = "there is a NUL byte" if b"\0" in chunk else _misplaced(bare, separator)
        try:
            if reason is None:
                # By brackets: select would interpret a name such as * as a pattern.
                part = _parse(chunk, schema, separator, missing_values, at_start=line == 1)[wanted]
                gaps = layout == "list" and _has_gaps(part)
                if gaps or (layout != "matrix" and _is_uneven(bare, schema, separator)):
                    reason = "a value is missing"
        except pl.exceptions.PolarsError as error:
            reason = first_line(error)
        if reason is not None:
            raise _complaint(path, chunk, schema, separator, line, layout, reason, missing_values)
        if may_be_rounded(part):
            _refuse_rounded(path, chunk, schema, separator, line)
        parts.append(_with_coded_names(part) if layout == "list" else part)
        line += chunk.count(b"\n")
        progress.advance(len(chunk))
    if not parts:
        return pl.DataFrame(schema={name: schema[name] for name in wanted})
    return _joined(parts)


def _with_coded_names(part: pl.DataFrame) -> pl.DataFrame:
    """Store names as codes, since a list repeats them in every row."""
    return part.with_columns(coded(one) for one in part.iter_columns() if one.dtype == pl.String)


def _joined(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    columns = {name: [part[name] for part in parts] for name in parts[0].columns}
    # Not an iterator, of which polars takes at most a thousand items as columns.
    return pl.DataFrame(
        {
            name: pl.concat(
                together(*column) if isinstance(column[0].dtype, pl.Enum) else column, rechunk=True
            )
            for name, column in columns.items()
        }
    )


def _parse(
    chunk: bytes,
    schema: dict[str, pl.DataType],
    separator: str | None,
    missing_values: Sequence[str],
    at_start: bool,
) -> pl.DataFrame:
    types = {name: pl.String() if dtype == pl.Null else dtype for name, dtype in schema.items()}
    if chunk.startswith(_MARK) and not at_start:
        chunk = _MARK + chunk  # polars strips one, which here belongs to an id
    if separator is None:
        return _parse_blanks(chunk, types)
    # polars counts columns in the first line, which must not be blank.
    return without_blank_rows(_read_csv(chunk.lstrip(b"\r\n"), types, separator, '"', missing_values))


def _parse_blanks(chunk: bytes, types: dict[str, pl.DataType]) -> pl.DataFrame:
    """Read columns separated by blanks, which are reduced to single ones if necessary."""
    if b"\t" not in chunk and b"\r" not in chunk:
        with suppress(pl.exceptions.PolarsError):
            frame = _read_csv(chunk, types, " ", None)
            if not any(frame.null_count().row(0)):
                return frame
    return without_blank_rows(_read_csv(_single_blanks(chunk), types, " ", None))


def _read_csv(
    chunk: bytes,
    types: dict[str, pl.DataType],
    separator: str,
    quote_char: str | None,
    missing_values: Sequence[str] = (),
) -> pl.DataFrame:
    if not chunk or chunk.isspace():
        return pl.DataFrame(schema=types)
    read = partial(
        pl.read_csv,
        chunk,
        separator=separator,
        has_header=False,
        quote_char=quote_char,
        null_values=list(missing_values),
    )
    told = [name for name, dtype in types.items() if dtype == pl.Boolean]
    try:
        return read(schema=types)
    except pl.exceptions.PolarsError as error:
        if not told:
            raise
        frame = read(schema=types | dict.fromkeys(told, pl.String()))
        made = frame.with_columns(truths(frame[name]) for name in told)
        if made[told].null_count().row(0) != frame[told].null_count().row(0):
            raise error from None
        return made


def _single_blanks(chunk: bytes) -> bytes:
    """Reduce separators to single blanks, with none around lines; plain replacement is far faster than a pattern."""
    chunk = chunk.replace(b"\t", b" ").replace(b"\r", b"")
    while b"  " in chunk:
        chunk = chunk.replace(b"  ", b" ")
    return chunk.replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" ").lstrip(b"\n")


def _has_gaps(part: pl.DataFrame) -> bool:
    if not any(part.null_count().row(0)):
        return False
    gaps = pl.any_horizontal(pl.all().is_null())
    if "failed" in part.columns:
        lacks_score = pl.col("score").is_null() & ~pl.col("failed")
        gaps = pl.any_horizontal(pl.exclude("score").is_null()) | lacks_score
    return bool(part.select(gaps.any()).item())


def _without_quoted(chunk: bytes, separator: str | None) -> bytes:
    """The chunk with quoted values removed."""
    if separator is None or b'"' not in chunk:
        return chunk
    part = re.escape(separator)
    return re.sub(rf'(?<![^{part}\n])"(?:[^"]|"")*"(?![^{part}\r\n])'.encode(), b"", chunk)


def _misplaced(bare: bytes, separator: str | None) -> str | None:
    """Return the reason if polars would misread a chunk: it drops carriage returns, and rows with misplaced quotation marks."""
    if b"\r" in bare and b"\r" in bare.replace(b"\r\n", b""):
        return "there is a carriage return that does not end a line"
    if separator is not None and b'"' in bare:
        return "there is a misplaced quotation mark"
    return None


def _is_uneven(bare: bytes, schema: dict[str, pl.DataType], separator: str | None) -> bool:
    """Whether a row lacks skipped columns; missing values show this for the others."""
    if separator is None or pl.Null not in schema.values():
        return False
    return first_uneven(bare, separator, len(schema)) is not None


def may_be_rounded(part: pl.DataFrame) -> bool:
    """Whether there are numbers beyond the range of exact integers in floats."""
    large = part.select((pl.col(pl.Float64).abs() >= _EXACT).any())
    return large.width > 0 and any(large.row(0))


# The error and its location, searched for only if there is one


def _refuse_rounded(
    path: Path, chunk: bytes, schema: dict[str, pl.DataType], separator: str | None, line: int
) -> None:
    """Refuse integers that floats cannot represent, since rounding may create ties."""
    for number, fields in _records(chunk, separator):
        for text, dtype in zip(fields, schema.values(), strict=False):
            if dtype == pl.Float64 and is_rounded(text):
                raise InputError(
                    f"{path.name}, line {line + number}: {ROUNDED.format(quoted(text))}", file=Said(path.name)
                )


def is_rounded(text: str) -> bool:
    """Whether a text is an integer that float64 cannot represent."""
    digits = text.strip().lstrip("+-")
    return (
        digits.isascii()
        and digits.isdigit()
        and len(digits) < _MOST_DIGITS
        and int(float(digits)) != int(digits)
    )


def _complaint(
    path: Path,
    chunk: bytes,
    schema: dict[str, pl.DataType],
    separator: str | None,
    line: int,
    layout: str,
    reason: str,
    missing_values: Sequence[str],
) -> InputError:
    """Find the line that makes a chunk unreadable."""
    for number, fields in _records(chunk, separator):
        present = ["" if field in missing_values else field for field in fields]
        if any(present) and (fault := _fault(present, schema, whole=layout != "pairs")):
            text = (separator or " ").join(fields)
            kind = "table of pairs" if layout == "pairs" else layout
            return InputError(
                f"{path.name}, line {line + number}: {quoted(text)} is not a row of a {kind}: it {fault}.",
                _cure_of_word(present, schema, missing_values) if layout == "pairs" else None,
                file=Said(path.name),
            )
    marks = separator is not None and b'"' in chunk
    return InputError(
        f"{path.name} cannot be read from line {line} onwards: {reason}.",
        "double each quotation mark within a quoted value, and use none elsewhere." if marks else None,
        file=Said(path.name),
    )


def _cure_of_word(
    fields: list[str], schema: dict[str, pl.DataType], missing_values: Sequence[str]
) -> Hint | None:
    """What to do about the first word in the place of a score, as far as one can be named."""
    kinds = zip(fields, schema.values(), strict=False)
    word = next((one for one, kind in kinds if one and kind == pl.Float64 and not _is_of(one, kind)), None)
    if word is None or "," in word or not word.isprintable():
        return None
    return Hint(
        "if {value!r} means that the comparison failed, {give:missing_values}.",
        value=word,
        typed=as_typed(",".join((*missing_values, word))),
        written=", ".join(json.dumps(one, ensure_ascii=False) for one in (*missing_values, word)),
    )


def _records(chunk: bytes, separator: str | None) -> Iterator[tuple[int, list[str]]]:
    """The fields of each record, and the number of lines before it."""
    # Bytes that are not UTF-8 become lone surrogates, by which they are detected later.
    text = io.TextIOWrapper(io.BytesIO(chunk), "utf-8", "surrogateescape", newline="\n")
    if separator is None:
        yield from ((number, line.split()) for number, line in enumerate(text))
        return
    rows = csv.reader(text, delimiter=separator)
    while True:
        before = rows.line_num
        try:
            yield before, next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield before, [str(error)]


def _fault(fields: list[str], schema: dict[str, pl.DataType], whole: bool) -> str | None:
    """The error in a record, worded to follow its text; values may be missing unless `whole`."""
    try:
        "".join(fields).encode()
    except UnicodeEncodeError:
        return "is not UTF-8 text"
    if any("\0" in field for field in fields):
        return "has a NUL byte"
    if len(fields) != len(schema):
        return f"has {len(fields)} columns, but {len(schema)} are expected"
    values = dict(zip(schema, fields, strict=True))
    for name, dtype in schema.items():
        if dtype == pl.Null:
            continue
        if (
            whole
            and not values[name]
            and not (name == "score" and values.get("failed", "").lower() in ("true", "1"))
        ):
            return f"has no value for {name!r}" if name else "has no id"
        if values[name] and not _is_of(values[name], dtype):
            return f"has {quoted(values[name], 40)} for {quoted(name, 40)}, which is not {_words(dtype)}"
    return None


def _is_of(text: str, dtype: pl.DataType) -> bool:
    if dtype == pl.String:
        return True
    if dtype == pl.Boolean:
        return text.lower() in ("true", "false", "1", "0")
    try:
        _ = int(text) if dtype.is_integer() else float(text)
    except ValueError:
        return False
    return "_" not in text


def _words(dtype: pl.DataType) -> str:
    if dtype == pl.Boolean:
        return "true or false, 1 or 0"
    return "a whole number" if dtype.is_integer() else "a number"


def _chunks(path: Path, skip_header: bool, has_quotes: bool) -> Iterator[bytes]:
    """Chunks of complete lines; a quoted line break does not end a line."""
    with opened(path) as file:
        if skip_header:
            file.readline()
        while block := file.read(_CHUNK):
            parts, n_more = [block], 0 if b"\n" in block else len(block)
            is_open = has_quotes and block.count(b'"') % 2 == 1
            while is_open or not parts[-1].endswith(b"\n"):
                line = file.readline(_LONGEST_LINE)
                n_more += len(line)
                if n_more >= _LONGEST_LINE:
                    raise InputError(
                        f"{path.name} has a line of more than {count(_LONGEST_LINE)} bytes; this is not a score list.",
                        "check for a quotation mark that is never closed." if has_quotes else None,
                        file=Said(path.name),
                    )
                if not line:
                    break
                is_open ^= has_quotes and line.count(b'"') % 2 == 1
                parts.append(line)
            yield b"".join(parts)
