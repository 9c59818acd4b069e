"""A whole cumulative match characteristic with the error of a stratified design at every rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.designs import StratifiedDesign
from proband.designs.strata import Strata
from proband.inference.estimates.case import Case
from proband.inference.strata.estimates import answers_of, blocks_of
from proband.inference.strata.intervals import Carried, ends_of, freedom_of
from proband.inference.strata.units import strata_of
from proband.measures import CMC, Outcomes
from proband.results.band import Band
from proband.results.base import among
from proband.words import Note

Floats = npt.NDArray[np.float64]


def stratified_band(case: Case, design: StratifiedDesign, measure: CMC) -> Band:
    """Give a whole curve the intervals of a stratified design at every rank, as its rates have them (`share_ends`), kept within 0 and 1.

    Units within strata vary (probe images, or people with ``units="subject"``); the strata (by default these people), algorithm
    and gallery stay (Micheals & Boult 2001).
    Degrees of freedom are units less strata unless the design says otherwise; Cochran's are found at every rank.
    """
    outcomes = case.outcomes
    strata, notes = strata_of(outcomes, design)
    last = min(outcomes.n_ranks, measure.max_rank or outcomes.n_ranks)
    found = rates_and_errors(outcomes, design, strata, last, case.seed)
    low, high = _ends(case, design, strata, found)
    return Band(
        values=found.rates,
        low=np.clip(low, 0.0, 1.0),
        high=np.clip(high, 0.0, 1.0),
        confidence_level=case.confidence_level,
        simultaneous=False,
        method=design.as_method,
        seed=case.seed if design.is_random else None,
        answers=among(
            answers_of(measure.estimand, design),
            outcomes.sampling_within(design.columns["strata"]),
            **design.columns,
        ),
        facts=outcomes.facts,
        notes=(*notes, *found.notes),
    )


def _ends(
    case: Case, design: StratifiedDesign, strata: Strata, found: RatesAndErrors
) -> tuple[Floats, Floats]:
    """The ends of the intervals; degrees of freedom are those of all ranks, but Cochran's those of each."""
    level = case.confidence_level
    if design.degrees_of_freedom != "cochran":
        freedom = freedom_of(design, strata, None, found.drawn)
        low, high, _ = ends_of(
            found.rates, found.errors, freedom, level, design.interval, found.carried(strata), True
        )
        return low, high
    made = []
    for place in range(len(found.rates)):
        success = strata.gathered(case.outcomes.success(place + 1)).ravel()
        freedom = freedom_of(design, strata, success, found.drawn)
        at = slice(place, place + 1)
        carried = found.carried(strata, at)
        made.append(
            ends_of(found.rates[at], found.errors[at], freedom, level, design.interval, carried, True)
        )
    low, high, _ = (np.concatenate(side) for side in zip(*made, strict=True))
    return low, high


@dataclass(frozen=True, eq=False)
class RatesAndErrors:
    """The rates of a curve with their standard errors.

    Attributes
    ----------
    rates, errors
        At ranks 1, 2, …
    powers
        Σ e² and Σ e⁴ over the residuals of units at every rank (`Carried`).
    notes, drawn, knows_strata
        What is to be said of replicates, how many were drawn by chance, and whether they were made within strata.
    """

    rates: Floats
    errors: Floats
    powers: tuple[Floats, Floats]
    notes: tuple[Note, ...] = ()
    drawn: int | None = None
    knows_strata: bool = True

    def carried(self, strata: Strata, ranks: slice = slice(None)) -> Carried:
        """Who carries the variance at these ranks."""
        second, fourth = (one[ranks] for one in self.powers)
        n, n_strata = len(strata.codes), len(strata) if self.knows_strata else 1
        return Carried(
            second, fourth, n, float(n - n_strata), float(strata.unit_weights @ strata.unit_weights)
        )


