"""Results of estimation: a value with its interval, and what stands behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.rendering import Shown
from proband.errors import DesignError, UsageError
from proband.results.base import Answers, Facts
from proband.words import Method, Note, count, digits, fixed, interval, level, plain

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Clusters:
    """How outcomes vary between and within people.

    Attributes
    ----------
    n, n_clusters
        Probes and people.
    rate
        The share of successes.
    binomial_se, cluster_se
        The standard error if probes were independent, and the ratio estimator's, which only takes people to be.
    design_effect
        The square of their quotient; above 1 the binomial interval is too narrow, below 1 too wide.
    effective_n
        The number of independent probes that would tell as much. Where all or none succeed it is the number of people, as
        intervals take it: nothing can be seen of how alike their probes are.
    icc
        The intraclass correlation (analysis of variance); with equally many probes a person, the design effect is about
        1 + icc × (probes a person − 1).
    overdispersion
        Pearson's X² over people, by its degrees of freedom.
    """

    n: int
    n_clusters: int
    rate: float
    binomial_se: float
    cluster_se: float
    design_effect: float
    effective_n: float
    icc: float
    overdispersion: float

    @property
    def nothing_varies(self) -> bool:
        """Whether all probes succeed or none, so that how alike a person's are cannot be seen."""
        return self.rate in (0.0, 1.0)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; what is infinite is None."""
        return {**asdict(self), "effective_n": self.effective_n if isfinite(self.effective_n) else None}


@dataclass(frozen=True, eq=False)
class Estimate(Shown):
    """A measure of one algorithm with its interval.

    Attributes
    ----------
    value, low, high
        The measure and the ends of its interval.
    confidence_level
        How often such intervals hold the truth, if the assumptions do.
    standard_error
        Of the value, under the design; None where the design has none.
    events
        For a rate, the successes it rests on.
    degrees_of_freedom
        Of the quantile used; None for a normal one or none.
    replicates
        The replicate values, for designs that make them.
    design, seed
        How the interval was made, and the seed of the replicates.
    answers, facts
        The four answers, and how the number came about.
    clusters
        How alike the probes of one person are, where people have several.
    notes
        What else a reader should know: above all whether a simpler interval would be too narrow.
    again
        Makes the estimate anew with another number of replicates; `extended` is the way to call it.
    """

    value: float
    low: float
    high: float
    confidence_level: float
    standard_error: float | None
    events: float | None
    degrees_of_freedom: float | None
    replicates: Floats | None
    design: Method
    seed: int | None
    answers: Answers
    facts: Facts
    clusters: Clusters | None
    notes: tuple[Note, ...] = ()
    again: Callable[[int], Estimate] | None = field(default=None, repr=False)

    def extended(self, n_resamples: int) -> Estimate:
        """Return the estimate with more replicates: the ones there are, and new ones."""
        if self.again is None or self.replicates is None:
            raise DesignError("This estimate has no random replicates, so there are none to add to.")
        if n_resamples <= len(self.replicates):
            raise UsageError(f"There are {count(len(self.replicates))} replicates already; ask for more.")
        return self.again(n_resamples)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        spread = "" if self.standard_error is None else f" ± {digits(self.standard_error)}"
        return (
            f"{self.facts.algorithm}: {self.answers.of} {fixed(self.value)}{spread}, "
            f"{level(self.confidence_level)} {interval(self.low, self.high)}, varying {self.answers.varying}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the replicates as plain values, ready for JSON; what is infinite is None."""

        def finite(value: float | None) -> float | None:
            return value if value is not None and isfinite(value) else None

        return {
            "value": finite(self.value),
            "low": finite(self.low),
            "high": finite(self.high),
            "confidence_level": self.confidence_level,
            "standard_error": finite(self.standard_error),
            "events": self.events,
            "degrees_of_freedom": self.degrees_of_freedom,
            "n_replicates": None if self.replicates is None else len(self.replicates),
            "design": self.design.to_dict(),
            "seed": self.seed,
            "answers": self.answers.to_dict(),
            "facts": self.facts.to_dict(),
            "clusters": None if self.clusters is None else self.clusters.to_dict(),
            "notes": plain(self.notes),
        }


@dataclass(frozen=True, eq=False)
class Band(Shown):
    """A cumulative match characteristic with an interval at every rank.

    Attributes
    ----------
    values, low, high
        The curve and the ends of the band.
    simultaneous
        Whether the whole curve lies in the band with the stated confidence, or each rank by itself does.
    """

    values: Floats
    low: Floats
    high: Floats
    confidence_level: float
    simultaneous: bool
    design: Method
    seed: int | None
    answers: Answers
    facts: Facts
    notes: tuple[Note, ...] = ()

    @property
    def ranks(self) -> npt.NDArray[np.int64]:
        """The ranks: 1, 2, …"""
        return np.arange(1, len(self.values) + 1)

    def at(self, rank: int) -> float:
        """The rate at a rank; beyond the last rank the curve stays as it ends."""
        return float(self.values[min(rank, len(self.values)) - 1])

    def __repr__(self) -> str:
        kind = "simultaneous" if self.simultaneous else "pointwise"
        return (
            f"{self.facts.algorithm}: CMC with a {kind} {level(self.confidence_level)} band, rank 1: {fixed(self.values[0])} "
            f"{interval(self.low[0], self.high[0])}, varying {self.answers.varying}"
        )

    def to_frame(self) -> pl.DataFrame:
        """Return columns algorithm, rank, rate, low and high."""
        name = [self.facts.algorithm] * len(self.values)
        return pl.DataFrame(
            {"algorithm": name, "rank": self.ranks, "rate": self.values, "low": self.low, "high": self.high}
        )
