"""Two sets of different people: is one rate above the other?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proband.designs import Clustered
from proband.engine.arguments import checked
from proband.errors import DesignError, first_few
from proband.inference.comparisons.compare import DEFAULT_MARGIN, margin_for
from proband.inference.comparisons.comparison import Comparison
from proband.inference.comparisons.curves import Arms
from proband.inference.comparisons.paired import Tested, difference_of
from proband.inference.comparisons.verdicts import judged
from proband.inference.estimates.case import people_in
from proband.inference.estimates.closed import effective_size
from proband.inference.estimates.estimate import estimate
from proband.inference.proportions import Interval, normal_quantile
from proband.measures import Outcomes
from proband.measures.base import Share, as_measure
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.words import Method, Note, Sentence, Target, counted

_INDEPENDENT = Method(
    "two-proportions",
    "two-proportion score test, Newcombe interval, effective sample sizes",
    "a two-proportion score test with Newcombe's interval, counting with effective sample sizes",
    ("newcombe1998", "rao1992"),
)
_BOTH_SETS = Target("people-in-both-sets", "other people in both sets")
_ALGORITHMS_AND_GALLERIES = Target("algorithms-and-galleries", "the algorithms and the galleries")
_APART = Target("people-apart", "people are independent; nobody is in both sets, by their names")
_PERHAPS_SHARED = Target(
    "people-perhaps-shared", "people are independent; whether anybody is in both sets is not known"
)
_SHARED_NAMES = Sentence(
    "comparison.shared-names",
    "caution",
    "{n:count name is/names are} in both tables ({first}); whether they are the same people is not known",
)


@checked
def compare_independent(
    measure: Share | str,
    first: Outcomes,
    second: Outcomes,
    *,
    margin: float = DEFAULT_MARGIN,
    confidence_level: float = 0.95,
) -> Comparison:
    """Compare the rates of two sets of *different* people, such as one algorithm on two data sets.

    What is estimated is the difference of two rates; people of both sets vary, independently. A two-proportion score test, and
    Newcombe's (1998) hybrid of two Wilson intervals, with effective sample sizes where people have several probes (Rao & Scott
    1992). Nothing is paired, so on the same probes use `compare`, which sees far more.

    Sets drawn from one table must not share people. Names of two tables may mean the same people or others, so names in both
    are reported as what is not known.

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
    >>> (pair,) = compare_independent(RecognitionRate(1), measured(0, 0), measured(100, 10)).pairs
    >>> pair.difference, round(pair.low, 4), round(pair.high, 4), round(pair.p_value, 6)
    (0.25, 0.1055, 0.4071, 0.000723)
    """
    asked = as_measure(measure)
    if asked.form != "share":
        raise DesignError(f"The {asked.estimand} of independent people cannot be compared; rates can.")
    if first.experiment.fingerprint == second.experiment.fingerprint:
        raise DesignError("Both were measured on the same probes, which are not independent.", "use compare.")
    assumed, notes = _apart(first, second)
    design = Clustered()
    estimates = [
        estimate(asked, one, design=design, confidence_level=confidence_level) for one in (first, second)
    ]
    tested = _independent(estimates[0], estimates[1], confidence_level)
    people = people_in(first) + people_in(second)
    if first.algorithm == second.algorithm:
        names = (f"{first.algorithm} (first set)", f"{second.algorithm} (second set)")
        estimates = [
            replace(one, facts=replace(one.facts, algorithm=name))
            for one, name in zip(estimates, names, strict=True)
        ]
    pairs = judged(
        [(estimates[0].facts.algorithm, estimates[1].facts.algorithm, people, tested)],
        margin_for(margin, True),
        confidence_level,
        True,
        True,
    )
    answers = Answers(difference_of(asked.estimand), _BOTH_SETS, _ALGORITHMS_AND_GALLERIES, assumed)
    return Comparison(tuple(estimates), pairs, None, margin, confidence_level, answers, notes)


def _apart(first: Outcomes, second: Outcomes) -> tuple[Target, tuple[Note, ...]]:
    """What is known of whether anybody is in both sets; people of one table are refused if somebody is."""
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
            f"{counted(len(shared), 'person is', 'people are')} in both sets, which are then not independent: "
            f"{first_few(shared)}.",
            "leave them out of one set; on the same probes use compare.",
        )
    if shared:
        return _PERHAPS_SHARED, (_SHARED_NAMES(n=len(shared), first=first_few(shared)),)
    return _APART, ()


def _independent(first: Estimate, second: Estimate, level: float) -> Tested:
    from scipy.special import ndtr

    sizes = [
        one.facts.n_probes if one.clusters is None else effective_size(one.clusters)
        for one in (first, second)
    ]
    difference = first.value - second.value
    pooled = (first.value * sizes[0] + second.value * sizes[1]) / sum(sizes)
    variance = pooled * (1 - pooled) * (1 / sizes[0] + 1 / sizes[1])
    p_value = 1.0 if variance == 0 else min(1.0, float(2 * ndtr(-abs(difference) / np.sqrt(variance))))
    interval = _newcombe(first, second)
    error = (interval.high - interval.low) / (2 * normal_quantile(level))
    return Tested(difference, Arms(difference, interval, 1 - level, p_value), error, _INDEPENDENT)


def _newcombe(first: Estimate, second: Estimate) -> Interval:
    """Newcombe's hybrid: the distances from each rate to the ends of its interval, added in squares."""
    a, b = first.value, second.value
    low = a - b - float(np.hypot(a - first.low, second.high - b))
    high = a - b + float(np.hypot(first.high - a, b - second.low))
    return Interval(max(-1.0, low), min(1.0, high))
