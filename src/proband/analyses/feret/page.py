"""A FERET evaluation on the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from proband.analyses.feret.field import (
    consistency_table,
    field_statements,
    orders_table,
    participants_table,
)
from proband.analyses.feret.study import difficulty_statements
from proband.inference.estimates.evaluation import probes_called
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.galleries.tables import GalleryRow, GalleryVariation
from proband.inference.galleries.versions import Contrast
from proband.measures import RecognitionRate
from proband.report import cells
from proband.report.charts.makers.curves import cmc, gallery_sizes
from proband.report.charts.makers.rows import galleries
from proband.report.page.charts import shown
from proband.report.page.model import Block, Folded, said
from proband.report.table import Cell, Column, Table
from proband.results.base import Answers
from proband.results.targets import GALLERY, OTHER_PEOPLE, PEOPLE_ALIKE
from proband.words import Target, count, counted, fixed


def feret_blocks(study: FeretStudy, places: Mapping[str, int]) -> list[Block]:
    """Categories, averages, two states of an algorithm, galleries of different people, and sizes."""
    blocks: list[Block] = [*said(difficulty_statements(study))]
    took_part = participants_table(study)
    if took_part is not None:
        blocks.append(replace(took_part, caption="Who took part", id="participants"))
    if len(study.panels) > 1:
        blocks += _curves_by_date(study, places)
    if len(study.field) > 1:
        first = study.results[0]
        title = f"Average and current upper bound, {probes_called(first.category)}"
        blocks.append(shown(cmc([first.average, first.upper_bound], "feret-average", title)))
    blocks += [
        _contrast_table(one, f"contrast-{place}")
        for place, one in enumerate((*study.versions, *study.improvements), 1)
    ]
    blocks += _variation_blocks(study, places)
    blocks += _field_blocks(study)
    sizes = []
    for place, category in enumerate(study.evaluation.categories, 1):
        curves = [one for one in study.sizes if one.category == category]
        if curves:
            title = f"Recognition rate by the size of the gallery, {probes_called(category)}"
            sizes.append(shown(gallery_sizes(curves, f"sizes-{place}", title), places=places))
    blocks += [
        *sizes[:1],
        *([Folded("Sizes of galleries by probe category", tuple(sizes[1:]))] if sizes[1:] else []),
    ]
    return blocks


def _curves_by_date(study: FeretStudy, places: Mapping[str, int]) -> list[Block]:
    """The curves of the algorithms of each date: of the first set of probes, and folded of the others."""
    first, *others = (
        [
            shown(
                cmc(
                    bands,
                    f"cmc-date-{set_number}-{number}",
                    f"Recognition rate by rank, {probes_called(category)}, {panel.label or 'no date'}",
                ),
                places=places,
            )
            for number, panel in enumerate(study.panels, 1)
            if (
                bands := [
                    one.band for one in study.evaluation.of(category) if one.algorithm in panel.algorithms
                ]
            )
        ]
        for set_number, category in enumerate(study.evaluation.categories, 1)
    )
    more = tuple(chart for charts in others for chart in charts)
    return [*first, *([Folded("Curves by date of test and probe category", more)] if more else [])]


def _variation_blocks(study: FeretStudy, places: Mapping[str, int]) -> list[Block]:
    """Rates over galleries: the first set of probes, folded the others, and all tables."""
    charts = [
        shown(
            galleries(
                one,
                "galleries" if place == 1 else f"galleries-{place}",
                f"Rates in galleries of different people, {probes_called(one.category)}",
                study.panels,
            ),
            places=places,
        )
        for place, one in enumerate(study.variation, 1)
    ]
    tables = tuple(
        _variation_table(one, f"variation-{place}") for place, one in enumerate(study.variation, 1)
    )
    return [
        *charts[:1],
        *([Folded("Rates over galleries by probe category", tuple(charts[1:]))] if charts[1:] else []),
        *([Folded("Rates in every gallery", tables)] if tables else []),
    ]


def _field_blocks(study: FeretStudy) -> list[Block]:
    """Who is consistently ahead, and the order by identification beside that by verification."""
    ahead = tuple(
        consistency_table(one, None, f"consistency-{place}") for place, one in enumerate(study.consistency, 1)
    )
    orders = tuple(orders_table(one, f"orders-{place}") for place, one in enumerate(study.orders, 1))
    return [
        *([Folded("Who is consistently ahead", ahead)] if ahead else []),
        *orders[:1],
        *([Folded("Both orders by probe category", orders[1:])] if orders[1:] else []),
        *([Folded("What counts and orders mean", tuple(said(field_statements(study))))] if ahead else []),
    ]


def _contrast_table(contrast: Contrast, id: str) -> Table:
    gain = "cost of locating the face" if contrast.kind == "version" else "gain"
    heads = cells.columns(
        "probes of",
        f"{contrast.first}, {contrast.roles[0]}",
        "interval",
        f"{contrast.second}, {contrast.roles[1]}",
        "interval",
        f"{gain}, points",
        "interval",
        "adjusted p",
        "probes",
    )
    rows = []
    for row in contrast.rows:
        pair = row.pair
        rows.append(
            [
                cells.text_cell(probes_called(row.category)),
                cells.rate_cell(row.first[0]),
                cells.interval_cell(row.first[1:], _alone(contrast)),
                cells.rate_cell(row.second[0]),
                cells.interval_cell(row.second[1:], _alone(contrast)),
                cells.effect_cell(pair.difference, pair.in_points),
                cells.effect_interval_cell(pair.low, pair.high, pair.in_points, _between(contrast)),
                cells.p_cell(*pair.p_with_floor),
                cells.count_cell(row.n_probes),
            ]
        )
    return cells.table(id, f"{contrast.second} against {contrast.first}, rank {contrast.rank}", heads, rows)


def _alone(contrast: Contrast) -> Answers:
    return _of_people(RecognitionRate(contrast.rank).estimand)


def _between(contrast: Contrast) -> Answers:
    of = f"difference of recognition rates at rank {contrast.rank}"
    return _of_people(Target(f"difference-of-{RecognitionRate.key}", of))


def _of_people(of: Target) -> Answers:
    """What the intervals of contrasts and of single galleries answer, which carry no answers of their own."""
    return Answers(of, OTHER_PEOPLE, GALLERY, PEOPLE_ALIKE)


def _variation_table(variation: GalleryVariation, id: str) -> Table:
    """A row for each algorithm: its rate in each gallery, and their mean, range, places and test."""
    about = {
        one.number: f"{counted(one.people, 'person', 'people')}, {counted(one.probes, 'probe')}"
        + ("" if one.mean_age is None else f", mean age {fixed(one.mean_age, 1)}")
        for one in variation.galleries
    }
    heads = [Column("algorithm", "name")]
    heads += [Column(f"gallery {number}", "number", explained) for number, explained in about.items()]
    heads += [
        Column("mean", "number"),
        Column(f"{cells.percent(variation.confidence_level)} interval", "interval"),
    ]
    heads += [Column("range, points", "number"), Column("places", "number"), Column("p", "number", "Do galleries differ by more than chance?")]  # fmt: skip
    rows = [
        [
            cells.text_cell(row.algorithm),
            *(cells.rate_cell(cell.rate) for cell in variation.of(row.algorithm)),
            *_over_galleries(row, variation.answers),
        ]
        for row in variation.rows
    ]
    if len(variation.rows) > 1:
        average = [cells.text_cell(variation.average.algorithm), *map(cells.rate_cell, variation.averages)]
        rows.append([*average, *_over_galleries(variation.average, variation.answers)])
    caption = f"{probes_called(variation.category)}: {variation.estimand} over {variation.design}, {count(variation.size)} in each"
    return cells.table(id, caption, tuple(heads), rows)


def _over_galleries(row: GalleryRow, answers: Answers) -> list[Cell]:
    spread, best, worst = row.spread, row.least_place, row.greatest_place
    return [
        cells.rate_cell(spread.mean),
        cells.interval_cell(spread.interval, answers),
        cells.range_cell(spread.range),
        cells.empty_cell() if best is None or worst is None else cells.places_cell(best, worst),
        cells.p_cell(None if row.test is None else row.test.p_value, None),
    ]
