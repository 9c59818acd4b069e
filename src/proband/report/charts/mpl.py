"""Charts drawn with matplotlib, one or more per figure: legible in print and in greyscale, with reproducible bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from proband.distributions import normal_cdf
from proband.report.charts.mpl_errors import draw_errors
from proband.report.charts.mpl_names import name_directly, others
from proband.report.charts.palette import DASHES, MOST_COLOURS, colour, dashes, is_grey, marker
from proband.report.charts.scales import deviate
from proband.report.charts.spec import (
    TINT,
    Axis,
    Chart,
    Curves,
    Errors,
    Histograms,
    Matrix,
    Rows,
    Series,
    aligned_charts,
    some,
)
from proband.report.figures.style import GREY, PAGE, STYLE, foot, head, laid_out

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LETTER = 0.075  # inches, about
_FEW_SIZES = 25
_NARROW = 5.5  # inches: a figure of one column
_SHORT = 12  # letters: longer names beside rows need a wide figure
_FADED: Any = {"alpha": 0.14, "linewidth": 0}


def figure(
    charts: Sequence[Chart],
    size: tuple[float, float],
    *,
    title: str | None = None,
    columns: int = 1,
    headed: bool = True,
    shared: bool = True,
    inside: bool = False,
    legend: Callable[[Axes, Chart, list[Artist]], None] | None = None,
    said: str = "",
) -> Figure:
    """Draw charts as the panels of one figure.

    Parameters
    ----------
    size
        Size of the figure in inches.
    title
        Title of the figure.
    columns
        Panels side by side.
    headed
        Whether panels have their titles.
    shared
        Whether panels share one axis y.
    inside
        Whether to put the legend inside a single panel if there is space.
    legend
        Function that adds a legend to every panel, such as `legend_beside`.
    said
        A line at the foot of the figure.
    """
    drawn = aligned_charts(some(charts)) if shared and len(charts) > 1 else list(charts)
    # Names beside a panel are laid out as the screen has them, where they are wider.
    with laid_out(
        size, title, **({"resolution": STYLE["figure.dpi"]} if legend is legend_beside else {})
    ) as made:
        axes = made.subplots(-(-len(drawn) // columns), columns, squeeze=False, sharey=shared)
        handles: dict[str, Artist] = {}
        for axis, chart in zip(axes.flat, drawn, strict=False):
            own = draw(axis, chart, alone=len(drawn) == 1 or legend is not None)
            if legend is not None:
                legend(axis, chart, own)
            else:
                handles |= {str(one.get_label()): one for one in own if str(one.get_label()) not in handles}
            wide = size[0] / columns - 0.7
            above = "\n".join(fill(line, int(17.5 * wide)) for line in chart.above.splitlines())
            head(axis, fill(chart.title, int(12 * wide)) if headed else "", above)
        for axis in axes.flat[len(drawn) :]:
            axis.set_visible(False)
        for axis in axes[:, 1:].flat:
            axis.set_ylabel("")
        if inside and len(handles) <= 8 and _LETTER * max(map(len, handles)) < size[0] / 2:
            axes.flat[0].legend(handles=list(handles.values()), loc="lower right")
        elif handles:
            legend_below(made, list(handles.values()), drawn[0].heading, said)
        if said and not made.legends:  # which has that place
            foot(made, said)
    return made


def printed(
    charts: Sequence[Chart],
    title: str | None = None,
    width: float | None = None,
    *,
    columns: int | None = None,
    said: str = "",
    inside: bool = False,
) -> Figure:
    """Draw charts of one kind as the panels of a figure sized to fit them.

    Parameters
    ----------
    title
        Title of the figure.
    width
        Width of the figure in inches; below 5.5, panels are stacked.
    columns
        Number of panels side by side.
    said
        A line at the foot of the figure.
    inside
        Whether to put a legend inside a single panel if there is space.
    """
    n, first = len(some(charts)), charts[0].marks
    narrow = width is not None and width < _NARROW
    if isinstance(first, Rows):
        rows = [one.marks for one in charts if isinstance(one.marks, Rows)]
        wide = any(one.beside or max(map(len, one.labels)) > _SHORT for one in rows)
        across = 1 if width is None or narrow else min(n, columns or n)
        high = 1.0 + max(len(one.labels) * (0.11 + 0.13 * one.together) for one in rows)
        size = (
            width or (PAGE if wide else 5.4),
            (high + (0.4 if first.together > 1 else 0.0)) * -(-n // across),
        )
        same = n > 1 and len({one.axes[0][0].label for one in charts}) == 1
        drawn = aligned_charts(charts, across=True) if same else charts
        return figure(drawn, size, title=title, columns=across, headed=n > 1, shared=False, said=said)
    if isinstance(first, Errors):
        return figure(charts, _around_errors(charts[0]), title=title, headed=False, said=said)
    if isinstance(first, Matrix):
        across = 1 if narrow else min(n, columns or 2)
        side = max(3.0, 1.4 + 0.36 * len(first.labels)) if width is None else width / across
        return figure(
            charts,
            (side * across, side * -(-n // across)),
            title=title,
            columns=across,
            shared=False,
            said=said,
        )
    across = 1 if narrow else min(n, columns or (2 if n in (2, 4) else 3))
    high = 2.9 if narrow else 3.5
    size = (width or max(6.4, 3.6 * across), high * -(-n // across) + (0.3 if n > 1 else 0.8))
    shared = isinstance(first, Curves) and len({one.axes[0][1].label for one in charts}) == 1
    return figure(
        charts, size, title=title, columns=across, shared=shared, inside=inside and n == 1, said=said
    )


def _around_errors(chart: Chart) -> tuple[float, float]:
    """How large a panel of errors is: as wide as its legend, within reason; steps of normal deviates are as long on both axes."""
    width = min(max(6.4, 1.8 + _LETTER * max(map(len, chart.names))), 9.0)
    x, y = chart.axes[0]
    shape = 0.65
    if y.kind == "probit":
        shape = float((deviate(y.high) - deviate(y.low)) / (deviate(x.high) - deviate(x.low)))
    high = 0.1 + (width - 1) * min(max(shape, 0.55), 0.8)
    return width, high + 1.0 + 0.18 * min(len(chart.names), MOST_COLOURS + 1)


def legend_beside(axis: Axes, chart: Chart, handles: list[Artist]) -> None:
    """Put a legend to the right of its panel, where nothing is drawn."""
    axis.legend(
        handles=handles,
        title=chart.heading or None,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        alignment="left",
    )


def legend_below(figure: Figure, handles: Sequence[Artist], heading: str = "", said: str = "") -> None:
    """Put a legend below all panels, where no curve can run into it, with a heading or with what is said of all."""
    width = figure.get_figwidth()
    labels = [fill(str(one.get_label()), int(11.5 * (width - 1.5))) for one in handles]
    longest = max(len(line) for label in labels for line in label.splitlines())
    fitting = 1 if heading and len(labels) < 4 else int(width / (0.6 + _LETTER * longest))
    legend = figure.legend(
        handles, labels, loc="outside lower center", title=heading or fill(said, 90) or None, alignment="left",
        ncols=max(1, min(len(labels), 5, fitting)), handlelength=3.0,
    )  # fmt: skip
    if said and not heading:
        legend.get_title().set(fontsize=8, color=GREY)


def draw(axis: Axes, chart: Chart, *, alone: bool = True) -> list[Artist]:
    """Draw a chart on axes of its first scales; return what its legend shows, which says more of a chart alone."""
    x, y = chart.axes[0]
    names = (chart.labels if alone else ()) or chart.names
    match chart.marks:
        case Curves():
            set_axis(axis, "x", x, inset=0.0 if chart.marks.step else 0.03)
            set_axis(axis, "y", y, inset=0.006)
            drawn = list(zip(chart.marks.series, names, strict=True))
            handles = [draw_series(axis, chart.marks, *one) for one in drawn]
            grey = [(one.name, one.xs, one.ys) for one in chart.marks.series if is_grey(one.place)]
            name_directly(axis, (x, y), grey)
            kept = [handle for handle, (one, _) in zip(handles, drawn, strict=True) if not is_grey(one.place)]
            return [*kept, *others(len(grey))]
        case Rows():
            set_axis(axis, "x", x, most=5 if x.kind == "log" else 6, inset=0.02)
            return _rows(axis, chart, chart.marks, names)
        case Errors():
            set_axis(axis, "x", x)
            set_axis(axis, "y", y, inset=0.012 if chart.marks.complement else 0.0)
            return draw_errors(axis, chart, chart.marks, names)
        case Histograms():
            set_axis(axis, "x", x)
            set_axis(axis, "y", y)
            return _histograms(axis, chart, chart.marks, names, density=y.unit == "number")
        case Matrix():
            return _matrix(axis, chart.marks, (x, y))


def set_axis(axis: Axes, which: Literal["x", "y"], given: Axis, *, most: int = 8, inset: float = 0.0) -> None:
    """Make an axis of a panel the one given, with at most so many numbers on it and some room beyond its ends."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

    along = axis.xaxis if which == "x" else axis.yaxis
    scale = given.over()
    set_scale = getattr(axis, f"set_{which}scale")
    if given.kind == "probit":
        set_scale("function", functions=(deviate, normal_cdf))
    else:
        set_scale(given.kind)
    ends = (scale.inverse(-inset), scale.inverse(1 + inset)) if inset else (given.low, given.high)
    getattr(axis, f"set_{which}lim")(*ends)
    ticks = scale.ticks(most)
    along.set_major_locator(FixedLocator(ticks))
    along.set_major_formatter(FixedFormatter([scale.label(tick) for tick in ticks]))
    along.set_minor_locator(NullLocator())
    getattr(axis, f"set_{which}label")(fill(given.label, 60))
    axis.grid(visible=True, axis=which)
    axis.set_axisbelow(True)


