"""Rates of people with different numbers of probes, with probes or people equally weighted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.engine.limits import Weights
from proband.inference.estimates.clusters import ALIKE, over_people
from proband.inference.moderation import (
    OF_CURVES,
    OF_PEOPLE,
    averaged,
    carriers_freedom,
    lent,
    moderated_variance,
)
from proband.inference.proportions import t_quantiles, wilson_ends
from proband.words import Note, Sentence

Floats = npt.NDArray[np.float64]
NO_SPREAD = 1e-15  # smaller variances are rounding
_DOZEN = 12  # with at least this number of people, the estimate is used as it is
_MOST_WIDENED = 1.15  # t² times an estimated variance, relative to the assumed one; at 95 %
_GROWTH = 3.0  # of a size, when the only error appears
_MOST_GROWTH = 2.9  # of an interval, when the only error disappears; at 95 %
_ENOUGH_EVENTS = 2  # with at least this number of errors, their correlation can be estimated
_FEW_EVENTS = Sentence(
    "supposed.correlation",
    "note",
    "fewer than two of {n:count probe} from {people:count person/people} {which}, too few to estimate the "
    "correlation within people; an intraclass correlation of {alike:two} ({source}) gives an effective sample "
    "size of {worth:whole} probes, and a correlation of 1 would give the interval [{low:rate}, {high:rate}]",
)
SUPPOSED = _FEW_EVENTS.code
"""The code of the note that says how alike a person's probes are supposed to be."""
_LENT = Sentence(
    "supposed.borrowed",
    "note",
    "borrowed from {n:word another rate/other rates} in these data",
)
_BY_DEFAULT = Sentence("supposed.by-default", "note", "the default")


