"""Means of fractions over people: the average of several algorithms, and expected rates in smaller galleries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.designs import Clustered
from proband.errors import Hint, UsageError
from proband.inference.estimates.case import supposed_by
from proband.inference.estimates.evaluation import OfProbes, probes_called
from proband.inference.estimates.weighting import BY_DEFAULT, PeopleSums, Supposed, moderated, rates_of_people
from proband.inference.proportions import Interval, normal_quantile, wilson_interval
from proband.measures import Curve, Outcomes, average_cmc
from proband.measures.open_set import chance_by_gallery_size
from proband.results.band import Band
from proband.results.base import Answers, Confidence, Count, Rank, Result, among
from proband.results.serializing import Written
from proband.results.targets import OTHER_PEOPLE, PEOPLE_ALIKE
from proband.words import Target, count, counted, fixed

Floats = npt.NDArray[np.float64]
_RANKS = 2_000  # as far as a band goes
_ALGORITHMS_AVERAGED = Target(
    "algorithms-averaged-and-gallery",
    "the algorithms (averaged, not treated as a sample of algorithms) and the gallery",
)
_PEOPLE_SEARCHED = Target(
    "people-searched-enrolment-averaged",
    "new people searched in this gallery, with the same number of probes each; the choice of enrolled "
    "people is averaged exactly",
)
_WHOLE_GALLERY = Target("gallery-of-parts", "the algorithm and the full gallery")


def people_interval(
    values: Floats,
    subjects: npt.NDArray[np.integer[Any]],
    confidence_level: float,
    supposed: Supposed = BY_DEFAULT,
    *,
    chances: bool = False,
    inflation: float = 1.0,
) -> Interval:
    """Find the interval of a mean of fractions between 0 and 1, for other people.

    Wilson's (1927), with as many trials as would give the mean the variance it has over people (`rates_of_people`). For successes of 0
    and 1 it is the interval that `estimate` gives a rate. `chances` of success, mostly near 1, show their variance by few people: it is
    `moderated`. `inflation` multiplies the variance.
    """
    sums = PeopleSums.of(values, subjects)
    found = rates_of_people(sums, supposed=supposed)
    if chances:
        found = moderated(sums, found)
    found = replace(found, effective_n=found.effective_n / inflation)
    if sums.n_people == sums.n_probes:
        return wilson_interval(float(found.rate), float(found.effective_n), normal_quantile(confidence_level))
    low, high = found.ends(confidence_level)
    return Interval(float(low), float(high))


def average_band(outcomes: Sequence[Outcomes], curves: Sequence[Curve], confidence_level: float) -> Band:
    """Average several algorithms over the same probes, with an interval at each rank (after Phillips et al. 2000).

    Each probe's successes are averaged over the algorithms first, so that what is common to them stays: probes that are hard
    for one algorithm tend to be hard for another. Other people vary; the algorithms are no sample of others.
    """
    curve = average_cmc(curves, f"average of {len(curves)}")
    last = min(len(curve.values), _RANKS)
    subjects, supposed = outcomes[0].subjects, supposed_by(outcomes)
    ends = np.array(
        [
            people_interval(
                np.mean([one.success(t) for one in outcomes], axis=0), subjects, confidence_level, supposed
            )
            for t in range(1, last + 1)
        ]
    )
    answers = Answers(curve.answers.of, OTHER_PEOPLE, _ALGORITHMS_AVERAGED, PEOPLE_ALIKE)
    return Band(
        curve.values[:last],
        ends[:, 0],
        ends[:, 1],
        confidence_level,
        False,
        Clustered().as_method,
        None,
        among(answers, outcomes[0].sampling),
        curve.facts,
    )


@dataclass(frozen=True, eq=False)
class SizeCurve(OfProbes, Result):
    """The expected recognition rate of one algorithm as the gallery grows.

    Attributes
    ----------
    sizes
        Numbers of people enrolled.
    rates, low, high
        The rate expected when so many of the enrolled people are in the gallery, drawn at random with each probe's mate among
        them, and its interval.
    n_enrolled
        The people they are drawn from.
    category, algorithm, rank
        Of which probes, whose, and at which rank.
    n_probes, n_probe_subjects
        The probes, and whose they are.
    confidence_level, answers
        Of the intervals, and what the rates mean.
    """

    written = Written({"category": "probe_set"})

    category: str | None
    algorithm: str
    rank: Rank
    sizes: tuple[int, ...]
    rates: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    n_enrolled: Count
    n_probes: Count
    n_probe_subjects: Count
    confidence_level: Confidence
    answers: Answers

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{count(size)}: {fixed(rate)}" for size, rate in zip(self.sizes, self.rates, strict=True)
        )
        return f"{self.algorithm}, {probes_called(self.category)}: rank-{self.rank} rate by people enrolled {shown}"

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each size."""
        return pl.DataFrame(
            {
                "category": [self.probe_set] * len(self.sizes),
                "algorithm": [self.algorithm] * len(self.sizes),
                "rank": [self.rank] * len(self.sizes),
                "size": self.sizes,
                "rate": self.rates,
                "low": self.low,
                "high": self.high,
            }
        )


