"""Replicates that leave out one unit at a time, or resample units within strata."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from proband.designs.base import DESIGNS
from proband.designs.strata import Floats, Strata
from proband.designs.stratified import ReplicatePart, Replicates, StratifiedDesign
from proband.engine.limits import Drawn, Seed
from proband.errors import DesignError, UsageError
from proband.words import Method, counted

JackknifeKind = Literal["JKn", "JK1"]
Integers = npt.NDArray[np.intp]


@DESIGNS.register("jackknife")
@dataclass(frozen=True)
class Jackknife(StratifiedDesign):
    """Leave out one unit at a time. Not valid for medians and other quantiles.

    ``JKn``: within its stratum, with its weight distributed over the other units, v = Σ_h (n_h − 1)/n_h Σ_i (θ_(hi) − θ)²
    (Wolter 2007). ``JK1``: the ordinary delete-one jackknife, which does not use strata, v = (n − 1)/n Σ_i (θ_(i) − θ)²
    (Quenouille 1956; Tukey 1958). JKn is for new units within strata; JK1 for new units without strata.

    Parameters
    ----------
    kind
        ``JKn`` or ``JK1``.

    Examples
    --------
    The ratio of R's survey package (scd): 0.00984917 on the estimate.

    >>> from proband.inference import estimate_weighted
    >>> arrests, alive = np.array([120, 78, 185, 228, 670, 530]), np.array([25, 24, 30, 49, 80, 70])
    >>> found = estimate_weighted(lambda w: (w @ alive) / (w @ arrests), [1, 1, 2, 2, 3, 3], design=Jackknife())
    >>> round(found.standard_error, 8)
    0.00984917
    """

    kind: JackknifeKind = "JKn"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind == "JK1" and self.strata is not None and self.weights == "units":
            raise UsageError(
                f"The delete-one jackknife does not use strata, so it cannot use {self.strata!r}.",
                "pass kind='JKn', or leave out strata.",
            )

    @property
    def knows_strata(self) -> bool:
        """Whether units are left out within strata."""
        return self.kind == "JKn"

    @property
    def takes_quantiles(self) -> bool:
        """False: leaving out one unit moves a quantile by a step, however large the sample."""
        return False

    @property
    def takes_pairs(self) -> bool:
        """Whether units are left out within strata."""
        return self.kind == "JKn"

    @property
    def linear_is_textbook(self) -> bool:
        """Whether units are left out within strata."""
        return self.kind == "JKn"

    def check(self, strata: Strata) -> None:
        """Refuse strata that show no variance, unless strata do not matter.

        Parameters
        ----------
        strata
            The units and their strata.
        """
        if self.kind == "JKn":
            strata.require_several()

    @property
    def as_method(self) -> Method:
        """The delete-one jackknife."""
        if self.kind == "JKn":
            return Method(
                "jackknife-stratified",
                "stratified jackknife (JKn)",
                f"the jackknife within strata, {self.among}",
                ("wolter2007",),
            )
        return Method(
            "jackknife",
            "delete-one jackknife (JK1)",
            f"the delete-one jackknife over {self.units or 'probes'}",
            ("quenouille1956", "tukey1958"),
        )

    def replicates(self, strata: Strata, seed: Seed = 0) -> Replicates:
        """Make one replicate without each unit.

        Parameters
        ----------
        strata
            The units and their strata.
        seed
            Not used, since nothing is random.

        Returns
        -------
        Replicates
            The factors of units' weights in each replicate, and what each replicate counts in the variance.

        Examples
        --------
        >>> made = Jackknife().replicates(Strata.of([1, 1, 2, 2]))
        >>> next(made.parts[0].blocks(4)), made.parts[0].scale
        (array([[0., 2., 1., 1.],
               [2., 0., 1., 1.],
               [1., 1., 0., 2.],
               [1., 1., 2., 0.]]), array([0.5, 0.5, 0.5, 0.5]))
        """
        n = len(strata.codes)
        if self.kind == "JK1":
            if n < 2:
                raise DesignError("A jackknife needs at least two units.")

            return Replicates((ReplicatePart(n, _LeftOut(n), np.full(n, (n - 1) / n)),))
        strata.require_several()
        sizes = strata.sizes[strata.codes].astype(np.float64)
        return Replicates((ReplicatePart(n, _WithoutOne(strata.codes, sizes), (sizes - 1) / sizes),))


@dataclass(frozen=True, eq=False)
class _LeftOut:
    """Factors of the delete-one jackknife."""

    n: int

    def __call__(self, start: int, stop: int) -> Floats:
        factors = np.full((stop - start, self.n), self.n / (self.n - 1))
        factors[np.arange(stop - start), np.arange(start, stop)] = 0.0
        return factors


@dataclass(frozen=True, eq=False)
class _WithoutOne:
    """Factors of the jackknife within strata; the other units of the stratum take over the weight."""

    codes: Integers
    sizes: Floats

    def __call__(self, start: int, stop: int) -> Floats:
        factors = np.ones((stop - start, len(self.codes)))
        for row, unit in enumerate(range(start, stop)):
            same = self.codes == self.codes[unit]
            factors[row, same] = self.sizes[unit] / (self.sizes[unit] - 1)
            factors[row, unit] = 0.0
        return factors


@DESIGNS.register("rao-wu")
@dataclass(frozen=True)
class RaoWu(StratifiedDesign):
    """Rescaled bootstrap: in every stratum of n units, n − 1 are drawn with replacement (Rao & Wu 1988).

    A unit drawn k times of n − 1 has the factor k n/(n − 1), and v = Σ (θ_α − θ)²/B over B replicates (B − 1 about their mean).
    Results are for new units within strata. The randomness of B replicates reduces the degrees of freedom: 1/ν = 1/ν_strata +
    1/(B − 1).

    Parameters
    ----------
    n_resamples
        The number of replicates.

    Examples
    --------
    >>> factors = next(RaoWu(n_resamples=4).replicates(Strata.of([1, 1, 2, 2])).parts[0].blocks(4))
    >>> np.unique(factors), factors.sum(axis=1)  # of two units one is drawn, and counts twice
    (array([0., 2.]), array([4., 4., 4., 4.]))
    """

    n_resamples: Drawn = 2_000

    @property
    def is_random(self) -> bool:
        """True: units are drawn at random."""
        return True

    @property
    def as_method(self) -> Method:
        """The rescaled bootstrap within strata."""
        return Method(
            "rao-wu",
            f"bootstrap repeated replication (Rao and Wu, {counted(self.n_resamples, 'replicate')})",
            "rescaled bootstrap within strata" + (f", {self.among}" if self.strata or self.units else ""),
            ("rao1988", "micheals2001"),
        )

    def replicates(self, strata: Strata, seed: Seed = 0) -> Replicates:
        """Draw replicates of units within strata; the same for the same seed.

        Parameters
        ----------
        strata
            The units and their strata.
        seed
            The seed of the random numbers.

        Returns
        -------
        Replicates
            The factors of units' weights in each replicate, and what each replicate counts in the variance.
        """
        strata.require_several()
        n_replicates = self.n_resamples
        divisor = n_replicates if self.centre == "estimate" else n_replicates - 1
        return Replicates(
            (
                ReplicatePart(
                    n_replicates, _DrawnFactors.of(strata, seed), np.full(n_replicates, 1.0 / divisor)
                ),
            ),
            drawn=n_replicates,
        )


@dataclass(frozen=True, eq=False)
class _DrawnFactors:
    """Rescaled factors of n − 1 units drawn within each stratum of n."""

    order: Integers
    starts: Integers
    sizes: Integers
    owner: Integers
    scale: Floats
    seed: int

    @classmethod
    def of(cls, strata: Strata, seed: int) -> _DrawnFactors:
        drawn = strata.sizes - 1
        return cls(
            order=np.argsort(strata.codes, kind="stable"),
            starts=np.concatenate([[0], np.cumsum(strata.sizes)])[:-1],
            sizes=strata.sizes,
            owner=np.repeat(np.arange(len(strata)), drawn),
            scale=(strata.sizes / drawn)[strata.codes],
            seed=seed,
        )

    def __call__(self, start: int, stop: int) -> Floats:
        made = np.empty((stop - start, len(self.order)))
        for row, replicate in enumerate(range(start, stop)):
            rng = np.random.default_rng([self.seed, replicate])
            units = self.order[self.starts[self.owner] + rng.integers(0, self.sizes[self.owner])]
            made[row] = np.bincount(units, minlength=len(self.order)) * self.scale
        return made
