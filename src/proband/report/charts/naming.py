"""Names next to curves: in charts of many curves, curves without a colour are labelled directly, space permitting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from proband.report.charts.scales import Floats

_CANDIDATES = 24  # places along a curve at which its name may stand
_MOST = 12  # names; more would hide the curves


class Named(NamedTuple):
    """A name and where it begins, on the line of its letters."""

    name: str
    x: float
    y: float


class Room(NamedTuple):
    """The part of a drawing that names may stand in, its y downwards, and the size of letters in its units."""

    left: float
    right: float
    top: float
    bottom: float
    letter: float
    line: float


def named_directly(curves: Sequence[tuple[str, Floats, Floats]], room: Room) -> list[Named]:
    """Place names next to their curves without overlap; curves without space stay unlabelled.

    Parameters
    ----------
    curves
        Names with the positions of their points, most important first.
    room
        Area available for names.

    Examples
    --------
    >>> room = Room(0, 100, 0, 50, 5, 10)
    >>> flat = np.array([0.0, 100.0])
    >>> [one.name for one in named_directly([("a", flat, flat * 0 + 25), ("b", flat, flat * 0 + 27)], room)]
    ['a', 'b']
    >>> named_directly([("a name that is too long", flat, flat)], room)
    []
    """
    found: list[Named] = []
    taken: list[tuple[float, float, float, float]] = []
    for name, xs, ys in curves:
        if len(found) == _MOST:
            break
        order = np.argsort(xs, kind="stable")
        wide = room.letter * len(name)
        inside = (xs >= room.left) & (xs <= room.right)
        if not inside.any():
            continue
        start, end = float(xs[inside].min()), min(float(xs[inside].max()), room.right - wide)
        for x in np.linspace(start, end, _CANDIDATES) if end >= start else ():
            y = float(np.interp(x, xs[order], ys[order]))
            box = (float(x), y - room.line, float(x) + wide, y)
            free = all(
                box[0] > one[2] or box[2] < one[0] or box[1] > one[3] or box[3] < one[1] for one in taken
            )
            if free and box[1] >= room.top and box[3] <= room.bottom:
                taken.append(box)
                found.append(Named(name, float(x), y - 0.2 * room.line))
                break
    return found
