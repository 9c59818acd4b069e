"""A whole cumulative match characteristic with a pointwise or simultaneous band."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proband.designs import Bootstrap, Design, Reweighting, StratifiedDesign
from proband.designs.base import as_design
from proband.engine import Engine, on_engine
from proband.engine.arguments import published
from proband.engine.limits import Level, Rank, Seed
from proband.errors import UsageError
from proband.inference.estimates.bootstrap import about_probes, resampling_answers, units_of
from proband.inference.estimates.case import Case, dependence, supposed_by
from proband.inference.estimates.closed import about_population
from proband.inference.estimates.estimate import settled
from proband.inference.estimates.weighting import Supposed
from proband.inference.estimates.whole_curves import berk_jones_band, rates_by_rank
from proband.inference.procedures import Auto, Question, procedure_for
from proband.inference.proportions import normal_quantile, wilson_ends
from proband.inference.strata.bands import stratified_band
from proband.measures import CMC, Curve, Outcomes, RecognitionRate
from proband.measures.base import Weights, outcomes_of
from proband.measures.tallies import Floats
from proband.results.band import Band
from proband.results.base import ROUNDING, among
from proband.results.several import for_each
from proband.samples import Experiment
from proband.scores import Scores
from proband.words import Note

_RANKS_OF_FRACTIONS = 2_000


@published
@for_each
@on_engine
def estimate_cmc(
    scores: Outcomes | Scores,
    experiment: Experiment | None = None,
    *,
    design: Design | Auto | str = "auto",
    max_rank: Rank | None = None,
    confidence_level: Level = 0.95,
    simultaneous: bool = False,
    weights: Weights = "probe",
    seed: Seed = 0,
    engine: Engine = None,
) -> Band:
    """Estimate a whole cumulative match characteristic with a band.

    The band is for new people searched in this gallery (with ``auto``); it holds pointwise, at each rank separately, unless
    `simultaneous`.

    Parameters
    ----------
    scores
        Scores, embeddings or outcomes (`rank`) of one or several algorithms, as a list or a mapping from names.
    experiment
        The experiment in which scores are ranked; not needed for outcomes.
    design
        ``"auto"`` gives each rank the interval of `estimate` (Wilson 1927, with the effective sample size if people have
        several probes), as do stratified designs (`BRR`, …); a `Bootstrap` gives percentiles at each rank (Efron 1979) or, if
        all replicates are equal, the bound for the same number of units without an event.
    max_rank
        The last rank of the curve; by default all ranks.
    simultaneous
        Whether the band holds for the whole curve simultaneously (`berk_jones_band`).
    weights
        What is weighted equally: every ``probe``, or every ``person``.
    confidence_level
        The level of the band.
    seed
        The seed of replicates.
    engine
        Where computations run; by default on this machine.

    Returns
    -------
    Band or Several
        The curve with its band; for several algorithms, a mapping from names to bands.

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
    design = as_design(design)
    outcomes = outcomes_of(scores, experiment)
    measure = CMC(max_rank, weights)
    case = Case(
        RecognitionRate(1, weights), outcomes, confidence_level, seed, supposed=supposed_by([outcomes])
    )
    capability = None if design == "auto" else getattr(design, "capability", None)
    if isinstance(design, StratifiedDesign):
        if weights == "person":
            raise UsageError(
                "A stratified design sets its own weights.",
                "pass weights to the design, or use 'auto' or Bootstrap().",
            )
        if simultaneous:
            raise UsageError("A simultaneous band needs a bootstrap.", "use Bootstrap().")
        return stratified_band(case, design, measure)
    if capability not in (None, "weights"):
        raise UsageError(f"{design} gives no band.", "use 'auto', Bootstrap() or a stratified design.")
    if design == "auto" and not simultaneous:
        return closed_band(measure(outcomes), outcomes, confidence_level, weights)
    drawn = design if isinstance(design, Reweighting) else Bootstrap("subject" if case.several else "probe")
    counted = measure.tally(outcomes, units_of(outcomes, drawn))
    replicates = np.concatenate([counted.values(w) for w in drawn.weights(len(counted.rows), seed)])
    values = counted.value()
    if simultaneous:
        found = rates_by_rank(outcomes, len(values), weights, case.supposed, at_once=True)
        low, high = berk_jones_band(values, found, replicates, confidence_level)
    else:
        if drawn.over_probes:
            of_all = np.full(len(values), float(len(outcomes)))
            allowed = wilson_ends(values, of_all, normal_quantile(confidence_level))
        else:
            found = rates_by_rank(outcomes, len(values), weights, case.supposed)
            allowed = found.ends(confidence_level)
        low, high = _resampled(replicates, allowed, confidence_level)
    answers, facts = among(resampling_answers(measure.estimand, drawn), outcomes.sampling), outcomes.facts
    dependent = dependence(case.clusters, over_probes=True) if drawn.over_probes else case.about_weights
    notes = (*about_probes(drawn, case), *dependent)
    return Band(
        values, low, high, confidence_level, simultaneous, drawn.as_method, seed, answers, facts, notes
    )


def closed_band(
    curve: Curve,
    outcomes: Outcomes,
    confidence_level: float,
    weights: Weights = "probe",
    supposed: Supposed | None = None,
    population: int | None = None,
) -> Band:
    """Compute the interval of `estimate` at each rank of a curve, in one pass.

    Where fewer than two probes are missed, the correlation within people is `supposed`, by default borrowed from the first
    rank. Fractional successes, which are summed rank by rank, are followed up to rank 2,000.
    """
    borrowed = supposed_by([outcomes]) if supposed is None else supposed
    case = Case(RecognitionRate(1, weights), outcomes, confidence_level, 0, population, borrowed)
    question = settled(Question.of(case.measure, [outcomes], None, "auto", confidence_level, 0, population))
    (at_one,) = procedure_for(question).estimate(question)
    binomial = question.design.over_probes
    said: tuple[Note, ...] = ()
    clusters = case.clusters
    values = curve.values[: _RANKS_OF_FRACTIONS if outcomes.fractional else None]
    if binomial:
        low, high = wilson_ends(
            values, np.full(len(values), float(len(outcomes))), normal_quantile(confidence_level)
        )
    else:
        found = rates_by_rank(outcomes, len(values), weights, case.supposed, population=population)
        low, high = replace(found, rate=values).ends(confidence_level)
        said = case.about_supposed
        clusters = case.supposing(case.over_people)
    answers = replace(at_one.answers, of=curve.answers.of)
    notes = (
        *question.why,
        *about_population(case),
        *said,
        *dependence(clusters, binomial),
        *case.about_weights,
    )
    made = question.design.as_method
    return Band(values, low, high, confidence_level, False, made, None, answers, curve.facts, notes)


def _resampled(replicates: Floats, allowed: tuple[Floats, Floats], level: float) -> tuple[Floats, Floats]:
    """Nondecreasing percentiles at each rank; if replicates are equal, the bound for as many units without an event."""
    tail = (1 - level) / 2
    low, high = np.quantile(replicates, [tail, 1 - tail], axis=0)
    alike = high - low <= ROUNDING
    return (
        np.maximum.accumulate(np.where(alike, allowed[0], low)),
        np.maximum.accumulate(np.where(alike, allowed[1], high)),
    )
