"""Represent and score 10,000 crops with PCA, against a scikit-learn pipeline."""

from __future__ import annotations

import resource

import numpy as np
from sklearn import decomposition
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from benchmarks.job import Row, best_of
from proband.algorithms import PCA, Crops
from proband.algorithms.pictures.normalize import Photometry, oval
from proband.samples import Ids

CROPS, TRAINING, COMPONENTS = 10_000, 500, 200
HEIGHT, WIDTH = 150, 130


def run() -> list[Row]:
    rng = np.random.default_rng(3)
    images = rng.integers(0, 256, (CROPS, HEIGHT, WIDTH), dtype=np.uint8)
    train = Crops(images[:TRAINING], Ids(range(TRAINING)))
    test = Crops(images, Ids(range(CROPS)))
    photometry = Photometry(equalize=False)
    model = PCA("angle", components=COMPONENTS, photometry=photometry).fit(train)
    model.represent(Crops(images[:4], Ids(range(4))))  # compile first
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ours, scores = best_of(2, lambda: _ours(model, test))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    pipeline = make_pipeline(
        FunctionTransformer(_standardised), decomposition.PCA(COMPONENTS, svd_solver="full")
    )
    pipeline.fit(images[:TRAINING])
    peer, expected = best_of(1, lambda: _sklearn(pipeline, images))
    equal = bool(np.abs(scores - expected).max() < 1e-3)
    job = f"PCA: {CROPS:,} crops represented and scored with 1,000 (memory +{grown:.0f} MB)"
    return [
        Row(job, ours, None, peer, "scikit-learn pipeline", "≥ 1× in bounded memory", peer >= ours, equal)
    ]


def _ours(model, test: Crops) -> np.ndarray:
    every = np.arange(len(test))
    return np.asarray(model.scores(test, test).tile(every, every[:1000]))


def _standardised(images: np.ndarray) -> np.ndarray:
    pixels = images[:, oval(HEIGHT, WIDTH)].astype(np.float32)
    pixels -= pixels.mean(axis=1, keepdims=True)
    return pixels / pixels.std(axis=1, keepdims=True)


def _sklearn(pipeline, images: np.ndarray) -> np.ndarray:
    coefficients = pipeline.transform(images)
    unit = coefficients / np.linalg.norm(coefficients, axis=1, keepdims=True)
    return unit @ unit[:1000].T
