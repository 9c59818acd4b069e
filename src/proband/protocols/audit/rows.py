"""The rows of a split table joined with their samples, and the overlap between the sides of a split."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from proband.errors import Hint, UsageError, unknown_name
from proband.protocols.notation import Protocol
from proband.protocols.recommendation import Task
from proband.protocols.splits.files import SplitTable, split_frame
from proband.protocols.splits.splits import Split
from proband.samples import Samples

CELL = ("repeat", "fold")
_USED = ("train", "validation", "test")
WHOLE = "all"
"""The part of every sample in an undivided data set."""
_NUMBERS = {"id": "sample", "subject": "person"}

Splits = SplitTable | pl.DataFrame | Iterable[Split]
"""Splits from a file, as a table of id, repeat, fold and role, or from a splitter."""


@dataclass(frozen=True, eq=False)
class SplitRows:
    """The audited splits and samples.

    Attributes
    ----------
    frame
        Columns id, repeat, fold, role, subject and label of every sample that trains, validates or tests, and numbers for the split
        (cell), the id (sample) and the subject (person). Values from the table are missing for ids that match
        no sample.
    samples
        The table of samples.
    task, label
        What is recognised.
    protocol
        The stated protocol, if any.
    divided
        Whether there are splits; without them every sample is in one part, ``all``.
    """

    frame: pl.DataFrame
    samples: Samples
    task: Task
    label: str | None
    protocol: Protocol | None
    divided: bool = True

    @cached_property
    def known(self) -> pl.DataFrame:
        """The rows whose sample is in the table."""
        return self.frame.filter(pl.col("subject").is_not_null())

    @cached_property
    def used(self) -> pl.Series:
        """The ids with a role, in the order of their first appearance."""
        return self.frame["id"].unique(maintain_order=True)

    @cached_property
    def n_splits(self) -> int:
        """How many splits there are."""
        return self.frame["cell"].n_unique() if self.divided else 0

    def where(self, row: dict[str, object]) -> str:
        """Name the split of a row, if there are several: `` (repeat 1, fold 3)``."""
        levels = [name for name in CELL if self.frame[name].n_unique() > 1]
        return f" ({', '.join(f'{name} {row[name]}' for name in levels)})" if levels else ""


def rows_of(
    splits: Splits | None, samples: Samples, task: Task, label: str | None, protocol: Protocol | str | None
) -> SplitRows:
    """Join splits with their samples, keeping everything that an audit should report."""
    if (task == "attribute") != (label is not None):
        raise UsageError(
            "The label is the column of the attribute to recognise: task 'attribute' needs a label, and task 'identity' takes none.",
            Hint("{give:task=attribute} with {option:label}, or leave both out."),
        )
    if label is not None and label not in samples.frame.columns:
        raise unknown_name("column", label, samples.frame.columns, "in the table", option="label")
    people = pl.Series(samples.subjects[:], dtype=pl.String)[samples.codes]
    known = pl.DataFrame(
        {
            "id": pl.Series(samples.ids[:], dtype=pl.String),
            "subject": people,
            "person": samples.codes,
            "label": people if label is None else samples.frame[label].cast(pl.String),
        }
    )
    frame = _undivided(samples) if splits is None else _frame(splits, samples)
    # Enrolled samples are held out from training as tested ones are.
    frame = frame.with_columns(pl.col("role").cast(pl.String).replace("enrolled", "test"))
    frame = frame.filter(pl.col("role").is_in((*_USED, WHOLE)))
    names = frame.select(pl.col("id").unique(maintain_order=True)).with_row_index("sample")
    cells = frame.select(CELL).unique().sort(CELL).with_row_index("cell")
    joined = (
        frame.join(names, on="id", how="left", maintain_order="left")
        .join(known, on="id", how="left", maintain_order="left")
        .join(cells, on=CELL, how="left", maintain_order="left")
    )
    stated = Protocol.parse(protocol) if isinstance(protocol, str) else protocol
    return SplitRows(joined, samples, task, label, stated, splits is not None)


def _undivided(samples: Samples) -> pl.DataFrame:
    ids = pl.Series(samples.ids[:], dtype=pl.String)
    return pl.DataFrame({"id": ids}).with_columns(
        pl.lit(1).alias("repeat"), pl.lit(1).alias("fold"), pl.lit(WHOLE).alias("role")
    )


def _frame(splits: Splits, samples: Samples) -> pl.DataFrame:
    if isinstance(splits, SplitTable):
        return splits.frame
    if isinstance(splits, pl.DataFrame):
        absent = [name for name in ("id", *CELL, "role") if name not in splits.columns]
        if absent:
            raise UsageError(
                f"A table of splits has columns id, repeat, fold and role; {absent[0]} is missing."
            )
        return splits.select("id", *CELL, "role")
    return split_frame(samples, splits)


def on_both_sides(frame: pl.DataFrame, key: str, one: str, other: str) -> pl.DataFrame:
    """Find keys with rows in two roles of the same split.

    Parameters
    ----------
    frame
        As of :class:`SplitRows`, with `key`.
    key
        The column whose values must not be on both sides: ``id``, ``subject`` or a group of duplicates.

    Returns
    -------
    frame
        repeat, fold, `key`, and the first sample in each role, under the names of the roles.
    """
    place = ["cell", _NUMBERS.get(key, key)]
    parts = [frame.filter(pl.col("role") == role) for role in (one, other)]
    # Few stand on both sides: they are singled out before anything is sorted by names.
    later = parts[1].join(parts[0].select(place), on=place, how="semi", maintain_order="left")
    if not later.height:
        parts[0] = parts[0].clear()
    first = [
        part.unique(place, keep="first", maintain_order=True).select(
            *dict.fromkeys((*place, *also)), pl.col("id").alias(role)
        )
        for part, role, also in ((parts[0], one, ()), (later, other, (*CELL, key)))
    ]
    return first[1].join(first[0], on=place, how="inner", maintain_order="left")
