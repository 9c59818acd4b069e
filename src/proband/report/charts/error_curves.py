"""Curves of error rates as drawn: exact steps, limited to the range supported by the data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from proband.errors import UsageError
from proband.measures.verification import SUPPORTED
from proband.report.charts.scales import Floats

Steps = tuple[Floats, Floats]


class Limit(NamedTuple):
    """An interval of FNMR at an FMR, and whether FNMR is supported there by enough errors."""

    fmr: float
    low: float
    high: float
    supported: bool


_SLACK = 1e-9  # rates are quotients, and those that are equal may differ in the last digit


@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """Error curve of one algorithm.

    For searches, FPIR and FNIR replace FMR and FNMR, and non-mated and mated searches replace impostor and genuine
    comparisons.

    Attributes
    ----------
    name
        Name in the legend.
    fmr, fnmr
        The corners, from rejecting everything to accepting everything (or the other way round). Between two corners the
        curve is what the stricter one attains.
    n_impostor, n_genuine
        Numbers of comparisons.
    low, high, band_fmr
        Limits of an interval for FNMR at some FMRs.
    supported
        Whether FNMR is supported at each of these FMRs. Default: where 30 errors of both kinds are reached.
    eer
        Equal error rate. Default: the crossing of the curve, interpolated linearly, with the diagonal.
    """

    name: str
    fmr: Floats
    fnmr: Floats
    n_impostor: int
    n_genuine: int
    low: Floats | None = None
    high: Floats | None = None
    band_fmr: Floats | None = None
    supported: npt.NDArray[np.bool_] | None = None
    eer: float | None = None

    def __post_init__(self) -> None:
        fmr, fnmr = np.asarray(self.fmr, dtype=np.float64), np.asarray(self.fnmr, dtype=np.float64)
        if fmr.ndim != 1 or fmr.shape != fnmr.shape or not fmr.size:
            raise UsageError(
                "pass the same number of FMRs and FNMRs, at least one of each.", source=self.name
            )
        if fmr[0] > fmr[-1] or fnmr[0] < fnmr[-1]:
            fmr, fnmr = fmr[::-1], fnmr[::-1]
        ends = np.concatenate([[0], fmr, [1]]), np.concatenate([[1], fnmr, [0]])
        if not ((np.diff(ends[0]) >= 0).all() and (np.diff(ends[1]) <= 0).all()):
            raise UsageError(
                "both rates must be between 0 and 1, with FMR never falling and FNMR never rising along the curve.",
                source=self.name,
            )
        if min(self.n_impostor, self.n_genuine) < 1:
            raise UsageError("at least one comparison is needed.", source=self.name)
        given = [one for one in (self.band_fmr, self.low, self.high) if one is not None]
        if len(given) not in (0, 3) or len({np.shape(one) for one in given}) > 1:
            raise UsageError("a band needs a lower and an upper limit at each of its FMRs.", source=self.name)
        for name, value in (("fmr", fmr), ("fnmr", fnmr)):
            object.__setattr__(self, name, value)

    @cached_property
    def _corners(self) -> Steps:
        """All corners, including the points that reject or accept everything."""
        return np.concatenate([[0], self.fmr, [1]]), np.concatenate([[1], self.fnmr, self.fnmr[-1:]])

    def fnmr_at(self, fmr: float) -> float:
        """The lowest FNMR with an FMR not above the given FMR."""
        x, y = self._corners
        return float(y[np.searchsorted(x, fmr * (1 + _SLACK), side="right") - 1])

    def fmr_at(self, fnmr: float) -> float:
        """The lowest FMR with an FNMR not above the given FNMR; 1 if there is none."""
        x, y = self._corners
        place = int(np.searchsorted(-y, -fnmr * (1 + _SLACK)))
        return float(x[place]) if place < len(x) else 1.0

    @cached_property
    def crossing(self) -> float:
        """The equal error rate: the given value, or the crossing of the linearly interpolated curve with the diagonal."""
        if self.eer is not None:
            return self.eer
        x, y = self._corners
        beyond = int(np.argmax(x >= y))
        gaps = (y - x)[beyond - 1 : beyond + 1]
        share = gaps[0] / (gaps[0] - gaps[1])
        return float(x[beyond - 1] + share * (x[beyond] - x[beyond - 1]))

    @property
    def flawless(self) -> bool:
        """Whether some threshold makes no errors."""
        return self.fmr_at(0.0) == 0

    @property
    def supported_fmr(self) -> float:
        """The FMR of 30 false matches."""
        return SUPPORTED / self.n_impostor

    @property
    def supported_fnmr(self) -> float:
        """The FNMR of 30 false non-matches."""
        return SUPPORTED / self.n_genuine

    def reaches(self, fmr: float, fnmr: float) -> bool:
        """Whether a point is based on at least 30 errors of both kinds."""
        return fmr >= self.supported_fmr * (1 - _SLACK) and fnmr >= self.supported_fnmr * (1 - _SLACK)

    def holds(self, fmr: float) -> bool:
        """Whether there is at least one false match at an FMR: the curve ends there."""
        return fmr >= (1 - _SLACK) / self.n_impostor

    def limits(self) -> list[Limit]:
        """The intervals within the range of the curve."""
        if self.band_fmr is None or self.low is None or self.high is None:
            return []
        supported = self.supported
        if supported is None:
            supported = np.array([self.reaches(at, self.fnmr_at(at)) for at in self.band_fmr.tolist()])
        columns = (one.tolist() for one in (self.band_fmr, self.low, self.high, supported))
        return [one for one in map(Limit, *columns) if self.holds(one.fmr)]

    def pieces(self, *, zero: bool = False) -> tuple[Steps, list[Steps]]:
        """The piece with at least 30 errors of both kinds, and the rest, as far as there is one error of both.

        With `zero`, false non-matches may be none. Where there is no such point, as for an algorithm without errors, both
        are empty.
        """
        whole_x, whole_y = self._above(1 / self.n_impostor, 0.0 if zero else 1 / self.n_genuine)
        x, y = self._above(self.supported_fmr, self.supported_fnmr)
        if not len(x):
            return (x, y), [(whole_x, whole_y)] if len(whole_x) else []
        before, after = whole_x < x[0], whole_y < y[-1]
        rest = [
            (np.append(whole_x[before], x[0]), np.append(whole_y[before], y[0])),
            (np.append(x[-1], whole_x[after]), np.append(y[-1], whole_y[after])),
        ]
        return (x, y), [piece for piece in rest if len(piece[0]) > 1]

    def _above(self, fmr: float, fnmr: float) -> Steps:
        """The steps where neither rate is below its limit, cut at the limits."""
        x, y = (np.repeat(one, 2) for one in self._corners)
        x, y = x[1:], y[:-1]
        first = int(np.searchsorted(x, fmr * (1 - _SLACK)))
        last = int(np.searchsorted(-y, -fnmr * (1 - _SLACK), side="right"))
        if last <= first:
            return np.zeros(0), np.zeros(0)
        end = [fnmr] if last < len(y) else []
        return (
            np.concatenate([[fmr], x[first:last], [x[last - 1]] * len(end)]),
            np.concatenate([[y[first]], y[first:last], end]),
        )


def thinned(x: Floats, y: Floats, cells: int = 1500) -> npt.NDArray[np.intp]:
    """Which points of a path of steps show, where x and y are shares of the axes: the first and last in every cell."""
    across, up = np.floor(x * cells), np.floor(y * cells)
    moves = (np.diff(across) != 0) | (np.diff(up) != 0)
    return np.flatnonzero(np.append(True, moves) | np.append(moves, True))
