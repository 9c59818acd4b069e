"""What is asked of a simulated data set: an estimate with its interval, a band, a rate of searches, an accuracy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from proband.errors import DesignError
from proband.inference.comparisons.compare import compare
from proband.inference.cross_validation.intervals import corrected_resampled_interval, pooled_interval
from proband.inference.estimates.cmc_bands import estimate_cmc
from proband.inference.estimates.estimate import estimate
from proband.inference.simulation.worlds import DataSet
from proband.inference.verification.open_set import searches_with_intervals
from proband.measures import Measure
from proband.words import Method, Note

Values = float | npt.NDArray[np.float64]
_SEARCHES = Method("wilson-threshold-anew", "Wilson, threshold re-estimated")


class Answered(NamedTuple):
    """What a data set answered: a value with its interval, or a curve with its band.

    Attributes
    ----------
    value, low, high
        What was found, and its ends; of a curve at every place.
    method, notes
        How, and what was said beside it.
    p_value
        Of the test whether it is zero; None where there is none, and of several comparisons each.
    """

    value: Values
    low: Values
    high: Values
    method: Method
    notes: tuple[Note, ...] = ()
    p_value: Values | None = None


class Ask(Protocol):
    """A question put to every data set of a world."""

    @property
    def measure(self) -> str:
        """The key of what is measured."""

    def __call__(self, one: DataSet, confidence_level: float, seed: int) -> Answered:
        """Answer it; `DesignError` where there is no interval."""


@dataclass(frozen=True)
class Estimating:
    """`estimate` the measure `of` by a `design`."""

    of: Measure
    design: Any

    @property
    def measure(self) -> str:
        """The key of what is measured."""
        return self.of.code

    def __call__(self, one: DataSet, confidence_level: float, seed: int) -> Answered:
        """Estimate."""
        found = estimate(
            one.data,
            one.within,
            measure=self.of,
            design=self.design,
            confidence_level=confidence_level,
            seed=seed,
        )
        return Answered(found.value, found.low, found.high, found.method, found.notes)


@dataclass(frozen=True)
class Comparing:
    """`compare` algorithms by the measure `of` and a `design`: every two of them, all of which are to be held at once."""

    of: Measure
    design: Any = "auto"

    @property
    def measure(self) -> str:
        """The key of what is measured."""
        return self.of.code

    def __call__(self, one: DataSet, confidence_level: float, seed: int) -> Answered:
        """Compare."""
        found = compare(
            one.data,
            one.within,
            measure=self.of,
            design=self.design,
            confidence_level=confidence_level,
            seed=seed,
        )
        return compared(found.pairs, found.notes)


def compared(pairs: Sequence[Any], notes: tuple[Note, ...]) -> Answered:
    """What differences answered: one, or several at once with their adjusted p-values."""
    found = np.array([(one.value, one.low, one.high, one.p_adjusted) for one in pairs]).T
    value, low, high, p = found if len(pairs) > 1 else found[:, 0]
    return Answered(value, low, high, pairs[0].method, notes, p)


def of_a_test(p_value: float, method: Method, notes: tuple[Note, ...] = ()) -> Answered:
    """What a test without an interval answered."""
    return Answered(0.0, -np.inf, np.inf, method, notes, p_value)


@dataclass(frozen=True)
class Asking:
    """Anything else: a `measure` and the function that `answer`s it for a data set, a confidence level and a seed."""

    measure: str
    answer: Callable[[DataSet, float, int], Answered]

    def __call__(self, one: DataSet, confidence_level: float, seed: int) -> Answered:
        """Answer it."""
        return self.answer(one, confidence_level, seed)


@dataclass(frozen=True)
class Banding:
    """`estimate_cmc` up to the rank `last`, `simultaneous` or not: held is the whole curve, or with `at` one rank of it."""

    simultaneous: bool
    last: int
    at: int | None = None

    @property
    def measure(self) -> str:
        """The key of what is measured."""
        return "cmc" if self.at is None else f"cmc-at-{self.at}"

    def __call__(self, one: DataSet, confidence_level: float, seed: int) -> Answered:
        """Find the band."""
        band = estimate_cmc(
            one.data,
            max_rank=self.last,
            simultaneous=self.simultaneous,
            confidence_level=confidence_level,
            seed=seed,
        )
        there: Any = slice(None) if self.at is None else self.at - 1
        return Answered(band.values[there], band.low[there], band.high[there], band.method, band.notes)


@dataclass(frozen=True)
class Searching:
    """FNIR at a target `fpir`, with the threshold found anew in `n_resamples` drawings."""

    fpir: float
    n_resamples: int = 1_000

    @property
    def measure(self) -> str:
        """The key of what is measured."""
        return f"fnir-at-fpir-{self.fpir}"

    def __call__(self, one: DataSet, confidence_level: float, seed: int) -> Answered:
        """Search."""
        (point,) = searches_with_intervals(
            one.data, [self.fpir], [1], confidence_level, n_resamples=self.n_resamples, seed=seed
        ).points
        if point.re_estimated is None:
            raise DesignError("No false positive is allowed, so the threshold is not re-estimated.")
        return Answered(point.fnir.value, *point.re_estimated, _SEARCHES, ())


@dataclass(frozen=True)
class Validating:
    """The accuracy under cross-validation: of the `method`, or of the fitted models."""

    method: bool

    @property
    def measure(self) -> str:
        """The key of what is measured."""
        return "accuracy-of-method" if self.method else "accuracy-of-models"

    def __call__(self, one: DataSet, confidence_level: float, seed: int) -> Answered:
        """Find the interval from the folds, or from the pooled predictions."""
        (folds,) = one.data
        if self.method:
            found = corrected_resampled_interval(
                folds.accuracies,
                folds.n_train,
                folds.n_test,
                disjoint=True,
                confidence_level=confidence_level,
                stable=True,
            )
        else:
            found = pooled_interval(
                folds.correct,
                folds.people,
                disjoint=True,
                confidence_level=confidence_level,
                n_models=len(folds.accuracies),
            )
        if not found.has_interval:
            raise DesignError("Folds without variation have no interval.")
        return Answered(found.value, found.low, found.high, found.method, found.notes)
