"""Accuracy under a protocol: what cross-validation, hold-outs and leaving subjects out say, and how sure one can be."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from proband.errors import InputError, UsageError, unknown_name
from proband.inference.cross_validation.folds import (
    ACCURACY,
    OTHERS_TRAINED,
    OTHERS_UNTRAINED,
    PEOPLE_SPLIT,
    POOLED_ACCURACY,
    SAMPLES_SPLIT,
    TRAINED,
    UNSTABLE,
    Sizes,
    check_accuracies,
    corrected_error,
    fold_array,
    mean_of,
    notes_on,
    notes_on_method,
    shared_training,
    size_ratio,
    subjects_in,
    why_unknown,
)
from proband.inference.cross_validation.results import FoldSpread as FoldSpread, run_of
from proband.inference.estimates.clusters import variance_over_people
from proband.inference.estimates.people_fractions import people_interval
from proband.inference.proportions import Interval, check_level, t_quantile, wilson_interval
from proband.results.about import NOBODY, RestsOn
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.results.targets import PEOPLE_ALIKE
from proband.words import Method, Note, Sentence, Target, count

Floats = npt.NDArray[np.float64]
Kind = Literal[
    "hold-out",
    "per-subject hold-out",
    "counted hold-out",
    "class hold-out",
    "cross-validation",
    "leave-one-out",
    "sampled leave-one-out",
    "leave-one-subject-out",
    "external",
]

_RUNS = Target("description-of-splits", "nothing (this describes how samples fell into splits)")
_SAMPLES = Target("samples", "the samples")
_RUNS_SHARE = Target(
    "runs-share-samples",
    "nothing (runs share samples, so their standard deviation gives no information about other data)",
)
_SETTINGS = Target("classifier-and-sizes", "the classifier, its settings and the sizes")
_SETTINGS_AND_SUBJECTS = Target(
    "classifier-sizes-and-subjects", "the classifier, its settings and the sizes; the subjects"
)
_CORRELATED = {
    unit: Target(
        f"{unit}-in-splits", f"{unit} are independent, and splits are correlated as their sizes imply"
    )
    for unit in ("subjects", "samples")
}
_ALL_ANEW = Target("splits-anew", "independently resampled training and test sets")
_AS_IF_INDEPENDENT = Target(
    "splits-as-if-independent", "splits are independent (they are not, because they share training data)"
)
_CORRECTED = Method(
    "corrected-resampled-t",
    "corrected resampled t, Wilson limits",
    "the corrected resampled t interval over splits, with Wilson limits",
    ("nadeau2003", "wilson1927"),
)
_PLAIN = Method(
    "plain-t-over-splits",
    "plain t over splits (not valid)",
    "Student's interval as if splits were independent (not valid; for comparison only)",
    ("student1908",),
)
POOLED = Method(
    "pooled-predictions",
    "pooled predictions, people as units, Wilson limits",
    "Wilson's interval of the pooled predictions with the effective sample size, with people as clusters",
    ("wilson1927", "rao1992"),
)

_DECLINED = Sentence("accuracy.declined", "caution", "no corrected interval and no test over splits: {why}")
_NO_INTERVAL = Sentence("accuracy.no-interval", "caution", "no interval: {why}")
_ONE_SUBJECT = Sentence(
    "accuracy.one-subject", "caution", "no interval: one subject gives no information about others"
)
_WRONG = Sentence(
    "accuracy.plain-t-is-wrong",
    "caution",
    "not valid, shown for comparison only: splits share data, so an interval must not shrink with every "
    "repeat",
)

_WHOLE_RUNS = {"cross-validation", "leave-one-out", "sampled leave-one-out"}


def fold_spread(values: npt.ArrayLike, kind: Kind | str) -> FoldSpread:
    """Describe the accuracies of a protocol's splits as mean, standard deviation, least and largest over *runs*.

    A run of a cross-validation is the mean of all its folds, one for each repeat; a run of a hold-out is one split; leaving
    one subject out, it is one subject. So a standard deviation over subjects is far larger than one over repeats, and
    the two may not be compared.

    Parameters
    ----------
    values
        Accuracies: repeats × folds (hold-outs have one fold).
    kind
        The protocol.
    """
    if kind not in get_args(Kind):
        raise unknown_name("protocol", kind, get_args(Kind))
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:
        raise UsageError(f"Accuracies must have the shape repeats × folds, got {table.ndim} dimension(s).")
    check_accuracies(table.ravel())
    runs = np.array([mean_of(run) for run in table]) if kind in _WHOLE_RUNS else table.ravel()
    varies = float(np.ptp(runs)) > 0
    what = run_of(kind if kind in _WHOLE_RUNS else "subject" if kind == "leave-one-subject-out" else "split")
    answers = Answers(Target("accuracy-of-a-run", f"accuracy of a {what}"), _RUNS, _SAMPLES, _RUNS_SHARE)
    return FoldSpread(
        kind=kind,
        run=what,
        n_runs=len(runs),
        mean=mean_of(runs),
        std=None if len(runs) < 2 else float(runs.std(ddof=1)) if varies else 0.0,
        minimum=float(runs.min()),
        maximum=float(runs.max()),
        answers=answers,
    )


def corrected_resampled_interval(
    fold_values: npt.ArrayLike,
    n_train: Sizes,
    n_test: Sizes,
    *,
    disjoint: bool,
    confidence_level: float = 0.95,
    n_subjects: int | None = None,
    stable: bool | None = None,
    declined: Note | str | None = None,
) -> Estimate:
    """Interval of the accuracy of a method from its values on folds or hold-outs, which share training data.

    Parameters
    ----------
    fold_values
        The accuracy on each test set: J = repeats × folds of them, in any shape.
    n_train, n_test
        The size of a training set and of a test set, or of each of them; counted in subjects where they are disjoint, in
        samples where they are not.
    disjoint
        Whether no subject is both trained on and tested.
    n_subjects
        The people there are; on disjoint splits what is trained on and tested together, unless it is said.
    stable
        Whether the learner is stable: trained on nearly the same data it classifies nearly alike (linear discriminants do, nearest
        neighbours and trees do not). Of an unstable one's method nothing is claimed: there is no interval. None where nobody knows,
        which the notes say.
    declined
        Why splits tell nothing of other test samples, where they do not: there is then no interval, and the notes say why.

    Notes
    -----
    The variance of the mean is s²(1/J + n_test/n_train), after Nadeau and Bengio [1]_: s²/J alone takes the J values for independent,
    and falls with every repeat although no new data come in. The ends are Wilson's, with as many trials as give a proportion
    this variance and Student's t on J − 1 degrees of freedom; mean ± t·s would reach beyond 1 and cover too little at high
    accuracies. Values that do not vary, or a single one, give no interval. The correction takes the test samples of each split
    for drawn from those that others train on: where all splits test the same samples it covers far too little.

    References
    ----------
    .. [1] Nadeau C, Bengio Y. Inference for the generalization error. Machine Learning 2003;52:239-281.
    """
    values = fold_array(fold_values)
    ratio = size_ratio(n_train, n_test)
    n_subjects = subjects_in(n_train, n_test, disjoint, n_subjects)
    mean, error, freedom = corrected_error(values, ratio)
    if stable is False and declined is None:
        declined = UNSTABLE()
    if declined is not None:
        error = None
    ends = Interval(0.0, 1.0)
    if error is not None:
        worth = mean * (1 - mean) / error**2
        ends = wilson_interval(mean, worth, t_quantile(confidence_level, freedom))
    answers = Answers(
        ACCURACY,
        PEOPLE_SPLIT if disjoint else SAMPLES_SPLIT,
        _SETTINGS if disjoint else _SETTINGS_AND_SUBJECTS,
        _CORRELATED["subjects" if disjoint else "samples"],
    )
    return _made(
        values,
        ends,
        error,
        freedom,
        _CORRECTED,
        answers,
        disjoint,
        n_subjects,
        confidence_level,
        notes=() if error is None else notes_on_method(stable),
        unknown=None if declined is None else _DECLINED(why=declined),
    )


def plain_t_interval(
    fold_values: npt.ArrayLike,
    *,
    disjoint: bool,
    confidence_level: float = 0.95,
    n_subjects: int | None = None,
) -> Estimate:
    """Find the interval as if folds were independent, which they are not: only to show how wrong it is.

    Mean ± t·s/√J on J − 1 degrees of freedom (Student 1908), cut off at 0 and 1. Every repeat makes it narrower, whatever the
    data.
    """
    values = fold_array(fold_values)
    mean, error, freedom = corrected_error(values, 0.0)
    ends = Interval(0.0, 1.0)
    if error is not None:
        reach = t_quantile(confidence_level, freedom) * error
        ends = Interval(max(0.0, mean - reach), min(1.0, mean + reach))
    answers = Answers(ACCURACY, _ALL_ANEW, _SETTINGS, _AS_IF_INDEPENDENT)
    return _made(
        values, ends, error, freedom, _PLAIN, answers, disjoint, n_subjects, confidence_level, (_WRONG(),)
    )


def pooled_interval(
    correct: npt.ArrayLike,
    subjects: npt.ArrayLike,
    *,
    disjoint: bool,
    confidence_level: float = 0.95,
    n_models: int = 1,
) -> Estimate:
    """Find the interval of an accuracy from out-of-fold predictions, with people as the units.

    It is of *these fitted models*: other people vary, and the trained classifiers stay. Every sample weighs the same, so that the
    estimate is not the mean over runs where folds are of unequal size.

    Parameters
    ----------
    correct
        Whether each sample is classified correctly when it is tested, 0 or 1; with several repeats, repeats × samples, and
        NaN where a sample is not tested. Each sample counts by its mean over the repeats that test it.
    subjects
        The person each sample is of.
    disjoint
        Whether no subject is both trained on and tested.
    n_models
        How many models were trained and tested, one for each split.

    Notes
    -----
    Wilson's interval (1927) with the effective sample size of clusters (Rao & Scott 1992), as for recognition rates, and the variance
    multiplied by `shared_training`. Training is held fixed: that another training set gives another classifier is not in it.
    """
    means, people = _pooled(correct, subjects)
    n_subjects = int(people.max()) + 1
    value = mean_of(means)
    allowance = shared_training(n_models)
    ends = people_interval(means, people, confidence_level, inflation=allowance)
    several = n_subjects < len(means)
    varying = OTHERS_UNTRAINED if disjoint else OTHERS_TRAINED
    answers = Answers(POOLED_ACCURACY, varying, TRAINED, PEOPLE_ALIKE)
    notes = notes_on(disjoint, n_subjects)
    if n_subjects < 2:
        notes = (_ONE_SUBJECT(), *notes)
    none = float("nan")
    return Estimate(
        who=NOBODY,
        value=value,
        low=ends.low if n_subjects > 1 else none,
        high=ends.high if n_subjects > 1 else none,
        confidence_level=confidence_level,
        standard_error=float(np.sqrt(allowance * variance_over_people(means, people)))
        if n_subjects > 1
        else None,
        degrees_of_freedom=n_subjects - 1.0 if several and n_subjects > 1 else None,
        method=POOLED,
        rests_on=RestsOn(n=len(means), of="sample", n_units=n_subjects, unit="person"),
        answers=answers,
        notes=notes,
    )


def _pooled(correct: npt.ArrayLike, subjects: npt.ArrayLike) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Each tested sample's mean success over repeats, and its person's number."""
    table = np.atleast_2d(np.asarray(correct, dtype=np.float64))
    people = np.unique(np.asarray(subjects), return_inverse=True)[1].astype(np.intp).ravel()
    if table.ndim != 2 or table.shape[1] != len(people):
        raise UsageError(f"{count(table.shape[-1])} outcomes do not match {count(len(people))} samples.")
    known = ~np.isnan(table)
    if not np.isin(table[known], (0.0, 1.0)).all():
        raise InputError("Predictions must be correct (1), wrong (0), or NaN if a sample is not tested.")
    tested = known.any(axis=0)
    if not tested.any():
        raise InputError("No sample is tested.")
    means = np.where(known, table, 0.0)[:, tested].sum(axis=0) / known[:, tested].sum(axis=0)
    return means, np.unique(people[tested], return_inverse=True)[1].astype(np.intp)


def _made(
    values: Floats,
    ends: Interval,
    error: float | None,
    freedom: float,
    method: Method,
    answers: Answers,
    disjoint: bool,
    n_subjects: int | None,
    confidence_level: float,
    notes: tuple[Note, ...] = (),
    unknown: Note | None = None,
) -> Estimate:
    check_level(confidence_level)
    if error is None:
        notes = (unknown or _NO_INTERVAL(why=why_unknown(len(values))), *notes)
    none = float("nan")
    return Estimate(
        who=NOBODY,
        value=mean_of(values),
        low=none if error is None else ends.low,
        high=none if error is None else ends.high,
        confidence_level=confidence_level,
        standard_error=error,
        degrees_of_freedom=None if error is None else freedom,
        method=method,
        rests_on=RestsOn(n=len(values), of="split", n_units=n_subjects, unit="person" if n_subjects else ""),
        answers=answers,
        notes=(*notes, *notes_on(disjoint, n_subjects)),
    )
