"""A rate of items that units hold, for other units: every item weighs the same, or every class."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.inference.estimates.person_weights import WILSON_OVER_UNITS, by_person
from proband.inference.estimates.weighting import (
    BY_DEFAULT,
    PeopleSums,
    RatesOfPeople,
    Supposed,
    about_supposed,
    of_few_events,
    rates_of_people,
)
from proband.inference.moderation import carriers_freedom
from proband.results.about import RestsOn, Who
from proband.results.base import Answers
from proband.results.difference import Unit
from proband.results.estimate import Estimate
from proband.results.targets import derived
from proband.words import Method, Sentence

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
_NO_SPREAD = 1e-15  # a variance so small is rounding
_WILSON = Method("wilson", "Wilson interval", "Wilson's score interval", ("wilson1927",))
_STRATIFIED = Method(
    "wilson-stratified",
    "Wilson interval, stratified by class",
    "Wilson's score interval with the effective sample size of an average over fixed classes",
    ("wilson1927",),
)
_TWO_RATES = Sentence(
    "outcomes.two-rates",
    "note",
    "{algorithm}: {unit}s have {least:count} to {most:count} items each; the {unit}-weighted {of} is "
    "{value:rate} [{low:rate}, {high:rate}]; quote it for new {unit}s (test for a difference from the "
    "item-weighted {of}: p {p:p})",
)
_FEW_EVENTS = Sentence(
    "outcomes.supposed-correlation",
    "note",
    "fewer than two of {n:count item} from {people:count unit} {which}, too few to estimate the correlation "
    "within units; an intraclass correlation of {alike:two} ({source}) gives an effective sample size of "
    "{worth:whole} items, and a correlation of 1 would give the interval [{low:rate}, {high:rate}]",
)


@dataclass(frozen=True, eq=False)
class Items:
    """What outcomes are of.

    Attributes
    ----------
    units
        The unit each item belongs to, numbered from 0; every item by itself where none are said.
    unit
        What a unit is called.
    classes
        The class of each item, numbered, where classes are to weigh the same; None where items do.
    allowance
        How many times the variance over units that of a difference of two systems is.
    """

    units: Codes
    unit: Unit
    classes: Codes | None = None
    allowance: float = 1.0

    @property
    def weights(self) -> Floats:
        """How much each item weighs, one on average: the same, or so that each class weighs the same."""
        n = len(self.units)
        if self.classes is None:
            return np.ones(n)
        _, codes, sizes = np.unique(self.classes, return_inverse=True, return_counts=True)
        weights: Floats = (n / len(sizes) / sizes)[codes]
        return weights

    @property
    def n_units(self) -> int:
        """How many units there are."""
        return len(np.unique(self.units))

    @property
    def independent(self) -> bool:
        """Whether every item is a unit."""
        return self.n_units == len(self.units)


def item_rate(
    who: Who,
    values: Floats,
    items: Items,
    answers: Answers,
    confidence_level: float,
    supposed: Supposed = BY_DEFAULT,
) -> Estimate:
    """Estimate a rate of items, with its interval for other units.

    Where items weigh the same it is Wilson's (1927) of n items, or with the effective sample size where units hold several
    (`rates_of_people`). Where classes do, see `class_average`.
    """
    sums = PeopleSums.of(values, items.units)
    weighted = derived(f"{items.unit}-weighted", f"{items.unit}-weighted {{}}", answers.of)
    rests_on = RestsOn(n=len(values), of="item", n_units=items.n_units, unit=items.unit)
    if items.classes is None:
        found = rates_of_people(sums, supposed=supposed)
        freedom = np.inf if items.independent else float(found.freedom)
        method = _WILSON if items.independent else WILSON_OVER_UNITS
        beside = (
            None
            if items.independent
            else by_person(
                values, items.units, confidence_level, supposed, replace(answers, of=weighted), who, rests_on
            )
        )
    else:
        found = class_average(values, items, supposed)
        freedom, method, beside = float(found.freedom), _STRATIFIED, None
    low, high = RatesOfPeople(found.rate, found.effective_n, np.asarray(freedom), found.varies).ends(
        confidence_level
    )
    # As everybody counts it, to the last digit.
    value = float(values.mean()) if items.classes is None else float(found.rate)
    notes = about_supposed(sums, found, supposed, confidence_level, _FEW_EVENTS)
    if beside is not None:
        sizes = np.bincount(items.units)
        ends = {"value": beside.value, "low": beside.low, "high": beside.high, "p": beside.p_value}
        most, least = int(sizes.max()), int(sizes[sizes > 0].min())
        notes += (
            _TWO_RATES(
                algorithm=who.algorithm, unit=items.unit, of=answers.of, least=least, most=most, **ends
            ),
        )
    return Estimate(
        who=who,
        value=value,
        low=min(float(low), value),
        high=max(float(high), value),
        confidence_level=confidence_level,
        standard_error=float(found.standard_error),
        degrees_of_freedom=None if np.isinf(freedom) else freedom,
        rests_on=replace(
            rests_on,
            events=float(values.sum()) if items.classes is None else None,
            n_effective=float(found.effective_n),
        ),
        by_person=beside,
        method=method,
        answers=answers,
        notes=notes,
    )


def borrowed_from(outcomes: Iterable[Floats], items: Items) -> Supposed:
    """Borrow how alike the items of a unit are from all that is known of these items, for rates that do not show it."""
    return Supposed.borrowed(
        [] if items.independent else [PeopleSums.of(one, items.units) for one in outcomes]
    )


def class_average(values: Floats, items: Items, supposed: Supposed = BY_DEFAULT) -> RatesOfPeople:
    """Average the rates of C classes that stay, and find what its interval for other items rests on.

    With n_c items of class c, their mean p_c and variance s_c², the variance of p = Σ p_c/C is Σ s_c²/n_c over C². A class without
    errors has s_c² = 0, which says too little where it has few items: so it is at least what classes identically distributed tell of
    each other, E[p_c(1 − p_c)] of a Beta distribution with the mean p and the variance of the p_c beyond chance (empirical Bayes). A
    class of one item has 2p̃(1 − p̃), p̃ = (y + p)/2. The effective size is p(1 − p) over the variance; without any error (or
    success) it is C²/Σ(1/n_c), over the design effect that is supposed where units hold several. Degrees of freedom are Satterthwaite's, of the smoothed variances.

    Where units hold several items the variance is Σ E_g² over units, E_g the sum of (y − p_c)/(C n_c √(1 − h)) over the items of unit g, h
    the share of class c that the unit holds; never less than if items were independent.
    """
    assert items.classes is not None  # classes weigh the same
    codes = np.unique(items.classes, return_inverse=True)[1]
    n = np.bincount(codes).astype(np.float64)
    means = np.bincount(codes, weights=values) / n
    rate, k = float(means.mean()), len(n)
    parts = _expected(means, n, rate) / n
    variance = max(class_variance(values, codes), float(parts.sum()) / k**2)
    # Satterthwaite's; the variance of a class of one item is told by the others.
    known = float((parts[n > 1] ** 2 / (n[n > 1] - 1)).sum())
    freedom = max(float(parts.sum()) ** 2 / known, 1.0) if known > 0 else np.inf
    if not items.independent:
        over, over_freedom = over_units(values, codes, items.units)
        variance, freedom = max(variance, over), min(freedom, over_freedom)
    varies = _NO_SPREAD < rate < 1 - _NO_SPREAD and variance > _NO_SPREAD
    alone = k**2 / float((1 / n).sum())
    effective = np.asarray(rate * (1 - rate) / variance if varies else alone)
    if not items.independent:
        sums = PeopleSums.of(values, items.units)
        known = supposed.worth(sums) / sums.n_probes * alone
        effective, known_with = of_few_events(
            np.asarray(rate), sums.events, effective, np.asarray(freedom), known
        )
        freedom = float(known_with)
    return RatesOfPeople(np.asarray(rate), effective, np.asarray(freedom), np.asarray(varies))


def class_variance(values: Floats, codes: npt.NDArray[Any]) -> float:
    """Find the variance of the mean of classes' means: Σ s_c²/n_c over C², classes of one item smoothed."""
    n = np.bincount(codes).astype(np.float64)
    means = np.bincount(codes, weights=values) / n
    squares = np.bincount(codes, weights=(values - means[codes]) ** 2)
    own = squares / np.maximum(n - 1, 1)
    # One item shows no spread: it and one more of the average do, which is d²/2 apart.
    spread = float(means @ means) / len(n) - float(means.mean()) ** 2
    single = np.maximum((means - means.mean()) ** 2 / 2, spread)
    return float((np.where(n > 1, own, single) / n).sum()) / len(n) ** 2


