"""A whole cumulative match characteristic with the error of a stratified design at every rank."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from proband.designs import StratifiedDesign
from proband.designs.strata import Strata
from proband.inference.estimates.case import Case
from proband.inference.strata.estimates import answers_of, blocks_of, ends_of, freedom_of
from proband.inference.strata.units import strata_of
from proband.measures import CMC, Outcomes
from proband.results.band import Band
from proband.words import Note

Floats = npt.NDArray[np.float64]


def stratified_band(case: Case, design: StratifiedDesign, measure: CMC) -> Band:
    """Give a whole curve the standard error of a stratified design at every rank, with Student intervals kept within 0 and 1.

    Units within strata vary (probe images, or people with ``units="subject"``); the strata (by default these people), algorithm
    and gallery stay (Micheals & Boult 2001).
    Degrees of freedom are units less strata unless the design says otherwise; Cochran's are found at every rank.

    Examples
    --------
    >>> from proband import Experiment, RecognitionRate, Samples, Scores, rank
    >>> from proband.designs import BRR
    >>> ids = [f"{side}{k}" for side in "gpq" for k in range(4)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = np.vstack([np.eye(4), np.where(np.arange(4)[:, None] < 2, 0.5, np.eye(4))])
    >>> scores = Scores.from_array(values, ids[4:], ids[:4], orientation="similarity")
    >>> case = Case(RecognitionRate(1), rank(scores, Experiment(samples, gallery=ids[:4])), 0.95, 0)
    >>> band = stratified_band(case, BRR(), CMC(1))
    >>> band.values, band.low.round(4), band.high
    (array([0.75]), array([0.2592]), array([1.]))
    """
    outcomes = case.outcomes
    strata, notes = strata_of(outcomes, design)
    last = min(outcomes.n_ranks, measure.max_rank or outcomes.n_ranks)
    values, errors, more, drawn = rates_and_errors(outcomes, design, strata, last, case.seed)
    low, high = _ends(case, design, strata, values, errors, drawn)
    return Band(
        values=values,
        low=np.clip(low, 0.0, 1.0),
        high=np.clip(high, 0.0, 1.0),
        confidence_level=case.confidence_level,
        simultaneous=False,
        design=design.as_method,
        seed=case.seed if design.is_random else None,
        answers=answers_of(measure.estimand, design),
        facts=outcomes.facts,
        notes=(*notes, *more),
    )


def _ends(
    case: Case, design: StratifiedDesign, strata: Strata, values: Floats, errors: Floats, drawn: int | None
) -> tuple[Floats, Floats]:
    """The ends of the intervals; degrees of freedom are those of all ranks, but Cochran's those of each."""
    if design.degrees_of_freedom != "cochran":
        freedom = freedom_of(design, strata, None, drawn)
        return ends_of(values, errors, freedom, case.confidence_level, design.interval)
    made = []
    for place in range(len(values)):
        success = strata.gathered(case.outcomes.success(place + 1)).ravel()
        freedom = freedom_of(design, strata, success, drawn)
        at = slice(place, place + 1)
        made.append(ends_of(values[at], errors[at], freedom, case.confidence_level, design.interval))
    low, high = (np.concatenate(side) for side in zip(*made, strict=True))
    return low, high


def rates_and_errors(
    outcomes: Outcomes, design: StratifiedDesign, strata: Strata, last: int, seed: int = 0
) -> tuple[Floats, Floats, tuple[Note, ...], int | None]:
    """Find the stratified rate at ranks 1 … last, its standard error, what is to be said of replicates and how many were drawn by chance.

    θ = Σ W_h ȳ_h, and where the design's variance of a linear statistic is the textbook one, v = Σ W_h² s_h²/n_h; else
    replicates are evaluated.

    Examples
    --------
    Four people with two probes each, of whom two are found once: v = 2 · (1/16) · 0.5/2.

    >>> from proband import Experiment, Samples, Scores, rank
    >>> from proband.designs import BRR
    >>> ids = [f"{side}{k}" for side in "gpq" for k in range(4)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = np.vstack([np.eye(4), np.where(np.arange(4)[:, None] < 2, 0.5, np.eye(4))])
    >>> scores = Scores.from_array(values, ids[4:], ids[:4], orientation="similarity")
    >>> outcomes = rank(scores, Experiment(samples, gallery=ids[:4]))
    >>> rates, errors, *_ = rates_and_errors(outcomes, BRR(), strata_of(outcomes, BRR())[0], last=1)
    >>> rates, (errors**2).round(6)
    (array([0.75]), array([0.03125]))
    """
    if design.linear_is_textbook and strata.holds_totals:
        design.check(strata)
        by_counts = outcomes.ties != "mean" and strata.uneven is None and strata.members is None
        return *(_counted if by_counts else _each)(outcomes, strata, last), (), None
    counted = CMC(last).tally(outcomes, np.arange(len(outcomes)))
    base = strata.observation_weights * len(outcomes)
    values = counted.values(base[None, :])[0]
    plan = design.replicates(strata, seed)
    found = np.concatenate([counted.values(base * block) for block in blocks_of(strata, plan)])
    return values, np.sqrt(plan.variances(found, values, design.centre)), plan.notes, plan.drawn


def _each(outcomes: Outcomes, strata: Strata, last: int) -> tuple[Floats, Floats]:
    """The textbook variance at one rank after another."""
    success = (strata.gathered(outcomes.success(t)).ravel() for t in range(1, last + 1))
    found = [(float(strata.mean(one)), float(strata.textbook_variance(one)[0])) for one in success]
    values, variances = np.array(found).T
    return values, np.sqrt(variances)


def _counted(outcomes: Outcomes, strata: Strata, last: int) -> tuple[Floats, Floats]:
    """The textbook variance at every rank, in one pass over the probes.

    With y successes among n units, s² is y(n − y)/(n(n − 1)); a probe that comes in with the next rank adds n − 2y − 1 to
    y(n − y). The first success of a stratum makes it vary and the last one ends that; these are counted, since a sum that
    went up and down again is seldom zero.
    """
    ranked = np.flatnonzero(np.isfinite(outcomes.ranks))
    order = ranked[np.argsort(outcomes.ranks[ranked], kind="stable")]
    own = strata.codes[order]
    came_in = np.searchsorted(outcomes.ranks[order], np.arange(1, last + 1), side="right")

    def running(steps: Floats) -> Floats:
        return np.concatenate([[0.0], np.cumsum(steps)])[came_in]

    sizes = strata.sizes.astype(np.float64)
    factor = strata.shares**2 / (sizes**2 * (sizes - 1))
    earlier = earlier_of_same(own)
    variance = running(factor[own] * (sizes[own] - 2 * earlier - 1))
    varying = running((earlier == 0).astype(np.float64) - (earlier == sizes[own] - 1))
    errors = np.sqrt(np.maximum(np.where(varying > 0, variance, 0.0), 0.0))
    return np.minimum(running(strata.unit_weights[order]), 1.0), errors


def earlier_of_same(codes: npt.NDArray[np.intp]) -> Floats:
    """Count for each entry how many before it are equal to it.

    Examples
    --------
    >>> earlier_of_same(np.array([7, 3, 7, 7, 3]))
    array([0., 0., 1., 2., 1.])
    """
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(ordered)])
    earlier = np.empty(len(codes))
    earlier[order] = np.arange(len(codes)) - np.repeat(starts, lengths)
    return earlier