def draw_series(axis: Axes, marks: Curves, one: Series, label: str) -> Artist:
    """Draw one curve and its band; the first rank, or every size if they are few, has a marker."""
    grey = is_grey(one.place)
    look: Any = {"color": colour(one.place), "zorder": 2 if grey else 3, "clip_on": False}
    dash = dashes(one.place) if one.dash is None else DASHES[one.dash]
    for thin in one.thin:
        style: Any = {"drawstyle": "steps-post"} if marks.step else {}
        axis.plot(*thin, linestyle=dash, linewidth=0.7, alpha=0.7, **style, **look)
    if marks.dotted and not marks.step and len(one.xs) <= _FEW_SIZES:
        look |= {"marker": marker(one.place), "markersize": 4.5}
    (line,) = axis.plot(
        one.xs, one.ys, drawstyle="steps-post" if marks.step else "default", linestyle=dash,
        linewidth=0.9 if grey else 1.8, label=label, **look,
    )  # fmt: skip
    if marks.dotted and marks.step and not grey:
        at = min(marks.rank, len(one.ys))
        axis.plot([one.xs[at - 1]], [one.ys[at - 1]], marker="o", markersize=4.5, **look)
    if marks.banded and len(one.low):
        look = {"color": colour(one.place), "step": "post" if marks.step else None, **_FADED}
        axis.fill_between(one.xs[: len(one.low)], one.low, one.high, **look)
    return line


