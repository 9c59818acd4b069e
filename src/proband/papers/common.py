"""Common parts of the studies: score matrices of synthetic people, and analyses of data in memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import polars as pl

from proband.algorithms import Acquired, Crops, Sets, crop_faces, recognizer, score, train
from proband.algorithms.pictures.acquire import EYE_COLUMNS
from proband.engine import Progress
from proband.faces import Population
from proband.samples import Samples
from proband.scores import DenseScores
from proband.study.findings import Findings
from proband.study.inputs import Inputs
from proband.study.requests import only
from proband.study.run import run


def scores_of(
    tested: Sequence[tuple[Population, Sequence[str]]],
    training: Population,
    threads: int | None,
    progress: Progress,
) -> list[tuple[Samples, list[DenseScores]]]:
    """Render all populations, train on one, and score all images within each of the others.

    Each population is tested with its own algorithms, each trained once. The tables of samples have a column
    ``day``, the session's number.
    """
    parts = [training, *(population for population, _ in tested)]
    everyone = Samples(
        pl.concat([pl.DataFrame(part.columns()) for part in parts], how="diagonal").with_columns(
            day=pl.col("session")
        )
    )
    progress.begin("rendering faces", sum(map(len, parts)))
    images = np.concatenate([part.render(threads=threads, progress=progress.advance) for part in parts])
    eyes = everyone.frame.select(EYE_COLUMNS).to_numpy()
    crops = crop_faces(images, eyes, ids=everyone.ids, threads=threads, progress=progress)
    acquired = Acquired(Crops.of(crops, everyone), {})
    names, learnt = everyone.ids[:], everyone.ids[: len(training)]
    wanted = list(dict.fromkeys(name for _, algorithms in tested for name in algorithms))
    models = dict(
        zip(wanted, train([recognizer(name) for name in wanted], acquired, learnt, progress), strict=True)
    )
    found = []
    ends = list(accumulate(map(len, parts)))
    for start, end, (_, algorithms) in zip(ends[:-1], ends[1:], tested, strict=True):
        sets = Sets(learnt, names[start:end], names[start:end])
        sets.check(everyone)
        scores = score([models[name] for name in algorithms], acquired, sets, progress)
        found.append((everyone.take(np.arange(start, end)), scores))
    return found


def found_by(
    analysis: str,
    asked: Any,
    data: Inputs,
    *,
    seed: int,
    threads: int | None,
    progress: Progress,
    **rest: Any,
) -> Findings:
    """Return the result of an analysis of data in memory; `rest` contains other sections of the request."""
    request = only(analysis, asked, output={"seed": seed}, **rest)
    return run(request, data, threads=threads, progress=progress)
