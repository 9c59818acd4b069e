"""Cross-validation: every sample is tested exactly once in each repeat."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from proband.errors import DesignError
from proband.protocols.notation import Protocol
from proband.protocols.splits.dealing import deal_to_folds
from proband.protocols.splits.material import Material, Parts
from proband.samples.ids import Positions
from proband.words import count


def fold_of(of: Material, folds: int, disjoint: bool, stratify: bool, rng: np.random.Generator) -> Positions:
    """Return the fold in which each sample is tested, from 0.

    Mixed folds differ by at most one sample, the first folds being larger; stratified folds differ by at
    most one sample in every class. Folds of whole subjects are as equal as :func:`deal_to_folds` can make
    them.
    """
    if folds > of.n:
        raise DesignError(
            f"{count(of.n)} samples cannot be divided into {count(folds)} folds.",
            f"use at most {count(of.n)}.",
        )
    if disjoint:
        subjects = of.known_subjects("A subject-disjoint protocol")
        return deal_to_folds(of, folds, stratify, rng)[subjects]
    strata = of.strata(stratify)
    # Classes are dealt one after the other, each going on where the last one ended.
    turn = rng.random(int(strata.max(initial=0)) + 1)[strata]
    order = np.lexsort((rng.random(of.n), turn))
    fold = np.empty(of.n, np.intp)
    fold[order] = np.arange(of.n) % folds
    return fold


def cross_validation(
    of: Material, protocol: Protocol, stratify: bool, rng: np.random.Generator
) -> Iterator[Parts]:
    """For each fold, train on all other folds and test this one."""
    if protocol.folds is None:
        raise DesignError("The number of folds is not stated.", "state it, for example 10f CV.")
    place = fold_of(of, protocol.folds, protocol.is_disjoint, stratify, rng)
    for fold in range(protocol.folds):
        tested = place == fold
        yield ~tested & of.train_pool, None, tested & of.test_pool
