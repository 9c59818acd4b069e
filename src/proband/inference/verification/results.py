"""Error rates that were found: at one operating point, of one algorithm, of several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.arguments import published
from proband.errors import UsageError, first_few, nearest, quoted
from proband.inference.proportions import Interval
from proband.inference.verification.intervals.dyadic_auc import AucInterval
from proband.inference.verification.intervals.equal_error import EqualErrorInterval
from proband.inference.verification.intervals.rate_interval import RateInterval
from proband.inference.verification.people.supposed import NOTHING_LENT, Lent
from proband.measures.verification import ErrorRates, OperatingPoint
from proband.results.base import Answers, Confidence, Count, Result
from proband.results.compared import Compared
from proband.results.serializing import Written
from proband.results.targets import OTHER_PEOPLE_COMPARED
from proband.words import Note, Target, digits, fixed, given, interval, small_interval, threshold

Floats = npt.NDArray[np.float64]
ERROR_RATES = Target("fmr-and-fnmr", "false match and false non-match rates")
PEOPLE_SHARED = Target(
    "people-alike-and-shared",
    "people are independent and identically distributed; comparisons that share a person are not independent",
)
OVER_PEOPLE = Answers(
    ERROR_RATES,
    OTHER_PEOPLE_COMPARED,
    Target("threshold-or-fmr", "the algorithm; the threshold, or the false match rate at which it is set"),
    PEOPLE_SHARED,
)


@dataclass(frozen=True, eq=False)
class VerificationPoint(Result):
    """One operating point with its intervals.

    Attributes
    ----------
    point
        The threshold and the counts.
    fmr, fnmr
        At this threshold, held fixed.
    fnmr_at_fmr
        FNMR at the FMR asked for, with the threshold found anew in every replicate: the answer to "how good at that FMR",
        where the threshold would be set on other people. None where there is no replicate interval.
    naive
        What intervals would be if every comparison were of other people; only where asked for.
    replicates
        FNMR at the FMR asked for in every drawing of people, by which algorithms are compared.
    """

    written = Written(
        {"fmr_interval": "fmr", "fnmr_interval": "fnmr", "fnmr_at_fmr_interval": "fnmr_at_fmr"},
        without=("replicates",),
        spread=("point",),
    )

    point: OperatingPoint
    fmr: RateInterval
    fnmr: RateInterval
    fnmr_at_fmr: Interval | None
    naive: tuple[RateInterval, RateInterval] | None
    replicates: Floats | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        at = (
            "nothing accepted"
            if self.point.threshold is None
            else f"threshold {threshold(self.point.threshold)}"
        )
        return (
            f"{at}: FMR {digits(self.fmr.rate)} {small_interval(self.fmr.low, self.fmr.high)}, FNMR {fixed(self.fnmr.rate)} "
            f"{interval(self.fnmr.low, self.fnmr.high)}"
        )


@published
@dataclass(frozen=True, eq=False)
class Verification(Result):
    """One algorithm's error rates, with intervals at chosen points.

    Attributes
    ----------
    rates, points
        Error rates at every threshold, and the points with intervals.
    eer_interval, auc_interval
        The equal error rate and the area under the ROC with their intervals over people; None where the list does not say whose
        the comparisons are, or there are too many to see who shares them, which a note says.
    n_subjects, compared
        People in the comparisons, and which comparisons were counted.
    groups
        Error rates by the values of each column that was asked for, a `Differential` each.
    confidence_level, answers, notes
        Of the intervals; what they mean, and what a reader should know.
    alike
        What thirty errors show of how alike comparisons are, from which other algorithms may borrow.
    """

    written = Written(
        {
            "n_genuine": "rates.counts.n_genuine",
            "n_impostor": "rates.counts.n_impostor",
            "n_failed_genuine": "rates.counts.n_failed_genuine",
            "n_failed_impostor": "rates.counts.n_failed_impostor",
            "auc": "rates.auc",
            "eer": "rates.eer",
        },
        also=("algorithm",),
        without=("rates", "alike"),
        if_any=("groups",),
        versioned=True,
    )

    rates: ErrorRates
    points: tuple[VerificationPoint, ...]
    n_subjects: Count
    confidence_level: Confidence
    answers: Answers
    notes: tuple[Note, ...]
    compared: Compared
    eer_interval: EqualErrorInterval | None = None
    auc_interval: AucInterval | None = None
    groups: tuple[Any, ...] = ()
    alike: Lent = field(default=NOTHING_LENT, repr=False)

    def _may_borrow(self, lent: Lent) -> bool:
        """Whether a rate has fewer than two errors, and others show what nothing shows here: how alike comparisons are."""
        return any(
            rate.few_errors and own is None and others is not None
            for point in self.points
            for rate, own, others in zip((point.fmr, point.fnmr), self.alike, lent, strict=True)
        )

    @property
    def algorithm(self) -> str:
        """The name of the scores."""
        return self.rates.algorithm

    def __repr__(self) -> str:
        points = (
            repr(one)
            if one.point.asked is None
            else f"FNMR {fixed(one.fnmr.rate)} at target FMR {given(one.point.asked)}"
            for one in self.points
        )
        return ", ".join([repr(self.rates), *points])


@published
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

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each algorithm and operating point."""
        return pl.concat([one.to_frame(wide=wide) for one in self.found], how="diagonal_relaxed")

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.found))
