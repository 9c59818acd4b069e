"""Sizes and classes of the parts: which are too small, missing or different."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.distributions import chi_square_tail
from proband.protocols.audit import cures as cures
from proband.protocols.audit.findings import NAMED, AuditFinding
from proband.protocols.audit.rows import CELL, SplitRows, on_both_sides
from proband.words import Sentence, count, counted, percent

EMPTY_PARTS = Sentence(
    "audit.empty-parts", "caution", "{n:count split has/splits have} no samples to train on or none to test"
)
UNEVEN_FOLDS = Sentence(
    "audit.uneven-folds",
    "caution",
    "{n:count test fold has/test folds have} less than half as many samples as the other folds of the repeat, but the same weight in a mean over folds",
)
TINY_TEST_SETS = Sentence(
    "audit.tiny-test-sets",
    "note",
    "{n:count} of {total:count test set} {n:word has/have} fewer than {limit:count sample}, the smallest {least:count}: its accuracy "
    "moves in steps of {step:small}",
)
PEOPLE_APART = Sentence(
    "audit.people-apart",
    "note",
    "{n:count person is/people are} tested and none of them is in training: this tests verification, or "
    "the identification of people who are enrolled later",
)
_ABSENT = " tested without a training sample, and cannot be recognised"
PEOPLE_ABSENT = Sentence(
    "audit.people-absent",
    "caution",
    "{n:count person is/people are} tested without a training sample, and cannot be recognised",
)
CLASSES_ABSENT = Sentence(
    "audit.classes-absent",
    "caution",
    "{n:count class is/classes are} tested without a training sample, and cannot be recognised",
)
DOMINANT_CLASS = Sentence(
    "audit.dominant-class",
    "caution",
    "{share:tenth} of the tested samples are {label!r}: a classifier that always gives this answer would be as accurate",
)
UNLIKE_CLASSES = Sentence(
    "audit.unlike-classes",
    "caution",
    "in {n:count} of {total:count split} the class proportions of training and testing differ by more than "
    "chance explains: by up to {apart:percent} of the samples",
)

DEALT_AT_RANDOM = {
    column: Sentence(
        f"audit.{units}-dealt-at-random",
        "note",
        f"score test that {units} were assigned at random, for the first split named; p multiplied by the number of splits (Bonferroni)",
    )
    for column, units in (("subject", "subjects"), ("id", "samples"))
}

APART = 0.1
"""Class proportions of training and testing that differ by no more than this in total are not reported."""

UNLIKELY = 0.01
"""P-values below this are reported."""

_SMALL = 10
_DOMINANT = 0.8
_FEWEST_UNITS = 5  # on either side, for a test by a chi-square distribution
_MOST_CLASSES = 50


def sizes(rows: SplitRows) -> Iterator[AuditFinding]:
    """Find splits that lack a part, tiny test sets, and folds much smaller than the others."""
    table = _sizes(rows)
    empty = table.filter((pl.col("train") == 0) | (pl.col("test") == 0))
    if empty.height:
        yield AuditFinding(
            "empty parts",
            "fault",
            EMPTY_PARTS(n=empty.height),
            empty.height,
            tuple(
                f"no {'train' if not row['train'] else 'test'} samples{rows.where(row)}"
                for row in empty.head(NAMED).to_dicts()
            ),
            cures.SPLIT_ANEW(),
        )
    full = table.filter((pl.col("test") > 0) & (pl.col("train") > 0))
    usual = pl.col("test").median().over("repeat")
    odd = full.filter((pl.len().over("repeat") > 2) & (2 * pl.col("test") < usual) & _not_by_subject(rows))
    if odd.height:
        yield AuditFinding(
            "uneven folds",
            "warning",
            UNEVEN_FOLDS(n=odd.height),
            odd.height,
            tuple(f"{counted(row['test'], 'sample')}{rows.where(row)}" for row in odd.head(NAMED).to_dicts()),
            cures.DEAL_EVENLY(),
        )
    small = full.filter(pl.col("test") < _SMALL)
    if small.height and full["test"].max() != 1 and not odd.height:
        least = int(small["test"].min() or 0)  # type: ignore[arg-type]
        yield AuditFinding(
            "tiny test sets",
            "note",
            TINY_TEST_SETS(n=small.height, total=table.height, limit=_SMALL, least=least, step=1 / least),
            small.height,
            tuple(
                f"{counted(row['test'], 'sample')}{rows.where(row)}" for row in small.head(NAMED).to_dicts()
            ),
            cures.READ_POOLED(),
        )


def absent_classes(rows: SplitRows) -> Iterator[AuditFinding]:
    """Find classes that are tested without training samples."""
    labelled = rows.known.filter(pl.col("label").is_not_null())
    parts = {
        role: labelled.filter(pl.col("role") == role).select(*CELL, "label").unique(maintain_order=True)
        for role in ("train", "test")
    }
    missing = parts["test"].join(parts["train"], on=[*CELL, "label"], how="anti", maintain_order="left")
    missing = missing.join(parts["train"].select(CELL).unique(), on=CELL, how="semi", maintain_order="left")
    names = missing["label"].unique(maintain_order=True)
    if not len(names):
        return
    apart = rows.task == "identity" and missing.height == parts["test"].height
    severity = "note" if apart else "warning" if rows.task == "identity" or _declared_open(rows) else "fault"
    yield AuditFinding(
        "classes absent from training",
        severity,  # type: ignore[arg-type]
        (PEOPLE_APART if apart else PEOPLE_ABSENT if rows.task == "identity" else CLASSES_ABSENT)(
            n=len(names)
        ),
        len(names),
        tuple(
            f"{row['label']}{rows.where(row)}"
            for row in missing.unique("label", keep="first", maintain_order=True).head(NAMED).to_dicts()
        ),
        cures.IF_MEANT() if apart else cures.TRAIN_EVERY_CLASS(),
    )


def dominant_class(rows: SplitRows) -> Iterator[AuditFinding]:
    """Find whether one class makes up most of the test samples."""
    if rows.task == "identity":
        return
    tested = rows.known.filter((pl.col("role") == "test") & pl.col("label").is_not_null())
    counts = tested.unique("id")["label"].value_counts(sort=True)
    total = int(counts["count"].sum())
    if counts.height > 1 and counts["count"][0] > _DOMINANT * total:
        share = counts["count"][0] / total
        yield AuditFinding(
            "dominant class",
            "warning",
            DOMINANT_CLASS(share=share, label=counts["label"][0]),
            int(counts["count"][0]),
            tuple(f"{name}: {count(n)}" for name, n in counts.head(NAMED).iter_rows()),
            cures.REPORT_CLASSES(),
            examples_are_groups=True,
        )


def unlike_classes(rows: SplitRows) -> Iterator[AuditFinding]:
    """Find splits whose class proportions in training and testing differ by more than chance explains."""
    labelled = rows.known.filter(pl.col("label").is_not_null() & pl.col("role").is_in(["train", "test"]))
    classes = labelled["label"].unique().sort()
    if rows.task == "identity" or not 2 <= len(classes) <= _MOST_CLASSES:
        return
    far = _apart(labelled).filter(pl.col("apart") > APART).sort("apart", descending=True, maintain_order=True)
    mixed = on_both_sides(labelled, "subject", "train", "test").select(CELL).unique()
    unlikely = []
    for row in far.iter_rows(named=True):
        cell = labelled.filter((pl.col("repeat") == row["repeat"]) & (pl.col("fold") == row["fold"]))
        together = not mixed.filter(
            (pl.col("repeat") == row["repeat"]) & (pl.col("fold") == row["fold"])
        ).height
        p_value = _p_value(cell, classes, "subject" if together else "id")
        if p_value is not None and p_value * rows.n_splits < UNLIKELY:
            unlikely.append((row, p_value, "subject" if together else "id"))
    if unlikely:
        worst, p_value, unit = unlikely[0]
        yield AuditFinding(
            "unlike classes",
            "warning",
            UNLIKE_CLASSES(n=len(unlikely), total=rows.n_splits, apart=worst["apart"]),
            len(unlikely),
            tuple(f"{percent(row['apart'])} apart{rows.where(row)}" for row, _, _ in unlikely[:NAMED]),
            cures.STRATIFY(),
            min(1.0, p_value * rows.n_splits),
            DEALT_AT_RANDOM[unit](),
        )


def dealt_at_random(counts: npt.NDArray[np.int64], tested: npt.NDArray[np.bool_]) -> tuple[float, int]:
    """Test whether units with samples of several classes were assigned to the test part at random.

    Parameters
    ----------
    counts
        Units × classes: how many samples of each class a unit (a subject, or a sample) has.
    tested
        Which units are in the test part.

    Returns
    -------
    statistic, degrees_of_freedom
        For comparison with the chi-square distribution.

    Notes
    -----
    With residuals e_u = c_u − n_u·p of each unit from the shares p of the whole, the sum over m of U units drawn without
    replacement has mean 0 and covariance m(1 − m/U)·Σ e eᵀ/(U − 1). If every unit is one sample the statistic is (U − 1)/U
    times Pearson's chi-square.
    """
    n_units, m = len(counts), int(tested.sum())
    shares = counts.sum(axis=0) / counts.sum()
    residuals = counts - counts.sum(axis=1, keepdims=True) * shares
    total = residuals[tested].sum(axis=0)
    spread = m * (1 - m / n_units) * (residuals.T @ residuals) / (n_units - 1)
    inverse = np.linalg.pinv(spread, rcond=1e-9, hermitian=True)
    return float(total @ inverse @ total), int(np.linalg.matrix_rank(spread, hermitian=True))


def _p_value(cell: pl.DataFrame, classes: pl.Series, unit: str) -> float | None:
    # A sample in both parts is a unit in each; that it is there is reported elsewhere.
    units = cell.select(pl.struct(unit, "role").rank("dense").alias("unit"), "role", "label")
    places = units["unit"].to_numpy().astype(np.intp) - 1
    counts = np.zeros((int(places.max()) + 1, len(classes)), np.int64)
    np.add.at(counts, (places, units["label"].cast(pl.Enum(classes)).to_physical().to_numpy()), 1)
    tested = np.zeros(len(counts), np.bool_)
    tested[places[(units["role"] == "test").to_numpy()]] = True
    if min(tested.sum(), (~tested).sum()) < _FEWEST_UNITS:
        return None
    statistic, freedom = dealt_at_random(counts, tested)
    return float(chi_square_tail(freedom, statistic)) if freedom else None


def _apart(labelled: pl.DataFrame) -> pl.DataFrame:
    """Half the sum of the differences of class shares between training and testing, of each split that has both."""
    parts = labelled.group_by(*CELL, "label").agg(
        (pl.col("role") == "train").sum().alias("train"), (pl.col("role") == "test").sum().alias("test")
    )
    shares = [pl.col(role) / pl.col(role).sum() for role in ("train", "test")]
    found = parts.group_by(CELL).agg(
        (shares[0] - shares[1]).abs().sum().alias("apart") / 2, pl.col("train", "test").sum()
    )
    return found.filter((pl.col("train") > 0) & (pl.col("test") > 0)).sort(CELL)


def _sizes(rows: SplitRows) -> pl.DataFrame:
    return (
        rows.frame.group_by(CELL)
        .agg((pl.col("role") == "train").sum().alias("train"), (pl.col("role") == "test").sum().alias("test"))
        .sort(CELL)
    )


def _not_by_subject(rows: SplitRows) -> pl.Expr:
    """Folds of one subject each are as large as the subjects are."""
    tests = rows.known.filter(pl.col("role") == "test").group_by(CELL).agg(pl.col("subject").n_unique())
    return pl.lit(bool(tests.height == 0 or tests["subject"].max() != 1))


def _declared_open(rows: SplitRows) -> bool:
    return rows.protocol is not None and rows.protocol.kind == "external"
