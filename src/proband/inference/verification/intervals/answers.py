"""What intervals over people answer: what varies behind them, what is held fixed and what is assumed."""

from __future__ import annotations

from proband.results.base import Answers
from proband.results.targets import (
    ALGORITHMS,
    OTHER_PAIRS,
    OTHER_PEOPLE_AND_THRESHOLD,
    PAIRS_INDEPENDENT,
    PEOPLE_ALIKE,
)
from proband.words import Target

PEOPLE_SHARED = Target(
    "people-alike-and-shared",
    "people are independent and identically distributed; comparisons that share a person are not independent",
)
THRESHOLD = Target("threshold", "the algorithm and the threshold")


def answers_of_verification(
    of: Target, varying: Target = OTHER_PEOPLE_AND_THRESHOLD, *, people: bool = True
) -> Answers:
    """Say what is varied and held fixed: other people, and with them the threshold, unless it is said otherwise.

    Where people are not known it is pairs that vary, and they are assumed independent.
    """
    if not people:
        return Answers(of, OTHER_PAIRS, ALGORITHMS, PAIRS_INDEPENDENT)
    return Answers(of, varying, ALGORITHMS, PEOPLE_ALIKE)
