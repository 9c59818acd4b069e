"""Logistic and linear regression under independence: iterated least squares by QR, and what it leaves over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.linalg import qr, solve_triangular

Floats = npt.NDArray[np.float64]
Family = Literal["logistic", "linear"]

_STEPS = 60
_CONVERGED = 1e-12
_EDGE = 1e-7  # of 0 and 1: fitted rates closer than this ask whether outcomes are predicted perfectly


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted regression.

    Attributes
    ----------
    family
        ``logistic``: the log odds of success are linear. ``linear``: the outcome is.
    x, y
        The columns and the outcomes.
    weights
        How much every row counts, 1 in the mean and none for nothing.
    coefficients, fitted
        What was fitted, and the expected outcome of every row.
    variance
        What the working model gives every row of weight 1: μ(1 − μ), or 1.
    bread
        (Xᵀ W V X)⁻¹.
    converged
        Whether the steps came to rest; they do not where a covariate predicts outcomes perfectly.
    """

    family: Family
    x: Floats
    y: Floats
    weights: Floats
    coefficients: Floats
    fitted: Floats
    variance: Floats
    bread: Floats
    converged: bool

    @property
    def residuals(self) -> Floats:
        """Outcomes less what was expected."""
        return self.y - self.fitted

    @property
    def at_the_edge(self) -> bool:
        """Whether a fitted rate is next to 0 or 1, or nothing was found at all."""
        if self.family == "linear":
            return False
        return not self.converged or bool(np.any((self.fitted < _EDGE) | (self.fitted > 1 - _EDGE)))

    def expected(self, x: Floats) -> Floats:
        """The expected outcome of other rows."""
        return mean_of(self.family, x @ self.coefficients)

    def gradient(self, x: Floats, expected: Floats) -> Floats:
        """What a small change of each coefficient does to the mean expected outcome of rows."""
        slope = expected * (1 - expected) if self.family == "logistic" else np.ones(len(x))
        made: Floats = (slope * self.weights) @ x / self.weights.sum()
        return made

    def mean(self, values: Floats, rows: npt.NDArray[np.bool_] | None = None) -> float:
        """The mean of values as rows count; of some rows alone."""
        own = slice(None) if rows is None else rows
        return float((values[own] * self.weights[own]).sum() / self.weights[own].sum())


def mean_of(family: Family, linear: Floats) -> Floats:
    """The expected outcome where the linear part is known."""
    if family == "linear":
        return linear
    with np.errstate(over="ignore"):
        made: Floats = 1 / (1 + np.exp(-linear))
    return made


def regress(x: Floats, y: Floats, family: Family = "logistic", weights: Floats | None = None) -> Fit:
    """Fit a regression by maximum (quasi-)likelihood as if rows were independent.

    Estimated are the coefficients β of E(y) = 1/(1 + exp(−xβ)), or of E(y) = xβ; they solve Xᵀ W(y − μ) = 0, which is right whatever
    the correlation of rows (Liang & Zeger 1986, independence); with sampling weights W it is what the population itself would give (Binder
    1983). Steps are weighted least squares by QR of columns of unit length.
    """
    scale = np.sqrt(np.mean(x**2, axis=0))
    unit = x / scale
    rows = np.ones(len(y)) if weights is None else weights / weights.mean()
    beta = np.zeros(x.shape[1])
    fitted, variance = _working(family, unit @ beta)
    converged = False
    for _ in range(_STEPS):
        step, bread = _least_squares(unit, (y - fitted) / variance, variance * rows)
        beta = beta + step
        fitted, variance = _working(family, unit @ beta)
        if family == "linear" or np.max(np.abs(step)) <= _CONVERGED * max(1.0, np.max(np.abs(beta))):
            converged = True
            break
    _, bread = _least_squares(unit, np.zeros(len(y)), variance * rows)
    return Fit(family, x, y, rows, beta / scale, fitted, variance, bread / np.outer(scale, scale), converged)


def _working(family: Family, linear: Floats) -> tuple[Floats, Floats]:
    """Expected outcomes and working variances; held off 0, so that a step can always be made."""
    fitted = mean_of(family, np.clip(linear, -30, 30) if family == "logistic" else linear)
    return fitted, fitted * (1 - fitted) if family == "logistic" else np.ones(len(linear))


def _least_squares(x: Floats, z: Floats, weights: Floats) -> tuple[Floats, Floats]:
    root = np.sqrt(weights)
    q, r = qr(x * root[:, None], mode="economic")
    inverse = solve_triangular(r, np.eye(len(r)))
    return solve_triangular(r, q.T @ (z * root)), inverse @ inverse.T