@dataclass(frozen=True, eq=False)
class PeopleSums:
    """Misses summed over people with the same number of probes, which determine rates and their variances.

    Attributes
    ----------
    sizes, people
        The distinct numbers of probes per person, and the number of people with each.
    powers
        Σ f, Σ f², Σ f³ and Σ f⁴ over these people, with f the misses of one of them: 4 × (ranks or data sets, if there are several) ×
        sizes.
    squares
        The sum of squared misses over the probes of these people, likewise.
    """

    sizes: Floats
    people: Floats
    powers: Floats
    squares: Floats

    @classmethod
    def of(cls, values: Floats, subjects: npt.NDArray[Any]) -> PeopleSums:
        """Sum the misses of people; values are successes of probes, or rows of them."""
        codes = np.unique(subjects, return_inverse=True)[1]
        misses = 1.0 - np.atleast_2d(values)
        return cls._of(np.bincount(codes), _by(codes, misses), _by(codes, misses**2), np.shape(values)[:-1])

    @classmethod
    def of_counts(cls, missed: Floats, numbers: npt.NDArray[Any]) -> PeopleSums:
        """Sum the misses of people with given numbers of probes, each missed or not."""
        rows = np.atleast_2d(missed)
        return cls._of(numbers, rows, rows, np.shape(missed)[:-1])

    @classmethod
    def _of(
        cls, numbers: npt.NDArray[Any], missed: Floats, squared: Floats, shape: tuple[int, ...]
    ) -> PeopleSums:
        """Group people by number of probes; `missed` and `squared` are data sets × people."""
        sizes, group = np.unique(numbers, return_inverse=True)
        powers = np.stack([_by(group, missed**power) for power in (1, 2, 3, 4)])
        shape = (*shape, len(sizes))
        people = np.bincount(group).astype(np.float64)
        squares = _by(group, squared)
        return cls(sizes.astype(np.float64), people, powers.reshape(4, *shape), squares.reshape(shape))

    @cached_property
    def n_probes(self) -> float:
        """The number of probes."""
        return float(self.sizes @ self.people)

    @cached_property
    def n_people(self) -> float:
        """The number of people."""
        return float(self.people.sum())

    @property
    def equal(self) -> bool:
        """Whether all people have the same number of probes."""
        return len(self.sizes) == 1

    @property
    def effective_people(self) -> float:
        """The effective number of people, given their numbers of probes: (Σ m)²/Σ m² (Kish 1965)."""
        return self.n_probes**2 / float(self.people @ self.sizes**2)

    @property
    def design_carriers(self) -> float:
        """The effective number of people behind the variance of a share of probes, from numbers of probes only: (Σ m²)²/Σ m⁴."""
        return float(self.people @ self.sizes**2) ** 2 / float(self.people @ self.sizes**4)

    @cached_property
    def events(self) -> Floats:
        """Misses or successes, whichever are fewer."""
        missed: Floats = self.powers[0].sum(axis=-1)
        return np.minimum(missed, self.n_probes - missed)

    @property
    def too_few(self) -> bool:
        """Whether people with several probes have too few misses, or successes, to show how alike these are."""
        return bool(self.events < _ENOUGH_EVENTS) and self.n_people not in (1, self.n_probes)

    @cached_property
    def carriers(self) -> Floats:
        """The effective number of people behind the variance of a share of probes: (Σe²)²/Σe⁴."""
        missed = self.powers[0].sum(axis=-1) / self.n_probes
        second, fourth = (one.sum(axis=-1) for one in self.residuals(missed, np.ones_like(self.sizes)))
        found: Floats = np.zeros_like(missed)
        np.divide(second**2, fourth, out=found, where=fourth > 0)
        return found

    @property
    def icc(self) -> Floats:
        """The intraclass correlation by analysis of variance, as in `cluster_statistics`."""
        n, k = self.n_probes, self.n_people
        missed = self.powers[0].sum(axis=-1) / n
        if k in (1, n):
            return np.zeros_like(missed)
        people = (self.powers[1] / self.sizes).sum(axis=-1)
        between = (people - n * missed**2) / (k - 1)
        within = (self.squares.sum(axis=-1) - people) / (n - k)
        usual = (n - float(self.people @ self.sizes**2) / n) / (k - 1)
        total = between + (usual - 1) * within
        found: Floats = np.zeros_like(missed)
        np.divide(between - within, total, out=found, where=total > 0)
        return found

    def residuals(self, missed: Floats, scale: Floats) -> tuple[Floats, Floats]:
        """Σ e² and Σ e⁴ over the people of each size, e = (f − q·m)/scale."""
        one, two, three, four = (sums / scale ** (place + 1) for place, sums in enumerate(self.powers))
        share = missed[..., None] * self.sizes / scale
        second = two - 2 * share * one + share**2 * self.people
        fourth = four - 4 * share * three + 6 * share**2 * two - 4 * share**3 * one + share**4 * self.people
        return np.maximum(second, 0.0), np.maximum(fourth, 0.0)

    def within(self) -> Floats:
        """Σ s_i² over the people of each size, with s_i² the variance of one person's probes.

        If probes of one person never differ, one difference is assumed, so that noise is not taken to be absent. For people with
        one probe it is unknown: it is at most the variance of all probes.
        """
        n, k = self.n_probes, self.n_people
        inner = np.maximum(self.squares - self.powers[1] / self.sizes, 0.0)
        pooled = np.maximum(inner.sum(axis=-1, keepdims=True), 0.5) / (n - k)
        shown = inner.sum(axis=-1, keepdims=True) > 0
        own = np.where(shown, inner / np.maximum(self.sizes - 1, 1), pooled * self.people)
        missed = self.powers[0].sum(axis=-1, keepdims=True) / n
        all_probes = np.maximum(self.squares.sum(axis=-1, keepdims=True) / n - missed**2, pooled)
        found: Floats = np.where(self.sizes > 1, own, all_probes * self.people)
        return found


def _by(codes: npt.NDArray[Any], rows: Floats) -> Floats:
    """Sums over the columns of each code."""
    return np.stack([np.bincount(codes, weights=row) for row in rows])


