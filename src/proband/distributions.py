"""Distribution functions and quantiles of common distributions, to twelve digits.

SciPy also provides them, but takes longer to load than most commands take to run. These are functions of
scalars. They also accept arrays, element by element, which is fast enough for the few values of a table or an
axis. Student's quantile, which simulated plans need by the thousand, is interpolated for long arrays between
Chebyshev points, to the same accuracy.

The incomplete beta and gamma functions are computed from their continued fractions and series. The leading factors are written with
deviances and the errors of Stirling's formula (Loader 2000), so that no large logarithms cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from math import erfc, exp, fabs, floor, inf, isinf, isnan, lgamma, log, log1p, nan, pi, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.polynomial import Chebyshev

Floats = npt.NDArray[np.float64]

_LEAST = 1e-300  # replaces zero in a continued fraction
_ROUNDING = 2.0**-53
_SETTLED = 1e-9  # of a step towards a root, relative to it: the remaining error is about its square
_MOST_STEPS = 200
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
_AS_NORMAL = 1e15  # degrees of freedom from which Student's distribution equals the normal to all digits
_FROM_STIRLING = 10.0  # above this, the series of Stirling's error has sixteen digits
_STANDARD = NormalDist()
_erfc = np.frompyfunc(erfc, 1, 1)
_LONG = 64  # array length from which interpolation is faster
_DEGREE = 40  # of the interpolation: thirteen digits


def _elementwise(function: Callable[..., float]) -> Callable[..., Any]:
    """Extend a function of scalars to arrays."""

    @wraps(function)
    def take(*values: Any) -> Any:
        if all(isinstance(value, (int, float)) for value in values):
            return function(*map(float, values))
        each = np.frompyfunc(lambda *numbers: function(*map(float, numbers)), len(values), 1)(*values)
        return np.asarray(each, dtype=np.float64) if np.ndim(each) else float(each)

    return take


def normal_cdf(x: Any) -> Any:
    """Return the probability that a standard normal variable is at most `x`."""
    if isinstance(x, (int, float)):
        return 0.5 * erfc(-x / sqrt(2.0))
    # Identical to the last bit, so that draws equal to the observed value count as equal.
    found = 0.5 * np.asarray(_erfc(-np.asarray(x, dtype=np.float64) / sqrt(2.0)), dtype=np.float64)
    return found if np.ndim(x) else float(found)


@_elementwise
def normal_inverse(p: float) -> float:
    """Return the quantile of the standard normal distribution at probability `p`."""
    if 0 < p < 1:
        return _STANDARD.inv_cdf(p)
    return -inf if p == 0 else inf if p == 1 else nan


@_elementwise
def t_cdf(freedom: float, t: float) -> float:
    """Return the probability that Student's t is at most `t`."""
    if isnan(t) or not freedom > 0:
        return nan
    tail = _t_tail(freedom, fabs(t))
    return tail if t < 0 else 1 - tail


def t_inverse(freedom: Any, p: Any) -> Any:
    """Return the quantile of Student's t at probability `p`."""
    if np.size(freedom) < _LONG or np.size(p) > 1 or not 0.5 < p < 1 or np.min(freedom) < 1:
        return _t_inverse(freedom, p)
    return np.exp(_log_t_inverse(float(p))(1 / np.asarray(freedom, dtype=np.float64)))


@cache
def _log_t_inverse(p: float) -> Chebyshev:
    """The logarithm of Student's quantile, which is smooth in the inverse degrees of freedom."""
    each = np.vectorize(lambda share: log(_t_inverse(1 / share if share > 0 else inf, p)))
    return Chebyshev.interpolate(each, _DEGREE, domain=[0, 1])


@_elementwise
def _t_inverse(freedom: float, p: float) -> float:
    if not freedom > 0 or not 0 <= p <= 1:
        return nan
    tail, sign = (p, -1.0) if p < 0.5 else (1 - p, 1.0)
    if tail in (0, 0.5):
        return sign * inf if tail == 0 else 0.0
    start = -_STANDARD.inv_cdf(tail)
    if freedom > _AS_NORMAL:
        return sign * start
    z, square = start, start * start  # Cornish-Fisher expansion
    start += z * (square + 1) / (4 * freedom)
    if freedom > square:
        start += z * ((5 * square + 16) * square + 3) / (96 * freedom**2)
        start += z * (((3 * square + 19) * square + 17) * square - 15) / (384 * freedom**3)
    scale = exp(_log_beta(freedom / 2, 0.5)) * sqrt(freedom)

    def density(t: float) -> float:
        return exp(-0.5 * (freedom + 1) * log1p(t * t / freedom)) / scale

    return sign * _root(lambda t: _t_tail(freedom, t), density, tail, start, inf, rising=False)


