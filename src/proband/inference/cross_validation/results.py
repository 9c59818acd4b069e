"""What is found of accuracies under a protocol: their spread over runs."""

from __future__ import annotations

from dataclasses import dataclass

from proband.results.base import Answers, Count, Result
from proband.words import Note, Sentence, Target

_OVER_RUNS = Sentence(
    "accuracy.over-runs",
    "note",
    "accuracy {mean:rate} ± {std:rate} (max {maximum:rate}, min {minimum:rate}) over {n:count} {runs}",
)
_OF_ONE_RUN = Sentence("accuracy.of-one-run", "note", "accuracy {mean:rate} over one {run}")
_RUNS = {
    "cross-validation": ("full cross-validation", "full cross-validations"),
    "leave-one-out": ("full run of leave-one-out", "full runs of leave-one-out"),
    "sampled leave-one-out": ("full run of sampled leave-one-out", "full runs of sampled leave-one-out"),
    "subject": ("held-out subject", "held-out subjects"),
    "split": ("split", "splits"),
}
"""What one run of a protocol is, and several are."""


def run_of(key: str) -> Target:
    """What one run is, by its key."""
    return Target(key, _RUNS[key][0])


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
        runs = Target(self.run.key, _RUNS[self.run.key][1])
        return _OVER_RUNS(mean=self.mean, std=self.std, **ends, n=self.n_runs, runs=runs)

    def __repr__(self) -> str:
        return str(self.sentence())
