"""The tables of a FERET study."""

from __future__ import annotations

from collections.abc import Sequence

from proband.analyses.feret.field import in_panels
from proband.inference.estimates.evaluation import Entry, probes_called
from proband.inference.estimates.people_fractions import SizeCurve
from proband.inference.galleries.feret_results import CategoryResult, FeretStudy, places_of
from proband.inference.galleries.rejection import RejectionTest
from proband.inference.galleries.tables import GalleryCell, GalleryFacts, GalleryRow, GalleryVariation
from proband.inference.galleries.versions import Contrast, ContrastRow
from proband.inference.proportions import Interval
from proband.inference.verification.open_set import SearchInterval
from proband.report.cells import (
    NOTHING,
    blank_cell,
    columns,
    count_cell,
    effect_cell,
    effect_interval_cell,
    empty_cell,
    fixed_cell,
    interval_cell,
    over,
    p_cell,
    placed_cell,
    places_cell,
    range_cell,
    rate_cell,
    text_cell,
    unsupported,
)
from proband.report.kinds.evaluation import own_gallery
from proband.report.table import Both, Cell, Column, Rejected, Table
from proband.words import count, counted, digits, given

_IN_A_ROW = 5


def gallery_size(people: int, images: int) -> str:
    """The size of a gallery as FERET counts it, and its images where they are more."""
    size = counted(people, "person", "people")
    return size if people == images else f"{size}, {counted(images, 'image')}"


def leaderboards(study: FeretStudy) -> list[Table]:
    """Rates with places, a row for each algorithm and a column for each set of probes; the average below."""
    return [
        _leaderboard(study, study.results[start : start + _IN_A_ROW])
        for start in range(0, len(study.results), _IN_A_ROW)
    ]


def _leaderboard(study: FeretStudy, shown: Sequence[CategoryResult]) -> Table:
    facts = study.results[0].average.facts
    size = gallery_size(facts.n_gallery_subjects, facts.n_gallery_images)
    heads = (
        Column(
            f"{probes_called(one.category)}{own_gallery(one.average.facts, facts)}\n{counted(one.average.facts.n_probes, 'probe')}",
            "number",
            key=probes_called(one.category),
        )
        for one in shown
    )
    placed = [places_of(study, one) for one in shown]
    entries = {(entry.category, entry.algorithm): entry for entry in study.evaluation.entries}
    labels = {one.first: one.labels[0] for one in study.versions}
    own: dict[str, tuple[Cell, ...]] = {}
    for name in sorted(study.evaluation.algorithms, key=lambda one: one not in study.field):
        cells = (
            _ranked(entries[one.category, name], study.rank, places.get(name))
            for one, places in zip(shown, placed, strict=True)
        )
        own[name] = (text_cell(labels.get(name, name)), *cells)
    rows, ends = in_panels(study, own)
    averages = (_cell(one.average.at(study.rank), *_ends(one, study.rank)) for one in shown)
    below = [
        (text_cell(facts.algorithm), *averages),
        (text_cell("current upper bound (best at rank 1)"), *(text_cell(one.leader) for one in shown)),
    ]
    return Table(
        f"rank {study.rank} (place), gallery of {size}",
        (Column("algorithm", "name"), *heads),
        (*rows, *below),
        rules=(*ends, len(rows)),
    )


def _ends(one: CategoryResult, rank: int) -> tuple[float, float]:
    at = min(rank, len(one.average.low)) - 1
    return float(one.average.low[at]), float(one.average.high[at])


def _ranked(entry: Entry, rank: int, place: tuple[int, tuple[int, int]] | None) -> Cell:
    found = entry.interval(rank)
    rate = placed_cell(entry.curve.at(rank), None if place is None else place[0])
    return over(rate, interval_cell(None if found is None else (found.low, found.high)))


def _cell(rate: float, low: float, high: float) -> Cell:
    return over(rate_cell(rate), interval_cell((low, high)))


def contrast_table(contrast: Contrast) -> Table:
    """One algorithm in two states, a row for each set of probes."""
    first = contrast.rows[0]
    size = gallery_size(first.n_gallery_subjects, first.n_gallery_images)
    gain = "cost of locating the face" if contrast.kind == "version" else "gain"
    states = [
        f"{name}\n{role}"
        for name, role in zip((contrast.first, contrast.second), contrast.roles, strict=True)
    ]
    heads = (
        *columns("probes of", *states),
        Column(gain, "number", unit="points"),
        Column("adjusted p", "number"),
        Column("no rank", "number"),
        Column("probes", "number"),
    )
    title = f"{contrast.second} against {contrast.first}: rank {contrast.rank}, gallery of {size}"
    return Table(title, heads, tuple(_contrast_row(row, first) for row in contrast.rows))


def _contrast_row(row: ContrastRow, whole: ContrastRow) -> tuple[Cell, ...]:
    pair, failed = row.pair, Both(row.first_failed, row.second_failed)
    return (
        text_cell(f"{probes_called(row.category)}{own_gallery(row, whole)}"),
        _cell(*row.first),
        _cell(*row.second),
        over(effect_cell(pair.difference), effect_interval_cell(pair.low, pair.high)),
        p_cell(*pair.p_with_floor),
        Cell(" / ".join(map(count, failed)), failed),
        count_cell(row.n_probes),
    )


