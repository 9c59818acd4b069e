"""Percentile, basic and BCa intervals again: every replicate made by drawing rows, the jackknife by leaving them out, and SciPy's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

import proband as pb
from proband.designs import Bootstrap
from proband.inference import estimate
from proband.inference.comparisons.testing.curves import Percentiles
from proband.inference.estimates.replicates import bootstrap_interval
from proband.measures import (
    AUC,
    EER,
    FNMR,
    MedianCensoredRank,
    MedianRelativeRank,
    RankStatistic,
    RecognitionRate,
)

Floats = npt.NDArray[np.float64]
KINDS = ("percentile", "basic", "bca")
RNG = np.random.default_rng(12)
PEOPLE = np.repeat(np.arange(25), RNG.integers(1, 7, 25))
CLOSER = RNG.geometric(0.1 + 0.6 * RNG.random(25)[PEOPLE]) - 1
N_RANKS = 25
LEVEL = 0.9
MANY = 400


def quantile(values: Floats, share: float) -> float:
    """Between the order statistics around (n − 1)·share, as R's type 7."""
    ordered = sorted(float(value) for value in values)
    place = (len(ordered) - 1) * share
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def by_hand(
    kind: str, value: float, replicates: Floats, left_out: Floats, limits: tuple[float, float] = (0.0, np.inf)
) -> tuple[float, float]:
    """The ends as Efron & Tibshirani (1993, §14.3) and Davison & Hinkley (1997, §5.2) write them."""
    tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    if kind == "bca":
        normal = NormalDist()
        less = sum(replicate < value - 1e-12 for replicate in replicates)
        equal = sum(abs(replicate - value) <= 1e-12 for replicate in replicates)
        bias = normal.inv_cdf((less + equal / 2) / len(replicates))
        gaps = [float(np.mean(left_out)) - float(without) for without in left_out]
        spread = sum(gap**2 for gap in gaps)
        acceleration = sum(gap**3 for gap in gaps) / (6 * spread**1.5) if spread > 1e-20 else 0.0
        shifted = [bias + normal.inv_cdf(tail) for tail in tails]
        tails = [normal.cdf(bias + z / (1 - acceleration * z)) for z in shifted]
    low, high = (quantile(replicates, tail) for tail in tails)
    if kind == "basic":
        low, high = 2 * value - high, 2 * value - low
    return max(low, limits[0]), min(high, limits[1])


def rate(ranks: Floats, people: npt.NDArray[np.intp]) -> float:
    return float(np.mean(ranks <= 1))


def rate_of_people(ranks: Floats, people: npt.NDArray[np.intp]) -> float:
    return float(np.mean([np.mean(ranks[people == person] <= 1) for person in np.unique(people)]))


def median(ranks: Floats, people: npt.NDArray[np.intp]) -> float:
    return float(np.median(np.minimum(ranks, 4)))


def relative(ranks: Floats, people: npt.NDArray[np.intp]) -> float:
    return float(np.median(ranks / N_RANKS))


def mean(ranks: Floats, people: npt.NDArray[np.intp]) -> float:
    return float(np.mean(ranks))


def root_mean(ranks: Floats) -> float:
    return float(np.sqrt(np.mean(ranks)))


MEASURES: dict[str, tuple[Any, Callable[..., float]]] = {
    "rate": (RecognitionRate(1), rate),
    "rate of people": (RecognitionRate(1, weights="person"), rate_of_people),
    "median censored rank": (MedianCensoredRank(4), median),
    "median relative rank": (MedianRelativeRank(), relative),
    "mean rank": (RankStatistic(np.mean, "mean rank"), mean),
}


