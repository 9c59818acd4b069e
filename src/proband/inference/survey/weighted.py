"""Estimates of any function of unit weights by replicates, for data other than ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from proband.designs import BRR, StratifiedDesign
from proband.designs.strata import Strata
from proband.engine import Engine, on_engine
from proband.engine.arguments import published
from proband.engine.foreign import complete_from, number_by
from proband.engine.kinds import Axes
from proband.engine.labels import aligned
from proband.engine.limits import Level, Seed
from proband.errors import DesignError, InputError, UsageError, first_few
from proband.inference.strata.intervals import Carried, ends_of, freedom_of
from proband.results.about import NOBODY, RestsOn
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.words import Target, count, counted, digits

Floats = npt.NDArray[np.float64]
Statistic = Callable[[Floats], float]
_ANSWERS = Answers(
    Target("statistic", "a statistic of the weights"),
    Target("units-within-strata", "other samples of units from the same strata"),
    Target("strata-and-weights", "the strata, the weights and the values of every row"),
    Target("units-independent", "units are sampled independently within strata"),
)


@published
@on_engine
def estimate_weighted(
    statistic: Statistic,
    strata: Annotated[npt.ArrayLike, Axes(1, labelled=True)],
    *,
    design: StratifiedDesign | None = None,
    weights: Annotated[npt.ArrayLike, Axes(1, np.floating, labelled=True)] | None = None,
    units: Annotated[npt.ArrayLike, Axes(1, labelled=True)] | None = None,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
    engine: Engine = None,
) -> Estimate:
    """Estimate any statistic of weighted units with a replicate variance, for data other than ranks.

    The estimate is for new units within strata; strata and weights are held fixed. A unit is a row, or all rows with one label
    of `units` (a person with several probes), which enter replicates together. With θ_α the statistic in replicate α, v = Σ c_α
    (θ_α − θ)², with the scales c_α of the design (McCarthy 1969; Wolter 2007), and the interval is θ ± t_ν √v, with ν at most
    units minus strata and limited by the effective number of units (`Carried`; not with ``interval="t"``, as in R). For a rate,
    ``interval="logit"`` or ``"wilson"`` in the design keeps the interval within 0 and 1.

    Parameters
    ----------
    statistic
        A function of the weights of rows, such as ``lambda w: (w @ y) / (w @ x)``.
    strata
        The stratum of each row.
    design
        `BRR` (the default), `Fay`, `Jackknife`, `RaoWu`, `Enumeration`.
    weights
        The weight of each row, by default 1, multiplied by the replicate factors.
    units
        The primary sampling unit of each row, each in one stratum; by default every row is a unit.
    confidence_level, seed
        The level of the interval, and the seed of random replicates.
    engine
        Where computations run; by default on this machine.

    Returns
    -------
    Estimate
        The statistic with its standard error and interval.

    Examples
    --------
    The ratio of two totals over three strata of two units (Wolter's and R's example of rescue by ambulance):

    >>> arrests, alive = np.array([120, 78, 185, 228, 670, 530]), np.array([25, 24, 30, 49, 80, 70])
    >>> estimate_weighted(lambda w: (w @ alive) / (w @ arrests), [1, 1, 2, 2, 3, 3])
    a statistic of the weights 0.1535 ± 0.00943, 95% [0.1235, 0.1835], for other samples of units from the same strata

    Two people in each of two strata, with two probes each: people vary, with 4 − 2 degrees of freedom.

    >>> hits, people = np.array([1, 1, 1, 0, 0, 0, 1, 0]), list("aabbccdd")
    >>> found = estimate_weighted(lambda w: (w @ hits) / w.sum(), [1] * 4 + [2] * 4, units=people)
    >>> found.value, round(found.standard_error, 6), found.degrees_of_freedom
    (0.5, 0.176777, 2.0)
    """
    chosen = BRR() if design is None else design
    given = {"the strata": strata, "the weights": weights, "the units": units}
    given = aligned({what: one for what, one in given.items() if one is not None}, follows="the statistic")
    labels, units = complete_from(given["the strata"], "strata"), given.get("the units")
    members, first = _members(labels, units)
    found = Strata.of(labels if members is None else labels[first])
    base = np.ones(len(labels)) if weights is None else complete_from(given["the weights"], "weights")
    if base.dtype.kind not in "biuf":
        raise UsageError(f"Weights must be numbers; got {base.dtype}.")
    base = base.astype(np.float64)
    if base.shape != labels.shape or not np.isfinite(base).all() or (base < 0).any():
        what = "units" if members is None else "rows"
        raise UsageError(
            f"Weights must be one number for each of the {count(len(labels))} {what}, finite and at least 0."
        )
    if not isinstance(chosen, StratifiedDesign):
        raise UsageError(
            f"{chosen!r} is not a stratified design.", "use the design brr, fay, jackknife or rao-wu."
        )
    _refuse_unused(chosen)
    found, notes = chosen.collapsed(found, None)
    plan = chosen.replicates(found, seed)
    value = number_by(statistic, "statistic", base)
    replicates = np.array(
        [
            number_by(statistic, "statistic", base * (row if members is None else row[members]))
            for part in plan.parts
            for block in part.blocks(len(found.codes))
            for row in block
        ]
    )
    if not np.isfinite(replicates).all() or not np.isfinite(value):
        raise DesignError(
            "The statistic is not finite in every replicate.",
            "use Fay(), which gives every unit some weight: with few units, a replicate may lose them all.",
        )
    error = float(np.sqrt(plan.variance(replicates, value, chosen.centre)))
    freedom = freedom_of(chosen, found, None, plan.drawn)
    carried = Carried.in_replicates(plan, found, replicates, value, chosen.knows_strata)
    if chosen.interval in ("logit", "wilson") and not 0 <= value <= 1:
        raise UsageError(
            f"The statistic is {digits(value, 4)}, not a rate, so it has no {chosen.interval} interval.",
            "leave out interval.",
        )
    ends = ends_of(np.array([value]), np.array([error]), freedom, confidence_level, chosen.interval, carried)
    low, high, degrees = (float(end[0]) for end in ends)
    n_units = len(labels) if members is None else len(first)
    return Estimate(
        who=NOBODY,
        value=value,
        low=low,
        high=high,
        confidence_level=confidence_level,
        standard_error=error,
        degrees_of_freedom=degrees if np.isfinite(degrees) else None,
        rests_on=RestsOn(n=len(labels), of="row", n_units=n_units, unit="unit", size=float(base.sum())),
        method=chosen.as_method,
        seed=seed,
        answers=_ANSWERS,
        notes=(*notes, *plan.notes),
        replicates=replicates,
    )


def _members(
    strata: npt.NDArray[Any], units: npt.ArrayLike | None
) -> tuple[npt.NDArray[np.intp] | None, npt.NDArray[np.intp]]:
    """The unit of each row and the first row of each unit; None if rows are the units."""
    if units is None:
        return None, np.arange(len(strata))
    labels = complete_from(units, "units")
    if labels.shape != strata.shape:
        raise UsageError(
            f"Expected one unit and one stratum for each row; got {count(labels.size)} and "
            f"{count(strata.size)}."
        )
    kinds, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    codes = codes.ravel()
    moved = strata != strata[first][codes]
    if moved.any():
        names = [str(one) for one in kinds[np.unique(codes[moved])]]
        raise InputError(
            f"{counted(len(names), 'unit is', 'units are')} in several strata: {first_few(names)}.",
            "correct the strata, or use different unit names in different strata: a unit belongs to one "
            "stratum.",
        )
    order = np.argsort(first, kind="stable")  # units in order of appearance
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return rank[codes], first[order]


def _refuse_unused(design: StratifiedDesign) -> None:
    """Refuse design options that are for tables and rates only."""
    usual = type(design)()
    for name in ("strata", "units", "weights", "by"):
        if getattr(design, name, None) != getattr(usual, name, None):
            raise UsageError(
                f"{name}={getattr(design, name)!r} of the design does not apply to units given as arrays.",
                "pass strata, units and weights as arguments.",
            )