@dataclass(frozen=True, eq=False)
class RatesOfPeople:
    """Rates, one or many, with the quantities for their intervals for new people.

    Attributes
    ----------
    rate
        The rates.
    effective_n, freedom
        The effective number of probes, and its degrees of freedom.
    varies
        Whether anything varies: without misses (or successes), the correlation within people cannot be estimated.
    """

    rate: Floats
    effective_n: Floats
    freedom: Floats
    varies: npt.NDArray[np.bool_]

    @property
    def standard_error(self) -> Floats:
        """The standard error of the rates over new people."""
        found: Floats = np.sqrt(self.rate * (1 - self.rate) / self.effective_n)
        return found

    def ends(self, confidence_level: float) -> tuple[Floats, Floats]:
        """Wilson's intervals (1927) with the effective number of trials, and Student's t for z."""
        return wilson_ends(self.rate, self.effective_n, t_quantiles(confidence_level, self.freedom))


@dataclass(frozen=True)
class Supposed:
    """The assumed correlation of probes within people, if there are too few errors to estimate it.

    Attributes
    ----------
    alike
        The intraclass correlation.
    lenders
        The number of other rates from which it is borrowed; 0 for the default.
    """

    alike: float = ALIKE
    lenders: int = 0

    @classmethod
    def borrowed(cls, lenders: Sequence[PeopleSums]) -> Supposed:
        """Borrow the correlation from other rates of the same kind with at least two misses and two successes.

        It is their mean, weighted by the effective number of people behind each variance and moderated by the default (`lent`).
        """
        shown = [
            one
            for one in lenders
            if one.n_people < one.n_probes and one.events >= _ENOUGH_EVENTS and one.carriers > 0
        ]
        if not shown:
            return cls()
        alike = [max(float(one.icc), 0.0) for one in shown]
        return cls(lent(alike, [float(one.carriers) for one in shown], ALIKE), len(shown))

    def worth(self, sums: PeopleSums, weights: Weights = "probe") -> float:
        """The effective number of probes with this correlation: M²/Σ m(1 + (m − 1)ρ) for equally weighted probes."""
        each = sums.people * (1 + (sums.sizes - 1) * self.alike)
        if weights == "person":
            return sums.n_people**2 / float((each / sums.sizes).sum())
        return sums.n_probes**2 / float((each * sums.sizes).sum())


BY_DEFAULT = Supposed()
"""What is supposed where nothing can be borrowed."""


