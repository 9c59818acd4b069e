"""CSV and Parquet: a matrix (first column and header are ids) or long (columns query, target, score)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from proband.engine import written_whole
from proband.errors import InputError
from proband.kernels.codes import DONT_CARE, FAILED, OK
from proband.samples import Ids, Samples
from proband.scores.base import Scores
from proband.scores.formats.chunks import read_in_chunks
from proband.scores.formats.contents import Format, ReadOptions, ScoreFile, first_line, subjects_of
from proband.scores.trials import SCHEMA, Trials

_LONG = ("query", "target", "score")
# The columns of bob's CSV files, and what they are here. A probe key is needed for ranks.
_BOB = {
    "probe_key": "query",
    "probe_subject_id": "query_subject",
    "bio_ref_template_id": "target",
    "bio_ref_subject_id": "target_subject",
    "score": "score",
}
_BOB_NEEDS = ("probe_subject_id", "bio_ref_subject_id", "score")


def _header(path: Path) -> list[str]:
    if _is_parquet(path):
        try:
            return list(pl.read_parquet_schema(path))
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InputError(f"{path.name} is not a sound Parquet file: {first_line(error)}.") from None
    with path.open("rb") as file:
        line = file.readline(1 << 24)
    try:
        return pl.read_csv(line, has_header=False, infer_schema=False, separator=_separator(path)).row(0)  # type: ignore[return-value]
    except pl.exceptions.PolarsError:
        raise InputError(f"{path.name} is empty.") from None


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() in (".parquet", ".pq")


def _separator(path: Path) -> str:
    return "\t" if path.suffix.lower() == ".tsv" else ","


def _is_long(path: Path) -> bool:
    header = set(_header(path))
    return header.issuperset(_LONG) or header.issuperset(_BOB_NEEDS)


def _read_matrix(path: Path, options: ReadOptions) -> ScoreFile:
    try:
        if _is_parquet(path):
            frame = pl.read_parquet(path)
        else:
            names = _header(path)
            types = {f"column_{k + 1}": pl.Float64 if k else pl.String for k in range(len(names))}
            frame = pl.read_csv(
                path,
                has_header=False,
                skip_rows=1,
                schema=types,
                separator=_separator(path),
            )
            frame.columns = _distinct(names, path)
    except pl.exceptions.NoDataError:
        raise InputError(f"{path.name} has no rows.") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{path.name} cannot be read as a matrix: {first_line(error)}.") from None
    if frame.width < 2 or frame.height == 0:
        raise InputError(
            f"{path.name}: a matrix needs a column of query ids and at least one target and one row."
        )
    values = frame[:, 1:]
    gaps = values.select(pl.all().null_count()).row(0)
    if any(gaps):
        target = values.columns[int(np.argmax(np.array(gaps) > 0))]
        row = int(values[target].is_null().arg_max() or 0)
        raise InputError(
            f"{path.name}: {sum(gaps):,} scores are missing; the first is of target {target!r} in row {row + 1}.",
            "every row must have as many scores as there are targets.",
        )
    try:
        matrix = values.cast(pl.Float64).to_numpy()
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{path.name}: the scores must be numbers: {first_line(error)}.") from None
    queries = Ids(frame.to_series(0).cast(pl.String), "query")
    return ScoreFile(_name_of(path, "matrix"), {path.stem: matrix}, queries, Ids(values.columns, "target"))


def _distinct(names: list[str], path: Path) -> list[str]:
    Ids(names[1:], "target")  # says which are repeated
    return ["query id", *names[1:]]


def _read_long(path: Path, options: ReadOptions) -> ScoreFile:
    header = _header(path)
    bob = not set(header).issuperset(_LONG)
    known = _BOB if bob else {name: name for name in SCHEMA}
    kept = [name for name in header if name in known]
    if _is_parquet(path):
        frame = pl.read_parquet(path, columns=kept)
    else:
        types = {name: SCHEMA[known[name]]() if name in known else pl.Null() for name in header}
        frame = read_in_chunks(path, types, options.progress, separator=_separator(path), skip_header=True)
    frame = frame.rename({name: known[name] for name in kept})
    if bob and "target" not in frame.columns:
        frame = frame.with_columns(target=pl.col("target_subject"))
    return ScoreFile.from_trials(_name_of(path, "long"), Trials(frame, name=path.stem), path.stem)


def _name_of(path: Path, layout: str) -> str:
    return f"{'parquet' if _is_parquet(path) else 'csv'}-{layout}"


def _write_matrix(path: Path, scores: Scores, samples: Samples | None) -> None:
    rows, columns = (np.arange(n) for n in scores.shape)
    if scores.cells(rows, columns) is not None:
        raise InputError(
            f"{path.name}: a matrix table has no place for don't-care and failed cells.",
            "write .npz, or the long form.",
        )
    frame = pl.DataFrame({"query": scores.queries[:]}).hstack(
        pl.DataFrame(scores.tile(rows, columns), schema=scores.targets[:])
    )
    _write(path, frame)


def _write_long(path: Path, scores: Scores, samples: Samples | None) -> None:
    rows, columns = (np.arange(n) for n in scores.shape)
    frame = pl.DataFrame(
        {
            "query": np.repeat(np.array(scores.queries[:]), len(columns)),
            "target": np.tile(np.array(scores.targets[:]), len(rows)),
            "score": scores.tile(rows, columns).ravel(),
        }
    )
    if samples is not None:
        for side, axis in (("query", scores.queries), ("target", scores.targets)):
            subject = pl.DataFrame({side: axis[:], f"{side}_subject": subjects_of(axis, samples)})
            frame = frame.join(subject, on=side, how="left", maintain_order="left")
    cells = scores.cells(rows, columns)
    if cells is not None:
        frame = frame.with_columns(pl.when(pl.Series(cells.ravel() == OK)).then("score").alias("score"))
        # A pair that was not compared has no row; one whose comparison failed is marked.
        frame = frame.with_columns(failed=pl.Series(cells.ravel() == FAILED))
        frame = frame.filter(pl.Series(cells.ravel() != DONT_CARE))
    _write(path, frame)


def _write(path: Path, frame: pl.DataFrame) -> None:
    with written_whole(path) as draft:
        if _is_parquet(path):
            frame.write_parquet(draft)
        else:
            frame.write_csv(draft, separator=_separator(path))


def _formats() -> tuple[Format, ...]:
    made = []
    for kind, endings in (("csv", (".csv", ".tsv")), ("parquet", (".parquet", ".pq"))):
        made.append(
            Format(
                f"{kind}-long",
                f"{kind.capitalize()} list of query, target, score",
                endings,
                lambda path, head, endings=endings: path.suffix.lower() in endings and _is_long(path),  # type: ignore[misc]
                _read_long,
                _write_long,
            )
        )
        made.append(
            Format(
                f"{kind}-matrix",
                f"{kind.capitalize()} matrix, first column and header are ids",
                endings,
                lambda path, head, endings=endings: path.suffix.lower() in endings,  # type: ignore[misc]
                _read_matrix,
                _write_matrix,
            )
        )
    return tuple(made)


TABLES = _formats()
