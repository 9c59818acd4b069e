"""An error rate with its interval, and how many errors it takes to support one."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from proband.inference.proportions import Interval
from proband.measures.verification import SUPPORTED
from proband.results.base import Confidence, Count, Result
from proband.words import Method, Note, Sentence

TOO_FEW_ERRORS = (
    10  # below, intervals were simulated to be rough; where 30 are expected so few are rarely seen
)
ENOUGH_ERRORS = 2  # errors, and others, from which on they show themselves whether they come together
_NOT_SUPPORTED = Sentence(
    "rates.not-supported",
    "caution",
    "the rate rests on {n:count error}; fewer than {supported:count} do not support an interval",
)
_FEW_ERRORS = Sentence(
    "rates.few-errors",
    "note",
    "the rate rests on {n:count error}, fewer than the {usual:count} of the rule of 30; its interval allows for that",
)


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


@dataclass(frozen=True)
class PersonRate(Result):
    """An error rate in which every person (for false matches: every two people) weighs the same.

    Attributes
    ----------
    rate, low, high
        The mean of the people's own rates, and its interval over other people.
    standard_error, degrees_of_freedom
        Of the rate.
    """

    rate: float
    low: float
    high: float
    standard_error: float
    degrees_of_freedom: float


@dataclass(frozen=True)
class RateInterval(Result):
    """An error rate with its interval.

    Attributes
    ----------
    rate, errors, n
        The share of errors, their number and the number of comparisons.
    low, high
        The ends of the interval.
    standard_error
        Of the rate; with no errors, or errors only, nothing varies and it is 0.
    n_effective
        The number of independent comparisons that would tell as much.
    n_subjects
        The people who take part in a comparison, where that is known.
    degrees_of_freedom
        Of the Student quantile used; None for a normal one or none.
    supported
        Whether there are at least 30 errors (the rule of 30). A note says so of fewer, and a caution of fewer than ten.
    method, notes
        How the interval was made, and what else a reader should know.
    zero_errors
        Where there is no error (or nothing else): what that says under either assumption.
    by_person
        Where people have different numbers of comparisons: the rate in which each weighs the same. None where they have as many,
        or nothing varies.
    confidence_level
        Of the interval.
    """

    rate: float
    errors: Count
    n: Count
    low: float
    high: float
    standard_error: float
    n_effective: float
    n_subjects: Count | None
    degrees_of_freedom: float | None
    supported: bool
    method: Method
    confidence_level: Confidence
    notes: tuple[Note, ...] = ()
    zero_errors: ZeroErrorBounds | None = None
    by_person: PersonRate | None = None

    @property
    def few_errors(self) -> bool:
        """Whether fewer than two errors, or fewer than two of anything else, do not show how alike the comparisons of a person are."""
        return self.n_subjects is not None and min(self.errors, self.n - self.errors) < ENOUGH_ERRORS


def rate_interval(
    errors: int,
    n: int,
    people: int | None,
    ends: Interval,
    n_effective: float,
    freedom: float | None,
    method: Method,
    confidence_level: float,
    notes: tuple[Note, ...],
    zero_errors: ZeroErrorBounds | None = None,
) -> RateInterval:
    """Make a rate of errors with the ends of its interval, and say where they are too few to support one."""
    rate, supported = errors / n, errors >= SUPPORTED
    if errors < TOO_FEW_ERRORS:
        notes = (_NOT_SUPPORTED(n=errors, supported=TOO_FEW_ERRORS), *notes)
    elif not supported:
        notes = (_FEW_ERRORS(n=errors, usual=SUPPORTED), *notes)
    return RateInterval(
        rate=rate,
        errors=errors,
        n=n,
        low=ends.low,
        high=ends.high,
        standard_error=sqrt(rate * (1 - rate) / n_effective),
        n_effective=n_effective,
        n_subjects=people,
        degrees_of_freedom=freedom,
        supported=supported,
        method=method,
        confidence_level=confidence_level,
        notes=notes,
        zero_errors=zero_errors,
    )
