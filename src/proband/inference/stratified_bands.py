"""A whole cumulative match characteristic with the error of a stratified design at every rank."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from proband.designs import BRR, RaoWu, StratifiedDesign
from proband.designs.strata import Strata
from proband.inference.estimates import Band
from proband.inference.proportions import t_quantile
from proband.inference.stratified import answers_of, freedom_of, is_textbook, strata_of
from proband.inference.tallies import tally
from proband.inference.under import Question
from proband.measures import CMC, Outcomes
from proband.measures.results import Facts

Floats = npt.NDArray[np.float64]


def stratified_band(question: Question, design: StratifiedDesign, measure: CMC) -> Band:
    """Student intervals at every rank, kept within 0 and 1."""
    outcomes = question.outcomes
    strata, notes = strata_of(outcomes, design)
    last = min(outcomes.n_ranks, measure.max_rank or outcomes.n_ranks)
    values, errors = rates_and_errors(outcomes, design, strata, last, question.seed)
    reach = t_quantile(question.confidence_level, max(freedom_of(design, strata, None), 1.0)) * errors
    return Band(
        values=values,
        low=np.clip(values - reach, 0.0, 1.0),
        high=np.clip(values + reach, 0.0, 1.0),
        confidence_level=question.confidence_level,
        simultaneous=False,
        design=str(design),
        seed=question.seed if isinstance(design, RaoWu) else None,
        answers=answers_of(measure.estimand, design),
        facts=Facts.of(outcomes),
        notes=notes,
    )


def rates_and_errors(
    outcomes: Outcomes, design: StratifiedDesign, strata: Strata, last: int, seed: int = 0
) -> tuple[Floats, Floats]:
    """The stratified rate at ranks 1 … last, and its standard error."""
    if is_textbook(design):
        strata.require_several()
        if isinstance(design, BRR) and design.array is None:
            design.require_balance(strata)
        if outcomes.ties != "mean":
            return _counted(outcomes, strata, last)
        success = np.stack([outcomes.success(t) for t in range(1, last + 1)], axis=1)
        return strata.mean(success), np.sqrt(strata.textbook_variance(success))
    counted = tally(CMC(last), outcomes, np.arange(len(outcomes)))
    base = strata.unit_weights * len(strata.codes)
    values = counted.values(base[None, :])[0]
    plan = design.plan(strata, seed)
    found = np.concatenate([counted.values(base * b) for part in plan.parts for b in part.blocks(len(base))])
    middle = values if design.centre == "estimate" else found.mean(axis=0)
    scales = np.concatenate([part.scale for part in plan.parts])
    return values, np.sqrt(scales @ (found - middle) ** 2)


def _counted(outcomes: Outcomes, strata: Strata, last: int) -> tuple[Floats, Floats]:
    """The textbook variance at every rank, in one pass over the probes.

    With y successes among n units, s² is y(n − y)/(n(n − 1)); a probe that comes in with the next rank adds n − 2y − 1 to
    y(n − y).
    """
    ranked = np.flatnonzero(np.isfinite(outcomes.ranks))
    order = ranked[np.argsort(outcomes.ranks[ranked], kind="stable")]
    own = strata.codes[order]
    came_in = np.searchsorted(outcomes.ranks[order], np.arange(1, last + 1), side="right")

    def running(steps: Floats) -> Floats:
        return np.concatenate([[0.0], np.cumsum(steps)])[came_in]

    sizes = strata.sizes.astype(np.float64)
    factor = strata.shares**2 / (sizes**2 * (sizes - 1))
    variance = running(factor[own] * (sizes[own] - 2 * earlier_of_same(own) - 1))
    return np.minimum(running(strata.unit_weights[order]), 1.0), np.sqrt(np.maximum(variance, 0.0))


def earlier_of_same(codes: npt.NDArray[np.intp]) -> Floats:
    """For each entry, how many before it are equal to it."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(ordered)])
    earlier = np.empty(len(codes))
    earlier[order] = np.arange(len(codes)) - np.repeat(starts, lengths)
    return earlier
