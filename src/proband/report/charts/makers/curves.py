"""Charts of recognition rates by rank and by gallery size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from proband.inference.estimates.people_fractions import SizeCurve
from proband.report.charts.data import data_of
from proband.report.charts.scales import Floats, Kind, Unit, rounded_out
from proband.report.charts.spec import Axis, Chart, Curves, Series, listed, some
from proband.results.band import Band, Curve
from proband.results.base import Answers
from proband.words import count, counted, digits, fixed, interval, level, out_of

MOST_BANDS = 6
_REACHES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0)
_KINDS: tuple[Kind, ...] = ("log", "linear")


def series_of(
    one: Curve | Band,
    place: int,
    name: str = "",
    last: int | None = None,
    *,
    rank: int = 1,
    dash: int | None = None,
) -> Series:
    """A curve by rank up to the last rank shown, named after its algorithm by default; a bare curve has no band."""
    name = name or one.algorithm
    limits = (one.low, one.high) if isinstance(one, Band) else (np.zeros(0), np.zeros(0))
    xs, ys, low, high = _floats(*(x[:last] for x in (one.ranks, one.values, *limits)))
    return Series(name, place, xs, ys, low, high, f"{name}  {fixed(one.at(rank))}", dash)


def _floats(*given: npt.ArrayLike) -> tuple[Floats, ...]:
    return tuple(np.asarray(one, dtype=np.float64) for one in given)


def curves_along(
    series: Sequence[Series],
    x_label: str,
    y_label: str,
    unit: Unit,
    *,
    id: str,
    title: str,
    said: str = "",
    x_unit: Unit = "number",
    scale: Kind = "linear",
    notes: tuple[str, ...] = (),
    answers: Answers | None = None,
    above: str = "",
    see: str = "",
) -> Chart:
    """Chart values along a numeric axis, with bands if there are few curves.

    Parameters
    ----------
    series
        The curves.
    unit, x_unit
        Units of the values and of the axis.
    said
        Text description for readers who cannot see the chart. Default: the ends of every curve.
    scale
        Scale of the axis of values.
    """
    xs = np.concatenate([one.xs for one in some(series)])
    ends = np.concatenate([part for one in series for part in (one.ys, one.low, one.high)])
    low, high = float(np.nanmin(ends)), float(np.nanmax(ends))
    if scale == "linear":
        low, high = rounded_out(low, high)
        low, high = (max(low, 0.0), min(high, 1.0)) if unit == "rate" else (low, high)
    told = [f"{one.name} {fixed(float(one.ys[0]))} to {fixed(float(one.ys[-1]))}" for one in series]
    return Chart(
        id,
        title,
        said or f"{y_label} along {x_label}: {listed(told)}.",
        (
            (
                Axis(x_label, "linear", float(xs.min()), float(xs.max()), x_unit),
                Axis(y_label, scale, low, high, unit),
            ),
        ),
        Curves(tuple(series), len(series) <= MOST_BANDS, step=False),
        tuple(one.name for one in series),
        notes,
        answers,
        above,
        see=see,
    )


def over_ranks(
    series: Sequence[Series], people: int | None = None
) -> tuple[tuple[Series, ...], tuple[Axis, ...]]:
    """Put curves by rank on a logarithmic and a linear axis: of ranks or, with people, of rank / people in the gallery."""
    last = float(max(2, *(len(one.ys) for one in series)))
    if people is None:
        return tuple(series), tuple(Axis("rank", kind, 1.0, last, "count") for kind in _KINDS)
    label = "relative rank (rank / people in the gallery)"
    moved = tuple(replace(one, xs=one.xs / people) for one in series)
    return moved, tuple(Axis(label, kind, 1 / people, last / people, "number") for kind in _KINDS)


def values_by_rank(
    series: Sequence[Series],
    y_label: str,
    *,
    id: str,
    title: str,
    people: int | None = None,
    notes: tuple[str, ...] = (),
    above: str = "",
    see: str = "",
) -> Chart:
    """Chart numbers from zero up at every rank, with how far they reach where they have it.

    Parameters
    ----------
    people
        Number of people in the gallery, for an axis of relative ranks; the data table still uses ranks.
    """
    moved, axes = over_ranks(some(series), people)
    highest = max(float(part.max(initial=0.0)) for one in series for part in (one.ys, one.high))
    up = Axis(y_label, "linear", 0.0, rounded_out(0.0, highest)[1] if highest > 0 else 1.0, "number")
    told = listed([f"{one.name} {digits(float(one.ys[0]))}" for one in series])
    chart = Chart(
        id,
        title,
        f"{y_label} at rank 1: {told}.",
        tuple((across, up) for across in axes),
        Curves(moved, banded=True, step=True),
        tuple(one.name for one in series),
        notes,
        above=above,
        see=see,
    )
    if people is None:
        return chart
    return replace(chart, data=data_of(values_by_rank(series, y_label, id=id, title=title)))


def cmc(
    curves: Sequence[Curve | Band],
    id: str = "cmc",
    title: str = "Recognition rate by rank",
    *,
    names: Sequence[str] = (),
    drawn: Sequence[Series] = (),
    last: int | None = None,
    rank: int = 1,
    relative: bool = False,
) -> Chart:
    """Chart curves of algorithms on one set of probes, on a logarithmic and on a linear axis of ranks.

    Bands and intervals at rank 1 are shown for up to six algorithms.

    Parameters
    ----------
    curves
        Curves in the order of the legend, usually of one set of probes.
    names
        Algorithms by index, if curves of several panels share a legend.
    drawn
        The curves as series, if they are not named after their algorithms.
    last
        Last rank to show.
    rank
        Rank marked with a dot.
    relative
        Whether ranks are divided by the number of people in the gallery.
    """
    first = some(curves)[0]
    facts = first.facts
    places = {name: place for place, name in enumerate(names)}
    series = tuple(drawn) or tuple(
        series_of(one, places.get(one.algorithm, place), last=last) for place, one in enumerate(curves)
    )
    enrolled = enrolled_people(curves)
    same_probes = len({one.facts.n_probes for one in curves}) == 1
    about = f"{counted(facts.n_probes, 'probe')} of {counted(facts.n_probe_subjects, 'person', 'people')}, "
    series, across = over_ranks(series, facts.n_gallery_subjects if relative else None)
    notes, shaded = _bands(first, len(series))
    above = f"{counted(facts.n_probes, 'probe')}, {enrolled}" if same_probes else enrolled
    return Chart(
        id,
        title,
        f"{about if same_probes else ''}{enrolled}. {_told('Rank 1', series, 0)}",
        _axes(series, across, step=True),
        Curves(series, len(series) <= MOST_BANDS, True, rank),
        tuple(one.name for one in series),
        notes,
        first.answers,
        "; ".join(filter(None, (above, shaded))),
        labels=tuple(one.label for one in series),
        data=data_of(cmc(curves, id, title, names=names, drawn=drawn, last=last)) if relative else None,
        see="Share of probes with the right person among the first candidates; higher is better. Dots: rank 1.",
    )


def enrolled_people(curves: Sequence[Curve | Band]) -> str:
    """Gallery size of the curves, or the smallest and largest sizes if they differ between sets of probes."""
    least, *_, most = sorted(one.facts.n_gallery_subjects for one in (*curves, curves[0]))
    if least == most:
        return f"gallery of {counted(most, 'person', 'people')}"
    return f"galleries of {count(least)} to {counted(most, 'person', 'people')}"


def _bands(first: Curve | Band, n: int) -> tuple[tuple[str, ...], str]:
    """Meaning of bands, as a note on the page and a short text in print."""
    if n > MOST_BANDS:
        return (f"Bands are drawn for up to {MOST_BANDS} curves; the table has the intervals.",), ""
    if not isinstance(first, Band):
        return (), ""
    part = level(first.confidence_level)
    whole, curves = (
        ("for the whole curve", "for whole curves") if first.simultaneous else ("at each rank",) * 2
    )
    return (f"Bands: {part} {whole}.",), f"{part} {curves}"


def gallery_sizes(
    curves: Sequence[SizeCurve],
    id: str = "gallery-size",
    title: str = "Recognition rate by gallery size",
    *,
    names: Sequence[str] = (),
) -> Chart:
    """Chart the expected rate of algorithms in smaller galleries, on a logarithmic and on a linear axis of people enrolled."""
    first = some(curves)[0]
    places = {name: place for place, name in enumerate(names)}
    series = []
    for place, one in enumerate(curves):
        xs, ys, low, high = _floats(one.sizes, one.rates, one.low, one.high)
        series.append(Series(one.algorithm, places.get(one.algorithm, place), xs, ys, low, high))
    sizes = sorted({size for one in curves for size in one.sizes})
    ends = (float(sizes[0]), float(max(sizes[-1], sizes[0] + 1)))
    about = (
        f"Expected recognition rate at rank {first.rank} with {count(sizes[0])} to {out_of(sizes[-1], first.n_enrolled)} people enrolled, "
        f"from {counted(first.n_probes, 'probe')}."
    )
    banded, part = len(series) <= MOST_BANDS, level(first.confidence_level)
    return Chart(
        id,
        title,
        f"{about} {_told(f'With {count(sizes[-1])} enrolled', series, -1)}",
        _axes(series, [Axis("people in the gallery", kind, *ends, "count") for kind in _KINDS], step=False),
        Curves(tuple(series), banded, step=False),
        tuple(one.name for one in series),
        (f"Bands: {part} at each size.",) if banded else (),
        first.answers,
        f"{counted(first.n_probes, 'probe')}; rank {first.rank}" + (f"; shaded {part}" if banded else ""),
        see="Fall in the rate as more people are enrolled.",
    )


def _axes(series: Sequence[Series], across: Sequence[Axis], *, step: bool) -> tuple[tuple[Axis, Axis], ...]:
    """Rates from a round number below the lowest at the first rank, or at any size, beside each axis."""
    banded = len(series) <= MOST_BANDS
    shown = [one.low if banded and len(one.low) else one.ys for one in series]
    lowest = min(float(np.min(one[:1] if step else one)) for one in shown)
    floor = 1 - next(reach for reach in _REACHES if reach >= min(1.05 * (1 - lowest), 1.0))
    rates = Axis("recognition rate", "linear", round(floor, 6), 1.0, "rate")
    return tuple((axis, rates) for axis in across)


def _told(where: str, series: Sequence[Series], at: int) -> str:
    """The rates at one place, in words, the highest first."""
    parts = [
        f"{one.name} {fixed(float(one.ys[at]))}"
        + (f" {interval(float(one.low[at]), float(one.high[at]))}" if len(one.low) else "")
        for one in sorted(series, key=lambda one: -one.ys[at])
    ]
    return f"{where}: {listed(parts)}."
