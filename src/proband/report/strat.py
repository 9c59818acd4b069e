"""The stratified experiment as people read it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from proband.engine.documents import as_json
from proband.inference.galleries import GalleryEffect
from proband.inference.strat_study import METHODS, StratStudy
from proband.measures.compared import metrics_statement
from proband.report.comparisons import comparison_markdown
from proband.report.directory import whole_directory
from proband.report.figures import save_figure
from proband.report.grids import Grid, as_rich
from proband.report.strat_figures import (
    algorithms_figure,
    gallery_effect_figure,
    standard_errors_figure,
    units_figure,
)
from proband.words import as_sentence, counted, part_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

_FIGURES = ("galleries", "errors", "units", "algorithms")
_OURS = (
    "results.json",
    "report.md",
    *(f"{name}.{end}" for name in _FIGURES for end in ("png", "svg", "pdf")),
)


def galleries_table(effects: Sequence[GalleryEffect]) -> Table:
    """Make a table of rates by gallery for the terminal."""
    return as_rich(galleries_grid(effects))


def galleries_grid(effects: Sequence[GalleryEffect]) -> Grid:
    """Make a table of rates by gallery as text, a row for each algorithm."""
    numbers = (str(place + 1) for place in range(len(effects[0].estimates)))
    rows = (
        (
            effect.algorithm,
            *(f"{one.value:.4f}\n± {one.standard_error:.4f}" for one in effect.estimates),
            f"{100 * effect.range:.1f}",
            f"{effect.p_value:.2g}",
        )
        for effect in effects
    )
    first = "mixed galleries" if effects[0].mixed else "galleries"
    return Grid("", (first, *numbers, "range", "p"), tuple(rows))


def study_statements(study: StratStudy) -> list[str]:
    """Say what was found and what it means, a sentence each."""
    said = [as_sentence(one.sentence()) for one in (*study.effects, *study.mixed)]
    rank = study.rank
    errors = ", ".join(
        f"{name} {values[rank - 1]:.4f} (varying {METHODS[name]})" for name, values in study.errors.items()
    )
    said.append(
        f"Standard error of {study.mixed[0].algorithm} at rank {rank}, first mixed gallery: {errors}."
    )
    metrics = metrics_statement((one.algorithm, one.estimates[0].facts.metric) for one in study.effects)
    said.append(as_sentence(metrics))
    answers = study.effects[0].estimates[0].answers
    said.append(
        f"± is one standard error. Varying: {answers.varying}. Fixed: {answers.fixed}. Assuming: {answers.assuming}."
    )
    said.append(
        "The test of galleries is over people (Hotelling's T² of their contrasts), so its target is other people."
    )
    facts = study.effects[0].estimates[0].facts
    if facts.n_failed or facts.n_gallery_failed:
        said.append(
            f"Failures to acquire count as misses: with the first gallery {facts.n_failed:,} of {facts.n_probes:,} probes have no "
            f"rank, and {facts.n_gallery_failed:,} gallery images are not enrolled."
        )
    said.append(
        f"{counted(study.n_subjects, 'person', 'people')} with {study.n_images} images each; "
        f"{counted(study.n_left_out, 'person has', 'people have')} fewer that were scored both as queries and as targets; "
        f"{counted(study.n_unused, 'image is', 'images are')} not used."
    )
    if study.most_people is not None:
        images, people = study.most_people
        said.append(f"With {images} images each, {people:,} people could take part.")
    return said


def study_figures(study: StratStudy, n_algorithms: int = 1) -> dict[str, Figure]:
    """The paper's figures: galleries and mixed galleries, errors by method, units, algorithms."""
    shown = [effect for pair in zip(study.effects, study.mixed, strict=True) for effect in pair][
        : 2 * n_algorithms
    ]
    first = study.mixed[0].algorithm
    only = part_of(n_algorithms, len(study.effects), "algorithms", "the first")
    alone = part_of(1, len(study.effects), "algorithms", "the first")
    note = "; ".join(
        filter(None, (f"{first}, {study.n_subjects:,} people, {study.n_images - 1} probes each", alone))
    )
    made = {
        "galleries": gallery_effect_figure(shown, note=only),
        "errors": standard_errors_figure(
            {f"{name}: {METHODS[name]}": values for name, values in study.errors.items()}, note
        ),
        "algorithms": algorithms_figure({"first mixed gallery": list(study.bands)}),
    }
    if len(study.variances) > 1:
        made["units"] = units_figure(
            {f"{units} units": values for units, values in study.variances.items()}, note
        )
    return made


def write_study(
    study: StratStudy, path: str | Path, title: str = "Stratified evaluation", extra: Sequence[str] = ()
) -> Path:
    """Write results, figures and a readable summary into a directory of their own; return the summary."""
    with whole_directory(path, _OURS) as draft:
        text = as_json(study.to_dict())
        (draft / "results.json").write_text(text, encoding="utf-8")
        parts = [f"# {title}", *extra, _markdown(study.effects), _markdown(study.mixed)]
        for name, figure in study_figures(study).items():
            for ending in ("png", "svg", "pdf"):
                save_figure(figure, draft / f"{name}.{ending}")
            parts.append(f"![{name}]({name}.png)")
        if study.comparison is not None:
            parts += ["## Algorithms", comparison_markdown(study.comparison)]
        parts.append("\n".join(f"- {said}" for said in study_statements(study)))
        (draft / "report.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return Path(path) / "report.md"


def _markdown(effects: Sequence[GalleryEffect]) -> str:
    kind = "mixed galleries" if effects[0].mixed else "galleries"
    names = [str(place + 1) for place in range(len(effects[0].estimates))]
    lines = [f"| {kind} | " + " | ".join(names) + " | range | p |", "|---|" + "--:|" * (len(names) + 2)]
    for effect in effects:
        cells = [f"{one.value:.4f} ± {one.standard_error:.4f}" for one in effect.estimates]
        name = effect.algorithm.replace("|", "\\|")
        lines.append(f"| {name} | {' | '.join(cells)} | {100 * effect.range:.1f} | {effect.p_value:.2g} |")
    return "\n".join(lines)
