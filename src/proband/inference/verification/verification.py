"""Verification with intervals that account for shared people: error rates at thresholds, and FNMR at a fixed FMR."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from proband.engine import Engine, Progress, Silent, on_engine
from proband.engine.arguments import published
from proband.engine.limits import Level, Replicates, Seed, TargetFalseMatchRate, Threads
from proband.errors import AlignmentError, DesignError, Hint, Said, UsageError
from proband.inference.proportions import check_seed
from proband.inference.verification.groups import error_rates_by
from proband.inference.verification.intervals.dyadic_auc import auc_interval_of_sums
from proband.inference.verification.lists import verify_list
from proband.inference.verification.people.drawings import Drawings
from proband.inference.verification.people.supposed import NOTHING_LENT, Lent
from proband.inference.verification.points import (
    FMRS,
    N_RESAMPLES,
    THINNED,
    admitting_each,
    beyond_data,
    closeness_of,
    loosest_of,
    points_of,
    room_for_replicates,
    room_for_thirty,
    summaries,
    with_intervals,
)
from proband.inference.verification.results import OVER_PEOPLE, Verification, verification_among
from proband.inference.verification.shared import LARGEST_TAIL, Shared
from proband.inference.verification.thinned import KEPT
from proband.measures.pair_measures import compared_pairs
from proband.measures.pairs.counts import count_pairs, genuine_pairs
from proband.measures.pairs.pair_set import Codes, PairSet
from proband.measures.pairs.placements import placements
from proband.measures.verification import ErrorRates, admitting
from proband.results.estimate import Estimate
from proband.results.several import Several
from proband.samples import Experiment, Samples
from proband.scores import Scores, experiment_over, require_orientation
from proband.scores.base import Orientation
from proband.scores.sampling import sampled
from proband.scores.scored_pairs import PairScores, Sides, scored_pairs
from proband.scores.several import by_name
from proband.scores.trials import Trials
from proband.words import Note

Floats = npt.NDArray[np.float64]
Made = TypeVar("Made")

_MOST_FOR_AREA = (
    1_000_000_000  # impostor comparisons placed among the genuine ones for the interval of the AUC
)
_MOST_FOR_EER = 5_000_000  # false matches at the equal error rate kept for its interval


@overload
def verify(
    scores: Scores | Trials,
    experiment: Experiment | Samples | None = None,
    *,
    fmr: float | Sequence[float] = ...,
    thresholds: Sequence[float] = ...,
    confidence_level: float = ...,
    n_resamples: Replicates = ...,
    naive: bool = ...,
    by: str | Sequence[str] = ...,
    seed: int | Drawings = ...,
    check_orientation: bool = ...,
    threads: int | None = ...,
    progress: Progress | None = ...,
    engine: Engine = ...,
) -> Verification: ...


@overload
def verify(
    scores: Sequence[Scores | Trials] | Mapping[str, Scores | Trials],
    experiment: Experiment | Samples | None = None,
    *,
    fmr: float | Sequence[float] = ...,
    thresholds: Sequence[float] = ...,
    confidence_level: float = ...,
    n_resamples: Replicates = ...,
    naive: bool = ...,
    by: str | Sequence[str] = ...,
    seed: int | Drawings = ...,
    check_orientation: bool = ...,
    threads: int | None = ...,
    progress: Progress | None = ...,
    engine: Engine = ...,
) -> Several[str, Verification]: ...


@published
@on_engine
def verify(
    scores: Scores | Trials | Sequence[Scores | Trials] | Mapping[str, Scores | Trials],
    experiment: Experiment | Samples | None = None,
    *,
    fmr: TargetFalseMatchRate | Sequence[TargetFalseMatchRate] = FMRS,
    thresholds: Sequence[float] = (),
    confidence_level: Level = 0.95,
    n_resamples: Replicates = N_RESAMPLES,
    naive: bool = False,
    by: str | Sequence[str] = (),
    seed: Seed | Drawings = 0,
    check_orientation: bool = True,
    threads: Threads | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> Verification | Several[str, Verification]:
    """Count every comparison exactly once, and estimate error rates with intervals for new people.

    At each operating point: FMR and FNMR at that threshold, with intervals over people (`false_match_rate`,
    `false_non_match_rate`); and FNMR at the target FMR, with the threshold re-estimated in every resample of people
    (`interval_anew`). The equal error rate and the area under the ROC have intervals over people as well
    (`equal_error_interval`, `auc_interval`).

    Parameters
    ----------
    scores
        Scores of queries × targets, or a list of comparisons (`Trials`), for one or several algorithms; a mapping gives their
        names.
    experiment
        An experiment (probes against the gallery), or the samples table: then every query is compared with every target, except
        repeated pairs and samples with themselves. A list is used as it is; the table provides the subjects of its samples and
        is not needed if the list has subject IDs.
    fmr, thresholds
        The operating points: false match rates, or thresholds.
    n_resamples
        Resamples of people for FNMR at a target FMR, with the threshold re-estimated in each; 0 for none.
    naive
        Whether to add intervals that treat comparisons as independent, labelled as such.
    by
        Columns of groups for which error rates are also computed, at the threshold of the first operating point:
        `Verification.groups`.
    seed
        The seed of replicates, or resamples of people that are shared with other measurements.
    confidence_level
        The level of all intervals.
    check_orientation
        Whether scores that look reversed raise an error.
    threads, progress, engine
        The number of threads, the progress callback, and where computations run.

    Returns
    -------
    Verification or Several
        Error rates at every operating point, EER and AUC, with intervals; for several algorithms, one for each.

    Examples
    --------
    Six people with two images each; the images of person a are dissimilar, and a's first image is similar to b's.

    >>> ids = [f"{person}{image}" for person in "abcdef" for image in "12"]
    >>> samples = Samples({"id": ids, "subject": [name[0] for name in ids]})
    >>> same = np.array([[x[0] == y[0] for y in ids] for x in ids], dtype=float)
    >>> same[0, 1] = same[1, 0] = 0.0
    >>> same[0, 2] = same[2, 0] = 1.0
    >>> result = verify(Scores.from_array(same, ids, orientation="similarity", name="net"), samples, fmr=0.05, n_resamples=0)
    >>> (point,) = result.points
    >>> fmr, fnmr = point.fmr.rests_on, point.fnmr.rests_on
    >>> fmr.events, fmr.n, fnmr.events, fnmr.n, result.n_subjects
    (1, 60, 1, 6, 6)
    >>> point.fnmr.measure, round(result.eer.value, 4)
    ('fnmr@0.05', 0.0917)
    """
    drawings = seed if isinstance(seed, Drawings) else Drawings(seed)
    check_seed(drawings.seed)
    fmrs = (fmr,) if isinstance(fmr, int | float) else tuple(fmr)
    asked: dict[str, Any] = {
        "fmrs": fmrs, "thresholds": thresholds, "confidence_level": confidence_level, "n_resamples": n_resamples, "naive": naive,
        "by": (by,) if isinstance(by, str) else tuple(by), "drawings": drawings, "check_orientation": check_orientation,
        "threads": threads, "progress": progress,
    }  # fmt: skip
    if isinstance(scores, Scores | Trials):
        return verify_one(scores, experiment, **asked)
    named = by_name(scores)
    making = [partial(verify_one, algorithm, experiment, **asked) for algorithm in named.values()]
    return Several(zip(named, beside_each_other(making, lambda made: made), strict=True))


def verify_one(
    scores: Scores | Trials,
    within: Experiment | Samples | None,
    lent: Lent = NOTHING_LENT,
    *,
    fmrs: Sequence[float],
    thresholds: Sequence[float],
    confidence_level: float,
    n_resamples: int,
    naive: bool,
    drawings: Drawings,
    check_orientation: bool = True,
    by: Sequence[str] = (),
    threads: int | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Verify one algorithm, which may borrow the correlation of comparisons from others."""
    if not fmrs and not thresholds:
        raise UsageError("No operating point was given.", "pass false match rates or thresholds.")
    if isinstance(scores, Trials):
        if isinstance(within, Experiment):
            raise UsageError(
                f"{scores.name} is a list of comparisons, which cannot be used within an experiment.",
                "pass the samples table, or select the comparisons in the list.",
                source=Said(scores.name),
            )
        if by:
            raise UsageError(
                f"{scores.name} is a list of comparisons, but groups need scores of queries with targets.",
                Hint("leave {option:by} out, or select the comparisons of one group in the list."),
                source=Said(scores.name),
            )
        listed = scores if within is None else scores.with_samples(within)
        made = verify_list(
            listed, fmrs=fmrs, thresholds=thresholds,
            confidence_level=confidence_level, n_resamples=n_resamples, naive=naive, drawings=drawings, check_orientation=check_orientation,
            lent=lent,
        )  # fmt: skip
        return verification_among(made, listed.sampling)
    made, _ = verified(
        scores,
        within,
        fmrs,
        thresholds,
        confidence_level,
        n_resamples,
        naive,
        drawings,
        check_orientation,
        threads,
        progress,
        lent,
        thinning=True,
    )
    made = verification_among(made, sampled(scores, within))
    if not by:
        return made
    pairs, point = within if within is not None else _no_table(scores), made.points[0].counts
    groups = (
        error_rates_by(scores, pairs, column, point, confidence_level=confidence_level, seed=drawings.seed)
        for column in by
    )
    return replace(made, groups=tuple(groups))


