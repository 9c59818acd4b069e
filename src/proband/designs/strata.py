"""Strata and the weights of their units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from proband.engine.foreign import complete_from
from proband.errors import DesignError, UsageError, first_few
from proband.results.base import ROUNDING as ROUNDING
from proband.words import count, counted, digits

Floats = npt.NDArray[np.float64]

StratumWeights = Literal["units", "equal"] | Mapping[Any, float]


@dataclass(frozen=True, eq=False)
class Strata:
    """Units in strata.

    Attributes
    ----------
    codes
        The stratum of each unit, numbered from 0.
    shares
        The weight of each stratum; they sum to one.
    names
        The names of the strata.
    uneven
        The weight of each unit, if units of a stratum have unequal weights: strata of different weights were collapsed,
        or units have different numbers of observations. None if a stratum's weight is divided equally.
    members, within
        The unit of each observation and its weight, if units have several observations (a person with several probes);
        None if every observation is a unit.
    """

    codes: npt.NDArray[np.intp]
    shares: Floats
    names: tuple[str, ...]
    uneven: Floats | None = None
    members: npt.NDArray[np.intp] | None = None
    within: Floats | None = None

    @classmethod
    def of(cls, labels: Sequence[Any] | npt.NDArray[Any], weights: StratumWeights = "units") -> Strata:
        """Number the strata in order of appearance, and weight them.

        Parameters
        ----------
        labels
            The stratum of each unit.
        weights
            ``units``: each stratum by its number of units, so that the estimate is the plain mean. ``equal``: equal weights. Or
            a weight for each label; they must not be negative and must sum to one.
        """
        values = complete_from(labels, "strata")
        if not len(values):
            raise UsageError("No units were given.")
        kinds, first, inverse = np.unique(values, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")  # in order of appearance, not sorted
        rank = np.empty(len(order), dtype=np.intp)
        rank[order] = np.arange(len(order))
        codes = rank[inverse.ravel()]
        sizes = np.bincount(codes).astype(np.float64)
        ordered = kinds[order]
        if isinstance(weights, Mapping):
            shares = _given(weights, ordered)
        elif weights == "units":
            shares = sizes / sizes.sum()
        elif weights == "equal":
            shares = np.full(len(sizes), 1.0 / len(sizes))
        else:
            raise UsageError(f"Unknown stratum weights {weights!r}.", "pass 'units', 'equal' or a mapping.")
        return cls(codes, shares, tuple(str(name) for name in ordered))

    def in_units(self, units: Sequence[Any] | npt.NDArray[Any]) -> Strata:
        """Group observations into sampling units: people, sessions, …

        Observations keep their weights, so the estimate is unchanged; whole units vary. Equal labels in two strata are two
        units.
        """
        kinds = np.unique(complete_from(units, "units"), return_inverse=True)[1].ravel()
        keys = self.codes * (int(kinds.max()) + 1) + kinds
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")  # units in order of appearance
        rank = np.empty(len(order), dtype=np.intp)
        rank[order] = np.arange(len(order))
        members = rank[inverse.ravel()]
        codes = self.codes[first[order]]
        weights = np.bincount(members, weights=self.unit_weights).astype(np.float64)
        even = Strata(codes, self.shares, self.names)
        uneven = None if np.allclose(even.unit_weights, weights, rtol=ROUNDING, atol=0.0) else weights
        return Strata(codes, self.shares, self.names, uneven, members, self.unit_weights)

    @property
    def observation_weights(self) -> Floats:
        """The weight of each observation; they sum to one."""
        return self.unit_weights if self.within is None else self.within

    @property
    def holds_totals(self) -> bool:
        """Whether replicates of weighted units always have the same total weight, so that a rate is linear in them."""
        return self.members is None or self.uneven is None

    def spread(self, factors: Floats) -> Floats:
        """Expand the factors of units to observations (replicates × units to replicates × observations)."""
        return factors if self.members is None else factors[:, self.members]

    def gathered(self, values: Floats) -> Floats:
        """The weighted mean of each unit's observations (units × statistics)."""
        if self.members is None:
            return values
        assert self.within is not None  # both are set together
        columns = values.reshape(len(values), -1).T
        sums = [np.bincount(self.members, weights=self.within * column) for column in columns]
        weights = self.unit_weights
        means = np.stack(sums, axis=1) / np.where(weights > 0, weights, 1.0)[:, None]
        return means.astype(np.float64)

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of units in each stratum."""
        return np.bincount(self.codes).astype(np.int64)

    @cached_property
    def unit_weights(self) -> Floats:
        """The weight of each unit; they sum to one."""
        if self.uneven is not None:
            return self.uneven
        weights: Floats = (self.shares / self.sizes)[self.codes]
        return weights

    @cached_property
    def places(self) -> npt.NDArray[np.int64]:
        """The number of each unit within its stratum, from 0, in order of appearance."""
        order = np.argsort(self.codes, kind="stable")
        starts = np.concatenate([[0], np.cumsum(self.sizes)])[:-1]
        places = np.empty(len(self.codes), dtype=np.int64)
        places[order] = np.arange(len(self.codes)) - np.repeat(starts, self.sizes)
        return places

    def __len__(self) -> int:
        return len(self.sizes)

    def require_several(self) -> None:
        """Refuse strata of one unit, which have no variance."""
        single = np.flatnonzero(self.sizes < 2)
        if len(single):
            raise DesignError(
                f"{count(len(single))} of {count(len(self))} strata {'has' if len(single) == 1 else 'have'} only one unit, so their variance "
                f"cannot be estimated: {first_few([self.names[place] for place in single])}.",
                "leave them out, pair them with the design collapsed-strata, or use larger strata with "
                "people as units.",
            )

    def mean(self, values: Floats) -> Floats:
        """Return the stratified mean θ = Σ W_h ȳ_h of values (units × statistics)."""
        found: Floats = self.unit_weights @ values
        return found

    def variances(self, values: Floats) -> Floats:
        """Return the variance s² within each stratum (strata × statistics); 0 if units differ only by rounding."""
        found: Floats = self._sums(self._apart(values) ** 2) / (self.sizes - 1)[:, None]
        return found

    def _apart(self, values: Floats) -> Floats:
        """Values minus the mean of their stratum; 0 if the difference is only rounding."""
        values = values.reshape(len(values), -1)
        means = (self._sums(values) / self.sizes[:, None])[self.codes]
        apart: Floats = values - means
        apart[np.abs(apart) <= ROUNDING * np.abs(means)] = 0.0
        return apart

    def _sums(self, values: Floats) -> Floats:
        sums = [np.bincount(self.codes, weights=column) for column in values.T]
        return np.stack(sums, axis=1).astype(np.float64)

    def residuals(self, values: Floats) -> Floats:
        """Return the residuals of units: their contributions to the stratified mean θ (units × statistics).

        A residual is w(y − θ) minus its mean within the stratum, with w the weight of the unit.
        """
        if self.uneven is None:
            return self.unit_weights[:, None] * self._apart(values)
        values = values.reshape(len(values), -1)
        from_mean = np.where(np.ptp(values, axis=0) > 0, values - self.mean(values), 0.0)
        return self._apart(self.uneven[:, None] * from_mean)

    def parts_of_variance(self, values: Floats) -> Floats:
        """Return the contribution of each stratum to the variance of the stratified mean θ (strata × statistics).

        It is n/(n − 1) Σ e² over the residuals of its n units: W² s²/n if these have equal weights.
        """
        found: Floats = self._sums(self.residuals(values) ** 2) * (self.sizes / (self.sizes - 1))[:, None]
        return found

    def textbook_variance(self, values: Floats) -> Floats:
        """Return the variance of the stratified mean of each statistic: Σ W_h² s_h²/n_h for equal weights within strata."""
        found: Floats = self.parts_of_variance(values).sum(axis=0)
        return found

    def effective_freedom(self, values: Floats) -> Floats:
        """Return Cochran's effective degrees of freedom of each statistic; those of all strata if nothing varies.

        With v_h the contribution of stratum h to the variance, ν = (Σ v_h)² / Σ [v_h²/(n_h − 1)]: few where few strata vary.
        """
        parts = self.parts_of_variance(values)
        below = (parts**2 / (self.sizes - 1)[:, None]).sum(axis=0)
        above = parts.sum(axis=0) ** 2
        full = float((self.sizes - 1).sum())
        return np.where(below > 0, above / np.where(below > 0, below, 1.0), full)


def _given(weights: Mapping[Any, float], names: npt.NDArray[Any]) -> Floats:
    known = {str(name): float(value) for name, value in weights.items()}
    absent = [str(name) for name in names if str(name) not in known]
    if absent:
        raise UsageError(
            f"{counted(len(absent), 'stratum has', 'strata have')} no weight: {first_few(absent)}."
        )
    shares = np.array([known[str(name)] for name in names])
    if not np.isfinite(shares).all() or (shares < 0).any():
        raise UsageError("Stratum weights must be numbers of at least 0.")
    if abs(shares.sum() - 1.0) > 1e-9:
        raise UsageError(
            f"The weights of the strata must sum to 1; they sum to {digits(shares.sum(), 6)}.",
            f"divide each by {digits(shares.sum(), 6)} if they are proportions.",
        )
    return shares
