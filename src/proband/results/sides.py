"""One-sided intervals: a lower or upper bound, from the two-sided interval with twice the error probability."""

from __future__ import annotations

from math import inf
from typing import Literal

from proband.errors import UsageError
from proband.results.base import Interval
from proband.words import Sentence, given

Side = Literal["lower", "upper"]
"""Which end of an interval is a bound; the other is open."""
ONE_SIDED = Sentence(
    "interval.one-sided",
    "note",
    "one-sided: the {side} end is a bound with {level:level} confidence, taken from the two-sided "
    "{both:level} interval; the other end is open",
)
_RATES = (0.0, 1.0)


def two_sided_level(confidence_level: float, side: Side | None) -> float:
    """Return the level of the two-sided interval whose end is the one-sided bound, 1 − 2α; without a side, the level."""
    if side is None:
        return confidence_level
    if not 0.5 < confidence_level < 1:
        raise UsageError(
            f"A one-sided bound needs a confidence level above 0.5, got {given(confidence_level)}.",
            "use 0.95, for example.",
        )
    return round(1 - 2 * (1 - confidence_level), 12)


def opened(interval: Interval, side: Side | None, limits: tuple[float, float] = (-inf, inf)) -> Interval:
    """Return an interval with its open end moved to the limit; without a side, the interval itself."""
    if side is None:
        return interval
    return Interval(interval.low, limits[1]) if side == "lower" else Interval(limits[0], interval.high)


def limits_of(in_points: bool) -> tuple[float, float]:
    """Return the range of a measure: 0 to 1 for a rate, unknown for any other."""
    return _RATES if in_points else (-inf, inf)
