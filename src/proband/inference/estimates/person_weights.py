"""What weighing people the same makes of a share of probes, and what is to be said of both."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from proband.distributions import chi_square_tail_inverse, t_cdf
from proband.inference.estimates.clusters import over_people
from proband.inference.estimates.weighting import NO_SPREAD, PeopleSums, Supposed, rates_of_people
from proband.inference.moderation import carriers_freedom
from proband.results.about import RestsOn, Who
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.words import Method, Note, Sentence

Floats = npt.NDArray[np.float64]
_ENOUGH_FREEDOM = 20
_FEW_PEOPLE, _FEW_CARRIERS = 8, 2.0  # below, no interval of a share of probes is sure to keep its word
_TWO_RATES = Sentence(
    "weights.two-rates",
    "note",
    "people have {least:count} to {most:count} probes, and the person-weighted rate is {value:rate} "
    "[{low:rate}, {high:rate}]; quote it for new people (test for a difference from the probe-weighted "
    "rate: p {p:p})",
)
_EFFECT = Sentence(
    "weights.design-effect",
    "note",
    "few people account for most of the variance, so the design effect of {effect:two} and the intraclass "
    "correlation are uncertain: the 95% interval of the design effect is [{low:two}, {high:two}]",
)
_FEW = Sentence(
    "weights.few-people",
    "caution",
    "the probe-weighted rate rests on the equivalent of {effective:whole} people and {carry:count} {which}, "
    "so its interval may be too narrow; use the person-weighted rate",
)
WILSON_OVER_UNITS = Method(
    "wilson-effective",
    "Wilson interval, effective sample size",
    "Wilson's score interval with the effective sample size",
    ("wilson1927", "rao1992"),
)
ABOUT_WEIGHTS = {one.code for one in (_TWO_RATES, _EFFECT, _FEW)}
"""The codes of notes that say what different numbers of probes do to a share of probes."""


def by_person(
    values: Floats,
    subjects: npt.NDArray[Any],
    confidence_level: float,
    supposed: Supposed,
    answers: Answers,
    who: Who,
    rests_on: RestsOn,
    population: int | None = None,
) -> Estimate | None:
    """Weigh people the same, and test whether that changes a share of probes; None where everybody has as many probes.

    The difference p_probe − p_person is the mean over people of u_i = (m_i/m̄)(ȳ_i − p_probe) − (ȳ_i − p_person) besides itself, so
    its variance is Σ u_i²/K(K − 1), with the degrees of freedom that carriers leave (`carriers_freedom`), at most K − 1.
    """
    codes = np.unique(subjects, return_inverse=True)[1]
    sizes = np.bincount(codes)
    if (sizes == sizes[0]).all():
        return None
    means, probe, k = np.bincount(codes, weights=values) / sizes, float(values.mean()), len(sizes)
    found = rates_of_people(PeopleSums.of(values, subjects), "person", population, supposed)
    low, high = found.ends(confidence_level)
    person = float(means.mean())
    apart = sizes / sizes.mean() * (means - probe) - (means - person)
    return Estimate(
        who=who,
        value=person,
        low=float(low),
        high=float(high),
        confidence_level=confidence_level,
        standard_error=float(found.standard_error),
        degrees_of_freedom=float(found.freedom),
        p_value=_p_of_mean(probe - person, apart, k),
        rests_on=rests_on,
        method=WILSON_OVER_UNITS,
        answers=answers,
    )


def _p_of_mean(difference: float, parts: Floats, n_people: int) -> float:
    """The p-value of no difference, from what each person adds to it."""
    squares = float(parts @ parts)
    if squares <= NO_SPREAD:
        return 1.0
    carried = carriers_freedom(np.array(squares), np.array(float((parts**4).sum())), n_people)
    freedom = min(float(carried), n_people - 1.0)
    error = np.sqrt(squares / (n_people * (n_people - 1)))
    return float(2 * t_cdf(freedom, -abs(difference) / error))


def about_weights(found: Estimate | None, values: Floats, subjects: npt.NDArray[Any]) -> tuple[Note, ...]:
    """Say beside a share of probes what weighing people the same gives, and where so few people decide it that no interval holds.

    Where people with m probes miss all or none of them, one in 1/q people, (Σ m²)²/Σ m⁴ times q people carry the variance. The numbers of
    probes and the rate say so, not how far people are seen to differ: those who would show it are easily not among them.
    """
    if found is None:
        return ()
    sums = PeopleSums.of(values, subjects)
    said = _TWO_RATES(
        least=int(sums.sizes[0]),
        most=int(sums.sizes[-1]),
        value=found.value,
        low=found.low,
        high=found.high,
        p=found.p_value,
    )
    effective = sums.design_carriers
    carry = effective * (float(sums.events) + 0.5) / sums.n_probes
    few = effective < _FEW_PEOPLE or carry < _FEW_CARRIERS
    which = "misses" if values.mean() >= 0.5 else "successes"
    warned = (_FEW(effective=effective, carry=carry, which=which),) if few else ()
    return said, *_about_effect(sums), *warned


def _about_effect(sums: PeopleSums) -> tuple[Note, ...]:
    """Say within which limits a design effect lies that few people show, as a variance of so many degrees of freedom does."""
    found, n = rates_of_people(sums), sums.n_probes
    freedom = float(found.freedom)
    if not found.varies or freedom >= _ENOUGH_FREEDOM or sums.n_people < 2:
        return ()
    second, _ = sums.residuals(1 - found.rate, np.ones_like(sums.sizes))
    spread = float(sums.squares.sum()) / n - float(1 - found.rate) ** 2
    effect = over_people(float(second.sum()), int(sums.n_people)) / (n * spread)
    low, high = (effect * freedom / float(chi_square_tail_inverse(freedom, tail)) for tail in (0.025, 0.975))
    return (_EFFECT(effect=effect, low=low, high=high),)
