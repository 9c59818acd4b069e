"""Open-set error rates with intervals: people are the units, and each search belongs to one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from proband.engine.frames import frame_of_rows
from proband.inference.estimates.closed import effective_size
from proband.inference.estimates.clusters import cluster_statistics
from proband.inference.proportions import (
    Interval,
    check_level,
    proportion_interval,
    t_quantile,
    wilson_interval,
)
from proband.measures.open_set import Searches, SearchPoint
from proband.results.base import Answers, Confidence, Result
from proband.results.serializing import Written
from proband.results.targets import PEOPLE_ALIKE
from proband.words import Target

_SUPPORTED = 30
_ANSWERS = Answers(
    Target("fpir-and-fnir", "false positive and false negative identification rates"),
    Target("people-searched", "other people searched for, with as many probes each"),
    Target("gallery-and-threshold", "the algorithm, the gallery and the threshold"),
    PEOPLE_ALIKE,
)


@dataclass(frozen=True)
class SearchInterval(Result):
    """One operating point of a search with its intervals, at the threshold held fixed.

    Attributes
    ----------
    point
        The threshold and the counts.
    fpir, fnir
        Their intervals.
    """

    written = Written(
        {"fpir_interval": "fpir", "fnir_interval": "fnir", "dir": "point.dir"},
        also=("dir_interval", "fpir_supported"),
        spread=("point",),
    )

    point: SearchPoint
    fpir: Interval
    fnir: Interval

    @property
    def fpir_supported(self) -> bool:
        """Whether the false positive rate rests on at least 30 events."""
        return self.point.false_positives >= _SUPPORTED

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
            "notes": "searches.notes",
        },
        also=("algorithm",),
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

    def to_frame(self) -> pl.DataFrame:
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
                    "fpir_supported": one.fpir_supported,
                    "n_enrolled": self.searches.n_enrolled,
                }
                for one in self.points
            ]
        )


def searches_with_intervals(
    searches: Searches, fpirs: Sequence[float], ranks: Sequence[int], confidence_level: float = 0.95
) -> SearchEstimates:
    """Estimate FPIR and FNIR at the attainable thresholds of some false positive rates.

    Each search belongs to one person, so intervals are Wilson's (1927) with people as units (Rao & Scott 1992), against the
    gallery and at the threshold as they are: other people searched for vary.

    Examples
    --------
    Three searches for enrolled people, whose mates are closest, closest and second; four for strangers:

    >>> found = Searches(
    ...     "net", True, "max", 10, np.array([0.9, 0.6, 0.7]), np.array([1, 1, 2]), np.array([0.2, 0.3, 0.5, 0.65]),
    ...     np.arange(3, dtype=np.int32), np.arange(3, 7, dtype=np.int32), (),
    ... )
    >>> (one,) = searches_with_intervals(found, fpirs=[0.3], ranks=[1]).points
    >>> one.point.threshold, one.point.fpir, round(one.fpir.low, 4), round(one.fpir.high, 4)
    (0.6, 0.25, 0.0456, 0.6994)
    """
    check_level(confidence_level)
    points = []
    for fpir in fpirs:
        for rank in ranks:
            point = searches.at_fpir(fpir, rank)
            closeness = (
                np.inf
                if point.threshold is None
                else point.threshold * (1 if searches.larger_is_closer else -1)
            )
            missed = ~((searches.mate >= closeness) & (searches.place <= rank) & np.isfinite(searches.mate))
            points.append(
                SearchInterval(
                    point,
                    _interval(searches.best >= closeness, searches.nonmated_subjects, confidence_level),
                    _interval(missed, searches.mated_subjects, confidence_level),
                )
            )
    return SearchEstimates(searches, tuple(points), confidence_level, _ANSWERS)


def _interval(events: np.ndarray, people: np.ndarray, level: float) -> Interval:
    values = events.astype(np.float64)
    if len(np.unique(people)) == len(people):
        return proportion_interval(float(values.sum()), len(values), "wilson", level)
    clusters = cluster_statistics(values, people)
    return wilson_interval(
        clusters.rate, effective_size(clusters), t_quantile(level, clusters.n_clusters - 1.0)
    )