def drawn(weights: npt.NDArray[np.int64], units: npt.NDArray[np.intp]) -> tuple[list[int], list[int]]:
    """The rows of a replicate one after another, and which copy of a unit each belongs to."""
    rows: list[int] = []
    copies: list[int] = []
    for unit, times in enumerate(weights):
        own = np.flatnonzero(units == unit).tolist()
        for _ in range(times):
            copies += [max(copies, default=-1) + 1] * len(own)
            rows += own
    return rows, copies


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MEASURES)
def test_people_drawn_one_by_one(outcomes_of: Callable[..., Any], name: str, kind: Any) -> None:
    measure, naive = MEASURES[name]
    ranks = CLOSER + 1.0
    design = Bootstrap("subject", kind, MANY)
    result = estimate(
        outcomes_of(CLOSER, PEOPLE), measure=measure, design=design, confidence_level=LEVEL, seed=7
    )
    value = naive(ranks, PEOPLE)
    assert result.value == pytest.approx(value, rel=1e-12)
    replicates = []
    for weights in (row for block in design.weights(25, 7) for row in block):
        rows, copies = drawn(weights, PEOPLE)
        replicates.append(naive(ranks[rows], np.array(copies)))
    assert result.replicates == pytest.approx(replicates, rel=1e-12)
    left_out = np.array([naive(ranks[person != PEOPLE], PEOPLE[person != PEOPLE]) for person in range(25)])
    assert (result.low, result.high) == pytest.approx(
        by_hand(kind, value, np.array(replicates), left_out), rel=1e-9
    )
    assert result.standard_error == pytest.approx(np.std(replicates, ddof=1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["rate", "median censored rank", "mean rank"])
def test_probes_drawn_one_by_one(outcomes_of: Callable[..., Any], name: str, kind: Any) -> None:
    """The replicates are taken as they are; that they have the binomial and the multinomial distribution is tested elsewhere."""
    measure, naive = MEASURES[name]
    ranks = CLOSER + 1.0
    everyone = np.arange(len(ranks))
    result = estimate(
        outcomes_of(CLOSER, PEOPLE),
        measure=measure,
        design=Bootstrap("probe", kind, MANY),
        confidence_level=LEVEL,
        seed=3,
    )
    left_out = np.array([naive(ranks[everyone != k], everyone[everyone != k]) for k in everyone])
    assert (result.low, result.high) == pytest.approx(
        by_hand(kind, naive(ranks, everyone), result.replicates, left_out), rel=1e-9
    )


@pytest.mark.parametrize(
    ("kind", "method"), [("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")]
)
def test_scipy_makes_the_same_of_the_same_replicates(kind: Any, method: str) -> None:
    """SciPy's bootstrap takes the replicates of another result, so no random number is drawn anew."""
    rng = np.random.default_rng(2)
    data = rng.gamma(1.5, size=40)

    class Counted:
        n_units = 40

        def values(self, weights: npt.NDArray[np.int64]) -> Floats:
            return np.array([root_mean(np.repeat(data, row)) for row in weights])

    theirs = stats.bootstrap((data,), root_mean, method=method, n_resamples=999, rng=rng, vectorized=False, confidence_level=LEVEL)  # fmt: skip
    ours = bootstrap_interval(Counted(), root_mean(data), theirs.bootstrap_distribution, kind, LEVEL)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval), rel=1e-9)


def pairs() -> tuple[pb.Scores, pb.Samples, Floats, list[int]]:
    """Twelve people with two to four images, all compared with all; some genuine scores low, and a few equal."""
    rng = np.random.default_rng(9)
    people = np.repeat(np.arange(12), rng.integers(2, 5, 12))
    vectors = rng.normal(size=(12, 3))[people] + 0.9 * rng.normal(size=(len(people), 3))
    values = np.round(-np.linalg.norm(vectors[:, None] - vectors[None], axis=2), 1)
    ids = [f"i{k}" for k in range(len(people))]
    samples = pb.Samples({"id": ids, "subject": [str(p) for p in people]})
    return pb.Scores.from_array(values, ids, orientation="similarity"), samples, values, people.tolist()


SCORES, SAMPLES, VALUES, OWNERS = pairs()
COMPARISONS = [
    (OWNERS[a], OWNERS[b], float(VALUES[a, b])) for a in range(len(OWNERS)) for b in range(a + 1, len(OWNERS))
]


