"""Figures of a FERET study: averages, upper bounds, versions, galleries and gallery sizes, as in Phillips et al. 2000."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from proband import words
from proband.inference import Band
from proband.inference.estimates.evaluation import probes_called
from proband.inference.estimates.people_fractions import SizeCurve
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.galleries.tables import GalleryVariation
from proband.inference.galleries.versions import Contrast
from proband.report.figures.style import evaluation_figure
from proband.report.figures.verification_axes import colour, dashes, laid_out, say_above
from proband.words import count, counted, fixed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]

_MARKERS = "osD^vPX*"
_MOST_SHADED = 6
_LAST_RANK = 100
_WIDTH, _HEIGHT = 3.7, 3.3  # of a panel, in inches
_IN_A_ROW = 3
_FEW_SIZES, _APART = 7, 1.25  # gallery sizes that can all be labelled


def categories_figure(study: FeretStudy) -> Figure:
    """Every algorithm's curve, a panel for each set of probes."""
    return evaluation_figure(study.evaluation)


def averages_figure(study: FeretStudy) -> Figure:
    """The average curve of each set of probes: which are harder?"""
    lines = [
        _Line(_labelled(probes_called(one.category), one.average), one.average, place)
        for place, one in enumerate(study.results)
    ]
    return _one_panel(lines, f"Average of {len(study.field)} algorithms")


def upper_bounds_figure(study: FeretStudy) -> Figure:
    """The curve of the algorithm that is best at rank 1, for each set of probes."""
    lines = [
        _Line(
            _labelled(f"{probes_called(one.category)}: {one.leader}", one.upper_bound), one.upper_bound, place
        )
        for place, one in enumerate(study.results)
    ]
    return _one_panel(lines, f"Current upper bound: the best of {counted(len(study.field), 'algorithm')}")


def versions_figure(study: FeretStudy, contrasts: Sequence[Contrast]) -> Figure:
    """Two states of each algorithm, the partially automatic or later one solid, a panel for each set of probes."""
    panels = {}
    for category in study.evaluation.categories:
        bands = {entry.algorithm: entry.band for entry in study.evaluation.of(category)}
        panels[category] = [
            _Line(label, bands[name], place, solid=name == one.second)
            for place, one in enumerate(contrasts)
            for name, label in zip((one.second, one.first), reversed(one.labels), strict=True)
        ]
    with _panels(len(panels)) as (figure, axes):
        for axis, (category, lines) in zip(axes, panels.items(), strict=False):
            _draw_lines(axis, lines)
            axis.set_title(f"{probes_called(category)}\n", pad=2)
            say_above(axis, _sizes_of(lines[0].band, lines))
        _share_rates(axes, [line.band.low[0] for lines in panels.values() for line in lines])
        _legend_below(figure, axes[0])
    return figure


def variation_figure(variation: Sequence[GalleryVariation]) -> Figure:
    """Each algorithm's rate in each gallery with its interval, a panel for each set of probes and order of people."""
    designs = list(dict.fromkeys(one.design for one in variation))
    categories = list(dict.fromkeys(one.category for one in variation))
    # With several orders of people, those of one set of probes stand side by side.
    ordered = sorted(variation, key=lambda one: (categories.index(one.category), designs.index(one.design)))
    whole = len(variation) == len(designs) * len(categories)
    with _panels(len(variation), len(designs) if whole and 1 < len(designs) <= 3 else _IN_A_ROW) as (
        figure,
        axes,
    ):
        for axis, one in zip(axes, ordered, strict=False):
            _draw_galleries(axis, one)
        lows = [cell.interval.low for one in variation for cell in one.cells if cell.interval is not None]
        rates = [cell.rate for one in variation for cell in one.cells if cell.rate is not None]
        _share_rates(axes, lows + rates)
        _legend_below(figure, axes[0])
    return figure


