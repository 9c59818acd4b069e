"""Sparse codes from inner products only: the Gram matrix of the atoms is computed once for any number of codes."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.kernels.compiling import njit

Floats = npt.NDArray[np.float64]
_MOST_ROUNDS = 20  # per atom; a code of k atoms takes little more than k
_SETTLED = 1e-9  # of the penalty: the tolerance of optimality conditions
_DEPENDENT = 1e-10  # of an atom's square: the smallest residual assumed given the others


@njit(nogil=True, cache=True, error_model="numpy")
def _solved(gram, products, penalty, signs, active, n_active, factor, target):
    """Solve for the active atoms with their signs held, by Cholesky."""
    for a in range(n_active):
        target[a] = products[active[a]] - penalty * signs[a]
        for c in range(a + 1):
            value = gram[active[a], active[c]]
            for k in range(c):
                value -= factor[a, k] * factor[c, k]
            if a > c:
                factor[a, c] = value / factor[c, c]
            else:
                # The residual of a dependent atom is rounding; a slightly larger value lets the others adapt.
                factor[a, a] = sqrt(max(value, _DEPENDENT * gram[active[a], active[a]]))
    for a in range(n_active):
        for c in range(a):
            target[a] -= factor[a, c] * target[c]
        target[a] /= factor[a, a]
    for a in range(n_active - 1, -1, -1):
        for c in range(a + 1, n_active):
            target[a] -= factor[c, a] * target[c]
        target[a] /= factor[a, a]


@njit(nogil=True, cache=True, error_model="numpy")
def _settled(gram, products, penalty, code, signs, active, n_active, factor, target):
    """Move to the best code of the active atoms, dropping those whose sign would change; return the number left."""
    while n_active:
        _solved(gram, products, penalty, signs, active, n_active, factor, target)
        share, first = 1.0, -1
        for a in range(n_active):
            if target[a] * signs[a] <= 0.0:
                there = code[active[a]] / (code[active[a]] - target[a])
                if first < 0 or there < share:
                    share, first = there, a
        for a in range(n_active):
            code[active[a]] += share * (target[a] - code[active[a]])
        if first < 0:
            return n_active
        code[active[first]] = 0.0
        for a in range(first, n_active - 1):
            active[a], signs[a] = active[a + 1], signs[a + 1]
        n_active -= 1
    return 0


@njit(nogil=True, cache=True, error_model="numpy")
def _solve(gram, products, penalty, code, signs, active, factor, target, most):
    """Add the atom with the largest violation of its condition, settle, and repeat until there is none."""
    n = gram.shape[0]
    n_active = 0
    code[:] = 0.0
    for _ in range(most):
        worst, chosen, sign = penalty * (1.0 + _SETTLED), -1, 1.0
        for j in range(n):
            if code[j] != 0.0:
                continue
            slope = products[j]
            for a in range(n_active):
                slope -= gram[j, active[a]] * code[active[a]]
            if abs(slope) > worst:
                worst, chosen, sign = abs(slope), j, 1.0 if slope > 0.0 else -1.0
        if chosen < 0:
            return True
        active[n_active], signs[n_active] = chosen, sign
        n_active = _settled(gram, products, penalty, code, signs, active, n_active + 1, factor, target)
    return False


@njit(allocates=True, nogil=True, cache=True, error_model="numpy")
def fill_codes(gram, products, penalty, most, out):
    """Fill in the codes of all products; return the index of one that did not converge, or −1."""
    n = gram.shape[0]
    signs, active = np.empty(n + 1), np.empty(n + 1, np.intp)
    factor, target = np.empty((n + 1, n + 1)), np.empty(n + 1)
    for i in range(products.shape[0]):
        if not _solve(gram, products[i], penalty, out[i], signs, active, factor, target, most):
            return i
    return -1


@njit(allocates=True, nogil=True, cache=True, error_model="numpy")
def fill_unexplained(gram, products, squares, codes, owners, out):
    """Fill in the residuals of the atoms of each owner."""
    n = gram.shape[0]
    used = np.empty(n, np.intp)
    for i in range(products.shape[0]):
        out[i, :] = squares[i]
        n_used = 0
        for j in range(n):
            if codes[i, j] != 0.0:
                used[n_used] = j
                n_used += 1
        for a in range(n_used):
            j = used[a]
            out[i, owners[j]] -= 2.0 * codes[i, j] * products[i, j]
            for c in range(n_used):
                k = used[c]
                if owners[k] == owners[j]:
                    out[i, owners[j]] += codes[i, j] * codes[i, k] * gram[j, k]


def sparse_codes(gram: Floats, products: Floats, penalty: float) -> tuple[Floats, int]:
    """Minimise ½|y − Dx|² + λ|x|₁ for every row y, given D'D and the products of y with the atoms.

    Returns
    -------
    tuple
        Codes, rows × atoms, and the first row that did not converge, or -1.
    """
    codes = np.zeros(products.shape)
    failed = fill_codes(gram, products, float(penalty), _MOST_ROUNDS * (len(gram) + 1), codes)
    return codes, int(failed)


def unexplained(
    gram: Floats, products: Floats, squares: Floats, codes: Floats, owners: npt.NDArray[Any], n_classes: int
) -> Floats:
    """Squared residual of each row from the atoms of each class, given its code: rows × classes."""
    out = np.empty((len(products), n_classes))
    fill_unexplained(gram, products, squares, codes, owners, out)
    return out
