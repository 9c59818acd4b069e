"""Error rates of weighted comparisons, in many replicates at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class WeightedRates:
    """The weights of comparisons at and above every genuine score: edges × replicates.

    It corresponds to `ErrorRates` for equally weighted comparisons. Replicates in which one kind has no weight give NaN.

    Attributes
    ----------
    genuine_at
        The weight of genuine comparisons at each edge; edges are ascending in closeness.
    impostor_ge, impostor_gt
        The weight of impostor comparisons at or above, and above, each edge.
    n_impostor
        The weight of all impostor comparisons.
    """

    genuine_at: Floats
    impostor_ge: Floats
    impostor_gt: Floats
    n_impostor: Floats

    @property
    def _shares(self) -> tuple[Floats, Floats]:
        """The weight of all comparisons of either kind; NaN if zero."""
        genuine = self.genuine_at.sum(axis=0)
        return tuple(np.where(one > 0, one, np.nan) for one in (genuine, self.n_impostor))  # type: ignore[return-value]

    @property
    def _below(self) -> Floats:
        """The weight of genuine comparisons below each edge."""
        found: Floats = np.cumsum(self.genuine_at, axis=0) - self.genuine_at
        return found

    def auc(self) -> Floats:
        """The area under the ROC, ties counting half."""
        genuine, impostor = self._shares
        right = self.n_impostor - (self.impostor_ge + self.impostor_gt) / 2
        found: Floats = np.einsum("er,er->r", self.genuine_at, right) / (genuine * impostor)
        return found

    def fnmr_at(self, fmr: float) -> Floats:
        """FNMR at the least strict threshold with an FMR of at most `fmr`."""
        genuine, impostor = self._shares
        allowed = self.impostor_ge <= fmr * self.n_impostor * (1 + _ROUNDING)
        place = np.where(allowed.any(axis=0), np.argmax(allowed, axis=0), len(allowed))
        below = np.vstack([self._below, self.genuine_at.sum(axis=0)])
        found: Floats = below[place, np.arange(below.shape[1])] / (genuine + 0.0 * impostor)
        return found

    def eer(self) -> Floats:
        """The equal error rate, or the midpoint if FMR and FNMR do not meet, like `ErrorRates.eer`."""
        genuine, impostor = self._shares
        n_edges, n = self.genuine_at.shape
        fmr, fnmr = np.empty((2 * n_edges + 2, n)), np.empty((2 * n_edges + 2, n))
        fmr[0], fnmr[0], fmr[-1], fnmr[-1] = 0.0, 1.0, 1.0, 0.0
        below = self._below
        # Starting from rejecting everything: just above a genuine score, then at it.
        fmr[1:-1:2], fmr[2:-1:2] = (self.impostor_gt / impostor)[::-1], (self.impostor_ge / impostor)[::-1]
        fnmr[1:-1:2], fnmr[2:-1:2] = ((below + self.genuine_at) / genuine)[::-1], (below / genuine)[::-1]
        after = np.argmax(fmr >= fnmr - _ROUNDING, axis=0)
        columns = np.arange(n)
        corners = [(fmr[at, columns], fnmr[at, columns]) for at in (after - 1, after)]
        (fmr_0, fnmr_0), (fmr_1, fnmr_1) = corners
        middle_0, middle_1 = (fmr_0 + fnmr_0) / 2, (fmr_1 + fnmr_1) / 2
        nearest = np.where(fnmr_0 - fmr_0 < fmr_1 - fnmr_1, middle_0, middle_1)
        found: Floats = np.where(np.abs(fnmr_0 - fnmr_1) <= _ROUNDING, fnmr_1, nearest)
        return found + 0.0 * (genuine + impostor)
