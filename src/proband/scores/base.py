"""Scores of queries with targets, with ids on both axes and an explicit orientation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from proband.engine.arguments import asked
from proband.engine.files.files import naming, require_whole
from proband.engine.files.shards import has_read, in_files, pick
from proband.engine.foreign import array_from
from proband.engine.kinds import JUDGED
from proband.engine.labels import named, refuse_other_names
from proband.errors import Hint, InputError, NeededOptions, ProbandError, Said, UsageError
from proband.kernels.codes import DONT_CARE, FAILED, OK
from proband.samples.ids import Ids, Positions, SubjectIds
from proband.samples.table import Samples, frozen
from proband.words import Note, agreeing, count, counted

Orientation = Literal["similarity", "distance"]
MissingPolicy = Literal["error", "drop"]
Cells = npt.NDArray[np.uint8]
Values = npt.NDArray[Any]

ORIENTATION_HINT = NeededOptions(
    (
        Hint("{option:orientation=similarity}"),
        "or distance, if smaller scores are more similar; Proband does not guess it",
    )
)
DISTANCE_HINT = NeededOptions(
    (
        Hint("{option:orientation=distance}"),
        "or similarity, if larger scores are more similar; Proband does not guess it",
    )
)
Declared = Annotated[Orientation, ORIENTATION_HINT]
WHOLE_NUMBERS = 2**53  # float64 holds every integer up to here
_PAGE = 1 << 12  # bytes read from a file for a single score


def check_orientation_name(orientation: str | None, wrong: type[ProbandError] = UsageError) -> Orientation:
    """Return a valid orientation or raise `wrong`; it is never guessed. Use `InputError` for what a file states."""
    if orientation not in get_args(Orientation):
        got = "none was given" if orientation is None else f"got {orientation!r}"
        raise wrong(
            f"The orientation of the scores must be 'similarity' or 'distance'; {got}.",
            ORIENTATION_HINT,
        )
    return orientation  # type: ignore[return-value]


class Scores(ABC):
    """Scores of every query with every target.

    Create them with `Scores.from_array` or `Scores.read`, or use `Embeddings`, whose scores are computed on demand.

    Attributes
    ----------
    name
        The name of the algorithm, as shown in tables.
    orientation
        ``"similarity"`` (larger is more similar) or ``"distance"`` (smaller is more similar).
    queries, targets
        The ids of rows and columns.
    notes
        Notes for readers of the results, such as what was left out when the scores were read.
    metric
        The metric of embeddings; None for precomputed scores.
    may_look_reversed
        Whether genuine pairs may look worse than impostor pairs, by the user's statement; the orientation check is then skipped.

    """

    name: str
    orientation: Orientation
    queries: Ids
    targets: Ids
    notes: tuple[Note, ...]
    metric: str | None = None
    may_look_reversed: bool = False

    made_by: ClassVar[str] = (
        "Scores.from_array(values, ids, orientation='similarity'), Scores.read(file), or Embeddings(vectors, ids, metric='cosine')"
    )

    def __new__(cls, *args: Any, **named: Any) -> Self:
        """Explain how to create scores if the class itself is called."""
        if cls is Scores:
            raise UsageError("Scores cannot be constructed directly.", f"use {cls.made_by}.")
        return super().__new__(cls)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of queries and of targets."""
        return len(self.queries), len(self.targets)

    @property
    def larger_is_closer(self) -> bool:
        """Whether a larger score means more similar."""
        return self.orientation == "similarity"

    def samples_by_label(self) -> Samples:
        """The table of samples defined by rows and columns that are named by subject (``ids="subjects"``).

        Returns
        -------
        Samples
            A table of the samples on both axes.
        """
        from proband.scores.formats.contents import named_by_subject

        made = named_by_subject(self.queries, self.targets)
        if made is None:
            raise UsageError(
                f"No subject IDs were given for {self.name}.",
                "pass a samples table or an experiment; if rows and columns are named by subject, read the scores with ids='subjects'.",
                source=Said(self.name),
            )
        return made

    @abstractmethod
    def tile(self, rows: Positions, columns: Positions) -> Values:
        """Return the scores of some queries with some targets as contiguous, native, finite floats.

        Parameters
        ----------
        rows, columns
            Positions of queries and of targets.

        Returns
        -------
        numpy.ndarray
            The scores, rows × columns.
        """

    def cells(self, rows: Positions, columns: Positions) -> Cells | None:
        """Return the cell codes of a tile, or None if every cell holds a score.

        Parameters
        ----------
        rows, columns
            Positions of queries and of targets.

        Returns
        -------
        numpy.ndarray or None
            A code for each cell, if not all pairs were compared.
        """
        return None

    def each(self, rows: Positions, columns: Positions) -> Values:
        """Return the scores of single pairs, query ``rows[k]`` with target ``columns[k]``, identical to those of a tile.

        Parameters
        ----------
        rows, columns
            Positions of queries and of targets.

        Returns
        -------
        numpy.ndarray
            The score of each pair.
        """
        single = (self.tile(rows[k : k + 1], columns[k : k + 1]) for k in range(len(rows)))
        return np.array([tile[0, 0] for tile in single])

    def each_cell(self, rows: Positions, columns: Positions) -> Cells | None:
        """Return the cell codes of single pairs, or None if every cell holds a score.

        Parameters
        ----------
        rows, columns
            Positions of queries and of targets.

        Returns
        -------
        numpy.ndarray or None
            A code for each pair, if not all pairs were compared.
        """
        single = [self.cells(rows[k : k + 1], columns[k : k + 1]) for k in range(len(rows))]
        if all(cell is None for cell in single):
            return None
        return np.array([OK if cell is None else cell[0, 0] for cell in single], dtype=np.uint8)

    def __repr__(self) -> str:
        n_query, n_target = self.shape
        return f"{type(self).__name__}({self.name!r}: {counted(n_query, 'query', 'queries')} × {counted(n_target, 'target')}, {self.orientation})"

    @staticmethod
    def from_array(
        values: npt.ArrayLike,
        queries: Iterable[object],
        targets: Iterable[object] | None = None,
        *,
        orientation: Declared,
        name: str = "scores",
        cells: Annotated[Cells, JUDGED] | None = None,
        ids: Literal["samples", "subjects"] = "samples",
    ) -> DenseScores:
        """Wrap an array (or memory map, or tensor) of queries × targets; without `targets` the axes are the same.

        With ``ids="subjects"``, rows and columns are named by subject: a row and a column of the same name
        are different samples of one person. `samples_by_label` then makes the table.

        Parameters
        ----------
        values
            The scores, queries × targets.
        queries, targets
            The ids of rows and of columns; without targets, rows and columns are the same.
        orientation
            ``similarity`` or ``distance``.
        name
            The name of the algorithm.
        cells
            A code for each cell, if not all pairs were compared.
        ids
            Whether rows and columns are named by ``samples`` or by ``subjects``.

        Returns
        -------
        DenseScores
            The scores.
        """
        if ids == "subjects":
            if targets is None:
                targets = queries = tuple(queries)
            queries, targets = SubjectIds(queries, "query"), SubjectIds(targets, "target")
        return DenseScores(values, queries, targets, orientation=orientation, name=name, cells=cells)

    @staticmethod
    def read(
        path: str | Path,
        samples: Samples | None = None,
        *,
        orientation: Declared | None = None,
        name: str | None = None,
        missing: MissingPolicy = "error",
        **options: Any,
    ) -> Scores:
        """Read one score matrix from a file of any known format.

        Parameters
        ----------
        path
            The file; ``file.npz::key`` picks one matrix of an archive.
        samples
            The table that must contain its ids. A plain ``.npy`` without ids must be square, with a row and a
            column for each sample of this table.
        orientation
            ``"similarity"`` or ``"distance"``. Required unless the file states it.
        name
            The name of the algorithm. Default: the name of the file.
        missing
            What to do with ids that are not in `samples`: ``"error"``, or ``"drop"`` (left out and counted).
        options
            Further options of `read_scores`.

        Returns
        -------
        Scores
            The scores.
        """
        from proband.scores.reading import read_scores

        found = asked(read_scores, path, samples, orientation=orientation, missing=missing, **options)
        if len(found) != 1:
            raise InputError(
                f"{Path(path).name} contains {len(found)} score matrices: {', '.join(found)}.",
                Hint(
                    "select one: {option:array}, or read all with read_scores.",
                    file=path,
                    key=next(iter(found)),
                ),
                file=Said(Path(path).name),
            )
        scores = next(iter(found.values()))
        if name is not None:
            scores.name = name
        return scores


