"""The area under the ROC curve: DeLong's interval for independent comparisons, and one that knows people are shared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from proband.engine import slices
from proband.errors import DesignError, UsageError
from proband.inference.proportions import Interval, check_level, normal_quantile
from proband.inference.verification.intervals.answers import answers_of_verification
from proband.inference.verification.intervals.paired_people import AGAINST_SKEWNESS, Apart
from proband.inference.verification.people.carriers import (
    FEW_CARRIERS,
    FEWEST,
    TOO_FEW,
    effective_people,
    few_carry,
    small_sample,
)
from proband.inference.verification.people.meetings import Ints
from proband.inference.verification.people.supposed import moderated_interval, worth_of_people
from proband.measures.pair_measures import AUC
from proband.measures.pairs.accumulator import slots_among
from proband.measures.pairs.placements import PlacementSums
from proband.results.about import NOBODY, RestsOn
from proband.results.difference import Difference
from proband.results.estimate import Estimate
from proband.results.targets import OTHER_PEOPLE_COMPARED
from proband.scores.names import keys_of_pairs
from proband.words import Method, Note

Floats = npt.NDArray[np.float64]

_AT_ONCE = 1 << 20  # comparisons that are placed together, so that what is made on the way stays small
_MOST_NUMBERS = 1 << 24  # people's numbers that are looked up and not sorted

_INDEPENDENT = Method(
    "delong",
    "DeLong, comparisons as if independent",
    "DeLong's interval as if comparisons were independent",
    ("delong1988",),
)
_OVER_PEOPLE = Method(
    "delong-over-people",
    "DeLong over people (moderated variance, Wilson, Student's t)",
    "DeLong's placement values summed by person, in Wilson's interval with a moderated variance",
    ("delong1988", "obuchowski1997", "smyth2004", "wilson1927"),
)
_DIFFERENCE_OVER_PEOPLE = Method(
    "delong-difference-over-people",
    "DeLong over people (Student's t)",
    f"DeLong's placement values summed by person, {AGAINST_SKEWNESS}",
    ("delong1988", "obuchowski1997", "hall1992"),
)


class PairCloseness(NamedTuple):
    """How close one algorithm finds every genuine and every impostor comparison.

    Attributes
    ----------
    genuine, impostor
        Larger is closer.
    """

    genuine: npt.ArrayLike
    impostor: npt.ArrayLike


class PairPeople(NamedTuple):
    """Whose the comparisons are: the subject of each genuine, and both subjects of each impostor comparison, as numbers.

    Attributes
    ----------
    genuine
        The subject of each genuine comparison.
    impostor_i, impostor_j
        The subjects of each impostor comparison.
    """

    genuine: npt.ArrayLike
    impostor_i: npt.ArrayLike
    impostor_j: npt.ArrayLike


def auc_interval(
    scores: PairCloseness, people: PairPeople | None = None, confidence_level: float = 0.95
) -> Estimate:
    """Give the chance that a genuine comparison is closer than an impostor's (ties count half) an interval.

    Parameters
    ----------
    people
        Whose the comparisons are. Without it they are taken as independent (DeLong et al. 1988).

    Notes
    -----
    With V_g the share of impostors that genuine comparison g is closer than, and V_u the share of genuine ones closer than
    impostor u, less the area A, independent comparisons have the variance s²(V_g)/n + s²(V_u)/m. Over people, each contributes
    the sum of the deviations of all comparisons the person takes part in (Obuchowski 1997 does so for clusters); pairs of
    people, who are in two such sums, are subtracted once, as in the variance of a false match rate. A person with the share h_i
    of all genuine comparisons pulls the area towards itself, so that its sum counts (1 − 1/S)/(1 − h_i) times with S people.
    Over people, ends are Wilson's (1927) with a moderated variance and the degrees of freedom of those who carry it
    (`moderated_interval`); of independent comparisons they are A ± z se, cut off at 0 and 1. Where nothing varies they are one-sided
    bounds: exact for independent comparisons, and over people of what their genuine comparisons are supposed to be worth
    (`worth_of_people`).
    """
    area, genuine, impostor = _placements(scores)
    if people is not None:
        shared = _Numbered.of(people, len(genuine), len(impostor))
        return _over_people(area, genuine, shared.own, _sums(impostor, shared), confidence_level)
    sizes = len(genuine), len(impostor)
    estimate = _independent(area, _error(genuine, impostor), sizes, confidence_level)
    if area not in (0.0, 1.0):
        return estimate
    # Nothing varies, so only comparisons that share nothing count: each a genuine one on the right side of an impostor's.
    slack = float(-np.expm1(np.log1p(-confidence_level) / min(sizes)))
    return replace(estimate, low=max(0.0, area - slack), high=min(1.0, area + slack))


def auc_interval_of_sums(
    area: float, genuine: Floats, own: Ints, sums: PlacementSums, confidence_level: float = 0.95
) -> Estimate:
    """Give an area its interval over people from sums of placements: as `auc_interval`, without a list of comparisons.

    Parameters
    ----------
    genuine, own
        For every genuine comparison the share of impostors that it is closer than, and whose it is.
    sums
        What the impostor comparisons add.
    """
    takes_part = sums.counts > 0
    takes_part[own] = True
    own = (np.cumsum(takes_part) - 1)[own]
    sums = sums._replace(totals=sums.totals[takes_part], counts=sums.counts[takes_part])
    return _over_people(area, genuine - area, own, sums, confidence_level)


def _over_people(
    area: float, genuine: Floats, own: Ints, sums: PlacementSums, confidence_level: float
) -> Estimate:
    """An area with its interval over people, from the deviations of genuine comparisons and sums of the others."""
    made = _Spread.of(genuine, own, sums)
    worth = worth_of_people(np.bincount(own))
    ends, error, freedom = moderated_interval(area, made.variance, made.totals, worth, confidence_level)
    n, notes = len(made.totals), tuple[Note, ...]()
    if n < FEWEST:
        ends, error, freedom, notes = Interval(0.0, 1.0), sqrt(made.variance), 0.0, (TOO_FEW(),)
    elif error and freedom < FEW_CARRIERS:
        notes = (few_carry(effective_people(made.totals), n),)
    return Estimate(
        who=NOBODY,
        value=area,
        low=ends.low,
        high=ends.high,
        confidence_level=confidence_level,
        standard_error=error,
        degrees_of_freedom=freedom,
        rests_on=RestsOn(len(genuine) + sums.n, "comparison", n_units=n, unit="person"),
        method=_OVER_PEOPLE,
        answers=answers_of_verification(AUC().estimand, OTHER_PEOPLE_COMPARED),
        notes=notes,
    )


@dataclass(frozen=True, eq=False)
class PlacedPairs:
    """One algorithm's comparisons, each placed among those of the other kind: what a difference of areas is made of.

    Attributes
    ----------
    area
        The area under the ROC curve.
    genuine
        Of every genuine comparison the share of impostors that it is closer than, less the area.
    impostor
        Of every impostor comparison the share of genuine ones that are closer, less the area; summed by two people where these
        are known.
    people
        Whose the comparisons are; None where that is not known.
    totals
        What each person adds to the area, by genuine and by impostor comparisons.
    n_impostor
        How many impostor comparisons there are.
    """

    area: float
    genuine: Floats
    impostor: Floats
    people: _Numbered | None
    totals: Floats
    n_impostor: int

    @classmethod
    def of(cls, scores: PairCloseness, people: PairPeople | None = None) -> PlacedPairs:
        """Place every comparison."""
        area, genuine, impostor = _placements(scores)
        if people is None:
            return cls(area, genuine, impostor, None, np.zeros(0), len(impostor))
        shared = _Numbered.of(people, len(genuine), len(impostor))
        of_pairs = _by_two(impostor, shared)
        totals = np.bincount(shared.own, weights=genuine, minlength=shared.n) / len(genuine)
        totals += (of_pairs.sum(axis=0) + of_pairs.sum(axis=1)) / len(impostor)
        return cls(area, genuine, of_pairs.data, shared, totals, len(impostor))

    def difference(self, other: PlacedPairs) -> Apart:
        """How far the area is from another algorithm's of the same comparisons."""
        if self.genuine.shape != other.genuine.shape or self.impostor.shape != other.impostor.shape:
            raise UsageError("The two algorithms have different comparisons.")
        value, genuine, impostor = (
            self.area - other.area, self.genuine - other.genuine, self.impostor - other.impostor,
        )  # fmt: skip
        if self.people is None:
            units = min(len(genuine), len(impostor))
            return Apart(value, *_error(genuine, impostor), units, np.zeros(0))
        of_pairs = float(impostor @ impostor) / self.n_impostor**2
        totals = self.totals - other.totals
        found = Apart.over_people(value, totals, genuine / len(genuine), self.people.own, of_pairs)
        if max(self.area, other.area) >= 1:
            return found
        farther = found.standard_error * (1 + found.standard_error / (1 - min(self.area, other.area)))
        return replace(found, inner=self._error_nearer(other, found.standard_error), outer=farther)

    def _error_nearer(self, other: PlacedPairs, error: float) -> float:
        """The standard error of a difference that is in truth nearer to zero."""
        assert self.people is not None
        here, there = 1 - self.area, 1 - other.area
        impostor = self.impostor / here - other.impostor / there
        genuine = (self.genuine / here - other.genuine / there) / len(self.genuine)
        totals = self.totals / here - other.totals / there
        of_pairs = float(impostor @ impostor) / self.n_impostor**2
        apart = np.log(there / here)
        by_ratio = Apart.over_people(float(apart), totals, genuine, self.people.own, of_pairs).standard_error
        middle = here if abs(apart) < 1e-9 else (there - here) / apart
        return sqrt((error**2 + (middle * by_ratio) ** 2) / 2)

    @property
    def method_of_difference(self) -> Method:
        """How a difference is tested."""
        return _INDEPENDENT if self.people is None else _DIFFERENCE_OVER_PEOPLE