def rates_and_errors(
    outcomes: Outcomes, design: StratifiedDesign, strata: Strata, last: int, seed: int = 0
) -> RatesAndErrors:
    """Find the stratified rate at ranks 1 … last with its standard error, and what its interval rests on.

    θ = Σ W_h ȳ_h, and where the design's variance of a linear statistic is the textbook one, v = Σ W_h² s_h²/n_h; else
    replicates are evaluated.
    """
    if design.linear_is_textbook and strata.holds_totals:
        design.check(strata)
        by_counts = outcomes.ties != "mean" and strata.uneven is None and strata.members is None
        return (_counted if by_counts else _each)(outcomes, strata, last)
    counted = CMC(last).tally(outcomes, np.arange(len(outcomes)))
    base = strata.observation_weights * len(outcomes)
    values = counted.values(base[None, :])[0]
    plan = design.replicates(strata, seed)
    found = np.concatenate([counted.values(base * block) for block in blocks_of(strata, plan)])
    errors = np.sqrt(plan.variances(found, values, design.centre))
    each = (_success(outcomes, strata, t) for t in range(1, last + 1))
    carried = [Carried.in_strata(strata, one, design.knows_strata) for one in each]
    powers = np.array([[one.second[0], one.fourth[0]] for one in carried]).T
    return RatesAndErrors(values, errors, (powers[0], powers[1]), plan.notes, plan.drawn, design.knows_strata)


def _success(outcomes: Outcomes, strata: Strata, t: int) -> Floats:
    """How far each unit succeeds at a rank."""
    return strata.gathered(outcomes.success(t)).ravel()


def _each(outcomes: Outcomes, strata: Strata, last: int) -> RatesAndErrors:
    """The textbook variance at one rank after another."""
    rates, variances, second, fourth = np.empty((4, last))
    for place in range(last):
        success = _success(outcomes, strata, place + 1)
        carried = Carried.in_strata(strata, success)
        rates[place], variances[place] = float(strata.mean(success)), strata.textbook_variance(success)[0]
        second[place], fourth[place] = carried.second[0], carried.fourth[0]
    return RatesAndErrors(rates, np.sqrt(variances), (second, fourth))


def _counted(outcomes: Outcomes, strata: Strata, last: int) -> RatesAndErrors:
    """The textbook variance at every rank, in one pass over the probes.

    With y successes among n units of weight w, Σ e² is w² y(n − y)/n and Σ e⁴ is w⁴ y(n − y)(n² − 3ny + 3y²)/n³; a probe that comes
    in with the next rank adds what these change by. The first success of a stratum makes it vary and the last one ends that;
    these are counted, since a sum that went up and down again is seldom zero.
    """
    ranked = np.flatnonzero(np.isfinite(outcomes.ranks))
    order = ranked[np.argsort(outcomes.ranks[ranked], kind="stable")]
    own = strata.codes[order]
    came_in = np.searchsorted(outcomes.ranks[order], np.arange(1, last + 1), side="right")

    def running(steps: Floats) -> Floats:
        return np.concatenate([[0.0], np.cumsum(steps)])[came_in]

    n, y = strata.sizes[own].astype(np.float64), earlier_of_same(own)
    weights = strata.unit_weights[order]

    def squares(y: Floats) -> Floats:
        return weights**2 * y * (n - y) / n

    def fourths(y: Floats) -> Floats:
        return weights**4 * y * (n - y) * (n**2 - 3 * n * y + 3 * y**2) / n**3

    varies = running((y == 0).astype(np.float64) - (y == n - 1)) > 0
    steps = squares(y + 1) - squares(y)
    variance, second, fourth = (
        np.where(varies, np.maximum(running(one), 0.0), 0.0)
        for one in (n / (n - 1) * steps, steps, fourths(y + 1) - fourths(y))
    )
    return RatesAndErrors(np.minimum(running(weights), 1.0), np.sqrt(variance), (second, fourth))


def earlier_of_same(codes: npt.NDArray[np.intp]) -> Floats:
    """Count for each entry how many before it are equal to it."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(ordered)])
    earlier = np.empty(len(codes))
    earlier[order] = np.arange(len(codes)) - np.repeat(starts, lengths)
    return earlier