@_elementwise
def chi_square_tail(freedom: float, x: float) -> float:
    """Return the probability that chi-square is above `x`."""
    return 1.0 if x <= 0 else _gamma_parts(freedom / 2, x / 2)[1]


@_elementwise
def chi_square_tail_inverse(freedom: float, p: float) -> float:
    """Return the value that chi-square exceeds with probability `p`."""
    return 2 * _gamma_inverse(freedom / 2, 1 - p, p)


@_elementwise
def f_tail(numerator: float, denominator: float, f: float) -> float:
    """Return the probability that F is above `f`."""
    if isnan(f):
        return nan
    if f <= 0:
        return 1.0
    if isinf(f):
        return 0.0
    if denominator > _AS_NORMAL:
        return _gamma_parts(numerator / 2, numerator * f / 2)[1]
    whole = denominator + numerator * f
    return _beta(denominator / 2, numerator / 2, denominator / whole, numerator * f / whole)


@_elementwise
def beta_cdf(a: float, b: float, x: float) -> float:
    """Return the probability that a Beta(a, b) variable is at most `x`."""
    return _beta(a, b, x, 1 - x)


@_elementwise
def beta_inverse(a: float, b: float, p: float) -> float:
    """Return the quantile of Beta(a, b) at probability `p`."""
    if isnan(p) or not 0 <= p <= 1 or not (a > 0 and b > 0):
        return nan
    if p in (0, 1):
        return p
    return _beta_inverse(a, b, p)


@_elementwise
def gamma_inverse(a: float, p: float) -> float:
    """Return the quantile of Gamma(a, 1) at probability `p`."""
    return _gamma_inverse(a, p, 1 - p)


@_elementwise
def binomial_cdf(k: float, n: float, p: float) -> float:
    """Return the probability of at most `k` successes in `n` trials."""
    k = floor(k)
    if k < 0:
        return 0.0
    return 1.0 if k >= n else _beta(n - k, k + 1, 1 - p, p)


def binomial_pmf(k: Any, n: Any, p: Any) -> Floats:
    """Return the probability of `k` successes in `n` trials, for integers."""
    p = np.asarray(p, dtype=np.float64)
    return _binomial_pmf(k, n, p, 1 - p)


@_elementwise
def beta_binomial_pmf(k: float, n: float, a: float, b: float) -> float:
    """Return the probability of `k` successes in `n` trials whose success probability has the distribution Beta(a, b)."""
    ways = -log(n + 1) - _log_beta(k + 1, n - k + 1)
    return exp(ways + _log_beta(k + a, n - k + b) - _log_beta(a, b))


def hypergeometric_pmf(k: Any, total: Any, marked: Any, drawn: Any) -> Floats:
    """Return the probability of `k` marked items among `drawn` out of `total`, for a given number of marked items."""
    k, total, marked, drawn = np.broadcast_arrays(
        *(np.asarray(each, dtype=np.float64) for each in (k, total, marked, drawn))
    )
    p, q = drawn / total, (total - drawn) / total
    missed, unmarked = drawn - k, total - marked
    seen = _binomial_pmf(k, marked, p, q) * _binomial_pmf(missed, unmarked, p, q)
    return seen / _binomial_pmf(drawn, total, p, q)


def hypergeometric_cdf(k: int, total: int, marked: Any, drawn: int) -> Floats:
    """Return the probability of at most `k` marked items among `drawn` out of `total`, for each number of marked items."""
    known, place = np.unique(np.asarray(marked), return_inverse=True)
    fewest = np.arange(min(k, drawn) + 1)[:, None]
    chances = hypergeometric_pmf(fewest, total, known[None, :], drawn).sum(axis=0)
    found: Floats = np.minimum(chances, 1.0)[place.reshape(np.shape(marked))]
    return found


def logit(rate: Any) -> Any:
    """Return ln(rate/(1 − rate))."""
    with np.errstate(divide="ignore"):
        return np.log(rate) - np.log1p(-np.asarray(rate, dtype=np.float64))


def inverse_logit(x: Any) -> Any:
    """Return the rate whose logit is `x`."""
    given = np.asarray(x, dtype=np.float64)
    small = np.exp(-np.abs(given))
    return np.where(given < 0, small, 1.0) / (1 + small)


def _t_tail(freedom: float, t: float) -> float:
    """The probability that Student's t is above a nonnegative `t`."""
    if freedom > _AS_NORMAL:
        return 0.5 * erfc(t / sqrt(2.0))
    if isinf(t):
        return 0.0
    whole = freedom + t * t
    return 0.5 * _beta(freedom / 2, 0.5, freedom / whole, t * t / whole)


