"""Comparison of rates of two sets of different people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from proband.designs import Clustered
from proband.distributions import normal_cdf
from proband.engine.arguments import published
from proband.engine.limits import Level, Margin
from proband.errors import DesignError, Hint, UsageError, first_few, unknown_name
from proband.inference.comparisons.compare import DEFAULT_MARGIN, margin_for
from proband.inference.comparisons.comparison import Comparison
from proband.inference.comparisons.paired import Tested
from proband.inference.comparisons.testing.curves import Hybrid
from proband.inference.comparisons.verdicts import judged
from proband.inference.estimates.case import people_in
from proband.inference.estimates.estimate import estimate
from proband.inference.estimates.weighting import PeopleSums, RatesOfPeople, rates_of_people
from proband.inference.proportions import Interval, normal_quantile, proportion_interval
from proband.measures import Measure, Outcomes
from proband.measures.base import as_measure
from proband.results.base import Answers
from proband.results.difference import Adjustment
from proband.results.estimate import Estimate
from proband.results.sides import ONE_SIDED, Side, two_sided_level
from proband.results.targets import difference_of
from proband.scores.several import by_name
from proband.words import Method, Note, Sentence, Target, counted

_OF_PROBES = Method(
    "two-proportions",
    "two-proportion score test, Newcombe interval",
    "a two-proportion score test with Newcombe's interval",
    ("newcombe1998",),
)
_OF_PEOPLE = Method(
    "two-proportions-of-people",
    "Newcombe interval of two rates over people, and the corresponding test",
    "Newcombe's interval from two Wilson intervals over people, with effective sample sizes and Student's "
    "t, and the corresponding test",
    ("newcombe1998", "rao1992"),
)
_BOTH_SETS = Target("people-in-both-sets", "new people in both sets")
_ALGORITHMS_AND_GALLERIES = Target("algorithms-and-galleries", "the algorithms and the galleries")
_APART = Target("people-apart", "people are independent; by their names, no person is in both sets")
_PERHAPS_SHARED = Target(
    "people-perhaps-shared", "people are independent; whether any person is in both sets is unknown"
)
_SHARED_NAMES = Sentence(
    "comparison.shared-names",
    "caution",
    "{n:count name is/names are} in both tables ({first}); whether they belong to the same people is unknown",
)


@published
def compare_independent(
    scores: Outcomes | Sequence[Outcomes] | Mapping[str, Outcomes],
    others: Outcomes | Sequence[Outcomes] | Mapping[str, Outcomes],
    *,
    measure: Measure | str = "rank-1",
    pairs: Sequence[tuple[str, str]] = (),
    margin: Margin = DEFAULT_MARGIN,
    confidence_level: Level = 0.95,
    adjust: Adjustment = "single-step",
    one_sided: Side | None = None,
) -> Comparison:
    """Compare the rates of two sets of *different* people, such as one algorithm on two data sets.

    The estimand is the difference of two rates for new people in both sets, sampled independently. The interval is Newcombe's
    (1998) hybrid of the two rates' Wilson intervals: with δ and ε the distances from each rate to the ends of its interval, p₁
    − p₂ − √(δ₁² + ε₂²) to p₁ − p₂ + √(ε₁² + δ₂²). With one probe per person, the test is the two-proportion score test. With
    several probes per person, Wilson's intervals are over people (effective sample size, Student's t; Rao & Scott 1992) and the
    p-value is the level at which the interval ends at zero, because a score test with effective sizes rejects too often if few
    people determine a rate. Results are not paired, so for the same probes use `compare`, which has far more power.

    Sets from one table must not share people. Equal names in two tables may or may not belong to the same people, so they are
    reported in a note.

    Parameters
    ----------
    scores, others
        Outcomes (`rank`) of the two sets, for one or several algorithms; a mapping gives their names.
    measure
        A recognition rate such as ``"rank-1"``, or another share of probes.
    pairs
        The pairs to compare, by name: one algorithm of the first set and one of the second. Default: algorithms with the same
        name, or the only two.
    margin, confidence_level, adjust, one_sided
        As in `compare`.

    Returns
    -------
    Comparison
        The differences, the first set minus the second, with intervals, p-values and verdicts.

    Examples
    --------
    One algorithm on two sets of 40 people, of whom it misses none and ten:

    >>> from proband.samples import Experiment, Samples
    >>> from proband.scores import Scores
    >>> from proband.measures import RecognitionRate, rank
    >>> def measured(first, missed):
    ...     ids = [f"{side}{first + k}" for side in "gp" for k in range(40)]
    ...     samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    ...     values = np.where(np.arange(40)[:, None] < missed, 0.5, np.eye(40))
    ...     scores = Scores.from_array(values, ids[40:], ids[:40], orientation="similarity", name="net")
    ...     return rank(scores, Experiment(samples, gallery=ids[:40]))
    >>> (pair,) = compare_independent(measured(0, 0), measured(100, 10), measure=RecognitionRate(1)).pairs
    >>> pair.value, round(pair.low, 4), round(pair.high, 4), round(pair.p_value, 6)
    (0.25, 0.1108, 0.4019, 0.000723)
    """
    asked = as_measure(measure)
    if asked.form != "share":
        raise DesignError(
            f"The {asked.estimand} cannot be compared between independent sets of people; rates can.",
            "use rank-1, for example.",
        )
    two_sided_level(confidence_level, one_sided)
    sets = by_name(scores), by_name(others)
    chosen = _matched(list(sets[0]), list(sets[1]), pairs)
    a, b = next(iter(sets[0].values())), next(iter(sets[1].values()))
    if a.experiment.fingerprint == b.experiment.fingerprint:
        raise DesignError(
            "Both sets have the same probes, so they are not independent.", "use compare instead."
        )
    assumed, notes = _apart(a, b)
    shared = set(sets[0]) & set(sets[1])
    estimates: dict[str, Estimate] = {}
    tested = []
    for names in chosen:
        outcomes = [held[name] for held, name in zip(sets, names, strict=True)]
        called = [
            f"{name} ({which} set)" if name in shared else name
            for name, which in zip(names, ("first", "second"), strict=True)
        ]
        for one, name in zip(outcomes, called, strict=True):
            if name not in estimates:
                found = estimate(one, measure=asked, design=Clustered(), confidence_level=confidence_level)
                estimates[name] = found.named(name)
        people = sum(map(people_in, outcomes))
        values = estimates[called[0]].value, estimates[called[1]].value
        tested.append((called[0], called[1], people, _independent(asked, outcomes, values, confidence_level)))
    judged_pairs = judged(
        tested,
        margin_for(margin, True),
        confidence_level,
        True,
        True,
        adjust,
        side=one_sided,
        measure=asked.code,
    )
    answers = Answers(difference_of(asked.estimand), _BOTH_SETS, _ALGORITHMS_AND_GALLERIES, assumed)
    said = list(notes)
    if one_sided is not None:
        both = two_sided_level(confidence_level, one_sided)
        said.append(ONE_SIDED(side=one_sided, level=confidence_level, both=both))
    return Comparison(
        tuple(estimates.values()), judged_pairs, None, margin, confidence_level, answers, tuple(said)
    )


def _matched(
    first: Sequence[str], second: Sequence[str], pairs: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The pairs of algorithms of the first and the second set to compare."""
    for names, held, which in ((first, 0, "first"), (second, 1, "second")):
        wrong = next((two[held] for two in pairs if two[held] not in names), None)
        if wrong is not None:
            raise unknown_name("algorithm", wrong, names, f"in the {which} set")
    if pairs:
        return list(dict.fromkeys(pairs))
    if len(first) == len(second) == 1:
        return [(first[0], second[0])]
    alike = [(name, name) for name in first if name in second]
    if not alike:
        raise UsageError(
            f"No algorithm of the first set ({first_few(list(first), 6)}) is in the second ({first_few(list(second), 6)}).",
            Hint("select the pairs to compare: {option:pairs=A-B}"),
        )
    return alike


