"""Models that project pixels and compare the coefficients: correlation, PCA, LDA and ICA."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.algorithms.pictures.crops import Crops
from proband.algorithms.pictures.normalize import Photometry, oval
from proband.algorithms.recognizer import Model, Training, Vectors, same_shape
from proband.engine import one_blas_thread, run_blocks
from proband.engine.foreign import complete_from
from proband.errors import InputError
from proband.samples import Ids
from proband.scores import Embeddings, Metric
from proband.words import Note


@dataclass(frozen=True, eq=False)
class LinearModel(Model):
    """Pixels minus a mean, projected on a basis, then weighted and compared.

    Attributes
    ----------
    photometry, shape
        How pixels are prepared, and the size of the crops.
    metric
        How weighted coefficients are compared.
    unit
        Whether coefficients are scaled to length one before they are weighted.
    mean, basis
        The mean to subtract, and one direction per row; an empty basis leaves the pixels unchanged.
    weights
        A factor for each coefficient; empty for none.
    """

    name: str
    photometry: Photometry
    shape: tuple[int, int]
    metric: Metric
    unit: bool
    mean: Vectors
    basis: Vectors
    weights: npt.NDArray[np.float64]
    training: Training | None = None
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        # BLAS rounding depends on array layout, so fitted and loaded models must have the same layout.
        for part in ("mean", "basis", "weights"):
            object.__setattr__(self, part, np.asarray(complete_from(getattr(self, part), part), order="C"))
        n_pixels = int(oval(*self.shape).sum()) if self.photometry.mask else self.shape[0] * self.shape[1]
        if self.basis.ndim not in (1, 2) or not all(
            part.dtype.kind == "f" for part in (self.basis, self.mean, self.weights)
        ):
            raise InputError(f"The parts of {self.name} are not arrays of floats.")
        n_coefficients = self.basis.shape[0] if self.basis.size else n_pixels
        fits = not self.basis.size or (
            self.basis.ndim == 2 and self.basis.shape[1] == self.mean.size == n_pixels
        )
        if not fits or self.weights.size not in (0, n_coefficients):
            raise InputError(
                f"The parts of {self.name} do not fit together or do not match crops of {self.shape}."
            )

    def represent(self, crops: Crops) -> Vectors:
        """Return the coefficients of each face before weighting, computed in tiles.

        Parameters
        ----------
        crops
            Faces of the same size as in training.

        Returns
        -------
        numpy.ndarray
            Faces × coefficients.
        """
        same_shape(crops, self.shape, self.name)
        blocks = list(crops.blocks()) or [slice(0, 0)]
        with one_blas_thread():
            return np.concatenate(list(run_blocks(_Projected(self, crops.images, crops.ids), blocks)))

    def scores(self, query: Crops, target: Crops) -> Embeddings:
        """Score by the metric; scores are computed on request.

        Parameters
        ----------
        query, target
            Faces of the same size as in training.

        Returns
        -------
        Embeddings
            The scores of every query with every target.
        """
        queries = self._weighted(self.represent(query))
        if target is query:
            return Embeddings(queries, query.ids, metric=self.metric, name=self.name, notes=self.notes)
        return Embeddings(
            queries,
            query.ids,
            metric=self.metric,
            targets=self._weighted(self.represent(target)),
            target_ids=target.ids,
            name=self.name,
            notes=self.notes,
        )

    def _weighted(self, coefficients: Vectors) -> Vectors:
        weighted = coefficients.astype(np.float64)
        if self.unit:
            weighted /= np.linalg.norm(weighted, axis=1, keepdims=True)
        if self.weights.size:
            weighted *= self.weights
        return weighted.astype(np.float32)


@dataclass(frozen=True, eq=False)
class _Projected:
    """The coefficients of a block of faces."""

    model: LinearModel
    images: npt.NDArray[np.uint8]
    ids: Ids

    def __call__(self, block: slice) -> Vectors:
        pixels = self.model.photometry.pixels(self.images[block], block.start, self.ids)
        if not self.model.basis.size:
            return pixels
        pixels -= self.model.mean
        return pixels @ self.model.basis.T
