"""What questions about compared pairs have in common: where they are asked, what they mean, and how algorithms are put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from proband.errors import DesignError, UsageError
from proband.inference.comparisons.chosen_pairs import every_two
from proband.inference.comparisons.paired import Tested
from proband.inference.procedures import Joint, Question
from proband.inference.verification.results import Verification
from proband.measures.pair_measures import facts_of_pairs
from proband.results.about import RestsOn, Who
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.samples import Experiment, Samples
from proband.samples.ids import SubjectIds
from proband.scores import Scores
from proband.scores.trials import Trials
from proband.words import Sentence

_PAIR = ("query", "target", "query_subject", "target_subject", "mated")
_LOST = Sentence(
    "pairs.failed-for-another",
    "note",
    "{algorithm}: {n:count comparison} that failed for another algorithm {n:word is/are} left out",
)


def pairs_within(question: Question) -> Experiment | Samples:
    """Return where pairs are compared; refused where that is not said, outcomes are given for scores, or people are finitely many."""
    within = question.within
    if within is None and question.data and all(_names_subjects(one) for one in question.data):
        within = question.data[0].samples_by_label()
    if question.population is not None:
        raise UsageError(
            "Measures of compared pairs do not support a finite population.", "leave out population."
        )
    if any(isinstance(one, Trials) for one in question.data):
        raise DesignError(
            "Lists of comparisons have intervals of FNMR at an FMR, AUC and EER, and differences of the first two, "
            "with the design 'auto' and equal weights only.",
            "pass scores of queries with targets, and a table of samples.",
        )
    if not isinstance(within, Experiment | Samples) or not all(
        isinstance(one, Scores) for one in question.data
    ):
        raise DesignError(
            "Verification needs scores and an experiment, or the samples table for all pairs.",
            "call estimate(scores, samples, measure='fnmr@0.001').",
        )
    return within


def _names_subjects(data: Any) -> bool:
    """Whether the rows and columns of scores are named by subject, so that they make a table themselves."""
    return isinstance(data, Scores) and all(
        isinstance(axis, SubjectIds) for axis in (data.queries, data.targets)
    )


def compared_data(
    question: Question,
) -> tuple[Sequence[Scores | Trials], Experiment | Samples | None]:
    """Return what is compared and where: scores within an experiment or a table, or lists of comparisons, which are taken as they are."""
    if not all(isinstance(one, Trials) for one in question.data):
        return question.scores, pairs_within(question)
    within = question.within
    if within is not None and not isinstance(within, Samples):
        raise UsageError(
            "Lists of comparisons cannot be used within an experiment.",
            "pass the samples table, or select the comparisons in the list.",
        )
    lists = question.data if within is None else tuple(one.with_samples(within) for one in question.data)
    return _of_same_pairs(lists), None


def _of_same_pairs(lists: Sequence[Trials]) -> tuple[Trials, ...]:
    """Lists of the same pairs in the same order; a comparison that failed for one algorithm counts for none."""
    first = lists[0].frame
    for one in lists[1:]:
        if not one.frame.select(_PAIR).equals(first.select(_PAIR)):
            raise DesignError(
                f"{lists[0].name} and {one.name} were not measured on the same pairs, in the same order.",
                "score the same pairs with both, and list them in the same order.",
            )
    failed = pl.Series("failed", np.logical_or.reduce([one.frame["failed"].to_numpy() for one in lists]))
    made = []
    for one in lists:
        lost = int((failed & ~one.frame["failed"]).sum())
        frame = one.frame.with_columns(failed, pl.when(~failed).then("score").alias("score"))
        notes = (*one.notes, _LOST(n=lost, algorithm=one.name))
        made.append(replace(one, frame=frame, notes=notes) if lost else one)
    return tuple(made)


def unknown_people(trials: Trials) -> DesignError:
    """The refusal of a list that does not say whose its comparisons are."""
    return DesignError(
        "the list has no subject IDs, so nothing can be concluded about new people.",
        "pass the samples table, or add the samples or subjects of both sides; only the area under the ROC "
        "can be compared if pairs are assumed independent.",
        source=trials.name,
    )


def estimate_of(
    summary: Estimate,
    made: Verification,
    scores: Scores | Trials,
    within: Experiment | Samples | None,
) -> Estimate:
    """Say of a summary that a verification has how it came about."""
    facts = facts_of_pairs(scores, within, made.rates.counts, made.n_subjects, made.notes)
    return replace(
        summary,
        who=Who(algorithm=facts.algorithm),
        rests_on=RestsOn.measured(facts),
        facts=facts,
        notes=(*summary.notes, *made.notes),
    )


def joint_of_pairs(
    estimates: Mapping[str, Estimate],
    tested: Callable[[str, str], Tested],
    answers: Answers,
    chosen: tuple[tuple[str, str], ...] | None = None,
) -> Joint:
    """Put every two algorithms, or those pairs that were chosen, to a test of their comparisons."""
    return Joint(
        tuple(one.named(name) for name, one in estimates.items()),
        tuple(
            (first, second, None, tested(first, second))
            for first, second in every_two(tuple(estimates), chosen)
        ),
        answers,
    )
