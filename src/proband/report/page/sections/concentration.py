"""How errors gather on few people, and how far they would by chance."""

from __future__ import annotations

import numpy as np

from proband.inference.verification.hard_subjects import HardSubjects
from proband.report.figures.verification_curves import Floats


def shared_errors(
    hard: HardSubjects, errors: str, comparisons: str
) -> tuple[Floats, Floats, Floats, Floats, int] | None:
    """The share of people and of their errors, most errors first, and the same by chance; None without errors."""
    counts = np.sort(hard.people[errors].to_numpy())[::-1].astype(np.float64)
    made = hard.people[comparisons].to_numpy()
    if not counts.sum():
        return None
    expected = expected_people(made, int(counts.sum()), pairs=errors == "false_matches")
    by_chance = np.arange(len(expected))[::-1]
    people = np.concatenate([[0.0], np.cumsum(expected[::-1])]) / expected.sum()
    shares = np.concatenate([[0.0], np.cumsum(expected[::-1] * by_chance)])
    n = len(counts)
    total = int(counts.sum())
    return (
        np.arange(n + 1) / n,
        np.concatenate([[0.0], np.cumsum(counts)]) / counts.sum(),
        people,
        shares / shares[-1],
        total // 2 if errors == "false_matches" else total,
    )


def expected_people(comparisons: Floats, errors: int, *, pairs: bool) -> Floats:
    """How many people are expected to have 0, 1, 2, … errors, if errors fall on comparisons by chance.

    Parameters
    ----------
    comparisons
        Of each person.
    errors
        The sum over people; with `pairs` each error counts for the two people it is between.
    """
    from scipy.stats import binom, hypergeom

    sizes, repeats = np.unique(np.asarray(comparisons, dtype=np.int64), return_counts=True)
    total = int((sizes * repeats).sum())
    drawn = errors // 2 if pairs else errors
    k = np.arange(drawn + 1)[:, None]
    chance = (
        binom.pmf(k, drawn, np.minimum(2 * sizes / total, 1.0))
        if pairs
        else hypergeom.pmf(k, total, sizes, drawn)
    )
    found = np.asarray(chance @ repeats.astype(np.float64), dtype=np.float64)
    needed = int(np.flatnonzero(found > 1e-6 * found.max())[-1]) + 1
    return found[:needed]
