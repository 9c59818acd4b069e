"""Classifiers under the same splits of a protocol: which is better, and does the difference outlast other data?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, cast, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.designs import ClusteredMcNemar, SignFlip
from proband.engine.frames import frame_of_rows
from proband.errors import InputError, UsageError, unknown_name
from proband.inference.comparisons.paired import Pair, Tested
from proband.inference.comparisons.paired_rates import chi_squared_pair, sign_flipped_pair
from proband.inference.comparisons.testing.curves import Student
from proband.inference.comparisons.verdicts import judged
from proband.inference.cross_validation.folds import (
    ACCURACY,
    OTHERS_TRAINED,
    OTHERS_UNTRAINED,
    PEOPLE_SPLIT,
    POOLED_ACCURACY,
    SAMPLES_SPLIT,
    SETTINGS,
    SETTINGS_AND_SUBJECTS,
    TRAINED,
    UNSTABLE,
    Sizes,
    corrected_error,
    notes_on,
    notes_on_method,
    same_folds,
    shared_training,
    size_ratio,
    subjects_in,
    why_unknown,
)
from proband.inference.proportions import check_level
from proband.measures import Outcomes, RecognitionRate
from proband.results.base import Answers, Confidence, Result
from proband.results.difference import Difference
from proband.results.frames import rows_of, tidy_rows
from proband.results.targets import PEOPLE_ALIKE, derived
from proband.words import Method, Note, Target, as_sentence, count

Floats = npt.NDArray[np.float64]
_CORRECTED = Method(
    "corrected-resampled-t-test",
    "corrected resampled t",
    "the corrected resampled t-test over splits",
    ("nadeau2003",),
)
_CORRELATED = Target(
    "differences-in-splits",
    "differences on splits are correlated as their sizes imply, and their mean is nearly normal",
)
PooledTest = Literal["sign flip", "clustered McNemar"]


@dataclass(frozen=True)
class AccuracyComparison(Result):
    """Every two of several classifiers, tested on the same splits.

    Attributes
    ----------
    pairs
        The differences with their intervals, p-values (by themselves and adjusted) and verdicts.
    margin
        What counts as a difference worth having; None if nothing was declared.
    answers, notes
        What the differences mean, and what a reader should know.
    confidence_level, disjoint
        Of the intervals, and whether nobody is both trained on and tested.
    """

    pairs: tuple[Difference, ...]
    margin: float | None
    confidence_level: Confidence
    disjoint: bool
    answers: Answers
    notes: tuple[Note, ...]

    def sentences(self) -> list[Note]:
        """Every verdict in words."""
        return [pair.sentence() for pair in self.pairs]

    def __repr__(self) -> str:
        return f"AccuracyComparison({self.answers.of}): {' '.join(map(as_sentence, self.sentences()[:3]))}"

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each pair."""
        rows = (row for pair in self.pairs for row in (rows_of(pair) if wide else tidy_rows(pair)))
        return frame_of_rows(rows)


def check_margin(margin: float | None) -> None:
    """Refuse a margin that is no difference of accuracies."""
    if margin is not None and not 0 < margin < 1:
        raise UsageError(
            f"The margin must be above 0 and below 1, got {margin!r}.",
            "for example, 0.01 is one percentage point.",
        )


def compare_folds(
    fold_values: Mapping[str, npt.ArrayLike],
    n_train: Sizes,
    n_test: Sizes,
    *,
    disjoint: bool,
    margin: float | None = None,
    confidence_level: float = 0.95,
    n_subjects: int | None = None,
    stable: Mapping[str, bool | None] | None = None,
) -> AccuracyComparison:
    """Compare classifiers by their accuracies on the same splits: the corrected resampled t-test (Nadeau & Bengio 2003).

    What is estimated is the difference of accuracies at this training size; training and test sets vary, and settings and sizes
    stay.

    Parameters
    ----------
    fold_values
        For each classifier, its accuracy on each test set, all in the same order.
    n_train, n_test, disjoint, n_subjects
        As for `corrected_resampled_interval`.
    margin
        A difference worth having: with it two classifiers can be shown to be equivalent.
    stable
        Of each classifier whether its learner is stable, as for `corrected_resampled_interval`. Two of which one is not are not
        judged: `compare_pooled` compares their fitted models.

    Notes
    -----
    t = d̄ / √[s²(1/J + n_test/n_train)] on J − 1 degrees of freedom. Where the differences do not vary, nothing shows how sure
    they are: the interval is all there can be and the p-value 1.
    """
    check_level(confidence_level)
    check_margin(margin)
    values = same_folds(fold_values)
    ratio = size_ratio(n_train, n_test)
    n_subjects = subjects_in(n_train, n_test, disjoint, n_subjects)
    found = []
    known, said = stable or {}, list[bool | None]()
    for (first, a), (second, b) in combinations(values.items(), 2):
        of_method = [known.get(name) for name in (first, second)]
        said += of_method
        tested = None if False in of_method else _corrected(a - b, ratio)
        if tested is None:
            why = UNSTABLE() if False in of_method else why_unknown(len(a), "differences on")
            mean = float((a - b).mean())
            tested = Tested(mean, Student(mean, 0.0, 0.0), 0.0, _CORRECTED, why_not=why)
        found.append((first, second, n_subjects, tested))
    answers = Answers(
        derived("difference", "difference of {}", ACCURACY),
        PEOPLE_SPLIT if disjoint else SAMPLES_SPLIT,
        SETTINGS if disjoint else SETTINGS_AND_SUBJECTS,
        _CORRELATED,
    )
    pairs = judged(found, margin, confidence_level, upward=True, in_points=True)
    notes = (*notes_on_method(*said), *notes_on(disjoint, n_subjects))
    return AccuracyComparison(pairs, margin, confidence_level, disjoint, answers, notes)


