"""Mapping between data and drawing: linear, logarithmic and normal-deviate axes, with ticks and labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from proband.distributions import normal_cdf, normal_inverse
from proband.words import count, given, trimmed

Floats = npt.NDArray[np.float64]
Kind = Literal["linear", "log", "probit"]
Unit = Literal["rate", "points", "count", "number"]
_STEPS = (1.0, 2.0, 2.5, 5.0)
_DIGITS: tuple[tuple[int, ...], ...] = (tuple(range(1, 10)), (1, 2, 5), (1, 3), (1,))
_TINY = 1e-300
_ROUND = (0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.99)
_ROUND_TOO = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class AxisScale:
    """An axis.

    Attributes
    ----------
    kind
        Kind of scale.
    low, high
        Limits in data.
    start, end
        Limits in the drawing.
    unit
        Unit of labels: rates in per cent, differences in percentage points with a sign, whole numbers, or numbers.
    """

    kind: Kind
    low: float
    high: float
    start: float
    end: float
    unit: Unit = "number"

    def __call__(self, values: npt.ArrayLike) -> Floats:
        """Where data are in the drawing; those beyond an end are at the end."""
        first, last = self._spread([self.low, self.high])
        share = (self._spread(values) - first) / (last - first)
        return np.asarray(self.start + np.clip(share, 0, 1) * (self.end - self.start), dtype=np.float64)

    def at(self, value: float) -> float:
        """Where one value is."""
        return float(self(value))

    def inverse(self, place: float) -> float:
        """The value at a place."""
        first, last = self._spread([self.low, self.high])
        moved = float(first + (place - self.start) / (self.end - self.start) * (last - first))
        if self.kind == "log":
            return float(10.0**moved)
        if self.kind == "probit":
            return float(normal_cdf(moved))
        return moved

    def holds(self, value: float) -> bool:
        """Whether a value is within the ends."""
        return bool(self.low <= value <= self.high)

    def _spread(self, values: npt.ArrayLike) -> Floats:
        given = np.asarray(values, dtype=np.float64)
        if self.kind == "log":
            return np.asarray(np.log10(np.maximum(given, _TINY)), dtype=np.float64)
        return deviate(given) if self.kind == "probit" else given

    def ticks(self, most: int = 8) -> list[float]:
        """Ticks at round numbers, at most `most` of them."""
        if self.kind == "log":
            return log_ticks(self.low, self.high, most)
        if self.kind == "probit":
            return _round_deviates(self.low, self.high, most)
        return linear_ticks(self.low, self.high, most, whole=self.unit == "count")

    def label(self, value: float) -> str:
        """A value as it stands at a tick."""
        if self.unit == "rate":
            return rate_label(value, powers=self.kind != "linear" and in_powers(self.low))
        if self.unit == "points":
            return trimmed(100 * value, sign=True)
        if self.unit == "count":
            return count(round(value))
        return given(value)


def linear_ticks(low: float, high: float, most: int, *, whole: bool = False) -> list[float]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten: as many as there is room for."""
    step = _step(low, high, most, whole=whole)
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    found = [float(f"{k * step:.12g}") + 0.0 for k in np.arange(first, last + 1).tolist()]  # no −0
    if whole and low == 1 and step > 1:
        found = [low, *(tick for tick in found if tick > low)]  # ranks begin at 1, not at 0
    return found


def _step(low: float, high: float, most: int, *, whole: bool = False) -> float:
    least = (high - low) / max(most - 1, 1)
    power = int(np.floor(np.log10(least)))
    if whole:
        power = max(power, 0)
    steps = (step * 10.0**k for k in range(power, power + 2) for step in _STEPS)
    return next(step for step in steps if step >= least * (1 - 1e-9) and not (whole and step % 1))


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers of a logarithmic axis: some digits of every power of ten or, of many powers, some."""
    first, last = int(np.floor(np.log10(low) - 1e-9)), int(np.ceil(np.log10(high) + 1e-9))

    def within(digits: Iterable[int], every: int) -> list[float]:
        found = (float(f"{digit}e{k}") for k in range(first, last + 1) if k % every == 0 for digit in digits)
        return [one for one in found if low * (1 - 1e-9) <= one <= high * (1 + 1e-9)]

    choices = [(digits, 1) for digits in _DIGITS] + [((1,), every) for every in range(2, 13)]
    return next((found for found in (within(*one) for one in choices) if len(found) <= most), [low])


def rounded_out(low: float, high: float, most: int = 7) -> tuple[float, float]:
    """The nearest round ends around two values; equal ones get some room."""
    if not low < high:
        room = abs(low) * 0.1 or 0.05
        low, high = low - room, high + room
    step = _step(low, high, most)
    ends = np.floor(low / step + 1e-9) * step, np.ceil(high / step - 1e-9) * step
    return float(f"{ends[0]:.12g}"), float(f"{ends[1]:.12g}")


def deviate(rate: npt.ArrayLike) -> Floats:
    """The normal deviate of a rate; 0 and 1 are far out, but finite."""
    return np.asarray(normal_inverse(np.clip(rate, 1e-300, 1 - 1e-16)), dtype=np.float64)


def round_up(rate: float) -> float:
    """The next of the round rates that an axis of normal deviates may end at."""
    return next((one for one in sorted(_ROUND + _ROUND_TOO) if one >= rate), _ROUND[-1])


def _round_deviates(low: float, high: float, most: int) -> list[float]:
    """Round rates to label on an axis of normal deviates."""
    decades = [10.0**k for k in range(-12, -2)]
    every = [one for one in sorted([*decades, *_ROUND, *_ROUND_TOO]) if low <= one <= high]
    return every if len(every) <= most else [one for one in every if one not in _ROUND_TOO]


def rate_label(rate: float, *, powers: bool = False) -> str:
    """A rate in per cent or, where that has too many zeros, as it is."""
    if not powers:
        return f"{trimmed(100 * rate, 8)}%"
    exponent = round(np.log10(rate))
    if exponent < -2 and np.isclose(rate, 10.0**exponent, rtol=1e-6):
        return "10" + str(exponent).translate(_SUPERSCRIPTS)
    return given(rate)


def in_powers(low: float) -> bool:
    """Whether an axis begins so low that its labels are powers of ten."""
    return low <= 1e-6
