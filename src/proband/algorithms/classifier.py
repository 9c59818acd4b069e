"""Recognisers as scikit-learn classifiers: ``fit`` enrols and trains, ``predict`` names people."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from proband.algorithms.extras import need
from proband.algorithms.pictures.crops import Crops
from proband.algorithms.registry import recognizer
from proband.samples import Ids

_Base: Any = need("sklearn.base", "A classifier").BaseEstimator
_Mixin: Any = need("sklearn.base", "A classifier").ClassifierMixin


class RecognizerClassifier(_Mixin, _Base):  # type: ignore[misc]
    """Any recogniser by name; the same labelled faces are its training set and its gallery.

    Parameters
    ----------
    algorithm
        The name of the recogniser, as in `proband.algorithms.recognizer`.
    height, width
        The size of the images, which are flattened, one per row.
    mask
        Whether pixel recognisers keep only the oval of the face.
    """

    def __init__(
        self, algorithm: str = "lbp:nbnn", height: int = 150, width: int = 130, mask: bool = True
    ) -> None:
        self.algorithm = algorithm
        self.height = height
        self.width = width
        self.mask = mask

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> RecognizerClassifier:  # noqa: N803 - scikit-learn's names
        """Train on the faces and use them as the gallery."""
        pixels, labels = need("sklearn.utils.validation", "A classifier").check_X_y(X, y)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.n_features_in_ = pixels.shape[1]
        self.gallery_ = self._crops(pixels, tuple(map(str, codes)))
        self.model_ = recognizer(self.algorithm, mask=self.mask).fit(self.gallery_)
        return self

    def decision_function(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:  # noqa: N803
        """Return the closeness to each class (larger is closer); with two classes, the second minus the first."""
        validation = need("sklearn.utils.validation", "A classifier")
        validation.check_is_fitted(self)
        faces = self._crops(validation.check_array(X), None)
        closeness, people = self.model_.class_scores(faces, self.gallery_)
        ordered: npt.NDArray[np.float64] = closeness[:, np.argsort([int(name) for name in people])]
        # scikit-learn's convention: for two classes one value, positive for the second.
        return ordered[:, 1] - ordered[:, 0] if ordered.shape[1] == 2 else ordered

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:  # noqa: N803
        """Return the closest class of each face."""
        values = self.decision_function(X)
        chosen = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        named: npt.NDArray[Any] = self.classes_[chosen]
        return named

    def _crops(self, pixels: npt.NDArray[Any], subjects: tuple[str, ...] | None) -> Crops:
        if pixels.shape[1] != self.height * self.width:
            raise ValueError(f"{pixels.shape[1]} features do not form {self.height} × {self.width} pixels.")
        images = np.clip(np.rint(pixels), 0, 255).astype(np.uint8).reshape(-1, self.height, self.width)
        return Crops(images, Ids(range(len(images))), subjects)
