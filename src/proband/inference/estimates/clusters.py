"""The correlation of probes within people, and its design effect."""

from __future__ import annotations

from math import sqrt
from typing import Annotated, Any, TypeVar

import numpy as np
import numpy.typing as npt

from proband.engine.arguments import published
from proband.engine.foreign import complete_from
from proband.engine.kinds import Axes
from proband.engine.labels import aligned
from proband.errors import UsageError
from proband.results.estimate import Clusters
from proband.words import count, digits

Floats = npt.NDArray[np.float64]
ALIKE = 0.5
"""The intraclass correlation that is supposed where nothing shows one: the largest for which intervals were tried."""

Squares = TypeVar("Squares", float, Floats)


def over_people(squares: Squares, n_people: int) -> Squares:
    """Compute the variance of a sum over new people, from the summed squares of their deviations."""
    return n_people / (n_people - 1) * squares


def variance_over_people(values: Floats, people: npt.NDArray[np.integer[Any]]) -> float:
    """Compute the variance of a mean over new people with the same numbers of values: Σ(y_i − r·m_i)²·k/(k − 1)/n².

    Parameters
    ----------
    values
        One value for each probe or sample. Person i has m_i values with sum y_i; r is the mean of all n.
    people
        The person of each value, as a number; at least two people.

    References
    ----------
    Rao and Scott (1992), A simple method for the analysis of clustered binary data, Biometrics 48, 577–585.
    """
    codes = np.unique(people, return_inverse=True)[1]
    sizes = np.bincount(codes)
    residuals = np.bincount(codes, weights=values) - float(values.mean()) * sizes
    return over_people(float(residuals @ residuals), len(sizes)) / len(values) ** 2


def design_effect(values: Floats, people: npt.NDArray[np.integer[Any]]) -> float:
    """Compute the ratio of the variance of a mean over people to that over independent probes, at least one.

    If the correlation within people cannot be estimated, each person counts once.
    """
    n, k = len(values), len(np.unique(people))
    if k == n:
        return 1.0
    independent = float(values.var()) / n
    if k < 2 or independent == 0:
        return n / k
    return max(1.0, variance_over_people(values, people) / independent)


@published
def cluster_statistics(
    success: Annotated[Floats, Axes(1, labelled=True)],
    clusters: Annotated[npt.NDArray[np.integer[Any]], Axes(1, labelled=True)],
) -> Clusters:
    """Measure the correlation of outcomes within people and the resulting design effect.

    Parameters
    ----------
    success
        0 or 1 (or a fraction) for each probe; other numbers raise an error.
    clusters
        The person of each probe, as a number.

    Returns
    -------
    Clusters
        The design effect, the effective number and the intraclass correlation.

    Notes
    -----
    With y_i the successes among the m_i probes of person i, n probes of K people and the rate p = Σ y_i/n, the standard error
    over people is √[K/(K − 1) Σ (y_i − p m_i)²]/n, that of independent probes √(p(1 − p)/n). The design effect is the square of
    their ratio, and the effective size n divided by it (Rao & Scott 1992); the intraclass correlation is that of the analysis of
    variance, (MSB − MSW)/(MSB + (m̃ − 1)MSW) with m̃ = (n − Σ m_i²/n)/(K − 1).

    With only one person, or with no successes or no failures, the variation between people cannot be estimated: the design
    effect is then set to 1 and the correlation to 0; without successes or without failures, the effective size is that of a
    correlation of ½.

    Examples
    --------
    61 patients with 6 sites each, of which 0 to 6 are negative: a stand-in with the sums of Cochran's example, whose binomial
    standard error is 2.58 % and whose standard error over patients is 4.65 %.

    >>> negative = np.repeat(np.arange(7), [15, 12, 6, 7, 6, 6, 9])
    >>> success = (np.arange(6) < negative[:, None]).astype(float).ravel()
    >>> found = cluster_statistics(success, np.repeat(np.arange(61), 6))
    >>> round(found.binomial_se, 6), round(found.cluster_se, 6), round(found.design_effect, 4), round(found.icc, 4)
    (0.025782, 0.046528, 3.2569, 0.4456)
    """
    if len(success) != len(clusters) or not len(success):
        raise UsageError(f"{count(len(success))} outcomes do not match {count(len(clusters))} probes.")
    given = aligned({"the outcomes": success, "the clusters": clusters})
    clusters = complete_from(given["the clusters"], "clusters")
    success = complete_from(given["the outcomes"], "outcomes").astype(np.float64)
    if not (np.isfinite(success).all() and success.min() >= 0 and success.max() <= 1):
        raise UsageError(
            f"Outcomes must be successes from 0 to 1; these are {_range(success)}.",
            "pass 1 for a success and 0 for a failure, not scores or counts.",
        )
    _, codes = np.unique(clusters, return_inverse=True)
    sizes: Floats = np.bincount(codes).astype(np.float64)
    totals = np.bincount(codes, weights=success).astype(np.float64)
    n, k = len(success), len(sizes)
    rate = float(success.mean())
    binomial = sqrt(max(0.0, rate * (1 - rate)) / n)
    if k < 2 or binomial == 0.0:
        alike = float(n**2 / (sizes @ (1 + (sizes - 1) * ALIKE)))
        effective = alike if binomial == 0.0 else float(n)
        return Clusters(n, k, rate, binomial, binomial, 1.0, effective, 0.0, 1.0)
    cluster = sqrt(variance_over_people(success, codes))
    effect = (cluster / binomial) ** 2
    expected = sizes * rate * (1 - rate)
    return Clusters(
        n=n,
        n_clusters=k,
        rate=rate,
        binomial_se=binomial,
        cluster_se=cluster,
        design_effect=effect,
        effective_n=n / effect if effect > 0 else float("inf"),
        icc=_icc(success, codes, sizes, totals),
        overdispersion=float(((totals - rate * sizes) ** 2 / expected).sum() / (k - 1)),
    )


def _range(values: Floats) -> str:
    finite = values[np.isfinite(values)]
    if len(finite) < len(values):
        return f"not all finite ({count(len(values) - len(finite))} of {count(len(values))} are not)"
    return f"from {digits(finite.min(), 6)} to {digits(finite.max(), 6)}"


def _icc(success: Floats, codes: npt.NDArray[np.integer[Any]], sizes: Floats, totals: Floats) -> float:
    """The intraclass correlation by analysis of variance, for people with any numbers of probes."""
    n, k = len(success), len(sizes)
    if n == k:
        return 0.0
    means = totals / sizes
    between = float((sizes * (means - success.mean()) ** 2).sum()) / (k - 1)
    within = float(((success - means[codes]) ** 2).sum()) / (n - k)
    usual = (n - float((sizes**2).sum()) / n) / (k - 1)
    denominator = between + (usual - 1) * within
    return 0.0 if denominator == 0 else (between - within) / denominator