def variation_table(
    variation: GalleryVariation, *, intervals: bool = True, study: FeretStudy | None = None
) -> Table:
    """FERET's table of variation: a rate and its place for each gallery, a row for each algorithm; averages and sizes below.

    Without `intervals` cells hold the rate and the place alone, as in the paper. With the `study` rows stand under the dates of
    their tests.
    """
    facts = variation.galleries
    heads = (
        *columns("algorithm", *(f"gallery {one.number}{_span(one)}" for one in facts), "mean"),
        Column("range", "number", unit="points"),
        *columns("places", "p", text=0),
    )
    own = {
        row.algorithm: (
            text_cell(row.algorithm),
            *(_placed(one, intervals) for one in variation.of(row.algorithm)),
            *_over_galleries(row, intervals),
        )
        for row in variation.rows
    }
    rows, ends = (list(own.values()), ()) if study is None else in_panels(study, own)
    below = [
        (
            text_cell("average"),
            *map(rate_cell, variation.averages),
            *_over_galleries(variation.average, intervals),
        ),
        *_about_galleries(facts, len(heads)),
    ]
    probes = sum(one.probes for one in facts)
    title = (
        f"{probes_called(variation.category)}: {variation.estimand} (place) over {variation.design}, "
        f"{count(variation.size)} in each; {counted(probes, 'probe')}"
    )
    return Table(title, heads, (*rows, *below), rules=(*ends, len(rows)))


def _span(one: GalleryFacts) -> str:
    if one.first is None:
        return ""
    return "\n" + " – ".join(
        end.isoformat() if hasattr(end, "isoformat") else given(end) for end in (one.first, one.last)
    )


def _placed(cell: GalleryCell, intervals: bool) -> Cell:
    if cell.rate is None:
        return empty_cell()
    return over(placed_cell(cell.rate, cell.place), _below(cell.interval, intervals))


def _below(ends: Interval | None, intervals: bool) -> Cell:
    return interval_cell(ends if intervals else None)


def _over_galleries(row: GalleryRow, intervals: bool) -> tuple[Cell, ...]:
    spread, least, greatest = row.spread, row.least_place, row.greatest_place
    return (
        over(rate_cell(spread.mean), _below(spread.interval, intervals)),
        range_cell(spread.range),
        empty_cell() if least is None or greatest is None else places_cell(least, greatest),
        p_cell(None if row.test is None else row.test.p_value, None),
    )


def _about_galleries(facts: Sequence[GalleryFacts], width: int) -> list[tuple[Cell, ...]]:
    """What each gallery holds; images and ages where they say something."""
    told = [
        ("people", [count_cell(one.people) for one in facts]),
        ("probes", [count_cell(one.probes) for one in facts]),
    ]
    if any(one.images != one.people for one in facts):
        told.insert(1, ("images", [count_cell(one.images) for one in facts]))
    if any(one.mean_age is not None for one in facts):
        told.append(("mean age", [_age(one.mean_age) for one in facts]))
    return [(text_cell(name), *cells, *[blank_cell()] * (width - 1 - len(cells))) for name, cells in told]


def _age(age: float | None) -> Cell:
    return fixed_cell(age, 2 if age is None or abs(age) < 100 else 0)


def size_tables(study: FeretStudy) -> list[Table]:
    """Expected rates by gallery size, a table for each set of probes."""
    made = []
    for category in study.evaluation.categories:
        curves = [one for one in study.sizes if one.category == category]
        if curves:
            made.append(_size_table(probes_called(category), curves, counts_otherwise(study)))
    return made


def counts_otherwise(study: FeretStudy) -> bool:
    """Whether sizes count people where the other tables count images, of which people have several."""
    facts = study.results[0].average.facts
    return facts.counting != "subjects" and facts.n_gallery_images != facts.n_gallery_subjects


def _size_table(probes: str, curves: Sequence[SizeCurve], by_people: bool) -> Table:
    first = curves[0]
    rows = (
        (text_cell(one.algorithm), *(_cell(*ends) for ends in zip(one.rates, one.low, one.high, strict=True)))
        for one in curves
    )
    title = (
        f"{probes}: expected rank-{first.rank} rate by people enrolled, of {count(first.n_enrolled)}; "
        f"{counted(first.n_probes, 'probe')}{'; ranks count people' if by_people else ''}"
    )
    return Table(title, columns("people enrolled", *map(count, first.sizes)), tuple(rows))


def rejection_table(test: RejectionTest) -> Table:
    """Detection and identification rates at fixed false positive rates, a row for each algorithm."""
    points = [one.point for one in test.results[0].points]
    several = len({point.rank for point in points}) > 1
    heads = columns(
        "algorithm",
        *(
            f"DIR at FPIR {NOTHING if point.asked is None else given(point.asked)}"
            + (f"\nof {point.rank} candidates" if several else "")
            for point in points
        ),
    )
    rows = ((text_cell(result.algorithm), *map(_rejected, result.points)) for result in test.results)
    size = gallery_size(test.n_gallery_subjects, test.n_gallery_images)
    searched = counted(test.n_mated, "search", "searches")
    title = (
        f"rejection: {searched} for people enrolled, {count(test.n_nonmated)} for others; gallery of {size}"
    )
    return Table(title, heads, tuple(rows))


def _rejected(one: SearchInterval) -> Cell:
    found = Rejected(one.point.fpir, one.point.false_positives)
    return over(
        rate_cell(one.point.dir, unsupported(one.fpir_supported)),
        interval_cell((1 - one.fnir.high, 1 - one.fnir.low)),
        Cell(f"FPIR {digits(found.rate)} ({count(found.errors)})", found),
    )
