"""Operating points: which were asked for, how far impostors are needed for them, and their intervals over people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np
import numpy.typing as npt

from proband.inference.verification.intervals.dyadic_auc import AucInterval
from proband.inference.verification.intervals.dyadic_bootstrap import interval_anew
from proband.inference.verification.intervals.dyadic_rates import naive_interval
from proband.inference.verification.intervals.equal_error import equal_error_interval
from proband.inference.verification.people.drawings import Drawings
from proband.inference.verification.results import Verification, VerificationPoint
from proband.inference.verification.shared import Shared
from proband.measures.pairs.counts import PairCounts
from proband.measures.verification import SUPPORTED, ErrorRates, OperatingPoint
from proband.words import Note, Sentence

Floats = npt.NDArray[np.float64]
FMRS = (1e-2, 1e-3, 1e-4)
N_RESAMPLES = 2_000
"""Drawings of people for FNMR at a false match rate, wherever it is estimated or compared."""
_TOO_MANY = Sentence(
    "verification.too-many-to-share",
    "note",
    "{which}: no interval, since {n:count impostor comparison} are too many to find which people they share",
)
_BEYOND = Sentence(
    "verification.target-beyond-data",
    "caution",
    "with {n:count impostor comparison}, a target FMR below {least:small} allows no false match: FNMR there is at the smallest FMR that "
    "these comparisons can show, not at the target",
)
CLOSEST_TIED = Sentence(
    "verification.closest-tied",
    "caution",
    "the closest impostor scores are equal, and more of them than a target FMR of {fmr:given} allows: a threshold that keeps it admits none",
)
_LEAST_TAIL = 500_000  # impostor comparisons that replicates can always reach back to


def with_summaries(
    found: Verification, shared: Shared, area: AucInterval | None, *, eer: bool = True
) -> Verification:
    """Give the equal error rate and the area their intervals over people, or say why they have none."""
    rates, level = found.rates, found.confidence_level
    crossing = None
    if eer:
        sign = 1.0 if rates.larger_is_closer else -1.0
        at = rates.eer()
        closeness = closeness_of(at.threshold, sign)
        accepted = shared.tail >= closeness
        crossing = equal_error_interval(
            at.value,
            rates.curve,
            (shared.genuine_people, shared.genuine < closeness),
            (shared.first[accepted], shared.second[accepted]),
            shared.comparisons,
            level,
        )
    notes = [
        _TOO_MANY(which=name, n=rates.counts.n_impostor)
        for name, made in (("EER", crossing), ("AUC", area))
        if made is None
    ]
    return replace(found, eer_interval=crossing, auc_interval=area, notes=(*found.notes, *notes))


def closeness_of(threshold: float | None, sign: float) -> float:
    """Return a threshold as closeness, which grows with likeness; infinite where everything is rejected."""
    return np.inf if threshold is None else sign * threshold


def points_of(rates: ErrorRates, fmrs: Sequence[float], thresholds: Sequence[float]) -> list[OperatingPoint]:
    """Find the operating points that were asked for."""
    return [*(rates.at_fmr(fmr) for fmr in fmrs), *(rates.at_threshold(t) for t in thresholds)]


def beyond_data(rates: ErrorRates, fmrs: Sequence[float]) -> list[Note]:
    """Say where a false match rate is asked for that so few comparisons cannot show, or that tied scores keep from being used."""
    n = rates.counts.n_impostor
    beyond = [] if all(map(rates.allowed_at, fmrs)) else [_BEYOND(n=n, least=1 / n)]
    tied = [fmr for fmr in fmrs if rates.allowed_at(fmr) and not rates.at_fmr(fmr).false_matches]
    return [*beyond, *(CLOSEST_TIED(fmr=fmr) for fmr in tied[:1])]


def loosest_of(
    rates: ErrorRates, fmrs: Sequence[float], thresholds: Sequence[float], *, replicated: bool
) -> float:
    """Find the closeness down to which impostors are needed: for the thresholds, for those of false match rates, and for replicates."""
    sign = 1.0 if rates.larger_is_closer else -1.0
    reached = [sign * one for one in thresholds]
    reached += [rates.counts.closeness_to_admit(rates.allowed_at(fmr)) for fmr in fmrs]
    if replicated and fmrs:
        # Replicates move the threshold both ways, so some more of the tail is needed than the points themselves use.
        reached.append(room_for_replicates(rates, max(fmrs)))
    return min(reached)


def room_for_replicates(rates: ErrorRates, fmr: float) -> float:
    """Find a closeness that at least four times as many impostors reach as the FMR allows, and some hundred thousand in any case."""
    counts = rates.counts
    return counts.closeness_reached_by(max(ceil(4 * fmr * counts.n_impostor), _LEAST_TAIL))


def room_for_thirty(counts: PairCounts) -> float:
    """Find a closeness that thirty impostors reach, to see how alike they are; infinite where too many are tied there."""
    at, binned = counts.closeness_reached_by(SUPPORTED), counts.histogram
    first = max(int(np.searchsorted(binned.edges, at, side="right")) - 1, 0)
    return at if binned.impostor[first:].sum() <= _LEAST_TAIL else np.inf


def with_intervals(
    points: Sequence[OperatingPoint],
    sign: float,
    shared: Shared,
    level: float,
    n_resamples: int,
    naive: bool,
    drawings: Drawings,
    threads: int | None = None,
) -> tuple[VerificationPoint, ...]:
    """Give points their intervals over people, all under the same drawings of them."""
    asked = (
        [one.asked for one in points if one.asked is not None and one.false_matches] if n_resamples else []
    )
    drawn = dict(zip(asked, shared.fnmr_replicates(asked, n_resamples, drawings, threads), strict=True))
    return tuple(
        _with_intervals(one, sign, shared, level, naive, None if one.asked is None else drawn.get(one.asked))
        for one in points
    )


def _with_intervals(
    point: OperatingPoint, sign: float, shared: Shared, level: float, naive: bool, replicates: Floats | None
) -> VerificationPoint:
    threshold = closeness_of(point.threshold, sign)
    fmr, fnmr = shared.fmr_at(threshold, level), shared.fnmr_at(threshold, level)
    anew = None if replicates is None else interval_anew(fnmr, replicates)
    plain = None
    if naive:
        plain = (
            naive_interval(point.false_matches, point.n_impostor, level, shared.comparisons.n_subjects),
            naive_interval(point.false_non_matches, point.n_genuine, level, shared.comparisons.n_subjects),
        )
    return VerificationPoint(point, fmr, fnmr, anew, plain, replicates)
