"""A FERET study as people read it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from proband.inference.difficulty import ENOUGH_SEPARATED, MOSTLY_ALIKE
from proband.inference.evaluation import ALL_PROBES
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
from proband.report.feret_tables import (
    Grid,
    as_markdown,
    contrast_grid,
    leaderboards,
    rejection_grid,
    size_grids,
    variation_grid,
)
from proband.report.figures import save_figure
from proband.report.tables import evaluation_markdown, statements
from proband.report.verification import search_statements

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
    return json.dumps(study.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def study_grids(study: FeretStudy) -> list[Grid]:
    """Every table of the study, those of variation without the intervals of cells."""
    made = leaderboards(study)
    made += [contrast_grid(one) for one in (*study.versions, *study.improvements)]
    made += [variation_grid(one, intervals=False) for one in study.variation]
    made += size_grids(study)
    return made + ([rejection_grid(study.rejection)] if study.rejection is not None else [])


def study_statements(study: FeretStudy) -> list[str]:
    """Say what was found and what it means, a sentence each."""
    return [
        *difficulty_statements(study),
        *_about_pairs(study),
        *_about_field(study),
        *_about_variation(study),
        *_about_sizes(study),
        *(_about_rejection(study)),
        *statements(study.evaluation),
        *(f"{note[0].upper()}{note[1:]}." for note in study.notes),
    ]


def difficulty_statements(study: FeretStudy) -> list[str]:
    """Whether each set of probes is too easy or too hard, and by which rule."""
    said = [one.difficulty.sentence() for one in study.results]
    if len(study.field) > 1:
        said.append(
            f"Apt: at least {ENOUGH_SEPARATED:.0%} of the pairs are told apart (Holm, {1 - study.evaluation.confidence_level:.2g}). Otherwise too easy (too "
            f"hard) if all algorithms recognise (miss) at least {MOSTLY_ALIKE:.0%} of the probes, and else too few people."
        )
    return said


def _level(study: FeretStudy) -> str:
    return f"{study.evaluation.confidence_level:.0%}"


def _about_pairs(study: FeretStudy) -> list[str]:
    said = []
    if study.versions:
        said.append(
            "Cost of locating the face: the partially automatic version's rate less the fully automatic one's on the same probes, "
            "where a face that is not found counts as a miss."
        )
    if study.improvements:
        said.append("Gain: the later algorithm's rate less the earlier one's on the same probes.")
    if said:
        method = (*study.versions, *study.improvements)[0].rows[0].pair.method
        said.append(
            f"Differences: {_level(study)} intervals over other people ({method}); p-values are adjusted over all rows of a kind (Holm)."
        )
    return said


def _about_field(study: FeretStudy) -> list[str]:
    first = study.results[0]
    answers = first.average.answers
    said = [
        f"Average: the {answers.of}. {_level(study)} intervals. Varying: {answers.varying}. Fixed: {answers.fixed}. "
        f"Assuming: {answers.assuming}.",
        "Current upper bound: the whole curve of the algorithm that is best at rank 1, not the best at each rank; being picked on "
        "these very probes flatters it.",
    ]
    apart = [name for name in study.evaluation.algorithms if name not in study.field]
    if apart:
        said.append(f"Averages, places and galleries leave out fully automatic versions: {', '.join(apart)}.")
    return said


def _about_variation(study: FeretStudy) -> list[str]:
    if not study.variation:
        return []
    answers = study.variation[0].answers
    said = [
        f"Galleries: a cell's interval is over other people searched for in that gallery; the mean's is over galleries ({_level(study)}). "
        f"Varying: {answers.varying}. Assuming: {answers.assuming}. p: do galleries differ by more than chance?"
    ]
    if any(fact.mean_age is not None for one in study.variation for fact in one.galleries):
        said.append(
            "Mean age: time between probe and mate, in days for dates and otherwise as the column counts."
        )
    reasons = dict.fromkeys(
        row.test.declined
        for one in study.variation
        for row in one.rows
        if row.test is not None and row.test.declined
    )
    if reasons:
        said.append(f"No p where {', or where '.join(reasons)}.")
    return said + _gathered_notes(study, reasons)


def _gathered_notes(study: FeretStudy, told: Iterable[str]) -> list[str]:
    """The notes of all tables of variation, each once with where it holds; not those told elsewhere."""
    where: dict[str, list[str]] = {}
    for one in study.variation:
        for note in one.notes:
            if note not in study.evaluation.notes and not any(reason in note for reason in told):
                where.setdefault(note, []).append(one.category or ALL_PROBES)
    return [
        f"Galleries: {note}"
        + ("." if len(places) == len(study.variation) else f" ({', '.join(dict.fromkeys(places))}).")
        for note, places in where.items()
    ]


def _about_sizes(study: FeretStudy) -> list[str]:
    if not study.sizes:
        return []
    answers = study.sizes[0].answers
    return [
        f"Gallery sizes: the {answers.of}. {_level(study)} intervals. Varying: {answers.varying}. Fixed: {answers.fixed}."
    ]


def _about_rejection(study: FeretStudy) -> list[str]:
    test = study.rejection
    if test is None:
        return []
    said = [
        f"Rejection: {test.n_held_out:,} people were taken out of the gallery at random (seed {test.seed}). DIR is the share of "
        "searches for enrolled people that return them at the threshold where searches for others return anybody at the FPIR.",
    ]
    known = statements(study.evaluation)
    return said + [f"Rejection: {one}" for one in search_statements(test.results) if one not in known]


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
        study.to_frame().write_csv(draft / "study.csv")
        study.evaluation.curves_frame().write_csv(draft / "cmc.csv")
        if study.variation:
            variation_frame(study).write_csv(draft / "variation.csv")
        if study.sizes:
            sizes_frame(study).write_csv(draft / "sizes.csv")
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
                pl.lit(one.category or ALL_PROBES).alias("category"),
                pl.lit(one.design).alias("design"),
                pl.all(),
            )
            for one in study.variation
        ),
        how="vertical_relaxed",
    )


def sizes_frame(study: FeretStudy) -> pl.DataFrame:
    """Every point of every curve over gallery sizes."""
    return pl.DataFrame(
        [
            {
                "category": one.category,
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
    def listed(said: list[str]) -> str:
        return "\n".join(f"- {one}" for one in said)

    def picture(name: str, about: str) -> list[str]:
        return [f"![{about}]({name}.png)"] if name in drawn else []

    parts = [f"# {title}", *map(as_markdown, leaderboards(study)), listed(difficulty_statements(study))]
    parts += [*picture("cmc", "Cumulative match characteristics by category")]
    parts += ["## Average and current upper bound", listed(_about_field(study))]
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
            parts.append(listed([said for one in pairs for said in one.sentences()]))
    if study.variation:
        parts += [
            "## Variation over galleries",
            *(as_markdown(variation_grid(one)) for one in study.variation),
        ]
        parts += [*picture("variation", "Rates over galleries"), listed(_about_variation(study))]
    if study.sizes:
        parts += [
            "## Gallery size",
            *map(as_markdown, size_grids(study)),
            *picture("sizes", "Rates by gallery size"),
        ]
        parts.append(listed(_about_sizes(study)))
    if study.rejection is not None:
        parts += [
            "## Rejection",
            as_markdown(rejection_grid(study.rejection)),
            listed(_about_rejection(study)),
        ]
    notes = [f"{note[0].upper()}{note[1:]}." for note in study.notes]
    parts += [
        "## Every rank",
        evaluation_markdown(study.evaluation),
        listed([*statements(study.evaluation), *notes]),
    ]
    return "\n\n".join(parts) + "\n"
