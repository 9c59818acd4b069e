"""Two classifiers, each trained five times on either half of the data: the 5×2cv tests."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from proband.distributions import f_tail, t_cdf
from proband.errors import UsageError, unknown_name
from proband.inference.comparisons.testing.adjustment import holm
from proband.inference.cross_validation.comparison import AccuracyComparison
from proband.inference.cross_validation.folds import ALIKE, notes_on, same_folds, why_unknown
from proband.results.about import RestsOn
from proband.results.base import Answers
from proband.results.difference import Difference
from proband.words import Method, Target

Floats = npt.NDArray[np.float64]
FiveByTwoTest = Literal["f", "t"]

_METHODS = {
    "f": Method(
        "five-by-two-f",
        "combined 5×2cv F test",
        "the combined 5×2cv F test",
        ("alpaydin1999", "dietterich1998"),
    ),
    "t": Method("five-by-two-t", "5×2cv t test", "the 5×2cv t test", ("dietterich1998",)),
}
_OF = Target("difference-of-accuracy-on-half", "difference of accuracy when trained on half the data")
_HALVES = Target("halves-anew", "resampled training and test halves")
_HALVES_OF_SUBJECTS = Target(
    "halves-of-same-subjects-anew",
    "training and test halves resampled from samples of the same subjects",
)
_SETTINGS = Target("classifiers-and-settings", "the classifiers and their settings")
_SETTINGS_AND_SUBJECTS = Target(
    "classifiers-settings-and-subjects", "the classifiers and their settings; the subjects"
)
_NORMAL = Target(
    "folds-independent", "differences are nearly normal, and differences of different folds are independent"
)

FEWEST_SUBJECTS = 100
"""Each half trains on few: from this many subjects on, the tests were found to hold their level; below, none is claimed to."""


def compare_five_by_two(
    fold_values: Mapping[str, npt.ArrayLike],
    *,
    disjoint: bool,
    n_subjects: int | None = None,
    test: FiveByTwoTest = "f",
    confidence_level: float = 0.95,
) -> AccuracyComparison:
    """Compare classifiers by five repeats of two-fold cross-validation, each trained on half the data.

    The differences have tests, adjusted by Holm, and no intervals; they are the means of the ten differences. Where the two folds of every
    repeat agree there is nothing to test.

    Parameters
    ----------
    fold_values
        For each classifier its accuracies: 5 repeats × 2 folds.
    test
        ``f``: the combined test of Alpaydın [2]_, Σ d² / (2 Σ s²) on 10 and 5 degrees of freedom, over all ten differences.
        ``t``: Dietterich's [1]_, the first difference alone by √(Σ s² / 5), on 5; with another order of folds it may say otherwise.
        Here s² is the variance of the two differences of a repeat.

    References
    ----------
    .. [1] Dietterich TG. Approximate statistical tests for comparing supervised classification learning algorithms. Neural
       Computation 1998;10:1895-1923.
    .. [2] Alpaydın E. Combined 5×2 cv F test for comparing supervised classification learning algorithms. Neural Computation
       1999;11:1885-1892.
    """
    if test not in get_args(FiveByTwoTest):
        raise unknown_name("5×2cv test", test, ("f", "t"))
    for name, given in fold_values.items():
        if np.shape(given) != (5, 2):
            raise UsageError(f"5×2cv needs 5 repeats × 2 folds, got {np.shape(given)} for {name!r}.")
    values = {name: row.reshape(5, 2) for name, row in same_folds(fold_values).items()}
    pairs = list(combinations(values, 2))
    tested = [_five_by_two(values[a] - values[b], test) for a, b in pairs]
    adjusted = holm([p_value for _, p_value in tested])
    answers = Answers(
        _OF,
        _HALVES if disjoint else _HALVES_OF_SUBJECTS,
        _SETTINGS if disjoint else _SETTINGS_AND_SUBJECTS,
        _NORMAL,
    )
    notes = notes_on(disjoint, n_subjects, FEWEST_SUBJECTS)
    differences = tuple(
        Difference(
            first=first,
            second=second,
            value=float((values[first] - values[second]).mean()),
            low=float("nan"),
            high=float("nan"),
            confidence_level=confidence_level,
            statistic=statistic,
            degrees_of_freedom=10 if test == "f" else 5,
            denominator_degrees_of_freedom=5 if test == "f" else None,
            p_value=p_value,
            p_adjusted=p_adjusted,
            method=_METHODS[test],
            rests_on=RestsOn(
                n=10, of="split", n_units=n_subjects, unit="" if n_subjects is None else "person"
            ),
            why_not=why_unknown(10, "differences on") if statistic is None else None,
            adjustment="holm",
            n_compared=len(pairs),
        )
        for (first, second), (statistic, p_value), p_adjusted in zip(pairs, tested, adjusted, strict=True)
    )
    return AccuracyComparison(differences, None, confidence_level, disjoint, answers, notes)


def _five_by_two(differences: Floats, test: FiveByTwoTest) -> tuple[float | None, float]:
    """The statistic and its p-value; none, and 1, where the two folds of every repeat agree."""
    variances = differences.var(axis=1, ddof=1)
    if float(np.ptp(differences, axis=1).max()) < ALIKE:
        return None, 1.0
    if test == "f":
        statistic = float((differences**2).sum() / (2 * variances.sum()))
        return statistic, float(f_tail(10, 5, statistic))
    statistic = float(differences[0, 0] / np.sqrt(variances.mean()))
    return statistic, float(2 * t_cdf(5, -abs(statistic)))
