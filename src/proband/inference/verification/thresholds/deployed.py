"""Thresholds for deployment, whose false match rate for new people meets a target with a given confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, exp, log, log1p, sqrt
from typing import overload

import numpy as np
import numpy.typing as npt

from proband.distributions import t_inverse
from proband.engine import Progress
from proband.engine.arguments import published
from proband.engine.limits import FalseMatchRate, Level, Threads
from proband.errors import DesignError, Said, UsageError
from proband.inference.verification.intervals.answers import PEOPLE_SHARED
from proband.inference.verification.lists import shared_by
from proband.inference.verification.people.carriers import FEWEST_CARRIERS
from proband.inference.verification.people.meetings import Meetings
from proband.inference.verification.points import CLOSEST_TIED, at_threshold, room_for_replicates
from proband.inference.verification.results import point_among
from proband.inference.verification.shared import Shared
from proband.inference.verification.thresholds.bound_path import BoundPath
from proband.inference.verification.thresholds.results import DeployedThreshold
from proband.inference.verification.verification import pairs_and_rates
from proband.measures.pair_measures import compared_pairs
from proband.measures.pairs.counts import each_pair_once
from proband.measures.verification import ErrorRates, admitting, rates_of_list
from proband.results.base import Answers, among
from proband.results.compared import Compared
from proband.results.several import Several
from proband.results.targets import ALGORITHM, OTHER_PEOPLE_COMPARED
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.scores.sampling import sampled
from proband.scores.scored_pairs import with_people_of_mated
from proband.scores.several import by_name, is_several
from proband.scores.trials import Trials
from proband.words import SampledColumn, Target, counted, given, level

Verified = Scores | Trials
_MOST_POINTS = 400  # of the path that are kept for drawing

_ANSWERS = Answers(
    Target("threshold-for-fmr", "the threshold for a guaranteed false match rate"),
    OTHER_PEOPLE_COMPARED,
    ALGORITHM,
    PEOPLE_SHARED,
)


@overload
def threshold(
    scores: Verified,
    experiment: Experiment | Samples | None = None,
    *,
    fmr: float = ...,
    confidence_level: float = ...,
    check_orientation: bool = ...,
    threads: int | None = ...,
    progress: Progress | None = ...,
) -> DeployedThreshold: ...


@overload
def threshold(
    scores: Verified,
    experiment: Experiment | Samples | None = None,
    *,
    fmr: Sequence[float],
    confidence_level: float = ...,
    check_orientation: bool = ...,
    threads: int | None = ...,
    progress: Progress | None = ...,
) -> Several[float, DeployedThreshold]: ...


@overload
def threshold(
    scores: Sequence[Verified] | Mapping[str, Verified],
    experiment: Experiment | Samples | None = None,
    *,
    fmr: float = ...,
    confidence_level: float = ...,
    check_orientation: bool = ...,
    threads: int | None = ...,
    progress: Progress | None = ...,
) -> Several[str, DeployedThreshold]: ...


@overload
def threshold(
    scores: Sequence[Verified] | Mapping[str, Verified],
    experiment: Experiment | Samples | None = None,
    *,
    fmr: Sequence[float],
    confidence_level: float = ...,
    check_orientation: bool = ...,
    threads: int | None = ...,
    progress: Progress | None = ...,
) -> Several[str, Several[float, DeployedThreshold]]: ...


@published
def threshold(
    scores: Verified | Sequence[Verified] | Mapping[str, Verified],
    experiment: Experiment | Samples | None = None,
    *,
    fmr: FalseMatchRate | Sequence[FalseMatchRate] = 1e-3,
    confidence_level: Level = 0.95,
    check_orientation: bool = True,
    threads: Threads | None = None,
    progress: Progress | None = None,
) -> (
    DeployedThreshold
    | Several[float, DeployedThreshold]
    | Several[str, DeployedThreshold]
    | Several[str, Several[float, DeployedThreshold]]
):
    """Find the least strict threshold whose false match rate for new people is within the target, with a given confidence.

    A threshold at which the false match rate of these people is f exceeds f for new people about half the time. Here U(t) is
    the one-sided upper bound of the rate for new people (`BoundPath`), for equally weighted comparisons and for equally
    weighted pairs of people, made monotone; the result is the least strict t with U(t) ≤ f. Then FMR(t) > f
    implies a miss of the bound at one fixed threshold, so at most a share 1 − confidence of such thresholds exceeds f (Bates et
    al. 2021). A second grade is valid for any distribution of scores: ⌊people/2⌋·KL(p‖f) ≥ ln 1/(1 − confidence) (Hoeffding
    1963), with p weighting every pair of people equally.

    Parameters
    ----------
    scores, experiment
        One or several algorithms, as in `verify`; a mapping gives their names.
    fmr
        The target false match rate, or several, for one threshold each.
    confidence_level
        The confidence of the threshold, and the level of the reported intervals of FMR and FNMR.
    check_orientation
        Whether scores that look reversed raise an error.
    threads, progress
        The number of threads, and the progress callback.

    Returns
    -------
    DeployedThreshold or Several
        The threshold with its expected rates; for several algorithms a mapping by name, for several targets a mapping by rate.

    Raises
    ------
    DesignError
        If there are too few people for any requested threshold; the message states how many are needed.

    Examples
    --------
    A hundred people with one target and one query image each. The plain threshold has 99 false matches in 9,900:

    >>> rng = np.random.default_rng(1)
    >>> ids = [f"{side}{k:02d}" for side in "tq" for k in range(100)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = rng.normal(size=(100, 100)) + 2 * np.eye(100)
    >>> scores = Scores.from_array(values, ids[100:], ids[:100], orientation="similarity", name="net")
    >>> deployed = threshold(scores, samples, fmr=0.01)
    >>> deployed.plain.counts.false_matches, deployed.sure.counts.false_matches, deployed.bound <= 0.01
    (99, 81, True)
    """
    rates = (fmr,) if isinstance(fmr, int | float) else tuple(fmr)
    if not rates:
        raise UsageError("No target false match rate was given.", "pass at least one: fmr=0.001.")
    by_algorithm = Several(
        {
            name: Several(
                zip(
                    rates,
                    thresholds_of(
                        algorithm,
                        experiment,
                        rates,
                        confidence_level,
                        check_orientation=check_orientation,
                        threads=threads,
                        progress=progress,
                    ),
                    strict=True,
                )
            )
            for name, algorithm in by_name(scores).items()
        }
    )
    require_any(list(by_algorithm.members()))
    if isinstance(fmr, int | float):
        at_rate = Several({name: by_rate[fmr] for name, by_rate in by_algorithm.items()})
        return at_rate if is_several(scores) else next(iter(at_rate.values()))
    return by_algorithm if is_several(scores) else next(iter(by_algorithm.values()))


def require_any(deployed: Sequence[DeployedThreshold]) -> None:
    """Raise an error if no requested threshold is possible, stating what is needed."""
    if not deployed or any(one.sure is not None or one.distribution_free is not None for one in deployed):
        return
    one = min(deployed, key=lambda each: each.people_needed)
    if one.is_tied:
        raise DesignError(
            f"{CLOSEST_TIED(fmr=one.target_fmr)}.", "use scores with more digits.", source=one.algorithm
        )
    raise DesignError(
        f"no threshold guarantees a false match rate of {given(one.target_fmr)} with "
        f"{level(one.confidence_level)} confidence: {counted(one.n_subjects, 'person', 'people')} in "
        f"{counted(one.plain.counts.n_impostor, 'impostor comparison')} are too few.",
        f"{one.needed}; or use a larger target rate.",
        source=one.algorithm,
    )


def thresholds_of(
    scores: Verified,
    within: Experiment | Samples | None,
    fmrs: Sequence[float],
    confidence_level: float,
    *,
    check_orientation: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[DeployedThreshold, ...]:
    """Find the threshold of one algorithm for each false match rate, counting its comparisons once."""
    if isinstance(scores, Trials):
        rates, shared, compared = _of_list(scores, within)
    else:
        if within is None:
            within = scores.samples_by_label()
        pairs, rates = pairs_and_rates(scores, within, (), check_orientation, threads, progress)
        shared = Shared.of(scores, pairs, room_for_replicates(rates, max(fmrs)), threads)
        compared = compared_pairs(scores, within, rates.counts)
    sampling = sampled(scores, within)
    return tuple(_deployed(rates, shared, compared, asked, confidence_level, sampling) for asked in fmrs)


def _of_list(trials: Trials, within: Experiment | Samples | None) -> tuple[ErrorRates, Shared, Compared]:
    if isinstance(within, Experiment):
        raise UsageError(
            f"{trials.name} is a list of comparisons, which cannot be used within an experiment.",
            "pass the samples table, or select the comparisons in the list.",
            source=Said(trials.name),
        )
    trials = with_people_of_mated(each_pair_once(trials if within is None else trials.with_samples(within)))
    rates = rates_of_list(trials)
    shared = shared_by(trials, 1.0 if rates.larger_is_closer else -1.0)
    if shared is None:
        raise DesignError(
            "the list has no subject IDs, so nothing can be concluded about new people.",
            "pass the samples table, or add the samples or subjects of both sides.",
            source=trials.name,
        )
    return rates, shared, compared_pairs(trials, None, rates.counts)


def _deployed(
    rates: ErrorRates,
    shared: Shared,
    compared: Compared,
    asked: float,
    confidence_level: float,
    sampling: tuple[SampledColumn, ...],
) -> DeployedThreshold:
    sign = 1.0 if rates.larger_is_closer else -1.0
    most = rates.allowed_at(asked)
    near = _closest(shared, most)
    path = BoundPath.of(near.first, near.second, near.tail, near.comparisons, confidence_level)
    units = _disjoint(near.comparisons)
    allowed = path.allowed(asked)
    freely = None if units is None else path.allowed_freely(asked, units, confidence_level)
    rates = admitting(rates, shared.tail, {most, allowed, freely or 0})
    plain = rates.at_fmr(asked)
    sure = rates.at_false_matches(allowed, asked) if allowed or freely is not None else None
    free = None if freely is None else rates.at_false_matches(freely, asked)
    chosen = [plain, *(one for one in (sure, free) if one is not None and one.threshold is not None)]
    # Thresholds are chosen for the target; their rates are evaluated at the thresholds.
    made = {
        at: point_among(at_threshold(rates.algorithm, at, sign, near, confidence_level), sampling)
        for at in chosen
    }
    kept = None if sure is None else made.get(sure)
    drawn = thinned(len(path.errors), _MOST_POINTS)
    return DeployedThreshold(
        rates.algorithm,
        asked,
        confidence_level,
        made[plain],
        kept,
        None if kept is None else _bound_at(path, kept.counts.false_matches, units, confidence_level),
        None if free is None else made.get(free),
        near.comparisons.n_subjects,
        *_needed(near.comparisons, asked, confidence_level),
        among(_ANSWERS, sampling),
        rates.notes,
        compared,
        rates.larger_is_closer,
        sign * path.closeness[drawn],
        path.rate[drawn],
        path.bound[drawn],
    )


def thinned(n: int, most: int) -> npt.NDArray[np.int64]:
    """Choose the points of a curve to draw, more densely at few false matches."""
    if n <= most:
        return np.arange(n, dtype=np.int64)
    return np.unique(np.round(np.geomspace(1, n, most)).astype(np.int64)) - 1


def _closest(shared: Shared, most: int) -> Shared:
    """The comparisons with only the `most` closest impostors, and those tied with the last."""
    if len(shared.tail) <= most:
        return shared
    return shared.reaching(float(np.partition(shared.tail, -max(most, 1))[-max(most, 1)]))


def _bound_at(path: BoundPath, errors: int, units: int | None, confidence: float) -> float:
    """The bound at a threshold with a number of false matches; for none, the bound for one or for disjoint pairs of people."""
    place = int(np.searchsorted(path.errors, max(errors, 1)))
    least = float(path.bound[place]) if place < len(path.bound) else 1.0
    if errors == 0 and units:
        least = min(least, -float(np.expm1(log1p(-confidence) / units)))
    return least


def _disjoint(comparisons: Meetings) -> int | None:
    """The number of disjoint pairs of people if all pairs are compared; otherwise None."""
    people = int(np.count_nonzero(comparisons.n_partners))
    return people // 2 if people > 1 and comparisons.n_pairs == people * (people - 1) // 2 else None


_COUNTLESS = 1e18  # more comparisons than are feasible


def _needed(comparisons: Meetings, asked: float, confidence: float) -> tuple[int, int, int]:
    """People and comparisons needed to allow one false match, and people for which none suffices under any distribution.

    One false match in n has a bound of about exp(t)/n, with t Student's quantile with two degrees of freedom (two people are involved).
    """
    pairs = ceil(min(exp(float(t_inverse(FEWEST_CARRIERS, confidence))) / asked, _COUNTLESS))
    each = comparisons.n_impostor / max(comparisons.n_pairs, 1)
    free = 2 * ceil(min(log(1 - confidence) / log1p(-asked), _COUNTLESS))
    return ceil(0.5 + sqrt(0.25 + 2 * pairs / each)), pairs, free
