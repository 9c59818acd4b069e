"""Who stands where: ids, samples and subjects on both sides of a split, and who is tested how often."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from proband.protocols.audit_findings import NAMED, Finding, Severity
from proband.protocols.audit_rows import Rows, on_both_sides
from proband.words import count, counted

_SIDES: tuple[tuple[str, str, str, Severity], ...] = (
    ("train", "test", "training and testing", "leak"),
    ("validation", "test", "validation and testing", "leak"),
    ("train", "validation", "training and validation", "fault"),
)
_EACH_ONCE = ("cross-validation", "leave-one-out", "leave-one-subject-out")


def ids_and_rows(rows: Rows) -> Iterator[Finding]:
    """Find ids that no sample has, rows that stand twice, and samples without a label."""
    unknown = rows.frame.filter(pl.col("subject").is_null())["id"].unique(maintain_order=True)
    if len(unknown):
        yield Finding(
            "unknown ids",
            "fault",
            f"{counted(len(unknown), 'id')} of the splits {_is(len(unknown))} in the table of samples.",
            len(unknown),
            tuple(unknown.head(NAMED)),
            "correct the ids, or give the table that the splits were made of; of these samples nothing else can be checked.",
        )
    twice = rows.frame.filter(rows.frame.select("cell", "sample", "role").is_duplicated())
    if twice.height:
        names = twice["id"].unique(maintain_order=True)
        yield Finding(
            "repeated rows",
            "fault",
            f"{counted(len(names), 'sample')} {_stand(len(names))} twice in the same role of a split, and would count double.",
            len(names),
            tuple(f"{row['id']}: {row['role']}{rows.where(row)}" for row in _first_of_each(twice, "id")),
            "keep one row for each.",
        )
    bare = rows.known.filter(pl.col("label").is_null())["id"].unique(maintain_order=True)
    if len(bare):
        yield Finding(
            "no label",
            "fault",
            f"{counted(len(bare), 'sample')} of the splits {'has' if len(bare) == 1 else 'have'} no value of {rows.label!r}.",
            len(bare),
            tuple(bare.head(NAMED)),
            "give them a label, or exclude them and say why.",
        )


def shared_samples(rows: Rows) -> Iterator[Finding]:
    """Find samples in two roles of the same split."""
    for one, other, words, severity in _SIDES:
        found = on_both_sides(rows.frame, "id", one, other)
        names = found["id"].unique(maintain_order=True)
        if len(names):
            yield Finding(
                f"samples in {words}",
                severity,
                f"{counted(len(names), 'sample')} {_is_in(len(names))} in both {words} of the same split.",
                len(names),
                tuple(f"{row['id']}{rows.where(row)}" for row in _first_of_each(found, "id")),
                f"give each sample one role in a split: take them out of {words.partition(' ')[0]}.",
            )


def shared_subjects(rows: Rows) -> Iterator[Finding]:
    """Find subjects in two roles of the same split: a leak for attributes, and where the protocol says that there are none."""
    declared = rows.protocol is not None and rows.protocol.is_disjoint
    forbidden = declared or rows.task == "attribute"
    for one, other, words, severity in _SIDES:
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
        yield Finding(
            f"subjects in {words}",
            weight,
            f"{count(len(names))} of {counted(n_subjects, 'subject')} {_is_in(len(names))} in both {words} of the same split"
            f"{_meaning(rows, declared)}",
            len(names),
            examples,
            "give all samples of a subject one role in a split: a subject-disjoint protocol, such as 10f CV+ or LOSO."
            if forbidden
            else "nothing, if people are to be recognised who were enrolled.",
        )


def _meaning(rows: Rows, declared: bool) -> str:
    if declared:
        return f", although {rows.protocol} is subject-disjoint."
    if rows.task == "attribute":
        return f": {rows.label} can be told by recognising the person."
    return ", as recognising people needs."


def how_often_tested(rows: Rows) -> Iterator[Finding]:
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
    cure = "test each sample once in a repeat; if these are hold-outs, number them as repeats, or name the protocol."
    for kind, chosen, words in (
        ("tested twice", pl.col("times") > 1, "tested more than once in a repeat of a cross-validation"),
        ("never tested", pl.col("times") == 0, "never tested in a repeat of a cross-validation"),
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
            what = f"{counted(len(names), 'sample')} {_is_in(len(names))} {words}."
            yield Finding(kind, "fault", what, len(names), tuple(examples), cure)


def _crossed(rows: Rows, counts: pl.DataFrame) -> pl.DataFrame:
    """The repeats that are cross-validations: because the protocol says so, or since most samples are tested just once."""
    repeats = counts.group_by("repeat").agg(
        (pl.col("times") > 0).mean().alias("tested"),
        ((pl.col("times") == 1).sum() / (pl.col("times") > 0).sum()).alias("once"),
    )
    if rows.protocol is not None and rows.protocol.kind != "unstated":
        return repeats.filter(pl.lit(rows.protocol.kind in _EACH_ONCE))
    return repeats.filter((pl.col("tested") > 0.5) & (pl.col("once") > 0.5))


def left_over(rows: Rows) -> Iterator[Finding]:
    """Find samples of the table that no split uses."""
    used = set(rows.used)
    rest = [name for name in rows.samples.ids if name not in used]
    if rest:
        yield Finding(
            "unused samples",
            "note",
            f"{count(len(rest))} of the {counted(len(rows.samples), 'sample')} of the table {_is_in(len(rest))} in no split.",
            len(rest),
            tuple(rest[:NAMED]),
            "say why: a table of exclusions with the columns id and reason.",
        )


def _first_of_each(found: pl.DataFrame, key: str) -> list[dict[str, object]]:
    return found.unique(key, keep="first", maintain_order=True).head(NAMED).to_dicts()


def _is(n: int) -> str:
    return "is not" if n == 1 else "are not"


def _is_in(n: int) -> str:
    return "is" if n == 1 else "are"


def _stand(n: int) -> str:
    return "stands" if n == 1 else "stand"
