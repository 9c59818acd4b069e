"""Any measure of two algorithms on the same probes: outcomes drawn anew for the interval, and swapped for the test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.designs import Reweighting
from proband.designs.base import BLOCK
from proband.errors import DesignError
from proband.inference.comparisons.paired import Pair, Tested, joined, joint_of
from proband.inference.comparisons.testing.curves import Percentiles
from proband.inference.comparisons.testing.sign_flip import Flips
from proband.inference.comparisons.testing.tails import beyond, has_spread
from proband.inference.estimates.bootstrap import replicate_interval, units_of
from proband.inference.estimates.case import cases_of, estimate_from
from proband.inference.procedures import Joint, Question
from proband.measures import Outcomes
from proband.measures.tallies import Tally
from proband.results.base import Interval
from proband.words import Method, count

Floats = npt.NDArray[np.float64]
_SWAPS = 9_999


def resampled(question: Question) -> Joint:
    """Compare any measure under reweighted units, with a test that swaps two algorithms' outcomes unit by unit.

    Units (people by default) vary; algorithms and gallery stay. The interval is the percentiles of the paired differences over
    replicates (Efron 1979). The test is Fisher's (1935): if neither is better, outcomes of a unit could as well have been the
    other's, so p = (1 + how many of 9,999 random swaps differ as much)/10,000. Where all replicates are alike, such as medians far
    apart, swaps are measured by the mean logarithm of ranks, and the interval holds what the difference could be if people who were
    not seen, as many as their number allows, were like those in whom it is smallest or largest.
    """
    design: Reweighting = question.design
    outcomes, measure = question.outcomes, question.measure
    units = units_of(outcomes[0], design)
    n = int(units.max()) + 1
    tallies = [measure.tally(one, units) for one in outcomes]
    drawn = [[one.values(weights) for one in tallies] for weights in design.weights(n, question.seed)]
    replicates = np.stack([np.concatenate(one) for one in zip(*drawn, strict=True)])
    alone = replace(question, why=())
    each = tuple(
        # Single probes have a shortcut of their own.
        estimate_from(
            alone,
            case,
            replicate_interval(design, case, None if design.over_probes else drawn),
            replicate_interval,
        )
        for case, drawn in zip(cases_of(question), zip(tallies, replicates, strict=True), strict=True)
    )
    places = {one.algorithm: place for place, one in enumerate(outcomes)}

    shared = None if measure.in_points or len(outcomes) < 3 else _turned(outcomes, units, question.seed)

    def test(design: Reweighting, pair: Pair) -> Tested:
        a, b = places[pair.first.algorithm], places[pair.second.algorithm]
        with np.errstate(invalid="ignore"):  # of two that are infinite the difference is none, and is refused
            difference, draws = float(tallies[a].value() - tallies[b].value()), replicates[a] - replicates[b]
        found = _swapped_pair(design, pair, units, difference, draws)
        return found if shared is None else replace(found, statistics=shared.sizes_of(a, b))

    return joint_of(question, each, test)


def _turned(outcomes: Sequence[Outcomes], units: npt.NDArray[np.intp], seed: int) -> Flips:
    """Units' mean logarithms of ranks under random signs: medians jump, and tell too little of how comparisons hang together."""
    ranks = np.stack([one.ranks for one in outcomes])
    last = ranks[np.isfinite(ranks)].max(initial=1.0) + 1
    logs = np.log(np.where(np.isfinite(ranks), ranks, last))
    means = np.column_stack([np.bincount(units, weights=row) / np.bincount(units) for row in logs])
    return Flips.of(means, np.ones(len(means)), seed)


def _swapped_pair(
    design: Reweighting, pair: Pair, units: npt.NDArray[np.intp], difference: float, draws: Floats
) -> Tested:
    n = int(units.max()) + 1
    if not np.isfinite(draws).all():
        raise DesignError(
            f"The difference of the {pair.measure.estimand} is infinite in some replicates.",
            "use a measure that is always finite, such as median-rank@50, which censors ranks.",
        )
    swapped = Method(
        "swapped",
        f"permutation of outcomes by {design.unit} ({count(_SWAPS)} permutations)",
        "a permutation test that swaps the algorithms' outcomes",
        ("fisher1935",),
        draws=_SWAPS,
    )
    both = pair.measure.tally(_stacked(pair.first, pair.second), np.concatenate([units, units + n]))
    if has_spread(draws) or pair.measure.in_points:
        curve = Percentiles(difference, draws, _swapped(both, difference, n, pair.seed), n)
    else:
        flipped = _turned([pair.first, pair.second], units, pair.seed).p_value(0, 1, 0.0)
        curve = Percentiles(difference, draws, flipped, n, _among_others(both, n))
    return Tested(
        difference=difference,
        curve=curve,
        standard_error=float(draws.std(ddof=1)),
        # Percentiles of B draws tell no p-value below 2/(B + 1).
        method=replace(
            joined(swapped, design.by_percentiles.as_method), draws=min(_SWAPS, (len(draws) - 1) // 2)
        ),
        statistics=np.abs(draws - draws.mean()),
    )


def _stacked(first: Outcomes, second: Outcomes) -> Outcomes:
    """Both algorithms' outcomes as if of one, so that one tally holds both."""
    names = ("probes", "closer", "tied", "best_mates", "failed")
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(first, name), getattr(second, name)]) for name in names
    }
    return replace(first, **joined)


def _differences(both: Tally, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> Floats:
    """The measure of one algorithm less that of the other, unit by unit.

    One takes its own outcome of a unit `first` times and the other's `second` times; the other the other way round.
    """
    return both.values(np.hstack([first, second])) - both.values(np.hstack([second, first]))


def _swapped(both: Tally, observed: float, n: int, seed: int) -> float:
    """How often swapping the algorithms' outcomes at random gives as large a difference."""
    slack = 1e-12 * max(1.0, abs(observed))
    as_large, squares = 0, 0.0
    for block, done in enumerate(range(0, _SWAPS, BLOCK)):
        rng = np.random.default_rng([seed, block, 1])
        kept = rng.integers(0, 2, (min(BLOCK, _SWAPS - done), n))
        sizes = np.abs(_differences(both, kept, 1 - kept))
        as_large += int((sizes >= abs(observed) - slack).sum())
        squares += float(sizes @ sizes)
    if not as_large and squares > 0:
        return beyond(abs(observed) / (squares / _SWAPS) ** 0.5, 0, _SWAPS)
    return (1 + as_large) / (_SWAPS + 1)


def _among_others(both: Tally, n: int) -> Callable[[float], Interval]:
    """Say what the difference could be if a share of the people were others, like those seen who change it most either way."""
    own = [np.repeat(first_or_second, n) for first_or_second in ([1, 0], [0, 1])]

    def values(base: npt.NDArray[np.int64], extra: int, outcomes: npt.NDArray[np.intp]) -> Floats:
        return both.values(base + extra * (np.arange(2 * n) == outcomes[:, None]))

    blocks = [np.arange(at, min(at + BLOCK, 2 * n)) for at in range(0, 2 * n, BLOCK)]
    with_half = [np.concatenate([values(base, n, block) for block in blocks]) for base in own]
    extremes = [np.array([one.argmin(), one.argmax()]) for one in with_half]

    def others(share: float) -> Interval:
        extra = ceil(n * share / (1 - share))
        a, b = (values(base, extra, two) for base, two in zip(own, extremes, strict=True))
        return Interval(float(a[0] - b[1]), float(a[1] - b[0]))

    return others
