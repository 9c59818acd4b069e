"""How likely is one classifier better than another by more than a trifle? The Bayesian correlated t-test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt

from proband.distributions import t_cdf
from proband.errors import UsageError
from proband.inference.cross_validation.folds import (
    PEOPLE_SPLIT,
    SAMPLES_SPLIT,
    SETTINGS,
    SETTINGS_AND_SUBJECTS,
    Sizes,
    corrected_error,
    fold_array,
    notes_on,
    size_ratio,
    subjects_in,
    why_unknown,
)
from proband.results.base import Answers, Result
from proband.results.serializing import Written
from proband.results.targets import derived
from proband.words import Method, Note, Sentence, Target, count

_OF = Target(
    "probability-of-better",
    "probability that the first classifier is better, worse or equally good, given these data",
)
_ASSUMED = Target(
    "flat-prior",
    "a flat prior; differences on splits are jointly normal and correlated as their sizes imply",
)
_METHOD = Method(
    "correlated-bayes",
    "Bayesian correlated t-test",
    "the Bayesian correlated t-test on splits that share training data",
    ("corani2015", "nadeau2003"),
)
_FOUND = Sentence(
    "folds.posterior",
    "note",
    "difference {mean:points}: worse with a probability of {worse:tenth}, within {rope:worth} {within:tenth}, better {better:tenth}",
)
_DECLINED = Sentence("folds.no-posterior", "caution", "difference {mean:points}: {why}")


@dataclass(frozen=True)
class CorrelatedBayes(Result):
    """The posterior of a difference of accuracies: the first classifier's less the second's.

    Attributes
    ----------
    first, second
        The classifiers.
    mean, scale, degrees_of_freedom
        Of Student's t, which the posterior is; the scale is None where the differences do not vary.
    rope
        Differences up to this size, either way, are as good as none.
    p_worse, p_rope, p_better
        The probability that the first is worse by more than that, that they are practically equivalent, and that it is better;
        None where the differences do not vary.
    answers, notes, declined
        What they mean, what a reader should know, and why there are none where there are none.
    """

    written = Written(without=("declined",))

    first: str
    second: str
    mean: float
    scale: float | None
    degrees_of_freedom: float
    rope: float
    p_worse: float | None
    p_rope: float | None
    p_better: float | None
    answers: Answers
    notes: tuple[Note, ...]
    declined: Note | None = None

    @property
    def method(self) -> Method:
        """How the probabilities were found."""
        return _METHOD

    def sentence(self) -> Note:
        """The difference and the three probabilities, in words; why there are none where there are none."""
        if self.declined is not None:
            return _DECLINED(mean=self.mean, why=self.declined)
        return _FOUND(
            mean=self.mean, worse=self.p_worse, rope=self.rope, within=self.p_rope, better=self.p_better
        )

    def __repr__(self) -> str:
        return str(self.sentence())


def correlated_bayes(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    n_train: Sizes,
    n_test: Sizes,
    *,
    disjoint: bool,
    rope: float = 0.01,
    n_subjects: int | None = None,
    names: tuple[str, str] = ("first", "second"),
) -> CorrelatedBayes:
    """Find how probable it is that one classifier is better, worse, or practically as good as another.

    Parameters
    ----------
    first, second
        Accuracies of two classifiers on the same splits, in the same order.
    n_train, n_test, disjoint, n_subjects
        As for `corrected_resampled_interval`.
    names
        What the classifiers are called.
    rope
        The region of practical equivalence: differences up to this size are as good as none.

    Notes
    -----
    With ρ = n_test/(n_train + n_test) for the correlation of two splits and a flat prior, the posterior [1]_ is Student's t on J − 1
    degrees of freedom around the mean difference, with the variance s²[1/J + ρ/(1 − ρ)]. As ρ/(1 − ρ) = n_test/n_train, it is
    the corrected resampled t-test read the other way round.

    References
    ----------
    .. [1] Corani G, Benavoli A. A Bayesian approach for comparing cross-validated algorithms on multiple data sets. Machine
       Learning 2015;100:285-304.
    """
    if not 0 <= rope < 1:
        raise UsageError(
            f"A region of practical equivalence must be from 0 to below 1, got {rope!r}.",
            "for example, 0.01 is one percentage point.",
        )
    a, b = fold_array(first), fold_array(second)
    if len(a) != len(b):
        raise UsageError(
            f"Classifiers must be compared on the same splits; got {count(len(a))} and {count(len(b))}."
        )
    mean, scale, freedom = corrected_error(a - b, size_ratio(n_train, n_test))
    notes = notes_on(disjoint, subjects_in(n_train, n_test, disjoint, n_subjects))
    worse = within = better = declined = None
    if scale is None:
        declined = why_unknown(len(a), "differences on")
        notes = (declined, *notes)
    else:
        worse = float(t_cdf(freedom, (-rope - mean) / scale))
        better = float(t_cdf(freedom, (mean - rope) / scale))
        within = max(0.0, 1.0 - worse - better)
    answers = Answers(
        _OF,
        derived("truth", "the true difference; {}", PEOPLE_SPLIT if disjoint else SAMPLES_SPLIT),
        SETTINGS if disjoint else SETTINGS_AND_SUBJECTS,
        _ASSUMED,
    )
    return CorrelatedBayes(
        *names, mean, scale, freedom, rope, worse, within, better, answers, notes, declined
    )
