"""Splits of a protocol: seeded, independent of order, and usable as scikit-learn's ``cv``."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

import numpy as np

from proband.engine.arguments import published
from proband.engine.foreign import complete_from
from proband.engine.kinds import shown
from proband.engine.limits import Positive, Seed
from proband.errors import DesignError, Hint, UsageError, first_few
from proband.protocols.notation import Protocol
from proband.protocols.splits.balancing import ranks_within
from proband.protocols.splits.folds import cross_validation
from proband.protocols.splits.holdout import (
    class_hold_out,
    counted_hold_out,
    external,
    hold_out,
    per_subject_hold_out,
    too_few,
)
from proband.protocols.splits.leave_one_out import leave_one_out, leave_one_subject_out, sampled_leave_one_out
from proband.protocols.splits.material import (
    Mask,
    Material,
    Parts,
    checked_parts,
    length_of,
    material,
    positions_of,
)
from proband.samples.ids import Positions
from proband.words import count, counted

GENERATOR_VERSION = 1
"""Increased whenever the same seed would give different splits."""
MOST_SPLITS = 100_000
"""The largest number of splits that is made."""

Missing = Literal["error", "drop"]
_DIVISIONS: dict[str, Callable[[Material, Protocol, bool, np.random.Generator], Iterator[Parts]]] = {
    "hold-out": hold_out,
    "per-subject hold-out": per_subject_hold_out,
    "counted hold-out": counted_hold_out,
    "class hold-out": class_hold_out,
    "cross-validation": cross_validation,
    "leave-one-out": leave_one_out,
    "sampled leave-one-out": sampled_leave_one_out,
    "leave-one-subject-out": leave_one_subject_out,
    "external": external,
}
_ENROLLING = ("hold-out", "cross-validation", "external")
_TESTS_EVERYBODY = ("cross-validation", "leave-one-out", "leave-one-subject-out")


@dataclass(frozen=True, eq=False, repr=False)
class Split:
    """One division of the samples.

    Attributes
    ----------
    repeat, fold
        The repeat and the fold, counted from 1; a hold-out has one fold in each repeat.
    train, test
        Positions of samples, ascending.
    validation
        Positions of the samples for tuning, in a protocol with three parts; otherwise None.
    enrolled
        Positions of the enrolled samples of held-out people, among which test samples are searched when new
        people are identified; otherwise None.
    """

    repeat: int
    fold: int
    train: Positions
    test: Positions
    validation: Positions | None = None
    enrolled: Positions | None = None

    @property
    def known(self) -> Positions:
        """The samples whose classes can be named: the enrolled samples, or otherwise the training samples."""
        return self.train if self.enrolled is None else self.enrolled

    @property
    def mark(self) -> str:
        """A digest of the training, enrolled and test samples: equal for equal splits, regardless of repeat and fold."""
        given = (self.train, self.test) if self.enrolled is None else (self.train, self.enrolled, self.test)
        parts = (np.asarray(part, np.int64).tobytes() for part in given)
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:32]

    def __repr__(self) -> str:
        between = "".join(
            f"{count(len(part))} {role}, "
            for role, part in (("validation", self.validation), ("enrolled", self.enrolled))
            if part is not None
        )
        return f"Split(repeat {self.repeat}, fold {self.fold}: {count(len(self.train))} train, {between}{count(len(self.test))} test)"


@published
@dataclass(frozen=True)
class Splitter:
    """Make the splits of a protocol.

    Every repeat has a separate random stream, so repeats do not depend on their order or on the number of
    threads.

    Parameters
    ----------
    protocol
        The protocol. If it does not state whether subjects are shared, they are, and ``mixed`` is added.
    seed
        The seed of the random choices.
    stratify
        Whether parts have the class proportions of the whole, as nearly as possible. The result is measured by
        :func:`proband.protocols.splits.balancing.imbalance`.
    missing
        What to do with subjects with too few samples for the numbers per subject: "error" names them,
        "drop" leaves them out (:meth:`left_out` names and counts them).
    all_classes
        Whether to refuse splits that test a class without training samples.
    enrolled_each
        The number of samples enrolled for each held-out person if the classes are subjects and the protocol
        keeps them apart: these samples are chosen at random, and the person's other samples are searched
        among all enrolled samples. None refuses such a protocol.

    Examples
    --------
    >>> people = ["a", "a", "b", "b", "b", "c"]
    >>> for split in Splitter(Protocol.parse("LOSO")).splits(["x", "y", "x", "y", "y", "x"], people):
    ...     print(split, split.test)
    Split(repeat 1, fold 1: 4 train, 2 test) [0 1]
    Split(repeat 1, fold 2: 3 train, 3 test) [2 3 4]
    Split(repeat 1, fold 3: 5 train, 1 test) [5]
    """

    protocol: Protocol
    seed: Seed = 0
    stratify: bool = True
    missing: Missing = "error"
    all_classes: bool = True
    enrolled_each: Positive | None = None

    def __post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, int | np.integer) or self.seed < 0:
            raise UsageError(f"The seed must be a whole number of at least 0, got {self.seed!r}.")
        if self.missing not in ("error", "drop"):
            raise UsageError(f"missing must be 'error' or 'drop', got {self.missing!r}.")
        if self.protocol.kind not in _DIVISIONS:
            raise DesignError(
                "The protocol is not stated, so it cannot be carried out.",
                "state it, for example 10×10f CV+.",
            )
        if self.protocol.disjoint is None:
            object.__setattr__(self, "protocol", replace(self.protocol, disjoint=False))
        if self.enrolled_each is not None:
            _refuse_without_gallery(self.protocol)

    def splits(
        self,
        labels: Any,
        subjects: Any = None,
        *,
        ids: Collection[str] | None = None,
        train_on: Any = None,
        test_on: Any = None,
        repeats: Iterable[int] | None = None,
    ) -> Iterator[Split]:
        """Divide samples, given the class and the subject of each.

        Parameters
        ----------
        labels, subjects
            One of each per sample. Mixed protocols need no subjects, and only protocols that count per class
            need labels.
        ids
            The samples' names, if `train_on` or `test_on` list names.
        train_on, test_on
            The samples that meet the protocol's conditions (``[train: session 1; test: session 2]``), or
            the two data sets of an external test: masks, positions or ids. Numbers of samples are drawn from
            these; folds and percentages divide all samples, and samples not allowed in a part are then left
            out.
        repeats
            The repeats to make, counted from 1; by default all.

        Returns
        -------
        iterator of Split
            Each with the positions of training and test samples.

        Raises
        ------
        DesignError
            If the protocol cannot be carried out: immediately if that is certain, otherwise at the split
            where it happens by chance.
        """
        of = self._material(material(labels, subjects, ids=ids, train_on=train_on, test_on=test_on))
        return self._made(of, self._repeats(repeats))

    def left_out(
        self,
        labels: Any,
        subjects: Any,
        *,
        ids: Collection[str] | None = None,
        train_on: Any = None,
        test_on: Any = None,
    ) -> tuple[str, ...]:
        """Return the subjects with too few samples for the numbers per subject of the protocol.

        Parameters
        ----------
        labels, subjects
            One of each per sample.
        ids
            The samples' names, if `train_on` or `test_on` list names.
        train_on, test_on
            The samples allowed in training and in testing: masks, positions or ids; by default all.

        Returns
        -------
        tuple of str
            The names of these subjects; empty if the protocol has no numbers per subject.
        """
        return self.too_few(labels, subjects, ids=ids, train_on=train_on, test_on=test_on)[1]

    def too_few(
        self,
        labels: Any,
        subjects: Any,
        *,
        ids: Collection[str] | None = None,
        train_on: Any = None,
        test_on: Any = None,
    ) -> tuple[Mask, tuple[str, ...]]:
        """Return which samples belong to subjects with too few samples for the numbers per subject, and the names of these subjects.

        Parameters
        ----------
        labels, subjects
            One of each per sample.
        ids
            The samples' names, if `train_on` or `test_on` list names.
        train_on, test_on
            The samples allowed in training and in testing: masks, positions or ids; by default all.

        Returns
        -------
        tuple
            A mask of samples, and the names of the subjects.
        """
        return too_few(material(labels, subjects, ids=ids, train_on=train_on, test_on=test_on), self.protocol)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Positions, Positions]]:  # noqa: N803
        """Yield training and test positions in the form scikit-learn expects.

        Parameters
        ----------
        X
            Anything with a length or a shape.
        y
            The class of each sample.
        groups
            The subject of each sample. Numbers per subject (``HO*``) use the classes as subjects if there are none.

        Returns
        -------
        iterator of tuple
            For each split two arrays: the training and the test positions.
        """
        if self.enrolled_each is not None:
            raise UsageError(
                "scikit-learn has training and test sets but no enrolment.",
                "use splits(…), or run_protocol(…), which supports enrolment.",
            )
        counts_subjects = self.protocol.kind in ("per-subject hold-out", "counted hold-out")
        if groups is None and y is not None and counts_subjects and self.protocol.per is None:
            groups = y
        of = self._material(material(y, groups, n=length_of(X, "X"), rows=X))
        return ((made.train, made.test) for made in self._made(of, self._repeats(None)))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: N803
        """Return the number of splits; leave-one-out protocols need the data.

        Parameters
        ----------
        X
            The samples; needed to leave one sample out, if there is no `y`.
        y
            The classes; counted if there is no `X`.
        groups
            The subject of each sample; needed to leave one subject out.

        Returns
        -------
        int
            The number of splits.
        """
        stated = self.protocol.n_splits
        if stated is not None:
            return stated
        counted = groups if self.protocol.kind == "leave-one-subject-out" else y if X is None else X
        if counted is None:
            raise DesignError(
                f"The number of splits of {self.protocol} depends on the data.",
                "pass X, and groups=… (the subject of each sample) for LOSO.",
            )
        if counted is groups:
            return len(np.unique(complete_from(counted, "groups")))
        return length_of(counted, "samples")

    def _made(self, of: Material, repeats: Iterable[int]) -> Iterator[Split]:
        for repeat in repeats:
            for fold, parts in enumerate(self._divided(of, repeat), start=1):
                where = f"{self.protocol}: in repeat {repeat}, fold {fold}"
                train, validation, test = positions_of(checked_parts(parts, of, where, self.all_classes))
                assert train is not None
                assert test is not None
                made = Split(repeat, fold, train, test, validation)
                yield made if self.enrolled_each is None else self._enrol(made, of, where)

    def _divided(self, of: Material, repeat: int) -> Iterator[Parts]:
        """The parts of each fold of a repeat."""
        stream = np.random.default_rng(np.random.SeedSequence(int(self.seed), spawn_key=(repeat,)))
        return _DIVISIONS[self.protocol.kind](of, self.protocol, self.stratify, stream)

    def _enrol(self, split: Split, of: Material, where: str) -> Split:
        """Enrol samples of each held-out person, drawn from a separate random stream, and test the others."""
        assert self.enrolled_each is not None  # checked by the caller
        whose = of.known_subjects(str(self.protocol))[split.test]
        stream = np.random.default_rng(
            np.random.SeedSequence(int(self.seed), spawn_key=(split.repeat, split.fold))
        )
        enrolled = ranks_within(whose, stream) < self.enrolled_each
        if len(np.unique(whose)) < 2:
            raise DesignError(
                f"{where}, only one person is held out, and identification among one person is always correct.",
                "use fewer folds, or larger test sets.",
            )
        if enrolled.all():
            raise DesignError(
                f"{where}, every sample of the held-out people is enrolled, so there are no probes.",
                Hint(
                    "use fewer folds or larger test sets, or enrol fewer samples of each person ({option:enrolled_each})."
                ),
            )
        return replace(split, enrolled=split.test[enrolled], test=split.test[~enrolled])

    def _repeats(self, asked: Iterable[int] | None) -> Iterable[int]:
        every = range(1, self.protocol.repeats + 1)
        chosen = every if asked is None else [int(repeat) for repeat in islice(asked, MOST_SPLITS + 1)]
        outside = (
            next((repeat for repeat in chosen if repeat not in every), None) if asked is not None else None
        )
        if outside is not None:
            raise UsageError(f"{self.protocol} has repeats 1 to {count(len(every))}, not {shown(outside)}.")
        require_few(self.protocol, len(chosen) * (self.protocol.n_splits or 1) // len(every))
        return chosen

    def _material(self, of: Material) -> Material:
        """Refuse impossible divisions of these samples, and leave out subjects with too few."""
        protocol = self.protocol
        if of.n < 2:
            raise DesignError(
                f"{of.n} sample cannot be divided." if of.n else "There are no samples to divide."
            )
        self._check_conditions(of)
        if protocol.is_disjoint:
            of.known_subjects(str(protocol))
            if of.is_identity and self.enrolled_each is None:
                raise DesignError(
                    f"{protocol} keeps tested subjects out of training, but the classes here are the "
                    f"subjects, and a classifier can only name classes it was trained on.",
                    Hint(
                        "use a mixed protocol, such as 5f CV, or {give:enrolled_each=1} to search for held-out people among themselves."
                    ),
                )
        if self.enrolled_each is not None:
            of = self._to_enrol(of)
        short, names = too_few(of, protocol)
        if names and self.missing == "error":
            raise DesignError(
                f"{protocol}: {counted(len(names), 'subject has', 'subjects have')} too few samples: {first_few(names)}.",
                Hint("choose smaller sizes, or leave these subjects out with {option:missing=drop}."),
            )
        if names:
            of = replace(of, may_train=of.train_pool & ~short, may_test=of.test_pool & ~short)
        if self.all_classes and protocol.kind in _TESTS_EVERYBODY:
            _refuse_lone_classes(of, protocol)
        return of

    def _to_enrol(self, of: Material) -> Material:
        """The samples without classes: held-out people are the classes, which are neither stratified nor trained on."""
        if not of.is_identity:
            raise UsageError(
                "Enrolment requires subjects as the classes, but the classes here are not subjects.",
                Hint("omit {option:enrolled_each}, or use task 'identity'."),
            )
        folds = self.protocol.folds
        if self.protocol.kind == "cross-validation" and folds is not None and len(of.people) < 2 * folds:
            raise DesignError(
                f"{self.protocol} holds out one person at a time of {count(len(of.people))}, and "
                f"identification among one person is always correct.",
                f"use at most {count(len(of.people) // 2)} folds." if len(of.people) > 3 else None,
            )
        return replace(of, labels=None, classes=())

    def _check_conditions(self, of: Material) -> None:
        """Refuse conditions without given samples, and given samples without conditions: the protocol must state what was done."""
        if self.protocol.kind == "external":
            return
        for side, stated, given in (
            ("train", self.protocol.train_on, of.may_train),
            ("test", self.protocol.test_on, of.may_test),
        ):
            if stated is not None and given is None:
                raise DesignError(
                    f"{self.protocol} has a condition on {side}ing samples, but the samples that meet it were not given.",
                    f"pass {side}_on=…: a mask, positions or ids.",
                )
            if stated is None and given is not None:
                raise UsageError(
                    f"{side}_on was given, but {self.protocol} states no such condition.",
                    f"write it into the protocol: [{side}: …].",
                )


def require_few(protocol: Protocol, n_splits: int) -> None:
    """Refuse more than the largest number of splits."""
    if n_splits > MOST_SPLITS:
        raise DesignError(
            f"{protocol} has {count(n_splits)} splits, more than the limit of {count(MOST_SPLITS)}.",
            "use fewer repeats, folds or tests.",
        )


@published
def splitter(
    protocol: Protocol | str,
    *,
    seed: Seed = 0,
    stratify: bool = True,
    missing: Missing = "error",
    all_classes: bool = True,
    enrolled_each: Positive | None = None,
) -> Splitter:
    """Make the splitter of a protocol, which may be given in its notation.

    Parameters
    ----------
    protocol
        The notation, such as ``"5-f CV"``, or a protocol.
    seed
        The seed of the splits.
    stratify
        Whether parts have the class proportions of the whole.
    missing
        What to do with subjects with too few samples: ``error`` or ``drop``.
    all_classes
        Whether every test class must be in training.
    enrolled_each
        The number of samples enrolled for each held-out person, if subjects are the classes and are kept apart.

    Returns
    -------
    Splitter
        The splitter, usable as scikit-learn's ``cv``.

    Examples
    --------
    >>> import numpy as np
    >>> sex = np.repeat(["f", "m"], 20)
    >>> next(splitter("5f CV+").splits(sex, np.arange(40) // 2))
    Split(repeat 1, fold 1: 32 train, 8 test)
    """
    if isinstance(protocol, str):
        protocol = Protocol.parse(protocol)
    return Splitter(protocol, seed, stratify, missing, all_classes, enrolled_each)


def _refuse_without_gallery(protocol: Protocol) -> None:
    """Refuse protocols that hold out no people, or too few samples to enrol some and search for others."""
    if not protocol.is_disjoint:
        raise UsageError(
            f"{protocol} trains on the people it tests, so no separate enrolment is possible.",
            Hint("omit {option:enrolled_each}, or use a subject-disjoint protocol such as 5f CV+."),
        )
    if protocol.kind in _ENROLLING:
        return
    why = (
        "holds out one person at a time, and identification among one person is always correct"
        if protocol.kind == "leave-one-subject-out"
        else "counts test samples without stating how many to enrol"
        if protocol.is_hold_out
        else "tests one sample at a time, so no sample of the same person can be enrolled"
    )
    raise DesignError(
        f"{protocol} {why}.",
        "to identify new people, use a protocol such as 5f CV+, 80-20 HO+ or train(…) test(…)+.",
    )


def _refuse_lone_classes(of: Material, protocol: Protocol) -> None:
    """Refuse classes that cannot be in training when tested: those with one sample, or one subject."""
    if of.labels is None:
        return
    train: Mask = of.train_pool
    holders = np.arange(of.n) if not protocol.is_disjoint else of.known_subjects(str(protocol))
    pairs = np.unique(of.labels[train] * (int(holders.max()) + 1) + holders[train])
    n_holders = np.bincount(pairs // (int(holders.max()) + 1), minlength=len(of.classes))
    tested = np.bincount(of.labels[of.test_pool], minlength=len(of.classes)) > 0
    separate = not (train & of.test_pool).any()
    lone = [of.classes[k] for k in np.flatnonzero(tested & (n_holders < (1 if separate else 2)))]
    if lone:
        what = "subject" if protocol.is_disjoint else "sample"
        raise DesignError(
            f"{protocol}: {counted(len(lone), 'class has', 'classes have')} a single {what} ({first_few(lone)}), "
            f"so nothing is left for training when it is tested.",
            Hint("leave these classes out, or {give:all_classes=off} to test them anyway."),
        )