def _no_table(scores: Scores) -> Samples:
    raise UsageError(
        f"{scores.name} has no samples table, so there are no columns to group by.",
        "pass the table after the scores: verify(scores, samples).",
        source=Said(scores.name),
    )


def verified(
    scores: Scores,
    within: Experiment | Samples | None,
    fmrs: Sequence[float],
    thresholds: Sequence[float],
    confidence_level: float,
    n_resamples: int,
    naive: bool,
    drawings: Drawings,
    check_orientation: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
    lent: Lent = NOTHING_LENT,
    *,
    thinning: bool = False,
) -> tuple[Verification, Shared]:
    """Compute the error rates of a matrix, and keep the comparisons behind them.

    With `thinning`, keep a subset if they are too many to list, which suffices for these intervals only.
    """
    if within is None:
        within = scores.samples_by_label()
    pairs, rates = pairs_and_rates(scores, within, thresholds, check_orientation, threads, progress)
    (progress or Silent()).begin(f"computing intervals for {scores.name}", 0)
    sign, counts = 1.0 if scores.larger_is_closer else -1.0, rates.counts
    loosest = loosest_of(rates, fmrs, thresholds, replicated=bool(n_resamples))
    crossing = closeness_of(rates.eer().threshold, sign)
    crossed = rates.eer().value * counts.n_impostor <= _MOST_FOR_EER
    own = genuine_pairs(scores, pairs, threads)
    area = _area(scores, pairs, own, rates, confidence_level, threads)
    reached = min(room_for_thirty(counts), crossing if crossed else np.inf)
    notes: tuple[Note, ...] = ()
    if thinning and counts.reaching(loosest)[0] > LARGEST_TAIL:
        everything = replace(Shared.of(scores, pairs, reached, threads, own), lent=lent)
        rates = admitting_each(rates, scores, pairs, fmrs, threads)
        points = points_of(rates, fmrs, thresholds)
        shared = everything.thinned_at(
            scores, pairs, [closeness_of(at.threshold, sign) for at in points],
            {fmr: room_for_replicates(rates, fmr) for fmr in fmrs if n_resamples},
            lambda closeness: counts.reaching(closeness)[1], threads,
        )  # fmt: skip
        notes = (THINNED(n=counts.reaching(loosest)[0], kept=KEPT),)
    else:
        everything = Shared.of(scores, pairs, min(loosest, reached), threads, own)
        everything = replace(everything, lent=lent)
        shared = everything.reaching(loosest)
        rates = admitting(rates, shared.tail, map(rates.allowed_at, fmrs))
        points = points_of(rates, fmrs, thresholds)
    made = with_intervals(
        rates.algorithm, points, sign, shared, confidence_level, n_resamples, naive, drawings, threads
    )
    whole = summaries(rates, everything, area, confidence_level, eer=crossed)
    verification = Verification(
        rates,
        made,
        whole.eer,
        whole.auc,
        shared.comparisons.n_subjects,
        confidence_level,
        OVER_PEOPLE,
        (*rates.notes, *beyond_data(rates, fmrs), *notes, *whole.notes),
        compared_pairs(scores, within, counts),
        whole.genuine_weight,
        alike=everything.alike,
    )
    return verification, shared


