"""Independent components of faces, in Bartlett's two architectures."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np

from proband.algorithms.extras import need
from proband.algorithms.infomax import Floats, infomax
from proband.algorithms.linear import LinearModel
from proband.algorithms.pca import LEADING, check_components, principal_components
from proband.algorithms.pictures.crops import Crops
from proband.algorithms.pictures.normalize import STANDARD, Photometry
from proband.algorithms.recognizer import Recognizer, Training
from proband.engine import one_blas_thread
from proband.errors import UsageError
from proband.words import Note, Sentence

UNSETTLED = Sentence(
    "algorithms.ica-unsettled", "caution", "FastICA did not converge within {rounds:count iteration}"
)
INFOMAX = Sentence(
    "algorithms.infomax-settled",
    "note",
    "InfoMax converged in {rounds:count iteration} (largest entry of the natural gradient {gradient:small})",
)
INFOMAX_UNSETTLED = Sentence(
    "algorithms.infomax-unsettled",
    "caution",
    "InfoMax did not converge within {rounds:count iteration} (largest entry of the natural gradient {gradient:small})",
)

_SEED = 0
_MOST_ROUNDS = 200


@dataclass(frozen=True)
class ICA(Recognizer):
    """Unmix principal components and compare by the cosine.

    Parameters
    ----------
    architecture
        1: independent *basis images* (pixels are the observations), with unconstrained coefficients. 2: a
        *factorial code* (faces are the observations), with independent coefficients.
    components
        Principal components kept before unmixing, a number or a share.
    method
        ``fastica`` keeps sources uncorrelated, so it rotates white data, which does not change a cosine:
        architecture 1 ranks as ``pca:angle`` does, and 2 as ``pca:whitened-cosine``, up to rounding (for
        standardised pixels). ``infomax`` (Bell and Sejnowski 1995; on faces Bartlett et al. 1998) does not,
        and ranks differently.

    Examples
    --------
    >>> ICA(architecture=1).name
    'ica:1'
    """

    architecture: Literal[1, 2] = 2
    components: float = LEADING
    photometry: Photometry = STANDARD
    method: Literal["fastica", "infomax"] = "fastica"

    def __post_init__(self) -> None:
        if self.architecture not in (1, 2):
            raise UsageError(f"ICA has no architecture {self.architecture!r}; use 1 or 2.")
        if self.method not in ("fastica", "infomax"):
            raise UsageError(f"ICA has no method {self.method!r}; use fastica or infomax.")
        check_components(self.components)

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"ica:{'' if self.method == 'fastica' else 'infomax-'}{self.architecture}"

    def check_installed(self) -> None:
        """FastICA is scikit-learn's."""
        if self.method == "fastica":
            need("sklearn.decomposition", "ICA")

    def fit(self, train: Crops | None) -> LinearModel:
        """Find principal components of the training faces and unmix them.

        Parameters
        ----------
        train
            Training faces, at least four.

        Returns
        -------
        LinearModel
            It projects faces onto the independent components.
        """
        train = self.required(train, 4)
        found = principal_components(train, self.photometry, self.components)
        directions = found.directions.astype(np.float64)
        unmix = _fast_ica if self.method == "fastica" else _infomax
        if self.architecture == 1:
            # The rows of `directions` are mixtures of independent images: D = A U, so faces ≈ (coefficients A) U.
            unmixing, notes = unmix(directions.T)
            basis = np.linalg.inv(unmixing).T @ directions
        else:
            pixels = self.photometry.pixels(train.images, 0, train.ids).astype(np.float64)
            unmixing, notes = unmix((pixels - found.mean) @ directions.T)
            basis = unmixing @ directions
        return LinearModel(
            self.name,
            self.photometry,
            train.shape,
            "cosine",
            False,
            found.mean,
            basis.astype(np.float32),
            np.empty(0),
            Training.on(train),
            notes,
        )


def _infomax(observations: Floats) -> tuple[Floats, tuple[Note, ...]]:
    """Run InfoMax, and return whether it converged."""
    with one_blas_thread():  # sums, and hence the stopping step, must not depend on threads
        found = infomax(observations)
    if found.settled:
        return found.matrix, (INFOMAX(rounds=found.rounds, gradient=found.gradient),)
    return found.matrix, (INFOMAX_UNSETTLED(rounds=found.rounds, gradient=found.gradient),)


def _fast_ica(observations: Floats) -> tuple[Floats, tuple[Note, ...]]:
    """Run FastICA; a run that does not converge gives a note instead of a warning."""
    FastICA = need("sklearn.decomposition", "ICA").FastICA  # noqa: N806 - a class
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        unmixed = FastICA(whiten="unit-variance", random_state=_SEED, max_iter=_MOST_ROUNDS, tol=1e-3).fit(
            observations
        )
    unsettled = need("sklearn.exceptions", "ICA").ConvergenceWarning
    settled = not any(issubclass(warning.category, unsettled) for warning in caught)
    return unmixed.components_, () if settled else (UNSETTLED(rounds=_MOST_ROUNDS),)
