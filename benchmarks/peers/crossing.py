"""The equal error rate of a curve that a peer gives, all its points or the corners alone."""

from __future__ import annotations

import numpy as np


def equal_error_rate(fmr: np.ndarray, fnmr: np.ndarray) -> float:
    """Where the line through the points has FMR = FNMR; of steps that is exact to one comparison.

    Examples
    --------
    >>> equal_error_rate(np.array([0.0, 0.2, 0.2, 1.0]), np.array([1.0, 1.0, 0.1, 0.0]))
    0.2
    """
    if fmr[0] > fmr[-1]:
        fmr, fnmr = fmr[::-1], fnmr[::-1]
    after = max(1, int(np.argmax(fmr >= fnmr)))
    before = after - 1
    short, past = fnmr[before] - fmr[before], fmr[after] - fnmr[after]
    return float(fmr[before] + (fmr[after] - fmr[before]) * short / (short + past))
