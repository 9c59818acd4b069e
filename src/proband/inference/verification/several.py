"""Verification of several algorithms, and of scored pairs that are arrays in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import polars as pl

from proband.engine.limits import FalseMatchRate, Level, Replicates, Seed
from proband.errors import UsageError, first_few, nearest, quoted
from proband.inference.verification.people.supposed import NOTHING_LENT, Lent
from proband.inference.verification.verification import FMRS, N_RESAMPLES, Verification, verify
from proband.results.base import Result
from proband.results.serializing import Written
from proband.scores.base import Orientation
from proband.scores.scored_pairs import PairScores, Sides, scored_pairs

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Verifications(Result):
    """Error rates of several algorithms.

    Attributes
    ----------
    found
        In the order of the algorithms.
    """

    written = Written(versioned=True)

    found: tuple[Verification, ...]

    def __iter__(self) -> Iterator[Verification]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, which: int | str) -> Verification:
        """One of them, by its place or by the name of the algorithm."""
        if not isinstance(which, str):
            return self.found[which]
        named = {one.algorithm: one for one in self.found}
        if which not in named:
            raise UsageError(
                f"There is no algorithm {quoted(which)}.",
                nearest(which, list(named)) or f"there are: {first_few(list(named), 12)}.",
            )
        return named[which]

    def to_frame(self) -> pl.DataFrame:
        """One row for each algorithm and operating point."""
        return pl.concat([one.to_frame() for one in self.found], how="diagonal_relaxed")

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.found))


def beside_each_other(
    making: Sequence[Callable[[Lent], Made]], of: Callable[[Made], Verification]
) -> list[Made]:
    """Verify algorithms, and once more those that can borrow from the others how alike comparisons are.

    A rate with fewer than two errors does not show it, nor does its algorithm where scores are tied, or fewer than thirty.

    Parameters
    ----------
    making
        What verifies each, given what it may borrow.
    of
        The error rates in what was made.
    """
    made = [make(NOTHING_LENT) for make in making]
    lent = Lent.by(of(one).alike for one in made)
    return [make(lent) if of(one)._may_borrow(lent) else one for make, one in zip(making, made, strict=True)]


def verify_pairs(
    mated: Any,
    scores: PairScores,
    *,
    people: Sides | None = None,
    samples: Sides | None = None,
    orientation: Orientation,
    mated_is: str | None = None,
    fmr: FalseMatchRate | Sequence[FalseMatchRate] = FMRS,
    thresholds: Sequence[float] = (),
    confidence_level: Level = 0.95,
    n_resamples: Replicates = N_RESAMPLES,
    naive: bool = False,
    seed: Seed = 0,
    check_orientation: bool = True,
    name: str = "scores",
) -> Verification | Verifications:
    """Estimate error rates of scored pairs: whether each is mated, and its score.

    With `people`, intervals are for other people and know that pairs share them, as those of `verify`. With `samples` and no people,
    samples that mated pairs join are taken for one person. With neither, pairs are assumed independent (Wilson 1927), and the result
    says so.

    Parameters
    ----------
    mated, scores, people, samples, orientation, mated_is, name
        As `scored_pairs` takes them: arrays, lists, columns of pandas or polars, tensors. Scores may be a mapping with an entry for each
        algorithm; then the result is one for each.
    fmr, thresholds, confidence_level, n_resamples, naive, seed, check_orientation
        As in `verify`.

    Examples
    --------
    Two of ten impostor pairs reach 0.5. Wilson's interval of 2 in 10:

    >>> mated = [1] * 10 + [0] * 10
    >>> score = [0.9] * 9 + [0.4] + [0.6] * 2 + [0.1] * 8
    >>> (point,) = verify_pairs(mated, score, orientation="similarity", fmr=(), thresholds=[0.5]).points
    >>> point.fmr.rate, round(point.fmr.low, 4), round(point.fmr.high, 4), point.fnmr.rate
    (0.2, 0.0567, 0.5098, 0.1)
    """
    lists = scored_pairs(
        mated,
        scores,
        people=people,
        samples=samples,
        orientation=orientation,
        mated_is=mated_is,
        name=name,
    )
    asked: Any = lists if isinstance(scores, Mapping) else lists[name]
    found: Verification | Verifications = verify(
        asked,
        fmr=fmr,
        thresholds=thresholds,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        naive=naive,
        seed=seed,
        check_orientation=check_orientation,
    )
    return found
