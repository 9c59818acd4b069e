"""From differences to verdicts: what each shows among all that are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from proband.distributions import normal_inverse
from proband.inference.comparisons.paired import Tested
from proband.inference.comparisons.testing.adjustment import SingleStep, normal_statistics
from proband.inference.comparisons.testing.curves import PValueCurve
from proband.inference.comparisons.testing.tails import Floats, RankedStatistics
from proband.inference.planning.sizes import POWER
from proband.inference.proportions import Interval, normal_quantile
from proband.results.difference import Adjustment, Difference, Unit, Verdict
from proband.results.sides import Side, opened, two_sided_level

Found = tuple[str, str, int | None, Tested]
_WIDEST = 0.999_999  # of the chance that bounds of a margin miss, at confidence levels below one half


def judged(
    found: Sequence[Found],
    margin: float | None,
    level: float,
    upward: bool,
    in_points: bool,
    adjust: Adjustment = "single-step",
    unit: Unit = "person",
    side: Side | None = None,
    families: int = 1,
    measure: str = "",
) -> tuple[Difference, ...]:
    """Say what each pair (first, second, number of units, difference) shows among all of them.

    p-values and intervals are adjusted together by the largest statistic over the same draws (`SingleStep`), so that a difference is
    told from zero by its interval if and only if it is by its p-value; with ``adjust="none"`` each pair stands for itself. Draws so
    few that no p-value of theirs is small enough tell nothing from zero.
    Bounds of the margin are the ends of the interval at 1 − 2α (Schuirmann 1987). Without a number of units, none is named that
    would settle the question. Else it is K ((z + z_power) se / margin)², with K units now and a power of 0.8. Units are people unless
    `unit` says otherwise.

    With a `side` the interval is a bound: the end of the two-sided interval that misses twice as often, and the p-value is of that
    side alone, half the two-sided one where the difference points there; several pairs are then adjusted by their number
    (Bonferroni), since shared draws are of sizes and not of signs. Of several `families`, such as categories of probes that are
    each compared, all that is adjusted is adjusted for their number as well.
    """
    alpha = round(1 - level, 12)
    both = two_sided_level(level, side)
    among = SingleStep.of([None]) if adjust == "none" else _among(found, side)
    among = replace(among, families=1 if adjust == "none" else families)
    reached_twice = min(2 * among.level(alpha), _WIDEST) if side else among.level(min(2 * alpha, _WIDEST))
    reached = reached_twice if side else among.level(alpha)
    pairs = []
    for first, second, units, tested in found:
        curve = tested.curve
        p_value, p_adjusted = _p_values(tested, curve, tested.difference, among, side)
        interval = _opened(_held(curve.interval(reached), tested, alpha, side), side, in_points)
        bounds = None if margin is None else _within(curve.interval(reached_twice), interval)
        verdict, not_inferior, within = verdict_of(curve, interval, bounds, margin, upward)
        needed = None
        if verdict == "undecided" and margin is not None and units is not None and _tells(tested):
            needed = _needed(tested.standard_error, units, margin, both)
        pairs.append(
            Difference(
                measure=measure,
                first=first,
                second=second,
                value=tested.difference,
                low=interval.low,
                high=interval.high,
                confidence_level=level,
                standard_error=tested.standard_error,
                p_value=p_value,
                p_adjusted=p_adjusted,
                n_sf=tested.n_sf,
                n_fs=tested.n_fs,
                n_discordant_subjects=tested.n_discordant_subjects,
                verdict=verdict,
                not_inferior=not_inferior,
                subjects_needed=needed,
                method=tested.method,
                in_points=in_points,
                not_won=tested.not_won,
                n_trials=tested.n_trials,
                margin=margin,
                bound_low=None if bounds is None else bounds.low,
                bound_high=None if bounds is None else bounds.high,
                within_margin=within,
                varies=curve.varies,
                why_not=tested.why_not,
                adjustment=adjust,
                n_compared=len(found) * families,
                choices_low=None if tested.over_choices is None else tested.over_choices.low,
                choices_high=None if tested.over_choices is None else tested.over_choices.high,
                by_person=None
                if tested.by_person is None
                else _by_person(first, second, tested, among, (alpha, reached), upward, side, in_points),
                unit=unit,
                side=side,
            )
        )
    return tuple(pairs)


def of_side(p: float, difference: float, side: Side | None) -> float:
    """Return the p-value of one side, from the two-sided one: half of it where the difference points there, else the rest."""
    if side is None:
        return p
    return p / 2 if (difference > 0) == (side == "lower") and difference != 0 else 1 - p / 2


def _opened(interval: Interval, side: Side | None, in_points: bool) -> Interval:
    return opened(interval, side, (-1.0, 1.0)) if in_points else opened(interval, side)


def _among(found: Sequence[Found], side: Side | None) -> SingleStep:
    """How p-values are adjusted: by the draws all comparisons share, else by what their standard errors say; sides by number."""
    if len(found) == 1:
        return SingleStep.of([None])
    if side is not None:
        return SingleStep(np.zeros(0), len(found))
    drawn: Sequence[Floats | RankedStatistics | None] = [tested.statistics for *_, tested in found]
    if any(one is None for one in drawn):
        drawn = normal_statistics([one[:2] for one in found], [tested.standard_error for *_, tested in found])
    return SingleStep.of(drawn)


def _p_values(
    tested: Tested, curve: PValueCurve, difference: float, among: SingleStep, side: Side | None
) -> tuple[float, float]:
    """The p-value by itself and among all, no smaller than draws can say."""
    alone = of_side(max(curve.p_value, tested.method.floor or 0.0), difference, side)
    return alone, max(alone, among.p_value(of_side(curve.p_value, difference, side)))


def _held(interval: Interval, tested: Tested, alpha: float, side: Side | None) -> Interval:
    """The interval with zero in it, where the draws are too few to reject anything."""
    floor = (tested.method.floor or 0.0) / (2 if side else 1)
    return interval if floor <= alpha else Interval(min(interval.low, 0.0), max(interval.high, 0.0))


def _within(bounds: Interval, interval: Interval) -> Interval:
    """The bounds, within the interval that a test of zero may have had the last word on."""
    return Interval(max(bounds.low, interval.low), min(bounds.high, interval.high))


def _by_person(
    first: str,
    second: str,
    tested: Tested,
    among: SingleStep,
    levels: tuple[float, float],
    upward: bool,
    side: Side | None,
    in_points: bool,
) -> Difference:
    value, curve = tested.by_person or (0.0, tested.curve)
    alpha, reached = levels
    interval = _opened(_held(curve.interval(reached), tested, alpha, side), side, in_points)
    verdict, *_ = verdict_of(curve, interval, None, None, upward)
    p_value, p_adjusted = _p_values(tested, curve, value, among, side)
    return Difference(
        first=first,
        second=second,
        value=value,
        low=interval.low,
        high=interval.high,
        confidence_level=1 - alpha,
        p_value=p_value,
        p_adjusted=p_adjusted,
        verdict=verdict,
        method=tested.method,
        in_points=in_points,
        side=side,
    )


def _tells(tested: Tested) -> bool:
    """Whether anything was seen to differ, so that it can be said how many people would settle the question."""
    return tested.curve.varies and tested.standard_error > 0 and tested.n_discordant_subjects != 0


def verdict_of(
    curve: PValueCurve, interval: Interval, bounds: Interval | None, margin: float | None, upward: bool
) -> tuple[Verdict, bool | None, bool | None]:
    """Say what an interval shows, and by the bounds whether the first is not worse by the margin, and within it either way.

    Equivalence is two one-sided tests (Schuirmann 1987). What does not vary shows nothing.
    """
    not_inferior = within = None
    if bounds is not None and margin is not None:
        shows = curve.varies
        not_inferior = shows and (bounds.low > -margin if upward else bounds.high < margin)
        within = shows and -margin < bounds.low and bounds.high < margin
    if not curve.varies:
        return "undecided", not_inferior, within
    if interval.low > 0:
        return ("better" if upward else "worse"), not_inferior, within
    if interval.high < 0:
        return ("worse" if upward else "better"), not_inferior, within
    return ("equivalent" if within else "undecided"), not_inferior, within


def _needed(error: float, units: int, margin: float, level: float) -> int:
    """Units needed to find a true difference of the margin, from how much one tells now."""
    reach = normal_quantile(level) + float(normal_inverse(POWER))
    return int(np.ceil(units * (error * reach / margin) ** 2))
