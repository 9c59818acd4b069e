"""The arithmetic of rates over several galleries: places and how sure they are, the spread, and whether it is chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.designs import Bootstrap
from proband.designs.galleries import SmallGallery, dated_column
from proband.distributions import chi_square_tail
from proband.inference.estimates.case import people_in
from proband.inference.estimates.closed import effective_size
from proband.inference.estimates.clusters import cluster_statistics
from proband.inference.proportions import Interval
from proband.inference.strata.intervals import ends_of
from proband.measures import Outcomes
from proband.results.about import RestsOn
from proband.results.test import Test
from proband.samples import Samples
from proband.words import Method, Note, Sentence

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

RESAMPLES = 2_000  # of a gallery's people, for the places
_DIGITS = 12  # rates that agree this far are equal: sums of fractions differ by rounding
_FEWEST_PEOPLE, _FEWEST_EXPECTED = 10, 5.0  # in each gallery, for the chi-square to hold
_DAY = 86_400_000_000  # microseconds

_ALIKE = Method(
    "galleries-alike",
    "chi-squared over galleries",
    "a chi-squared test for equal rates in all galleries",
    ("rao1992",),
)
_ONE_GALLERY = Sentence("galleries.too-few", "caution", "fewer than two galleries have probes")
_FEW_PEOPLE = Sentence(
    "galleries.few-people", "caution", "a gallery has probes of fewer than {fewest:count} people"
)
_FEW_EXPECTED = Sentence(
    "galleries.few-expected",
    "caution",
    "a gallery is expected to have fewer than {fewest:given} independent successes or failures",
)


def places(rates: Floats) -> Integers:
    """Give each algorithm its place, along the last axis: one more than the number of algorithms with a higher rate.

    So equal rates share a place, as in FERET's tables (Phillips et al. 2000).
    """
    rounded = np.round(rates, _DIGITS)
    found: Integers = 1 + (rounded[..., None, :] > rounded[..., :, None]).sum(axis=-1)
    return found


def place_intervals(outcomes: Sequence[Outcomes], rank: int, level: float, seed: int) -> Integers | None:
    """Find the lowest and highest place of each algorithm when a gallery's people are drawn anew.

    Percentiles of places over 2,000 bootstrap draws of people (Efron 1979), the same people for all algorithms, with all their
    probes; the gallery stays. None where all probes are of one person.
    """
    people = np.unique(np.concatenate([one.subjects for one in outcomes]))
    if len(people) < 2:
        return None
    units = [np.searchsorted(people, one.subjects) for one in outcomes]
    n = len(people)
    successes = [
        np.bincount(unit, weights=one.success(rank), minlength=n)
        for unit, one in zip(units, outcomes, strict=True)
    ]
    rows = np.column_stack([*successes, *(np.bincount(unit, minlength=n) for unit in units)])
    drawn = []
    for weights in Bootstrap("subject", n_resamples=RESAMPLES).weights(n, seed):
        sums = weights.astype(np.float64) @ rows
        probes = sums[:, len(outcomes) :]
        # A draw may hold nobody with a probe that this algorithm could judge.
        drawn.append(places(sums[:, : len(outcomes)] / np.where(probes > 0, probes, np.inf)))
    tail = (1 - level) / 2
    ends = np.quantile(np.concatenate(drawn), [tail, 1 - tail], axis=0, method="inverted_cdf")
    return ends.astype(np.int64)


@dataclass(frozen=True)
class Spread:
    """Rates over galleries; None where something is not known.

    Attributes
    ----------
    mean, interval
        Over galleries, with Student's interval.
    standard_deviation, range
        Over galleries; the range is the largest less the smallest.
    """

    mean: float
    interval: Interval | None
    standard_deviation: float | None
    range: float


def spread_of(values: Floats, level: float, limits: Interval) -> Spread:
    """Describe the values of galleries, which are independent groups of people.

    Their mean, x̄ ± t_{k−1} s/√k (Student 1908), standard deviation and range. Other people, in galleries of this size, vary. Between
    the `limits` 0 and 1 the interval is Student's on the logit scale: rates of few galleries are skewed, and by simulation the
    symmetric interval held the mean in 77 to 97 % at rates above 0.9. Values that do not vary show nothing of what other groups
    would give, so they have none.
    """
    mean, extent = float(values.mean()), float(values.max() - values.min())
    if len(values) < 2:
        return Spread(mean, None, None, extent)
    deviation = float(values.std(ddof=1))
    if extent < 10.0**-_DIGITS:
        return Spread(mean, None, 0.0, 0.0)
    return Spread(mean, mean_interval(values, level, limits), deviation, extent)


def mean_interval(values: Floats, level: float, limits: Interval) -> Interval:
    """Find Student's interval of a mean of independent values, on the logit scale for rates, which are within 0 and 1."""
    error = values.std(ddof=1, keepdims=True) / np.sqrt(len(values))
    kind: Literal["logit", "t"] = "logit" if tuple(limits) == (0.0, 1.0) else "t"
    low, high, _ = ends_of(values.mean(keepdims=True), error, len(values) - 1.0, level, kind)
    return Interval(float(low[0]), float(high[0]))


