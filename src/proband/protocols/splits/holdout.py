"""Hold-outs: by percentages, by numbers per subject, in total or per class, and by data sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from proband.errors import DesignError, first_few
from proband.protocols.notation import Protocol
from proband.protocols.splits.balancing import drawn_from, drawn_per_cell, largest_remainder
from proband.protocols.splits.dealing import deal_to_parts
from proband.protocols.splits.material import Mask, Material, Parts
from proband.samples.ids import Positions
from proband.words import count, counted


def hold_out(of: Material, protocol: Protocol, stratify: bool, rng: np.random.Generator) -> Iterator[Parts]:
    """Divide by percentages.

    Mixed parts have exactly the sizes of :func:`largest_remainder`; stratified, the test set has each class
    within one sample of its share, and the other two parts within two. Parts of whole subjects are as close
    as :func:`deal_to_parts` can make them.
    """
    shares = [Fraction(str(size)) for size in _stated(protocol)]
    if protocol.is_disjoint:
        subjects = of.known_subjects("A subject-disjoint protocol")
        total = sum(shares)
        part = deal_to_parts(of, [float(share / total) for share in shares], stratify, rng)[subjects]
        masks = [part == k for k in range(len(shares))]
    else:
        masks = _drawn_parts(of, largest_remainder(of.n, shares), stratify, rng)
    *learning, test = masks
    validation = learning[1] & of.train_pool if len(learning) == 2 else None
    yield learning[0] & of.train_pool, validation, test & of.test_pool


def _drawn_parts(of: Material, sizes: list[int], stratify: bool, rng: np.random.Generator) -> list[Mask]:
    strata = of.strata(stratify)
    rest = np.ones(of.n, np.bool_)
    masks = []
    for size in sizes[:0:-1]:
        masks.append(drawn_from(rest, strata, size, rng))
        rest = rest & ~masks[-1]
    return [rest, *masks[::-1]]


def per_subject_hold_out(
    of: Material, protocol: Protocol, stratify: bool, rng: np.random.Generator
) -> Iterator[Parts]:
    """Draw numbers of samples per subject (or per subject and class); the remaining samples are not used."""
    cells = _cells(of, protocol)
    *learning, test = _stated(protocol)
    roles = [_Role(k, of.train_pool, size, cells) for k, size in enumerate(learning)]
    yield _drawn(of, [*roles, _Role(len(learning), of.test_pool, test, cells)], rng)


def counted_hold_out(
    of: Material, protocol: Protocol, stratify: bool, rng: np.random.Generator
) -> Iterator[Parts]:
    """Draw a total number of training samples, and of testing samples per subject or in total."""
    *learning, test = _stated(protocol)
    in_all = protocol.per == "all"
    strata = of.strata(stratify)
    pools = [of.train_pool] * len(learning) + [of.test_pool]
    if protocol.is_disjoint:
        if not in_all:
            raise DesignError(
                f"{protocol} tests every subject, so no other subject is left for training.",
                "write HO**/all for a total test size, or omit the +.",
            )
        part = _dealt_by_sizes(of, [*learning, test], stratify, rng)
        pools = [pool & (part == k) for k, pool in enumerate(pools)]
    roles = [_Role(k, pools[k], size, None) for k, size in enumerate(learning)]
    cells = None if in_all else of.known_subjects("A test size per subject (HO**)")
    yield _drawn(of, [*roles, _Role(len(learning), pools[-1], test, cells)], rng, strata)


def class_hold_out(
    of: Material, protocol: Protocol, stratify: bool, rng: np.random.Generator
) -> Iterator[Parts]:
    """Draw a number of training samples of each class, and test the rest.

    If subject-disjoint, subjects are added to training in random order as long as they have a class with too
    few samples; their samples that are not needed are not used.
    """
    labels = of.known_labels("A training size per class")
    wanted = _wanted_per_class(of, protocol)
    train_pool, test_pool = of.train_pool, of.test_pool
    if protocol.is_disjoint:
        training = _training_subjects(of, wanted, rng)
        train_pool, test_pool = train_pool & training, test_pool & ~training
    have = np.bincount(labels[train_pool], minlength=len(wanted))
    short = [
        f"{of.classes[k]} ({count(have[k])} of {count(wanted[k])})" for k in np.flatnonzero(have < wanted)
    ]
    if short:
        raise DesignError(f"There are too few samples to train on: {first_few(short)}.", "use smaller sizes.")
    train = drawn_per_cell(train_pool, labels, wanted, rng)
    yield train, None, test_pool & ~train


def external(of: Material, protocol: Protocol, stratify: bool, rng: np.random.Generator) -> Iterator[Parts]:
    """Train on one set of samples and test another; if only one is given, the other is the rest."""
    if of.may_train is None and of.may_test is None:
        raise DesignError(
            f"Cannot tell which samples belong to {protocol.train_on} and which to {protocol.test_on}.",
            "pass train_on=… and test_on=…: masks, positions or ids.",
        )
    train = of.train_pool if of.may_train is not None else ~of.test_pool
    test = of.test_pool if of.may_test is not None else ~of.train_pool
    both = int((train & test).sum())
    if both:
        raise DesignError(
            f"{counted(both, 'sample is', 'samples are')} in both the training and the test set.",
            "pass disjoint sets.",
        )
    if protocol.is_disjoint:
        subjects = of.known_subjects("A subject-disjoint protocol")
        shared = [of.people[k] for k in np.intersect1d(subjects[train], subjects[test])]
        if shared:
            raise DesignError(
                f"{counted(len(shared), 'subject is', 'subjects are')} in both sets: {first_few(shared)}.",
                "remove them from one set, or omit the +.",
            )
    yield train, None, test


def too_few(of: Material, protocol: Protocol) -> tuple[Mask, tuple[str, ...]]:
    """Return which samples belong to subjects (or subjects' classes) with too few samples for the sizes, and the names of these."""
    nobody = np.zeros(of.n, np.bool_), ()
    if protocol.kind == "per-subject hold-out":
        *learning, test = _stated(protocol)
    elif protocol.kind == "counted hold-out" and protocol.per is None:
        learning, test = [0], _stated(protocol)[-1]
    else:
        return nobody
    cells = _cells(of, protocol)
    n_cells = int(cells.max(initial=0)) + 1
    # "The rest" must be at least one sample, or the subject would not be there.
    trains = sum(1 if size is None else int(size) for size in learning)
    tests = 1 if test is None else int(test)
    able = [
        np.bincount(cells[pool], minlength=n_cells)
        for pool in (of.train_pool, of.test_pool, of.train_pool | of.test_pool)
    ]
    short = (able[0] < trains) | (able[1] < tests) | (able[2] < trains + tests)
    left_out = short[cells]
    first = np.unique(cells, return_index=True)[1]
    return left_out, tuple(_cell_name(of, protocol, int(k)) for k in first[short[cells[first]]])


def _cells(of: Material, protocol: Protocol) -> Positions:
    """The subject of each sample, or its subject and class, as numbers without gaps."""
    subjects = of.known_subjects(str(protocol))
    if protocol.per != "class":
        return subjects
    labels = of.known_labels(str(protocol))
    _, cells = np.unique(subjects * len(of.classes) + labels, return_inverse=True)
    return np.asarray(cells, np.intp)


def _cell_name(of: Material, protocol: Protocol, sample: int) -> str:
    assert of.subjects is not None
    name = of.people[of.subjects[sample]]
    return (
        f"{name} ({of.classes[of.labels[sample]]})"
        if protocol.per == "class" and of.labels is not None
        else name
    )


@dataclass(frozen=True, eq=False)
class _Role:
    """What is to be drawn for training (0), validation or testing: None is the rest; cells, or in all."""

    place: int
    pool: Mask
    size: float | None
    cells: Positions | None


def _drawn(
    of: Material, roles: Sequence[_Role], rng: np.random.Generator, strata: Positions | None = None
) -> Parts:
    """Draw one role after the other, those with the least choice first and the rest last."""
    free = np.ones(of.n, np.bool_)
    masks: dict[int, Mask] = {}
    for role in sorted(
        roles, key=lambda role: (role.size is None, role.cells is None, int(role.pool.sum()), role.place)
    ):
        pool = role.pool & free
        if role.size is None:
            mask = pool
        elif role.cells is not None:
            mask = drawn_per_cell(pool, role.cells, int(role.size), rng)
        else:
            assert strata is not None
            mask = drawn_from(pool, strata, int(role.size), rng)
        masks[role.place] = mask
        free = free & ~mask
    return masks[0], masks[1] if len(roles) == 3 else None, masks[len(roles) - 1]


def _dealt_by_sizes(
    of: Material, sizes: Sequence[float | None], stratify: bool, rng: np.random.Generator
) -> Positions:
    """Deal subjects to parts by the numbers asked for in all, the rest being what they leave."""
    subjects = of.known_subjects("A subject-disjoint protocol")
    rest = of.n - sum(int(size) for size in sizes if size is not None)
    counts = [rest if size is None else int(size) for size in sizes]
    if rest < (1 if None in sizes else 0):
        raise DesignError(f"The sizes add up to more than the {count(of.n)} samples.", "use smaller sizes.")
    total = sum(counts)
    return deal_to_parts(of, [count / total for count in counts], stratify, rng)[subjects]


def _wanted_per_class(of: Material, protocol: Protocol) -> Positions:
    stated = dict(protocol.class_sizes)
    unknown = [name for name in stated if name not in of.classes]
    unlisted = [name for name in of.classes if name not in stated]
    if unknown or unlisted:
        wrong = (
            f"no sample has the class {first_few(unknown)}"
            if unknown
            else f"no training size is stated for the class {first_few(unlisted)}"
        )
        raise DesignError(f"{protocol}: {wrong}.", f"the classes are {first_few(of.classes, 12)}.")
    return np.array([stated[name] for name in of.classes], np.intp)


def _training_subjects(of: Material, wanted: Positions, rng: np.random.Generator) -> Mask:
    subjects = of.known_subjects("A subject-disjoint protocol")
    labels = of.known_labels("A training size per class")
    counts = np.zeros((len(of.people), len(wanted)), np.intp)
    np.add.at(counts, (subjects[of.train_pool], labels[of.train_pool]), 1)
    missing = wanted.copy()
    training = np.zeros(len(of.people), np.bool_)
    for subject in np.argsort(rng.random(len(of.people)), kind="stable"):
        if ((counts[subject] > 0) & (missing > 0)).any():
            training[subject] = True
            missing -= counts[subject]
    return np.asarray(training[subjects])


def _stated(protocol: Protocol) -> tuple[float | None, ...]:
    if not protocol.sizes:
        raise DesignError(
            f"{protocol}: the numbers of training and test samples are not stated.",
            "state them, for example 80-20 HO, 13-13 HO* or 2-rest HO*/class.",
        )
    return protocol.sizes
