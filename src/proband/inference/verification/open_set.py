"""Open-set error rates with intervals: people are the units, and each search belongs to one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import sqrt

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
from proband.measures.verification import SUPPORTED
from proband.results.about import RestsOn, Who
from proband.results.base import Answers, Confidence, Record, Result, among
from proband.results.estimate import Estimate, estimate_among
from proband.results.serializing import Written
from proband.results.targets import GALLERY, PEOPLE_ALIKE, derived
from proband.words import Method, Note, SampledColumn, Sentence, Target, given

Floats = npt.NDArray[np.float64]

N_RESAMPLES = 1_000
_BEYOND = Sentence(
    "search.target-beyond-data",
    "caution",
    "with {n:count search/searches} for people who are not enrolled, a target FPIR below {least:small} "
    "allows no false positive: FNIR is reported at the smallest measurable FPIR, not at the target",
)
_FPIR = Target("fpir", "false positive identification rate at this threshold")
_FNIR = Target("fnir", "false negative identification rate at this threshold")
_DIR = Target("dir", "detection and identification rate at this threshold")
_WILSON = Method(
    "searches-wilson",
    "Wilson, people as units",
    "Wilson's interval with people as units",
    ("wilson1927", "rao1992"),
)
_RE_ESTIMATED = Method(
    "fnir-threshold-anew",
    "resampled people, threshold re-estimated (Wilson with the larger variance)",
    "Wilson's interval with the variance over resampled people and the threshold re-estimated in each "
    "replicate",
    ("efron1979", "wilson1927"),
)
_ANSWERS = Answers(
    Target("fpir-and-fnir", "false positive and false negative identification rates"),
    Target("people-searched", "new people searched in this gallery, with the same number of probes each"),
    Target("gallery-and-threshold", "the algorithm, the gallery and the threshold"),
    PEOPLE_ALIKE,
)


@dataclass(frozen=True, eq=False)
class SearchRates(Record):
    """One operating point of a search: both error rates with their intervals.

    Attributes
    ----------
    fnir
        At the target FPIR, with the threshold re-estimated in every replicate of people; where there are no replicates, or no
        false positive is allowed, with the interval of the fixed threshold. It is supported by at least 30 misses, and 30 false
        positives that set the threshold.
    fpir, fnir_at_threshold, dir
        At the threshold held fixed; the last is the detection and identification rate, 1 − FNIR.
    counts
        The threshold, and how many searches err there of how many.
    """

    written = Written(also=("dir",), spread=("counts",))

    counts: SearchPoint
    fpir: Estimate
    fnir: Estimate
    fnir_at_threshold: Estimate

    @property
    def dir(self) -> Estimate:
        """The detection and identification rate at the threshold held fixed."""
        missed = self.fnir_at_threshold
        return replace(
            missed,
            value=1.0 - missed.value,
            low=1.0 - missed.high,
            high=1.0 - missed.low,
            rests_on=replace(missed.rests_on, events=self.counts.n_mated - self.counts.misses),
            answers=replace(missed.answers, of=_DIR),
        )

    @property
    def re_estimated(self) -> Interval | None:
        """The interval of `fnir` with the threshold re-estimated; None where there are no replicates."""
        return None if self.fnir.replicates is None else Interval(self.fnir.low, self.fnir.high)


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
    points: tuple[SearchRates, ...]
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
        targets = [at.counts.target_fpir for at in self.points if at.counts.target_fpir is not None]
        beyond = any(allowed_errors(fpir, strangers) == 0 for fpir in targets)
        return (*self.searches.notes, *([_BEYOND(n=strangers, least=1 / strangers)] if beyond else []))

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each operating point."""
        return frame_of_rows(
            [
                {
                    "algorithm": self.algorithm,
                    **asdict(at.counts),
                    "fpir": at.fpir.value,
                    "fnir": at.fnir.value,
                    "fpir_low": at.fpir.low,
                    "fpir_high": at.fpir.high,
                    "fnir_low": at.fnir_at_threshold.low,
                    "fnir_high": at.fnir_at_threshold.high,
                    "fnir_at_fpir_low": None if at.re_estimated is None else at.re_estimated.low,
                    "fnir_at_fpir_high": None if at.re_estimated is None else at.re_estimated.high,
                    "fpir_supported": at.fpir.supported,
                    "fnir_supported": at.fnir.supported,
                    "n_enrolled": self.searches.n_enrolled,
                }
                for at in self.points
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
    sampling: tuple[SampledColumn, ...] = (),
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
            replicated = None
            if n_resamples and point.false_positives:
                measure = _FnirAnew.of(searches, fpir, rank)
                blocks = replicates(measure, "vertex", measure.n_people, n_resamples, drawings, threads)
                replicated = np.concatenate(list(blocks))
            rates = _rates(searches, point, positive, negative, replicated, confidence_level, seed)
            points.append(_rates_among(rates, sampling))
    return SearchEstimates(searches, tuple(points), confidence_level, among(_ANSWERS, sampling))


def _rates_among(rates: SearchRates, sampling: tuple[SampledColumn, ...]) -> SearchRates:
    """The same rates, whose answers say which of the declared sampling levels vary."""
    return SearchRates(
        rates.counts,
        *(estimate_among(one, sampling) for one in (rates.fpir, rates.fnir, rates.fnir_at_threshold)),
    )


def _rates(
    searches: Searches,
    counts: SearchPoint,
    positive: _Fixed,
    negative: _Fixed,
    replicated: Floats | None,
    level: float,
    seed: int,
) -> SearchRates:
    """Both rates of a point with their intervals, FNIR twice: at the target FPIR, and at the threshold held fixed."""
    who = Who(
        algorithm=searches.algorithm,
        target_fpir=counts.target_fpir,
        threshold=counts.threshold,
        candidates=counts.rank,
    )

    def rate(fixed: _Fixed, of: Target, what: str, events: int, n: int) -> Estimate:
        low, high = fixed.interval(level)
        return Estimate(
            who=who,
            value=events / n,
            low=low,
            high=high,
            confidence_level=level,
            standard_error=sqrt(fixed.variance),
            degrees_of_freedom=fixed.freedom,
            rests_on=RestsOn(n, what, events, fixed.n_people, "person", fixed.worth),
            supported=events >= SUPPORTED,
            method=_WILSON,
            answers=replace(_ANSWERS, of=of),
        )

    fpir = rate(positive, _FPIR, "non-mated search", counts.false_positives, counts.n_nonmated)
    held = rate(negative, _FNIR, "mated search", counts.misses, counts.n_mated)
    at = "" if counts.target_fpir is None else given(counts.target_fpir)
    fnir = replace(
        held,
        answers=replace(held.answers, of=Target(f"fnir@{at}", f"FNIR at an FPIR of {at}")),
        supported=held.supported and fpir.supported,
    )
    if replicated is not None:
        low, high = negative.anew(replicated, level)
        varying = derived("threshold", "{}, and the threshold re-estimated on them", _ANSWERS.varying)
        fnir = replace(
            fnir,
            low=low,
            high=high,
            standard_error=max(sqrt(negative.variance), float(replicated.std(ddof=1))),
            method=_RE_ESTIMATED,
            seed=seed,
            answers=replace(fnir.answers, varying=varying, fixed=GALLERY),
            replicates=replicated,
        )
    return SearchRates(counts, fpir, fnir, held)


@dataclass(frozen=True)
class _Fixed:
    """A rate at a threshold held fixed, with the independent searches it is worth; the normal quantile where each is of another."""

    rate: float
    worth: float
    freedom: float | None
    n_people: int

    @property
    def variance(self) -> float:
        """Of the rate, over other people."""
        return self.rate * (1 - self.rate) / self.worth

    @classmethod
    def of(cls, events: npt.NDArray[np.bool_], people: npt.NDArray[np.int32]) -> _Fixed:
        codes = np.unique(people, return_inverse=True)[1]
        sizes = np.bincount(codes).astype(np.float64)
        n, k = len(events), len(sizes)
        own = by_comparison(np.bincount(codes, weights=events).astype(np.float64), sizes)
        if own.rate in (0.0, 1.0):
            return cls(own.rate, float(k), None if n == k else float(k - 1), k)
        if n == k:
            return cls(own.rate, float(n), None, k)
        most = own.rate * (1 - own.rate) / own.variance if k > 1 and own.variance > 0 else n
        return cls(own.rate, min(float(n), most), own.freedom, k)

    def interval(self, level: float, worth: float | None = None) -> Interval:
        t = normal_quantile(level) if self.freedom is None else t_quantile(level, self.freedom)
        return wilson_interval(self.rate, self.worth if worth is None else worth, t)

    def anew(self, drawn: Floats, level: float) -> Interval:
        """The interval with the larger of this variance and that of replicates; percentiles where nothing varies here."""
        fixed, variance = self.interval(level), self.variance
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
        rates: Floats = (enrolled * missed).sum(axis=1) / enrolled.sum(axis=1)
        return rates
