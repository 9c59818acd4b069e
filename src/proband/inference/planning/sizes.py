"""The arithmetic of planning: what people are worth, how strong a test is, and the least that is enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, hypot, log2, sqrt
from typing import Any

from proband.distributions import normal_cdf
from proband.errors import DesignError, UsageError
from proband.inference.planning.plans import Aim
from proband.inference.proportions import normal_quantile, wilson_interval
from proband.results.base import Answers
from proband.results.targets import (
    ALGORITHM,
    ALGORITHMS,
    ANY_PEOPLE,
    ANY_PEOPLE_ONE_PROBE,
    PEOPLE_ALIKE,
    PROBES_ALIKE,
)
from proband.words import Note, Sentence, Target, count, counted, digits, size_of

POWER = 0.8
_LARGEST_CV = 100
LARGEST = 10**9  # people; a test that needs more is none
_SLACK = 1e-12  # a goal that is met but for rounding is met

_COUNTED_ONCE = Sentence(
    "plan.people-counted-once",
    "note",
    "all outcomes are equal, so the correlation within people cannot be estimated: each person is counted "
    "once",
)
_NOT_RELIED_ON = Sentence(
    "plan.design-effect-one",
    "note",
    "a negative correlation within people is not used: the design effect is set to 1",
)
_CORRELATED = Sentence(
    "plan.correlated-probes",
    "note",
    "the intraclass correlation of {n:count probe} per person is {icc:given}",
)
_CORRELATED_DIFFERENCES = Sentence(
    "plan.correlated-differences",
    "note",
    "the intraclass correlation of the differences on {n:count probe} per person is {icc:given}",
)
_UNEQUAL = Sentence(
    "plan.unequal-probes",
    "note",
    "the number of probes per person has a coefficient of variation of {cv:four} and is unrelated to the "
    "difficulty of the person",
)
_DISCORDANT = Sentence(
    "plan.discordant-expected", "note", "the two algorithms disagree on {share:level} of the probes"
)
_TWO_SETS = Sentence("plan.rate-of-two-sets", "note", "two independent data sets have a rate of {rate:given}")
_TWO_SETS_APART = Sentence(
    "plan.rates-of-two-sets",
    "note",
    "two independent data sets have a rate of {rate:given} and a rate closer to 0.5 by the margin",
)


@dataclass(frozen=True)
class People:
    """How many probes each person gives, and what they are worth.

    Attributes
    ----------
    probes_per_subject, probes_cv, icc, design_effect
        The probes of each (their mean), the coefficient of variation of their number, how alike they are, and how many times as
        many probes that costs.
    notes
        What a reader should know.
    numbers
        The numbers of probes that people have, dealt out in turn; empty where only their mean and variation are known.
    """

    probes_per_subject: float
    probes_cv: float
    icc: float
    design_effect: float
    notes: tuple[Note, ...]
    numbers: tuple[int, ...] = ()

    @property
    def is_several(self) -> bool:
        """Whether people have several probes."""
        return self.probes_per_subject > 1

    def half_width(self, subjects: int, rate: float, chance: float, level: float) -> float:
        """The half-width that the interval of so many people does not exceed with a chance, by simulated tests."""
        from proband.inference.planning.widths import half_widths, unequal_numbers

        numbers = self.numbers
        if not numbers:
            mean, cv = self.probes_per_subject, self.probes_cv
            numbers = unequal_numbers(mean, cv, subjects) if cv > 0 else (int(mean),)
        found = half_widths(numbers, subjects, rate, self.icc, level)
        found.sort()
        return float(found[ceil(chance * len(found)) - 1])

    def worth(self, subjects: int) -> float:
        """The independent probes that tell as much as those of so many people."""
        return subjects * self.probes_per_subject / self.design_effect

    def sizes(self, subjects: int) -> dict[str, Any]:
        """Return the people, their probes and what these are worth, as a plan holds them."""
        probes = round(subjects * self.probes_per_subject)
        return {"subjects": subjects, "probes": probes, "effective_probes": self.worth(subjects)}

    def facts(self, *notes: Note | None) -> dict[str, Any]:
        """What every plan says of people, with these notes as well where there are any."""
        own = {name: value for name, value in vars(self).items() if name != "numbers"}
        return {**own, "notes": (*self.notes, *filter(None, notes))}

    def answers(self, of: Target, several: bool, *expected: Note, differences: bool = False) -> Answers:
        """What is planned for: one algorithm or several, what is expected, and whether probes or differences are alike."""
        varying, alike, notes = ANY_PEOPLE_ONE_PROBE, PROBES_ALIKE, list(expected)
        if self.is_several:
            how = _CORRELATED_DIFFERENCES if differences else _CORRELATED
            if self.probes_cv > 0:
                notes.insert(0, _UNEQUAL(cv=self.probes_cv))
            notes.insert(0, how(n=self.probes_per_subject, icc=self.icc))
            varying, alike = ANY_PEOPLE, PEOPLE_ALIKE
        assuming = Target(
            " ".join((alike.key, *(note.code for note in notes))), "; ".join(map(str, (alike, *notes)))
        )
        return Answers(of, varying, ALGORITHMS if several else ALGORITHM, assuming)


def people_of(
    probes_per_subject: float | Sequence[int] | None,
    icc: float | None,
    indistinct: bool = False,
    probes_cv: float = 0.0,
) -> People:
    """Check what is said of people; where outcomes are `indistinct` nothing will show how alike they are.

    The design effect is 1 + icc (m − 1) for m probes each, and 1 + icc ((1 + cv²) m − 1) for m on average with a coefficient of
    variation cv (Eldridge et al. 2006), at least 1; where outcomes are indistinct each person counts once.
    """
    numbers: tuple[int, ...] = ()
    if isinstance(probes_per_subject, Sequence):
        numbers, probes, probes_cv = _numbers_of_probes(probes_per_subject, probes_cv)
    else:
        probes = _mean_of_probes(1 if probes_per_subject is None else probes_per_subject, probes_cv)
    if icc is None and probes > 1:
        raise UsageError(
            "A plan with several probes per person needs their intraclass correlation.",
            "use 0 for independent probes and 1 for identical probes; estimate reports it for a rate.",
        )
    correlation = 0.0 if icc is None else icc
    least = -1 / (probes - 1) if probes > 1 else -1.0
    if not least <= correlation <= 1:
        raise UsageError(
            f"The intraclass correlation of {digits(probes, 6)} probes must be between {digits(least, 4)} "
            f"and 1, got {correlation!r}."
        )
    effect = 1 + correlation * ((1 + probes_cv**2) * probes - 1)
    if indistinct and probes > 1:
        return People(probes, probes_cv, correlation, float(probes), (_COUNTED_ONCE(),), numbers)
    notes = (_NOT_RELIED_ON(),) if effect < 1 else ()
    return People(probes, probes_cv, correlation, max(1.0, effect), notes, numbers)


def _numbers_of_probes(numbers: Sequence[int], cv: float) -> tuple[tuple[int, ...], float, float]:
    """The numbers of probes, their mean and their coefficient of variation."""
    if cv:
        raise UsageError(
            "The coefficient of variation follows from the numbers of probes.",
            "leave out the coefficient of variation.",
        )
    if not numbers:
        raise UsageError(
            "No numbers of probes were given.", "pass one per person, or a list that is repeated."
        )
    known = tuple(whole(number, "number of probes of a person") for number in numbers)
    mean = sum(known) / len(known)
    return known, mean, sqrt(sum((number - mean) ** 2 for number in known) / len(known)) / mean


def _mean_of_probes(probes: float, cv: float) -> float:
    """Return the number of probes of each person, or its mean where people differ."""
    if not 0 <= cv <= _LARGEST_CV:
        raise UsageError(
            f"A coefficient of variation must be between 0 and {_LARGEST_CV}, got {cv!r}.",
            "use the standard deviation of the numbers of probes divided by their mean.",
        )
    if cv == 0:
        return whole(probes, "number of probes of a person")
    if not 1 < probes <= LARGEST:
        raise UsageError(
            f"If people differ in their number of probes, the mean must be above 1, got {probes!r}."
        )
    return probes


@dataclass(frozen=True)
class TestOf:
    """A test of two algorithms.

    Attributes
    ----------
    aim, expected
        What is to be shown, and what is expected of the algorithms.
    indistinct
        Whether nothing will show how alike a person's probes are.
    largest, fewest
        No margin exceeds the one; the test cannot succeed with fewer people than the other.
    reach
        For a margin and a number of independent probes: how far from the hypothesis an estimate must lie for the test
        to succeed, and its standard error.
    """

    aim: Aim
    expected: Note
    indistinct: bool
    largest: float
    fewest: int
    reach: Callable[[float, float], tuple[float, float]]

    def power(self, margin: float, n: float) -> float:
        """Find the chance that the test succeeds: Φ((margin − reach)/error).

        Equivalence must succeed on both sides: twice that, less 1.
        """
        reach, error = self.reach(margin, n)
        one_side = float(normal_cdf((margin - reach) / error)) if error > 0 else float(margin > reach)
        return max(0.0, 2 * one_side - 1) if self.aim == "equivalence" else one_side

    def check(self, margin: float) -> float:
        """Return the margin if it is one."""
        if margin >= self.largest:
            raise UsageError(
                f"A difference of {size_of(margin)} is impossible where {self.expected}.",
                f"use a margin below {size_of(self.largest)}.",
            )
        return margin


def test_of(aim: Aim, discordant: float | None, rate: float | None, level: float) -> TestOf:
    """Check what is expected of two algorithms, and return their test.

    Normal approximation to the score test (McNemar 1947; Tango 1998), or, for two sets, the pooled score test and Newcombe's
    (1998) interval.
    """
    differ = aim == "difference"
    if not differ and level <= 0.5:
        raise UsageError(f"One-sided tests need a confidence level above 0.5, got {level!r}.")
    z = normal_quantile(level if differ else 2 * level - 1)
    if discordant is not None and rate is None:
        if differ and discordant == 0:
            raise UsageError("Two algorithms that agree on all probes have no difference to detect.")
        return TestOf(
            aim,
            _DISCORDANT(share=round(discordant, 6)),
            indistinct=discordant == 0,
            largest=discordant if differ else 1.0,
            # Turning all people around is rarer than the level only with so many of them.
            fewest=max(2, ceil(-log2(1 - level))) if differ else 2,
            reach=lambda margin, n: _paired(margin, n, discordant, z, differ),
        )
    if rate is not None and discordant is None:
        return TestOf(
            aim,
            (_TWO_SETS_APART if differ else _TWO_SETS)(rate=rate),
            indistinct=not differ and rate in (0.0, 1.0),
            largest=max(rate, 1 - rate) if differ else 1.0,
            fewest=2,
            reach=lambda margin, n: _independent(margin, n, rate, z, differ),
        )
    raise UsageError(
        "A plan needs the share of probes on which the two algorithms disagree or, for two independent data "
        "sets, the rate.",
        "use a pilot, or a guess: if nothing is known, try 0.02, 0.05, 0.1 and 0.2.",
    )


def _paired(margin: float, n: float, discordant: float, z: float, differ: bool) -> tuple[float, float]:
    """The reach and the error of the paired score test: McNemar's of no difference, Tango's of a margin."""
    truth, tested = (margin, 0.0) if differ else (0.0, margin)
    # The share of probes that only the second recognises that is most likely under the hypothesis.
    linear = discordant - (2 - truth) * tested
    constant = (discordant - truth) / 2 * tested * (1 - tested)
    only_second = (linear + sqrt(linear**2 + 8 * constant)) / 4
    reach = z * sqrt((2 * only_second + tested * (1 - tested)) / n)
    return reach, sqrt(max(0.0, discordant - truth**2) / n)


def _independent(margin: float, n: float, rate: float, z: float, differ: bool) -> tuple[float, float]:
    """The reach and the error for two data sets: the pooled score test of no difference, Newcombe's interval for a margin."""
    if not differ:
        low, high = wilson_interval(rate, n, z)
        return hypot(rate - low, high - rate), sqrt(2 * rate * (1 - rate) / n)
    other = rate - margin if rate >= 0.5 else rate + margin
    pooled = (rate + other) / 2
    reach = z * sqrt(2 * pooled * (1 - pooled) / n)
    return reach, sqrt((rate * (1 - rate) + max(0.0, other * (1 - other))) / n)