def _expected(means: Floats, n: Floats, rate: float) -> Floats:
    """E[p_c(1 − p_c)] of every class, if the p_c are Beta distributed with the mean and variance that they show."""
    own = np.where(n > 1, means * (1 - means) * n / np.maximum(n - 1, 1), rate * (1 - rate))
    between = float(means.var(ddof=1)) - float((own / n).mean()) if len(n) > 1 else 0.0
    prior = max(rate * (1 - rate) / between - 1, 0.0) if between > _NO_SPREAD else 1e12
    smoothed = (means * n + prior * rate) / (n + prior)
    found: Floats = smoothed * (1 - smoothed) * (n + prior) / (n + prior + 1)
    single = (means + rate) / 2
    return np.where(n > 1, found, 2 * single * (1 - single))


def over_units(values: Floats, codes: npt.NDArray[Any], units: Codes) -> tuple[float, float]:
    """Find the variance over units of the mean of classes' means, and its degrees of freedom.

    A class that one unit holds alone shows nothing of how units differ.
    """
    n = np.bincount(codes).astype(np.float64)
    residuals = values - (np.bincount(codes, weights=values) / n)[codes]
    k, n_units = len(n), len(np.unique(units))
    cells, place = np.unique(np.unique(units, return_inverse=True)[1] * k + codes, return_inverse=True)
    held = np.bincount(place) / n[cells % k]
    sums = np.bincount(place, weights=residuals) / (k * n[cells % k])
    known = held < 1 - 1e-12
    parts = np.where(known, sums / np.sqrt(np.where(known, 1 - held, 1.0)), 0.0)
    each = np.bincount(cells // k, weights=parts, minlength=n_units)
    squares, fourth = float(each @ each), float((each**4).sum())
    if n_units < 2:
        return squares, 0.0
    carried = carriers_freedom(np.array(squares), np.array(fourth), n_units)
    return squares, min(float(carried), n_units - 1.0)
