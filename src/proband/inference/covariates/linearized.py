"""How sure coefficients are when units are drawn anew within strata: the linearised covariance of a survey."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from proband.distributions import f_tail
from proband.inference.covariates.regression import Floats
from proband.inference.covariates.sandwich import JointTest, Sandwich
from proband.inference.survey.stages import Stages


@dataclass(frozen=True, eq=False)
class Linearized(Sandwich):
    """The covariance of coefficients over units drawn within strata, as R's svyglm has it.

    It is the linearised covariance of the totals of M x_i w_i (y_i − μ_i), with bread M and weights w (Binder 1983): Σ_h n_h/(n_h − 1) Σ_j (t_hj −
    t̄_h)(t_hj − t̄_h)ᵀ over the units j of stratum h. All linear functions have units − strata − (k − 1) degrees of freedom, k being the
    number of coefficients.

    Attributes
    ----------
    stages
        The units within strata, of all rows of the table.
    inside
        Which of these rows the regression has: others add nothing, and their units were drawn all the same.
    """

    stages: Stages = field(kw_only=True)
    inside: npt.NDArray[np.bool_] = field(kw_only=True)

    @cached_property
    def covariance(self) -> Floats:
        """The covariance matrix of the coefficients."""
        fit = self.fit
        scores = np.zeros((len(self.inside), fit.x.shape[1]))
        scores[self.inside] = (fit.x * (fit.weights * fit.residuals)[:, None]) @ fit.bread
        return self.stages.covariance(scores)

    @cached_property
    def _residual(self) -> float:
        return self.stages.freedom(self.inside) - float(self.fit.x.shape[1] - 1)

    def freedom(self, weights: Floats) -> float:
        """The same for all: units less strata, less the coefficients beside the intercept."""
        return self._residual

    def joint(self, weights: Floats) -> JointTest:
        """Test whether several linear functions are all zero: Wald's statistic over q as F on q and the degrees of freedom."""
        q, rest = len(weights), self._residual
        statistic = self.wald(weights) / q
        return JointTest(statistic, q, rest, float(f_tail(q, rest, statistic)))
