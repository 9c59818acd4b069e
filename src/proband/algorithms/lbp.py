"""Local binary patterns: histograms over a grid, compared by chi-square, or by the nearest part of each person (NBNN)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from proband.algorithms.extras import need
from proband.algorithms.pictures.changes import check_stack
from proband.algorithms.pictures.crops import Crops
from proband.algorithms.recognizer import Model, PeopleModel, Recognizer, Training, Vectors
from proband.engine import one_blas_thread, run_blocks
from proband.engine.kinds import Axes
from proband.errors import UsageError
from proband.scores import Embeddings
from proband.words import Note

BINS = 59  # one bin for each uniform pattern of 8 neighbours, and one for all others


@dataclass(frozen=True)
class Grid:
    """Uniform LBP of 8 neighbours (not rotation invariant), histograms over a grid of cells, each adding up to one.

    Examples
    --------
    >>> Grid(rows=4, columns=4, radius=1)
    Grid(rows=4, columns=4, radius=1)
    """

    rows: int = 6
    columns: int = 6
    radius: int = 2

    def __post_init__(self) -> None:
        if min(self.rows, self.columns, self.radius) < 1:
            raise UsageError(
                f"A grid of {self.rows} × {self.columns} cells with radius {self.radius} is not possible."
            )

    @property
    def n_features(self) -> int:
        """The total number of bins."""
        return self.rows * self.columns * BINS

    def histograms(self, crops: Crops) -> npt.NDArray[np.float32]:
        """Return faces × cells × 59 bins.

        Parameters
        ----------
        crops
            Faces, at least as high and wide as the grid has rows and columns.

        Returns
        -------
        numpy.ndarray
            Each histogram adds up to 1.
        """
        need("skimage.feature", "LBP")
        height, width = crops.shape
        if height < self.rows or width < self.columns:
            raise UsageError(
                f"Crops of {height} × {width} cannot be divided into {self.rows} × {self.columns} cells."
            )
        if not len(crops):
            return np.empty((0, self.rows * self.columns, BINS), dtype=np.float32)
        return crops.remember(
            ("histograms", self),
            lambda: np.concatenate(list(run_blocks(_Histograms(self, crops.images), crops.blocks(32)))),
        )

    def of_image(
        self, image: Annotated[npt.NDArray[np.uint8], Axes(2, filled=True)]
    ) -> npt.NDArray[np.float64]:
        """Return cells × 59 bins of one face.

        Parameters
        ----------
        image
            A grey face: height × width, 8 bits per pixel.

        Returns
        -------
        numpy.ndarray
            Each histogram adds up to 1.
        """
        check_stack(image[None])
        (height, width), n_cells = image.shape, self.rows * self.columns
        row = np.arange(height) * self.rows // height
        column = np.arange(width) * self.columns // width
        cell = (row[:, None] * self.columns + column[None, :]).astype(np.intp)
        pattern = need("skimage.feature", "LBP").local_binary_pattern
        codes = pattern(image, 8, self.radius, method="nri_uniform").astype(np.intp)
        counts = np.bincount((cell * BINS + codes).ravel(), minlength=n_cells * BINS)
        return counts.reshape(n_cells, BINS) / np.bincount(cell.ravel(), minlength=n_cells)[:, None]


@dataclass(frozen=True, eq=False)
class _Histograms:
    """The histograms of a block of faces."""

    grid: Grid
    images: npt.NDArray[np.uint8]

    def __call__(self, block: slice) -> npt.NDArray[np.float32]:
        return np.stack([self.grid.of_image(image).astype(np.float32) for image in self.images[block]])


@dataclass(frozen=True, eq=False)
class HistogramModel(Model):
    """Histograms of a grid, compared by the chi-square distance."""

    name: str
    grid: Grid
    training: Training | None = None
    notes: tuple[Note, ...] = ()

    def represent(self, crops: Crops) -> Vectors:
        """Return the histograms of all cells, one after another."""
        return self.grid.histograms(crops).reshape(len(crops), self.grid.n_features)

    def scores(self, query: Crops, target: Crops) -> Embeddings:
        """Score by chi-square, computed on request."""
        return Embeddings(
            self.represent(query),
            query.ids,
            metric="chi2",
            targets=self.represent(target),
            target_ids=target.ids,
            name=self.name,
            notes=self.notes,
        )


@dataclass(frozen=True, eq=False)
class NearestPartsModel(PeopleModel):
    """Naive Bayes nearest neighbour: each part of a face finds its nearest part of a person, and the distances add up."""

    name: str
    grid: Grid
    anywhere: bool
    training: Training | None = None
    notes: tuple[Note, ...] = ()

    def represent(self, crops: Crops) -> Vectors:
        """Return the parts of each face, one after another."""
        return self._parts(crops).reshape(len(crops), self.grid.n_features)

    def class_scores(self, query: Crops, gallery: Crops) -> tuple[npt.NDArray[np.float64], list[str]]:
        """Return minus the sum of squared distances of parts to their nearest parts of each person."""
        people, codes = gallery.classes(self.name)
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(len(people)))
        parts, known = self._parts(query).astype(np.float64), self._parts(gallery)[order].astype(np.float64)
        with one_blas_thread():
            found = list(run_blocks(_NearestParts(parts, known, starts, self.anywhere), query.blocks(16)))
        return -np.concatenate([np.empty((0, len(people))), *found]), people

    def _parts(self, crops: Crops) -> npt.NDArray[np.float32]:
        # Square roots turn the Euclidean distance of histograms into Hellinger's, which gives small bins due weight.
        return np.sqrt(self.grid.histograms(crops))


@dataclass(frozen=True, eq=False)
class _NearestParts:
    """`nearest_parts` of a block of faces."""

    parts: npt.NDArray[np.float64]
    known: npt.NDArray[np.float64]
    starts: npt.NDArray[np.intp]
    anywhere: bool

    def __call__(self, block: slice) -> npt.NDArray[np.float64]:
        return nearest_parts(self.parts[block], self.known, self.starts, self.anywhere)


def nearest_parts(
    parts: npt.NDArray[np.float64],
    known: npt.NDArray[np.float64],
    starts: npt.NDArray[np.intp],
    anywhere: bool,
) -> npt.NDArray[np.float64]:
    """Add up, over the parts of each face, the squared distance to the nearest part of each person.

    Parameters
    ----------
    parts, known
        Faces × parts × features; `known` is ordered by person, and person c begins at ``starts[c]``.
    anywhere
        Compare a part with all parts, not only with the parts at the same position.
    """
    n_parts, n_features = parts.shape[1:]
    out = np.zeros((len(parts), len(starts)))
    if anywhere:
        flat = known.reshape(-1, n_features)
        lengths = np.einsum("ij,ij->i", flat, flat)
        for face, own in enumerate(parts):
            squared = np.einsum("ij,ij->i", own, own)[:, None] + lengths - 2.0 * (own @ flat.T)
            nearest = squared.reshape(n_parts, len(known), n_parts).min(axis=2)
            out[face] = np.minimum.reduceat(nearest, starts, axis=1).sum(axis=0)
        return out
    for part in range(n_parts):
        own, other = parts[:, part], known[:, part]
        squared = (
            np.einsum("ij,ij->i", own, own)[:, None]
            + np.einsum("ij,ij->i", other, other)
            - 2.0 * (own @ other.T)
        )
        out += np.minimum.reduceat(squared, starts, axis=1)
    return out


@dataclass(frozen=True)
class LBP(Recognizer):
    """Local binary patterns with the plain chi-square score; no training.

    Examples
    --------
    >>> LBP(Grid(rows=4, columns=4)).needs_training
    False
    """

    grid: Grid = Grid()
    name: str = "lbp:chi2"
    needs_training: bool = False

    def check_installed(self) -> None:
        """It needs scikit-image."""
        need("skimage.feature", "LBP")

    def fit(self, train: Crops | None) -> HistogramModel:
        """Return the model; training faces are ignored.

        Parameters
        ----------
        train
            Not used; may be None.

        Returns
        -------
        HistogramModel
            It compares histograms of cells.
        """
        return HistogramModel(self.name, self.grid)


@dataclass(frozen=True)
class NBNN(Recognizer):
    """Local binary patterns on 6 × 6 partitions with a naive Bayes nearest neighbour classifier (Mery et al. 2016).

    Parameters
    ----------
    anywhere
        Search the nearest neighbour of a part at any position of a face, as in the original method, not only
        at the same position.

    Examples
    --------
    >>> NBNN(anywhere=False).grid
    Grid(rows=6, columns=6, radius=2)
    """

    grid: Grid = Grid()
    anywhere: bool = True
    name: str = "lbp:nbnn"
    needs_training: bool = False

    def check_installed(self) -> None:
        """It needs scikit-image."""
        need("skimage.feature", "LBP")

    def fit(self, train: Crops | None) -> NearestPartsModel:
        """Return the model; it learns only from the gallery.

        Parameters
        ----------
        train
            Not used; may be None.

        Returns
        -------
        NearestPartsModel
            It compares the parts of a face with those of each person.
        """
        return NearestPartsModel(self.name, self.grid, self.anywhere)
