"""How sure coefficients are when people are drawn anew: cluster-robust covariance, and the degrees of freedom it has."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from proband.distributions import f_tail, t_cdf, t_inverse
from proband.inference.covariates.regression import Fit, Floats
from proband.results.base import ROUNDING, Interval

Covariance = Literal["CR2", "CR1", "CR0", "survey"]
_NOTHING = 1e-12  # eigenvalues below are none: a person alone decides what they belong to


class Contrast(NamedTuple):
    """A linear function of coefficients.

    Attributes
    ----------
    value, low, high
        Its value and interval.
    standard_error, degrees_of_freedom
        How sure it is.
    p_value
        Of zero, from the same t distribution.
    """

    value: float
    standard_error: float
    degrees_of_freedom: float
    low: float
    high: float
    p_value: float


class JointTest(NamedTuple):
    """A test of several linear functions being zero together.

    Attributes
    ----------
    statistic, numerator, denominator
        F and its degrees of freedom.
    p_value
        Of all being zero; NaN where there are too few people to tell.
    """

    statistic: float
    numerator: int
    denominator: float
    p_value: float


@dataclass(frozen=True, eq=False)
class Sandwich:
    """The covariance of coefficients over people.

    With D = ∂μ/∂β, working variances V (of a row with weight w: μ(1 − μ)/w, or 1/w), bread M = (Dᵀ V⁻¹ D)⁻¹ and residuals e, it is
    M (Σ_j D_jᵀ V_j⁻¹ A_j e_j e_jᵀ A_jᵀ V_j⁻¹ D_j) M over people j. CR0 has A_j = I; CR1 √(J/(J − 1)) I; CR2 A_j = V_j^½ (V_j^½ (V_j − D_j M D_jᵀ) V_j^½)^(−½) V_j^½, which makes it
    unbiased if the working model holds (Bell & McCaffrey 2002; Pustejovsky & Tipton 2018, whose clubSandwich has the same matrices).
    What varies: people, with all their probes.

    Attributes
    ----------
    fit
        The regression.
    people
        The person of every row, from 0.
    kind
        Which correction.
    """

    fit: Fit
    people: npt.NDArray[np.intp]
    kind: Covariance = "CR2"

    @property
    def n_people(self) -> int:
        """How many people there are."""
        return int(self.people.max()) + 1

    @cached_property
    def _parts(self) -> tuple[Floats, list[Floats], Floats]:
        """Each person's adjusted score; the root of its working variance (G); and what it shares with all others (H)."""
        fit, k = self.fit, self.fit.x.shape[1]
        rows_of = np.split(np.argsort(self.people, kind="stable"), np.cumsum(np.bincount(self.people))[:-1])
        shared, residuals = np.linalg.cholesky(fit.bread), fit.residuals
        scores, roots = np.zeros((self.n_people, k)), []
        common = np.zeros((self.n_people, k, k))
        factor = np.sqrt(self.n_people / (self.n_people - 1)) if self.kind == "CR1" else 1.0
        for person, rows in enumerate(rows_of):
            x, weighted = fit.x[rows], fit.x[rows].T * fit.weights[rows]
            slope = x * fit.variance[rows][:, None]  # ∂μ/∂β: the link is canonical
            variance = fit.variance[rows] / fit.weights[rows]
            estimating = weighted * factor
            if self.kind == "CR2":
                estimating = weighted @ _adjustment(variance, slope, fit.bread)
            scores[person] = estimating @ residuals[rows]
            roots.append(fit.bread @ (estimating * np.sqrt(variance)))
            common[person] = fit.bread @ (estimating @ slope) @ shared
        return scores, roots, common

    @cached_property
    def covariance(self) -> Floats:
        """The covariance matrix of the coefficients."""
        scores, _, _ = self._parts
        made: Floats = self.fit.bread @ (scores.T @ scores) @ self.fit.bread
        return made

    @cached_property
    def _inner(self) -> Floats:
        """G_j G_jᵀ of every person, which linear functions of coefficients are read from."""
        return np.array([root @ root.T for root in self._parts[1]])

    def contrast(
        self, weights: Floats, confidence_level: float = 0.95, value: float | None = None
    ) -> Contrast:
        """Estimate weightsᵀβ, or what has that gradient and a `value` of its own (the delta method)."""
        estimate = float(weights @ self.fit.coefficients) if value is None else value
        # Where nothing varies, rounding may leave a variance just below 0.
        error = float(np.sqrt(max(float(weights @ self.covariance @ weights), 0.0)))
        freedom = self.freedom(weights)
        low, high, p = ends(estimate, error, freedom, confidence_level)
        return Contrast(estimate, error, freedom, low, high, p)

    def freedom(self, weights: Floats) -> float:
        """The degrees of freedom of weightsᵀβ.

        Its variance estimate is a quadratic form, whose mean and variance under the working model give Satterthwaite's degrees of
        freedom 2E²/V (Bell & McCaffrey 2002): P = diag(|cᵀG_j|²) − (cᵀH_j)(cᵀH_k)ᵀ, (tr P)²/tr(P²).
        """
        own = np.einsum("a,jab,b->j", weights, self._inner, weights)
        common = np.einsum("a,jab->jb", weights, self._parts[2])
        gram = common.T @ common
        trace = own.sum() - np.trace(gram)
        squares = (own**2).sum() - 2 * own @ (common**2).sum(axis=1) + (gram**2).sum()
        return float(trace**2 / squares) if squares > 0 else float("nan")

    def wald(self, weights: Floats) -> float:
        """(Cβ)ᵀ(CVCᵀ)⁻¹Cβ of several linear functions of coefficients, a row each."""
        effects = weights @ self.fit.coefficients
        return float(effects @ np.linalg.solve(weights @ self.covariance @ weights.T, effects))

    def joint(self, weights: Floats) -> JointTest:
        """Test whether several linear functions of coefficients, a row each, are all zero.

        `wald` is referred to Hotelling's T² with ν = q(q + 1)/Σ Var degrees of freedom, by which the total variance of the
        estimated covariance is matched: F = (ν − q + 1)/(νq) · Wald on q and ν − q + 1 (Pustejovsky & Tipton 2018, AHT; HTZ in
        clubSandwich).
        """
        q = len(weights)
        inner, common = self._inner, self._parts[2]
        whole = weights @ (inner.sum(axis=0) - np.einsum("jab,jcb->ac", common, common)) @ weights.T
        values, vectors = np.linalg.eigh(whole)
        standard = (vectors / np.sqrt(values)) @ vectors.T @ weights
        own = np.einsum("sa,jab,tb->jst", standard, inner, standard)
        shared = np.einsum("sa,jab->jsb", standard, common)
        crossed = np.einsum("jsa,jtb->stab", shared, shared)
        products = np.einsum("jsa,jta->jst", shared, shared)
        total = 0.0
        for s in range(q):
            for t in range(q):
                total += (own[:, s, t] ** 2).sum() - 2 * own[:, s, t] @ products[:, s, t]
                total += (crossed[s, t] * crossed[t, s]).sum()
                total += own[:, s, s] @ own[:, t, t] - own[:, s, s] @ products[:, t, t]
                total += (crossed[s, t] ** 2).sum() - own[:, t, t] @ products[:, s, s]
        freedom = q * (q + 1) / total
        rest = freedom - q + 1
        if rest <= 0:
            return JointTest(float("nan"), q, rest, float("nan"))
        statistic = rest / freedom * self.wald(weights) / q
        return JointTest(statistic, q, rest, float(f_tail(q, rest, statistic)))


