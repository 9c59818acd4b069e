"""The samples to divide: labels and subjects as numbers, and which samples are allowed in training and testing."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.engine.foreign import array_from, complete_from, missing_in
from proband.engine.kinds import shown
from proband.engine.labels import aligned, rows_of
from proband.errors import DesignError, Hint, InputError, UsageError, first_few
from proband.samples.ids import Ids, Positions
from proband.words import count, counted

Mask = npt.NDArray[np.bool_]
Parts = tuple[Mask, Mask | None, Mask]
"""Masks of the training, validation (None without a validation set) and test samples."""


@dataclass(frozen=True, eq=False)
class Material:
    """The samples to divide.

    Attributes
    ----------
    n
        How many.
    labels, subjects
        The number of each sample's class and subject; None if not known.
    classes, people
        The names of these numbers.
    may_train, may_test
        Masks of the samples allowed in training and in testing; None allows all.
    """

    n: int
    labels: Positions | None
    classes: tuple[str, ...]
    subjects: Positions | None
    people: tuple[str, ...]
    may_train: Mask | None = None
    may_test: Mask | None = None

    @property
    def train_pool(self) -> Mask:
        """The samples allowed in training."""
        return np.ones(self.n, np.bool_) if self.may_train is None else self.may_train

    @property
    def test_pool(self) -> Mask:
        """The samples allowed in testing."""
        return np.ones(self.n, np.bool_) if self.may_test is None else self.may_test

    def strata(self, stratify: bool) -> Positions:
        """Return the class of each sample, or a single stratum."""
        return self.labels if stratify and self.labels is not None else np.zeros(self.n, np.intp)

    def known_subjects(self, why: str) -> Positions:
        """Return the subject of each sample; `why` is the subject of the error message if they are not known."""
        if self.subjects is None:
            raise DesignError(
                f"{why} requires subjects, but no subjects were given.",
                "pass the subject of each sample (groups=… with scikit-learn).",
            )
        return self.subjects

    def known_labels(self, why: str) -> Positions:
        """Return the class of each sample; `why` is the subject of the error message if they are not known."""
        if self.labels is None:
            raise DesignError(
                f"{why} requires labels, but no labels were given.", "pass the class of each sample (y)."
            )
        return self.labels

    @property
    def is_identity(self) -> bool:
        """Whether labels and subjects define the same classes."""
        if self.labels is None or self.subjects is None or len(self.classes) != len(self.people):
            return False
        pairs = np.unique(self.labels * len(self.people) + self.subjects)
        return len(pairs) == len(self.people)

    def table(self, stratify: bool) -> npt.NDArray[np.int64]:
        """Return the number of samples of each subject, and also of each class if there are several and they are stratified."""
        subjects = self.known_subjects("A subject-disjoint protocol")
        sizes = np.bincount(subjects, minlength=len(self.people))[:, None].astype(np.int64)
        if not stratify or self.labels is None or len(self.classes) < 2:
            return sizes
        cells = np.bincount(
            subjects * len(self.classes) + self.labels, minlength=len(self.people) * len(self.classes)
        )
        return np.hstack([sizes, cells.reshape(len(self.people), -1)])


def material(
    labels: Any,
    subjects: Any,
    *,
    n: int | None = None,
    ids: Collection[str] | None = None,
    train_on: Any = None,
    test_on: Any = None,
    rows: Any = None,
) -> Material:
    """Check labels, subjects and selections once, and number them.

    Parameters
    ----------
    labels, subjects
        One of each per sample, or None.
    n
        The number of samples, if neither is given.
    ids
        The name of each sample, if `train_on` and `test_on` list names.
    train_on, test_on
        The samples allowed in training and in testing: masks, positions or ids.
    rows
        The word for the samples to which positions of splits refer.
    """
    sizes = {
        what: length_of(values, what)
        for what, values in (("labels", labels), ("subjects", subjects), ("ids", ids))
        if values is not None
    } | ({"samples": n} if n is not None else {})
    if not sizes:
        raise UsageError("Neither labels nor subjects were given, so the number of samples is unknown.")
    if len(set(sizes.values())) > 1:
        raise InputError(
            "Lengths must agree; got "
            + ", ".join(f"{count(size)} {what}" for what, size in sizes.items())
            + "."
        )
    total = next(iter(sizes.values()))
    given = {"labels": labels, "subjects": subjects, "ids": ids}
    given |= {name: one for name, one in (("train_on", train_on), ("test_on", test_on)) if _is_mask(one)}
    aligned(
        {what: one for what, one in given.items() if one is not None}, rows_of(rows), follows="the splits"
    )
    label_codes, classes = _numbered(labels, "label")
    subject_codes, people = _numbered(subjects, "subject")
    names = None if ids is None else Ids(ids, "sample")
    return Material(
        total,
        label_codes,
        classes,
        subject_codes,
        people,
        _mask(train_on, total, names, "train_on"),
        _mask(test_on, total, names, "test_on"),
    )


def _numbered(values: Any, what: str) -> tuple[Positions | None, tuple[str, ...]]:
    """Number values in the order of their sorting; missing ones are refused."""
    if values is None:
        return None, ()
    array = array_from(values, f"{what}s")
    if array.ndim != 1:
        raise InputError(f"Expected one {what} for each sample, got an array of shape {array.shape}.")
    missing = missing_in(array)
    if missing is not None:
        where = np.flatnonzero(missing)
        raise InputError(
            f"{count(len(where))} of {count(len(array))} samples {'has' if len(where) == 1 else 'have'} no {what}; the first is sample {where[0] + 1}.",
            f"leave out samples with an unknown {what}.",
        )
    try:
        distinct, codes = np.unique(array, return_inverse=True)
    except TypeError:
        raise InputError(f"The {what}s have several types, which cannot be ordered.") from None
    if what == "label" and array.dtype.kind == "f" and not (distinct == np.floor(distinct)).all():
        raise DesignError(
            f"The labels are real numbers such as {distinct[distinct != np.floor(distinct)][0]}, not classes.",
            "bin the numbers into classes, or pass no labels.",
        )
    return codes.astype(np.intp), tuple(str(value) for value in distinct.tolist())


def _is_mask(choice: Any) -> bool:
    return getattr(getattr(choice, "dtype", None), "kind", "") == "b"


def length_of(values: Any, what: str) -> int:
    """Return the number of samples of a list of values; refuse anything else."""
    shape = getattr(values, "shape", None)
    if (
        (isinstance(values, str | bytes) and what != "X")
        or shape == ()
        or not (shape or hasattr(values, "__len__"))
    ):
        raise UsageError(f"Expected a list of {what}, one for each sample; got {shown(values)}.")
    return int(shape[0]) if shape else len(values)


def _mask(choice: Any, n: int, ids: Ids | None, what: str) -> Mask | None:
    if choice is None:
        return None
    length_of(choice, what)
    array = complete_from(choice if hasattr(choice, "__array__") else list(choice), f"values of {what}")
    if array.dtype.kind == "b":
        if array.shape != (n,):
            raise UsageError(f"The mask {what} has the shape {array.shape}; there are {count(n)} samples.")
        return array.astype(np.bool_)
    if array.size and array.dtype.kind in "US":
        if ids is None:
            raise UsageError(f"{what} lists ids, but no sample ids were given.", "pass ids=…")
        unknown = ids.missing(array.tolist())
        if unknown:
            raise DesignError(
                f"{count(len(unknown))} of the {count(len(array))} ids of {what} match no sample: {first_few(unknown)}."
            )
        array = ids.positions(array.tolist())
    if array.size and (array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= n):
        raise UsageError(f"{what} must be a mask, ids, or positions from 0 to {count(n - 1)}.")
    mask = np.zeros(n, np.bool_)
    mask[array.astype(np.intp)] = True
    return mask


def checked_parts(parts: Parts, of: Material, where: str, all_classes: bool) -> Parts:
    """Refuse a division without training or test samples, or with a test class that is not in training.

    Parameters
    ----------
    where
        The name of the division, for the error message.
    all_classes
        Whether every test class must be in training.
    """
    train, _, test = parts
    for mask, does in ((train, "trains"), (test, "is tested")):
        if not mask.any():
            raise DesignError(
                f"{where}, no sample {does}: this protocol needs more than {counted(of.n, 'sample')}.",
                "choose other sizes, or fewer folds.",
            )
    if all_classes and of.labels is not None:
        n_classes = len(of.classes)
        trained = np.bincount(of.labels[train], minlength=n_classes) > 0
        tested = np.bincount(of.labels[test], minlength=n_classes) > 0
        absent = [of.classes[k] for k in np.flatnonzero(tested & ~trained)]
        if absent:
            raise DesignError(
                f"{where}, {_classes(absent)} tested without a sample of the class in training.",
                Hint(
                    "use fewer folds or more training samples, stratify, or leave such classes out; "
                    "{option:all_classes=off} tests them anyway."
                ),
            )
    return parts


def _classes(names: list[str]) -> str:
    return (
        f"the class {names[0]!r} is"
        if len(names) == 1
        else f"{count(len(names))} classes ({first_few(names)}) are"
    )


def positions_of(parts: Parts) -> Iterator[Positions | None]:
    """Turn masks into positions in ascending order."""
    for mask in parts:
        yield None if mask is None else np.flatnonzero(mask)
