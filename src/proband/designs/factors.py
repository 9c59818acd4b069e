"""Factors on unit weights: one unit per stratum by rows of orthogonal arrays, or half of the units by balanced splits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.designs.strata import Floats, Strata
from proband.designs.stratified import ReplicatePart
from proband.errors import DesignError
from proband.words import count

_MOST_CELLS = 1 << 31  # of an orthogonal array constructed as a whole


def has_arrays(size: int) -> bool:
    """Whether `orthogonal_array` makes arrays with `size` symbols, which must be a prime power."""
    from proband.arrays.polynomials import prime_power

    return prime_power(size) is not None


def require_cells(cells: int, size: int, n_strata: int) -> None:
    """Refuse arrays that are too large to construct."""
    if cells > _MOST_CELLS:
        raise DesignError(
            f"{count(n_strata)} strata of {size} units need an array that is too large to evaluate "
            "replicate by replicate.",
            "use a rate without sample=, which needs no array; for other measures use RaoWu() or fewer "
            "people.",
        )


@dataclass(frozen=True, eq=False)
class _Halved:
    """Factors of replicates that split strata into halves; rows of a Hadamard matrix select the half of each split."""

    signs: npt.NDArray[np.int8]
    splits: Floats
    units: npt.NDArray[np.intp]
    n: int

    def __call__(self, start: int, stop: int) -> Floats:
        made = np.ones((stop - start, self.n))
        row, split = np.divmod(np.arange(start, stop), len(self.splits))
        moved = self.signs[row][:, :, None] * self.splits[split][:, None, :]
        made[:, self.units] += moved.reshape(stop - start, -1)
        return made


def n_replicates_of(size: int, n_strata: int) -> int:
    """Number of replicates that balance strata of `size` units: rows of an array, or splits into halves."""
    from proband.arrays import n_replicates, smallest_hadamard

    if has_arrays(size):
        return n_replicates(size, n_strata)
    return smallest_hadamard(n_strata) * (smallest_hadamard(size - 1) - 1)


def half_part(strata: Strata, own: npt.NDArray[np.intp], size: int, shrink: float) -> ReplicatePart:
    """Make replicates with about half of the units of some strata; all other strata keep their weights.

    The rows of a Hadamard matrix of order m, without the first and cut to n columns, split n units so that c, the signs minus their mean,
    has Σ c_i c_j = m(δ_ij − 1/n): an orthogonal multi-array (Sitter 1993), with halves of equal size where n = m. Each split
    is combined with every row of a second matrix, whose columns set its sign in each stratum and balance the strata. Factors are 1 ± εc, with
    the largest ε for which none is below 0.
    """
    from proband.arrays import hadamard, smallest_hadamard

    m = smallest_hadamard(size - 1)
    splits = hadamard(m)[1:, :size].astype(np.float64)
    splits -= splits.mean(axis=1, keepdims=True)
    reach = shrink / float(np.abs(splits).max())
    order = smallest_hadamard(len(own))
    n_replicates = order * len(splits)
    require_cells(n_replicates * len(own) * size, size, len(own))
    column = np.full(len(strata), len(own))
    column[own] = np.arange(len(own))
    order_of_units = np.lexsort((strata.places, column[strata.codes]))[: len(own) * size]
    signs = hadamard(order)[:, 1 : len(own) + 1]
    scale = size / ((size - 1) * reach**2 * m * order)
    factors = _Halved(signs, reach * splits, order_of_units, len(strata.codes))
    return ReplicatePart(n_replicates, factors, np.full(n_replicates, scale))


@dataclass(frozen=True, eq=False)
class _FactorRows:
    """A selection of rows of factors."""

    factors: _Chosen | _Halved
    rows: npt.NDArray[np.intp]

    def __call__(self, start: int, stop: int) -> Floats:
        return np.concatenate([self.factors(int(row), int(row) + 1) for row in self.rows[start:stop]])


def some_of(part: ReplicatePart, rows: npt.NDArray[np.intp]) -> ReplicatePart:
    """A subset of the replicates of a part, rescaled to represent all."""
    factors: Any = part.factors
    return ReplicatePart(
        len(rows), _FactorRows(factors, rows), part.scale[rows] * part.n_replicates / len(rows)
    )


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
    """Make replicates with unit ``rows[α, h]`` of each of some strata; all other strata keep their weights."""
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