def _beta(a: float, b: float, x: float, y: float) -> float:
    """The incomplete beta function of x; y = 1 − x is passed to keep its digits if small."""
    if isnan(x) or not (a > 0 and b > 0) or a + b > _AS_NORMAL:
        return nan  # larger ones have no digits left
    if x <= 0 or y <= 0:
        return 0.0 if x <= 0 else 1.0
    if (a + 1) * y < (b + 1) * x:
        return 1 - _beta_front(b, a, y, x) * _beta_fraction(b, a, y, x)
    return _beta_front(a, b, x, y) * _beta_fraction(a, b, x, y)


def _beta_front(a: float, b: float, x: float, y: float) -> float:
    """x^a y^b / B(a, b)."""
    n, beyond = a + b, a * y - b * x
    deviance = _deviance(a, n * x, beyond) + _deviance(b, n * y, -beyond)
    errors = _stirling_error(n) - _stirling_error(a) - _stirling_error(b)
    return sqrt(a / n * b / (2 * pi)) * exp(errors - deviance)


def _beta_fraction(a: float, b: float, x: float, y: float) -> float:
    """The continued fraction of the incomplete beta function (DiDonato and Morris 1992), by Lentz's method."""
    beyond = a * y - b * x
    m = 0
    fraction = c = a * (beyond + 1) / (a + 1)
    d = 0.0
    while True:
        m += 1
        whole = a + 2 * m - 1
        numerator = (a + m - 1) * (a + b + m - 1) * m * (b - m) * x * x / (whole * whole)
        denominator = m + m * (b - m) * x / whole + (a + m) * (beyond + 1 + m * (1 + y)) / (whole + 2)
        d = 1 / _not_zero(denominator + numerator * d)
        c = _not_zero(denominator + numerator / c)
        fraction *= c * d
        if not fabs(c * d - 1) > 2 * _ROUNDING:  # NaN ends it too
            return 1 / fraction


def _not_zero(value: float) -> float:
    return value if fabs(value) > _LEAST else _LEAST


def _beta_inverse(a: float, b: float, p: float) -> float:
    """The quantile of Beta(a, b) at probability `p`."""
    if a >= 1 and b >= 1:
        z = _STANDARD.inv_cdf(p)
        level = (z * z - 3) / 6
        h = 2 / (1 / (2 * a - 1) + 1 / (2 * b - 1))
        spread = z * sqrt(max(h + level, 0.0)) / h
        w = spread + (1 / (2 * b - 1) - 1 / (2 * a - 1)) * (level + 5 / 6 - 2 / (3 * h))
        start = a / (a + b * exp(min(-2 * w, 700.0)))
    else:
        low, high = exp(a * log(a / (a + b))) / a, exp(b * log(b / (a + b))) / b
        share = low / (low + high)
        start = exp(log(p / share) / a) * a / (a + b) if p < share else 1 - (1 - p) ** (1 / b)
    start = min(max(start, _LEAST), 1 - _ROUNDING)

    def density(x: float) -> float:
        return _beta_front(a, b, x, 1 - x) / (x * (1 - x))

    if p <= 0.5:
        return _root(lambda x: _beta(a, b, x, 1 - x), density, p, start, 1.0)
    return _root(lambda x: _beta(b, a, 1 - x, x), density, 1 - p, start, 1.0, rising=False)


def _gamma_parts(a: float, x: float) -> tuple[float, float]:
    """The incomplete gamma functions of x: below and above it."""
    if isnan(x) or not a > 0:
        return nan, nan
    if x <= 0 or isinf(x):
        return (0.0, 1.0) if x <= 0 else (1.0, 0.0)
    front = _gamma_front(a, x)
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > total * _ROUNDING:
            n += 1
            term *= x / n
            total += term
        return front * total, 1 - front * total
    b = x + 1 - a
    c, d = 1 / _LEAST, 1 / b
    fraction, n = d, 0.0
    while True:
        n += 1
        b += 2
        d = 1 / _not_zero(b - n * (n - a) * d)
        c = _not_zero(b - n * (n - a) / c)
        fraction *= c * d
        if not fabs(c * d - 1) > 2 * _ROUNDING:  # NaN ends it too
            return 1 - front * fraction, front * fraction


def _gamma_front(a: float, x: float) -> float:
    """x^a e^−x / Γ(a)."""
    return sqrt(a / (2 * pi)) * exp(-_stirling_error(a) - _deviance(a, x, a - x))


def _gamma_inverse(a: float, below: float, above: float) -> float:
    """The quantile of Gamma(a, 1) with these probabilities below and above it."""
    if not (0 <= below <= 1 and a > 0):
        return nan
    if below == 0 or above == 0:
        return 0.0 if below == 0 else inf
    z = _STANDARD.inv_cdf(below) if below < above else -_STANDARD.inv_cdf(above)
    root = 1 - 1 / (9 * a) + z / (3 * sqrt(a))
    small = exp(min((log(below) + lgamma(a + 1)) / a, 700.0))
    start = max(a * root**3 if root > 0.2 else small, _LEAST)

    def density(x: float) -> float:
        return _gamma_front(a, x) / x

    if below <= above:
        return _root(lambda x: _gamma_parts(a, x)[0], density, below, start, inf)
    return _root(lambda x: _gamma_parts(a, x)[1], density, above, start, inf, rising=False)


