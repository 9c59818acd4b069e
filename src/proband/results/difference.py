"""One algorithm against another: the difference with its interval, the test, and the verdict in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from proband.results.base import Count, Finite, Interval, Rate, Result
from proband.results.serializing import Written
from proband.words import Method, Note, Sentence

NO_WIDTH = Sentence(
    "comparison.no-width", "caution", "nothing varies here, so the interval has no width and shows nothing"
)
"""Said of a difference whose interval has none."""
_IN_POINTS = Sentence(
    "comparison.effect-in-points", "note", "{difference:points} [{low:hundredfold}, {high:hundredfold}]"
)
_AS_IT_IS = Sentence("comparison.effect", "note", "{difference:signed} [{low:signed}, {high:signed}]")
_TESTED = Sentence("comparison.adjusted-p", "note", "adjusted p {p:p}")
_AT_FLOOR = Sentence("comparison.adjusted-p-at-floor", "note", "adjusted p {p:bound}")
_MARGIN_IN_POINTS = Sentence("comparison.margin-in-points", "note", "{margin:worth}")
_MARGIN = Sentence("comparison.margin", "note", "{margin:given}")
_DECIDED = Sentence("comparison.decided", "note", "{first} is {verdict} than {second}: {effect}, {tested}")
_BY_ITSELF = Sentence(
    "comparison.by-itself",
    "caution",
    "{first} is {verdict} than {second} by itself, but not among all comparisons: {effect}, {tested}",
)
_EQUIVALENT = Sentence(
    "comparison.equivalent", "note", "{first} and {second} are equivalent within {margin}: {effect}"
)
_UNDECIDED = Sentence(
    "comparison.undecided",
    "note",
    "{first} against {second} is undecided: {effect}, {tested}{more:then}",
)
_NOBODY = Sentence("comparison.nobody", "caution", "of the people here nobody tells them apart")
_NOT_WORSE = Sentence("comparison.not-worse", "note", "{first} is not worse by {margin} or more")
_NEEDED = Sentence(
    "comparison.people-needed", "note", "about {n:count person/people} would settle a difference of {margin}"
)
_OVER_CHOICES = Sentence(
    "comparison.over-choices",
    "note",
    "{first} against {second} over choices of images of these people: {effect}; it does not win in {not_won:count} of "
    "{trials:count}. On other people: {tested}",
)

Verdict = Literal["better", "worse", "equivalent", "undecided"]


@dataclass(frozen=True)
class Difference(Result):
    """The first algorithm against the second.

    Attributes
    ----------
    difference, low, high
        The first's value less the second's, and its interval.
    p_value, p_adjusted
        Two-sided, by itself and adjusted for the number of comparisons.
    n_sf, n_fs
        Probes that only the first, and only the second recognises; None where probes are not shared or the measure is no rate.
    n_discordant_subjects
        People for whom they differ; None in the same cases.
    verdict
        From the interval: ``better``, ``worse``, ``equivalent`` (within the margin either way), or ``undecided``.
    significance
        What the adjusted p-value must not pass for the two to be told apart among all comparisons.
    not_inferior
        Whether the first is shown not to be worse than the second by the margin or more (one-sided); None without a margin.
    subjects_needed
        How many people would settle a true difference of the margin, with a power of 0.8; None if it is decided.
    method
        The test and the interval.
    margin
        What counts as a difference worth having; None if nothing was declared.
    not_won, n_trials
        Over choices of images: in how many of how many trials the first does not win. Its share is no p-value.
    """

    written = Written(also=("told_apart", "sentence"), without=("margin",))

    first: str
    second: str
    difference: Finite
    low: float
    high: float
    p_value: Rate
    p_adjusted: Rate
    n_sf: Count | None
    n_fs: Count | None
    n_discordant_subjects: Count | None
    verdict: Verdict
    not_inferior: bool | None
    subjects_needed: Count | None
    method: Method
    in_points: bool = True
    not_won: Count | None = None
    n_trials: Count | None = None
    significance: Rate = 0.05
    margin: float | None = None

    @property
    def has_width(self) -> bool:
        """Whether the interval has any width; without, it shows nothing."""
        return Interval(self.low, self.high).has_width

    @property
    def told_apart(self) -> bool:
        """Whether they differ after the adjustment for the number of comparisons."""
        return self.p_adjusted <= self.significance and self.difference != 0

    @property
    def said(self) -> str:
        """The verdict in a word or two: one by the interval alone is called so where the adjusted test does not bear it out."""
        by_itself = self.verdict in ("better", "worse") and not self.told_apart and self.n_trials is None
        return f"{self.verdict}, not after adjustment" if by_itself else self.verdict

    @property
    def effect(self) -> Note:
        """The difference with its interval."""
        said = _IN_POINTS if self.in_points else _AS_IT_IS
        return said(difference=self.difference, low=self.low, high=self.high)

    @property
    def tested(self) -> Note:
        """The adjusted p-value: a bound where more draws could have made it smaller."""
        floor = self.method.floor
        at_floor = floor is not None and self.p_value <= floor * (1 + 1e-9) and self.p_adjusted < 1
        return (_AT_FLOOR if at_floor else _TESTED)(p=self.p_adjusted)

    def sentence(self) -> Note:
        """The verdict in words."""
        pair = {"first": self.first, "second": self.second, "effect": self.effect}
        if self.not_won is not None and self.n_trials is not None:
            return _OVER_CHOICES(**pair, not_won=self.not_won, trials=self.n_trials, tested=self.tested)
        if self.verdict in ("better", "worse"):
            said = _DECIDED if self.told_apart else _BY_ITSELF
            return said(**pair, verdict=self.verdict, tested=self.tested)
        worth = margin_of(self.margin, self.in_points)
        if self.verdict == "equivalent":
            return _EQUIVALENT(**pair, margin=worth)
        more = []
        if not self.has_width:
            more.append(NO_WIDTH())
        if self.n_discordant_subjects == 0:
            more.append(_NOBODY())
        if self.not_inferior:
            more.append(_NOT_WORSE(first=self.first, margin=worth))
        if self.subjects_needed is not None:
            more.append(_NEEDED(n=self.subjects_needed, margin=worth))
        return _UNDECIDED(**pair, tested=self.tested, more=tuple(more))


def margin_of(margin: float | None, in_points: bool) -> Note | None:
    """A difference worth having, with its unit."""
    if margin is None:
        return None
    return (_MARGIN_IN_POINTS if in_points else _MARGIN)(margin=margin)
