"""What few people show, averaged with what is supposed of them: variances and correlations are moderated in this one way.

How well it was seen is a matter of who carries it (`carriers_freedom`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Number = TypeVar("Number", float, Floats)

# Degrees of freedom (or people) as if with which what is supposed had been seen, each found by simulation.
OF_PEOPLE = 3.0
"""Rates over people: shares that three people carry are then covered in 90 % and more."""
OF_UNITS = 2.0
"""Shares of units within strata: people within strata then cover 94 % and more."""
OF_CURVES = 2.0
"""Rates at all ranks at once, where the few misses left are those of the hardest people."""
OF_PAIRS = 0.4
"""AUC and EER over people, whose supposed variance is itself a guess about pairs."""


def carriers_freedom(second: Floats, fourth: Floats, n_people: float) -> Floats:
    """Find the degrees of freedom ν = 2S/(1 − S/K) that the people who carry a variance leave, S = (Σe²)²/Σe⁴; at least one.

    They match the variance of Σe² to that of a χ²: for normal residuals S is about K/3 and ν about K.
    """
    carriers = np.divide(second**2, fourth, out=np.full_like(second, n_people), where=fourth > 0)
    share = carriers / n_people
    alike: Floats = np.full_like(second, np.inf)
    np.divide(2 * carriers, 1 - share, out=alike, where=share < 1 - 1e-12)
    return np.maximum(alike, 1.0)


def averaged(seen: Number, known_with: Number, supposed: Number, worth: float) -> Number:
    """Average what was seen, with so many degrees of freedom, and what is supposed, as if that had been seen with `worth` (Smyth 2004)."""
    return (known_with * seen + worth * supposed) / (known_with + worth)


def moderated_variance(variance: Number, known_with: Number, supposed: Number, worth: float) -> Number:
    """Average a variance with the one that is supposed, where that is larger: those who would show it are easily not among few people."""
    larger: Number = np.maximum(variance, supposed)
    return averaged(variance, known_with, larger, worth)


def lent(shown: Sequence[float], carriers: Sequence[float], supposed: float) -> float:
    """Find what others lend: the mean of what each shows, by the people who carry it, moderated as if three more had shown what is supposed.

    They may be of the same people, so that together they count as much as the one that most people carry.
    """
    weights = np.asarray(carriers, dtype=np.float64)
    mean = float(weights @ np.asarray(shown, dtype=np.float64) / weights.sum())
    return averaged(mean, float(weights.max()), supposed, OF_PEOPLE)
