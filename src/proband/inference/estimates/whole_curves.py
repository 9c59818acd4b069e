"""Every rank of a curve at once: what its intervals rest on, and a band that holds the whole of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import numpy as np

from proband.inference.estimates.weighting import (
    BY_DEFAULT,
    PeopleSums,
    RatesOfPeople,
    Supposed,
    moderated,
    rates_of_people,
)
from proband.inference.proportions import normal_quantile, t_quantiles
from proband.inference.strata.bands import earlier_of_same
from proband.measures import Outcomes
from proband.measures.base import Weights
from proband.measures.tallies import Floats

_AT_ONCE = 2**20  # numbers of one block of ranks
_HALVINGS = 60
_DRAWS, _POINTS = 1_000, 1_000  # of independent probes; what they need hardly grows beyond so many


def rates_by_rank(
    outcomes: Outcomes,
    last: int,
    weights: Weights = "probe",
    supposed: Supposed = BY_DEFAULT,
    at_once: bool = False,
    population: int | None = None,
) -> RatesOfPeople:
    """Find the rates at ranks 1 … last with what their intervals rest on (`rates_of_people`), at each or at once (`moderated`)."""

    def found(sums: PeopleSums) -> RatesOfPeople:
        made = rates_of_people(sums, weights, population, supposed)
        return moderated(sums, made, weights) if at_once and sums.n_people < sums.n_probes else made

    if outcomes.fractional:
        rows = (PeopleSums.of(outcomes.success(t)[None], outcomes.subjects) for t in range(1, last + 1))
        return _joined([found(one) for one in rows])
    ranked = np.flatnonzero(np.isfinite(outcomes.ranks))
    order = ranked[np.argsort(outcomes.ranks[ranked], kind="stable")]
    came_in = np.searchsorted(outcomes.ranks[order], np.arange(1, last + 1), side="right")
    changes, place = np.unique(came_in, return_inverse=True)
    joined = _joined([found(one) for one in _sums(outcomes, order, changes)])
    return RatesOfPeople(*(getattr(joined, one.name)[place] for one in fields(joined)))


def _joined(parts: list[RatesOfPeople]) -> RatesOfPeople:
    return RatesOfPeople(
        *(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(RatesOfPeople))
    )


def _sums(
    outcomes: Outcomes,
    order: np.ndarray[tuple[int], np.dtype[np.intp]],
    changes: np.ndarray[tuple[int], np.dtype[np.intp]],
) -> Iterator[PeopleSums]:
    """What people miss once the first so many probes have come in, in blocks: a probe lessens what its person misses by one."""
    codes = np.unique(outcomes.subjects, return_inverse=True)[1]
    probes = np.bincount(codes)
    sizes, group = np.unique(probes, return_inverse=True)
    people = np.bincount(group).astype(np.float64)
    own = codes[order]
    before = probes[own] - earlier_of_same(own)
    at = np.searchsorted(changes, np.arange(1, len(order) + 1))  # the change that brings it in
    powers = np.arange(1, 5)[:, None]
    standing = people * sizes.astype(np.float64) ** powers
    block = max(1, _AT_ONCE // len(sizes))
    for first in range(0, len(changes), block):
        steps = np.zeros((4, min(block, len(changes) - first), len(sizes)))
        mine = slice(*np.searchsorted(at, [first, first + steps.shape[1]]))
        gone = (before[mine] - 1) ** powers - before[mine] ** powers
        for sums, step in zip(steps, gone, strict=True):
            np.add.at(sums, (at[mine] - first, group[own[mine]]), step)
        missed = standing[:, None] + steps.cumsum(axis=1)
        standing = missed[:, -1]
        yield PeopleSums(sizes.astype(np.float64), people, missed, missed[0])


def berk_jones_band(
    values: Floats, found: RatesOfPeople, replicates: Floats, confidence_level: float
) -> tuple[Floats, Floats]:
    """Find a band that holds the whole curve at once (after Berk & Jones 1979).

    It holds every curve F with n_τ KL(ρ_τ, F_τ) ≤ c at all ranks τ, KL the divergence of two coins, n_τ the effective size at that
    rank (`moderated`). c is the quantile over bootstrap replicates ρ* of max_τ n_τ KL(ρ*_τ, ρ_τ), and at least
    what as many independent probes need from ρ_1 upward, which replicates cannot show where the curve nears 1; times (t/z)² for
    the degrees of freedom of n_τ. A curve without a miss needs −ln(1 − level): K people who are all found leave F ≥ (1 −
    level)^(1/K). As the curve does, the ends never fall.
    """
    inner = (values > 0) & (values < 1)
    n = found.effective_n
    reach = -np.log(1 - confidence_level)
    if inner.any():
        largest = (n[inner] * _divergence(replicates[:, inner], values[inner])).max(axis=1)
        needed = _independent_reach(float(n[0]), float(values[0]), confidence_level)
        reach = max(reach, needed, float(np.quantile(largest, confidence_level)))
    wider = (t_quantiles(confidence_level, found.freedom) / normal_quantile(confidence_level)) ** 2
    limit = np.where(found.varies.any(), reach * wider, reach) / n
    low = _where_divergence_is(values, limit, np.zeros_like(values))
    high = _where_divergence_is(values, limit, np.ones_like(values))
    return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]


def _independent_reach(n: float, start: float, confidence_level: float) -> float:
    """The quantile of the largest n KL(F_n(u), u) over u ≥ start, F_n the share of n uniform numbers up to u."""
    points = int(min(max(round(n), 2), _POINTS))
    drawn = np.sort(np.random.default_rng(0).random((_DRAWS, points)), axis=1)
    upto = np.arange(1, points + 1) / points
    apart = np.maximum(_divergence(upto, drawn), _divergence(upto - 1 / points, drawn))
    at_start = _divergence((drawn <= start).mean(axis=1), np.full(_DRAWS, start))
    largest = np.maximum(np.where(drawn >= start, apart, 0.0).max(axis=1), at_start)
    return float(points * np.quantile(largest, confidence_level))


def _divergence(seen: Floats, truth: Floats) -> Floats:
    """KL of a coin that was seen from one that is supposed; infinite where that cannot show what was seen."""
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [np.where(s > 0, s * np.log(s / t), 0.0) for s, t in ((seen, truth), (1 - seen, 1 - truth))]
    return parts[0] + parts[1]


def _where_divergence_is(values: Floats, limit: Floats, end: Floats) -> Floats:
    """The truth between a value and an end whose divergence is the limit, by halving; the end where it never is."""
    inside, outside = values, end
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        held = _divergence(values, middle) <= limit
        inside, outside = np.where(held, middle, inside), np.where(held, outside, middle)
    return np.where(np.isfinite(limit), np.where(values == end, end, inside), end)