def open_one(margin: float | None, power: float | None, subjects: int | None) -> float:
    """Require that one of three is left open, and return the power to aim at."""
    if (margin is None) == (subjects is None) and (margin is None or power is not None):
        raise UsageError(
            "A plan needs two of margin, power and number of people.",
            "leave one out, which is computed; the default power is 0.8.",
        )
    wanted = POWER if power is None else power
    return wanted * (1 - _SLACK)


def fewest(enough: Callable[[int], bool], guess: int = 1, tolerance: float = 0.0) -> int | None:
    """Find the smallest number of people that is enough, where more always are; None if no number is.

    With a tolerance it may be that share of itself too large.
    """
    short, number = 0, guess
    while not enough(number):
        if number == LARGEST:
            return None
        short, number = number, min(2 * number, LARGEST)
    while short == 0 and number > 1:
        fewer = number * 3 // 4
        short, number = (0, fewer) if enough(fewer) else (fewer, number)
    while number - short > max(1.0, tolerance * number):
        middle = (short + number) // 2
        short, number = (short, middle) if enough(middle) else (middle, number)
    return number


def least_margin(enough: Callable[[float], bool], largest: float, subjects: int) -> float:
    """Find the smallest margin that so many people are enough for."""
    short, margin = 0.0, largest
    if not enough(margin):
        raise DesignError(
            f"{counted(subjects, 'person is', 'people are')} too few for any margin.",
            "use more people, or less power or confidence.",
        )
    while margin - short > _SLACK * margin:
        middle = (short + margin) / 2
        short, margin = (short, middle) if enough(middle) else (middle, margin)
    return margin


def found_within(number: int | None, what: str) -> int:
    """Return the number, if there is one."""
    if number is None:
        raise DesignError(
            f"{what} would need more than {count(LARGEST)} people.",
            "use a larger width, margin or error rate.",
        )
    return number


def whole(value: float | None, what: str) -> int:
    """Return the value, if it is a number of people or probes."""
    if value is None or not 1 <= value <= LARGEST or value != int(value):
        raise UsageError(f"The {what} must be a whole number from 1 to {count(LARGEST)}, got {value!r}.")
    return int(value)
