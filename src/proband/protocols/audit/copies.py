"""Copies of an image or vector, and images that are only similar: across a split, within one side of it, and under two labels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from proband.protocols.audit import cures as cures
from proband.protocols.audit.findings import NAMED, AuditFinding, Severity
from proband.protocols.audit.rows import CELL, SplitRows
from proband.words import Sentence, Target, digits

NOT_COMPARED = Sentence(
    "audit.not-compared", "caution", "{n:count sample} could not be compared with the others"
)
TOO_MANY_COPIES = Sentence(
    "audit.too-many-copies", "caution", "there are more pairs of copies than are listed"
)
_ACROSS = "{n:count pair} of a training and a test sample {n:word has/have} {alike}"
COPIES_ACROSS = Sentence("audit.copies-across", "caution", _ACROSS)
COPIES_OF_TWO_SUBJECTS = Sentence(
    "audit.copies-of-two-subjects", "caution", _ACROSS + "; {others:count} under two subjects"
)
_PAIRS = "{n:count pair} of samples {n:word has/have} {alike} and "
COPIES_WITHIN = Sentence(
    "audit.copies-within",
    "caution",
    "{n:count pair} of samples {n:word has/have} {alike} and {n:word is/are} both in {part}, so each counts twice",
)
COPIES_UNDER_LABELS = Sentence(
    "audit.copies-under-labels", "caution", _PAIRS + "different labels of {label!r}"
)
COPIES_UNDER_SUBJECTS = Sentence("audit.copies-under-subjects", "caution", _PAIRS + "different subjects")

if TYPE_CHECKING:
    from proband.protocols.audit.duplicates import Duplicates

# Two people do not look so much alike: under two subjects it is one photograph, or one person.
_ALIKE = (
    pl.when(pl.col("near") | (pl.col("one_subject") != pl.col("other_subject")))
    .then(pl.lit("near"))
    .otherwise(pl.lit("alike"))
)
_MOST_OF_A_GROUP = 300  # exact copies of one picture whose pairs are listed
KINDS = {"exact": "exact copies", "near": "near copies", "alike": "alike pictures"}
"""The kinds of findings."""
_SIDES = {"train": Target("training", "training"), "test": Target("testing", "testing")}


def copied_pairs(rows: SplitRows, copies: Duplicates) -> pl.DataFrame:
    """List every pair of samples that are copies, each pair once.

    Returns
    -------
    frame
        one, other, copy (exact, near or alike), distance, whether one is mirrored, and for each the subject and label (``one_subject`` …).
    """
    known = rows.known.select("id", "subject", "label").unique("id", maintain_order=True)
    members = pl.DataFrame({"id": copies.ids, "group": copies.groups}, schema_overrides={"id": pl.String})
    members = members.join(known, on="id", maintain_order="left").with_row_index("place")
    listed = members.filter(pl.int_range(pl.len()).over("group") < _MOST_OF_A_GROUP)

    def side(name: str) -> pl.DataFrame:
        return listed.select(
            pl.col("group").alias(f"{name}_group"),
            pl.col("place").alias(f"{name}_place"),
            pl.col("id").alias(name),
            pl.col("subject").alias(f"{name}_subject"),
            pl.col("label").alias(f"{name}_label"),
        )

    exact = (
        side("one")
        .join(side("other"), left_on="one_group", right_on="other_group", maintain_order="left")
        .filter(pl.col("one_place") < pl.col("other_place"))
        .with_columns(
            pl.lit("exact").alias("copy"), pl.lit(0.0).alias("distance"), pl.lit(False).alias("mirrored")
        )
    )
    near = (
        copies.pairs.rename({"one": "one_group", "other": "other_group"})
        .join(side("one"), on="one_group", maintain_order="left")
        .join(side("other"), on="other_group", maintain_order="left")
        .with_columns(_ALIKE.alias("copy"))
    )
    whose = ["one_subject", "other_subject", "one_label", "other_label"]
    columns = ["one", "other", "copy", "distance", "mirrored", *whose]
    return pl.concat([exact.select(columns), near.select(columns)])


def crossing_pairs(rows: SplitRows, pairs: pl.DataFrame) -> pl.DataFrame:
    """Select the copies with one sample in training (or validation) and the other in testing of the same split, each pair once.

    Returns
    -------
    frame
        train, test, copy, distance, the first split in which they cross (repeat, fold), how many there are (splits), and both subjects.
    """
    placed = _meeting(rows, pairs).filter(pl.col("one_role") != pl.col("other_role"))
    turned = pl.col("one_role") == "test"
    named = [
        pl.when(turned).then(f"{second}{what}").otherwise(f"{first}{what}").alias(f"{role}{what}")
        for what in ("", "_subject")
        for role, first, second in (("train", "one", "other"), ("test", "other", "one"))
    ]
    found = placed.with_columns(named).sort("distance", *CELL, "train", "test", maintain_order=True)
    first = [pl.col(name).first() for name in ("train", "test", "copy", "distance", *CELL)]
    whose = [pl.col(name).first() for name in ("train_subject", "test_subject")]
    return (
        found.group_by("one", "other", maintain_order=True)
        .agg(*first, pl.struct(CELL).n_unique().cast(pl.Int64).alias("splits"), *whose)
        .drop("one", "other")
    )


def _meeting(rows: SplitRows, pairs: pl.DataFrame) -> pl.DataFrame:
    """The pairs in every split that uses both samples, with their roles; validation stands with training."""
    role = pl.col("role").cast(pl.String).replace("validation", "train")
    placed = rows.known.select("id", "cell", *CELL, role)
    return pairs.join(placed.rename({"role": "one_role"}), left_on="one", right_on="id").join(
        placed.select("id", "cell", pl.col("role").alias("other_role")),
        left_on=["other", "cell"],
        right_on=["id", "cell"],
    )


def findings_of_copies(
    rows: SplitRows, copies: Duplicates, pairs: pl.DataFrame, crossing: pl.DataFrame
) -> Iterator[AuditFinding]:
    """Report copies across a split, copies within one side, and copies under two labels or subjects."""
    yield from _across(rows, copies, crossing)
    yield from _within(rows, copies, pairs, crossing)
    yield from _contradicting(rows, copies, pairs)
    yield from not_compared(copies, pairs)


def not_compared(copies: Duplicates, pairs: pl.DataFrame) -> Iterator[AuditFinding]:
    """Report samples that could not be compared, and whether there are more copies than are listed."""
    if copies.unread:
        yield AuditFinding(
            "not compared",
            "warning",
            NOT_COMPARED(n=len(copies.unread)),
            len(copies.unread),
            tuple(f"{name}: {why}" for name, why in copies.unread[:NAMED]),
            cures.MEND_OR_EXCLUDE(),
        )
    if copies.capped or np.bincount(copies.groups).max(initial=0) > _MOST_OF_A_GROUP:
        yield AuditFinding(
            "too many copies",
            "warning",
            TOO_MANY_COPIES(),
            pairs.height,
            (),
            cures.CHECK_INPUT(),
        )


def alike_by_copy(copies: Duplicates) -> dict[str, str]:
    """Describe how copies of each kind are similar, the most certain kind first."""
    return {"exact": copies.exact, "near": copies.near, "alike": copies.alike}


def _across(rows: SplitRows, copies: Duplicates, crossing: pl.DataFrame) -> Iterator[AuditFinding]:
    for copy, alike in alike_by_copy(copies).items():
        found = crossing.filter(pl.col("copy") == copy)
        if not found.height:
            continue
        sure = copy == "exact" or (copy == "near" and not copies.of_vectors)
        severity: Severity = "leak" if sure else "warning"
        others = found.filter(pl.col("train_subject") != pl.col("test_subject")).height
        said = {"n": found.height, "alike": alike}
        yield AuditFinding(
            f"{KINDS[copy]} in training and testing",
            severity,
            COPIES_OF_TWO_SUBJECTS(**said, others=others) if others else COPIES_ACROSS(**said),
            found.height,
            tuple(
                f"{row['train']} in train, {row['test']} in test, distance {digits(row['distance'], 2)}{rows.where(row)}"
                for row in found.head(NAMED).to_dicts()
            ),
            cures.PART_COPIES()
            if sure
            else cures.PART_EXPOSURES()
            if copy == "alike"
            else cures.LOOK_AT_COPIES(),
        )


def _within(
    rows: SplitRows, copies: Duplicates, pairs: pl.DataFrame, crossing: pl.DataFrame
) -> Iterator[AuditFinding]:
    """Exact copies on the same side that nowhere cross: each counts twice there."""
    names = ["one", "other"]
    crossed = pl.concat(
        [crossing.select(one="train", other="test"), crossing.select(one="test", other="train")]
    )
    apart = pairs.filter(pl.col("copy") == "exact").join(crossed, on=names, how="anti", maintain_order="left")
    together = _meeting(rows, apart).filter(pl.col("one_role") == pl.col("other_role"))
    for side, part in _SIDES.items():
        found = (
            together.filter(pl.col("one_role") == side)
            .sort("cell", *names)
            .unique(names, keep="first", maintain_order=True)
        )
        if found.height:
            yield AuditFinding(
                f"exact copies within {part.key}",
                "warning",
                COPIES_WITHIN(n=found.height, alike=copies.exact, part=part),
                found.height,
                tuple(
                    f"{row['one']}, {row['other']}{rows.where(row)}" for row in found.head(NAMED).to_dicts()
                ),
                cures.KEEP_ONE(),
            )


def _contradicting(rows: SplitRows, copies: Duplicates, pairs: pl.DataFrame) -> Iterator[AuditFinding]:
    """Copies of which at least one must be labelled wrongly: exact ones, and near ones of pictures."""
    whose = {"subject": "subjects"} if rows.label is None else {"label": "labels", "subject": "subjects"}
    sorts = ["exact"] if copies.of_vectors else ["exact", "near"]
    for (column, words), copy in product(whose.items(), sorts):
        differing = (pl.col("copy") == copy) & (pl.col(f"one_{column}") != pl.col(f"other_{column}"))
        found = pairs.filter(differing)
        if found.height:
            said = {"n": found.height, "alike": alike_by_copy(copies)[copy]}
            yield AuditFinding(
                f"{copy} copies under two {words}",
                "warning" if copies.of_vectors else "fault",
                COPIES_UNDER_LABELS(**said, label=rows.label)
                if column == "label"
                else COPIES_UNDER_SUBJECTS(**said),
                found.height,
                tuple(
                    f"{row['one']}: {row[f'one_{column}']}, {row['other']}: {row[f'other_{column}']}"
                    for row in found.head(NAMED).to_dicts()
                ),
                cures.CORRECT_LABELS(),
            )
