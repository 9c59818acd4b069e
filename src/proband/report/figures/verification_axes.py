"""Axes of error rates: normal deviates or logarithms, with the zone that the data do not support."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from proband import words
from proband.measures.verification import SUPPORTED
from proband.report.figures.style import COLOURS, DASHES, STYLE
from proband.report.figures.verification_curves import ErrorCurve, Floats, thinned
from proband.words import count, given, trimmed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREY = "#555555"
_HATCH, _FAINT = "#CFCFCF", "#8A8A8A"
_FEW_IN_A_BAND = 6
_ROOM = 0.05  # the share of a panel that words need across
_ROUND = (0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.99)
_ROUND_TOO = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Scale = Literal["probit", "log"]


@contextmanager
def laid_out(size: tuple[float, float], title: str | None) -> Iterator[Figure]:
    """Give an empty figure, and lay it out once when it is drawn: things would move a little at every save."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    with mpl.rc_context(STYLE):
        # Letters are not as wide at every resolution: lay out at that of files, with some room for others.
        room = ConstrainedLayoutEngine(w_pad=0.1)
        figure = Figure(figsize=(size[0], size[1] + (0.3 if title else 0)), layout=room)
        yield figure
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        dpi = figure.get_dpi()
        figure.set_dpi(STYLE["savefig.dpi"])
        figure.draw_without_rendering()
        figure.set_dpi(dpi)
        figure.set_layout_engine("none")


def deviate(rate: npt.ArrayLike) -> Floats:
    """The normal deviate of a rate; 0 and 1 are far out, but finite."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(rate, 1e-300, 1 - 1e-16)), dtype=np.float64)


def rate_axis(
    axis: Axes, which: Literal["x", "y"], scale: Scale, low: float, high: float, most: int = 9
) -> None:
    """Make an axis one of rates, from a little below the lower to the upper limit, with at most so many numbers on it."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullFormatter
    from scipy.special import ndtr

    along = axis.xaxis if which == "x" else axis.yaxis
    set_scale, set_limits = getattr(axis, f"set_{which}scale"), getattr(axis, f"set_{which}lim")
    if scale == "probit":
        set_scale("function", functions=(deviate, ndtr))
        low = float(ndtr(deviate(low) - 0.1))
        ticks, between = round_deviates(low, high, most)
    else:
        set_scale("log")
        low *= 0.7
        ticks, between = _round_logarithms(low, high, most)
    set_limits(low, high)
    along.set_major_locator(FixedLocator(ticks))
    along.set_major_formatter(FixedFormatter([rate_label(tick, powers=in_powers(low)) for tick in ticks]))
    along.set_minor_locator(FixedLocator(between))
    along.set_minor_formatter(NullFormatter())


def round_up(rate: float) -> float:
    """The next of the round rates that an axis of normal deviates may end at."""
    return next((one for one in sorted(_ROUND + _ROUND_TOO) if one >= rate), _ROUND[-1])


def rate_label(rate: float, *, powers: bool = False) -> str:
    """A rate in per cent or, where that has too many zeros, as it is."""
    if not powers:
        return f"{trimmed(100 * rate, 8)}%"
    exponent = round(np.log10(rate))
    if exponent < -2 and np.isclose(rate, 10.0**exponent, rtol=1e-6):
        return "10" + str(exponent).translate(_SUPERSCRIPTS)
    return given(rate)


def aligned(rates: Sequence[float]) -> list[str]:
    """Rates in per cent to stand below one another, the lowest with two digits."""
    lowest = min((100 * rate for rate in rates if rate > 0), default=1.0)
    decimals = min(max(1 - int(np.floor(np.log10(lowest))), 2), 5)
    return [f"{one}%" for one in words.aligned([100 * rate for rate in rates], decimals)]


def in_powers(low: float) -> bool:
    """Whether an axis begins so low that its labels are powers of ten."""
    return low <= 1e-6


