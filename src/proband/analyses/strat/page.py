"""A stratified evaluation on the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from proband.analyses.strat.tables import study_statements, study_tables
from proband.inference.galleries.effect import GalleryEffect
from proband.inference.strata.study import StratStudy
from proband.report import cells
from proband.report.charts.makers.curves import cmc
from proband.report.charts.makers.rows import gallery_effect
from proband.report.page.charts import shown
from proband.report.page.model import Block, Folded, said
from proband.report.table import Cell, Column, Table


def strat_blocks(study: StratStudy, places: Mapping[str, int]) -> list[Block]:
    """Each column of images as the gallery in turn, and the standard errors of several methods."""
    if not study.effects:
        titles = {
            "strat-rates": "Rates with the fixed gallery",
            "strat-sensors": "Sensors on the same people",
        }
        tables = [
            replace(one, id=name, caption=caption)
            for one, (name, caption) in zip(study_tables(study), titles.items(), strict=False)
        ]
        return [
            shown(
                cmc(
                    study.bands,
                    "strat-algorithms",
                    "Recognition rate with the fixed gallery",
                    relative=study.relative_ranks,
                )
            ),
            *tables,
            Folded("Standard errors by method", (_errors_table(study),)),
            Folded("What they mean", tuple(said(study_statements(study)))),
        ]
    mixed = "Rates with each image as the gallery, after mixing"
    return [
        shown(gallery_effect(study.effects, "strat-galleries"), places=places),
        shown(gallery_effect(study.mixed, "strat-mixed", mixed), places=places),
        Folded("Each gallery, and standard errors by method", (_effects_table(study), _errors_table(study))),
        Folded("What the galleries mean", tuple(said(study_statements(study)))),
    ]


def _effects_table(study: StratStudy) -> Table:
    level = cells.percent(study.effects[0].estimates[0].confidence_level)
    heads = (
        Column("algorithm", "name"),
        Column("images", "name"),
        Column("gallery", "number"),
        Column(f"rate at rank {study.rank}", "number"),
        Column(f"{level} interval", "interval"),
        Column("standard error", "number"),
        Column(
            "p", "number", "Do the galleries of this row's algorithm differ? Hotelling's test over people."
        ),
    )
    rows = [
        row for pair in zip(study.effects, study.mixed, strict=True) for effect in pair for row in _of(effect)
    ]
    return cells.table("gallery-effect", "Each column of images as the gallery in turn", heads, rows)


def _of(effect: GalleryEffect) -> list[list[Cell]]:
    kind = "mixed" if effect.mixed else "as they are"
    return [
        [
            cells.text_cell(effect.algorithm),
            cells.text_cell(kind),
            cells.count_cell(place),
            cells.rate_cell(one.value),
            cells.interval_cell((one.low, one.high), one.answers),
            cells.rate_cell(one.standard_error),
            cells.p_cell(effect.p_value, None),
        ]
        for place, one in enumerate(effect.estimates, 1)
    ]


def _errors_table(study: StratStudy) -> Table:
    rows = [
        [
            cells.text_cell(str(one.method)),
            cells.text_cell(str(one.varying)),
            cells.rate_cell(float(one.by_rank[study.rank - 1])),
        ]
        for one in study.errors.values()
    ]
    gallery = "first mixed gallery" if study.effects else "fixed gallery"
    caption = f"Standard error at rank {study.rank} of {study.cases[0].facts.algorithm}, {gallery}"
    return cells.table(
        "strat-errors", caption, cells.columns("method", "varying", "standard error", text=2), rows
    )
