"""Run each kind of classifier over many splits of the same samples, computing everything that needs no training once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.algorithms import Crops, Model, PeopleModel, Recognizer
from proband.algorithms.extras import need
from proband.algorithms.lbp import BINS, NearestPartsModel, nearest_parts
from proband.algorithms.sparse import SparseModel
from proband.engine import run_blocks
from proband.engine.files.files import first_line
from proband.errors import DesignError, InputError, ProbandError
from proband.kernels.lasso import sparse_codes, unexplained
from proband.protocols.running.classifiers import Chain, space_and_neighbours
from proband.protocols.running.data import FeatureTable
from proband.protocols.splits.splits import Split
from proband.scores import Scores

Codes = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
_MOST_BYTES = 1 << 30  # of what is kept between all pairs of samples; with more, every split computes its own
_FACES_AT_ONCE = 4


class Learner(ABC):
    """A classifier that can be trained on any subset of the samples and tested on any other."""

    @abstractmethod
    def predict(self, split: Split, seed: int) -> Codes:
        """Train on the training samples of a split; return the class number of each test sample, among the classes of `split.known`."""


def learner(
    name: str, classifier: Any, data: FeatureTable, classes: npt.NDArray[np.str_], codes: Codes
) -> Learner:
    """Make the learner of a classifier, computing everything that does not depend on the split.

    Parameters
    ----------
    classes, codes
        The names of the classes, and the number of each sample's.
    """
    if isinstance(classifier, Chain):
        crops = data.crops(classes[codes], name)
        vectors = classifier.features.fit(_any(crops)).represent(crops).astype(np.float64)
        return _Estimator(name, classifier.estimator, vectors, classes, codes)
    if not isinstance(classifier, Recognizer):
        return _Estimator(name, classifier, data.vectors, classes, codes)
    crops = data.crops(classes[codes], name)
    if classifier.needs_training:
        return _PerSplit(crops, classes, classifier.fit)
    model = classifier.fit(_any(crops))
    n = len(crops)
    if isinstance(model, SparseModel) and 8 * n * n <= _MOST_BYTES:
        return _Sparse.of(model, crops, codes)
    if isinstance(model, NearestPartsModel):
        n_parts = model.grid.n_features // BINS
        if 4 * n * n * n_parts <= _MOST_BYTES:
            return _Parts(_distances_of_parts(model, crops, n_parts), codes)
    if not isinstance(model, PeopleModel) and 8 * n * n <= _MOST_BYTES:
        return _Nearest(_closeness(model, crops), codes)
    return _PerSplit(crops, classes, _Ready(model))


def _any(crops: Crops) -> Crops:
    """One crop, for recognisers that need no training but want to know the size."""
    return crops.take(crops.ids[:1])


@dataclass(frozen=True, eq=False)
class _Estimator(Learner):
    """A scikit-learn estimator, cloned for every split."""

    name: str
    estimator: Any
    vectors: Floats
    classes: npt.NDArray[np.str_]
    codes: Codes

    def predict(self, split: Split, seed: int) -> Codes:
        model = need("sklearn.base", self.name).clone(self.estimator)
        _fix_randomness(model, seed)
        try:
            said = np.asarray(self._named(model, split))
        except ProbandError:
            raise
        except Exception as error:  # whatever an estimator raises over data it cannot use
            raise DesignError(
                f"{self.name} failed in repeat {split.repeat}, fold {split.fold}: {first_line(error)}."
            ) from error
        if said.shape != split.test.shape or not np.isin(said, self.classes).all():
            raise DesignError(f"{self.name} does not predict classes, so it is not a classifier.")
        return np.searchsorted(self.classes, said)

    def _named(self, model: Any, split: Split) -> Any:
        """The class that the model names for each test sample."""
        names = self.classes[self.codes]  # by name, so that settings such as class weights can name classes
        if split.enrolled is None:
            return model.fit(self.vectors[split.train], names[split.train]).predict(self.vectors[split.test])
        space, neighbours = space_and_neighbours(model)
        enrolled, test = self.vectors[split.enrolled], self.vectors[split.test]
        if space is not None:
            space.fit(self.vectors[split.train], names[split.train])
            enrolled, test = space.transform(enrolled), space.transform(test)
        with np.errstate(
            divide="ignore", invalid="ignore"
        ):  # a centroid of one image has no spread, nor needs it
            return neighbours.fit(enrolled, names[split.enrolled]).predict(test)


def _fix_randomness(model: Any, seed: int) -> None:
    """Give every random state that is left open a seed, so that a run can be repeated."""
    names = [name for name, value in model.get_params(deep=True).items() if _is_open(name, value)]
    model.set_params(**dict.fromkeys(names, seed))


def _is_open(name: str, value: Any) -> bool:
    return value is None and name.rpartition("__")[2] == "random_state"


@dataclass(frozen=True, eq=False)
class _PerSplit(Learner):
    """A recogniser that is trained on every split's training samples, which are its gallery unless others are enrolled."""

    crops: Crops
    classes: npt.NDArray[np.str_]
    fit: Callable[[Crops], Model]

    def predict(self, split: Split, seed: int) -> Codes:
        train, known, test = (
            self.crops.take([self.crops.ids[k] for k in part])
            for part in (split.train, split.known, split.test)
        )
        closeness, people = self.fit(train).class_scores(test, known)
        place = np.searchsorted(self.classes, np.array(people))
        order = np.argsort(place)
        return np.asarray(place[order][closeness[:, order].argmax(axis=1)])


