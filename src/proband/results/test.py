"""A test: a statistic, its reference distribution and its p-value."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import ClassVar

from proband.engine.arguments import published
from proband.results.about import NOBODY, NOT_COUNTED, RestsOn, Who
from proband.results.base import Rate, Result
from proband.results.serializing import Written
from proband.words import Method, Note, digits, p_value as p_text


@published
@dataclass(frozen=True, kw_only=True)
class Test(Result):
    """A test of a hypothesis.

    Attributes
    ----------
    statistic
        The test statistic; None for an exact test, which needs none.
    degrees_of_freedom, denominator_degrees_of_freedom
        The degrees of freedom of the reference distribution; the second for F only.
    p_value, p_adjusted
        Two-sided, unadjusted and adjusted for the number of tests; the adjusted p-value is None for a single test. Both are
        None if there are too few units for a test.
    p_greater, p_less, p_mid
        One-sided, and with half the probability of the observed result (mid-p); None if the test has none.
    method
        The test.
    who, rests_on
        What it describes, and the counts behind it.
    supported
        Whether there are enough units for a reliable test.
    notes
        Notes.
    """

    __test__: ClassVar[bool] = False  # pytest would otherwise collect it because of its name
    written = Written(if_any=("who", "rests_on"))

    tidy: ClassVar[tuple[str, ...]] = ("method", "statistic", "degrees_of_freedom", "p_value", "p_adjusted")

    who: Who = NOBODY
    statistic: float | None = None
    degrees_of_freedom: float | None = None
    denominator_degrees_of_freedom: float | None = None
    p_value: Rate | None
    p_adjusted: Rate | None = None
    p_greater: Rate | None = None
    p_less: Rate | None = None
    p_mid: Rate | None = None
    rests_on: RestsOn = NOT_COUNTED
    supported: bool = True
    method: Method
    notes: tuple[Note, ...] = ()

    def __float__(self) -> float:
        return nan if self.p_value is None else self.p_value

    def __repr__(self) -> str:
        about = f"{self.who.algorithm}: " if self.who.algorithm else ""
        statistic = "" if self.statistic is None else f"{digits(self.statistic)}, "
        shown = "no p-value" if self.p_value is None else f"p {p_text(self.p_value)}"
        return f"{about}{self.method}: {statistic}{shown}"
