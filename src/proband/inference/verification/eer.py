"""The equal error rate as an estimate, and algorithms compared by it on the same comparisons."""

from __future__ import annotations

from proband.errors import DesignError
from proband.inference.procedures import Joint, Question
from proband.inference.verification.pair_questions import (
    answers_of_verification,
    compared_data,
    estimate_of,
    unknown_people,
)
from proband.inference.verification.people_alike import (
    alike_differences,
    alike_estimates,
    with_people_alike,
)
from proband.inference.verification.verification import verify
from proband.results.estimate import Estimate
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.scores.trials import Trials
from proband.words import count


def eer_estimates(question: Question) -> tuple[Estimate, ...]:
    """Estimate the equal error rate with an interval over people.

    Other people vary, and with them the threshold at which both rates are equal; `equal_error_interval` has the formula
    (Fogliato et al. 2024).

    Examples
    --------
    >>> import numpy as np
    >>> from proband.measures import EER
    >>> ids = [f"{person}{image}" for person in "abcdef" for image in "12"]
    >>> samples = Samples({"id": ids, "subject": [name[0] for name in ids]})
    >>> same = np.array([[x[0] == y[0] for y in ids] for x in ids], dtype=float)
    >>> same[0, 1] = same[1, 0] = -1.0
    >>> scores = Scores.from_array(same, ids, orientation="similarity", name="net")
    >>> (found,) = eer_estimates(Question.of(EER(), [scores], samples, "auto", 0.95, 0))
    >>> round(found.value, 4)  # a sixth of the genuine comparisons is below every threshold that helps
    0.1667
    """
    if question.measure.weights == "person":
        return alike_estimates(question)
    data, within = compared_data(question)
    return with_people_alike(question, [_estimate(question, one, within) for one in data])


def _estimate(question: Question, scores: Scores | Trials, within: Experiment | Samples | None) -> Estimate:
    made = verify(scores, within, fmr=0.01, confidence_level=question.confidence_level, n_resamples=0)
    found = made.eer_interval
    if found is None and isinstance(scores, Trials):
        raise unknown_people(scores)
    if found is None:
        raise DesignError(
            f"{count(made.rates.counts.n_impostor)} impostor comparisons are too many to see who shares the false matches at the "
            "equal error rate.",
            "choose fewer people, or FNMR at a false match rate.",
            source=scores.name,
        )
    return estimate_of(found, answers_of_verification(question.measure.estimand), made, scores, within)


def eer_differences(question: Question) -> Joint:
    """Compare algorithms by their equal error rates, all in the same drawings of people.

    People vary, and with them the threshold of each algorithm; `differences_over_people` has the interval and the test (Efron
    1979; Fogliato et al. 2024).

    Examples
    --------
    >>> import numpy as np
    >>> from proband.measures import EER
    >>> ids = [f"{person}{image}" for person in "abcdef" for image in "12"]
    >>> samples = Samples({"id": ids, "subject": [name[0] for name in ids]})
    >>> same = np.array([[x[0] == y[0] for y in ids] for x in ids], dtype=float)
    >>> poor = same.copy()
    >>> poor[0, 1] = poor[1, 0] = -1.0
    >>> values = {"good": same, "poor": poor}
    >>> scores = [Scores.from_array(v, ids, orientation="similarity", name=n) for n, v in values.items()]
    >>> ((first, second, _, tested),) = eer_differences(Question.of(EER(), scores, samples, "auto", 0.95, 0)).tested
    >>> first, second, round(tested.difference, 4)
    ('good', 'poor', -0.1667)
    """
    return alike_differences(question, eer_estimates(question))
