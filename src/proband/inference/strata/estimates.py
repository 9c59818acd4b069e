"""Stratified estimates: textbook variances where a statistic is linear, evaluated replicates for everything else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.designs import StratifiedDesign
from proband.designs.strata import Strata
from proband.designs.stratified import PEOPLE, Replicates
from proband.errors import DesignError, UsageError
from proband.inference.estimates.case import Case, IntervalFound, estimates_of
from proband.inference.procedures import Question
from proband.inference.strata.intervals import Carried, ends_of, freedom_of, median_ends
from proband.inference.strata.units import strata_of
from proband.measures import Outcomes
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.results.targets import GALLERY, OTHER_PEOPLE, OTHER_PROBES, PEOPLE_ALIKE, PROBES_ALIKE
from proband.words import Note, Sentence, Target

Floats = npt.NDArray[np.float64]
NO_WIDTH = Sentence(
    "strata.no-width",
    "caution",
    "there is no variation, so the interval has no width and gives no information",
)
PAST_LIMITS = Sentence(
    "strata.past-limits",
    "caution",
    "the symmetric interval extends beyond 0 or 1; the default (interval='auto') does not",
)
NOTHING_VARIES = Sentence(
    "strata.nothing-varies",
    "note",
    "there is no variation within strata, so the variation between units cannot be estimated: the interval "
    "treats each of the {n:count unit} as an independent trial",
)
_FEW_PEOPLE = 20  # of a stratum; below, Student's intervals of rates covered too little in simulations
_SMALL = Sentence(
    "strata.few-people",
    "caution",
    "{n:count stratum has/strata have} fewer than {few:count} people, too few for Student's interval of a "
    "rate; the default (interval='auto') accounts for this",
)
_STILL = Sentence("strata.still", "note", "{n:count} of {of:count} strata {n:word has/have} no variation")
IMAGES_OF_PEOPLE = Target(
    "probe-images-of-these-people", "new probe images of these people, with the same number per person"
)
_PEOPLE_FIXED = Target("people-algorithm-and-gallery", "these people, the algorithm and the gallery")
_STRATA_FIXED = Target("strata-algorithm-and-gallery", "the strata, the algorithm and the gallery")
_STRATA_ALIKE = Target(
    "strata-independent",
    "strata are independent, and units within a stratum are independent and identically distributed",
)
_PEOPLE_WITHIN = Target(
    "people-within-strata-independent",
    "strata are independent, and people within a stratum are independent and identically distributed",
)
_UNITS_ALIKE = Target("units-alike", "units are independent and identically distributed")


def stratified(question: Question) -> tuple[Estimate, ...]:
    """Estimate any measure from replicates within strata (Micheals & Boult 2001).

    Units within strata vary; the strata (by default these people), algorithm and gallery stay. Units are probe images, of which
    nothing follows for new people; or, with ``units="subject"``, people within strata.
    """
    return estimates_of(question, stratified_interval)


def stratified_interval(design: StratifiedDesign, case: Case) -> IntervalFound:
    """Give a measure of stratified probes an interval: a textbook variance where it is linear, evaluated replicates for all else.

    For a rate θ = Σ W_h ȳ_h and v = Σ W_h² s_h²/n_h; the interval is Wilson's by the units that carry this variance
    (`share_ends`), or Student's, on the logit scale, or Wilson's with θ(1 − θ)/v trials by name. With units of several probes y is a
    unit's mean; where units of a stratum differ in their number of probes the rate is a ratio Σ w f y/Σ w f of random totals in
    every replicate (factors f), and replicates are evaluated. A median has Woodruff's interval (`median_ends`), other measures
    Student's.
    """
    if case.population is not None:
        raise UsageError("Stratified designs do not support a finite population.")
    strata, notes = strata_of(case.outcomes, design)
    linear = case.is_share
    if not linear and design.interval not in ("auto", "t"):
        raise UsageError(
            f"The {case.measure.estimand} is not a rate, so it has no {design.interval} interval.",
            "leave out interval.",
        )
    drawn, values, carried = None, None, None
    if linear:
        values = strata.gathered(case.measure.success(case.outcomes)).ravel()
        carried = Carried.in_strata(strata, values, design.knows_strata)
    if values is not None and design.linear_is_textbook and strata.holds_totals:
        design.check(strata)
        value = min(1.0, float(strata.mean(values)))  # weights that sum to 1 may do so only nearly
        error = float(np.sqrt(strata.textbook_variance(values)[0]))
        replicates, more = design.linear(strata, values), _still(strata, values)
    else:
        plan = plan_of(design, case, strata)
        drawn, more = plan.drawn, plan.notes
        value, replicates = evaluate_replicates(case, design, strata, plan)
        error = float(np.sqrt(plan.variance(replicates, value, design.centre)))
        if not linear and case.measure.form != "quantile":
            carried = Carried.in_replicates(plan, strata, replicates, value, design.knows_strata)
    freedom = freedom_of(design, strata, values, drawn)
    ends = ends_of(
        np.array([value]), np.array([error]), freedom, case.confidence_level, design.interval, carried, linear
    )
    low, high, degrees = (float(end[0]) for end in ends)
    doubts = tuple(_doubts(design, strata, low, high, error, linear))
    if design.interval == "auto" and case.measure.form == "quantile":
        tally = case.measure.tally(case.outcomes, np.arange(len(case.outcomes)))
        if tally.distinct is not None:
            low, high, degrees = median_ends(tally, value, strata, freedom, case.confidence_level)
            doubts = ()
    answers = answers_of(case.measure.estimand, design)
    return IntervalFound(value, low, high, error, answers, degrees, replicates, (*notes, *more, *doubts))


def plan_of(design: StratifiedDesign, case: Case, strata: Strata) -> Replicates:
    """Make the replicates in which a measure is evaluated: medians have their own."""
    made = design.replicates_of_quantiles if case.measure.form == "quantile" else design.replicates
    return made(strata, case.seed)


def _doubts(
    design: StratifiedDesign, strata: Strata, low: float, high: float, error: float, linear: bool
) -> Iterator[Note]:
    """What makes an interval doubtful: nothing that varies, ends beyond 0 and 1, Student's with few people."""
    if error == 0:
        yield NOTHING_VARIES(n=len(strata.codes)) if linear and design.interval == "auto" else NO_WIDTH()
    if not linear or design.interval != "t":
        return
    if low < 0 or high > 1:
        yield PAST_LIMITS()
    small = int((strata.sizes < _FEW_PEOPLE).sum())
    if small and design.units == PEOPLE:
        yield _SMALL(n=small, few=_FEW_PEOPLE)


