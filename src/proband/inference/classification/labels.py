"""Labels and scores as they come in: one numbering of classes, the true class of every sample, and what each model guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from proband.engine.foreign import array_from, complete_from, missing_in, number_from
from proband.engine.kinds import shown
from proband.engine.labels import aligned, headings_of, named
from proband.errors import Hint, InputError, UsageError, first_few, quoted
from proband.scores.several import named_apart
from proband.words import agreeing, count, counted, given

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
Labels = npt.NDArray[Any]
TiePolicy = Literal["pessimistic", "optimistic", "mean"]
ONE_MODEL = "model"
"""What a single array is called."""


@dataclass(frozen=True, eq=False)
class Guesses:
    """What one model said of every sample.

    Attributes
    ----------
    closer, tied
        Other classes with a higher score than the true one, and with the same.
    said
        The class with the highest score, the first of several.
    top
        For samples whose true class ties with others for the highest score, all that do, by sample.
    ranked
        Whether there are scores, so that it has a second choice.
    """

    closer: Codes
    tied: Codes
    said: Codes
    top: Mapping[int, Codes]
    ranked: bool

    def success(self, k: int, ties: TiePolicy) -> Floats:
        """Whether the true class is among the first k; a fraction where ties are broken at random in expectation."""
        if ties == "mean":
            return np.clip((k - self.closer) / (self.tied + 1), 0.0, 1.0)
        before = self.closer + (self.tied if ties == "pessimistic" else 0)
        return (before < k).astype(np.float64)


@dataclass(frozen=True, eq=False)
class ClassTask:
    """Samples of known classes, and what models guessed.

    Attributes
    ----------
    classes
        What the classes are called, in the order of their numbers.
    truth
        The class of every sample.
    guesses
        What each model said, by its name.
    groups
        The group of every sample, where there are groups.
    """

    classes: tuple[str, ...]
    truth: Codes
    guesses: Mapping[str, Guesses]
    groups: Labels | None = None

    @property
    def ranked(self) -> bool:
        """Whether every model has a second choice."""
        return all(one.ranked for one in self.guesses.values())


def task_of(y_true: Any, models: Any, classes: Sequence[Any] | None, group: Any = None) -> ClassTask:
    """Number the classes, and make guesses of scores (samples × classes) or of predicted labels.

    What is labelled in pandas is brought to one order by its labels: samples by rows, classes by columns.
    """
    named_models = _by_name(models)
    if isinstance(y_true, Mapping) or (getattr(y_true, "ndim", 1) == 2 and getattr(models, "ndim", 2) == 1):
        raise UsageError(
            f"The arguments look swapped: classify(y_true, models, …) got {shown(y_true)}, {shown(models)}.",
            "pass the true labels first, one for each sample, then the models.",
        )
    if not named_models:
        raise UsageError("No model was given.", "pass scores or predictions; pass several models by name.")
    known = None if classes is None else labels_from(classes, "classes")
    apart = named_apart(named_models.items())
    called = {f"the scores of {name!r}": (name, one) for name, one in apart.items()}
    given = aligned(
        {"the true labels": y_true}
        | {what: _columns(one, known, what) for what, (_, one) in called.items()}
        | ({} if group is None else {"the groups": group})
    )
    truth = labels_from(given["the true labels"], "true labels")
    groups = None if group is None else labels_from(given["the groups"], "groups")
    frames = {name: given[what] for what, (name, _) in called.items()}
    arrays = {name: array_from(one, f"scores of {name!r}") for name, one in frames.items()}
    for name, one in arrays.items():
        _check_shape(name, one, len(truth))
    matrices: Mapping[str, Labels] = {name: one for name, one in arrays.items() if one.ndim == 2}
    said = {
        name: labels_from(one, f"predictions of {name!r}") for name, one in arrays.items() if one.ndim == 1
    }
    if known is not None and truth.dtype.kind != "U" and (numbers := _numbers(known.tolist())):
        known = labels_from(numbers, "classes")
    known, matrices = _by_class(truth, said, matrices, frames, known)
    codes = _numbered(truth, known, "true labels", bool(matrices))
    guesses = {
        name: _ranked(name, matrices[name], codes)
        if name in matrices
        else _predicted(_numbered(said[name], known, f"predictions of {name!r}", False), codes)
        for name in arrays
    }
    return ClassTask(tuple(map(str, known.tolist())), codes, guesses, groups)


def _columns(scores: Any, classes: Labels | None, what: str) -> Any:
    """Scores with their columns in the order of the classes, where columns are named by these."""
    found = None if classes is None else named(scores, [*map(str, classes.tolist())], what, axis=1)
    return scores if found is None else found


def _by_name(models: Any) -> Mapping[Any, Any]:
    """Models by name; several tables in a list are numbered, since a list of rows is one table."""
    if isinstance(models, Mapping):
        return models
    if (
        isinstance(models, list | tuple)
        and models
        and all(len(getattr(one, "shape", ())) == 2 for one in models)
    ):
        return {f"{ONE_MODEL} {number}": one for number, one in enumerate(models, 1)}
    return {ONE_MODEL: models}


def labels_from(data: Any, what: str) -> Labels:
    """Make an array of whole numbers or of texts; a missing label is refused with its place."""
    found = complete_from(data, what)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if not found.size:
        raise InputError(f"The {what} are empty.", "pass one label per sample.")
    if found.ndim != 1:
        shape = " × ".join(map(str, found.shape)) or "a single value"
        raise InputError(f"The {what} must be one label per sample, got {shape}.", "pass a list or a column.")
    if found.dtype.kind == "O":
        found = _plain(found, what)
    kind = found.dtype.kind
    if kind in "biu":
        return found.astype(np.int64)
    if kind == "f":
        whole = found == np.rint(found)
        if not whole.all():
            raise InputError(
                f"The {what} must be integers or strings, got {given(float(found[(~whole).argmax()]))}.",
                "pass classes, not probabilities; scores need one column per class.",
            )
        return found.astype(np.int64)
    if kind in "US":
        return found.astype(np.str_)
    raise InputError(
        f"The {what} must be integers or strings, got {found.dtype}.", "use class numbers or class names."
    )


def _plain(found: Labels, what: str) -> Labels:
    """Python objects as texts or whole numbers."""
    if all(isinstance(one, str) for one in found):
        return found.astype(np.str_)
    if all(isinstance(one, int | float | np.integer | np.floating | np.bool_) for one in found):
        return array_from([number_from(one, "label") for one in found], what)
    kinds = sorted({type(one).__name__ for one in found})
    raise InputError(
        f"The {what} have mixed types: {first_few(kinds)}.", "make them all strings, or all integers."
    )


def _check_shape(name: str, array: Labels, n: int) -> None:
    if array.ndim not in (1, 2):
        raise UsageError(
            f"The scores of {name!r} must have the shape samples × classes, got {array.ndim} dimensions.",
            'pass several models by name: {"A": scores_a, "B": scores_b}.',
        )
    if len(array) != n:
        what = "rows of scores" if array.ndim == 2 else "predictions"
        raise InputError(
            f"{name!r} has {count(len(array))} {what} for {counted(n, 'label')}.",
            "use the same samples for all models as for the true labels, in the same order.",
        )
    if array.ndim == 2 and array.shape[1] < 2:
        raise InputError(
            f"The scores of {name!r} have {counted(array.shape[1], 'column')}, but one per class is needed.",
            "for two classes, pass both scores: [1 - p, p].",
        )


def _by_class(
    truth: Labels,
    said: Mapping[str, Labels],
    matrices: Mapping[str, Labels],
    frames: Mapping[str, Any],
    known: Labels | None,
) -> tuple[Labels, Mapping[str, Labels]]:
    """What the classes are, and scores with their columns in that order."""
    columns = {name: one.shape[1] for name, one in matrices.items()}
    if len(set(columns.values())) > 1:
        raise InputError(
            f"The scores have different numbers of columns: {', '.join(f'{name} has {count(n)}' for name, n in columns.items())}.",
            "use the same classes in the same order for all models.",
        )
    if not matrices:
        return (_union(truth, said) if known is None else _once(known)), matrices
    if known is None:
        return _by_headings(truth, matrices, frames)
    for name, n in columns.items():
        if n != len(_once(known)):
            raise InputError(
                f"{name!r} has {counted(n, 'column')} of scores for {counted(len(known), 'class', 'classes')}.",
                Hint("pass one class name per column: {option:classes}"),
            )
    return known, matrices


def _by_headings(
    truth: Labels, matrices: Mapping[str, Labels], frames: Mapping[str, Any]
) -> tuple[Labels, Mapping[str, Labels]]:
    """Classes by the names of columns; columns without names are those of the numbers 0, 1, 2, …"""
    texts = truth.dtype.kind == "U"
    headings = {name: _headings(frames[name], texts, name) for name in matrices}
    unnamed = next((name for name, own in headings.items() if own is None), None)
    if unnamed is not None and texts:
        raise UsageError(
            f"The true labels are strings ({first_few(list(dict.fromkeys(truth[:50].tolist())))}), and the "
            "classes of the columns are unknown.",
            Hint("{give:classes}: the class names, in the order of the columns."),
        )
    named = {name: _once(own) for name, own in headings.items() if own is not None}
    first = next(iter(matrices)) if unnamed is None else unnamed
    known = named.get(first, np.arange(matrices[first].shape[1]))
    ordered = dict(matrices)
    for name, own in named.items():
        if set(own.tolist()) != set(known.tolist()):
            theirs = "count from 0" if unnamed is not None else f"are {first_few(known.tolist())}"
            raise InputError(
                f"The columns of {name!r} are named {first_few(own.tolist())}, and those of {first!r} {theirs}.",
                Hint("use the same classes for all models, or name the columns: {option:classes}"),
            )
        if not np.array_equal(own, known):
            place = {label: k for k, label in enumerate(own.tolist())}
            ordered[name] = matrices[name][:, [place[label] for label in known.tolist()]]
    return known, ordered


def _once(classes: Labels) -> Labels:
    if len(np.unique(classes)) < len(classes):
        raise UsageError("A class name is repeated.", Hint("name each class once: {option:classes}"))
    return classes


def _headings(frame: Any, texts: bool, name: str) -> Labels | None:
    """The classes by which a frame names its columns, numbers where labels are numbers; None where columns have no names."""
    found = headings_of(frame)
    if found is None or found == tuple(f"column_{k}" for k in range(len(found))):
        return None
    if texts:
        return labels_from([*map(str, found)], "classes")
    numbers = _numbers(found)
    if numbers is None:
        raise UsageError(
            f"The true labels are integers, and the columns of {name!r} are named "
            f"{first_few([*map(str, found)])}: cannot tell which number is which class.",
            Hint(
                "{give:classes}: the class names in the order of the numbers, from 0; or use these names as "
                "labels."
            ),
        )
    return labels_from(numbers, "classes")


def _numbers(names: Sequence[Any]) -> list[int] | None:
    """The whole numbers that classes are called by; None where one is called otherwise."""
    try:
        found = [float(one if isinstance(one, int | float) else str(one)) for one in names]
    except ValueError:
        return None
    return [*map(int, found)] if all(one.is_integer() for one in found) else None


def _union(truth: Labels, said: Mapping[str, Labels]) -> Labels:
    for name, one in said.items():
        if (one.dtype.kind == "U") != (truth.dtype.kind == "U"):
            kinds = {"U": "strings", "i": "numbers"}
            raise InputError(
                f"The true labels are {kinds[truth.dtype.kind]}, but the predictions of {name!r} are {kinds[one.dtype.kind]}.",
                "use the same class names in both.",
            )
    return np.unique(np.concatenate([truth, *said.values()]))


def _numbered(labels: Labels, classes: Labels, what: str, columns: bool) -> Codes:
    """The number of every label's class; whole numbers count columns where classes have names."""
    if labels.dtype.kind != "U" and classes.dtype.kind == "U":
        classes = np.arange(len(classes))
    if (labels.dtype.kind == "U") != (classes.dtype.kind == "U"):
        raise InputError(
            f"The {what} are strings ({quoted(labels[0])}), but the classes are numbers ({classes[0]}).",
            Hint("use the names in the labels: {option:classes}"),
        )
    order = np.argsort(classes, kind="stable")
    place = np.minimum(np.searchsorted(classes, labels, sorter=order), len(classes) - 1)
    codes: Codes = order[place].astype(np.intp)
    wrong = classes[codes] != labels
    if wrong.any():
        first = int(wrong.argmax())
        numbers = classes.dtype.kind != "U"
        known = (
            f"{classes.min()} to {classes.max()}"
            if numbers and len(classes) > 8
            else first_few(classes.tolist(), 8)
        )
        cure = Hint("name all classes: {option:classes}")
        if numbers and columns and int(labels.min()) == 1 and int(labels.max()) == len(classes):
            cure = Hint(
                "if labels begin at 1, pass {option:classes}, with range(1, {n}).", n=len(classes) + 1
            )
        raise InputError(
            f"{count(int(wrong.sum()))} of the {what} {agreeing(wrong.sum())} not among the classes; the first is {labels[first].item()!r} "
            f"(sample {count(first)}, counted from 0). The classes are {known}.",
            cure,
        )
    return codes