@dataclass(frozen=True, eq=False)
class _Ready:
    """A model that no training changes."""

    model: Model

    def __call__(self, train: Crops) -> Model:
        return self.model


@dataclass(frozen=True, eq=False)
class _Nearest(Learner):
    """The class of the closest known sample, by scores that no split changes."""

    closeness: Floats
    codes: Codes

    def predict(self, split: Split, seed: int) -> Codes:
        ordered = _by_class(split.known, self.codes)
        best = self.closeness[np.ix_(split.test, ordered)].argmax(axis=1)
        return np.asarray(self.codes[ordered[best]])


def _closeness(model: Model, crops: Crops) -> Floats:
    return np.concatenate(list(run_blocks(_Close(model.scores(crops, crops)), crops.blocks(32))))


@dataclass(frozen=True, eq=False)
class _Close:
    """How close a block of samples is to all."""

    scores: Scores

    def __call__(self, block: slice) -> Floats:
        every = np.arange(len(self.scores.queries))
        sign = 1.0 if self.scores.larger_is_closer else -1.0
        return sign * self.scores.tile(every[block], every).astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Parts(Learner):
    """Naive Bayes nearest neighbour: how near each part of each face comes to each other face is known beforehand."""

    distances: npt.NDArray[np.float32]  # faces × parts × faces
    codes: Codes

    def predict(self, split: Split, seed: int) -> Codes:
        ordered = _by_class(split.known, self.codes)
        present, starts = np.unique(self.codes[ordered], return_index=True)
        found = np.empty(len(split.test), np.intp)
        for place, face in enumerate(split.test):
            nearest = np.minimum.reduceat(self.distances[face][:, ordered], starts, axis=1)
            found[place] = nearest.sum(axis=0, dtype=np.float64).argmin()
        return np.asarray(present[found])


def _distances_of_parts(model: NearestPartsModel, crops: Crops, n_parts: int) -> npt.NDArray[np.float32]:
    """How far each part of each face is from the nearest part of each other face (at its own place, if that is asked)."""
    n = len(crops)
    parts = model.represent(crops).reshape(n, n_parts, BINS).astype(np.float64)
    out = np.empty((n, n_parts, n), np.float32)
    blocks = list(crops.blocks(_FACES_AT_ONCE))
    for block, found in zip(blocks, run_blocks(_PartsApart(parts, model.anywhere), blocks), strict=True):
        out[block] = found
    return out


@dataclass(frozen=True, eq=False)
class _PartsApart:
    """How far each part of a block of faces is from the nearest part of every face."""

    parts: Floats  # faces × parts × features
    anywhere: bool

    def __call__(self, block: slice) -> npt.NDArray[np.float32]:
        parts, own = self.parts, self.parts[block]
        n, n_parts, n_features = parts.shape
        if self.anywhere:
            # Every part stands for a face of one part, and every face for a person whose parts are all of its own.
            single, whose = parts.reshape(n * n_parts, 1, n_features), np.arange(0, n * n_parts, n_parts)
            found = nearest_parts(own.reshape(-1, 1, n_features), single, whose, anywhere=False)
            return found.reshape(len(own), n_parts, n).astype(np.float32)
        out = np.empty((len(own), n_parts, n), np.float32)
        for place in range(n_parts):
            at = slice(place, place + 1)
            out[:, place] = nearest_parts(own[:, at], parts[:, at], np.arange(n), anywhere=False)
        return out


@dataclass(frozen=True, eq=False)
class _Sparse(Learner):
    """Sparse representation: inner products of all small images are known beforehand."""

    name: str
    gram: Floats
    penalty: float
    codes: Codes

    @classmethod
    def of(cls, model: SparseModel, crops: Crops, codes: Codes) -> _Sparse:
        vectors = model.represent(crops).astype(np.float64)
        return cls(model.name, vectors @ vectors.T, model.penalty, codes)

    def predict(self, split: Split, seed: int) -> Codes:
        gram = self.gram[np.ix_(split.known, split.known)]
        products = self.gram[np.ix_(split.test, split.known)]
        sparse, failed = sparse_codes(gram, products, self.penalty)
        if failed >= 0:
            raise InputError(f"The sparse codes of {self.name} did not converge.", "use a larger penalty.")
        present, owners = np.unique(self.codes[split.known], return_inverse=True)
        squares = np.ascontiguousarray(self.gram[split.test, split.test])
        left = unexplained(gram, products, squares, sparse, owners.astype(np.intp), len(present))
        return np.asarray(present[left.argmin(axis=1)])


def _by_class(known: Codes, codes: Codes) -> Codes:
    return known[np.argsort(codes[known], kind="stable")]
