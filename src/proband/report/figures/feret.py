"""Figures of a FERET study: averages, upper bounds, versions and galleries, as in Phillips et al. 2000."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from proband import words
from proband.inference import Band
from proband.inference.estimates.evaluation import probes_called
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.galleries.tables import GalleryVariation
from proband.inference.galleries.versions import Contrast
from proband.report.charts.makers.curves import cmc, series_of
from proband.report.charts.mpl import legend_below, set_axis
from proband.report.charts.palette import colour, marker
from proband.report.charts.scales import rounded_out
from proband.report.charts.spec import Axis
from proband.report.figures.identification import curves_figure
from proband.report.figures.style import head, laid_out
from proband.words import count, counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LAST_RANK = 100
_WIDTH, _HEIGHT = 3.7, 3.3  # of a panel, in inches
_IN_A_ROW = 3


def averages_figure(study: FeretStudy) -> Figure:
    """The average curve of each set of probes: which are harder?"""
    named = [(probes_called(one.category), one.average) for one in study.results]
    return _by_probes(named, f"Average of {len(study.field)} algorithms")


def upper_bounds_figure(study: FeretStudy) -> Figure:
    """The curve of the algorithm that is best at rank 1, for each set of probes."""
    named = [(f"{probes_called(one.category)}: {one.leader}", one.upper_bound) for one in study.results]
    return _by_probes(named, f"Current upper bound: the best of {counted(len(study.field), 'algorithm')}")


def _by_probes(named: Sequence[tuple[str, Band]], title: str) -> Figure:
    """One panel with a curve for each set of probes."""
    bands = [band for _, band in named]
    drawn = [
        series_of(band, place, f"{name}, {counted(band.facts.n_probes, 'probe')}", _LAST_RANK)
        for place, (name, band) in enumerate(named)
    ]
    size = counted(bands[0].facts.n_gallery_subjects, "person", "people")
    chart = cmc(bands, title=title, drawn=drawn, of=f"gallery of {size}")
    return curves_figure([replace(chart, heading="probes, and rate at rank 1")], inside=False)


def versions_figure(study: FeretStudy, contrasts: Sequence[Contrast]) -> Figure:
    """Two states of each algorithm, the partially automatic or later one solid, a panel for each set of probes."""
    charts = []
    for category in study.evaluation.categories:
        bands = {entry.algorithm: entry.band for entry in study.evaluation.of(category)}
        drawn = [
            series_of(bands[name], place, label, _LAST_RANK, dash=int(name != one.second))
            for place, one in enumerate(contrasts)
            for name, label in zip((one.second, one.first), reversed(one.labels), strict=True)
        ]
        charts.append(cmc([bands[contrasts[0].second]], title=probes_called(category), drawn=drawn))
    return curves_figure(charts)


def variation_figure(variation: Sequence[GalleryVariation]) -> Figure:
    """Each algorithm's rate in each gallery with its interval, a panel for each set of probes and order of people."""
    designs = list(dict.fromkeys(one.design for one in variation))
    categories = list(dict.fromkeys(one.category for one in variation))
    # With several orders of people, those of one set of probes stand side by side.
    ordered = sorted(variation, key=lambda one: (categories.index(one.category), designs.index(one.design)))
    whole = len(variation) == len(designs) * len(categories)
    columns = min(len(variation), len(designs) if whole and 1 < len(designs) <= 3 else _IN_A_ROW)
    rows = -(-len(variation) // columns)
    lows = [cell.interval.low for one in variation for cell in one.cells if cell.interval is not None]
    rates = [cell.rate for one in variation for cell in one.cells if cell.rate is not None]
    y = Axis("recognition rate", "linear", max(rounded_out(min(lows + rates), 1.0)[0], 0.0), 1.0, "rate")
    with laid_out((max(5.4, _WIDTH * columns), _HEIGHT * rows + 0.5)) as figure:
        axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
        for axis in axes.flat[len(variation) :]:
            axis.set_visible(False)
        for axis, one in zip(axes.flat, ordered, strict=False):
            set_axis(axis, "y", y, inset=0.01)
            _draw_galleries(axis, one)
        for axis in axes[:, 1:].flat:
            axis.set_ylabel("")
        legend_below(figure, axes.flat[0].get_legend_handles_labels()[0])
    return figure


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
            x, [cell.rate for cell in cells if cell.rate is not None], linestyle="none", marker=marker(place),
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
    how = fill(
        f"{variation.design}, {count(variation.size)} in each; {words.level(variation.confidence_level)} intervals",
        52,
    )
    head(axis, probes_called(variation.category), how)
