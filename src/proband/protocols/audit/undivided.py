"""Copies in an undivided data set: every pair once, in groups, with the names under which they appear."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from proband.protocols.audit import cures
from proband.protocols.audit.copies import KINDS, alike_by_copy, not_compared
from proband.protocols.audit.findings import NAMED, AuditFinding, Severity
from proband.protocols.audit.rows import SplitRows
from proband.words import Note, Sentence, digits

if TYPE_CHECKING:
    from proband.protocols.audit.duplicates import Duplicates

_PAIRS = "{n:count pair} of samples, in {groups:count group}, {n:word has/have} {alike}"
UNDER_SUBJECTS = Sentence("audit.data-under-subjects", "caution", _PAIRS + ", under two subjects")
UNDER_LABELS = Sentence("audit.data-under-labels", "caution", _PAIRS + ", under two labels of {label!r}")
UNDER_NAMES = Sentence("audit.data-under-names", "caution", _PAIRS + ", under two names")
# What one person's photographs may be without anything being wrong: nothing is divided yet.
_WEIGHTS: dict[tuple[str, str], Severity] = {
    ("near", "names"): "warning",
    ("alike", "labels"): "warning",
    ("alike", "names"): "note",
}
_WORDS = {"subjects": UNDER_SUBJECTS, "labels": UNDER_LABELS, "names": UNDER_NAMES}


def grouped_pairs(pairs: pl.DataFrame) -> pl.DataFrame:
    """Number the groups of connected copies, and state in what the two samples of each pair differ.

    Returns
    -------
    frame
        group, one, other, copy, distance, mirrored, under (subjects, labels or names: the most severe
        difference), and both subjects and labels; the groups in the order of their closest pair.
    """
    names = pl.concat([pairs["one"], pairs["other"].alias("one")]).unique(maintain_order=True)
    place = {name: number for number, name in enumerate(names)}
    parents = np.arange(len(place))

    def root(one: int) -> int:
        while parents[one] != one:
            parents[one] = parents[parents[one]]
            one = int(parents[one])
        return one

    for one, other in pairs.select("one", "other").iter_rows():
        first, second = root(place[one]), root(place[other])
        parents[max(first, second)] = min(first, second)
    ordered = pairs.sort("distance", maintain_order=True)
    roots = [root(place[one]) for one in ordered["one"]]
    numbers: dict[int, int] = {}
    groups = [numbers.setdefault(one, len(numbers) + 1) for one in roots]
    under = (
        pl.when(pl.col("one_subject") != pl.col("other_subject"))
        .then(pl.lit("subjects"))
        .when(pl.col("one_label") != pl.col("other_label"))
        .then(pl.lit("labels"))
        .otherwise(pl.lit("names"))
    )
    columns = ["group", "one", "other", "copy", "distance", "mirrored", "under"]
    whose = ["one_subject", "other_subject", "one_label", "other_label"]
    numbered = ordered.with_columns(pl.Series("group", groups, dtype=pl.Int64), under.alias("under"))
    return numbered.select(columns + whose).sort("group", maintain_order=True)


def findings_of_data(rows: SplitRows, copies: Duplicates, pairs: pl.DataFrame) -> Iterator[AuditFinding]:
    """Report copies under two subjects, two labels or two names, each pair in only one finding."""
    for under, what in _WORDS.items():
        for copy, alike in alike_by_copy(copies).items():
            found = pairs.filter((pl.col("under") == under) & (pl.col("copy") == copy))
            if not found.height:
                continue
            severity: Severity = "warning" if copies.of_vectors else _WEIGHTS.get((copy, under), "fault")
            said = {"n": found.height, "groups": found["group"].n_unique(), "alike": alike}
            if under == "labels":
                said["label"] = rows.label
            yield AuditFinding(
                f"{KINDS[copy]} under two {under}",
                severity,
                what(**said),
                found.height,
                tuple(_named(row, under) for row in found.head(NAMED).to_dicts()),
                _cure(copy, under),
            )
    yield from not_compared(copies, pairs)


def _cure(copy: str, under: str) -> Note:
    if copy == "alike":
        return cures.KEEP_TOGETHER() if under == "names" else cures.LOOK_AT_LABELS()
    return cures.KEEP_ONE_OR_TOGETHER() if under == "names" else cures.CORRECT_LABELS()


def _named(row: dict[str, object], under: str) -> str:
    whose = {"subjects": "subject", "labels": "label"}.get(under)
    two = [f"{row[one]} ({row[f'{one}_{whose}']})" if whose else str(row[one]) for one in ("one", "other")]
    distance = row["distance"]
    assert isinstance(distance, float)  # a column of distances
    how = [] if row["copy"] == "exact" else [f"distance {digits(distance, 2)}"]
    return ", ".join([*two, *how, *(["mirrored"] if row["mirrored"] else [])])
