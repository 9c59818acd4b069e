"""Figures of recognition rates for print: curves by rank and by gallery size, estimates, and differences from the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from proband.engine.arguments import published
from proband.engine.limits import Inches, Positive, Title
from proband.errors import UsageError
from proband.inference import Band, Estimate, Evaluation
from proband.inference.comparisons.comparison import Standings
from proband.inference.estimates.evaluation import probes_called
from proband.inference.estimates.people_fractions import SizeCurve
from proband.measures import Curve
from proband.report.charts.makers.curves import cmc, gallery_sizes
from proband.report.charts.makers.replicates import replicates_charts
from proband.report.charts.makers.rows import against_best, forest, leaderboard
from proband.report.charts.mpl import printed
from proband.report.charts.palette import places_of
from proband.report.charts.spec import in_places
from proband.words import part_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@published
def evaluation_figure(
    evaluation: Evaluation,
    title: Title | None = None,
    width: Inches | None = None,
    drawn: Sequence[str] | None = None,
    places: Mapping[str, int] | None = None,
    *,
    relative: bool = False,
) -> Figure:
    """Draw the curves of an evaluation as `cmc_figure` does, for the algorithms `drawn` or for all.

    Parameters
    ----------
    evaluation
        Result of `evaluate`.
    title, width
        Title of the figure, and its width in inches.
    drawn, places
        Algorithms to draw, and the colour of each.
    relative
        Whether ranks are divided by the number of people in the gallery.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; `save_figure` writes it.
    """
    panels = {
        probes_called(one): [
            band for band in evaluation.bands(one) if drawn is None or band.algorithm in drawn
        ]
        for one in evaluation.categories
    }
    n = len(next(iter(panels.values())))
    said = part_of(n, len(evaluation.algorithms), "algorithms", "those chosen to be drawn")
    return cmc_figure(panels, title, width, said=said, places=places, relative=relative)


@published
def cmc_figure(
    panels: Mapping[str, Sequence[Curve | Band]],
    title: Title | None = None,
    width: Inches | None = None,
    *,
    last: Positive | None = None,
    said: str = "",
    places: Mapping[str, int] | None = None,
    columns: Positive | None = None,
    relative: bool = False,
) -> Figure:
    """Draw cumulative match characteristics, one panel per set of probes.

    The rank axis is logarithmic, because low ranks matter most; each panel states its gallery and probes. With more than
    eight algorithms, the best at rank 1 are coloured; the others are grey and labelled where space permits.

    Parameters
    ----------
    panels
        Curves by name of their set of probes. Bands are drawn unless there are too many to distinguish.
    title
        Title of the figure.
    width
        Width of the figure in inches. Text keeps its size; below five inches, panels are stacked. By default as wide as the
        panels need.
    last
        Last rank to draw.
    said
        Footer of the figure.
    places
        Index of each algorithm's style, if set elsewhere.
    columns
        Number of panels side by side. Default: up to three.
    relative
        Whether to use relative ranks, rank / people in the gallery, to compare galleries of different sizes
        (Micheals & Boult 2001).

    Returns
    -------
    matplotlib.figure.Figure
        The figure; `save_figure` writes it.
    """
    shown = {name: curves for name, curves in panels.items() if curves}
    if not shown:
        raise UsageError("There are no curves to plot.")
    rates: dict[str, float] = {}
    for curve in (curve for curves in shown.values() for curve in curves):
        rates.setdefault(curve.algorithm, curve.at(1))
    looks = places or places_of(list(rates), sorted(rates, key=lambda name: -rates[name]))
    charts = [
        in_places(cmc(curves, title=name, last=last, relative=relative), looks)
        for name, curves in shown.items()
    ]
    return printed(charts, title, width, columns=columns, said=said, inside=True)


def sizes_figure(sizes: Sequence[SizeCurve]) -> Figure:
    """Draw the expected rate against the number of people enrolled, one panel per set of probes."""
    names = list(dict.fromkeys(one.algorithm for one in sizes))
    return printed(
        [
            gallery_sizes(
                [one for one in sizes if one.category == category], title=probes_called(category), names=names
            )
            for category in dict.fromkeys(one.category for one in sizes)
        ]
    )


def estimate_figure(
    estimate: Estimate,
    width: Inches = 5.4,
    title: Title | None = None,
    which: Literal["interval", "distribution"] = "interval",
) -> Figure:
    """Draw an estimate with its interval, or the distribution of its replicates.

    Parameters
    ----------
    estimate
        Estimate of one algorithm.
    width
        Width of the figure in inches.
    title
        Title of the figure.
    which
        ``interval``, or ``distribution`` if the design made replicates.
    """
    if which == "interval":
        return printed(
            [leaderboard([estimate], in_points=estimate.rests_on.events is not None)], title, width
        )
    return replicates_figure([[estimate]], width, title)


def replicates_figure(
    measured: Sequence[Sequence[Estimate]], width: Inches = 7.16, title: Title | None = None
) -> Figure:
    """Draw the distributions of replicates, one panel per measure and group of algorithms.

    Parameters
    ----------
    measured
        Estimates of every algorithm, for each measure with replicates.
    width
        Width of the figure in inches.
    title
        Title of the figure.
    """
    return printed(replicates_charts(measured), title, width, columns=2)


def comparison_figure(comparison: Standings, width: Inches = 7.16, title: Title | None = None) -> Figure:
    """Draw the estimates, best first, and the differences from the best.

    Shaded differences are within the margin.

    Parameters
    ----------
    comparison
        Comparison of two or more algorithms.
    width
        Width of the figure in inches; panels are stacked if there is no room side by side.
    title
        Title of the figure.
    """
    in_points = all(pair.in_points for pair in comparison.pairs)
    names = [one.algorithm for one in comparison.estimates]
    looks = places_of(names, [one.algorithm for one in comparison.ordered])
    best_first = in_places(leaderboard(comparison.ordered, in_points=in_points), looks)
    beside = against_best(comparison) if comparison.all_pairs else forest(comparison)
    return printed([best_first, beside], title, width)
