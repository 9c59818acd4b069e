"""The zone in which no curve has 30 errors along x or along y: its limits, and space for labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from proband.measures.verification import SUPPORTED
from proband.report.charts.scales import AxisScale
from proband.report.charts.spec import Axis, Errors


class Words(NamedTuple):
    """A label in the zone: its centre, as shares of the panel, and whether it is vertical."""

    across: float
    up: float
    text: str
    turned: bool


@dataclass(frozen=True)
class Zone:
    """Strips along two sides of a panel.

    Attributes
    ----------
    right, edge, end
        How far the one along y reaches from the left, and between which heights the one along x lies, as shares of the panel.
    single
        The data of a single error along x and along y.
    """

    right: float
    edge: float
    end: float
    single: tuple[float, float]
    words: tuple[Words, ...]


def zone_of(marks: Errors, axes: tuple[Axis, Axis], room: tuple[float, float]) -> Zone:
    """Find the zone, and positions for labels between the curves."""
    x, y = (axis.over() for axis in axes)
    n_x, n_y = max(one.n_impostor for one in marks.curves), max(one.n_genuine for one in marks.curves)
    right, edge, end = x.at(SUPPORTED / n_x), _height(marks, y, SUPPORTED / n_y), _height(marks, y, 0.0)
    found = []
    if right > room[0]:
        fmr = x.inverse(right / 2)
        crossed = [_height(marks, y, one.fnmr_at(fmr)) for one in marks.curves]
        found.append(Words(right / 2, _widest_gap(crossed), f"< {SUPPORTED} {marks.errors[0]}", True))
    if abs(edge - end) > room[1]:
        middle = (edge + end) / 2
        fnmr = marks.shown(y.inverse(middle))
        # Where both rates are equal there may be a line.
        crossed = [x.at(at) for at in (*(one.fmr_at(fnmr) for one in marks.curves), fnmr)]
        place = _widest_gap([*crossed, right / 2])
        found.append(Words(place, middle, f"< {SUPPORTED} {marks.errors[1]}", False))
    return Zone(right, edge, end, (1 / n_x, marks.shown(1 / n_y)), tuple(found))


def _height(marks: Errors, y: AxisScale, rate: float) -> float:
    return y.at(marks.shown(rate))


def _widest_gap(crossed: npt.ArrayLike) -> float:
    """The middle of the widest part of a strip that no curve crosses."""
    ends = np.sort(np.clip(np.append(crossed, [0.0, 1.0]), 0, 1))
    widest = int(np.argmax(np.diff(ends)))
    # Words are longer than some gaps are wide, but stay within the panel.
    return float(np.clip(ends[widest : widest + 2].mean(), 0.18, 0.82))