def sizes_figure(sizes: Sequence[SizeCurve]) -> Figure:
    """The expected rate against the number of people enrolled, a panel for each set of probes."""
    categories = list(dict.fromkeys(one.category for one in sizes))
    names = list(dict.fromkeys(one.algorithm for one in sizes))
    with _panels(len(categories)) as (figure, axes):
        for axis, category in zip(axes, categories, strict=False):
            curves = [one for one in sizes if one.category == category]
            for one in curves:
                style = names.index(one.algorithm)
                _draw_band(
                    axis, np.array(one.sizes), one.rates, one.low, one.high, style, len(curves), one.algorithm
                )
            first = curves[0]
            _log_axis(axis, list(first.sizes), "people enrolled")
            _label_sizes(axis, first.sizes)
            axis.set_title(f"{probes_called(category)}\n", pad=2)
            say_above(
                axis,
                f"{counted(first.n_probes, 'probe')}; rank {first.rank}{_shading(first.confidence_level, len(curves))}",
            )
        _share_rates(axes, [low for one in sizes for low in one.low])
        _legend_below(figure, axes[0])
    return figure


@dataclass(frozen=True, eq=False)
class _Line:
    """A curve, what to call it, and the place of its colour; dashes tell `solid` from not."""

    label: str
    band: Band
    place: int
    solid: bool | None = None

    @property
    def dashes(self) -> Any:
        if self.solid is None:
            return dashes(self.place)
        return "-" if self.solid else (0, (4, 1.6))


def _labelled(name: str, band: Band) -> str:
    return f"{name}, {counted(band.facts.n_probes, 'probe')}  {fixed(band.at(1))}"


def _one_panel(lines: Sequence[_Line], title: str) -> Figure:
    """A figure of one panel, with its legend beside the curves, which may fill all of it."""
    with laid_out((7.6, 3.9), None) as figure:
        axis = figure.subplots()
        _draw_lines(axis, lines)
        axis.set_title(f"{title}\n", pad=2)
        band = lines[0].band
        say_above(
            axis,
            f"gallery of {counted(band.facts.n_gallery_subjects, 'person', 'people')}{_shading(band.confidence_level, len(lines))}",
        )
        _share_rates([axis], [line.band.low[0] for line in lines])
        figure.legend(
            *axis.get_legend_handles_labels(), loc="outside right center", title="probes, and rate at rank 1"
        )
    return figure


def _draw_lines(axis: Axes, lines: Sequence[_Line]) -> None:
    last = min(max(len(line.band.values) for line in lines), _LAST_RANK)
    for line in lines:
        band, shown = line.band, slice(0, last)
        look: Any = {"color": colour(line.place), "zorder": 3}
        axis.plot(
            band.ranks[shown], band.values[shown], drawstyle="steps-post", linestyle=line.dashes, linewidth=1.8,
            label=line.label, **look,
        )  # fmt: skip
        axis.plot([1], [band.values[0]], marker="o", markersize=4.5, clip_on=False, **look)
        if len(lines) <= _MOST_SHADED:
            axis.fill_between(
                band.ranks[shown], band.low[shown], band.high[shown], step="post",
                color=colour(line.place), alpha=0.12, linewidth=0,
            )  # fmt: skip
    _log_axis(axis, [1, last], "rank")


def _draw_band(
    axis: Axes, x: npt.NDArray[Any], y: Sequence[float], low: Sequence[float], high: Sequence[float],
    style: int, of: int, label: str,
) -> None:  # fmt: skip
    axis.plot(
        x, y, color=colour(style), linestyle=dashes(style), linewidth=1.8, marker=_marker(style), markersize=4,
        label=label, clip_on=False,
    )  # fmt: skip
    if of <= _MOST_SHADED:
        axis.fill_between(x, low, high, color=colour(style), alpha=0.12, linewidth=0)


