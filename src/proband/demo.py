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
from proband.report.figures.identification import evaluation_figure
from proband.report.figures.style import save_figure
from proband.report.writer import FIGURE_ENDINGS, write_run
from proband.samples import Experiment, Samples
from proband.scores.archive import write_score_archive
from proband.study.definition import Origin
from proband.study.findings import Findings
from proband.study.inputs import in_memory
from proband.study.requests import only
from proband.study.run import run
from proband.words import Sentence, counted

if TYPE_CHECKING:
    from PIL.Image import Image

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
) -> tuple[Findings, Path]:
    """Make, score, measure and compare on the population; return the findings and the path of the report."""
    chosen = [recognizer(name) for name in algorithms or names()]
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
        """Put a figure and what the numbers rest on beside the tables, for the next commands to try."""
        figure = evaluation_figure(evaluation, title, drawn=_leading(evaluation))
        for ending in FIGURE_ENDINGS:
            save_figure(figure, directory / f"{FIGURE}.{ending}")
        data = directory / "data"
        data.mkdir()
        samples.frame.write_csv(data / "samples.csv")
        write_score_archive(data / "scores.npz", scores)
        _sheet(samples, images).save(directory / "faces.png")

    progress.begin("writing the report", 0)
    return found, write_run(found, out, attach=attach, attached=_ATTACHED)


def _leading(evaluation: Evaluation) -> list[str]:
    """The best variant of each family at rank 1: sixteen curves in one panel would say nothing."""
    best: dict[str, tuple[float, str]] = {}
    for curve in evaluation.curves():
        name = curve.algorithm
        family = family_of(name) or name
        best[family] = max(best.get(family, (-1.0, "")), (curve.at(1), name))
    return [name for _, name in best.values()]


def _faces(
    population: Population, threads: int | None, progress: Progress
) -> tuple[Samples, npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """The samples of a population, its images, and their crops."""
    samples = Samples(population.columns())
    progress.begin("rendering faces", len(population))
    images = population.render(threads=threads, progress=progress.advance)
    eyes = samples.frame.select(EYE_COLUMNS).to_numpy()
    return samples, images, crop_faces(images, eyes, ids=samples.ids, threads=threads, progress=progress)


def _sheet(samples: Samples, images: npt.NDArray[np.uint8]) -> Image:
    """A contact sheet: a row for each person who came back, one image after another."""
    first = pl.Series(np.arange(len(samples)))
    rows = samples.frame.with_columns(place=first).group_by("subject", maintain_order=True).agg("place")
    full = rows.filter(pl.col("place").list.len() >= _SHEET_IMAGES).head(_SHEET_PEOPLE)
    if not full.height:  # a small population may have nobody who came back that often
        return contact_sheet(images[: _SHEET_PEOPLE * _SHEET_IMAGES], _SHEET_IMAGES)
    places = full["place"].list.head(_SHEET_IMAGES).explode().to_numpy()
    return contact_sheet(images[places], _SHEET_IMAGES)
