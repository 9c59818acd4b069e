"""Splits that were made elsewhere, such as by scikit-learn, and the protocol that describes them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from proband.engine.foreign import complete_from
from proband.errors import InputError, UsageError
from proband.protocols.notation import Protocol
from proband.protocols.splits.material import Mask, Material, Parts
from proband.protocols.splits.splits import Splitter
from proband.samples.ids import Positions
from proband.words import count

Pair = tuple[Positions, Positions]


@dataclass(frozen=True, eq=False, repr=False)
class GivenSplits(Splitter):
    """A splitter that makes the splits it was given, whatever the seed.

    Attributes
    ----------
    pairs
        The positions that train and those that are tested, of each split.
    by
        What made them.
    """

    pairs: tuple[Pair, ...] = ()
    by: str = ""

    @classmethod
    def of(cls, pairs: Iterable[Any], subjects: Any, *, by: str, seed: int = 0) -> GivenSplits:
        """Check splits of samples whose subjects are known, and find the protocol that describes them."""
        codes = np.unique(np.asarray(subjects), return_inverse=True)[1]
        checked = tuple(_checked(pair, len(codes), number) for number, pair in enumerate(pairs, start=1))
        if not checked:
            raise UsageError("cv has no splits.", "pass a splitter or a list of splits with at least one.")
        return cls(described(checked, codes), seed, all_classes=False, pairs=checked, by=by)

    @property
    def digest(self) -> str:
        """SHA-256 of the positions that train and are tested, split by split."""
        found = hashlib.sha256()
        for part in (part for pair in self.pairs for part in pair):
            found.update(hashlib.sha256(part.astype(np.int64).tobytes()).digest())
        return found.hexdigest()

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: N803
        """How many splits there are."""
        return len(self.pairs)

    def _divided(self, of: Material, repeat: int) -> Iterator[Parts]:
        each = len(self.pairs) // self.protocol.repeats
        for train, test in self.pairs[(repeat - 1) * each : repeat * each]:
            yield _mask(train, of.n), None, _mask(test, of.n)


def described(pairs: Sequence[Pair], subjects: Positions) -> Protocol:
    """The protocol that splits amount to: which part of the samples each tests, and whether it trains on the same subjects.

    Parameters
    ----------
    pairs
        The positions that train and those that are tested, of each split.
    subjects
        The number of each sample's subject.

    Examples
    --------
    >>> halves = [(np.array([2, 3]), np.array([0, 1])), (np.array([0, 1]), np.array([2, 3]))]
    >>> described(halves, np.array([0, 0, 1, 1])), described(halves[:1], np.array([0, 1, 0, 1]))
    (Protocol.parse('LOSO'), Protocol.parse('50-50 HO mixed'))
    >>> described(halves * 2, np.array([0, 0, 1, 2]))
    Protocol.parse('2×2f CV+')
    """
    n = len(subjects)
    disjoint = all(not np.isin(subjects[test], subjects[train]).any() for train, test in pairs)
    folds = _folds(pairs, n)
    if folds is None:
        shares = {(len(train), len(test)) for train, test in pairs}
        sizes = _percentages(*next(iter(shares))) if len(shares) == 1 else ()
        return Protocol("hold-out", repeats=len(pairs), sizes=sizes, disjoint=disjoint)
    repeats = len(pairs) // folds
    people = len(np.unique(subjects))
    if repeats == 1 and folds == n:
        return Protocol("leave-one-out", disjoint=disjoint)
    if repeats == 1 and disjoint and folds == people:
        return Protocol("leave-one-subject-out")
    return Protocol("cross-validation", repeats=repeats, folds=folds, disjoint=disjoint)


def _folds(pairs: Sequence[Pair], n: int) -> int | None:
    """How many splits in a row test every sample once and train on all others; None where they do not."""
    tests = [test for _, test in pairs]
    folds = int(np.searchsorted(np.cumsum([len(test) for test in tests]), n)) + 1
    if folds < 2 or len(tests) % folds or any(len(train) + len(test) != n for train, test in pairs):
        return None
    repeats = (np.concatenate(tests[start : start + folds]) for start in range(0, len(tests), folds))
    return folds if all(np.array_equal(np.sort(one), np.arange(n)) for one in repeats) else None


def _percentages(n_train: int, n_test: int) -> tuple[float, float]:
    train = round(100 * n_train / (n_train + n_test), 1)
    return train, round(100 - train, 1)


def _checked(pair: Any, n: int, number: int) -> Pair:
    """The positions of a split in ascending order, each of them once and in one part."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise UsageError(
            f"Split {count(number)} is not a pair of positions that train and positions that are tested."
        )
    parts = []
    for what, given in zip(("train", "test"), pair, strict=True):
        part = complete_from(given, f"{what} positions of split {count(number)}")
        if part.dtype.kind == "b" and part.shape == (n,):
            part = np.flatnonzero(part)
        if (
            part.ndim != 1
            or part.dtype.kind not in "iu"
            or not len(part)
            or part.min() < 0
            or part.max() >= n
        ):
            raise InputError(
                f"Split {count(number)}: the {what} part must be positions from 0 to {count(n - 1)}."
            )
        parts.append(np.unique(part.astype(np.intp)))
    train, test = parts
    if np.isin(test, train).any():
        raise InputError(f"Split {count(number)} tests samples that it trains on.")
    return train, test


def _mask(positions: Positions, n: int) -> Mask:
    mask = np.zeros(n, np.bool_)
    mask[positions] = True
    return mask
