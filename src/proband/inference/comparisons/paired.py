"""Two or more algorithms on the same probes: what every paired comparison is of, and what they show together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.errors import DesignError
from proband.inference.comparisons.testing.cochran import cochran_q
from proband.inference.comparisons.testing.curves import PValueCurve, Widened
from proband.inference.comparisons.testing.mcnemar import PairedOutcomes
from proband.inference.comparisons.testing.tails import RankedStatistics
from proband.inference.estimates.case import dependence, people_in
from proband.inference.procedures import Joint, Question
from proband.inference.proportions import Interval
from proband.measures import OutcomeMeasure, Outcomes
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.results.targets import ALGORITHMS_AND_GALLERY, OTHER_PEOPLE, OTHER_PROBES, difference_of
from proband.words import Method, Note, Sentence, Target, counted

Floats = npt.NDArray[np.float64]
_FEW_DISCORDANT = 20  # people; below, tests and intervals were simulated to be rough
_EXCHANGEABLE = {
    unit: Target(
        f"{unit}-exchangeable",
        f"{unit} are independent, and under the null hypothesis the two algorithms are exchangeable within "
        "each",
    )
    for unit in ("probes", "people")
}

_PROBES_AS_UNITS = Sentence(
    "comparison.probes-are-units",
    "caution",
    "probes of one person are assumed to be independent here, so true null hypotheses are rejected too often",
)
_WORST_DEPENDENCE = Sentence(
    "comparison.dependence", "note", "for the rate of {algorithm} alone, {dependence}"
)
_FEW = Sentence(
    "comparison.few-discordant",
    "caution",
    "fewer than {few:count} people are recognised by only one of the two algorithms, so little can be concluded "
    "about {pairs:parts}",
)
_APART = Sentence("comparison.discordant", "note", "{first} and {second} ({units})")
_MORE_PAIRS = Sentence("comparison.more-pairs", "note", "{n:count more pair}")
_PAIRS_NAMED = 3


@dataclass(frozen=True, eq=False)
class Pair:
    """Two algorithms' outcomes of the same probes, and the measure to compare.

    Attributes
    ----------
    measure, first, second
        What is compared, and the outcomes of either algorithm.
    confidence_level, seed
        Of intervals and of draws.
    """

    measure: OutcomeMeasure
    first: Outcomes
    second: Outcomes
    confidence_level: float
    seed: int

    @cached_property
    def subjects(self) -> npt.NDArray[np.intp]:
        """Each probe's person, numbered from 0."""
        return np.unique(self.first.subjects, return_inverse=True)[1].astype(np.intp)

    @cached_property
    def successes(self) -> tuple[Floats, Floats]:
        """Whether each algorithm recognises each probe: 0 or 1."""
        if self.first.fractional or self.second.fractional:
            raise DesignError(
                "Fractions of a success cannot be counted.",
                "use design=Bootstrap(), or pessimistic or optimistic ties.",
            )
        return self.measure.success(self.first), self.measure.success(self.second)

    @cached_property
    def people(self) -> tuple[Floats, Floats]:
        """Each person's successes (people × the two algorithms), and number of probes."""
        return _summed(self.subjects, self.successes)

    @cached_property
    def counts(self) -> PairedOutcomes:
        """How many probes both, either or neither recognises."""
        return PairedOutcomes.of(*self.successes)

    @property
    def unequal(self) -> bool:
        """Whether people have different numbers of probes."""
        return bool(np.ptp(self.people[1]) > 0)


