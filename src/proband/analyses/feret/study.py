"""A FERET study as people read it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import polars as pl

from proband.analyses.feret.field import (
    consistency_frame as consistency_frame,
    consistency_table,
    orders_frame as orders_frame,
    orders_table,
    participants_table,
)
from proband.analyses.feret.figures import (
    averages_figure,
    curves_by_date,
    upper_bounds_figure,
    variation_figure,
    versions_figure,
)
from proband.analyses.feret.statements import (
    difficulty_statements as difficulty_statements,
    study_statements as study_statements,
)
from proband.analyses.feret.tables import (
    contrast_table,
    leaderboards,
    rejection_table,
    size_tables,
    variation_table,
)
from proband.engine.files.documents import as_json
from proband.engine.frames import frame_of_rows
from proband.inference.estimates.evaluation import probes_called
from proband.inference.galleries.feret_results import FeretStudy
from proband.report.figures.identification import sizes_figure
from proband.report.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def study_json(study: FeretStudy) -> str:
    """Write a study as JSON text."""
    return as_json(study.to_dict())


def study_tables(study: FeretStudy) -> list[Table]:
    """Every table of the study, those of variation without the intervals of cells."""
    took_part = participants_table(study)
    made = [*([took_part] if took_part is not None else []), *leaderboards(study)]
    made += [contrast_table(one) for one in (*study.versions, *study.improvements)]
    made += [variation_table(one, intervals=False, study=study) for one in study.variation]
    made += [consistency_table(one) for one in study.consistency]
    made += [orders_table(one) for one in study.orders]
    made += size_tables(study)
    return made + ([rejection_table(study.rejection)] if study.rejection is not None else [])


def study_figures(study: FeretStudy) -> dict[str, Callable[[], Figure]]:
    """What draws the paper's figures, and those of sizes."""
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


def variation_frame(study: FeretStudy) -> pl.DataFrame:
    """Every cell of every table of variation."""
    return pl.concat(
        (
            one.to_frame()
            .with_columns(pl.col("first", "last").cast(pl.String))
            .select(
                pl.lit(probes_called(one.category)).alias("category"),
                pl.lit(str(one.design)).alias("design"),
                pl.all(),
            )
            for one in study.variation
        ),
        how="vertical_relaxed",
    )


def sizes_frame(study: FeretStudy) -> pl.DataFrame:
    """Every point of every curve over gallery sizes."""
    return frame_of_rows(
        [
            {
                "category": probes_called(one.category),
                "algorithm": one.algorithm,
                "gallery": size,
                f"rank_{one.rank}": rate,
                f"rank_{one.rank}_low": low,
                f"rank_{one.rank}_high": high,
                "probes": one.n_probes,
                "people_drawn_from": one.n_enrolled,
            }
            for one in study.sizes
            for size, rate, low, high in zip(one.sizes, one.rates, one.low, one.high, strict=True)
        ]
    )