def auc_difference(
    first: PairCloseness,
    second: PairCloseness,
    people: PairPeople | None = None,
    confidence_level: float = 0.95,
) -> Difference:
    """Compare two algorithms' areas under the ROC on the same comparisons, paired.

    The deviations of `auc_interval` are subtracted comparison by comparison, so that what the algorithms share cancels (DeLong
    et al. 1988).

    Notes
    -----
    What each person adds to the difference, by genuine and by impostor comparisons, makes its variance V: `Apart.over_people`. Near 1 it
    grows with 1 − A, so that a large difference seems less sure than it is. If the areas are in truth nearer to each other, as under
    the null hypothesis, the variance is the mean of V and of that which the ratio has: with a = 1 − A₁ and b = 1 − A₂, m² times the
    variance of ln(b/a), m = (b − a)/ln(b/a) being the logarithmic mean of a and b. If they are in truth farther apart the error is
    1 + √V/max(a, b) times as large.
    """
    placed = PlacedPairs.of(first, people)
    apart = placed.difference(PlacedPairs.of(second, people))
    return apart.tested(
        check_level(confidence_level),
        placed.method_of_difference,
        larger_is_better=True,
        rests_on=RestsOn(
            len(placed.genuine) + placed.n_impostor,
            "comparison",
            n_units=None if placed.people is None else placed.people.n,
            unit="" if placed.people is None else "person",
        ),
    )


