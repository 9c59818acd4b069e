"""What is found of accuracies under a protocol: their spread over runs."""

from __future__ import annotations

from dataclasses import dataclass

from proband.results.base import Answers, Count, Result
from proband.words import Note, Sentence, Target

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
