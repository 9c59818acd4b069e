"""Random choices that preserve proportions, rounding, and the balance of test sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from proband.errors import DesignError
from proband.protocols.splits.material import Mask
from proband.samples.ids import Positions
from proband.words import count, counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from proband.protocols.splits.splits import Split


def largest_remainder(total: int, shares: Sequence[Fraction]) -> list[int]:
    """Divide a total by shares: each part gets the integer part of its quota, and the parts with the largest remainders one more.

    For equal remainders the earlier part gets it, so half a sample goes to training.
    """
    quotas = [total * share / sum(shares) for share in shares]
    sizes = [int(quota) for quota in quotas]
    by_remainder = sorted(range(len(sizes)), key=lambda part: (sizes[part] - quotas[part], part))
    for part in by_remainder[: total - sum(sizes)]:
        sizes[part] += 1
    return sizes


def apportioned(counts: Positions, drawn: int, rng: np.random.Generator) -> Positions:
    """Return how many of each class to draw, so that the `drawn` samples have the proportions of the classes to within one.

    The largest remainders are rounded up; equal remainders are decided at random.
    """
    total = int(counts.sum())
    whole, rest = np.divmod(counts * drawn, total)
    up = np.lexsort((rng.random(len(counts)), -rest))[: drawn - int(whole.sum())]
    whole[up] += 1
    return np.asarray(whole, np.intp)


def ranks_within(groups: Positions, rng: np.random.Generator) -> Positions:
    """Return the rank of each sample in a random order of its group, from 0."""
    order = np.lexsort((rng.random(len(groups)), groups))
    counts = np.bincount(groups)
    starts = np.cumsum(counts) - counts
    ranks = np.empty(len(groups), np.intp)
    ranks[order] = np.arange(len(groups)) - starts[groups[order]]
    return ranks


def drawn_from(pool: Mask, strata: Positions, drawn: int, rng: np.random.Generator) -> Mask:
    """Draw samples from a pool without replacement, in the proportions of its strata."""
    inside = np.flatnonzero(pool)
    if drawn > len(inside):
        raise DesignError(
            f"{counted(drawn, 'sample is', 'samples are')} requested, but only {count(len(inside))} are available.",
            "choose smaller sizes.",
        )
    chosen = np.zeros(len(pool), np.bool_)
    if drawn:
        own = strata[inside]
        chosen[inside[ranks_within(own, rng) < apportioned(np.bincount(own), drawn, rng)[own]]] = True
    return chosen


def drawn_per_cell(pool: Mask, cells: Positions, drawn: int | Positions, rng: np.random.Generator) -> Mask:
    """Draw a number of samples from a pool in every cell; the number may differ by cell."""
    inside = np.flatnonzero(pool)
    wanted = drawn if isinstance(drawn, int) else drawn[cells[inside]]
    chosen = np.zeros(len(pool), np.bool_)
    chosen[inside[ranks_within(cells[inside], rng) < wanted]] = True
    return chosen


@dataclass(frozen=True)
class Imbalance:
    """How far test sets are from the whole.

    Attributes
    ----------
    share
        The largest |share of a class in a test set − its share of all samples|; None without labels. label,
    repeat, fold
        The class and the test set of that maximum; None without labels.
    smallest, largest
        The sizes of the smallest and the largest test set.
    """

    share: float | None
    label: str | None
    repeat: int | None
    fold: int | None
    smallest: int
    largest: int


def imbalance(splits: Iterable[Split], labels: Any = None) -> Imbalance:
    """Measure how far the test sets differ from the whole."""
    from proband.protocols.splits.material import material

    of = None if labels is None else material(labels, None)
    worst: tuple[float, str, int, int] | None = None
    sizes = []
    for split in splits:
        sizes.append(len(split.test))
        if of is None or of.labels is None:
            continue
        whole = np.bincount(of.labels) / of.n
        unlike = np.abs(np.bincount(of.labels[split.test], minlength=len(whole)) / len(split.test) - whole)
        k = int(unlike.argmax())
        if worst is None or unlike[k] > worst[0]:
            worst = (float(unlike[k]), of.classes[k], split.repeat, split.fold)
    if not sizes:
        raise DesignError("There are no splits to measure.")
    share, label, repeat, fold = worst or (None, None, None, None)
    return Imbalance(share, label, repeat, fold, min(sizes), max(sizes))