class DenseScores(Scores):
    """Scores in an array or a memory-mapped file.

    Parameters
    ----------
    values
        Queries × targets. Memory-mapped files are read only when tiles are requested.
    queries, targets
        Ids of rows and columns; without `targets`, the same on both axes.
    orientation
        ``"similarity"`` or ``"distance"``.
    cells
        Optional codes: 0 compared, 1 don't care (counts neither as mate nor as non-mate), 2 the comparison failed.
        The values of cells with a code other than 0 are ignored and may be NaN.

    Examples
    --------
    >>> scores = Scores.from_array([[0.9, 0.1], [0.3, 0.8]], ["p1", "p2"], ["g1", "g2"], orientation="similarity")
    >>> scores.tile(np.array([1]), np.array([0, 1]))
    array([[0.3, 0.8]])

    """

    def __init__(
        self,
        values: npt.ArrayLike,
        queries: Iterable[object],
        targets: Iterable[object] | None = None,
        *,
        orientation: Orientation,
        name: str = "scores",
        cells: Annotated[Cells, JUDGED] | None = None,
        notes: tuple[Note, ...] = (),
    ) -> None:
        self.name = name
        self.notes = notes
        self.orientation = check_orientation_name(orientation)
        self.queries = queries if isinstance(queries, Ids) else Ids(queries, "query")
        if targets is None:
            self.targets = self.queries
        else:
            self.targets = targets if isinstance(targets, Ids) else Ids(targets, "target")
        array: Any = self._by_ids(values, "scores")
        if array.dtype.kind not in "fiub":
            raise InputError(
                f"Scores must be numbers; {name} has the type {array.dtype}.",
                None if array.dtype.kind == "c" else "convert them: values.astype(float).",
                source=Said(name),
            )
        if array.dtype.itemsize > 8:
            raise InputError(f"Scores of type {array.dtype} are not supported.", "use float64 or smaller.")
        codes: Any = None if cells is None else self._by_ids(cells, "cell codes")
        shapes = {"scores": array.shape} | ({} if codes is None else {"cell codes": codes.shape})
        for what, got in shapes.items():
            if got != self.shape:
                raise InputError(
                    f"the {what} are {' × '.join(map(str, got)) or 'one value'}, but there are {self.shape[0]} query ids "
                    f"and {self.shape[1]} target ids.",
                    "check whether the matrix is transposed: rows are queries, columns are targets."
                    if got == self.shape[::-1]
                    else "pass a matrix, queries × targets, with the id of every row, and of every column if they differ from the rows.",
                    source=name,
                )
        if codes is not None and not in_files(codes) and not np.isin(codes, (OK, DONT_CARE, FAILED)).all():
            raise InputError("cell codes must be 0 (compared), 1 (don't care) or 2 (failed).", source=name)
        self._values: Any = array
        self._cells: Any = codes
        if codes is not None and not in_files(codes):
            self._cells = frozen(np.ascontiguousarray(codes, dtype=np.uint8))
        self._known_finite = False
        if not in_files(array):
            self._values = frozen(array.view())
            if array.dtype.kind in "iu":
                self._finite(array, np.arange(array.shape[0]), np.arange(array.shape[1]))
            ends = (array.min(), array.max()) if array.size else ()  # NaN if any value is NaN or infinite
            self._known_finite = bool(np.isfinite(ends).all())

    def _by_ids(self, data: Any, what: str) -> Any:
        """Return an array in the order of the ids, if its rows and columns are labelled."""
        if in_files(data):
            return data
        with naming(source=self.name):
            columns = named(data, self.targets.written, what, axis=1)
            if columns is None:
                refuse_other_names(data, self.targets.written, what, axis=1)
            return array_from(self.queries.in_order(data if columns is None else columns, what), what)

    @property
    def values(self) -> Values:
        """The whole array, as stored."""
        values: Values = self._values
        return values

    @property
    def cell_codes(self) -> Cells | None:
        """The codes of all cells, or None if every cell holds a score."""
        return None if self._cells is None else np.asarray(self._cells)

    def tile(self, rows: Positions, columns: Positions) -> Values:
        require_whole(self._values)
        has_read(self._values, len(rows) * self._values.shape[1] * self._values.dtype.itemsize)
        block = _take(self._values, rows, columns)
        if self._cells is not None:
            block = np.where(self.cells(rows, columns) == OK, block, block.dtype.type(0))
        return _native(self._finite(block, rows, columns))

    def cells(self, rows: Positions, columns: Positions) -> Cells | None:
        if self._cells is None:
            return None
        require_whole(self._cells)
        has_read(self._cells, len(rows) * self.shape[1])
        return np.ascontiguousarray(_take(self._cells, rows, columns))

    def each(self, rows: Positions, columns: Positions) -> Values:
        check_paired(rows, columns)
        require_whole(self._values)
        found = pick(self._values, rows, columns)
        if self._cells is not None:
            found = np.where(self.each_cell(rows, columns) == OK, found, found.dtype.type(0))
        has_read(self._values, len(rows) * _PAGE)
        return _native(self._finite(found, rows, columns))

    def each_cell(self, rows: Positions, columns: Positions) -> Cells | None:
        if self._cells is None:
            return None
        check_paired(rows, columns)
        require_whole(self._cells)
        has_read(self._cells, len(rows) * _PAGE)
        return np.asarray(pick(self._cells, rows, columns), dtype=np.uint8)

    def _finite(self, block: Values, rows: Positions, columns: Positions) -> Values:
        """Scores of a tile or of single pairs, all finite; scores of samples with themselves are ignored and may be anything."""
        if self._known_finite:
            return block
        if block.dtype.kind != "f":
            if (
                block.dtype.itemsize == 8
                and block.size
                and max(int(block.max()), -int(block.min())) > WHOLE_NUMBERS
            ):
                raise InputError(
                    "whole numbers above 2**53 are not exact as floats.",
                    "rescale them.",
                    source=self.name,
                )
            return block
        finite = np.isfinite(block)
        if finite.all():
            return block
        place = self.queries.positions_in(self.targets)[rows]
        itself = (place[:, None] if block.ndim == 2 else place) == columns
        bad = np.argwhere(~(finite | itself))
        if not len(bad):
            return np.where(finite, block, block.dtype.type(0))
        row, column = bad[0][0], bad[0][-1]
        raise InputError(
            f"{counted(len(bad), 'score')} of {count(block.size)} checked {agreeing(len(bad))} not finite; the first is "
            f"{block[tuple(bad[0])]} for query {self.queries[rows[row]]!r} and target {self.targets[columns[column]]!r}.",
            "scores must be finite: mark failed comparisons with 2, by cells=… in Python or an array 'cells' in an .npz, or leave those "
            "samples out.",
            source=self.name,
        )


def check_paired(rows: Positions, columns: Positions) -> None:
    """Refuse positions of different lengths, with which compiled code would read past the end."""
    if len(rows) != len(columns):
        raise UsageError(
            f"Expected one row and one column for each pair; got {count(len(rows))} and {count(len(columns))}."
        )


def _take(array: npt.NDArray[Any], rows: Positions, columns: Positions) -> npt.NDArray[Any]:
    """Take rows and columns of a 2-D array, by slices if they are contiguous (one read of a memory map)."""
    block = array[as_slice(rows)]
    return block[:, as_slice(columns)]


def as_slice(positions: Positions) -> Positions | slice:
    """Return positions as a slice if they are contiguous."""
    if (
        len(positions)
        and positions[-1] - positions[0] == len(positions) - 1
        and np.all(np.diff(positions) == 1)
    ):
        return slice(int(positions[0]), int(positions[-1]) + 1)
    return positions


def _native(block: npt.NDArray[Any]) -> Values:
    """Convert to contiguous floats in native byte order; half precision and integers are widened without loss."""
    if block.dtype.kind == "f":
        wanted = np.float64 if block.dtype.itemsize == 8 else np.float32
    else:
        wanted = np.float64
    return np.ascontiguousarray(block, dtype=wanted)
