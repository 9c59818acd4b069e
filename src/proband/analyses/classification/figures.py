"""Printed figures of classification: accuracies of models, and which classes are taken for which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from proband.engine.limits import Inches, Title
from proband.errors import UsageError
from proband.inference import Classification
from proband.report.charts.makers.rows import leaderboard
from proband.report.figures.identification import comparison_figure, values_figure
from proband.report.figures.style import laid_out

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NAMED = 30  # classes up to which each is named on the axes


def classification_figure(
    result: Classification,
    which: str = "accuracy",
    algorithm: str | None = None,
    width: Inches = 7.16,
    title: Title | None = None,
) -> Figure:
    """Draw the accuracies with what each model lacks against the best, or the confusion matrix of one model.

    Parameters
    ----------
    which
        ``accuracy`` or ``confusion``.
    algorithm
        Whose confusions; by default the first model's.
    """
    if which == "confusion":
        return confusion_figure(result, algorithm or result.algorithms[0], width, title)
    if which != "accuracy":
        raise UsageError(f"There is no figure {which!r}.", "there are: accuracy, confusion.")
    if result.comparison is not None:
        return comparison_figure(result.comparison, width, title)
    first = result.rates[0]
    return values_figure(leaderboard([first], in_points=True), width, title)


def confusion_figure(
    result: Classification, algorithm: str, width: Inches = 7.16, title: Title | None = None
) -> Figure:
    """Draw a confusion matrix: the share of each true class that is said to be of each."""
    counts = result.confusion(algorithm)
    sums = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, sums, out=np.zeros_like(counts), where=sums > 0)
    with laid_out((width, width * 0.85), title) as figure:
        axis = figure.subplots()
        image = axis.imshow(shares, vmin=0, vmax=1, cmap="Blues", interpolation="nearest")
        figure.colorbar(image, ax=axis, label="share of the true class", shrink=0.8)
        axis.set_xlabel("predicted class")
        axis.set_ylabel("true class")
        axis.set_title(algorithm)
        if len(result.classes) <= _NAMED:
            places = range(len(result.classes))
            axis.set_xticks(places, result.classes, rotation=90)
            axis.set_yticks(places, result.classes)
    return figure