def _apart(first: Outcomes, second: Outcomes) -> tuple[Target, tuple[Note, ...]]:
    """Notes on people possibly in both sets; shared people of one table are refused."""
    tables = [one.experiment.samples for one in (first, second)]
    names = [
        {table.subjects[place] for place in np.unique(one.subjects)}
        for table, one in zip(tables, (first, second), strict=True)
    ]
    shared = sorted(names[0] & names[1])
    one_table = tables[0] is tables[1] or (
        tables[0].ids == tables[1].ids and list(tables[0].subjects) == list(tables[1].subjects)
    )
    if shared and one_table:
        raise DesignError(
            f"{counted(len(shared), 'person is', 'people are')} in both sets, so the sets are not "
            f"independent: {first_few(shared)}.",
            "remove them from one set, or use compare if the probes are the same.",
        )
    if shared:
        return _PERHAPS_SHARED, (_SHARED_NAMES(n=len(shared), first=first_few(shared)),)
    return _APART, ()


def _independent(
    measure: Any, outcomes: Sequence[Outcomes], values: tuple[float, float], level: float
) -> Tested:
    """The difference, its interval at any level, and the test of no difference."""
    rates = [
        replace(
            rates_of_people(PeopleSums.of(measure.success(one), one.subjects), measure.weights),
            rate=np.asarray(value),
        )
        for one, value in zip(outcomes, values, strict=True)
    ]
    one_each = all(people_in(one) == len(one) and not one.fractional for one in outcomes)
    sizes = (len(outcomes[0]), len(outcomes[1]))
    arms = _Wilson(values, sizes) if one_each else _OverPeople(values, tuple(rates))
    difference = values[0] - values[1]
    curve = Hybrid(difference, arms, _score_test(values, sizes) if one_each else None)
    ends = arms(round(1 - level, 12))
    error = (ends.high - ends.low) / (2 * normal_quantile(level))
    return Tested(difference, curve, error, _OF_PROBES if one_each else _OF_PEOPLE)


