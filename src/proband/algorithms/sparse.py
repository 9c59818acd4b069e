"""Sparse representation: a face is represented by as few gallery images as possible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.algorithms.pictures.crops import Crops, area_means
from proband.algorithms.recognizer import PeopleModel, Recognizer, Training, Vectors
from proband.errors import InputError, UsageError
from proband.kernels.lasso import sparse_codes
from proband.words import Note


@dataclass(frozen=True, eq=False)
class SparseModel(PeopleModel):
    """Small images of unit length, coded by the gallery under an ℓ1 penalty; the score of a person is the residual.

    Attributes
    ----------
    height, width
        The size to which crops are reduced, by area averages.
    penalty
        The ℓ1 penalty λ in min ½|y − Dx|² + λ|x|₁.
    """

    name: str
    height: int
    width: int
    penalty: float
    training: Training | None = None
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        check_sparse(self.height, self.width, self.penalty)

    def represent(self, crops: Crops) -> Vectors:
        """Return the reduced images, each of unit length."""
        small = np.empty((len(crops), self.height * self.width))
        for place, image in enumerate(crops.images):
            small[place] = area_means(image, (self.height, self.width)).ravel()
        lengths = np.linalg.norm(small, axis=1, keepdims=True)
        if not lengths.all():
            raise InputError(
                f"{crops.ids[int(np.argmin(lengths))]!r} is entirely black.", "mark it as failed."
            )
        unit: Vectors = (small / lengths).astype(np.float32)
        return unit

    def codes(
        self, query: Crops, gallery: Crops
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Solve for the sparse codes: queries × gallery, with the vectors of both."""
        faces, atoms = self.represent(query).astype(np.float64), self.represent(gallery).astype(np.float64)
        found, failed = sparse_codes(atoms @ atoms.T, faces @ atoms.T, self.penalty)
        if failed >= 0:
            raise InputError(
                f"The sparse code of {query.ids[failed]!r} did not converge.", "use a larger penalty."
            )
        return found, faces, atoms

    def class_scores(self, query: Crops, gallery: Crops) -> tuple[npt.NDArray[np.float64], list[str]]:
        """Return minus the length of the residual for each person's images."""
        people, owners = gallery.classes(self.name)
        codes, faces, atoms = self.codes(query, gallery)
        left = np.empty((len(query), len(people)))
        for person in range(len(people)):
            own = owners == person
            left[:, person] = np.linalg.norm(faces - codes[:, own] @ atoms[own], axis=1)
        return -left, people


def check_sparse(height: int, width: int, penalty: float) -> None:
    """Refuse invalid sizes and penalties."""
    whole = all(isinstance(side, int) and side >= 1 for side in (height, width))
    if not whole or not isinstance(penalty, int | float) or not 0 < penalty < float("inf"):
        raise UsageError(
            f"SRC needs a penalty above zero and a size of at least 1 × 1, got {penalty!r} and {height!r} × {width!r}."
        )


@dataclass(frozen=True)
class SRC(Recognizer):
    """Sparse representation classifier on images reduced to 22 × 18 pixels (Mery et al. 2016); no training.

    Examples
    --------
    >>> SRC(penalty=0.05)
    SRC(height=22, width=18, penalty=0.05, name='src', needs_training=False)
    """

    height: int = 22
    width: int = 18
    penalty: float = 0.01
    name: str = "src"
    needs_training: bool = False

    def __post_init__(self) -> None:
        check_sparse(self.height, self.width, self.penalty)

    def fit(self, train: Crops | None) -> SparseModel:
        """Return the model; the gallery is its dictionary.

        Parameters
        ----------
        train
            Not used; may be None.

        Returns
        -------
        SparseModel
            It represents a face by faces of the gallery.
        """
        return SparseModel(self.name, self.height, self.width, self.penalty)
