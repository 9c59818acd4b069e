"""The demonstration: a synthetic population, two algorithms, one report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from proband.algorithms import correlation, crop_faces, eigenfaces, fit_eigenfaces
from proband.engine import Progress
from proband.faces import Population, contact_sheet
from proband.measures import Evaluation, evaluate
from proband.report.directory import write_evaluation
from proband.samples import Experiment, Samples, feret_categories
from proband.samples.npz import write_archive
from proband.scores import DenseScores, Embeddings

GALLERY = "kind == 'fa' and session == 1"
_TRAINING_SHARE = 0.5  # training people for each test person
_SHEET_PEOPLE, _SHEET_IMAGES = 8, 6


def run_demo(
    out: Path, n_subjects: int, seed: int, threads: int | None, progress: Progress
) -> tuple[Evaluation, Path]:
    """Make, score and measure the population; return the evaluation and the path of its report."""
    population = Population(n_subjects=n_subjects, seed=seed)
    others = Population(
        n_subjects=max(10, round(_TRAINING_SHARE * n_subjects)), seed=seed, first_subject=n_subjects
    )
    samples = Samples(population.columns())
    images = _render(population, "rendering faces", threads, progress)
    crops = crop_faces(images, _eyes(population), ids=list(samples.ids), threads=threads, progress=progress)
    training = crop_faces(
        _render(others, "rendering training faces", threads, progress),
        _eyes(others),
        threads=threads,
        progress=progress,
    )
    algorithms = (
        correlation(crops, samples.ids),
        eigenfaces(fit_eigenfaces(training), crops, samples.ids),
    )
    scores = [_dense(one) for one in algorithms]
    evaluation = evaluate(
        scores,
        Experiment(samples, gallery=GALLERY),
        categories=feret_categories(),
        threads=threads,
        progress=progress,
    )

    def attach(directory: Path) -> None:
        """Put what the numbers rest on beside them, for the next commands to try."""
        data = directory / "data"
        data.mkdir()
        samples.frame.write_csv(data / "samples.csv")
        ids = np.array(samples.ids[:])
        arrays: dict[str, Any] = {one.name: one.values for one in scores}
        arrays |= {"query_ids": ids, "target_ids": ids, "orientation": np.array("similarity")}
        write_archive(data / "scores.npz", arrays)
        _sheet(samples, images).save(directory / "faces.png")

    title = f"Two classical algorithms on {n_subjects} synthetic people"
    extra = (
        "![Some of the faces](faces.png)",
        f"Eigenfaces were trained on {others.n_subjects} other people. Nobody shown exists. "
        "The scores and samples are in `data/`.",
    )
    return evaluation, write_evaluation(evaluation, out, title, extra, attach)


def _render(population: Population, what: str, threads: int | None, progress: Progress) -> np.ndarray:
    progress.begin(what, len(population))
    return population.render(threads=threads, progress=progress.advance)


def _eyes(population: Population) -> np.ndarray:
    columns = population.columns()
    return np.column_stack(
        [columns[name] for name in ("left_eye_x", "left_eye_y", "right_eye_x", "right_eye_y")]
    )


def _dense(embeddings: Embeddings) -> DenseScores:
    everything = np.arange(len(embeddings.queries))
    values = embeddings.tile(everything, everything).astype(np.float32)
    return DenseScores(values, embeddings.queries, orientation=embeddings.orientation, name=embeddings.name)


def _sheet(samples: Samples, images: np.ndarray):  # type: ignore[no-untyped-def]
    """A contact sheet: a row for each person who came back, one image after another."""
    first = pl.Series(np.arange(len(samples)))
    rows = samples.frame.with_columns(place=first).group_by("subject", maintain_order=True).agg("place")
    full = rows.filter(pl.col("place").list.len() >= _SHEET_IMAGES).head(_SHEET_PEOPLE)
    places = full["place"].list.head(_SHEET_IMAGES).explode().to_numpy()
    return contact_sheet(images[places], _SHEET_IMAGES)
