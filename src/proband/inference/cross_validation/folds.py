"""Accuracies on folds: their checks, the variance of their mean, and what must be said of them."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.errors import InputError, UsageError
from proband.words import Note, Sentence, Target, count, digits

Floats = npt.NDArray[np.float64]
Sizes = float | npt.NDArray[np.number[Any]]

FEWEST_SUBJECTS = 40
"""From this many subjects on, intervals and tests were found to keep their word; below, none is claimed to."""
ALIKE = 1e-12  # values that differ by less are equal: sums in another order differ by rounding

_MIXED = Sentence(
    "folds.mixed",
    "caution",
    "mixed splits: test subjects may also be in the training data, so results do not apply to new subjects",
)
_UNKNOWN_PEOPLE = Sentence(
    "folds.subjects-not-said",
    "caution",
    "the number of subjects is unknown, so coverage and significance level are not guaranteed",
)
_FEW_PEOPLE = Sentence(
    "folds.few-subjects",
    "caution",
    "with {n:count subject}, coverage and significance level are not guaranteed; {fewest:count} are needed",
)
_ONE_SPLIT = Sentence(
    "folds.one-split", "caution", "one split gives no information about variation over splits"
)
_NO_VARIATION = Sentence(
    "folds.no-variation",
    "caution",
    "no variation: {what} all {n:count} splits are equal, which gives no information about other data",
)

UNSTABLE = Sentence(
    "folds.unstable-learner",
    "caution",
    "a learner is unstable (nearest neighbours, trees): results do not apply to the retrained method; "
    "pooled predictions apply to these fitted models",
)
_STABILITY = Sentence(
    "folds.stability-not-said",
    "caution",
    "results apply to the retrained method and are valid for stable learners, which was not stated: with "
    "nearest neighbours, such 95% intervals cover the true value in 86 to 90% of data sets and such tests "
    "at the 5% level reject in 12 to 13%",
)

PEOPLE_SPLIT = Target("subjects-split-anew", "resampled training and test subjects")
SAMPLES_SPLIT = Target(
    "samples-split-anew", "training and test sets resampled from samples of the same subjects"
)
OTHERS_UNTRAINED = Target("people-not-trained-on", "new people not used in training")
OTHERS_TRAINED = Target("people-trained-on", "other people, with images of them in the training data")
TRAINED = Target("trained-classifiers", "these fitted models")
SETTINGS = Target("classifiers-and-sizes", "the classifiers, their settings and the sizes")
SETTINGS_AND_SUBJECTS = Target(
    "classifiers-sizes-and-subjects", "the classifiers, their settings and the sizes; the subjects"
)
ACCURACY = Target("accuracy", "accuracy of the method at this training size")
POOLED_ACCURACY = Target("pooled-accuracy", "accuracy of these fitted models on the pooled test samples")


def fold_array(fold_values: npt.ArrayLike) -> Floats:
    """Return the values of folds in one row, if they are accuracies."""
    return check_accuracies(np.asarray(fold_values, dtype=np.float64).ravel())


def check_accuracies(values: Floats) -> Floats:
    """Return accuracies if they are all between 0 and 1."""
    if not len(values):
        raise InputError("No accuracies were given.")
    if not ((values >= 0) & (values <= 1)).all():
        raise InputError(
            "Accuracies must be between 0 and 1, got "
            f"{digits(values[~((values >= 0) & (values <= 1))][0], 6)}.",
            "leave out folds without test samples.",
        )
    return values


def size_ratio(n_train: Sizes, n_test: Sizes) -> float:
    """Say how large test sets are beside training sets: n_test/n_train of their means."""
    train, test = (np.asarray(sizes, dtype=np.float64) for sizes in (n_train, n_test))
    for sizes, name in ((train, "training"), (test, "test")):
        if not sizes.size or not (np.isfinite(sizes) & (sizes > 0)).all():
            raise UsageError(f"The size of a {name} set must be positive, got {sizes.tolist()!r:.60}.")
    return float(test.mean() / train.mean())


def corrected_error(values: Floats, ratio: float) -> tuple[float, float | None, float]:
    """Find the mean of dependent values, its standard error √[s²(1/J + ratio)], and J − 1; no error where nothing varies.

    The ratio is n_test/n_train: how much the J values share (Nadeau & Bengio 2003). 0 takes them for independent.
    """
    n = len(values)
    mean = mean_of(values)
    if n < 2 or float(np.ptp(values)) < ALIKE:
        return mean, None, n - 1.0
    return mean, float(np.sqrt(values.var(ddof=1) * (1 / n + ratio))), n - 1.0


def mean_of(values: Floats) -> float:
    """The mean, correctly rounded: never below the least of the values or above the largest."""
    return float(np.clip(fsum(values.tolist()) / len(values), values.min(), values.max()))


def notes_on(disjoint: bool, n_subjects: int | None, fewest: int = FEWEST_SUBJECTS) -> tuple[Note, ...]:
    """Say what must be said of splits that share subjects, and of few subjects."""
    notes = []
    if not disjoint:
        notes.append(_MIXED())
    if n_subjects is None:
        notes.append(_UNKNOWN_PEOPLE())
    elif n_subjects < fewest:
        notes.append(_FEW_PEOPLE(n=n_subjects, fewest=fewest))
    return tuple(notes)


def notes_on_method(*stable: bool | None) -> tuple[Note, ...]:
    """Say what must be said of the method of learners, of which some may be unstable (False) or not known (None)."""
    return (_STABILITY(),) if None in stable and False not in stable else ()


def subjects_in(n_train: Sizes, n_test: Sizes, disjoint: bool, n_subjects: int | None) -> int | None:
    """Count the people there are: as said, or those of a training and a test set together where these are counted in people."""
    if n_subjects is not None or not disjoint:
        return n_subjects
    return round(float(np.mean(n_train)) + float(np.mean(n_test)))


def why_unknown(n: int, what: str = "accuracies on") -> Note:
    """Say why values of folds show nothing of how sure their mean is."""
    return _ONE_SPLIT() if n < 2 else _NO_VARIATION(what=what, n=n)


def same_folds(rows: Mapping[str, npt.ArrayLike]) -> dict[str, Floats]:
    """Return accuracies by classifier, checked: at least two classifiers, with as many accuracies each."""
    table = {name: fold_array(row) for name, row in rows.items()}
    if len(table) < 2:
        raise UsageError(f"A comparison needs two classifiers, got {len(table)}.")
    if len({len(row) for row in table.values()}) > 1:
        sizes = ", ".join(f"{name}: {count(len(row))}" for name, row in table.items())
        raise UsageError(f"Classifiers must be compared on the same splits; got {sizes}.")
    return table


def shared_training(n_models: int) -> float:
    """How many times the variance over people that of pooled predictions is, where people test some models and train the others.

    What a person adds to one model shows in the tests of others, and theirs in the person's own: 1 + (1 − 1/n)/3 for n models, by
    simulation of linear discriminants and nearest neighbours (Bates et al. 2024 on why the plain interval is too narrow). One
    model, tested on people it never saw, needs no allowance.
    """
    return 1 + (1 - 1 / n_models) / 3
