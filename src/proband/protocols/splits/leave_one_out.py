"""Leave-one-out: every sample, random samples, or every subject."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from proband.errors import DesignError
from proband.protocols.notation import Protocol
from proband.protocols.splits.balancing import drawn_from
from proband.protocols.splits.material import Material, Parts
from proband.words import count, counted


def leave_one_out(
    of: Material, protocol: Protocol, stratify: bool, rng: np.random.Generator
) -> Iterator[Parts]:
    """Test each sample after training on all others, or on all samples of other subjects."""
    for sample in np.flatnonzero(of.test_pool):
        test = np.zeros(of.n, np.bool_)
        test[sample] = True
        yield _others(of, int(sample), protocol.is_disjoint), None, test


def sampled_leave_one_out(
    of: Material, protocol: Protocol, stratify: bool, rng: np.random.Generator
) -> Iterator[Parts]:
    """Draw one test sample and M training samples, K times independently."""
    m, k = protocol.drawn or (0, 0)
    candidates = np.flatnonzero(of.test_pool)
    _refuse_too_many(of, m, protocol.is_disjoint)
    strata = of.strata(stratify)
    for _ in range(k):
        sample = int(candidates[int(rng.random() * len(candidates))])
        test = np.zeros(of.n, np.bool_)
        test[sample] = True
        yield drawn_from(_others(of, sample, protocol.is_disjoint), strata, m, rng), None, test


def leave_one_subject_out(
    of: Material, protocol: Protocol, stratify: bool, rng: np.random.Generator
) -> Iterator[Parts]:
    """Test all samples of each subject after training on all other subjects, in the order of their names."""
    subjects = of.known_subjects("LOSO")
    for subject in np.unique(subjects[of.test_pool]):
        own = subjects == subject
        yield ~own & of.train_pool, None, own & of.test_pool


def _others(of: Material, sample: int, disjoint: bool) -> np.typing.NDArray[np.bool_]:
    others = of.train_pool.copy()
    others[sample] = False
    if disjoint:
        subjects = of.known_subjects("A subject-disjoint protocol")
        others &= subjects != subjects[sample]
    return others


def _refuse_too_many(of: Material, m: int, disjoint: bool) -> None:
    """Refuse to draw more training samples than remain for the sample that leaves the fewest."""
    pool = of.train_pool
    if disjoint:
        subjects = of.known_subjects("A subject-disjoint protocol")
        own = np.bincount(subjects[pool], minlength=len(of.people))
        tested = np.unique(subjects[of.test_pool])
        subject = tested[own[tested].argmax()]
        left, why = int(pool.sum() - own[subject]), f"when subject {of.people[subject]!r} is tested"
    else:
        left, why = int(pool.sum()) - int((pool & of.test_pool).any()), "in addition to the tested sample"
    if m > left:
        raise DesignError(
            f"{counted(m, 'training sample is', 'training samples are')} requested, but {count(left)} are left {why}.",
            f"use M = {count(left)} or less.",
        )
