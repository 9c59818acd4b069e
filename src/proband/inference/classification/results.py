"""Results of classification: accuracies, classes, confusions and the comparison of models."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.arguments import published
from proband.engine.frames import frame_of_rows
from proband.engine.limits import Positive
from proband.errors import unknown_name
from proband.inference.comparisons.comparison import verdict_lines
from proband.inference.outcomes.results import OutcomeComparison
from proband.results.base import Answers, Confidence, Count, Rate, Result
from proband.results.difference import Unit
from proband.results.estimate import Estimate
from proband.results.serializing import Written
from proband.words import Note, Sentence, as_sentence, counted, fixed, interval

Floats = npt.NDArray[np.float64]

_COMPARED_BY = Sentence("classification.compared-by", "note", "models are compared by {accuracy}")


@dataclass(frozen=True, eq=False)
class ClassRates:
    """The results of one model for one class.

    Attributes
    ----------
    algorithm, label
        The model and the class.
    n, n_predicted
        The numbers of samples of the class, and of samples predicted as the class (a fraction if ties are averaged).
    recall
        The share of its samples that are predicted correctly; None without samples.
    precision, f1
        The share of samples predicted as the class that belong to it, and the harmonic mean of both; None without predictions.
    """

    algorithm: str
    label: str
    n: Count
    n_predicted: float
    recall: Estimate | None
    precision: float | None
    f1: float | None


@dataclass(frozen=True)
class Confusion:
    """How often a model predicts one class for samples of another, or of the same.

    Attributes
    ----------
    algorithm, true, predicted
        The model, the true class and the predicted class.
    n
        The number of samples; a fraction if ties are averaged.
    share
        The share of the samples of the true class.
    """

    algorithm: str
    true: str
    predicted: str
    n: float
    share: Rate


@published
@dataclass(frozen=True, eq=False)
class Classification(Result):
    """Models that classify the same samples into the same classes.

    Attributes
    ----------
    algorithms, classes
        The names of models and classes.
    n_samples, n_groups
        The number of samples, and of groups if groups are the units.
    unit
        The independent unit: ``sample`` or ``group``.
    k, average, ties
        The numbers of guesses, the average used to compare models, and the tie policy.
    rates
        Accuracies with their intervals, for every number of guesses: micro (samples weighted equally) and macro (classes
        weighted equally).
    by_class
        The results for every class of every model.
    confusions
        Every pair of true and predicted class that occurs, including correct predictions.
    comparison
        The comparison of every two models; None for one model.
    confidence_level, answers, notes
        The level of the intervals; the meaning of the compared accuracy; and notes.

    Examples
    --------
    >>> from proband import classify
    >>> found = classify([0, 0, 1, 1, 2, 2], {"a": [0, 0, 1, 1, 2, 1]})
    >>> found
    Classification(6 samples, 3 classes): a accuracy 0.8333 [0.4365, 0.9699].
    >>> found.confusion("a")
    array([[2., 0., 0.],
           [0., 2., 0.],
           [0., 1., 1.]])
    """

    written = Written(versioned=True)

    algorithms: tuple[str, ...]
    classes: tuple[str, ...]
    n_samples: Count
    n_groups: Count | None
    unit: Unit
    k: tuple[int, ...]
    average: str
    ties: str
    rates: tuple[Estimate, ...]
    by_class: tuple[ClassRates, ...]
    confusions: tuple[Confusion, ...]
    comparison: OutcomeComparison | None
    confidence_level: Confidence
    answers: Answers
    notes: tuple[Note, ...]

    def rate(self, algorithm: str, measure: str = "top-1") -> Estimate:
        """Return one accuracy: ``top-1``, ``top-5``, ``macro-top-1`` (balanced accuracy) and so on.

        Parameters
        ----------
        algorithm
            The name of the model.
        measure
            The name of the accuracy.

        Returns
        -------
        Estimate
            The accuracy with its interval.
        """
        code = _AS_PRINTED.get(measure, measure)
        found = [one for one in self.rates if one.algorithm == algorithm and one.measure == code]
        if not found:
            if algorithm not in self.algorithms:
                raise unknown_name("algorithm", algorithm, self.algorithms)
            known = dict.fromkeys(one.measure for one in self.rates)
            raise unknown_name("measure", measure, known, f"of {algorithm!r}")
        return found[0]

    def confusion(self, algorithm: str) -> Floats:
        """Return the confusion matrix of a model: rows are true classes and columns predicted classes, in the order of `classes`.

        Parameters
        ----------
        algorithm
            The name of the model.

        Returns
        -------
        numpy.ndarray
            Classes × classes: numbers of samples; fractions if ties are broken at random in expectation.
        """
        if algorithm not in self.algorithms:
            raise unknown_name("algorithm", algorithm, self.algorithms)
        places = {name: place for place, name in enumerate(self.classes)}
        matrix = np.zeros((len(places), len(places)))
        for one in self.confusions:
            if one.algorithm == algorithm:
                matrix[places[one.true], places[one.predicted]] = one.n
        return matrix

    def top_confusions(self, algorithm: str, n: Positive = 5) -> tuple[Confusion, ...]:
        """Return the most common errors of a model, the most frequent first.

        Parameters
        ----------
        algorithm
            The name of the model.
        n
            The maximum number of errors.

        Returns
        -------
        tuple of Confusion
            Pairs of a true class and another, predicted class.
        """
        wrong = [one for one in self.confusions if one.algorithm == algorithm and one.true != one.predicted]
        return tuple(sorted(wrong, key=lambda one: -one.n)[:n])

    def sentences(self) -> list[Note]:
        """Every verdict in words.

        Returns
        -------
        list of Note
            A sentence for each pair of models, and the accuracy compared if it is not plain accuracy; empty if no models were compared.
        """
        return [] if self.comparison is None else [*self.comparison.sentences(), *compared_by(self)]

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each model and accuracy."""
        return frame_of_rows(
            [
                {
                    "algorithm": one.algorithm,
                    "measure": one.measure,
                    "value": one.value,
                    "low": one.low,
                    "high": one.high,
                    "standard_error": one.standard_error,
                    "effective_n": one.rests_on.n_effective,
                    "n": one.rests_on.n,
                }
                for one in self.rates
            ]
        )

    def class_frame(self) -> pl.DataFrame:
        """One row for each model and class.

        Returns
        -------
        polars.DataFrame
            Recall with its interval, precision, F1 and the number of samples.
        """
        return frame_of_rows([_class_row(row) for row in self.by_class], _CLASS_COLUMNS)

    def confusion_frame(self) -> pl.DataFrame:
        """One row for each model and pair of classes that occurs.

        Returns
        -------
        polars.DataFrame
            The columns algorithm, true, predicted, n and share.
        """
        names = {"algorithm": pl.String, "true": pl.String, "predicted": pl.String, "n": pl.Float64, "share": pl.Float64}  # fmt: skip
        return frame_of_rows([asdict(row) for row in self.confusions], names)

    def __repr__(self) -> str:
        first = f"Classification({counted(self.n_samples, 'sample')}, {counted(len(self.classes), 'class', 'classes')})"
        if self.comparison is not None:
            return "\n".join(
                [f"{first}:", *verdict_lines(self.comparison), *map(as_sentence, compared_by(self))]
            )
        one = self.rates[0]
        return f"{first}: {one.algorithm} {one.answers.of} {fixed(one.value)} {interval(one.low, one.high)}."


def compared_by(found: Classification) -> list[Note]:
    """The accuracy by which models are compared, unless it is plain accuracy."""
    plain = found.comparison is None or found.answers.of.key == "top-1"
    return [] if plain else [_COMPARED_BY(accuracy=found.answers.of)]


def _class_row(row: ClassRates) -> dict[str, object]:
    recall = row.recall
    return {
        "algorithm": row.algorithm,
        "label": row.label,
        "n": row.n,
        "n_predicted": row.n_predicted,
        "recall": None if recall is None else recall.value,
        "low": None if recall is None else recall.low,
        "high": None if recall is None else recall.high,
        "precision": row.precision,
        "f1": row.f1,
    }


_AS_PRINTED = {"accuracy": "top-1", "macro-average accuracy": "macro-top-1"}
_CLASS_COLUMNS = {
    "algorithm": pl.String,
    "label": pl.String,
    "n": pl.Int64,
    "n_predicted": pl.Float64,
    "recall": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "precision": pl.Float64,
    "f1": pl.Float64,
}