def summed_by_person(subjects: npt.NDArray[Any], successes: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Sum what each algorithm recognises of each person (people × algorithms), and count the person's probes."""
    return _summed(np.unique(subjects, return_inverse=True)[1], successes)


def _summed(codes: npt.NDArray[np.intp], successes: Sequence[Floats]) -> tuple[Floats, Floats]:
    """The same for people numbered from 0."""
    sums = np.column_stack([np.bincount(codes, weights=one) for one in successes])
    return sums.astype(np.float64), np.bincount(codes).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Tested:
    """A paired difference.

    Attributes
    ----------
    difference, curve
        What was found, and the p-value of every difference there could be: its test, and its interval at any level.
    standard_error, method
        Of the difference, and of the test and the interval.
    n_sf, n_fs, n_discordant_subjects, not_won, n_trials
        As in `Difference`.
    statistics
        The size of its statistic without a difference, in any unit, in draws that all comparisons of a question share; None without
        such.
    by_person
        The difference with people weighed alike, and its curve; None where all have as many probes.
    over_choices
        The interval over choices of images; None where these do not vary.
    why_not
        Why it is not judged; None where it is.
    """

    difference: float
    curve: PValueCurve
    standard_error: float
    method: Method
    n_sf: int | None = None
    n_fs: int | None = None
    n_discordant_subjects: int | None = None
    not_won: int | None = None
    n_trials: int | None = None
    statistics: Floats | RankedStatistics | None = None
    by_person: tuple[float, PValueCurve] | None = None
    over_choices: Interval | None = None
    why_not: Note | None = None

    @property
    def p_value(self) -> float:
        """Of no difference, by itself; as small as its draws can say."""
        return max(self.curve.p_value, self.method.floor or 0.0)

    def times(self, factor: float) -> Tested:
        """The same with so many times the variance."""
        by_person = None
        if self.by_person is not None:
            by_person = self.by_person[0], Widened(self.by_person[1], factor)
        error, curve = self.standard_error * sqrt(factor), Widened(self.curve, factor)
        return replace(self, curve=curve, standard_error=error, by_person=by_person)


def joined(test: Method, interval: Method, *also: Method) -> Method:
    """Put a test and an interval beside each other as one method, told and cited apart, with what else goes into both."""
    label = f"{test}, {interval}"
    return Method(f"{test.key}+{interval.key}", label, draws=test.draws, parts=(test, *also, interval))


def joint_of(
    question: Question,
    each: tuple[Estimate, ...],
    test: Callable[[Any, Pair], Tested],
    answers: Answers | None = None,
) -> Joint:
    """Put every two algorithms to a test, and say what they show together.

    With three and more, Cochran's Q says whether they differ at all.
    """
    by_name = {one.algorithm: one for one in question.outcomes}
    unit = question.design.varied
    compared = ((by_name[first], by_name[second]) for first, second in question.pairs)
    tested = tuple(
        (
            a.algorithm,
            b.algorithm,
            None if unit is None else people_in(a) if unit == "person" else len(a),
            test(question.design, Pair(question.measure, a, b, question.confidence_level, question.seed)),
        )
        for a, b in compared
    )
    return Joint(
        each,
        tested,
        answers or _answers(question),
        _notes(question, each, tested),
        _overall(question),
        unit or "person",
    )


def _overall(question: Question) -> Any:
    """Whether several algorithms differ at all, where successes can be counted."""
    outcomes, measure = question.outcomes, question.measure
    if measure.form != "share" or len(outcomes) < 3 or any(one.fractional for one in outcomes):
        return None
    successes = [measure.success(one) for one in outcomes]
    _, sizes = summed_by_person(outcomes[0].subjects, successes)
    if measure.weights == "person" and np.ptp(sizes) > 0:
        return None  # it counts successes, and people's rates are no counts
    subjects = np.unique(outcomes[0].subjects, return_inverse=True)[1].astype(np.intp)
    return cochran_q(np.column_stack(successes), subjects, question.seed)


def _answers(question: Question) -> Answers:
    probes = question.design.over_probes
    return Answers(
        difference_of(question.measure.estimand),
        OTHER_PROBES if probes else OTHER_PEOPLE,
        ALGORITHMS_AND_GALLERY,
        _EXCHANGEABLE["probes" if probes else "people"],
    )


def _notes(
    question: Question, each: Sequence[Estimate], tested: Sequence[tuple[str, str, int | None, Tested]]
) -> tuple[Note, ...]:
    """What is to be said: why this design, what it takes for granted, who is told apart by few, and how alike probes are."""
    first, design = question.outcomes[0], question.design
    shared = people_in(first) < len(first)
    warned = (_PROBES_AS_UNITS(),) if shared and design.over_probes else ()
    few = little_apart(tested, _FEW_DISCORDANT, "person", "people")
    rare = (_FEW(few=_FEW_DISCORDANT, pairs=few),) if few else ()
    return (*question.why, *warned, *rare, *_dependence(each, design.over_probes))


def little_apart(
    tested: Sequence[tuple[str, str, int | None, Tested]], few: int, unit: str, units: str
) -> tuple[Note, ...]:
    """Name the pairs that fewer than so many units tell apart, with their numbers of units; of many, the first."""
    found = [
        _APART(first=a, second=b, units=counted(one.n_discordant_subjects, unit, units))
        for a, b, _, one in tested
        if one.n_discordant_subjects is not None and one.n_discordant_subjects < few
    ]
    more = len(found) - _PAIRS_NAMED
    return (*found[:_PAIRS_NAMED], *((_MORE_PAIRS(n=more),) if more > 0 else ()))


def _dependence(each: Sequence[Estimate], over_probes: bool) -> tuple[Note, ...]:
    """What is to be said of the algorithm for which shared people matter most, by name."""
    shared = [
        (one.clusters, one.algorithm)
        for one in each
        if one.clusters is not None and one.clusters.supposed_icc is None
    ]
    if not shared:
        return ()
    clusters, name = max(shared, key=lambda one: one[0].design_effect)
    said = dependence(clusters, over_probes)
    return tuple(_WORST_DEPENDENCE(algorithm=name, dependence=one) for one in said)
