"""What splits are said to be, held against what they are: how many there are, and what their parts hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from proband.engine.frames import frame_of_rows
from proband.protocols.audit_findings import NAMED, Finding
from proband.protocols.audit_rows import CELL, Rows, on_both_sides
from proband.protocols.notation import Protocol
from proband.protocols.sizes import shares
from proband.words import count, counted

_PARTS = {2: ("train", "test"), 3: ("train", "validation", "test")}
_CURE = "make the splits anew, or correct the protocol."
_SLACK = 1e-9


def declared(rows: Rows) -> Iterator[Finding]:
    """Find where the splits are not what the protocol says."""
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
        yield Finding(
            "subjects kept apart",
            "note",
            f"No subject is in both training and testing of a split, although {rows.protocol} is mixed.",
            rows.n_splits,
            (),
            "call it subject-disjoint (+), if that is meant.",
        )


def unchecked(rows: Rows) -> tuple[str, ...]:
    """Say what of the protocol the splits cannot show."""
    protocol = rows.protocol
    if protocol is None:
        return ()
    if protocol.kind == "unstated":
        return ("anything, since it states nothing",)
    said = ["whether chance alone chose"]
    if _conditional(protocol):
        said.append("which samples meet its conditions, and sizes that depend on them")
    if protocol.kind == "external":
        said.append("which samples are of which data set")
    if protocol.kind == "cross-validation" and protocol.folds is None:
        said.append("the number of folds, which is not stated")
    if "hold-out" in protocol.kind and not (protocol.sizes or protocol.class_sizes):
        said.append("sizes, which are not stated")
    if protocol.per == "class" and rows.label is None:
        said.append("samples per class, since there is no label")
    if protocol.disjoint is None:
        said.append("whether subjects should be shared, which is not stated")
    return (*said, *(f"[{note}]" for note in protocol.notes))


def _numbers(rows: Rows, protocol: Protocol) -> Iterator[Finding]:
    stated, of = protocol.n_splits, ""
    if protocol.kind == "leave-one-out" and not _conditional(protocol):
        stated, of = len(rows.used), ", one for each sample"
    elif protocol.kind == "leave-one-subject-out" and not _conditional(protocol):
        stated, of = rows.known["person"].n_unique(), ", one for each subject"
    if stated is not None and stated != rows.n_splits:
        yield Finding(
            "number of splits",
            "fault",
            f"There are {counted(rows.n_splits, 'split')}, but {protocol} has {count(stated)}{of}.",
            rows.n_splits,
            (),
            "complete the splits, or correct the protocol.",
        )
    elif "hold-out" not in protocol.kind:
        # Hold-outs may be numbered as repeats or as folds: each is a split of its own.
        repeats = rows.frame["repeat"].n_unique()
        uneven = rows.frame.group_by("repeat").agg(pl.col("fold").n_unique())["fold"].n_unique() > 1
        if repeats != protocol.repeats or uneven:
            of_each = ", with unlike numbers of folds" if uneven else ""
            yield Finding(
                "repeats and folds",
                "fault",
                f"The splits are numbered as {counted(repeats, 'repeat')}{of_each}, but {protocol} has {count(protocol.repeats)}.",
                repeats,
                (),
                "number repeats and folds as the protocol has them, or correct it.",
            )


def _validation(rows: Rows, protocol: Protocol) -> Iterator[Finding]:
    parts = _parts(rows)
    if len(protocol.sizes) == 3:
        wrong, words = parts.filter(pl.col("validation") == 0), "no validation set, which the protocol has"
    elif "hold-out" in protocol.kind and not (protocol.sizes or protocol.class_sizes):
        return
    else:
        wrong, words = parts.filter(pl.col("validation") > 0), "a validation set, which the protocol has not"
    if wrong.height:
        yield _deviation(
            rows, "validation part", words, wrong, [f"{count(n)} samples" for n in wrong["validation"]]
        )


def _shares(rows: Rows, protocol: Protocol) -> Iterator[Finding]:
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
        expected = ", ".join(
            f"{name} {_rounded(share * n)}" for name, share in zip(names, stated, strict=True)
        )
        yield _sizes_off(rows, off, names, f"of {count(n)} samples should be about {expected}")
    if protocol.kind == "cross-validation":
        short = parts.filter(pl.col("train") + pl.col("validation") + pl.col("test") < n)
        if short.height:
            yield _sizes_off(
                rows, short, ("train", "test"), f"leave some of {count(n)} samples unused", "unused in folds"
            )


def _slack(rows: Rows, protocol: Protocol) -> float:
    """How far a part may be from its share: a sample, or where whole subjects were dealt, as many as the largest has."""
    if protocol.disjoint is False or (protocol.disjoint is None and _any_shared(rows)):
        return 1.0
    own = rows.known.group_by("person").agg(pl.col("sample").n_unique())["sample"]
    return float(own.max() or 1)  # type: ignore[arg-type]


def _stratified(rows: Rows, stated: dict[str, float]) -> pl.DataFrame:
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


def _counts(rows: Rows, protocol: Protocol) -> Iterator[Finding]:
    """Hold numbers of samples, per subject (and class) or in all, against those that are stated."""
    if not protocol.sizes:
        return
    for name, size in zip(_PARTS[len(protocol.sizes)], protocol.sizes, strict=True):
        in_all = protocol.kind == "counted hold-out" and (name != "test" or protocol.per == "all")
        if in_all:
            parts = _parts(rows)
            off = parts.filter(pl.col(name) < 1 if size is None else pl.col(name) != int(size))
            words = f"should {_wanted(size)} in {name} in all"
            if off.height:
                yield _sizes_off(rows, off, (name,), words)
        elif protocol.per != "class" or rows.label is not None:
            yield from _per_subject(rows, protocol, name, size)


def _per_subject(rows: Rows, protocol: Protocol, name: str, size: float | None) -> Iterator[Finding]:
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
        yield Finding(
            "samples per subject",
            "fault",
            f"{protocol} should {_wanted(size)} of each {whose} in {name}; {counted(off.height, 'time')} it is another number.",
            off.height,
            tuple(
                f"{', '.join(str(row[part]) for part in key)}: {count(row['n'])} in {name}{rows.where(row)}"
                for row in off.head(NAMED).to_dicts()
            ),
            _CURE,
        )


def _classes(rows: Rows, protocol: Protocol) -> Iterator[Finding]:
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
        yield Finding(
            "samples per class",
            "fault",
            f"{counted(off.height, 'time')} a class has another number of training samples than {protocol} says.",
            off.height,
            tuple(
                f"{row['label']}: {count(row['n'])} train, {count(row['wanted'])} stated{rows.where(row)}"
                for row in off.head(NAMED).to_dicts()
            ),
            _CURE,
        )
    n = len(rows.used)
    rest = _parts(rows).filter(pl.col("train") + pl.col("test") < n)
    if rest.height and not _conditional(protocol) and protocol.disjoint is False:
        yield _sizes_off(rows, rest, ("train", "test"), f"should test the rest of {count(n)} samples")


def _left_out(rows: Rows, protocol: Protocol) -> Iterator[Finding]:
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
            f"another number of {unit}s to test than one",
            off,
            [counted(k, unit) for k in column],
        )
    if protocol.drawn is not None:
        wrong = parts.filter(pl.col("train") != protocol.drawn[0])
        if wrong.height:
            yield _sizes_off(rows, wrong, ("train",), f"should {_wanted(protocol.drawn[0])} in train")
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
        words = f"should train on all of {count(n)} samples but those of the {unit} left out"
        yield _sizes_off(rows, wrong, ("train", "test"), words)


def _parts(rows: Rows) -> pl.DataFrame:
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
    rows: Rows, off: pl.DataFrame, names: Sequence[str], words: str, kind: str = "sizes of parts"
) -> Finding:
    examples = [
        ", ".join(f"{name} {count(row[name])}" for name in names) for row in off.head(NAMED).to_dicts()
    ]
    return _deviation(rows, kind, words, off, examples)


def _deviation(rows: Rows, kind: str, words: str, off: pl.DataFrame, examples: Sequence[str]) -> Finding:
    return Finding(
        kind,
        "fault",
        f"{count(off.height)} of {counted(rows.n_splits, 'split')} {'deviates' if off.height == 1 else 'deviate'} from {rows.protocol}: {words}.",
        off.height,
        tuple(
            f"{said}{rows.where(row)}"
            for said, row in zip(examples, off.head(NAMED).to_dicts(), strict=False)
        ),
        _CURE,
    )


def _wanted(size: float | None) -> str:
    return "have the rest" if size is None else f"have {counted(int(size), 'sample')}"


def _rounded(quota: float) -> str:
    return count(round(quota, 1))


def _any_shared(rows: Rows) -> bool:
    return on_both_sides(rows.known, "subject", "train", "test").height > 0


def _conditional(protocol: Protocol) -> bool:
    return protocol.train_on is not None or protocol.test_on is not None
