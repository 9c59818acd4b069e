"""What questions about compared pairs have in common: where they are asked, what they mean, and how algorithms are put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations

from proband.errors import DesignError, UsageError
from proband.inference.comparisons.paired import Tested
from proband.inference.procedures import Joint, Question
from proband.inference.verification.dyadic_auc import AucInterval
from proband.inference.verification.equal_error import EqualErrorInterval
from proband.inference.verification.verification import Verification
from proband.measures.pair_measures import facts_of_pairs
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.results.targets import ALGORITHMS, OTHER_PEOPLE_AND_THRESHOLD, PEOPLE_ALIKE
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.words import Target


def pairs_within(question: Question) -> Experiment | Samples:
    """Return where pairs are compared; refused where that is not said, outcomes are given for scores, or people are finitely many.

    Examples
    --------
    >>> import numpy as np
    >>> from proband.measures import FNMR
    >>> samples = Samples({"id": ["a1", "a2", "b1"], "subject": ["a", "a", "b"]})
    >>> scores = Scores.from_array(np.eye(3), samples.ids, orientation="similarity")
    >>> pairs_within(Question.of(FNMR(0.1), [scores], samples, "auto", 0.95, 0)) is samples
    True
    """
    within = question.within
    if question.population is not None:
        raise UsageError(
            "A finite population is not allowed for where pairs are compared.", "leave out population."
        )
    if not isinstance(within, Experiment | Samples) or not all(
        isinstance(one, Scores) for one in question.data
    ):
        raise DesignError(
            "Verification takes scores and an experiment, or the samples table for all pairs.",
            "estimate(FNMR(1e-3), scores, samples).",
        )
    return within


def estimate_of(
    found: AucInterval | EqualErrorInterval,
    answers: Answers,
    made: Verification,
    scores: Scores,
    within: Experiment | Samples,
) -> Estimate:
    """Make an estimate of an interval that a verification found.

    Examples
    --------
    >>> import numpy as np
    >>> from proband import AUC, estimate
    >>> ids = [f"{person}{image}" for person in "abcdef" for image in "12"]
    >>> samples = Samples({"id": ids, "subject": [name[0] for name in ids]})
    >>> same = np.array([[x[0] == y[0] for y in ids] for x in ids], dtype=float)
    >>> noise = np.cos(np.arange(144)).reshape(12, 12)
    >>> scores = Scores.from_array(same + noise + noise.T, ids, orientation="similarity")
    >>> found = estimate(AUC(), scores, samples)
    >>> found.low < found.value < found.high, found.events
    (True, None)
    """
    return Estimate(
        value=found.value,
        low=found.low,
        high=found.high,
        confidence_level=found.confidence_level,
        standard_error=found.standard_error,
        events=None,
        degrees_of_freedom=found.degrees_of_freedom,
        replicates=None,
        design=found.method,
        seed=None,
        answers=answers,
        facts=facts_of_pairs(scores, within, made.rates.counts, made.n_subjects, made.notes),
        clusters=None,
        notes=(*found.notes, *made.notes),
    )


def joint_of_pairs(
    estimates: Mapping[str, Estimate], tested: Callable[[str, str], Tested], answers: Answers
) -> Joint:
    """Put every two algorithms to a test of their comparisons.

    Examples
    --------
    >>> import numpy as np
    >>> from proband import AUC, estimate
    >>> from proband.inference.comparisons.curves import Student
    >>> from proband.words import Method
    >>> ids = [f"{person}{image}" for person in "abcdef" for image in "12"]
    >>> samples = Samples({"id": ids, "subject": [name[0] for name in ids]})
    >>> same = np.array([[x[0] == y[0] for y in ids] for x in ids], dtype=float)
    >>> area = estimate(AUC(), Scores.from_array(same, ids, orientation="similarity"), samples)
    >>> tested = Tested(0.0, Student(0.0, 0.05, None), 0.05, Method("t", "a test"))
    >>> joint = joint_of_pairs({"a": area, "b": area}, lambda first, second: tested, area.answers)
    >>> [one.facts.algorithm for one in joint.estimates], [pair[:2] for pair in joint.tested]
    (['a', 'b'], [('a', 'b')])
    """
    return Joint(
        tuple(replace(one, facts=replace(one.facts, algorithm=name)) for name, one in estimates.items()),
        tuple((first, second, None, tested(first, second)) for first, second in combinations(estimates, 2)),
        answers,
    )


def answers_of_verification(of: Target, varying: Target = OTHER_PEOPLE_AND_THRESHOLD) -> Answers:
    """Say what is varied and held fixed: other people, and with them the threshold, unless it is said otherwise.

    Examples
    --------
    >>> answers_of_verification(Target("auc", "an area")).varying.key
    'people-and-threshold'
    """
    return Answers(of, varying, ALGORITHMS, PEOPLE_ALIKE)
