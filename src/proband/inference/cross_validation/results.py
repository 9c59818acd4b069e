"""What is found of accuracies under a protocol: their spread over runs, and intervals."""

from __future__ import annotations

from dataclasses import dataclass

from proband.results.base import Answers, Confidence, Count, Result
from proband.words import Method, Note, Sentence, Target, fixed, interval, level

_OVER_RUNS = Sentence(
    "accuracy.over-runs",
    "note",
    "accuracy {mean:rate} ± {std:rate} (max {maximum:rate}, min {minimum:rate}) over {n:count} × {run}",
)
_OF_ONE_RUN = Sentence("accuracy.of-one-run", "note", "accuracy {mean:rate} of one {run}")


@dataclass(frozen=True)
class FoldSpread(Result):
    """The accuracy under a protocol, which is the mean over its runs (η of Mery et al. 2016), and how much runs vary.

    Attributes
    ----------
    kind, run
        The protocol, and what one run of it is.
    n_runs, mean, std, minimum, maximum
        Over runs; `std` has n − 1 in the denominator, is None for one run, and is not a standard error.
    answers
        What the numbers mean.
    """

    kind: str
    run: Target
    n_runs: Count
    mean: float
    std: float | None
    minimum: float
    maximum: float
    answers: Answers

    def sentence(self) -> Note:
        """Mean ± standard deviation, and the largest and least, in words."""
        if self.std is None:
            return _OF_ONE_RUN(mean=self.mean, run=self.run)
        ends = {"maximum": self.maximum, "minimum": self.minimum}
        return _OVER_RUNS(mean=self.mean, std=self.std, **ends, n=self.n_runs, run=self.run)

    def __repr__(self) -> str:
        return str(self.sentence())


@dataclass(frozen=True)
class AccuracyInterval(Result):
    """An estimate of accuracy under a protocol with its interval: the mean over splits, or the pooled estimate.

    Attributes
    ----------
    value, low, high
        The estimate and the ends of its interval; both ends are None where the data do not show how sure it is, and `notes` say
        why.
    standard_error, degrees_of_freedom
        Of the value, and of the quantile used; None where there is none.
    method
        How the interval was made.
    n_values
        Fold accuracies, or samples, that it rests on.
    n_subjects
        The people there are; None if that was not said.
    disjoint
        Whether nobody is both trained on and tested.
    answers, notes
        What it means, and what a reader should know.
    confidence_level
        Of the interval.
    """

    value: float
    low: float | None
    high: float | None
    confidence_level: Confidence
    standard_error: float | None
    degrees_of_freedom: float | None
    method: Method
    n_values: Count
    n_subjects: Count | None
    disjoint: bool
    answers: Answers
    notes: tuple[Note, ...] = ()

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        ends = "no interval" if self.low is None or self.high is None else interval(self.low, self.high)
        return (
            f"{self.answers.of} {fixed(self.value)}, {level(self.confidence_level)} {ends}, "
            f"varying {self.answers.varying} ({self.method})"
        )