def _binomial_pmf(k: Any, n: Any, p: Any, q: Any) -> Floats:
    """The probability of k successes in n trials, with q = 1 − p."""
    k, n, p, q = np.broadcast_arrays(*(np.asarray(each, dtype=np.float64) for each in (k, n, p, q)))
    inside = (k > 0) & (k < n) & (p > 0) & (q > 0)
    at, of = np.where(inside, k, 1.0), np.where(inside, n, 2.0)
    first, second = np.where(inside, p, 0.5), np.where(inside, q, 0.5)
    beyond = at * second - (of - at) * first
    deviance = _deviances(at, of * first, beyond) + _deviances(of - at, of * second, -beyond)
    errors = _stirling_errors(of) - _stirling_errors(at) - _stirling_errors(of - at)
    found = np.sqrt(of / (2 * pi * at * (of - at))) * np.exp(errors - deviance)
    with np.errstate(divide="ignore", invalid="ignore"):
        none, every = (
            np.where(n == 0, 1.0, np.exp(n * np.where(other < 0.5, np.log1p(-other), np.log(share))))
            for share, other in ((q, p), (p, q))
        )
    ends = np.where(k == 0, none, np.where(k == n, every, 0.0))
    return np.where(inside, found, ends)


def _deviances(x: Floats, mean: Floats, beyond: Floats) -> Floats:
    """`_deviance` of arrays whose means are positive."""
    v = beyond / (x + mean)
    square = v * v
    series = sum(square**j / (2 * j + 1) for j in range(1, 10))
    close = beyond * v + 2 * x * v * series
    return np.where(np.abs(v) < 0.1, close, x * np.log(x / mean) - beyond)


def _stirling_errors(z: Floats) -> Floats:
    """`_stirling_error` of positive integers."""
    few = np.array([0.0, *(_stirling_error(float(k)) for k in range(1, int(_FROM_STIRLING)))])
    series = sum(coefficient / z ** (2 * j + 1) for j, coefficient in enumerate(_STIRLING))
    return np.where(z < _FROM_STIRLING, few[np.minimum(z, _FROM_STIRLING - 1).astype(np.int64)], series)


def _log_beta(a: float, b: float) -> float:
    """The logarithm of B(a, b)."""
    n = a + b
    errors = _stirling_error(a) + _stirling_error(b) - _stirling_error(n)
    return errors + 0.5 * log(2 * pi * n / a / b) - a * log1p(b / a) - b * log1p(a / b)


def _stirling_error(z: float) -> float:
    """Ln Γ(z) minus Stirling's formula."""
    if z < _FROM_STIRLING:
        return lgamma(z) - (z - 0.5) * log(z) + z - 0.5 * log(2 * pi)
    square, power, total = 1 / (z * z), 1 / z, 0.0
    for coefficient in _STIRLING:
        total += coefficient * power
        power *= square
    return total


def _deviance(x: float, mean: float, beyond: float) -> float:
    """X ln(x/mean) + mean − x, without cancellation where they are close; `beyond` is x − mean."""
    if mean <= 0:
        return inf
    if fabs(beyond) < 0.1 * (x + mean):
        v = beyond / (x + mean)
        total, term, j = beyond * v, 2 * x * v, 1
        while True:
            term *= v * v
            j += 2
            more = total + term / j
            if more == total:
                return total
            total = more
    return x * log(x / mean) - beyond


def _root(
    chance: Callable[[float], float],
    density: Callable[[float], float],
    target: float,
    start: float,
    high: float,
    rising: bool = True,
) -> float:
    """Find where a probability equals `target`, by Newton's method on its logarithm with bisection as a safeguard."""
    x, low, end = start, 0.0, high
    sign = 1.0 if rising else -1.0
    for _ in range(_MOST_STEPS):
        found, rate = chance(x), sign * density(x)
        if found == target:
            return x
        if (found < target) == rising:
            low = x
        else:
            high = x
        step = -log(found / target) * found / rate if found > 0 and rate != 0 else nan
        nearer = x + step
        if fabs(step) <= _SETTLED * min(x, end - x):
            return min(max(nearer, low), high)
        if not low < nearer < high:
            if isinf(high):
                nearer = 2 * x + 1e-3
            elif high > 8 * low:
                nearer = sqrt(max(low, high * 1e-12) * high)
            else:
                nearer = (low + high) / 2
        if nearer == x or nearer in (low, high):
            return nearer
        x = nearer
    return x
