"""Factors on the weights of units: one unit of a stratum by rows of orthogonal arrays, or contrasts where there is no array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.designs.strata import Floats, Strata
from proband.designs.stratified import ReplicatePart
from proband.errors import DesignError
from proband.words import count

_MOST_CELLS = 1 << 31  # of an orthogonal array that is made whole


def has_arrays(size: int) -> bool:
    """Whether there are orthogonal arrays of so many symbols: of prime powers.

    Examples
    --------
    >>> [size for size in range(2, 16) if not has_arrays(size)]
    [6, 10, 12, 14, 15]
    """
    from proband.arrays.polynomials import prime_power

    return prime_power(size) is not None


def require_cells(cells: int, size: int, n_strata: int) -> None:
    """Refuse arrays that are too large to be made.

    Examples
    --------
    >>> require_cells(1000, 2, 10)
    """
    if cells > _MOST_CELLS:
        raise DesignError(
            f"{count(n_strata)} strata of {size} units need an array too large to evaluate replicates one by one.",
            "rates need none unless sample is given; for other measures use RaoWu() or some of the people.",
        )


@dataclass(frozen=True, eq=False)
class _Contrasted:
    """Factors of replicates that move the weights of units along contrasts, turned by the rows of a Hadamard matrix."""

    signs: npt.NDArray[np.int8]
    contrasts: Floats
    units: npt.NDArray[np.intp]
    n: int

    def __call__(self, start: int, stop: int) -> Floats:
        made = np.ones((stop - start, self.n))
        directions = self.contrasts.shape[1]
        turned = self.signs[start:stop].reshape(stop - start, -1, directions) @ self.contrasts.T
        made[:, self.units] += turned.reshape(stop - start, -1)[:, : len(self.units)]
        return made


def contrast_part(strata: Strata, own: npt.NDArray[np.intp], size: int, shrink: float) -> ReplicatePart:
    """Replicates of some strata along orthonormal contrasts of their units; all other strata keep their weights.

    With H a Hadamard matrix, each stratum has n − 1 columns x of it and the Helmert contrasts U of n units: c = Ux has Σ_α c_i c_j =
    k(δ_ij − 1/n) within a stratum and 0 between two, which is what balance means. ε keeps all weights from falling below 0.

    Examples
    --------
    Two strata of six units: the variance of a mean is the textbook one.

    >>> strata, y = Strata.of([1] * 6 + [2] * 6), np.arange(12.0) ** 2
    >>> part = contrast_part(strata, np.arange(2), 6, 1.0)
    >>> factors = part.factors(0, part.n_replicates)
    >>> apart = factors @ (strata.unit_weights * y) - strata.mean(y)
    >>> part.n_replicates, bool(factors.min() > -1e-12), round(float(part.scale @ apart**2), 8)
    (12, True, 46.41388889)
    >>> strata.textbook_variance(y).round(8)
    array([46.41388889])
    """
    from proband.arrays import hadamard, smallest_hadamard

    directions = size - 1
    order = smallest_hadamard(len(own) * directions)
    require_cells(order * len(own) * size, size, len(own))
    steps = np.arange(1, size)
    helmert = np.where(
        np.arange(size)[:, None] < steps, 1.0, np.where(np.arange(size)[:, None] == steps, -steps, 0.0)
    )
    helmert /= np.sqrt(steps * (steps + 1.0))
    reach = shrink / float(np.abs(helmert).sum(axis=1).max())
    column = np.full(len(strata), len(own))
    column[own] = np.arange(len(own))
    order_of_units = np.lexsort((strata.places, column[strata.codes]))[: len(own) * size]
    signs = hadamard(order)[:, 1 : len(own) * directions + 1]
    scale = size / (order * directions * reach**2)
    return ReplicatePart(
        order, _Contrasted(signs, reach * helmert, order_of_units, len(strata.codes)), np.full(order, scale)
    )


@dataclass(frozen=True, eq=False)
class _Rows:
    """Some of the rows that make factors."""

    factors: _Chosen | _Contrasted
    rows: npt.NDArray[np.intp]

    def __call__(self, start: int, stop: int) -> Floats:
        return np.concatenate([self.factors(int(row), int(row) + 1) for row in self.rows[start:stop]])


def some_of(part: ReplicatePart, rows: npt.NDArray[np.intp]) -> ReplicatePart:
    """Some replicates of a part, which count for all.

    Examples
    --------
    >>> whole = array_part(Strata.of([1, 1]), np.arange(1), 2, np.array([[0], [1]]), 1.0)
    >>> part = some_of(whole, np.array([1]))
    >>> part.factors(0, 1), part.scale
    (array([[0., 2.]]), array([1.]))
    """
    factors: Any = part.factors
    return ReplicatePart(len(rows), _Rows(factors, rows), part.scale[rows] * part.n_replicates / len(rows))


@dataclass(frozen=True, eq=False)
class _Chosen:
    """Factors of replicates that take unit ``rows[α, h]`` of each stratum."""

    rows: npt.NDArray[np.integer[Any]]
    at: npt.NDArray[np.intp]
    symbol: npt.NDArray[np.intp]
    units: npt.NDArray[np.intp]
    n: int
    size: int
    shrink: float

    def __call__(self, start: int, stop: int) -> Floats:
        made = np.ones((stop - start, self.n))
        chosen = self.rows[start:stop][:, self.at] == self.symbol
        made[:, self.units] = 1.0 + self.shrink * (self.size * chosen - 1.0)
        return made


def array_part(
    strata: Strata,
    own: npt.NDArray[np.intp],
    size: int,
    rows: npt.NDArray[np.integer[Any]],
    shrink: float,
) -> ReplicatePart:
    """Replicates that take unit ``rows[α, h]`` of each of some strata; all other strata keep their weights.

    Examples
    --------
    >>> array_part(Strata.of([1, 1]), np.arange(1), 2, np.array([[0], [1]]), 1.0).factors(0, 2)
    array([[2., 0.],
           [0., 2.]])
    """
    column = np.full(len(strata), -1)
    column[own] = np.arange(len(own))
    units = np.flatnonzero(column[strata.codes] >= 0)
    at, symbol = column[strata.codes[units]], strata.places[units]
    scale = 1.0 / (len(rows) * (size - 1) * shrink**2)
    return ReplicatePart(
        len(rows),
        _Chosen(rows, at, symbol, units, len(strata.codes), size, shrink),
        np.full(len(rows), scale),
    )
