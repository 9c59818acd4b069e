"""From differences to verdicts: p-values adjusted for their number, and what each interval shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proband.inference.comparisons.adjustment import holm
from proband.inference.comparisons.paired import Tested
from proband.inference.planning.sizes import POWER
from proband.inference.proportions import Interval, normal_quantile
from proband.results.difference import Difference, Verdict


def judged(
    found: Sequence[tuple[str, str, int | None, Tested]],
    margin: float | None,
    level: float,
    upward: bool,
    in_points: bool,
) -> tuple[Difference, ...]:
    """Adjust the p-values (Holm 1979) and say what each pair (first, second, number of people, difference) shows.

    Without a number of people, none is named that would settle the question. Else it is K ((z + z_power) se / margin)², with K
    people now and a power of 0.8.

    Examples
    --------
    >>> from proband.words import Method
    >>> wide = Tested(0.0, Interval(-0.04, 0.04), Interval(-0.034, 0.034), 0.02, 1.0, Method("t", "a test"))
    >>> (pair,) = judged([("a", "b", 100, wide)], 0.01, 0.95, upward=True, in_points=True)
    >>> pair.verdict, pair.subjects_needed  # 100·(2.8016·0.02/0.01)²
    ('undecided', 3140)
    """
    adjusted = holm([tested.p_value for *_, tested in found])
    pairs = []
    for (first, second, people, tested), p_adjusted in zip(found, adjusted, strict=True):
        narrow = tested.one_sided
        verdict, not_inferior = verdict_of(tested.interval, narrow or tested.interval, margin, upward)
        needed = None
        if verdict == "undecided" and margin is not None and people is not None and _tells(tested):
            needed = _needed(tested.standard_error, people, margin, level)
        pairs.append(
            Difference(
                first=first,
                second=second,
                difference=tested.difference,
                low=tested.interval.low,
                high=tested.interval.high,
                p_value=tested.p_value,
                p_adjusted=p_adjusted,
                n_sf=tested.n_sf,
                n_fs=tested.n_fs,
                n_discordant_subjects=tested.n_discordant_subjects,
                verdict=verdict,
                not_inferior=None if narrow is None else not_inferior,
                subjects_needed=needed,
                method=tested.method,
                in_points=in_points,
                not_won=tested.not_won,
                n_trials=tested.n_trials,
                significance=round(1 - level, 12),
                margin=margin,
            )
        )
    return tuple(pairs)


def _tells(tested: Tested) -> bool:
    """Whether anything was seen to differ, so that it can be said how many people would settle the question."""
    return tested.interval.has_width and tested.standard_error > 0 and tested.n_discordant_subjects != 0


def verdict_of(
    interval: Interval, one_sided: Interval, margin: float | None, upward: bool
) -> tuple[Verdict, bool | None]:
    """Say what an interval of a difference shows, and whether the first is shown not to be worse by the margin.

    Equivalence is two one-sided tests: the one-sided interval lies within the margin either way (Schuirmann 1987). An interval
    of no width shows nothing: it comes of replicates that do not vary.

    Examples
    --------
    >>> verdict_of(Interval(0.02, 0.08), Interval(0.03, 0.07), 0.01, upward=True)
    ('better', True)
    >>> verdict_of(Interval(-0.008, 0.006), Interval(-0.007, 0.005), 0.01, upward=True)
    ('equivalent', True)
    """
    if not interval.has_width:
        return "undecided", None if margin is None else False
    low, high = interval
    narrow_low, narrow_high = one_sided
    not_inferior = None if margin is None else (narrow_low > -margin if upward else narrow_high < margin)
    if low > 0:
        return ("better" if upward else "worse"), not_inferior
    if high < 0:
        return ("worse" if upward else "better"), not_inferior
    if margin is not None and -margin < narrow_low and narrow_high < margin:
        return "equivalent", not_inferior  # two one-sided tests
    return "undecided", not_inferior


def _needed(error: float, people: int, margin: float, level: float) -> int:
    """People needed to find a true difference of the margin, from how much one person tells now."""
    from scipy.special import ndtri

    reach = normal_quantile(level) + float(ndtri(POWER))
    return int(np.ceil(people * (error * reach / margin) ** 2))
