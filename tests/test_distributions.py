"""Distributions and quantiles agree with scipy to twelve digits, in the tails and for large numbers too."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isnan, nan, pi, sqrt, tan
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from proband import distributions as ours

CASES = 300
RNG = np.random.default_rng(20)


@pytest.fixture(autouse=True)
def _anew() -> None:
    """Draw the same in every test, whichever ran before."""
    RNG.bit_generator.state = np.random.default_rng(20).bit_generator.state


def between(low: float, high: float) -> float:
    """A number whose logarithm is uniform."""
    return float(np.exp(RNG.uniform(np.log(low), np.log(high))))


def chance() -> float:
    """A chance, often a small one or one close to 1."""
    return float(RNG.choice([RNG.uniform(), between(1e-12, 1), 1 - between(1e-8, 1)]))


def agree(
    found: Callable[..., Any], expected: Callable[..., Any], draw: Callable[[], tuple[Any, ...]]
) -> None:
    for _ in range(CASES):
        arguments = draw()
        known = float(expected(*arguments))
        if known > 1e-200:  # scipy loses digits further out
            assert found(*arguments) == pytest.approx(known, rel=1e-11, abs=0), arguments


def trials() -> tuple[int, int, float]:
    n = int(RNG.integers(1, 3000))
    return int(RNG.integers(0, n + 1)), n, float(RNG.uniform())


@pytest.mark.parametrize(
    ("found", "expected", "draw"),
    [
        (ours.normal_cdf, special.ndtr, lambda: (float(RNG.uniform(-28, 8)),)),
        (ours.t_cdf, special.stdtr, lambda: (between(1, 1e5), float(RNG.normal() * between(0.1, 20)))),
        (ours.chi_square_tail, special.chdtrc, lambda: (between(0.5, 1e4), between(1e-3, 2e4))),
        (ours.chi_square_tail_inverse, special.chdtri, lambda: (between(0.5, 1e4), chance())),
        (ours.f_tail, special.fdtrc, lambda: (between(1, 100), between(1, 1e4), between(0.01, 10))),
        (ours.beta_cdf, special.betainc, lambda: (between(0.3, 1e4), between(0.3, 1e4), RNG.uniform())),
        (ours.beta_inverse, special.betaincinv, lambda: (between(0.3, 1e5), between(0.3, 1e5), chance())),
        (ours.beta_inverse, special.betaincinv, lambda: (RNG.integers(50) + 0.5, between(10, 1e10), chance())),
        (ours.gamma_inverse, special.gammaincinv, lambda: (between(0.05, 1e4), chance())),
        (ours.binomial_cdf, stats.binom.cdf, trials),
        (ours.binomial_pmf, stats.binom.pmf, trials),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)  # fmt: skip
def test_they_agree_with_scipy(
    found: Callable[..., Any], expected: Callable[..., Any], draw: Callable[[], tuple[Any, ...]]
) -> None:
    agree(found, expected, draw)


def test_quantiles_agree_with_scipy_on_both_sides_of_zero() -> None:
    for _ in range(CASES):
        p, freedom = chance(), between(1, 1e6)
        assert ours.normal_inverse(p) == pytest.approx(special.ndtri(p), rel=1e-12)
        assert ours.t_inverse(freedom, p) == pytest.approx(special.stdtrit(freedom, p), rel=1e-11)


def test_hypergeometric_chances_agree_with_scipy() -> None:
    k, marked = np.arange(120)[:, None], np.array([0, 1, 7, 80, 499, 500])
    found = ours.hypergeometric_pmf(k, 500, marked, 90)
    np.testing.assert_allclose(found, stats.hypergeom.pmf(k, 500, marked, 90), rtol=1e-11, atol=1e-300)
    for most in (0, 3, 90, 400):
        found = ours.hypergeometric_cdf(most, 500, marked, 90)
        np.testing.assert_allclose(found, stats.hypergeom.cdf(most, 500, marked, 90), rtol=1e-12)


def test_long_arrays_are_what_each_number_is() -> None:
    x = np.concatenate([np.linspace(-37, 9, 2000), [-inf, inf, 0.0, 1e-9, -1e-9]])
    assert ours.normal_cdf(x).tolist() == [ours.normal_cdf(float(one)) for one in x]
    assert isnan(ours.normal_cdf(np.full(100, nan))[0])
    freedom = np.concatenate([np.geomspace(1, 1e9, 500), [inf]])
    for p in (0.9, 0.975, 1 - 1e-4, 1 - 1e-7):
        each = [ours.t_inverse(float(one), p) for one in freedom]
        np.testing.assert_allclose(ours.t_inverse(freedom, p), each, rtol=2e-12)
    np.testing.assert_allclose(ours.t_inverse(freedom, 0.025), -ours.t_inverse(freedom, 0.975), rtol=2e-12)


def test_beta_binomial_chances_are_mixtures() -> None:
    """Chances of the binomial law, averaged over the beta law of its chance, which is 1/(n + 1) for each count where that is flat."""
    for n in (1, 7, 1000):
        found = ours.beta_binomial_pmf(np.arange(n + 1.0), n, 1, 1)
        np.testing.assert_allclose(found, 1 / (n + 1), rtol=1e-12)
    for _ in range(CASES):
        k, n, _ = trials()
        a, b = between(0.1, 50), between(0.1, 50)
        known = stats.betabinom.pmf(k, n, a, b)  # of logarithms that cancel
        assert ours.beta_binomial_pmf(k, n, a, b) == pytest.approx(known, rel=1e-9)


def test_closed_forms() -> None:
    for p in (1e-9, 0.01, 0.3, 0.5, 0.8, 0.999):
        assert ours.t_inverse(1, p) == pytest.approx(-1 / tan(pi * p), rel=1e-11, abs=1e-15)
        of_two = (2 * p - 1) * sqrt(2 / (4 * p * (1 - p)))  # Student's quantile with two degrees of freedom
        assert ours.t_inverse(2, p) == pytest.approx(of_two, rel=1e-11, abs=1e-15)
        assert ours.beta_inverse(1, 3, p) == pytest.approx(1 - (1 - p) ** (1 / 3), rel=1e-9)
        assert ours.beta_cdf(2, 1, p) == pytest.approx(p**2, rel=1e-13)
        assert ours.chi_square_tail(2, -2 * np.log(p)) == pytest.approx(p, rel=1e-13)
    assert ours.binomial_cdf(1, 3, 0.5) == pytest.approx(0.5, rel=1e-14)
    assert ours.beta_cdf(5e8, 5e8, 0.5) == pytest.approx(0.5, rel=1e-13)


def test_ends_and_nonsense() -> None:
    assert [ours.normal_inverse(p) for p in (0.0, 1.0)] == [-inf, inf]
    assert [ours.t_inverse(3, p) for p in (0.0, 0.5, 1.0)] == [-inf, 0.0, inf]
    assert [ours.beta_inverse(2, 3, p) for p in (0.0, 1.0)] == [0.0, 1.0]
    assert [ours.gamma_inverse(2, p) for p in (0.0, 1.0)] == [0.0, inf]
    assert [ours.chi_square_tail(3, x) for x in (-1.0, 0.0, inf)] == [1.0, 1.0, 0.0]
    assert [ours.f_tail(3, 4, f) for f in (0.0, inf)] == [1.0, 0.0]
    assert [ours.binomial_cdf(k, 5, 0.3) for k in (-1, 5, 9)] == [0.0, 1.0, 1.0]
    assert ours.binomial_pmf([0, 1, 3, 4], 3, [0.0, 0.0, 1.0, 0.5]).tolist() == [1.0, 0.0, 1.0, 0.0]
    for freedom in (1e14, 1e16, 1e200, 1e308):
        assert ours.t_inverse(freedom, 0.975) == pytest.approx(ours.normal_inverse(0.975), rel=1e-13)
        assert ours.t_cdf(freedom, -2.0) == pytest.approx(ours.normal_cdf(-2.0), rel=1e-12)
    assert isnan(ours.beta_cdf(1e200, 1e200, 0.5))  # no number rather than a wrong one
    assert ours.f_tail(3, 1e300, 2.0) == pytest.approx(ours.f_tail(3, inf, 2.0), rel=1e-13)
    assert ours.t_cdf(inf, 1.0) == pytest.approx(ours.normal_cdf(1.0), rel=1e-15)
    assert all(
        isnan(one) for one in (ours.normal_inverse(1.5), ours.t_inverse(3, nan), ours.beta_inverse(0, 1, 0.5))
    )
    assert all(
        isnan(one) for one in (ours.t_cdf(-1, 0.0), ours.f_tail(1, 1, nan), ours.gamma_inverse(-1, 0.5))
    )


def test_logits_are_each_others_inverse() -> None:
    rates = np.array([1e-300, 1e-9, 0.2, 0.5, 0.9, 1 - 1e-12])
    np.testing.assert_allclose(ours.inverse_logit(ours.logit(rates)), rates, rtol=1e-12)
    np.testing.assert_allclose(ours.logit(rates[1:]), special.logit(rates[1:]), rtol=1e-12, atol=1e-15)
    assert ours.inverse_logit(np.array([-inf, 0.0, inf])).tolist() == [0.0, 0.5, 1.0]
