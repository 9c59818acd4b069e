"""NumPy versions for small jobs, which take less time than loading compiled kernels. The counts are the same."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from proband.kernels.codes import FAILED, NO_MATE, NO_SCORE, OK, RANKED

_MOST_CELLS = 1 << 23  # cells that NumPy counts faster than numba loads
_COMPILED = "proband.kernels.counting"


class _Spared:
    """The number of cells counted without compiled kernels in this process."""

    cells = 0


def images_counter(n_cells: int) -> Callable[..., None]:
    """Choose the function that counts images in a tile of `n_cells`: compiled, unless too few to load numba."""
    if _COMPILED not in sys.modules:
        _Spared.cells += n_cells
        if _Spared.cells <= _MOST_CELLS:
            return count_images
    from proband.kernels import counting

    compiled: Callable[..., None] = counting.count_images
    return compiled


def count_images(
    tile: Any, cells: Any, sign: Any, mate_starts: Any, mates: Any, closer: Any, tied: Any, best_mates: Any, status: Any
) -> None:  # fmt: skip
    """Count gallery images in a tile of whole rows, as the compiled kernel of this name does."""
    masked = bool(cells.shape[1])
    for i, row in enumerate(tile):
        values = row * sign
        own = mates[mate_starts[i] : mate_starts[i + 1]]
        if masked:
            usable = own[cells[i, own] == OK]
            rivals = values[cells[i] == OK]
        else:
            usable, rivals = own, values
        if not len(usable):
            status[i] = NO_SCORE if masked and (cells[i, own] == FAILED).any() else NO_MATE
            continue
        scores = values[usable]
        best = scores.max()
        status[i] = RANKED
        best_mates[i] = np.count_nonzero(scores == best)
        closer[i] = np.count_nonzero(rivals > best)
        tied[i] = np.count_nonzero(rivals == best) - best_mates[i]
