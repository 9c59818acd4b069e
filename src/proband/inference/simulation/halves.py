"""A check of intervals on real data: do estimates from two halves of the people agree as often as they should?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from proband.designs import Design
from proband.engine.arguments import published
from proband.engine.limits import Level, Seed, Within
from proband.errors import DesignError
from proband.inference.estimates.estimate import estimate
from proband.inference.procedures import Auto
from proband.inference.proportions import t_quantile
from proband.inference.simulation.covered import share_of
from proband.measures import Outcomes
from proband.measures.base import Measure, as_measure
from proband.results.base import Answers, Confidence, Count, Rate, Result
from proband.results.estimate import Estimate
from proband.results.targets import GALLERY, PEOPLE_ALIKE
from proband.samples import Experiment
from proband.words import Note, Sentence, Target, as_sentence, counted

_OF = Target("agreement-of-halves", "agreement of the estimates of two halves of the people")
_VARYING = Target("halves", "random splits of the people into halves")
_FEWEST = 4  # people in total
_AGREE = Sentence(
    "halves.agree",
    "note",
    "In {n:count split} of {people:count} people into halves, the estimates differ by at most t·√(V_A + "
    "V_B) in {agree:tenth} ({level:level} expected if the standard errors are correct); the interval of one "
    "half contains the estimate of the other in {inside:tenth} ({expected:tenth} expected)",
)
_LIMITS = Sentence(
    "halves.limits",
    "note",
    "the check cannot detect errors from sources that both halves share: the gallery, thresholds, sessions; "
    "all splits use the same people, so these shares vary more than those of independent trials",
)
_TOO_RARE = Sentence(
    "halves.disagree",
    "caution",
    "halves disagree more often than the standard errors allow: these intervals are too narrow for these data",
)
_LEAST_AGREEMENT = 0.05  # a larger shortfall exceeds the variation between splits of one data set


@published
@dataclass(frozen=True)
class Halves(Result):
    """How often the estimates of two halves of the people agree.

    Attributes
    ----------
    agree
        The share of splits with ``|θ_A − θ_B| ≤ t·√(V_A + V_B)``: equal to the confidence level if standard errors are correct.
    inside
        The share in which the interval of one half contains the *estimate* of the other: 83.4% for a correct 95% interval,
        because both vary.
    expected_inside
        The expected share at this level.
    z_squared
        The mean of (θ_A − θ_B)²/(V_A + V_B): about 1 if standard errors are correct, larger if they are too small.
    n_splits, n_subjects
        The numbers of splits and people.
    confidence_level, seed
        The level of the intervals, and the seed of the splits.
    answers, notes
        The meaning of the results, and their limits.
    """

    agree: Estimate
    inside: Rate
    expected_inside: Rate
    z_squared: float
    n_splits: Count
    n_subjects: Count
    confidence_level: Confidence
    seed: int
    answers: Answers
    notes: tuple[Note, ...] = ()

    def sentence(self) -> Note:
        """The result in words.

        Returns
        -------
        Note
            The sentence with its values; `str` gives the text.
        """
        return _AGREE(
            n=self.n_splits,
            people=self.n_subjects,
            agree=self.agree.value,
            level=self.confidence_level,
            inside=self.inside,
            expected=self.expected_inside,
        )

    def __repr__(self) -> str:
        return as_sentence(self.sentence())


@published
def compare_halves(
    scores: Outcomes,
    *,
    measure: Measure | str = "rank-1",
    design: Design | Auto | str = "auto",
    n_splits: Annotated[int, Within(ge=1, le=100_000)] = 200,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
) -> Halves:
    """Split the people into random halves repeatedly, and check whether the estimates of the halves agree within their standard errors.

    The 95% interval of one half contains the estimate of the other in 2Φ(1.96/√2) − 1 = 83.4% of splits, not 95%, because both
    vary; ``|θ_A − θ_B| ≤ t·√(V_A + V_B)`` should hold in 95%. The check cannot detect errors from sources that both halves share
    (the gallery, thresholds).

    Parameters
    ----------
    scores
        Outcomes of one algorithm (`rank`).
    measure, design
        The measure and the design for each half, as for `estimate`.
    n_splits
        The number of random splits.
    confidence_level
        The level of the intervals.
    seed
        The seed of the splits.

    Returns
    -------
    Halves
        The observed and expected shares of agreement.

    Examples
    --------
    >>> from proband.measures import RecognitionRate
    >>> from proband.inference.simulation.populations import SimulatedPeople
    >>> from proband.inference.simulation.worlds import OutcomesWorld
    >>> outcomes = OutcomesWorld(SimulatedPeople.of(80, 3, rate=0.8, icc=0.2), RecognitionRate(1)).draw(0, 0).data
    >>> found = compare_halves(outcomes, measure=RecognitionRate(1), n_splits=50)
    >>> found.n_subjects, round(found.expected_inside, 3), found.agree.value > 0.8
    (80, 0.834, True)
    """
    from scipy.special import ndtr

    measure, outcomes = as_measure(measure), scores
    people = np.unique(outcomes.subjects)
    if len(people) < _FEWEST:
        raise DesignError(
            f"{counted(len(people), 'person has', 'people have')} no halves to compare.",
            f"at least {_FEWEST} people are needed.",
        )
    agree = inside = 0
    squares = []
    for number in range(n_splits):
        chosen = np.random.default_rng([seed, number]).permutation(people)[: len(people) // 2]
        first = np.isin(outcomes.subjects, chosen)
        a, b = (
            estimate(_part(outcomes, kept), measure=measure, design=design, confidence_level=confidence_level)
            for kept in (first, ~first)
        )
        if a.standard_error is None or b.standard_error is None:
            raise DesignError(f"{a.method} gives no standard error, so halves cannot be compared.")
        variance = a.standard_error**2 + b.standard_error**2
        freedom = (len(people) - 2.0) if a.degrees_of_freedom is None else a.degrees_of_freedom
        apart = abs(a.value - b.value)
        agree += bool(apart <= t_quantile(confidence_level, freedom) * np.sqrt(variance) + 1e-12)
        inside += int(a.low <= b.value <= a.high) + int(b.low <= a.value <= b.high)
        squares.append(apart**2 / variance if variance > 0 else 0.0)
    answers = Answers(_OF, _VARYING, GALLERY, PEOPLE_ALIKE)
    share = share_of(agree, n_splits, among=answers)
    z = t_quantile(confidence_level, np.inf)
    notes = [_LIMITS()]
    if share.high < confidence_level - _LEAST_AGREEMENT:
        notes.insert(0, _TOO_RARE())
    return Halves(
        agree=share,
        inside=inside / (2 * n_splits),
        expected_inside=float(2 * ndtr(z / np.sqrt(2)) - 1),
        z_squared=float(np.mean(squares)),
        n_splits=n_splits,
        n_subjects=len(people),
        confidence_level=confidence_level,
        seed=seed,
        answers=answers,
        notes=tuple(notes),
    )


def _part(outcomes: Outcomes, kept: np.ndarray) -> Outcomes:
    experiment: Experiment = outcomes.experiment.restricted(probes=outcomes.probes[kept].tolist())
    return replace(
        outcomes,
        experiment=experiment,
        **{
            name: getattr(outcomes, name)[kept].copy()
            for name in ("probes", "closer", "tied", "best_mates", "failed")
        },
    )
