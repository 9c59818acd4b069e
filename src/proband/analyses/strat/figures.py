"""Charts of stratified evaluations, as in Micheals & Boult 2001, for the page and for print: galleries in turn, errors, units, algorithms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from proband.designs.strata import ROUNDING
from proband.engine.limits import Inches, Title
from proband.errors import UsageError, unknown_name
from proband.inference import Band
from proband.inference.galleries.effect import GalleryEffect
from proband.inference.strata.study import WITHIN_PEOPLE, StratStudy, VarianceByRank
from proband.report.charts.makers.curves import MOST_BANDS, cmc, series_of, values_by_rank
from proband.report.charts.mpl import figure, printed
from proband.report.charts.scales import Floats
from proband.report.charts.spec import Chart, Series
from proband.report.figures.identification import cmc_figure
from proband.words import counted, fixed, level, p_value, part_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_PRINTED = 6  # algorithms in one figure
_IN_A_ROW = 3
_ENOUGH, _FEWEST_RANKS = 0.99, 10
_WIDTH, _NARROW = 3.7, 5.5  # of a panel, and of a figure of one column, in inches
_NOTHING_VARIES = "Zero at every rank: nothing varies."
_POINTS = 1e2  # percentage points
_NO_BANDS = f"bands are drawn for up to {MOST_BANDS} galleries, and strat_curves.csv has all"


def first_to_vary(study: StratStudy) -> str:
    """The first algorithm whose rate varies, or the first algorithm if none varies."""
    return next(iter(study.varying_algorithms), study.cases[0].algorithm)


def gallery_of(study: StratStudy) -> str:
    """Name of the gallery used to compare algorithms and compute errors."""
    return "first mixed gallery" if study.mixed else "fixed gallery"


def galleries_chart(
    effect: GalleryEffect, last: int, *, id: str = "strat-galleries-chart", relative: bool = False
) -> Chart:
    """Chart the curve of each gallery with its band, and the test of whether they differ (the paper's figures 2 and 4)."""
    kind = "mixed galleries" if effect.mixed else "galleries"
    test = effect.test
    first, second = test.degrees_of_freedom, test.denominator_degrees_of_freedom
    drawn = [
        replace(series_of(band, place, str(place + 1), last, rank=effect.rank), name=f"gallery {place + 1}")
        for place, band in enumerate(effect.bands)
    ]
    of = (
        f"{counted(effect.n_subjects, 'person', 'people')}, {counted(effect.bands[0].facts.n_probes, 'probe')} for each gallery\n"
        f"p is for other people: F({first}, {second}) = {fixed(test.statistic or 0.0, 2)} at rank {effect.rank}"
    )
    title = f"{effect.algorithm}, {kind}: p {p_value(float(test))}"
    column = "mixed column" if effect.mixed else "column"
    return replace(
        cmc(effect.bands, id, title, drawn=drawn, rank=effect.rank, relative=relative),
        above=of,  # bands are said below
        heading=f"{column} as gallery: rate at rank {effect.rank}",
        see="If curves differ, it matters which image of each person is enrolled.",
    )


def errors_chart(study: StratStudy, algorithm: str, *, id: str = "strat-errors-chart") -> Chart:
    """Chart the standard error of the CMC by rank, for several methods (the paper's figure 3)."""
    named = {
        f"{method.method} ({counted(method.n_replicates, 'replicate')})": method
        for method in study.errors[algorithm].values()
    }
    # JKn is BRR at every rank: one curve would hide the other.
    same = [name for name, method in named.items() if method.method.key == WITHIN_PEOPLE.key]
    drawn = [name for name in named if name not in same]
    curves = [_series(name, place, _POINTS * named[name].by_rank) for place, name in enumerate(drawn)]
    return _by_rank(
        study, algorithm, curves, ROUNDING * _POINTS, "standard error (percentage points)", id=id,
        title=f"Standard error of the CMC, {algorithm}",
        notes=[f"The {name} has the same standard errors as BRR at every rank." for name in same],
        see="Standard error of the rate by method. The methods answer different questions: BRR varies images of these "
            "people, the jackknife and the bootstrap over probes treat every probe as a different person's, and the "
            "bootstrap over people varies people.",
    )  # fmt: skip


def units_chart(study: StratStudy, algorithm: str, *, id: str = "strat-units-chart") -> Chart:
    """Chart the variance of the CMC by rank, for several numbers of units (the paper's figure 5)."""
    variances = study.variances[algorithm]
    apart = {variance.units for variance in variances if variance.left_out is not None}
    drawn = [
        variance for variance in variances if variance.left_out is not None or variance.units not in apart
    ]
    curves = [
        _series(
            units_name(variance),
            place,
            *(_POINTS**2 * _known(part) for part in (variance.by_rank, variance.lowest, variance.highest)),
        )
        for place, variance in enumerate(drawn)
    ]
    notes = []
    if any(variance.lowest is not None for variance in drawn):
        notes.append("Shaded: from the lowest to the highest choice of units.")
    if any(variance.n_choices > 1 and variance.lowest is None for variance in drawn):
        notes.append("Without shading: too many choices to try them all; the mean is exact.")
    return _by_rank(
        study, algorithm, curves, (ROUNDING * _POINTS) ** 2, "variance (squared percentage points)", id=id,
        title=f"Variance of the CMC by units per person, {algorithm}", notes=notes,
        see="Gain from each additional probe image of a person: the more units, the lower the variance.",
    )  # fmt: skip


def units_name(variance: VarianceByRank) -> str:
    """Name of a variance: number of units, and the choice or number of choices."""
    if variance.left_out is not None:
        return f"{variance.units} units, without column {variance.left_out}"
    if variance.n_choices == 1:
        return f"{variance.units} units"
    return f"{variance.units} units: mean of {counted(variance.n_choices, 'choice')}"


def algorithms_chart(study: StratStudy, *, id: str = "strat-algorithms-chart", title: str = "") -> Chart:
    """Chart the curves of all algorithms with their bands (the paper's figures 6 and 7)."""
    title = title or f"Recognition rate by rank, {gallery_of(study)}"
    return cmc(study.curves, id, title, last=_low_ranks(study.curves), relative=study.relative_ranks)


def gallery_effect_figure(
    effects: Sequence[GalleryEffect],
    title: Title | None = None,
    note: str = "",
    *,
    width: Inches | None = None,
    relative: bool = False,
) -> Figure:
    """Draw the curve of every gallery, a panel for each effect (the paper's figures 2 and 4).

    Original and mixed galleries are drawn side by side on the same axes. Ranks end where all curves have passed 99 %.
    Bands are drawn for up to six galleries.

    Parameters
    ----------
    effects
        Results of `gallery_effect` for one or more algorithms.
    title
        Title of the figure.
    note
        Additional text, such as the algorithms not shown.
    width
        Width of the figure in inches; below 5.5, panels are stacked.
    relative
        Whether the axis shows rank / people in the gallery.
    """
    if not effects:
        raise UsageError("There are no galleries to draw.")
    last = ranks_drawn(effects)
    charts = [galleries_chart(effect, last, relative=relative) for effect in effects]
    pairs = len({effect.mixed for effect in effects}) == 2
    columns = min(len(effects), 2 if pairs or len(effects) == 4 else 3)
    columns = 1 if width is not None and width < _NARROW else columns
    rows = -(-len(effects) // columns)
    listed = max(-(-len(effect.bands) // _IN_A_ROW) for effect in effects)
    size = width or max(5.4, _WIDTH * columns), (3.9 + 0.16 * listed) * rows
    shaded = [band for effect in effects if _are_shaded(effect.bands) for band in effect.bands]
    bands = _NO_BANDS
    if shaded:
        levels = " or ".join(dict.fromkeys(level(band.confidence_level) for band in shaded))
        bands = f"bands: {levels} at each rank, varying {_varying(shaded)}"
    said = "; ".join(filter(None, (bands, note)))
    return figure(charts, size, title=title, columns=columns, legend=_legend_under, said=said)


def study_figures(
    study: StratStudy, algorithm: str | None = None, width: float | None = None, title: str | None = None
) -> dict[str, Callable[[], Figure]]:
    """Functions that draw the paper's figures: galleries and mixed galleries, errors by method, algorithms, units.

    Those of one algorithm each have a panel for every algorithm, up to six, or for the one that is named; errors and units only for those
    whose rates vary.
    """
    names = [rate.algorithm for rate in study.cases]
    if algorithm is not None and algorithm not in names:
        raise unknown_name("algorithm", algorithm, names)
    varying = list(study.varying_algorithms) or names[:1]

    def by_method(chart: Callable[[StratStudy, str], Chart]) -> Figure:
        drawn, rule = _printed(varying, algorithm, "those that vary")
        charts = [chart(study, name) for name in drawn]
        said = [*charts[0].notes, part_of(len(drawn), len(names), "algorithms", rule)]
        return printed(charts, title, width, said=" ".join(filter(None, said)))

    def galleries() -> Figure:
        drawn, rule = _printed(names, algorithm)
        both = [
            effect
            for pair in zip(study.effects, study.mixed, strict=True)
            for effect in pair
            if effect.algorithm in drawn
        ]
        note = part_of(len(drawn), len(names), "algorithms", rule)
        return gallery_effect_figure(both, title, note, width=width, relative=study.relative_ranks)

    def algorithms() -> Figure:
        bands = study.curves
        said = f"bands vary {_varying(bands)}" if _are_shaded(bands) else ""
        return cmc_figure(
            {gallery_of(study): bands}, title, width, last=_low_ranks(bands), said=said, relative=study.relative_ranks
        )  # fmt: skip

    figures: dict[str, Callable[[], Figure]] = {"galleries": galleries} if study.effects else {}
    figures["errors"] = lambda: by_method(errors_chart)
    figures["algorithms"] = algorithms
    if study.n_images > 3:
        figures["units"] = lambda: by_method(units_chart)
    return figures


def _printed(names: Sequence[str], algorithm: str | None, rule: str = "") -> tuple[Sequence[str], str]:
    """The algorithms that have a panel in a printed figure, and by which rule."""
    if algorithm is not None:
        return [algorithm], "the requested algorithm"
    if len(names) > _MOST_PRINTED:
        return names[:_MOST_PRINTED], "the first; the others are in the page and the tables of curves"
    return names, rule


def plot_study(
    study: StratStudy,
    which: str | None = None,
    width: Inches | None = None,
    title: Title | None = None,
    algorithm: str | None = None,
    relative: bool | None = None,
) -> Figure:
    """Draw one of the figures.

    Parameters
    ----------
    which
        ``galleries``, ``errors``, ``algorithms`` or ``units``. Default: the first available.
    width
        Width of the figure in inches.
    title
        Title of the figure.
    algorithm
        Algorithm to show in figures of a single algorithm. Default: algorithms that vary.
    relative
        Whether ranks are divided by the number of people in the gallery.
    """
    asked = study if relative is None else replace(study, relative_ranks=relative)
    named = study_figures(asked, algorithm, width, title)
    name = next(iter(named)) if which is None else which
    if name not in named:
        raise unknown_name("figure", name, named)
    return named[name]()


def _known(values: Floats | None) -> Floats:
    return np.zeros(0) if values is None else values


def _series(
    name: str, place: int, values: Floats, low: Floats | None = None, high: Floats | None = None
) -> Series:
    """A curve by rank, and how far it reaches where that is known."""
    return Series(name, place, np.arange(1.0, len(values) + 1), values, _known(low), _known(high))


def _by_rank(
    study: StratStudy,
    algorithm: str,
    curves: Sequence[Series],
    least: float,
    label: str,
    *,
    id: str,
    title: str,
    notes: Sequence[str],
    see: str,
) -> Chart:
    """Chart something of the recognition rate at each rank, as far as any of it is left; below the least it is rounding."""
    highest = np.max([curve.high if len(curve.high) else curve.ys for curve in curves], axis=0)
    left = np.flatnonzero(highest > max(least, 1e-6 * float(highest.max())))
    last = min(max(int(left.max(initial=-1)) + 2, _FEWEST_RANKS), len(highest))
    shown = [
        _series(
            curve.name,
            curve.place,
            *(np.where(part > least, part, 0.0)[:last] for part in (curve.ys, curve.low, curve.high)),
        )
        for curve in curves
    ]
    said = (*notes, *(() if len(left) else (_NOTHING_VARIES,)))
    facts = next(band.facts for band in study.curves if band.algorithm == algorithm)
    probes, people = counted(facts.n_probes, "probe"), counted(facts.n_probe_subjects, "person", "people")
    return values_by_rank(
        shown, label, id=id, title=title, people=facts.n_gallery_subjects if study.relative_ranks else None, notes=said,
        above=f"{gallery_of(study)}, {probes} of {people}", see=see,
    )  # fmt: skip


def _legend_under(axis: Axes, chart: Chart, handles: Sequence[Artist]) -> None:
    """Put the legend below its panel, in rows of three at most, where no curve can run into it."""
    from matplotlib.transforms import offset_copy

    n = len(chart.names)
    axis.legend(
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=offset_copy(axis.transAxes, fig=axis.get_figure(root=True), y=-36, units="points"),
        ncols=-(-n // -(-n // _IN_A_ROW)),
        title=chart.heading,
        fontsize=8,
        title_fontsize=8,
        alignment="left",
        handlelength=2.2,
        columnspacing=1.0,
        borderpad=0,
        borderaxespad=0,
    )


def ranks_drawn(effects: Sequence[GalleryEffect]) -> int:
    """Number of ranks to draw for curves of galleries, including the rank of the test."""
    bands = [band for effect in effects for band in effect.bands]
    return max(_low_ranks(bands), *(effect.rank for effect in effects))


def _low_ranks(bands: Sequence[Band]) -> int:
    """The rank at which all curves have passed 99 %, or the last."""
    passed = max(int(np.searchsorted(band.values, _ENOUGH)) + 1 for band in bands)
    return min(max(passed, _FEWEST_RANKS), max(len(band.values) for band in bands))


def _are_shaded(bands: Sequence[Band]) -> bool:
    return len(bands) <= MOST_BANDS


def _varying(bands: Sequence[Band]) -> str:
    """What the bands are about."""
    return " or ".join(map(str, dict.fromkeys(band.answers.varying for band in bands)))
