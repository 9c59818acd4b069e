"""Algorithms compared within each category of probes, and over all probes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from proband.designs import Design
from proband.errors import DesignError
from proband.inference.comparisons.compare import comparison_of, shown_together
from proband.inference.comparisons.comparison import ComparisonsByCategory
from proband.inference.estimates.case import people_in
from proband.inference.estimates.evaluation import probe_sets
from proband.inference.procedures import Question
from proband.measures import Outcomes
from proband.results.difference import Adjustment
from proband.results.sides import Side
from proband.samples import Category, Experiment
from proband.words import Note, Sentence

FEWEST_PEOPLE = 2
TOO_FEW = Sentence(
    "comparison.category-too-small",
    "caution",
    "{category} is not compared: its {probes:count probe is/probes are} of {people:count person/people}, and a test over people needs "
    "at least {fewest:count}",
)


def compared_by_category(
    question: Question,
    by: str | Category | Sequence[Category],
    margin: float | None,
    adjust: Adjustment,
    side: Side | None,
) -> ComparisonsByCategory:
    """Compare algorithms over all probes and within each category, the latter adjusted for the number of categories.

    Examples
    --------
    >>> import numpy as np
    >>> from proband import Experiment, RecognitionRate, Samples, Scores, compare
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(40)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids], "sex": ["f", "m"] * 40})
    >>> values = {"a": np.eye(40), "b": np.where(np.arange(40)[:, None] % 2, 0.5, np.eye(40))}
    >>> scores = [Scores.from_array(v, ids[40:], ids[:40], orientation="similarity", name=n) for n, v in values.items()]
    >>> found = compare(RecognitionRate(1), scores, Experiment(samples, gallery=ids[:40]), by="sex")
    >>> {one.category: (one.pairs[0].difference, one.pairs[0].verdict) for one in found.comparisons}
    {None: (0.5, 'better'), 'sex f': (0.0, 'undecided'), 'sex m': (1.0, 'better')}
    """
    if question.view != "outcomes":
        raise DesignError(
            f"Categories are of probes that are searched for; the {question.measure.estimand} is not of such.",
            "leave by out, or take a measure of ranks.",
        )
    sets, notes = probe_sets(question.outcomes[0].experiment, by)
    kept: dict[str | None, tuple[Outcomes, ...]] = {}
    left = list(notes)
    for name, part in list(sets.items())[1:]:
        outcomes = _outcomes_in(question, part)
        why = too_small(name, outcomes[0], question.design)
        if why is None:
            kept[name] = outcomes
        else:
            left.append(why)
    found = [comparison_of(question, shown_together(question), margin, adjust, side)]
    for name, outcomes in kept.items():
        asked = replace(question, data=outcomes, within=None)
        made = comparison_of(asked, shown_together(asked), margin, adjust, side, len(kept))
        found.append(replace(made, category=name))
    return ComparisonsByCategory(tuple(found), tuple(left))


def _outcomes_in(question: Question, part: Experiment) -> tuple[Outcomes, ...]:
    """The outcomes of a category's probes, ranked anew where it has a gallery of its own and scores are at hand."""
    whole = question.outcomes[0].experiment
    if question.within is not None and not np.array_equal(part.gallery, whole.gallery):
        return replace(question, within=part).outcomes
    return tuple(one.restricted(part) for one in question.outcomes)


def too_small(name: str | None, outcomes: Outcomes, design: Design | str | None) -> Note | None:
    """Say why the probes of a category are too few to be compared; None where they are not, or where probes are the units.

    Examples
    --------
    >>> from proband import Experiment, Samples, Scores, rank
    >>> from proband.designs import Binomial
    >>> samples = Samples({"id": ["a1", "a2", "b1"], "subject": list("aab")})
    >>> scores = Scores.from_array([[0.9, 0.1]], ["a2"], ["a1", "b1"], orientation="similarity")
    >>> outcomes = rank(scores, Experiment(samples, gallery=["a1", "b1"], probes=["a2"]))
    >>> too_small("late", outcomes, "auto").code, too_small("late", outcomes, Binomial())
    ('comparison.category-too-small', None)
    """
    people = people_in(outcomes)
    if people >= FEWEST_PEOPLE or getattr(design, "over_probes", False):
        return None
    return TOO_FEW(category=name, probes=len(outcomes), people=people, fewest=FEWEST_PEOPLE)
