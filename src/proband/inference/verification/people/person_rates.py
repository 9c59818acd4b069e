"""A rate over people who have different numbers of comparisons: what it rests on when comparisons weigh the same, or people do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from proband.inference.estimates.weighting import PeopleSums, rates_of_people
from proband.measures.base import Weights

Floats = npt.NDArray[np.float64]


class RateOfPeople(NamedTuple):
    """A rate over people, and what its interval rests on.

    Attributes
    ----------
    rate, variance, freedom
        The rate, its variance over people drawn anew, and the degrees of freedom of that.
    """

    rate: float
    variance: float
    freedom: float


def by_comparison(errors: Floats, sizes: Floats) -> RateOfPeople:
    """Find a rate in which every comparison weighs the same: Σ y_i/Σ m_i with y_i errors among the m_i of person i.

    With e_i = y_i − p m_i, K people and M comparisons, the variance is K/(K − 1) Σ e_i²/M² on K − 1 degrees of freedom where
    everybody has as many. Otherwise it is Σ c_i e_i²/M², c_i making each term unbiased for people with an intraclass
    correlation ρ: c_i = s_i/(s_i(1 − 2h_i) + h_i² Σ s), s_i = m_i(1 + (m_i − 1)ρ), h_i = m_i/M; the degrees of freedom are the
    fewer of Bell and McCaffrey's (2002) and 2S/(1 − S/K), with S = (Σ e²)²/Σ e⁴ how many people carry the variance. It is moderated
    where few people have many comparisons, and never less than if comparisons were independent (`rates_of_people`).
    """
    found, k = _found(errors, sizes, "probe"), len(sizes)
    # One comparison each: the variance over people is that of independent ones, which is estimated with K − 1 degrees of freedom.
    return found._replace(variance=found.variance * k / (k - 1)) if 1 < k == sizes.sum() else found


def by_person(errors: Floats, sizes: Floats) -> RateOfPeople:
    """Find a rate in which every person weighs the same: the mean of the people's own rates."""
    return _found(errors, sizes, "person")


def _found(errors: Floats, sizes: Floats, weights: Weights) -> RateOfPeople:
    made = rates_of_people(PeopleSums.of_counts(errors, sizes), weights)
    rate = float((errors / sizes).mean() if weights == "person" else errors.sum() / sizes.sum())
    freedom = min(float(made.freedom), len(sizes) - 1.0)
    variance = rate * (1 - rate) / float(made.effective_n) if made.varies else 0.0
    return RateOfPeople(rate, variance, freedom)
