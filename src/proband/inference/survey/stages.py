"""Units within strata, stage by stage: the variance of a total over how the sample was drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from proband.errors import DesignError, Hint, first_few
from proband.inference.survey.columns import Flags, Floats, Integers
from proband.words import count

Lonely = Literal["fail", "adjust", "average", "certainty"]
_WHOLE = 1e-7  # a share not sampled below this is none


@dataclass(frozen=True, eq=False)
class Stage:
    """The units of one stage, each in a stratum of that stage.

    Attributes
    ----------
    codes
        The unit of each row.
    strata
        The stratum of each unit.
    populations
        How many units each stratum has in the population; None for drawing with replacement.
    names
        What the strata are called.
    """

    codes: Integers
    strata: Integers
    populations: Floats | None
    names: tuple[str, ...]

    @cached_property
    def sizes(self) -> Floats:
        """How many units of each stratum were drawn."""
        return np.bincount(self.strata, minlength=len(self.names)).astype(np.float64)

    @cached_property
    def left(self) -> Floats:
        """The share of each stratum's units that was not drawn: the finite-population correction."""
        if self.populations is None:
            return np.ones(len(self.names))
        return np.where(np.isinf(self.populations), 1.0, (self.populations - self.sizes) / self.populations)

    @property
    def lonely(self) -> Flags:
        """Strata of one unit, which show no variance, though there are more in the population."""
        flags: Flags = (self.sizes == 1) & (self.left >= _WHOLE)
        return flags

    def totals(self, scores: Floats) -> Floats:
        """The total of each unit (units × statistics)."""
        return sums(scores, self.codes, len(self.strata))

    def covariance(self, scores: Floats, shares: Floats, lonely: Lonely) -> Floats:
        """What this stage adds to the covariance; `shares` weigh the strata, being the fractions drawn before."""
        totals, n = self.totals(scores), self.sizes
        means = sums(totals, self.strata, len(n)) / n[:, None]
        alone = self.lonely
        if lonely == "adjust":
            means[alone] = 0.0
        scale = self.left * np.where(n > 1, n / np.maximum(n - 1, 1), 1.0) * shares
        scale[self.left < _WHOLE] = 0.0
        if lonely == "average" and alone.any():
            if alone.all():
                raise DesignError(
                    "Every stratum has only one unit, so no variance can be estimated.",
                    Hint("use strata with several units: {option:strata}"),
                )
            scale[alone] = 0.0
            scale *= len(n) / float((~alone).sum())
        apart = (totals - means[self.strata]) * np.sqrt(scale)[self.strata][:, None]
        found: Floats = apart.T @ apart
        return found


@dataclass(frozen=True, eq=False)
class Stages:
    """All stages of a sample, the first first.

    Attributes
    ----------
    stages
        Units drawn first, units drawn within these, and so on.
    lonely
        What a stratum of one unit adds: ``fail`` refuses it, ``certainty`` takes it for the only one there is (nothing),
        ``adjust`` measures its unit from the mean of all, ``average`` takes the mean of the other strata.
    stratified
        Whether strata were named.
    """

    stages: tuple[Stage, ...]
    lonely: Lonely
    stratified: bool

    @property
    def first(self) -> Stage:
        """The primary sampling units."""
        return self.stages[0]

    def check(self) -> None:
        """Refuse strata of one unit where they are to be refused."""
        for place, stage in enumerate(self.stages if self.later else self.stages[:1]):
            alone = stage.lonely
            if alone.any() and (self.lonely == "fail" or (place and self.lonely == "average")):
                if place == 0 and len(stage.names) == 1:
                    raise DesignError(
                        "There is only one unit, so no variance can be estimated.",
                        Hint("use a sample of at least two units; {option:units} names their column."),
                    )
                names = [stage.names[one] for one in np.flatnonzero(alone)]
                what = "strata" if place == 0 else "units of the stage before"
                raise DesignError(
                    f"{count(len(names))} of {count(len(stage.names))} {what} {'has' if len(names) == 1 else 'have'} only one unit, so "
                    f"{'its' if len(names) == 1 else 'their'} variance cannot be estimated: {first_few(names)}.",
                    Hint("merge strata, or choose how such units are handled: {option:lonely=adjust}"),
                )

    @property
    def later(self) -> bool:
        """Whether later stages add to the variance: they do where the first is drawn without replacement."""
        return self.first.populations is not None and len(self.stages) > 1

    def covariance(self, scores: Floats) -> Floats:
        """Return the covariance of totals of scores (rows × statistics).

        With t_hi the total of unit i of stratum h, n_h units drawn and f_h the fraction drawn, the first stage adds
        Σ_h (1 − f_h) n_h/(n_h − 1) Σ_i (t_hi − t̄_h)(t_hi − t̄_h)′, and each later one the same of units within units,
        times the fractions drawn before (Cochran 1977, chapter 11; R's svyrecvar).
        """
        self.check()
        found = np.zeros((scores.shape[1], scores.shape[1]))
        shares = np.ones(len(self.first.names))
        for place, stage in enumerate(self.stages if self.later else self.stages[:1]):
            if place:
                before = self.stages[place - 1]
                shares = ((1.0 - before.left) * shares)[
                    before.strata
                ]  # strata of this stage are units of the last
            found += stage.covariance(scores, shares, self.lonely)
        return found

    def freedom(self, inside: Flags) -> float:
        """Units less strata, of those that have a row in a domain."""
        units = np.unique(self.first.codes[inside])
        return float(len(units) - len(np.unique(self.first.strata[units])))


def sums(values: Floats, codes: Integers, n: int) -> Floats:
    """Add rows that have the same code (codes × columns)."""
    found: Floats = np.stack([np.bincount(codes, weights=column, minlength=n) for column in values.T], axis=1)
    return found
