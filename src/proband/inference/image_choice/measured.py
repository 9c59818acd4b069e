"""Measures of ranks in every trial (medians, relative ranks, user-defined), and their differences within trials."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from proband.designs.image_choice import TRIALS_A_BLOCK, ImageChoice, draw_choices
from proband.engine import run_blocks
from proband.engine.arguments import published
from proband.engine.limits import Level
from proband.errors import DesignError, first_few, unknown_name
from proband.inference.image_choice.rivals import Closeness
from proband.inference.image_choice.trials import PackedAlgorithm
from proband.inference.proportions import Interval
from proband.measures import OutcomeMeasure
from proband.measures.outcomes import FailurePolicy, TiePolicy
from proband.results.about import RestsOn, Who
from proband.results.base import Answers, Facts, Result
from proband.results.difference import Difference
from proband.results.estimate import Estimate
from proband.results.serializing import Written
from proband.results.targets import (
    IMAGES_EXCHANGEABLE,
    OTHER_IMAGES,
    PEOPLE_AND_ALGORITHMS,
    derived,
    difference_of,
)
from proband.samples import Pool
from proband.scores import Scores
from proband.words import Note, Sentence, Target

Floats = npt.NDArray[np.float64]
_EVEN = 1e-12  # smaller differences are rounding errors
_INFINITE = Sentence(
    "choices.infinite-differences",
    "caution",
    "the {measure} is infinite in some trials, so these differences are left out: {pairs}; use a measure "
    "that censors ranks, such as median-rank@50, which is always finite",
)


@published
@dataclass(frozen=True, eq=False)
class MeasureOverChoices(Result):
    """A measure of every algorithm over choices of images, and the differences D within the same trial.

    Attributes
    ----------
    measure
        The code of the measure.
    estimates
        The mean over trials with the percentile interval, by algorithm; `replicates` has the value of every trial.
    pairs
        The pairs with differences: pairs for which D is finite in every trial.
    notes
        Notes on pairs for which D is infinite in some trials.
    larger_is_better, in_points
        Whether larger values are better, and whether differences are shown in percentage points.
    """

    written = Written(also=("differences",), without=("pairs", "larger_is_better", "in_points"))

    measure: str
    estimates: Mapping[str, Estimate]
    pairs: tuple[tuple[str, str], ...]
    larger_is_better: bool
    in_points: bool
    notes: tuple[Note, ...] = ()

    def apart(self, first: str, second: str) -> Estimate:
        """Return the distribution of D, the first value minus the second within the same trial.

        Parameters
        ----------
        first, second
            The names of two algorithms.

        Returns
        -------
        Estimate
            The mean of D with its percentile interval; `replicates` has D of every trial.
        """
        for name in (first, second):
            if name not in self.estimates:
                raise unknown_name("algorithm", name, self.estimates)
        own = self.estimates[first]
        with np.errstate(invalid="ignore"):  # the difference of two infinite values is undefined and refused
            apart = _values(own) - _values(self.estimates[second])
        if not np.isfinite(apart).all():
            raise DesignError(
                f"The difference of the {own.answers.of} is infinite in some trials.",
                "use a measure that is always finite, such as median-rank@50, which censors ranks.",
            )
        low, high = percentiles(apart, own.confidence_level)
        return replace(
            own,
            who=Who(algorithm=f"{first} − {second}"),
            value=float(apart.mean()),
            low=low,
            high=high,
            standard_error=float(apart.std(ddof=1)) if len(apart) > 1 else None,
            replicates=apart,
            answers=replace(own.answers, of=difference_of(own.answers.of)),
        )

    def difference(self, first: str, second: str) -> Difference:
        """Return D over choices of images: its mean and percentile interval, and in how many trials the first does not win.

        It is for other choices of images of these people. Trials are not draws under a null hypothesis, so there is no p-value.

        Parameters
        ----------
        first, second
            The names of two algorithms.

        Returns
        -------
        Difference
            A difference without a test or verdict, with `not_won` of `n_trials`.
        """
        spread = self.apart(first, second)
        apart = _values(spread)
        behind = apart <= _EVEN if self.larger_is_better else apart >= -_EVEN
        return Difference(
            measure=self.measure,
            first=first,
            second=second,
            value=spread.value,
            low=spread.low,
            high=spread.high,
            confidence_level=spread.confidence_level,
            standard_error=spread.standard_error,
            method=spread.method,
            in_points=self.in_points,
            not_won=int(behind.sum()),
            n_trials=len(apart),
            choices_low=spread.low,
            choices_high=spread.high,
            adjustment="none",
        )

    @property
    def differences(self) -> tuple[Difference, ...]:
        """D of every compared pair."""
        return tuple(self.difference(*pair) for pair in self.pairs)

    def at_level(self, confidence_level: Level) -> MeasureOverChoices:
        """Return the same results with another level of intervals.

        Parameters
        ----------
        confidence_level
            The share of choices within the intervals, between 0 and 1.

        Returns
        -------
        MeasureOverChoices
            The same trials.
        """
        made = {}
        for name, own in self.estimates.items():
            low, high = percentiles(_values(own), confidence_level)
            made[name] = replace(own, low=low, high=high, confidence_level=confidence_level)
        return replace(self, estimates=made)


def _values(own: Estimate) -> Floats:
    assert own.replicates is not None  # the value of every trial is kept
    return own.replicates


@dataclass(frozen=True, eq=False)
class _Trials:
    """Measures of the ranks of several algorithms in every trial of a block: measures × algorithms × trials."""

    measures: tuple[OutcomeMeasure, ...]
    prepared: tuple[PackedAlgorithm, ...]
    pool: Pool
    design: ImageChoice
    seed: int

    def __call__(self, block: int) -> Floats:
        size = min(TRIALS_A_BLOCK, self.design.n_resamples - block * TRIALS_A_BLOCK)
        options = self.pool.options
        choices = draw_choices(options, self.design.balanced, self.seed, block)[:size]
        ranks = [one.ranks(choices)[:, : options.n_searched] for one in self.prepared]
        return np.array(
            [[measure.of_trials(own, options.n_subjects) for own in ranks] for measure in self.measures]
        )


def measures_in_trials(
    measures: Sequence[OutcomeMeasure],
    scores: Sequence[Scores],
    pool: Pool,
    design: ImageChoice,
    seed: int,
    ties: TiePolicy = "pessimistic",
    on_failure: FailurePolicy = "miss",
    threads: int | None = None,
) -> Floats:
    """Measure the ranks of all algorithms in the same trials: measures × algorithms × trials."""
    for measure in measures:  # undefined measures are refused before any work
        measure.of_trials(np.ones((1, 1)), 1)
    prepared = tuple(
        PackedAlgorithm(Closeness.of(one, pool, on_failure), None, 1, ties, "bitset") for one in scores
    )
    blocks = range(-(-design.n_resamples // TRIALS_A_BLOCK))
    task = _Trials(tuple(measures), prepared, pool, design, seed)
    return np.concatenate(list(run_blocks(task, blocks, threads)), axis=2)


def measures_over_choices(
    measures: Sequence[OutcomeMeasure],
    scores: Mapping[str, Scores],
    pool: Pool,
    design: ImageChoice,
    seed: int,
    ties: TiePolicy,
    on_failure: FailurePolicy,
    pairs: tuple[tuple[str, str], ...],
    threads: int | None = None,
) -> dict[str, MeasureOverChoices]:
    """Measure all algorithms in the same trials and keep the value of every trial; by code of the measure."""
    if not measures:
        return {}
    values = measures_in_trials(measures, [*scores.values()], pool, design, seed, ties, on_failure, threads)
    made = {}
    for measure, rows in zip(measures, values, strict=True):
        estimates = {
            name: from_replicates(measure, own, name, one.metric, pool, design, 0.95, seed, pool.notes)
            for (name, one), own in zip(scores.items(), rows, strict=True)
        }
        finite = {name for name, own in estimates.items() if np.isfinite(_values(own)).all()}
        kept = tuple(pair for pair in pairs if finite.issuperset(pair))
        left = [f"{first} − {second}" for first, second in pairs if not finite.issuperset((first, second))]
        notes = (_INFINITE(measure=measure.estimand, pairs=first_few(left)),) if left else ()
        kinds = measure.larger_is_better, measure.in_points
        made[measure.code] = MeasureOverChoices(measure.code, estimates, kept, *kinds, notes)
    return made


def from_replicates(
    measure: OutcomeMeasure,
    replicates: Floats,
    name: str,
    metric: str | None,
    pool: Pool,
    design: ImageChoice,
    level: float,
    seed: int,
    notes: tuple[Note, ...],
) -> Estimate:
    """Make the estimate of a measure from its value in every trial."""
    low, high = percentiles(replicates, level)
    spread = np.isfinite(replicates).all() and len(replicates) > 1
    error = float(replicates.std(ddof=1)) if spread else None
    value = float(np.mean(replicates))
    return estimate_over_trials(
        measure, value, error, Interval(low, high), replicates, name, metric, pool, design, level, seed, notes
    )


def estimate_over_trials(
    measure: OutcomeMeasure,
    value: float,
    error: float | None,
    ends: Interval,
    replicates: Floats | None,
    name: str,
    metric: str | None,
    pool: Pool,
    design: ImageChoice,
    level: float,
    seed: int,
    notes: tuple[Note, ...],
) -> Estimate:
    """Make the estimate of one algorithm over choices of images."""
    facts = facts_of_pool(name, metric, pool)
    return Estimate(
        who=Who(algorithm=name),
        rests_on=RestsOn.measured(facts),
        value=value,
        low=ends.low,
        high=ends.high,
        confidence_level=level,
        standard_error=error,
        replicates=replicates,
        method=design.as_method,
        seed=seed,
        answers=answers_over_images(derived("mean", "mean {}", measure.estimand)),
        facts=facts,
        notes=notes,
    )


def percentiles(replicates: Floats, level: float) -> Interval:
    """The paper's interval for values that are not counts of people, from the same order statistics."""
    ordered = np.sort(replicates)
    passed = int(np.floor((1.0 - level) / 2 * len(ordered) + 1e-6))
    return Interval(float(ordered[passed]), float(ordered[-1 - passed]))


def answers_over_images(of: Target) -> Answers:
    """The answers for choices of images: what varies and what is held fixed."""
    return Answers(of, OTHER_IMAGES, PEOPLE_AND_ALGORITHMS, IMAGES_EXCHANGEABLE)


def facts_of_pool(name: str, metric: str | None, pool: Pool) -> Facts:
    """The facts of a measurement over a pool."""
    n = pool.n_subjects
    images = "\n".join(pool.samples.ids[place] for place in pool.options.images)
    pairs = np.stack([pool.options.gallery, pool.options.probe]).tobytes()
    rule = f"one image per person, pairs {pool.rule}"
    return Facts(
        algorithm=name,
        n_probes=n,
        n_probe_subjects=n,
        n_gallery_images=pool.options.n_subjects,
        n_gallery_subjects=pool.options.n_subjects,
        n_ranks=pool.options.n_subjects,
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
