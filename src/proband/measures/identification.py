"""Measures of identification: recognition rates, the cumulative match characteristic, censored and relative ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from proband.engine.arguments import published
from proband.engine.foreign import number_by
from proband.engine.limits import Count, Rank, Within
from proband.errors import DesignError, UsageError
from proband.measures.base import (
    MEASURES,
    OutcomeMeasure,
    Share,
    Weights,
    outcomes_of,
    probe_weights,
    weighing,
)
from proband.measures.outcomes import Outcomes, first_mate_within
from proband.measures.tallies import (
    Floats,
    RankRows,
    Tally,
    Units,
    check_units,
    function_tally,
    median_tally,
    ratios,
)
from proband.results.band import Curve
from proband.results.base import describing
from proband.results.targets import derived
from proband.samples import Experiment
from proband.samples.table import frozen
from proband.scores import Scores
from proband.words import Target, counted, given

RelativeRank = Annotated[
    float,
    Within(
        gt=0,
        le=1,
        said="A relative rank must be above 0 and at most 1",
        hint="for example, 0.01 is the first hundredth of the gallery.",
    ),
]


@MEASURES.register("rank")
@dataclass(frozen=True)
class RecognitionRate(Share):
    """The share of probes with the mate at `rank` or better: ρ_τ = Σ 1[r_i ≤ τ] / n.

    All probes with a mate in the gallery are counted, failures as misses. Under the tie policy ``mean`` a success is the
    probability of one. It is the cumulative match score of Phillips et al. (2000) at rank τ.

    Parameters
    ----------
    rank
        The rank at which a probe counts as recognised.
    weights
        What is weighted equally: every ``probe`` (the plain share), or every ``person``, Σ ȳ_i / K with ȳ_i the share over the
        probes of a person. The two differ if people have different numbers of probes.

    Examples
    --------
    >>> str(RecognitionRate(5).estimand), RecognitionRate.key, RecognitionRate(5).code
    ('recognition rate at rank 5', 'rank-rate', 'rank-5')
    >>> from proband.samples import Samples
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> scores = Scores.from_array([[0.9, 0.1], [0.7, 0.3]], ["a2", "b2"], ["a1", "b1"], orientation="similarity")
    >>> RecognitionRate(1)(scores, Experiment(samples, gallery="session == 1"))
    scores: recognition rate at rank 1 = 0.5 (1 of 2)
    """

    key = "rank-rate"
    spelled = ("rank {}", "rank-{} rate")
    rank: Rank = 1
    weights: Weights = "probe"

    @property
    def estimand(self) -> Target:
        """What it measures."""
        return weighing(self.weights, Target(f"rank-{self.rank}", f"recognition rate at rank {self.rank}"))

    @property
    def code(self) -> str:
        """What results know it by, its parameters and all."""
        return f"rank-{self.rank}" if self.weights == "probe" else f"rank-{self.rank}-by-person"

    def success(self, outcomes: Outcomes) -> Floats:
        """Return whether the mate of each probe is at the rank or better.

        Parameters
        ----------
        outcomes
            The probes' outcomes.

        Returns
        -------
        numpy.ndarray
            For each probe 0 or 1, or a probability where ties are broken at random.
        """
        return outcomes.success(self.rank)

    def of_ranks(self, ranks: RankRows) -> Floats:
        """Compute the rate of each row of ranks.

        Parameters
        ----------
        ranks
            Trials × people.

        Returns
        -------
        numpy.ndarray
            One rate for each trial.
        """
        within: Floats = (ranks <= self.rank).mean(axis=1)
        return within


@dataclass(frozen=True)
class CMC(OutcomeMeasure):
    """The cumulative match characteristic: the recognition rate at every rank (Phillips et al. 2000).

    Its value at rank τ is ρ_τ = Σ 1[r_i ≤ τ] / n. It never decreases.

    Parameters
    ----------
    max_rank
        The last rank; by default the size of the enrolled gallery, at which the curve of a closed universe without failures
        reaches 1.
    weights
        What is weighted equally: every ``probe``, or every ``person``.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> scores = Scores.from_array([[0.9, 0.1], [0.7, 0.3]], ["a2", "b2"], ["a1", "b1"], orientation="similarity")
    >>> CMC()(scores, Experiment(samples, gallery="session == 1")).values
    array([0.5, 1. ])
    """

    key = "cmc"
    form = "curve"
    in_points = True
    max_rank: Rank | None = None
    weights: Weights = "probe"

    @property
    def estimand(self) -> Target:
        """What it measures."""
        of = Target(self.key, "recognition rate at each rank (cumulative match characteristic)")
        return weighing(self.weights, of)

    def __call__(  # type: ignore[override]  # a curve is not one number
        self, scores: Outcomes | Scores, experiment: Experiment | None = None
    ) -> Curve:
        """Measure outcomes, or scores within an experiment."""
        outcomes = outcomes_of(scores, experiment)
        last = max(outcomes.n_ranks, 1)
        weights = probe_weights(outcomes, self.weights)
        whole = len(outcomes) if weights is None else float(weights.sum())
        stepped = _fractional_steps if outcomes.ties == "mean" else _whole_steps
        values: Floats = np.cumsum(stepped(outcomes, last, weights), dtype=np.float64) / whole
        if outcomes.ties == "mean" or weights is not None:
            values = np.minimum(values, 1.0)  # rounding may take sums of fractions above 1
        return Curve(frozen(values[: self.max_rank]), describing(self.estimand), outcomes.facts)

    def tally(self, outcomes: Outcomes, units: Units) -> Tally:
        """Return the numbers of successes at every rank, and of probes.

        Parameters
        ----------
        outcomes
            The probes' outcomes.
        units
            The number of each probe's unit, from 0.

        Returns
        -------
        Tally
            A column for each rank and one for the probes, or for their weights; a row for each unit.
        """
        last = min(outcomes.n_ranks, self.max_rank or outcomes.n_ranks)
        weights = probe_weights(outcomes, self.weights)
        weight = np.ones(len(outcomes)) if weights is None else weights
        check_units(units, len(outcomes))
        columns = [np.bincount(units, weights=weight * outcomes.success(t)) for t in range(1, last + 1)]
        return Tally(np.column_stack([*columns, np.bincount(units, weights=weight)]), ratios)


def _whole_steps(outcomes: Outcomes, last: int, weights: Floats | None) -> npt.NDArray[Any]:
    """The number of probes, or their weight, at each rank 1 … last."""
    ranked = ~outcomes.failed
    own = None if weights is None else weights[ranked]
    return np.bincount(outcomes.ranks[ranked].astype(np.int64) - 1, weights=own, minlength=last)


def _fractional_steps(outcomes: Outcomes, last: int, weights: Floats | None) -> Floats:
    """The expected number of probes, or their weight, at each rank if ties are broken at random."""
    steps = np.zeros(last)
    ranked = ~outcomes.failed
    cases = np.stack([outcomes.closer[ranked], outcomes.tied[ranked], outcomes.best_mates[ranked]])
    distinct, place = np.unique(cases, axis=1, return_inverse=True)
    repeats = np.bincount(place.ravel(), weights=None if weights is None else weights[ranked])
    for (closer, tied, mates), repeat in zip(distinct.T, repeats, strict=True):
        within = first_mate_within(np.arange(tied + 2), tied, mates)
        steps[closer : closer + tied + 1] += repeat * np.diff(within)
    return steps


@published
@MEASURES.register("relative-rank")
@dataclass(frozen=True)
class RelativeRankRate(Share):
    """The share of probes with the mate within a share of the gallery: Σ 1[r_i/m ≤ R] / n, with m people enrolled.

    The relative rank R = r/m allows comparisons of galleries of different sizes (Micheals & Boult 2001). The
    smallest is 1/m.

    Parameters
    ----------
    relative_rank
        The share of the gallery, above 0 and up to 1.
    weights
        What is weighted equally: every ``probe``, or every ``person``.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> scores = Scores.from_array([[0.9, 0.1], [0.7, 0.3]], ["a2", "b2"], ["a1", "b1"], orientation="similarity")
    >>> RelativeRankRate(0.5)(scores, Experiment(samples, gallery="session == 1"))
    scores: recognition rate at relative rank 0.5 = 0.5 (1 of 2)
    """

    key = "relative-rank-rate"
    relative_rank: RelativeRank = 0.01
    weights: Weights = "probe"

    @property
    def estimand(self) -> Target:
        """What it measures."""
        at = given(self.relative_rank)
        of = Target(f"relative-rank-{at}", f"recognition rate at relative rank {at}")
        return weighing(self.weights, of)

    @property
    def code(self) -> str:
        """What results know it by, its parameters and all."""
        usual = f"relative-rank-{given(self.relative_rank)}"
        return usual if self.weights == "probe" else f"{usual}-by-person"

    def success(self, outcomes: Outcomes) -> Floats:
        """Return whether the mate of each probe is within the share of the gallery.

        Parameters
        ----------
        outcomes
            The probes' outcomes.

        Returns
        -------
        numpy.ndarray
            For each probe 0 or 1, or a probability where ties are broken at random.
        """
        return outcomes.success(self._last_rank(outcomes.n_gallery_subjects))

    def _last_rank(self, n_enrolled: int) -> int:
        """The last rank within the share of the gallery."""
        return int(self.relative_rank * n_enrolled + 1e-9)

    def of_trials(self, ranks: RankRows, n_enrolled: Count) -> Floats:
        """Compute the rate of each row of ranks.

        Parameters
        ----------
        ranks
            Trials × people.
        n_enrolled
            How many people are enrolled in each trial.

        Returns
        -------
        numpy.ndarray
            One rate for each trial.
        """
        within: Floats = (ranks <= self._last_rank(n_enrolled)).mean(axis=1)
        return within


@MEASURES.register("median-rank")
@dataclass(frozen=True)
class MedianCensoredRank(OutcomeMeasure):
    """The median over probes of min(rank, `rank`): differences between large ranks do not matter (Beveridge et al. 2001).

    With an even number of probes it is the mean of the two middle values. A failure counts with the censoring rank.

    Parameters
    ----------
    rank
        The rank at which larger ranks are censored.

    Examples
    --------
    >>> MedianCensoredRank(10).of_ranks(np.array([[1.0, 2.0, 50.0, np.inf], [1.0, 1.0, 3.0, 9.0]]))
    array([6., 2.])
    """

    key = "median-rank"
    form = "quantile"
    larger_is_better = False
    rank: Rank = 10

    @property
    def estimand(self) -> Target:
        """What it measures."""
        return Target(self.code, f"median rank censored at {self.rank}")

    def tally(self, outcomes: Outcomes, units: Units) -> Tally:
        """Return the number of probes at each censored rank.

        Parameters
        ----------
        outcomes
            The probes' outcomes.
        units
            The number of each probe's unit, from 0.

        Returns
        -------
        Tally
            A column for each censored rank that occurs, a row for each unit.
        """
        return median_tally(outcomes.censored(self.rank), units)

    def of_ranks(self, ranks: RankRows) -> Floats:
        """Compute the median of each row of ranks.

        Parameters
        ----------
        ranks
            Trials × people.

        Returns
        -------
        numpy.ndarray
            One median for each trial, of ranks censored at `rank`.
        """
        return np.median(np.minimum(ranks, self.rank), axis=1)


@published
@MEASURES.register("median-relative-rank")
@dataclass(frozen=True)
class MedianRelativeRank(OutcomeMeasure):
    """The median over probes of rank divided by gallery size, to compare galleries of different sizes (Micheals & Boult 2001).

    The relative rank of a probe is R = r/m, with m the number of people in the gallery. It is infinite if half of the probes or
    more failed.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> scores = Scores.from_array([[0.1, 0.9], [0.7, 0.3]], ["a2", "b2"], ["a1", "b1"], orientation="similarity")
    >>> MedianRelativeRank()(scores, Experiment(samples, gallery="session == 1")).value
    1.0
    """

    key = "median-relative-rank"
    form = "quantile"
    larger_is_better = False

    @property
    def estimand(self) -> Target:
        """What it measures."""
        return Target(self.key, "median relative rank")

    def tally(self, outcomes: Outcomes, units: Units) -> Tally:
        """Return the number of probes at each relative rank.

        Parameters
        ----------
        outcomes
            The probes' outcomes.
        units
            The number of each probe's unit, from 0.

        Returns
        -------
        Tally
            A column for each relative rank that occurs, a row for each unit.
        """
        return median_tally(outcomes.relative_ranks, units)

    def of_trials(self, ranks: RankRows, n_enrolled: Count) -> Floats:
        """Compute the median relative rank of each row of ranks.

        Parameters
        ----------
        ranks
            Trials × people.
        n_enrolled
            How many people are enrolled in each trial.

        Returns
        -------
        numpy.ndarray
            One median for each trial.
        """
        return np.median(ranks / n_enrolled, axis=1)


@published
@dataclass(frozen=True, eq=False)
class RankStatistic(OutcomeMeasure):
    """A user-defined statistic of the ranks, like ``numpy.mean``: a function of an array of ranks that returns a number.

    Parameters
    ----------
    function, weighted
        The function of the ranks; ranks of failures are infinite. A weighted function takes ranks and weights, as some designs
        require.
    name, larger_is_better
        Its name, and whether larger values are better, which matters for comparisons only.

    Examples
    --------
    >>> RankStatistic(np.mean, "mean rank").of_ranks(np.array([[1.0, 2.0, 6.0]]))
    array([3.])
    """

    key = "rank-statistic"
    form = "function"
    function: Callable[..., float]
    name: str = "statistic of the ranks"
    larger_is_better: bool = False
    weighted: bool = False

    @property
    def estimand(self) -> Target:
        """What it measures."""
        return Target(self.key, self.name)

    def tally(self, outcomes: Outcomes, units: Units) -> Tally:
        """Return the numbers of draws, since the function needs all ranks.

        Parameters
        ----------
        outcomes
            The probes' outcomes.
        units
            The number of each probe's unit, from 0.

        Returns
        -------
        Tally
            The number of draws of each unit, from which the function is recomputed.
        """
        return function_tally(self.function, self.name, self.weighted, outcomes.ranks, units)

    def of_ranks(self, ranks: RankRows) -> Floats:
        """Apply the function to each row of ranks.

        Parameters
        ----------
        ranks
            Trials × people.

        Returns
        -------
        numpy.ndarray
            One value for each trial.
        """
        return np.array([number_by(self.function, self.name, row) for row in ranks])


def average_cmc(curves: Sequence[Curve], name: str = "average") -> Curve:
    """Average the curves of several algorithms on the same gallery and probes, rank by rank.

    The average describes only these algorithms. Curves of different lengths are cut to the shortest.

    Parameters
    ----------
    curves
        Curves of several algorithms, over the same ranks.
    name
        The name of the new curve.

    Returns
    -------
    Curve
        One curve.

    References
    ----------
    .. [1] Phillips, P. J., Moon, H., Rizvi, S. A. and Rauss, P. J. (2000). IEEE PAMI 22, 1090-1104.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> experiment = Experiment(samples, gallery="session == 1")
    >>> values = {"right": [[0.9, 0.1], [0.3, 0.7]], "half": [[0.9, 0.1], [0.7, 0.3]]}
    >>> curves = [
    ...     CMC()(Scores.from_array(one, ["a2", "b2"], ["a1", "b1"], orientation="similarity", name=name), experiment)
    ...     for name, one in values.items()
    ... ]
    >>> average_cmc(curves).values
    array([0.75, 1.  ])
    """
    _require_same_experiment(curves)
    length = min(len(curve.values) for curve in curves)
    values = frozen(np.mean([curve.values[:length] for curve in curves], axis=0))
    return replace(
        curves[0].named(name),
        values=values,
        answers=describing(
            derived(
                "average", f"mean over {counted(len(curves), 'algorithm')} of the {{}}", curves[0].answers.of
            )
        ),
    )


def of_the_leader(of: Target) -> Target:
    """Name an estimand of the algorithm that is best at rank 1."""
    return derived("upper-bound", "{} of the algorithm that is best at rank 1", of)


def upper_bound_cmc(curves: Sequence[Curve], name: str | None = None) -> Curve:
    """Return the *current upper bound*: the curve of the algorithm with the best rank-1 rate.

    If several share the best rank-1 rate, the one that leads at the first rank where they differ is used. It is the curve of
    one algorithm, not the best of all at each rank, and it is biased upwards because it is selected on these probes.

    Parameters
    ----------
    curves
        Curves of several algorithms, over the same ranks.
    name
        The name of the new curve.

    Returns
    -------
    Curve
        One curve.

    References
    ----------
    .. [1] Phillips, P. J., Moon, H., Rizvi, S. A. and Rauss, P. J. (2000). IEEE PAMI 22, 1090-1104.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> experiment = Experiment(samples, gallery="session == 1")
    >>> values = {"right": [[0.9, 0.1], [0.3, 0.7]], "half": [[0.9, 0.1], [0.7, 0.3]]}
    >>> curves = [
    ...     CMC()(Scores.from_array(one, ["a2", "b2"], ["a1", "b1"], orientation="similarity", name=name), experiment)
    ...     for name, one in values.items()
    ... ]
    >>> upper_bound_cmc(curves).values, upper_bound_cmc(curves).algorithm
    (array([1., 1.]), 'upper bound (right)')
    """
    _require_same_experiment(curves)
    best = max(curves, key=lambda curve: tuple(curve.values))
    return replace(
        best.named(name or f"upper bound ({best.algorithm})"),
        answers=describing(of_the_leader(best.answers.of)),
    )


def _require_same_experiment(curves: Sequence[Curve]) -> None:
    if not curves:
        raise UsageError("No curves were passed.")
    first = curves[0].facts
    for curve in curves[1:]:
        for field in ("experiment", "ties", "counting", "on_failure"):
            mine, theirs = getattr(first, field), getattr(curve.facts, field)
            if mine != theirs:
                raise DesignError(
                    f"The curves of {first.algorithm} and {curve.algorithm} come from different "
                    f"experiments: {field} is {mine!r} and {theirs!r}."
                )