def _predicted(said: Codes, truth: Codes) -> Guesses:
    wrong = (said != truth).astype(np.intp)
    return Guesses(wrong, np.zeros_like(wrong), said, {}, False)


def _ranked(name: str, scores: Labels, truth: Codes) -> Guesses:
    """Where the true class stands among the scores of a sample."""
    if scores.dtype.kind not in "fiub":
        raise InputError(f"The scores of {name!r} must be numbers, got {scores.dtype}.")
    missing = missing_in(scores)
    if missing is not None:
        row, column = np.unravel_index(int(missing.argmax()), missing.shape)
        raise InputError(
            f"{count(int(missing.sum()))} of the scores of {name!r} {agreeing(missing.sum())} missing (NaN), first in row {row}, column {column} "
            "(counted from 0).",
            "remove such samples from all arrays: a model must score every class of every sample.",
        )
    own = np.take_along_axis(scores, truth[:, None], axis=1)
    closer = (scores > own).sum(axis=1).astype(np.intp)
    same = scores == own
    tied = (same.sum(axis=1) - 1).astype(np.intp)
    at_top = np.flatnonzero((closer == 0) & (tied > 0))
    top = {int(row): np.flatnonzero(same[row]) for row in at_top}
    return Guesses(closer, tied, scores.argmax(axis=1).astype(np.intp), top, True)