def rates_of_people(
    sums: PeopleSums,
    weights: Weights = "probe",
    population: int | None = None,
    supposed: Supposed = BY_DEFAULT,
) -> RatesOfPeople:
    """Compute rates, with the effective size and degrees of freedom of their intervals for new people.

    Of K people, person i has m_i of M probes and the mean ȳ_i. With equally weighted probes the rate is p = Σ m_i ȳ_i/M, with the
    residuals e_i = m_i(ȳ_i − p) and the variance Σ c_i e_i²/M²; the c_i make it unbiased if totals have the variances σ_i² =
    m_i(1 + (m_i − 1)ρ), with ρ the intraclass correlation: c_i = σ_i²/[σ_i²(1 − 2h_i) + h_i² Σσ²], h_i = m_i/M (Bell & McCaffrey 2002).
    Where few people have many probes, they may not include those who cause the variance. So a variance of ν degrees of freedom
    that is below p(1 − p)/K*, the variance if all probes of a person were equal, is averaged with it as if that had been
    observed with 3(1 − K*/K), K* = M²/Σ m_i² (as variances are moderated by Smyth 2004). With equally weighted people the rate is
    Σ ȳ_i/K, with e_i = ȳ_i − p and the variance Σ e_i²/K(K − 1). The effective size is p(1 − p) divided by the variance (Rao &
    Scott 1992), and at most that of independent probes.

    With equal numbers of probes the two are equal, with K − 1 degrees of freedom. Otherwise these are ν = 2S/(1 − S/K), S = (Σe²)²/Σe⁴
    the effective number of people behind the variance; at most K − 1 for equally weighted people, and those of Bell and McCaffrey's
    working model for probes. The variance is poorly known with a handful of people: it is averaged with that of probes with a
    correlation of ½, p(1 − p)/n₀ with n₀ = M²/Σ m_i(1 + (m_i − 1)ρ), as if that had been observed with 3/2 (12/K − 1) degrees of freedom, which
    are added: 3 with four people, none with a dozen.

    Without errors (or successes) the correlation within people cannot be estimated, and the effective size is n₀ with the correlation
    `supposed`. Two or more errors suffice to estimate it, and one gives a size in between (`of_few_events`).

    With a finite population of N people, the variance is (1 − K/N) of that over people, plus K/N of that over other images of
    the same people (two stages; Cochran 1977, §10.4). This requires people with several probes.
    """
    by_person = weights == "person"
    n, k, sizes = sums.n_probes, sums.n_people, sums.sizes
    scale, weight = (sizes, k) if by_person else (np.ones_like(sizes), n)
    missed = (sums.powers[0] / scale).sum(axis=-1) / weight
    # Independent probes have this variance: Σ w_i² s²/m_i with the weights of people's means.
    spread = np.maximum((sums.squares / scale).sum(axis=-1) / weight - missed**2, 0.0)
    each = sums.people * sizes / scale**2 / weight**2
    independent = spread * float(each.sum())
    second, fourth = sums.residuals(missed, scale)
    if sums.equal or by_person:
        variance = over_people(second.sum(axis=-1), max(int(k), 2)) / weight**2
        freedom = np.full_like(missed, k - 1)
    else:
        variance, freedom = _corrected(sums, second)
        worth = OF_PEOPLE * (1 - sums.effective_people / k)
        variance = moderated_variance(variance, freedom, spread / sums.effective_people, worth)
    if not sums.equal:
        freedom = np.minimum(freedom, carriers_freedom(second.sum(axis=-1), fourth.sum(axis=-1), k))
    variance = independent if n == k else np.maximum(variance, independent)
    left, drawn = 1.0, 0.0
    if population is not None and n > k:
        left, drawn = 1 - k / population, k / population
        images = (sums.within() * sizes / scale**2).sum(axis=-1) / weight**2
        variance = left * variance + drawn * images

    def supposing(alike: float) -> float:
        """The effective size for a correlation within people."""
        return 1 / float(each @ (left * (1 + (sizes - 1) * alike) + drawn * (1 - alike)))

    if 1 < k < n:
        variance, freedom = _of_few_people(variance, freedom, independent, spread / supposing(ALIKE), k)
    varies = spread > NO_SPREAD
    seen = np.full_like(missed, n)
    np.divide(missed * (1 - missed), variance, out=seen, where=varies)
    effective, freedom = (
        of_few_events(missed, sums.events, seen, freedom, supposing(supposed.alike))
        if k < n
        else (seen, freedom)
    )
    return RatesOfPeople(1 - missed, effective, freedom if k > 1 else np.zeros_like(freedom), varies)


def _of_few_people(
    variance: Floats, freedom: Floats, independent: Floats, supposed: Floats, n_people: float
) -> tuple[Floats, Floats]:
    """Average a variance estimated from a handful of people with the assumed one, and add its degrees of freedom."""
    worth = OF_PEOPLE / 2 * max(_DOZEN / n_people - 1, 0.0)
    found = averaged(variance, freedom, supposed, worth)
    least = np.minimum(independent, variance)  # below only with a finite population
    narrower = t_quantiles(0.95, freedom) / t_quantiles(0.95, freedom + worth)
    most = np.where(variance > 0, _MOST_WIDENED * narrower**2, 1.0) * variance
    return np.clip(found, least, most), freedom + worth


def of_few_events(
    rates: Floats, events: Floats, seen: Floats, freedom: Floats, supposed: float
) -> tuple[Floats, Floats]:
    """Compute the effective size and degrees of freedom with fewer than two errors (or successes).

    Without any, the size is the one `supposed`, not estimated; with two or more, it is the one `seen`. With one, it is three times the one
    supposed, or the geometric mean of both if larger, as long as the 95% interval without an error is at most 2.9 times as
    wide. In between, sizes are interpolated geometrically.
    """
    halfway = np.minimum(np.sqrt(supposed * seen), _less_wide(rates, events, freedom, supposed))
    of_one = np.minimum(np.maximum(_GROWTH * supposed, halfway), seen)
    upto, beyond = np.clip(events, 0, 1), np.clip(events - 1, 0, 1)
    least = np.minimum(supposed, seen)
    size = least * (of_one / least) ** upto * (seen / of_one) ** beyond
    found: Floats = np.full_like(seen, np.inf)
    np.divide(freedom, upto, out=found, where=upto > 0)
    return size, found