def _draw_galleries(axis: Axes, variation: GalleryVariation) -> None:
    names = variation.algorithms
    numbers = np.array([one.number for one in variation.galleries])
    step = 0.7 / max(len(names), 1)
    for place, name in enumerate(names):
        aside = (place - (len(names) - 1) / 2) * step
        cells = [cell for cell in variation.of(name) if cell.rate is not None]
        x = np.array([cell.gallery for cell in cells]) + aside
        whiskers = [
            (at, cell.interval) for at, cell in zip(x, cells, strict=True) if cell.interval is not None
        ]
        axis.vlines(
            [at for at, _ in whiskers], [one.low for _, one in whiskers], [one.high for _, one in whiskers],
            color=colour(place), linewidth=1.2, alpha=0.7,
        )  # fmt: skip
        axis.plot(
            x, [cell.rate for cell in cells if cell.rate is not None], linestyle="none", marker=_marker(place),
            markersize=5, color=colour(place), label=name, clip_on=False, zorder=3,
        )  # fmt: skip
    shown = [(at, rate) for at, rate in zip(numbers, variation.averages, strict=True) if rate is not None]
    axis.hlines(
        [rate for _, rate in shown], [at - 0.42 for at, _ in shown], [at + 0.42 for at, _ in shown],
        color="#222222", linewidth=1, linestyle=(0, (2, 1.5)), label="average", zorder=1,
    )  # fmt: skip
    axis.set_xlim(numbers[0] - 0.6, numbers[-1] + 0.6)
    axis.set_xticks(numbers, [f"{one.number}\n{count(one.probes)}" for one in variation.galleries])
    axis.set_xlabel("gallery, and its probes")
    axis.grid(visible=True, axis="y")
    how = fill(
        f"{variation.design}, {count(variation.size)} in each; {words.level(variation.confidence_level)} intervals",
        52,
    )
    axis.set_title(f"{probes_called(variation.category)}\n" + "\n" * how.count("\n"), pad=2)
    say_above(axis, how)


def _marker(style: int) -> str:
    return _MARKERS[style % len(_MARKERS)]


def _shading(level: float, curves: int) -> str:
    return f"; shaded {words.level(level)}" if curves <= _MOST_SHADED else ""


def _sizes_of(band: Band, lines: Sequence[_Line]) -> str:
    facts = band.facts
    shaded = _shading(band.confidence_level, len(lines))
    size = counted(facts.n_gallery_subjects, "person", "people")
    return f"{counted(facts.n_probes, 'probe')}, gallery of {size}{shaded}"


@contextmanager
def _panels(n: int, in_a_row: int = _IN_A_ROW) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure of so many panels that share their rates."""
    columns = min(n, in_a_row)
    rows = -(-n // columns)
    with laid_out((max(5.4, _WIDTH * columns), _HEIGHT * rows + 0.5), None) as figure:
        axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
        for axis in axes.flat[n:]:
            axis.set_visible(False)
        for axis in axes[:, 0]:
            axis.set_ylabel("recognition rate")
        yield figure, list(axes.flat[:n])


def _share_rates(axes: Sequence[Axes], lows: Sequence[float]) -> None:
    """Give all panels one axis of rates, from a little below the lowest."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    axes[0].set_ylim(max(0.0, int(min(lows) * 20 - 0.4) / 20), 1.01)
    for axis in axes:
        axis.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10]))
        axis.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0))
    axes[0].set_ylabel("recognition rate")


def _log_axis(axis: Axes, values: Sequence[int], name: str) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_xscale("log")
    low, high = min(values), max(values)
    axis.set_xlim(low, high if high > low else 2 * low)
    axis.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: count(value)))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.set_xlabel(name)
    axis.grid(visible=True, which="major")


def _label_sizes(axis: Axes, sizes: Sequence[int]) -> None:
    """Mark the sizes themselves where there are few, with room for the first and the last."""
    from matplotlib.ticker import FixedLocator, NullLocator

    axis.set_xlim(sizes[0] / 1.06, sizes[-1] * 1.06)
    if len(sizes) <= _FEW_SIZES and min(b / a for a, b in pairwise((*sizes, 2 * sizes[-1]))) >= _APART:
        axis.xaxis.set_major_locator(FixedLocator(sizes))
        axis.xaxis.set_minor_locator(NullLocator())


def _legend_below(figure: Figure, axis: Axes) -> None:
    handles, labels = axis.get_legend_handles_labels()
    # A letter takes about 0.075 inches, and the line before a name 0.5.
    widest = 0.5 + 0.075 * max(map(len, labels))
    fitting = max(1, int(figure.get_figwidth() / widest))
    figure.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), fitting, 6))