def round_deviates(low: float, high: float, most: int) -> tuple[list[float], list[float]]:
    """Round rates to label on an axis of normal deviates, and others to mark."""
    decades = [10.0**k for k in range(-12, -2)]
    every = [one for one in sorted([*decades, *_ROUND, *_ROUND_TOO]) if low <= one <= high]
    labelled = every if len(every) <= most else [one for one in every if one not in _ROUND_TOO]
    return labelled, [one for one in every if one not in labelled]


def _round_logarithms(low: float, high: float, most: int) -> tuple[list[float], list[float]]:
    """Round rates to label on a logarithmic axis, and others to mark."""

    def within(digits: Iterable[int]) -> list[float]:
        rates = (digit * 10.0**k for k in range(-12, 1) for digit in digits)
        return [rate for rate in rates if low <= rate <= high * (1 + 1e-9)]

    choices = (within(digits) for digits in (range(1, 10), (1, 2, 3, 5, 7), (1, 2, 5), (1,)))
    labelled = next((rates for rates in choices if len(rates) <= most), within((1,)))
    return labelled, [rate for rate in within(range(1, 10)) if rate not in labelled]


def unsupported_zone(
    axis: Axes, curves: Sequence[ErrorCurve], words: tuple[str, str], *, upside_down: bool = False
) -> None:
    """Hatch where no curve has 30 errors, and dot the lines of a single error.

    Parameters
    ----------
    words
        What the errors along x and along y are called.
    upside_down
        Whether y is one less the error rate.
    """
    import matplotlib as mpl

    n_x, n_y = max(one.n_impostor for one in curves), max(one.n_genuine for one in curves)
    (left, right), (bottom, top) = axis.get_xlim(), axis.get_ylim()
    near, far = (1.0, bottom) if upside_down else (bottom, top)
    x = min(max(SUPPORTED / n_x, left), right)
    y = float(np.clip(_flipped(SUPPORTED / n_y, upside_down), bottom, top))
    with mpl.rc_context({"hatch.linewidth": 0.6}):
        axis.fill(
            [left, x, x, right, right, left], [far, far, y, y, near, near],
            facecolor="#FAFAFA", edgecolor=_HATCH, hatch=r"\\\\", linewidth=0, zorder=0.8,
        )  # fmt: skip
    dotted: Any = {"color": _FAINT, "linewidth": 0.9, "linestyle": (0, (1, 2)), "zorder": 1.2}
    axis.axvline(1 / n_x, **dotted)
    axis.axhline(_flipped(1 / n_y, upside_down), **dotted)
    _name_zone(axis, curves, words, (x, y), near)


