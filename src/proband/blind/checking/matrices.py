"""Matrices of scores as submitted, and aligned with the lists of a package."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from proband.engine import Progress
from proband.engine.files.files import require_whole
from proband.errors import Hint, InputError, ProbandError, Said, first_few
from proband.kernels.codes import DONT_CARE, FAILED
from proband.samples import Ids
from proband.scores.base import Cells, Orientation, Values
from proband.scores.formats import ReadOptions, ScoreFile, read_file
from proband.words import counted, digits

Mask = npt.NDArray[np.bool_]
Rows = slice | npt.NDArray[np.intp]
_NUMBERED = ("query:1", "target:1")  # how a format without ids names its first row and column


@dataclass(frozen=True, eq=False)
class SubmittedMatrix:
    """A matrix as submitted: only its form has been checked.

    Attributes
    ----------
    name
        The file.
    values
        Queries × targets; memory-mapped where the format allows.
    queries, targets
        The ids in the file; None if there are none.
    cells
        Codes of cells without a score, if the file has any.
    """

    name: str
    values: Values
    queries: Ids | None
    targets: Ids | None
    cells: Cells | None

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        rows, columns = self.values.shape
        return int(rows), int(columns)

    def laid_over(self, queries: tuple[str, ...], targets: tuple[str, ...], failed: tuple[str, ...]) -> Laid:
        """Take the ids of both axes from the package, and mark the images that failed."""
        names = set(failed)
        rows, columns = (
            np.fromiter((name in names for name in axis), dtype=np.bool_, count=len(axis))
            for axis in (queries, targets)
        )
        return Laid(
            self.name, self.values, self.cells, Ids(queries, "query"), Ids(targets, "target"), rows, columns
        )


@dataclass(frozen=True, eq=False)
class Laid:
    """A matrix whose rows are the queries and whose columns are the targets of a package.

    Attributes
    ----------
    name, values, cells
        As in `SubmittedMatrix`.
    queries, targets
        The package's random ids.
    failed_queries, failed_targets
        The images that could not be processed: their comparisons count as failed.
    """

    name: str
    values: Values
    cells: Cells | None
    queries: Ids
    targets: Ids
    failed_queries: Mask
    failed_targets: Mask

    @property
    def shape(self) -> tuple[int, int]:
        """The number of queries and of targets."""
        return len(self.queries), len(self.targets)

    def failures(self, rows: Rows) -> Mask | None:
        """Return which cells of some rows failed: cells marked as failed, and cells of failed images; None if there are none."""
        own = self.failed_queries[rows]
        if self.cells is None and not own.any() and not self.failed_targets.any():
            return None
        failed: Mask = own[:, None] | self.failed_targets
        return failed if self.cells is None else failed | (self.cells[rows] == FAILED)

    def floats(self, rows: Rows) -> Values:
        """Return the scores of some rows, NaN for failed comparisons."""
        require_whole(self.values)
        stored = self.values.dtype
        short = stored.kind == "f" and stored.itemsize <= 4
        block = np.array(self.values[rows], dtype=np.float32 if short else np.float64)
        failed = self.failures(rows)
        if failed is not None:
            block[failed] = np.nan
        return block


def read_matrix(path: Path, orientation: Orientation, progress: Progress) -> SubmittedMatrix:
    """Read the only matrix of a file, and check that it agrees with the declaration."""
    try:
        file = read_file(path, ReadOptions(progress=progress)).as_matrix()
    except ProbandError as error:
        # What was handed in is at fault; options that would say how to read it are none of a blind test's.
        option = error.cure is None or isinstance(error.cure, Hint)
        cure = "submit a plain matrix of numbers, as .npy or .csv." if option else error.cure
        raise InputError(error.fault, cure, source=error.source, file=error.file) from None
    if len(file.matrices) != 1:
        raise InputError(
            f"{path.name} contains {len(file.matrices)} matrices ({first_few(list(file.matrices))}), expected one.",
            "submit each algorithm in a separate directory.",
            file=Said(path.name),
        )
    (values,) = file.matrices.values()
    if values.ndim != 2 or values.dtype.kind not in "fiub" or values.dtype.itemsize > 8:
        raise InputError(
            f"{path.name} is not a matrix of numbers: got {values.dtype} with {values.ndim} axes.",
            file=Said(path.name),
        )
    if file.orientation not in (None, orientation):
        raise InputError(
            f"{path.name} states that its scores are a {file.orientation}, but the declaration states {orientation}.",
            "make the two agree.",
            file=Said(path.name),
        )
    _refuse_gaps(path.name, file)
    queries, targets = (
        None if ids is not None and ids[0] in _NUMBERED else ids for ids in (file.queries, file.targets)
    )
    return SubmittedMatrix(
        path.name, values, queries, targets, None if file.cells is None else np.asarray(file.cells)
    )


def _refuse_gaps(name: str, file: ScoreFile) -> None:
    """Refuse pairs left out: a participant who could leave out hard pairs would choose the test."""
    if file.cells is None:
        return
    cells = np.asarray(file.cells)
    row, column = np.unravel_index(int(np.argmax(cells == DONT_CARE)), cells.shape)
    if cells[row, column] != DONT_CARE:
        return
    query = row if file.queries is None else repr(file.queries[int(row)])
    target = column if file.targets is None else repr(file.targets[int(column)])
    raise InputError(
        f"{counted(int((cells == DONT_CARE).sum()), 'pair has', 'pairs have')} no score; the first is query {query} and target "
        f"{target}.",
        "compare every query with every target, and mark failed comparisons as failed (2).",
        file=name,
    )


def shown(score: float) -> str:
    """Return a score as shown in messages."""
    return "nothing (a failure)" if np.isnan(score) else digits(score, 7)
