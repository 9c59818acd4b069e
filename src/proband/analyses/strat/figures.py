"""Figures of stratified evaluations: galleries in turn, errors by rank, algorithms, as in Micheals & Boult 2001."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from proband import words
from proband.designs.strata import ROUNDING
from proband.engine.limits import Title
from proband.errors import UsageError
from proband.inference import Band
from proband.inference.galleries.effect import GalleryEffect
from proband.report.charts.makers.curves import MOST_BANDS, cmc, series_of
from proband.report.charts.mpl import figure, set_axis
from proband.report.charts.palette import colour, dashes
from proband.report.charts.scales import Floats
from proband.report.charts.spec import Axis, Chart
from proband.report.figures.identification import cmc_figure
from proband.report.figures.style import GREY, head, laid_out
from proband.words import counted, fixed, level, p_value

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_THIN = 5
_IN_A_ROW = 3
_ENOUGH, _FEWEST_RANKS, _MOST_RANKS = 0.99, 10, 100
_WIDTH = 3.7  # of a panel, in inches
_NOTHING_VARIES = "zero at every rank: nothing varies"


def gallery_effect_figure(
    effects: Sequence[GalleryEffect], title: Title | None = None, note: str = ""
) -> Figure:
    """Draw the curve of every gallery, a panel for each effect (the paper's figures 2 and 4).

    Original and mixed galleries stand side by side, on the same axes. Ranks go as far as curves still differ: to where
    all have passed 99 %, at most to rank 100. Up to six galleries have their bands.

    Parameters
    ----------
    effects
        What `gallery_effect` found, for one algorithm or several.
    title
        A heading for the whole figure.
    note
        What else is to be said, such as which algorithms are not drawn.
    """
    if not effects:
        raise UsageError("There are no galleries to draw.")
    last = max(_low_ranks(band for effect in effects for band in effect.bands), *(e.rank for e in effects))
    charts = [_galleries(effect, last) for effect in effects]
    pairs = len({effect.mixed for effect in effects}) == 2
    columns = min(len(effects), 2 if pairs or len(effects) == 4 else 3)
    rows = -(-len(effects) // columns)
    listed = max(-(-len(effect.bands) // _IN_A_ROW) for effect in effects)
    size = max(5.4, _WIDTH * columns), (3.9 + 0.16 * listed) * rows
    shaded = [band for effect in effects if _is_shaded(effect) for band in effect.bands]
    bands = ""
    if shaded:
        levels = " or ".join(dict.fromkeys(level(band.confidence_level) for band in shaded))
        bands = f"bands: {levels} at each rank, varying {_varying(shaded)}"
    said = "; ".join(filter(None, (bands, note)))
    return figure(charts, size, title=title, columns=columns, legend=_legend_under, said=said)


def standard_errors_figure(
    errors: Mapping[str, npt.ArrayLike], n_probes_note: str, title: Title | None = None
) -> Figure:
    """Draw standard errors of the recognition rate by rank, for several methods (the paper's figure 3).

    Parameters
    ----------
    errors
        At ranks 1, 2, … by the method and what it varies, such as ``BRR: probe images of these people``.
    n_probes_note
        What was searched, such as ``dlib, 360 probes of 40 people``.
    title
        A heading for the whole figure.
    """
    return _by_rank(
        errors,
        1e2,
        "standard error of the\nrecognition rate (percentage points)",
        n_probes_note,
        title,
        ROUNDING,
    )


def units_figure(
    variances: Mapping[str, npt.ArrayLike], note: str = "", title: Title | None = None
) -> Figure:
    """Draw the variance of the recognition rate by rank, for several numbers of units (the paper's figure 5).

    Parameters
    ----------
    variances
        At ranks 1, 2, … by the number of units in a stratum, such as ``2 units``. Where there are several ways to take so
        many, an array of ways × ranks: their mean is drawn, and each of them or, if they are many, how far they reach.
    note
        What was searched, such as ``dlib, 40 strata``.
    title
        A heading for the whole figure.
    """
    return _by_rank(
        variances,
        1e4,
        "variance of the recognition\nrate (squared percentage points)",
        note,
        title,
        ROUNDING**2,
    )


def algorithms_figure(
    panels: Mapping[str, Sequence[Band]], title: Title | None = None, *, relative: bool = False
) -> Figure:
    """Draw the curves of several algorithms with their bands, over the ranks that matter (the paper's figures 6 and 7).

    Parameters
    ----------
    panels
        Curves with bands, by the name of their set of probes.
    title
        A heading for the whole figure.
    relative
        Whether the axis has rank / people in the gallery.
    """
    every = [band for bands in panels.values() for band in bands]
    if not every:
        raise UsageError("There are no curves to draw.")
    said = f"bands vary {_varying(every)}" if max(map(len, panels.values())) <= MOST_BANDS else ""
    return cmc_figure(panels, title, last=_low_ranks(every), said=said, relative=relative)


def _galleries(effect: GalleryEffect, last: int) -> Chart:
    """The curve of each gallery, and the test of whether they differ."""
    kind = "mixed galleries" if effect.mixed else "galleries"
    test = effect.test
    first, second = test.degrees_of_freedom, test.denominator_degrees_of_freedom
    drawn = [
        series_of(band, place, str(place + 1), last, rank=effect.rank)
        for place, band in enumerate(effect.bands)
    ]
    of = (
        f"{counted(effect.n_subjects, 'person', 'people')}, {counted(effect.bands[0].facts.n_probes, 'probe')} for each gallery\n"
        f"p is for other people: F({first}, {second}) = {fixed(test.statistic or 0.0, 2)} at rank {effect.rank}"
    )
    title = f"{effect.algorithm}, {kind}: p {p_value(float(test))}"
    column = "mixed column" if effect.mixed else "column"
    return replace(
        cmc(effect.bands, title=title, drawn=drawn, rank=effect.rank),
        above=of,  # bands are said below
        heading=f"{column} as gallery: rate at rank {effect.rank}",
    )


def _legend_under(axis: Axes, chart: Chart, handles: Sequence[Artist]) -> None:
    """Put the legend below its panel, in rows of three at most, where no curve can run into it."""
    from matplotlib.transforms import offset_copy

    count = len(chart.names)
    axis.legend(
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=offset_copy(axis.transAxes, fig=axis.get_figure(root=True), y=-36, units="points"),
        ncols=-(-count // -(-count // _IN_A_ROW)),
        title=chart.heading,
        fontsize=8,
        title_fontsize=8,
        alignment="left",
        handlelength=2.2,
        columnspacing=1.0,
        borderpad=0,
        borderaxespad=0,
    )


def _by_rank(
    drawn: Mapping[str, npt.ArrayLike], factor: float, label: str, note: str, title: str | None, least: float
) -> Figure:
    """Draw something of the recognition rate at each rank, as far as any of it is left; below the least it is rounding."""
    ways = {name: np.atleast_2d(np.asarray(values, dtype=float)) * factor for name, values in drawn.items()}
    if not ways or not all(one.size for one in ways.values()):
        raise UsageError("There is nothing to draw.", "give values at ranks 1, 2, … by name.")
    for name, one in ways.items():
        if one.ndim > 2 or not np.isfinite(one).all() or one.min() < 0:
            raise UsageError(f"{name}: errors and variances are finite and not negative, one for each rank.")
    ways = {name: np.where(one > least * factor, one, 0.0) for name, one in ways.items()}
    last = _what_is_left(ways.values())
    firsts = _aligned([float(one[:, 0].mean()) for one in ways.values()])
    labels = [
        f"{at}  {name}{_choices(len(one))}" for at, (name, one) in zip(firsts, ways.items(), strict=True)
    ]
    width = max(6.4, 0.8 + 0.078 * max(map(len, labels)))
    with laid_out((width, 3.9 + 0.18 * len(ways)), title) as figure:
        axis = figure.subplots()
        for style, (name, one) in enumerate(zip(labels, ways.values(), strict=True)):
            _draw_ways(axis, one[:, :last], style, name)
        set_axis(axis, "x", Axis("rank", "log", 1, max(last, 2), "count"))
        axis.set_ylim(bottom=0)
        if not any(one.any() for one in ways.values()):
            axis.set_ylim(0, 1)
            axis.text(0.5, 0.5, _NOTHING_VARIES, transform=axis.transAxes, ha="center", color=GREY)
        axis.set_ylabel(label)
        axis.grid(visible=True, axis="y")
        head(axis, "", fill(note, int(14 * width)))
        figure.legend(loc="outside lower center", title="at rank 1", alignment="left")
    return figure


def _choices(count: int) -> str:
    """What is drawn where there are several ways."""
    if count == 1:
        return ""
    return f": mean of {counted(count, 'choice')} ({'shaded: lowest to highest' if count > _MOST_THIN else 'thin lines'})"


def _draw_ways(axis: Axes, ways: Floats, style: int, label: str) -> None:
    """Draw one line, or the mean of several and what they are."""
    look: Any = {"drawstyle": "steps-post", "color": colour(style), "linestyle": dashes(style)}
    ranks = np.arange(1, ways.shape[1] + 1)
    if len(ways) > _MOST_THIN:
        low, high = ways.min(axis=0), ways.max(axis=0)
        axis.fill_between(ranks, low, high, step="post", color=colour(style), alpha=0.14, linewidth=0)
    elif len(ways) > 1:
        axis.plot(ranks, ways.T, linewidth=0.7, alpha=0.6, **look)
    axis.plot(ranks, ways.mean(axis=0), linewidth=1.8, label=label, **look)


def _aligned(values: Sequence[float]) -> list[str]:
    """Numbers to stand below one another, the largest with three digits."""
    largest = max(values)
    digits = min(max(2 - int(np.floor(np.log10(largest))), 0), 6) if largest > 0 else 2
    return words.aligned(values, digits)


def _what_is_left(ways: Iterable[Floats]) -> int:
    """The first rank at which nothing is left, or the last there is."""
    highest = [one.max(axis=0) for one in ways]
    least = 1e-6 * max(float(one.max()) for one in highest)
    left = max(int(np.flatnonzero(one > least).max(initial=-1)) for one in highest)
    return min(max(left + 2, _FEWEST_RANKS), max(map(len, highest)))


def _low_ranks(bands: Iterable[Band]) -> int:
    """The rank at which all curves have passed 99 %, within bounds."""
    every = list(bands)
    passed = max(int(np.searchsorted(band.values, _ENOUGH)) + 1 for band in every)
    return min(max(passed, _FEWEST_RANKS), _MOST_RANKS, max(len(band.values) for band in every))


def _is_shaded(effect: GalleryEffect) -> bool:
    return len(effect.bands) <= MOST_BANDS


def _varying(bands: Sequence[Band]) -> str:
    """What the bands are about."""
    return " or ".join(map(str, dict.fromkeys(band.answers.varying for band in bands)))
