"""Results from outcomes of items: the rate of one system, and comparisons of several."""

from __future__ import annotations

from dataclasses import dataclass, field

from proband.engine.arguments import published
from proband.inference.comparisons.comparison import Standings, verdict_lines
from proband.results.base import Answers, Confidence
from proband.results.difference import Difference, Unit
from proband.results.estimate import Estimate
from proband.results.serializing import Written
from proband.words import Note, counted


@published
@dataclass(frozen=True, eq=False)
class OutcomeComparison(Standings):
    """A comparison of several systems on the same items.

    Attributes
    ----------
    estimates
        The rate of each system with its interval.
    pairs
        Every pair of systems, in the given order.
    margin
        The smallest difference that matters.
    unit
        The independent unit.
    larger_is_better
        Always true: more successes are better.
    confidence_level, answers, notes
        The level of the intervals; the meaning of the differences; and notes.

    Examples
    --------
    >>> from proband import compare_outcomes
    >>> found = compare_outcomes({"old": [1, 0, 1, 0] * 10, "new": [1, 1, 1, 0] * 10}, algorithms=["old", "new"])
    >>> found.places(), found.pairs[0].verdict
    ({'old': (2, 2), 'new': (1, 1)}, 'worse')
    """

    written = Written(also=("tie_groups", "places"), without=("larger_is_better",))

    estimates: tuple[Estimate, ...]
    pairs: tuple[Difference, ...]
    margin: float
    unit: Unit
    confidence_level: Confidence
    answers: Answers
    notes: tuple[Note, ...]
    larger_is_better: bool = field(default=True, init=False)

    def __repr__(self) -> str:
        heading = f"OutcomeComparison({counted(len(self.estimates), 'system')}, {self.answers.of}):"
        return "\n".join([heading, *verdict_lines(self)])
