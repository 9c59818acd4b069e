"""A whole cumulative match characteristic with a band, at each rank or for the whole curve at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proband.designs import Bootstrap, Design, Reweighting, StratifiedDesign
from proband.errors import UsageError
from proband.inference.estimates.bootstrap import resampling_answers, units_of
from proband.inference.estimates.case import Case, dependence, people_in
from proband.inference.estimates.clusters import over_people
from proband.inference.estimates.estimate import settled
from proband.inference.procedures import Auto, Question, procedure_for
from proband.inference.proportions import check_level, check_seed, normal_quantile, t_quantile, wilson_ends
from proband.inference.strata.bands import earlier_of_same, stratified_band
from proband.measures import CMC, Curve, Outcomes, RecognitionRate
from proband.measures.base import outcomes_of
from proband.measures.tallies import Floats
from proband.results.band import Band
from proband.samples import Experiment
from proband.scores import Scores


def estimate_cmc(
    data: Outcomes | Scores,
    within: Experiment | None = None,
    design: Design | Auto = "auto",
    *,
    max_rank: int | None = None,
    confidence_level: float = 0.95,
    simultaneous: bool = False,
    seed: int = 0,
) -> Band:
    """Estimate a whole cumulative match characteristic with a band.

    What varies is other people (with ``auto``), searched for in this gallery; a band holds at each rank by itself unless it is
    `simultaneous`.

    Parameters
    ----------
    design
        ``"auto"`` gives each rank the interval that `estimate` would (Wilson 1927, with the effective sample size where people
        have several probes), and so does a stratified design (`BRR`, …); a `Bootstrap` gives percentiles at each rank (Efron
        1979).
    max_rank
        Where to stop; by default at the last rank there is.
    simultaneous
        Make the band hold the whole curve at once: as many standard errors either side as the largest deviation of a bootstrap
        replicate needs, c with P[max_τ |ρ*_τ − ρ_τ|/se_τ ≤ c] = level. Where no replicate varies the band has no width.

    Examples
    --------
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(20)]
    >>> from proband.samples import Samples
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = np.where(np.arange(20)[:, None] < 4, 0.5, np.eye(20))
    >>> scores = Scores.from_array(values, ids[20:], ids[:20], orientation="similarity", name="net")
    >>> band = estimate_cmc(scores, Experiment(samples, gallery=ids[:20]), max_rank=2)
    >>> band.values, band.low.round(4), band.high.round(4)
    (array([0.8, 0.8]), array([0.584, 0.584]), array([0.9193, 0.9193]))
    """
    check_level(confidence_level)
    check_seed(seed)
    outcomes = outcomes_of(data, within)
    measure = CMC(max_rank)
    case = Case(RecognitionRate(1), outcomes, confidence_level, seed)
    capability = None if design == "auto" else getattr(design, "capability", None)
    if isinstance(design, StratifiedDesign):
        if simultaneous:
            raise UsageError("A simultaneous band needs a bootstrap.", "use Bootstrap().")
        return stratified_band(case, design, measure)
    if capability not in (None, "weights"):
        raise UsageError(f"{design} gives no band.", "use 'auto', Bootstrap() or a stratified design.")
    if design == "auto" and not simultaneous and not outcomes.fractional:
        return closed_band(measure(outcomes), outcomes, confidence_level)
    drawn = design if isinstance(design, Reweighting) else Bootstrap("subject" if case.several else "probe")
    counted = measure.tally(outcomes, units_of(outcomes, drawn))
    replicates = np.concatenate([counted.values(w) for w in drawn.weights(len(counted.rows), seed)])
    low, high = _resampled(counted.value(), replicates, confidence_level, simultaneous)
    answers, facts = resampling_answers(measure.estimand, drawn), outcomes.facts
    return Band(
        counted.value(), low, high, confidence_level, simultaneous, drawn.as_method, seed, answers, facts, ()
    )


def closed_band(curve: Curve, outcomes: Outcomes, confidence_level: float) -> Band:
    """Give a curve of whole successes the interval that `estimate` would give at each rank, in one pass.

    Examples
    --------
    >>> from proband.measures import rank
    >>> from proband.samples import Samples
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> scores = Scores.from_array([[0.9, 0.1], [0.7, 0.3]], ["a2", "b2"], ["a1", "b1"], orientation="similarity")
    >>> outcomes = rank(scores, Experiment(samples, gallery="session == 1"))
    >>> band = closed_band(CMC()(outcomes), outcomes, 0.95)
    >>> band.low.round(4), band.high.round(4)
    (array([0.0945, 0.3424]), array([0.9055, 1.    ]))
    """
    case = Case(RecognitionRate(1), outcomes, confidence_level, 0)
    question = settled(Question.of(case.measure, [outcomes], None, "auto", confidence_level, 0))
    (at_one,) = procedure_for(question).estimate(question)
    binomial = question.design.over_probes
    low, high = _closed(case, curve.values, clustered=not binomial)
    answers = replace(at_one.answers, of=curve.answers.of)
    notes = (*question.why, *dependence(case.clusters, binomial))
    made = question.design.as_method
    return Band(curve.values, low, high, confidence_level, False, made, None, answers, curve.facts, notes)


def _closed(case: Case, values: Floats, *, clustered: bool) -> tuple[Floats, Floats]:
    """The interval `estimate` would give at every rank, in one pass over the probes.

    Going up the ranks, a probe that comes in raises its person's successes by one. The squared residuals of the ratio
    estimator follow from Σ y², Σ y m and Σ y, with y a person's successes and m the person's probes.
    """
    outcomes, n = case.outcomes, float(len(case.outcomes))
    level = case.confidence_level
    if not clustered:
        return wilson_ends(values, np.full(len(values), n), normal_quantile(level))
    people = people_in(outcomes)
    codes = np.unique(outcomes.subjects, return_inverse=True)[1]
    sizes = np.bincount(codes).astype(np.float64)
    ranked = np.flatnonzero(np.isfinite(outcomes.ranks))
    order = ranked[np.argsort(outcomes.ranks[ranked], kind="stable")]
    own = codes[order]
    came_in = np.searchsorted(outcomes.ranks[order], np.arange(1, len(values) + 1), side="right")

    def running(steps: Floats) -> Floats:
        return np.concatenate([[0.0], np.cumsum(steps)])[came_in]

    squares, crossed = running(2.0 * earlier_of_same(own) + 1.0), running(sizes[own])
    residuals = squares - 2 * values * crossed + values**2 * float((sizes**2).sum())
    binomial = values * (1 - values) / n
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = over_people(np.maximum(residuals, 0.0), max(people, 2)) / n**2 / binomial
    # As in `effective_size`: never more than there are probes; where nothing varies each person counts once.
    effective = np.where(binomial > 0, n / np.maximum(effect, 1.0), people)
    return wilson_ends(values, effective, t_quantile(level, people - 1.0))


def _resampled(values: Floats, replicates: Floats, level: float, simultaneous: bool) -> tuple[Floats, Floats]:
    if not simultaneous:
        tail = (1 - level) / 2
        ends = np.quantile(replicates, [tail, 1 - tail], axis=0)
        return ends[0], ends[1]
    errors = replicates.std(axis=0, ddof=1)
    moving = errors > 0
    largest = (
        np.max(np.abs(replicates[:, moving] - values[moving]) / errors[moving], axis=1)
        if moving.any()
        else np.zeros(1)
    )
    reach = float(np.quantile(largest, level)) * errors
    return np.clip(values - reach, 0, 1), np.clip(values + reach, 0, 1)
