"""The tables of a FERET study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from proband.engine.moments import show_moment
from proband.inference.estimates.evaluation import Entry, probes_called
from proband.inference.estimates.people_fractions import SizeCurve
from proband.inference.galleries.consistency import Consistency
from proband.inference.galleries.feret_results import CategoryResult, FeretStudy, places_of
from proband.inference.galleries.orders import Orders
from proband.inference.galleries.participants import FACTS, Participant
from proband.inference.galleries.rejection import RejectionTest
from proband.inference.galleries.tables import GalleryCell, GalleryFacts, GalleryRow, GalleryVariation
from proband.inference.galleries.versions import VersionContrast
from proband.inference.verification.open_set import SearchRates
from proband.measures import RecognitionRate
from proband.report import columns as col
from proband.report.kinds.evaluation import own_gallery
from proband.report.tables.cells import (
    NOTHING,
    blank_cell,
    empty_cell,
    fixed_cell,
    interval_cell,
    over,
    placed_cell,
    range_cell,
    rate_cell,
    text_cell,
    unsupported,
)
from proband.report.tables.table import Both, Cell, Ends, FalsePositives, Table
from proband.results.base import Answers
from proband.results.targets import GALLERY, OTHER_PEOPLE, PEOPLE_ALIKE
from proband.words import Target, count, counted, digits, fixed, given, run_of, time_span

MOST_PAIRS = 15  # of a table on the terminal
_IN_A_ROW = 5
_KNOWN: dict[str, tuple[str, Callable[[Participant], str | None]]] = {
    "date": ("tested", lambda participant: participant.when),
    "metric": ("metric", lambda participant: participant.metric),
    "training": ("training", lambda participant: participant.training),
    "version": ("version", lambda participant: participant.version),
    "operator": ("run by", lambda participant: participant.operator),
    "started": ("started", lambda participant: _moment(participant.started)),
    "seconds": ("took", lambda participant: _lasting(participant.seconds)),
    "machine": ("machine", lambda participant: participant.machine),
    "received": ("received", lambda participant: _moment(participant.received)),
    "seconds_late": ("late by", lambda participant: _lasting(participant.seconds_late)),
}


def gallery_size(people: int, images: int) -> str:
    """The size of a gallery as counted in FERET, and its number of images if larger."""
    size = counted(people, "person", "people")
    return size if people == images else f"{size}, {counted(images, 'image')}"


def participants_table(study: FeretStudy) -> Table | None:
    """Participants, with known details; None if nothing is known."""
    if not study.told_of_participants:
        return None

    took_part = study.participants
    known = [
        fact for fact in FACTS if any(getattr(participant, fact) is not None for participant in took_part)
    ]
    return col.table_of(
        "participants",
        [
            participant
            for panel in study.panels
            for participant in took_part
            if participant.algorithm in panel.algorithms
        ],
        col.name("algorithm", lambda participant: participant.algorithm),
        *(col.text(*_KNOWN[fact]) for fact in known),
        id="participants",
        on_page="Participants",
    )


def _moment(text: str | None) -> str | None:
    return None if text is None else show_moment(text)


def _lasting(seconds: float | None) -> str | None:
    return None if seconds is None else time_span(seconds)


def _in_panels(table: Table, names: Sequence[str], study: FeretStudy) -> Table:
    """The same table with the rows of algorithms under the dates of their tests, as far as dates are known."""
    if all(panel.date is None for panel in study.panels):
        return table
    made: list[tuple[Cell, ...]] = []
    ends: list[int] = []
    rows = dict(zip(names, table.rows, strict=True))
    for panel in study.panels:
        own = [row for name, row in rows.items() if name in panel.algorithms]
        if own:
            ends += [len(made)] if made else []
            made.append((text_cell(panel.label or "no date"), *[blank_cell()] * (len(own[0]) - 1)))
            made += own
    return replace(table, rows=tuple(made), rules=tuple(ends))


def _above(table: Table, *below: tuple[Cell, ...]) -> Table:
    """The same table with more rows below a line."""
    return replace(table, rows=(*table.rows, *below), rules=(*table.rules, len(table.rows)))


def leaderboards(study: FeretStudy) -> list[Table]:
    """Rates with places, one row per algorithm and one column per set of probes, with the average below."""
    return [
        _leaderboard(study, study.results[start : start + _IN_A_ROW])
        for start in range(0, len(study.results), _IN_A_ROW)
    ]


def _leaderboard(study: FeretStudy, shown: Sequence[CategoryResult]) -> Table:
    facts = study.results[0].average.facts
    size = gallery_size(facts.n_gallery_subjects, facts.n_gallery_images)
    entries = {(entry.category, entry.algorithm): entry for entry in study.evaluation.entries}
    labels = {one.first: one.labels[0] for one in study.versions}

    def rates(one: CategoryResult) -> col.ColumnOf[str]:
        places, own = places_of(study, one), one.average.facts
        called = probes_called(one.category)
        return col.cell(
            f"{called}{own_gallery(own, facts)}\n{counted(own.n_probes, 'probe')}",
            lambda name: _ranked(entries[one.category, name], study.rank, places.get(name)),
            key=called,
        )

    names = sorted(study.evaluation.algorithms, key=lambda name: name not in study.field)
    table = col.table_of(
        f"rank {study.rank} (place), gallery of {size}",
        names,
        col.name("algorithm", lambda name: labels.get(name, name)),
        *map(rates, shown),
    )
    return _above(
        _in_panels(table, names, study),
        (text_cell(facts.algorithm), *(_average(one, study.rank) for one in shown)),
        (text_cell("current upper bound (best at rank 1)"), *(text_cell(one.leader) for one in shown)),
    )


def _average(one: CategoryResult, rank: int) -> Cell:
    at = min(rank, len(one.average.low)) - 1
    ends = float(one.average.low[at]), float(one.average.high[at])
    return over(rate_cell(one.average.at(rank)), interval_cell(ends))


def _ranked(entry: Entry, rank: int, place: tuple[int, tuple[int, int]] | None) -> Cell:
    rate = placed_cell(entry.curve.at(rank), None if place is None else place[0])
    return over(rate, interval_cell(entry.interval(rank)))


def contrast_table(contrast: VersionContrast, id: str = "") -> Table:
    """Two versions of an algorithm, one row per set of probes."""
    whole = contrast.rows[0]
    size = gallery_size(whole.n_gallery_subjects, whole.n_gallery_images)
    first, second = zip((contrast.first, contrast.second), contrast.roles, strict=True)
    alone = _of_people(RecognitionRate(contrast.rank).estimand)
    apart = f"difference of recognition rates at rank {contrast.rank}"
    return col.table_of(
        f"{contrast.second} against {contrast.first}: rank {contrast.rank}, gallery of {size}",
        contrast.rows,
        col.name("probes of", lambda row: f"{probes_called(row.category)}{own_gallery(row, whole)}"),
        col.estimate("\n".join(first), lambda row: (row.first[0], row.first[1:]), answers=alone),
        col.estimate("\n".join(second), lambda row: (row.second[0], row.second[1:]), answers=alone),
        col.difference(
            "cost of locating the face" if contrast.kind == "version" else "gain",
            lambda row: (row.pair.value, (row.pair.low, row.pair.high)),
            unit="points",
            answers=_of_people(Target(f"difference-of-{RecognitionRate.key}", apart)),
        ),
        col.p("adjusted p", lambda row: row.pair.p_with_floor),
        col.cell("no rank", lambda row: _both(row.first_failed, row.second_failed)),
        col.count("probes", lambda row: row.n_probes),
        id=id,
    )


def _of_people(of: Target) -> Answers:
    """What the intervals of contrasts and of single galleries answer, which carry no answers of their own."""
    return Answers(of, OTHER_PEOPLE, GALLERY, PEOPLE_ALIKE)


def _both(first: int, second: int) -> Cell:
    return Cell(f"{count(first)} / {count(second)}", Both(first, second))


def variation_table(
    variation: GalleryVariation, *, intervals: bool = True, study: FeretStudy | None = None
) -> Table:
    """Rates with places in each gallery, a row for each algorithm; averages and sizes below.

    Without `intervals` cells hold the rate and the place alone, as in the paper. With the `study` rows stand under the dates of
    their tests.
    """
    facts = variation.galleries
    title = (
        f"{probes_called(variation.category)}: {variation.estimand} (place) over {variation.design}, "
        f"{count(variation.size)} in each; {counted(sum(one.probes for one in facts), 'probe')}"
    )
    table = _by_gallery(variation, title, intervals, placed=True)
    rows = table if study is None else _in_panels(table, variation.algorithms, study)
    below = [
        (text_cell(name), *told, *[blank_cell()] * (len(table.columns) - 1 - len(told)))
        for name, told in _about_galleries(facts).items()
    ]
    return _above(rows, _averages(variation, "average", intervals), *below)


def galleries_table(variation: GalleryVariation, id: str) -> Table:
    """The rates in each gallery with their intervals, and the average where there are several algorithms."""
    title = f"{probes_called(variation.category)}: {variation.estimand} over {variation.design}, {count(variation.size)} in each"
    table = replace(_by_gallery(variation, title, intervals=True, placed=False), id=id)
    averages = _averages(variation, variation.average.algorithm, intervals=True)
    return _above(table, averages) if len(variation.rows) > 1 else table


def _averages(variation: GalleryVariation, name: str, intervals: bool) -> tuple[Cell, ...]:
    over = (one.cell(variation.average) for one in _over_galleries(variation, intervals))
    return (text_cell(name), *map(rate_cell, variation.averages), *over)


def _by_gallery(variation: GalleryVariation, title: str, intervals: bool, placed: bool) -> Table:
    answers = _of_people(variation.estimand)
    cells = {(cell.algorithm, cell.gallery): cell for cell in variation.cells}

    def rate(cell: GalleryCell) -> Cell:
        if cell.estimate is None:
            return empty_cell()
        ends = interval_cell(col.ends(cell.estimate) if intervals else None, answers)
        return over(placed_cell(cell.estimate.value, cell.place if placed else None), ends)

    def rates(gallery: GalleryFacts) -> col.ColumnOf[GalleryRow]:
        age = "" if gallery.mean_age is None else f", mean age {fixed(gallery.mean_age, 1)}"
        held = f"{counted(gallery.people, 'person', 'people')}, {counted(gallery.probes, 'probe')}{age}"
        heading = f"gallery {gallery.number}{_span(gallery)}"
        return col.cell(heading, lambda row: rate(cells[row.algorithm, gallery.number]), held)

    return col.table_of(
        title,
        variation.rows,
        col.name("algorithm", lambda row: row.algorithm),
        *map(rates, variation.galleries),
        *_over_galleries(variation, intervals),
    )


def _over_galleries(variation: GalleryVariation, intervals: bool) -> list[col.ColumnOf[GalleryRow]]:
    """The mean over galleries, the range of rates, the places and the test."""
    return [
        col.estimate(
            "mean",
            lambda row: (row.mean.value, col.ends(row.mean) if intervals else None),
            answers=variation.answers,
        ),
        col.cell("range", lambda row: range_cell(row.range), unit="points"),
        col.places("places", _places),
        col.p(
            "p",
            lambda row: None if row.test is None else row.test.p_value,
            "Test of whether galleries differ by more than chance.",
        ),
    ]


def _places(row: GalleryRow) -> tuple[int, int] | None:
    least, greatest = row.least_place, row.greatest_place
    return None if least is None or greatest is None else (least, greatest)


def _span(one: GalleryFacts) -> str:
    if one.first is None:
        return ""
    return "\n" + " – ".join(
        end.isoformat() if hasattr(end, "isoformat") else given(end) for end in (one.first, one.last)
    )


def _about_galleries(facts: Sequence[GalleryFacts]) -> Mapping[str, Sequence[Cell]]:
    """Contents of each gallery, with images and ages if informative."""
    columns: list[col.ColumnOf[GalleryFacts]] = [
        col.count("people", lambda one: one.people),
        col.count("images", lambda one: one.images, when=any(one.images != one.people for one in facts)),
        col.count("probes", lambda one: one.probes),
        col.cell(
            "mean age", lambda one: _age(one.mean_age), when=any(one.mean_age is not None for one in facts)
        ),
    ]
    return {one.column.heading: [one.cell(fact) for fact in facts] for one in columns if one.when}


def _age(age: float | None) -> Cell:
    return fixed_cell(age, 2 if age is None or abs(age) < 100 else 0)


def consistency_table(found: Consistency, most: int | None = MOST_PAIRS, id: str = "") -> Table:
    """How often one algorithm is ahead of another, with bounds for how often it truly is; the first pairs only."""
    how = "" if found.galleries is None else f", {found.galleries}"
    return col.table_of(
        f"ahead over {count(max(one.cells for one in found.pairs))} {found.over}{how}",
        found.pairs[:most],
        col.name("algorithm", lambda one: one.first),
        col.name("against", lambda one: one.second),
        col.count("ahead", lambda one: one.ahead),
        col.count("equal", lambda one: one.equal),
        col.count("behind", lambda one: one.behind),
        col.cell(
            "truly ahead", lambda one: _surely(one.surely_ahead, one.most_ahead, one.cells), kind="interval"
        ),
        col.effect("mean difference", lambda pair: pair.mean.value, unit="points"),
        col.p("adjusted p", lambda pair: (pair.mean.p_adjusted, found.method.floor)),
        col.text("verdict", lambda one: one.verdict),
        id=id,
    )


def _surely(least: int, most: int, of: int) -> Cell:
    return Cell(f"{run_of(least, most)} of {count(of)}", Ends(least, most))


def orders_table(found: Orders, id: str = "") -> Table:
    """Every algorithm in both orders, with the places that the tests leave it."""
    return col.table_of(
        f"{probes_called(found.category)}: order by identification and by verification",
        found.standings,
        col.name("algorithm", lambda one: one.algorithm),
        col.cell(
            f"{found.identification}\n(place)",
            lambda one: placed_cell(one.identification, one.identification_place),
            key="identification",
        ),
        col.places("places", lambda one: one.identification_places, key="identification places"),
        col.cell(
            f"{found.verification}\n(place)",
            lambda one: placed_cell(one.verification, one.verification_place),
            key="verification",
        ),
        col.places("places", lambda one: one.verification_places, key="verification places"),
        id=id,
    )


def size_tables(study: FeretStudy) -> list[Table]:
    """Expected rates by gallery size, a table for each set of probes."""
    made = []
    for category in study.evaluation.categories:
        curves = [one for one in study.sizes if one.category == category]
        if curves:
            made.append(_size_table(probes_called(category), curves, counts_otherwise(study)))
    return made


def counts_otherwise(study: FeretStudy) -> bool:
    """Whether size tables count people while other tables count images, with several images per person."""
    facts = study.results[0].average.facts
    return facts.counting != "subjects" and facts.n_gallery_images != facts.n_gallery_subjects


def _size_table(probes: str, curves: Sequence[SizeCurve], by_people: bool) -> Table:
    first = curves[0]
    return col.table_of(
        f"{probes}: expected rank-{first.rank} rate by people enrolled, of {count(first.n_enrolled)}; "
        f"{counted(first.n_probes, 'probe')}{'; ranks count people' if by_people else ''}",
        curves,
        col.name("people enrolled", lambda one: one.algorithm),
        *col.each(
            range(len(first.sizes)),
            lambda at: col.estimate(
                count(first.sizes[at]), lambda one: (one.rates[at], (one.low[at], one.high[at]))
            ),
        ),
    )


def rejection_table(test: RejectionTest) -> Table:
    """Detection and identification rates at fixed false positive rates, a row for each algorithm."""
    points = [at.counts for at in test.results[0].points]
    several = len({point.rank for point in points}) > 1
    heads = [
        f"DIR at FPIR {NOTHING if point.target_fpir is None else given(point.target_fpir)}"
        + (f"\nof {point.rank} candidates" if several else "")
        for point in points
    ]
    size = gallery_size(test.n_gallery_subjects, test.n_gallery_images)
    searched = counted(test.n_mated, "search", "searches")
    return col.table_of(
        f"rejection: {searched} for people enrolled, {count(test.n_nonmated)} for others; gallery of {size}",
        test.results,
        col.name("algorithm", lambda one: one.algorithm),
        *col.each(range(len(heads)), lambda at: col.cell(heads[at], lambda one: _rejected(one.points[at]))),
    )


def _rejected(at: SearchRates) -> Cell:
    rejected = FalsePositives(at.fpir.value, at.counts.false_positives)
    return over(
        rate_cell(at.dir.value, unsupported(at.fpir.supported)),
        interval_cell((at.dir.low, at.dir.high)),
        Cell(f"FPIR {digits(rejected.rate)} ({count(rejected.errors)})", rejected),
    )
