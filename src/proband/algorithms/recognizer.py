"""The interface of a recogniser: it is trained once, represents faces, and scores them against each other."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.algorithms.pictures.crops import Crops
from proband.engine.limits import Count, Positive
from proband.errors import InputError
from proband.scores import DenseScores, Scores
from proband.words import Note, Sentence, count

SCORES_PEOPLE = Sentence(
    "algorithms.scores-people",
    "caution",
    "{algorithm} scores people: all targets of one person have the same score, so ranks should count subjects",
)


_SHORT = 16  # hexadecimal digits of the hash of a single id
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Training:
    """The training set of a model: numbers of images and people, a hash of the sorted ids, and a hash of each id.

    The hashes show whether a given sample was in training without listing the samples.
    """

    n_images: Count
    n_subjects: Count | None
    ids_sha256: str
    id_hashes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "id_hashes", tuple(self.id_hashes))

    def among(self, ids: Iterable[str]) -> list[str]:
        """Return those of `ids` that were in training.

        Parameters
        ----------
        ids
            Ids of samples.

        Returns
        -------
        list of str
            In the order given.
        """
        known = set(self.id_hashes)
        return [name for name in ids if hash_ids([name])[:_SHORT] in known]

    @classmethod
    def on(cls, crops: Crops) -> Training:
        """Describe a training set.

        Parameters
        ----------
        crops
            The training faces.

        Returns
        -------
        Training
            The counts and hashes.
        """
        people = None if crops.subjects is None else len(set(crops.subjects))
        single = tuple(sorted(hash_ids([name])[:_SHORT] for name in crops.ids))
        return cls(len(crops), people, hash_ids(crops.ids), single)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values.

        Returns
        -------
        dict
            The fields by name.
        """
        return asdict(self)


def hash_ids(ids: Sequence[str]) -> str:
    """Hash a set of ids, independent of their order."""
    return hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()


class Model(ABC):
    """A recogniser that is ready to use: trained, or without need of training.

    Attributes
    ----------
    name
        The name, ``family:variant``.
    training
        The training set, or None.
    notes
        Notes for readers of its scores.
    """

    name: str
    training: Training | None
    notes: tuple[Note, ...]

    @abstractmethod
    def represent(self, crops: Crops) -> Vectors:
        """Represent faces as vectors, one row each.

        Parameters
        ----------
        crops
            The faces.

        Returns
        -------
        numpy.ndarray
            Faces × numbers.
        """

    @abstractmethod
    def scores(self, query: Crops, target: Crops) -> Scores:
        """Score every query with every target.

        Parameters
        ----------
        query, target
            The faces to compare; targets may be the queries themselves.

        Returns
        -------
        Scores
            Queries × targets.
        """

    def class_scores(self, query: Crops, gallery: Crops) -> tuple[npt.NDArray[np.float64], list[str]]:
        """Return the closeness of queries to people (larger is closer), and the people; here by their best image.

        Parameters
        ----------
        query
            Faces to recognise.
        gallery
            Faces of known people, with their subjects.

        Returns
        -------
        tuple
            Queries × people as an array, and the names of the people as a list.
        """
        people, codes = gallery.classes(self.name)
        scores = self.scores(query, gallery)
        every, closeness = np.arange(len(gallery)), np.full((len(query), len(people)), -np.inf)
        for block in query.blocks():
            tile = scores.tile(np.arange(block.start, block.stop), every).astype(np.float64)
            if not scores.larger_is_closer:
                tile = -tile
            for person in range(len(people)):
                closeness[block, person] = tile[:, codes == person].max(axis=1)
        return closeness, people


class PeopleModel(Model):
    """A model that compares a face with a person, using all images of that person together.

    Every target has the score of its person, so all mates of a query have the same score.
    """

    @abstractmethod
    def class_scores(self, query: Crops, gallery: Crops) -> tuple[npt.NDArray[np.float64], list[str]]:
        """Return the closeness of queries to people (larger is closer), and the people.

        Parameters
        ----------
        query
            Faces to recognise.
        gallery
            Faces of known people, with their subjects.

        Returns
        -------
        tuple
            Queries × people as an array, and the names of the people as a list.
        """

    def scores(self, query: Crops, target: Crops) -> Scores:
        closeness, people = self.class_scores(query, target)
        codes = target.classes(self.name)[1]
        several = len(people) < len(target)
        return DenseScores(
            closeness[:, codes],
            query.ids,
            target.ids,
            orientation="similarity",
            name=self.name,
            notes=(*self.notes, SCORES_PEOPLE(algorithm=self.name)) if several else self.notes,
        )


class Recognizer(ABC):
    """A recogniser's settings, before training.

    Attributes
    ----------
    name
        The name, ``family:variant``.
    needs_training
        Whether `fit` uses the training faces.
    """

    name: str
    needs_training: bool = True

    @abstractmethod
    def fit(self, train: Crops | None) -> Model:
        """Train; a recogniser that needs no training takes None.

        Parameters
        ----------
        train
            Training faces, or None.

        Returns
        -------
        Model
            The trained model.
        """

    def check_installed(self) -> None:  # noqa: B027 - most need no more than Proband does
        """Raise an error that names the extra to install, if a library that it needs is missing."""

    def required(self, train: Crops | None, least: Positive) -> Crops:
        """Return the training set, or raise an error if it is missing or too small.

        Parameters
        ----------
        train
            Training faces, or None.
        least
            The minimum number of faces.

        Returns
        -------
        Crops
            The training faces.
        """
        if train is None or len(train) < least:
            got = 0 if train is None else len(train)
            raise InputError(f"{self.name} needs at least {count(least)} training faces, got {count(got)}.")
        return train


def same_shape(crops: Crops, shape: tuple[int, int], name: str) -> None:
    """Refuse crops whose size differs from that of the training faces."""
    if crops.shape != shape:
        raise InputError(
            f"{name} was trained on crops of {shape[0]} × {shape[1]}, got {crops.shape[0]} × {crops.shape[1]}."
        )
