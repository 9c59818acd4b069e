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
from proband.inference.estimates.evaluate import probe_sets
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
    "{category} is not compared: its {probes:count probe is/probes are} from {people:count person/people}, "
    "and a test over people needs at least {fewest:count}",
)


def compared_by_category(
    question: Question,
    by: str | Category | Sequence[Category],
    margin: float | None,
    adjust: Adjustment,
    side: Side | None,
) -> ComparisonsByCategory:
    """Compare algorithms over all probes and within each category, the latter adjusted for the number of categories."""
    if question.view != "outcomes":
        raise DesignError(
            f"Categories apply to probes searched in a gallery; the {question.measure.estimand} is computed "
            "from pairs.",
            "leave by out, or use a measure of ranks.",
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
    """Say why the probes of a category are too few to be compared; None where they are not, or where probes are the units."""
    people = people_in(outcomes)
    if people >= FEWEST_PEOPLE or getattr(design, "over_probes", False):
        return None
    return TOO_FEW(category=name, probes=len(outcomes), people=people, fewest=FEWEST_PEOPLE)
