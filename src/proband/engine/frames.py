"""Tables of rows: the one place where a list of rows becomes a frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl


def frame_of_rows(
    rows: Iterable[Any], schema: Mapping[str, Any] | Sequence[str] | None = None
) -> pl.DataFrame:
    """Make a frame of rows (mappings, tuples or dataclasses); ``schema`` names columns and, where it can, their types.

    Every row is looked at for the types of columns. Polars would look at the first hundred: what comes later would be refused after
    missing values, and cut to a whole number after whole numbers.
    """
    stated = dict(schema) if isinstance(schema, Mapping) else schema
    return pl.DataFrame(list(rows), schema=stated, orient="row", infer_schema_length=None)
