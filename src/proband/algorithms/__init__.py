"""Baseline recognisers: what a new algorithm must beat, and something to evaluate on the bundled faces."""

from proband.algorithms.baselines import EigenfaceModel, correlation, eigenfaces, fit_eigenfaces
from proband.algorithms.normalize import Crop, crop_faces

__all__ = ["Crop", "EigenfaceModel", "correlation", "crop_faces", "eigenfaces", "fit_eigenfaces"]
