"""Classification: how accurate models are on new samples of these classes, and which is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from proband.engine.arguments import published
from proband.engine.limits import Level, Margin, Seed, Within
from proband.errors import Hint, InputError, UsageError, first_few, unknown_name
from proband.inference.classification.labels import ClassTask, Guesses, Labels, TiePolicy, task_of
from proband.inference.classification.results import Classification, ClassRates, Confusion
from proband.inference.comparisons.compare import margin_for
from proband.inference.cross_validation.folds import shared_training
from proband.inference.outcomes.pairs import compared
from proband.inference.outcomes.rates import Items, borrowed_from, item_rate
from proband.inference.proportions import check_level
from proband.results.about import Who
from proband.results.base import Answers
from proband.results.difference import Adjustment, Unit
from proband.results.estimate import Estimate
from proband.results.targets import derived
from proband.words import Note, Sentence, Target, count, counted

Codes = npt.NDArray[np.intp]
Average = Literal["micro", "macro"]
Places = Annotated[int, Within(ge=1, said="The number of guesses must be a whole number of at least 1")]
Models = Annotated[int, Within(ge=1, said="The number of models must be a whole number of at least 1")]
_USUAL = (1, 5)
_SHOWN = 5

_RECALL = Target("recall", "recall")
_FIXED = Target("models-and-classes", "the models and the classes")
_VARYING: dict[Unit, Target] = {
    "sample": Target("samples-of-classes", "new samples of these classes"),
    "group": Target("groups-of-samples", "new groups, with the same number of samples of each class"),
}
_ALIKE: dict[Unit, Target] = {
    "sample": Target(
        "samples-alike", "samples are independent, and samples of a class are identically distributed"
    ),
    "group": Target("groups-alike", "groups are independent and identically distributed"),
}
_UNSEEN = Sentence(
    "classification.unseen-classes",
    "note",
    "{n:count class has/classes have} no samples ({names}) and {n:word is/are} left out of the macro average",
)
_SINGLE = Sentence(
    "classification.single-samples",
    "caution",
    "{n:count class has/classes have} one sample each, which counts as much in the macro average as all "
    "samples of another class: the interval may be too narrow",
)
_ONE_GROUP = Sentence(
    "classification.one-group",
    "caution",
    "{n:count class has/classes have} samples from one group only ({names}): variation between groups "
    "cannot be estimated, so intervals may be too narrow",
)
_TIED = Sentence(
    "classification.ties",
    "caution",
    "{algorithm}: the true class is tied with another class in {n:count} of {total:count sample}; the tie "
    "policy ({ties}) decides the outcome",
)
_NO_TRUE_CLASS = Sentence(
    "classification.no-true-class",
    "caution",
    "{algorithm}: no predicted label ({said}) is among the true labels ({truth}), so its accuracy is 0: check that both are "
    "written alike",
)


@published
def classify(
    y_true: Any,
    scores: Any,
    *,
    cluster: Any = None,
    classes: Sequence[Any] | None = None,
    k: Places | Sequence[Places] | None = None,
    average: Average = "micro",
    ties: TiePolicy = "pessimistic",
    margin: Margin | None = None,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
    adjust: Adjustment = "single-step",
    n_models: Models = 1,
) -> Classification:
    """Estimate and compare the accuracy of classifiers on new samples of the same classes.

    Accuracy has Wilson's (1927) interval, with the effective sample size if groups are the units (Rao & Scott 1992). The macro
    average (balanced accuracy) is stratified by class (`class_average`). Models are compared on the same samples: McNemar's
    (1947) test, mid-p, with Tango's (1998) interval; over groups by sign flips of the difference of each group.

    Parameters
    ----------
    y_true
        The class of every sample: integers or strings.
    scores
        Scores of classes (logits or probabilities, samples × classes; they need not add up to 1) or predicted labels; for
        several models, a mapping from names to scores or labels. NumPy, pandas, polars, PyTorch on the CPU, or lists.
    cluster
        The group of every sample, such as the patient, the speaker or the site: groups are then treated as independent, samples
        within a group are not.
    classes
        The classes in the order of the columns of scores; columns with these names are reordered. Required if labels are
        strings and columns have no names, or if labels are integers and columns have other names: labels are then indices of
        these classes, from 0. Default: the names of the columns, or 0, 1, … for columns without names.
    k
        Numbers of guesses, smaller than the number of classes; 1 and 5 by default. Models are compared by the first.
    average
        The accuracy used to compare models: ``micro`` (every sample weighted equally) or ``macro`` (every class weighted
        equally).
    ties
        How ties of the true class with another class are counted: ``pessimistic``, ``optimistic``, or ``mean``, the expectation
        if ties are broken at random.
    margin
        The smallest difference that matters; 0.01 (one percentage point) by default.
    adjust
        With three or more models: ``single-step`` makes p-values, intervals and verdicts hold for all pairs together, ``none``
        treats each pair separately.
    confidence_level
        The level of all intervals.
    seed
        The seed of permutations.
    n_models
        The number of models of each kind that made the predictions, each for samples it was not trained on, as in cross-validation: test
        samples of one model are training samples of others, so the variance of a difference is larger (`shared_training`).

    Returns
    -------
    Classification
        Accuracies of every model and class, confusions and, for several models, their comparison.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 10, 500)
    >>> logits = {name: rng.normal(size=(500, 10)) + lift * np.eye(10)[y] for name, lift in (("A", 2.0), ("B", 1.5))}
    >>> found = classify(y, logits)
    >>> found.rate("A").value, found.rate("A", "top-5").value, found.comparison.pairs[0].verdict
    (0.662, 0.974, 'better')
    """
    margin_for(margin, is_rate=True)  # refused before any work
    if average not in get_args(Average):
        raise unknown_name("average", average, get_args(Average))
    measured, guesses = _measured(y_true, scores, cluster, classes, k, ties, confidence_level)
    found = measured.described(guesses, average)
    if len(found.algorithms) < 2:
        for name, is_given in (("margin", margin is not None), ("adjust", adjust != "single-step")):
            if is_given:
                raise UsageError(
                    Hint(
                        "{named:{which}} applies to comparisons and has no effect with one model.", which=name
                    ),
                    "leave it out.",
                )
        return found
    answers = found.answers
    comparison = compared(
        tuple(one for one in found.rates if one.measure == _measure(guesses[0], average)),
        {name: one.success(guesses[0], ties) for name, one in measured.task.guesses.items()},
        replace(measured.items(average), allowance=shared_training(n_models)),
        Answers(
            derived("difference", "difference of {}", answers.of),
            answers.varying,
            answers.fixed,
            answers.assuming,
        ),
        margin=margin,
        confidence_level=confidence_level,
        seed=seed,
        adjust=adjust,
    )
    return replace(found, comparison=comparison, notes=(*found.notes, *comparison.notes))


def describe_classes(
    y_true: Any,
    models: Any,
    *,
    group: Any = None,
    classes: Sequence[Any] | None = None,
    confidence_level: float = 0.95,
) -> Classification:
    """Estimate the accuracies, classes and confusions of every model like `classify`, without comparing models.

    For models that are compared in another way, such as those retrained in every fold.
    """
    check_level(confidence_level)
    measured, guesses = _measured(y_true, models, group, classes, 1, "pessimistic", confidence_level)
    return measured.described(guesses, "micro")


def _measured(
    y_true: Any,
    models: Any,
    group: Any,
    classes: Sequence[Any] | None,
    k: int | Sequence[int] | None,
    ties: TiePolicy,
    level: float,
) -> tuple[_Measured, tuple[int, ...]]:
    task = task_of(y_true, models, classes, group)
    guesses = _allowed(k, task)
    units, unit = _units(task.groups, len(task.truth))
    return _Measured(task, units, unit, ties, level), guesses


def _measure(k: int, average: Average) -> str:
    return f"{'macro-' if average == 'macro' else ''}top-{k}"


def _allowed(k: int | Sequence[int] | None, task: ClassTask) -> tuple[int, ...]:
    """The numbers of guesses: as requested, or the defaults that are possible."""
    most = len(task.classes) - 1 if task.ranked else 1
    if len(task.classes) < 2:
        raise InputError(
            "There is only one class, so there is nothing to classify.", "use at least two classes."
        )
    if k is None:
        return tuple(one for one in _USUAL if one <= most)
    asked = tuple(dict.fromkeys([k] if isinstance(k, int) else k))
    for one in asked:
        if one > most:
            why = (
                f"with {counted(len(task.classes), 'class', 'classes')} the top {count(one)} always include the right one"
                if task.ranked
                else "predicted labels have no second choice"
            )
            raise UsageError(
                f"Top-{one} accuracy is not meaningful: {why}.",
                f"use top-{most}." if task.ranked else "pass scores, samples × classes.",
            )
    if not asked:
        raise UsageError("No number of guesses was given.", "use k=1 for plain accuracy.")
    return tuple(int(one) for one in asked)


def _units(groups: Labels | None, n: int) -> tuple[Codes, Unit]:
    if groups is None:
        return np.arange(n), "sample"
    if len(groups) != n:
        raise InputError(
            f"There are {counted(len(groups), 'group label')} for {counted(n, 'sample')}.",
            "pass one group label per sample, in the same order.",
        )
    units = np.unique(groups, return_inverse=True)[1].astype(np.intp)
    if units.max() == 0:
        raise InputError(
            "All samples are from one group, so variation between groups cannot be estimated.",
            Hint("leave {named:cluster} out, or use data from more groups."),
        )
    return units, "group"


class _Measured:
    """All estimates from the guesses of models."""

    def __init__(self, task: ClassTask, units: Codes, unit: Unit, ties: TiePolicy, level: float) -> None:
        self.task, self.units, self.unit, self.ties, self.level = task, units, unit, ties, level
        self.sizes = np.bincount(task.truth, minlength=len(task.classes))
        first = (one.success(1, ties) for one in task.guesses.values())
        self.supposed = borrowed_from(first, Items(units, unit))
        self.places = np.split(np.argsort(task.truth, kind="stable"), np.cumsum(self.sizes)[:-1])

    def described(self, guesses: tuple[int, ...], average: Average) -> Classification:
        """The results of every model; answers and notes are those of the compared accuracy."""
        task = self.task
        rates = [
            self.rate(name, n, kind) for name in task.guesses for kind in get_args(Average) for n in guesses
        ]
        first = tuple(one for one in rates if one.measure == _measure(guesses[0], average))
        return Classification(
            algorithms=tuple(task.guesses),
            classes=task.classes,
            n_samples=len(task.truth),
            n_groups=None if self.unit == "sample" else len(np.unique(self.units)),
            unit=self.unit,
            k=guesses,
            average=average,
            ties=self.ties,
            rates=tuple(rates),
            by_class=tuple(row for name in task.guesses for row in self.by_class(name)),
            confusions=tuple(row for name in task.guesses for row in self.confusions(name)),
            comparison=None,
            confidence_level=self.level,
            answers=first[0].answers,
            notes=(*self.notes(), *(note for one in first for note in one.notes)),
        )

    def items(self, average: Average) -> Items:
        """The samples as units, or stratified by class for the macro average."""
        return Items(self.units, self.unit, self.task.truth if average == "macro" else None)

    def rate(self, name: str, k: int, average: Average) -> Estimate:
        """Estimate one accuracy."""
        words = "macro-average accuracy" if average == "macro" else "accuracy"
        of = Target(_measure(k, average), words if k == 1 else f"top-{k} {words}")
        values = self.task.guesses[name].success(k, self.ties)
        return item_rate(
            Who(algorithm=name), values, self.items(average), self._answers(of), self.level, self.supposed
        )

    def _answers(self, of: Target) -> Answers:
        return Answers(of, _VARYING[self.unit], _FIXED, _ALIKE[self.unit])

    def by_class(self, name: str) -> list[ClassRates]:
        """Recall and precision of every class."""
        guesses = self.task.guesses[name]
        right = guesses.success(1, self.ties)
        matrix = self._matrix(guesses)
        said = np.zeros(len(self.sizes))
        for (_, column), n in matrix.items():
            said[column] += n
        rows = []
        for place, label in enumerate(self.task.classes):
            n, hits = int(self.sizes[place]), matrix.get((place, place), 0.0)
            recall = None
            if n:
                own = self.places[place]
                items = Items(np.unique(self.units[own], return_inverse=True)[1].astype(np.intp), self.unit)
                recall = item_rate(
                    Who(algorithm=name, label=label),
                    right[own],
                    items,
                    self._answers(_RECALL),
                    self.level,
                    self.supposed,
                )
            rows.append(
                ClassRates(
                    algorithm=name,
                    label=label,
                    n=n,
                    n_predicted=float(said[place]),
                    recall=recall,
                    precision=float(hits / said[place]) if said[place] else None,
                    f1=float(2 * hits / (n + said[place])) if n + said[place] else None,
                )
            )
        return rows

    def confusions(self, name: str) -> list[Confusion]:
        """The counts of all pairs of classes that occur, in order."""
        classes = self.task.classes
        return [
            Confusion(name, classes[row], classes[column], n, n / float(self.sizes[row]))
            for (row, column), n in self._matrix(self.task.guesses[name]).items()
        ]

    def _matrix(self, guesses: Guesses) -> dict[tuple[int, int], float]:
        """The confusion matrix, with ties counted by their policy."""
        truth, width = self.task.truth, len(self.task.classes)
        said = guesses.said.copy()
        shared: dict[int, float] = {}
        kept = np.ones(len(truth), np.bool_)
        for row, top in guesses.top.items():
            if self.ties == "mean":
                kept[row] = False
                for column in top:
                    cell = int(truth[row]) * width + int(column)
                    shared[cell] = shared.get(cell, 0.0) + 1 / len(top)
            else:
                said[row] = truth[row] if self.ties == "optimistic" else top[top != truth[row]][0]
        cells, counts = np.unique(truth[kept] * width + said[kept], return_counts=True)
        found = dict(zip(cells.tolist(), counts.astype(float).tolist(), strict=True))
        for cell, n in shared.items():
            found[cell] = found.get(cell, 0.0) + n
        return {divmod(cell, width): found[cell] for cell in sorted(found)}

    def notes(self) -> list[Note]:
        """Notes on classes and ties."""
        names = np.array(self.task.classes, dtype=object)
        said: list[Note] = []
        unseen = names[self.sizes == 0].tolist()
        if unseen:
            said.append(_UNSEEN(n=len(unseen), names=first_few(unseen, _SHOWN)))
        single = int((self.sizes == 1).sum())
        if single:
            said.append(_SINGLE(n=single))
        if self.unit == "group":
            alone = [
                str(names[place])
                for place, own in enumerate(self.places)
                if len(own) > 1 and len(np.unique(self.units[own])) == 1
            ]
            if alone:
                said.append(_ONE_GROUP(n=len(alone), names=first_few(alone, _SHOWN)))
        for name, one in self.task.guesses.items():
            tied = int((one.tied > 0).sum())
            if tied:
                said.append(_TIED(algorithm=name, n=tied, total=len(one.tied), ties=self.ties))
            if not one.ranked and not self.sizes[one.said].any():
                predicted, true = names[np.unique(one.said)].tolist(), names[self.sizes > 0].tolist()
                said.append(_NO_TRUE_CLASS(algorithm=name, said=first_few(predicted), truth=first_few(true)))
        return said
