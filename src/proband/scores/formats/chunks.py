"""Delimited text in chunks: files larger than memory allows at once, with progress and with line numbers in errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from proband.engine import Progress
from proband.errors import InputError
from proband.scores.formats.contents import first_line

_CHUNK = 1 << 26
_LONGEST_LINE = 1 << 24


def read_in_chunks(
    path: Path,
    schema: dict[str, pl.DataType],
    progress: Progress,
    *,
    separator: str | None,
    skip_header: bool = False,
) -> pl.DataFrame:
    """Read rows of the given columns; ``separator=None`` means runs of blanks or tabs.

    Every column named in `schema` must be there in every row; columns of type null are passed over.
    """
    progress.begin(f"reading {path.name}", path.stat().st_size)
    wanted = [name for name, dtype in schema.items() if dtype != pl.Null]
    as_text = {name: pl.String() if dtype == pl.Null else dtype for name, dtype in schema.items()}
    parts: list[pl.DataFrame] = []
    line = 2 if skip_header else 1
    for chunk in _chunks(path, skip_header):
        size = len(chunk)
        if separator is None:
            chunk = _single_blanks(chunk)
        part = _parse(path, chunk, as_text, separator or " ", line).select(wanted)
        _refuse_gaps(path, part, line)
        parts.append(part)
        line += chunk.count(b"\n")
        progress.advance(size)
    if not parts or not sum(part.height for part in parts):
        raise InputError(f"{path.name} has no rows.")
    return pl.concat(parts, rechunk=True)


def _single_blanks(chunk: bytes) -> bytes:
    """Part columns by single blanks, with none around lines; plain replacement is far faster than a pattern."""
    chunk = chunk.replace(b"\t", b" ").replace(b"\r", b"")
    while b"  " in chunk:
        chunk = chunk.replace(b"  ", b" ")
    return chunk.replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" ")


def _parse(
    path: Path, chunk: bytes, schema: dict[str, pl.DataType], separator: str, line: int
) -> pl.DataFrame:
    try:
        return pl.read_csv(
            chunk,
            separator=separator,
            has_header=False,
            schema=schema,
            quote_char='"' if separator == "," else None,
        )
    except pl.exceptions.NoDataError:
        return pl.DataFrame(schema=schema)
    except pl.exceptions.PolarsError as error:
        number, text = _first_bad_line(chunk, schema, separator)
        where = f", line {line + number}: {text!r:.80}" if number is not None else f" near line {line}"
        raise InputError(
            f"{path.name}{where} does not have {len(schema)} columns with a number for a score "
            f"({first_line(error)}).",
        ) from None


def _first_bad_line(
    chunk: bytes, schema: dict[str, pl.DataType], separator: str
) -> tuple[int, str] | tuple[None, str]:
    """Find the first line that has too many columns or a number that is none."""
    numbers = [place for place, dtype in enumerate(schema.values()) if dtype.is_numeric()]
    for number, raw in enumerate(chunk.split(b"\n")):
        text = raw.decode("utf-8", "replace")
        fields = text.split(separator)
        if not text.strip():
            continue
        if len(fields) != len(schema):
            return number, text
        for place in numbers:
            try:
                float(fields[place])
            except ValueError:
                return number, text
    return None, ""


def _refuse_gaps(path: Path, part: pl.DataFrame, line: int) -> None:
    gaps = part.select(pl.any_horizontal(pl.all().is_null()).alias("gap"))["gap"]
    if gaps.any():
        place = int(gaps.arg_max() or 0)
        raise InputError(f"{path.name}, line {line + place}: a value is missing.")


def _chunks(path: Path, skip_header: bool) -> Iterator[bytes]:
    """Chunks of whole lines."""
    with path.open("rb") as file:
        if skip_header:
            file.readline()
        rest = b""
        while block := file.read(_CHUNK):
            block = rest + block
            cut = block.rfind(b"\n") + 1
            if cut == 0 and len(block) > _LONGEST_LINE:
                raise InputError(
                    f"{path.name} has a line of more than {_LONGEST_LINE:,} bytes; this is no score list."
                )
            rest = block[cut:]
            if cut:
                yield block[:cut]
        if rest.strip():
            yield rest
