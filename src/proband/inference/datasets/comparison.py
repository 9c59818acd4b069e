"""Is one algorithm better than another over several data sets?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from proband.distributions import binomial_cdf
from proband.engine.arguments import published
from proband.engine.limits import Level
from proband.errors import InputError, UsageError
from proband.inference.comparisons.testing.adjustment import holm
from proband.inference.datasets.random_effects import random_effects
from proband.inference.datasets.results import (
    DatasetAccuracy,
    DatasetComparison,
    DatasetPair,
)
from proband.inference.datasets.signed_ranks import SignedRanks, friedman, mean_ranks, signed_ranks
from proband.inference.datasets.tables import Accuracies, accuracies_of, outcomes_of
from proband.results.about import RestsOn, Who
from proband.results.base import Answers
from proband.results.difference import Difference, Verdict
from proband.words import Method, Sentence, Target

_METHOD = Method(
    "signed-ranks-over-data-sets",
    "Wilcoxon signed ranks, Holm",
    "Wilcoxon's signed ranks over data sets, exact, adjusted by Holm",
    ("demsar2006", "holm1979"),
)
_IN_ONE = Method("difference-of-accuracies", "difference of accuracies")
_ANSWERS = Answers(
    Target("difference-over-data-sets", "difference of accuracies over data sets"),
    Target("data-sets", "new data sets from the same population of data sets"),
    Target("algorithms", "the algorithms"),
    Target(
        "data-sets-independent",
        "data sets are independent, and their differences are symmetrically distributed",
    ),
)
FEW = Sentence(
    "datasets.few",
    "caution",
    "with {n:count data set} no pair can be significant: the smallest possible adjusted p-value for "
    "{pairs:count pair} is {least:small}",
)
FEW_APART = Sentence(
    "datasets.few-without-ties",
    "caution",
    "no two algorithms differ in more than {n:count} of {of:count data set}, and ties are left out of "
    "signed ranks: no pair can be significant, because the smallest possible adjusted p-value for "
    "{pairs:count pair} is {least:small}",
)
ALL_TIED = Sentence(
    "datasets.all-tied",
    "caution",
    "the algorithms tie in all {n:count data set}, so no difference can be significant",
)
ZEROS = Sentence(
    "datasets.zeros",
    "note",
    "differences of 0 were left out of the signed ranks of {n:count pair}; equal differences share their "
    "mean rank",
)
NO_ERRORS = Sentence(
    "datasets.no-errors",
    "note",
    "every data set is weighted equally, whatever its size: without standard errors of the differences, "
    "their sizes are unknown",
)
AS_IF_ONE = Sentence(
    "datasets.as-if-one",
    "caution",
    "in {n:count data set} two algorithms differ for no person, or equally for every person; the standard "
    "error used is that of a difference for one person: {names:names}",
)
HETEROGENEOUS = Sentence(
    "datasets.heterogeneous",
    "caution",
    "the difference of {first} and {second} differs between data sets (Q {q:small}, p {p:p}): see the "
    "interval for a new data set",
)
NO_SPREAD = Sentence(
    "datasets.no-spread",
    "caution",
    "no variation between data sets was estimated for {n:count pair}, which does not show that there is "
    "none: the interval for a new data set may be too narrow",
)


@published
def compare_datasets(
    table: Any,
    *,
    dataset: str = "dataset",
    errors: Any = None,
    algorithm: str | None = None,
    success: str | None = None,
    cluster: str | None = None,
    confidence_level: Level = 0.95,
) -> DatasetComparison:
    """Compare algorithms by their accuracies in several data sets.

    The estimand is the difference of accuracies over data sets, for new data sets and the same algorithms. Every pair of
    algorithms is tested by Wilcoxon's exact signed-rank test, adjusted by Holm (1979): unlike with Nemenyi's test of average
    ranks, the result for two algorithms does not depend on which others were tested (Benavoli et al. 2016). All algorithms
    together are tested by Friedman's ranks with Iman and Davenport's F. With standard errors, the mean difference over data
    sets and the difference in a new data set are also estimated:
    :func:`proband.inference.datasets.random_effects.random_effects`.

    Parameters
    ----------
    table
        A row for each data set and a column for each algorithm; or, with `algorithm` and `success`, a row for each outcome.
    dataset
        The column of data sets.
    errors
        A table of standard errors of differences: data set, first, second, standard_error.
    algorithm, success, cluster
        For outcomes: the columns of the algorithm, of successes (1 or 0), and of the person.
    confidence_level
        The level of all intervals.

    Returns
    -------
    DatasetComparison
        Average ranks, every difference with its tests, and the mean difference over data sets.

    References
    ----------
    .. [1] Demšar, J. (2006). Journal of Machine Learning Research 7, 1-30.

    Examples
    --------
    >>> table = {"dataset": list("abcdef"), "new": [0.91, 0.83, 0.7, 0.88, 0.95, 0.62], "old": [0.88, 0.8, 0.69, 0.86, 0.9, 0.58]}
    >>> pair = compare_datasets(table).pairs[0]
    >>> median = pair.difference
    >>> pair.wins, median.p_value, round(median.value, 4), median.verdict
    (6, 0.03125, 0.03, 'better')
    """
    held = _read(table, dataset, errors, algorithm, success, cluster)
    if len(held.algorithms) < 2:
        raise UsageError(
            "A comparison needs at least two algorithms, got one.", "add one column per algorithm."
        )
    if len(held.datasets) < 2:
        raise InputError(
            "There is only one data set, so nothing can be concluded about other data sets.",
            "use at least two data sets, or compare for a comparison within one.",
        )
    ranks = np.stack([mean_ranks(-np.round(row, 12)) for row in held.values])
    averages = ranks.mean(axis=0)
    order = sorted(range(len(held.algorithms)), key=lambda place: (averages[place], place))
    names = [held.algorithms[place] for place in order]
    tested = [
        (first, second, signed_ranks(_apart(held, first, second), confidence_level))
        for first, second in combinations(names, 2)
    ]
    adjusted = holm([one.p_value for _, _, one in tested])
    pairs = tuple(
        _pair(held, first, second, one, p, confidence_level)
        for (first, second, one), p in zip(tested, adjusted, strict=True)
    )
    whole = friedman(ranks)
    return DatasetComparison(
        algorithms=tuple(names),
        average_ranks=tuple(float(averages[place]) for place in order),
        datasets=held.datasets,
        pairs=pairs,
        groups=_groups(names, pairs),
        friedman=None if whole is None else whole[0],
        iman_davenport=None if whole is None else whole[1],
        accuracies=tuple(
            DatasetAccuracy(place, held.algorithms[k], float(held.values[row, k]), float(ranks[row, k]))
            for row, place in enumerate(held.datasets)
            for k in order
        ),
        by_dataset=tuple(_differences(held, names, confidence_level)),
        confidence_level=confidence_level,
        answers=_ANSWERS,
        method=_METHOD,
        notes=tuple(_notes(held, tested, pairs, confidence_level)),
    )


def _read(
    table: Any, dataset: str, errors: Any, algorithm: str | None, success: str | None, cluster: str | None
) -> Accuracies:
    if algorithm is None and success is None:
        if cluster is not None:
            raise UsageError(
                "A table of accuracies has no people, so cluster has no effect.",
                "name the columns algorithm and success as well.",
            )
        return accuracies_of(table, dataset, errors)
    if algorithm is None or success is None:
        raise UsageError(
            "Outcomes need the column of algorithms and that of successes.", "name both columns."
        )
    if errors is not None:
        raise UsageError(
            "Standard errors are computed from outcomes.", "leave out the table of standard errors."
        )
    return outcomes_of(table, dataset, algorithm, success, cluster)


def _apart(held: Accuracies, first: str, second: str) -> Any:
    one, other = (held.values[:, held.algorithms.index(name)] for name in (first, second))
    return one - other


def _error(held: Accuracies, first: str, second: str) -> Any:
    return held.errors.get((first, second), held.errors.get((second, first)))


def _pair(
    held: Accuracies, first: str, second: str, tested: SignedRanks, adjusted: float, confidence_level: float
) -> DatasetPair:
    apart = np.round(_apart(held, first, second), 12)
    wins, losses = int((apart > 0).sum()), int((apart < 0).sum())
    least = min(wins, losses)
    errors = _error(held, first, second)
    verdict: Verdict = "undecided"
    if adjusted < 1 - confidence_level + 1e-12 and tested.p_value < 1:
        verdict = "better" if tested.statistic > tested.n * (tested.n + 1) / 4 else "worse"
    none = float("nan")  # too few data sets have no interval
    return DatasetPair(
        difference=Difference(
            first=first,
            second=second,
            value=tested.estimate,
            low=none if tested.low is None else tested.low,
            high=none if tested.high is None else tested.high,
            confidence_level=confidence_level,
            statistic=tested.statistic,
            p_value=tested.p_value,
            p_adjusted=adjusted,
            verdict=verdict,
            method=_METHOD,
            rests_on=RestsOn(n=len(apart), of="data set"),
            adjustment="holm",
            n_compared=comb(len(held.algorithms), 2),
        ),
        wins=wins,
        ties=len(apart) - wins - losses,
        losses=losses,
        sign_p_value=min(1.0, 2 * float(binomial_cdf(least, wins + losses, 0.5))) if wins + losses else 1.0,
        mean_difference=float(apart.mean()),
        pooled=None if errors is None else random_effects(apart, errors, confidence_level, first, second),
    )


def _groups(names: Sequence[str], pairs: Sequence[DatasetPair]) -> tuple[tuple[str, ...], ...]:
    """The longest runs of algorithms, in order of rank, without significant differences."""
    apart = {frozenset((pair.first, pair.second)) for pair in pairs if pair.difference.told_apart}
    runs: list[tuple[int, int]] = []
    for start in range(len(names)):
        stop = start + 1
        while stop < len(names) and not any(
            frozenset((names[k], names[stop])) in apart for k in range(start, stop)
        ):
            stop += 1
        if stop - start > 1 and not (runs and runs[-1][1] >= stop):
            runs.append((start, stop))
    return tuple(tuple(names[start:stop]) for start, stop in runs)


def _differences(held: Accuracies, names: Sequence[str], confidence_level: float) -> Iterator[Difference]:
    for first, second in combinations(names, 2):
        errors, apart = _error(held, first, second), _apart(held, first, second)
        for row, place in enumerate(held.datasets):
            people = None if held.subjects is None else held.subjects[row]
            error = None if errors is None else float(errors[row])
            yield Difference(
                who=Who(dataset=place),
                first=first,
                second=second,
                value=float(apart[row]),
                low=float("nan"),
                high=float("nan"),
                confidence_level=confidence_level,
                standard_error=error,
                method=_IN_ONE,
                rests_on=RestsOn(n_units=people, unit="" if people is None else "person"),
                adjustment="none",
            )


def _notes(
    held: Accuracies,
    tested: Sequence[tuple[str, str, SignedRanks]],
    pairs: Sequence[DatasetPair],
    confidence_level: float,
) -> Any:
    n = max(one.n for _, _, one in tested)  # data sets without a difference are not informative
    least = min(1.0, len(pairs) * 2.0 ** (1 - n))
    if n == 0:
        yield ALL_TIED(n=len(held.datasets))
    elif least > 1 - confidence_level + 1e-12:
        few = {"n": n, "pairs": len(pairs), "least": least}
        yield FEW(**few) if n == len(held.datasets) else FEW_APART(**few, of=len(held.datasets))
    zeros = sum(one.n_zeros > 0 for _, _, one in tested)
    if zeros:
        yield ZEROS(n=zeros)
    if not held.errors:
        yield NO_ERRORS()
    if held.without_spread:
        yield AS_IF_ONE(n=len(held.without_spread), names=held.without_spread)
    flat = sum(pair.pooled is not None and pair.pooled.tau == 0 for pair in pairs)
    if flat:
        yield NO_SPREAD(n=flat)
    for pair in pairs:
        q = None if pair.pooled is None else pair.pooled.heterogeneity
        if q is not None and q.p_value is not None and q.p_value < 0.05:
            yield HETEROGENEOUS(first=pair.first, second=pair.second, q=q.statistic, p=q.p_value)
