"""Confusion matrices, or the most confused pairs if there are many classes."""

from __future__ import annotations

import numpy as np

from proband.inference.classification.results import Classification
from proband.report.charts.makers.rows import Valued, values
from proband.report.charts.spec import Axis, Chart, Matrix, listed
from proband.words import count, counted, fixed, out_of

MOST_CLASSES = 20
"""Largest number of classes for a legible matrix."""
_MOST_PAIRS = 15


def confusion(result: Classification, algorithm: str, id: str = "confusion") -> Chart:
    """Chart the confusion matrix of a model with its counts, or the most confused pairs if there are too many classes."""
    if len(result.classes) > MOST_CLASSES:
        return _most_confused(result, algorithm, id)
    counts = result.confusion(algorithm)
    sums = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, sums, out=np.zeros_like(counts), where=sums > 0)
    whole = bool(np.all(counts == np.round(counts)))
    n, confused = len(result.classes), result.top_confusions(algorithm)
    mistakes = listed(
        [
            f"{one.true} predicted as {one.predicted} {out_of(one.n, _size(result, one.true))}"
            for one in confused
        ]
    )
    return Chart(
        id,
        f"Confusion matrix, {algorithm}",
        f"{counted(n, 'class', 'classes')}. Most common errors: {mistakes or 'none'}.",
        (
            (
                Axis("predicted class", "linear", -0.5, n - 0.5, "count"),
                Axis("true class", "linear", -0.5, n - 0.5, "count"),
            ),
        ),
        Matrix(
            result.classes,
            shares,
            tuple(
                tuple(count(value) if whole else fixed(value, 1) for value in row) for row in counts.tolist()
            ),
        ),
        notes=("Numbers of samples, shaded by share of the true class.",),
        above="numbers of samples, shaded by share of the true class",
    )


def _size(result: Classification, label: str) -> int:
    return next(one.n for one in result.by_class if one.label == label)


def _most_confused(result: Classification, algorithm: str, id: str) -> Chart:
    """The most often confused pairs of classes."""
    n = sum(one.algorithm == algorithm and one.true != one.predicted for one in result.confusions)
    confused = result.top_confusions(algorithm, _MOST_PAIRS)
    classes = f"{counted(len(result.classes), 'class', 'classes')} are too many to show as a matrix"
    return values(
        [Valued(f"{one.true} → {one.predicted}", one.share, None, None) for one in confused],
        "share of the true class",
        "rate",
        id=id,
        title=f"Most confused classes, {algorithm}",
        beside=[out_of(one.n, _size(result, one.true)) for one in confused],
        notes=(f"The first {count(len(confused))} of {counted(n, 'pair')} that occur: {classes}.",),
        above=f"true class → predicted; the first {count(len(confused))} of {counted(n, 'pair')}: {classes}",
    )