def heterogeneity(outcomes: Sequence[Outcomes], rank: int) -> tuple[Test, float | None]:
    """Test whether galleries of different people have one rate, and estimate the standard deviation between them.

    With n_g the independent probes that gallery g's are worth (Rao & Scott 1992), p_g its rate and p the common one, X² = Σ n_g
    (p_g − p)²/(p(1 − p)) is chi-square on k − 1 degrees of freedom if they do not differ; with one probe for each person it is
    Pearson's. The standard deviation left after chance is the moment estimate of DerSimonian & Laird (1986), τ² = max(0, (X² −
    (k − 1))/(Σw − Σw²/Σw)), w_g = n_g/(p(1 − p)). People vary within galleries. Declined with few people in a gallery (10) or
    few expected successes or failures (5): then there is no p-value, the notes of the test say why, and nothing is estimated.
    """
    people = sum(map(people_in, outcomes))
    rests_on = RestsOn(n=sum(map(len, outcomes)), of="probe", n_units=people, unit="person")

    def declined(why: Note) -> tuple[Test, None]:
        return Test(p_value=None, rests_on=rests_on, method=_ALIKE, notes=(why,)), None

    if len(outcomes) < 2:
        return declined(_ONE_GALLERY())
    sizes = np.array([_worth(one, rank) for one in outcomes])
    rates = np.array([float(one.success(rank).mean()) for one in outcomes])
    common = float(sizes @ rates / sizes.sum())
    if min(people_in(one) for one in outcomes) < _FEWEST_PEOPLE:
        return declined(_FEW_PEOPLE(fewest=_FEWEST_PEOPLE))
    if min(common, 1 - common) * sizes.min() < _FEWEST_EXPECTED:
        return declined(_FEW_EXPECTED(fewest=_FEWEST_EXPECTED))
    weights = sizes / (common * (1 - common))
    statistic = float(weights @ (rates - common) ** 2)
    freedom = len(rates) - 1
    excess = (statistic - freedom) / float(weights.sum() - (weights**2).sum() / weights.sum())
    test = Test(
        statistic=statistic,
        degrees_of_freedom=freedom,
        p_value=float(chi_square_tail(freedom, statistic)),
        rests_on=rests_on,
        method=_ALIKE,
    )
    return test, float(np.sqrt(max(0.0, excess)))


def _worth(outcomes: Outcomes, rank: int) -> float:
    """How many independent probes a gallery's probes tell as much as."""
    if people_in(outcomes) == len(outcomes):
        return float(len(outcomes))
    return effective_size(cluster_statistics(outcomes.success(rank), outcomes.subjects))


def mean_age(samples: Samples, gallery: SmallGallery, column: str) -> tuple[float | None, int]:
    """Find the mean over probes of the time between probe and mate, in days for dates, and how many probes lack a value.

    Which of the two came first does not matter, or a gallery of both kinds would seem to have no age. With several mates the
    mean over them counts.
    """
    series = dated_column(samples, column, "compute ages from")
    if series.dtype in (pl.Date, pl.Datetime):
        series = series.cast(pl.Datetime("us")).dt.epoch("us") / _DAY
    values = series.cast(pl.Float64).to_numpy()

    def dated(images: npt.NDArray[np.intp]) -> pl.LazyFrame:
        frame = pl.LazyFrame({"image": images, "person": samples.codes[images], "at": values[images]})
        return frame.filter(pl.col("at").is_finite())

    pairs = dated(gallery.probes).join(
        dated(gallery.images), on="person", suffix="_mate", maintain_order="left"
    )
    apart = (pl.col("at") - pl.col("at_mate")).abs().mean()
    ages = pairs.group_by("image", maintain_order=True).agg(apart).collect()["at"].to_numpy()
    return (float(ages.mean()) if len(ages) else None), len(gallery.probes) - len(ages)
