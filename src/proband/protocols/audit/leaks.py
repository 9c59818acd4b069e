"""Ids, samples and subjects on both sides of a split, and how often each sample is tested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from proband.protocols.audit import cures as cures
from proband.protocols.audit.findings import NAMED, AuditFinding, Severity
from proband.protocols.audit.rows import SplitRows, on_both_sides
from proband.words import Note, Sentence, Target, listed

UNKNOWN_IDS = Sentence(
    "audit.unknown-ids", "caution", "{n:count id} in the splits {n:word is/are} not in the samples table"
)
REPEATED_ROWS = Sentence(
    "audit.repeated-rows",
    "caution",
    "{n:count sample occurs/samples occur} twice in the same role of a split, and would be counted twice",
)
NO_LABEL = Sentence(
    "audit.no-label", "caution", "{n:count sample} in the splits {n:word has/have} no value of {label!r}"
)
SHARED_SAMPLES = Sentence(
    "audit.shared-samples", "caution", "{n:count sample is/samples are} in both {parts} of the same split"
)
_SHARED = "{n:count} of {total:count subject} {n:word is/are} in both {parts} of the same split"
SHARED_ALTHOUGH_DISJOINT = Sentence(
    "audit.shared-subjects-although-disjoint",
    "caution",
    _SHARED + ", although {protocol} is subject-disjoint",
)
SHARED_AND_TELLING = Sentence(
    "audit.shared-subjects-telling",
    "caution",
    "{n:count} of {total:count subject} {n:word is/are} in both {parts} of the same split, so {label} can "
    "be predicted by recognising the person",
)
SHARED_AS_NEEDED = Sentence(
    "audit.shared-subjects-as-needed", "note", _SHARED + ", as the recognition of people requires"
)
TESTED_TWICE = Sentence(
    "audit.tested-twice",
    "caution",
    "{n:count sample is/samples are} tested more than once in a repeat of a cross-validation",
)
NEVER_TESTED = Sentence(
    "audit.never-tested",
    "caution",
    "{n:count sample is/samples are} never tested in a repeat of a cross-validation",
)
UNUSED = Sentence(
    "audit.unused-samples",
    "note",
    "{n:count} of the {total:count sample} in the table {n:word is/are} in no split",
)


_SIDES: tuple[tuple[str, str, Severity, str], ...] = (
    ("train", "test", "leak", "training and testing"),
    ("validation", "test", "leak", "validation and testing"),
    ("train", "validation", "fault", "training and validation"),
)
"""Two roles, the severity of being in both, and the end of the name of the finding."""
_PARTS = {
    "train": Target("train", "training"),
    "validation": Target("validation", "validation"),
    "test": Target("test", "testing"),
}
_EACH_ONCE = ("cross-validation", "leave-one-out", "leave-one-subject-out")


def ids_and_rows(rows: SplitRows) -> Iterator[AuditFinding]:
    """Find ids that match no sample, repeated rows, and samples without a label."""
    unknown = rows.frame.filter(pl.col("subject").is_null())["id"].unique(maintain_order=True)
    if len(unknown):
        yield AuditFinding(
            "unknown ids",
            "fault",
            UNKNOWN_IDS(n=len(unknown)),
            len(unknown),
            tuple(unknown.head(NAMED)),
            cures.CORRECT_IDS_OR_TABLE(),
        )
    twice = rows.frame.filter(rows.frame.select("cell", "sample", "role").is_duplicated())
    if twice.height:
        names = twice["id"].unique(maintain_order=True)
        yield AuditFinding(
            "repeated rows",
            "fault",
            REPEATED_ROWS(n=len(names)),
            len(names),
            tuple(f"{row['id']}: {row['role']}{rows.where(row)}" for row in _first_of_each(twice, "id")),
            cures.KEEP_ONE_ROW(),
        )
    bare = rows.known.filter(pl.col("label").is_null())["id"].unique(maintain_order=True)
    if len(bare):
        yield AuditFinding(
            "no label",
            "fault",
            NO_LABEL(n=len(bare), label=rows.label),
            len(bare),
            tuple(bare.head(NAMED)),
            cures.GIVE_LABELS(),
        )


def shared_samples(rows: SplitRows) -> Iterator[AuditFinding]:
    """Find samples in two roles of the same split."""
    for one, other, severity, both in _SIDES:
        parts = listed((_PARTS[one], _PARTS[other]))
        found = on_both_sides(rows.frame, "id", one, other)
        names = found["id"].unique(maintain_order=True)
        if len(names):
            yield AuditFinding(
                f"samples in {both}",
                severity,
                SHARED_SAMPLES(n=len(names), parts=parts),
                len(names),
                tuple(f"{row['id']}{rows.where(row)}" for row in _first_of_each(found, "id")),
                cures.ONE_ROLE(part=_PARTS[one]),
            )


def shared_subjects(rows: SplitRows) -> Iterator[AuditFinding]:
    """Find subjects in two roles of the same split: a leak for attributes, and if the protocol is subject-disjoint."""
    declared = rows.protocol is not None and rows.protocol.is_disjoint
    forbidden = declared or rows.task == "attribute"
    for one, other, severity, both in _SIDES:
        parts = listed((_PARTS[one], _PARTS[other]))
        found = on_both_sides(rows.known, "subject", one, other)
        # A sample in both roles is reported as such; its subject is named here if other samples share it too.
        names = found["subject"].unique(maintain_order=True)
        if not len(names):
            continue
        weight: Severity = "note" if not forbidden else "warning" if severity == "fault" else severity
        n_subjects = rows.known["subject"].n_unique()
        examples = tuple(
            f"{row['subject']}: {row[one]} in {one}, {row[other]} in {other}{rows.where(row)}"
            for row in _first_of_each(found, "subject")
        )
        yield AuditFinding(
            f"subjects in {both}",
            weight,
            _shared_subjects(rows, declared, n=len(names), total=n_subjects, parts=parts),
            len(names),
            examples,
            cures.KEEP_SUBJECTS_APART() if forbidden else cures.IF_ENROLLED(),
        )


def _shared_subjects(rows: SplitRows, declared: bool, **said: Any) -> Note:
    if declared:
        return SHARED_ALTHOUGH_DISJOINT(**said, protocol=str(rows.protocol))
    if rows.task == "attribute":
        return SHARED_AND_TELLING(**said, label=rows.label)
    return SHARED_AS_NEEDED(**said)


def how_often_tested(rows: SplitRows) -> Iterator[AuditFinding]:
    """Find samples that a cross-validation tests twice in a repeat, or never."""
    folds = rows.frame.group_by("repeat").agg(pl.col("cell").n_unique()).filter(pl.col("cell") > 1)
    several = rows.frame.join(folds, on="repeat", how="semi")
    # A row that stands twice is reported as such, and tests its sample once.
    tests = several.filter(pl.col("role") == "test").unique(["cell", "sample"])
    counts = (
        several.select("repeat", "sample")
        .unique()
        .join(tests.group_by("repeat", "sample").len("times"), on=["repeat", "sample"], how="left")
        .with_columns(pl.col("times").fill_null(0))
    )
    crossed = counts.join(_crossed(rows, counts), on="repeat", how="semi")
    conditions = rows.protocol is not None and (rows.protocol.train_on or rows.protocol.test_on)
    cure = cures.TEST_ONCE()
    for kind, chosen, what in (
        ("tested twice", pl.col("times") > 1, TESTED_TWICE),
        ("never tested", pl.col("times") == 0, NEVER_TESTED),
    ):
        found = crossed.filter(chosen).sort("repeat", "sample")
        found = found.with_columns(rows.used[found["sample"].to_numpy()].alias("id"))
        names = found["id"].unique(maintain_order=True)
        if len(names) and not (conditions and kind == "never tested"):
            examples = (
                f"{name} (repeat {repeat}, {times} times)" if times else f"{name} (repeat {repeat})"
                for repeat, name, times in found.unique("id", keep="first", maintain_order=True)
                .head(NAMED)
                .select("repeat", "id", "times")
                .iter_rows()
            )
            yield AuditFinding(kind, "fault", what(n=len(names)), len(names), tuple(examples), cure)


def _crossed(rows: SplitRows, counts: pl.DataFrame) -> pl.DataFrame:
    """The repeats that are cross-validations: because the protocol says so, or since most samples are tested just once."""
    repeats = counts.group_by("repeat").agg(
        (pl.col("times") > 0).mean().alias("tested"),
        ((pl.col("times") == 1).sum() / (pl.col("times") > 0).sum()).alias("once"),
    )
    if rows.protocol is not None and rows.protocol.kind != "unstated":
        return repeats.filter(pl.lit(rows.protocol.kind in _EACH_ONCE))
    return repeats.filter((pl.col("tested") > 0.5) & (pl.col("once") > 0.5))


def left_over(rows: SplitRows) -> Iterator[AuditFinding]:
    """Find samples of the table that no split uses."""
    used = set(rows.used)
    rest = [name for name in rows.samples.ids if name not in used]
    if rest:
        yield AuditFinding(
            "unused samples",
            "note",
            UNUSED(n=len(rest), total=len(rows.samples)),
            len(rest),
            tuple(rest[:NAMED]),
            cures.SAY_WHY(),
        )


def _first_of_each(found: pl.DataFrame, key: str) -> list[dict[str, object]]:
    return found.unique(key, keep="first", maintain_order=True).head(NAMED).to_dicts()
