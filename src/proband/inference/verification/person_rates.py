"""A rate over people who have different numbers of comparisons: what it rests on when comparisons weigh the same, or people do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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
    fewer of Bell and McCaffrey's (2002) and 2S/(1 − S/K), with S = (Σ e²)²/Σ e⁴ how many people carry the variance.

    Examples
    --------
    >>> by_comparison(np.array([2.0, 2.0] + [0.0] * 8), np.full(10, 2.0))
    RateOfPeople(rate=0.2, variance=0.0177..., freedom=9.0)
    >>> round(by_comparison(np.array([8.0, 2.0] + [0.0] * 8), np.array([20.0] + [2.0] * 9)).freedom, 2)
    1.43
    """
    k, n = len(sizes), float(sizes.sum())
    rate = float(errors.sum()) / n
    residuals = errors - rate * sizes
    if k < 2 or sizes.min() == sizes.max():
        squares = float(residuals @ residuals)
        return RateOfPeople(rate, k / max(k - 1, 1) * squares / n**2, float(k - 1))
    own, shares = sizes * (1 + (sizes - 1) * _alike(errors, sizes, rate)), sizes / n
    factors = own / (own * (1 - 2 * shares) + shares**2 * float(own.sum()))
    variance = float(factors @ residuals**2) / n**2
    freedom = min(_satterthwaite(factors, own, shares), _carried(residuals), float(k - 1))
    return RateOfPeople(rate, variance, freedom)


def by_person(errors: Floats, sizes: Floats) -> RateOfPeople:
    """Find a rate in which every person weighs the same: the mean of the people's own rates.

    Examples
    --------
    >>> found = by_person(np.array([8.0, 2.0] + [0.0] * 8), np.array([20.0] + [2.0] * 9))
    >>> round(found.rate, 4), round(found.variance, 5), round(found.freedom, 2)  # (0.4 + 1)/10
    (0.14, 0.01071, 4.03)
    """
    k, own = len(sizes), errors / sizes
    residuals = own - own.mean()
    variance = float(residuals @ residuals) / (k * max(k - 1, 1))
    return RateOfPeople(float(own.mean()), variance, min(_carried(residuals), float(k - 1)))


def _alike(errors: Floats, sizes: Floats, rate: float) -> float:
    """The intraclass correlation by analysis of variance, at least 0."""
    k, n = len(sizes), float(sizes.sum())
    if n == k:
        return 0.0
    among = float((errors**2 / sizes).sum())
    between, within = (among - n * rate**2) / (k - 1), (float(errors.sum()) - among) / (n - k)
    usual = (n - float(sizes @ sizes) / n) / (k - 1)
    both = between + (usual - 1) * within
    return max(0.0, (between - within) / both) if both > 0 else 0.0


def _satterthwaite(factors: Floats, own: Floats, shares: Floats) -> float:
    """The degrees of freedom of Σ c e² if people had the variances `own`: (tr G)²/Σ G², G the covariance of residuals."""
    total = float(own.sum())
    a, b, d = (float(factors @ one) for one in (own**2, shares**2, shares * own))
    diagonal = factors**2 * own * (own + 2 * (shares**2 * total - 2 * shares * own))
    squares = float(diagonal.sum()) + 2 * a * b + (b * total) ** 2 + 2 * d**2 - 4 * total * b * d
    return total**2 / squares


def _carried(residuals: Floats) -> float:
    """Twice the people who carry the variance, more where all do: 2S/(1 − S/K), with S = (Σ e²)²/Σ e⁴."""
    fourth = float((residuals**4).sum())
    if fourth == 0:
        return float(len(residuals) - 1)
    carriers = float((residuals**2).sum()) ** 2 / fourth
    rest = 1 - carriers / len(residuals)
    return 2 * carriers / rest if rest > 0 else float(len(residuals) - 1)
