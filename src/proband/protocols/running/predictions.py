"""Out-of-fold predictions of a classifier for every test sample of every split, and their accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.frames import frame_of_rows
from proband.protocols.notation import Protocol
from proband.protocols.splits.splits import Split
from proband.samples.ids import Ids
from proband.words import count

Codes = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Roster:
    """The ids, subjects and classes of all samples, the last two as numbers with their names."""

    ids: Ids
    people: npt.NDArray[np.str_]
    subjects: Codes
    classes: npt.NDArray[np.str_]
    labels: Codes

    @classmethod
    def of(cls, ids: Ids, subjects: npt.NDArray[np.str_], labels: npt.NDArray[np.str_]) -> Roster:
        """Number the subjects and the classes."""
        people, who = np.unique(subjects, return_inverse=True)
        classes, codes = np.unique(labels, return_inverse=True)
        return cls(ids, people, who.astype(np.intp), classes, codes.astype(np.intp))


@dataclass(frozen=True)
class FoldFacts:
    """The facts of a split: its repeat and fold, the numbers of training, enrolled and test samples and subjects, and the mark of the division."""

    repeat: int
    fold: int
    n_train: int
    n_validation: int
    n_test: int
    train_subjects: int
    test_subjects: int
    mark: str
    n_enrolled: int = 0
    enrolled_subjects: int = 0

    @classmethod
    def of(cls, split: Split, subjects: Codes) -> FoldFacts:
        """Count a split."""
        enrolled = split.enrolled
        return cls(
            split.repeat,
            split.fold,
            len(split.train),
            0 if split.validation is None else len(split.validation),
            len(split.test),
            len(np.unique(subjects[split.train])),
            len(np.unique(subjects[split.test])),
            split.mark,
            *(() if enrolled is None else (len(enrolled), len(np.unique(subjects[enrolled])))),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """The predictions of one classifier under one protocol.

    Attributes
    ----------
    roster
        All samples.
    tests
        The positions of the test samples of each split, in the order of `folds`.
    said
        The number of the predicted class of each.
    folds
        The facts of each split.
    trained
        Whether each sample is in training in some split.
    """

    classifier: str
    protocol: Protocol
    roster: Roster
    tests: tuple[Codes, ...]
    said: tuple[Codes, ...]
    folds: tuple[FoldFacts, ...]
    trained: npt.NDArray[np.bool_]

    def __repr__(self) -> str:
        n = sum(len(test) for test in self.tests)
        return f"Predictions({self.classifier} under {self.protocol}: {count(n)} of {count(len(self.folds))} splits)"

    @property
    def sizes(self) -> pl.DataFrame:
        """Return a row for each split: repeat, fold, and the numbers of training, enrolled (if any) and test samples and subjects."""
        unsaid = () if any(fold.n_enrolled for fold in self.folds) else ("n_enrolled", "enrolled_subjects")
        return frame_of_rows(self.folds).drop("mark", *unsaid)

    @property
    def n_divisions(self) -> int:
        """The number of different divisions: among repeats, regardless of the order of folds, or for leave-one-out among splits."""
        repeats: dict[int, set[str]] = {}
        for one in self.folds:
            repeats.setdefault(one.repeat, set()).add(one.mark)
        if self.protocol.leaves_out:
            return len(set().union(*repeats.values()))
        return len({frozenset(marks) for marks in repeats.values()})

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Return the columns id, subject, label, predicted, repeat and fold, with a row for each test sample of each split."""
        of, where = self.roster, self._sample
        lengths = [len(test) for test in self.tests]
        names = [pl.Series(texts, dtype=pl.String) for texts in (of.ids[:], of.people, of.classes)]
        return pl.DataFrame(
            {
                "id": names[0][where],
                "subject": names[1][of.subjects[where]],
                "label": names[2][of.labels[where]],
                "predicted": names[2][self._said],
                "repeat": np.repeat([one.repeat for one in self.folds], lengths),
                "fold": np.repeat([one.fold for one in self.folds], lengths),
            }
        )

    @cached_property
    def tested(self) -> npt.NDArray[np.bool_]:
        """Whether each sample is tested in some split."""
        found = np.zeros(len(self.roster.labels), np.bool_)
        found[self._sample] = True
        return found

    @cached_property
    def accuracies(self) -> Floats:
        """The share of correct predictions of each split, repeats × folds."""
        right = [
            float((said == self.roster.labels[test]).mean())
            for test, said in zip(self.tests, self.said, strict=True)
        ]
        return np.array(right).reshape(len({one.repeat for one in self.folds}), -1)

    def correct(self) -> tuple[Floats, npt.NDArray[np.str_]]:
        """Return whether each tested sample was correct each time it was tested (NaN beyond), and its subject.

        Returns
        -------
        tuple
            Times × tested samples, and the subject of each of these.
        """
        where = self._sample
        tested, place = np.unique(where, return_inverse=True)
        order = np.argsort(place, kind="stable")
        counts = np.bincount(place)
        time = np.empty(len(where), np.intp)
        time[order] = np.arange(len(where)) - np.repeat(np.cumsum(counts) - counts, counts)
        table = np.full((int(counts.max()), len(tested)), np.nan)
        table[time, place] = self._said == self.roster.labels[where]
        return table, self.roster.people[self.roster.subjects[tested]]

    def once(self) -> tuple[Floats, npt.NDArray[np.str_]]:
        """Return whether each sample tested in the first repeat was correct the first time, and its subject."""
        first = self.folds[0].repeat
        chosen = [k for k, one in enumerate(self.folds) if one.repeat == first]
        where = np.concatenate([self.tests[k] for k in chosen])
        said = np.concatenate([self.said[k] for k in chosen])
        tested, place = np.unique(where, return_index=True)
        right = (said[place] == self.roster.labels[tested]).astype(np.float64)
        return right, self.roster.people[self.roster.subjects[tested]]

    @cached_property
    def _sample(self) -> Codes:
        return np.concatenate(self.tests)

    @cached_property
    def _said(self) -> Codes:
        return np.concatenate(self.said)
