"""Scores of pairs of vectors in float64, added up in one fixed order.

This is the definition of an embedding score: whatever computes it faster must agree with the value found here. The
order of addition is fixed (interleaved partial sums: eight of products, four of distances), so that equal vectors have equal scores wherever they
stand and however the work is cut into tiles.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.kernels.codes import CHI2, INNER, L1, L2
from proband.kernels.compiling import njit
from proband.kernels.vectorised import (
    quick_sum_of_products,
    sum_of_products,
    sum_of_sizes,
    sum_of_squares,
)

Vectors = npt.NDArray[np.floating[Any]]
Floats = npt.NDArray[np.float64]


@njit(nogil=True, cache=True, error_model="numpy")
def dot(x, y):
    """Inner product in float64."""
    return sum_of_products(x, y)


@njit(nogil=True, cache=True, error_model="numpy")
def quick_dot(x, y):
    """Inner product in the vectors' own precision, in `SCREEN_LANES` partial sums."""
    return quick_sum_of_products(x, y)


@njit(nogil=True, cache=True, error_model="numpy")
def squared_distance(x, y):
    """Squared Euclidean distance in float64."""
    return sum_of_squares(x, y)


@njit(nogil=True, cache=True, error_model="numpy")
def absolute_distance(x, y):
    """City-block distance in float64."""
    return sum_of_sizes(x, y)


@njit(nogil=True, cache=True, error_model="numpy")
def chi_square(x, y):
    """Chi-square distance of histograms in float64: the sum of (x - y)**2 / (x + y) where x + y is positive."""
    total = 0.0
    for k in range(x.shape[0]):
        a, b = np.float64(x[k]), np.float64(y[k])
        both = a + b
        difference = a - b
        total += difference * difference / both if both > 0.0 else 0.0
    return total


@njit(nogil=True, cache=True, error_model="numpy")
def score(x, y, x_norm, y_norm, metric):
    """Score one pair: cosine or inner product (larger is closer), or a distance (smaller is closer)."""
    if metric == L1:
        return absolute_distance(x, y)
    if metric == CHI2:
        return chi_square(x, y)
    if metric == L2:
        return sqrt(squared_distance(x, y))
    if metric == INNER:
        return dot(x, y)
    return dot(x, y) / (x_norm * y_norm)


@njit(nogil=True, cache=True, error_model="numpy")
def _norms(vectors, out):
    for i in range(vectors.shape[0]):
        out[i] = sqrt(dot(vectors[i], vectors[i]))


@njit(nogil=True, cache=True, error_model="numpy")
def _score_tile(x, y, x_norms, y_norms, metric, out):
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            out[i, j] = score(x[i], y[j], x_norms[i], y_norms[j], metric)


def norms(vectors: Vectors) -> Floats:
    """Return the Euclidean length of each row."""
    out = np.empty(len(vectors))
    _norms(vectors, out)
    return out


def score_tile(x: Vectors, y: Vectors, x_norms: Floats, y_norms: Floats, metric: int) -> Floats:
    """Return the scores of every row of `x` with every row of `y`."""
    out = np.empty((len(x), len(y)))
    _score_tile(x, y, x_norms, y_norms, metric, out)
    return out
