"""An error rate with its interval, and how many errors it takes to support one."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from proband.inference.proportions import Interval
from proband.inference.verification.intervals.answers import PEOPLE_SHARED, THRESHOLD
from proband.measures.base import weighing
from proband.measures.verification import SUPPORTED
from proband.results.about import NOBODY, RestsOn
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.results.targets import OTHER_PEOPLE_COMPARED
from proband.words import Method, Note, Sentence, Target

TOO_FEW_ERRORS = (
    10  # below, intervals were simulated to be rough; where 30 are expected so few are rarely seen
)
ENOUGH_ERRORS = 2  # errors, and others, from which on they show themselves whether they come together
_NOT_SUPPORTED = Sentence(
    "rates.not-supported",
    "caution",
    "the rate is based on {n:count error}; at least {supported:count} are needed for a reliable interval",
)
_FEW_ERRORS = Sentence(
    "rates.few-errors",
    "note",
    "the rate is based on {n:count error}, fewer than the {usual:count} of the rule of 30; the interval "
    "accounts for this",
)


class ErrorKind(NamedTuple):
    """What an error rate is of.

    Attributes
    ----------
    rate, comparisons
        What it measures at a threshold that is held fixed, and what it is counted among.
    """

    rate: Target
    comparisons: str

    def answers(self, varying: Target = OTHER_PEOPLE_COMPARED, assuming: Target = PEOPLE_SHARED) -> Answers:
        """What an interval at a threshold that is held fixed answers."""
        return Answers(self.rate, varying, THRESHOLD, assuming)


FALSE_MATCHES = ErrorKind(Target("fmr", "false match rate at this threshold"), "impostor comparison")
FALSE_NON_MATCHES = ErrorKind(Target("fnmr", "false non-match rate at this threshold"), "genuine comparison")


@dataclass(frozen=True)
class ZeroErrorBounds:
    """What no error in `n` comparisons says: bounds of the rate that would seldom be this lucky, under two assumptions.

    Attributes
    ----------
    independent
        If all comparisons were independent: the exact 1 − α^(1/n). They are not, so this is the least the bound can be.
    rule_of_three
        Its usual approximation, −ln α / n: 3 / n at 95 %.
    disjoint
        From one comparison of each of `n_disjoint` pairs of people of whom nobody is in two (for genuine comparisons: one of
        each person). These are independent, so this bound can be relied on.
    n, n_disjoint, confidence_level
        Comparisons, those that share nobody, and the level of the bounds.
    """

    n: int
    n_disjoint: int
    independent: float
    rule_of_three: float
    disjoint: float
    confidence_level: float


def has_few_errors(rate: Estimate) -> bool:
    """Whether fewer than two errors, or fewer than two of anything else, do not show how alike the comparisons of a person are."""
    counted = rate.rests_on
    return counted.n_units is not None and min(counted.n_events, counted.n - counted.n_events) < ENOUGH_ERRORS


def rate_interval(
    of: ErrorKind,
    errors: int,
    n: int,
    people: int | None,
    ends: Interval,
    n_effective: float,
    freedom: float | None,
    method: Method,
    confidence_level: float,
    notes: tuple[Note, ...],
    answers: Answers | None = None,
) -> Estimate:
    """Make a rate of errors with the ends of its interval, and say where they are too few to support one."""
    rate, supported = errors / n, errors >= SUPPORTED
    if errors < TOO_FEW_ERRORS:
        notes = (_NOT_SUPPORTED(n=errors, supported=TOO_FEW_ERRORS), *notes)
    elif not supported:
        notes = (_FEW_ERRORS(n=errors, usual=SUPPORTED), *notes)
    return Estimate(
        who=NOBODY,
        value=rate,
        low=ends.low,
        high=ends.high,
        confidence_level=confidence_level,
        standard_error=sqrt(rate * (1 - rate) / n_effective),
        degrees_of_freedom=freedom,
        rests_on=RestsOn(n, of.comparisons, errors, people, "" if people is None else "person", n_effective),
        supported=supported,
        method=method,
        answers=answers or of.answers(),
        notes=notes,
    )


def by_person_of(
    of: ErrorKind,
    rate: float,
    ends: Interval,
    standard_error: float,
    freedom: float,
    people: int,
    method: Method,
    confidence_level: float,
) -> Estimate:
    """Make an error rate in which every person (for false matches: every two people) weighs the same."""
    answers = of.answers()
    return Estimate(
        who=NOBODY,
        value=rate,
        low=ends.low,
        high=ends.high,
        confidence_level=confidence_level,
        standard_error=standard_error,
        degrees_of_freedom=freedom,
        rests_on=RestsOn(n_units=people, unit="person"),
        method=method,
        answers=Answers(weighing("person", answers.of), answers.varying, answers.fixed, answers.assuming),
    )
