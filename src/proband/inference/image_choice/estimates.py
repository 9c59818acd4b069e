"""Estimates and comparisons over the choice of images: the same verbs, with a pool instead of an experiment."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.designs.image_choice import TRIALS_A_BLOCK, ImageChoice, draw_choices
from proband.engine import run_blocks
from proband.errors import DesignError
from proband.inference.comparisons.comparison import Comparison, PairComparison
from proband.inference.comparisons.multiplicity import holm
from proband.inference.comparisons.sign_flip import sign_flip
from proband.inference.comparisons.verdicts import verdict_of
from proband.inference.estimates.replicates import RankStatistic
from proband.inference.image_choice.distributions import Distribution
from proband.inference.image_choice.exact import MOST_CHOICES, ExactChoice, exact_choice
from proband.inference.image_choice.rivals import Closeness
from proband.inference.image_choice.trials import LOW_RANKS, Algorithm
from proband.inference.image_choice.virtual_experiments import VirtualExperiments, permute
from proband.inference.proportions import Interval
from proband.measures import MedianCensoredRank, RecognitionRate
from proband.measures.outcomes import FailurePolicy, TiePolicy
from proband.results.base import Answers, Facts
from proband.results.estimate import Estimate
from proband.results.targets import IMAGES_EXCHANGEABLE, OTHER_IMAGES, PEOPLE_AND_ALGORITHMS, derived
from proband.samples import Pool
from proband.scores import Scores
from proband.words import Method, Note, Sentence, Target

Floats = npt.NDArray[np.float64]

_OVER_IMAGES_AND_PEOPLE = Sentence(
    "choices.intervals-and-tests",
    "note",
    "intervals are over choices of images of these people; p-values are over other people",
)
_FLIPPED = Method(
    "sign-flip-of-means",
    "sign-flip over people's mean successes",
    "a sign-flip test of people's mean successes over choices of images",
    ("fisher1935", "beveridge2001"),
)


def estimate_over_choices(
    measure: Any, scores: Scores, pool: Pool, design: ImageChoice, level: float, seed: int
) -> Estimate:
    """The mean of a measure over choices of images, with the paper's percentile interval."""
    if isinstance(measure, RecognitionRate):
        found = permute([scores], pool, design, max_rank=max(measure.rank, LOW_RANKS), rng=seed)
        spread = found.rate(scores.name, min(measure.rank, found.n_ranks))
        return _from_trials(
            measure, spread, scores.name, scores.metric, pool, design, level, seed, found.notes
        )
    replicates = _statistics(measure, scores, pool, design, seed)
    low, high = _percentile(replicates, level)
    error = float(replicates.std(ddof=1)) if np.isfinite(replicates).all() else None
    value = float(np.mean(replicates))
    return _made(
        measure,
        value,
        error,
        low,
        high,
        replicates,
        scores.name,
        scores.metric,
        pool,
        design,
        level,
        seed,
        pool.notes,
    )


def _from_trials(
    measure: Any,
    spread: Distribution,
    name: str,
    metric: str | None,
    pool: Pool,
    design: ImageChoice,
    level: float,
    seed: int,
    notes: tuple[Note, ...],
) -> Estimate:
    low, high = spread.interval(level)
    error = spread.standard_deviation
    return _made(measure, spread.mean, error, low, high, None, name, metric, pool, design, level, seed, notes)


def _made(
    measure: Any,
    value: float,
    error: float | None,
    low: float,
    high: float,
    replicates: Floats | None,
    name: str,
    metric: str | None,
    pool: Pool,
    design: ImageChoice,
    level: float,
    seed: int,
    notes: tuple[Note, ...],
) -> Estimate:
    return Estimate(
        value=value,
        low=low,
        high=high,
        confidence_level=level,
        standard_error=error,
        events=None,
        degrees_of_freedom=None,
        replicates=replicates,
        design=design.as_method,
        seed=seed,
        answers=_answers(derived("mean", "mean {}", measure.estimand)),
        facts=facts_of_pool(name, metric, pool),
        clusters=None,
        notes=notes,
    )


