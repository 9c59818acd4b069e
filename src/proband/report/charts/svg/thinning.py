"""Thinning of curves: a curve of millions of points is drawn with about a hundred."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from proband.report.charts.error_curves import thinned
from proband.report.charts.scales import Floats

_TOLERANCE = 0.25  # in units of the drawing; with the cells of the first sieve and rounding, below a half
_CELLS = 10  # of the first sieve, in a unit of the drawing

Places = npt.NDArray[np.intp]


def visible(x: Floats, y: Floats, tolerance: float = _TOLERANCE) -> Places:
    """Which points of a path are needed to draw it no further off than the tolerance (Douglas & Peucker)."""
    kept = thinned(x, y, _CELLS)
    return kept[_needed(x[kept], y[kept], tolerance)]


def _needed(x: Floats, y: Floats, tolerance: float) -> Places:
    keep = np.zeros(len(x), dtype=np.bool_)
    keep[[0, -1]] = True
    open_ = [(0, len(x) - 1)]
    while open_:
        first, last = open_.pop()
        if last - first < 2:
            continue
        off = _distances(x[first : last + 1], y[first : last + 1])
        furthest = int(np.argmax(off))
        if off[furthest] > tolerance:
            middle = first + furthest
            keep[middle] = True
            open_ += [(first, middle), (middle, last)]
    return np.flatnonzero(keep)


def _distances(x: Floats, y: Floats) -> Floats:
    """How far points are from the straight piece between the first and the last."""
    across, down = x[-1] - x[0], y[-1] - y[0]
    squared = across**2 + down**2
    if squared == 0:
        return np.asarray(np.hypot(x - x[0], y - y[0]), dtype=np.float64)
    share = np.clip(((x - x[0]) * across + (y - y[0]) * down) / squared, 0, 1)
    return np.asarray(np.hypot(x - x[0] - share * across, y - y[0] - share * down), dtype=np.float64)


def steps(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The path of a curve that keeps its value up to the next point; corner k belongs to the point (k + 1) // 2."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
