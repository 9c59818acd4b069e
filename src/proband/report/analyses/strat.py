"""The stratified experiment as people read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from proband.inference.galleries.effect import GalleryEffect
from proband.inference.strata.study import StratStudy
from proband.report.cells import columns, error_cell, over, p_cell, range_cell, rate_cell, text_cell
from proband.report.figures.strat import (
    algorithms_figure,
    gallery_effect_figure,
    standard_errors_figure,
    units_figure,
)
from proband.report.notes import answered
from proband.report.table import Table
from proband.results.compared import metrics_statement
from proband.words import Note, Sentence, counted, part_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ERROR = Sentence("strat.standard-error", "note", "{method} {error:rate} (varying {varying})")
_ERRORS = Sentence(
    "strat.standard-errors",
    "note",
    "Standard error of {algorithm} at rank {rank}, first mixed gallery: {errors:parts}",
)
_PLUS_MINUS = Sentence("strat.plus-minus", "mark", "± is one standard error")
_TEST = Sentence(
    "strat.test-of-galleries",
    "note",
    "The test of galleries is over people (Hotelling's T² of their contrasts), so its target is other people",
)
_FAILED = Sentence(
    "strat.failures-to-acquire",
    "note",
    "Failures to acquire count as misses: with the first gallery {n:count} of {probes:count probe} have no rank, and "
    "{images:count gallery image is/gallery images are} not enrolled",
)
_PEOPLE = Sentence(
    "strat.people",
    "note",
    "{people:count person/people} with {images} images each; {left_out:count person has/people have} fewer that were scored both "
    "as queries and as targets; {unused:count image is/images are} not used",
)
_MOST_PEOPLE = Sentence(
    "strat.most-people", "note", "With {images} images each, {people:count person/people} could take part"
)


def galleries_table(effects: Sequence[GalleryEffect]) -> Table:
    """Make a table of rates by gallery, a row for each algorithm."""
    first = "mixed galleries" if effects[0].mixed else "galleries"
    numbers = (str(place) for place, _ in enumerate(effects[0].estimates, 1))
    rows = (
        (
            text_cell(effect.algorithm),
            *(over(rate_cell(one.value), error_cell(one.standard_error)) for one in effect.estimates),
            range_cell(effect.range),
            p_cell(effect.p_value),
        )
        for effect in effects
    )
    return Table("", columns(first, *numbers, "range", "p"), tuple(rows))


def study_tables(study: StratStudy) -> list[Table]:
    """The galleries as they are, and mixed."""
    return [galleries_table(study.effects), galleries_table(study.mixed)]


def study_statements(study: StratStudy) -> list[Note]:
    """Say what was found and what it means, a note each."""
    rank, first = study.rank, study.effects[0].estimates[0]
    answers, facts = first.answers, first.facts
    errors = tuple(
        _ERROR(method=one.method, error=float(one.by_rank[rank - 1]), varying=one.varying)
        for one in study.errors.values()
    )
    said: list[Note] = [
        *(one.sentence() for one in (*study.effects, *study.mixed)),
        _ERRORS(algorithm=study.mixed[0].algorithm, rank=rank, errors=errors),
        metrics_statement((one.algorithm, one.estimates[0].facts.metric) for one in study.effects),
        _PLUS_MINUS(),
        answered(answers),
        _TEST(),
    ]
    if facts.n_failed or facts.n_gallery_failed:
        said.append(_FAILED(n=facts.n_failed, probes=facts.n_probes, images=facts.n_gallery_failed))
    said.append(
        _PEOPLE(
            people=study.n_subjects, images=study.n_images, left_out=study.n_left_out, unused=study.n_unused
        )
    )
    if study.most_people is not None:
        images, people = study.most_people
        said.append(_MOST_PEOPLE(images=images, people=people))
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
        filter(
            None,
            (
                f"{first}, {counted(study.n_subjects, 'person', 'people')}, {counted(study.n_images - 1, 'probe')} each",
                alone,
            ),
        )
    )
    made = {
        "galleries": gallery_effect_figure(shown, note=only),
        "errors": standard_errors_figure(
            {f"{one.method}: {one.varying}": one.by_rank for one in study.errors.values()}, note
        ),
        "algorithms": algorithms_figure({"first mixed gallery": list(study.bands)}),
    }
    if len(study.variances) > 1:
        made["units"] = units_figure(
            {f"{units} units": values for units, values in study.variances.items()}, note
        )
    return made
