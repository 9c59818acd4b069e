"""What outcomes of items show: a rate of one system, and several systems compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from proband.engine.arguments import published
from proband.inference.comparisons.comparison import Standings, verdict_lines
from proband.results.base import Answers, Confidence, Count, Rate, Result
from proband.results.difference import Difference, Unit
from proband.results.estimate import ByPerson
from proband.results.serializing import Written
from proband.words import Method, Note, counted, fixed, interval, level


@dataclass(frozen=True)
class OutcomeFacts:
    """What a rate was counted from.

    Attributes
    ----------
    algorithm
        The system, or the model.
    n_items, n_units
        Items, and how many independent units they make.
    unit
        What is drawn anew: ``item`` or ``cluster``, ``sample`` or ``group``.
    columns
        What tables show of it.
    """

    columns: ClassVar[tuple[str, ...]] = ("algorithm", "n_items", "n_units")
    algorithm: str
    n_items: Count
    n_units: Count
    unit: Unit

    @property
    def size(self) -> int:
        """What successes are out of."""
        return self.n_items


@published
@dataclass(frozen=True)
class OutcomeRate(Result):
    """A rate of one system with its interval.

    Attributes
    ----------
    measure
        What it is a rate of: ``success``; ``top-1``, ``macro-top-1``; ``recall``.
    value, low, high
        The rate and the ends of its interval.
    confidence_level, standard_error, degrees_of_freedom
        Of the interval, and what it rests on; None for a normal quantile.
    events
        The successes behind it; None for an average of classes.
    effective_n
        How many independent items would tell as much.
    by_unit
        For a share of items, the same with units weighing the same, where they hold different numbers of items.
    design, answers, facts, notes
        How the interval was made, what it means, what it was counted from, and what a reader should know.
    """

    measure: str
    value: Rate
    low: Rate
    high: Rate
    confidence_level: Confidence
    standard_error: float
    degrees_of_freedom: float | None
    events: float | None
    effective_n: float
    by_unit: ByPerson | None
    design: Method
    answers: Answers
    facts: OutcomeFacts
    notes: tuple[Note, ...] = ()

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return (
            f"{self.facts.algorithm}: {self.answers.of} {fixed(self.value)}, {level(self.confidence_level)} "
            f"{interval(self.low, self.high)}, varying {self.answers.varying}"
        )


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
    >>> found = compare_outcomes({"old": [1, 0, 1, 0] * 10, "new": [1, 1, 1, 0] * 10}, systems=["old", "new"])
    >>> found.places(), found.pairs[0].verdict
    ({'old': (2, 2), 'new': (1, 1)}, 'worse')
    """

    written = Written(also=("tie_groups", "places"), without=("larger_is_better",))

    estimates: tuple[OutcomeRate, ...]
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
