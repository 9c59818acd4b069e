"""Quantiles of weighted values, and Woodruff's interval."""

from __future__ import annotations

from typing import Literal

import numpy as np

from proband.distributions import beta_inverse, t_inverse
from proband.inference.survey.columns import Floats

QuantileRule = Literal["math", "school", "hf1", "hf2", "hf3", "hf4", "hf5", "hf6", "hf7", "hf8", "hf9"]
AS_IN_R = ("math", "school")
QuantileInterval = Literal["mean", "logit", "asin", "beta", "replicates"]


def weighted_quantile(values: Floats, weights: Floats, p: float, rule: QuantileRule = "math") -> float:
    """Find a quantile of weighted values by one of the rules of R's svyquantile.

    ``hf1`` is the smallest value at which the distribution function reaches p, ``hf2`` takes the middle of two where it is p
    exactly, and hf3 to hf9 are the others of Hyndman & Fan (1996). ``math`` and ``school`` are hf1 and hf2 as R computes them: where
    p is less than the share of the smallest value, they give the second smallest.
    """
    if not 0 <= p <= 1:  # an end of Woodruff's interval may pass 0 or 1
        return float("nan")
    kept = weights != 0
    x, w = values[kept], weights[kept]
    if not len(x):
        return float("nan")
    if rule == "hf3":
        kinds, codes = np.unique(x, return_inverse=True)
        x, w = kinds, np.bincount(codes.ravel(), weights=w)
    order = np.argsort(x, kind="stable")
    x, w = x[order], w[order]
    sums = _running_sums(w)
    if rule in ("math", "hf1", "school", "hf2", "hf3", "hf4"):
        return _by_step(x, sums, p, rule)
    last = sums[-1]
    before = np.concatenate([[0.0], sums[:-1]])
    if rule == "hf5":
        places = (sums - w / 2) / last
    elif rule == "hf6":
        places = sums / (last + w[-1])
    elif rule == "hf7":
        places = before / before[-1] if len(x) > 1 else np.zeros(1)
    elif rule == "hf8":
        places = (before / 3 + sums * 2 / 3) / (last + w[-1] / 3)
    else:
        places = (before * 3 / 8 + sums * 5 / 8) / (last + w[-1] / 4)
    return float(np.interp(p, places, x))


def _running_sums(weights: Floats) -> Floats:
    """Sums of weights, rounded once: added with more digits, or where ``long double`` has no more, with what each step loses."""
    if np.finfo(np.longdouble).nmant > np.finfo(np.float64).nmant:
        return np.cumsum(weights, dtype=np.longdouble).astype(np.float64)
    sums = np.cumsum(weights)
    before = np.concatenate([[0.0], sums[:-1]])
    step = sums - before
    lost: Floats = (before - (sums - step)) + (weights - step)
    return sums + np.cumsum(lost)


def _by_step(x: Floats, sums: Floats, p: float, rule: str) -> float:
    """Quantiles by the step of the distribution function at which p lies."""
    last = sums[-1]
    below = int(np.searchsorted(sums, p * last, side="right")) - 1
    if below < 0:  # p lies before the first step ends
        return float(x[min(1, len(x) - 1)] if rule in AS_IN_R else x[0])
    above = min(below + 1, len(x) - 1)
    past, to_come = p - sums[below] / last, sums[above] / last - p
    if rule == "hf4":
        share = past / (to_come + past) if to_come + past else 0.0
        return float(x[below] * (1 - share) + x[above] * share)
    if past == 0:
        if rule in ("math", "hf1") or (rule == "hf3" and (below + 1) % 2 == 0):
            return float(x[below])
        if rule in ("school", "hf2"):
            return float((x[below] + x[above]) / 2)
    return float(x[above])


def proportion_ends(
    share: float, error: float, t: float, kind: str, n: int, freedom: float, level: float
) -> tuple[float, float]:
    """Find the ends of the interval of a proportion: symmetric, or on another scale (R's svyciprop)."""
    if kind in ("logit", "asin", "beta") and (not 0 < share < 1 or error == 0):
        return share, share
    if kind == "logit":
        middle, reach = np.log(share / (1 - share)), t * error / (share * (1 - share))
        return float(1 / (1 + np.exp(reach - middle))), float(1 / (1 + np.exp(-reach - middle)))
    if kind == "asin":
        middle, reach = np.arcsin(np.sqrt(share)), t * error / (2 * np.sqrt(share * (1 - share)))
        low, high = max(middle - reach, 0.0), min(middle + reach, np.pi / 2)
        return float(np.sin(low) ** 2), float(np.sin(high) ** 2)
    if kind == "beta":
        tail = (1 - level) / 2
        n_effective: float = share * (1 - share) / error**2
        if np.isfinite(freedom):
            n_effective *= float((t_inverse(n - 1, tail) / t_inverse(freedom, tail)) ** 2)
        a, b = n_effective * share, n_effective * (1 - share)
        return float(beta_inverse(a, b + 1, tail)), float(beta_inverse(a + 1, b, 1 - tail))
    return share - t * error, share + t * error
