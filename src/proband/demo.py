"""The demonstration: a synthetic population, every bundled algorithm, one report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.algorithms import Acquired, Crops, Sets, crop_faces, family_of, names, recognizer, score, train
from proband.algorithms.pictures.acquire import EYE_COLUMNS
from proband.engine import Progress
from proband.faces import Population, contact_sheet
from proband.inference import Evaluation
from proband.inference.estimates.evaluation import Entry, probes_called
from proband.report import columns as col
from proband.report.figures.identification import evaluation_figure
from proband.report.figures.style import save_figure
from proband.report.tables.cells import interval_cell, rate_cell
from proband.report.tables.table import Cell, Table
from proband.report.writer import FIGURE_ENDINGS, write_run
from proband.samples import Experiment, Samples
from proband.scores.archive import write_score_archive
from proband.study.definition import Origin
from proband.study.inputs import in_memory
from proband.study.requests import only
from proband.study.run import run
from proband.words import Sentence, count, counted, level

if TYPE_CHECKING:
    from PIL.Image import Image

SHOWN = 10
"""The largest number of algorithms in the table of the terminal; the report has all of them."""

FIGURE = "cmc"
GALLERY = "kind == 'fa' and session == 1"
_TRAINING_SHARE = 0.5  # training people for each test person
_SHEET_PEOPLE, _SHEET_IMAGES = 8, 6
_ATTACHED = (
    *(f"{FIGURE}.{ending}" for ending in FIGURE_ENDINGS),
    *("faces.png", "data", "data/samples.csv", "data/scores.npz"),
)
_MADE = Sentence("demo.how-it-was-made", "note", "the people are synthetic; recognisers were {trained}")


def run_demo(
    out: Path,
    n_subjects: int,
    seed: int,
    algorithms: Sequence[str],
    command: str,
    threads: int | None,
    progress: Progress,
) -> tuple[Evaluation, Path]:
    """Render a population, score and evaluate every algorithm on it, and return the evaluation and the path of the report."""
    chosen = [recognizer(name) for name in algorithms or names()]
    for one in chosen:
        one.check_installed()
    others = Population(
        n_subjects=max(10, round(_TRAINING_SHARE * n_subjects)), seed=seed, first_subject=n_subjects
    )
    population = Population(n_subjects=n_subjects, seed=seed)
    samples, images, crops = _faces(population, threads, progress)
    training_samples, _, training_crops = _faces(others, threads, progress)
    everyone = Samples(pl.concat([samples.frame, training_samples.frame]))
    acquired = Acquired(Crops.of(np.concatenate([crops, training_crops]), everyone), {})
    experiment = Experiment(samples, gallery=GALLERY)
    sets = Sets(
        training_samples.ids[:],
        tuple(samples.ids[place] for place in experiment.probes),
        tuple(samples.ids[place] for place in experiment.gallery),
    )
    trained_on = sets.check(everyone)
    scores = score(train(chosen, acquired, sets.training, progress), acquired, sets, progress)
    title = f"{counted(len(chosen), 'classical algorithm')} on {counted(n_subjects, 'synthetic person', 'synthetic people')}"
    request = only(
        "identification",
        {},
        title=title,
        comparison=len(chosen) > 1,
        category={"feret": True},
        output={"seed": seed},
    )
    data = in_memory(samples, scores, experiment=experiment)
    found = run(request, data, origin=Origin(command=command), threads=threads, progress=progress)
    found = replace(found, notes=(*found.notes, _MADE(trained=trained_on)))
    evaluation = found["identification"].evaluation

    def attach(directory: Path) -> None:
        """Add the figures, scores and samples, which the next commands read."""
        figure = evaluation_figure(evaluation, title, drawn=_leading(evaluation))
        for ending in FIGURE_ENDINGS:
            save_figure(figure, directory / f"{FIGURE}.{ending}")
        data = directory / "data"
        data.mkdir()
        samples.frame.write_csv(data / "samples.csv")
        write_score_archive(data / "scores.npz", scores)
        _sheet(samples, images).save(directory / "faces.png")

    progress.begin("writing the report", 0)
    return evaluation, write_run(found, out, attach=attach, attached=_ATTACHED)


def leading_table(evaluation: Evaluation) -> Table:
    """Make a table of the leading algorithms at the first rank that fits 80 columns.

    Parameters
    ----------
    evaluation
        An evaluation over one or several sets of probes.

    Returns
    -------
    Table
        The `SHOWN` algorithms with the highest rates over all probes, best first, with the rate for each set
        of probes.
    """
    rank = evaluation.ranks[0]
    first, *others = evaluation.categories
    whole = evaluation.of(first)
    leaders = sorted(whole, key=lambda entry: -entry.curve.at(rank))[:SHOWN]
    facts = whole[0].curve.facts

    def rates(category: str | None, called: str) -> col.ColumnOf[Entry]:
        entries = {entry.algorithm: entry for entry in evaluation.of(category)}
        values = {name: entry.curve.at(rank) for name, entry in entries.items()}
        best = max(values.values())
        n_probes = next(iter(entries.values())).curve.facts.n_probes

        def cell(entry: Entry) -> Cell:
            value = values[entry.algorithm]
            return replace(rate_cell(value), tone="best" if value == best else "plain")

        return col.cell(f"{called}\nn={count(n_probes)}", cell, key=called)

    return col.table_of(
        f"Recognition rate at {whole[0].weighted_rate(rank)}, {counted(facts.n_gallery_subjects, 'person', 'people')} enrolled",
        leaders,
        col.name("algorithm", lambda entry: entry.algorithm),
        rates(first, "all" if others else "rate"),
        col.cell(
            f"{level(evaluation.confidence_level)} interval",
            lambda entry: interval_cell(entry.interval(rank), entry.band.answers),
        ),
        *(rates(category, probes_called(category)) for category in others),
    )


def _leading(evaluation: Evaluation) -> list[str]:
    """The best variant of each family at rank 1, so that the curves in one panel stay legible."""
    best: dict[str, tuple[float, str]] = {}
    for curve in evaluation.curves():
        name = curve.algorithm
        family = family_of(name) or name
        best[family] = max(best.get(family, (-1.0, "")), (curve.at(1), name))
    return [name for _, name in best.values()]


def _faces(
    population: Population, threads: int | None, progress: Progress
) -> tuple[Samples, npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Return the samples of a population, its images, and their crops."""
    samples = Samples(population.columns())
    progress.begin("rendering faces", len(population))
    images = population.render(threads=threads, progress=progress.advance)
    eyes = samples.frame.select(EYE_COLUMNS).to_numpy()
    return samples, images, crop_faces(images, eyes, ids=samples.ids, threads=threads, progress=progress)


def _sheet(samples: Samples, images: npt.NDArray[np.uint8]) -> Image:
    """Return a contact sheet with a row for each person who has images of several sessions."""
    first = pl.Series(np.arange(len(samples)))
    rows = samples.frame.with_columns(place=first).group_by("subject", maintain_order=True).agg("place")
    full = rows.filter(pl.col("place").list.len() >= _SHEET_IMAGES).head(_SHEET_PEOPLE)
    if not full.height:  # in a small population, no one may have that many images
        return contact_sheet(images[: _SHEET_PEOPLE * _SHEET_IMAGES], _SHEET_IMAGES)
    places = full["place"].list.head(_SHEET_IMAGES).explode().to_numpy()
    return contact_sheet(images[places], _SHEET_IMAGES)
