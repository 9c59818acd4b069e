"""Scores of pairs of vectors in float64, summed in one fixed order.

This is the definition of an embedding score, with which all faster methods must agree. The
order of addition is fixed (interleaved partial sums: eight of products, four of distances), so that equal vectors have equal scores at all
positions and for any division into tiles.
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
Places = npt.NDArray[np.intp]


@njit(nogil=True, cache=True, error_model="numpy")
def quick_dot(x, y):
    """Inner product in the precision of the vectors, in `SCREEN_LANES` partial sums."""
    return quick_sum_of_products(x, y)


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
    """Score one pair by a metric that matrix products can compute: cosine or inner product (larger is closer), or Euclidean distance."""
    if metric == L2:
        return sqrt(sum_of_squares(x, y))
    if metric == INNER:
        return sum_of_products(x, y)
    return sum_of_products(x, y) / (x_norm * y_norm)


@njit(nogil=True, cache=True, error_model="numpy")
def fill_scores(x, y, x_norms, y_norms, metric, sign, left, right, step, out):
    """Fill ``out[i, k]`` with the score of row ``left[i]`` of x and row ``right[i * step + k]`` of y."""
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            a, b = left[i], right[i * step + k]
            out[i, k] = sign * score(x[a], y[b], x_norms[a], y_norms[b], metric)


@njit(nogil=True, cache=True, error_model="numpy")
def fill_by_component(x, y, metric, sign, left, right, step, out):
    """Do the same for distances that are summed by component, city-block and chi-square."""
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            a, b = left[i], right[i * step + k]
            if metric == L1:
                out[i, k] = sign * absolute_distance(x[a], y[b])
            else:
                out[i, k] = sign * chi_square(x[a], y[b])


def norms(vectors: Vectors) -> Floats:
    """Return the Euclidean length of each row."""
    every, unused = np.arange(len(vectors)), np.ones(len(vectors))
    return np.sqrt(score_pairs(vectors, vectors, unused, unused, INNER, 1.0, every, every))


def score_tile(x: Vectors, y: Vectors, x_norms: Floats, y_norms: Floats, metric: int) -> Floats:
    """Return the scores of every row of `x` with every row of `y`."""
    out = np.empty((len(x), len(y)))
    _fill((x, y, x_norms, y_norms, metric), 1.0, np.arange(len(x)), np.arange(len(y)), 0, out)
    return out


def score_pairs(
    x: Vectors,
    y: Vectors,
    x_norms: Floats,
    y_norms: Floats,
    metric: int,
    sign: float,
    left: Places,
    right: Places,
) -> Floats:
    """Return the scores, times `sign`, of row ``left[k]`` of `x` with row ``right[k]`` of `y`."""
    out = np.empty(len(left))
    _fill((x, y, x_norms, y_norms, metric), sign, left, right, 1, out[:, None])
    return out


def _fill(
    exact: tuple[Vectors, Vectors, Floats, Floats, int],
    sign: float,
    left: Places,
    right: Places,
    step: int,
    out: Floats,
) -> None:
    x, y, x_norms, y_norms, metric = exact
    if metric in (L1, CHI2):
        fill_by_component(x, y, metric, sign, left, right, step, out)
    else:
        fill_scores(x, y, x_norms, y_norms, metric, sign, left, right, step, out)
