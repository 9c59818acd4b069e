"""The difference between two algorithms, with its interval, test and verdict in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan, nan
from typing import ClassVar, Literal

from proband.engine.arguments import published
from proband.engine.limits import Adjustment as Adjustment
from proband.results.about import NOBODY, NOT_COUNTED, RestsOn, Who
from proband.results.base import Confidence, Count, Finite, Interval, Rate, Result
from proband.results.serializing import Written
from proband.results.sides import Side
from proband.words import Method, Note, Sentence

NOTHING_VARIES = Sentence(
    "comparison.nothing-varies",
    "caution",
    "there is no variation in these data, so nothing can be concluded from the interval",
)
"""Said of a difference that does not vary at all."""
_IN_POINTS = Sentence(
    "comparison.effect-in-points", "note", "{difference:points} [{low:hundredfold}, {high:hundredfold}]"
)
_AS_IT_IS = Sentence("comparison.effect", "note", "{difference:signed} [{low:end}, {high:end}]")
_ADJUSTED = Sentence("comparison.adjusted-p", "note", "adjusted p {p:p}")
_ONE_SIDED_ADJUSTED = Sentence("comparison.one-sided-adjusted-p", "note", "one-sided adjusted p {p:p}")
_ONE_SIDED = Sentence("comparison.one-sided-p", "note", "one-sided p {p:p}")
_UNADJUSTED = Sentence("comparison.unadjusted-p", "note", "unadjusted p {p:p}")
_MARGIN_IN_POINTS = Sentence("comparison.margin-in-points", "note", "{margin:worth}")
_MARGIN = Sentence("comparison.margin", "note", "{margin:given}")
_DECIDED = Sentence(
    "comparison.decided", "note", "{first} is {verdict} than {second}: {effect}, {tested}{more:then}"
)
_EQUIVALENT = Sentence(
    "comparison.equivalent",
    "note",
    "{first} and {second} are equivalent within {margin}: {effect}, {bounds}{more:then}",
)
_UNDECIDED = Sentence(
    "comparison.undecided",
    "note",
    "{first} against {second} is undecided: {effect}, {tested}{more:then}",
)
_SEEN = Sentence("comparison.seen", "note", "{first} minus {second}: {effect}")
_SEEN_TESTED = Sentence(
    "comparison.seen-tested", "note", "{first} minus {second}: {effect}, {tested}{more:then}"
)
_STATISTIC = Sentence("comparison.statistic", "note", "{method} {statistic:two}, {tested}")
_P = Sentence("comparison.p", "note", "p {p:p}")
_NOT_JUDGED = Sentence(
    "comparison.not-judged",
    "caution",
    "{first} against {second}: no verdict; the observed difference is {difference}, but {why}",
)
_HERE_IN_POINTS = Sentence("comparison.difference-in-points", "note", "{difference:points}")
_HERE = Sentence("comparison.difference", "note", "{difference:signed}")
_NOBODY = Sentence(
    "comparison.nobody", "caution", "no person was recognised by only one of the two algorithms"
)
_TOO_FEW_DRAWS = Sentence(
    "comparison.too-few-draws",
    "caution",
    "{draws:count draw gives/draws give} no p-value below {floor:given}, so nothing can be significant at "
    "{level:given}: use more resamples",
)
_NOT_WORSE = Sentence("comparison.not-worse", "note", "{first} is not worse by {margin} or more ({bounds})")
_WITHIN = Sentence(
    "comparison.within-margin", "note", "the difference is real but smaller than {margin} ({bounds})"
)
_BOUNDS_IN_POINTS = Sentence(
    "comparison.bounds-in-points", "note", "one-sided bounds {low:hundredfold} and {high:hundredfold}"
)
_BOUNDS = Sentence("comparison.bounds", "note", "one-sided bounds {low:end} and {high:end}")
_NEEDED = Sentence(
    "comparison.units-needed",
    "note",
    "about {n:count} {units} would be needed to detect a difference of {margin}",
)
_OVER_CHOICES = Sentence(
    "comparison.over-choices",
    "note",
    "{first} against {second} over choices of images of these people: {images}; it does not win in "
    "{not_won:count} of {trials:count} choices. On new people: {verdict}, {effect}, {tested}",
)
_BY_PERSON = Sentence(
    "comparison.by-person",
    "caution",
    "person-weighted instead of probe-weighted, the verdict is {verdict}: {effect}, {tested}",
)
_NO_UNIT = Sentence("comparison.no-unit", "caution", "no {unit} distinguishes the two systems")
_BY_UNIT = Sentence(
    "comparison.by-unit",
    "caution",
    "{unit}-weighted, the verdict is {verdict}: {effect}, {tested}",
)

Verdict = Literal["better", "worse", "equivalent", "undecided"]
Unit = Literal["person", "probe", "sample", "group", "item", "cluster"]
"""What is drawn anew: people or probes; samples of classes or groups of them; items of a table or clusters of them."""


_TURNED: dict[Verdict, Verdict] = {"better": "worse", "worse": "better"}


@published
@dataclass(frozen=True, kw_only=True)
class Difference(Result):
    """The difference between two algorithms, groups or levels.

    Attributes
    ----------
    measure
        The code of the compared measure: ``rank-1``, ``fnmr@0.001``; empty and not written if it is stated only in the
        enclosing result.
    first, second
        The two algorithms, groups or levels that are compared.
    who
        What both describe: the category of probes, the data set, or the algorithm whose groups are compared.
    value, low, high
        The first value minus the second, and its interval: with several comparisons, the simultaneous interval, which excludes
        zero if and only if the adjusted p-value is significant. The ends are NaN if there is no interval.
    confidence_level, standard_error, degrees_of_freedom
        The level of the interval, the standard error of the difference, and the degrees of freedom of the quantile used. The
        last two are None if they do not exist.
    statistic, denominator_degrees_of_freedom
        The test statistic, if it differs from the difference, and the second degrees of freedom if it is F; not written
        otherwise.
    p_value, p_adjusted
        Two-sided, unadjusted and adjusted for the number of comparisons; None if nothing is tested, or adjusted.
    adjustment, n_compared
        The adjustment (``single-step``, ``holm`` or ``none``), and the number of comparisons.
    n_sf, n_fs
        Probes that only the first, and only the second, recognises; None if probes are not shared or the measure is not a rate.
    n_discordant_subjects
        People for whom the two differ; None in the same cases.
    verdict
        From the interval: ``better``, ``worse``, ``equivalent`` (not significantly different, and within the margin in both
        directions), or ``undecided``. None if neither can be better, such as levels of a covariate or domains of a survey.
    not_inferior
        Whether the first is shown not to be worse than the second by the margin or more (one-sided); None without a margin.
    within_margin
        Whether the difference is shown to be within the margin in both directions, also for significant differences.
    bound_low, bound_high
        The one-sided bounds behind `not_inferior` and `within_margin`: the interval at level 1 − 2α; None without a margin.
    varies
        Whether there is any variation; without it, there is no verdict.
    why_not
        Why there is no verdict although the difference is reported; None if there is a verdict.
    subjects_needed
        The number of people, or other units, needed to detect a true difference of the margin with a power of 0.8; None if the
        verdict is decided.
    method
        The test and the interval.
    margin
        The smallest difference that matters; None if none was declared.
    not_won, n_trials
        Over choices of images: in how many of how many trials the first does not win. The share is not a p-value.
    choices_low, choices_high
        The interval over choices of images of these people; None if these do not vary.
    by_person
        The same difference with every person weighted equally, if people have unequal numbers of probes.
    side
        For a one-sided interval, which end is a bound: ``lower`` tests whether the first is larger than the second, ``upper``
        whether it is smaller, and the p-values are one-sided. None and not written if both ends are bounds.
    unit
        The resampled unit, also counted by `subjects_needed`; written if it is not people. `n_discordant_subjects` counts this
        unit too, except that it counts people if probes are resampled.
    """

    written = Written(
        {"unit": "other_unit"},
        also=("told_apart", "sentence"),
        without=("margin",),
        if_any=(
            "who",
            "measure",
            "denominator_degrees_of_freedom",
            "statistic",
            "rests_on",
            "unit",
            "side",
            "by_person",
            "why_not",
        ),
    )

    tidy: ClassVar[tuple[str, ...]] = (
        *(
            "measure",
            "first",
            "second",
            "value",
            "low",
            "high",
            "confidence_level",
            "p_value",
            "p_adjusted",
            "verdict",
        ),
    )

    who: Who = NOBODY
    measure: str = ""
    first: str
    second: str
    value: Finite
    low: float
    high: float
    confidence_level: Confidence
    standard_error: float | None = None
    degrees_of_freedom: float | None = None
    denominator_degrees_of_freedom: float | None = None
    statistic: float | None = None
    p_value: Rate | None = None
    p_adjusted: Rate | None = None
    verdict: Verdict | None = None
    method: Method
    notes: tuple[Note, ...] = ()
    supported: bool = True
    rests_on: RestsOn = NOT_COUNTED
    n_sf: Count | None = None
    n_fs: Count | None = None
    n_discordant_subjects: Count | None = None
    not_inferior: bool | None = None
    subjects_needed: Count | None = None
    in_points: bool = True
    not_won: Count | None = None
    n_trials: Count | None = None
    margin: float | None = None
    bound_low: float | None = None
    bound_high: float | None = None
    within_margin: bool | None = None
    varies: bool = True
    why_not: Note | None = None
    adjustment: Literal["single-step", "holm", "none"] = "single-step"
    n_compared: Count = 1
    choices_low: float | None = None
    choices_high: float | None = None
    by_person: Difference | None = None
    unit: Unit = "person"
    side: Side | None = None

    @property
    def significance(self) -> float:
        """The significance level of the adjusted p-value."""
        return round(1 - self.confidence_level, 12)

    @property
    def other_unit(self) -> str | None:
        """The resampled unit, if it is not people."""
        return None if self.unit == "person" else self.unit

    @property
    def _of_persons(self) -> bool:
        return self.unit in ("person", "probe")

    @property
    def units_needed(self) -> str:
        """The word for the unit of `subjects_needed`, in singular or plural."""
        if self.subjects_needed == 1:
            return self.unit
        return "people" if self.unit == "person" else f"{self.unit}s"

    @property
    def _other_not_inferior(self) -> bool | None:
        """Whether the second is shown not to be worse than the first: the bound that says so of the first leaves the other one."""
        if (
            self.not_inferior is None
            or self.margin is None
            or self.bound_low is None
            or self.bound_high is None
        ):
            return None
        within = self.bound_low > -self.margin, self.bound_high < self.margin
        return self.varies and (all(within) if self.not_inferior else any(within))

    @property
    def told_apart(self) -> bool:
        """Whether the two differ significantly, adjusted for the number of comparisons."""
        return self.verdict in ("better", "worse")

    @property
    def effect(self) -> Note:
        """The difference with its interval."""
        return self._effect(self.value, self.low, self.high)

    @property
    def over_choices(self) -> Interval | None:
        """The interval over choices of images; None if these do not vary."""
        if self.choices_low is None or self.choices_high is None:
            return None
        return Interval(self.choices_low, self.choices_high)

    @property
    def effect_over_choices(self) -> Note:
        """The difference with its interval over choices of images, if these vary."""
        return self._effect(self.value, *(self.over_choices or (self.low, self.high)))

    def _effect(self, difference: float, low: float, high: float) -> Note:
        if isnan(low) or isnan(high):
            return (_HERE_IN_POINTS if self.in_points else _HERE)(difference=difference)
        said = _IN_POINTS if self.in_points else _AS_IT_IS
        return said(difference=difference, low=low, high=high)

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval."""
        return not (isnan(self.low) or isnan(self.high))

    @property
    def bounds(self) -> Note | None:
        """The one-sided bounds of the margin."""
        if self.bound_low is None or self.bound_high is None:
            return None
        said = _BOUNDS_IN_POINTS if self.in_points else _BOUNDS
        return said(low=self.bound_low, high=self.bound_high)

    @property
    def tested(self) -> Note:
        """The p-value and its adjustment; a bound if more draws could have made it smaller."""
        return self._tested(self.p_adjusted)

    def _tested(self, p: float | None) -> Note:
        said = _UNADJUSTED if self.adjustment == "none" and self.n_compared > 1 else _ADJUSTED
        if self.side is not None:
            said = _ONE_SIDED_ADJUSTED if self.adjustment != "none" and self.n_compared > 1 else _ONE_SIDED
        return said(p=self._with_floor(p))

    @property
    def p_with_floor(self) -> tuple[float, float | None]:
        """The adjusted p-value and its floor: the p-value itself if no draw of the test was as extreme, otherwise None."""
        return self._with_floor(self.p_adjusted)

    def _with_floor(self, p: float | None) -> tuple[float, float | None]:
        floor = self.method.floor
        if p is None or self.p_value is None:
            return nan, None
        return p, p if floor is not None and self.p_value <= floor * (1 + 1e-9) else None

    @property
    def people_disagree(self) -> bool:
        """Whether the person-weighted difference has the opposite sign or another verdict."""
        other = self.by_person
        if other is None:
            return False
        opposite = self.value * other.value < 0
        return opposite or self.told_apart != (other.verdict in ("better", "worse"))

    def sentence(self) -> Note:
        """The verdict in words.

        Returns
        -------
        Note
            The sentence with its values; `str` gives the text.
        """
        pair = {"first": self.first, "second": self.second, "effect": self.effect}
        if self.over_choices is not None and self.not_won is not None:
            won = {"not_won": self.not_won, "trials": self.n_trials, "images": self.effect_over_choices}
            return _OVER_CHOICES(**pair, **won, verdict=self.verdict, tested=self.tested)
        if self.why_not is not None:
            here = (_HERE_IN_POINTS if self.in_points else _HERE)(difference=self.value)
            return _NOT_JUDGED(first=self.first, second=self.second, difference=here, why=self.why_not)
        if self.verdict is None:
            return self._seen()
        worth = margin_of(self.margin, self.in_points)
        if self.told_apart:
            more = [_WITHIN(margin=worth, bounds=self.bounds)] if self.within_margin else []
            more += self.of_people()
            return _DECIDED(**pair, verdict=self.verdict, tested=self.tested, more=tuple(more))
        if self.verdict == "equivalent":
            return _EQUIVALENT(**pair, margin=worth, bounds=self.bounds, more=tuple(self.of_people()))
        return _UNDECIDED(**pair, tested=self.tested, more=tuple(self._undecided(worth)))

    @property
    def setting(self) -> str:
        """What both describe, and what is compared: ``probe.glasses on minus off, algorithm pca``."""
        return f"{self._first} minus {self.second}{self._where}"

    @property
    def _first(self) -> str:
        return f"{self.who.column} {self.first}".lstrip()

    @property
    def _where(self) -> str:
        """The level of a second column in words, or the contrast of two of its levels."""
        who = self.who
        if not who.other_column:
            return ""
        less = f" minus {who.other_reference}" if who.other_reference else ""
        return f", {who.other_column} {who.other_group}{less}"

    def _seen(self) -> Note:
        """The difference in words, if neither side can be better."""
        seen = {"first": self._first, "second": self.second + self._where, "effect": self.effect}
        if self.p_value is None:
            return _SEEN(**seen)
        tested = _P(p=self._with_floor(self.p_value)) if self.p_adjusted is None else self.tested
        if self.statistic is not None:
            tested = _STATISTIC(method=self.method, statistic=self.statistic, tested=tested)
        return _SEEN_TESTED(**seen, tested=tested, more=() if self.supported else self.notes)

    def __repr__(self) -> str:
        return str(self.sentence())

    def _undecided(self, worth: Note | None) -> list[Note]:
        more = []
        if not self.varies:
            more.append(NOTHING_VARIES())
        if self.n_discordant_subjects == 0:
            more.append(_NOBODY() if self._of_persons else _NO_UNIT(unit=self.unit))
        floor = self.method.floor
        if floor is not None and floor / (2 if self.side else 1) > self.significance:
            more.append(_TOO_FEW_DRAWS(draws=self.method.draws, floor=floor, level=self.significance))
        for name, shown in ((self.first, self.not_inferior), (self.second, self._other_not_inferior)):
            if shown:
                more.append(_NOT_WORSE(first=name, margin=worth, bounds=self.bounds))
        if self.subjects_needed is not None:
            more.append(_NEEDED(n=self.subjects_needed, units=self.units_needed, margin=worth))
        return more + self.of_people()

    def of_people(self) -> list[Note]:
        """The person-weighted result, if it differs.

        Returns
        -------
        list of Note
            One sentence; empty if the person-weighted result is the same.
        """
        other = self.by_person
        if other is None or not self.people_disagree:
            return []
        effect = self._effect(other.value, other.low, other.high)
        shown = {"verdict": other.verdict, "effect": effect, "tested": self._tested(other.p_adjusted)}
        return [_BY_PERSON(**shown) if self._of_persons else _BY_UNIT(**shown, unit=self.unit)]


