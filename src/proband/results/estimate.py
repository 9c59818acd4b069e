"""Results of measuring and estimating: a value, and a value with its interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from proband.engine.arguments import published
from proband.errors import DesignError, UsageError
from proband.results.base import Answers, Confidence, Count, Facts, Rate, Result
from proband.results.serializing import Written
from proband.results.sides import Side
from proband.words import Method, Note, Sentence, count, digits, fixed, interval, level

Floats = npt.NDArray[np.float64]
DRIFT = 0.1
"""Of a standard error: halves of the replicates that differ by more ask for more of them."""
_WHICH_RATE = Sentence(
    "weights.which-rate",
    "mark",
    "{many:capital} differ in their number of {item}s: quote the {item}-weighted rate for the {item}s of this test, and the "
    "{unit}-weighted rate for statements about new {many}",
)


def which_rate(unit: str = "person", item: str = "probe") -> Note:
    """Say which of two rates to quote, where units hold unequal numbers of items."""
    return _WHICH_RATE(unit=unit, many="people" if unit == "person" else f"{unit}s", item=item)


@published
@dataclass(frozen=True)
class Measurement(Result):
    """One number about one algorithm in one experiment.

    Attributes
    ----------
    value
        The number.
    events
        For a rate, how many successes it rests on (a fraction under the ``mean`` tie policy); otherwise None.
    answers, facts
        What it means, and how it came about.

    """

    value: float
    events: float | None
    answers: Answers
    facts: Facts

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        events = "" if self.events is None else f" ({digits(self.events, 6)} of {count(self.facts.n_probes)})"
        return f"{self.facts.algorithm}: {self.answers.of} = {digits(self.value, 6)}{events}"


@published
@dataclass(frozen=True)
class Clusters(Result):
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
        The number of independent probes that would tell as much. Where all or none succeed nothing can be
        seen of how alike their probes are, and it is that of a correlation of ½.
    icc
        The intraclass correlation (analysis of variance); with equally many probes a person, the design effect is about
        1 + icc × (probes a person − 1).
    overdispersion
        Pearson's X² over people, by its degrees of freedom.
    """

    n: Count
    n_clusters: Count
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


@dataclass(frozen=True)
class ByPerson(Result):
    """The same rate with people weighing the same, where they have different numbers of probes, beside the share of probes.

    Attributes
    ----------
    value, low, high
        The mean over people of each one's share, and the ends of its interval for other people.
    standard_error, degrees_of_freedom
        What that rests on.
    difference, p_value
        The share of probes less this rate, and the p-value of the two being equal: whether people with more probes are easier
        or harder.
    """

    value: Rate
    low: Rate
    high: Rate
    standard_error: float
    degrees_of_freedom: float
    difference: float
    p_value: Rate

    def __str__(self) -> str:
        return f"person-weighted {fixed(self.value)} {interval(self.low, self.high)}"


@published
@dataclass(frozen=True, eq=False)
class Estimate(Result):
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
    by_person
        For a share of probes, the same with people weighing the same, where their numbers of probes differ.
    notes
        What else a reader should know: above all whether a simpler interval would be too narrow.
    side
        Of a one-sided interval, which end is a bound; the other end is open. None, and not written, where both ends are.
    again
        Makes the estimate anew with another number of replicates; `extended` is the way to call it.
    """

    written = Written(also=("n_replicates",), without=("replicates", "again"), if_any=("side",))

    value: float
    low: float
    high: float
    confidence_level: Confidence
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
    by_person: ByPerson | None = None
    side: Side | None = None
    again: Callable[[int], Estimate] | None = field(default=None, repr=False)

    @property
    def errors_of_halves(self) -> tuple[float, float]:
        """The standard errors that each half of the replicates gives by itself: where they differ, more are needed."""
        made = np.empty(0) if self.replicates is None else self.replicates
        middle = len(made) // 2
        return float(made[:middle].std(ddof=1)), float(made[middle:].std(ddof=1))

    @property
    def halves_agree(self) -> bool:
        """Whether there are replicates enough: the standard errors of their halves differ by less than `DRIFT`."""
        first, second = self.errors_of_halves
        return abs(first - second) <= DRIFT * max(first, second)

    @property
    def n_replicates(self) -> Count | None:
        """How many replicates there are."""
        return None if self.replicates is None else len(self.replicates)

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
        beside = "" if self.by_person is None else f"; {self.by_person}"
        return (
            f"{self.facts.algorithm}: {self.answers.of} {fixed(self.value)}{spread}, "
            f"{level(self.confidence_level)} {interval(self.low, self.high)}{beside}, varying {self.answers.varying}"
        )
