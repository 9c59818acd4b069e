"""What planning found: how many people a test needs, or what a test of so many can show."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, Literal

from proband.measures.results import Answers

Aim = Literal["difference", "equivalence", "non-inferiority"]
_RARE = 0.1  # the rules of 3 and 30 are for rates below


@dataclass(frozen=True)
class Plan(ABC):
    """What every plan rests on.

    Attributes
    ----------
    found
        The number that was worked out from the others.
    confidence_level
        Of the interval; or one less the level of the test.
    probes_per_subject, icc, design_effect
        The probes of each person, how alike they are, and how many times as many probes that costs.
    answers, notes
        The four answers, with all that is assumed, and what else a reader should know.
    """

    found: str
    confidence_level: float
    probes_per_subject: int
    icc: float
    design_effect: float
    answers: Answers
    notes: tuple[str, ...]

    @abstractmethod
    def sentence(self) -> str:
        """The plan in words."""

    def __repr__(self) -> str:
        return f"plan: {self.sentence()}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {**asdict(self), "notes": list(self.notes), "sentence": self.sentence()}


@dataclass(frozen=True, repr=False)
class HalfWidthPlan(Plan):
    """People for the interval of a rate.

    Attributes
    ----------
    subjects, probes, effective_probes
        People, probes in all, and the independent probes that tell as much.
    rate, low, high, half_width
        The rate expected, the interval that `estimate` would give it, and half the length of that.
    """

    subjects: int
    probes: int
    effective_probes: float
    rate: float
    low: float
    high: float
    half_width: float

    def sentence(self) -> str:
        """The plan in words."""
        verb = "gives" if self.subjects == 1 else "give"
        return (
            f"{crowd(self.subjects, self.probes_per_subject)} {verb} a rate of {self.rate:g} a "
            f"{percent(self.confidence_level)} interval of ±{points(self.half_width)}, [{self.low:.4f}, {self.high:.4f}]."
        )


@dataclass(frozen=True, repr=False)
class DifferencePlan(Plan):
    """People to find a difference of two algorithms, or to show that there is none worth having.

    Attributes
    ----------
    subjects, probes, effective_probes
        People, probes in all, and the independent probes that tell as much; in each data set, where there are two.
    aim
        ``difference``, ``equivalence`` or ``non-inferiority``.
    margin
        The smallest difference worth having: declared beforehand, never one that was observed.
    power
        The chance to find a true difference of the margin; or, without any difference, to show that it is within the margin.
    discordant, rate
        What is expected: the share of discordant probes, or, for two data sets, the rate. The other is None.
    """

    subjects: int
    probes: int
    effective_probes: float
    aim: Aim
    margin: float
    power: float
    discordant: float | None
    rate: float | None

    def sentence(self) -> str:
        """The plan in words."""
        who = crowd(self.subjects, self.probes_per_subject)
        if self.rate is not None:
            who = f"Two data sets, each of {who},"
        margin, power = points(self.margin), percent(self.power)
        level = f"level {percent(1 - self.confidence_level)}"
        if self.aim == "difference":
            return f"{who} find a true difference of {margin} with a power of {power} (two-sided, {level})."
        if self.aim == "equivalence":
            shown, tests = f"that two algorithms are equivalent within {margin}", "two one-sided tests"
        else:
            shown, tests = f"that one algorithm is not worse by {margin}", "one-sided"
        return f"{who} show {shown} with a power of {power} if they do not differ ({tests}, {level})."


@dataclass(frozen=True)
class ErrorTrials:
    """An error rate and the trials that go with it: of how many people, how many in all, and worth how many independent ones."""

    error_rate: float
    subjects: int
    trials: int
    independent_trials: int


@dataclass(frozen=True, repr=False)
class ErrorRatePlan(Plan):
    """What no error, and what 30 errors say about a rare error.

    Attributes
    ----------
    no_errors
        Without any error, the true rate is at most `error_rate`, with the confidence level: exactly.
    rule_of_3
        The same by the rule, 3/N. None at another level than 95 %, and below 3 trials.
    rule_of_30
        With 30 errors, as many as are expected, the true rate is within about ±30 % of the observed, with 90 % confidence.
        None where 30 errors cannot be had: in fewer trials, or from a thousand million people.
    thirty_low, thirty_high
        What ±30 % is by the exact (Clopper–Pearson) interval.
    """

    no_errors: ErrorTrials
    rule_of_3: ErrorTrials | None
    rule_of_30: ErrorTrials | None
    thirty_low: float | None
    thirty_high: float | None

    def sentence(self) -> str:
        """The plan in words."""
        by_rule = ""
        if self.rule_of_3 is not None:
            rule = self.rule_of_3
            amount = f"{rule.trials:,}" if self.found == "subjects" else f"{rule.error_rate:.4g}"
            by_rule = f"; the rule of 3 says {amount}"
        said = (
            f"No error in {self._amount(self.no_errors)} bounds the error rate by {self.no_errors.error_rate:.4g} "
            f"({percent(self.confidence_level)}, exact{by_rule})"
        )
        if self.rule_of_30 is None or self.thirty_low is None or self.thirty_high is None:
            return f"{said}."
        return (
            f"{said}; 30 errors in {self._amount(self.rule_of_30)} tell a rate of {self.rule_of_30.error_rate:.4g} to about "
            f"±30% (90%; exactly {100 * self.thirty_low:+.0f}% to {100 * self.thirty_high:+.0f}%)."
        )

    def _amount(self, trials: ErrorTrials) -> str:
        if self.probes_per_subject == 1:
            return f"{trials.trials:,} independent trials"
        return f"{trials.trials:,} trials of {trials.subjects:,} people (worth {trials.independent_trials:,} independent ones)"


def points(value: float) -> str:
    """A difference of rates in words."""
    shown = f"{100 * value:.4g}"
    return f"{shown} point" if shown == "1" else f"{shown} points"


def percent(value: float) -> str:
    """A share in words."""
    return f"{100 * value:.4g}%"


def crowd(subjects: int, probes: int) -> str:
    """People and their probes in words."""
    people = "1 person" if subjects == 1 else f"{subjects:,} people"
    each = "" if subjects == 1 else " each"
    return f"{people} with {'one probe' if probes == 1 else f'{probes:,} probes'}{each}"