def _less_wide(rates: Floats, events: Floats, freedom: Floats, supposed: float) -> Floats:
    """The size with which Wilson's 95% interval without an error, of the size that is supposed, is 2.9 times as wide as that of one.

    It is the s with 2t√(pqs + t²/4)/(s + t²) = c, p the rate of one error and c the width without any over 2.9.
    """
    one = np.minimum(rates, 1 - rates) / np.maximum(events, 1e-9)
    z, t = float(t_quantiles(0.95, np.array(np.inf))), t_quantiles(0.95, freedom)
    c = z**2 / (supposed + z**2) / _MOST_GROWTH
    t = np.where(np.isfinite(t), t, z)
    b = t**2 * (c**2 - 2 * one * (1 - one))
    found: Floats = (np.sqrt(b**2 + c**2 * (1 - c**2) * t**4) - b) / c**2
    return found


def moderated(sums: PeopleSums, found: RatesOfPeople, weights: Weights = "probe") -> RatesOfPeople:
    """Reduce effective sizes based on few people, for simultaneous bands and for probabilities that are mostly near 1.

    Where a curve approaches 1, the remaining misses are those of the hardest people, and are more correlated than those at rank
    1. So a variance from effectively S people is averaged with that of probes with a correlation of ½, as if from two more people.
    """
    supposed = np.asarray(1 / BY_DEFAULT.worth(sums, weights))
    variance = moderated_variance(1 / found.effective_n, sums.carriers, supposed, OF_CURVES)
    return replace(found, effective_n=1 / variance)


def about_supposed(
    sums: PeopleSums,
    found: RatesOfPeople,
    supposed: Supposed,
    confidence_level: float,
    said: Sentence = _FEW_EVENTS,
) -> tuple[Note, ...]:
    """Note what was assumed for a rate with fewer than two errors or successes, and the worst case.

    In the worst case all probes of a person are equal, so the number of trials is the (effective) number of people.
    """
    if not sums.too_few:
        return ()
    alone = np.asarray(min(sums.effective_people, float(found.effective_n)))
    low, high = RatesOfPeople(found.rate, alone, np.maximum(alone - 1, 1.0), found.varies).ends(
        confidence_level
    )
    lent = _LENT(n=supposed.lenders) if supposed.lenders else _BY_DEFAULT()
    return (
        said(
            n=int(sums.n_probes), people=int(sums.n_people), which="fail" if found.rate > 0.5 else "succeed",
            alike=supposed.alike, source=lent, worth=float(found.effective_n), low=float(low), high=float(high),
        ),
    )  # fmt: skip


def _corrected(sums: PeopleSums, second: Floats) -> tuple[Floats, Floats]:
    """The variance of a share of probes without the bias of a few large people, and its degrees of freedom (Bell & McCaffrey 2002).

    Under the working model residuals have the covariance G = (I − h1ᵀ)Σ(I − 1hᵀ), c_i G_ii = σ_i², and Σ c_i e_i² matches a χ² of
    (Σσ²)²/Σ c_i c_j G_ij² degrees of freedom.
    """
    people, sizes, n = sums.people, sums.sizes, sums.n_probes
    share = sizes / n
    alike = np.maximum(sums.icc, 0.0)[..., None]
    own = sizes * (1 + (sizes - 1) * alike)
    total = (people * own).sum(axis=-1, keepdims=True)
    beyond = share**2 * total - 2 * share * own  # G_ij − σ_i² δ_ij at j = i
    factor = own / (own + beyond)
    variance = (factor * second).sum(axis=-1) / n**2

    def summed(terms: Floats) -> Floats:
        found: Floats = (people * factor * terms).sum(axis=-1)
        return found

    a, b, c, s = summed(own**2), summed(share**2), summed(share * own), total[..., 0]
    squares = summed(factor * own * (own + 2 * beyond)) + 2 * a * b + (b * s) ** 2 + 2 * c**2 - 4 * s * b * c
    return variance, s**2 / squares
