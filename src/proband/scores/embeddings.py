"""Scores computed on demand from embedding vectors, tile by tile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from proband.engine.arguments import asked
from proband.engine.files.files import naming, require_whole
from proband.engine.files.shards import has_read, in_files
from proband.engine.foreign import array_from
from proband.engine.kinds import Axes, shown
from proband.errors import InputError, UsageError, first_few, quoted
from proband.kernels.codes import CHI2, COSINE, INNER, L1, L2
from proband.samples.ids import Ids, Positions
from proband.samples.table import Samples, frozen
from proband.scores.base import (
    WHOLE_NUMBERS,
    MissingPolicy,
    Orientation,
    Scores,
    Values,
    as_slice,
    check_paired,
)
from proband.words import Note, count, counted, given

Rows = Annotated[npt.NDArray[np.floating[Any]], Axes(2)]
Metric = Literal["cosine", "inner", "l2", "l1", "chi2"]
_METRIC_CODES: dict[Metric, int] = {"cosine": COSINE, "inner": INNER, "l2": L2, "l1": L1, "chi2": CHI2}
_SHORTEST, _LONGEST = 1e-140, 1e140  # squares of norms beyond these overflow or underflow float64
_ROWS_AT_ONCE = 1 << 14


class Embeddings(Scores):
    """Embedding vectors, used as the scores of all their pairs.

    The score of a pair is defined as float64 arithmetic on the stored vectors with a fixed order of addition;
    faster ranking methods give exactly the same ranks.

    Parameters
    ----------
    vectors
        One row per sample: an array, a tensor on the CPU, a frame of numbers or a list. A memory map is not copied.
    ids
        The ids of the samples.
    metric
        ``"cosine"`` or ``"inner"`` product (similarities), or a distance: ``"l2"`` (Euclidean), ``"l1"`` (city-block),
        ``"chi2"`` (of histograms: the sum of (x − y)²/(x + y)).
    targets, target_ids
        Vectors and ids of the targets. Without them, queries and targets are the same.

    Examples
    --------
    >>> e = Embeddings([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]], ["a", "b", "c"], metric="cosine")
    >>> e.tile(np.array([0]), np.array([1, 2])).round(3)
    array([[0.   , 0.707]])

    """

    def __init__(
        self,
        vectors: Any,
        ids: Iterable[object],
        *,
        metric: Metric,
        targets: Any = None,
        target_ids: Iterable[object] | None = None,
        name: str = "embeddings",
        notes: tuple[Note, ...] = (),
    ) -> None:
        if metric not in get_args(Metric):
            raise UsageError(f"The metric must be one of {', '.join(get_args(Metric))}; got {metric!r}.")
        if (targets is None) != (target_ids is None):
            raise UsageError("Pass both targets and target_ids, or neither.")
        self.name = name
        self.notes = notes
        self.metric: Metric = metric
        self.orientation: Orientation = "similarity" if metric in ("cosine", "inner") else "distance"
        if isinstance(ids, str):
            raise UsageError(
                f"The ids must be a list, one for each vector; got the text {quoted(ids)}.",
                "pass samples.ids, a column or a list.",
            )
        self.queries = ids if isinstance(ids, Ids) else Ids(ids, "query")
        self.query_vectors = self._checked(vectors, self.queries)
        if targets is None or target_ids is None:
            self.targets, self.target_vectors = self.queries, self.query_vectors
        else:
            self.targets = target_ids if isinstance(target_ids, Ids) else Ids(target_ids, "target")
            self.target_vectors = self._checked(targets, self.targets)
        if self.query_vectors.shape[1] != self.target_vectors.shape[1]:
            raise InputError(
                f"query vectors have {self.query_vectors.shape[1]} components, "
                f"target vectors {self.target_vectors.shape[1]}.",
                source=name,
            )

    @staticmethod
    def read(
        path: str | Path | Sequence[str | Path],
        samples: Samples | None = None,
        *,
        metric: Metric | None = None,
        name: str | None = None,
        missing: MissingPolicy = "error",
        **options: Any,
    ) -> Embeddings:
        """Read embeddings from ``.npy`` (rows as in `samples`) or ``.npz`` (``file.npz::key`` picks one model).

        The metric is required unless the file states it. A directory, a pattern (``"parts/*.npy"``) or a list
        of files is one set of embeddings in several parts.

        Parameters
        ----------
        path
            The file, or several of one model.
        samples
            The table of samples.
        metric
            ``cosine``, ``l2``, …, unless the file states it.
        name
            The name of the model.
        missing
            How ids found in only one of the files are handled: ``error`` or ``drop``.
        options
            Further options of `read_embeddings`.

        Returns
        -------
        Embeddings
            The embeddings.
        """
        from proband.scores.reading import only_model, read_embeddings

        embeddings = only_model(
            asked(read_embeddings, path, samples, metric=metric, missing=missing, **options), path
        )
        if name is not None:
            embeddings.name = name
        return embeddings

    @property
    def dimension(self) -> int:
        """The number of components of a vector."""
        return int(self.query_vectors.shape[1])

    @property
    def is_product(self) -> bool:
        """Whether ranks can be screened by matrix products."""
        return self.metric in ("cosine", "inner", "l2")

    @property
    def metric_code(self) -> int:
        """The integer code of the metric in the kernels."""
        return _METRIC_CODES[self.metric]

    def tile(self, rows: Positions, columns: Positions) -> Values:
        from proband.kernels.vectors import score_tile

        queries, targets = self.query_rows(rows), self.target_rows(columns)
        return score_tile(
            queries,
            targets,
            self.query_norms(queries, rows),
            self.target_norms(targets, columns),
            self.metric_code,
        )

    def each(self, rows: Positions, columns: Positions) -> Values:
        from proband.kernels.vectors import score_pairs

        check_paired(rows, columns)
        (x_rows, left), (y_rows, right) = (np.unique(side, return_inverse=True) for side in (rows, columns))
        x, y = self.query_rows(x_rows), self.target_rows(y_rows)
        norms = self.query_norms(x, x_rows), self.target_norms(y, y_rows)
        return score_pairs(x, y, *norms, self.metric_code, 1.0, left, right)

    def each_cell(self, rows: Positions, columns: Positions) -> None:
        return None

    def query_rows(self, rows: Positions) -> Values:
        """Return query vectors as contiguous float32 or float64.

        Parameters
        ----------
        rows
            Positions of queries.

        Returns
        -------
        numpy.ndarray
            Their vectors.
        """
        return self._read(self.query_vectors, rows)

    def target_rows(self, columns: Positions) -> Values:
        """Return target vectors as contiguous float32 or float64.

        Parameters
        ----------
        columns
            Positions of targets.

        Returns
        -------
        numpy.ndarray
            Their vectors.
        """
        return self._read(self.target_vectors, columns)

    def _read(self, vectors: Any, positions: Positions) -> Values:
        require_whole(vectors)
        # Contiguous rows in memory are not copied. Rows in files are, since a file may be truncated at any time.
        found = vectors[positions if in_files(vectors) else as_slice(positions)]
        has_read(vectors, found.nbytes)
        found = _floats(found)
        found.flags.writeable = False  # copied as well: kernels would be compiled again for other arrays
        return found

    def query_norms(self, vectors: Rows, rows: Positions) -> Values:
        """Return the lengths of query vectors; a cosine needs every one to be positive.

        Parameters
        ----------
        vectors, rows
            Vectors of queries, and their positions.

        Returns
        -------
        numpy.ndarray
            The length of each vector, as used by the metric.
        """
        return self._norms(vectors, rows, self.queries)

    def target_norms(self, vectors: Rows, columns: Positions) -> Values:
        """Return the lengths of target vectors; a cosine needs every one to be positive.

        Parameters
        ----------
        vectors, columns
            Vectors of targets, and their positions.

        Returns
        -------
        numpy.ndarray
            The length of each vector, as used by the metric.
        """
        return self._norms(vectors, columns, self.targets)

    def _norms(self, vectors: Values, positions: Positions, ids: Ids) -> Values:
        from proband.kernels.vectors import norms

        if len(vectors) != len(positions):
            raise UsageError(
                f"{counted(len(vectors), 'vector has', 'vectors have')} {count(len(positions))} positions."
            )
        lengths = norms(vectors)
        outside = (lengths > _LONGEST) | ((lengths < _SHORTEST) & vectors.any(axis=1))
        if outside.any():
            name = ids[int(positions[outside][0])]
            raise InputError(
                f"the vector of {name!r} is too long or too short for float64 arithmetic (its norm must be "
                f"between {given(_SHORTEST)} and {given(_LONGEST)}, or zero).",
                "scale all vectors by the same factor.",
                source=self.name,
            )
        if self.metric == "cosine" and not lengths.all():
            zero = [ids[place] for place in positions[lengths == 0]]
            raise InputError(
                f"{counted(len(zero), 'vector is', 'vectors are')} all zeros, so cosines with "
                f"{'it' if len(zero) == 1 else 'them'} are undefined: {first_few(zero)}.",
                "mark samples without an embedding as failed to acquire.",
                source=self.name,
            )
        return lengths

    def _checked(self, vectors: Any, ids: Ids) -> Values:
        array: Any = vectors
        if isinstance(vectors, str | Path):
            raise UsageError(
                f"Embeddings are made of vectors, got {quoted(vectors)}.",
                f"read the file: read_embeddings({str(vectors)!r}, metric={self.metric!r}).",
            )
        if not in_files(vectors):
            with naming(source=self.name):
                array = array_from(ids.in_order(vectors, "vectors"), "vectors")
        numeric = array.dtype.kind in "fiu" and array.dtype.itemsize <= 8
        if not numeric or array.ndim != 2 or 0 in array.shape:
            got = shown(array if isinstance(array, np.ndarray) and array.ndim else vectors)
            raise InputError(
                f"the vectors must be a matrix of numbers, one row per sample; got {got}.",
                _as_matrix(array),
                source=self.name,
            )
        if len(array) != len(ids):
            raise InputError(
                f"there are {count(len(array))} vectors but {count(len(ids))} ids.",
                "check whether the array is transposed: each row is one sample."
                if array.shape[1] == len(ids)
                else "pass the id of every row.",
                source=self.name,
            )
        for start in range(0, len(array), _ROWS_AT_ONCE):
            block = np.asarray(array[start : start + _ROWS_AT_ONCE])
            has_read(array, block.nbytes)
            if (
                block.dtype.kind in "iu"
                and block.size
                and max(int(block.max()), -int(block.min())) > WHOLE_NUMBERS
            ):
                raise InputError(
                    "whole numbers above 2**53 are not exact as floats.",
                    "rescale them.",
                    source=self.name,
                )
            bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
            if self.metric == "chi2" and not bad.size and (block < 0).any():
                raise InputError(
                    "the chi-square distance is defined for histograms, which must not be negative.",
                    source=self.name,
                )
            if bad.size:
                raise InputError(
                    f"the vector of {ids[start + int(bad[0])]!r} has components that are not finite.",
                    "set the vector of a sample without an embedding to zeros and mark it as failed to acquire.",
                    source=self.name,
                )
        return array if in_files(array) else frozen(array.view())


def _as_matrix(array: npt.NDArray[Any]) -> str:
    """How to make a matrix of numbers of what is none."""
    if array.dtype.kind == "c":
        return "pass real numbers; a complex vector can be its real and its imaginary parts in one row."
    if array.ndim != 2:
        return "pass one row per sample and one column per component."
    return "pass vectors of numbers: vectors.astype(float)." if array.size else "pass at least one vector."


def _floats(block: npt.NDArray[Any]) -> Values:
    wanted = np.float32 if block.dtype.kind == "f" and block.dtype.itemsize <= 4 else np.float64
    made = np.ascontiguousarray(block, dtype=wanted)
    return made if made.flags.aligned else made.copy()