def turned(pair: Difference) -> Difference:
    """The same pair seen from the second; how often it wins over choices of images is not known from this side."""
    return replace(
        pair,
        first=pair.second,
        second=pair.first,
        value=0.0 - pair.value,
        low=0.0 - pair.high,
        high=0.0 - pair.low,
        n_sf=pair.n_fs,
        n_fs=pair.n_sf,
        verdict=None if pair.verdict is None else _TURNED.get(pair.verdict, pair.verdict),
        not_inferior=pair._other_not_inferior,
        bound_low=None if pair.bound_high is None else 0.0 - pair.bound_high,
        bound_high=None if pair.bound_low is None else 0.0 - pair.bound_low,
        choices_low=None if pair.choices_high is None else 0.0 - pair.choices_high,
        choices_high=None if pair.choices_low is None else 0.0 - pair.choices_low,
        by_person=None if pair.by_person is None else turned(pair.by_person),
        not_won=None,
        side=None if pair.side is None else "upper" if pair.side == "lower" else "lower",
    )


def margin_of(margin: float | None, in_points: bool) -> Note | None:
    """The margin with its unit."""
    if margin is None:
        return None
    return (_MARGIN_IN_POINTS if in_points else _MARGIN)(margin=margin)


def in_short(verdict: Note) -> Note:
    """A verdict without what would decide it; cautions are kept."""
    values = dict(verdict.values)
    if "more" in values:
        values["more"] = tuple(note for note in values["more"] if note.level == "caution")
    return replace(verdict, values=tuple(values.items()))
