"""Lists of pairs to compare: LFW's, tables with query and target, archives of row numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from proband.engine.files.files import reading
from proband.engine.files.parquet import COLUMNAR, read_parquet
from proband.errors import InputError, Said, first_few
from proband.samples.npz import Archive
from proband.samples.reading import read_frame
from proband.samples.table import Samples
from proband.scores.trials import read_lfw_pairs
from proband.words import count

_ARRAYS = {"pair_a": "query", "pair_b": "target", "pair_same": "mated", "pair_fold": "fold"}


def read_pairs(path: str | Path, samples: Samples) -> pl.DataFrame:
    """Read a list of pairs: columns query, target, and mated and fold if present.

    ``.txt``: LFW's pairs. ``.csv``, ``.tsv``, ``.parquet``, ``.arrow``: a table with columns query and target. ``.npz``: arrays pair_a and
    pair_b of row numbers in the samples table, and optionally pair_same and pair_fold.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in (*COLUMNAR, ".csv", ".tsv", ".npz"):
        return read_lfw_pairs(path)
    with reading(path, "a list of pairs"):
        return _from_archive(path, samples) if ending == ".npz" else _table(path, ending)


def _table(path: Path, ending: str) -> pl.DataFrame:
    if ending in COLUMNAR:
        return read_parquet(path)
    return read_frame(path, text_columns=("query", "target"))


def _from_archive(path: Path, samples: Samples) -> pl.DataFrame:
    archive = Archive(path)
    absent = [name for name in ("pair_a", "pair_b") if name not in archive]
    if absent:
        raise InputError(
            f"{path.name} has no array {first_few(absent)}; it has {first_few(list(archive), 8)}.",
            "use arrays pair_a and pair_b of row numbers for the pairs.",
            file=Said(path.name),
        )
    columns: dict[str, object] = {}
    for array, column in _ARRAYS.items():
        if array not in archive:
            continue
        values = archive[array]
        if column in ("query", "target"):
            if values.dtype.kind not in "iu" or values.min() < 0 or values.max() >= len(samples):
                raise InputError(
                    f"{array} must contain row numbers from 0 to {count(len(samples) - 1)}.", file=path.name
                )
            names = np.array(samples.ids[:])
            columns[column] = names[values]
        else:
            kind = values.dtype.kind
            if kind not in "iubf" or (kind == "f" and not np.array_equal(values, np.rint(values))):
                raise InputError(f"{array} must contain whole numbers, or True and False.", file=path.name)
            columns[column] = values.astype(np.int64 if column == "fold" else np.bool_)
    return pl.DataFrame(columns)
