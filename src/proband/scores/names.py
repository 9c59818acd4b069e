"""Names of samples and people as codes: a long list stores each name once, and four bytes per row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.samples.ids import Ids, Positions


def coded(names: pl.Series) -> pl.Series:
    """Return names as an enumeration, in order of first appearance."""
    if isinstance(names.dtype, pl.Enum):
        return names
    return names.cast(pl.Enum(names.unique(maintain_order=True).drop_nulls()))


def together(*columns: pl.Series) -> tuple[pl.Series, ...]:
    """Return columns of names with a common enumeration, so that equal names have equal codes."""
    own = [coded(one) for one in columns]
    if all(one.dtype == own[0].dtype for one in own):
        return tuple(own)
    kind = pl.Enum(pl.concat([_names(one) for one in own]).unique(maintain_order=True))
    return tuple(_names(one).cast(kind).gather(one.to_physical()).alias(one.name) for one in own)


def renamed(names: pl.Series, prefix: str) -> pl.Series:
    """Return coded names with a prefix before each."""
    return coded(prefix + _names(names)).gather(names.to_physical()).alias(names.name)


def numbered(names: pl.Series, what: str) -> tuple[Ids, Positions]:
    """Return the distinct names in order of appearance, and the code of each row."""
    own = coded(names)
    distinct = own.unique(maintain_order=True)
    return Ids(distinct, what), places_among(own, distinct).astype(np.intp)


def places_among(names: pl.Series, distinct: pl.Series) -> npt.NDArray[np.int32]:
    """Return the position of coded names among distinct ones with the same codes."""
    place = np.zeros(len(_names(names)), dtype=np.int32)
    place[distinct.to_physical().to_numpy()] = np.arange(len(distinct))
    places: npt.NDArray[np.int32] = place[names.to_physical().to_numpy()]
    return places


def keys_of_pairs(
    one: npt.NDArray[Any], other: npt.NDArray[Any], n: int
) -> npt.NDArray[np.unsignedinteger[Any]]:
    """Return a key for each pair of numbers below `n`, ordered by the first and then the second, in the smallest type."""
    kind = np.uint32 if n**2 <= 1 << 32 else np.uint64
    keys: npt.NDArray[np.unsignedinteger[Any]] = np.multiply(one, kind(n), dtype=kind, casting="unsafe")
    np.add(keys, other, out=keys, dtype=kind, casting="unsafe")
    return keys


def n_repeats(keys: npt.NDArray[Any]) -> int:
    """Return the number of repeated keys, by sorting, which takes less memory than a table of all."""
    ascending = np.sort(keys)
    return int(np.count_nonzero(ascending[1:] == ascending[:-1]))


def _names(column: pl.Series) -> pl.Series:
    """The names of a coded column, by code."""
    assert isinstance(column.dtype, pl.Enum)
    return column.dtype.categories