def weighed(weights: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Genuine and impostor scores of a drawing, each as often as its people are in it."""
    genuine = [
        score for person, other, score in COMPARISONS if person == other for _ in range(weights[person])
    ]
    impostor = [
        score
        for person, other, score in COMPARISONS
        if person != other
        for _ in range(weights[person] * weights[other])
    ]
    return np.array(genuine), np.array(impostor)


def auc(genuine: Floats, impostor: Floats) -> float:
    gaps = genuine[:, None] - impostor[None]
    return float(np.mean((gaps > 0) + 0.5 * (gaps == 0)))


def fnmr(genuine: Floats, impostor: Floats, limit: float = 0.1) -> float:
    """At the laxest genuine score that no more than a tenth of the impostors reach."""
    allowed = [t for t in genuine if np.mean(impostor >= t) <= limit + 1e-12]
    return float(np.mean(genuine < min(allowed, default=np.inf)))


def eer(genuine: Floats, impostor: Floats) -> float:
    """Thresholds made laxer one by one, at and just above each genuine score, until FMR has passed FNMR."""
    corners = [(0.0, 1.0)]
    for t in sorted(set(genuine.tolist()), reverse=True):
        corners.append((float(np.mean(impostor > t)), float(np.mean(genuine <= t))))
        corners.append((float(np.mean(impostor >= t)), float(np.mean(genuine < t))))
    corners.append((1.0, 0.0))
    after = next(k for k, (fmr, miss) in enumerate(corners) if fmr >= miss - 1e-12)
    (fmr_0, miss_0), (fmr_1, miss_1) = corners[after - 1], corners[after]
    if abs(miss_0 - miss_1) < 1e-12:
        return miss_1
    first, second = (fmr_0 + miss_0) / 2, (fmr_1 + miss_1) / 2
    return first if miss_0 - fmr_0 < fmr_1 - miss_1 else second


@pytest.mark.parametrize(("measure", "naive"), [(AUC(), auc), (FNMR(0.1), fnmr), (EER(), eer)])
def test_people_of_comparisons_drawn_one_by_one(measure: Any, naive: Callable[..., float]) -> None:
    design = Bootstrap("subject", "percentile", 120)
    value = naive(*weighed(np.ones(12, dtype=np.int64)))
    drawings = np.concatenate(list(design.weights(12, 5)))
    replicates = np.array([naive(*weighed(weights)) for weights in drawings])
    left_out = np.array([naive(*weighed(1 - row)) for row in np.eye(12, dtype=np.int64)])
    for kind in KINDS:
        result = estimate(
            SCORES, SAMPLES, measure=measure, design=replace(design, interval=kind), confidence_level=LEVEL, seed=5
        )  # fmt: skip
        assert result.value == pytest.approx(value, rel=1e-12)
        assert result.replicates == pytest.approx(replicates, rel=1e-9)
        assert (result.low, result.high) == pytest.approx(
            by_hand(kind, value, replicates, left_out, (0.0, 1.0)), rel=1e-9
        )


@pytest.mark.parametrize(
    ("measure", "naive", "n_missed", "limits"),
    [(RecognitionRate(1), rate, 1, (0.0, 1.0)), (MedianCensoredRank(4), median, 19, (1.0, 4.0))],
)
def test_what_is_mirrored_stays_where_the_measure_can_be(
    outcomes_of: Callable[..., Any],
    measure: Any,
    naive: Callable[..., float],
    n_missed: int,
    limits: tuple[float, float],
) -> None:
    """A rate of 39 in 40 mirrored would pass 1, and a median rank of 1 would fall below it."""
    people = np.arange(40)
    ranks = np.where(people < n_missed, 6.0, 1.0)
    design = Bootstrap("subject", "basic", MANY)
    result = estimate(
        outcomes_of(ranks.astype(int) - 1, people), measure=measure, design=design, seed=1, confidence_level=LEVEL
    )  # fmt: skip
    low, high = by_hand("basic", naive(ranks, people), result.replicates, ranks, (-np.inf, np.inf))
    assert low < limits[0] or high > limits[1]
    assert (result.low, result.high) == pytest.approx((max(low, limits[0]), min(high, limits[1])))


def test_a_drawing_that_differs_by_rounding_is_no_win() -> None:
    """Of 999 drawings ten show no difference: p = 2 · 11 / 1,000."""
    none = 0.1 + 0.2 - 0.3
    assert none > 0
    draws = np.repeat([none, 0.1, 0.3], [10, 489, 500])
    assert Percentiles(0.2, draws, 0.0).p_value == pytest.approx(0.022)
    assert Percentiles(-0.2, -draws, 0.0).p_value == pytest.approx(0.022)
