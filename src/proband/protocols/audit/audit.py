"""Audit splits: leaks, copies, imbalance and lost samples, each with a remedy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from proband.engine import Engine, Progress, on_engine
from proband.errors import Hint, UsageError
from proband.protocols.audit import balance, cures, declared as said, leaks
from proband.protocols.audit.copies import copied_pairs, crossing_pairs, findings_of_copies
from proband.protocols.audit.findings import NAMED, Audit, AuditFinding, Severity, ordered
from proband.protocols.audit.losses import Losses, losses
from proband.protocols.audit.rows import SplitRows, Splits, rows_of
from proband.protocols.audit.undivided import findings_of_data, grouped_pairs
from proband.protocols.notation import Protocol
from proband.protocols.recommendation import Task
from proband.protocols.splits.files import SplitTable
from proband.samples import Samples
from proband.words import Note, Sentence, count

if TYPE_CHECKING:
    from proband.algorithms.pictures.pictures import Pictures
    from proband.protocols.audit.duplicates import Duplicates
    from proband.protocols.running.data import FeatureTable
    from proband.scores.embeddings import Embeddings

_CHECKS = (
    leaks.ids_and_rows,
    leaks.shared_samples,
    leaks.shared_subjects,
    leaks.how_often_tested,
    balance.sizes,
    said.declared,
    balance.absent_classes,
    balance.dominant_class,
    balance.unlike_classes,
)
_ALWAYS = (
    Sentence("audit.looked-for-rows", "note", "ids without a sample, and repeated rows"),
    Sentence("audit.looked-for-parts", "note", "samples and subjects in several parts of a split"),
    Sentence("audit.looked-for-tests", "note", "samples that are tested twice or never"),
    Sentence("audit.looked-for-sizes", "note", "sizes of folds, and classes in training and testing"),
)
LOOKED_AT_PROTOCOL = Sentence(
    "audit.looked-for-protocol", "note", "the numbers, sizes and subjects that {protocol} states"
)
LOOKED_FOR_COPIES = Sentence("audit.looked-for-copies", "note", "copies: {exact}, or {near}")
LOOKED_FOR_LOSSES = Sentence("audit.looked-for-losses", "note", "collected samples that are not used")

ONE_SPLIT = Sentence("audit.one-split", "note", "the table has no column 'fold', so one split is assumed")
ONE_SPLIT_A_REPEAT = Sentence(
    "audit.one-split-a-repeat",
    "note",
    "the table has no column 'fold', so one split per repeat is assumed",
)
TESTED_BY = Sentence("audit.tested-by", "note", "{method}; {assuming}")
_SAMPLES = "{n:count sample is/samples are} "
UNEXPLAINED = Sentence(
    "audit.unexplained-losses",
    "caution",
    "{n:count sample was/samples were} collected but not used, and no reason is stated",
)
NOT_COLLECTED = Sentence(
    "audit.not-collected", "caution", _SAMPLES + "used, but not in the table of collected data"
)
EXCLUDED_BUT_USED = Sentence(
    "audit.excluded-but-used",
    "caution",
    "{n:count sample is/samples are} excluded for a stated reason but used",
)
EXCLUDED_UNKNOWN = Sentence(
    "audit.excluded-unknown", "caution", _SAMPLES + "excluded, but not in the table of collected data"
)
EXPLAINED = Sentence(
    "audit.explained-losses",
    "note",
    "{n:count} of {total:count collected sample} {n:word was/were} excluded for a stated reason",
)
UNEVEN_LOSSES = Sentence(
    "audit.uneven-losses",
    "caution",
    "losses differ by {by} more than chance explains: {most:percent} of {who_most!r} are lost, {least:percent} of "
    "{who_least!r}",
)


@on_engine
def audit(
    splits: Splits | None,
    samples: Samples,
    *,
    task: Task = "identity",
    label: str | None = None,
    protocol: Protocol | str | None = None,
    images: Pictures | None = None,
    embeddings: Embeddings | None = None,
    features: FeatureTable | None = None,
    collected: Samples | None = None,
    exclusions: Any = None,
    source: str = "the data set",
    subjects_known: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> Audit:
    """Search splits, or a data set, for anything that makes an accuracy misleading.

    Parameters
    ----------
    splits
        A table of splits (:func:`proband.protocols.splits.files.read_splits`), a frame with the columns id, repeat, fold and role, or
        the splits that a splitter makes of `samples`. None looks at the data set itself: copies under two names, labels or subjects.
    samples
        The table of samples.
    task, label
        What is recognised: ``"identity"``, or ``"attribute"`` with its column. A subject in training and testing is a leak for
        attributes, and expected for identity.
    protocol
        The stated protocol, with which the splits are compared. Without it, folds are treated as a
        cross-validation if most samples are tested exactly once.
    images, embeddings, features
        Where to search for copies across a split: images, vectors, or the table on which classifiers are run.
    collected
        All samples that were collected; by default `samples`, if there are `exclusions`.
    exclusions
        A table of id and reason.
    source, subjects_known
        Without splits: the name of the data set, and whether the table states who is in the images.
    """
    rows = rows_of(splits, samples, task, label, protocol)
    if not rows.frame.height:
        raise UsageError("No sample in the splits is used for training, validation or testing.")
    if splits is None and protocol is not None:
        raise UsageError(
            "A protocol was given but no splits to check against it.",
            Hint("drop {option:protocol}, or pass splits."),
        )
    checks = _CHECKS if rows.divided else (leaks.ids_and_rows,)
    findings = [found for check in checks for found in check(rows)]
    looked_for = [sentence() for sentence in (_ALWAYS if rows.divided else ())]
    if rows.protocol is not None:
        looked_for.append(LOOKED_AT_PROTOCOL(protocol=str(rows.protocol)))
    if isinstance(splits, SplitTable):
        findings += _of_columns(splits)
    copies = _copies(rows, images, embeddings, features, threads, progress)
    crossing = None
    if copies is not None:
        pairs = copied_pairs(rows, copies)
        if rows.divided:
            crossing = crossing_pairs(rows, pairs)
            findings += findings_of_copies(rows, copies, pairs, crossing)
        else:
            crossing = grouped_pairs(pairs)
            findings += findings_of_data(rows, copies, crossing)
        looked_for.append(LOOKED_FOR_COPIES(exact=copies.exact, near=copies.near))
    lost = None
    if collected is not None or exclusions is not None:
        lost = losses(collected or samples, rows.used.to_list(), exclusions, label=label)
        findings += _of_losses(lost)
        looked_for.append(LOOKED_FOR_LOSSES())
    else:
        findings += leaks.left_over(rows)
    if splits is None and copies is None and lost is None:
        raise UsageError(
            "Without splits, only copies and losses can be checked, and there is nothing to check them with.",
            Hint("pass images or vectors ({option:images}, {option:embeddings}), or splits."),
        )
    if splits is not None:
        source = splits.source if isinstance(splits, SplitTable) else "the splits"
    return Audit(
        source=source,
        task=task,
        label=label,
        n_splits=rows.n_splits,
        n_samples=len(rows.used),
        n_subjects=rows.known["subject"].n_unique() if subjects_known else 0,
        looked_for=tuple(looked_for),
        unchecked=said.unchecked(rows) if rows.divided else (),
        findings=ordered(findings),
        duplicates=crossing,
        losses=lost,
    )


def _of_columns(splits: SplitTable) -> Iterator[AuditFinding]:
    if "fold" in splits.assumed:
        yield AuditFinding(
            "no column of folds",
            "note",
            ONE_SPLIT() if "repeat" in splits.assumed else ONE_SPLIT_A_REPEAT(),
            1,
            (),
            cures.IF_ONE_SPLIT(),
        )


def _copies(
    rows: SplitRows,
    images: Pictures | None,
    embeddings: Embeddings | None,
    features: FeatureTable | None,
    threads: int | None,
    progress: Progress | None,
) -> Duplicates | None:
    if sum(source is not None for source in (images, embeddings, features)) > 1:
        raise UsageError(
            "Copies are searched for among images, embeddings or features: pass only one of them."
        )
    if images is None and embeddings is None and features is None:
        return None
    from proband.protocols.audit.duplicates import duplicate_pictures, duplicate_vectors

    failed = set(np.array(rows.samples.ids[:])[rows.samples.failed].tolist())
    used = [name for name in rows.used if name in rows.samples.ids and name not in failed]
    if features is not None and features.images is not None:
        pictures, place = features.images, features.samples.ids
        held = [name for name in used if name in place]
        return duplicate_pictures(
            lambda name: pictures[place.place(name)], held, threads=threads, progress=progress
        )
    if images is not None:
        return duplicate_pictures(images.load, used, threads=threads, progress=progress)
    if features is not None:
        ids, vectors = features.samples.ids, features.vectors
    else:
        assert embeddings is not None
        ids, vectors = embeddings.queries, embeddings.query_vectors
    held = [name for name in used if name in ids]
    people = rows.samples.codes[rows.samples.ids.positions(held)]
    return duplicate_vectors(
        np.asarray(vectors[ids.positions(held)]), held, people, threads=threads, progress=progress
    )


def _of_losses(found: Losses) -> Iterator[AuditFinding]:
    tests: tuple[tuple[str, Severity, tuple[str, ...], Sentence, Note], ...] = (
        ("unexplained losses", "fault", found.unexplained, UNEXPLAINED, cures.STATE_REASONS()),
        ("used, not collected", "fault", found.foreign, NOT_COLLECTED, cures.COMPLETE_TABLE()),
        ("excluded, but used", "fault", found.contradicted, EXCLUDED_BUT_USED, cures.TAKE_OUT()),
        ("excluded, not collected", "warning", found.unknown, EXCLUDED_UNKNOWN, cures.CORRECT_IDS()),
    )  # fmt: skip
    for kind, severity, names, what, cure in tests:
        if names:
            yield AuditFinding(kind, severity, what(n=len(names)), len(names), names[:NAMED], cure)
    if found.reasons:
        total = sum(found.reasons.values())
        yield AuditFinding(
            "explained losses",
            "note",
            EXPLAINED(n=total, total=found.n_collected),
            total,
            tuple(f"{reason}: {count(n)}" for reason, n in list(found.reasons.items())[:NAMED]),
            cures.REPORT_LOSSES(),
            examples_are_groups=True,
        )
    for one in found.uneven:
        test = one.test
        if test is not None and test.p_value is not None and test.p_value < balance.UNLIKELY:
            yield AuditFinding(
                f"uneven losses by {one.by}",
                "note" if one.by == "subject" else "warning",
                UNEVEN_LOSSES(
                    by=one.by,
                    most=one.counts["share"][0],
                    who_most=one.counts[one.by][0],
                    least=one.counts["share"][-1],
                    who_least=one.counts[one.by][-1],
                ),
                found.n_lost,
                tuple(
                    f"{row[one.by]}: {count(row['lost'])} of {count(row['collected'])}"
                    for row in one.counts.head(NAMED).to_dicts()
                ),
                cures.WITH_AND_WITHOUT(),
                test.p_value,
                TESTED_BY(method=test.method, assuming=one.assuming),
                examples_are_groups=True,
            )
