"""What variances are made of: units within strata, weights before and after adjustment, replicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from proband.inference.survey.adjusting import Fitted
from proband.inference.survey.columns import Flags, Floats
from proband.inference.survey.replication import ReplicateWeights
from proband.inference.survey.stages import Stages
from proband.inference.survey.statistics import Bound

if TYPE_CHECKING:
    from proband.inference.survey.survey import Survey


@dataclass(frozen=True, eq=False)
class Sample:
    """What variances are made of.

    Attributes
    ----------
    stages
        Units within strata.
    base, weights
        The weights of rows before and after adjustment.
    adjustments
        Post-stratification, raking and calibration, as they were made.
    replicates
        The replicates; None for linearised variances.
    """

    stages: Stages
    base: Floats
    weights: Floats
    adjustments: tuple[Fitted, ...]
    replicates: ReplicateWeights | None
    _known: dict[bytes, float] = field(default_factory=dict)

    @classmethod
    def of(cls, survey: Survey) -> Sample:
        """Take them from a survey."""
        return cls(
            survey.stages,
            survey.base_weights,
            survey.final_weights,
            survey.adjustments,
            survey.replicate_weights,
        )

    def covariance(self, scores: Floats) -> Floats:
        """The linearised covariance of totals of scores, less what the adjustments explain of them."""
        return self.stages.covariance(self.unexplained(scores))

    def unexplained(self, scores: Floats) -> Floats:
        """Scores less what the adjustments explain of them."""
        for one in self.adjustments:
            scores = one.residuals(scores)
        return scores

    def blocks(self) -> Iterator[Floats]:
        """The weights of replicates, adjusted like those of the sample, some at a time."""
        assert self.replicates is not None  # asked only where there are any
        for block in self.replicates.blocks(self.base):
            for one in self.adjustments:
                block = np.stack([one.again(row) for row in block])
            yield block

    def tallied(self, one: Bound, inside: Flags) -> Floats | None:
        """A statistic of sums in all replicates, from the sums of units; None where rows are needed, or adjusted in every replicate."""
        summed = one.summed
        if self.replicates is None or self.adjustments or summed is None:
            return None
        sums = self.replicates.sums(summed * inside[:, None], self.base)
        return one.of_sums(sums, self.n(inside))

    def n(self, inside: Flags) -> int:
        """How many rows of a domain have a weight."""
        return int((inside & (self.weights != 0)).sum())

    def freedom(self, inside: Flags) -> float:
        """Degrees of freedom in a domain."""
        kept = inside & (self.weights != 0)
        key = kept.tobytes()
        if key not in self._known:
            if self.replicates is None:
                self._known[key] = self.stages.freedom(kept)
            else:
                self._known[key] = self.replicates.freedom_in(kept)
        return self._known[key]
