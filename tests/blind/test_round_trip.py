"""Synthetic faces, two recognisers, a blind test and back: the numbers are those of a direct evaluation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from proband.algorithms import (
    Acquired,
    Crops,
    Model,
    Pictures,
    Sets,
    crop_faces,
    read_picture,
    recognizer,
    score,
    train,
)
from proband.algorithms.pictures.acquire import EYE_COLUMNS
from proband.blind import BlindTest, Key, Package
from proband.blind.checking.submission import Submission
from proband.blind.scoring import AnsweredTest, blind_study, open_tests
from proband.faces import Population
from proband.inference import evaluate
from proband.samples import Samples, feret_categories
from proband.scores import DenseScores, experiment_over

ALGORITHMS = ("correlation", "pca:l2")


def scored(
    models: Sequence[Model],
    images: np.ndarray,
    samples: Samples,
    queries: Sequence[str],
    targets: Sequence[str],
) -> list[DenseScores]:
    crops = crop_faces(images, samples.frame.select(EYE_COLUMNS).to_numpy(), ids=samples.ids)
    return score(models, Acquired(Crops.of(crops, samples), {}), Sets((), tuple(queries), tuple(targets)))


@pytest.fixture(scope="module")
def models() -> list[Model]:
    others = Population(n_subjects=10, seed=1, first_subject=100, height=96, width=80)
    samples = Samples(others.columns())
    crops = crop_faces(others.render(), samples.frame.select(EYE_COLUMNS).to_numpy(), ids=samples.ids)
    return train(
        [recognizer(name) for name in ALGORITHMS], Acquired(Crops.of(crops, samples), {}), samples.ids[:]
    )


def participate(package: Package, models: Sequence[Model], where: Path) -> list[Path]:
    """Score a package as a participant does: from its pictures, its lists and nothing else."""
    parts: dict[str, list[DenseScores]] = {}
    for part, prefix in (("scores", ""), ("control", "control_")):
        lists = [pl.read_csv(package.path / f"{prefix}{name}.csv") for name in ("queries", "targets")]
        every = pl.concat(lists)
        samples = Samples(every.with_columns(subject=pl.col("id")))
        images = np.stack([read_picture(package.path / "images" / f"{name}.png") for name in samples.ids])
        parts[part] = scored(models, images, samples, *(table["id"].to_list() for table in lists))
    paths = []
    for place, model in enumerate(models):
        path = where / f"answer-{place}"
        path.mkdir()
        for part, found in parts.items():
            np.save(path / f"{part}.npy", found[place].values)
        form = (package.path / "submission.toml").read_text()
        form = form.replace('algorithm = ""', f'algorithm = "{model.name}"')
        (path / "submission.toml").write_text(form.replace('orientation = ""', 'orientation = "similarity"'))
        paths.append(path)
    return paths


@pytest.mark.long
def test_blind_and_direct_evaluation_agree(models: list[Model], tmp_path: Path) -> None:
    population = Population(n_subjects=16, seed=1, height=96, width=80)
    samples = Samples(population.columns())
    images = population.render()
    target, query = "kind == 'fa' and session == 1", "all"
    test = BlindTest(
        samples,
        target,
        query,
        Pictures(lambda name: images[samples.ids.place(name)]),
        versions=("partially automatic",),
        control=4,
    )
    made = test.make(tmp_path / "test", tmp_path / "test.key")
    package, key = Package.read(made.packages[0].path), Key.read(made.keys[0])
    paths = participate(package, models, tmp_path)
    opened = open_tests([AnsweredTest(key, package, tuple(map(Submission.read, paths)))])
    study = blind_study(opened, categories=feret_categories())

    enrolled = [samples.ids[place] for place in samples.select(target).positions]
    direct = scored(models, images, samples, samples.ids, enrolled)
    experiment = experiment_over(direct, samples, gallery=target)
    expected = evaluate(direct, experiment, categories=feret_categories()).to_dict()["results"]
    found = study.to_dict()["evaluation"]["results"]
    assert [one["algorithm"] for one in found[:2]] == [model.name for model in models]
    assert len(found) == len(expected) >= 4
    for got, wanted in zip(found, expected, strict=True):
        for part in ("category", "algorithm", "estimates", "cmc", "cmc_low"):
            assert json.dumps(got[part]) == json.dumps(wanted[part]), (got["category"], part)