def _corrected(differences: Floats, ratio: float) -> Tested | None:
    mean, error, freedom = corrected_error(differences, ratio)
    return None if error is None else Tested(mean, Student(mean, error, freedom), error, _CORRECTED)


@dataclass(frozen=True, eq=False)
class _PredictedOutcomes:
    """What a comparison over people reads of outcomes: successes and whose they are."""

    correct: Floats
    subjects: npt.NDArray[np.intp]
    fractional: bool = False

    def success(self, rank: int) -> Floats:
        return self.correct


def compare_pooled(
    correct: Mapping[str, npt.ArrayLike],
    subjects: npt.ArrayLike,
    *,
    disjoint: bool,
    margin: float | None = None,
    confidence_level: float = 0.95,
    test: PooledTest = "sign flip",
    n_models: int = 1,
) -> AccuracyComparison:
    """Compare classifiers by the out-of-fold predictions of *one* repeat, with people as the units.

    What is estimated is the difference of accuracies on the pooled test samples; other people vary, and the trained classifiers
    stay.

    Parameters
    ----------
    correct
        For each classifier, whether each tested sample is classified correctly (0 or 1), all in the same order. Predictions of
        a second repeat are of the same samples and would count them twice: leave them out.
    subjects
        The person each sample is of.
    test
        ``sign flip`` is exact (Fisher 1935); ``clustered McNemar`` is Obuchowski's (1998) chi-square. Both take people for
        independent. The interval is Tango's (1998), over people.
    n_models
        How many models of each classifier were trained and tested in the repeat, one for each split: the variance is that over people
        multiplied by `shared_training`.
    """
    check_level(confidence_level)
    check_margin(margin)
    if test not in get_args(PooledTest):
        raise unknown_name("test", test, get_args(PooledTest))
    people = np.unique(np.asarray(subjects), return_inverse=True)[1].astype(np.intp).ravel()
    n_subjects = int(people.max(initial=-1)) + 1
    if n_subjects < 2:
        raise InputError(
            "All samples are from one subject, so nothing can be concluded about other subjects.",
            "use data from at least two subjects.",
        )
    rows = same_folds(correct)
    for name, row in rows.items():
        if len(row) != len(people):
            raise UsageError(
                f"{count(len(row))} predictions of {name!r} do not match {count(len(people))} samples."
            )
        if not np.isin(row, (0.0, 1.0)).all():
            raise InputError(f"Predictions of {name!r} must be correct (1) or wrong (0).")
    found, allowance = [], shared_training(n_models)
    for (first, a), (second, b) in combinations(rows.items(), 2):
        one, other = (cast("Outcomes", _PredictedOutcomes(row, people)) for row in (a, b))
        pair = Pair(RecognitionRate(1), one, other, confidence_level, 0)
        tested = (
            sign_flipped_pair(SignFlip(), pair)
            if test == "sign flip"
            else chi_squared_pair(ClusteredMcNemar(), pair)
        )
        found.append((first, second, n_subjects, tested.times(allowance) if allowance > 1 else tested))
    answers = Answers(
        derived("difference", "difference of {} of the first repeat", POOLED_ACCURACY),
        OTHERS_UNTRAINED if disjoint else OTHERS_TRAINED,
        TRAINED,
        PEOPLE_ALIKE,
    )
    pairs = judged(found, margin, confidence_level, upward=True, in_points=True)
    return AccuracyComparison(
        pairs, margin, confidence_level, disjoint, answers, notes_on(disjoint, n_subjects)
    )
