"""Replicates within strata: the base of stratified designs, and the variance from replicates.

A design makes *replicates* in parts, each with factors on the weights of units (replicates × units) and scales, so that the
variance of any statistic is Σ scale (θ_α − θ)² over all replicates.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from proband.designs.base import Design
from proband.designs.strata import ROUNDING, Floats, Strata, StratumWeights
from proband.engine.limits import Count, Freedom, Seed
from proband.errors import UsageError
from proband.words import Note

Centre = Literal["estimate", "mean"]
StratifiedInterval = Literal["auto", "t", "logit", "wilson"]
FreedomRule = Literal["strata", "cochran"]

PEOPLE = "subject"
"""The name of people among columns, whatever the column of subjects is called."""

_BLOCK_CELLS = 1 << 22  # factors held in memory at once


@dataclass(frozen=True, eq=False)
class ReplicatePart:
    """Replicates that belong together.

    Attributes
    ----------
    factors
        A picklable function from a range of replicates to their factors (replicates × units).
    scale
        The weight of each squared deviation.
    n_replicates
        The number of replicates.
    """

    n_replicates: int
    factors: Callable[[int, int], Floats]
    scale: Floats

    def blocks(self, n_units: int) -> Iterator[Floats]:
        """Iterate over the factors in blocks of replicates."""
        step = max(1, _BLOCK_CELLS // n_units)
        for start in range(0, self.n_replicates, step):
            yield self.factors(start, min(start + step, self.n_replicates))


@dataclass(frozen=True, eq=False)
class Replicates:
    """All replicates of a design, with notes.

    The variance of a statistic θ is Σ_α c_α (θ_α − centre)² over replicates α, with c_α their scales.

    Attributes
    ----------
    parts
        Replicates that belong together.
    notes
        Notes.
    drawn
        The number of replicates drawn at random, the smallest of any part; None if the set is complete.
    """

    parts: tuple[ReplicatePart, ...]
    notes: tuple[Note, ...] = ()
    drawn: int | None = None

    @property
    def n_replicates(self) -> int:
        """The number of replicates."""
        return sum(part.n_replicates for part in self.parts)

    def residuals(self, strata: Strata, values: Floats, estimate: float) -> Floats:
        """Compute the residual of each unit for any statistic, from its values in all replicates.

        For a statistic that is linear in the weights this is the residual e (`Strata.residuals`): with f the factors and c the scales of
        balanced replicates, e_i = (n − 1)/n Σ_α c_α (f_iα − 1)(θ_α − θ).
        """
        n_units, found, done = len(strata.codes), np.zeros(len(strata.codes)), 0
        for part in self.parts:
            apart = part.scale * (values[done : done + part.n_replicates] - estimate)
            done += part.n_replicates
            start = 0
            for block in part.blocks(n_units):
                found += apart[start : start + len(block)] @ (block - 1.0)
                start += len(block)
        made: Floats = found * ((strata.sizes - 1) / strata.sizes)[strata.codes]
        return made

    def variance(self, values: Floats, estimate: float, centre: Centre) -> float:
        """Return the variance from the values of replicates, centred on the estimate or on their mean."""
        return float(self.variances(values[:, None], np.array([estimate]), centre)[0])

    def variances(self, values: Floats, estimates: Floats, centre: Centre) -> Floats:
        """The variance of each of several statistics (replicates × statistics); 0 if replicates differ only by rounding."""
        middle = estimates if centre == "estimate" else values.mean(axis=0)
        apart = values - middle
        scales = np.concatenate([part.scale for part in self.parts])
        moved = np.abs(apart).max(axis=0) > ROUNDING * np.maximum(1.0, np.abs(estimates))
        return np.where(moved, scales @ apart**2, 0.0)


@dataclass(frozen=True)
class StratifiedDesign(Design):
    """The base class of stratified designs.

    Parameters
    ----------
    strata
        The column of strata; by default the subject.
    units
        The column of units within strata (primary sampling units, whose probes are kept together), such as ``"subject"`` for
        people within ``strata="site"``: results are then for *new people* at these sites. By default every probe is a unit.
    weights
        The weights of the strata: ``units`` (default: the estimate is the plain rate), ``equal``, or a mapping from stratum to
        weight, to reweight to another population.
    centre
        Whether squared deviations are from the ``estimate`` or from the ``mean`` of the replicates.
    degrees_of_freedom
        ``strata``: units minus strata (the number of strata, with two units each), and fewer if replicates are random.
        ``cochran``: Cochran's effective number, which matters if few strata vary. Or a number. This is an upper limit for the
        interval ``auto``.
    interval
        ``auto``: for a rate or a curve, Wilson's interval, with degrees of freedom limited by the effective number of units and
        a variance that is moderated if few units contribute; for every other measure ``t``. ``t`` is symmetric, can extend
        beyond 0 or 1, and is what R's survey package prints; ``logit`` and ``wilson`` are for rates.
    """

    capability = "strata"
    strata: str | None = None
    units: str | None = field(default=None, kw_only=True)
    weights: StratumWeights = "units"
    centre: Centre = "estimate"
    degrees_of_freedom: FreedomRule | Freedom = "strata"
    interval: StratifiedInterval = "auto"

    @property
    def linear_is_textbook(self) -> bool:
        """Whether the variance of a linear statistic equals the textbook variance."""
        return False

    @property
    def is_random(self) -> bool:
        """Whether replicates are random and depend on the seed."""
        return False

    def __post_init__(self) -> None:
        if self.units is not None and self.units == (self.strata or PEOPLE) and self.knows_strata:
            raise UsageError(
                f"The values of {self.units} cannot be both the strata and the units within them.",
                "use a column with larger groups as the strata, such as the site.",
            )

    @property
    def varied(self) -> Literal["person", "probe"] | None:
        """The unit of sample size: probes, unless units are people or values of another column."""
        return "probe" if self.units is None else "person" if self.units == PEOPLE else None

    @property
    def among(self) -> str:
        """The strata and their units in words, for the methods paragraph."""
        strata = "with people as the strata" if self.strata is None else f"with strata by {self.strata}"
        return strata if self.units is None else f"{strata} and {self.units} as the units within them"

    @property
    def columns(self) -> dict[str, str | None]:
        """The columns of strata and of units within them."""
        return {"strata": self.strata if self.knows_strata else None, "units": self.units}

    @property
    def knows_strata(self) -> bool:
        """Whether replicates are made within strata."""
        return True

    @property
    def takes_quantiles(self) -> bool:
        """Whether the variance is valid for medians and other quantiles."""
        return True

    @property
    def whole_units(self) -> bool:
        """Whether replicates take units whole or not at all, if all strata have the same number of units."""
        return False

    @property
    def takes_pairs(self) -> bool:
        """Whether the variance is valid for pairs of units within a stratum, which must neither vanish nor have constant weight."""
        return False

    @property
    def neighbours(self) -> str | None:
        """The column by which strata of one unit are paired, if they are."""
        return None

    def collapsed(self, strata: Strata, keys: npt.NDArray[Any] | None) -> tuple[Strata, tuple[Note, ...]]:
        """Return the strata used for replicates, with notes; collapsed by some designs.

        Parameters
        ----------
        strata
            The units and their strata.
        keys
            A value for each unit by which designs that collapse strata sort, or None.

        Returns
        -------
        tuple
            The strata, and notes; here the strata unchanged and no notes.
        """
        return strata, ()

    def linear(self, strata: Strata, values: Floats) -> Floats | None:
        """Evaluate all replicates of a weighted mean at once if there is a fast method; otherwise None.

        Parameters
        ----------
        strata
            The units and their strata.
        values
            One value for each unit.

        Returns
        -------
        numpy.ndarray or None
            The weighted mean in each replicate.
        """
        return None

    def takes(self, n_units: Count) -> bool:
        """Whether strata may have `n_units` units each.

        Parameters
        ----------
        n_units
            The number of units in a stratum.

        Returns
        -------
        bool
            By default, true for two or more units.
        """
        return n_units >= 2

    def check(self, strata: Strata) -> None:
        """Refuse strata that the design cannot use, also if the variance has a closed form.

        Parameters
        ----------
        strata
            The units and their strata.
        """
        strata.require_several()

    @abstractmethod
    def replicates(self, strata: Strata, seed: Seed = 0) -> Replicates:
        """Make the replicates of units in these strata.

        Parameters
        ----------
        strata
            The units and their strata.
        seed
            The seed of the random numbers, where replicates are drawn.

        Returns
        -------
        Replicates
            The factors of units' weights in each replicate, and what each replicate counts in the variance.
        """

    def replicates_of_quantiles(self, strata: Strata, seed: Seed = 0) -> Replicates:
        """Make the replicates for medians and other quantiles, which move in steps.

        Parameters
        ----------
        strata
            The units and their strata.
        seed
            The seed of the random numbers, where replicates are drawn.

        Returns
        -------
        Replicates
            By default the same as for other measures.
        """
        return self.replicates(strata, seed)