def _rows(axis: Axes, chart: Chart, marks: Rows, names: Sequence[str]) -> list[Artist]:
    """Draw values with their intervals; a value of 0 is beyond a logarithmic axis, one beyond the end is an arrow."""
    start, end = axis.get_xlim()
    axis.set_yticks(range(len(marks.labels)), [fill(label, 32) for label in marks.labels])
    axis.set_ylim(len(marks.labels) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)
    if marks.margin is not None:
        axis.axvspan(-marks.margin, marks.margin, color="#999999", alpha=0.18, linewidth=0)
    if marks.reference is not None:
        dash = "-" if marks.reference == 0 else (0, (4, 2))
        axis.axvline(marks.reference, color=GREY, linewidth=0.9, linestyle=dash, zorder=1.5)
    handles: dict[int, Artist] = {}
    for one in marks.marks:
        y = one.row + 0.8 * (one.place % marks.together - (marks.together - 1) / 2) / marks.together
        low, high = np.clip(np.nan_to_num([one.low, one.high], nan=start), start, end)
        place = chart.place(one.place)
        tint = colour(place)
        if not one.single:
            axis.hlines(y, low, high, color=tint, linewidth=1.6, zorder=2)
        if chart.axes[0][0].ends_before(one.high):
            axis.plot(
                [end], [y], linestyle="none", color=tint, zorder=3, clip_on=False, marker=">", markersize=4
            )
        if one.value > end:
            continue
        beyond = axis.get_xscale() == "log" and one.value <= 0
        (dot,) = axis.plot(
            [start if beyond else one.value], [y], linestyle="none", color=tint, zorder=3, clip_on=False,
            marker="<" if beyond else "o" if marks.together == 1 else marker(place), markersize=4 if one.single else 5,
            markerfacecolor="white" if one.single or not one.supported else tint, label=marks.names[one.place],
        )  # fmt: skip
        handles.setdefault(one.place, dot)
    for row, text in enumerate(marks.beside):
        axis.text(
            1.02, row, text, transform=axis.get_yaxis_transform(), fontsize=7.5, color=GREY, va="center"
        )
    return [handles[place] for place in sorted(handles)] if names and marks.together > 1 else []


