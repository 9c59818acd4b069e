"""Eigenfaces, compared in six ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from proband.algorithms.linear import LinearModel
from proband.algorithms.pictures.crops import Crops
from proband.algorithms.pictures.normalize import STANDARD, Photometry
from proband.algorithms.recognizer import Recognizer, Training, Vectors
from proband.errors import InputError, UsageError
from proband.scores import Metric
from proband.words import count, counted

Comparison = Literal["l1", "l2", "angle", "mahalanobis", "whitened-cosine", "whitened-l2"]

# metric, whether coefficients are first scaled to unit length, and the power of the eigenvalue that weights each
_COMPARISONS: dict[Comparison, tuple[Metric, bool, float]] = {
    "l1": ("l1", False, 0.0),
    "l2": ("l2", False, 0.0),
    "angle": ("cosine", False, 0.0),
    "mahalanobis": ("inner", True, -0.25),  # the sum of x̂ŷ/√λ: each side carries λ to the power -1/4
    "whitened-cosine": ("cosine", False, -0.5),
    "whitened-l2": ("l2", False, -0.5),
}
LEADING = 0.4  # the share of components that is kept, as in Beveridge et al. 2001


@dataclass(frozen=True, eq=False)
class Components:
    """The mean face and the leading principal components, one per row, with their variances."""

    mean: Vectors
    directions: Vectors
    variances: npt.NDArray[np.float64]


@dataclass(frozen=True)
class PCA(Recognizer):
    """Project pixels on the leading principal components of training faces, and compare the coefficients.

    Parameters
    ----------
    comparison
        ``l1``, ``l2``, ``angle`` (cosine), or one of three forms called Mahalanobis: ``mahalanobis``, the
        form of the FERET era, the inner product of unit coefficients over the root of each eigenvalue, which
        led in Beveridge et al. 2001; ``whitened-cosine``; ``whitened-l2``, which reverses that paper's order.
    components
        The number of components to keep: a whole number, or a share of the available components.

    Examples
    --------
    >>> PCA(comparison="mahalanobis").name
    'pca:mahalanobis'
    """

    comparison: Comparison = "mahalanobis"
    components: float = LEADING
    photometry: Photometry = STANDARD

    def __post_init__(self) -> None:
        if self.comparison not in get_args(Comparison):
            raise UsageError(
                f"PCA has no comparison {self.comparison!r}.",
                f"choose from {', '.join(get_args(Comparison))}.",
            )
        check_components(self.components)

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"pca:{self.comparison}"

    def fit(self, train: Crops | None) -> LinearModel:
        """Find the components of the training faces.

        Parameters
        ----------
        train
            Training faces, at least three.

        Returns
        -------
        LinearModel
            It projects faces onto the components.
        """
        train = self.required(train, 3)
        found = principal_components(train, self.photometry, self.components)
        metric, unit, power = _COMPARISONS[self.comparison]
        weights = found.variances**power if power else np.empty(0)
        return LinearModel(
            self.name,
            self.photometry,
            train.shape,
            metric,
            unit,
            found.mean,
            found.directions,
            weights,
            Training.on(train),
        )


def check_components(components: float) -> None:
    """Refuse invalid numbers of components."""
    whole = isinstance(components, int | np.integer) or float(components).is_integer()
    if not components > 0 or (not whole and components > 1):
        raise UsageError(
            f"The number of components must be a whole number or a share between 0 and 1, got {components!r}."
        )


def principal_components(train: Crops, photometry: Photometry, components: float = LEADING) -> Components:
    """Find the leading principal components of training faces; computed once per training set.

    With fewer faces than pixels they are computed from the small Gram matrix of the faces, in float64. A
    share below one refers to the available components: one fewer than faces.
    """
    every = train.remember(("components", photometry), lambda: _all_components(train, photometry))
    available = len(every.variances)
    share = components < 1 or (components == 1 and not isinstance(components, int | np.integer))
    kept = max(1, round(components * available)) if share else int(components)
    if kept > available:
        raise InputError(
            f"{counted(kept, 'component was', 'components were')} requested, but {counted(len(train), 'training face provides', 'training faces provide')} only {count(available)}.",
            "train on more faces, or keep fewer components.",
        )
    return Components(every.mean, every.directions[:kept], every.variances[:kept])


def _all_components(train: Crops, photometry: Photometry) -> Components:
    pixels = photometry.pixels(train.images, 0, train.ids).astype(np.float64)
    mean = pixels.mean(axis=0)
    pixels -= mean
    if len(pixels) <= pixels.shape[1]:
        values, turned = np.linalg.eigh(pixels @ pixels.T)
    else:
        values, turned = np.linalg.eigh(pixels.T @ pixels)
    order = np.argsort(values)[::-1][: min(len(pixels) - 1, pixels.shape[1])]
    values, turned = values[order], turned[:, order]
    real = values > values[0] * len(pixels) * np.finfo(np.float64).eps  # repeated faces add no direction
    values, turned = values[real], turned[:, real]
    directions = (pixels.T @ turned / np.sqrt(values)).T if len(pixels) <= pixels.shape[1] else turned.T
    # Row by row, as models keep them, so that all models of these faces share them.
    return Components(
        mean.astype(np.float32), directions.astype(np.float32, order="C"), values / (len(pixels) - 1)
    )
