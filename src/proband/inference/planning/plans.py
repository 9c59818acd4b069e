"""Results of planning: the number of people a test needs, or what a test of a given size can show."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Literal

from proband.engine.arguments import published
from proband.results.base import Answers, Confidence, Count, Rate, Result
from proband.results.serializing import Written
from proband.words import Note, Sentence, as_sentence

Aim = Literal["difference", "equivalence", "non-inferiority"]

_CROWD = Sentence(
    "plan.people", "note", "{subjects:count person/people} with {probes:count probe}{subjects:word / each}"
)
_CROWD_OF_ONE = Sentence(
    "plan.people-one-probe", "note", "{subjects:count person/people} with one probe{subjects:word / each}"
)
_CROWD_UNEQUAL = Sentence(
    "plan.people-unequal",
    "note",
    "{subjects:count person/people} with {probes:small} probes on average (coefficient of variation {cv:small})",
)
_TWO_SETS = Sentence("plan.two-sets", "note", "Two data sets, each of {who},")
_HALF_WIDTH = Sentence(
    "plan.half-width",
    "note",
    "for {who}, the {level:level} interval of a rate of {rate:given} is ±{half_width:worth}, [{low:rate}, {high:rate}]",
)
_HALF_WIDTH_ASSURED = Sentence(
    "plan.half-width-assured",
    "note",
    "for {who}, the {level:level} interval of a rate of {rate:given} is ±{half_width:worth} or less with a "
    "probability of {assurance:power}",
)
_DIFFERENCE: dict[Aim, Sentence] = {
    "difference": Sentence(
        "plan.difference",
        "note",
        "{who} detect a true difference of {margin:worth} with a power of {power:power} (two-sided, level {level:level})",
    ),
    "equivalence": Sentence(
        "plan.equivalence",
        "note",
        "{who} show that two algorithms are equivalent within {margin:worth} with a power of {power:power} if they do not differ "
        "(two one-sided tests, level {level:level})",
    ),
    "non-inferiority": Sentence(
        "plan.non-inferiority",
        "note",
        "{who} show that one algorithm is not worse by {margin:worth} with a power of {power:power} if they "
        "do not differ (one-sided, level {level:level})",
    ),
}
_NO_ERROR = Sentence(
    "plan.no-error",
    "note",
    "No error in {trials} bounds the error rate by {rate:four} ({level:level}, exact{rule:also}){thirty:also}",
)
_RULE_OF_3 = Sentence("plan.rule-of-3", "note", "the rule of 3 says {trials:count}")
_RULE_OF_3_RATE = Sentence("plan.rule-of-3-rate", "note", "the rule of 3 says {rate:four}")
_THIRTY = Sentence(
    "plan.thirty-errors",
    "note",
    "30 errors in {trials} estimate a rate of {rate:four} to about ±30% (90%; exactly {low:relative} to {high:relative})",
)
_TRIALS = Sentence("plan.trials", "note", "{trials:count independent trial}")
_TRIALS_OF_PEOPLE = Sentence(
    "plan.trials-of-people",
    "note",
    "{trials:count trial} of {subjects:count person/people} (effective sample size {independent:count})",
)
_PILOT_RATE = Sentence(
    "plan.pilot-rate",
    "note",
    "From the pilot ({probes:count probe} of {subjects:count person/people}): {names:names} recognises {value:tenth} of probes at rank "
    "{rank:count} ({level:level} interval {low:tenth} to {high:tenth}); the probes of a person have an intraclass correlation of {icc:two}",
)
_PILOT_DISCORDANT = Sentence(
    "plan.pilot-discordant",
    "note",
    "From the pilot ({probes:count probe} of {subjects:count person/people}): {names:list} disagree on {value:tenth} of probes at rank "
    "{rank:count} ({level:level} interval {low:tenth} to {high:tenth}); their differences on the probes of a person have an intraclass "
    "correlation of {icc:two}",
)
_AT_ENDS = {
    "subjects": Sentence(
        "plan.pilot-people",
        "note",
        "At the limits of that interval, the result is {low:count} or {high:count person/people}",
    ),
    "margin": Sentence(
        "plan.pilot-margin",
        "note",
        "At the limits of that interval, the result is {low:worth} or {high:worth}",
    ),
    "power": Sentence(
        "plan.pilot-power",
        "note",
        "At the limits of that interval, the result is a power of {low:power} or {high:power}",
    ),
    "half-width": Sentence(
        "plan.pilot-half-width",
        "note",
        "At the limits of that interval, the result is ±{low:worth} or ±{high:worth}",
    ),
}
_AT_ONE_END = {
    "subjects": Sentence(
        "plan.pilot-people-one-end",
        "note",
        "At the {which} limit of that interval, the result is {value:count person/people}",
    ),
    "margin": Sentence(
        "plan.pilot-margin-one-end",
        "note",
        "At the {which} limit of that interval, the result is {value:worth}",
    ),
    "power": Sentence(
        "plan.pilot-power-one-end",
        "note",
        "At the {which} limit of that interval, the result is a power of {value:power}",
    ),
    "half-width": Sentence(
        "plan.pilot-half-width-one-end",
        "note",
        "At the {which} limit of that interval, the result is ±{value:worth}",
    ),
}


@dataclass(frozen=True)
class Pilot(Result):
    """The inputs of a plan from a pilot study, with their uncertainty.

    Attributes
    ----------
    algorithms, rank
        One algorithm or two, and the rank at which a probe counts as recognised.
    subjects, probes
        The numbers of people and probes of the pilot.
    value, low, high, confidence_level
        The rate of one algorithm, or the share of probes on which two disagree, with its interval over people.
    icc
        The intraclass correlation of the probes of a person, or of their differences; not below 0.
    at_low, at_high
        The result of the plan at the ends of the interval; None if no number suffices.
    """

    algorithms: tuple[str, ...]
    rank: Count
    subjects: Count
    probes: Count
    value: Rate
    low: Rate
    high: Rate
    confidence_level: Confidence
    icc: float
    at_low: float | None = None
    at_high: float | None = None

    def sentences(self, found: str) -> tuple[Note, ...]:
        """Describe the inputs, and the plan at the ends of their interval."""
        known = {
            name: getattr(self, name)
            for name in ("probes", "subjects", "value", "low", "high", "rank", "icc")
        }
        taken = _PILOT_RATE if len(self.algorithms) == 1 else _PILOT_DISCORDANT
        told = taken(names=self.algorithms, level=self.confidence_level, **known)
        if self.at_low is not None and self.at_high is not None:
            ends = {
                name: self._as(found, value) for name, value in (("low", self.at_low), ("high", self.at_high))
            }
            return told, _AT_ENDS[found](**ends)
        for which, value in (("lower", self.at_low), ("upper", self.at_high)):
            if value is not None:
                return told, _AT_ONE_END[found](which=which, value=self._as(found, value))
        return (told,)

    @staticmethod
    def _as(found: str, value: float) -> float:
        return int(value) if found == "subjects" else value


@dataclass(frozen=True)
class Plan(Result, ABC):
    """The base of all plans.

    Attributes
    ----------
    found
        The name of the number computed from the others.
    confidence_level
        The level of the interval, or one minus the significance level of the test.
    probes_per_subject, probes_cv, icc, design_effect
        The (mean) number of probes per person, its coefficient of variation, their intraclass correlation, and the resulting
        design effect.
    answers, notes
        The four answers, with all assumptions, and notes.
    pilot
        The inputs from a pilot; None without one.
    """

    written = Written(also=("sentence",), if_any=("probes_cv", "assurance", "pilot"))

    found: str
    confidence_level: Confidence
    probes_per_subject: float
    probes_cv: float
    icc: float
    design_effect: float
    answers: Answers
    notes: tuple[Note, ...]
    pilot: Pilot | None = field(default=None, kw_only=True)

    @abstractmethod
    def sentence(self) -> Note:
        """The plan in words."""

    def _crowd(self, subjects: int) -> Note:
        probes = self.probes_per_subject
        if self.probes_cv > 0:
            return _CROWD_UNEQUAL(subjects=subjects, probes=probes, cv=self.probes_cv)
        return _CROWD_OF_ONE(subjects=subjects) if probes == 1 else _CROWD(subjects=subjects, probes=probes)

    def __repr__(self) -> str:
        return f"plan: {as_sentence(self.sentence())}"


@published
@dataclass(frozen=True, repr=False)
class HalfWidthPlan(Plan):
    """The number of people for the interval of a rate.

    Attributes
    ----------
    subjects, probes, effective_probes
        The numbers of people, of probes, and of effective probes.
    rate, low, high, half_width
        The expected rate, the interval that `estimate` would give, and its half-width; with an assurance, the half-width that
        is exceeded only with the remaining probability.
    assurance
        The probability that the interval of the test is no wider; None if the plan is for the expected rate.
    """

    subjects: Count
    probes: Count
    effective_probes: float
    rate: float
    low: float
    high: float
    half_width: float
    assurance: Rate | None = None

    def sentence(self) -> Note:
        """The plan in words.

        Returns
        -------
        Note
            The sentence with its values; `str` gives the text.
        """
        if self.assurance is not None:
            return _HALF_WIDTH_ASSURED(
                who=self._crowd(self.subjects),
                subjects=self.subjects,
                rate=self.rate,
                level=self.confidence_level,
                half_width=self.half_width,
                assurance=self.assurance,
            )
        return _HALF_WIDTH(
            who=self._crowd(self.subjects),
            subjects=self.subjects,
            rate=self.rate,
            level=self.confidence_level,
            half_width=self.half_width,
            low=self.low,
            high=self.high,
        )


@published
@dataclass(frozen=True, repr=False)
class DifferencePlan(Plan):
    """The number of people needed to detect a difference between two algorithms, or to show that there is no difference that matters.

    Attributes
    ----------
    subjects, probes, effective_probes
        People, total probes, and the effective number of probes; per data set if there are two.
    aim
        ``difference``, ``equivalence`` or ``non-inferiority``.
    margin
        The smallest difference that matters: fixed beforehand, never an observed difference.
    power
        The probability of detecting a true difference of the margin or, if there is no difference, of showing that it is within
        the margin.
    discordant, rate
        The expected share of discordant probes or, for two data sets, the expected rate. The other is None.
    """

    subjects: Count
    probes: Count
    effective_probes: float
    aim: Aim
    margin: float
    power: float
    discordant: float | None
    rate: float | None

    def sentence(self) -> Note:
        """The plan in words.

        Returns
        -------
        Note
            The sentence with its values; `str` gives the text.
        """
        who = self._crowd(self.subjects)
        return _DIFFERENCE[self.aim](
            who=who if self.rate is None else _TWO_SETS(who=who),
            margin=self.margin,
            power=self.power,
            level=1 - self.confidence_level,
        )


@dataclass(frozen=True)
class ErrorTrials:
    """An error rate and the trials it requires.

    Attributes
    ----------
    error_rate
        The rate that is bounded or estimated.
    subjects, trials, independent_trials
        The numbers of people, of their trials, and of equivalent independent trials.
    """

    error_rate: float
    subjects: int
    trials: int
    independent_trials: int


@published
@dataclass(frozen=True, repr=False)
class ErrorRatePlan(Plan):
    """The bounds on a rare error rate from no errors and from 30 errors.

    Attributes
    ----------
    no_errors
        The exact bound: without errors, the true rate is at most `error_rate` with the confidence level.
    rule_of_3
        The same by the rule 3/N; None for levels other than 95 %, and below 3 trials.
    rule_of_30
        With 30 (expected) errors, the true rate is within about ±30 % of the observed, with 90 % confidence. None if 30 errors
        are impossible: with fewer trials, or if more than a billion people would be needed.
    thirty_low, thirty_high
        The exact (Clopper–Pearson) interval that corresponds to ±30%.
    """

    no_errors: ErrorTrials
    rule_of_3: ErrorTrials | None
    rule_of_30: ErrorTrials | None
    thirty_low: float | None
    thirty_high: float | None

    def sentence(self) -> Note:
        """The plan in words.

        Returns
        -------
        Note
            The sentence with its values; `str` gives the text.
        """
        return _NO_ERROR(
            trials=self._amount(self.no_errors),
            rate=self.no_errors.error_rate,
            level=self.confidence_level,
            rule=self._rule_of_3(),
            thirty=self._thirty(),
        )

    def _rule_of_3(self) -> tuple[Note, ...]:
        rule = self.rule_of_3
        if rule is None:
            return ()
        if self.found == "subjects":
            return (_RULE_OF_3(trials=rule.trials),)
        return (_RULE_OF_3_RATE(rate=rule.error_rate),)

    def _thirty(self) -> tuple[Note, ...]:
        rule = self.rule_of_30
        if rule is None or self.thirty_low is None or self.thirty_high is None:
            return ()
        trials = self._amount(rule)
        return (_THIRTY(trials=trials, rate=rule.error_rate, low=self.thirty_low, high=self.thirty_high),)

    def _amount(self, trials: ErrorTrials) -> Note:
        if self.probes_per_subject == 1:
            return _TRIALS(trials=trials.trials)
        independent = trials.independent_trials
        return _TRIALS_OF_PEOPLE(trials=trials.trials, subjects=trials.subjects, independent=independent)
