"""The tables of a FERET study."""

from __future__ import annotations

from collections.abc import Sequence

from proband.inference.estimates.evaluation import Entry, probes_called
from proband.inference.estimates.people_fractions import SizeCurve
from proband.inference.galleries.feret_results import CategoryResult, FeretStudy, places_of
from proband.inference.galleries.rejection import RejectionTest
from proband.inference.galleries.tables import GalleryCell, GalleryFacts, GalleryRow, GalleryVariation
from proband.inference.galleries.versions import Contrast, ContrastRow
from proband.inference.proportions import Interval
from proband.report.grids import Grid
from proband.words import count, counted, digits, effect, effect_interval, fixed, given, interval, p_alone

_IN_A_ROW = 5
_NOTHING = "–"


def gallery_size(people: int, images: int) -> str:
    """The size of a gallery as FERET counts it, and its images where they are more."""
    size = counted(people, "person", "people")
    return size if people == images else f"{size}, {counted(images, 'image')}"


def leaderboards(study: FeretStudy) -> list[Grid]:
    """Rates with places, a row for each algorithm and a column for each set of probes; the average below."""
    return [
        _leaderboard(study, study.results[start : start + _IN_A_ROW])
        for start in range(0, len(study.results), _IN_A_ROW)
    ]


def _leaderboard(study: FeretStudy, shown: Sequence[CategoryResult]) -> Grid:
    facts = shown[0].average.facts
    size = gallery_size(facts.n_gallery_subjects, facts.n_gallery_images)
    header = [
        f"{probes_called(one.category)}\n{counted(one.average.facts.n_probes, 'probe')}" for one in shown
    ]
    placed = [places_of(study, one) for one in shown]
    entries = {(entry.category, entry.algorithm): entry for entry in study.evaluation.entries}
    labels = {one.first: one.labels[0] for one in study.versions}
    rows = []
    for name in sorted(study.evaluation.algorithms, key=lambda one: one not in study.field):
        cells = [
            _ranked(entries[one.category, name], study.rank, places.get(name))
            for one, places in zip(shown, placed, strict=True)
        ]
        rows.append((labels.get(name, name), *cells))
    averages = [_cell(one.average.at(study.rank), *_ends(one, study.rank)) for one in shown]
    rows.append((shown[0].average.facts.algorithm, *averages))
    rows.append(("current upper bound\n(best at rank 1)", *(one.leader for one in shown)))
    title = f"rank {study.rank} (place), gallery of {size}"
    return Grid(title, ("algorithm", *header), tuple(rows), below=2)


def _ends(one: CategoryResult, rank: int) -> tuple[float, float]:
    at = min(rank, len(one.average.low)) - 1
    return float(one.average.low[at]), float(one.average.high[at])


def _ranked(entry: Entry, rank: int, place: tuple[int, tuple[int, int]] | None) -> str:
    rate = fixed(entry.curve.at(rank)) + ("" if place is None else f" ({place[0]})")
    found = entry.interval(rank)
    return rate if found is None else f"{rate}\n{interval(found.low, found.high)}"


def _cell(rate: float, low: float, high: float) -> str:
    return f"{fixed(rate)}\n{interval(low, high)}"


def contrast_grid(contrast: Contrast) -> Grid:
    """One algorithm in two states, a row for each set of probes."""
    first = contrast.rows[0]
    size = gallery_size(first.n_gallery_subjects, first.n_gallery_images)
    gain = "cost of locating the face" if contrast.kind == "version" else "gain"
    states = [
        f"{name}\n{role}"
        for name, role in zip((contrast.first, contrast.second), contrast.roles, strict=True)
    ]
    header = ("probes of", *states, f"{gain}\n(points)", "adjusted p", "no rank", "probes")
    return Grid(
        f"{contrast.second} against {contrast.first}: rank {contrast.rank}, gallery of {size}",
        header,
        tuple(_contrast_row(row) for row in contrast.rows),
    )


def _contrast_row(row: ContrastRow) -> tuple[str, ...]:
    pair = row.pair
    return (
        probes_called(row.category),
        _cell(*row.first),
        _cell(*row.second),
        f"{effect(pair.difference)}\n{effect_interval(pair.low, pair.high)}",
        p_alone(pair.p_adjusted),
        f"{count(row.first_failed)} / {count(row.second_failed)}",
        count(row.n_probes),
    )


def variation_grid(variation: GalleryVariation, *, intervals: bool = True) -> Grid:
    """FERET's table of variation: a rate and its place for each gallery, a row for each algorithm; averages and sizes below.

    Without `intervals` cells hold the rate and the place alone, as in the paper.
    """
    facts = variation.galleries
    header = (
        "algorithm",
        *(f"gallery {one.number}{_span(one)}" for one in facts),
        "mean",
        "range\n(points)",
        "places",
        "p",
    )
    rows = [
        (
            row.algorithm,
            *(_placed(one, intervals) for one in variation.of(row.algorithm)),
            *_over_galleries(row, intervals),
        )
        for row in variation.rows
    ]
    below = [
        (
            "average",
            *(_rate(one) for one in variation.averages),
            *_over_galleries(variation.average, intervals),
        ),
        *_about_galleries(facts, len(header)),
    ]
    probes = sum(one.probes for one in facts)
    title = (
        f"{probes_called(variation.category)}: {variation.estimand} (place) over {variation.design}, "
        f"{count(variation.size)} in each; {counted(probes, 'probe')}"
    )
    return Grid(title, header, (*rows, *below), below=len(below))


