"""How many people carry a variance over people, and that variance where errors are between two of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from proband.errors import UsageError
from proband.inference.verification.people.meetings import Ints, Meetings
from proband.words import Note, Sentence

Floats = npt.NDArray[np.float64]
FEWEST_CARRIERS = 2.0  # people who carry a variance: nobody errs alone
FEWEST = 4  # people without whom the variance over people has no unbiased estimate
TOO_FEW = Sentence(
    "rates.too-few-people",
    "caution",
    "too few people to estimate the variation between them, so the interval covers the whole range",
)
FEW_CARRIERS = 3.0  # degrees of freedom below which one person carries the variance
_FEW_CARRIED = Sentence(
    "rates.few-carry",
    "caution",
    "the variance comes from effectively {carry:whole} of {people:count} people, too few for a reliable interval",
)


def few_carry(carriers: float, people: int) -> Note:
    """Say that an interval is not supported, because few people carry what varies."""
    return _FEW_CARRIED(carry=carriers, people=people)


def sees_people(comparisons: Meetings) -> bool:
    """Whether there are people enough, and not one in all comparisons, to see how they differ."""
    by_subject = comparisons.n_by_subject
    return int(np.count_nonzero(by_subject)) >= FEWEST and int(by_subject.max()) < comparisons.n_impostor


def variance_over_people(
    rate: npt.ArrayLike, squares: npt.ArrayLike, of_pairs: npt.ArrayLike, n: int, factor: float = 1.0
) -> Any:
    """Find the variance of a rate of errors between people from the squares of people's totals and of pairs of people.

    It is `factor` times the plug-in of Fogliato et al. (2024), [Σ_i (Σ_j ẽ_ij)² − Σ_{i<j} ẽ_ij²] / n², and no less than if
    pairs of people were independent, nor than if all comparisons were; of arrays, one for each of their entries.
    """
    rate, squares, of_pairs = (np.asarray(one, dtype=np.float64) for one in (rate, squares, of_pairs))
    plug_in = factor * (squares - of_pairs) / n**2
    least = np.maximum(of_pairs / n**2, rate * (1 - rate) / n)
    made = np.maximum(plug_in, least)
    return float(made) if made.ndim == 0 else made


def small_sample(n_subjects: int) -> float:
    """Return the factor that makes the plug-in variance unbiased, where everybody has as many images.

    S(S − 1)/((S − 2)(S − 3)) for S people: the plug-in of Fogliato et al. (2024) subtracts the estimated rate, which takes
    degrees of freedom.
    """
    return n_subjects * (n_subjects - 1) / ((n_subjects - 2) * (n_subjects - 3))


def effective_people(totals: Floats) -> float:
    """Find how many people, sharing alike, would carry a variance to which each adds the square of a total.

    With t_i a person's total, (Σ t_i²)²/Σ t_i⁴: one over the sum of squared shares (Simpson's index), as the degrees of freedom
    of that variance: at least 2, because nobody errs alone, and fewer than there are people.
    """
    squares = totals**2
    of_squares = float((squares**2).sum())
    most = float(len(squares) - 1)
    return min(max(FEWEST_CARRIERS, float(squares.sum()) ** 2 / of_squares), most) if of_squares > 0 else most


def squares_of_pairs(first: Ints, second: Ints, rate: float, comparisons: Meetings) -> float:
    """Sum ẽ_ij² over pairs of people, Σ_{i<j} ẽ_ij²: those without an error are in the closed form, never listed."""
    keys, counts = np.unique(first * comparisons.n_subjects + second, return_counts=True)
    between = comparisons.n_between(keys // comparisons.n_subjects, keys % comparisons.n_subjects)
    if (counts > between).any():
        raise UsageError(
            "A pair of people has more false matches than comparisons.", "list every comparison once."
        )
    errors = counts.astype(np.float64)
    return float((errors * (errors - 2 * rate * between)).sum() + rate**2 * comparisons.sum_of_squares)
