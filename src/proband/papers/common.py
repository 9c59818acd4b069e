"""What the studies of the papers have in common: score matrices of synthetic people, and findings beside the published ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from proband.algorithms import Acquired, Crops, Sets, crop_faces, recognizer, score, train
from proband.algorithms.pictures.acquire import EYE_COLUMNS
from proband.engine import Progress
from proband.faces import Population
from proband.report.cells import text_cell
from proband.report.table import Column, Table
from proband.results.base import Result
from proband.samples import Samples
from proband.scores import DenseScores
from proband.words import Note


def scores_of(
    tested: Population,
    training: Population,
    algorithms: Sequence[str],
    threads: int | None,
    progress: Progress,
) -> tuple[Samples, list[DenseScores]]:
    """Photograph both populations, train on one, and score all images of the other against one another.

    The table of samples has a column ``day``, the session's number.
    """
    everyone = Samples(
        pl.concat([pl.DataFrame(part.columns()) for part in (tested, training)]).with_columns(
            day=pl.col("session")
        )
    )
    progress.begin("rendering faces", len(tested) + len(training))
    images = np.concatenate(
        [part.render(threads=threads, progress=progress.advance) for part in (tested, training)]
    )
    eyes = everyone.frame.select(EYE_COLUMNS).to_numpy()
    crops = crop_faces(images, eyes, ids=everyone.ids, threads=threads, progress=progress)
    acquired = Acquired(Crops.of(crops, everyone), {})
    names = everyone.ids[:]
    sets = Sets(names[len(tested) :], names[: len(tested)], names[: len(tested)])
    sets.check(everyone)
    models = train([recognizer(name) for name in algorithms], acquired, sets.training, progress)
    return everyone.take(np.arange(len(tested))), score(models, acquired, sets, progress)


_AGREES = {True: "yes", False: "no", None: "–"}


@dataclass(frozen=True)
class Finding(Result):
    """Something the paper reports, known by the code of its note, and what became of it here."""

    paper: Note
    here: Note
    agrees: bool | None


def findings_table(found: Sequence[Finding]) -> Table:
    """What the paper reports beside what was found here, and whether they agree."""
    heads = (Column("the paper", "name"), Column("here"), Column("agrees"))
    rows = (
        (text_cell(str(one.paper)), text_cell(str(one.here)), text_cell(_AGREES[one.agrees])) for one in found
    )
    return Table("", heads, tuple(rows))
