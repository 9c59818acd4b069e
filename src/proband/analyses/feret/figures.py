"""Figures of a FERET study: averages, upper bounds, versions and galleries, as in Phillips et al. 2000."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from proband import words
from proband.inference import Band
from proband.inference.estimates.evaluation import probes_called
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.galleries.participants import Panel
from proband.inference.galleries.tables import GalleryVariation
from proband.inference.galleries.versions import VersionContrast
from proband.report.charts.makers.curves import cmc, series_of
from proband.report.charts.makers.rows import galleries
from proband.report.charts.mpl import figure, printed
from proband.report.charts.palette import places_of
from proband.report.charts.spec import in_places
from proband.report.figures.identification import cmc_figure, evaluation_figure, sizes_figure
from proband.report.kinds.evaluation import own_gallery
from proband.words import count, counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LAST_RANK = 100
_WIDTH, _ROW = 4.6, 0.2  # of a panel and of a row, in inches
_IN_A_ROW = 2


def averages_figure(study: FeretStudy) -> Figure:
    """Draw the average curve of each set of probes, to compare their difficulty."""
    named = [(probes_called(one.category), one.average) for one in study.results]
    return _by_probes(named, f"Average of {counted(len(study.field), 'algorithm')}")


def upper_bounds_figure(study: FeretStudy) -> Figure:
    """Draw the curve of the algorithm that is best at rank 1, for each set of probes."""
    named = [(f"{probes_called(one.category)}: {one.leader}", one.upper_bound) for one in study.results]
    return _by_probes(named, f"Current upper bound: the best of {counted(len(study.field), 'algorithm')}")


def _by_probes(named: Sequence[tuple[str, Band]], title: str) -> Figure:
    """One panel with a curve for each set of probes."""
    bands = [band for _, band in named]
    drawn = [
        series_of(
            band,
            place,
            f"{name}, {counted(band.facts.n_probes, 'probe')}{own_gallery(band.facts, bands[0].facts)}",
            _LAST_RANK,
        )
        for place, (name, band) in enumerate(named)
    ]
    chart = cmc(bands, title=title, drawn=drawn)
    return printed([replace(chart, heading="probes, and rate at rank 1")])


def versions_figure(study: FeretStudy, contrasts: Sequence[VersionContrast]) -> Figure:
    """Draw two versions of each algorithm, the partially automatic or later version solid, one panel per set of probes."""
    charts = []
    for category in study.evaluation.categories:
        bands = {entry.algorithm: entry.band for entry in study.evaluation.of(category)}
        drawn = [
            series_of(bands[name], place, label, _LAST_RANK, dash=int(name != one.second))
            for place, one in enumerate(contrasts)
            for name, label in zip((one.second, one.first), reversed(one.labels), strict=True)
        ]
        charts.append(cmc([bands[contrasts[0].second]], title=probes_called(category), drawn=drawn))
    return printed(charts, inside=True)


def curves_by_date(study: FeretStudy) -> Figure:
    """Draw the curves of all algorithms, one panel per set of probes and test date."""
    panels = study.panels
    if len(panels) < 2:
        return evaluation_figure(study.evaluation)
    bands = {
        f"{probes_called(category)}, {panel.label or 'no date'}": [
            band for band in study.evaluation.bands(category) if band.algorithm in panel.algorithms
        ]
        for category in study.evaluation.categories
        for panel in panels
    }
    return cmc_figure(bands, columns=len(panels) if len(panels) <= _IN_A_ROW else None)


def variation_figure(variation: Sequence[GalleryVariation], panels: Sequence[Panel] = ()) -> Figure:
    """Draw each algorithm's rates over galleries, one row per algorithm and one panel per set of probes and order of people.

    With `panels`, algorithms are grouped by test date, earliest first.
    """
    designs = list(dict.fromkeys(one.design for one in variation))
    categories = list(dict.fromkeys(one.category for one in variation))
    # With several orders of people, those of one set of probes stand side by side.
    ordered = sorted(variation, key=lambda one: (categories.index(one.category), designs.index(one.design)))
    whole = len(variation) == len(designs) * len(categories)
    columns = min(len(variation), len(designs) if whole and 1 < len(designs) <= 3 else _IN_A_ROW)
    rows = -(-len(variation) // columns)
    names = variation[0].algorithms
    spread = {row.algorithm: row.mean.value for row in variation[0].rows}
    looks = places_of(names, sorted(names, key=lambda name: -spread[name]))
    charts = [
        replace(
            in_places(galleries(one, title=probes_called(one.category), panels=panels), looks),
            above=f"{one.design}, {count(one.size)} in each; mean with its {words.level(one.confidence_level)} interval",
        )
        for one in ordered
    ]
    size = max(5.4, _WIDTH * columns), (1.5 + _ROW * len(names)) * rows + 0.3
    said = "Circles: single galleries. Dots and bars: their mean and its interval."
    return figure(charts, size, columns=columns, shared=False, said=said)


def study_figures(study: FeretStudy) -> dict[str, Callable[[], Figure]]:
    """Functions that draw the paper's figures and the figures of gallery sizes."""
    made: dict[str, Callable[[], Figure]] = {
        "cmc": lambda: curves_by_date(study),
        "average": lambda: averages_figure(study),
        "upper_bound": lambda: upper_bounds_figure(study),
    }
    if study.versions:
        made["versions"] = lambda: versions_figure(study, study.versions)
    if study.improvements:
        made["improvements"] = lambda: versions_figure(study, study.improvements)
    if study.variation:
        made["variation"] = lambda: variation_figure(study.variation, study.panels)
    if study.sizes:
        made["sizes"] = lambda: sizes_figure(study.sizes)
    return made
