"""What a design makes of a measure: a value with its interval. Each design registers how, beside its own arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.errors import UsageError
from proband.inference.estimates.clusters import cluster_statistics
from proband.measures import Outcomes, RecognitionRate
from proband.results.base import Answers
from proband.results.estimate import Clusters
from proband.words import Note

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Question:
    """A measure of outcomes, and how its interval is wanted.

    Attributes
    ----------
    measure, outcomes
        Of what.
    confidence_level, seed
        Of the interval, and of replicates if there are any.
    population
        The number of people the tested ones were drawn from; None for an endless population.
    """

    measure: Any
    outcomes: Outcomes
    confidence_level: float
    seed: int
    population: int | None = None

    @property
    def several(self) -> bool:
        """Whether some person has several probes."""
        return len(np.unique(self.outcomes.subjects)) < len(self.outcomes)

    @property
    def clusters(self) -> Clusters | None:
        """How alike the probes of one person are, for a rate over people with several."""
        if not isinstance(self.measure, RecognitionRate) or not self.several:
            return None
        return cluster_statistics(self.outcomes.success(self.measure.rank), self.outcomes.subjects)

    @property
    def events(self) -> float | None:
        """For a rate, the successes it rests on."""
        if not isinstance(self.measure, RecognitionRate):
            return None
        return float(self.outcomes.success(self.measure.rank).sum())


@dataclass(frozen=True, eq=False)
class Found:
    """A value and its interval under a design, with what stands behind them."""

    value: float
    low: float
    high: float
    standard_error: float | None
    answers: Answers
    degrees_of_freedom: float | None = None
    replicates: Floats | None = None
    notes: tuple[Note, ...] = ()


@singledispatch
def under(design: object, question: Question) -> Found:
    """Answer a question under a design."""
    raise UsageError(f"{design!r} is no design.", "use Binomial(), Clustered(), Bootstrap() or 'auto'.")
