"""Results of measurement and estimation: a value, and a value with its interval."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from math import isnan
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from proband.engine.arguments import published
from proband.errors import DesignError, UsageError
from proband.results.about import RestsOn, Who
from proband.results.base import Answers, Confidence, Count, Facts, Result, among
from proband.results.serializing import Written
from proband.results.sides import Side
from proband.words import Method, Note, SampledColumn, Sentence, Target, count, digits, fixed, interval, level

Floats = npt.NDArray[np.float64]
DRIFT = 0.1
"""Of a standard error: halves of the replicates that differ by more ask for more of them."""
_WHICH_RATE = Sentence(
    "weights.which-rate",
    "mark",
    "{many:capital} differ in their number of {item}s: quote the {item}-weighted rate for the {item}s of "
    "this test and the {unit}-weighted rate for new {many}",
)


def facts_of(estimates: Iterable[Estimate]) -> list[Facts]:
    """The facts of estimates that were measured on probes or pairs."""
    return [estimate.facts for estimate in estimates if estimate.facts is not None]


def which_rate(unit: str = "person", item: str = "probe") -> Note:
    """State which of two rates to quote if units have unequal numbers of items."""
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
        For a rate, the number of successes (a fraction under the ``mean`` tie policy); otherwise None.
    answers, facts
        Its meaning, and how it was computed.

    """

    value: float
    events: float | None
    answers: Answers
    facts: Facts

    @property
    def algorithm(self) -> str:
        """The algorithm."""
        return self.facts.algorithm

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
        The standard error if probes were independent, and the standard error of the ratio estimator, which only assumes
        independent people.
    design_effect
        The squared ratio of the two; if above 1, a binomial interval is too narrow, if below 1, too wide.
    effective_n
        The effective sample size. If all or no probes succeed, the correlation within people cannot be estimated, and a
        correlation of ½ is used, or `supposed_icc`.
    icc
        The intraclass correlation (analysis of variance); with the same number of probes per person, the design effect is about
        1 + icc × (probes per person − 1).
    overdispersion
        Pearson's X² over people, divided by its degrees of freedom.
    supposed_icc
        The correlation that an interval supposes, if fewer than two probes fail or succeed; `effective_n` is then that of the
        interval. None and not written if nothing is supposed.
    lenders
        From how many rates in the same data it is borrowed; 0 and not written if from none.
    """

    written = Written(if_any=("supposed_icc", "lenders"))

    n: Count
    n_clusters: Count
    rate: float
    binomial_se: float
    cluster_se: float
    design_effect: float
    effective_n: float
    icc: float
    overdispersion: float
    supposed_icc: float | None = None
    lenders: Count = 0

    @property
    def nothing_varies(self) -> bool:
        """Whether all or no probes succeed, so that the correlation within people cannot be estimated."""
        return self.rate in (0.0, 1.0)


@published
@dataclass(frozen=True, eq=False, kw_only=True)
class Estimate(Result):
    """A number with its interval.

    Attributes
    ----------
    value, low, high
        The measure and the ends of its interval; the ends are NaN if the data do not determine an interval, and `notes` give
        the reason.
    confidence_level
        The level of the interval: how often such intervals contain the true value, if the assumptions hold.
    standard_error
        The standard error under the design; None if the design has none.
    degrees_of_freedom
        The degrees of freedom of the quantile used; None for a normal quantile or none.
    p_value
        The two-sided p-value of the null hypothesis of no effect; None if nothing is tested.
    method, seed
        How the interval was computed, and the seed of the replicates.
    answers
        What it measures, what varies behind it, what is held fixed and what is assumed.
    who, rests_on
        What it describes, and the counts behind it.
    supported
        Whether there are enough errors and people for a reliable interval.
    notes
        Notes, such as whether a simpler interval would be too narrow.
    side
        For a one-sided interval, which end is a bound; the other end is open. None and not written if both ends are bounds.
    by_person
        For a share of probes, the person-weighted rate, if people have different numbers of probes; its p-value tests whether
        the two rates are equal, that is, whether people with more probes are easier or harder.
    naive
        The estimate if all counted items were independent; only if requested.
    facts
        How a measurement of probes or pairs was computed: sizes, policies, what was left out.
    clusters
        The correlation of probes within people, if people have several.
    replicates
        The replicate values, for designs with replicates.
    again
        Repeats the estimate with another number of replicates; call `extended` instead.
    """

    written = Written(
        also=("measure", "n_replicates"),
        without=("replicates", "again"),
        if_any=("side", "by_person", "naive", "facts", "clusters", "n_replicates"),
    )

    tidy: ClassVar[tuple[str, ...]] = ("measure", "value", "low", "high", "confidence_level")

    who: Who
    value: float
    low: float
    high: float
    confidence_level: Confidence
    standard_error: float | None = None
    degrees_of_freedom: float | None = None
    p_value: float | None = None
    rests_on: RestsOn
    supported: bool = True
    method: Method
    seed: int | None = None
    answers: Answers
    notes: tuple[Note, ...] = ()
    side: Side | None = None
    by_person: Estimate | None = None
    naive: Estimate | None = None
    facts: Facts | None = None
    clusters: Clusters | None = None
    replicates: Floats | None = None
    again: Callable[[int], Estimate] | None = field(default=None, repr=False)

    @property
    def algorithm(self) -> str:
        """The algorithm."""
        return self.who.algorithm

    @property
    def of(self) -> Target:
        """What is measured."""
        return self.answers.of

    @property
    def measure(self) -> str:
        """The code of the measure: ``rank-1``, ``fnmr@0.001``, ``eer``."""
        return self.answers.of.key

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval."""
        return not (isnan(self.low) or isnan(self.high))

    @property
    def person_weighted(self) -> str:
        """The value and its interval, as shown next to the probe-weighted rate."""
        return f"person-weighted {fixed(self.value)} {interval(self.low, self.high)}"

    def named(self, algorithm: str) -> Estimate:
        """Return the same estimate with another name of the algorithm.

        Parameters
        ----------
        algorithm
            The other name.

        Returns
        -------
        Estimate
            The same numbers, with that name.
        """
        facts = None if self.facts is None else replace(self.facts, algorithm=algorithm)
        return replace(self, who=self.who.named(algorithm), facts=facts)

    @property
    def errors_of_halves(self) -> tuple[float, float]:
        """The standard errors from each half of the replicates: if they differ, more replicates are needed."""
        made = np.empty(0) if self.replicates is None else self.replicates
        middle = len(made) // 2
        return float(made[:middle].std(ddof=1)), float(made[middle:].std(ddof=1))

    @property
    def halves_agree(self) -> bool:
        """Whether there are enough replicates: the standard errors of the halves differ by less than `DRIFT`."""
        first, second = self.errors_of_halves
        return abs(first - second) <= DRIFT * max(first, second)

    @property
    def n_replicates(self) -> Count | None:
        """The number of replicates."""
        return None if self.replicates is None else len(self.replicates)

    def extended(self, n_resamples: int) -> Estimate:
        """Return the estimate with additional replicates.

        Parameters
        ----------
        n_resamples
            The total number of replicates, larger than the current number.

        Returns
        -------
        Estimate
            The estimate from all replicates.
        """
        if self.again is None or self.replicates is None:
            raise DesignError("This estimate has no random replicates, so none can be added.")
        if n_resamples <= len(self.replicates):
            raise UsageError(
                f"There are {count(len(self.replicates))} replicates already; request a larger number."
            )
        return self.again(n_resamples)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        about = f"{self.algorithm}: " if self.algorithm else ""
        spread = "" if self.standard_error is None else f" ± {digits(self.standard_error)}"
        ends = interval(self.low, self.high) if self.has_interval else "no interval"
        beside = "" if self.by_person is None else f"; {self.by_person.person_weighted}"
        return (
            f"{about}{self.of} {fixed(self.value)}{spread}, {level(self.confidence_level)} {ends}{beside}, "
            f"for {self.answers.varying}"
        )


def estimate_among(
    estimate: Estimate, sampling: tuple[SampledColumn, ...], **columns: str | None
) -> Estimate:
    """The same estimate, with the declared sampling levels in its answers (`among`)."""
    if not sampling:
        return estimate
    by_person, naive, again = estimate.by_person, estimate.naive, estimate.again
    return replace(
        estimate,
        answers=among(estimate.answers, sampling, **columns),
        by_person=by_person and estimate_among(by_person, sampling),
        naive=naive and estimate_among(naive, sampling),
        again=again and partial(_again_among, again, sampling, columns),
    )


def _again_among(
    again: Callable[[int], Estimate],
    sampling: tuple[SampledColumn, ...],
    columns: dict[str, str | None],
    n_resamples: int,
) -> Estimate:
    """The same estimate with another number of replicates and the same sampling levels."""
    return estimate_among(again(n_resamples), sampling, **columns)