def _area(
    scores: Scores,
    pairs: PairSet,
    own: tuple[Codes, Floats],
    rates: ErrorRates,
    level: float,
    threads: int | None,
) -> Estimate | None:
    """The interval of the AUC from sums of placements; None for too many comparisons."""
    whose, genuine = own
    near, counts = pairs.acquired, rates.counts
    if near.n_shared and not near.symmetric:
        return None  # refused below, with the reason
    if counts.n_impostor > _MOST_FOR_AREA:
        return None
    sums = placements(scores, pairs, genuine, rates.auc(), threads)
    at = np.searchsorted(counts.edges, genuine)
    below = 1 - (counts.impostor_ge[at] + counts.impostor_gt[at]) / (2 * counts.n_impostor)
    return auc_interval_of_sums(rates.auc(), below, np.searchsorted(near.people, whose), sums, level)


def pairs_and_rates(
    scores: Scores,
    within: Experiment | Samples,
    thresholds: Sequence[float] = (),
    check_orientation: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[PairSet, ErrorRates]:
    """Count the comparisons of a matrix at every genuine score and at the thresholds, and return them."""
    if check_orientation:
        require_pair_orientation(scores, within)
    pairs = PairSet.of(scores, within)
    sign = 1.0 if scores.larger_is_closer else -1.0
    counts = count_pairs(scores, pairs, [sign * t for t in thresholds], threads=threads, progress=progress)
    return pairs, ErrorRates(scores.name, scores.larger_is_closer, counts, (*scores.notes, *pairs.notes))


def require_pair_orientation(scores: Scores, within: Experiment | Samples) -> None:
    """Refuse scores that look reversed, if anyone is compared with their own images."""
    if isinstance(within, Samples):
        shared = set(scores.queries) & set(scores.targets)
        try:
            within = experiment_over(
                [scores], within, gallery="one_per_subject" if shared else None, missing="drop"
            )
        except (DesignError, AlignmentError):
            return  # nobody has two images; error rates will raise this
    if within.mated.any():
        require_orientation(scores, within)


def beside_each_other(
    making: Sequence[Callable[[Lent], Made]], of: Callable[[Made], Verification]
) -> list[Made]:
    """Verify algorithms, and repeat those that can borrow the correlation of comparisons from others.

    It cannot be estimated for a rate with fewer than two errors, nor from an algorithm with tied or fewer than thirty scores.

    Parameters
    ----------
    making
        Functions that verify each algorithm, given what it may borrow.
    of
        A function that returns the error rates of a result.
    """
    made = [make(NOTHING_LENT) for make in making]
    lent = Lent.by(of(one).alike for one in made)
    return [make(lent) if of(one)._may_borrow(lent) else one for make, one in zip(making, made, strict=True)]


@published
def verify_pairs(
    mated: Any,
    scores: PairScores,
    *,
    people: Sides | None = None,
    samples: Sides | None = None,
    orientation: Orientation,
    mated_is: str | None = None,
    fmr: TargetFalseMatchRate | Sequence[TargetFalseMatchRate] = FMRS,
    thresholds: Sequence[float] = (),
    confidence_level: Level = 0.95,
    n_resamples: Replicates = N_RESAMPLES,
    naive: bool = False,
    seed: Seed = 0,
    check_orientation: bool = True,
    name: str = "scores",
) -> Verification | Several[str, Verification]:
    """Estimate error rates of scored pairs, from a mated flag and a score for each.

    With `people`, intervals are for new people and account for pairs that share people, as in `verify`. With `samples` only,
    samples joined by mated pairs are assigned to one person. With neither, pairs are assumed independent (Wilson 1927), with a
    note.

    Parameters
    ----------
    mated, scores, people, samples, orientation, mated_is, name
        As in `scored_pairs`: arrays, lists, columns of pandas or polars, tensors. Scores may be a mapping from algorithms; the
        result is then one for each.
    fmr, thresholds, confidence_level, n_resamples, naive, seed, check_orientation
        As in `verify`.

    Returns
    -------
    Verification or Several
        Error rates, EER and AUC with intervals; for several algorithms, one for each.

    Examples
    --------
    Two of ten impostor pairs reach 0.5. Wilson's interval of 2 in 10:

    >>> mated = [1] * 10 + [0] * 10
    >>> score = [0.9] * 9 + [0.4] + [0.6] * 2 + [0.1] * 8
    >>> (point,) = verify_pairs(mated, score, orientation="similarity", fmr=(), thresholds=[0.5]).points
    >>> point.fmr.value, round(point.fmr.low, 4), round(point.fmr.high, 4), point.fnmr.value
    (0.2, 0.0567, 0.5098, 0.1)
    """
    lists = scored_pairs(
        mated,
        scores,
        people=people,
        samples=samples,
        orientation=orientation,
        mated_is=mated_is,
        name=name,
    )
    asked: Any = lists if isinstance(scores, Mapping) else lists[name]
    results: Verification | Several[str, Verification] = verify(
        asked,
        fmr=fmr,
        thresholds=thresholds,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        naive=naive,
        seed=seed,
        check_orientation=check_orientation,
    )
    return results
