"""The meaning of small integers in kernels, and the arrays that kernels fill."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]

OK, DONT_CARE, FAILED = 0, 1, 2
"""A cell: compared; not to be counted either way; the comparison failed."""

RANKED, NO_MATE, NO_SCORE = 0, 1, 2
"""A probe: has a rank; every mate is a don't-care cell; every mate's comparison failed."""

COSINE, INNER, L2, L1, CHI2 = 0, 1, 2, 3, 4
"""How vectors are compared."""

SCREEN_LANES = 16
"""The partial sums of a quick inner product, on which its rounding depends."""


def empty_cells(n_rows: int) -> npt.NDArray[np.uint8]:
    """Make the cell codes that mean that every cell has a score."""
    return np.empty((n_rows, 0), dtype=np.uint8)


def new_counts(n: int) -> tuple[Counts, Counts, Counts, npt.NDArray[Any]]:
    """Make the arrays that the counting kernels fill: closer, tied, best_mates, status."""
    return (
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.uint8),
    )
