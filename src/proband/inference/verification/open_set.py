"""Open-set error rates with intervals: people are the units, and each search belongs to one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine import Engine, on_engine
from proband.engine.frames import frame_of_rows
from proband.inference.proportions import (
    Interval,
    check_level,
    normal_quantile,
    t_quantile,
    wilson_interval,
)
from proband.inference.verification.intervals.dyadic_bootstrap import recentred_interval
from proband.inference.verification.people.drawings import Drawings, Weights, replicates
from proband.inference.verification.people.person_rates import by_comparison
from proband.measures.open_set import Searches, SearchPoint
from proband.measures.pairs.counts import allowed_errors
from proband.results.base import Answers, Confidence, Result
from proband.results.serializing import Written
from proband.results.targets import PEOPLE_ALIKE
from proband.words import Note, Sentence, Target

Floats = npt.NDArray[np.float64]

N_RESAMPLES = 1_000
_BEYOND = Sentence(
    "search.target-beyond-data",
    "caution",
    "with {n:count search/searches} for people who are not enrolled, a target FPIR below {least:small} allows no false positive: FNIR "
    "there is at the smallest FPIR that these searches can show, not at the target",
)
_SUPPORTED = 30
_ANSWERS = Answers(
    Target("fpir-and-fnir", "false positive and false negative identification rates"),
    Target("people-searched", "new people searched for in this gallery, as many probes each"),
    Target("gallery-and-threshold", "the algorithm, the gallery and the threshold"),
    PEOPLE_ALIKE,
)


@dataclass(frozen=True)
class SearchInterval(Result):
    """One operating point of a search with its intervals.

    Attributes
    ----------
    point
        The threshold and the counts.
    fpir, fnir
        Their intervals, at the threshold held fixed.
    fnir_at_fpir
        FNIR at the FPIR asked for, with the threshold found anew in every replicate of people. None without replicates, and
        where no false positive is allowed.
    """

    written = Written(
        {
            "fpir_interval": "fpir",
            "fnir_interval": "fnir",
            "fnir_at_fpir_interval": "fnir_at_fpir",
            "dir": "point.dir",
        },
        also=("dir_interval", "fpir_supported", "fnir_supported"),
        spread=("point",),
    )

    point: SearchPoint
    fpir: Interval
    fnir: Interval
    fnir_at_fpir: Interval | None = None

    @property
    def fpir_supported(self) -> bool:
        """Whether the false positive rate rests on at least 30 events."""
        return self.point.false_positives >= _SUPPORTED

    @property
    def fnir_supported(self) -> bool:
        """Whether the false negative rate rests on at least 30 events."""
        return self.point.misses >= _SUPPORTED

    @property
    def dir_interval(self) -> Interval:
        """The interval of the detection and identification rate."""
        return Interval(1.0 - self.fnir.high, 1.0 - self.fnir.low)


@dataclass(frozen=True, eq=False)
class SearchEstimates(Result):
    """One algorithm's searches at chosen operating points.

    Attributes
    ----------
    searches, points
        What every search returned, and the operating points.
    confidence_level, answers
        Of the intervals, and what they mean.
    """

    written = Written(
        {
            "n_enrolled": "searches.n_enrolled",
            "fusion": "searches.fusion",
            "metric": "searches.metric",
        },
        also=("algorithm", "notes"),
        without=("searches",),
        versioned=True,
    )

    searches: Searches
    points: tuple[SearchInterval, ...]
    confidence_level: Confidence
    answers: Answers

    @property
    def algorithm(self) -> str:
        """The name of the scores."""
        return self.searches.algorithm

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader should know: what searches say of themselves, and rates beyond what so few can show."""
        strangers = len(self.searches.best)
        asked = [one.point.asked for one in self.points if one.point.asked is not None]
        beyond = any(allowed_errors(fpir, strangers) == 0 for fpir in asked)
        return (*self.searches.notes, *([_BEYOND(n=strangers, least=1 / strangers)] if beyond else []))

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each operating point."""
        return frame_of_rows(
            [
                {
                    "algorithm": self.algorithm,
                    **one.point.to_dict(),
                    "fpir_low": one.fpir.low,
                    "fpir_high": one.fpir.high,
                    "fnir_low": one.fnir.low,
                    "fnir_high": one.fnir.high,
                    "fnir_at_fpir_low": None if one.fnir_at_fpir is None else one.fnir_at_fpir.low,
                    "fnir_at_fpir_high": None if one.fnir_at_fpir is None else one.fnir_at_fpir.high,
                    "fpir_supported": one.fpir_supported,
                    "fnir_supported": one.fnir_supported,
                    "n_enrolled": self.searches.n_enrolled,
                }
                for one in self.points
            ]
        ).with_columns(pl.col("fnir_at_fpir_low", "fnir_at_fpir_high").cast(pl.Float64))


@on_engine
def searches_with_intervals(
    searches: Searches,
    fpirs: Sequence[float],
    ranks: Sequence[int],
    confidence_level: float = 0.95,
    *,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
    threads: int | None = None,
    engine: Engine = None,
) -> SearchEstimates:
    """Estimate FPIR and FNIR at the attainable thresholds of some false positive rates.

    Each search belongs to one person, so intervals are Wilson's (1927) with people as units (Rao & Scott 1992), against the
    gallery as it is: other people searched for vary. FPIR and FNIR have intervals at the threshold held fixed; FNIR at the FPIR
    asked for has one with the threshold found anew in drawings of people (Efron 1979), Wilson's with the larger of both
    variances.
    """
    check_level(confidence_level)
    points, drawings = [], Drawings(seed)
    for fpir in fpirs:
        for rank in ranks:
            point = searches.at_fpir(fpir, rank)
            closeness = (
                np.inf
                if point.threshold is None
                else point.threshold * (1 if searches.larger_is_closer else -1)
            )
            missed = ~((searches.mate >= closeness) & (searches.place <= rank) & np.isfinite(searches.mate))
            positive = _Fixed.of(searches.best >= closeness, searches.nonmated_subjects)
            negative = _Fixed.of(missed, searches.mated_subjects)
            anew = None
            if n_resamples and point.false_positives:
                measure = _FnirAnew.of(searches, fpir, rank)
                blocks = replicates(measure, "vertex", measure.n_people, n_resamples, drawings, threads)
                anew = negative.anew(np.concatenate(list(blocks)), confidence_level)
            points.append(
                SearchInterval(
                    point, positive.interval(confidence_level), negative.interval(confidence_level), anew
                )
            )
    return SearchEstimates(searches, tuple(points), confidence_level, _ANSWERS)


@dataclass(frozen=True)
class _Fixed:
    """A rate at a threshold held fixed, with the independent searches it is worth; the normal quantile where each is of another."""

    rate: float
    worth: float
    freedom: float | None

    @classmethod
    def of(cls, events: npt.NDArray[np.bool_], people: npt.NDArray[np.int32]) -> _Fixed:
        codes = np.unique(people, return_inverse=True)[1]
        sizes = np.bincount(codes).astype(np.float64)
        n, k = len(events), len(sizes)
        found = by_comparison(np.bincount(codes, weights=events).astype(np.float64), sizes)
        if found.rate in (0.0, 1.0):
            return cls(found.rate, float(k), None if n == k else float(k - 1))
        if n == k:
            return cls(found.rate, float(n), None)
        most = found.rate * (1 - found.rate) / found.variance if k > 1 and found.variance > 0 else n
        return cls(found.rate, min(float(n), most), found.freedom)

    def interval(self, level: float, worth: float | None = None) -> Interval:
        t = normal_quantile(level) if self.freedom is None else t_quantile(level, self.freedom)
        return wilson_interval(self.rate, self.worth if worth is None else worth, t)

    def anew(self, drawn: Floats, level: float) -> Interval:
        """The interval with the larger of this variance and that of replicates; percentiles where nothing varies here."""
        fixed, variance = self.interval(level), self.rate * (1 - self.rate) / self.worth
        if variance == 0:
            low, high = fixed if drawn.min() == drawn.max() else recentred_interval(drawn, self.rate, level)
            return Interval(min(fixed.low, low), max(fixed.high, high))
        return self.interval(level, self.worth * variance / max(variance, float(drawn.var(ddof=1))))


@dataclass(frozen=True, eq=False)
class _FnirAnew:
    """FNIR at an FPIR in drawings of people, with the threshold found anew in each as `Searches.at_fpir` finds it."""

    fpir: float
    best: Floats  # of searches for strangers, from the closest down
    strangers: npt.NDArray[np.int64]
    mate: Floats  # of searches for enrolled people; minus infinity where the mate is not among the candidates
    enrolled: npt.NDArray[np.int64]
    n_people: int

    @classmethod
    def of(cls, searches: Searches, fpir: float, rank: int) -> _FnirAnew:
        both = np.concatenate([searches.nonmated_subjects, searches.mated_subjects])
        names, codes = np.unique(both, return_inverse=True)
        strangers, enrolled = np.split(codes, [len(searches.best)])
        down = np.argsort(-searches.best, kind="stable")
        mate = np.where(searches.place <= rank, searches.mate, -np.inf)
        return cls(fpir, searches.best[down], strangers[down], mate, enrolled, len(names))

    def __call__(self, weights: Weights) -> Floats:
        """Measure every drawing that has searches of both kinds."""
        strangers, enrolled = weights[:, self.strangers].astype(np.int64), weights[:, self.enrolled]
        there = (strangers.sum(axis=1) > 0) & (enrolled.sum(axis=1) > 0)
        positives, enrolled = strangers[there].cumsum(axis=1), enrolled[there]
        allowed = allowed_errors(self.fpir, positives[:, -1])
        # The closest stranger that may not be returned: mates must be closer.
        limits = self.best[np.argmax(positives > allowed[:, None], axis=1)]
        missed = self.mate <= limits[:, None]
        found: Floats = (enrolled * missed).sum(axis=1) / enrolled.sum(axis=1)
        return found
