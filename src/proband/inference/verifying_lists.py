"""Verification of lists of comparisons that make no matrix: rates exactly, and intervals as far as the list tells who is who."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import polars as pl

from proband.errors import InputError
from proband.inference.dyadic import RateInterval, false_non_match_rate, naive_interval
from proband.inference.proportions import check_level
from proband.inference.verifying import FMRS, Verification, VerificationPoint
from proband.measures.pair_counts import count_trials
from proband.measures.results import Answers
from proband.measures.verification import ErrorRates, OperatingPoint
from proband.scores.trials import Trials

_REVERSED = 3.0  # standard errors below one half


def verify_list(
    trials: Trials,
    *,
    fmrs: Sequence[float] = FMRS,
    thresholds: Sequence[float] = (),
    confidence_level: float = 0.95,
    check_orientation: bool = True,
) -> Verification:
    """Count a list of comparisons, each with or without a name for its query.

    Who meets whom how often is not known of a list, so the interval of FMR is the naive one, and says so. FNMR is over people
    where the list names them.
    """
    check_level(confidence_level)
    sign = 1.0 if trials.orientation == "similarity" else -1.0
    counts = count_trials(trials, [sign * t for t in thresholds])
    rates = ErrorRates(trials.name, sign > 0, counts, (*trials.notes, *counts.notes))
    if check_orientation:
        _require_orientation(trials, rates)
    made = tuple(
        VerificationPoint(
            point,
            naive_interval(point.false_matches, point.n_impostor, confidence_level),
            _fnmr(trials, point, sign, confidence_level),
            None,
            None,
        )
        for point in [*(rates.at_fmr(fmr) for fmr in fmrs), *(rates.at_threshold(t) for t in thresholds)]
    )
    people = set(trials.frame["target_subject"].drop_nulls()) | set(
        trials.frame["query_subject"].drop_nulls()
    )
    answers = Answers(
        "false match and false non-match rates",
        "other comparisons (FMR), other people (FNMR)",
        "the algorithm and the threshold",
        "impostor comparisons are independent, which they are not: the interval of FMR is too narrow",
    )
    return Verification(rates, made, len(people), confidence_level, answers, rates.notes)


def _fnmr(trials: Trials, point: OperatingPoint, sign: float, level: float) -> RateInterval:
    genuine = trials.frame.filter(pl.col("mated") & ~pl.col("failed"))
    closeness = sign * genuine["score"].to_numpy()
    missed = closeness < (np.inf if point.threshold is None else sign * point.threshold)
    whose = genuine["target_subject"].fill_null(genuine["query_subject"])
    if whose.null_count() or len(missed) != point.n_genuine:
        return naive_interval(point.false_non_matches, point.n_genuine, level)
    return false_non_match_rate(
        np.unique(whose.to_numpy(), return_inverse=True)[1], missed.astype(np.float64), level
    )


def _require_orientation(trials: Trials, rates: ErrorRates) -> None:
    """Refuse scores that look reversed beyond chance, with people (or else genuine comparisons) as units."""
    auc = rates.auc()
    named = trials.frame.filter(pl.col("mated"))["target_subject"]
    units = named.n_unique() if named.null_count() == 0 else rates.counts.n_genuine
    if auc < 0.5 - _REVERSED * sqrt(1 / (12 * max(units, 1))):
        other = "distance" if trials.orientation == "similarity" else "similarity"
        raise InputError(
            f"{trials.name}: read as a {trials.orientation}, genuine comparisons look worse than impostor ones (AUC {auc:.3f}).",
            f"declare --orientation {other}; or, if this algorithm really is worse than chance, --no-orientation-check.",
        )
