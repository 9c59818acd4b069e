"""Normalised correlation, a FERET baseline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.algorithms.linear import LinearModel
from proband.algorithms.pictures.crops import Crops
from proband.algorithms.pictures.normalize import Photometry
from proband.algorithms.recognizer import Recognizer
from proband.engine.limits import Positive
from proband.errors import InputError

PLAIN = Photometry(equalize=False)
_NOTHING = np.empty(0, dtype=np.float32)


@dataclass(frozen=True)
class Correlation(Recognizer):
    """The cosine of standardised pixels inside the oval: no equalisation, no projection, no training.

    Examples
    --------
    >>> Correlation().needs_training
    False
    """

    photometry: Photometry = PLAIN
    height: Positive = 150
    width: Positive = 130
    name: str = "correlation"
    needs_training: bool = False

    def fit(self, train: Crops | None) -> LinearModel:
        """Return the model; training faces, if given, only set the size of the crops.

        Parameters
        ----------
        train
            Training faces, or None.

        Returns
        -------
        LinearModel
            It compares whole crops.
        """
        shape = (self.height, self.width) if train is None else train.shape
        if min(shape) < 2:
            raise InputError(f"Crops of {shape[0]} × {shape[1]} are too small to correlate.")
        return LinearModel(
            self.name,
            self.photometry,
            shape,
            "cosine",
            False,
            _NOTHING,
            _NOTHING,
            _NOTHING.astype(np.float64),
        )
