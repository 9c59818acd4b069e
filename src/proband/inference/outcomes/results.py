"""What outcomes of items show: a rate of one system, and several systems compared."""

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
    """Several systems on the same items.

    Attributes
    ----------
    estimates
        Each system's rate with its interval.
    pairs
        Every two of them, in the order given.
    margin
        What counts as a difference worth having.
    unit
        What is drawn anew.
    larger_is_better
        More successes are.
    confidence_level, answers, notes
        Of the intervals; what the differences mean, and what a reader should know.

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