def _still(strata: Strata, values: Floats) -> tuple[Note, ...]:
    """Say how many strata show no variance."""
    alike = int((strata.parts_of_variance(values)[:, 0] == 0).sum())
    return (_STILL(n=alike, of=len(strata)),) if 0 < alike < len(strata) else ()


def evaluate_replicates(
    case: Case, design: StratifiedDesign, strata: Strata, plan: Replicates
) -> tuple[float, Floats]:
    """Measure at full weights, and in every replicate."""
    measure, outcomes = case.measure, case.outcomes
    if measure.form == "quantile" and not design.takes_quantiles:
        raise DesignError(
            "The jackknife's variance is not valid for medians.", "use the design brr, fay or rao-wu."
        )
    base = strata.observation_weights * len(outcomes)
    if measure.form == "function":
        return _of_function(measure, outcomes, base, strata, plan, design)
    counted = measure.tally(outcomes, np.arange(len(outcomes)))
    value = float(counted.values(base[None, :])[0])
    found = [counted.values(base * block) for block in blocks_of(strata, plan)]
    return value, np.concatenate(found)


def _of_function(
    measure: Any,
    outcomes: Outcomes,
    base: Floats,
    strata: Strata,
    plan: Replicates,
    design: StratifiedDesign,
) -> tuple[float, Floats]:
    """A user's function: of ranks and weights, or of the ranks that a replicate takes where it takes whole ones."""
    ranks = outcomes.ranks
    blocks = [row for block in blocks_of(strata, plan) for row in block]
    if measure.weighted:
        return float(measure.function(ranks, base)), np.array(
            [float(measure.function(ranks, base * row)) for row in blocks]
        )
    whole = design.whole_units and all(np.ptp(row[row > 0]) <= 1e-12 for row in blocks)
    if not whole or np.ptp(base) > 1e-12:
        raise DesignError(
            f"{design} gives units fractional weights, which a function of ranks alone cannot use.",
            "use RankStatistic(function, weighted=True), with a function of ranks and weights.",
        )
    return float(measure.function(ranks)), np.array(
        [float(measure.function(ranks[row > 0])) for row in blocks]
    )


def blocks_of(strata: Strata, plan: Replicates) -> Iterator[Floats]:
    """The factors of observations in all replicates, some replicates at a time."""
    for part in plan.parts:
        for block in part.blocks(len(strata.codes)):
            yield strata.spread(block)


def answers_of(of: Target, design: StratifiedDesign) -> Answers:
    """Say what a stratified design varies and holds fixed."""
    people = design.units == PEOPLE
    if not design.knows_strata:
        if design.units is None:
            return Answers(of, OTHER_PROBES, GALLERY, PROBES_ALIKE)
        other = (
            OTHER_PEOPLE
            if people
            else Target("units", f"new values of {design.units}, each with all its probes")
        )
        return Answers(of, other, GALLERY, PEOPLE_ALIKE if people else _UNITS_ALIKE)
    if design.strata is None and design.units is None:
        return Answers(of, IMAGES_OF_PEOPLE, _PEOPLE_FIXED, _STRATA_ALIKE)
    fixed = _PEOPLE_FIXED if design.strata is None else _STRATA_FIXED
    where = "these people" if design.strata is None else f"strata of {design.strata}"
    if people:
        within = f"new people within {where}, the same number in each, searched in this gallery"
        return Answers(of, Target("people-within-strata", within), fixed, _PEOPLE_WITHIN)
    if design.units is not None:
        within = f"new values of {design.units} within {where}, the same number in each"
        return Answers(of, Target("units-within-strata", within), fixed, _STRATA_ALIKE)
    within = f"new probe images within {where}, the same number in each"
    return Answers(of, Target("probe-images-within-strata", within), fixed, _STRATA_ALIKE)
