"""Adjusting p-values for the number of comparisons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values by Holm's step-down method (1979), which holds whatever their dependence.

    In ascending order p_(i) becomes the largest of (m − j + 1) p_(j) over j ≤ i, and at most 1.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]