def _score_test(values: tuple[float, float], sizes: tuple[int, int]) -> float:
    """The pooled two-proportion score test, equal to Pearson's chi-squared test."""
    pooled = (values[0] * sizes[0] + values[1] * sizes[1]) / sum(sizes)
    variance = pooled * (1 - pooled) * (1 / sizes[0] + 1 / sizes[1])
    if variance == 0:
        return 1.0
    return min(1.0, float(2 * normal_cdf(-abs(values[0] - values[1]) / np.sqrt(variance))))


@dataclass(frozen=True, eq=False)
class _Wilson:
    """Newcombe's interval of two rates of independent probes, at any level."""

    values: tuple[float, float]
    sizes: tuple[int, int]

    def __call__(self, alpha: float) -> Interval:
        ends = [
            proportion_interval(value * n, n, "wilson", 1 - alpha)
            for value, n in zip(self.values, self.sizes, strict=True)
        ]
        return _newcombe(self.values, ends)


@dataclass(frozen=True, eq=False)
class _OverPeople:
    """Newcombe's interval of two rates over people, at any level."""

    values: tuple[float, float]
    rates: tuple[RatesOfPeople, ...]

    def __call__(self, alpha: float) -> Interval:
        return _newcombe(self.values, [Interval(*map(float, one.ends(1 - alpha))) for one in self.rates])


def _newcombe(values: tuple[float, float], ends: Sequence[Interval]) -> Interval:
    """Newcombe's hybrid interval, from the squared distances of each rate to the ends of its interval."""
    (a, b), (first, second) = values, ends
    low = a - b - float(np.hypot(a - first.low, second.high - b))
    high = a - b + float(np.hypot(first.high - a, b - second.low))
    return Interval(max(-1.0, low), min(1.0, high))
