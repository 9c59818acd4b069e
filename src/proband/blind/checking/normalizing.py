"""Detect normalisation by comparing the scores of the same pairs among many and among few images."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_LEAST = 4  # a straight line through two or three points says nothing
_OF_SPREAD, _OF_CHANGE = 1e-3, 0.05  # how well a straight line must fit
_SLIGHT = 0.01  # of the spread: such a change keeps the order whatever its cause

Floats = npt.NDArray[np.float64]
_WAYS = {
    "rescaled": (
        "all scores are rescaled over the whole test set, such as by min-max or a z-score over the matrix",
        "the scores of each query (row) are rescaled over the targets, such as by t-norm",
        "the scores of each target (column) are rescaled over the queries, such as by z-norm",
    ),
    "ranked": (
        "all scores are replaced by ranks over the whole test set, or transformed by another function that depends on it",
        "the scores of each query (row) are replaced by ranks over the targets, or transformed by another function that depends on them",
        "the scores of each target (column) are replaced by ranks over the queries, or transformed by another function that depends on them",
    ),
}


def normalised_how(main: Floats, control: Floats) -> str | None:
    """Describe how scores of the main sets relate to scores of the control sets; None if unknown.

    A normalisation is recognised by its form: a linear map over the whole matrix, by row or by column; or a
    map that preserves ranks.
    """
    kept = np.ix_(~np.isnan(main + control).all(axis=1), ~np.isnan(main + control).all(axis=0))
    main, control = main[kept], control[kept]
    if not main.size or np.isnan(main + control).any():
        return None
    views = [
        (x, y, words)
        for x, y, words in (
            (main.reshape(1, -1), control.reshape(1, -1), 0),
            (main, control, 1),
            (main.T, control.T, 2),
        )
        if x.shape[1] >= _LEAST
    ]
    moved = float(np.abs(control - main).max())
    allowed = min(_OF_SPREAD * float(np.ptp(control)), _OF_CHANGE * moved)
    for x, y, words in views:
        if _residual(x, y) <= allowed:
            return _WAYS["rescaled"][words]
    if moved < _SLIGHT * float(np.ptp(main)):
        return None
    for x, y, words in views:
        if _same_order(x, y):
            return _WAYS["ranked"][words]
    return None


def _residual(x: Floats, y: Floats) -> float:
    """How far the rows of `y` lie from straight lines in the rows of `x`, at most."""
    x = x - x.mean(axis=1, keepdims=True)
    y = y - y.mean(axis=1, keepdims=True)
    squares = (x * x).sum(axis=1, keepdims=True)
    slope = (x * y).sum(axis=1, keepdims=True) / np.where(squares > 0, squares, 1.0)
    return float(np.abs(y - slope * x).max())


def _same_order(x: Floats, y: Floats) -> bool:
    """Whether no two scores of a row change places."""
    order = np.argsort(x, axis=1, kind="stable")
    sorted_x, sorted_y = np.take_along_axis(x, order, 1), np.take_along_axis(y, order, 1)
    rises = np.diff(sorted_x, axis=1) > 0
    falls = np.diff(sorted_y, axis=1) < 0
    return not bool((rises & falls).any())
