"""Two classical baselines: normalised correlation of pixels, and eigenfaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.algorithms.normalize import Crop
from proband.errors import InputError
from proband.scores import Embeddings

Vectors = npt.NDArray[np.float32]


def correlation(crops: npt.NDArray[np.float32], ids: Sequence[str], crop: Crop | None = None) -> Embeddings:
    """Score by normalised correlation: the cosine of pixels inside the oval, each face at zero mean.

    Parameters
    ----------
    crops
        n × height × width, as `crop_faces` gives them.
    ids
        The samples' ids.
    """
    return Embeddings(_standardised(crops, crop or Crop()), ids, metric="cosine", name="correlation")


@dataclass(frozen=True, eq=False)
class EigenfaceModel:
    """The mean face and the leading principal components of a training set.

    Attributes
    ----------
    mean, components, variances
        The mean of the training vectors, one component a row, and the variance along each.
    """

    mean: Vectors
    components: Vectors
    variances: npt.NDArray[np.float64]
    crop: Crop


def fit_eigenfaces(
    crops: npt.NDArray[np.float32], share: float = 0.4, crop: Crop | None = None
) -> EigenfaceModel:
    """Find the principal components of training faces; keep the leading `share` of them.

    With fewer faces than pixels the components come from the small Gram matrix of the faces.
    """
    crop = crop or Crop()
    if len(crops) < 3:
        raise InputError(f"Eigenfaces need at least 3 training faces, got {len(crops)}.")
    vectors = _standardised(crops, crop).astype(np.float64)
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    values, turned = np.linalg.eigh(centred @ centred.T)
    kept = np.argsort(values)[::-1][: max(1, round(share * (len(crops) - 1)))]
    components = (centred.T @ turned[:, kept]) / np.sqrt(values[kept])
    return EigenfaceModel(
        mean.astype(np.float32), components.T.astype(np.float32), values[kept] / (len(crops) - 1), crop
    )


def eigenfaces(model: EigenfaceModel, crops: npt.NDArray[np.float32], ids: Sequence[str]) -> Embeddings:
    """Score by the cosine of whitened principal components (one of the forms called Mahalanobis)."""
    projected = (_standardised(crops, model.crop) - model.mean) @ model.components.T
    whitened = projected / np.sqrt(model.variances)
    return Embeddings(whitened.astype(np.float32), ids, metric="cosine", name="eigenfaces")


def _standardised(crops: npt.NDArray[np.float32], crop: Crop) -> Vectors:
    """The pixels inside the oval, at zero mean and unit variance."""
    if crops.ndim != 3 or crops.shape[1:] != (crop.height, crop.width):
        raise InputError(
            f"Crops must be n × {crop.height} × {crop.width}, got {' × '.join(map(str, crops.shape))}."
        )
    pixels = crops[:, crop.mask]
    pixels = pixels - pixels.mean(axis=1, keepdims=True)
    spread = pixels.std(axis=1, keepdims=True)
    if not spread.all():
        raise InputError(f"The crop at position {int(np.argmin(spread))} is of one grey value only.")
    standard: Vectors = pixels / spread
    return standard
