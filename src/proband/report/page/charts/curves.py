"""Charts of recognition rates: by rank, and by the size of the gallery."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from proband.errors import UsageError
from proband.inference.estimates.evaluation import Entry
from proband.inference.estimates.people_fractions import SizeCurve
from proband.report.cells import (
    columns,
    count_cell,
    empty_cell,
    interval_cell,
    percent,
    rate,
    rate_cell,
    table,
    text_cell,
)
from proband.report.figures.verification_curves import Floats
from proband.report.page.charts.axes import Frame, dot, interval_bar
from proband.report.page.charts.scales import Kind, Scale, linear_ticks
from proband.report.page.charts.svg import element, listed, path, points_of, series
from proband.report.page.charts.thinning import Places, steps, visible
from proband.report.page.model import Chart
from proband.report.table import Table
from proband.results.band import Band
from proband.results.base import Answers
from proband.words import count, counted, out_of

T = TypeVar("T")
_MOST_BANDS = 6
_REACHES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0)
_EXACT, _READ = 10, 50  # curves can be read at all of the first ranks, and at so many of all
_TABLED = (1, 2, 5)  # and these times ten, a hundred, …


@dataclass(frozen=True, eq=False)
class _Line:
    """A curve of rates over whole numbers from some start, and its band as far as it goes."""

    name: str
    x: Floats
    values: Floats
    low: Floats
    high: Floats


def cmc_chart(entries: Sequence[Entry], id: str = "cmc", title: str = "Recognition rate by rank") -> Chart:
    """Draw the curves of algorithms on one set of probes, on a logarithmic and on a linear axis of ranks.

    Up to six algorithms have their bands, and intervals at rank 1.

    Parameters
    ----------
    entries
        Of one set of probes, in the order of the legend.
    """
    lines = [
        _Line(one.algorithm, *_floats(one.curve.ranks, one.curve.values, one.band.low, one.band.high))
        for one in entries
    ]
    return _ranks_chart(lines, [one.band for one in entries], id, title)


def bands_chart(bands: Sequence[Band], id: str, title: str) -> Chart:
    """Draw curves that come with bands of their own, such as averages and galleries, by rank."""
    lines = [_Line(one.facts.algorithm, *_floats(one.ranks, one.values, one.low, one.high)) for one in bands]
    return _ranks_chart(lines, bands, id, title)


def _floats(*given: object) -> list[Floats]:
    return [np.asarray(one, dtype=np.float64) for one in given]


def _ranks_chart(lines: Sequence[_Line], bands: Sequence[Band], id: str, title: str) -> Chart:
    first = _some(bands)
    last = max(len(one.values) for one in lines)
    facts = first.facts
    about = (
        f"{counted(facts.n_probes, 'probe')} of {counted(facts.n_probe_subjects, 'person', 'people')}, gallery of "
        f"{counted(facts.n_gallery_subjects, 'person', 'people')}."
    )
    said = _told("Rank 1", lines, 0)
    drawings = _drawings(
        id, title, f"{about} {said}", lines, (1.0, float(max(last, 2))), "rank", stepped=True
    )
    banded = len(lines) <= _MOST_BANDS
    whole = "for the whole curve" if first.simultaneous else "at each rank"
    notes = (
        (f"Bands: {percent(first.confidence_level)} {whole}.",)
        if banded
        else (f"Bands are drawn for up to {_MOST_BANDS} curves; the table has the intervals.",)
    )
    data = _by_number(id, f"{title}: rates at some ranks", "rank", lines, _round_ranks(last), first.answers)
    return Chart(
        id, title, f"{about} {said}", drawings, tuple(one.name for one in lines), data, notes, first.answers
    )


def gallery_size_chart(
    curves: Sequence[SizeCurve],
    id: str = "gallery-size",
    title: str = "Recognition rate by the size of the gallery",
) -> Chart:
    """Draw the expected rate of algorithms in smaller galleries, on a logarithmic and on a linear axis of people enrolled."""
    first = _some(curves)
    lines = [_Line(one.algorithm, *_floats(one.sizes, one.rates, one.low, one.high)) for one in curves]
    sizes = sorted({size for one in curves for size in one.sizes})
    ends = (float(sizes[0]), float(max(sizes[-1], sizes[0] + 1)))
    about = (
        f"Expected recognition rate at rank {first.rank} with {count(sizes[0])} to {out_of(sizes[-1], first.n_enrolled)} people enrolled, "
        f"from {counted(first.n_probes, 'probe')}."
    )
    said = f"{about} {_told(f'With {count(sizes[-1])} people', lines, -1)}"
    drawings = _drawings(id, title, said, lines, ends, "people in the gallery", stepped=False)
    data = _by_number(id, title, "people enrolled", lines, sizes, first.answers)
    notes = (f"Bands: {percent(first.confidence_level)} at each size.",) if len(lines) <= _MOST_BANDS else ()
    return Chart(id, title, said, drawings, tuple(one.name for one in lines), data, notes, first.answers)


def _some(given: Sequence[T]) -> T:
    if not given:
        raise UsageError("There are no curves to draw.")
    return given[0]


def _drawings(
    id: str,
    title: str,
    said: str,
    lines: Sequence[_Line],
    ends: tuple[float, float],
    label: str,
    *,
    stepped: bool,
) -> Mapping[str, str]:
    """The same curves on both axes."""
    banded = len(lines) <= _MOST_BANDS
    lowest = min(float(np.min(one.low[:1] if banded else one.values[:1])) for one in lines if len(one.low))
    if not stepped:
        lowest = min(float(np.min(one.low if banded else one.values)) for one in lines)
    floor = 1 - next(reach for reach in _REACHES if reach >= min(1.05 * (1 - lowest), 1.0))
    made: dict[str, str] = {}
    kinds: tuple[Kind, ...] = ("log", "linear")
    for kind in kinds:
        frame = Frame.of(
            (kind, *ends, "count"),
            ("linear", round(floor, 6), 1.0, "rate"),
            label,
            "recognition rate",
            inset=(5.0 * len(lines) + 6 if stepped and banded else 12.0, 6.0),
        )
        parts = frame.axes()
        for place, one in enumerate(lines):
            parts.append(_curve(frame, place, one, len(lines), banded=banded, stepped=stepped))
        made[kind] = frame.drawing(f"{id}-{kind}", title, said, parts)
    return made


def _curve(frame: Frame, place: int, one: _Line, of: int, *, banded: bool, stepped: bool) -> str:
    """One curve: its band, its line, and a dot with an interval at the first rank or a dot at every size."""
    x, y = frame.x(one.x), frame.y(one.values)
    corners = steps(x, y) if stepped else (x, y)
    kept = visible(*corners)
    inside = []
    if banded and len(one.low) > 1:
        inside.append(_band(frame, one, stepped=stepped))
    inside.append(element("path", class_="line", d=path(corners[0][kept], corners[1][kept]), fill="none"))
    if stepped:
        aside = x[0] - 5.0 * (of - place) if banded else x[0]
        if banded and len(one.low):
            inside.append(interval_bar(aside, frame.y.at(one.low[0]), aside, frame.y.at(one.high[0]), 2.0))
        inside.append(dot(float(aside), float(y[0]), radius=3.5))
        read = _read_ranks(frame.x, len(x)) - 1
    else:
        inside += [dot(float(a), float(b), radius=3.0) for a, b in zip(x, y, strict=True)]
        read = np.arange(len(x))
    points = points_of(one.x[read], one.values[read])
    return series(place, one.name, *inside, points=points, shape="step" if stepped else "line")


def _read_ranks(ranks: Scale, last: int) -> Places:
    """The ranks at which curves can be read: the same for all of them, so that they can be read together."""
    if ranks.kind == "log":
        found = [round(10 ** (k / 12)) for k in range(12 * len(str(last)))]
    else:
        found = [int(rank) for rank in linear_ticks(1, max(last, 2), _READ, whole=True)]
    return np.unique([rank for rank in (*range(1, _EXACT + 1), *found, last) if rank <= last])


def _band(frame: Frame, one: _Line, *, stepped: bool) -> str:
    """The area between the ends of the intervals."""
    x = frame.x(one.x[: len(one.low)])
    edges = []
    for limit in (one.low, one.high):
        across, up = steps(x, frame.y(limit)) if stepped else (x, frame.y(limit))
        kept = visible(across, up)
        edges.append((across[kept], up[kept]))
    (low_x, low_y), (high_x, high_y) = edges
    outline = path(np.append(low_x, high_x[::-1]), np.append(low_y, high_y[::-1]), closed=True)
    return element("path", class_="band", d=outline, stroke="none")


def _told(where: str, lines: Sequence[_Line], at: int) -> str:
    """The rates at one place, in words, the highest first."""
    ordered = sorted(lines, key=lambda one: -one.values[at])
    parts = [
        f"{one.name} {rate(float(one.values[at]))}"
        + (f" [{rate(float(one.low[at]))}, {rate(float(one.high[at]))}]" if len(one.low) else "")
        for one in ordered
    ]
    return f"{where}: {listed(parts)}."


def _round_ranks(last: int) -> list[int]:
    """Ranks for a table: 1, 2, 5, 10, 20, … and the last."""
    found = [digit * 10**power for power in range(len(str(last))) for digit in _TABLED]
    return [*(rank for rank in found if rank < last), last]


def _by_number(
    id: str, caption: str, number: str, lines: Sequence[_Line], numbers: Sequence[int], answers: Answers
) -> Table:
    """A row for each curve and number, as far as the curve goes."""
    rows = []
    for one in lines:
        places = {int(value): place for place, value in enumerate(one.x)}
        for value in numbers:
            at = places.get(value)
            if at is not None:
                ends = (float(one.low[at]), float(one.high[at])) if at < len(one.low) else None
                rows.append(
                    (
                        text_cell(one.name),
                        count_cell(value),
                        rate_cell(float(one.values[at])),
                        empty_cell() if ends is None else interval_cell(ends, answers),
                    )
                )
    return table(f"{id}-data", caption, columns("algorithm", number, "recognition rate", "interval"), rows)
