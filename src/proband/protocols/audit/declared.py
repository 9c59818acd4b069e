"""Compare splits with the stated protocol: their number, and the sizes of their parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import polars as pl

from proband.engine.frames import frame_of_rows
from proband.protocols.audit import cures as cures
from proband.protocols.audit.findings import NAMED, AuditFinding
from proband.protocols.audit.rows import CELL, SplitRows, on_both_sides
from proband.protocols.notation import Protocol
from proband.protocols.splits.sizes import shares
from proband.words import Note, Sentence, count, counted, listed

KEPT_APART = Sentence(
    "audit.subjects-kept-apart",
    "note",
    "no subject is in both training and testing of a split, although {protocol} is mixed",
)
_SPLITS = "there {n:word is/are} {n:count split}, but {protocol} has {stated:count}"
OTHER_SPLITS = Sentence("audit.other-splits", "caution", _SPLITS)
OTHER_SPLITS_THAN_SAMPLES = Sentence(
    "audit.other-splits-than-samples", "caution", _SPLITS + ", one for each sample"
)
OTHER_SPLITS_THAN_SUBJECTS = Sentence(
    "audit.other-splits-than-subjects", "caution", _SPLITS + ", one for each subject"
)
OTHER_REPEATS = Sentence(
    "audit.other-repeats",
    "caution",
    "the splits are numbered as {n:count repeat}, but {protocol} has {stated:count}",
)
UNEVEN_REPEATS = Sentence(
    "audit.uneven-repeats",
    "caution",
    "the splits are numbered as {n:count repeat} with different numbers of folds, but {protocol} has {stated:count}",
)
OTHER_CLASS_SIZES = Sentence(
    "audit.other-class-sizes",
    "caution",
    "{n:count time} the number of training samples of a class differs from what {protocol} states",
)
_OTHER_NUMBER = " of each {whose} in {part}; the number differs {n:count time}"
SIZE_OF_EACH = Sentence(
    "audit.size-of-each", "caution", "{protocol} should have {size:count sample}" + _OTHER_NUMBER
)
REST_OF_EACH = Sentence("audit.rest-of-each", "caution", "{protocol} should have the rest" + _OTHER_NUMBER)

DEVIATION = Sentence(
    "audit.deviation",
    "caution",
    "{n:count} of {total:count split} {n:word deviates/deviate} from {protocol}: {how}",
)
DEVIATION_OF_ONE = Sentence(
    "audit.deviation-of-one", "caution", "The only split deviates from {protocol}: {how}"
)
_SAMPLES = {"train": "training", "validation": "validation", "test": "test"}
NO_VALIDATION = Sentence("audit.no-validation", "caution", "has no validation set, which the protocol has")
A_VALIDATION = Sentence("audit.a-validation", "caution", "has a validation set, which the protocol does not")
OTHER_SHARES = Sentence(
    "audit.other-shares",
    "caution",
    "{splits:word it/each} should have about {expected} samples of {n:count}",
)
UNUSED_IN_FOLDS = Sentence("audit.unused-in-folds", "caution", "should use all {n:count sample}")
SIZE_IN_ALL = Sentence("audit.size-in-all", "caution", "should have {size:count sample} in {part} in total")
REST_IN_ALL = Sentence("audit.rest-in-all", "caution", "should have the rest in {part} in total")
SIZE_IN_TRAIN = Sentence("audit.size-in-train", "caution", "should have {size:count sample} in train")
REST_NOT_TESTED = Sentence("audit.rest-not-tested", "caution", "should test the rest of {n:count sample}")
SEVERAL_SAMPLES = Sentence("audit.several-samples", "caution", "does not test exactly one sample")
SEVERAL_SUBJECTS = Sentence("audit.several-subjects", "caution", "does not test exactly one subject")
OTHERS_NOT_TRAINED = Sentence(
    "audit.others-not-trained",
    "caution",
    "should train on all of {n:count sample} except those of the {unit} left out",
)

NOTHING_STATED = Sentence("audit.unchecked-anything", "note", "anything, because it states nothing")
CHANCE = Sentence("audit.unchecked-chance", "note", "whether samples were chosen at random")
CONDITIONS = Sentence(
    "audit.unchecked-conditions",
    "note",
    "which samples meet its conditions, and the sizes that depend on them",
)
DATA_SETS = Sentence("audit.unchecked-data-sets", "note", "which data set each sample belongs to")
FOLDS = Sentence("audit.unchecked-folds", "note", "the number of folds (not stated)")
SIZES = Sentence("audit.unchecked-sizes", "note", "sizes (not stated)")
CLASSES = Sentence("audit.unchecked-classes", "note", "samples per class (no label is given)")
DISJOINTNESS = Sentence("audit.unchecked-disjointness", "note", "whether subjects may be shared (not stated)")
REMARK = Sentence("audit.unchecked-remark", "note", "[{remark}]")


_PARTS = {2: ("train", "test"), 3: ("train", "validation", "test")}
_SLACK = 1e-9


def declared(rows: SplitRows) -> Iterator[AuditFinding]:
    """Find where the splits deviate from the protocol."""
    if rows.protocol is None or rows.protocol.kind == "unstated":
        return
    yield from _numbers(rows, rows.protocol)
    yield from _validation(rows, rows.protocol)
    match rows.protocol.kind:
        case "hold-out" | "cross-validation":
            yield from _shares(rows, rows.protocol)
        case "per-subject hold-out" | "counted hold-out":
            yield from _counts(rows, rows.protocol)
        case "class hold-out":
            yield from _classes(rows, rows.protocol)
        case "leave-one-out" | "leave-one-subject-out" | "sampled leave-one-out":
            yield from _left_out(rows, rows.protocol)
    if rows.protocol.disjoint is False and not _any_shared(rows):
        yield AuditFinding(
            "subjects kept apart",
            "note",
            KEPT_APART(protocol=str(rows.protocol)),
            rows.n_splits,
            (),
            cures.CALL_DISJOINT(),
        )


def unchecked(rows: SplitRows) -> tuple[Note, ...]:
    """Report which statements of the protocol cannot be checked with the splits."""
    protocol = rows.protocol
    if protocol is None:
        return ()
    if protocol.kind == "unstated":
        return (NOTHING_STATED(),)
    said = [CHANCE()]
    if _conditional(protocol):
        said.append(CONDITIONS())
    if protocol.kind == "external":
        said.append(DATA_SETS())
    if protocol.kind == "cross-validation" and protocol.folds is None:
        said.append(FOLDS())
    if protocol.is_hold_out and not (protocol.sizes or protocol.class_sizes):
        said.append(SIZES())
    if protocol.per == "class" and rows.label is None:
        said.append(CLASSES())
    if protocol.disjoint is None:
        said.append(DISJOINTNESS())
    return (*said, *(REMARK(remark=note) for note in protocol.notes))


def _numbers(rows: SplitRows, protocol: Protocol) -> Iterator[AuditFinding]:
    stated, what = protocol.n_splits, OTHER_SPLITS
    if protocol.kind == "leave-one-out" and not _conditional(protocol):
        stated, what = len(rows.used), OTHER_SPLITS_THAN_SAMPLES
    elif protocol.kind == "leave-one-subject-out" and not _conditional(protocol):
        stated, what = rows.known["person"].n_unique(), OTHER_SPLITS_THAN_SUBJECTS
    if stated is not None and stated != rows.n_splits:
        yield AuditFinding(
            "number of splits",
            "fault",
            what(n=rows.n_splits, protocol=str(protocol), stated=stated),
            rows.n_splits,
            (),
            cures.COMPLETE_SPLITS(),
        )
    elif not protocol.is_hold_out:
        # Hold-outs may be numbered as repeats or as folds: each is a split of its own.
        repeats = rows.frame["repeat"].n_unique()
        uneven = rows.frame.group_by("repeat").agg(pl.col("fold").n_unique())["fold"].n_unique() > 1
        if repeats != protocol.repeats or uneven:
            numbered = UNEVEN_REPEATS if uneven else OTHER_REPEATS
            yield AuditFinding(
                "repeats and folds",
                "fault",
                numbered(n=repeats, protocol=str(protocol), stated=protocol.repeats),
                repeats,
                (),
                cures.NUMBER_FOLDS(),
            )


def _validation(rows: SplitRows, protocol: Protocol) -> Iterator[AuditFinding]:
    parts = _parts(rows)
    if len(protocol.sizes) == 3:
        wrong, how = parts.filter(pl.col("validation") == 0), NO_VALIDATION()
    elif protocol.is_hold_out and not (protocol.sizes or protocol.class_sizes):
        return
    else:
        wrong, how = parts.filter(pl.col("validation") > 0), A_VALIDATION()
    if wrong.height:
        yield _deviation(
            rows, "validation part", how, wrong, [counted(n, "sample") for n in wrong["validation"]]
        )


def _shares(rows: SplitRows, protocol: Protocol) -> Iterator[AuditFinding]:
    """Hold sizes of parts against percentages, or one of k folds, of all samples that are used."""
    stated = (
        shares(protocol.sizes) if protocol.folds is None else (1 - 1 / protocol.folds, 1 / protocol.folds)
    )
    if stated is None or _conditional(protocol):
        return
    names = _PARTS[len(stated)]
    parts, n = _parts(rows), len(rows.used)
    slack = _slack(rows, protocol)
    far = [
        (pl.col(name) - share * n).abs() >= slack + _SLACK for name, share in zip(names, stated, strict=True)
    ]
    if protocol.disjoint is True or slack > 1:
        off = parts.filter(pl.any_horizontal(far))
    else:
        off = parts.filter(pl.any_horizontal(far)).join(
            _stratified(rows, dict(zip(names, stated, strict=True))),
            on=CELL,
            how="anti",
            maintain_order="left",
        )
    if off.height:
        expected = listed(
            f"{count(round(share * n, 1))} {_SAMPLES[name]}"
            for name, share in zip(names, stated, strict=True)
        )
        yield _sizes_off(rows, off, names, OTHER_SHARES(n=n, expected=expected, splits=off.height))
    if protocol.kind == "cross-validation":
        short = parts.filter(pl.col("train") + pl.col("validation") + pl.col("test") < n)
        if short.height:
            yield _sizes_off(rows, short, ("train", "test"), UNUSED_IN_FOLDS(n=n), "unused in folds")


def _slack(rows: SplitRows, protocol: Protocol) -> float:
    """How far a part may be from its share: a sample, or where whole subjects were dealt, as many as the largest has."""
    if protocol.disjoint is False or (protocol.disjoint is None and _any_shared(rows)):
        return 1.0
    own = rows.known.group_by("person").agg(pl.col("sample").n_unique())["sample"]
    return float(own.max() or 1)  # type: ignore[arg-type]


def _stratified(rows: SplitRows, stated: dict[str, float]) -> pl.DataFrame:
    """The splits in which every class has its share in every part to within a sample, of which many may add up."""
    known = rows.known.unique(["cell", "sample", "role"])
    of_class = known.group_by("label").agg(pl.col("sample").n_unique().alias("whole"))
    counts = known.group_by(*CELL, "label").agg(
        (pl.col("role") == name).sum().cast(pl.Int64).alias(name) for name in stated
    )
    near = [(pl.col(name) - share * pl.col("whole")).abs() <= 1 + _SLACK for name, share in stated.items()]
    held = (
        counts.join(of_class, on="label", nulls_equal=True)
        .group_by(CELL)
        .agg(pl.all_horizontal(near).all().alias("near"))
    )
    return held.filter("near")


def _counts(rows: SplitRows, protocol: Protocol) -> Iterator[AuditFinding]:
    """Hold numbers of samples, per subject (and class) or in all, against those that are stated."""
    if not protocol.sizes:
        return
    for name, size in zip(_PARTS[len(protocol.sizes)], protocol.sizes, strict=True):
        in_all = protocol.kind == "counted hold-out" and (name != "test" or protocol.per == "all")
        if in_all:
            parts = _parts(rows)
            off = parts.filter(pl.col(name) < 1 if size is None else pl.col(name) != int(size))
            if off.height:
                how = REST_IN_ALL(part=name) if size is None else SIZE_IN_ALL(size=int(size), part=name)
                yield _sizes_off(rows, off, (name,), how)
        elif protocol.per != "class" or rows.label is not None:
            yield from _per_subject(rows, protocol, name, size)


def _per_subject(
    rows: SplitRows, protocol: Protocol, name: str, size: float | None
) -> Iterator[AuditFinding]:
    key = ["subject", "label"] if protocol.per == "class" else ["subject"]
    known = rows.known.unique(["cell", "sample", "role"], maintain_order=True)
    here = known.filter(pl.col("role") == name).group_by(*CELL, *key).agg(pl.len().cast(pl.Int64).alias("n"))
    every = known.select(CELL).unique().join(known.select(key).unique(), how="cross")
    counts = every.join(here, on=[*CELL, *key], how="left", nulls_equal=True).with_columns(
        pl.col("n").fill_null(0)
    )
    off = counts.filter(pl.col("n") < 1 if size is None else pl.col("n") != int(size)).sort(*CELL, *key)
    if off.height:
        whose = "subject and class" if protocol.per == "class" else "subject"
        said = {"protocol": str(protocol), "whose": whose, "part": name, "n": off.height}
        yield AuditFinding(
            "samples per subject",
            "fault",
            REST_OF_EACH(**said) if size is None else SIZE_OF_EACH(**said, size=int(size)),
            off.height,
            tuple(
                f"{', '.join(str(row[part]) for part in key)}: {count(row['n'])} in {name}{rows.where(row)}"
                for row in off.head(NAMED).to_dicts()
            ),
            cures.REMAKE_OR_CORRECT(),
        )


def _classes(rows: SplitRows, protocol: Protocol) -> Iterator[AuditFinding]:
    """Hold the training samples of each class against those that are stated."""
    known = rows.known.unique(["cell", "sample", "role"])
    here = (
        known.filter(pl.col("role") == "train")
        .group_by(*CELL, "label")
        .agg(pl.len().cast(pl.Int64).alias("n"))
    )
    stated = frame_of_rows(protocol.class_sizes, {"label": pl.String, "wanted": pl.Int64})
    every = (
        known.select(CELL)
        .unique()
        .join(pl.concat([stated.select("label"), known.select("label").drop_nulls()]).unique(), how="cross")
    )
    counts = every.join(here, on=[*CELL, "label"], how="left").join(stated, on="label", how="left")
    off = counts.with_columns(pl.col("n", "wanted").fill_null(0)).filter(pl.col("n") != pl.col("wanted"))
    off = off.sort(*CELL, "label")
    if off.height:
        yield AuditFinding(
            "samples per class",
            "fault",
            OTHER_CLASS_SIZES(n=off.height, protocol=str(protocol)),
            off.height,
            tuple(
                f"{row['label']}: {count(row['n'])} train, {count(row['wanted'])} stated{rows.where(row)}"
                for row in off.head(NAMED).to_dicts()
            ),
            cures.REMAKE_OR_CORRECT(),
        )
    n = len(rows.used)
    rest = _parts(rows).filter(pl.col("train") + pl.col("test") < n)
    if rest.height and not _conditional(protocol) and protocol.disjoint is False:
        yield _sizes_off(rows, rest, ("train", "test"), REST_NOT_TESTED(n=n))


def _left_out(rows: SplitRows, protocol: Protocol) -> Iterator[AuditFinding]:
    """Hold what one split leaves out, and what it trains on, against the protocol."""
    parts, n = _parts(rows), len(rows.used)
    by_subject = protocol.kind == "leave-one-subject-out"
    unit = "subject" if by_subject else "sample"
    off = parts.filter(pl.col("people" if by_subject else "test") != 1)
    if off.height:
        column = off["people" if by_subject else "test"]
        yield _deviation(
            rows,
            f"one {unit} at a time",
            (SEVERAL_SUBJECTS if by_subject else SEVERAL_SAMPLES)(),
            off,
            [counted(k, unit) for k in column],
        )
    if protocol.drawn is not None:
        wrong = parts.filter(pl.col("train") != protocol.drawn[0])
        if wrong.height:
            yield _sizes_off(rows, wrong, ("train",), SIZE_IN_TRAIN(size=protocol.drawn[0]))
        return
    if _conditional(protocol):
        return
    own = rows.known.group_by("person").agg(pl.col("sample").n_unique().cast(pl.Int64).alias("own"))
    single = parts.filter(pl.col("people") == 1).join(own, on="person", how="left", maintain_order="left")
    others, rest = pl.col("train") != n - pl.col("own"), pl.col("train") != n - 1
    wanted = others if protocol.is_disjoint else rest if protocol.disjoint is False else others & rest
    if by_subject:
        wanted = wanted | (pl.col("test") != pl.col("own"))
    wrong = single.filter(wanted)
    if wrong.height:
        yield _sizes_off(rows, wrong, ("train", "test"), OTHERS_NOT_TRAINED(n=n, unit=unit))


def _parts(rows: SplitRows) -> pl.DataFrame:
    """The numbers of samples in the parts of each split, of people in its test set, and one of these."""
    once = rows.frame.unique(["cell", "sample", "role"], maintain_order=True)
    tested = pl.col("role") == "test"
    return (
        once.group_by(CELL)
        .agg(
            *((pl.col("role") == name).sum().cast(pl.Int64).alias(name) for name in _PARTS[3]),
            pl.col("person").filter(tested).n_unique().cast(pl.Int64).alias("people"),
            pl.col("person").filter(tested).first().alias("person"),
        )
        .sort(CELL)
    )


def _sizes_off(
    rows: SplitRows, off: pl.DataFrame, names: Sequence[str], how: Note, kind: str = "sizes of parts"
) -> AuditFinding:
    examples = [
        ", ".join(f"{name} {count(row[name])}" for name in names) for row in off.head(NAMED).to_dicts()
    ]
    return _deviation(rows, kind, how, off, examples)


def _deviation(
    rows: SplitRows, kind: str, how: Note, off: pl.DataFrame, examples: Sequence[str]
) -> AuditFinding:
    total = rows.n_splits
    said = DEVIATION_OF_ONE if total == 1 else partial(DEVIATION, n=off.height, total=total)
    return AuditFinding(
        kind,
        "fault",
        said(protocol=str(rows.protocol), how=how),
        off.height,
        tuple(
            f"{said}{rows.where(row)}"
            for said, row in zip(examples, off.head(NAMED).to_dicts(), strict=False)
        ),
        cures.REMAKE_OR_CORRECT(),
    )


def _any_shared(rows: SplitRows) -> bool:
    return on_both_sides(rows.known, "subject", "train", "test").height > 0


def _conditional(protocol: Protocol) -> bool:
    return protocol.train_on is not None or protocol.test_on is not None
