"""Submitted scores under their original names, once the key has been opened."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.blind.checking.matrices import Laid
from proband.blind.checking.submission import Declaration
from proband.blind.package.key import Key
from proband.kernels.codes import FAILED
from proband.samples import Ids, Positions
from proband.scores import DenseScores, Scores
from proband.scores.base import Cells, Values
from proband.words import Sentence

FAILED_AS_DECLARED = Sentence(
    "blind.failed-as-declared",
    "note",
    "{algorithm} failed on {queries:count query/queries} and {targets:count target}, as it declares",
)


class OpenedScores(Scores):
    """The scores of a submission by original ids, without repeats. Their orientation was checked before opening.

    Parameters
    ----------
    matrix
        The scores, aligned with the lists of the package.
    declared
        What the participant states.
    key
        The key to the package.
    name
        The name of the algorithm.
    """

    may_look_reversed = True

    def __init__(self, matrix: Laid, declared: Declaration, key: Key, name: str) -> None:
        self.name = name
        self.orientation = declared.orientation
        self._dense = DenseScores(
            matrix.values,
            matrix.queries,
            matrix.targets,
            orientation=declared.orientation,
            name=name,
            cells=matrix.cells,
        )
        self._rows, self.queries = _originals(matrix.queries, key, "query")
        self._columns, self.targets = _originals(matrix.targets, key, "target")
        self._failed_rows = matrix.failed_queries[self._rows]
        self._failed_columns = matrix.failed_targets[self._columns]
        failed = int(self._failed_rows.sum()), int(self._failed_columns.sum())
        self.notes = (
            (FAILED_AS_DECLARED(algorithm=name, queries=failed[0], targets=failed[1]),) if any(failed) else ()
        )

    def tile(self, rows: Positions, columns: Positions) -> Values:
        return self._dense.tile(self._rows[rows], self._columns[columns])

    def cells(self, rows: Positions, columns: Positions) -> Cells | None:
        stored = self._dense.cells(self._rows[rows], self._columns[columns])
        return _with_failures(stored, self._failed_rows[rows][:, None] | self._failed_columns[columns])

    def each(self, rows: Positions, columns: Positions) -> Values:
        return self._dense.each(self._rows[rows], self._columns[columns])

    def each_cell(self, rows: Positions, columns: Positions) -> Cells | None:
        stored = self._dense.each_cell(self._rows[rows], self._columns[columns])
        return _with_failures(stored, self._failed_rows[rows] | self._failed_columns[columns])


def _with_failures(stored: Cells | None, failed: npt.NDArray[np.bool_]) -> Cells | None:
    if not failed.any():
        return stored
    cells = np.zeros(failed.shape, dtype=np.uint8) if stored is None else stored.copy()
    cells[failed] = FAILED
    return cells


def _originals(names: Ids, key: Key, role: str) -> tuple[Positions, Ids]:
    """Where those that are no repeats stand, in the order of the list, and their original ids."""
    sole = key.table.filter((pl.col("role") == role) & pl.col("repeat_of").is_null())
    original = dict(zip(sole["name"], sole["sample"], strict=True))
    kept = [place for place, name in enumerate(names) if name in original]
    return np.array(kept, dtype=np.intp), Ids((original[names[place]] for place in kept), role)