def ends(value: float, error: float, freedom: float, confidence_level: float) -> tuple[float, float, float]:
    """Find the interval of a value and the two-sided p-value of zero, both from its t distribution."""
    if not error > ROUNDING * max(1.0, abs(value)) or not np.isfinite(freedom):
        return value, value, 1.0
    reach = float(t_inverse(freedom, (1 + confidence_level) / 2)) * error
    p = float(2 * t_cdf(freedom, -abs(value) / error))
    return value - reach, value + reach, p


def rate_interval(found: Contrast, confidence_level: float) -> Interval:
    """Find the interval of a rate: that of its log odds with the same degrees of freedom, so that it stays within 0 and 1."""
    rate = found.value
    if not 0 < rate < 1:
        return Interval(rate, rate)
    odds, error = np.log(rate / (1 - rate)), found.standard_error / (rate * (1 - rate))
    low, high, _ = ends(float(odds), float(error), found.degrees_of_freedom, confidence_level)
    return Interval(float(1 / (1 + np.exp(-low))), float(1 / (1 + np.exp(-high))))


def _adjustment(variance: Floats, slope: Floats, bread: Floats) -> Floats:
    root = np.sqrt(variance)
    left = np.outer(root, root) * (np.diag(variance) - slope @ bread @ slope.T)
    values, vectors = np.linalg.eigh(left)
    kept = np.where(values > _NOTHING, values, np.inf)
    made: Floats = np.outer(root, root) * ((vectors / np.sqrt(kept)) @ vectors.T)
    return made