def size_curve(
    outcomes: Outcomes, category: str | None, sizes: Sequence[int], rank: int, confidence_level: float
) -> SizeCurve:
    """Work out what smaller galleries would give, from ranks that count people.

    How many of those before a mate are in a random part of the gallery is hypergeometric, so nothing is drawn (see
    `chance_by_gallery_size`). A mate that ties with others, under ``mean``, is as likely to stand at any place among them.
    Other people searched for vary; which people are enrolled is averaged out.
    """
    if outcomes.counting != "subjects" and outcomes.n_gallery_images != outcomes.n_gallery_subjects:
        raise UsageError(
            "Rates for other gallery sizes need ranks that count people.",
            Hint("use {option:counting=subjects}."),
        )
    enrolled = outcomes.n_ranks
    wrong = [size for size in sizes if not 1 <= size <= enrolled]
    if wrong:
        lost = " who could be enrolled" if enrolled < outcomes.n_gallery_subjects else ""
        raise UsageError(
            f"A part of a gallery of {counted(enrolled, 'person', 'people')}{lost} has 1 to {count(enrolled)} of them, got "
            f"{count(wrong[0])}."
        )
    ordered = tuple(sorted(set(sizes)))
    rates, ends, supposed = [], [], supposed_by([outcomes])
    for size in ordered:
        expected = _expected(outcomes, enrolled, size, rank)
        rates.append(float(expected.mean()))
        part = {"chances": size < enrolled}
        ends.append(people_interval(expected, outcomes.subjects, confidence_level, supposed, **part))
    of = Target(
        "rank-rate-by-size",
        f"expected recognition rate at rank {rank} in a gallery of a given number of the enrolled people",
    )
    answers = Answers(of, _PEOPLE_SEARCHED, _WHOLE_GALLERY, PEOPLE_ALIKE)
    return SizeCurve(
        category=category,
        algorithm=outcomes.algorithm,
        rank=rank,
        sizes=ordered,
        rates=tuple(rates),
        low=tuple(end.low for end in ends),
        high=tuple(end.high for end in ends),
        n_enrolled=enrolled,
        n_probes=len(outcomes),
        n_probe_subjects=len(np.unique(outcomes.subjects)),
        confidence_level=confidence_level,
        answers=among(answers, outcomes.sampling),
    )


def _expected(outcomes: Outcomes, enrolled: int, size: int, rank: int) -> Floats:
    """Each probe's chance of success when a random part of the people is enrolled, its mate among them."""
    closer, tied = outcomes.closer, outcomes.tied
    if outcomes.ties != "mean":
        before = closer + (tied if outcomes.ties == "pessimistic" else 0)
        found = chance_by_gallery_size(before, enrolled, size, rank)
    else:
        owner = np.repeat(np.arange(len(closer)), tied + 1)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(tied + 1) - (tied + 1), tied + 1)
        chances = chance_by_gallery_size(closer[owner] + place, enrolled, size, rank)
        found = np.bincount(owner, weights=chances, minlength=len(closer)) / (tied + 1)
    expected: Floats = np.where(outcomes.failed, 0.0, found)
    return expected