def _name_zone(
    axis: Axes, curves: Sequence[ErrorCurve], words: tuple[str, str], corner: tuple[float, float], near: float
) -> None:
    """Say in both strips of the zone, where they have room, what there is too little of; between curves if possible."""
    (wide, edge), (_, start) = shares(axis, [corner[0]] * 2, [corner[1], near])
    upside_down = bool(start > edge)
    across = float(edge + start) / 2
    look: Any = {"transform": axis.transAxes, "fontsize": 7, "color": GREY, "zorder": 1.4}
    look |= {"ha": "center", "va": "center"}
    look["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 1.5, "alpha": 0.85}
    if wide > _ROOM:
        fmr = _inverse(axis, wide / 2, 0.5)[0]
        crossed = [_flipped(curve.fnmr_at(fmr), upside_down) for curve in curves]
        place = widest_gap(shares(axis, [fmr] * len(crossed), crossed)[:, 1])
        axis.text(wide / 2, place, f"< {SUPPORTED} {words[0]}", rotation=90, **look)
    if abs(edge - start) > _ROOM:
        fnmr = _flipped(_inverse(axis, 0.5, across)[1], upside_down)
        crossed = [max(curve.fmr_at(fnmr), axis.get_xlim()[0]) for curve in curves]
        taken = shares(axis, crossed, [corner[1]] * len(crossed))[:, 0]
        place = widest_gap(np.append(taken, wide / 2) if wide > _ROOM else taken)
        axis.text(place, across, f"< {SUPPORTED} {words[1]}", **look)


def shares(axis: Axes, x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """Where points are, as shares of the width and the height of a panel."""
    placed = axis.transLimits.transform(axis.transScale.transform(np.column_stack([x, y])))
    return np.asarray(placed, dtype=np.float64)


def _inverse(axis: Axes, x: float, y: float) -> tuple[float, float]:
    """The rates at a place given as shares of a panel."""
    rates = axis.transScale.inverted().transform(axis.transLimits.inverted().transform((x, y)))
    return float(rates[0]), float(rates[1])


def widest_gap(crossed: npt.ArrayLike) -> float:
    """The middle of the widest part of a strip that no curve crosses."""
    ends = np.sort(np.clip(np.append(crossed, [0.0, 1.0]), 0, 1))
    widest = int(np.argmax(np.diff(ends)))
    # Words are longer than some gaps are wide, but stay within the panel.
    return float(np.clip(ends[widest : widest + 2].mean(), 0.18, 0.82))


def _flipped(rate: float, upside_down: bool) -> float:
    return 1 - rate if upside_down else rate


def draw_curve(axis: Axes, curve: ErrorCurve, style: int, *, upside_down: bool = False) -> None:
    """Draw one curve, thin where it has fewer than 30 errors, and its band; the curve ends at a single error."""
    look: Any = {"color": colour(style), "zorder": 3, "solid_joinstyle": "miter"}

    def draw(x: Floats, y: Floats, **more: Any) -> None:
        y = 1 - y if upside_down else y
        shown = thinned(*shares(axis, x, y).T)
        axis.plot(x[shown], y[shown], **look, **more)

    (x, y), rest = curve.pieces(zero=upside_down)
    for piece in rest:
        draw(*piece, linewidth=0.9, alpha=0.8)
    if len(x):
        draw(x, y, linewidth=1.8, linestyle=dashes(style))
    if curve.band_fmr is not None and curve.low is not None and curve.high is not None:
        at, low, high = (np.asarray(one, dtype=np.float64) for one in (curve.band_fmr, curve.low, curve.high))
        kept = at >= (1 - 1e-9) / curve.n_impostor
        low, high = np.maximum(low[kept], 1e-12), np.maximum(high[kept], 1e-12)
        if upside_down:
            low, high = 1 - high, 1 - low
        _draw_band(axis, at[kept], low, high, style)


def _draw_band(axis: Axes, x: Floats, low: Floats, high: Floats, style: int) -> None:
    """Shade a band; limits at a few rates are whiskers, side by side with those of other curves."""
    from matplotlib.transforms import offset_copy

    if len(x) > _FEW_IN_A_BAND:
        axis.fill_between(x, low, high, color=colour(style), alpha=0.14, linewidth=0, zorder=2)
        return
    aside = 3 * ((style + 1) // 2) * (1 if style % 2 else -1)
    where = offset_copy(axis.transData, axis.get_figure(root=True), x=aside, units="points")
    axis.vlines(x, low, high, color=colour(style), linewidth=1.2, zorder=3, transform=where)
    for end in (low, high):
        axis.plot(x, end, linestyle="none", marker="_", markersize=5, color=colour(style), transform=where)


def number_range(values: Sequence[int]) -> str:
    """A number, or the range of several."""
    low, high = min(values), max(values)
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def say_above(axis: Axes, text: str) -> None:
    """Write above a panel what it is of."""
    axis.text(0, 1.02, text, transform=axis.transAxes, fontsize=8, color=GREY, linespacing=1.25)


def colour(style: int) -> str:
    """The colour of the curve in a place."""
    return COLOURS[style % len(COLOURS)]


def dashes(style: int) -> Any:
    """Where a colour comes again, dashes that do not look like those it had."""
    return DASHES[(2 * (style // len(COLOURS)) + style) % len(DASHES)]
