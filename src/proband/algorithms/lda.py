"""Fisher's linear discriminants of eigenface coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from proband.algorithms.linear import LinearModel
from proband.algorithms.pca import LEADING, check_components, principal_components
from proband.algorithms.pictures.crops import Crops
from proband.algorithms.pictures.normalize import STANDARD, Photometry
from proband.algorithms.recognizer import Recognizer, Training
from proband.errors import InputError, UsageError
from proband.scores import Metric
from proband.words import count

Comparison = Literal["l1", "l2", "angle", "soft"]
_METRICS: dict[Comparison, Metric] = {"l1": "l1", "l2": "l2", "angle": "cosine", "soft": "l2"}
_NO_SCATTER = 1e-12  # a within-person variance below this share of the total is rounding
_SOFT = 0.2  # soft weighting: squared differences times eigenvalue to this power (Beveridge et al. 2001)


@dataclass(frozen=True)
class LDA(Recognizer):
    """Reduce faces by PCA, then find the directions that separate people best.

    Parameters
    ----------
    comparison
        ``l1``, ``l2``, ``angle``, or ``soft``: L2 with each squared difference weighted by eigenvalue^0.2.
    components
        Principal components kept before LDA, a number or a share. The share of 0.4 matters: with as many
        components as the within-person scatter allows, LDA fits noise and recognises far fewer faces.

    Examples
    --------
    >>> LDA().name
    'lda:angle'
    """

    comparison: Comparison = "angle"
    components: float = LEADING
    photometry: Photometry = STANDARD

    def __post_init__(self) -> None:
        if self.comparison not in get_args(Comparison):
            raise UsageError(
                f"LDA has no comparison {self.comparison!r}.",
                f"choose from {', '.join(get_args(Comparison))}.",
            )
        check_components(self.components)

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"lda:{self.comparison}"

    def fit(self, train: Crops | None) -> LinearModel:
        """Find principal components and discriminants of the training faces.

        Parameters
        ----------
        train
            Training faces with their subjects, at least four.

        Returns
        -------
        LinearModel
            It projects faces onto the discriminants.
        """
        train = self.required(train, 4)
        found = principal_components(train, self.photometry, self.components)
        directions, ratios = train.remember(
            ("discriminants", self.photometry, self.components),
            lambda: self._discriminants(train, found.mean, found.directions),
        )
        return LinearModel(
            self.name,
            self.photometry,
            train.shape,
            _METRICS[self.comparison],
            False,
            found.mean,
            (directions.T @ found.directions.astype(np.float64)).astype(np.float32),
            ratios ** (_SOFT / 2) if self.comparison == "soft" else np.empty(0),
            Training.on(train),
        )

    def _discriminants(
        self, train: Crops, mean: npt.NDArray[np.float32], basis: npt.NDArray[np.float32]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        pixels = self.photometry.pixels(train.images, 0, train.ids).astype(np.float64)
        coefficients = (pixels - mean) @ basis.T.astype(np.float64)
        return discriminants(coefficients, train.classes(self.name)[1])


def discriminants(
    coefficients: npt.NDArray[np.float64], codes: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Solve S_between v = r S_within v; return the directions (one per column) and ratios r, largest first.

    Each direction has unit within-person variance.
    """
    from scipy.linalg import eigh

    n, dimension = coefficients.shape
    sizes = np.bincount(codes)
    if len(sizes) < 2:
        raise InputError("LDA needs training faces of at least two people.")
    if n - len(sizes) < dimension:
        raise InputError(
            f"The scatter within people is singular: {count(n)} training faces of {count(len(sizes))} people leave "
            f"{count(n - len(sizes))} degrees of freedom for {count(dimension)} principal components.",
            "train on more images of each person, or keep fewer components.",
        )
    sums = np.zeros((len(sizes), dimension))
    np.add.at(sums, codes, coefficients)
    means = sums / sizes[:, None]
    within = coefficients - means[codes]
    between = (means - coefficients.mean(axis=0)) * np.sqrt(sizes)[:, None]
    scatter = within.T @ within / (n - len(sizes))
    # Copies of a face leave only rounding errors, which must not be taken for scatter.
    if np.linalg.eigvalsh(scatter)[0] <= _NO_SCATTER * float((coefficients**2).mean()):
        raise InputError(
            "The scatter within people is singular: some training faces are copies of each other.",
            "leave the copies out, or keep fewer components.",
        )
    ratios, directions = eigh(between.T @ between / (len(sizes) - 1), scatter)
    kept = np.argsort(ratios)[::-1][: min(len(sizes) - 1, dimension)]
    return directions[:, kept], np.maximum(ratios[kept], 0.0)
