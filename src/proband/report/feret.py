"""A FERET study as people read it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from proband.engine.documents import as_json
from proband.engine.frames import frame_of_rows
from proband.engine.spreadsheets import write_spreadsheet
from proband.inference.evaluation import probes_called
from proband.inference.feret_results import FeretStudy
from proband.report.directory import whole_directory
from proband.report.feret_figures import (
    averages_figure,
    categories_figure,
    sizes_figure,
    upper_bounds_figure,
    variation_figure,
    versions_figure,
)
from proband.report.feret_statements import (
    about_field,
    about_rejection,
    about_sizes,
    about_variation,
    difficulty_statements as difficulty_statements,
    notes_of,
    study_statements as study_statements,
)
from proband.report.feret_tables import (
    contrast_grid,
    leaderboards,
    rejection_grid,
    size_grids,
    variation_grid,
)
from proband.report.figures import save_figure
from proband.report.grids import Grid, as_markdown, in_markdown
from proband.report.notes import bullets
from proband.report.tables import evaluation_markdown, statements

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FIGURES = ("cmc", "average", "upper_bound", "versions", "improvements", "variation", "sizes")
_ENDINGS = ("png", "svg", "pdf")
_TABLES = ("study.csv", "cmc.csv", "variation.csv", "sizes.csv")
STUDY_FILES = (
    "results.json",
    "report.md",
    *_TABLES,
    *(f"{name}.{ending}" for name in _FIGURES for ending in _ENDINGS),
)


def study_json(study: FeretStudy) -> str:
    """Write a study as JSON text."""
    return as_json(study.to_dict())


def study_grids(study: FeretStudy) -> list[Grid]:
    """Every table of the study, those of variation without the intervals of cells."""
    made = leaderboards(study)
    made += [contrast_grid(one) for one in (*study.versions, *study.improvements)]
    made += [variation_grid(one, intervals=False) for one in study.variation]
    made += size_grids(study)
    return made + ([rejection_grid(study.rejection)] if study.rejection is not None else [])


def study_figures(study: FeretStudy) -> dict[str, Figure]:
    """The paper's figures, and those of sizes."""
    made: dict[str, Callable[[], Figure]] = {
        "cmc": lambda: categories_figure(study),
        "average": lambda: averages_figure(study),
        "upper_bound": lambda: upper_bounds_figure(study),
    }
    if study.versions:
        made["versions"] = lambda: versions_figure(study, study.versions)
    if study.improvements:
        made["improvements"] = lambda: versions_figure(study, study.improvements)
    if study.variation:
        made["variation"] = lambda: variation_figure(study.variation)
    if study.sizes:
        made["sizes"] = lambda: sizes_figure(study.sizes)
    return {name: make() for name, make in made.items()}


def write_study(study: FeretStudy, path: str | Path, title: str = "FERET evaluation") -> Path:
    """Write results, tables, figures and a readable summary into a directory of their own; return the summary."""
    with whole_directory(path, STUDY_FILES) as draft:
        (draft / "results.json").write_text(study_json(study), encoding="utf-8")
        write_spreadsheet(study.to_frame(), draft / "study.csv")
        write_spreadsheet(study.evaluation.curves_frame(), draft / "cmc.csv")
        if study.variation:
            write_spreadsheet(variation_frame(study), draft / "variation.csv")
        if study.sizes:
            write_spreadsheet(sizes_frame(study), draft / "sizes.csv")
        drawn = study_figures(study)
        for name, figure in drawn.items():
            for ending in _ENDINGS:
                save_figure(figure, draft / f"{name}.{ending}")
        (draft / "report.md").write_text(_summary(study, title, list(drawn)), encoding="utf-8")
    return Path(path) / "report.md"


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


def _summary(study: FeretStudy, title: str, drawn: list[str]) -> str:
    def picture(name: str, about: str) -> list[str]:
        return [f"![{about}]({name}.png)"] if name in drawn else []

    parts = [
        f"# {in_markdown(title)}",
        *map(as_markdown, leaderboards(study)),
        bullets(difficulty_statements(study)),
    ]
    parts += [*picture("cmc", "Cumulative match characteristics by category")]
    parts += ["## Average and current upper bound", bullets(about_field(study))]
    parts += [*picture("average", "Average over algorithms"), *picture("upper_bound", "Current upper bound")]
    for heading, pairs, name in (
        ("## Fully against partially automatic", study.versions, "versions"),
        ("## Improvements", study.improvements, "improvements"),
    ):
        if pairs:
            parts += [
                heading,
                *(as_markdown(contrast_grid(one)) for one in pairs),
                *picture(name, heading[3:]),
            ]
            parts.append(bullets([said for one in pairs for said in one.sentences()]))
    if study.variation:
        parts += [
            "## Variation over galleries",
            *(as_markdown(variation_grid(one)) for one in study.variation),
        ]
        parts += [*picture("variation", "Rates over galleries"), bullets(about_variation(study))]
    if study.sizes:
        parts += [
            "## Gallery size",
            *map(as_markdown, size_grids(study)),
            *picture("sizes", "Rates by gallery size"),
        ]
        parts.append(bullets(about_sizes(study)))
    if study.rejection is not None:
        parts += [
            "## Rejection",
            as_markdown(rejection_grid(study.rejection)),
            bullets(about_rejection(study)),
        ]
    parts += [
        "## Every rank",
        evaluation_markdown(study.evaluation),
        bullets([*statements(study.evaluation), *notes_of(study)]),
    ]
    return "\n\n".join(parts) + "\n"
