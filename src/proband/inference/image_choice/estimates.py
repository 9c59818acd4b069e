"""Estimates and comparisons over the choice of images, with a pool instead of an experiment."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from proband.designs.image_choice import ImageChoice
from proband.engine import Engine, on_engine
from proband.engine.arguments import published
from proband.engine.limits import Rank
from proband.errors import DesignError
from proband.inference.comparisons.paired import Tested
from proband.inference.comparisons.paired_rates import SKEWED, person_curve
from proband.inference.comparisons.verdicts import judged
from proband.inference.image_choice.distributions import Distribution
from proband.inference.image_choice.exact import MOST_CHOICES, ExactChoice, exact_choice
from proband.inference.image_choice.measured import (
    answers_over_images,
    estimate_over_trials,
    from_replicates,
    measures_in_trials,
)
from proband.inference.image_choice.rivals import Closeness
from proband.inference.image_choice.trials import LOW_RANKS
from proband.inference.image_choice.virtual_experiments import VirtualExperiments, permute
from proband.inference.procedures import Joint, Question
from proband.measures import OutcomeMeasure
from proband.measures.outcomes import FailurePolicy, TiePolicy
from proband.results.difference import Difference
from proband.results.estimate import Estimate
from proband.results.several import for_each
from proband.results.targets import difference_of
from proband.samples import Pool
from proband.scores import Scores
from proband.words import Method, Note, Sentence

Floats = npt.NDArray[np.float64]

_OVER_IMAGES_AND_PEOPLE = Sentence(
    "choices.intervals-and-tests",
    "note",
    "intervals of rates are over choices of images of these people; differences, p-values and verdicts are "
    "for new people and also have an interval over choices of images",
)
_FLIPPED = Method(
    "sign-flip-of-means",
    "sign flip over the mean successes of people",
    "a sign-flip test of the mean successes of people over choices of images",
    ("fisher1935", "beveridge2001"),
)


def over_choices(question: Question) -> tuple[Estimate, ...]:
    """Estimate each algorithm over choices of images (Beveridge et al. 2001).

    Images of these people vary; people and algorithms are held fixed. See `estimate_over_choices` for formulas.
    """
    pool, design = _pool_of(question)
    settings = question.confidence_level, question.seed
    return tuple(
        estimate_over_choices(question.measure, one, pool, design, *settings) for one in question.scores
    )


def _pool_of(question: Question) -> tuple[Pool, ImageChoice]:
    """The pool and the design; anything other than scores, a pool and a design of choices is refused."""
    if not isinstance(question.within, Pool) or not all(isinstance(one, Scores) for one in question.data):
        raise DesignError(
            "The design image-choice needs scores and a pool of images.",
            "use the command permute, or in Python estimate(measure, scores, Pool(samples, "
            "groups='session'), ImageChoice()); for probes use the design auto, bootstrap or brr.",
        )
    return question.within, question.design


def estimate_over_choices(
    measure: OutcomeMeasure, scores: Scores, pool: Pool, design: ImageChoice, level: float, seed: int
) -> Estimate:
    """Estimate the mean of a measure over choices of images, with the percentile interval of Beveridge et al. (2001, §7).

    Of N trials at level 1 − α, the ends are the (⌊αN/2⌋ + 1)-th smallest and largest. Images of these people vary, not
    the people.
    """
    rank = rank_of_share(measure)
    if rank is not None:
        found = permute([scores], pool, design=design, max_rank=max(rank, LOW_RANKS), seed=seed)
        spread = found.rate(scores.name, min(rank, found.n_ranks))
        return _from_trials(
            measure, spread, scores.name, scores.metric, pool, design, level, seed, found.notes
        )
    replicates = measures_in_trials([measure], [scores], pool, design, seed)[0, 0]
    return from_replicates(
        measure, replicates, scores.name, scores.metric, pool, design, level, seed, pool.notes
    )


def _from_trials(
    measure: OutcomeMeasure,
    spread: Distribution,
    name: str,
    metric: str | None,
    pool: Pool,
    design: ImageChoice,
    level: float,
    seed: int,
    notes: tuple[Note, ...],
) -> Estimate:
    moments = spread.mean, spread.standard_deviation, spread.interval(level)
    return estimate_over_trials(measure, *moments, None, name, metric, pool, design, level, seed, notes)


@published
@for_each
@on_engine
def exact_over_choices(
    scores: Scores,
    experiment: Pool,
    *,
    ties: TiePolicy = "pessimistic",
    on_failure: FailurePolicy = "miss",
    max_rank: Rank | None = None,
    engine: Engine = None,
) -> ExactChoice:
    """Compute the exact mean rate at every rank if the pair of each person is drawn independently, without simulation.

    Given a probe and its mate, the number of other people closer than the mate has a Poisson-binomial distribution (see
    `exact_choice`). The result is for choices of images of these people. With up to 2,000 people with eight pairs each, the
    variance at rank 1 is also computed.

    Parameters
    ----------
    scores
        Scores or embeddings over the images of the pool, for one or several algorithms.
    experiment
        The pool: the people, and the possible pairs of images of each.
    ties, on_failure, engine
        As in `rank`.
    max_rank
        The number of ranks; by default all.

    Returns
    -------
    ExactChoice or Several
        The mean rate at every rank; for several algorithms, a mapping from names to these.

    Examples
    --------
    >>> from proband import Samples
    >>> rows = [(f"{s}{k}", s, k) for s in "ab" for k in range(2)]
    >>> samples = Samples(dict(zip(("id", "subject", "day"), zip(*rows), strict=True)))
    >>> values = np.array([[9, 5, 6, 1], [5, 9, 4, 4], [1, 2, 9, 3], [0, 2, 3, 9]], dtype=float)
    >>> exact_over_choices(Scores.from_array(values, samples.ids, orientation="similarity"), Pool(samples, "day")).values
    array([0.875, 1.   ])
    """
    closeness = Closeness.of(scores, experiment, on_failure)
    options = experiment.options
    if scores.cells(closeness.rows[:1], closeness.columns[:1]) is not None:
        raise DesignError(
            "The exact mean needs every comparison, but some failed or are excluded.",
            "use random trials instead.",
        )
    rows = _ClosenessRows(scores, closeness.rows, np.maximum(closeness.columns, 0))
    failed = experiment.samples.failed[options.images] & (on_failure == "miss")
    few = len(options.gallery) <= MOST_CHOICES
    return exact_choice(options, rows, failed, ties, max_rank=max_rank, variance=few)


@dataclass(frozen=True, eq=False)
class _ClosenessRows:
    """The closeness of some images to all, without a matrix."""

    scores: Scores
    rows: npt.NDArray[np.intp]
    columns: npt.NDArray[np.intp]

    def __call__(self, places: npt.NDArray[np.int64]) -> Floats:
        sign = 1.0 if self.scores.larger_is_closer else -1.0
        return sign * self.scores.tile(self.rows[places], self.columns).astype(np.float64)


def differences_over_choices(question: Question) -> Joint:
    """Compare algorithms over the same choices of images, with a separate test over people.

    The interval of the difference is over images of these people (Beveridge et al. 2001, §7); the p-value is of a sign-flip
    test of the mean successes of people (Fisher 1935), and is for new people.
    """
    pool, design = _pool_of(question)
    measure, level, seed = question.measure, question.confidence_level, question.seed
    rank = rank_of_share(measure)
    if rank is None or rank > LOW_RANKS:
        raise DesignError(
            f"Over choices of images, algorithms can be compared by rates at ranks up to {LOW_RANKS}."
        )
    found = permute(
        dict(zip(question.names, question.scores, strict=True)),
        pool,
        design=design,
        max_rank=LOW_RANKS,
        seed=seed,
    )
    rank = min(rank, found.n_ranks)
    tested = tuple(
        (first, second, None, difference_over_choices(found, first, second, rank, level))
        for first, second in question.pairs
    )
    estimates = tuple(
        _from_trials(measure, found.rate(name, rank), name, metric, pool, design, level, seed, found.notes)
        for name, metric in found.metrics.items()
    )
    return Joint(
        estimates,
        tested,
        answers_over_images(difference_of(measure.estimand)),
        (*found.notes, _OVER_IMAGES_AND_PEOPLE()),
    )


def rank_of_share(measure: OutcomeMeasure) -> int | None:
    """Return the rank of a recognition rate, which trials count directly; None for any other measure."""
    return getattr(measure, "rank", None) if measure.form == "share" else None


def compared(
    found: VirtualExperiments, first: str, second: str, rank: int, margin: float | None, level: float
) -> Difference:
    """Return the verdict on one pair: D over choices of images, and the sign-flip test of people's mean successes."""
    tested = difference_over_choices(found, first, second, rank, level)
    return judged([(first, second, None, tested)], margin, level, upward=True, in_points=True)[0]


def difference_over_choices(
    found: VirtualExperiments, first: str, second: str, rank: int, level: float
) -> Tested:
    """Compute D of one pair over choices of images, and the sign-flip test of people's mean successes.

    D_τ = ρ_τ(A) − ρ_τ(B) in the same trial (Beveridge et al. 2001, §7). The number of trials that A does not win counts image
    choices and gives no p-value: trials are not draws under a null hypothesis.
    """
    spread: Distribution = found.difference(first, second, rank)
    a, b = (found.successes[found.algorithms.index(name), :, rank - 1] for name in (first, second))
    means = np.round(a - b, 12)
    curve, draws = person_curve(means, found.seed)
    flipped, images = replace(_FLIPPED, draws=draws), found.design.as_method
    return Tested(
        difference=spread.mean,
        curve=curve,
        standard_error=spread.standard_deviation,
        method=Method(
            "image-choice+sign-flip",
            f"{images}, percentiles of the difference; {flipped}",
            draws=draws,
            parts=(images, flipped, SKEWED),
        ),
        n_discordant_subjects=int(np.count_nonzero(means)),
        not_won=found.not_won(first, second, rank),
        n_trials=found.n_trials,
        over_choices=spread.interval(level),
    )