def _span(one: GalleryFacts) -> str:
    if one.first is None:
        return ""
    return "\n" + " – ".join(
        end.isoformat() if hasattr(end, "isoformat") else given(end) for end in (one.first, one.last)
    )


def _rate(rate: float | None) -> str:
    return _NOTHING if rate is None else fixed(rate)


def _placed(cell: GalleryCell, intervals: bool) -> str:
    if cell.rate is None:
        return _NOTHING
    return f"{fixed(cell.rate)} ({cell.place}){_below(cell.interval, intervals)}"


def _below(ends: Interval | None, intervals: bool) -> str:
    return f"\n{interval(ends.low, ends.high)}" if intervals and ends is not None else ""


def _over_galleries(row: GalleryRow, intervals: bool) -> tuple[str, ...]:
    spread = row.spread
    held = (
        _NOTHING
        if row.least_place is None
        else f"{row.least_place}"
        if row.least_place == row.greatest_place
        else f"{row.least_place}–{row.greatest_place}"
    )
    tested = _NOTHING if row.test is None or row.test.p_value is None else p_alone(row.test.p_value)
    mean = fixed(spread.mean) + _below(spread.interval, intervals)
    return mean, fixed(100 * spread.range, 1), held, tested


def _about_galleries(facts: Sequence[GalleryFacts], width: int) -> list[tuple[str, ...]]:
    """What each gallery holds; images and ages where they say something."""
    told = [
        ("people", [count(one.people) for one in facts]),
        ("probes", [count(one.probes) for one in facts]),
    ]
    if any(one.images != one.people for one in facts):
        told.insert(1, ("images", [count(one.images) for one in facts]))
    if any(one.mean_age is not None for one in facts):
        told.append(("mean age", [_age(one.mean_age) for one in facts]))
    return [(name, *cells, *[""] * (width - 1 - len(cells))) for name, cells in told]


def _age(age: float | None) -> str:
    return _NOTHING if age is None else fixed(age, 0 if abs(age) >= 100 else 2)


def size_grids(study: FeretStudy) -> list[Grid]:
    """Expected rates by gallery size, a table for each set of probes."""
    made = []
    for category in study.evaluation.categories:
        curves = [one for one in study.sizes if one.category == category]
        if curves:
            made.append(_size_grid(probes_called(category), curves, counts_otherwise(study)))
    return made


def counts_otherwise(study: FeretStudy) -> bool:
    """Whether sizes count people where the other tables count images, of which people have several."""
    facts = study.results[0].average.facts
    return facts.counting != "subjects" and facts.n_gallery_images != facts.n_gallery_subjects


def _size_grid(probes: str, curves: Sequence[SizeCurve], by_people: bool) -> Grid:
    first = curves[0]
    rows = tuple(
        (one.algorithm, *(_cell(*ends) for ends in zip(one.rates, one.low, one.high, strict=True)))
        for one in curves
    )
    title = (
        f"{probes}: expected rank-{first.rank} rate by people enrolled, of {count(first.n_enrolled)}; "
        f"{counted(first.n_probes, 'probe')}{'; ranks count people' if by_people else ''}"
    )
    return Grid(title, ("people enrolled", *map(count, first.sizes)), rows)


def rejection_grid(test: RejectionTest) -> Grid:
    """Detection and identification rates at fixed false positive rates, a row for each algorithm."""
    points = [one.point for one in test.results[0].points]
    several = len({point.rank for point in points}) > 1
    header = [
        f"DIR at FPIR {_NOTHING if point.asked is None else given(point.asked)}"
        + (f"\nof {point.rank} candidates" if several else "")
        for point in points
    ]
    rows = []
    for result in test.results:
        cells = []
        for one in result.points:
            mark = "" if one.fpir_supported else "*"
            ends = interval(1 - one.fnir.high, 1 - one.fnir.low)
            cells.append(
                f"{fixed(one.point.dir)}{mark} {ends}\nFPIR {digits(one.point.fpir)} ({count(one.point.false_positives)})"
            )
        rows.append((result.algorithm, *cells))
    size = gallery_size(test.n_gallery_subjects, test.n_gallery_images)
    searched = counted(test.n_mated, "search", "searches")
    title = (
        f"rejection: {searched} for people enrolled, {count(test.n_nonmated)} for others; gallery of {size}"
    )
    return Grid(title, ("algorithm", *header), tuple(rows))
