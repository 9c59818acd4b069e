"""Conversion of rows to frames, in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import polars as pl

from proband.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd


def frame_of_rows(
    rows: Iterable[Any], schema: Mapping[str, Any] | Sequence[str] | None = None
) -> pl.DataFrame:
    """Make a frame from rows (mappings, tuples or dataclasses); ``schema`` has the column names and, optionally, types.

    All rows are used to infer column types. Polars would use the first hundred: later values would be refused after missing
    values, and truncated after integers.
    """
    stated = dict(schema) if isinstance(schema, Mapping) else schema
    return pl.DataFrame(list(rows), schema=stated, orient="row", infer_schema_length=None)


def as_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """The same table as a pandas frame, without pyarrow."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise UsageError(
            "A pandas frame needs pandas, which is not installed.",
            "pip install 'proband[pandas]', or use to_frame(), which returns a polars frame.",
        ) from None
    columns = {
        column.name: column.to_list() if column.dtype.is_nested() else column.to_numpy() for column in frame
    }
    made: pd.DataFrame = pandas.DataFrame(columns)
    return made
