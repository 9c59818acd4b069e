"""What a comparison found: effects with intervals, tests, places and a verdict in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from proband.engine.files.spreadsheets import spreadsheet_csv
from proband.engine.frames import frame_of_rows
from proband.engine.rendering import Drawn, Shown, render
from proband.inference.comparisons.cochran import CochranQ
from proband.inference.proportions import Interval
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.words import Method, Note, Sentence, as_sentence, plain

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
class PairComparison(Drawn):
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
    not_won, n_trials
        Over choices of images: in how many of how many trials the first does not win. Its share is no p-value.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    n_sf: int | None
    n_fs: int | None
    n_discordant_subjects: int | None
    verdict: Verdict
    not_inferior: bool | None
    subjects_needed: int | None
    method: Method
    in_points: bool = True
    not_won: int | None = None
    n_trials: int | None = None
    significance: float = 0.05

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

    def sentence(self, margin: float | None) -> Note:
        """The verdict in words."""
        pair = {"first": self.first, "second": self.second, "effect": self.effect}
        if self.not_won is not None and self.n_trials is not None:
            return _OVER_CHOICES(**pair, not_won=self.not_won, trials=self.n_trials, tested=self.tested)
        if self.verdict in ("better", "worse"):
            said = _DECIDED if self.told_apart else _BY_ITSELF
            return said(**pair, verdict=self.verdict, tested=self.tested)
        worth = margin_of(margin, self.in_points)
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

    def to_row(self) -> dict[str, Any]:
        """Return what a row of a table holds: the method by its label."""
        return {**vars(self), "method": str(self.method)}


def margin_of(margin: float | None, in_points: bool) -> Note | None:
    """A difference worth having, with its unit."""
    if margin is None:
        return None
    return (_MARGIN_IN_POINTS if in_points else _MARGIN)(margin=margin)


@dataclass(frozen=True, eq=False)
class Comparison(Shown):
    """Several algorithms, on the same probes or on independent people.

    Attributes
    ----------
    estimates
        Each algorithm's own rate with its interval.
    pairs
        Every two of them, in the order given.
    overall
        Cochran's Q: do they differ at all?
    margin
        What counts as a difference worth having; None if nothing was declared.
    larger_is_better
        Which way the measure points: rates up, ranks down.
    category
        The category of the probes; None for all probes.
    """

    estimates: tuple[Estimate, ...]
    pairs: tuple[PairComparison, ...]
    overall: CochranQ | None
    margin: float | None
    confidence_level: float
    answers: Answers
    notes: tuple[Note, ...]
    larger_is_better: bool = True
    category: str | None = None

    @property
    def significance(self) -> float:
        """The level at which adjusted p-values count as significant."""
        return 1.0 - self.confidence_level

    def beaten_by(self, name: str) -> list[str]:
        """The algorithms that `name` is significantly better than, after adjustment."""
        wins = []
        for pair in self.pairs:
            if pair.told_apart and name in (pair.first, pair.second):
                ahead = pair.first if (pair.difference > 0) == self.larger_is_better else pair.second
                if ahead == name:
                    wins.append(pair.second if ahead == pair.first else pair.first)
        return wins

    def places(self) -> dict[str, tuple[int, int]]:
        """The places each algorithm can hold: one more than are significantly better, up to all but those it beats."""
        names = [one.facts.algorithm for one in self.estimates]
        beats = {name: set(self.beaten_by(name)) for name in names}
        return {
            name: (1 + sum(name in beaten for beaten in beats.values()), len(names) - len(beats[name]))
            for name in names
        }

    @property
    def ordered(self) -> tuple[Estimate, ...]:
        """The estimates, the best first."""
        return tuple(sorted(self.estimates, key=lambda one: one.value, reverse=self.larger_is_better))

    def tie_groups(self) -> list[tuple[str, ...]]:
        """Algorithms that follow each other in order and cannot be told apart, as long runs as there are."""
        names = [one.facts.algorithm for one in self.ordered]
        beats = {name: set(self.beaten_by(name)) for name in names}
        groups: list[tuple[str, ...]] = []
        for start in range(len(names)):
            end = start + 1
            while end < len(names) and not any(
                names[end] in beats[other] or other in beats[names[end]] for other in names[start:end]
            ):
                end += 1
            if end - start > 1 and not (groups and names[end - 1] in groups[-1]):
                groups.append(tuple(names[start:end]))
        return groups

    def sentences(self) -> list[Note]:
        """Every verdict in words."""
        return [pair.sentence(self.margin) for pair in self.pairs]

    def to_frame(self) -> pl.DataFrame:
        """One row for each pair."""
        return frame_of_rows([{**pair.to_row(), "told_apart": pair.told_apart} for pair in self.pairs])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            "category": self.category,
            "margin": self.margin,
            "confidence_level": self.confidence_level,
            "answers": self.answers.to_dict(),
            "estimates": [one.to_dict() for one in self.estimates],
            "tie_groups": [list(group) for group in self.tie_groups()],
            "places": {name: list(place) for name, place in self.places().items()},
            "pairs": [
                {
                    **plain(pair),
                    "told_apart": pair.told_apart,
                    "sentence": pair.sentence(self.margin).to_dict(),
                }
                for pair in self.pairs
            ],
            "overall": plain(self.overall),
            "notes": plain(self.notes),
        }

    def to_markdown(self) -> str:
        """The publication table as Markdown."""
        return str(render(self, "markdown"))

    def to_csv(self) -> str:
        """Every pair as comma-separated values."""
        return spreadsheet_csv(self.to_frame())

    def __repr__(self) -> str:
        said = " ".join(map(as_sentence, self.sentences()[:3]))
        return f"Comparison({len(self.estimates)} algorithms, {self.answers.of}): {said}"