class _Numbered(NamedTuple):
    """The people who take part, numbered from 0 to n − 1."""

    own: Ints
    i: Ints
    j: Ints
    n: int

    @classmethod
    def of(cls, people: PairPeople, n_genuine: int, n_impostor: int) -> _Numbered:
        own, i, j = (np.asarray(one) for one in people)
        if any(one.ndim != 1 or (one.size and one.dtype.kind not in "iu") for one in (own, i, j)):
            raise UsageError("The subjects of comparisons must be a list of whole numbers.")
        if len(own) != n_genuine or not len(i) == len(j) == n_impostor or (i == j).any():
            raise UsageError("Every genuine comparison needs a subject, and every impostor comparison two.")
        lowest = min((int(one.min()) for one in (own, i, j) if len(one)), default=0)
        most = max((int(one.max()) for one in (own, i, j) if len(one)), default=0) - lowest + 1
        if most > _MOST_NUMBERS:
            who, numbers = np.unique(np.concatenate([own, i, j]), return_inverse=True)
            own, i, j = np.split(numbers, [n_genuine, n_genuine + n_impostor])
            return cls(own, i, j, len(who))
        taken = np.zeros(most, dtype=np.bool_)  # much quicker than sorting everybody in every comparison
        for one in (own, i, j):
            taken[one - lowest] = True
        if lowest == 0 and taken.all():
            as_they_are: Any = (one.astype(np.int32, copy=False) for one in (own, i, j))
            own, i, j = as_they_are
            return cls(own, i, j, most)
        number = (np.cumsum(taken) - 1).astype(np.int32)
        own, i, j = (number[one - lowest] for one in (own, i, j))
        return cls(own, i, j, int(taken.sum()))


