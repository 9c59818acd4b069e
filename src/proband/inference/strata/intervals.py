"""Intervals of what replicates within strata estimate, by the units that carry the variance: shares, medians, and all else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.designs import StratifiedDesign
from proband.designs.strata import ROUNDING, Strata
from proband.designs.stratified import Replicates, StratifiedInterval
from proband.errors import UsageError
from proband.inference.moderation import OF_UNITS, carriers_freedom, moderated_variance
from proband.inference.proportions import t_quantiles, wilson_ends
from proband.measures.tallies import Tally

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Carried:
    """Which units carry a variance, that of one statistic or of many.

    Attributes
    ----------
    second, fourth
        Σ e² and Σ e⁴ over the residuals of units (`Strata.residuals`, `Replicates.residuals`), for each statistic.
    n_units, freedom
        How many units there are, and how many less their strata.
    alone
        Σ w² over the weights of units: the variance of a share is at most p(1 − p) of it if every unit is all success or all failure.
    """

    second: Floats
    fourth: Floats
    n_units: int
    freedom: float
    alone: float

    @classmethod
    def of(cls, residuals: Floats, weights: Floats, n_strata: int) -> Carried:
        """Take it from the residuals (units × statistics) and weights of units, which sum to one."""
        squares = residuals**2
        n = len(residuals)
        return cls(
            squares.sum(axis=0), (squares**2).sum(axis=0), n, float(n - n_strata), float(weights @ weights)
        )

    @classmethod
    def in_strata(cls, strata: Strata, values: Floats, knows_strata: bool = True) -> Carried:
        """Take it from the values of units (units × shares), within strata or as if there were none."""
        if not knows_strata:
            whole = np.zeros(len(strata.codes), dtype=np.intp)
            strata = Strata(whole, np.ones(1), ("all",), strata.unit_weights)
        return cls.of(strata.residuals(values), strata.unit_weights, len(strata))

    @classmethod
    def in_replicates(
        cls, plan: Replicates, strata: Strata, values: Floats, estimate: float, knows_strata: bool = True
    ) -> Carried:
        """Take it from any statistic in all replicates."""
        residuals = plan.residuals(strata, values, estimate)
        return cls.of(residuals[:, None], strata.unit_weights, len(strata) if knows_strata else 1)

    def degrees(self, freedom: float) -> Floats:
        """The degrees of freedom that carriers leave: ν = 2S/(1 − S/n) times (units − strata)/units, at most so many; all where nobody does."""
        found = carriers_freedom(self.second, self.fourth, self.n_units) * self.freedom / self.n_units
        return np.where(self.fourth > 0, np.clip(found, 1.0, max(freedom, 1.0)), max(freedom, 1.0))


def share_ends(
    shares: Floats, variances: Floats, freedom: float, level: float, carried: Carried
) -> tuple[Floats, Floats, Floats]:
    """Find the ends of intervals of shares, and their degrees of freedom: Wilson's (1927), by the units that carry the variance.

    A variance v rests on the few units that fail: of n units in H strata S = (Σe²)²/Σe⁴ carry it, which leave ν = 2S/(1 − S/n) ·
    (n − H)/n degrees of freedom, at most those of the design. Those who would show it are easily not in the sample. So it is
    averaged with p(1 − p) Σ w², the variance of units that are all success or all failure, if that is larger, as if that had been
    seen with 2 degrees of freedom (variances are moderated so by Smyth 2004): v* = (ν v + 2 max(v, p(1 − p) Σ w²))/(ν + 2). The
    interval is Wilson's of p(1 − p)/v* trials, with Student's t of ν + 2 for z. It has at most the design's degrees of freedom. It is no
    wider than if each of the 1/Σ w² effective units were a trial, unless v(n − H)/n is above the variance of these; and that is what
    it is where nothing varies.
    """
    spread = shares * (1 - shares)
    varies = variances > 0
    seen = np.where(varies, carried.degrees(freedom), 0.0)
    variance = moderated_variance(variances, seen, spread * carried.alone, OF_UNITS)
    trials = np.full_like(shares, 1 / carried.alone)
    np.divide(spread, variance, out=trials, where=(variance > 0) & (spread > 0))
    most = np.full_like(shares, max(freedom, 1.0))
    degrees = np.where(varies, np.minimum(seen + OF_UNITS, most), most)
    t, least = t_quantiles(level, degrees), t_quantiles(level, most)
    bound = variances * carried.freedom / carried.n_units <= spread * carried.alone * (1 + ROUNDING)
    wider = bound & (trials / t**2 < 1 / carried.alone / least**2)
    trials, t = np.where(wider, 1 / carried.alone, trials), np.where(wider, least, t)
    low, high = wilson_ends(shares, trials, t)
    return low, high, np.where(wider, most, degrees)


def median_ends(
    tally: Tally, median: float, strata: Strata, freedom: float, level: float
) -> tuple[float, float, float]:
    """Find the ends of the interval of a median, and its degrees of freedom: where the share at or below it is a half (Woodruff 1952).

    The share of probes at or below the median has the textbook variance over units, and `share_ends` around a half, which are read
    back as quantiles. Replicates of a median move by steps, or not at all.
    """
    assert tally.distinct is not None  # it counts values
    below = strata.gathered(tally.rows @ (tally.distinct <= median)).ravel()
    variance = strata.textbook_variance(below)
    half, carried = np.array([0.5]), Carried.in_strata(strata, below)
    low, high, degrees = (float(end[0]) for end in share_ends(half, variance, freedom, level, carried))
    reached = np.cumsum(strata.observation_weights @ tally.rows)
    least = int((reached < low - ROUNDING).sum())
    most = min(int((reached <= high + ROUNDING).sum()), len(tally.distinct) - 1)
    return float(tally.distinct[least]), float(tally.distinct[most]), degrees


def ends_of(
    values: Floats,
    errors: Floats,
    freedom: float,
    level: float,
    kind: StratifiedInterval,
    carried: Carried | None = None,
    share: bool = False,
) -> tuple[Floats, Floats, Floats]:
    """Find the ends of intervals around several values, and their degrees of freedom.

    ``auto`` is `share_ends` for shares, and for all else Student's, with the degrees of freedom that carriers leave. With t Student's
    quantile: θ ± t se; on the logit scale, logit θ ± t se/(θ(1 − θ)); or Wilson's (1927) with θ(1 − θ)/se² trials. Those without an
    error, or at 0 or 1, are symmetric by any of these.
    """
    degrees = np.full_like(values, max(freedom, 1.0))
    if kind == "auto" and carried is not None:
        if share:
            return share_ends(values, errors**2, freedom, level, carried)
        degrees = carried.degrees(freedom)
    t = t_quantiles(level, degrees)
    low, high = values - t * errors, values + t * errors
    inside = (errors > 0) & (values > 0) & (values < 1)
    rates, within = values[inside], errors[inside]
    spread = rates * (1 - rates)
    if kind == "wilson":
        low[inside], high[inside] = wilson_ends(rates, spread / within**2, t[inside])
    elif kind == "logit":
        middle, reach = np.log(rates / (1 - rates)), t[inside] * within / spread
        low[inside], high[inside] = 1 / (1 + np.exp(reach - middle)), 1 / (1 + np.exp(-reach - middle))
    return low, high, degrees


def freedom_of(
    design: StratifiedDesign, strata: Strata, values: Floats | None, drawn: int | None = None
) -> float:
    """Return the degrees of freedom of a design: units less strata, Cochran's effective number, or as given.

    Where only k replicates were drawn by chance, their variance adds to that of the units: 1/ν = 1/ν_strata + 1/(k − 1).
    """
    rule = design.degrees_of_freedom
    if not isinstance(rule, str):
        return float(rule)
    if rule == "cochran":
        if values is None or not design.knows_strata:
            raise UsageError(
                "Cochran's degrees of freedom apply only to rates over strata.", "pass a number, or 'strata'."
            )
        found = float(strata.effective_freedom(values)[0])
    elif not design.knows_strata:
        found = float(len(strata.codes) - 1)
    else:
        found = float((strata.sizes - 1).sum())
    return found if drawn is None else 1.0 / (1.0 / max(found, 1.0) + 1.0 / (drawn - 1))