def _histograms(
    axis: Axes, chart: Chart, marks: Histograms, names: Sequence[str], *, density: bool
) -> list[Artist]:
    """Draw histograms over one another, as outlines, tinted, each with its value and interval above."""
    start = axis.get_xlim()[0]
    if density:
        axis.set_yticks([])
    if marks.shaded_to is not None:
        axis.axvspan(start, marks.shaded_to, color="#F1F1F1", zorder=0)
    if marks.reference is not None:
        axis.axvline(marks.reference, color=GREY, linewidth=1.0, zorder=1)
    handles: list[Artist] = []
    for order, (one, name) in enumerate(zip(marks.outlines, names, strict=True)):
        place = chart.place(order)
        tint = colour(place)
        axis.stairs(one.heights, one.edges, fill=True, color=tint, **(_FADED | {"label": ""}))
        look: Any = {"color": tint, "linestyle": dashes(place), "linewidth": 1.5, "zorder": 3}
        handles.append(axis.stairs(one.heights, one.edges, label=name, **look))
        if one.value is not None:
            middle, low, high = one.value
            above = axis.get_ylim()[1] * (0.97 - 0.03 * (order % 6))
            axis.hlines(above, low, high, color=tint, linewidth=1.4)
            axis.plot([middle], [above], marker="o", markersize=4, color=tint)
    return handles


def _matrix(axis: Axes, marks: Matrix, axes: tuple[Axis, Axis]) -> list[Artist]:
    """Draw cells tinted by their shares, with their numbers."""
    from matplotlib.colors import LinearSegmentedColormap

    n, (across, up) = len(marks.labels), axes
    tints = LinearSegmentedColormap.from_list("shares", ["#FFFFFF", colour(0)])
    axis.imshow(TINT * marks.shares, vmin=0, vmax=1, cmap=tints, interpolation="nearest", aspect="auto")
    figure = axis.get_figure()
    assert figure is not None  # axes stand in one
    wide = figure.get_figwidth() / axis.get_gridspec().ncols - 1.2  # type: ignore[union-attr]
    size = min(9.0, 72 * wide / n / (0.65 * marks.longest))
    for row, texts in enumerate(marks.texts):
        for column, text in enumerate(texts):
            tint = "#222222" if marks.shares[row, column] > 0 else GREY
            axis.text(column, row, text, ha="center", va="center", fontsize=size, color=tint)
    long = _LETTER * max(map(len, marks.labels)) > wide / n
    axis.set_xticks(range(n), marks.labels, rotation=90 if long else 0)
    axis.set_yticks(range(n), marks.labels)
    axis.set_xlabel(across.label)
    axis.set_ylabel(up.label)
    axis.tick_params(length=0)
    axis.grid(visible=False)
    return []