def _placements(scores: PairCloseness) -> tuple[float, Floats, Floats]:
    """The area, and for each comparison the share of the other kind that it stands on the right side of, less the area."""
    genuine, impostor = (np.asarray(one, dtype=np.float64) for one in scores)
    if genuine.ndim != 1 or impostor.ndim != 1 or np.isnan(genuine).any() or np.isnan(impostor).any():
        raise UsageError("Comparisons need numeric scores.")
    if not len(genuine) or not len(impostor):
        raise DesignError("An ROC curve needs both genuine and impostor comparisons.")
    edges, times = np.unique(genuine, return_counts=True)
    below = np.concatenate([[0], np.cumsum(times)])  # genuine ones below each edge, and all
    # Of each slot, between edges or upon one, how many genuine ones are below it and not above it, and so many impostors.
    placed = np.repeat(below, 2)[:-1]
    placed[1::2] += times
    placed += np.repeat(below, 2)[:-1]
    counts = np.zeros(len(placed), dtype=np.int64)
    of_impostor: Floats = np.empty(len(impostor))
    for some in slices(len(impostor), _AT_ONCE):
        slots = slots_among(edges, impostor[some])
        counts += np.bincount(slots, minlength=len(counts))
        of_impostor[some] = placed[slots] / (2 * len(genuine))
    reached = np.cumsum(counts)
    of_edge = (reached[1::2] + reached[:-1:2]) / (2 * len(impostor))
    of_genuine = of_edge[np.searchsorted(edges, genuine)]
    area = float(of_genuine.mean())
    np.subtract(1.0, of_impostor, out=of_impostor)
    of_impostor -= area
    return area, of_genuine - area, of_impostor


def _by_two(impostor: Floats, people: _Numbered) -> Any:
    """Sum what impostor comparisons add by two people: a sparse array, the lower number first."""
    from scipy.sparse import coo_array

    ends = np.minimum(people.i, people.j), np.maximum(people.i, people.j)
    return coo_array((impostor, ends), shape=(people.n, people.n)).tocsr()


def _error(genuine: Floats, impostor: Floats) -> tuple[float, float | None]:
    """The standard error of independent comparisons, and its degrees of freedom: 0 where there is too little to see what varies."""
    if min(len(genuine), len(impostor)) < 2:
        return 0.0, 0.0
    return sqrt(genuine.var(ddof=1) / len(genuine) + impostor.var(ddof=1) / len(impostor)), None


def _sums(impostor: Floats, people: _Numbered) -> PlacementSums:
    """What the impostor comparisons of each person, and of each two people, add up to."""
    _, i, j, n = people
    counts = np.bincount(i, minlength=n) + np.bincount(j, minlength=n)
    if n**2 <= len(impostor):  # a table of every two takes less room than a list
        keys = keys_of_pairs(np.minimum(i, j), np.maximum(i, j), n)
        of_pairs = np.bincount(keys, weights=impostor, minlength=n**2).reshape(n, n)
        squares = float(of_pairs.ravel() @ of_pairs.ravel())
    else:
        of_pairs = _by_two(impostor, people)
        squares = float(of_pairs.data @ of_pairs.data)
    totals: Floats = np.asarray(of_pairs.sum(axis=0) + of_pairs.sum(axis=1))
    return PlacementSums(totals, counts, squares, len(impostor))


class _Spread(NamedTuple):
    """What each person adds to an area, and its variance over people."""

    totals: Floats
    variance: float

    @classmethod
    def of(cls, genuine: Floats, own: Ints, sums: PlacementSums) -> _Spread:
        """From the deviations of genuine comparisons and sums of the others."""
        n = len(sums.totals)
        shares = np.bincount(own, minlength=n) / len(genuine)
        totals = np.bincount(own, weights=genuine, minlength=n) / len(genuine) + sums.totals / sums.n
        totals *= (1 - 1 / n) / np.maximum(1 - shares, 1 / n)
        squares = sums.squares / sums.n**2
        variance = float(totals @ totals) - squares
        least = float(genuine @ genuine) / len(genuine) ** 2 + squares
        return cls(totals, max(variance * (small_sample(n) if n >= FEWEST else 1.0), least))


def _independent(
    value: float, varying: tuple[float, float | None], sizes: tuple[int, int], confidence_level: float
) -> Estimate:
    """An area with its interval if comparisons were independent; too few give the whole range."""
    check_level(confidence_level)
    error, freedom = varying
    low, high = 0.0, 1.0
    if freedom is None:
        z = normal_quantile(confidence_level)
        low, high = max(low, value - z * error), min(high, value + z * error)
    return Estimate(
        who=NOBODY,
        value=value,
        low=low,
        high=high,
        confidence_level=confidence_level,
        standard_error=error,
        degrees_of_freedom=freedom,
        rests_on=RestsOn(sum(sizes), "comparison"),
        method=_INDEPENDENT,
        answers=answers_of_verification(AUC().estimand, people=False),
    )