def _statistics(measure: Any, scores: Scores, pool: Pool, design: ImageChoice, seed: int) -> Floats:
    """A measure of the ranks in every trial."""
    if not isinstance(measure, MedianCensoredRank | RankStatistic):
        raise DesignError(
            f"The {getattr(measure, 'estimand', measure)} is not defined over choices of images.",
            "use a recognition rate, a median censored rank or RankStatistic(function).",
        )
    prepared = Algorithm(Closeness.of(scores, pool, "miss"), None, 1, "pessimistic", "bitset")

    def one(block: int) -> Floats:
        size = min(TRIALS_A_BLOCK, design.n_resamples - block * TRIALS_A_BLOCK)
        ranks = prepared.ranks(draw_choices(pool.options, design.balanced, seed, block)[:size])
        if isinstance(measure, MedianCensoredRank):
            return np.median(np.minimum(ranks, measure.rank), axis=1)
        return np.array([float(measure.function(row)) for row in ranks])

    blocks = range(-(-design.n_resamples // TRIALS_A_BLOCK))
    return np.concatenate(list(run_blocks(one, blocks)))


def _percentile(replicates: Floats, level: float) -> Interval:
    """The paper's interval for values that are no whole numbers of people: the same order statistics."""
    ordered = np.sort(replicates)
    passed = int(np.floor((1.0 - level) / 2 * len(ordered) + 1e-6))
    return Interval(float(ordered[passed]), float(ordered[-1 - passed]))


def exact_over_choices(
    scores: Scores,
    pool: Pool,
    ties: TiePolicy = "pessimistic",
    on_failure: FailurePolicy = "miss",
    *,
    max_rank: int | None = None,
) -> ExactChoice:
    """The mean rate at every rank when each person's pair is drawn independently, exactly, without any trial.

    With up to 2,000 people of eight pairs each, the variance at rank 1 as well.
    """
    closeness = Closeness.of(scores, pool, on_failure)
    options = pool.options
    if scores.cells(closeness.rows[:1], closeness.columns[:1]) is not None:
        raise DesignError(
            "Comparisons that failed or are not to be made have no exact mean.", "draw trials instead."
        )
    sign = 1.0 if scores.larger_is_closer else -1.0
    columns = np.maximum(closeness.columns, 0)

    def rows(places: npt.NDArray[np.int64]) -> Floats:
        return sign * scores.tile(closeness.rows[places], columns).astype(np.float64)

    failed = pool.samples.failed[options.images] & (on_failure == "miss")
    few = len(options.gallery) <= MOST_CHOICES
    return exact_choice(options, rows, failed, ties, max_rank=max_rank, variance=few)


def compare_over_choices(
    measure: Any,
    algorithms: Mapping[str, Scores],
    pool: Pool,
    design: ImageChoice,
    margin: float | None,
    level: float,
    seed: int,
) -> Comparison:
    """Paired differences in the same choices of images, and beside them a test over people."""
    if not isinstance(measure, RecognitionRate) or measure.rank > LOW_RANKS:
        raise DesignError(
            f"Algorithms are compared over choices of images by their rates at ranks up to {LOW_RANKS}."
        )
    found = permute(algorithms, pool, design, max_rank=LOW_RANKS, rng=seed)
    rank = min(measure.rank, found.n_ranks)
    pairs = [
        compared(found, first, second, rank, margin, level)
        for first, second in combinations(found.algorithms, 2)
    ]
    adjusted = holm([pair.p_value for pair in pairs])
    estimates = tuple(
        _from_trials(measure, found.rate(name, rank), name, metric, pool, design, level, seed, found.notes)
        for name, metric in found.metrics.items()
    )
    return Comparison(
        estimates,
        tuple(replace(pair, p_adjusted=p) for pair, p in zip(pairs, adjusted, strict=True)),
        None,
        margin,
        level,
        _answers(derived("difference", "difference of {}s", measure.estimand)),
        (*found.notes, _OVER_IMAGES_AND_PEOPLE()),
    )


def compared(
    found: VirtualExperiments, first: str, second: str, rank: int, margin: float | None, level: float
) -> PairComparison:
    """One pair: D over choices of images, and the sign-flip test over people's mean successes."""
    spread: Distribution = found.difference(first, second, rank)
    interval = spread.interval(level)
    a, b = (found.successes[found.algorithms.index(name), :, rank - 1] for name in (first, second))
    tested = sign_flip(np.round(a - b, 12), found.seed)
    flipped, images = replace(_FLIPPED, draws=tested.draws), found.design.as_method
    verdict, _ = verdict_of(interval, interval, margin, upward=True)
    return PairComparison(
        first=first,
        second=second,
        difference=spread.mean,
        low=interval.low,
        high=interval.high,
        p_value=tested.p_mid,
        p_adjusted=tested.p_mid,
        n_sf=None,
        n_fs=None,
        n_discordant_subjects=tested.n_discordant,
        verdict=verdict,
        not_inferior=None,
        subjects_needed=None,
        method=Method(
            "image-choice+sign-flip",
            f"{images}, percentiles of the difference; {flipped}",
            draws=flipped.draws,
            parts=(images, flipped),
        ),
        not_won=found.not_won(first, second, rank),
        n_trials=found.n_trials,
        significance=round(1 - level, 12),
    )


def _answers(of: Target) -> Answers:
    return Answers(of, OTHER_IMAGES, PEOPLE_AND_ALGORITHMS, IMAGES_EXCHANGEABLE)


def facts_of_pool(name: str, metric: str | None, pool: Pool) -> Facts:
    """How a measurement over a pool came about."""
    n = pool.n_subjects
    images = "\n".join(pool.samples.ids[place] for place in pool.options.images)
    pairs = np.stack([pool.options.gallery, pool.options.probe]).tobytes()
    rule = f"one image of each person, pairs {pool.rule}"
    return Facts(
        algorithm=name,
        n_probes=n,
        n_probe_subjects=n,
        n_gallery_images=n,
        n_gallery_subjects=n,
        n_ranks=n,
        n_failed=0,
        n_gallery_failed=0,
        n_unmated=0,
        n_tied=0,
        ties="pessimistic",
        counting="images",
        on_failure="miss",
        universe="closed",
        gallery_rule=rule,
        probe_rule=rule,
        experiment=hashlib.sha256(images.encode() + pairs).hexdigest()[:16],
        notes=pool.notes,
        metric=metric,
    )
